/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The shape of topologies and cpusets. Each is the name of a source and a pointer to an object of
 * hwloc, which only src/topo can open, through value_hooks.h. Without these hooks an object is
 * never freed or followed: somebody else owns it, and all that can be done is to compare its
 * pointer. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "value_hooks.h"
#include "shapes.h"
#include "print.h"
#include "scalars.h"
#include "text.h"

/* Empty until src/topo sets them (px_topo_install_hooks). */
struct px_value_hooks px_topology_hooks;
struct px_value_hooks px_cpuset_hooks;

/* What the two structures have in common. */
struct opaque {
    char *source;
    void *object;
};

_Static_assert(sizeof(struct opaque) == sizeof(pmix_topology_t) &&
                   offsetof(struct opaque, object) == offsetof(pmix_topology_t, topology),
               "a topology is opaque");
_Static_assert(sizeof(struct opaque) == sizeof(pmix_cpuset_t) &&
                   offsetof(struct opaque, object) == offsetof(pmix_cpuset_t, bitmap),
               "a cpuset is opaque");

static const struct px_value_hooks *hooks_of(const struct px_type *type)
{
    return type->type == PMIX_TOPO ? &px_topology_hooks : &px_cpuset_hooks;
}

/* Copies by the hook; without an object the name of the source only. dst is cleared first, so it
 * owns nothing after a failure. PMIX_ERR_NOT_SUPPORTED if there is an object and no hook,
 * PMIX_ERR_NOMEM. */
static int copy_opaque(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    const struct px_value_hooks *hooks = hooks_of(type);
    const struct opaque *from = src;
    struct opaque *to = dst;

    (void) depth;
    memset(dst, 0, type->size);
    if (from->object != NULL) {
        return hooks->copy != NULL ? hooks->copy(src, dst) : PMIX_ERR_NOT_SUPPORTED;
    }
    to->source = from->source != NULL ? strdup(from->source) : NULL;
    return from->source != NULL && to->source == NULL ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
}

/* Releases by the hook; without it only the source name. */
static void fini_opaque(const struct px_type *type, void *element)
{
    const struct px_value_hooks *hooks = hooks_of(type);
    struct opaque *opaque = element;

    if (hooks->release != NULL && opaque->object != NULL) {
        hooks->release(element);
    } else {
        free(opaque->source);
    }
    memset(element, 0, type->size);
}

/* Orders by the hook if both have an object, else by the names of the sources and then by the
 * addresses of the objects. */
static pmix_value_cmp_t compare_opaque(const struct px_type *type, const void *a, const void *b,
                                       unsigned depth)
{
    const struct px_value_hooks *hooks = hooks_of(type);
    const struct opaque *x = a;
    const struct opaque *y = b;
    pmix_value_cmp_t order;

    (void) depth;
    if (hooks->compare != NULL && x->object != NULL && y->object != NULL) {
        return hooks->compare(a, b);
    }
    order = px_string_compare(x->source, y->source);
    return order != PMIX_EQUAL ? order
                               : px_order((uintptr_t) x->object > (uintptr_t) y->object,
                                          (uintptr_t) x->object < (uintptr_t) y->object);
}

/* Adds the memory of the object as the hook reports it, else that of the source name. */
static int measure_opaque(const struct px_type *type, const void *element, unsigned depth,
                          size_t *sum)
{
    const struct px_value_hooks *hooks = hooks_of(type);
    const struct opaque *opaque = element;

    (void) depth;
    if (hooks->size != NULL && opaque->object != NULL) {
        *sum += hooks->size(element);
    } else if (opaque->source != NULL) {
        *sum += strlen(opaque->source) + 1;
    }
    return PMIX_SUCCESS;
}

/* Prints by the hook: the list of CPUs, or what the machine has; else the source, and whether there
 * is an object. */
static void print_opaque(struct px_buf *out, const struct px_type *type, const void *element,
                         unsigned depth)
{
    const struct px_value_hooks *hooks = hooks_of(type);
    const struct opaque *opaque = element;
    bool topology = type->type == PMIX_TOPO;
    char *text;

    (void) depth;
    if (opaque->object != NULL && hooks->text != NULL && hooks->text(element, &text) == 0) {
        px_print_string(out, text);
        free(text);
        return;
    }
    px_print_string(out, opaque->source);
    if (opaque->object != NULL) {
        px_print_format(out, topology ? " topology" : " cpuset");
    } else {
        px_print_format(out, topology ? " (empty)" : " (unbound)");
    }
}

const struct px_shape_ops px_opaque_ops = {
    .copy = copy_opaque,
    .fini = fini_opaque,
    .compare = compare_opaque,
    .measure = measure_opaque,
    .print = print_opaque,
};
