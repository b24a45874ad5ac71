/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_GET_DIRECTIVES_H
#define PX_GDS_GET_DIRECTIVES_H

/* The meaning of PMIx_Get's directives to a store: how the value is returned, in which realm it is
 * looked for, whose qualifiers apply. Standard, chapter on data access (PMIx_Get). */

#include "gds/lookup.h"
#include "src/value/directives.h"
#include "slice.h"

/* How the value is to be returned: PMIX_GET_STATIC_VALUES wins over PMIX_GET_POINTER_VALUES;
 * without either the caller gets a fresh copy, which it frees. */
static inline enum px_return_mode px_get_mode(const struct px_get_directives *directives)
{
    return directives->static_values    ? PX_RETURN_FILL
           : directives->pointer_values ? PX_RETURN_POINTER
                                        : PX_RETURN_COPY;
}

/* The realm that a directive names (PMIX_NODE_INFO, PMIX_JOB_INFO, ...), PX_REALM_NONE if none
 * does. Of several the first in this order counts. */
static inline enum px_realm px_get_realm(const struct px_get_directives *directives)
{
    return !directives->head.n_flags  ? PX_REALM_NONE
           : directives->node_info    ? PX_REALM_NODE
           : directives->job_info     ? PX_REALM_JOB
           : directives->app_info     ? PX_REALM_APP
           : directives->session_info ? PX_REALM_SESSION
           : directives->proc_info    ? PX_REALM_PROC
                                      : PX_REALM_NONE;
}

/* Sets the fields of a lookup key that directives give: all but rank, key and qualifiers. A number
 * that was not given has the same value for the directives and for the store. */
static inline void px_ask_direct(struct px_lookup_key *ask,
                                 const struct px_get_directives *directives)
{
    _Static_assert((uint32_t) PX_NO_NODEID == (uint32_t) PX_NOT_GIVEN, "");
    _Static_assert((uint32_t) PX_NO_APP == (uint32_t) PX_NOT_GIVEN, "");
    _Static_assert((uint32_t) PX_NO_SESSION == (uint32_t) PX_NOT_GIVEN, "");
    ask->realm = px_get_realm(directives);
    ask->hostname = directives->hostname;
    ask->nodeid = directives->nodeid;
    ask->appnum = directives->appnum;
    ask->session = directives->session_id;
    ask->scope = directives->data_scope;
}

#endif
