/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_VALUE_HOOKS_H
#define PX_VALUE_VALUE_HOOKS_H

#include <pmix.h>

/* The operations on one of the types pmix_topology_t and pmix_cpuset_t that only src/topo can do,
 * because the structures hold objects of hwloc; arguments are pointers to such a structure. Set
 * before the first context starts, constant afterwards. While they are NULL, copies are refused
 * with PMIX_ERR_NOT_SUPPORTED unless the object is empty, comparisons go by source and pointer, and
 * a release frees the source string only. */
struct px_value_hooks {
    /* 0 or a negative status, and then the destination is untouched. */
    int (*copy)(const void *src, void *ret_dst);
    /* Everything that the structure owns, but not the structure. */
    void (*release)(void *element);
    pmix_value_cmp_t (*compare)(const void *one, const void *two);
    /* Bytes of what the structure owns, without the structure, for PMIx_Value_get_size. */
    size_t (*size)(const void *element);
    /* Text for people, such as "hwloc:0-3", malloc'd and the caller's. 0 or a negative status. */
    int (*text)(const void *element, char **ret_text);
};

extern struct px_value_hooks px_topology_hooks;
extern struct px_value_hooks px_cpuset_hooks;

#endif
