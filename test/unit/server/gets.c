/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Gets that wait, and what a server looks at when one begins or ends. The peers have no connection.
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "commit_sender.h"
#include "gds/batch.h"
#include "gds/lookup.h"
#include "gds/publication.h"
#include "job_of_two.h"
#include "src/context/context.h"
#include "src/server/data/get.h"
#include "src/server/data/get_request.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/data/waiting_gets.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/state.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

/* Gets of a process on another node, FAR, with as many directives. */
enum { TAG = 100, N_GETS = 3, FAR = 5, N_FAR = 50000, NOBODY = 5000000, LARGE = 3000000 };

/* Gets that wait, beside each other; what a commit may try at once of them. */
enum { CROWD = 2000, AT_ONCE = 512 };

/* Makes a peer of rank 1 that the server knows. Its number is one that no connection has. */
static void enter(struct px_peer *peer, uint64_t id)
{
    struct px_server *s = px_ctx()->server;

    *peer = (struct px_peer){.server = s,
                             .user = px_user_of(s, geteuid()),
                             .id = id,
                             .uid = geteuid(),
                             .gid = getegid(),
                             .kind = PX_WIRE_PLAIN};
    PMIX_LOAD_PROCID(&peer->proc, JOB, 1);
    px_list_init(&peer->gets);
    assert_int_equal(px_map_set(&s->peers, &peer->id, sizeof(peer->id), peer), 0);
}

/* It has disconnected. */
static void leave(struct px_peer *peer)
{
    struct px_server *s = peer->server;

    assert_ptr_equal(px_map_remove(&s->peers, &peer->id, sizeof(peer->id)), peer);
    px_gets_peer_disconnected(s, peer);
}

static bool handles; /* the server handles a get */
static bool without_memory;

int __real_px_pack_infos(struct px_buf *buf, enum px_wire_kind kind, const pmix_info_t *info,
                         size_t n);
int __wrap_px_pack_infos(struct px_buf *buf, enum px_wire_kind kind, const pmix_info_t *info,
                         size_t n);

int __wrap_px_pack_infos(struct px_buf *buf, enum px_wire_kind kind, const pmix_info_t *info,
                         size_t n)
{
    return handles && without_memory ? PMIX_ERR_NOMEM : __real_px_pack_infos(buf, kind, info, n);
}

static unsigned n_tried; /* gets */

int __real_px_get_attempt(struct px_get *get);
int __wrap_px_get_attempt(struct px_get *get);

int __wrap_px_get_attempt(struct px_get *get)
{
    n_tried++;
    return __real_px_get_attempt(get);
}

bool __wrap_px_peer_is_behind(struct px_peer *peer);

/* There is no connection in whose queue anything could wait. */
bool __wrap_px_peer_is_behind(struct px_peer *peer)
{
    (void) peer;
    return false;
}

