/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Invitations at their edges, with a server that says what a test tells it to: GRP-065, GRP-076,
 * GRP-091, GRP-092, EVT-013. This process is rank 0 of "job". */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"

#include <sys/socket.h>

#include "src/client/group_map.h"
#include "src/client/invitation.h"
#include "src/client/invite.h"
#include "src/client/invited.h"
#include "src/client/join.h"
#include "src/event/process_end.h"
#include "src/net/dial.h"
#include "src/request/reply.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"

static const pmix_proc_t host = {.nspace = "server", .rank = 0};

static pmix_proc_t of(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIx_Load_procid(&proc, nspace, rank);
    return proc;
}

static pmix_proc_t peer(pmix_rank_t rank)
{
    return of("job", rank);
}

/* --- the server --- */

static _Atomic pmix_status_t refused_code; /* of events; 0: none */
static _Atomic unsigned n_aborts;          /* events that it was given */

static bool agree(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    pmix_status_t code = 0;

    if (command == PX_CMD_NOTIFY) {
        (void) px_unpack_status(in, &code);
    }
    n_aborts += code == PMIX_GROUP_CONSTRUCT_ABORT;
    (void) px_pack_status(reply, PX_WIRE_PLAIN,
                          code != 0 && code == refused_code ? PMIX_ERR_NO_PERMISSIONS
                                                            : PMIX_SUCCESS);
    return true;
}

static void op_done(pmix_status_t status, void *cbdata)
{
    px_wait_done(cbdata, status);
}

/* What was posted here has been done, and what the server has sent has come. */
static void settle(void)
{
    struct px_wait wait;

    assert_int_equal(px_loop_run(ctx->loop, nothing_loop, NULL), 0);
    px_wait_init(&wait);
    assert_int_equal(script_fence(op_done, &wait), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&wait), PMIX_SUCCESS);
    assert_int_equal(px_loop_run(ctx->loop, nothing_loop, NULL), 0);
}

static void add(struct px_infos *infos, const char *key, const void *data, pmix_data_type_t type)
{
    assert_int_equal(px_infos_append(&infos->info, &infos->n, key, data, type), 0);
}

/* Sends an event, and releases its infos. */
static void say(pmix_status_t code, const pmix_proc_t *source, struct px_infos *infos)
{
    pmix_data_range_t range = PMIX_RANGE_CUSTOM;
    struct px_buf buf = {0};

    (void) px_pack_command(&buf, PX_WIRE_PLAIN, PX_CMD_NOTIFY);
    (void) px_pack_status(&buf, PX_WIRE_PLAIN, code);
    (void) px_pack(&buf, PX_WIRE_PLAIN, PMIX_PROC, source, 1);
    (void) px_pack_infos(&buf, PX_WIRE_PLAIN, infos->info, infos->n);
    (void) px_pack(&buf, PX_WIRE_PLAIN, PMIX_DATA_RANGE, &range, 1);
    script_send(PX_TAG_NOTIFY, &buf);
    px_infos_fini(infos);
}

static void say_of_group(pmix_status_t code, pmix_proc_t source, const char *group, uint64_t id)
{
    struct px_infos infos = {0};

    add(&infos, PMIX_GROUP_ID, group, PMIX_STRING);
    if (id != 0) {
        add(&infos, PX_KEY_INVITATION, &id, PMIX_UINT64);
    }
    say(code, &source, &infos);
}

/* An invitation of two processes, of which the second may be the same. */
static void say_invited(pmix_proc_t leader, const char *group, uint64_t id, pmix_proc_t first,
                        pmix_proc_t second)
{
    pmix_proc_t procs[2] = {first, second};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = procs};
    struct px_infos infos = {0};

    array.size = px_proc_equal(&first, &second) ? 1 : 2;
    add(&infos, PMIX_GROUP_ID, group, PMIX_STRING);
    add(&infos, PX_KEY_INVITATION, &id, PMIX_UINT64);
    add(&infos, PX_KEY_INVITEES, &array, PMIX_DATA_ARRAY);
    say(PMIX_GROUP_INVITED, &leader, &infos);
}

static void say_ended(pmix_proc_t source, pmix_proc_t ended, bool by_client)
{
    struct px_infos infos = {0};
    bool yes = true;

    add(&infos, PMIX_EVENT_AFFECTED_PROC, &ended, PMIX_PROC);
    if (by_client) {
        add(&infos, PX_KEY_END_BY_CLIENT, &yes, PMIX_BOOL);
    }
    say(PMIX_ERR_PROC_ABORTED, &source, &infos);
}

