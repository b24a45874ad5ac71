/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Init of a client: finds the server in the environment, connects, and takes the job
 * information. Our own kind of server is tried first through its AF_UNIX listener, where the
 * descriptor of the segment can be passed; with any other, or when a segment cannot be used here,
 * job information comes by messages. Nothing is read but the environment and the parameter files. A
 * process that no server started becomes a singleton. Everything here runs in the thread of
 * PMIx_Init, except replies. */

#include "start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "request.h"
#include "ops.h"
#include "src/base/log.h"
#include "src/base/number.h"
#include "src/base/param.h"
#include "src/net/dial.h"
#include "src/net/mailbox.h"
#include "src/value/directives.h"
#include "src/client/data/private_store.h"
#include "src/client/data/refresh.h"
#include "singleton.h"
#include "src/net/auth.h"
#include "src/net/uri.h"
#include "src/wire/messages.h"

/* Room for a credential, in bytes. */
enum { CRED_ROOM = 4096 };

/* One way to reach a server: where, and with which modules the handshake asks to be served. Strings
 * are borrowed. */
struct way {
    const char *uri;
    const char *bfrops;
    const char *gds;
};

/* True if both environment variables are set to the same value. */
static bool is_same(const char *variable, const char *other)
{
    const char *a = secure_getenv(variable);
    const char *b = secure_getenv(other);

    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* True if the parameters gds and psec are not the user's wish: a container's hook has copied the
 * server's offers into them. What our server offers to us beyond them stands beside
 * (docs/decisions/0017). */
static bool is_copied_by_hook(void)
{
    const char *offer = secure_getenv("PMIX_SHMIX_GDS");

    return offer != NULL && px_handshake_names(offer, PX_GDS_SHARED) &&
           is_same("PMIX_MCA_gds", "PMIX_GDS_MODULE") &&
           is_same("PMIX_MCA_psec", "PMIX_SECURITY_MODE");
}

bool px_client_wants_segment(void)
{
    return px_param_bool(PX_P_SHMEM_ENABLE) &&
           (strcmp(px_param_string(PX_P_GDS), PX_GDS_MESSAGES) != 0 || is_copied_by_hook());
}

/* The first of these environment variables that is set and not empty, or NULL. */
static const char *env_uri(const char *const *names)
{
    for (; *names != NULL; names++) {
        const char *uri = secure_getenv(*names);

        if (uri != NULL && uri[0] != '\0') {
            return uri;
        }
    }
    return NULL;
}

/* The URI of the server among the directives of PMIx_Init, or NULL. Launchers also pass it as
 * "NAME:NAME;uri". */
static const char *info_uri(const pmix_info_t *info, size_t ninfo)
{
    struct px_init_directives directives;
    const char *uri = px_init_read(info, ninfo, &directives) == 0 ? directives.server_uri : NULL;

    return uri != NULL && strncmp(uri, "PMIX_", 5) == 0 && strchr(uri, ';') != NULL
               ? strchr(uri, ';') + 1
               : uri;
}

/* The most ways that find_ways can return. */
enum { MAX_WAYS = 4 };

/* Variables of OpenPMIx's servers, the newest protocol first; and that of the oldest we speak. */
static const char *const recent[] = {"PMIX_SERVER_URI61", "PMIX_SERVER_URI51", "PMIX_SERVER_URI41",
                                     NULL};
static const char *const old[] = {"PMIX_SERVER_URI4", NULL};
/* Those of servers of releases 3 and 2, which we do not speak to. */
static const char *const unspoken[] = {"PMIX_SERVER_URI3", "PMIX_SERVER_URI21", "PMIX_SERVER_URI2",
                                       NULL};

/* The stores that we ask for without a segment. Our own server tells by a variable that it is one;
 * then it is told the same of us. */
static const char *by_messages(void)
{
    return secure_getenv("PMIX_SHMIX_GDS") != NULL ? PX_GDS_MESSAGES "," PX_GDS_OURS
                                                   : PX_GDS_MESSAGES;
}

/* Collects the ways to reach our server, in the order in which they are tried: at most MAX_WAYS;
 * returns their number. An URI given by directive replaces our own server's listener. */
static size_t find_ways(const pmix_info_t *info, size_t ninfo, struct way *ways)
{
    const char *given = info_uri(info, ninfo);
    const char *door = secure_getenv("PMIX_SHMIX_URI");
    const char *uri = env_uri(recent);
    size_t n = 0;

    if (given != NULL) {
        ways[n] = (struct way){given, PX_WIRE_MODULE, PX_GDS_MESSAGES};
        n++;
    } else if (door != NULL && door[0] != '\0') {
        if (px_client_wants_segment()) {
            ways[n] = (struct way){door, PX_WIRE_MODULE, PX_GDS_SHARED "," PX_GDS_MESSAGES};
            n++;
        }
        ways[n] = (struct way){door, PX_WIRE_MODULE, PX_GDS_MESSAGES "," PX_GDS_OURS};
        n++;
    }
    if (uri != NULL) {
        ways[n] = (struct way){uri, PX_WIRE_MODULE, by_messages()};
        n++;
    } else if (env_uri(old) != NULL) {
        ways[n] = (struct way){env_uri(old), "v4", PX_GDS_MESSAGES};
        n++;
    }
    return n;
}

/* The user that our server runs as, according to PMIX_SHMIX_UID; (uid_t) -1: not known. */
static uid_t server_uid(void)
{
    const char *text = secure_getenv("PMIX_SHMIX_UID");
    uint64_t uid;
    const char *end = text != NULL ? px_number_read(text, UINT32_MAX - 1, &uid) : NULL;

    return end != NULL && end[0] == '\0' ? (uid_t) uid : (uid_t) -1;
}

/* Connects one way, with our name and credential, and adds the server to the session. told: the URI
 * under which others know the server, or NULL for that of the way. Statuses as px_credential,
 * px_dial and px_session_attach. */
static int dial(struct px_session *session, const struct way *way, const char *told,
                struct px_link_server **ret)
{
    const char *kind = secure_getenv("PMIX_BFROP_BUFFER_TYPE");
    struct px_handshake handshake = {.flag = PX_HANDSHAKE_CLIENT, .kind = PX_WIRE_PLAIN};
    const struct px_trust trust = {.uid = server_uid(), .named = true};
    unsigned char cred[CRED_ROOM];
    struct px_dialed dialed;
    int rc;

    if (kind != NULL && strcmp(kind, "PMIX_BFROP_BUFFER_FULLY_DESC") == 0) {
        handshake.kind = PX_WIRE_DESCRIBED;
    }
    handshake.proc = session->ctx->self;
    handshake.uid = (uint32_t) geteuid();
    handshake.gid = (uint32_t) getegid();
    snprintf(handshake.version, sizeof(handshake.version), "%s", PX_WIRE_VERSION);
    snprintf(handshake.bfrops, sizeof(handshake.bfrops), "%s", way->bfrops);
    snprintf(handshake.gds, sizeof(handshake.gds), "%s", way->gds);
    rc = px_credential(secure_getenv("PMIX_SECURITY_MODE"), &handshake, cred, sizeof(cred));
    if (rc != 0) {
        px_log(PX_LOG_CLIENT, 1,
               "no credential: the server takes \"%s\", and the parameter psec is "
               "\"%s\"",
               secure_getenv("PMIX_SECURITY_MODE") ? secure_getenv("PMIX_SECURITY_MODE") : "native",
               px_param_string(PX_P_PSEC));
    }
    if (rc == 0) {
        rc = px_dial(way->uri, &handshake, (unsigned) px_param_int(PX_P_CONNECT_WAIT) * 1000,
                     &trust, &dialed);
    }
    if (rc != 0) {
        px_log(PX_LOG_NET, 1, "no connection to %s: %s", way->uri, PMIx_Error_string(rc));
        return rc;
    }
    px_log(PX_LOG_NET, 2, "connected to %s; stores that are asked for: %s", way->uri, way->gds);
    if (px_uri_server(way->uri, &dialed.server) != 0) {
        dialed.server = (pmix_proc_t){.rank = PMIX_RANK_UNDEF};
    }
    return px_session_attach(session, &dialed, handshake.kind,
                             &(struct px_server_known){.uri = told != NULL ? told : way->uri,
                                                       .stores = way->gds,
                                                       .version = secure_getenv("PMIX_VERSION")},
                             ret);
}

/* A REQ that a thread waits for, on its stack. */
struct req_call {
    struct px_wait wait;
    struct px_session *session;
};

/* Checks the namespace in the reply to REQ. A client knows its own; a tool takes the one that its
 * server has assigned, unless it is that of a job of which the server has sent a segment before: a
 * space has one name. 0 or PMIX_ERR_UNPACK_FAILURE. */
static int check_name(struct px_session *session, const char *name)
{
    pmix_proc_t *self = &session->ctx->self;

    if (name == NULL || name[0] == '\0' || strlen(name) > PMIX_MAX_NSLEN) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (strcmp(name, self->nspace) == 0) {
        return 0;
    }
    if (!session->is_tool || px_space_named(session, name) != NULL) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    px_session_name(session, name, self->rank);
    return 0;
}

/* Reads the reply to REQ: STRING nspace, then either the mark that a segment came along or the job
 * information itself. PMIX_ERR_NOT_SUPPORTED: the announced segment did not arrive or is of no use.
 */
static int read_job(struct px_session *session, struct px_in *in)
{
    char *text = NULL;
    int rc = px_unpack_string(in, &text);

    if (rc != 0) {
        return rc;
    }
    rc = check_name(session, text);
    free(text);
    if (rc == 0 && px_in_left(in) > 0) {
        rc = px_session_store_job(session, session->own.nspace, in);
    }
    return rc == PMIX_ERR_WOULD_BLOCK ? PMIX_ERR_NOT_SUPPORTED : rc;
}

/* Reads the reply and wakes the waiting thread. Loop thread. */
static void req_reply(void *arg, int status, struct px_in *reply)
{
    struct req_call *call = arg;

    px_assert(px_loop_inside(call->session->ctx->loop));
    if (status == 0) {
        status = read_job(call->session, reply);
    }
    px_log(PX_LOG_CLIENT, 2, "job information: %s", PMIx_Error_string(status));
    px_wait_done(&call->wait, status);
}

/* One REQ with its reply. The segment, if there is one, is adopted before the reply is read
 * (px_session_reply). */
static int request_job(struct px_session *session)
{
    struct req_call call = {.session = session};
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_REQ, &msg);

    if (rc != 0) {
        return rc;
    }
    px_wait_init(&call.wait);
    rc = px_msg_send(&msg, (uint64_t) px_param_int(PX_P_CONNECT_WAIT) * 1000, req_reply, &call);
    return px_ctx_await(session->ctx, &call.wait, rc);
}

