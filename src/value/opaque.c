/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The shapes of topologies and cpusets. Each is the name of a source and a pointer to an object of
 * hwloc, which only src/topo can open, through value_hooks.h. Without these hooks an object is
 * never freed or followed: somebody else owns it, and all that can be done is to compare its
 * pointer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "value_hooks.h"
#include "shapes.h"
#include "print.h"
#include "scalars.h"
#include "text.h"

/* Copies an empty structure, that is, its source name. PMIX_ERR_NOT_SUPPORTED if there is an
 * object, PMIX_ERR_NOMEM. */
static int copy_source(const char *source, const void *object, char **ret_source)
{
    char *copy = source != NULL ? strdup(source) : NULL;

    if (object != NULL || (source != NULL && copy == NULL)) {
        free(copy);
        return object != NULL ? PMIX_ERR_NOT_SUPPORTED : PMIX_ERR_NOMEM;
    }
    *ret_source = copy;
    return PMIX_SUCCESS;
}

/* Orders by the names of the sources, then by the addresses of the objects. */
static pmix_value_cmp_t compare_sources(const char *a, const void *x, const char *b, const void *y)
{
    pmix_value_cmp_t order = px_string_compare(a, b);

    return order != PMIX_EQUAL
               ? order
               : px_order((uintptr_t) x > (uintptr_t) y, (uintptr_t) x < (uintptr_t) y);
}

/* Copies a topology by the hook; an empty one also without it. dst is cleared first, so it owns
 * nothing after a failure. */
static int copy_topo(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    const pmix_topology_t *topo = src;

    (void) depth;
    memset(dst, 0, type->size);
    return topo->topology != NULL && px_value_topology_copy != NULL
               ? px_value_topology_copy(src, dst)
               : copy_source(topo->source, topo->topology, &((pmix_topology_t *) dst)->source);
}

/* Releases a topology by the hook; without it only the source name. */
static void fini_topo(const struct px_type *type, void *element)
{
    pmix_topology_t *topo = element;

    if (px_value_topology_release != NULL && topo->topology != NULL) {
        px_value_topology_release(topo);
    } else {
        free(topo->source);
    }
    memset(element, 0, type->size);
}

/* Orders topologies by the hook if both have an object, else by their sources and addresses. */
static pmix_value_cmp_t compare_topo(const struct px_type *type, const void *a, const void *b,
                                     unsigned depth)
{
    const pmix_topology_t *x = a;
    const pmix_topology_t *y = b;

    (void) type;
    (void) depth;
    return px_value_topology_compare != NULL && x->topology != NULL && y->topology != NULL
               ? px_value_topology_compare(x, y)
               : compare_sources(x->source, x->topology, y->source, y->topology);
}

/* Adds the memory of the object as the hook reports it, else that of the source name. */
static int measure_topo(const struct px_type *type, const void *element, unsigned depth,
                        size_t *sum)
{
    const pmix_topology_t *topo = element;

    (void) type;
    (void) depth;
    if (px_value_topology_size != NULL && topo->topology != NULL) {
        *sum += px_value_topology_size(topo);
    } else if (topo->source != NULL) {
        *sum += strlen(topo->source) + 1;
    }
    return PMIX_SUCCESS;
}

/* Prints the source and whether there is an object. */
static void print_topo(struct px_buf *out, const struct px_type *type, const void *element,
                       unsigned depth)
{
    const pmix_topology_t *topo = element;

    (void) type;
    (void) depth;
    px_print_string(out, topo->source);
    px_print_format(out, topo->topology == NULL ? " (empty)" : " topology");
}

const struct px_shape_ops px_topo_ops = {
    .copy = copy_topo,
    .fini = fini_topo,
    .compare = compare_topo,
    .measure = measure_topo,
    .print = print_topo,
};

/* Copies a cpuset by the hook; an unbound one also without it. dst is cleared first, so it owns
 * nothing after a failure. */
static int copy_cpuset(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    const pmix_cpuset_t *cpuset = src;

    (void) depth;
    memset(dst, 0, type->size);
    return cpuset->bitmap != NULL && px_value_cpuset_copy != NULL
               ? px_value_cpuset_copy(src, dst)
               : copy_source(cpuset->source, cpuset->bitmap, &((pmix_cpuset_t *) dst)->source);
}

/* Releases a cpuset by the hook; without it only the source name. */
static void fini_cpuset(const struct px_type *type, void *element)
{
    pmix_cpuset_t *cpuset = element;

    if (px_value_cpuset_release != NULL && cpuset->bitmap != NULL) {
        px_value_cpuset_release(cpuset);
    } else {
        free(cpuset->source);
    }
    memset(element, 0, type->size);
}

/* Orders cpusets by the hook if both are bound, else by their sources and addresses. */
static pmix_value_cmp_t compare_cpuset(const struct px_type *type, const void *a, const void *b,
                                       unsigned depth)
{
    const pmix_cpuset_t *x = a;
    const pmix_cpuset_t *y = b;

    (void) type;
    (void) depth;
    return px_value_cpuset_compare != NULL && x->bitmap != NULL && y->bitmap != NULL
               ? px_value_cpuset_compare(x, y)
               : compare_sources(x->source, x->bitmap, y->source, y->bitmap);
}

/* Adds the memory of the bitmap as the hook reports it, else that of the source name. */
static int measure_cpuset(const struct px_type *type, const void *element, unsigned depth,
                          size_t *sum)
{
    const pmix_cpuset_t *cpuset = element;

    (void) type;
    (void) depth;
    if (px_value_cpuset_size != NULL && cpuset->bitmap != NULL) {
        *sum += px_value_cpuset_size(cpuset);
    } else if (cpuset->source != NULL) {
        *sum += strlen(cpuset->source) + 1;
    }
    return PMIX_SUCCESS;
}

/* Prints the list of CPUs by the hook, else the source and whether the cpuset is bound. */
static void print_cpuset(struct px_buf *out, const struct px_type *type, const void *element,
                         unsigned depth)
{
    const pmix_cpuset_t *cpuset = element;
    char *text;

    (void) type;
    (void) depth;
    if (cpuset->bitmap == NULL || px_value_cpuset_text == NULL ||
        px_value_cpuset_text(cpuset, &text) != PMIX_SUCCESS) {
        px_print_string(out, cpuset->source);
        px_print_format(out, cpuset->bitmap == NULL ? " (unbound)" : " cpuset");
        return;
    }
    px_print_string(out, text);
    free(text);
}

const struct px_shape_ops px_cpuset_ops = {
    .copy = copy_cpuset,
    .fini = fini_cpuset,
    .compare = compare_cpuset,
    .measure = measure_cpuset,
    .print = print_cpuset,
};
