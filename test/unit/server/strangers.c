/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups of a job while processes of another user's job name that job's processes in groups of the
 * same name, or say of them that they have left. No process runs: the test makes their calls on the
 * loop's thread.
 * Covers: GRP-004, GRP-061, GRP-097, GRP-101, GRP-102 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/event/registry.h"
#include "src/nspace/proc_sets.h"
#include "src/request/reply.h"
#include "src/request/schema.h"
#include "src/server/collectives/group_names.h"
#include "src/server/events/passed_events.h"
#include "src/server/events/server_events.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/requests.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"

#define STRANGERS "strangers"

/* A call of one process for the group "g", and what came of it. */
struct attempt {
    const struct px_request *request;
    pmix_proc_t caller;
    uid_t uid;
    struct px_coll_args args;
    int rc;
};

static pmix_proc_t proc_of(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return proc;
}

static void try(void *arg)
{
    static uint64_t last_peer = UINT64_MAX / 2;
    struct attempt *attempt = arg;
    struct px_server *s = px_ctx()->server;
    struct px_peer peer = {.server = s,
                           .user = px_user_of(s, attempt->uid),
                           .id = ++last_peer,
                           .proc = attempt->caller,
                           .uid = attempt->uid,
                           .gid = getegid(),
                           .kind = PX_WIRE_PLAIN};
    struct px_buf buf = {0};
    struct px_in in;
    uint8_t command;

    (void) px_args_pack(&buf, peer.kind, attempt->request, &attempt->args.head);
    in = px_in_make(buf.data, buf.len, peer.kind);
    (void) px_unpack_command(&in, &command);
    attempt->rc = px_service_start(px_service_of(command), &peer, 100, &in);
    px_buf_fini(&buf);
}

/* The status by which the call is refused, or PMIX_SUCCESS. info: a directive; NULL: none. */
static int call_with(const struct px_request *request, const char *nspace, pmix_rank_t rank,
                     pmix_proc_t *procs, size_t n, pmix_info_t *info)
{
    struct attempt attempt = {
        .request = request,
        .caller = proc_of(nspace, rank),
        .uid = geteuid() + (strcmp(nspace, STRANGERS) == 0),
        .args = {.head = {info, info != NULL}, .group = (char *) "g", .procs = procs, .nprocs = n}};

    assert_int_equal(px_loop_run(px_ctx()->loop, try, &attempt), 0);
    return attempt.rc;
}

static int call(const struct px_request *request, const char *nspace, pmix_rank_t rank,
                pmix_proc_t *procs, size_t n)
{
    return call_with(request, nspace, rank, procs, n, NULL);
}

static int construct(const char *nspace, pmix_rank_t rank, pmix_proc_t *procs, size_t n)
{
    return call(&px_request_group_construct, nspace, rank, procs, n);
}

static int lead(const char *nspace, pmix_rank_t rank, size_t leaders)
{
    pmix_proc_t self = proc_of(nspace, rank);
    pmix_info_t info = {.value = {.type = PMIX_SIZE, .data.size = leaders}};

    PMIX_LOAD_KEY(info.key, PMIX_GROUP_BOOTSTRAP);
    return call_with(&px_request_group_construct, nspace, rank, &self, 1, &info);
}

static int destruct(const char *nspace, pmix_rank_t rank, pmix_proc_t *procs, size_t n)
{
    return call(&px_request_group_destruct, nspace, rank, procs, n);
}

static void count_open(void *arg)
{
    const struct px_list *list = &px_ctx()->server->colls.list;

    *(size_t *) arg = 0;
    for (const struct px_list *at = list->next; at != list; at = at->next) {
        ++*(size_t *) arg;
    }
}

/* The collectives under way. */
static size_t n_open(void)
{
    size_t n;

    assert_int_equal(px_loop_run(px_ctx()->loop, count_open, &n), 0);
    return n;
}

static void count_members(void *arg)
{
    const struct px_proc_set *group =
        px_proc_set_find(px_ctx()->server->proc_sets, PX_SET_GROUP, "g", NULL);

    *(size_t *) arg = group ? group->n : 0;
}

/* The members of the first group "g"; 0: there is none. */
static size_t n_members(void)
{
    size_t n;

    assert_int_equal(px_loop_run(px_ctx()->loop, count_members, &n), 0);
    return n;
}

static int start(void **state)
{
    pmix_proc_t stranger = proc_of(STRANGERS, 0);
    int rc = job_of_two_start(state);

    rc = rc ? rc : PMIx_server_register_nspace(stranger.nspace, 2, NULL, 0, NULL, NULL);
    for (; stranger.rank < 2 && !rc; stranger.rank++) {
        rc = PMIx_server_register_client(&stranger, geteuid() + 1, getegid(), NULL, NULL, NULL);
    }
    return rc;
}

