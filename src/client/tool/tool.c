/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The tool role. A tool is a client that finds its servers itself and may have several: one is
 * primary, and requests go there. Over the AF_UNIX socket of a server of this library it gets the
 * segments of the namespaces that it asks about, as a client gets those of other namespaces; what
 * comes from others comes by messages. Calls come in threads of the application, which may wait
 * for a connection; the loop thread delivers what the servers send. */

#include "tool.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/log.h"
#include "src/base/param.h"
#include "src/client/events.h"
#include "src/client/invitation.h"
#include "src/client/iof.h"
#include "src/client/ops.h"
#include "src/client/session.h"
#include "src/discovery/tool_discovery.h"
#include "src/value/directives.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/net/dial.h"
#include "src/wire/message.h"
#include "former.h"
#include "primary.h"
#include "src/client/singleton.h"
#include "src/client/start.h"
#include "tool_wait.h"
#include "src/net/auth.h"
#include "src/net/uri.h"
#include "src/wire/messages.h"

/* Room for a credential, in bytes. */
enum { CRED_ROOM = 4096 };

/* True if a server started this process as one of a job, which may have others. */
static bool is_launched(const struct px_session *session)
{
    const char *nspace = secure_getenv("PMIX_NAMESPACE");

    return nspace != NULL && secure_getenv("PMIX_RANK") != NULL &&
           strcmp(nspace, session->ctx->self.nspace) == 0;
}

/* Fills the handshake: as a tool or launcher that has a name, as one that needs one from the
 * server, or as a client that is a tool too (the name is that of the environment). */
static void introduce(const struct px_session *session, struct px_handshake *handshake)
{
    static const enum px_handshake_flag flags[2][3] = {
        {PX_HANDSHAKE_TOOL_NEEDS_ID, PX_HANDSHAKE_TOOL, PX_HANDSHAKE_CLIENT_TOOL},
        {PX_HANDSHAKE_LAUNCHER_NEEDS_ID, PX_HANDSHAKE_LAUNCHER, PX_HANDSHAKE_CLIENT_LAUNCHER},
    };
    bool named = session->ctx->self.nspace[0] != '\0';

    handshake->kind = PX_WIRE_PLAIN;
    handshake->uid = (uint32_t) geteuid();
    handshake->gid = (uint32_t) getegid();
    handshake->flag = flags[session->is_launcher][named ? 1 + is_launched(session) : 0];
    handshake->proc = session->ctx->self;
    snprintf(handshake->version, sizeof(handshake->version), "%s", PX_WIRE_VERSION);
    snprintf(handshake->bfrops, sizeof(handshake->bfrops), "%s", PX_WIRE_MODULE);
}

/* The stores to be asked for over this contact string. Servers of this library alone have an
 * AF_UNIX socket, and pass segments there. */
static const char *stores_over(const char *uri)
{
    if (strstr(uri, ";unix://") == NULL) {
        return PX_GDS_MESSAGES;
    }
    return px_client_wants_segment() && px_param_bool(PX_P_TOOL_SEGMENTS)
               ? PX_GDS_SHARED "," PX_GDS_MESSAGES
               : PX_GDS_MESSAGES "," PX_GDS_OURS;
}

/* Packs our process id for the handshake, and what is to be forwarded to us, for the host. A server
 * that is reached over TCP cannot learn the process from the socket, and asks the kernel about it.
 * 0 or PMIX_ERR_NOMEM. */
static int pack_self(const struct px_tool_directives *directives, enum px_wire_kind kind,
                     struct px_buf *blob)
{
    pid_t pid = getpid();
    pmix_info_t *info = NULL;
    size_t n = 0;
    int rc = px_infos_append(&info, &n, PMIX_PROC_PID, &pid, PMIX_PID);

    for (size_t i = 0; i < 3 && rc == 0; i++) {
        if (directives->forward[i] != NULL) {
            rc = px_infos_append_copy(&info, &n, directives->forward[i]);
        }
    }
    rc = rc == 0 ? px_pack_infos(blob, kind, info, n) : rc;
    PMIx_Info_free(info, n);
    return rc == 0 ? 0 : PMIX_ERR_NOMEM;
}

/* One attempt to connect: the session, the caller's directives, and a server that was found. */
struct attempt {
    struct px_session *session;
    const struct px_tool_directives *directives;
    const struct px_server_candidate *found;
};

