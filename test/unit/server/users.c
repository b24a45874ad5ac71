/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a process of one user gets of another user's job, and what it can do to it: its output, the
 * answers to its input, its name in a log, its segment, its values, its next fence. No process
 * runs: the test makes the calls of both on the loop's thread, by peers without a connection. */

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
#include "src/base/map.h"
#include "src/context/context.h"
#include "src/nspace/proc_sets.h"
#include "src/request/schema.h"
#include "src/server/data/nspace.h"
#include "src/server/events/server_input.h"
#include "src/server/events/server_iof.h"
#include "src/server/peers/access.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/server/requests/requests.h"
#include "src/server/state.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"

#define STRANGERS "strangers"

static struct px_peer owner;    /* of the job */
static struct px_peer stranger; /* of another user's job */

/* --- the peers' calls --- */

static pmix_proc_t proc_of(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return proc;
}

static void enter(struct px_peer *peer, uint64_t id, const char *nspace, uid_t uid)
{
    struct px_server *s = px_ctx()->server;

    *peer = (struct px_peer){.server = s,
                             .user = px_user_of(s, uid),
                             .id = id,
                             .proc = proc_of(nspace, 0),
                             .uid = uid,
                             .gid = getegid(),
                             .kind = PX_WIRE_PLAIN};
    px_list_init(&peer->gets);
    assert_int_equal(px_map_set(&s->peers, &peer->id, sizeof(peer->id), peer), 0);
}

static void enter_both(void *arg)
{
    (void) arg;
    enter(&owner, UINT64_MAX, JOB, geteuid());
    enter(&stranger, UINT64_MAX - 1, STRANGERS, geteuid() + 1);
}

static void leave(struct px_peer *peer)
{
    struct px_server *s = peer->server;

    (void) px_map_remove(&s->peers, &peer->id, sizeof(peer->id));
    px_iof_subscriptions_peer_disconnected(s, peer);
    px_pushes_peer_disconnected(s, peer);
    px_map_fini(&peer->offered);
}

static void leave_both(void *arg)
{
    (void) arg;
    leave(&owner);
    leave(&stranger);
}

static void run(void (*fn)(void *arg), void *arg)
{
    assert_int_equal(px_loop_run(px_ctx()->loop, fn, arg), 0);
}

struct call {
    struct px_peer *peer;
    const struct px_request *request;
    struct px_args *args;
    int rc;
};

static void make_call(void *arg)
{
    struct call *call = arg;
    struct px_buf buf = {0};
    struct px_in in;
    uint8_t command;

    (void) px_args_pack(&buf, call->peer->kind, call->request, call->args);
    in = px_in_make(buf.data, buf.len, call->peer->kind);
    (void) px_unpack_command(&in, &command);
    call->rc = px_service_start(px_service_of(command), call->peer, 100, &in);
    px_buf_fini(&buf);
}

static void request(struct px_peer *peer, const struct px_request *request, struct px_args *args)
{
    struct call call = {.peer = peer, .request = request, .args = args};

    run(make_call, &call);
    assert_int_equal(call.rc, 0);
}

static int start(void **state)
{
    pmix_proc_t proc = proc_of(STRANGERS, 0);
    int rc = job_of_two_start(state);

    rc = rc ? rc : PMIx_server_register_nspace(proc.nspace, 1, NULL, 0, NULL, NULL);
    rc = rc ? rc : PMIx_server_register_client(&proc, geteuid() + 1, getegid(), NULL, NULL, NULL);
    return rc ? rc : px_loop_run(px_ctx()->loop, enter_both, NULL);
}

static int stop(void **state)
{
    int rc = px_loop_run(px_ctx()->loop, leave_both, NULL);

    return rc ? rc : job_of_two_stop(state);
}

static void nothing(void *arg)
{
    (void) arg;
}

static size_t count(const struct px_list *list)
{
    size_t n = 0;

    for (const struct px_list *at = list->next; at != list; at = at->next) {
        n++;
    }
    return n;
}

/* --- output --- */