/* --- this process --- */

struct ending {
    struct px_wait wait;
    size_t n_members;
};

static void ended(const struct px_completion *to, struct px_reply *reply)
{
    struct ending *ending = to->target;
    const pmix_value_t *members = px_info_find(reply->info, reply->ninfo, PMIX_GROUP_MEMBERSHIP);

    ending->n_members = members != NULL ? members->data.darray->size : 0;
    px_wait_done(&ending->wait, reply->status);
}

static struct px_completion ends(struct ending *ending)
{
    *ending = (struct ending){.n_members = 0};
    px_wait_init(&ending->wait);
    return (struct px_completion){.done = ended, .target = ending};
}

static void invite(struct ending *ending, pmix_proc_t invitee, bool optional)
{
    struct px_completion to = ends(ending);
    struct px_infos infos = {0};

    add(&infos, PMIX_GROUP_OPTIONAL, &optional, PMIX_BOOL);
    assert_int_equal(px_client_group_invite_nb(ctx, "g", &invitee, 1, infos.info, infos.n, &to),
                     PMIX_SUCCESS);
    px_infos_fini(&infos);
    settle();
}

static pmix_status_t join_nb(struct ending *ending, const char *group, pmix_proc_t leader)
{
    struct px_completion to = ends(ending);
    pmix_status_t rc =
        px_client_group_join_nb(ctx, group, &leader, PMIX_GROUP_ACCEPT, NULL, 0, &to);

    settle();
    return rc;
}

static void join(struct ending *ending, const char *group, pmix_proc_t leader)
{
    assert_int_equal(join_nb(ending, group, leader), PMIX_SUCCESS);
}

static void claim(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                  size_t ninfo, pmix_info_t *results, size_t nresults,
                  pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    pmix_info_t leads;

    (void) id, (void) status, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    PMIx_Info_load(&leads, PMIX_GROUP_LEADER, NULL, PMIX_BOOL);
    cbfunc(PMIX_SUCCESS, &leads, 1, NULL, NULL, cbdata);
    PMIx_Info_destruct(&leads);
}

static unsigned n_lost; /* loop thread */