/* Connects to one candidate by one of its contact strings. *ret_stores: what it was asked for.
 * Statuses as px_credential and px_dial. */
static int dial(const struct attempt *attempt, const char *uri, struct px_dialed *ret,
                const char **ret_stores)
{
    const struct px_trust trust = {.uid = (uid_t) -1, .named = attempt->found->named};
    struct px_handshake handshake = {0};
    struct px_buf blob = {0};
    unsigned char cred[CRED_ROOM];
    int rc;

    introduce(attempt->session, &handshake);
    *ret_stores = stores_over(uri);
    snprintf(handshake.gds, sizeof(handshake.gds), "%s", *ret_stores);
    rc = pack_self(attempt->directives, handshake.kind, &blob);
    handshake.blob = blob.data;
    handshake.blob_len = blob.len;
    rc = rc != 0 ? rc : px_credential(NULL, &handshake, cred, sizeof(cred));
    rc = rc != 0 ? rc
                 : px_dial(uri, &handshake, (unsigned) px_param_int(PX_P_CONNECT_WAIT) * 1000,
                           &trust, ret);
    px_buf_fini(&blob);
    return rc;
}

/* Connects to one candidate: by its AF_UNIX socket, where the kernel says who each of us is, or
 * else by TCP. Statuses as dial. */
static int dial_either(const struct attempt *attempt, struct px_dialed *ret,
                       const char **ret_stores)
{
    const struct px_server_candidate *found = attempt->found;
    int rc = found->local_uri[0] != '\0' ? dial(attempt, found->local_uri, ret, ret_stores)
                                         : PMIX_ERR_UNREACH;

    /* in a container, for one, there is no such socket */
    return rc == PMIX_ERR_UNREACH || rc == PMIX_ERR_BAD_PARAM
               ? dial(attempt, found->uri, ret, ret_stores)
               : rc;
}

/* True if a server is that of this process, a launcher, which finds its own files, too. */
static bool is_ourselves(const struct px_session *session, const pmix_proc_t *server)
{
    return session->is_launcher && px_proc_equal(server, &session->ctx->self);
}

/* Connects to one candidate and adds it to the session; takes the name that the server assigns, if
 * we have none. PMIX_ERR_EXISTS with *ret: the server is connected already. PMIX_ERR_UNREACH:
 * another server answers there by now. Else as dial and px_session_attach. */
static int connect_one(const struct attempt *attempt, struct px_link_server **ret)
{
    struct px_session *session = attempt->session;
    const struct px_server_candidate *found = attempt->found;
    struct px_dialed dialed = {.fd = -1};
    struct px_server_known known;
    const char *stores = NULL;
    pmix_proc_t server;
    int rc = px_uri_server(found->uri, &server);

    if (rc != 0) {
        return rc;
    }
    if (is_ourselves(session, &server)) {
        return PMIX_ERR_UNREACH;
    }
    *ret = px_tool_find_server(session, &server);
    if (*ret != NULL) {
        return PMIX_ERR_EXISTS;
    }
    rc = dial_either(attempt, &dialed, &stores);
    if (rc != 0) {
        return rc;
    }
    if (PMIx_Nspace_invalid(dialed.server.nspace)) {
        dialed.server = server;
    } else if (!px_proc_equal(&dialed.server, &server)) {
        close(dialed.fd); /* another one has taken its place */
        return PMIX_ERR_UNREACH;
    }
    if (PMIx_Nspace_invalid(session->ctx->self.nspace)) {
        px_session_name(session, dialed.assigned.nspace, dialed.assigned.rank);
    }
    known = (struct px_server_known){.uri = found->uri,
                                     .stores = stores,
                                     .version = found->version[0] != '\0' ? found->version : NULL};
    rc = px_session_attach(session, &dialed, PX_WIRE_PLAIN, &known, ret);
    if (rc == 0) {
        session->unnamed = false; /* a server knows the name */
        px_tool_attached(session);
    }
    return rc;
}

/* Sleeps between two attempts, as long as the caller's PMIX_CONNECT_RETRY_DELAY says, at most an
 * hour. */
static void pause_for(uint32_t seconds)
{
    (void) poll(NULL, 0, (int) (seconds > 3600 ? 3600 : seconds) * 1000);
}

/* True if a search has found several servers that are not connected yet, and the user has not
 * allowed that any of them is taken. */
