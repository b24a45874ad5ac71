/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUERY_H
#define PX_SERVER_QUERY_H

#include "requests.h"

/* Queries. Loop thread. */

/* Hands up->queries to the host; takes over the upcall. */
void px_upcall_query(struct px_upcall *up);

/* Statuses of a host's query entry. Declined: it lacks this query. Unanswered: it may have answered
 * some keys, or none, and what it did not answer is the server's to answer. Other errors are about
 * the request as a whole. */
bool px_query_declined(pmix_status_t status);
bool px_query_unanswered(pmix_status_t status);

/* query_local.c: appends this server's own answer to one key, or to a whole query for attribute
 * support. 0, PMIX_ERR_NOT_FOUND, PMIX_ERR_PARTIAL_SUCCESS (attribute support), PMIX_ERR_NOMEM. */
int px_query_local(struct px_server *s, const pmix_proc_t *asker, const pmix_query_t *query,
                   const char *key, pmix_info_t **info, size_t *ninfo);

/* server_resolve.c: the two resolve calls, host first. peers: PMIx_Resolve_peers, else
 * PMIx_Resolve_nodes. */
struct px_resolve {
    struct px_server *server;
    struct px_reply_to reply_to;
    pmix_proc_t proc;
    bool peers;
    char *node;
    char *nspace; /* "" or NULL: all */
    /* For calls of this process: called instead of an answer to a peer. */
    void (*done)(void *arg, int status, pmix_proc_t *procs, size_t nprocs, char *nodes);
    void *arg;
};
/* The answer by the library's rules alone. Results are the caller's. */
int px_resolve_known(struct px_server *s, bool peers, const char *node, const char *nspace,
                     pmix_proc_t **procs, size_t *nprocs, char **nodes);
/* Takes over r and what it points at (malloc'd). */
void px_resolve_start(struct px_resolve *r, uid_t uid, gid_t gid);

#endif
