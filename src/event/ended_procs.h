/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_ENDED_PROCS_H
#define PX_EVENT_ENDED_PROCS_H

/* Which processes have ended, as far as this process was told, and which of them have then been
 * started again under the same name. PMIX_RANK_WILDCARD stands for a whole namespace. The newest
 * PX_ENDED_MOST of each kind are remembered. Embedded in its owner, who says which thread uses it;
 * zeros: none. Without memory news are forgotten. */

#include <stdbool.h>
#include <stddef.h>

#include "src/value/proc_list.h"

enum { PX_ENDED_MOST = 4096 };

struct px_ended_procs {
    struct px_proc_list ended;
    struct px_proc_list revived;
};

/* A process, or a whole namespace, has ended. O(1); for a namespace linear in what is remembered.
 */
void px_ended_add(struct px_ended_procs *procs, const pmix_proc_t *proc);
/* A process has given a sign of life: if it counts as ended it has been started again, and so has
 * its job if that counts as ended. */
void px_ended_revive(struct px_ended_procs *procs, const pmix_proc_t *proc);

/* True if a process counts as ended, by itself or with its namespace. O(1). */
bool px_ended_has(struct px_ended_procs *procs, const pmix_proc_t *proc);
/* True if it has ended and has been started again since. O(1). */
bool px_ended_was_revived(struct px_ended_procs *procs, const pmix_proc_t *proc);

/* Forgets all, and releases the memory. */
void px_ended_fini(struct px_ended_procs *procs);

#endif