static bool is_ambiguous(const struct px_session *session, const struct px_server_candidate *found,
                         size_t n)
{
    size_t fresh = 0;

    for (size_t i = 0; i < n; i++) {
        pmix_proc_t server;

        if (found[i].searched && px_uri_server(found[i].uri, &server) == 0 &&
            px_tool_find_server(session, &server) == NULL && !is_ourselves(session, &server)) {
            fresh++;
        }
    }
    return fresh > 1 && !px_param_bool(PX_P_TOOL_TRY_ALL);
}

/* Looks for servers once, and connects to the first that accepts. A failure of one that was named
 * is final. PMIX_ERR_BAD_PARAM: ambiguous; PMIX_ERR_UNREACH: none; else as px_tool_find and
 * connect_one. */
static int connect_found(struct px_session *session, const struct px_tool_directives *directives,
                         struct px_link_server **ret)
{
    struct px_server_candidate *found = calloc(PX_SERVER_CANDIDATES_MAX, sizeof(*found));
    bool named = false;
    size_t n = 0;
    int rc;

    if (found == NULL) {
        return PMIX_ERR_NOMEM;
    }
    rc = px_tool_find(directives, session->hostname, found, PX_SERVER_CANDIDATES_MAX, &n, &named);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (found[i].searched && is_ambiguous(session, found, n)) {
            px_log(PX_LOG_CLIENT, 1,
                   "several servers were found, %s and others: name one, or set %s", found[i].uri,
                   "shmix_tool_try_all");
            rc = PMIX_ERR_BAD_PARAM;
            break;
        }
        rc = connect_one(&(struct attempt){session, directives, &found[i]}, ret);
        if (rc == 0 || named) {
            break;
        }
        rc = i + 1 < n ? 0 : PMIX_ERR_UNREACH;
    }
    free(found);
    return rc;
}

/* connect_found, repeated as often as the directives say while no server can be reached. */
static int connect_patiently(struct px_session *session,
                             const struct px_tool_directives *directives,
                             struct px_link_server **ret)
{
    int rc = connect_found(session, directives, ret);

    for (uint32_t i = 0; i < directives->retries && rc == PMIX_ERR_UNREACH; i++) {
        pause_for(directives->delay);
        rc = connect_found(session, directives, ret);
    }
    return rc;
}

/* Connects to a server that the directives name, or to the system server if it is to be tried
 * first, with as many attempts as they say; else to one that a search finds at once. Statuses as
 * connect_found. */
static int connect_by_directives(struct px_session *session,
                                 const struct px_tool_directives *directives,
                                 struct px_link_server **ret)
{
    struct px_tool_directives system = *directives;

    if (px_tool_is_directed(directives)) {
        return connect_patiently(session, directives, ret);
    }
    system.system_only = true;
    if (directives->system_first && connect_patiently(session, &system, ret) == 0) {
        return 0;
    }
    return connect_found(session, directives, ret);
}

/* Sets our own name: of the directives, of the environment, or empty until a server assigns one. */
static void name_self(struct px_session *session, const struct px_tool_directives *directives)
{
    pmix_proc_t self;

    if (directives->own_nspace != NULL) {
        px_session_name(session, directives->own_nspace, directives->own_rank);
    } else if (px_client_name_given(&self)) {
        px_session_name(session, self.nspace, self.rank);
    } else {
        px_session_name(session, "", PMIX_RANK_UNDEF);
    }
}

/* Completes what the tool knows of itself when it starts. Without a server it takes a name of its
 * own if it has none, which it keeps when it connects later. Unless it is of a job, or its server
 * has described it, it is alone in its namespace. Statuses as px_singleton_describe. */
static int know_self(struct px_session *session)
{
    if (session->ctx->self.nspace[0] == '\0') {
        px_singleton_name(session, "tool");
        session->unnamed = true;
    }
    return is_launched(session) || px_space_private_peek(&session->own) != NULL ||
                   px_session_shared(session) != NULL
               ? 0
               : px_singleton_describe(session);
}

/* Registers at the primary server what this process has registered at others. For px_loop_run. */
static void register_again(void *arg)
{
    struct px_link_server *server = arg;

    px_assert(px_loop_inside(server->session->ctx->loop));
    (void) px_client_repeat_codes(server); /* no memory, or lost: events of others do not come */
    px_client_iof_repeat(server);
}

/* Makes a server the primary one: requests go there, and the event codes that are registered
 * already are registered there too, as is output of servers that are gone. */
