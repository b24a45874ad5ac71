/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_POOL_H
#define PX_NET_CONN_POOL_H

#include <stdint.h>

/* What waits in the queues of several connections together, in bytes (px_conn_join_loop). Its owner
 * makes it, and keeps it for as long as they exist. */
struct px_conn_pool {
    uint64_t queued; /* any thread, by px_fetch_add */
    uint64_t limit;  /* constant */
};

#endif
