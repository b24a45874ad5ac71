/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_DISCOVERY_SERVER_LIST_H
#define PX_DISCOVERY_SERVER_LIST_H

/* The servers of this node as the answer to a query. */

#include <pmix.h>

/* The qualifiers that PMIX_QUERY_AVAIL_SERVERS honours, as a comma list. */
#define PX_SERVERS_QUALIFIERS                                                                      \
    PMIX_SERVER_NSPACE "," PMIX_SERVER_PIDINFO "," PMIX_CONNECT_TO_SYSTEM "," PMIX_SERVER_TMPDIR   \
                       "," PMIX_SYSTEM_TMPDIR

/* The answer to PMIX_QUERY_AVAIL_SERVERS: fills *ret, which must be empty, with an array of
 * PMIX_SERVER_INFO_ARRAY; the caller frees its value. server_tmpdir and system_tmpdir are searched
 * unless the qualifiers name others; NULL: the directories of the environment. PMIX_ERR_NOT_FOUND:
 * there is no server; PMIX_ERR_BAD_PARAM: a qualifier of a wrong type; PMIX_ERR_NOMEM. Reads files.
 * Any thread. */
int px_servers_answer(const pmix_query_t *query, const char *hostname, const char *server_tmpdir,
                      const char *system_tmpdir, pmix_info_t *ret);

#endif
