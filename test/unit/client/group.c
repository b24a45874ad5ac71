/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The answers to a group construct of every generation of servers, and what a server asks while one
 * is under way; the invitation of whole namespaces. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"
#include "src/client/data/put.h"
#include "src/client/group_decide.h"
#include "src/client/invitees.h"
#include "src/client/invite.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

static bool wants_procs; /* what a destruct has to carry */
static bool had_procs;

static void pack_members(struct px_buf *reply)
{
    pmix_proc_t members[2];

    PMIx_Load_procid(&members[0], "job", 0);
    PMIx_Load_procid(&members[1], "job", 3);
    (void) px_pack_array(reply, PX_WIRE_PLAIN, PMIX_PROC, members, 2);
}

/* STRING id; [SIZE n; PROC[n];] SIZE m; INFO[m] */
static void read_destruct(struct px_in *in)
{
    size_t n = 99;
    char *id = NULL;

    had_procs = px_unpack_string(in, &id) == 0 && px_unpack_size(in, &n) == 0 && px_in_left(in) > 0;
    free(id);
}

static bool answer(uint8_t command, struct px_buf *reply, struct px_in *in)
{
    if (command == PX_CMD_GROUP_DESTRUCT) {
        read_destruct(in);
    }
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    return command == PX_CMD_GROUP_CONSTRUCT;
}

static bool oldest(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    if (answer(command, reply, in)) {
        (void) px_pack_size(reply, PX_WIRE_PLAIN, 17);
    }
    return true;
}

static bool five(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    if (answer(command, reply, in)) {
        pack_members(reply);
        (void) px_pack_size(reply, PX_WIRE_PLAIN, 17);
    }
    return true;
}

static bool five_without(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    if (answer(command, reply, in)) {
        pack_members(reply);
        (void) px_pack_size(reply, PX_WIRE_PLAIN, SIZE_MAX);
    }
    return true;
}

static bool late_five(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    if (answer(command, reply, in)) {
        pack_members(reply);
        (void) px_pack_size(reply, PX_WIRE_PLAIN, 17);
        (void) px_pack_bytes(reply, PX_WIRE_PLAIN, NULL, 0);
    }
    return true;
}

static bool six(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    bool yes = true;

    if (answer(command, reply, in)) {
        pmix_info_t info;
        int number = 5;

        pack_members(reply);
        (void) px_pack(reply, PX_WIRE_PLAIN, PMIX_BOOL, &yes, 1);
        (void) px_pack_size(reply, PX_WIRE_PLAIN, 17);
        PMIx_Info_construct(&info);
        PMIx_Info_load(&info, "of.a.member", &number, PMIX_INT);
        (void) px_pack_size(reply, PX_WIRE_PLAIN, 2);
        (void) px_pack(reply, PX_WIRE_PLAIN, PMIX_INFO, &info, 1);
        (void) px_pack(reply, PX_WIRE_PLAIN, PMIX_INFO, &info, 1);
    }
    return true;
}

/* Two infos are announced, in an operation that has none. */
static bool hollow(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    bool no = false;

    if (answer(command, reply, in)) {
        pack_members(reply);
        (void) px_pack(reply, PX_WIRE_PLAIN, PMIX_BOOL, &no, 1);
        (void) px_pack_size(reply, PX_WIRE_PLAIN, 2);
        (void) px_pack(reply, PX_WIRE_PLAIN, PMIX_INFO, NULL, 0);
        px_buf_append(reply, "0123456789abcdef", 16);
    }
    return true;
}

static bool lying(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    if (answer(command, reply, in)) {
        (void) px_pack_size(reply, PX_WIRE_PLAIN, SIZE_MAX);
    }
    return true;
}

struct outcome {
    struct px_wait wait;
    size_t n_members;
    size_t id;
    size_t n_others;
};

static void constructed(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                        pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    struct outcome *out = cbdata;

    for (size_t i = 0; i < ninfo; i++) {
        if (strcmp(info[i].key, PMIX_GROUP_MEMBERSHIP) == 0) {
            out->n_members = info[i].value.data.darray->size;
        } else if (strcmp(info[i].key, PMIX_GROUP_CONTEXT_ID) == 0) {
            out->id = info[i].value.data.size;
        } else {
            out->n_others++;
        }
    }
    release_fn(release_cbdata);
    px_wait_done(&out->wait, status);
}

static void op_done(pmix_status_t status, void *cbdata)
{
    px_wait_done(cbdata, status);
}

