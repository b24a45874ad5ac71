/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_RESOLVE_H
#define PX_CLIENT_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_session;

/* PMIX_LOCAL_PROCS, PMIX_PSET_NAMES, PMIX_GROUP_NAMES: in no store, since they change; always asked
 * of the server. */
bool px_key_is_dynamic(const char *key);

/* The value that is given is good during the callback. */
pmix_status_t px_client_get_dynamic_nb(struct px_session *session, const pmix_proc_t *proc,
                                       const char *key, pmix_value_cbfunc_t cbfunc, void *cbdata);

pmix_status_t px_client_resolve_peers(struct px_ctx *ctx, const char *node, const char *nspace,
                                      pmix_proc_t **procs, size_t *nprocs);
pmix_status_t px_client_resolve_nodes(struct px_ctx *ctx, const char *nspace, char **nodelist);

#endif
