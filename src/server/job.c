/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The first and the last request of a client: its job's information, by descriptor or by message,
 * and leave. */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "gds/store.h"
#include "host.h"
#include "priv.h"
#include "src/wire/message.h"

/* One value with nothing in it says that the descriptor on this message is the job's segment. */
static int pack_segment(struct px_buf *buf, enum px_wire_kind kind)
{
    pmix_value_t value;

    memset(&value, 0, sizeof(value));
    value.type = PMIX_BYTE_OBJECT;
    return px_pack_kval(buf, kind, PX_KEY_SEGMENT, &value);
}

/* A message must not get lost because there is no descriptor left to copy this one to. */
static bool can_copy(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    if (copy >= 0) {
        close(copy);
    }
    return copy >= 0;
}

int px_peer_new_segment(struct px_peer *peer, struct px_nsrec *ns)
{
    struct px_store_info info;

    if (!peer->shared) {
        return -1;
    }
    px_store_info(ns->store, &info);
    if (!info.shared || info.generation <= peer->generation || !can_copy(px_store_fd(ns->store))) {
        return -1;
    }
    peer->generation = info.generation;
    return px_store_fd(ns->store);
}

/* What a client of ours says with its request: nothing at first; nothing again when it cannot use
 * the segment that it was sent, and then it is one that reads by messages; later the generation
 * that it has, which has been superseded. A newer one that it was sent has not arrived. */
static bool asks_for_next(struct px_peer *peer, struct px_in *in)
{
    uint32_t generation;

    if (!peer->ours) {
        return false;
    }
    if (px_in_left(in) > 0 && px_unpack_rank(in, &generation) == 0) {
        peer->generation = generation < peer->generation ? generation : peer->generation;
        return true;
    }
    peer->shared = peer->shared && peer->generation == 0;
    return false;
}

int px_on_req(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_nsrec *ns = peer->rank ? peer->rank->ns : px_ns_find(s, peer->proc.nspace);
    const struct px_buf *packed = NULL;
    struct px_buf buf = {0};
    int fd = -1;
    bool next = asks_for_next(peer, in);
    int rc = px_pack_string(&buf, peer->kind, peer->proc.nspace);

    if (!rc && ns) {
        fd = px_peer_new_segment(peer, ns);
        peer->shared = peer->shared && (next || fd >= 0); /* there may be none */
    }
    if (!rc && fd >= 0) {
        rc = pack_segment(&buf, peer->kind);
    } else if (!rc && ns && !next) {
        rc = px_ns_packed(ns, peer->kind, &packed);
        if (!rc) {
            px_buf_append(&buf, packed->data, packed->len);
        }
    }
    if (rc || !px_buf_ok(&buf)) {
        px_buf_fini(&buf);
        return rc ? rc : PMIX_ERR_NOMEM;
    }
    px_peer_send(peer, tag, &buf, fd);
    return PMIX_SUCCESS;
}

static void finalize_answered(struct px_upcall *up)
{
    struct px_peer *peer = px_peer_find(up->server, up->from.peer);

    if (peer) {
        peer->finalized = true;
        px_answer_status(up->server, &up->from, PMIX_SUCCESS);
    }
}

int px_on_finalize(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_from from = px_from_peer(peer, tag);
    struct px_upcall *up;

    (void) in;
    if (peer->tool || !s->host.client_finalized || peer->finalizing) {
        peer->finalized = true;
        px_answer_status(s, &from, PMIX_SUCCESS);
        return PMIX_SUCCESS;
    }
    up = px_upcall_create(s, &from, &peer->proc, finalize_answered);
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    peer->finalizing = true;
    px_upcall_returned(up, s->host.client_finalized(
                               &up->proc, peer->rank ? peer->rank->object : NULL, px_up_op, up));
    return PMIX_SUCCESS;
}
