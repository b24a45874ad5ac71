/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_OUTPUT_CACHE_H
#define PX_SERVER_OUTPUT_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <pmix_server.h>

struct px_output_args;
struct px_server;

void px_outputs_nspace_removed(struct px_server *s, const char *name);
void px_outputs_drop_all(struct px_server *s);

/* PMIX_SUCCESS also when there is no room for it, or PMIX_ERR_NOMEM. */
int px_output_keep(struct px_server *s, const struct px_output_args *out);

/* Gives the asker, if it is there, what there is for it, within the limits of its directives. */
void px_outputs_deliver(struct px_server *s, uint64_t peer, size_t id, const pmix_info_t *info,
                        size_t ninfo);

#endif
