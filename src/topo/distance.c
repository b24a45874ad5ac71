/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* How far devices are from the place where a process runs (Standard, chapter Process Management).
 *
 * The distance of a processing unit and a device is the number of levels from the unit up to the
 * smallest part of the machine that holds both: 0 is the unit itself, the depth of the unit is the
 * whole machine. These numbers serve to choose the nearest device; they are not times. A device's
 * distance is a minimum and a maximum over the units of the cpuset. Works on the caller's stack;
 * any thread. */

#include "hwloc_lib.h"
#include "distance.h"

#include "topo.h"

#include <stdio.h>
#include <string.h>

#include "src/base/array.h"
#include "src/value/infos.h"
#include "cpuset.h"
#include "topo_values.h"

/* Which devices the caller wants, read from its infos; borrows them. On the stack of
 * px_topo_distances. */
struct wanted {
    pmix_device_type_t types; /* bits; 0: all types that we know */
    const pmix_info_t *info;  /* for the PMIX_DEVICE_ID entries */
    size_t ninfo;
    bool by_id; /* there is at least one PMIX_DEVICE_ID */
};

/* The result as it grows: n devices in room for cap, all malloc'd. */
struct device_list {
    pmix_device_distance_t *at;
    size_t n;
    size_t cap;
};

/* PMIx's type of an OS device of hwloc; PMIX_DEVTYPE_UNKNOWN for one that PMIx has no type for,
 * which is then left out. */
static pmix_device_type_t type_of(hwloc_obj_t obj)
{
    switch (obj->attr->osdev.type) {
    case HWLOC_OBJ_OSDEV_BLOCK:
        return PMIX_DEVTYPE_BLOCK;
    case HWLOC_OBJ_OSDEV_GPU:
        return PMIX_DEVTYPE_GPU;
    case HWLOC_OBJ_OSDEV_NETWORK:
        return PMIX_DEVTYPE_NETWORK;
    case HWLOC_OBJ_OSDEV_OPENFABRICS:
        return PMIX_DEVTYPE_OPENFABRICS;
    case HWLOC_OBJ_OSDEV_DMA:
        return PMIX_DEVTYPE_DMA;
    case HWLOC_OBJ_OSDEV_COPROC:
        return PMIX_DEVTYPE_COPROC;
    default:
        return PMIX_DEVTYPE_UNKNOWN;
    }
}

/* A malloc'd name of the device: "fab://NodeGUID::SysImageGUID" or "net://address" if the hardware
 * has one of its own, else "gpu://", "coproc://" or "dev://" and its name on this host, which is
 * unique here only. NULL: no memory. */
static char *uuid_of(hwloc_obj_t obj, pmix_device_type_t type)
{
    const char *guid = hwloc_obj_get_info_by_name(obj, "NodeGUID");
    const char *image = hwloc_obj_get_info_by_name(obj, "SysImageGUID");
    const char *address = hwloc_obj_get_info_by_name(obj, "Address");
    const char *kind = type == PMIX_DEVTYPE_GPU      ? "gpu"
                       : type == PMIX_DEVTYPE_COPROC ? "coproc"
                                                     : "dev";
    char *text;
    int n;

    if (guid != NULL && image != NULL) {
        n = asprintf(&text, "fab://%s::%s", guid, image);
    } else if (type == PMIX_DEVTYPE_NETWORK && address != NULL) {
        n = asprintf(&text, "net://%s", address);
    } else {
        n = asprintf(&text, "%s://%s", kind, obj->name != NULL ? obj->name : "");
    }
    return n < 0 ? NULL : text;
}

/* Sets mindist and maxdist of `d` over the processing units in `cpus`. A device is where its
 * nearest ancestor is that is not an I/O object. Both are UINT16_MAX (unknown) if no unit is in
 * `cpus`. */
static void measure_distances(hwloc_topology_t topo, hwloc_const_bitmap_t cpus, hwloc_obj_t device,
                              pmix_device_distance_t *d)
{
    hwloc_obj_t home = hwloc_get_non_io_ancestor_obj(topo, device);
    unsigned min = UINT16_MAX;
    unsigned max = 0;
    unsigned pu_depth = (unsigned) hwloc_get_type_depth(topo, HWLOC_OBJ_PU);
    hwloc_obj_t pu = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_PU, NULL);

    for (; home != NULL && pu != NULL; pu = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_PU, pu)) {
        if (!hwloc_bitmap_isset(cpus, pu->os_index)) {
            continue;
        }
        hwloc_obj_t common = hwloc_get_common_ancestor_obj(topo, pu, home);
        unsigned distance = pu_depth - (unsigned) common->depth;
        min = distance < min ? distance : min;
        max = distance > max ? distance : max;
    }
    bool known = min != UINT16_MAX;
    d->mindist = (uint16_t) min;
    d->maxdist = known ? (uint16_t) max : UINT16_MAX;
}

