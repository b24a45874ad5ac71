/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What some releases lack. A library that does not know a key must still take it.
 * Included after the public headers. */

#ifndef PX_CONFORM_LIB_NEWER_H
#define PX_CONFORM_LIB_NEWER_H

#include <stdbool.h>

#ifndef PMIX_QUERY_RESOLVE_PEERS
#define PMIX_QUERY_RESOLVE_PEERS "pmix.qry.peers"
#endif
#ifndef PMIX_QUERY_RESOLVE_NODE
#define PMIX_QUERY_RESOLVE_NODE "pmix.qry.node"
#endif
#ifndef PMIX_EVENT_STAYS_LOCAL
#define PMIX_EVENT_STAYS_LOCAL "pmix.evlocal"
#endif
#ifndef PMIX_ERR_NOT_A_MEMBER
#define PMIX_ERR_NOT_A_MEMBER -66
#endif
#ifndef PMIX_GROUP_INFO_ARRAY
#define PMIX_GROUP_INFO_ARRAY "pmix.grp.infoarray"
#endif
#ifndef PMIX_GROUP_BOOTSTRAP
#define PMIX_GROUP_BOOTSTRAP "pmix.grp.btstrp"
#endif
#ifndef PMIX_QUERY_ALLOC_IDS
#define PMIX_QUERY_ALLOC_IDS "pmix.query.alloc.ids"
#endif

/* Release 4.2 has no way to release one. */
#ifndef PMIX_CPUSET_DESTRUCT
#define PMIX_CPUSET_DESTRUCT(m) PMIX_CPUSET_CONSTRUCT(m)
#endif
#ifndef PMIX_SERVER_SYS_CONTROLLER
#define PMIX_SERVER_SYS_CONTROLLER "pmix.srv.ctrlr"
#endif

/* Functions that some releases do not have: who calls one there crashes. */
bool PMIx_tool_is_connected(void) __attribute__((weak));

#endif