static void make_group(void)
{
    pmix_proc_t members[2] = {proc_of(JOB, 0), proc_of(JOB, 1)};

    assert_int_equal(construct(JOB, 0, members, 2), 0);
    assert_int_equal(construct(JOB, 1, members, 2), 0);
    assert_int_equal(n_members(), 2);
}

/* The stranger has named the members before there was a group. */
static void a_destruct_before(void **state)
{
    pmix_proc_t procs[3] = {proc_of(STRANGERS, 0), proc_of(STRANGERS, 1),
                            proc_of(JOB, PMIX_RANK_WILDCARD)};

    (void) state;
    assert_int_equal(destruct(STRANGERS, 0, procs, 3), 0);
    make_group();
    assert_int_equal(destruct(JOB, 0, NULL, 0), 0);
    assert_int_equal(n_members(), 2);
    assert_int_equal(destruct(JOB, 1, NULL, 0), 0);
    assert_int_equal(n_members(), 0);
}

/* Nobody else has a part in the destruct that one member has called, or begins another one. */
static void a_destruct_of_others(void **state)
{
    pmix_proc_t procs[2] = {proc_of(STRANGERS, 0), proc_of(JOB, 0)};

    (void) state;
    make_group();
    assert_int_equal(destruct(STRANGERS, 0, procs, 2), PMIX_ERR_NOT_FOUND);
    assert_int_equal(destruct(STRANGERS, 0, procs, 1), 0);
    assert_int_equal(destruct(STRANGERS, 0, NULL, 0), PMIX_ERR_NOT_FOUND);
    assert_int_equal(destruct(JOB, 0, NULL, 0), 0);
    assert_int_equal(n_members(), 2);
}

/* Processes of one user whose group is not known here go by their own lists. */
static void an_unknown_group(void **state)
{
    pmix_proc_t procs[3] = {proc_of(JOB, 0), proc_of(JOB, 1), proc_of(STRANGERS, 0)};

    (void) state;
    assert_int_equal(destruct(STRANGERS, 0, procs, 3), 0);
    assert_int_equal(destruct(JOB, 0, procs, 2), 0);
    assert_int_equal(n_open(), 2);
    assert_int_equal(destruct(JOB, 1, NULL, 0), 0); /* joins */
    assert_int_equal(n_open(), 1);
    assert_int_equal(destruct(JOB, 1, NULL, 0), PMIX_ERR_NOT_FOUND);
}

/* It is in the way of those only who name the stranger. */
static void a_construct_with_others(void **state)
{
    pmix_proc_t procs[3] = {proc_of(STRANGERS, 0), proc_of(JOB, 0), proc_of(STRANGERS, 1)};

    (void) state;
    assert_int_equal(construct(STRANGERS, 0, procs, 2), 0);
    assert_int_equal(construct(JOB, 0, procs, 3), PMIX_ERR_EXISTS);
    make_group();
    assert_int_equal(construct(JOB, 0, procs, 2), PMIX_ERR_EXISTS);
    assert_int_equal(n_members(), 2);
}

/* A stranger that leads says that there are seven leaders. */
static void a_leader_of_others(void **state)
{
    (void) state;
    assert_int_equal(lead(STRANGERS, 0, 7), 0);
    assert_int_equal(lead(JOB, 0, 2), 0);
    assert_int_equal(n_members(), 0);
    assert_int_equal(lead(JOB, 1, 2), 0);
    assert_int_equal(n_members(), 2);
}

/* --- who has left --- */

/* An event of a launcher's, or of a rank of the job, by which `left` has left; what came of it. */
struct departure {
    bool launcher;
    uid_t uid;
    pmix_proc_t left;
    pmix_proc_t source;
    size_t n_members;
};

/* The group is one of the job and a process of another node. */
static void say_left(void *arg)
{
    struct departure *said = arg;
    struct px_server *s = px_ctx()->server;
    const pmix_proc_t members[3] = {proc_of(JOB, 0), proc_of(JOB, 1), proc_of("far", 0)};
    struct px_shared_procs *shared = px_shared_procs_copy(members, 3);
    struct px_proc_set *group = px_group_names_add(s, "g", shared);
    const struct px_peer peer = {.server = s,
                                 .id = UINT64_MAX,
                                 .proc = said->launcher ? proc_of(STRANGERS, 0) : said->left,
                                 .launcher = said->launcher,
                                 .uid = said->uid};
    struct px_infos infos = {0};
    struct px_event event = {.code = PMIX_GROUP_LEFT, .range = PMIX_RANGE_SESSION};

    (void) px_infos_append(&infos.info, &infos.n, PMIX_GROUP_ID, "g", PMIX_STRING);
    (void) px_infos_append(&infos.info, &infos.n, PX_KEY_EVENT_SOURCE, &said->left, PMIX_PROC);
    (void) px_infos_append(&infos.info, &infos.n, PMIX_EVENT_AFFECTED_PROC, &said->left, PMIX_PROC);
    event.info = infos.info;
    event.ninfo = infos.n;
    said->source = event.source = px_event_source(s, &peer, infos.info, infos.n);
    (void) px_event_fan_out(s, &event, PX_ORIGIN_CLIENT, &peer);
    said->n_members = group->n;
    px_proc_set_remove(group);
    px_shared_procs_drop(shared);
    px_infos_fini(&infos);
}

