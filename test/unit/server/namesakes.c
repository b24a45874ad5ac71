/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Tools that name themselves after processes, and callers that are not registered: what they do is
 * not taken for what a process does. Peers have no connections. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/nspace/proc_sets.h"
#include "src/request/schema.h"
#include "src/server/data/get.h"
#include "src/server/data/get_request.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/peers/access.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/requests/requests.h"
#include "src/server/state.h"
#include "src/server/tools/tool_data.h"
#include "src/wire/messages.h"

/* A process of the job on another node; a user who is nobody here. */
enum { TAG = 100, REMOTE = 7, STRANGER = 4242 };

static const char of_tool[] = "tool";
static const char of_gone[] = "gone"; /* a job that is deregistered */

static struct px_server *server(void)
{
    return px_ctx()->server;
}

static void run(void (*fn)(void *arg))
{
    assert_int_equal(px_loop_run(px_ctx()->loop, fn, NULL), 0);
}

static struct px_peer peer_of(const char *nspace, pmix_rank_t rank)
{
    struct px_peer peer = {.server = server(),
                           .user = px_user_of(server(), STRANGER),
                           .uid = STRANGER,
                           .gid = STRANGER,
                           .tool = true,
                           .kind = PX_WIRE_PLAIN};

    px_list_init(&peer.link);
    PMIX_LOAD_PROCID(&peer.proc, nspace, rank);
    return peer;
}

/* --- collectives --- */

static unsigned n_open(void)
{
    const struct px_list *list = &server()->colls.list;
    unsigned n = 0;

    for (const struct px_list *at = list->next; at != list; at = at->next) {
        n++;
    }
    return n;
}

/* A fence of these processes, called by one of them. */
static void call_fence(pmix_proc_t *procs, size_t n, size_t caller)
{
    struct px_coll_args args = {.procs = procs, .nprocs = n};
    struct px_peer peer = peer_of(procs[caller].nspace, procs[caller].rank);
    struct px_buf buf = {0};
    struct px_in in;
    uint8_t command;

    peer.id = UINT64_MAX - caller;
    (void) px_args_pack(&buf, peer.kind, &px_request_fence, &args.head);
    in = px_in_make(buf.data, buf.len, peer.kind);
    (void) px_unpack_command(&in, &command);
    assert_int_equal(px_service_start(px_service_of(command), &peer, TAG, &in), 0);
    px_buf_fini(&buf);
}

static void fence_with_tool(void *arg)
{
    pmix_proc_t procs[2];

    (void) arg;
    PMIX_LOAD_PROCID(&procs[0], of_tool, 0);
    PMIX_LOAD_PROCID(&procs[1], JOB, 1);
    call_fence(procs, 2, 0);
    assert_int_equal(n_open(), 1);
    call_fence(procs, 2, 1);
    assert_int_equal(n_open(), 0);
}

static void a_tool_does_not_stand_for_a_process(void **state)
{
    (void) state;
    run(fence_with_tool);
}

static pmix_proc_t with_gone[3];

static void call_from_gone(void *arg)
{
    (void) arg;
    call_fence(with_gone, 3, 2);
}

static void call_from_job(void *arg)
{
    (void) arg;
    call_fence(with_gone, 3, 0);
    assert_int_equal(n_open(), 1);
    call_fence(with_gone, 3, 1);
    assert_int_equal(n_open(), 0);
}

/* Its process has called, and is not known any more when the others do. */
static void nor_does_a_process_that_was_deregistered(void **state)
{
    pmix_nspace_t gone;

    (void) state;
    PMIX_LOAD_NSPACE(gone, of_gone);
    PMIX_LOAD_PROCID(&with_gone[0], JOB, 0);
    PMIX_LOAD_PROCID(&with_gone[1], JOB, 1);
    PMIX_LOAD_PROCID(&with_gone[2], of_gone, 0);
    assert_int_equal(PMIx_server_register_nspace(gone, 1, NULL, 0, NULL, NULL), 0);
    assert_int_equal(
        PMIx_server_register_client(&with_gone[2], geteuid(), getegid(), NULL, NULL, NULL), 0);
    run(call_from_gone);
    PMIx_server_deregister_nspace(gone, NULL, NULL);
    run(call_from_job);
}

/* --- data --- */

/* The host's answer never comes. */
static pmix_status_t direct_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                  pmix_modex_cbfunc_t done, void *cbdata)
{
    (void) proc, (void) info, (void) ninfo, (void) done, (void) cbdata;
    return PMIX_SUCCESS;
}

/* The only get that waits. NULL: none. */
static struct px_get *waiting_get(void)
{
    for (size_t i = 0; i < PX_GET_LISTS; i++) {
        px_list_for(struct px_get, get, &server()->gets[i], link) {
            return get;
        }
    }
    return NULL;
}

static void get_of_remote(void *arg)
{
    struct px_reply_to reply_to = {.peer = UINT64_MAX};
    struct px_peer tool = peer_of(JOB, REMOTE);
    struct px_local_proc *posted;
    struct px_get *get;

    (void) arg;
    assert_int_equal(
        px_get_create(server(), &reply_to, &tool.proc, 0, &tool.proc, strdup("key"), NULL, 0, &get),
        0);
    px_get_begin(get);
    assert_ptr_equal(waiting_get(), get);
    posted = px_tool_data_make(&tool);
    assert_non_null(posted);
    px_gets_committed(server(), posted);
    assert_ptr_equal(waiting_get(), get);
    assert_false(get->implicit);
    px_tool_data_drop(&tool);
    assert_ptr_equal(waiting_get(), get);
}

static void gets_wait_for_the_process_and_not_for_the_tool(void **state)
{
    (void) state;
    run(get_of_remote);
}

/* --- what it may have --- */

static void look_at_connected(void *arg)
{
    struct px_peer peer = peer_of(of_gone, 0);
    pmix_proc_t both[2] = {peer.proc};
    struct px_nspace *ns = px_nspace_find(server(), JOB);

    (void) arg;
    PMIX_LOAD_PROCID(&both[1], JOB, 0);
    assert_non_null(px_proc_set_add(server()->proc_sets, PX_SET_CONNECTED, NULL, both, 2));
    assert_false(px_access_data(server(), &peer, ns));
    assert_false(px_access_event(server(), &peer, geteuid() + 1, JOB));
    peer.tool = false;
    assert_true(px_access_data(server(), &peer, ns));
    assert_true(px_access_event(server(), &peer, geteuid() + 1, JOB));
}

static void what_is_connected_with_its_name_is_not_its_own(void **state)
{
    (void) state;
    run(look_at_connected);
}

static void count_set(void *arg)
{
    struct px_peer tool = peer_of(of_tool, 0);
    const size_t *held = &tool.user->usage.held[PX_QUOTA_GROUPS];
    struct px_proc_set *set;

    (void) arg;
    px_list_append(&server()->peer_list, &tool.link);
    set = px_proc_set_add(server()->proc_sets, PX_SET_GROUP, "group", &tool.proc, 1);
    assert_non_null(set);
    px_quota_add_set(server(), set, &tool.proc);
    assert_true(*held > 0);
    px_proc_set_remove(set);
    assert_int_equal(*held, 0);
    px_list_remove(&tool.link);
}

static void groups_of_a_tool_count(void **state)
{
    (void) state;
    run(count_set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tool_does_not_stand_for_a_process, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(nor_does_a_process_that_was_deregistered, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(gets_wait_for_the_process_and_not_for_the_tool,
                                        job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(what_is_connected_with_its_name_is_not_its_own,
                                        job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(groups_of_a_tool_count, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    job_of_two_module.direct_modex = direct_modex;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
