/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of hwloc that we use, found when they are first called (hwloc_lib.h). */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "hwloc_lib.h"

#include <pthread.h>

#include "src/base/library.h"

/* Name, what it returns, its parameters, the arguments that are passed on, what it returns without
 * hwloc. */
#define PX_HWLOC_FUNCTIONS(VALUE, VOID)                                                            \
    VALUE(bitmap_alloc, hwloc_bitmap_t, (void), (), NULL)                                          \
    VALUE(bitmap_compare, int, (hwloc_const_bitmap_t a, hwloc_const_bitmap_t b), (a, b), -1)       \
    VALUE(bitmap_dup, hwloc_bitmap_t, (hwloc_const_bitmap_t set), (set), NULL)                     \
    VOID(bitmap_free, (hwloc_bitmap_t set), (set))                                                 \
    VALUE(bitmap_intersects, int, (hwloc_const_bitmap_t a, hwloc_const_bitmap_t b), (a, b), 0)     \
    VALUE(bitmap_isset, int, (hwloc_const_bitmap_t set, unsigned id), (set, id), 0)                \
    VALUE(bitmap_iszero, int, (hwloc_const_bitmap_t set), (set), 1)                                \
    VALUE(bitmap_list_asprintf, int, (char **ret, hwloc_const_bitmap_t set), (ret, set), -1)       \
    VALUE(bitmap_list_sscanf, int, (hwloc_bitmap_t set, const char *text), (set, text), -1)        \
    VALUE(bitmap_nr_ulongs, int, (hwloc_const_bitmap_t set), (set), -1)                            \
    VALUE(bitmap_set, int, (hwloc_bitmap_t set, unsigned id), (set, id), -1)                       \
    VOID(bitmap_zero, (hwloc_bitmap_t set), (set))                                                 \
    VOID(free_xmlbuffer, (hwloc_topology_t topo, char *xml), (topo, xml))                          \
    VALUE(get_nbobjs_by_depth, unsigned, (hwloc_topology_t topo, int depth), (topo, depth), 0)     \
    VALUE(get_obj_by_depth, hwloc_obj_t, (hwloc_topology_t topo, int depth, unsigned i),           \
          (topo, depth, i), NULL)                                                                  \
    VALUE(get_type_depth, int, (hwloc_topology_t topo, hwloc_obj_type_t type), (topo, type),       \
          HWLOC_TYPE_DEPTH_UNKNOWN)                                                                \
    VALUE(set_area_membind, int,                                                                   \
          (hwloc_topology_t topo, const void *p, size_t n, hwloc_const_bitmap_t set,               \
           hwloc_membind_policy_t policy, int flags),                                              \
          (topo, p, n, set, policy, flags), -1)                                                    \
    VALUE(topology_abi_check, int, (hwloc_topology_t topo), (topo), -1)                            \
    VOID(topology_destroy, (hwloc_topology_t topo), (topo))                                        \
    VALUE(                                                                                         \
        topology_diff_build, int,                                                                  \
        (hwloc_topology_t a, hwloc_topology_t b, unsigned long flags, hwloc_topology_diff_t *ret), \
        (a, b, flags, ret), -1)                                                                    \
    VALUE(topology_diff_destroy, int, (hwloc_topology_diff_t diff), (diff), -1)                    \
    VALUE(topology_dup, int, (hwloc_topology_t * ret, hwloc_topology_t topo), (ret, topo), -1)     \
    VALUE(topology_export_xmlbuffer, int,                                                          \
          (hwloc_topology_t topo, char **ret, int *ret_n, unsigned long flags),                    \
          (topo, ret, ret_n, flags), -1)                                                           \
    VALUE(topology_get_allowed_nodeset, hwloc_const_nodeset_t, (hwloc_topology_t topo), (topo),    \
          NULL)                                                                                    \
    VALUE(topology_get_support, const struct hwloc_topology_support *, (hwloc_topology_t topo),    \
          (topo), NULL)                                                                            \
    VALUE(topology_init, int, (hwloc_topology_t * ret), (ret), -1)                                 \
    VALUE(topology_is_thissystem, int, (hwloc_topology_t topo), (topo), 0)                         \
    VALUE(topology_load, int, (hwloc_topology_t topo), (topo), -1)                                 \
    VALUE(topology_refresh, int, (hwloc_topology_t topo), (topo), -1)                              \
    VALUE(topology_set_components, int,                                                            \
          (hwloc_topology_t topo, unsigned long flags, const char *name), (topo, flags, name), -1) \
    VALUE(topology_set_flags, int, (hwloc_topology_t topo, unsigned long flags), (topo, flags),    \
          -1)                                                                                      \
    VALUE(topology_set_io_types_filter, int,                                                       \
          (hwloc_topology_t topo, enum hwloc_type_filter_e filter), (topo, filter), -1)            \
    VALUE(topology_set_synthetic, int, (hwloc_topology_t topo, const char *text), (topo, text),    \
          -1)                                                                                      \
    VALUE(topology_set_xmlbuffer, int, (hwloc_topology_t topo, const char *xml, int n),            \
          (topo, xml, n), -1)

/* The functions in the order of the table; set once. */
static struct {
#define MEMBER(name, ret, params, args, none) ret(*name) params;
#define MEMBER_VOID(name, params, args)       void(*name) params;
    PX_HWLOC_FUNCTIONS(MEMBER, MEMBER_VOID)
#undef MEMBER
#undef MEMBER_VOID
} hwloc;

static const char *const names[] = {
#define NAME(name, ret, params, args, none) "hwloc_" #name,
#define NAME_VOID(name, params, args)       "hwloc_" #name,
    PX_HWLOC_FUNCTIONS(NAME, NAME_VOID)
#undef NAME
#undef NAME_VOID
};

static bool opened;
static pthread_once_t once = PTHREAD_ONCE_INIT;

_Static_assert(sizeof(hwloc) == sizeof(names), "a pointer to a function is a pointer");

/* The library stays open. */
static void open_once(void)
{
    opened = px_library_open(PX_HWLOC_SONAME, names, sizeof(names) / sizeof(names[0]),
                             (void **) &hwloc) != NULL;
}

bool px_hwloc_open(void)
{
    (void) pthread_once(&once, open_once);
    return opened;
}

#define FORWARD(name, ret, params, args, none)                                                     \
    ret px_hwloc_##name params                                                                     \
    {                                                                                              \
        return px_hwloc_open() ? hwloc.name args : (none);                                         \
    }
#define FORWARD_VOID(name, params, args)                                                           \
    void px_hwloc_##name params                                                                    \
    {                                                                                              \
        if (px_hwloc_open()) {                                                                     \
            hwloc.name args;                                                                       \
        }                                                                                          \
    }
PX_HWLOC_FUNCTIONS(FORWARD, FORWARD_VOID)
