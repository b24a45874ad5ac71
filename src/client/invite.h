/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITE_H
#define PX_CLIENT_INVITE_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_invitation;

/* Events, by side. */
void px_invitation_answered(struct px_invitation *invitation, const pmix_proc_t *who, bool accepted,
                            const pmix_info_t *info, size_t ninfo);
void px_invitation_lost(struct px_invitation *invitation, const pmix_proc_t *who);

pmix_status_t px_client_group_invite_nb(struct px_ctx *ctx, const char *group,
                                        const pmix_proc_t *procs, size_t nprocs,
                                        const pmix_info_t *info, size_t ninfo,
                                        pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_group_join_nb(struct px_ctx *ctx, const char *group,
                                      const pmix_proc_t *leader, pmix_group_opt_t answer,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata);

#endif
