/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Passes each message of a peer to its handler, and each answer back to the peer or the callback
 * that asked for it. All of it runs on the loop thread.
 *
 * A command without a handler is answered with PMIX_ERR_NOT_SUPPORTED. A request that cannot be
 * unpacked is answered with the unpack status, and its connection is closed: the bytes that follow
 * it cannot be trusted either. */

#include "dispatch.h"

#include "src/server/state.h"
#include "src/wire/message.h"
#include "src/server/data/commit.h"
#include "src/server/data/server_get.h"
#include "src/server/events/server_events.h"
#include "src/server/events/monitor.h"
#include "src/server/events/server_iof.h"
#include "job_request.h"
#include "peer.h"
#include "segment_offer.h"
#include "src/server/requests/requests.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/wire/messages.h"
#include "src/request/reply.h"

struct px_reply_to px_reply_to_peer(const struct px_peer *peer, uint32_t tag)
{
    return (struct px_reply_to){.peer = peer->id, .tag = tag};
}

/* The commands that have a handler of their own. All others are rows of the table of services
 * (requests.c), which pass them to the host or gather them as collectives. */
static const px_handler handlers[] = {
    [PX_CMD_REQ] = px_handle_req,
    [PX_CMD_COMMIT] = px_handle_commit,
    [PX_CMD_GET] = px_handle_get,
    [PX_CMD_FINALIZE] = px_handle_finalize,
    [PX_CMD_DEREGEVENTS] = px_handle_deregevents,
    [PX_CMD_REFRESH_CACHE] = px_handle_refresh,
};

enum { N_HANDLERS = sizeof(handlers) / sizeof(handlers[0]) };

/* True if the status means that the bytes of a message could not be unpacked, as opposed to a
 * request that was read and refused. */
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

/* Reads the command of one request and calls its service or its handler. Answers a request that
 * they refuse; marks the peer for closing if the request could not be read. */
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
    /* After PMIx_Finalize a peer is answered nothing but PMIX_ERR_INIT. */
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
    } else if (tag == PX_TAG_HEARTBEAT) {
        px_monitor_beat(peer);
    }
    /* Other lower tags are ignored: only servers send them. */
}

/* --- answers --- */

/* A peer whose own segment has been superseded gets the next generation with its next reply: data
 * published before the reply can then be read after it. */
void px_answer_take(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf)
{
    struct px_peer *peer = px_peer_find(s, reply_to->peer);

    px_assert(px_loop_inside(s->loop));
    px_answer_offer(s, reply_to, buf, peer ? px_peer_moved_segment(peer) : -1);
}

/* The reply is built by now. If that failed, a short one with the status of the failure takes its
 * place, so that the peer does not wait forever. */
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
        int status = buf->status;

        px_buf_fini(buf);
        (void) px_pack_status(buf, peer->kind, status);
    }
    px_peer_send(peer, reply_to->tag, buf, fd);
}

/* The status alone is the reply of type px_reply_op. */
void px_answer_status(struct px_server *s, const struct px_reply_to *reply_to, pmix_status_t status)
{
    struct px_reply reply = {.status = status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status};

    px_answer(s, reply_to, &px_reply_op, &reply);
}

/* A reply target with peer 0 is a completion of this process, which gets the reply as it is. For a
 * peer the reply is packed in the encoding of its connection. */
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