static void make_primary(struct px_session *session, struct px_link_server *server)
{
    px_lock_take(&session->lock);
    px_session_set_primary_locked(session, server);
    px_lock_give(&session->lock);
    (void) px_loop_run(session->ctx->loop, px_session_forget_lost, session);
    (void) px_loop_run(session->ctx->loop, register_again, server);
}

/* Keeps what the directives of PMIx_tool_init say for later calls. 0 or PMIX_ERR_NOMEM. */
static int keep_directives(struct px_session *session, const struct px_tool_directives *directives)
{
    session->server_tmpdir = strdup(directives->server_tmpdir);
    session->system_tmpdir = strdup(directives->system_tmpdir);
    return session->server_tmpdir != NULL && session->system_tmpdir != NULL ? 0 : PMIX_ERR_NOMEM;
}

/* The connections of a tool that starts: to its own server, and back to the tool that started it as
 * a launcher (PMIX_LAUNCHER_RNDZ_URI), which is the primary server only if there is no other. The
 * variable is not for the children of this process. Statuses as connect_by_directives. */
static int connect_first(struct px_session *session, const struct px_tool_directives *directives,
                         struct px_link_server **ret)
{
    struct px_tool_directives back = {.retries = directives->retries, .delay = directives->delay};
    struct px_link_server *parent = NULL;
    int rc = connect_by_directives(session, directives, ret);

    back.uri = secure_getenv(PMIX_LAUNCHER_RNDZ_URI);
    if (back.uri == NULL || back.uri[0] == '\0') {
        return rc;
    }
    if (connect_patiently(session, &back, &parent) == 0 && rc != 0 &&
        !px_tool_is_directed(directives)) {
        *ret = parent;
        rc = 0;
    }
    (void) unsetenv(PMIX_LAUNCHER_RNDZ_URI);
    return rc;
}

/* A connection that is optional may fail; one that was made and then gives no job information is an
 * error in any case. */
pmix_status_t px_tool_start(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    struct px_session *session;
    struct px_link_server *server = NULL;
    struct px_tool_directives directives;
    int rc = px_tool_directives_read(info, ninfo, &directives);

    px_assert(px_lock_held(&ctx->lock));
    if (rc != 0) {
        return rc;
    }
    session = px_session_create(ctx);
    if (session == NULL) {
        return PMIX_ERR_NOMEM;
    }
    session->is_tool = true;
    session->is_launcher = directives.launcher;
    name_self(session, &directives);
    if (!directives.no_connect) {
        rc = connect_first(session, &directives, &server);
        if (rc == 0) {
            rc = px_session_request_job(session);
        }
        if (rc != 0 && directives.optional && server == NULL) {
            rc = 0;
        }
    }
    rc = rc == 0 ? know_self(session) : rc;
    rc = rc == 0 ? keep_directives(session, &directives) : rc;
    if (rc != 0) {
        px_session_destroy(session);
        return rc;
    }
    px_tool_watch_parent(session);
    ctx->role = session;
    ctx->ops = &px_tool_ops;
    px_session_open_reads(session);
    return PMIX_SUCCESS;
}

/* A server that cannot be told notices the end of the connection. */
pmix_status_t px_tool_stop(struct px_ctx *ctx)
{
    struct px_session *session = px_session(ctx);

    px_assert(px_lock_held(&ctx->lock));
    px_former_stop(session);
    for (struct px_link_server *at = px_server_first(session); at != NULL;
         at = px_server_next(at)) {
        (void) px_session_goodbye(session, at); /* it sees us go in any case */
    }
    px_session_report(session);
    px_session_end(session);
    return PMIX_SUCCESS;
}

/* With directives that name a server, one that is connected already is a success; without, only a
 * new one is. */
pmix_status_t px_tool_attach(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                             pmix_proc_t *ret_server)
{
    struct px_session *session = px_session(ctx);
    struct px_link_server *server = NULL;
    struct px_tool_directives directives;
    bool named;
    int rc = px_tool_directives_read(info, ninfo, &directives);

    if (rc != 0) {
        return rc;
    }
    named = px_tool_is_directed(&directives) && !directives.system_only;
    rc = connect_by_directives(session, &directives, &server);
    if (rc == PMIX_ERR_EXISTS) {
        rc = named ? 0 : PMIX_ERR_UNREACH;
    }
    if (rc != 0 || server == NULL) {
        return rc != 0 ? rc : PMIX_ERR_UNREACH;
    }
    if (directives.primary || px_session_server(session) == server) {
        make_primary(session, server);
    }
    if (ret_server != NULL) {
        *ret_server = server->proc;
    }
    px_former_free(session);
    return PMIX_SUCCESS;
}

