/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_RESOLVE_H
#define PX_SERVER_RESOLVE_H

/* The resolve service (PMIx_Resolve_peers, PMIx_Resolve_nodes): the host is asked first, by its
 * query function; otherwise the server resolves from the registered namespaces. Loop thread. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <pmix.h>

struct px_reply;
struct px_server;
struct px_store;
struct px_upcall;

/* The stores in which names are resolved. The array is owned by the caller of px_stores_named,
 * the stores by their namespaces. */
struct px_nspace_stores {
    const struct px_store **at;
    size_t n;
};

/* Call of both services: builds a query and passes it to the host. PMIX_ERR_NOT_FOUND if the
 * host is not asked: it has no query function, it declined such a query before, or the call is
 * one of this process while another one is at the host. PMIX_ERR_NOMEM. */
pmix_status_t px_resolve_call(struct px_upcall *up);
/* Done of both services: takes the host's answer, or resolves from the stores if it has none,
 * and replies. An error of the host that concerns more than the key is the reply's status. */
void px_resolve_answered(struct px_upcall *up);

/* Finds the stores of a namespace: one or none; of all namespaces for NULL or "". The caller
 * frees ret->at. 0 or PMIX_ERR_NOMEM. */
int px_stores_named(struct px_server *s, const char *nspace, struct px_nspace_stores *ret);

/* Resolves from the stores alone. `peers`: processes of the namespace on the node, else the
 * nodes of the namespace. The result is in the reply, which the caller owns. Loop thread, or a
 * forked child without one. 0, PMIX_ERR_NOMEM, or the status of px_resolve_peers or
 * px_resolve_nodes. */
int px_resolve_here(struct px_server *s, bool peers, const char *node, const char *nspace,
                    struct px_reply *reply);

#endif