static void check_left(struct departure said, const char *source, size_t n_members)
{
    assert_int_equal(px_loop_run(px_ctx()->loop, say_left, &said), 0);
    assert_string_equal(said.source.nspace, source);
    assert_int_equal(said.n_members, n_members);
}

/* Only launchers of this user are believed that others have raised an event, and nobody is that
 * others have left. */
static void a_departure_of_others(void **state)
{
    const uid_t own = geteuid();

    (void) state;
    check_left((struct departure){.launcher = true, .uid = own + 1, .left = proc_of("far", 0)},
               STRANGERS, 3);
    check_left((struct departure){.launcher = true, .uid = own, .left = proc_of("far", 0)}, "far",
               3);
    check_left((struct departure){.uid = own, .left = proc_of(JOB, 0)}, JOB, 2);
}

/* --- who has ended --- */

static size_t n_told; /* processes that have ended, of which the host is told; loop thread */

/* The host's part in a group. */
static pmix_status_t host_group(pmix_group_operation_t op, char *grp, const pmix_proc_t procs[],
                                size_t nprocs, const pmix_info_t info[], size_t ninfo,
                                pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_procs ended = {NULL, 0};
    const pmix_value_t *value = px_info_find(info, ninfo, PMIX_EVENT_AFFECTED_PROCS);

    (void) op;
    (void) grp;
    (void) procs;
    (void) nprocs;
    (void) cbfunc;
    (void) cbdata;
    n_told = value && px_value_procs(value, &ended) ? ended.n : 0;
    return PMIX_ERR_NOT_SUPPORTED; /* this host makes no groups: the construct ends with that */
}

static int start_with_groups(void **state)
{
    job_of_two_module.group = host_group;
    return start(state);
}

static int stop_with_groups(void **state)
{
    job_of_two_module.group = NULL;
    return job_of_two_stop(state);
}

/* Says of a process of another node that it has ended; *arg: who says so. */
static void say_ended(void *arg)
{
    struct px_server *s = px_ctx()->server;
    pmix_proc_t ended = proc_of("far", 0);
    struct px_infos infos = {0};
    struct px_event event = {.code = PMIX_EVENT_PROC_TERMINATED,
                             .source = proc_of(STRANGERS, 0),
                             .range = PMIX_RANGE_SESSION};

    (void) px_infos_append(&infos.info, &infos.n, PMIX_EVENT_AFFECTED_PROC, &ended, PMIX_PROC);
    event.info = infos.info;
    event.ninfo = infos.n;
    (void) px_event_fan_out(s, &event, *(enum px_origin *) arg, NULL);
    px_infos_fini(&infos);
}

/* The processes that count as ended in a construct with one of another node. */
static size_t n_ended_of(enum px_origin said_by)
{
    pmix_proc_t procs[2] = {proc_of(JOB, 0), proc_of("far", 0)};
    pmix_info_t info = {.value = {.type = PMIX_BOOL, .data.flag = true}};

    PMIX_LOAD_KEY(info.key, PMIX_GROUP_NOTIFY_TERMINATION);
    n_told = SIZE_MAX;
    assert_int_equal(px_loop_run(px_ctx()->loop, say_ended, &said_by), 0);
    assert_int_equal(call_with(&px_request_group_construct, JOB, 0, procs, 2, &info), 0);
    return n_told;
}

/* Of processes of other nodes the host is believed that they have ended, and no client. */
static void an_end_of_others(void **state)
{
    (void) state;
    assert_int_equal(n_ended_of(PX_ORIGIN_CLIENT), 0);
    assert_int_equal(n_ended_of(PX_ORIGIN_HOST), 1);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, start, job_of_two_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_destruct_before),
        CASE(a_destruct_of_others),
        CASE(an_unknown_group),
        CASE(a_construct_with_others),
        CASE(a_leader_of_others),
        CASE(a_departure_of_others),
        cmocka_unit_test_setup_teardown(an_end_of_others, start_with_groups, stop_with_groups),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
