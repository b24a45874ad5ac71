/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client and what it tells its server: INI-001, INI-006, GET-011, GET-013, GET-019, GET-026,
 * GET-027, KEY-002, NRK-001, NRK-010, PUT-009..012, RES-014, RES-031, EVT-013, EVT-021. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"
#include "src/client/data/get.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"

static pmix_proc_t peer(pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIx_Load_procid(&proc, "job", rank);
    return proc;
}

/* One BYTE_OBJECT with two values of a process. */
static void pack_posted(struct px_buf *reply, pmix_rank_t rank, int first, int second)
{
    pmix_value_t a = {.type = PMIX_INT, .data.integer = first};
    pmix_value_t b = {.type = PMIX_INT, .data.integer = second};
    pmix_proc_t owner = peer(rank);
    struct px_buf blob = {0};

    (void) px_pack(&blob, PX_WIRE_PLAIN, PMIX_PROC, &owner, 1);
    (void) px_pack_kval(&blob, PX_WIRE_PLAIN, "first", &a);
    (void) px_pack_kval(&blob, PX_WIRE_PLAIN, "second", &b);
    (void) px_pack_bytes(reply, PX_WIRE_PLAIN, blob.data, blob.len);
    px_buf_fini(&blob);
}

static bool posted(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    if (command == PX_CMD_GET) {
        pack_posted(reply, 1, 11, 12);
    }
    return true;
}

static bool silent(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) command;
    (void) in;
    (void) reply;
    return false;
}

static bool refusing(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) command;
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    return true;
}

static bool rubbish(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) command;
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    px_buf_append(reply, "\x02\xff\xff\xff\x01zzz", 8);
    return true;
}

/* A value without a name, before one that has one. */
static bool nameless(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = 1};
    pmix_proc_t owner = peer(1);
    struct px_buf blob = {0};

    (void) command;
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    (void) px_pack(&blob, PX_WIRE_PLAIN, PMIX_PROC, &owner, 1);
    (void) px_pack_kval(&blob, PX_WIRE_PLAIN, "", &value);
    (void) px_pack_kval(&blob, PX_WIRE_PLAIN, "first", &value);
    (void) px_pack_bytes(reply, PX_WIRE_PLAIN, blob.data, blob.len);
    px_buf_fini(&blob);
    return true;
}

static pmix_status_t spec(pmix_rank_t rank, const char *key, const pmix_info_t *info, size_t ninfo,
                          int *number)
{
    pmix_proc_t proc = peer(rank);
    struct called called;
    pmix_status_t rc;

    called_init(&called);
    rc = get_nb(&proc, key, info, ninfo, &called);
    if (rc != PMIX_SUCCESS) {
        px_wait_done(&called.wait, rc);
    }
    rc = px_wait_for(&called.wait);
    *number = called.value.data.integer;
    PMIx_Value_destruct(&called.value);
    return rc;
}

static void put(pmix_scope_t scope, const char *key, int number)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = number};

    assert_int_equal(ctx->ops->put(ctx, scope, key, &value), PMIX_SUCCESS);
}

static void job_information(void **state)
{
    pmix_proc_t job = peer(PMIX_RANK_WILDCARD);
    pmix_value_t *value = NULL;

    (void) state;
    client_open("5.0.0", posted);
    assert_int_equal(px_client_get_local(px_session(ctx), &job, PMIX_JOB_SIZE, NULL, 0, &value),
                     PMIX_SUCCESS);
    assert_int_equal(value->data.uint32, 4);
    PMIx_Value_free(value, 1);
    assert_int_equal(px_client_get_local(px_session(ctx), &job, PMIX_PARENT_ID, NULL, 0, &value),
                     PMIX_ERR_NOT_FOUND);
    assert_int_equal(script_requests(), 0);
    client_close();
}