static unsigned n_sent[2]; /* pieces of output for the owner, and for the stranger; loop thread */

void __wrap_px_peer_send_output(struct px_peer *peer, struct px_buf *buf);

void __wrap_px_peer_send_output(struct px_peer *peer, struct px_buf *buf)
{
    n_sent[peer == &stranger]++;
    px_buf_fini(buf);
}

/* The host answers when the test wants it to. */
struct question {
    pmix_op_cbfunc_t answer;
    void *cbdata;
};

static struct question asked[2];
static unsigned n_asked;

static pmix_status_t pull(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                          size_t ninfo, pmix_iof_channel_t channels, pmix_op_cbfunc_t cbfunc,
                          void *cbdata)
{
    (void) procs, (void) nprocs, (void) info, (void) ninfo, (void) channels;
    if (cbfunc && n_asked < 2) {
        asked[n_asked++] = (struct question){cbfunc, cbdata};
    }
    return PMIX_SUCCESS;
}

static void answer(struct question *question, pmix_status_t status)
{
    question->answer(status, question->cbdata);
    run(nothing, NULL); /* the answer has been handled */
}

static void write_line(void)
{
    pmix_byte_object_t bytes = {.bytes = (char *) "line\n", .size = 5};
    pmix_proc_t source = proc_of(JOB, 0);

    assert_int_equal(
        PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, NULL, NULL),
        PMIX_SUCCESS);
}

static void pull_output(struct px_peer *peer)
{
    pmix_proc_t all = proc_of(JOB, PMIX_RANK_WILDCARD);
    struct px_iof_pull_args args = {.procs = &all, .nprocs = 1, .channel = PMIX_FWD_STDOUT_CHANNEL};

    request(peer, &px_request_iof_pull, &args.head);
}

static int start_with_output(void **state)
{
    memset(n_sent, 0, sizeof(n_sent));
    n_asked = 0;
    job_of_two_module.iof_pull = pull;
    return start(state);
}

static int stop_with_output(void **state)
{
    job_of_two_module.iof_pull = NULL;
    return stop(state);
}

/* Before the host has refused the stranger he gets nothing, and takes nothing from the owner, who
 * gets what was written before his own request, too. */
static void output_of_others(void **state)
{
    (void) state;
    write_line();
    pull_output(&stranger);
    write_line();
    pull_output(&owner);
    write_line();
    assert_int_equal(n_sent[0], 3);
    assert_int_equal(n_asked, 2);
    answer(&asked[0], PMIX_ERR_NO_PERMISSIONS);
    answer(&asked[1], PMIX_SUCCESS);
    write_line();
    assert_int_equal(n_sent[0], 4);
    assert_int_equal(n_sent[1], 0);
}

/* If the host allows it he gets what was kept. */
static void output_that_is_allowed(void **state)
{
    (void) state;
    pull_output(&stranger);
    write_line();
    assert_int_equal(n_sent[1], 0);
    answer(&asked[0], PMIX_SUCCESS);
    assert_int_equal(n_sent[1], 1);
    write_line();
    assert_int_equal(n_sent[1], 2);
}

/* --- input --- */

enum { MANY_PUSHES = 1100 };