/* The primary server has been left, over which invitations go. For px_loop_run. */
static void end_invitations(void *session)
{
    px_invitations_lost(session);
}

/* The goodbye marks the server lost, so no list of connected servers has it from then on. Its
 * memory stays for threads that still hold it; what it has said goes. */
pmix_status_t px_tool_detach(struct px_ctx *ctx, const pmix_proc_t *server)
{
    struct px_session *session = px_session(ctx);
    struct px_link_server *found = px_tool_find_server(session, server);
    bool primary;

    if (found == NULL) {
        return PMIX_ERR_NOT_FOUND;
    }
    (void) px_session_goodbye(session, found); /* marks it lost: it is in no list from here on */
    px_lock_take(&session->lock);
    primary = session->primary == found;
    if (primary) {
        px_session_set_primary_locked(session, NULL);
    }
    px_lock_give(&session->lock);
    px_link_hang_up(found->link);
    (void) px_loop_run(session->ctx->loop, px_session_forget_lost, session);
    if (primary) {
        (void) px_loop_run(session->ctx->loop, end_invitations, session);
    }
    return PMIX_SUCCESS;
}

/* Names the connected servers, the primary one first and then the oldest; the session's list has
 * the newest first. Each is looked at once, since its connection may end meanwhile. room: that of
 * the array, at least the length of the list. Returns how many there are. Session lock. */
static size_t name_servers_locked(struct px_session *session, pmix_proc_t *procs, size_t room)
{
    pmix_proc_t *last = procs + room;
    pmix_proc_t *primary = NULL;
    pmix_proc_t *at = last;

    px_assert(px_lock_held(&session->lock));
    for (const struct px_link_server *server = px_server_first(session); server != NULL;
         server = px_server_next(server)) {
        if (px_load_acquire(&server->lost) == 0) { /* pairs with link_lost */
            at--;
            *at = server->proc;
            primary = server == session->primary ? at : primary;
        }
    }
    if (primary != NULL) {
        pmix_proc_t name = *primary;

        memmove(at + 1, at, (size_t) (primary - at) * sizeof(*at));
        *at = name;
    }
    memmove(procs, at, (size_t) (last - at) * sizeof(*at));
    return (size_t) (last - at);
}

pmix_status_t px_tool_servers(struct px_ctx *ctx, pmix_proc_t **ret, size_t *ret_n)
{
    struct px_session *session = px_session(ctx);
    pmix_proc_t *procs;
    size_t room = 1; /* an array of none cannot be made */
    size_t n;
    int rc;

    px_lock_take(&session->lock);
    for (const struct px_link_server *at = px_server_first(session); at != NULL;
         at = px_server_next(at)) {
        room++;
    }
    procs = PMIx_Proc_create(room);
    n = procs != NULL ? name_servers_locked(session, procs, room) : 0;
    px_lock_give(&session->lock);
    if (n == 0) {
        rc = procs != NULL ? PMIX_ERR_UNREACH : PMIX_ERR_NOMEM;
        PMIx_Proc_free(procs, room);
        return rc;
    }
    *ret = procs;
    *ret_n = n;
    return PMIX_SUCCESS;
}

pmix_status_t px_tool_choose(struct px_ctx *ctx, const pmix_proc_t *server,
                             const struct px_set_server_directives *directives)
{
    struct px_session *session = px_session(ctx);
    struct px_link_server *found = px_tool_find_server(session, server);

    if (found == NULL && directives->wait) {
        pmix_status_t rc = px_tool_await(session, server, directives->timeout);

        if (rc != PMIX_SUCCESS) {
            return rc;
        }
        found = px_tool_find_server(session, server);
    }
    if (found == NULL) {
        return PMIX_ERR_UNREACH;
    }
    make_primary(session, found);
    return PMIX_SUCCESS;
}

void px_tool_name(struct px_ctx *ctx, pmix_proc_t *ret)
{
    if (px_session(ctx)->unnamed) {
        PMIx_Load_procid(ret, "", PMIX_RANK_UNDEF);
    } else {
        *ret = ctx->self;
    }
}

bool px_tool_connected(struct px_ctx *ctx)
{
    return px_session_server(px_session(ctx)) != NULL;
}