static void one_message_for_all_keys(void **state)
{
    pmix_value_t *value = NULL;
    pmix_proc_t one = peer(1);
    int number;

    (void) state;
    client_open("5.0.0", posted);
    assert_int_equal(px_client_get_local(px_session(ctx), &one, "first", NULL, 0, &value),
                     PMIX_ERR_WOULD_BLOCK);
    assert_int_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS);
    assert_int_equal(number, 11);
    assert_int_equal(px_client_get_local(px_session(ctx), &one, "second", NULL, 0, &value),
                     PMIX_SUCCESS);
    assert_int_equal(value->data.integer, 12);
    PMIx_Value_free(value, 1);
    assert_int_equal(script_requests(), 1);
    assert_int_equal(spec(1, "third", NULL, 0, &number), PMIX_ERR_NOT_FOUND);
    assert_int_equal(script_requests(), 2);
    client_close();
}

static void optional_asks_nobody(void **state)
{
    pmix_value_t *value = NULL;
    pmix_proc_t one = peer(1);
    pmix_info_t info;
    bool yes = true;

    (void) state;
    client_open("5.0.0", posted);
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    assert_int_equal(px_client_get_local(px_session(ctx), &one, "first", &info, 1, &value),
                     PMIX_ERR_NOT_FOUND);
    assert_int_equal(script_requests(), 0);
    client_close();
}

/* Two that want posted data of one process share a message; the third wants what the reply does not
 * bring. */
static void shared_message(void **state)
{
    static const char *const keys[] = {"first", "second", "third"};
    struct called called[3];
    struct px_buf reply = {0};
    pmix_proc_t one = peer(1);

    (void) state;
    client_open("5.0.0", silent);
    for (int i = 0; i < 3; i++) {
        called_init(&called[i]);
        assert_int_equal(get_nb(&one, keys[i], NULL, 0, &called[i]), PMIX_SUCCESS);
    }
    while (script_requests() == 0) {
    }
    assert_int_equal(script_requests(), 1);
    script_set(refusing);
    (void) px_pack_status(&reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    pack_posted(&reply, 1, 11, 12);
    script_send(script.tag, &reply);
    assert_int_equal(px_wait_for(&called[0].wait), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&called[1].wait), PMIX_SUCCESS);
    assert_int_equal(called[1].value.data.integer, 12);
    assert_int_equal(px_wait_for(&called[2].wait), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    assert_int_equal(script_requests(), 2);
    client_close();
}

static int resolve_status; /* with which the server ends a resolve call */

static bool resolving(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) command;
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, resolve_status);
    return true;
}

static void expect_resolve(const char *version, int status, int want, unsigned requests)
{
    struct px_reply reply = {0};

    resolve_status = status;
    client_open(version, resolving);
    assert_int_equal(ctx->ops->resolve(ctx, true, NULL, "job", &reply), want);
    assert_int_equal(reply.nprocs, 0);
    assert_int_equal(ctx->ops->resolve(ctx, false, NULL, "job", &reply), want);
    assert_int_equal(script_requests(), requests);
    assert_null(reply.procs);
    assert_null(reply.text);
    client_close();
}

/* A server that has no answer leaves it to what is known here, where the job has no nodes. One
 * before 5.0 is not asked. */
static void resolve_at_other_servers(void **state)
{
    (void) state;
    expect_resolve("4.2.2", PMIX_ERR_NO_PERMISSIONS, PMIX_SUCCESS, 0);
    expect_resolve("5.0.8", PMIX_ERR_INVALID_VAL, PMIX_SUCCESS, 2);
    expect_resolve("5.0.8", PMIX_ERR_NOT_FOUND, PMIX_SUCCESS, 2);
    expect_resolve("5.0.8", PMIX_ERR_NOT_SUPPORTED, PMIX_SUCCESS, 2);
    expect_resolve("5.0.8", PMIX_ERR_INVALID_NAMESPACE, PMIX_SUCCESS, 2);
    expect_resolve("5.0.8", PMIX_ERR_NO_PERMISSIONS, PMIX_ERR_NO_PERMISSIONS, 2);
    expect_resolve("5.0.8", PMIX_ERR_UNREACH, PMIX_ERR_UNREACH, 2);
}