/* Where the segment is of no use the server answers a second REQ by messages. Closing the
 * connection instead would look to it as if this process had died. */
int px_session_request_job(struct px_session *session)
{
    int rc = request_job(session);

    return rc == PMIX_ERR_NOT_SUPPORTED ? request_job(session) : rc;
}

/* Closes the connection and forgets the server and its data, so that another way can be tried. */
static void detach(struct px_session *session, struct px_link_server *server)
{
    px_store_ptr_release(&session->primary, NULL); /* pairs with px_session_server */
    session->servers = NULL;
    px_store_release(&server->lost, 1); /* pairs with link_lost */
    px_link_close(server->link);
    px_server_free(server);
    px_spaces_fini(session);
}

/* Tries the ways in order, until one has given us our job information. told: see dial. All are ways
 * to one server: if it has not answered in time by one, it is not asked again by another. 0, or the
 * status of the last way that was tried. */
static int connect_any(struct px_session *session, const struct way *ways, size_t n,
                       const char *told)
{
    int rc = PMIX_ERR_UNREACH;

    for (size_t i = 0; i < n && rc != PMIX_ERR_TIMEOUT; i++) {
        struct px_link_server *server = NULL;

        rc = dial(session, &ways[i], told, &server);
        if (rc == 0) {
            rc = px_session_request_job(session);
            if (rc == 0) {
                return 0;
            }
            detach(session, server);
        }
    }
    return rc;
}

