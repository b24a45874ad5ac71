/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Long requests, which are handled in parts: read, checked, brought into order, and entered or
 * given to the host. The peer has no connection, so the test decides when there is a next part, or
 * that there is none. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/net/conn.h"
#include "src/request/schema.h"
#include "src/server/collectives/collective.h"
#include "src/server/collectives/tracker.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/requests.h"
#include "src/server/state.h"
#include "src/server/data/nspace.h"
#include "src/waits/reader.h"
#include "src/waits/writer.h"
#include "src/wire/messages.h"

/* MANY names are stored and normalised in three pieces, and so are LARGE bytes stored. */
enum { TAG = 100, MANY = 20000, FEW = 100, LARGE = 5000000, MOST_PARTS = 18 };

static unsigned n_published;
static char text[LARGE + 1]; /* what is published */
static bool as_sent;         /* what came was the same */

static pmix_status_t publish(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                             pmix_op_cbfunc_t done, void *cbdata)
{
    (void) proc, (void) done, (void) cbdata;
    n_published++;
    as_sent =
        ninfo && info[0].value.type == PMIX_STRING && strcmp(info[0].value.data.string, text) == 0;
    return PMIX_OPERATION_SUCCEEDED;
}

/* What the test does on the loop's thread, and what came of it. */
struct attempt {
    const struct px_request *request;
    const struct px_args *args;
    unsigned n_parts; /* that are handled, at most */
    bool named;       /* the caller is a member */
    bool watched;     /* until there is no collective */
    bool known;       /* until then the caller is found, though it has no connection */
    int rc;
    unsigned n_left; /* of n_parts */
    unsigned n_colls[MOST_PARTS];
    bool in_part;  /* after the last of them */
    bool has_host; /* then a collective's upcall is under way */
};

static bool host_is_asked(struct px_server *s)
{
    px_list_for(const struct px_coll, coll, &s->colls.list, link) {
        if (coll->upcall) {
            return true;
        }
    }
    return false;
}

static unsigned count_colls(struct px_server *s)
{
    unsigned n = 0;

    for (const struct px_list *at = s->colls.list.next; at != &s->colls.list; at = at->next) {
        n++;
    }
    return n;
}

/* Looks at the collectives in each turn of the loop until there is none. */
static struct watch {
    struct px_timer timer;
    sem_t over;
    unsigned n_ending; /* that were found to end in the next turn */
} watch;

/* A count of those who are missed does not end such a one before. */
static void look(struct px_timer *timer)
{
    struct px_server *s = px_ctx()->server;

    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        if (coll->ending) {
            watch.n_ending++;
            assert_ptr_equal(coll->set, coll->procs); /* the upcall, which had them too, is freed */
            assert_true(px_coll_is_valid(coll));
            assert_false(px_coll_recount(coll));
        }
    }
    if (count_colls(s)) {
        px_timer_start_loop(px_ctx()->loop, timer, 0, look);
    } else {
        uint64_t known = UINT64_MAX;

        (void) px_map_remove(&s->peers, &known, sizeof(known));
        (void) sem_post(&watch.over);
    }
}

