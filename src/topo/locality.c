/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Locality strings: which package, caches, core, hardware threads and NUMA nodes a cpuset touches.
 *
 * Form and order are those that other PMIx implementations give ("SK0:L30:L20:L10:CR0:HT0:NM0"),
 * because processes of one job compare strings made by different libraries. Ours begin with the
 * source, as the Standard says; those of OpenPMIx 4.2 do not, so a string without a source is taken
 * for hwloc's. */

#include "hwloc_lib.h"
#include "locality.h"

#include "topo.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/buf.h"
#include "cpuset.h"

/* The levels in the order of the string: the two letters, hwloc's type, and the bit that
 * PMIx_Get_relative_locality sets for a shared object. */
static const struct level {
    char code[3];
    hwloc_obj_type_t type;
    pmix_locality_t bit;
} levels[] = {
    {"SK", HWLOC_OBJ_PACKAGE, PMIX_LOCALITY_SHARE_PACKAGE},
    {"L3", HWLOC_OBJ_L3CACHE, PMIX_LOCALITY_SHARE_L3CACHE},
    {"L2", HWLOC_OBJ_L2CACHE, PMIX_LOCALITY_SHARE_L2CACHE},
    {"L1", HWLOC_OBJ_L1CACHE, PMIX_LOCALITY_SHARE_L1CACHE},
    {"CR", HWLOC_OBJ_CORE, PMIX_LOCALITY_SHARE_CORE},
    {"HT", HWLOC_OBJ_PU, PMIX_LOCALITY_SHARE_HWTHREAD},
    {"NM", HWLOC_OBJ_NUMANODE, PMIX_LOCALITY_SHARE_NUMA},
};
#define N_LEVELS (sizeof(levels) / sizeof(levels[0]))

/* Appends ":" and the level, such as ":SK0-1", if the cpuset touches objects of it; nothing
 * otherwise. 0 or PMIX_ERR_NOMEM; the buffer keeps failures of its own. */
static int append_level(hwloc_topology_t topo, const struct level *level, hwloc_const_bitmap_t cpus,
                        struct px_buf *text)
{
    hwloc_bitmap_t touched = hwloc_bitmap_alloc();
    if (touched == NULL) {
        return PMIX_ERR_NOMEM;
    }
    hwloc_obj_t obj = hwloc_get_next_obj_by_type(topo, level->type, NULL);
    for (; obj != NULL; obj = hwloc_get_next_obj_by_type(topo, level->type, obj)) {
        if (obj->cpuset != NULL && hwloc_bitmap_intersects(obj->cpuset, cpus)) {
            hwloc_bitmap_set(touched, obj->logical_index);
        }
    }
    char *list = NULL;
    int rc = 0;
    if (!hwloc_bitmap_iszero(touched)) {
        rc = hwloc_bitmap_list_asprintf(&list, touched) < 0 ? PMIX_ERR_NOMEM : 0;
    }
    hwloc_bitmap_free(touched);
    if (list != NULL) {
        px_buf_byte(text, ':');
        px_buf_append(text, level->code, 2);
        px_buf_text(text, list);
        free(list);
    }
    return rc;
}

int px_topo_locality_string(const pmix_cpuset_t *cpuset, char **ret_string)
{
    if (cpuset == NULL || ret_string == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (cpuset->source == NULL || !px_topo_is_ours(cpuset->source)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (cpuset->bitmap == NULL) {
        *ret_string = NULL;
        return 0;
    }
    hwloc_topology_t topo;
    int rc = px_topo_machine(&topo);
    struct px_buf text = {0};
    px_buf_text(&text, PX_TOPO_SOURCE);
    for (size_t i = 0; rc == 0 && i < N_LEVELS; i++) {
        rc = append_level(topo, &levels[i], cpuset->bitmap, &text);
    }
    bool touches = text.len > strlen(PX_TOPO_SOURCE);
    char *string = rc == 0 ? px_buf_take_text(&text) : NULL;
    px_buf_fini(&text);
    if (string == NULL) {
        return rc != 0 ? rc : PMIX_ERR_NOMEM;
    }
    *ret_string = touches ? string : NULL;
    if (!touches) {
        free(string);
    }
    return 0;
}

/* The level that the `len` bytes of a token such as "L30-1" begin with; NULL: none that we know. */
static const struct level *level_of(const char *token, size_t len)
{
    for (size_t i = 0; len > 2 && i < N_LEVELS; i++) {
        if (strncmp(token, levels[i].code, 2) == 0) {
            return &levels[i];
        }
    }
    return NULL;
}

/* Reads a locality string into one bitmap per level; tokens of unknown levels are skipped.
 * PMIX_ERR_BAD_PARAM: empty, or a list is malformed; PMIX_ERR_NOT_SUPPORTED: it begins with neither
 * a level nor hwloc; PMIX_ERR_NOMEM. */
static int read_string(const char *string, hwloc_bitmap_t sets[N_LEVELS])
{
    const char *p = string;
    bool first = true;
    int rc = 0;

    while (rc == 0) {
        size_t len = strcspn(p, ":");
        const struct level *level = level_of(p, len);
        if (level != NULL) {
            rc = px_topo_list_parse(p + 2, len - 2, sets[level - levels]);
        } else if (first && (p[len] != ':' || !px_topo_is_ours(p))) {
            rc = len == 0 ? PMIX_ERR_BAD_PARAM : PMIX_ERR_NOT_SUPPORTED;
        }
        first = false;
        p += len;
        if (*p == '\0') {
            break;
        }
        p++;
    }
    return rc;
}

/* Allocates n empty bitmaps. On PMIX_ERR_NOMEM the ones that failed are NULL, and the caller frees
 * all n. */
static int alloc_sets(hwloc_bitmap_t *sets, size_t n)
{
    int rc = 0;

    for (size_t i = 0; i < n; i++) {
        sets[i] = hwloc_bitmap_alloc();
        rc = sets[i] == NULL ? PMIX_ERR_NOMEM : rc;
    }
    return rc;
}

/* A level is shared if both sets of object numbers intersect. Both strings are of one machine, so
 * equal numbers name the same object. */
int px_topo_relative_locality(const char *one, const char *two, pmix_locality_t *ret_locality)
{
    if (one == NULL || two == NULL || ret_locality == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    hwloc_bitmap_t sets[2][N_LEVELS];
    int rc = alloc_sets(sets[0], 2 * N_LEVELS);
    rc = rc != 0 ? rc : read_string(one, sets[0]);
    rc = rc != 0 ? rc : read_string(two, sets[1]);
    pmix_locality_t shared = PMIX_LOCALITY_SHARE_NODE;
    for (size_t i = 0; i < N_LEVELS; i++) {
        if (rc == 0 && hwloc_bitmap_intersects(sets[0][i], sets[1][i])) {
            shared |= levels[i].bit;
        }
        hwloc_bitmap_free(sets[0][i]);
        hwloc_bitmap_free(sets[1][i]);
    }
    if (rc == 0) {
        *ret_locality = shared;
    }
    return rc;
}
