/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_H
#define PX_SERVER_GROUP_H

/* Groups (PMIx_Group_construct, _destruct; the Standard, chapter on groups). */

#include <stdint.h>

#include <pmix_server.h>

struct px_coll;
struct px_coll_ops;
struct px_upcall;

/* A member or leader constructs a group. PMIX_ERR_EXISTS if a process is or will be in a group of
 * this name. */
extern const struct px_coll_ops px_group_construct_ops;
/* A member destructs its group. PMIX_ERR_NOT_FOUND if no such group is known and the call names no
 * processes. */
extern const struct px_coll_ops px_group_destruct_ops;

/* For `ask` of both tables: calls the host's group function, which has to exist, with the processes
 * and infos of the upcall. The host's status, or PMIX_ERR_NOMEM. */
pmix_status_t px_group_ask_host(struct px_coll *coll, struct px_upcall *up,
                                pmix_group_operation_t operation);

#endif