static void try(void *arg)
{
    struct attempt *attempt = arg;
    struct px_server *s = px_ctx()->server;
    static struct px_peer peer;
    struct px_buf buf = {0};
    struct px_in in;
    uint8_t command;

    peer = (struct px_peer){.server = s,
                            .user = px_user_of(s, geteuid()),
                            .id = UINT64_MAX,
                            .uid = geteuid(),
                            .gid = getegid(),
                            .kind = PX_WIRE_PLAIN};
    if (attempt->known) {
        assert_int_equal(px_map_set(&s->peers, &peer.id, sizeof(peer.id), &peer), 0);
    }
    PMIX_LOAD_PROCID(&peer.proc, attempt->named ? JOB : "stranger", 0);
    (void) px_args_pack(&buf, peer.kind, attempt->request, attempt->args);
    in = px_in_make(buf.data, buf.len, peer.kind);
    (void) px_unpack_command(&in, &command);
    attempt->rc = px_service_start(px_service_of(command), &peer, TAG, &in);
    attempt->n_colls[0] = count_colls(s);
    attempt->n_left = attempt->n_parts - 1;
    for (unsigned i = 1; i < attempt->n_parts && px_is_in_part(&peer); i++) {
        px_dispatch(&peer, TAG, buf.data, buf.len);
        attempt->n_colls[i] = count_colls(s);
        attempt->n_left--;
    }
    attempt->in_part = px_is_in_part(&peer);
    attempt->has_host = host_is_asked(s);
    if (attempt->watched) {
        px_timer_start_loop(px_ctx()->loop, &watch.timer, 0, look);
    }
    px_parts_drop(&peer);
    px_buf_fini(&buf);
}

static void run(struct attempt *attempt)
{
    assert_true(attempt->n_parts <= MOST_PARTS);
    assert_int_equal(px_loop_run(px_ctx()->loop, try, attempt), 0);
}

/* A fence of n processes of the JOB, of which one more has to call. */
static struct attempt fence_of(struct px_coll_args *args, pmix_proc_t *procs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        PMIX_LOAD_PROCID(&procs[i], JOB, (pmix_rank_t) i);
    }
    *args = (struct px_coll_args){.procs = procs, .nprocs = n};
    return (struct attempt){
        .request = &px_request_fence, .args = &args->head, .n_parts = MOST_PARTS, .named = true};
}

/* Puts the processes into the reverse order. */
static void turn_round(pmix_proc_t *procs, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        pmix_proc_t proc = procs[i];

        procs[i] = procs[n - 1 - i];
        procs[n - 1 - i] = proc;
    }
}

static void a_long_fence(void **state)
{
    static pmix_proc_t procs[MANY];
    struct px_coll_args args;
    struct attempt attempt = fence_of(&args, procs, MANY);

    (void) state;
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    assert_false(attempt.in_part);
    assert_int_equal(attempt.n_left, MOST_PARTS - 14); /* who has come is counted in the last */
    assert_int_equal(attempt.n_colls[11], 0);
    assert_int_equal(attempt.n_colls[12], 1);
}

/* Their normal form is another list, which is written in three pieces. */
static void a_long_fence_in_any_order(void **state)
{
    static pmix_proc_t procs[MANY];
    struct px_coll_args args;
    struct attempt attempt = fence_of(&args, procs, MANY);

    (void) state;
    turn_round(procs, MANY);
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    assert_false(attempt.in_part);
    assert_int_equal(attempt.n_left, MOST_PARTS - 17);
    assert_int_equal(attempt.n_colls[14], 0);
    assert_int_equal(attempt.n_colls[15], 1);
}

static void a_short_fence(void **state)
{
    static pmix_proc_t procs[FEW];
    struct px_coll_args args;
    struct attempt attempt = fence_of(&args, procs, FEW);

    (void) state;
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    assert_int_equal(attempt.n_left, MOST_PARTS - 1);
    assert_int_equal(attempt.n_colls[0], 1);
}

#define LATE "late" /* a job of one process */

/* What is published of the one wait, and whether that process is named as missing. */
struct seen {
    struct px_waits_entry entry;
    bool is_missing;
};

static void see(void *arg)
{
    struct seen *seen = arg;
    struct px_server *s = px_ctx()->server;
    const struct px_local_proc *local;
    pmix_proc_t late;

    PMIX_LOAD_PROCID(&late, LATE, 0);
    local = px_local_proc_of(s, &late);
    seen->entry = px_waits_own(s->waits)->entries[0];
    seen->is_missing = local && local->waits && px_waits_has(seen->entry.expected, local->waits);
}

