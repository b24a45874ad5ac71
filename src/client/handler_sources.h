/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_HANDLER_SOURCES_H
#define PX_CLIENT_HANDLER_SOURCES_H

struct px_args;
struct px_completion;
struct px_ctx;

/* px_role_ops.spell_sources: groups of which this process is no member are looked up at its
 * server. */
void px_client_spell_sources(struct px_ctx *ctx, struct px_args *infos,
                             const struct px_completion *to);

#endif