static void note_lost(size_t id, pmix_status_t status, const pmix_proc_t *source,
                      pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                      pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id, (void) status, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    n_lost++;
    cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static void add_handlers(void *arg)
{
    static const struct {
        pmix_status_t code;
        pmix_notification_fn_t fn;
    } all[] = {{PMIX_GROUP_LEADER_FAILED, claim}, {PMIX_ERR_LOST_CONNECTION, note_lost}};
    size_t id;

    (void) arg;
    n_lost = 0;
    for (size_t i = 0; i < 2; i++) {
        if (px_events_add(ctx->events, &all[i].code, 1, NULL, 0, all[i].fn, &id) == 0) {
            px_events_ready(ctx->events, id);
        }
    }
}

static void handle_events(void)
{
    refused_code = 0;
    n_aborts = 0;
    assert_int_equal(px_loop_run(ctx->loop, add_handlers, NULL), 0);
}

static void open_client(void)
{
    client_open("5.0.0", agree);
    handle_events();
}

static void open_tool(void)
{
    tool_open(agree);
    handle_events();
}

/* How often the loss of a server has been told so far. */
static void count_lost(void *arg)
{
    *(unsigned *) arg = n_lost;
}

static unsigned losses(void)
{
    unsigned n = 0;

    for (int i = 0; i < 4; i++) { /* a chain begins, and goes on */
        assert_int_equal(px_loop_run(ctx->loop, nothing_loop, NULL), 0);
    }
    assert_int_equal(px_loop_run(ctx->loop, count_lost, &n), 0);
    return n;
}

/* --- the leader is lost, or this process --- */

/* A process that has led after the leader, and whose group was not made, has nothing to wait for
 * any more. */
static void joined_after_its_end(void **state)
{
    struct ending ending;

    (void) state;
    open_client();
    say_ended(host, peer(2), false);
    say_invited(peer(1), "g", 77, peer(0), peer(2));
    settle();
    join(&ending, "g", peer(1));
    say_ended(host, peer(1), false);
    assert_int_equal(px_wait_for(&ending.wait), PMIX_GROUP_CONSTRUCT_ABORT);
    join(&ending, "g", peer(1));
    assert_int_equal(px_wait_for(&ending.wait), PMIX_GROUP_CONSTRUCT_ABORT);
    client_close();
}

static void joined_itself(void **state)
{
    struct ending ending;

    (void) state;
    open_client();
    assert_int_equal(join_nb(&ending, "g", peer(0)), PMIX_ERR_BAD_PARAM);
    client_close();
}

/* The end of its whole job is not that of a process that hears of it. */
static void own_end_of_a_leader(void **state)
{
    struct ending ending;

    (void) state;
    open_client();
    invite(&ending, peer(1), true);
    say_ended(host, peer(PMIX_RANK_WILDCARD), false);
    assert_int_equal(px_wait_for(&ending.wait), PMIX_ERR_PARTIAL_SUCCESS);
    assert_int_equal(ending.n_members, 1);
    client_close();
}

static void own_end_of_an_invitee(void **state)
{
    struct ending ending;

    (void) state;
    open_client();
    say_invited(of("other", 0), "g", 77, peer(0), peer(0));
    settle();
    join(&ending, "g", of("other", 0));
    say_ended(host, peer(PMIX_RANK_WILDCARD), false);
    say_ended(host, peer(0), false);
    say_ended(host, of("other", 0), false);
    assert_int_equal(px_wait_for(&ending.wait), PMIX_SUCCESS);
    assert_int_equal(ending.n_members, 1);
    client_close();
}

/* A client says of another one that it has ended, and then of itself. */
static void ends_by_clients(void **state)
{
    struct ending ending;

    (void) state;
    open_client();
    invite(&ending, peer(1), false);
    say_ended(peer(2), peer(1), true);
    say_of_group(PMIX_GROUP_INVITE_ACCEPTED, peer(1), "g", 0);
    assert_int_equal(px_wait_for(&ending.wait), PMIX_SUCCESS);
    assert_int_equal(ending.n_members, 2);
    client_close();
    open_client();
    invite(&ending, peer(1), false);
    say_ended(peer(1), peer(1), true);
    assert_int_equal(px_wait_for(&ending.wait), PMIX_GROUP_CONSTRUCT_ABORT);
    client_close();
}

/* --- the server is left, or lost --- */

static void detach(bool server_leaves)
{
    struct ending invitation;
    struct ending answer;

    open_tool();
    invite(&invitation, peer(1), false);
    join(&answer, "h", peer(1));
    script_leaves = server_leaves;
    assert_int_equal(px_tool_detach(ctx, &host), PMIX_SUCCESS);
    script_leaves = false;
    assert_int_equal(px_wait_for(&invitation.wait), PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(px_wait_for(&answer.wait), PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(losses(), 0);
    client_close();
}

/* The calls of a tool that leaves its server end; that the server goes as well is no news. */
static void left_by_a_tool(void **state)
{
    (void) state;
    detach(false);
    detach(true);
}

/* A further server, which says nothing; its end of the connection. */
static int attach_silent(void)
{
    struct px_link_server *server = NULL;
    struct px_dialed dialed = {.index = 0};
    int ends_of[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends_of),
                     0);
    dialed.fd = ends_of[0];
    PMIx_Load_procid(&dialed.server, "silent", 0);
    assert_int_equal(
        px_session_attach(
            px_session(ctx), &dialed, PX_WIRE_PLAIN,
            &(struct px_server_known){.uri = "silent.0;tcp4://127.0.0.1:1", .version = "4.2.3"},
            &server),
        0);
    assert_true(px_server_at_least(server, 4, 2, 3));
    assert_false(px_server_at_least(server, 4, 2, 4));
    return ends_of[1];
}

/* The primary server is lost, another one is there, over which no answer can come. */
static void lost_with_another(void **state)
{
    struct ending ending;
    int silent;

    (void) state;
    open_tool();
    silent = attach_silent();
    invite(&ending, peer(1), false);
    script_hang_up();
    assert_int_equal(px_wait_for(&ending.wait), PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(losses(), 1);
    close(silent);
    client_close();
}

/* The server does not take the event of completion: those who have accepted wait no longer. */
static void refused_announcement(void **state)
{
    struct ending ending;

    (void) state;
    open_client();
    refused_code = PMIX_GROUP_CONSTRUCT_COMPLETE;
    invite(&ending, peer(1), false);
    say_of_group(PMIX_GROUP_INVITE_ACCEPTED, peer(1), "g", 0);
    assert_int_equal(px_wait_for(&ending.wait), PMIX_ERR_NO_PERMISSIONS);
    settle();
    assert_int_equal(n_aborts, 1);
    client_close();
}

/* --- what is kept --- */

/* Looks at what is kept of the invitation that has not ended, and of one that has. For px_loop_run.
 */
struct kept {
    bool open;
    size_t n_votes_of_open;
    bool over;
    size_t n_votes_of_over;
};

static void look(void *arg)
{
    struct kept *kept = arg;
    pmix_proc_t leader = peer(1);
    const struct px_invited *open = px_invited_find(px_session(ctx), "open", &leader);
    const struct px_invited *over = px_invited_find(px_session(ctx), "over 1050", &leader);

    kept->open = open != NULL && !open->over;
    kept->n_votes_of_open = open != NULL ? open->votes.n : 0;
    kept->over = over != NULL && over->over;
    kept->n_votes_of_over = over != NULL ? over->votes.n : 0;
}

/* Of those that are over only that is kept, and they go before one that waits for an answer. */
static void many_invitations(void **state)
{
    struct kept kept = {.open = false};
    char group[32];

    (void) state;
    open_client();
    say_invited(peer(1), "open", 7, peer(0), peer(2));
    for (unsigned i = 0; i <= 1050; i++) {
        snprintf(group, sizeof(group), "over %u", i);
        say_invited(peer(1), group, 8 + i, peer(0), peer(2));
        say_of_group(PMIX_GROUP_CONSTRUCT_ABORT, peer(1), group, 8 + i);
    }
    settle();
    assert_int_equal(px_loop_run(ctx->loop, look, &kept), 0);
    assert_true(kept.open);
    assert_int_equal(kept.n_votes_of_open, 2);
    assert_true(kept.over);
    assert_int_equal(kept.n_votes_of_over, 0);
    client_close();
}

static void enter_group(void *arg)
{
    pmix_proc_t member = peer(3);
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 1, .array = &member};
    struct px_infos infos = {0};

    (void) arg;
    if (px_infos_append(&infos.info, &infos.n, PMIX_GROUP_MEMBERSHIP, &array, PMIX_DATA_ARRAY) ==
        0) {
        px_group_map_add(px_session(ctx), "g", false, infos.info, infos.n);
    }
    px_infos_fini(&infos);
}

static int members_of_g(void)
{
    pmix_proc_t all = of("g", PMIX_RANK_WILDCARD);
    struct px_proc_list members = {0};
    int n = px_group_map_expand(px_session(ctx), &all, 1, &members) == 0 ? (int) members.n : -1;

    px_proc_list_fini(&members);
    return n;
}

static void say_left(pmix_proc_t who)
{
    struct px_infos infos = {0};

    add(&infos, PMIX_GROUP_ID, "g", PMIX_STRING);
    add(&infos, PMIX_EVENT_AFFECTED_PROC, &who, PMIX_PROC);
    say(PMIX_GROUP_LEFT, &host, &infos);
    settle();
}

/* Who leaves a group is one process; names that stand for many, or for any, are none. */
static void many_leave(void **state)
{
    (void) state;
    open_client();
    assert_int_equal(px_loop_run(ctx->loop, enter_group, NULL), 0);
    say_left(peer(PMIX_RANK_WILDCARD));
    assert_int_equal(members_of_g(), 1);
    say_left(of("", 3));
    assert_int_equal(members_of_g(), 1);
    say_left(peer(3));
    assert_int_equal(members_of_g(), -1);
    client_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_after_its_end), cmocka_unit_test(joined_itself),
        cmocka_unit_test(own_end_of_a_leader),  cmocka_unit_test(own_end_of_an_invitee),
        cmocka_unit_test(ends_by_clients),      cmocka_unit_test(left_by_a_tool),
        cmocka_unit_test(lost_with_another),    cmocka_unit_test(refused_announcement),
        cmocka_unit_test(many_invitations),     cmocka_unit_test(many_leave),
    };

    return cmocka_run_group_tests_name("invitations", tests, limit_time, NULL);
}
