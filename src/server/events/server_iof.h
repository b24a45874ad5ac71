/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_IOF_H
#define PX_SERVER_IOF_H

#include "src/server/self/loop_call.h"
#include "src/server/requests/requests.h"

/* Subscriptions to output. peer 0 is this process. Loop thread. */

/* NULL when memory is out. */
struct px_iof_subscription *px_iof_subscription_add(struct px_server *s, uint64_t peer,
                                                    const pmix_proc_t *procs, size_t nprocs,
                                                    pmix_iof_channel_t channel);
/* 0 or PMIX_ERR_NOT_FOUND. */
int px_iof_subscription_drop(struct px_server *s, uint64_t peer, size_t id);
struct px_iof_subscription *px_iof_subscription_find(struct px_server *s, uint64_t peer,
                                                     size_t id); /* or NULL */
bool px_iof_subscription_covers(const struct px_iof_subscription *pull,
                                const struct px_output_args *out);
void px_iof_subscription_deliver(struct px_server *s, const struct px_iof_subscription *pull,
                                 const struct px_output_args *out);

/* output_cache.c: what came before somebody asked. */

/* PMIX_SUCCESS also when there is no room for it, or PMIX_ERR_NOMEM. */
int px_output_keep(struct px_server *s, const struct px_output_args *out);
/* Gives the asker, if it is there, what there is for it, within the limits of its directives. */
void px_outputs_deliver(struct px_server *s, uint64_t peer, size_t id, const pmix_info_t *info,
                        size_t ninfo);

#endif
