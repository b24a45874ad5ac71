/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Life of a session: creation, connections to servers, goodbye and end. Servers and namespaces are
 * only ever added while the context is up, so that readers follow their lists without a lock; all
 * of them are freed at the end. The end has two steps: px_session_end waits for calls and readers
 * of other threads, then px_session_destroy frees. */

#include "session.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "query_cache.h"
#include "src/client/data/deletion.h"
#include "events.h"
#include "iof.h"
#include "src/base/epoch.h"
#include "src/base/param.h"
#include "src/base/quiet_write.h"
#include "src/base/version.h"
#include "src/net/dial.h"
#include "src/net/handshake.h"
#include "src/wire/message.h"
#include "src/client/data/facts.h"
#include "invitation.h"
#include "src/client/tool/primary.h"
#include "src/client/data/refresh.h"
#include "request.h"
#include "src/client/tool/tool_wait.h"
#include "src/event/chain.h"
#include "src/event/own_input.h"
#include "src/wire/messages.h"
#include "src/base/log.h"
#include "src/base/release.h"

/* How long a goodbye waits for the server's reply, and the release number of an unknown server,
 * which passes for newer than any. */
enum { GOODBYE_MS = 30000, VERSION_UNKNOWN = 255 };

/* Enters and leaves a critical section once, so that the starting thread has its reader slot before
 * its first get. */
struct px_session *px_session_create(struct px_ctx *ctx)
{
    struct px_session *session = calloc(1, sizeof(*session));
    const char *host = secure_getenv("PMIX_HOSTNAME");

    if (session == NULL) {
        return NULL;
    }
    session->ctx = ctx;
    session->self_private_rank = UINT64_MAX;
    session->report_fd = (int) px_param_int(PX_P_REPORT_FD);
    px_lock_init(&session->lock);
    px_uncommitted_init(&session->uncommitted);
    px_list_init(&session->fetches);
    px_list_init(&session->invites);
    px_list_init(&session->joins);
    px_list_init(&session->invited);
    px_list_init(&session->iof_handlers);
    px_list_init(&session->kept);
    px_proc_sets_init(&session->groups);
    px_list_init(&session->server_waits);
    if (host != NULL && host[0] != '\0') {
        snprintf(session->hostname, sizeof(session->hostname), "%s", host);
    } else if (gethostname(session->hostname, sizeof(session->hostname)) != 0) {
        session->hostname[0] = '\0';
    }
    session->hostname[sizeof(session->hostname) - 1] = '\0';
    px_reader_enter(); /* the thread that starts has its slot when it comes to read */
    px_reader_leave();
    return session;
}

void px_session_name(struct px_session *session, const char *nspace, pmix_rank_t rank)
{
    PMIx_Load_procid(&session->ctx->self, nspace, rank);
    px_space_name(&session->own, nspace);
    px_facts_name(session);
}

/* Each space is found by its name; the fast store is our own segment, with reads uncounted; our own
 * rank is marked as private once there is a private store. */
bool px_session_is_valid_locked(struct px_session *session)
{
    uint64_t self = session->self_private_rank;

    px_assert(px_lock_held(&session->lock));
    for (struct px_space *at = &session->own; at != NULL; at = px_space_next(at)) {
        if (!px_space_is_valid(at) || px_space_named(session, at->nspace) != at) {
            return false;
        }
    }
    return (session->fast_store == NULL ||
            (session->fast_store == px_session_shared(session) && session->report_fd < 0)) &&
           (self == UINT64_MAX || self == session->ctx->self.rank) &&
           (session->own.private_store == NULL || self != UINT64_MAX) &&
           (session->unmap_in_grace == NULL || session->unmap_pending != session->unmap_in_grace);
}

/* Frees what gets may have pointed to: local values, kept values, spaces, and stores that were
 * replaced before. Nobody reads any more. */
