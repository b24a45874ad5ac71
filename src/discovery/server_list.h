/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_DISCOVERY_SERVER_LIST_H
#define PX_DISCOVERY_SERVER_LIST_H

#include <pmix.h>

/* The qualifiers that PMIX_QUERY_AVAIL_SERVERS knows. */
#define PX_SERVERS_QUALIFIERS                                                                      \
    PMIX_SERVER_NSPACE "," PMIX_SERVER_PIDINFO "," PMIX_CONNECT_TO_SYSTEM "," PMIX_SERVER_TMPDIR   \
                       "," PMIX_SYSTEM_TMPDIR

/* The answer to PMIX_QUERY_AVAIL_SERVERS, an array of PMIX_SERVER_INFO_ARRAY, in storage that has
 * nothing in it. The folders are looked into where the qualifiers name none; NULL: what the
 * environment says. PMIX_ERR_NOT_FOUND: there is no server; PMIX_ERR_BAD_PARAM: a qualifier of the
 * wrong type. Reads files. Any thread. */
int px_servers_answer(const pmix_query_t *query, const char *hostname, const char *server_tmpdir,
                      const char *system_tmpdir, pmix_info_t *ret);

#endif
