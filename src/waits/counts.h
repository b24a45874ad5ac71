/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WAITS_COUNTS_H
#define PX_WAITS_COUNTS_H

/* What is counted. Each is one word, and of no moment with another. */
enum px_waits_count {
    PX_WAITS_N_NSPACES,     /* namespaces that the server has, now */
    PX_WAITS_N_PROCS,       /* processes of this node in them, now */
    PX_WAITS_N_CONNECTIONS, /* of processes and tools, now */
    PX_WAITS_N_MESSAGES,    /* that have come: requests, and heartbeats */
    PX_WAITS_BYTES_IN,      /* in them */
    PX_WAITS_BYTES_OUT,     /* in what was sent: replies, events, output */
    PX_WAITS_N_COLLECTIVES, /* that have ended */
    PX_WAITS_N_EVENTS,      /* that were sent */
    PX_WAITS_N_KEPT,        /* events that are kept for who registers later, now */
    PX_WAITS_COUNTS = 16,   /* the rest is for later */
};

#endif
