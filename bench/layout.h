/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_LAYOUT_H
#define PX_BENCH_LAYOUT_H

#include <stddef.h>

/* A job, and where its ranks are. The first rank of each node is followed by the others of it in
 * the order of ranks. */
struct layout {
    const char *nspace;
    const char *job_id;
    unsigned ranks;
    unsigned nodes;
    unsigned here; /* the node that this server is */
    unsigned (*node_of)(unsigned rank);
    unsigned (*local_rank_of)(unsigned rank);
    void (*node_name)(unsigned node, char *ret, size_t room);
};

/* Tells the library all about the job, and of the clients on this node; what goes wrong ends the
 * program. */
void layout_register(const struct layout *layout);

/* Locality string of the process with that local rank. */
enum { LOCALITY = 64 };
void locality_of(unsigned local_rank, char ret[LOCALITY]);

#endif
