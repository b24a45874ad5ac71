/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUERY_SETS_H
#define PX_SERVER_QUERY_SETS_H

/* The process sets and groups that a query is about. Loop thread. */

#include <pmix_common.h>

#include "src/nspace/proc_sets.h"

struct px_server;

/* Which sets are asked for. All is borrowed. */
struct px_sets_asked {
    struct px_server *s;
    enum px_proc_set_kind kind;
    const pmix_proc_t *member; /* that they have; NULL: any */
    const pmix_proc_t *asker;  /* the range is seen from there */
    pmix_data_range_t range;
};

/* The range of a query's qualifiers (PMIX_RANGE): PMIX_RANGE_SESSION without one, and
 * PMIX_RANGE_INVALID, in which there is no set, if it is of another type. */
pmix_data_range_t px_sets_range(const pmix_query_t *query);

/* The next set that is asked for behind `from`; NULL: from the first one on, and nothing when there
 * is none any more. A set is in a range if a member of it is: the asker (PMIX_RANGE_PROC_LOCAL), a
 * process of its namespace, a client of this server (PMIX_RANGE_LOCAL), any process (SESSION,
 * GLOBAL and UNDEF). No set is in PMIX_RANGE_RM or in PMIX_RANGE_CUSTOM, for which a query has no
 * list of processes. */
const struct px_proc_set *px_sets_next(const struct px_sets_asked *asked,
                                       const struct px_proc_set *from);
/* How many there are. */
size_t px_sets_count(const struct px_sets_asked *asked);
/* Their names, in an array that is the caller's to free() (NULL: there are none); each is borrowed
 * from its set. 0 or PMIX_ERR_NOMEM: then the array is incomplete. */
int px_sets_names(const struct px_sets_asked *asked, char ***ret, size_t *ret_n);

#endif