/* A get of a key that nobody has put. */
static void ask_in(struct px_peer *peer, const char *nspace, pmix_rank_t rank,
                   const pmix_info_t *info, size_t ninfo)
{
    struct px_buf buf = {0};
    struct px_in in;

    (void) px_pack_string(&buf, PX_WIRE_PLAIN, nspace);
    (void) px_pack(&buf, PX_WIRE_PLAIN, PMIX_PROC_RANK, &rank, 1);
    (void) px_pack_infos(&buf, PX_WIRE_PLAIN, info, ninfo);
    assert_int_equal(px_pack_string(&buf, PX_WIRE_PLAIN, "key"), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    handles = true;
    assert_int_equal(px_handle_get(peer->server, peer, TAG, &in), 0);
    handles = false;
    px_buf_fini(&buf);
}

static void ask(struct px_peer *peer, pmix_rank_t rank, const pmix_info_t *info, size_t ninfo)
{
    ask_in(peer, JOB, rank, info, ninfo);
}

static unsigned count(const struct px_list *list)
{
    unsigned n = 0;

    for (const struct px_list *item = list->next; item != list; item = item->next) {
        n++;
    }
    return n;
}

/* Gets that wait for the processes of this node. */
static unsigned count_waiting(const struct px_server *s)
{
    unsigned n = 0;

    for (size_t i = 0; i < PX_GET_LISTS; i++) {
        n += count(&s->gets[i]);
    }
    return n;
}

/* What the test does on the loop's thread. */
static void run(void (*fn)(void *arg))
{
    assert_int_equal(px_loop_run(px_ctx()->loop, fn, NULL), 0);
}

/* The end of a connection ends its own gets, and looks at no other: one that has its number, and is
 * not in its list, would go with them. */
static void try_leavers(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_get other = {.reply_to.peer = UINT64_MAX};
    struct px_peer peers[2];

    (void) arg;
    for (unsigned i = 0; i < 2; i++) {
        enter(&peers[i], UINT64_MAX - i);
        for (pmix_rank_t rank = 0; rank < N_GETS; rank++) {
            ask(&peers[i], rank % 2, NULL, 0);
        }
        assert_int_equal(count(&peers[i].gets), N_GETS);
    }
    px_list_append(&s->gets[0], &other.link);
    assert_int_equal(count_waiting(s), 2 * N_GETS + 1);
    leave(&peers[0]);
    assert_int_equal(count_waiting(s), N_GETS + 1);
    px_list_remove(&other.link);
    assert_int_equal(count(&peers[1].gets), N_GETS);
    leave(&peers[1]);
    assert_int_equal(count_waiting(s), 0);
}

static void leavers(void **state)
{
    (void) state;
    run(try_leavers);
}

/* A get that is being answered when its peer goes is still of use to who answers it. */
static void try_in_hand(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_peer peer;
    struct px_get *get;

    (void) arg;
    enter(&peer, UINT64_MAX);
    ask(&peer, 0, NULL, 0);
    get = px_container_of(peer.gets.next, struct px_get, of_peer);
    px_list_remove(&get->link);
    leave(&peer);
    assert_true(px_list_empty(&s->ended_gets));
    assert_true(px_list_empty(&peer.gets));
    assert_string_equal(get->key, "key");
    px_get_destroy(get);
}

static void in_hand(void **state)
{
    (void) state;
    run(try_in_hand);
}

/* --- a commit beside many gets that it does not answer */

static struct px_peer crowd;

static struct px_local_proc *first_rank(void)
{
    return px_local_proc_find(px_nspace_find(px_ctx()->server, JOB), 0);
}

static void begin_crowd(void *arg)
{
    (void) arg;
    enter(&crowd, UINT64_MAX);
    for (int i = 0; i < CROWD; i++) {
        ask(&crowd, i % 2 ? PMIX_RANK_UNDEF : 0, NULL, 0);
    }
    n_tried = 0;
    px_gets_committed(crowd.server, first_rank());
    assert_in_range(n_tried, 1, AT_ONCE);
}

/* The other commit comes while the gets are tried. */
static void commit_again(void *arg)
{
    (void) arg;
    px_gets_committed(crowd.server, first_rank());
    assert_in_range(n_tried, 1, AT_ONCE);
}

static void begin_crowd_twice(void *arg)
{
    begin_crowd(arg);
    commit_again(arg);
}

static void is_idle(void *arg)
{
    *(bool *) arg = px_list_empty(&crowd.server->get_walks);
}

/* All are tried after the second commit, a part in a turn. */
static void in_parts(void **state)
{
    bool idle = false;

    (void) state;
    run(begin_crowd_twice);
    while (!idle) {
        assert_int_equal(px_loop_run(px_ctx()->loop, is_idle, &idle), 0);
    }
    assert_int_equal(n_tried, 2 * CROWD);
}

/* Nobody tries gets for a process that has gone. */
static void try_forgotten(void *arg)
{
    begin_crowd(arg);
    assert_int_equal(px_map_remove(&crowd.server->peers, &crowd.id, sizeof(crowd.id)) != NULL, 1);
    px_waiting_gets_end(crowd.server, JOB, 0, true);
    assert_true(px_list_empty(&crowd.server->get_walks));
    assert_int_equal(count_waiting(crowd.server), CROWD / 2); /* those of any rank */
    px_gets_peer_disconnected(crowd.server, &crowd);
}

static void forgotten(void **state)
{
    (void) state;
    run(try_forgotten);
}

static void leave_crowd(void *arg)
{
    (void) arg;
    leave(&crowd);
}

static int stop_crowd(void **state)
{
    run(leave_crowd);
    return job_of_two_stop(state);
}

/* The server ends meanwhile. */
static void ended_meanwhile(void **state)
{
    (void) state;
    run(begin_crowd);
}

static unsigned n_asked;
static struct {
    pmix_modex_cbfunc_t answer;
    void *cbdata;
} upcalls[N_GETS]; /* the first ones */

static pmix_status_t far_status; /* PMIX_SUCCESS: there is no answer yet */
static pmix_modex_cbfunc_t answer_far;
static void *far_data;

/* A host that does not answer, or knows nothing. */
static pmix_status_t direct_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                  pmix_modex_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc;
    (void) info;
    (void) ninfo;
    if (n_asked < N_GETS) {
        upcalls[n_asked].answer = cbfunc;
        upcalls[n_asked].cbdata = cbdata;
    }
    answer_far = cbfunc;
    far_data = cbdata;
    n_asked++;
    return far_status;
}

