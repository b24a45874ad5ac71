/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUERY_LOCAL_H
#define PX_SERVER_QUERY_LOCAL_H

/* Answers of this server to queries, without the host: about namespaces, groups, process sets,
 * local processes, and registered data. Loop thread. */

#include <stddef.h>

#include <pmix_server.h>

#include "query_sets.h"

struct px_upcall;

/* What the server reads to answer a key. The size of the answer is counted apart. */
enum px_query_looks_at {
    PX_LOOKS_AT_LITTLE,  /* a few records */
    PX_LOOKS_AT_SETS,    /* the list of all process sets and groups; for a range their members */
    PX_LOOKS_AT_MEMBERS, /* that list, and the members of each set */
    PX_LOOKS_AT_NODES,   /* for each name of a node, all nodes of all namespaces */
    PX_LOOKS_AT_FILES    /* the rendezvous files of all servers of this node */
};
enum px_query_looks_at px_query_looks_at(const char *key);

/* What may still be looked at in a turn of the loop, in sets of processes, and how far the answer
 * to a key has come. */
struct px_query_turn {
    size_t left;
    struct px_sets_walk walk; /* ended with px_sets_walk_fini */
};

/* Appends this server's answer to one key of a query, or to a query for attribute support as a
 * whole, to the infos, of which the caller becomes the owner. Queries without a process are about
 * the requester or its namespace. 0, PMIX_ERR_NOT_FOUND (also: of a namespace that the requester
 * may have no data of), PMIX_ERR_PARTIAL_SUCCESS (attribute support only), PMIX_ERR_NOMEM.
 * PX_QUERY_MORE: nothing was appended yet; the same call goes on in another turn. */
int px_query_local(struct px_upcall *up, const pmix_query_t *query, const char *key,
                   struct px_query_turn *turn, pmix_info_t **info, size_t *ninfo);

#endif
