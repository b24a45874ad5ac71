/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_H
#define PX_SERVER_GROUP_H

/* Groups (PMIx_Group_construct, _destruct; the Standard, chapter on groups). */

#include <stdbool.h>
#include <stdint.h>

#include <pmix_server.h>

struct px_coll;
struct px_coll_member;
struct px_coll_ops;
struct px_server;
struct px_upcall;

/* A member or leader constructs a group. PMIX_ERR_EXISTS if a process is or will be in a group of
 * this name. */
extern const struct px_coll_ops px_group_construct_ops;
/* A member destructs its group. PMIX_ERR_NOT_FOUND if no such group of the caller is known and the
 * call names no processes, or a member of another group of this name. */
extern const struct px_coll_ops px_group_destruct_ops;

/* For `ask` of both tables: calls the host's group function, which has to exist, with the processes
 * and infos of the upcall. The host's status, or PMIX_ERR_NOMEM. */
pmix_status_t px_group_ask_host(struct px_coll *coll, struct px_upcall *up,
                                pmix_group_operation_t operation);

/* True if one of the processes is in a group of that name. Names are unique only per process:
 * halves of a job may each have a group of the same name, but no process may be in two of them. */
bool px_group_name_used(struct px_server *s, const char *name, const pmix_proc_t *procs, size_t n);
/* The meaning of a group's name for a caller: the serial number of the group of this name of which
 * the caller is a member; if there is none, a number that all callers of its user share. Linear in
 * the number of groups. */
uint64_t px_group_name_meaning(struct px_server *s, const char *name,
                               const struct px_coll_member *who);

#endif