/* True if one of the PMIX_DEVICE_ID entries is the device's uuid or its name on this host. */
static bool id_is_wanted(const struct wanted *w, const pmix_device_distance_t *d)
{
    const pmix_info_t *at = NULL;
    while ((at = px_infos_next(w->info, w->ninfo, at, PMIX_DEVICE_ID)) != NULL) {
        const char *id = at->value.data.string;
        if (id != NULL &&
            (strcmp(id, d->uuid) == 0 || (d->osname != NULL && strcmp(id, d->osname) == 0))) {
            return true;
        }
    }
    return false;
}

/* Appends the device to `found` if it is wanted, with its distances from `cpus`. 0, also if it is
 * not wanted, or PMIX_ERR_NOMEM. */
static int add_device(hwloc_topology_t topo, hwloc_const_bitmap_t cpus, hwloc_obj_t obj,
                      const struct wanted *w, struct device_list *found)
{
    pmix_device_distance_t d = {.type = type_of(obj)};
    if (d.type == PMIX_DEVTYPE_UNKNOWN || (w->types != 0 && (w->types & d.type) == 0)) {
        return 0;
    }
    if (px_array_room(&found->at, found->n, &found->cap, sizeof(*found->at)) != 0) {
        return PMIX_ERR_NOMEM;
    }
    d.uuid = uuid_of(obj, d.type);
    d.osname = strdup(obj->name != NULL ? obj->name : "");
    if (d.uuid == NULL || d.osname == NULL || (w->by_id && !id_is_wanted(w, &d))) {
        bool failed = d.uuid == NULL || d.osname == NULL;
        PMIx_Device_distance_destruct(&d);
        return failed ? PMIX_ERR_NOMEM : 0;
    }
    measure_distances(topo, cpus, obj, &d);
    found->at[found->n++] = d;
    return 0;
}

/* Reads the directives into *w, which borrows info. 0 or PMIX_ERR_TYPE_MISMATCH. */
static int read_wanted(const pmix_info_t *info, size_t ninfo, struct wanted *w)
{
    *w = (struct wanted){.info = info, .ninfo = ninfo};
    for (const pmix_info_t *at = NULL;
         (at = px_infos_next(info, ninfo, at, PMIX_DEVICE_TYPE)) != NULL;) {
        if (at->value.type != PMIX_DEVTYPE) {
            return PMIX_ERR_TYPE_MISMATCH;
        }
        w->types |= at->value.data.devtype;
    }
    for (const pmix_info_t *at = NULL;
         (at = px_infos_next(info, ninfo, at, PMIX_DEVICE_ID)) != NULL;) {
        if (at->value.type != PMIX_STRING) {
            return PMIX_ERR_TYPE_MISMATCH;
        }
        w->by_id = true;
    }
    return 0;
}

/* Measures all wanted OS devices of the topology. The array is the caller's. 0, PMIX_ERR_NOT_FOUND
 * (no device matches) or PMIX_ERR_NOMEM. */
static int collect_devices(hwloc_topology_t topo, hwloc_const_bitmap_t cpus, const struct wanted *w,
                           pmix_device_distance_t **ret_distances, size_t *ret_n)
{
    struct device_list found = {0};
    int rc = 0;

    hwloc_obj_t obj = hwloc_get_next_osdev(topo, NULL);
    for (; rc == 0 && obj != NULL; obj = hwloc_get_next_osdev(topo, obj)) {
        rc = add_device(topo, cpus, obj, w, &found);
    }
    if (rc == 0 && found.n == 0) {
        rc = PMIX_ERR_NOT_FOUND;
    }
    if (rc != 0) {
        PMIx_Device_distance_free(found.at, found.n);
        return rc;
    }
    *ret_distances = found.at;
    *ret_n = found.n;
    return 0;
}

int px_topo_distances(pmix_topology_t *topo, pmix_cpuset_t *cpuset, const pmix_info_t *info,
                      size_t ninfo, pmix_device_distance_t **ret_distances, size_t *ret_n)
{
    if (ret_distances == NULL || ret_n == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if ((topo != NULL && topo->source != NULL && !px_topo_is_ours(topo->source)) ||
        (cpuset != NULL && cpuset->source != NULL && !px_topo_is_ours(cpuset->source))) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    struct wanted w;
    int rc = read_wanted(info, ninfo, &w);
    hwloc_topology_t t = topo != NULL ? topo->topology : NULL;
    if (rc == 0 && t == NULL) {
        rc = px_topo_machine(&t);
    }
    pmix_cpuset_t own = {0};
    if (rc == 0 && (cpuset == NULL || cpuset->bitmap == NULL)) {
        rc = px_topo_cpuset_get(PMIX_CPUBIND_PROCESS, &own);
        cpuset = &own;
    }
    rc = rc != 0 ? rc : collect_devices(t, cpuset->bitmap, &w, ret_distances, ret_n);
    px_topo_cpuset_destruct(&own);
    return rc;
}
