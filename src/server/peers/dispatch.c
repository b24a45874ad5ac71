/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* From a message to its handler and from an answer to its message. Requests that nobody here serves
 * are answered with PMIX_ERR_NOT_SUPPORTED; one that cannot be read is answered and costs the peer
 * its connection, because what follows it cannot be trusted either. */

#include "dispatch.h"

#include <stdlib.h>

#include "gds/store.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/state.h"
#include "src/wire/message.h"
#include "src/server/collectives/connect.h"
#include "src/server/collectives/fence.h"
#include "src/server/collectives/server_group.h"
#include "src/server/data/commit.h"
#include "src/server/data/server_get.h"
#include "src/server/events/server_events.h"
#include "src/server/events/server_iof.h"
#include "job_request.h"
#include "peer.h"
#include "segment_offer.h"
#include "src/server/requests/requests.h"
#include "src/server/requests/server_publish.h"
#include "src/server/requests/server_query.h"
#include "src/server/requests/server_resolve.h"
#include "src/server/requests/spawn.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

static const px_handler handlers[] = {
    [PX_CMD_REQ] = px_handle_req,
    [PX_CMD_ABORT] = px_handle_abort,
    [PX_CMD_COMMIT] = px_handle_commit,
    [PX_CMD_FENCE] = px_handle_fence,
    [PX_CMD_GET] = px_handle_get,
    [PX_CMD_FINALIZE] = px_handle_finalize,
    [PX_CMD_PUBLISH] = px_handle_publish,
    [PX_CMD_LOOKUP] = px_handle_lookup,
    [PX_CMD_UNPUBLISH] = px_handle_unpublish,
    [PX_CMD_SPAWN] = px_handle_spawn,
    [PX_CMD_CONNECT] = px_handle_connect,
    [PX_CMD_DISCONNECT] = px_handle_disconnect,
    [PX_CMD_NOTIFY] = px_handle_notify,
    [PX_CMD_REGEVENTS] = px_handle_regevents,
    [PX_CMD_DEREGEVENTS] = px_handle_deregevents,
    [PX_CMD_QUERY] = px_handle_query,
    [PX_CMD_LOG] = px_handle_log,
    [PX_CMD_ALLOC] = px_handle_alloc,
    [PX_CMD_JOB_CONTROL] = px_handle_job_control,
    [PX_CMD_MONITOR] = px_handle_monitor,
    [PX_CMD_GET_CREDENTIAL] = px_handle_get_credential,
    [PX_CMD_VALIDATE_CREDENTIAL] = px_handle_validate,
    [PX_CMD_IOF_PULL] = px_handle_iof_pull,
    [PX_CMD_IOF_PUSH] = px_handle_iof_push,
    [PX_CMD_GROUP_CONSTRUCT] = px_handle_group_construct,
    [PX_CMD_GROUP_LEAVE] = px_handle_group_leave,
    [PX_CMD_GROUP_DESTRUCT] = px_handle_group_destruct,
    [PX_CMD_IOF_DEREG] = px_handle_iof_dereg,
    [PX_CMD_FABRIC_REGISTER] = px_handle_fabric_register,
    [PX_CMD_FABRIC_UPDATE] = px_handle_fabric_update,
    [PX_CMD_DEVICE_DISTANCES] = px_handle_distances,
    [PX_CMD_REFRESH_CACHE] = px_handle_refresh,
    [PX_CMD_RESBLOCK] = px_handle_resblock,
    [PX_CMD_SESSION_CTRL] = px_handle_session,
    [PX_CMD_RESOLVE_PEERS] = px_handle_resolve_peers,
    [PX_CMD_RESOLVE_NODES] = px_handle_resolve_nodes,
};

enum { N_HANDLERS = sizeof(handlers) / sizeof(handlers[0]) };

static bool is_unreadable(int status)
{
    switch (status) {
    case PMIX_ERR_UNPACK_FAILURE:
    case PMIX_ERR_UNPACK_INADEQUATE_SPACE:
    case PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER:
    case PMIX_ERR_TYPE_MISMATCH:
    case PMIX_ERR_UNKNOWN_DATA_TYPE:
        return true;
    default:
        return false;
    }
}

static void on_request(struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_server *s = peer->server;
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    uint8_t command;
    int rc = px_unpack_command(in, &command);

    if (!rc && (command >= N_HANDLERS || !handlers[command])) {
        px_answer_status(s, &reply_to, PMIX_ERR_NOT_SUPPORTED);
        return;
    }
    /* What a peer may ask before and after its time is over is the same: nothing but the end. */
    if (!rc && peer->finalized) {
        px_answer_status(s, &reply_to, PMIX_ERR_INIT);
        return;
    }
    rc = rc ? rc : handlers[command](s, peer, tag, in);
    if (rc) {
        px_answer_status(s, &reply_to, rc);
        peer->doomed |= is_unreadable(rc);
    }
}

