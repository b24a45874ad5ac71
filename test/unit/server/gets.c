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
#include "getter.h"
#include "job_of_two.h"
#include "src/server/data/get.h"
#include "src/server/data/get_request.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/data/waiting_gets.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

/* Gets of a process on another node, FAR, with as many directives. */
enum { N_GETS = 3, FAR = 5, N_FAR = 50000, NOBODY = 5000000, LARGE = 3000000 };

/* Gets that wait, beside each other; what a commit may try at once of them. */
enum { CROWD = 2000, AT_ONCE = 512 };

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

static unsigned n_not_found, n_invalid; /* answers with these statuses */

void __real_px_answer_status(struct px_server *s, const struct px_reply_to *reply_to, int status);
void __wrap_px_answer_status(struct px_server *s, const struct px_reply_to *reply_to, int status);

void __wrap_px_answer_status(struct px_server *s, const struct px_reply_to *reply_to, int status)
{
    n_not_found += status == PMIX_ERR_NOT_FOUND;
    n_invalid += status == PMIX_ERR_INVALID_NAMESPACE;
    __real_px_answer_status(s, reply_to, status);
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

static void ask_crowd(void)
{
    enter(&crowd, UINT64_MAX);
    for (int i = 0; i < CROWD; i++) {
        ask(&crowd, i % 2 ? PMIX_RANK_UNDEF : 0, NULL, 0);
    }
    n_tried = 0;
    n_not_found = 0;
    n_invalid = 0;
}

static void begin_crowd(void *arg)
{
    (void) arg;
    ask_crowd();
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

static void wait_until_idle(void)
{
    bool idle = false;

    while (!idle) {
        assert_int_equal(px_loop_run(px_ctx()->loop, is_idle, &idle), 0);
    }
}

/* All are tried after the second commit, a part in a turn. */
static void in_parts(void **state)
{
    (void) state;
    run(begin_crowd_twice);
    wait_until_idle();
    assert_int_equal(n_tried, 2 * CROWD);
}

static void end_first(void *arg)
{
    begin_crowd(arg);
    px_waiting_gets_end(crowd.server, JOB, 0);
    assert_in_range(n_not_found, 1, AT_ONCE);
    n_tried = 0;
}

static void those_of_any_rank_wait(void *arg)
{
    (void) arg;
    assert_int_equal(n_not_found, CROWD / 2);
    assert_int_equal(count_waiting(crowd.server), CROWD / 2);
}

/* The end of a process ends the walk that tries the gets about it. */
static void forgotten(void **state)
{
    (void) state;
    run(end_first);
    wait_until_idle();
    assert_int_equal(n_tried, 0);
    run(those_of_any_rank_wait);
}

static void register_again(void *arg)
{
    (void) arg;
    ask_crowd();
    px_gets_nspace_changed(crowd.server, px_nspace_find(crowd.server, JOB));
    assert_in_range(n_tried, 1, AT_ONCE);
}

static void all_wait(void *arg)
{
    (void) arg;
    assert_int_equal(count_waiting(crowd.server), CROWD);
}

/* A registration lets all gets about the job be decided anew, a part in a turn. */
static void decided_anew(void **state)
{
    (void) state;
    run(register_again);
    wait_until_idle();
    assert_int_equal(n_tried, CROWD);
    run(all_wait);
}

/* All gets are being tried, for two reasons. */
static void deregister(void *arg)
{
    struct px_server *s = px_ctx()->server;

    (void) arg;
    ask_crowd();
    px_gets_committed(s, first_rank());
    px_gets_nspace_changed(s, px_nspace_find(s, JOB));
    px_nspace_drop(s, px_nspace_find(s, JOB));
    assert_in_range(n_not_found + n_invalid, 1, AT_ONCE);
}

static void nobody_waits(void *arg)
{
    (void) arg;
    assert_int_equal(count_waiting(crowd.server), 0);
}

/* With a job end all gets about it: those about a process of this node as if it had ended before.
 */
static void job_gone(void **state)
{
    (void) state;
    run(deregister);
    wait_until_idle();
    assert_int_equal(n_not_found, CROWD / 2);
    assert_int_equal(n_invalid, CROWD / 2);
    run(nobody_waits);
}

/* Another job of the name comes while the gets about the first one end. */
static void deregister_and_ask(void *arg)
{
    deregister(arg);
    assert_non_null(px_nspace_make(px_ctx()->server, JOB));
    ask(&crowd, 0, NULL, 0);
    ask(&crowd, PMIX_RANK_UNDEF, NULL, 0);
    ask(&crowd, 1, NULL, 0);
}

static void the_new_ones_wait(void *arg)
{
    (void) arg;
    assert_int_equal(count_waiting(crowd.server), 3);
}

static void job_comes_again(void **state)
{
    (void) state;
    run(deregister_and_ask);
    wait_until_idle();
    assert_int_equal(n_not_found, CROWD / 2);
    assert_int_equal(n_invalid, CROWD / 2);
    run(the_new_ones_wait);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(leavers, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(in_hand, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(in_parts, job_of_two_start, stop_crowd),
        cmocka_unit_test_setup_teardown(forgotten, job_of_two_start, stop_crowd),
        cmocka_unit_test_setup_teardown(decided_anew, job_of_two_start, stop_crowd),
        cmocka_unit_test_setup_teardown(job_gone, job_of_two_start, stop_crowd),
        cmocka_unit_test_setup_teardown(job_comes_again, job_of_two_start, stop_crowd),
        cmocka_unit_test_setup_teardown(ended_meanwhile, job_of_two_start, stop_crowd),
        cmocka_unit_test_setup_teardown(far, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(leftovers, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(unnamed, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(nobody, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(stranger, start_with_host, job_of_two_stop),
        cmocka_unit_test_setup_teardown(large, start_with_host, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
