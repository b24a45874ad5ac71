/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Operations of the value family on its two opaque structures. pmix_topology_t and pmix_cpuset_t
 * hold hwloc objects, which the value layer copies, releases, compares and measures through these
 * functions (src/topo/topo_hooks.c). They share no state. */

#include "hwloc_lib.h"
#include "topo_values.h"

#include "topo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int px_topo_copy(const void *from, void *ret_to)
{
    const pmix_topology_t *src = from;
    pmix_topology_t *ret_dst = ret_to;

    if (src->source == NULL || !px_topo_is_ours(src->source)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    char *source = strdup(src->source);
    if (source == NULL) {
        return PMIX_ERR_NOMEM;
    }
    hwloc_topology_t copy = NULL;
    if (src->topology != NULL && hwloc_topology_dup(&copy, src->topology) != 0) {
        free(source);
        return PMIX_ERR_NOMEM;
    }
    ret_dst->source = source;
    ret_dst->topology = copy;
    return 0;
}

void px_topo_destruct(void *element)
{
    pmix_topology_t *topo = element;

    if (topo == NULL) {
        return;
    }
    bool ours = topo->source != NULL && px_topo_is_ours(topo->source);
    if (ours && topo->topology != NULL && !px_topo_is_lent(topo->topology)) {
        hwloc_topology_destroy(topo->topology);
    }
    free(topo->source);
    topo->source = NULL;
    topo->topology = NULL;
}

/* 0 if the structure has a topology of hwloc; PMIX_ERR_BAD_PARAM, PMIX_ERR_NOT_SUPPORTED. */
static int check(const pmix_topology_t *topo)
{
    if (topo->topology == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return topo->source != NULL && px_topo_is_ours(topo->source) ? 0 : PMIX_ERR_NOT_SUPPORTED;
}

/* The number of objects of a type; 0 also if they are on no level of their own. */
static unsigned count(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int depth = hwloc_get_type_depth(topology, type);

    return depth >= 0 ? hwloc_get_nbobjs_by_depth(topology, depth) : 0;
}

int px_topo_text(const void *element, char **ret_text)
{
    const pmix_topology_t *topo = element;
    int rc = check(topo);

    if (rc != 0) {
        return rc;
    }
    rc = asprintf(ret_text, "hwloc:Machine, packages: %u, cores: %u, processing units: %u",
                  count(topo->topology, HWLOC_OBJ_PACKAGE), count(topo->topology, HWLOC_OBJ_CORE),
                  count(topo->topology, HWLOC_OBJ_PU));
    return rc < 0 ? PMIX_ERR_NOMEM : 0;
}

int px_topo_to_xml(const pmix_topology_t *topo, char **ret_xml)
{
    int rc = check(topo);

    if (rc != 0) {
        return rc;
    }
    return px_topo_export(topo->topology, ret_xml);
}

int px_topo_from_xml(const char *xml, pmix_topology_t *ret_topo)
{
    char *source = strdup(PX_TOPO_SOURCE);
    if (source == NULL) {
        return PMIX_ERR_NOMEM;
    }
    hwloc_topology_t topo;
    int rc = px_topo_build(xml, NULL, false, &topo);
    if (rc != 0) {
        free(source);
        return rc;
    }
    ret_topo->source = source;
    ret_topo->topology = topo;
    return 0;
}

/* True if both describe the same hardware. Differences in notes about how each was obtained (the
 * tool, its version) do not count. False also if hwloc cannot compare them. */
static bool same_hardware(hwloc_topology_t one, hwloc_topology_t two)
{
    hwloc_topology_diff_t diff = NULL;

    if (hwloc_topology_diff_build(one, two, 0, &diff) < 0) {
        return false;
    }
    bool same = true;
    for (hwloc_topology_diff_t d = diff; d != NULL; d = d->generic.next) {
        same = same && d->generic.type == HWLOC_TOPOLOGY_DIFF_OBJ_ATTR &&
               d->obj_attr.diff.generic.type == HWLOC_TOPOLOGY_DIFF_OBJ_ATTR_INFO;
    }
    hwloc_topology_diff_destroy(diff);
    return same;
}

/* Exports both first, so that only topologies of ours reach hwloc's comparison. */
pmix_value_cmp_t px_topo_compare(const void *x, const void *y)
{
    const pmix_topology_t *one = x;
    const pmix_topology_t *two = y;

    if (one->topology == two->topology) {
        return PMIX_EQUAL;
    }
    char *a = NULL;
    char *b = NULL;
    pmix_value_cmp_t result = PMIX_VALUE_COMPARISON_NOT_AVAIL;
    if (px_topo_to_xml(one, &a) == 0 && px_topo_to_xml(two, &b) == 0) {
        result = same_hardware(one->topology, two->topology) ? PMIX_EQUAL
                 : strcmp(a, b) > 0                          ? PMIX_VALUE1_GREATER
                                                             : PMIX_VALUE2_GREATER;
    }
    free(a);
    free(b);
    return result;
}

size_t px_topo_size(const void *element)
{
    const pmix_topology_t *topo = element;

    char *xml;

    if (px_topo_to_xml(topo, &xml) != 0) {
        return 0;
    }
    size_t n = strlen(xml);
    free(xml);
    return n;
}

size_t px_topo_support_size(void)
{
    return sizeof(struct hwloc_topology_discovery_support) +
           sizeof(struct hwloc_topology_cpubind_support) +
           sizeof(struct hwloc_topology_membind_support);
}

void px_topo_support(const pmix_topology_t *topo, void *ret_bytes)
{
    const struct hwloc_topology_support *support = hwloc_topology_get_support(topo->topology);
    char *at = ret_bytes;

    memcpy(at, support->discovery, sizeof(*support->discovery));
    at += sizeof(*support->discovery);
    memcpy(at, support->cpubind, sizeof(*support->cpubind));
    at += sizeof(*support->cpubind);
    memcpy(at, support->membind, sizeof(*support->membind));
}

int px_topo_cpuset_copy(const void *from, void *ret_to)
{
    const pmix_cpuset_t *src = from;
    pmix_cpuset_t *ret_dst = ret_to;

    if (src->source == NULL || !px_topo_is_ours(src->source)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    char *source = strdup(src->source);
    hwloc_bitmap_t copy = src->bitmap != NULL ? hwloc_bitmap_dup(src->bitmap) : NULL;
    if (source == NULL || (src->bitmap != NULL && copy == NULL)) {
        free(source);
        hwloc_bitmap_free(copy);
        return PMIX_ERR_NOMEM;
    }
    ret_dst->source = source;
    ret_dst->bitmap = copy;
    return 0;
}

void px_topo_cpuset_destruct(void *element)
{
    pmix_cpuset_t *cpuset = element;

    if (cpuset == NULL) {
        return;
    }
    if (cpuset->source != NULL && px_topo_is_ours(cpuset->source)) {
        hwloc_bitmap_free(cpuset->bitmap);
    }
    free(cpuset->source);
    cpuset->source = NULL;
    cpuset->bitmap = NULL;
}

pmix_value_cmp_t px_topo_cpuset_compare(const void *x, const void *y)
{
    const pmix_cpuset_t *one = x;
    const pmix_cpuset_t *two = y;

    if (one->bitmap == NULL || two->bitmap == NULL) {
        return one->bitmap == two->bitmap ? PMIX_EQUAL
               : one->bitmap != NULL      ? PMIX_VALUE1_GREATER
                                          : PMIX_VALUE2_GREATER;
    }
    int order = hwloc_bitmap_compare(one->bitmap, two->bitmap);
    return order == 0 ? PMIX_EQUAL : order > 0 ? PMIX_VALUE1_GREATER : PMIX_VALUE2_GREATER;
}

size_t px_topo_cpuset_size(const void *element)
{
    const pmix_cpuset_t *cpuset = element;

    if (cpuset->bitmap == NULL) {
        return 0;
    }
    int n = hwloc_bitmap_nr_ulongs(cpuset->bitmap);
    return n > 0 ? (size_t) n * sizeof(unsigned long) : 0;
}
