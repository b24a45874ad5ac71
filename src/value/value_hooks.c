/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The hooks for topologies and cpusets, NULL until src/topo sets them (px_topo_install_hooks). */
#include "value_hooks.h"

#include <stddef.h>

int (*px_value_topology_copy)(const pmix_topology_t *src, pmix_topology_t *ret_dst) = NULL;
void (*px_value_topology_release)(pmix_topology_t *topo) = NULL;
pmix_value_cmp_t (*px_value_topology_compare)(const pmix_topology_t *one,
                                              const pmix_topology_t *two) = NULL;
size_t (*px_value_topology_size)(const pmix_topology_t *topo) = NULL;

int (*px_value_cpuset_copy)(const pmix_cpuset_t *src, pmix_cpuset_t *ret_dst) = NULL;
void (*px_value_cpuset_release)(pmix_cpuset_t *cpuset) = NULL;
pmix_value_cmp_t (*px_value_cpuset_compare)(const pmix_cpuset_t *one,
                                            const pmix_cpuset_t *two) = NULL;
size_t (*px_value_cpuset_size)(const pmix_cpuset_t *cpuset) = NULL;
int (*px_value_cpuset_text)(const pmix_cpuset_t *cpuset, char **ret_text) = NULL;
