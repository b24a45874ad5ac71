/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Waits for connections are in a list that only the loop thread uses: a wait that begins looks for
 * its server there, and each new server is followed by a look through the list. So a server that is
 * attached beside it is not missed. */

#include "tool_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmix_tool.h>

#include "src/base/number.h"
#include "src/event/chain.h"
#include "src/event/registry.h"
#include "src/value/directives.h"
#include "src/value/procs.h"

/* ---- a server that is not connected yet */

struct px_link_server *px_tool_find_server(const struct px_session *session,
                                           const pmix_proc_t *server)
{
    for (struct px_link_server *at = px_server_first(session); at != NULL;
         at = px_server_next(at)) {
        /* pairs with link_lost */
        if (px_load_acquire(&at->lost) == 0 && px_proc_equal(&at->proc, server)) {
            return at;
        }
    }
    return NULL;
}

/* One call that waits; on its stack. Loop thread, except `wait`. */
struct server_wait {
    struct px_list link;
    struct px_session *session;
    const pmix_proc_t *server;
    uint64_t timeout_ms; /* 0: none */
    struct px_timer timer;
    struct px_wait wait;
};

/* Takes a wait out of the list and ends it. The caller of px_tool_await may be gone afterwards. */
static void end_wait(struct server_wait *wait, int status)
{
    px_list_remove(&wait->link);
    px_timer_stop_loop(&wait->timer);
    px_wait_done(&wait->wait, status);
}

static void wait_expired(struct px_timer *timer)
{
    end_wait(px_container_of(timer, struct server_wait, timer), PMIX_ERR_TIMEOUT);
}

/* Begins a wait, or ends it at once if its server is connected, or if the context goes down: then
 * px_tool_wait_fini may have ended the others already. For px_loop_run. */
static void begin_wait(void *arg)
{
    struct server_wait *wait = arg;
    struct px_session *session = wait->session;

    px_assert(px_loop_inside(session->ctx->loop));
    px_list_append(&session->server_waits, &wait->link);
    if (px_tool_find_server(session, wait->server) != NULL) {
        end_wait(wait, PMIX_SUCCESS);
    } else if (px_ctx_peek() == NULL) {
        end_wait(wait, PMIX_ERR_LOST_CONNECTION);
    } else if (wait->timeout_ms > 0) {
        px_timer_start_loop(session->ctx->loop, &wait->timer, wait->timeout_ms, wait_expired);
    }
}

pmix_status_t px_tool_await(struct px_session *session, const pmix_proc_t *server, uint32_t seconds)
{
    struct server_wait wait = {.session = session, .server = server};

    if (seconds != PX_NOT_GIVEN) {
        wait.timeout_ms = (uint64_t) seconds * 1000;
    }
    px_list_init(&wait.link);
    px_wait_init(&wait.wait);
    (void) px_loop_run(session->ctx->loop, begin_wait,
                       &wait); /* the caller may block: it is alive */
    return px_ctx_wait(session->ctx, &wait.wait);
}

/* Ends the waits for servers that are connected. For px_loop_run. */
static void look_at_waits(void *arg)
{
    struct px_session *session = arg;

    px_assert(px_loop_inside(session->ctx->loop));
    px_list_for(struct server_wait, wait, &session->server_waits, link) {
        if (px_tool_find_server(session, wait->server) != NULL) {
            end_wait(wait, PMIX_SUCCESS);
        }
    }
}

void px_tool_attached(struct px_session *session)
{
    (void) px_loop_run(session->ctx->loop, look_at_waits, session);
}

/* ---- the process that started this one */

/* The pipe has something to read, or its other end is closed. */
static void pipe_ready(struct px_io *io, int what)
{
    struct px_session *session = px_container_of(io, struct px_session, keepalive);
    struct px_ctx *ctx = session->ctx;
    pmix_info_t info;
    struct px_event event = {.code = PMIX_EVENT_JOB_END,
                             .source = ctx->self,
                             .range = PMIX_RANGE_PROC_LOCAL,
                             .info = &info,
                             .ninfo = 1};
    char bytes[64];
    ssize_t n = read(io->fd, bytes, sizeof(bytes));

    (void) what;
    if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) {
        return; /* what it writes has no meaning */
    }
    px_io_stop_loop(io);
    if (PMIx_Info_load(&info, PMIX_EVENT_NON_DEFAULT, NULL, PMIX_BOOL) == PMIX_SUCCESS &&
        ctx->events != NULL) {
        (void) px_events_deliver(ctx->events, &event, NULL, NULL); /* no memory: it is lost */
        PMIx_Info_destruct(&info);
    }
}

/* For px_loop_run. Without memory the pipe is not watched. */
static void begin_watch(void *arg)
{
    struct px_session *session = arg;

    px_assert(px_loop_inside(session->ctx->loop));
    (void) px_io_start_loop(session->ctx->loop, &session->keepalive, session->keepalive.fd,
                            PX_IO_READ, pipe_ready);
}

void px_tool_watch_parent(struct px_session *session)
{
    const char *text = secure_getenv(PMIX_KEEPALIVE_PIPE);
    uint64_t fd = 0;

    if (text == NULL) {
        return;
    }
    if (px_number_read(text, INT32_MAX, &fd) != NULL && fcntl((int) fd, F_SETFD, FD_CLOEXEC) == 0) {
        session->keepalive.fd = (int) fd;
        (void) px_loop_run(session->ctx->loop, begin_watch, session);
    }
    (void) unsetenv(PMIX_KEEPALIVE_PIPE);
}

/* For px_loop_run. */
static void end_all(void *arg)
{
    struct px_session *session = arg;

    px_assert(px_loop_inside(session->ctx->loop));
    px_io_stop_loop(&session->keepalive);
    while (!px_list_empty(&session->server_waits)) {
        end_wait(px_container_of(session->server_waits.next, struct server_wait, link),
                 PMIX_ERR_LOST_CONNECTION);
    }
}

void px_tool_wait_fini(struct px_session *session)
{
    (void) px_loop_run(session->ctx->loop, end_all, session);
}