static void free_data(struct px_session *session)
{
    struct px_local_value *native = session->local_values;

    while (native != NULL) {
        struct px_local_value *next = native->next;

        free(native->key);
        free(native);
        native = next;
    }
    px_session_drop_kept(session);
    px_spaces_fini(session);
    px_space_list_free(session->kept_spaces);
    px_store_destroy(session->outgrown); /* and all that hang on it, as the next */
    px_store_destroy(session->unmap_pinned);
    px_store_destroy(session->unmap_in_grace);
    px_store_destroy(session->unmap_pending);
    px_release_wait();
}

void px_server_free(struct px_link_server *server)
{
    if (server != NULL) {
        px_told_fini(server);
        free(server);
    }
}

void px_servers_free(struct px_link_server **list)
{
    while (*list != NULL) {
        struct px_link_server *server = *list;

        *list = server->former;
        px_link_close_loop(server->link);
        px_server_free(server);
    }
}

/* px_servers_free of the former ones, for px_loop_run. */
static void free_rest(void *arg)
{
    struct px_session *session = arg;

    px_servers_free(&session->former);
}

/* Links are closed before any server is freed: their callbacks use the server. */
void px_session_destroy(struct px_session *session)
{
    struct px_link_server *server;
    struct px_link_server *next;

    if (session == NULL) {
        return;
    }
    px_store_ptr_release(&session->primary, NULL); /* pairs with px_session_server */
    if (session->former != NULL) {
        (void) px_loop_run(session->ctx->loop, free_rest, session);
    }
    for (server = session->servers; server != NULL; server = server->next) {
        px_store_release(&server->lost, 1); /* the end that follows is ours. pairs with link_lost */
        px_link_close(server->link);
    }
    for (server = session->servers; server != NULL; server = next) {
        next = server->next;
        px_server_free(server);
    }
    px_server_facts_free(session->server_facts);
    px_query_cache_fini(&session->queries);
    px_map_fini(&session->fetched);
    px_uncommitted_fini(&session->uncommitted);
    px_invitations_fini(session);
    px_iof_handlers_fini(session);
    px_proc_sets_clear(&session->groups);
    free_data(session);
    px_lock_fini(&session->lock);
    free(session->server_tmpdir);
    free(session->system_tmpdir);
    free(session);
}

static struct px_session no_session = {.ctx = &px_the_context};
void *px_session_readable = &no_session;

void px_session_open_reads(struct px_session *session)
{
    px_assert(px_lock_held(&session->ctx->lock));
    px_store_ptr_release(&px_session_readable, session); /* pairs with px_session_visited */
}

bool px_session_await_readers(const struct px_reader *waiting)
{
    bool known = px_grace_begin(waiting);

    while (known && !px_grace_over()) {
        (void) sched_yield();
    }
    return known;
}

/* The wait of a finalize for the readers. On the stack of the finalizing thread. */
struct last_readers {
    const struct px_reader *waiting; /* the finalizing thread's slot */
    bool over;
};

/* For px_loop_run. */
static void await_last_readers(void *arg)
{
    struct last_readers *last = arg;

    last->over = px_session_await_readers(last->waiting);
}

/* The order matters: servers are marked lost, so that no event tells of it; pending calls are
 * answered; threads leave; then the fast path loses the session, and after a grace period it is
 * freed. */
void px_session_end(struct px_session *session)
{
    struct px_ctx *ctx = session->ctx;
    struct px_link_server *server;
    struct last_readers last = {.waiting = px_reader_self};

    px_assert(px_lock_held(&ctx->lock) && !px_loop_inside(ctx->loop));
    for (server = px_server_first(session); server != NULL; server = px_server_next(server)) {
        px_store_release(&server->lost, 1); /* the end that follows is ours. pairs with link_lost */
        px_link_shut(server->link);
    }
    px_invitations_fini(session);
    px_tool_wait_fini(session);
    if (!px_ctx_drain(ctx)) {
        return;
    }
    px_input_stop(ctx);
    px_store_ptr_release(&px_session_readable, &no_session); /* pairs with px_session_visited */
    (void) px_loop_run(ctx->loop, await_last_readers, &last);
    ctx->role = NULL;
    ctx->ops = NULL;
    if (last.over) {
        px_session_destroy(session);
    }
}