static pmix_status_t push(const pmix_proc_t *source, const pmix_proc_t targets[], size_t ntargets,
                          const pmix_info_t info[], size_t ninfo, const pmix_byte_object_t *bytes,
                          pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) source, (void) targets, (void) ntargets, (void) info, (void) ninfo, (void) bytes;
    (void) cbfunc, (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static void push_input(struct px_peer *peer)
{
    pmix_proc_t all = proc_of(JOB, PMIX_RANK_WILDCARD);
    struct px_iof_push_args args = {
        .procs = &all, .nprocs = 1, .bytes = {.bytes = (char *) "x", .size = 1}};

    request(peer, &px_request_iof_push, &args.head);
}

/* Holds everybody back, or nobody. */
static void control_flow(void *pause)
{
    struct px_flow_args args = {.source.rank = PMIX_RANK_WILDCARD, .pause = *(bool *) pause};

    assert_int_equal(px_flow_control(px_ctx()->server, &args), 0);
}

static void count_held(void *n)
{
    *(size_t *) n = count(&px_ctx()->server->held_pushes);
}

static size_t n_held(void)
{
    size_t n;

    run(count_held, &n);
    return n;
}

static int start_with_input(void **state)
{
    job_of_two_module.push_stdin = push;
    return start(state);
}

static int stop_with_input(void **state)
{
    job_of_two_module.push_stdin = NULL;
    return stop(state);
}

/* One who does not wait for the answers to his pushes is answered at once, and the other is held
 * back still. */
static void many_pushes_of_one(void **state)
{
    bool pause = true;
    size_t n;

    (void) state;
    run(control_flow, &pause);
    for (int i = 0; i < MANY_PUSHES; i++) {
        push_input(&stranger);
    }
    n = n_held();
    assert_in_range(n, 1, MANY_PUSHES - 1);
    push_input(&owner);
    assert_int_equal(n_held(), n + 1);
    pause = false;
    run(control_flow, &pause);
    assert_int_equal(n_held(), 0);
    pause = true;
    run(control_flow, &pause);
    push_input(&stranger); /* what was answered does not count any more */
    assert_int_equal(n_held(), 1);
}

/* --- logs --- */

/* A process is not believed that another one logs, where the server itself writes the log. */
static void a_log_of_others(void **state)
{
    pmix_proc_t other = proc_of(JOB, 0);
    pmix_info_t how[2] = {{.value = {.type = PMIX_PROC, .data.proc = &other}},
                          {.value = {.type = PMIX_BOOL, .data.flag = true}}};
    pmix_info_t text = {.value = {.type = PMIX_STRING, .data.string = (char *) "words"}};
    struct px_log_args args = {.head = {how, 2}, .data = &text, .ndata = 1};
    int own = dup(STDERR_FILENO);
    char got[256] = "";
    int ends[2];

    (void) state;
    PMIX_LOAD_KEY(how[0].key, PMIX_LOG_SOURCE);
    PMIX_LOAD_KEY(how[1].key, PMIX_LOG_TAG_OUTPUT);
    PMIX_LOAD_KEY(text.key, PMIX_LOG_STDERR);
    assert_true(own >= 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    request(&stranger, &px_request_log, &args.head);
    assert_int_equal(dup2(own, STDERR_FILENO), STDERR_FILENO);
    assert_true(read(ends[0], got, sizeof(got) - 1) > 0);
    (void) close(own);
    (void) close(ends[0]);
    (void) close(ends[1]);
    assert_string_equal(got, "[" STRANGERS ",0]<stderr>: words\n");
}

/* --- segments --- */

/* Is sent the segment of a job; then the job gets a process of another user. */
static void try_offer(void *arg)
{
    struct px_nspace *ns = px_nspace_find(px_ctx()->server, JOB);
    struct px_peer *peer = &owner;

    (void) arg;
    peer->tool = true;
    peer->shared = true;
    assert_true(ns->shared);
    assert_true(px_peer_offer(peer, ns) >= 0);
    assert_true(px_peer_reads(peer, ns));
    px_peer_has_only(peer, ns, 0); /* as if there was a later generation */
    assert_true(px_peer_has_news(peer, ns));
    assert_true(px_peer_offer(peer, ns) >= 0);
    ns->mixed = true;
    assert_false(px_peer_reads(peer, ns));
    assert_false(px_peer_may_read(peer, ns));
    px_peer_has_only(peer, ns, 0);
    assert_false(px_peer_has_news(peer, ns));
    assert_int_equal(px_peer_offer(peer, ns), -1);
}

static void the_segment_of_a_mixed_job(void **state)
{
    (void) state;
    run(try_offer, NULL);
}

/* --- connected jobs --- */

static unsigned n_looked; /* members of sets that were searched for a namespace */

bool __real_px_procs_have_nspace(const pmix_proc_t *procs, size_t n, const char *nspace);
bool __wrap_px_procs_have_nspace(const pmix_proc_t *procs, size_t n, const char *nspace);

bool __wrap_px_procs_have_nspace(const pmix_proc_t *procs, size_t n, const char *nspace)
{
    n_looked++;
    return __real_px_procs_have_nspace(procs, n, nspace);
}

static bool has_access(void)
{
    struct px_server *s = px_ctx()->server;

    return px_access_data(s, &stranger, px_nspace_find(s, JOB));
}

/* Connects both jobs in different ways, and disconnects them. */
static void try_connected(void *arg)
{
    struct px_proc_sets *sets = px_ctx()->server->proc_sets;
    pmix_proc_t procs[2] = {proc_of(STRANGERS, 0), proc_of(JOB, 1)};
    struct px_proc_set *set;

    (void) arg;
    assert_false(has_access());
    set = px_proc_set_add(sets, PX_SET_CONNECTED, NULL, procs, 2);
    assert_non_null(set);
    assert_true(has_access());
    px_proc_set_remove(set);
    assert_false(has_access());
    set = px_proc_set_add(sets, PX_SET_GROUP, "g", procs, 2);
    assert_non_null(set);
    assert_false(has_access()); /* the host does not know it */
    px_proc_set_remove(set);
    set = px_proc_set_add(sets, PX_SET_GROUP, "g", procs, 2);
    assert_non_null(set);
    set->hosted = true;
    assert_true(has_access());
    px_proc_set_leave(set, &procs[0]);
    assert_false(has_access());
    px_proc_set_remove(set);
}

static void connected_jobs(void **state)
{
    (void) state;
    run(try_connected, NULL);
}

/* The sets are walked over once, and anew when one of them has changed. */
static void try_walks(void *arg)
{
    enum { SETS = 50, TIMES = 100 };
    struct px_proc_sets *sets = px_ctx()->server->proc_sets;
    pmix_proc_t procs[2] = {proc_of("nobody", 0), proc_of("none", 1)};

    (void) arg;
    for (int i = 0; i < SETS; i++) {
        assert_non_null(px_proc_set_add(sets, PX_SET_CONNECTED, NULL, procs, 2));
    }
    n_looked = 0;
    for (int i = 0; i < TIMES; i++) {
        assert_false(has_access());
    }
    assert_int_equal(n_looked, SETS);
    assert_non_null(px_proc_set_add(sets, PX_SET_CONNECTED, NULL, procs, 2));
    assert_false(has_access());
    assert_int_equal(n_looked, SETS + SETS + 1);
    px_proc_sets_clear(sets);
}

static void walks_over_sets(void **state)
{
    (void) state;
    run(try_walks, NULL);
}

/* --- fences --- */

static void look_at_resync(void *needed)
{
    *(bool *) needed = px_ctx()->server->resync_needed;
}

/* A fence of one process fails, which no data of other nodes was for. */
static void a_fence_of_one(void **state)
{
    pmix_proc_t self = stranger.proc;
    pmix_info_t info[2] = {{.value = {.type = PMIX_BOOL, .data.flag = true}},
                           {.flags = PMIX_INFO_REQD, .value = {.type = PMIX_BOOL}}};
    struct px_coll_args args = {.head = {info, 2}, .procs = &self, .nprocs = 1};
    bool needed = true;

    (void) state;
    PMIX_LOAD_KEY(info[0].key, PMIX_COLLECT_DATA);
    PMIX_LOAD_KEY(info[1].key, "nobody.knows.this");
    request(&stranger, &px_request_fence, &args.head);
    run(look_at_resync, &needed);
    assert_false(needed);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(output_of_others, start_with_output, stop_with_output),
        cmocka_unit_test_setup_teardown(output_that_is_allowed, start_with_output,
                                        stop_with_output),
        cmocka_unit_test_setup_teardown(many_pushes_of_one, start_with_input, stop_with_input),
        CASE(a_log_of_others),
        CASE(the_segment_of_a_mixed_job),
        CASE(connected_jobs),
        CASE(walks_over_sets),
        CASE(a_fence_of_one),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
