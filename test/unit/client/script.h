/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_CLIENT_SCRIPT_H
#define PX_TEST_UNIT_CLIENT_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/param.h"
#include "src/client/ops.h"
#include "src/client/session.h"
#include "src/event/registry.h"
#include "src/net/listener.h"
#include "src/wire/message.h"
#include "src/client/start.h"
#include "src/client/tool/tool.h"
#include "src/net/conn_write.h"
#include "src/net/pending_conn.h"
#include "src/request/schema.h"
#include "src/wire/messages.h"

/* A server that answers as a test tells it to: one client, on a loop of its own in this process. */

/* Makes the reply to one request; false: none, now or later by script_reply(). Server's loop
 * thread. */
typedef bool (*script_fn)(uint8_t command, struct px_in *in, struct px_buf *reply);

static struct {
    struct px_loop *loop;
    struct px_listeners *doors;
    struct px_conn *conn;
    script_fn fn;
    uint32_t tag;              /* of the last request */
    _Atomic unsigned requests; /* besides REQ and FINALIZE */
    _Atomic unsigned commands[64];
} script;

/* Makes the reply to REQ and returns the descriptor that rides on it (borrowed), or -1; NULL: job
 * information. Server's loop thread. */
static int (*script_req)(struct px_in *in, struct px_buf *reply);
static _Atomic bool script_withhold; /* REQ is not answered */
static _Atomic bool script_leaves;   /* the connection ends at FINALIZE, which is not answered */
/* Rides on the reply that a script_fn makes; borrowed. Server's loop thread. */
static int script_rider = -1;

static struct px_ctx *ctx;

static inline void script_job(struct px_buf *reply)
{
    pmix_value_t size = {.type = PMIX_UINT32, .data.uint32 = 4};
    pmix_value_t id = {.type = PMIX_STRING, .data.string = (char *) "id"};

    (void) px_pack_string(reply, PX_WIRE_PLAIN, "job");
    (void) px_pack_kval(reply, PX_WIRE_PLAIN, PMIX_JOB_SIZE, &size);
    (void) px_pack_kval(reply, PX_WIRE_PLAIN, PMIX_JOBID, &id);
}