static void bad_replies(void **state)
{
    int number;

    (void) state;
    client_open("5.0.0", rubbish);
    assert_int_not_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS);
    assert_int_not_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS);
    script_set(nameless);
    assert_int_equal(spec(1, "first", NULL, 0, &number), PMIX_ERR_UNPACK_FAILURE);
    script_set(posted);
    assert_int_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS);
    client_close();
}

static bool refreshed(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    pmix_value_t a = {.type = PMIX_INT, .data.integer = 21};
    pmix_value_t b = {.type = PMIX_INT, .data.integer = 22};

    if (command != PX_CMD_REFRESH_CACHE) {
        return posted(command, in, reply);
    }
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    (void) px_pack_kval(reply, PX_WIRE_PLAIN, "first", &a);
    (void) px_pack_kval(reply, PX_WIRE_PLAIN, "second", &b);
    return true;
}

static void refresh(void **state)
{
    pmix_info_t info;
    bool yes = true;
    int number;

    (void) state;
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    client_open("5.0.0", refreshed);
    assert_int_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS);
    assert_int_equal(number, 11);
    assert_int_equal(spec(1, "first", &info, 1, &number), PMIX_SUCCESS);
    assert_int_equal(number, 21);
    assert_int_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS);
    assert_int_equal(number, 21);
    assert_int_equal(spec(1, "second", NULL, 0, &number), PMIX_SUCCESS);
    assert_int_equal(number, 12); /* only the key that was asked for */
    assert_int_equal(spec(1, NULL, &info, 1, &number), PMIX_SUCCESS);
    assert_int_equal(spec(1, "second", NULL, 0, &number), PMIX_SUCCESS);
    assert_int_equal(number, 22);
    assert_int_equal(script_commands(PX_CMD_REFRESH_CACHE), 2);
    client_close();
    client_open("4.2.2", refreshed); /* knows no such command */
    assert_int_equal(spec(1, "first", &info, 1, &number), PMIX_SUCCESS);
    assert_int_equal(script_commands(PX_CMD_REFRESH_CACHE), 0);
    client_close();
}

static bool gone(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) command;
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_ERR_INVALID_NAMESPACE);
    return true;
}

/* What cannot be refreshed is not given from what was fetched before: the server's refusal, and its
 * loss, are told. */
static void refused_refresh(void **state)
{
    pmix_value_t *value = NULL;
    pmix_proc_t one = peer(1);
    pmix_info_t info;
    bool yes = true;
    int number;

    (void) state;
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    client_open("5.0.0", posted);
    put(PMIX_GLOBAL, "mine", 5);
    assert_int_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS);
    script_set(gone);
    assert_int_equal(spec(1, "first", &info, 1, &number), PMIX_ERR_INVALID_NAMESPACE);
    assert_int_equal(spec(1, NULL, &info, 1, &number), PMIX_ERR_INVALID_NAMESPACE);
    assert_int_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS); /* who does not ask */
    assert_int_equal(number, 11);
    assert_int_equal(spec(0, "mine", &info, 1, &number), PMIX_SUCCESS); /* nobody knows better */
    assert_int_equal(number, 5);
    script_hang_up();
    while (px_session_server(px_session(ctx)) != NULL) {
    }
    assert_int_equal(px_client_get_local(px_session(ctx), &one, "first", &info, 1, &value),
                     PMIX_ERR_WOULD_BLOCK);
    assert_int_equal(spec(1, "first", &info, 1, &number), PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(spec(1, NULL, &info, 1, &number), PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(spec(1, "first", NULL, 0, &number), PMIX_SUCCESS);
    client_close();
}

static unsigned n_blocks;
static unsigned n_keys[5]; /* by scope */

static bool count_commit(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    if (command == PX_CMD_COMMIT) {
        while (px_in_left(in) > 0) {
            pmix_scope_t scope = 0;
            struct px_in inner;
            pmix_value_t value;
            char *key;

            if (px_unpack_one(in, PMIX_SCOPE, &scope) != 0 ||
                px_unpack_buffer_view(in, &inner) != 0 || scope > 4) {
                return false;
            }
            n_blocks++;
            while (px_in_left(&inner) > 0 && px_unpack_kval(&inner, &key, &value) == 0) {
                n_keys[scope]++;
                free(key);
                PMIx_Value_destruct(&value);
            }
        }
    }
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    return true;
}

static void op_done(pmix_status_t status, void *cbdata)
{
    px_wait_done(cbdata, status);
}

/* The order of requests is kept, so what a fence's reply has overtaken has arrived. */
static void fence(void)
{
    struct px_wait wait;

    px_wait_init(&wait);
    assert_int_equal(script_fence(op_done, &wait), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&wait), PMIX_SUCCESS);
    script_settle();
}

