/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_OUTPUT_CACHE_H
#define PX_SERVER_OUTPUT_CACHE_H

/* Output that arrived before a subscription covered it. Loop thread. */

#include <stddef.h>
#include <stdint.h>

#include <pmix_server.h>

struct px_output;
struct px_server;

/* Frees the output of a namespace's processes. */
void px_outputs_nspace_removed(struct px_server *s, const char *name);

/* Frees everything when the server stops. */
void px_outputs_drop_all(struct px_server *s);

/* Keeps a copy of the output. PMIX_SUCCESS, also if there is no room and the output is dropped; or
 * PMIX_ERR_NOMEM. */
int px_output_keep(struct px_server *s, const struct px_output *out);

/* Delivers to a new subscription (px_iof_subscription.peer and .id) the kept output that it covers,
 * oldest first, and frees it. The directives of the subscription limit how much is delivered:
 * PMIX_IOF_CACHE_SIZE, and PMIX_IOF_DROP_OLDEST or PMIX_IOF_DROP_NEWEST for the part beyond it. No
 * effect if there is no such subscription. */
void px_outputs_deliver(struct px_server *s, uint64_t peer, size_t id, const pmix_info_t *info,
                        size_t ninfo);

#endif