void px_dispatch(struct px_peer *peer, uint32_t tag, const void *payload, size_t len)
{
    struct px_in in = px_in_make(payload, len, peer->kind);

    if (!len) {
        peer->doomed = true;
    } else if (tag >= PX_TAG_FIRST) {
        on_request(peer, tag, &in);
    }
    /* Below are heartbeats, and what only servers send. */
}

/* --- answers --- */

static void reply_own(const struct px_reply_to *reply_to, pmix_status_t status)
{
    if (reply_to->op) {
        reply_to->op(status, reply_to->cbdata);
    } else if (reply_to->infos) {
        reply_to->infos(status, NULL, 0, reply_to->cbdata, NULL, NULL);
    } else if (reply_to->lookup) {
        reply_to->lookup(status, NULL, 0, reply_to->cbdata);
    } else if (reply_to->spawn) {
        pmix_nspace_t none = "";

        reply_to->spawn(status, none, reply_to->cbdata);
    } else if (reply_to->value) {
        reply_to->value(status, NULL, reply_to->cbdata);
    } else if (reply_to->cred) {
        reply_to->cred(status, NULL, NULL, 0, reply_to->cbdata);
    } else if (reply_to->valid) {
        reply_to->valid(status, NULL, 0, reply_to->cbdata);
    }
}

/* Whoever reads a segment that has been superseded gets the new one with the next reply: what was
 * published before the reply is seen after it. */
void px_answer_take(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf)
{
    struct px_peer *peer = px_peer_find(s, reply_to->peer);

    px_assert(px_loop_inside(s->loop));
    px_answer_offer(s, reply_to, buf, peer ? px_peer_moved_segment(peer) : -1);
}

void px_answer_offer(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf,
                     int fd)
{
    struct px_peer *peer = px_peer_find(s, reply_to->peer);

    px_assert(px_loop_inside(s->loop));
    if (!peer) {
        px_buf_fini(buf);
        return;
    }
    if (!px_buf_ok(buf)) {
        px_buf_fini(buf);
        (void) px_pack_status(buf, peer->kind, PMIX_ERR_NOMEM);
    }
    px_peer_send(peer, reply_to->tag, buf, fd);
}

void px_answer_status(struct px_server *s, const struct px_reply_to *reply_to, pmix_status_t status)
{
    struct px_peer *peer = px_peer_find(s, reply_to->peer);
    struct px_buf buf = {0};

    px_assert(px_loop_inside(s->loop));
    if (!reply_to->peer) {
        reply_own(reply_to, status);
        return;
    }
    if (peer) {
        (void) px_pack_status(&buf, peer->kind,
                              status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status);
        px_answer_take(s, reply_to, &buf);
    }
}

struct lent {
    pmix_info_t *info;
    size_t ninfo;
};

static void take_back(void *arg)
{
    struct lent *lent = arg;

    PMIx_Info_free(lent->info, lent->ninfo);
    free(lent);
}

/* A callback of this process gets a copy that it releases when it likes. */
static void reply_own_infos(const struct px_reply_to *reply_to, pmix_status_t status,
                            const pmix_info_t *info, size_t ninfo)
{
    struct lent *lent = calloc(1, sizeof(*lent));

    if (!lent || px_infos_copy(info, ninfo, &lent->info)) {
        free(lent);
        reply_to->infos(PMIX_ERR_NOMEM, NULL, 0, reply_to->cbdata, NULL, NULL);
        return;
    }
    lent->ninfo = lent->info ? ninfo : 0;
    reply_to->infos(status, lent->info, lent->ninfo, reply_to->cbdata, take_back, lent);
}

void px_answer_infos(struct px_server *s, const struct px_reply_to *reply_to, pmix_status_t status,
                     const pmix_info_t *info, size_t ninfo)
{
    struct px_peer *peer = px_peer_find(s, reply_to->peer);
    struct px_buf buf = {0};

    px_assert(px_loop_inside(s->loop));
    if (!reply_to->peer && reply_to->infos) {
        reply_own_infos(reply_to, status, info, ninfo);
        return;
    }
    if (!reply_to->peer) {
        reply_own(reply_to, status);
        return;
    }
    if (!peer) {
        return;
    }
    (void) px_pack_status(&buf, peer->kind, status);
    if (px_pack_infos(&buf, peer->kind, info, ninfo)) {
        buf.failed = true;
    }
    px_answer_take(s, reply_to, &buf);
}