static int start_with_host(void **state)
{
    n_asked = 0;
    far_status = PMIX_SUCCESS;
    job_of_two_module.direct_modex = direct_modex;
    return job_of_two_start(state);
}

/* Asks for data of a process on another node, with a directive of the host's. */
static void ask_far(struct px_peer *peer, pmix_rank_t rank, uint32_t value)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, "my.directive", &value, PMIX_UINT32);
    ask(peer, rank, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
}

/* The host is asked once for each process and directives. With a walk over the upcalls under way
 * for each get this would take longer than the program has. */
static void try_far(void *arg)
{
    struct px_peer peer;

    (void) arg;
    enter(&peer, UINT64_MAX);
    for (uint32_t i = 0; i < N_FAR; i++) {
        ask_far(&peer, FAR, i);
    }
    assert_int_equal(n_asked, N_FAR);
    for (uint32_t i = 0; i < N_GETS; i++) {
        ask_far(&peer, FAR, i);
        ask_far(&peer, FAR, N_FAR - 1);
    }
    assert_int_equal(n_asked, N_FAR);
    for (uint32_t i = 0; i < N_GETS; i++) {
        ask_far(&peer, FAR + 1, N_FAR);
    }
    assert_int_equal(n_asked, N_FAR + 1);
    leave(&peer);
    assert_in_range(count_waiting(peer.server), N_FAR / 2, N_FAR); /* they end in parts */
}

static void far(void **state)
{
    (void) state;
    run(try_far);
}

/* Bytes that the user's open requests count. */
static size_t held(void)
{
    return px_user_of(px_ctx()->server, geteuid())->usage.held[PX_QUOTA_REQUESTS];
}

/* What the host was asked for counts for the user as long as the host has it, also when who has
 * asked has gone; what joined it does not. */
static void try_leftovers(void *arg)
{
    struct px_peer peer;

    (void) arg;
    for (uint32_t i = 0; i < N_GETS; i++) {
        int fd;

        enter(&peer, UINT64_MAX);
        sender_connect(&peer, &fd);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(px_request_open(&peer, 0, &peer.request), 0);
            ask_far(&peer, FAR, i);
            peer.request = 0;
        }
        leave(&peer);
        px_conn_destroy_loop(peer.conn);
        (void) close(fd);
    }
    assert_int_equal(n_asked, N_GETS);
    assert_int_equal(held(), N_GETS * 1024);
}

static void try_nothing(void *arg)
{
    (void) arg;
    assert_int_equal(held(), 0);
}

static void leftovers(void **state)
{
    (void) state;
    run(try_leftovers);
    for (unsigned i = 0; i < N_GETS; i++) {
        upcalls[i].answer(PMIX_ERR_NOT_FOUND, NULL, 0, upcalls[i].cbdata, NULL, NULL);
    }
    run(try_nothing);
}

/* Without memory for the names of directives no get shares the upcall of another. */
static void try_unnamed(void *arg)
{
    struct px_peer peer;

    (void) arg;
    enter(&peer, UINT64_MAX);
    without_memory = true;
    for (uint32_t i = 0; i < N_GETS; i++) {
        ask_far(&peer, FAR, i);
    }
    without_memory = false;
    assert_int_equal(n_asked, N_GETS);
    leave(&peer);
}

static void unnamed(void **state)
{
    (void) state;
    run(try_unnamed);
}

/* --- gets that take several turns --- */

static struct px_peer searcher; /* of such a get */

static void look_whether_over(void *over)
{
    *(bool *) over = px_list_empty(&px_ctx()->server->large_gets);
}

/* Waits until nothing is left to be done in later turns. */
static void await_end(void)
{
    bool over = false;

    while (!over) {
        assert_int_equal(px_loop_run(px_ctx()->loop, look_whether_over, &over), 0);
    }
}

/* It has been answered. */
static void try_answered(void *arg)
{
    (void) arg;
    assert_int_equal(count_waiting(px_ctx()->server), 0);
    leave(&searcher);
}

/* --- renewals --- */

