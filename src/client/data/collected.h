/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_COLLECTED_H
#define PX_CLIENT_COLLECTED_H

/* What a collective has collected, for a process that has no segment to find it in: all committed
 * data of a namespace that have changed since the last time, brought into the private store at the
 * end of the collective. Only servers of this library can be asked; at any other the data come with
 * gets. */

#include <stdbool.h>

struct px_in;
struct px_proc_list;
struct px_procs;
struct px_session;

/* Reads the rest of the reply to a fence, STRING namespace..., and adds each to the list as its
 * PMIX_RANK_WILDCARD. 0, PMIX_ERR_NOMEM or an error of unpacking. */
int px_collected_read(struct px_in *reply, struct px_proc_list *ret);

/* Adds the namespaces of which this process has no segment among its own and those of the list, if
 * the server can be asked. 0 or PMIX_ERR_NOMEM. Loop thread. */
int px_collected_choose(struct px_session *session, const struct px_procs *members,
                        struct px_proc_list *ret);

/* Brings the data of the namespaces of the list, which is emptied, and calls then(arg): at once, or
 * later on the loop thread when all have been brought or the server does not answer. What could not
 * be brought comes with gets. Loop thread. */
void px_collected_fetch(struct px_session *session, struct px_proc_list *nspaces,
                        void (*then)(void *arg), void *arg);

#endif