static void commits(void **state)
{
    (void) state;
    n_blocks = 0;
    memset(n_keys, 0, sizeof(n_keys));
    client_open("5.0.0", count_commit);
    assert_int_equal(ctx->ops->commit(ctx),
                     PMIX_SUCCESS); /* the first is told, whatever it holds */
    fence();
    assert_int_equal(script_commands(PX_CMD_COMMIT), 1);
    put(PMIX_LOCAL, "l", 1);
    put(PMIX_REMOTE, "r", 1);
    put(PMIX_GLOBAL, "g", 1);
    put(PMIX_GLOBAL, "g", 2);
    put(PMIX_INTERNAL, "i", 1);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS);
    fence();
    assert_int_equal(n_blocks, 2);
    assert_int_equal(n_keys[PMIX_LOCAL], 2);
    assert_int_equal(n_keys[PMIX_REMOTE], 2);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS);
    put(PMIX_LOCAL, "l", 2);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS);
    fence();
    assert_int_equal(n_blocks, 3);
    assert_int_equal(n_keys[PMIX_LOCAL], 3);
    assert_int_equal(script_commands(PX_CMD_COMMIT), 3);
    client_close();
}

static uint32_t commit_tag;

/* What is answered comes later. */
static bool note_commit(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) in;
    (void) reply;
    commit_tag = command == PX_CMD_COMMIT ? script.tag : commit_tag;
    return false;
}

static void reply_status(uint32_t tag, pmix_status_t status)
{
    struct px_buf reply = {0};

    (void) px_pack_status(&reply, PX_WIRE_PLAIN, status);
    script_send(tag, &reply);
}

/* Nobody waits for the reply to a commit: a refusal is what the next fence or commit returns,
 * once. */
static void refused_commit(void **state)
{
    struct px_wait wait;
    pmix_status_t rc;

    (void) state;
    client_open("5.0.0", note_commit);
    put(PMIX_LOCAL, "l", 1);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS);
    px_wait_init(&wait);
    assert_int_equal(script_fence(op_done, &wait), PMIX_SUCCESS);
    while (script_commands(PX_CMD_FENCE) == 0) {
    }
    reply_status(commit_tag, PMIX_ERR_NO_PERMISSIONS);
    reply_status(script.tag, PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&wait), PMIX_ERR_NO_PERMISSIONS);
    put(PMIX_LOCAL, "l", 2);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS);
    while (script_commands(PX_CMD_COMMIT) == 1) {
    }
    reply_status(commit_tag, PMIX_ERR_NO_PERMISSIONS);
    do {
        rc = ctx->ops->commit(ctx);
    } while (rc == PMIX_SUCCESS); /* until the reply has come */
    assert_int_equal(rc, PMIX_ERR_NO_PERMISSIONS);
    assert_int_equal(ctx->ops->commit(ctx), PMIX_SUCCESS);
    client_close();
}

static struct px_wait seen;
static pmix_status_t seen_code; /* the first since wait_to_see */
static unsigned n_seen;

static void wait_to_see(void)
{
    n_seen = 0;
    px_wait_init(&seen);
}

