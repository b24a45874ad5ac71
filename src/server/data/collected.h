/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COLLECTED_H
#define PX_SERVER_COLLECTED_H

/* What collectives have collected, for a client without the segment: at their end it asks for what
 * has changed of a whole namespace. Loop thread. */

struct px_get;

/* Answers a GET with PX_KEY_COLLECTED: the processes of the namespace, from get->target.rank on,
 * whose committed data have changed since the change get->change, as far as one answer holds them.
 * STATUS; KVAL PX_KEY_COLLECTED, the number that is reached; PROC_RANK where to go on, or
 * PMIX_RANK_INVALID; BYTE_OBJECTs as in other answers, or the segment's. Statuses as
 * px_get_attempt. */
int px_get_collected(struct px_get *get);

#endif
