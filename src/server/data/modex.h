/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_H
#define PX_SERVER_MODEX_H

/* Direct modex, the end that asks: the host's direct_modex upcall for data of other nodes. Loop
 * thread. */

#include <stdint.h>

struct px_get;
struct px_server;

/* The number of the upcall that the get can share (px_get.modex): that of one under way for its
 * process with the same directives, else a new one. 0 stands for the first upcall of a process; the
 * job's information (rank PMIX_RANK_WILDCARD) has no other. */
uint64_t px_modex_choose(struct px_server *s, const struct px_get *get, uint32_t rank);

/* Asks the host for the data of the get's target; rank PMIX_RANK_WILDCARD: for the job's
 * information. A get that renews data has an upcall of its own, those with the same px_get.modex
 * share one. The host may have
 * answered when this returns. 0, PMIX_ERR_NOT_FOUND (the host has no direct_modex) or
 * PMIX_ERR_NOMEM. */
int px_modex_start(struct px_server *s, const struct px_get *get, uint32_t rank);

#endif
