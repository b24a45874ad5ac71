/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_KEPT_ENDS_H
#define PX_SERVER_KEPT_ENDS_H

/* Ends of processes that the host has reported, among the events that are kept for those who ask
 * late. Loop thread. */

#include <pmix_common.h>

struct px_server;

/* A process has been started again under its name, or its whole namespace (PMIX_RANK_WILDCARD): its
 * end is kept no longer, nor one of its whole namespace. An event that reports other processes,
 * too, is kept with those. Of a namespace local processes that are not registered again have still
 * ended. What clients have reported of each other stays. Without memory the ends of the others of
 * such an event are forgotten as well. Linear in the number of kept events, for each event that
 * reports others, too. */
void px_ends_undone(struct px_server *s, const pmix_proc_t *proc);

#endif