/* True if this process may use a connection that it has inherited. It may not if parameters exclude
 * it, if this client does not map segments, if the infos of PMIx_Init name a server, if the
 * environment names no server of this library, or if it asks for described buffers. */
static bool may_inherit(const pmix_info_t *info, size_t ninfo)
{
    const char *kind = secure_getenv("PMIX_BFROP_BUFFER_TYPE");

    return px_param_bool(PX_P_INHERIT) && px_client_wants_segment() &&
           info_uri(info, ninfo) == NULL && secure_getenv("PMIX_SHMIX_URI") != NULL &&
           (kind == NULL || strcmp(kind, "PMIX_BFROP_BUFFER_FULLY_DESC") != 0);
}

/* Begins with a connection and a segment that the server has let us inherit: nothing is sent. If
 * the segment cannot be used, the connection serves for a request for job information. 0, or an
 * error, with which nothing is held and the ways of find_ways are to be tried. */
static int start_inherited(struct px_session *session, const pmix_info_t *info, size_t ninfo)
{
    const char *text = secure_getenv("PMIX_SHMIX_INHERIT");
    const struct px_trust trust = {.uid = server_uid(), .named = true};
    const char *uri = secure_getenv("PMIX_SHMIX_URI");
    struct px_link_server *server = NULL;
    struct px_server_known known;
    struct px_dialed dialed;
    int segment;
    int rc;

    if (text == NULL || !may_inherit(info, ninfo)) {
        return PMIX_ERR_NOT_FOUND;
    }
    rc = px_mailbox_take(text, &session->ctx->self, &trust, &dialed, &segment);
    if (rc != 0) {
        px_log(PX_LOG_CLIENT, 2, "nothing is inherited: %s", PMIx_Error_string(rc));
        return rc;
    }
    if (px_uri_server(uri, &dialed.server) != 0) {
        dialed.server = (pmix_proc_t){.rank = PMIX_RANK_UNDEF};
    }
    (void) px_session_begin_with(session, segment);
    known = (struct px_server_known){.uri = env_uri(recent) != NULL ? env_uri(recent) : uri,
                                     .stores = PX_GDS_SHARED "," PX_GDS_MESSAGES,
                                     .version = secure_getenv("PMIX_VERSION")};
    rc = px_session_attach(session, &dialed, PX_WIRE_PLAIN, &known, &server);
    if (rc != 0) {
        px_spaces_fini(session);
        return rc;
    }
    px_log(PX_LOG_NET, 2, "uses the connection to %s that it has inherited", uri);
    rc = px_session_shared(session) != NULL ? 0 : px_session_request_job(session);
    if (rc != 0) {
        detach(session, server);
    }
    return rc;
}

