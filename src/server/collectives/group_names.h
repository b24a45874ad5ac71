/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_NAMES_H
#define PX_SERVER_GROUP_NAMES_H

/* Names of groups on a server, and what tells them from names of jobs. The name of a job never
 * stands for a group. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

struct px_proc_set;
struct px_server;

/* True if the host has registered a namespace of this name, or a client of it: no group can have
 * the name. */
bool px_group_name_is_job(struct px_server *s, const char *name);
/* The host has registered a job: groups of its name cannot be named any more. */
void px_group_names_job(struct px_server *s, const char *name);

/* Adds a group to the registry. NULL if it cannot be named: a job has the name, or memory is
 * out. */
struct px_proc_set *px_group_names_add(struct px_server *s, const char *name,
                                       const pmix_proc_t *members, size_t n);

#endif
