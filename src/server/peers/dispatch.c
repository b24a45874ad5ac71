/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Passes each message of a peer to its handler, and each answer back to the peer or the callback
 * that asked for it. All of it runs on the loop thread.
 *
 * A command without a handler is answered with PMIX_ERR_NOT_SUPPORTED. A request that cannot be
 * unpacked is answered with the unpack status, and its connection is closed: the bytes that follow
 * it cannot be trusted either. */

#include "dispatch.h"

#include "src/server/stages.h"
#include "src/server/state.h"
#include "src/wire/message.h"
#include "src/server/data/commit.h"
#include "src/server/data/get_request.h"
#include "src/server/events/registrations.h"
#include "src/server/events/server_events.h"
#include "src/server/events/monitor.h"
#include "src/server/events/server_iof.h"
#include "job_request.h"
#include "peer.h"
#include "peer_words.h"
#include "segment_offer.h"
#include "src/server/requests/requests.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/base/log.h"
#include "src/base/param.h"
#include "src/net/conn.h"
#include "src/wire/command_name.h"
#include "src/wire/messages.h"
#include "src/request/reply.h"
#include "src/server/peers/step.h"

struct px_reply_to px_reply_to_peer(const struct px_peer *peer, uint32_t tag)
{
    return (struct px_reply_to){.peer = peer->id, .tag = tag, .request = peer->request};
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

/* Counts the request among the open ones of the peer; not one that gives something back, which has
 * to be possible when there is room for nothing. */
static int open_request(struct px_peer *peer, uint8_t command, size_t bytes)
{
    bool gives_back =
        command == PX_CMD_DEREGEVENTS || command == PX_CMD_IOF_DEREG || command == PX_CMD_FINALIZE;

    return gives_back ? PMIX_SUCCESS : px_request_open(peer, bytes, &peer->request);
}

/* Calls the service or the handler of a command. PMIX_ERR_NOT_SUPPORTED: it has neither. After
 * PMIx_Finalize a peer is answered nothing but PMIX_ERR_INIT. */
static int serve(struct px_peer *peer, uint8_t command, uint32_t tag, struct px_in *in)
{
    const struct px_service *service = px_service_of(command);
    px_handler handler = command < N_HANDLERS ? handlers[command] : NULL;

    if (!service && !handler) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (peer->finalized) {
        return PMIX_ERR_INIT;
    }
    return service ? px_service_start(service, peer, tag, in)
                   : handler(peer->server, peer, tag, in);
}

/* Answers a request that is refused; marks the peer for closing if it could not be read. */
static void refuse(struct px_peer *peer, const struct px_reply_to *reply_to, int rc)
{
    px_answer_status(peer->server, reply_to, rc);
    peer->doomed |= is_unreadable(rc);
}

/* Reads the command of one request and serves it. Memory that the message was unpacked into
 * counts as long as the request is open. */
static void on_request(struct px_peer *peer, uint32_t tag, struct px_in *in, size_t bytes)
{
    struct px_server *s = peer->server;
    struct px_reply_to reply_to;
    uint8_t command = 0;
    int rc = px_unpack_command(in, &command);

    px_assert(!peer->request);
    px_log(PX_LOG_SERVER, 3, "%s:%u asks: %s, %zu bytes, request %u", peer->proc.nspace,
           peer->proc.rank, rc ? "unreadable" : px_command_name(command), bytes, tag);
    rc = rc ? rc : open_request(peer, command, bytes);
    reply_to = px_reply_to_peer(peer, tag);
    rc = rc ? rc : serve(peer, command, tag, in);
    peer->request = 0;
    if (rc) {
        px_peer_tell_arrays(peer, in);
        refuse(peer, &reply_to, rc);
    } else {
        px_request_grow(s, reply_to.request, in->made);
    }
}

/* --- long requests --- */

bool px_is_long(const struct px_in *in)
{
    return px_in_left(in) > PX_CONN_LONG;
}

bool px_is_in_part(const struct px_peer *peer)
{
    return peer->commit || peer->step;
}

void px_parts_drop(struct px_peer *peer)
{
    struct px_step *step = peer->step;

    px_commit_drop(peer);
    if (step) {
        peer->step = NULL;
        px_answer_nobody(peer->server, &step->reply_to);
        step->drop(step);
    }
}

/* Takes the next step of the request. *ret is whom the status concerns. */
static int next_step(struct px_peer *peer, struct px_reply_to *ret)
{
    struct px_step *step = peer->step;

    peer->step = NULL;
    *ret = step->reply_to;
    return step->go_on(step, peer);
}

/* Goes on with the request of which a part has been handled. */
static void on_part(struct px_peer *peer)
{
    struct px_reply_to reply_to;
    int rc =
        peer->commit ? px_commit_go_on(peer->server, peer, &reply_to) : next_step(peer, &reply_to);

    if (rc) {
        refuse(peer, &reply_to, rc);
    }
}

/* The commands that may be as long as any message, since they carry the application's data or lists
 * that grow with the job. */
static const bool carries_data[] = {
    [PX_CMD_ABORT] = true,
    [PX_CMD_COMMIT] = true,
    [PX_CMD_FENCE] = true,
    [PX_CMD_PUBLISH] = true,
    [PX_CMD_SPAWN] = true,
    [PX_CMD_CONNECT] = true,
    [PX_CMD_DISCONNECT] = true,
    [PX_CMD_NOTIFY] = true,
    [PX_CMD_REGEVENTS] = true,
    [PX_CMD_LOG] = true,
    [PX_CMD_ALLOC] = true,
    [PX_CMD_JOB_CONTROL] = true,
    [PX_CMD_VALIDATE_CREDENTIAL] = true,
    [PX_CMD_IOF_PULL] = true,
    [PX_CMD_IOF_PUSH] = true,
    [PX_CMD_GROUP_CONSTRUCT] = true,
    [PX_CMD_GROUP_DESTRUCT] = true,
    [PX_CMD_DEVICE_DISTANCES] = true,
    [PX_CMD_RESBLOCK] = true,
    [PX_CMD_SESSION_CTRL] = true,
};

enum { N_COMMANDS = sizeof(carries_data) / sizeof(carries_data[0]) };

/* Nothing that a peer sends without a request is long. What has no command is read, and refused for
 * that. */
int px_dispatch_wanted(void *arg, uint32_t tag, const void *first, size_t have, size_t len)
{
    struct px_peer *peer = arg;
    struct px_in in = px_in_make(first, have, peer->kind);
    struct px_reply_to reply_to = {.peer = peer->id, .tag = tag};
    uint8_t command;

    if (len <= (size_t) px_param_int(PX_P_SMALL_REQUEST)) {
        return true;
    }
    if (tag < PX_TAG_FIRST) {
        return false;
    }
    if (px_unpack_command(&in, &command) || (command < N_COMMANDS && carries_data[command])) {
        return true;
    }
    px_log(PX_LOG_SERVER, 1, "%s:%u sends a request (command %u) of %zu bytes, which is refused",
           peer->proc.nspace, peer->proc.rank, command, len);
    px_answer_status(peer->server, &reply_to, PMIX_ERR_OUT_OF_RESOURCE);
    return false;
}

void px_dispatch(struct px_peer *peer, uint32_t tag, const void *payload, size_t len)
{
    struct px_in in = px_in_make(payload, len, peer->kind);

    in.most = (size_t) px_param_int(PX_P_REQUEST_ARRAYS);
    if (px_is_in_part(peer)) {
        on_part(peer);
        return;
    }
    px_stage_received(peer->server, len);
    if (!len) {
        peer->doomed = true;
    } else if (tag >= PX_TAG_FIRST) {
        on_request(peer, tag, &in, len);
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
    px_request_close(s, reply_to->request);
    if (!peer) {
        px_buf_fini(buf);
        return;
    }
    px_log(PX_LOG_SERVER, 3, "answers %s:%u: %zu bytes, request %u", peer->proc.nspace,
           peer->proc.rank, buf->len, reply_to->tag);
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
    if (peer && reply->status) {
        px_log(PX_LOG_SERVER, 2, "%s:%u does not get what it asks for in request %u: %s",
               peer->proc.nspace, peer->proc.rank, reply_to->tag, PMIx_Error_string(reply->status));
    }
    if (!reply_to->peer && reply_to->self.done) {
        reply_to->self.done(&reply_to->self, reply);
    } else if (peer) {
        px_reply_pack(&buf, peer->kind, type, reply);
        px_answer_take(s, reply_to, &buf);
    } else {
        px_answer_nobody(s, reply_to);
    }
}

void px_answer_nobody(struct px_server *s, const struct px_reply_to *reply_to)
{
    px_assert(px_loop_inside(s->loop));
    px_request_close(s, reply_to->request);
}
