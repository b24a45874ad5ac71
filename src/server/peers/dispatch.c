/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* From a message to its handler and from an answer to its message. Requests that nobody here serves
 * are answered with PMIX_ERR_NOT_SUPPORTED; one that cannot be read is answered and costs the peer
 * its connection, because what follows it cannot be trusted either. */

#include "dispatch.h"

#include <stdlib.h>

#include "gds/store.h"
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
#include "src/server/requests/distances.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"
#include "src/request/reply.h"

/* Those that are not in the table of services (requests.c). */
static const px_handler handlers[] = {
    [PX_CMD_REQ] = px_handle_req,
    [PX_CMD_COMMIT] = px_handle_commit,
    [PX_CMD_FENCE] = px_handle_fence,
    [PX_CMD_GET] = px_handle_get,
    [PX_CMD_FINALIZE] = px_handle_finalize,
    [PX_CMD_CONNECT] = px_handle_connect,
    [PX_CMD_DISCONNECT] = px_handle_disconnect,
    [PX_CMD_DEREGEVENTS] = px_handle_deregevents,
    [PX_CMD_GROUP_CONSTRUCT] = px_handle_group_construct,
    [PX_CMD_GROUP_LEAVE] = px_handle_group_leave,
    [PX_CMD_GROUP_DESTRUCT] = px_handle_group_destruct,
    [PX_CMD_DEVICE_DISTANCES] = px_handle_distances,
    [PX_CMD_REFRESH_CACHE] = px_handle_refresh,
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
    const struct px_service *service = NULL;
    px_handler handler = NULL;
    uint8_t command;
    int rc = px_unpack_command(in, &command);

    if (!rc) {
        service = px_service_of(command);
        handler = command < N_HANDLERS ? handlers[command] : NULL;
    }
    if (!rc && !service && !handler) {
        px_answer_status(s, &reply_to, PMIX_ERR_NOT_SUPPORTED);
        return;
    }
    /* What a peer may ask before and after its time is over is the same: nothing but the end. */
    if (!rc && peer->finalized) {
        px_answer_status(s, &reply_to, PMIX_ERR_INIT);
        return;
    }
    if (!rc) {
        rc = service ? px_service_start(service, peer, tag, in) : handler(s, peer, tag, in);
    }
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
    struct px_reply reply = {.status = status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status};

    px_answer(s, reply_to, &px_reply_op, &reply);
}

void px_answer(struct px_server *s, const struct px_reply_to *reply_to,
               const struct px_reply_type *type, struct px_reply *reply)
{
    const struct px_peer *peer = px_peer_find(s, reply_to->peer);
    struct px_buf buf = {0};

    px_assert(px_loop_inside(s->loop));
    if (!reply_to->peer && reply_to->own.done) {
        reply_to->own.done(&reply_to->own, reply);
    } else if (peer) {
        px_reply_pack(&buf, peer->kind, type, reply);
        px_answer_take(s, reply_to, &buf);
    }
}
