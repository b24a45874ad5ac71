/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_POOL_H
#define PX_NET_CONN_POOL_H

#include <stdint.h>

/* What several connections have together (px_conn_join_loop): bytes in their queues, and time in
 * which messages of theirs are handled. Its owner makes it, and keeps it for as long as they exist.
 */
struct px_conn_pool {
    uint64_t queued;  /* any thread, by px_fetch_add */
    uint64_t limit;   /* constant: of queued */
    uint64_t turn;    /* loop thread: of the loop, in which one of them was read last */
    uint64_t busy_ns; /* loop thread: how long their messages were handled in that turn */
};

#endif