static inline bool script_message(void *arg, uint32_t tag, const void *payload, size_t len, int fd)
{
    struct px_in in = px_in_make(payload, len, PX_WIRE_PLAIN);
    struct px_buf reply = {0};
    uint8_t command = 255;
    bool answer = true;
    int rider = -1;

    (void) arg;
    if (fd >= 0) {
        close(fd);
    }
    (void) px_unpack_command(&in, &command);
    if (command < 64) {
        script.commands[command]++;
    }
    if (command == PX_CMD_REQ && script_req != NULL) {
        rider = script_req(&in, &reply);
        answer = !script_withhold;
    } else if (command == PX_CMD_REQ) {
        script_job(&reply);
    } else if (command == PX_CMD_FINALIZE && script_leaves) {
        px_conn_destroy_loop(script.conn);
        script.conn = NULL;
        answer = false;
    } else if (command == PX_CMD_FINALIZE) {
        (void) px_pack_status(&reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    } else {
        script.requests++;
        script.tag = tag;
        answer = script.fn(command, &in, &reply);
        rider = script_rider;
        script_rider = -1;
    }
    if (answer) {
        (void) px_conn_send_take(script.conn, tag, &reply, rider);
    }
    px_buf_fini(&reply);
    return false;
}

static inline void script_closed(void *arg, int status)
{
    (void) arg;
    (void) status;
    px_conn_destroy_loop(script.conn);
    script.conn = NULL;
}

static const struct px_conn_ops script_conn_ops = {.message = script_message,
                                                   .closed = script_closed};

static inline void script_hello(void *arg, struct px_pending_conn *pending,
                                const struct px_handshake *handshake,
                                const struct px_peer_cred *who)
{
    (void) arg;
    (void) who;
    if (strcmp(handshake->proc.nspace, "job") != 0) {
        px_pending_conn_refuse(pending, PMIX_ERR_INVALID_CRED);
        return;
    }
    if (handshake->flag == PX_HANDSHAKE_TOOL) {
        pmix_proc_t server = {.nspace = "server", .rank = 0};

        (void) px_pending_conn_admit_tool(pending, NULL, &server, &script_conn_ops, NULL,
                                          &script.conn);
        return;
    }
    (void) px_pending_conn_admit(pending, 7, &script_conn_ops, NULL, &script.conn);
}

static inline void script_gone(void *arg, struct px_pending_conn *pending)
{
    (void) arg;
    (void) pending;
}

static const struct px_listener_ops script_door_ops = {script_hello, script_gone};

/* An unsolicited message, or a reply that the script held back. */
struct script_send {
    uint32_t tag;
    struct px_buf *payload;
};

static inline void script_send_loop(void *arg)
{
    struct script_send *send = arg;

    (void) px_conn_send_take(script.conn, send->tag, send->payload, -1);
}

static inline void script_send(uint32_t tag, struct px_buf *payload)
{
    struct script_send send = {tag, payload};

    assert_int_equal(px_loop_run(script.loop, script_send_loop, &send), 0);
}

static inline void script_hang_up_loop(void *arg)
{
    (void) arg;
    px_conn_destroy_loop(script.conn); /* takes NULL */
    script.conn = NULL;
}

static inline void script_hang_up(void)
{
    assert_int_equal(px_loop_run(script.loop, script_hang_up_loop, NULL), 0);
}

static inline void nothing_loop(void *arg)
{
    (void) arg;
}

/* What the server's thread has done so far is seen afterwards. */
static inline void script_settle(void)
{
    assert_int_equal(px_loop_run(script.loop, nothing_loop, NULL), 0);
}

struct script_count {
    uint8_t command; /* PX_CMD_, or 255: all requests */
    unsigned n;
};

static inline void count_loop(void *arg)
{
    struct script_count *count = arg;

    count->n = count->command < 64 ? script.commands[count->command] : script.requests;
}

/* How many of them the server has handled: what it did for the last one is seen afterwards. */
static inline unsigned script_commands(uint8_t command)
{
    struct script_count count = {.command = command};

    assert_int_equal(px_loop_run(script.loop, count_loop, &count), 0);
    return count.n;
}

static inline unsigned script_requests(void)
{
    return script_commands(255);
}

static inline void script_set_loop(void *arg)
{
    script.fn = *(script_fn *) arg;
}

static inline void script_set(script_fn fn)
{
    assert_int_equal(px_loop_run(script.loop, script_set_loop, &fn), 0);
}

static inline void script_open(void)
{
    struct px_listener_opts opts = {.use_unix = true, .max_msg = 1 << 20, .handshake_ms = 10000};
    char uri[256];

    memset(&script, 0, sizeof(script));
    assert_int_equal(px_loop_create(false, &script.loop), 0);
    assert_int_equal(px_listeners_open(script.loop, &opts, &script_door_ops, NULL, &script.doors),
                     0);
    snprintf(uri, sizeof(uri), "server.0;%s", px_listeners_unix(script.doors));
    setenv("PMIX_SERVER_URI41", uri, 1);
    setenv("PMIX_NAMESPACE", "job", 1);
    setenv("PMIX_RANK", "0", 1);
    unsetenv("PMIX_SHMIX_URI");
    unsetenv("PMIX_BFROP_BUFFER_TYPE");
}

/* The server, and a process without a role. */
static inline void process_open(const char *version, script_fn fn)
{
    script_open();
    script.fn = fn;
    setenv("PMIX_VERSION", version, 1);
    ctx = px_ctx();
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_loop_create(false, &ctx->loop), 0);
    ctx->events = px_events_create(ctx->loop, NULL, NULL);
    assert_non_null(ctx->events);
}