static void expect_missing(bool is_missing)
{
    struct seen seen = {0};

    assert_int_equal(px_loop_run(px_ctx()->loop, see, &seen), 0);
    assert_int_equal(seen.entry.kind, PX_WAITS_FENCE);
    assert_int_equal(seen.entry.n_expected, 2);
    assert_int_equal(seen.entry.n_named, FEW);
    assert_int_equal(seen.is_missing, is_missing);
}

/* The number of those who are waited for stays the same when one of them gets a record. */
static void one_who_is_registered_late(void **state)
{
    static pmix_proc_t procs[FEW];
    struct px_coll_args args;
    struct attempt attempt = fence_of(&args, procs, FEW);
    pmix_proc_t late;

    (void) state;
    for (size_t i = 1; i < FEW; i++) {
        PMIX_LOAD_PROCID(&procs[i], "nobody", (pmix_rank_t) i);
    }
    PMIX_LOAD_PROCID(&procs[1], LATE, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&late, LATE, 0);
    assert_int_equal(PMIx_server_register_nspace(late.nspace, 1, NULL, 0, NULL, NULL), 0);
    run(&attempt);
    expect_missing(false);
    assert_int_equal(PMIx_server_register_client(&late, geteuid(), getegid(), NULL, NULL, NULL), 0);
    expect_missing(true);
}

/* The caller is no member: nothing is entered, and nothing follows. */
static void one_that_is_refused(void **state)
{
    static pmix_proc_t procs[MANY];
    struct px_coll_args args;
    struct attempt attempt = fence_of(&args, procs, MANY);

    (void) state;
    attempt.named = false;
    run(&attempt);
    assert_false(attempt.in_part);
    assert_int_equal(attempt.n_left, MOST_PARTS - 6);
    assert_int_equal(attempt.n_colls[5], 0);
}

/* Its peer is closed after each of the parts. */
static void one_that_is_cut(void **state)
{
    static pmix_proc_t procs[MANY];
    struct px_coll_args args;

    (void) state;
    for (unsigned n_parts = 1; n_parts < 16; n_parts++) {
        struct attempt attempt = fence_of(&args, procs, MANY);

        turn_round(procs, MANY);
        attempt.n_parts = n_parts;
        run(&attempt);
        assert_true(attempt.in_part);
        assert_int_equal(attempt.n_colls[n_parts - 1], 0);
    }
}

/* --- groups --- */

static pmix_status_t agree(pmix_group_operation_t op, char *group, const pmix_proc_t procs[],
                           size_t nprocs, const pmix_info_t directives[], size_t ndirs,
                           pmix_info_cbfunc_t done, void *cbdata)
{
    (void) op, (void) group, (void) procs, (void) directives, (void) ndirs, (void) done;
    (void) cbdata;
    assert_int_equal(nprocs, MANY);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                           size_t ninfo, char *data, size_t ndata, pmix_modex_cbfunc_t done,
                           void *cbdata)
{
    (void) procs, (void) info, (void) ninfo, (void) done, (void) cbdata;
    assert_int_equal(nprocs, MANY);
    free(data);
    (void) ndata;
    return PMIX_OPERATION_SUCCEEDED;
}

/* Its processes are in order, so that there is one list of them, which the host is lent. */
static void a_large_fence_of_two_nodes(void **state)
{
    static pmix_proc_t procs[MANY];
    struct px_coll_args args;
    struct attempt attempt = fence_of(&args, procs, MANY);

    (void) state;
    for (size_t i = 1; i < MANY; i++) {
        PMIX_LOAD_PROCID(&procs[i], "nobody", (pmix_rank_t) i);
    }
    (void) sem_init(&watch.over, 0, 0);
    watch.n_ending = 0;
    attempt.watched = true;
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    assert_true(attempt.has_host);
    (void) sem_wait(&watch.over);
    (void) sem_destroy(&watch.over);
    assert_int_equal(watch.n_ending, 1);
}