/* A message of the server that is no reply: an event, output, or a deletion; others are ignored.
 * Loop thread; for px_link_ops. */
static void link_notice(void *arg, uint32_t tag, struct px_in *in)
{
    struct px_link_server *server = arg;

    px_assert(px_loop_inside(server->session->ctx->loop));
    server->session->speaker = server;
    if (tag == PX_TAG_NOTIFY) {
        px_client_event_in(server->session, in);
    } else if (tag == PX_TAG_IOF) {
        px_client_iof_in(server, in);
    } else if (tag == PX_TAG_DELETED) {
        px_client_deleted_in(server->session, in);
    }
}

/* True if any server is connected. */
static bool has_server_locked(const struct px_session *session)
{
    const struct px_link_server *at = px_server_first(session);

    px_assert(px_lock_held(&session->lock));
    while (at != NULL && px_load_acquire(&at->lost) != 0) { /* pairs with link_lost */
        at = px_server_next(at);
    }
    return at != NULL;
}

/* The connection has ended. Unless that was noted before (end of a goodbye, or of the session),
 * marks the server lost; unless this process takes its leave, the application is told by the event
 * PMIX_ERR_LOST_CONNECTION. With the primary server, over which they go, or the last one,
 * invitations end. Loop thread; for px_link_ops. */
static void link_lost(void *arg)
{
    struct px_link_server *server = arg;
    struct px_session *session = server->session;
    bool served;

    px_assert(px_loop_inside(session->ctx->loop));
    if (px_load_acquire(&server->lost) != 0) { /* pairs with px_session_goodbye */
        return;
    }
    px_log(PX_LOG_NET, 1, "the connection to %s:%u is lost", server->proc.nspace,
           server->proc.rank);
    px_store_release(&server->lost, 1); /* pairs with px_session_server */
    px_session_forget_lost(session);
    if (px_load_acquire(&server->leaving) == 0) { /* pairs with px_session_goodbye */
        px_events_raise(session->ctx->events, PMIX_ERR_LOST_CONNECTION, &server->proc, NULL);
    }
    px_lock_take(&session->lock);
    served = has_server_locked(session) && session->primary != server;
    px_lock_give(&session->lock);
    if (!served) {
        px_invitations_lost(session);
    }
}

/* What the link of a server calls, on the loop thread. */
static const struct px_link_ops link_ops = {
    .notice = link_notice, .lost = link_lost, .reply = px_session_reply};

/* Sets a server's release; parts that the text does not have stay unknown. */
static void set_version(struct px_link_server *server, const char *version)
{
    for (int i = 0; i < 3; i++) {
        server->version[i] = VERSION_UNKNOWN;
    }
    if (version != NULL) {
        px_version_read(version, server->version);
    }
}

/* The server is complete before it is in the list, which is read without the lock. */
int px_session_attach(struct px_session *session, const struct px_dialed *dialed,
                      enum px_wire_kind kind, const struct px_server_known *known,
                      struct px_link_server **ret)
{
    struct px_link_server *server = calloc(1, sizeof(*server));
    int rc = server != NULL ? px_facts_server(session, known->uri, &server->facts) : PMIX_ERR_NOMEM;

    if (rc != 0) {
        close(dialed->fd);
        px_server_free(server);
        return rc;
    }
    server->session = session;
    server->proc = dialed->server;
    server->maps = px_handshake_names(known->stores, PX_GDS_SHARED);
    server->ours = server->maps || px_handshake_names(known->stores, PX_GDS_OURS);
    set_version(server, known->version);
    rc = px_link_open(session->ctx->loop, dialed->fd, dialed->index, kind, &link_ops, server,
                      &server->link);
    if (rc != 0) {
        px_server_free(server);
        return rc;
    }
    px_lock_take(&session->lock);
    px_server_reuse_locked(session, server);
    if (!has_server_locked(session)) {
        px_session_set_primary_locked(session, server);
    }
    server->next = session->servers;
    px_store_ptr_release(&session->servers, server); /* pairs with px_server_first */
    px_lock_give(&session->lock);
    if (session->is_tool) {
        (void) px_loop_run(session->ctx->loop, px_session_forget_lost, session);
    }
    *ret = server;
    return 0;
}

