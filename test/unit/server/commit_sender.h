/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_SERVER_COMMIT_SENDER_H
#define PX_TEST_UNIT_SERVER_COMMIT_SENDER_H

/* A peer of the job of two that sends a commit, which the server handles in parts. The test decides
 * when there is a next part, or that there is none. Included after cmocka; loop thread. */

#include <sys/socket.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/net/conn.h"
#include "src/server/data/commit.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/state.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

enum { SENDER_TAG = 100, SENDER_MOST = 1000000 };

struct sender {
    struct px_peer peer;
    int fd;              /* the other end of its connection */
    struct px_buf buf;   /* the message */
    unsigned n_turns;    /* that it took so far */
    unsigned most_turns; /* that it may take */
};

/* Connects the peer to nobody who reads. *ret_fd: the other end. */
static inline void sender_connect(struct px_peer *peer, int *ret_fd)
{
    static const struct px_conn_ops ops = {.message = NULL};
    int fds[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    assert_int_equal(
        px_conn_create(px_ctx()->loop, fds[0], 0, SENDER_MOST, &ops, NULL, &peer->conn), 0);
    *ret_fd = fds[1];
}

/* Begins the message. */
static inline void sender_begin(struct sender *sender, uint32_t rank, unsigned most_turns)
{
    struct px_server *s = px_ctx()->server;

    *sender = (struct sender){.peer = {.server = s,
                                       .user = px_user_of(s, geteuid()),
                                       .rank = px_local_proc_find(px_nspace_find(s, JOB), rank),
                                       .id = UINT64_MAX - rank,
                                       .uid = geteuid(),
                                       .gid = getegid(),
                                       .kind = PX_WIRE_PLAIN},
                              .most_turns = most_turns};
    assert_non_null(sender->peer.rank);
    PMIX_LOAD_PROCID(&sender->peer.proc, JOB, rank);
    sender_connect(&sender->peer, &sender->fd);
    (void) px_pack_command(&sender->buf, PX_WIRE_PLAIN, PX_CMD_COMMIT);
}

/* True: there is more to do. */
static inline bool take_turn(struct sender *sender)
{
    struct px_in in = px_in_make(sender->buf.data, sender->buf.len, PX_WIRE_PLAIN);
    uint8_t command;

    if (sender->n_turns++) {
        px_dispatch(&sender->peer, SENDER_TAG, sender->buf.data, sender->buf.len);
    } else {
        assert_int_equal(px_request_open(&sender->peer, 0, &sender->peer.request), 0);
        (void) px_unpack_command(&in, &command);
        assert_int_equal(px_handle_commit(sender->peer.server, &sender->peer, SENDER_TAG, &in), 0);
        sender->peer.request = 0;
    }
    assert_true(sender->n_turns < sender->most_turns);
    return px_is_in_part(&sender->peer);
}

static inline void sender_end(struct sender *sender)
{
    px_parts_drop(&sender->peer);
    px_conn_destroy_loop(sender->peer.conn);
    (void) close(sender->fd);
    px_buf_fini(&sender->buf);
}

#endif