static void see(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                size_t ninfo, pmix_info_t *results, size_t nresults,
                pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    bool first = n_seen++ == 0;

    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    seen_code = first ? status : seen_code;
    cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
    if (first) {
        px_wait_done(&seen, 0);
    }
}

static void add_default(void *arg)
{
    size_t id;

    (void) arg;
    if (px_events_add(ctx->events, NULL, 0, NULL, 0, see, &id) == 0) {
        px_events_ready(ctx->events, id);
    }
}

static void losing_the_server(void **state)
{
    pmix_proc_t job = peer(PMIX_RANK_WILDCARD);
    pmix_proc_t one = peer(1);
    pmix_value_t *value = NULL;
    struct px_reply reply = {0};
    struct called called;

    (void) state;
    client_open("5.0.0", silent);
    assert_int_equal(px_loop_run(ctx->loop, add_default, NULL), 0);
    wait_to_see();
    called_init(&called);
    assert_int_equal(get_nb(&one, "first", NULL, 0, &called), PMIX_SUCCESS);
    script_hang_up();
    assert_int_equal(px_wait_for(&called.wait), PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(px_wait_for(&seen), 0);
    assert_int_equal(seen_code, PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(px_client_get_local(px_session(ctx), &job, PMIX_JOB_SIZE, NULL, 0, &value),
                     PMIX_SUCCESS);
    PMIx_Value_free(value, 1);
    assert_int_equal(px_client_get_local(px_session(ctx), &one, "first", NULL, 0, &value),
                     PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(script_fence(op_done, &called), PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(ctx->ops->resolve(ctx, true, NULL, "other", &reply),
                     PMIX_ERR_INVALID_NAMESPACE);
    client_close();
}

static void pack_event(struct px_buf *buf, pmix_status_t code, pmix_rank_t source, bool live)
{
    pmix_data_range_t range = PMIX_RANGE_NAMESPACE;
    pmix_proc_t proc = peer(source);

    (void) px_pack_command(buf, PX_WIRE_PLAIN, PX_CMD_NOTIFY);
    (void) px_pack_status(buf, PX_WIRE_PLAIN, code);
    (void) px_pack(buf, PX_WIRE_PLAIN, PMIX_PROC, &proc, 1);
    (void) px_pack_infos(buf, PX_WIRE_PLAIN, NULL, 0);
    if (live) {
        (void) px_pack(buf, PX_WIRE_PLAIN, PMIX_DATA_RANGE, &range, 1);
    }
}

static void events_come_once(void **state)
{
    struct px_buf buf = {0};

    (void) state;
    client_open("5.0.0", silent);
    assert_int_equal(px_loop_run(ctx->loop, add_default, NULL), 0);
    wait_to_see();
    px_buf_append(&buf, "\x02", 1); /* no event at all */
    script_send(PX_TAG_NOTIFY, &buf);
    pack_event(&buf, -5001, 0, true); /* an echo of our own */
    script_send(PX_TAG_NOTIFY, &buf);
    pack_event(&buf, -5002, 1, true);
    script_send(PX_TAG_NOTIFY, &buf);
    assert_int_equal(px_wait_for(&seen), 0);
    assert_int_equal(seen_code, -5002);
    wait_to_see();
    pack_event(&buf, -5003, 0, false); /* a replay */
    script_send(PX_TAG_NOTIFY, &buf);
    assert_int_equal(px_wait_for(&seen), 0);
    assert_int_equal(seen_code, -5003);
    client_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_information),
        cmocka_unit_test(one_message_for_all_keys),
        cmocka_unit_test(optional_asks_nobody),
        cmocka_unit_test(shared_message),
        cmocka_unit_test(resolve_at_other_servers),
        cmocka_unit_test(bad_replies),
        cmocka_unit_test(refresh),
        cmocka_unit_test(commits),
        cmocka_unit_test(refused_commit),
        cmocka_unit_test(losing_the_server),
        cmocka_unit_test(events_come_once),
        cmocka_unit_test(refused_refresh),
    };

    return cmocka_run_group_tests_name("served", tests, limit_time, NULL);
}