bool px_server_at_least(const struct px_link_server *server, unsigned major, unsigned minor,
                        unsigned release)
{
    const unsigned request[3] = {major, minor, release};

    for (int i = 0; i < 3; i++) {
        if (server->version[i] != request[i]) {
            return server->version[i] > request[i];
        }
    }
    return true;
}

/* A forked child has no progress thread, hence no server. */
struct px_link_server *px_session_server(struct px_session *session)
{
    /* pairs with px_session_set_primary_locked */
    struct px_link_server *server = px_load_ptr_acquire(&session->primary);

    /* pairs with link_lost */
    if (server == NULL || px_load_acquire(&server->lost) != 0 ||
        !px_loop_alive(session->ctx->loop)) {
        return NULL;
    }
    return server;
}

bool px_session_gets_segments(struct px_session *session)
{
    const struct px_link_server *server = px_session_server(session);

    return session->is_tool ? server != NULL && server->maps : px_session_shared(session) != NULL;
}

enum px_wire_kind px_server_kind(const struct px_link_server *server)
{
    return px_link_kind(server->link);
}

/* Ends the wait of px_session_goodbye with the status of the reply. Loop thread. */
static void goodbye_reply(void *arg, int status, struct px_in *reply)
{
    px_wait_done(arg, px_reply_status(status, reply));
}

/* The end of the connection may be noticed before this thread has woken: `leaving` is set before
 * anything is sent, so that it raises no event. */
pmix_status_t px_session_goodbye(struct px_session *session, struct px_link_server *server)
{
    struct px_buf buf = {0};
    struct px_wait wait;
    int rc;

    if (px_load_acquire(&server->lost) != 0) { /* pairs with link_lost */
        return PMIX_SUCCESS;                   /* the connection is lost already */
    }
    px_store_release(&server->leaving, 1); /* pairs with link_lost */
    (void) px_pack_command(&buf, px_server_kind(server), PX_CMD_FINALIZE);
    px_wait_init(&wait);
    rc = px_link_request_take(server->link, &buf, GOODBYE_MS, goodbye_reply, &wait);
    rc = px_ctx_await(session->ctx, &wait, rc);
    /* the connection is of no use any more. pairs with link_lost */
    px_store_release(&server->lost, 1);
    return rc == PMIX_ERR_LOST_CONNECTION ? PMIX_SUCCESS : rc; /* lost meanwhile: as above */
}

/* For tests and measurements. Written in one call, so that the lines of several processes do not
 * mix. */
void px_session_report(struct px_session *session)
{
    /* pairs with px_session_set_primary_locked */
    struct px_link_server *server = px_load_ptr_acquire(&session->primary);
    uint64_t sent = 0;
    uint64_t received = 0;
    struct px_store_info segment = {0};
    char line[PMIX_MAX_NSLEN + 128];
    int len;

    if (session->report_fd < 0) {
        return;
    }
    if (server != NULL) {
        px_link_counts(server->link, &sent, &received);
    }
    if (px_session_shared(session) != NULL) {
        px_store_info(px_session_shared(session), &segment);
    }
    len = snprintf(line, sizeof(line), "%s %u %llu %llu %llu %llu\n", session->ctx->self.nspace,
                   session->ctx->self.rank, (unsigned long long) px_load_relaxed(&session->n_reads),
                   (unsigned long long) sent, (unsigned long long) received,
                   (unsigned long long) segment.used_bytes);
    if (px_quiet_write(session->report_fd, line, (size_t) len) != len) {
        return; /* the reader of the report has closed it */
    }
}