/* A tool of that server, which no server has started. The status of its start. */
static inline pmix_status_t tool_start(script_fn fn)
{
    char uri[256];
    pmix_info_t info[2];
    pmix_status_t rc;

    process_open("5.0.0", fn);
    snprintf(uri, sizeof(uri), "%s", getenv("PMIX_SERVER_URI41"));
    unsetenv("PMIX_SERVER_URI41");
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_RANK");
    PMIx_Info_load(&info[0], PMIX_SERVER_URI, uri, PMIX_STRING);
    PMIx_Info_load(&info[1], PMIX_TOOL_NSPACE, "job", PMIX_STRING);
    px_lock_take(&ctx->lock);
    rc = px_tool_start(ctx, info, 2);
    px_lock_give(&ctx->lock);
    PMIx_Info_destruct(&info[0]);
    PMIx_Info_destruct(&info[1]);
    return rc;
}

static inline void tool_open(script_fn fn)
{
    assert_int_equal(tool_start(fn), PMIX_SUCCESS);
}

/* A client of that server, which says it is of this version. */
static inline void client_open(const char *version, script_fn fn)
{
    process_open(version, fn);
    px_lock_take(&ctx->lock);
    assert_int_equal(px_client_start(ctx, NULL, 0), PMIX_SUCCESS);
    px_lock_give(&ctx->lock);
}

static inline void end_events(void *arg)
{
    px_events_destroy(arg);
}

/* The end of a process without a role, and of the server. */
static inline void process_close(void)
{
    struct px_events *events = ctx->events;

    assert_int_equal(px_loop_run(ctx->loop, end_events, events), 0);
    ctx->events = NULL;
    px_loop_destroy(ctx->loop);
    ctx->loop = NULL;
    script_hang_up();
    px_listeners_close(script.doors);
    px_loop_destroy(script.loop);
}

static inline void client_close(void)
{
    px_lock_take(&ctx->lock);
    assert_int_equal(px_session(ctx)->is_tool ? px_tool_stop(ctx) : px_client_stop(ctx, NULL, 0),
                     PMIX_SUCCESS);
    px_lock_give(&ctx->lock);
    process_close();
}

/* For cmocka_run_group_tests: the tests of a program have a minute together. */
static inline int limit_time(void **state)
{
    (void) state;
    alarm(60);
    return 0;
}

/* Waits for completions. */
struct called {
    struct px_wait wait;
    pmix_value_t value; /* a copy */
};

static inline void got_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    struct called *called = cbdata;

    if (value != NULL) {
        (void) PMIx_Value_xfer(&called->value, value);
    }
    px_wait_done(&called->wait, status);
}

/* Starts a non-blocking get of the client under test, which ends `called`. */
static inline pmix_status_t get_nb(const pmix_proc_t *proc, const char *key,
                                   const pmix_info_t *info, size_t ninfo, struct called *called)
{
    struct px_completion to = px_completion_of(&px_reply_value, (px_callback) got_value, called);

    return ctx->ops->get_nb(ctx, proc, key, info, ninfo, &to);
}

static inline void called_init(struct called *called)
{
    memset(called, 0, sizeof(*called));
    px_wait_init(&called->wait);
}

/* Starts a request that src/request describes; the callback is that of its reply type. */
static inline pmix_status_t script_request(const struct px_request *request,
                                           const struct px_coll_args *args, px_callback callback,
                                           void *cbdata)
{
    struct px_completion to = px_completion_of(request->reply, callback, cbdata);

    return ctx->ops->request(ctx, request, &args->head, &to);
}

/* A fence of the whole namespace. */
static inline pmix_status_t script_fence(pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_coll_args args = {.nprocs = 0};

    return script_request(&px_request_fence, &args, (px_callback) cbfunc, cbdata);
}

/* Set-up of a group: no end is a failure. */
static inline int script_limit(void **state)
{
    (void) state;
    alarm(120);
    return 0;
}

#endif