static void renew(struct px_peer *peer, pmix_rank_t rank)
{
    pmix_info_t info;
    bool yes = true;

    PMIX_INFO_LOAD(&info, PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    ask(peer, rank, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
}

/* That of a process which the job does not have leaves nothing behind, however high the rank. */
static void try_nobody(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_peer peer;

    (void) arg;
    enter(&peer, UINT64_MAX);
    far_status = PMIX_ERR_NOT_FOUND;
    renew(&peer, NOBODY);
    assert_int_equal(n_asked, 1);
    assert_in_range(px_nspace_find(s, JOB)->n_changes, 0, FAR);
    leave(&peer);
}

static void nobody(void **state)
{
    (void) state;
    run(try_nobody);
}

/* For a user who may not have data of the job the host is not asked. */
static void try_stranger(void *arg)
{
    struct px_peer peer;

    (void) arg;
    enter(&peer, UINT64_MAX);
    peer.uid = geteuid() + 1;
    PMIX_LOAD_PROCID(&peer.proc, "stranger", 0);
    renew(&peer, FAR);
    assert_int_equal(n_asked, 0);
    leave(&peer);
}

static void stranger(void **state)
{
    (void) state;
    run(try_stranger);
}

/* The host's answer to a renewal is large, and waits for memory. */
static void try_large(void *arg)
{
    static char bytes[LARGE];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, LARGE}};
    struct px_buf buf = {0};

    (void) arg;
    enter(&searcher, UINT64_MAX);
    renew(&searcher, FAR);
    assert_int_equal(n_asked, 1);
    assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, "key", &value), 0);
    answer_far(PMIX_SUCCESS, (char *) buf.data, buf.len, far_data, NULL, NULL);
    px_buf_fini(&buf);
}

static void large(void **state)
{
    (void) state;
    run(try_large);
    await_end();
    run(try_answered);
}

/* --- any rank --- */

/* The ranks of a job, and how many of them are looked at in one turn at most. */
enum { WIDE = 20000, PART = 5000 };

static unsigned n_looked; /* values that were looked for */

int __real_px_store_get(const struct px_store *store, const struct px_lookup_key *spec,
                        struct px_slice *ret);
int __wrap_px_store_get(const struct px_store *store, const struct px_lookup_key *spec,
                        struct px_slice *ret);

int __wrap_px_store_get(const struct px_store *store, const struct px_lookup_key *spec,
                        struct px_slice *ret)
{
    n_looked++;
    return __real_px_store_get(store, spec, ret);
}

static int start_wide(void **state)
{
    static char ranks[WIDE * 6];
    pmix_nspace_t wide = "wide";
    pmix_info_t info[2];
    size_t len = 0;
    int rc = job_of_two_start(state);

    for (int i = 0; i < WIDE; i++) {
        len += (size_t) snprintf(ranks + len, sizeof(ranks) - len, "%s%d", i ? "," : "", i);
    }
    PMIX_INFO_LOAD(&info[0], PMIX_NODE_MAP, "far", PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_PROC_MAP, ranks, PMIX_STRING);
    rc = rc ? rc : PMIx_server_register_nspace(wide, 0, info, 2, NULL, NULL);
    PMIX_INFO_DESTRUCT(&info[0]);
    PMIX_INFO_DESTRUCT(&info[1]);
    return rc;
}

/* The first turn of a get of any rank. */
static void try_first_part(void *arg)
{
    struct px_server *s = px_ctx()->server;

    (void) arg;
    enter(&searcher, UINT64_MAX);
    n_looked = 0;
    ask_in(&searcher, "wide", PMIX_RANK_UNDEF, NULL, 0);
    assert_in_range(n_looked, 1, PART);
    assert_int_equal(count(&s->large_gets), 1);
}

/* It waits when all ranks have been looked at. */
static void try_end(void *arg)
{
    (void) arg;
    assert_in_range(n_looked, WIDE, WIDE + PART);
    assert_int_equal(count_waiting(px_ctx()->server), 1);
    leave(&searcher);
}

static void any_of_many(void **state)
{
    (void) state;
    run(try_first_part);
    await_end();
    run(try_end);
}

/* The first rank posts the key when it has been looked at. */
static void post_behind(void *arg)
{
    struct px_nspace *ns = px_nspace_find(px_ctx()->server, "wide");
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 1};
    const struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .key = "key", .value = &value, .scope = PMIX_REMOTE};
    struct px_batch *batch = px_batch_create();

    (void) arg;
    try_first_part(NULL);
    assert_non_null(batch);
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(ns->store, batch), 0);
    px_batch_destroy(batch);
}

static void what_comes_meanwhile(void **state)
{
    (void) state;
    run(post_behind);
    await_end();
    run(try_answered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(leavers, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(in_hand, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(in_parts, job_of_two_start, stop_crowd),
        cmocka_unit_test_setup_teardown(forgotten, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(ended_meanwhile, job_of_two_start, stop_crowd),
        cmocka_unit_test_setup_teardown(far, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(leftovers, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(unnamed, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(nobody, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(stranger, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(large, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(any_of_many, start_wide, job_of_two_stop),
        cmocka_unit_test_setup_teardown(what_comes_meanwhile, start_wide, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