bool px_client_name_given(pmix_proc_t *ret)
{
    const char *nspace = secure_getenv("PMIX_NAMESPACE");
    const char *rank = secure_getenv("PMIX_RANK");
    uint64_t number;
    const char *end;

    if (nspace == NULL || nspace[0] == '\0' || strlen(nspace) > PMIX_MAX_NSLEN || rank == NULL) {
        return false;
    }
    end = px_number_read(rank, PMIX_RANK_VALID, &number);
    if (end == NULL || end[0] != '\0') {
        return false;
    }
    PMIx_Load_procid(ret, nspace, (pmix_rank_t) number);
    return true;
}

/* Without a server the session is used as well: a singleton can put and get its own values. */
pmix_status_t px_client_start(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    struct px_session *session = px_session_create(ctx);
    struct way ways[MAX_WAYS];
    size_t n_ways = 0;
    pmix_proc_t self;
    int rc = PMIX_ERR_UNREACH;
    int alone = 0;
    bool self_named;

    px_assert(px_lock_held(&ctx->lock));
    if (session == NULL) {
        return PMIX_ERR_NOMEM;
    }
    self_named = px_client_name_given(&self);
    if (self_named) {
        px_session_name(session, self.nspace, self.rank);
        n_ways = find_ways(info, ninfo, ways);
    } else {
        px_log(PX_LOG_CLIENT, 1,
               "no server has started this process: PMIX_NAMESPACE and PMIX_RANK "
               "are not set%s",
               secure_getenv("SLURM_STEP_ID") != NULL ? " (srun --mpi=pmix sets them)" : "");
        px_singleton_name(session, "singleton");
        alone = px_singleton_describe(session);
    }
    if (n_ways == 0 && env_uri(unspoken) != NULL) {
        px_log(PX_LOG_CLIENT, 1,
               "%s is of a server of release 3 or older: start the job with one of 4.2 or newer",
               env_uri(unspoken));
    }
    if (n_ways == 0 && env_uri(unspoken) == NULL && self_named) {
        px_log(PX_LOG_CLIENT, 1,
               "PMIX_NAMESPACE is set and no PMIX_SERVER_URI*: where the server "
               "is is not known");
    }
    if (n_ways > 0) {
        const char *uri = info_uri(info, ninfo);

        rc = start_inherited(session, info, ninfo);
        rc = rc == 0 ? 0 : connect_any(session, ways, n_ways, uri != NULL ? uri : env_uri(recent));
    }
    if (rc == 0 && px_session_shared(session) == NULL) {
        px_log(PX_LOG_GDS, 1, "no segment of %s: what it holds comes by messages",
               session->ctx->self.nspace);
    }
    rc = alone != 0 ? alone : rc;
    if (rc != 0 && rc != PMIX_ERR_UNREACH) {
        px_session_destroy(session);
        return rc;
    }
    ctx->role = session;
    ctx->ops = &px_client_ops;
    px_session_open_reads(session);
    return rc;
}

/* The directives of PMIx_Finalize are served by src/api. */
pmix_status_t px_client_stop(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    struct px_session *session = px_session(ctx);
    struct px_link_server *server = px_session_server(session);
    pmix_status_t rc = PMIX_SUCCESS;

    px_assert(px_lock_held(&ctx->lock));
    (void) info;
    (void) ninfo;
    if (server != NULL) {
        rc = px_session_goodbye(session, server);
    }
    px_session_report(session);
    px_session_end(session);
    return rc;
}