/* All members but the caller are of other nodes. Each walk over them has a turn, also if a short
 * message names them by their group, and so have the host's answer and the end. The caller of the
 * third one is there to be answered, for which its members are packed in three turns. */
static void a_large_group(void **state)
{
    static pmix_proc_t procs[MANY];
    char name[] = "large";
    struct px_coll_args args = {.group = name, .procs = procs, .nprocs = MANY};
    struct attempt attempt = {.request = &px_request_group_construct,
                              .args = &args.head,
                              .n_parts = MOST_PARTS,
                              .named = true,
                              .watched = true};

    (void) state;
    PMIX_LOAD_PROCID(&procs[0], JOB, 0);
    for (size_t i = 1; i < MANY; i++) {
        PMIX_LOAD_PROCID(&procs[i], "nobody", (pmix_rank_t) i);
    }
    (void) sem_init(&watch.over, 0, 0);
    watch.n_ending = 0;
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    assert_false(attempt.in_part);
    assert_int_equal(attempt.n_left, MOST_PARTS - 14);
    assert_int_equal(attempt.n_colls[13], 1);
    assert_true(attempt.has_host);
    (void) sem_wait(&watch.over);
    args.nprocs = 0;
    attempt.request = &px_request_group_destruct;
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    assert_false(attempt.in_part);
    assert_int_equal(attempt.n_left, MOST_PARTS - 10);
    assert_int_equal(attempt.n_colls[7], 0);
    assert_int_equal(attempt.n_colls[9], 1);
    assert_true(attempt.has_host);
    (void) sem_wait(&watch.over);
    assert_int_equal(watch.n_ending, 2);
    args.nprocs = MANY; /* it is gone, so it can be made anew */
    attempt.request = &px_request_group_construct;
    attempt.known = true;
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    (void) sem_wait(&watch.over);
    (void) sem_destroy(&watch.over);
    assert_int_equal(watch.n_ending, 5);
}

/* --- others --- */

/* The host is asked in a part of its own, or not at all; large values are whole by then. */
static void publish_bytes(size_t n, unsigned n_parts)
{
    pmix_info_t info = {.value = {.type = PMIX_STRING, .data.string = text}};
    struct px_args args = {&info, 1};
    struct attempt attempt = {.request = &px_request_publish, .args = &args, .named = true};

    PMIX_LOAD_KEY(info.key, "key");
    for (size_t i = 0; i < n; i++) {
        text[i] = (char) ('a' + i % 25);
    }
    text[n] = '\0';
    n_published = 0;
    for (attempt.n_parts = 1; attempt.n_parts < n_parts; attempt.n_parts++) {
        run(&attempt);
        assert_true(attempt.in_part);
        assert_int_equal(n_published, 0);
    }
    run(&attempt);
    assert_false(attempt.in_part);
    assert_int_equal(n_published, 1);
    assert_true(as_sent);
}

static void a_long_request_for_the_host(void **state)
{
    (void) state;
    publish_bytes(PX_CONN_LONG, 2);
}

static void one_with_a_large_value(void **state)
{
    (void) state;
    publish_bytes(LARGE, 5);
}

/* Names are copied in three pieces and looked at in two before the event is raised. */
static void an_event_for_many(void **state)
{
    static pmix_proc_t procs[MANY];
    pmix_data_array_t range = {.type = PMIX_PROC, .size = MANY, .array = procs};
    pmix_info_t info = {.value = {.type = PMIX_DATA_ARRAY, .data.darray = &range}};
    struct px_notify_args args = {.head = {&info, 1}, .code = -5000, .range = PMIX_RANGE_CUSTOM};
    struct attempt attempt = {.request = &px_request_notify, .args = &args.head, .named = true};

    (void) state;
    PMIX_LOAD_KEY(info.key, PMIX_EVENT_CUSTOM_RANGE);
    for (size_t i = 0; i < MANY; i++) {
        PMIX_LOAD_PROCID(&procs[i], "nobody", (pmix_rank_t) i);
    }
    for (attempt.n_parts = 1; attempt.n_parts < 6; attempt.n_parts++) {
        run(&attempt); /* cut after each of its parts */
        assert_true(attempt.in_part);
    }
    run(&attempt);
    assert_false(attempt.in_part);
    assert_int_equal(attempt.rc, 0);
}

