/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_PRIV_H
#define PX_NET_CONN_PRIV_H

/* The inside of a connection, shared by conn.c, conn_read.c and conn_write.c only. */

#include <stdbool.h>

#include "src/base/list.h"
#include "src/base/lock.h"
#include "conn_sender.h"
#include "src/net/conn.h"

/* Bytes of a frame's header (docs/wire-format.md, section 2.1). */
enum { PX_CONN_HEADER = 16 };

/* A descriptor that has arrived and waits for the rest of its message. `at`: place in the stream of
 * the last byte that was received with it. */
struct px_conn_passed_fd {
    int fd; /* -1: free */
    uint64_t at;
};

/* What has been received and not yet delivered. Loop thread. Small messages are collected in
 * `small` and delivered from there; a message that does not fit is received into `big`, and nothing
 * else meanwhile. */
struct px_conn_in {
    unsigned char *small; /* fixed size: headers and small messages */
    size_t start;         /* first unread byte in small */
    size_t end;           /* first free byte in small */
    unsigned char *big;   /* one payload that does not fit small, or NULL */
    size_t big_len;       /* announced */
    size_t big_have;      /* arrived */
    size_t big_cap;       /* allocated: grows with what arrives */
    uint32_t big_tag;
    bool in_part;      /* of `big`, which is complete, a part has been handled */
    bool waits;        /* what was received has to be looked at in another turn */
    uint64_t until_ns; /* messages are handled until then; UINT64_MAX: as long as there are some */
    size_t discard;    /* bytes that are still to come of a message that is not wanted */
    uint64_t consumed; /* bytes of the stream that were delivered */
    struct px_conn_passed_fd passed_fds[2];
};

/* One connection. Owned by its creator until px_conn_destroy_loop; freed when, besides, no callback
 * of it is on the stack and no task of it is posted. */
struct px_conn {
    /* Constant, except fd. */
    struct px_loop *loop;
    int fd; /* -1 when it was closed; changed on the loop thread under lock */
    bool is_unix;
    uint32_t index;
    size_t max_msg;
    struct px_conn_ops ops;
    void *arg;
    /* Reading, and the life of the connection. */
    struct px_io io;              /* loop thread */
    struct px_timer next_turn;    /* loop thread: armed while in.waits */
    struct px_timer next_try;     /* loop thread: armed while the kernel is short of memory */
    struct px_conn_in in;         /* loop thread */
    unsigned busy;                /* loop thread: callbacks on the stack (enter, leave) */
    bool closed;                  /* loop thread: `closed` was called, or destroy */
    bool destroyed;               /* loop thread */
    bool wants_sender;            /* loop thread: `sender` is to be noted */
    struct px_conn_sender sender; /* loop thread: of the first bytes, once they have come */
    /* Writing. */
    struct px_task wake; /* lock: posted while wake_posted */
    struct px_lock lock;
    bool wake_posted;          /* lock */
    bool broken;               /* lock: nothing is sent any more */
    struct px_list queue;      /* lock: struct out, oldest first */
    bool was_queued;           /* lock: something had to wait, and `drained` was not called since */
    size_t queued;             /* lock: bytes that wait in queue */
    size_t queued_offers;      /* lock: those of px_conn_offer_take */
    size_t queued_fds;         /* lock: descriptors that wait in queue */
    size_t limit;              /* constant: of queued, less queued_offers */
    struct px_conn_pool *pool; /* constant after px_conn_join_loop; or NULL */
};

#endif