static pmix_status_t construct(const char *version, script_fn fn, bool with_id, struct outcome *out)
{
    struct px_coll_args args;
    struct px_wait wait;
    pmix_info_t info;
    pmix_proc_t all;
    bool yes = true;
    pmix_status_t rc;

    client_open(version, fn);
    memset(out, 0, sizeof(*out));
    px_wait_init(&out->wait);
    PMIx_Load_procid(&all, "job", PMIX_RANK_WILDCARD);
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    args = (struct px_coll_args){PX_DIRECTIVES_OF(&info, with_id ? 1 : 0), (char *) "g", &all, 1};
    assert_int_equal(
        script_request(&px_request_group_construct, &args, (px_callback) constructed, out),
        PMIX_SUCCESS);
    rc = px_wait_for(&out->wait);
    px_wait_init(&wait);
    args = (struct px_coll_args){.group = (char *) "g"};
    assert_int_equal(
        script_request(&px_request_group_destruct, &args, (px_callback) op_done, &wait),
        PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&wait), PMIX_SUCCESS);
    script_settle();
    assert_int_equal(had_procs, wants_procs);
    client_close();
    return rc;
}

static void layouts(void **state)
{
    struct outcome out;

    (void) state;
    wants_procs = false;
    assert_int_equal(construct("4.2.2rc2", oldest, true, &out), PMIX_SUCCESS);
    assert_int_equal(out.id, 17);
    assert_int_equal(out.n_members, 1); /* what we named */
    wants_procs = true;
    assert_int_equal(construct("4.2.9", five, true, &out), PMIX_SUCCESS);
    assert_int_equal(out.id, 17);
    assert_int_equal(out.n_members, 2);
    assert_int_equal(construct("5.0.0", five, false, &out), PMIX_SUCCESS);
    assert_int_equal(out.id, 17); /* which another member has asked for */
    assert_int_equal(construct("5.0.0", five_without, false, &out), PMIX_SUCCESS);
    assert_int_equal(out.id, 0);
    assert_int_equal(out.n_members, 2);
    assert_int_equal(construct("5.0.8a1", late_five, true, &out), PMIX_SUCCESS);
    assert_int_equal(out.id, 17);
    assert_int_equal(construct("6.1.0", six, true, &out), PMIX_SUCCESS);
    assert_int_equal(out.id, 17);
    assert_int_equal(out.n_members, 2);
    assert_int_equal(out.n_others, 2);
    assert_int_not_equal(construct("5.0.0", lying, true, &out), PMIX_SUCCESS);
    assert_int_not_equal(construct("6.0.0", lying, true, &out), PMIX_SUCCESS);
    assert_int_not_equal(construct("6.0.0", hollow, false, &out), PMIX_SUCCESS);
}

/* Commits are refused. */
static bool refuse_commits(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN,
                          command == PX_CMD_COMMIT ? PMIX_ERR_NO_PERMISSIONS : PMIX_SUCCESS);
    if (command == PX_CMD_GROUP_CONSTRUCT) {
        pack_members(reply);
        (void) px_pack_size(reply, PX_WIRE_PLAIN, SIZE_MAX);
    }
    return true;
}

/* Who has been refused a commit is told by the construct, in which it takes part all the same: it
 * is in the group, as the others know. */
static void construct_after_a_refusal(void **state)
{
    struct px_coll_args args = {.group = (char *) "g"};
    pmix_value_t value = {.type = PMIX_INT, .data.integer = 1};
    pmix_proc_t all = {.nspace = "job", .rank = PMIX_RANK_WILDCARD};
    struct outcome out = {.n_members = 0};

    (void) state;
    client_open("5.0.0", refuse_commits);
    assert_int_equal(ctx->ops->put(ctx, PMIX_LOCAL, "l", &value), PMIX_SUCCESS);
    assert_int_equal(px_client_send_commit(ctx), PMIX_SUCCESS);
    while (px_load_acquire(&px_session(ctx)->refused) == 0) { /* until the reply has come */
    }
    px_wait_init(&out.wait);
    args.procs = &all;
    args.nprocs = 1;
    assert_int_equal(
        script_request(&px_request_group_construct, &args, (px_callback) constructed, &out),
        PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&out.wait), PMIX_ERR_NO_PERMISSIONS);
    assert_int_equal(out.n_members, 0);
    assert_int_equal(script_commands(PX_CMD_GROUP_CONSTRUCT), 1);
    assert_int_equal(px_load_acquire(&px_session(ctx)->n_groups), 1);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS); /* it has been told */
    client_close();
}

/* The server asks what is to become of a group. For px_loop_run. */
static void ask_handlers(void *arg)
{
    uint64_t serial = 7;
    pmix_info_t info;
    struct px_event event = {.code = PMIX_GROUP_MEMBER_FAILED, .info = &info, .ninfo = 1};

    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PX_KEY_DECIDE, &serial, PMIX_UINT64);
    *(bool *) arg = px_group_decide_event(px_session(ctx), &event);
    PMIx_Info_destruct(&info);
}

/* What is asked is answered, without a handler at once. The number of answers that the server has
 * got. */
static unsigned n_answers(void)
{
    struct px_wait wait;
    bool asked = false;

    assert_int_equal(px_loop_run(ctx->loop, ask_handlers, &asked), 0);
    assert_true(asked);
    assert_int_equal(px_loop_run(ctx->loop, nothing_loop, NULL), 0); /* behind the handlers */
    px_wait_init(&wait);
    assert_int_equal(script_fence(op_done, &wait), PMIX_SUCCESS); /* behind the answer */
    assert_int_equal(px_wait_for(&wait), PMIX_SUCCESS);
    return script_commands(PX_CMD_NOTIFY);
}