/* Keys are short, so many fit into a small request. */
static void a_query_for_too_much(void **state)
{
    static char *keys[4097];
    pmix_query_t query = {.keys = keys};
    struct px_query_args args = {.queries = &query, .nqueries = 1};
    struct attempt attempt = {
        .request = &px_request_query, .args = &args.head, .n_parts = MOST_PARTS, .named = true};

    (void) state;
    for (int i = 0; i < 4096; i++) {
        keys[i] = (char *) (uintptr_t) "k";
    }
    run(&attempt);
    assert_int_equal(attempt.rc, PMIX_ERR_OUT_OF_RESOURCE);
    keys[4095] = NULL; /* with the query itself there are 4,096 */
    run(&attempt);
    assert_int_equal(attempt.rc, PMIX_SUCCESS);
    keys[2] = NULL;
    query.qualifiers = PMIx_Info_create(2047); /* each of the two keys looks at all of them */
    query.nqual = 2047;
    for (size_t i = 0; i < query.nqual; i++) {
        PMIX_LOAD_KEY(query.qualifiers[i].key, "q");
    }
    run(&attempt);
    assert_int_equal(attempt.rc, PMIX_ERR_OUT_OF_RESOURCE);
    query.nqual = 2046;
    run(&attempt);
    assert_int_equal(attempt.rc, PMIX_SUCCESS);
    PMIx_Info_free(query.qualifiers, 2047);
}

/* Each name of a node may be compared with all nodes of all jobs. */
static void a_query_of_many_nodes(void **state)
{
    enum { NODES = 8192, NAMES = 32 };
    static char list[NODES * 8];
    pmix_nspace_t wide = "wide";
    char *keys[] = {(char *) (uintptr_t) PMIX_QUERY_RESOLVE_PEERS, NULL};
    pmix_query_t query = {.keys = keys, .nqual = NAMES};
    struct px_query_args args = {.queries = &query, .nqueries = 1};
    struct attempt attempt = {
        .request = &px_request_query, .args = &args.head, .n_parts = MOST_PARTS, .named = true};
    pmix_info_t map;
    size_t len = 0;

    (void) state;
    for (int i = 0; i < NODES; i++) {
        len += (size_t) snprintf(list + len, sizeof(list) - len, "%sn%d", i ? "," : "", i);
    }
    PMIX_INFO_LOAD(&map, PMIX_NODE_MAP, list, PMIX_STRING);
    assert_int_equal(PMIx_server_register_nspace(wide, 0, &map, 1, NULL, NULL), PMIX_SUCCESS);
    PMIX_INFO_DESTRUCT(&map);
    query.qualifiers = PMIx_Info_create(NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        PMIX_INFO_LOAD(&query.qualifiers[i], PMIX_HOSTNAME, "nowhere", PMIX_STRING);
    }
    run(&attempt);
    assert_int_equal(attempt.rc, PMIX_ERR_OUT_OF_RESOURCE);
    query.nqual = NAMES / 2;
    run(&attempt);
    assert_int_equal(attempt.rc, PMIX_SUCCESS);
    PMIx_Info_free(query.qualifiers, NAMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_long_fence, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_long_fence_in_any_order, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_short_fence, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_who_is_registered_late, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_that_is_refused, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_that_is_cut, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_large_fence_of_two_nodes, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_large_group, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_long_request_for_the_host, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_with_a_large_value, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(an_event_for_many, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_query_for_too_much, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_query_of_many_nodes, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    job_of_two_module.publish = publish;
    job_of_two_module.group = agree;
    job_of_two_module.fence_nb = fence;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
