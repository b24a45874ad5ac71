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

#include "attempt.h"
#include "src/net/conn.h"

/* MANY names are stored in ten pieces and normalised in five; LARGE bytes are stored in ten. */
enum { MANY = 20000, FEW = 100, LARGE = 5000000 };

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
    assert_int_equal(attempt.n_left, MOST_PARTS - 26); /* who has come is counted in the last */
    assert_int_equal(attempt.n_colls[23], 0);
    assert_int_equal(attempt.n_colls[24], 1);
}

/* Their normal form is another list: it takes two passes over the ranks, and is written in five
 * pieces. */
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
    assert_int_equal(attempt.n_left, MOST_PARTS - 32);
    assert_int_equal(attempt.n_colls[29], 0);
    assert_int_equal(attempt.n_colls[30], 1);
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
    assert_int_equal(attempt.n_left, MOST_PARTS - 24);
    assert_int_equal(attempt.n_colls[23], 0);
}

/* Its peer is closed after each of the parts. */
static void one_that_is_cut(void **state)
{
    static pmix_proc_t procs[MANY];
    struct px_coll_args args;

    (void) state;
    for (unsigned n_parts = 1; n_parts < 31; n_parts++) {
        struct attempt attempt = fence_of(&args, procs, MANY);

        turn_round(procs, MANY);
        attempt.n_parts = n_parts;
        run(&attempt);
        assert_true(attempt.in_part);
        assert_int_equal(attempt.n_colls[n_parts - 1], 0);
    }
}

/* --- groups --- */

static size_t n_agree = MANY; /* processes that a group is of */

static pmix_status_t agree(pmix_group_operation_t op, char *group, const pmix_proc_t procs[],
                           size_t nprocs, const pmix_info_t directives[], size_t ndirs,
                           pmix_info_cbfunc_t done, void *cbdata)
{
    (void) op, (void) group, (void) procs, (void) directives, (void) ndirs, (void) done;
    (void) cbdata;
    assert_int_equal(nprocs, n_agree);
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
 * third one is there to be answered, for which its members are packed in five turns. */
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
    assert_int_equal(attempt.n_left, MOST_PARTS - 26);
    assert_int_equal(attempt.n_colls[25], 1);
    assert_true(attempt.has_host);
    (void) sem_wait(&watch.over);
    args.nprocs = 0;
    attempt.request = &px_request_group_destruct;
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    assert_false(attempt.in_part);
    assert_int_equal(attempt.n_left, MOST_PARTS - 19); /* five look for groups */
    assert_int_equal(attempt.n_colls[16], 0);
    assert_int_equal(attempt.n_colls[18], 1);
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
    assert_int_equal(watch.n_ending, 7);
}

/* The caller is named by its group, which is the last of many names: they are looked at and
 * expanded in pieces. */
static void a_group_among_many(void **state)
{
    static pmix_proc_t procs[MANY];
    pmix_proc_t members[2];
    char name[] = "few";
    struct px_coll_args args = {.group = name, .procs = members, .nprocs = 2};
    struct attempt made = {.request = &px_request_group_construct,
                           .args = &args.head,
                           .n_parts = MOST_PARTS,
                           .named = true,
                           .watched = true};
    struct px_coll_args other;
    struct attempt attempt = fence_of(&other, procs, MANY);

    (void) state;
    PMIX_LOAD_PROCID(&members[0], JOB, 0);
    PMIX_LOAD_PROCID(&members[1], "nobody", 1);
    (void) sem_init(&watch.over, 0, 0);
    n_agree = 2;
    run(&made);
    assert_int_equal(made.rc, 0);
    (void) sem_wait(&watch.over);
    n_agree = MANY;
    (void) sem_destroy(&watch.over);
    for (size_t i = 0; i < MANY; i++) {
        PMIX_LOAD_PROCID(&procs[i], "nobody", (pmix_rank_t) i);
    }
    PMIX_LOAD_PROCID(&procs[MANY - 1], name, PMIX_RANK_WILDCARD);
    attempt.n_parts = 12 + 5 + 4; /* five look, others expand */
    run(&attempt);
    assert_true(attempt.in_part);
    attempt.n_parts = MOST_PARTS;
    run(&attempt);
    assert_int_equal(attempt.rc, 0);
    assert_false(attempt.in_part);
    assert_true(attempt.has_host);
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
    publish_bytes(LARGE, 12);
}

/* Names are copied in ten pieces and looked at in five before the event is raised, in a part of its
 * own. */
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
    for (attempt.n_parts = 1; attempt.n_parts < 17; attempt.n_parts++) {
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
        cmocka_unit_test_setup_teardown(one_that_is_refused, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_that_is_cut, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_large_fence_of_two_nodes, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_group_among_many, job_of_two_start, job_of_two_stop),
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