static bool agree(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) command;
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    return true;
}

/* While this process is leaving, its handlers may still complete. */
static void asked_at_the_end(void **state)
{
    (void) state;
    client_open("5.0.0", agree);
    px_lock_take(&ctx->lock);
    px_ctx_up(ctx);
    px_lock_give(&ctx->lock);
    assert_int_equal(n_answers(), 1);
    px_lock_take(&ctx->lock);
    px_ctx_down(ctx);
    px_lock_give(&ctx->lock);
    assert_int_equal(n_answers(), 1);
    client_close();
}

/* A job has as many processes as no job can have. */
static bool boast(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    pmix_value_t size = {.type = PMIX_UINT32, .data.uint32 = UINT32_MAX};
    pmix_proc_t job = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    struct px_buf blob = {0};

    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    if (command == PX_CMD_GET) {
        (void) px_pack(&blob, PX_WIRE_PLAIN, PMIX_PROC, &job, 1);
        (void) px_pack_kval(&blob, PX_WIRE_PLAIN, PMIX_JOB_SIZE, &size);
        (void) px_pack_bytes(reply, PX_WIRE_PLAIN, blob.data, blob.len);
        px_buf_fini(&blob);
    }
    return true;
}

static void invited(const struct px_completion *to, struct px_reply *reply)
{
    px_wait_done(to->target, reply->status);
}

static void too_many_invited(void **state)
{
    const pmix_proc_t all = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    struct px_wait wait;
    struct px_completion to = {.done = invited, .target = &wait};

    (void) state;
    client_open("5.0.0", boast);
    px_wait_init(&wait);
    assert_int_equal(px_client_group_invite_nb(ctx, "g", &all, 1, NULL, 0, &to), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&wait), PMIX_ERR_OUT_OF_RESOURCE);
    client_close();
}

/* What the counts of states have to be. */
static void check_counts(const struct px_invitees *invitees)
{
    size_t n[PX_N_INVITEE_STATES] = {0};

    for (size_t i = 0; i < invitees->n; i++) {
        n[invitees->at[i].state]++;
    }
    for (enum px_invitee_state state = PX_INVITED; state < PX_N_INVITEE_STATES; state++) {
        assert_int_equal(px_invitees_count(invitees, state), n[state]);
    }
}

static void count_as_they_answer(struct px_invitees *invitees)
{
    check_counts(invitees);
    for (size_t i = 0; i < invitees->n; i++) {
        (void) px_invitees_learn(invitees, &invitees->at[i],
                                 (enum px_invitee_news)(i % PX_N_INVITEE_NEWS));
        (void) px_invitees_learn(invitees, &invitees->at[i],
                                 (enum px_invitee_news)(i / 4 % PX_N_INVITEE_NEWS));
    }
    check_counts(invitees);
    assert_int_equal(px_invitees_count(invitees, PX_INVITED), 0);
}

/* Each is found where it is, whatever comes before it. */
static void many_invitees(void **state)
{
    enum { MANY = 100000 };
    struct px_invitees invitees = {0};
    pmix_proc_t proc = {.nspace = "first", .rank = 7};

    (void) state;
    assert_null(px_invitees_find(&invitees, &proc));
    assert_int_equal(px_invitees_add(&invitees, &proc), 0);
    for (int i = 0; i < 2; i++) { /* each once */
        assert_int_equal(px_invitees_add_job(&invitees, "second", MANY), 0);
        assert_int_equal(px_invitees_add(&invitees, &proc), 0);
        assert_int_equal(invitees.n, MANY + 1);
    }
    assert_ptr_equal(px_invitees_find(&invitees, &proc), &invitees.at[0]);
    PMIx_Load_nspace(proc.nspace, "second");
    for (proc.rank = 0; proc.rank < MANY; proc.rank++) {
        const struct px_invitee *found = px_invitees_find(&invitees, &proc);

        assert_ptr_equal(found, &invitees.at[proc.rank + 1]);
        assert_int_equal(found->proc.rank, proc.rank);
    }
    assert_null(px_invitees_find(&invitees, &proc));
    assert_int_equal(px_invitees_add_job(&invitees, "third", PX_INVITEES_MAX + 1),
                     PMIX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(invitees.n, MANY + 1);
    count_as_they_answer(&invitees);
    px_invitees_fini(&invitees);
    assert_null(px_invitees_find(&invitees, &proc));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts), cmocka_unit_test(construct_after_a_refusal),
        cmocka_unit_test(asked_at_the_end), cmocka_unit_test(too_many_invited),
        cmocka_unit_test(many_invitees)};

    return cmocka_run_group_tests_name("group", tests, limit_time, NULL);
}
