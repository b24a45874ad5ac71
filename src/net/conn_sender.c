/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* See conn_sender.h. */

#include "conn_sender.h"

#include <string.h>
#include <sys/socket.h>

#include "src/base/assert.h"
#include "src/net/conn_priv.h"

void px_conn_note_sender_loop(struct px_conn *conn)
{
    px_assert(px_loop_inside(conn->loop));
    conn->wants_sender = true;
}

struct px_conn_sender px_conn_sender_loop(const struct px_conn *conn)
{
    px_assert(px_loop_inside(conn->loop));
    return conn->sender;
}

void px_conn_sender_received(struct px_conn *conn, struct msghdr *msg)
{
    struct ucred who;
    int zero = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
            memcpy(&who, CMSG_DATA(c), sizeof(who));
            conn->sender = (struct px_conn_sender){true, who.uid, who.gid, who.pid};
        }
    }
    conn->wants_sender = false;
    (void) setsockopt(conn->fd, SOL_SOCKET, SO_PASSCRED, &zero, sizeof(zero));
}
