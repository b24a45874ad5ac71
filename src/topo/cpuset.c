/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Cpusets: their text, and the binding of a process or thread. Nothing here needs the topology, so
 * nothing here loads it: the binding comes from the kernel (sched_getaffinity).
 *
 * Text may come from a peer. It is checked before hwloc's parser sees it, because that parser
 * reserves memory for any number it reads. The functions share no state and run in any thread. */

#include "hwloc_lib.h"
#include "cpuset.h"

#include "topo.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS      6       /* of a CPU's number */
#define MAX_KERNEL_CPUS 1048576 /* largest mask that is tried */

/* Returns the first byte behind the number at p; NULL if there is none or it has more than
 * MAX_DIGITS digits. */
static const char *skip_number(const char *p, const char *end)
{
    const char *start = p;

    while (p < end && isdigit((unsigned char) *p)) {
        p++;
    }
    return p > start && p - start <= MAX_DIGITS ? p : NULL;
}

/* True if the `len` bytes are a list such as "0-3,7" or "" or, at the end only, "4-", with numbers
 * of at most 6 digits. hwloc's parser allocates a bitmap as large as the largest number, so text is
 * checked before hwloc reads it. `list` needs no terminator. */
static bool list_is_sane(const char *list, size_t len)
{
    const char *p = list;
    const char *end = list + len;

    while (p < end) {
        p = skip_number(p, end);
        if (p != NULL && p < end && *p == '-') {
            if (p + 1 == end) {
                return true; /* "4-": everything from 4 */
            }
            p = skip_number(p + 1, end);
        }
        if (p == NULL) {
            return false;
        }
        if (p < end && (*p != ',' || p + 1 == end)) {
            return false;
        }
        p += p < end;
    }
    return true;
}

int px_topo_list_parse(const char *list, size_t len, hwloc_bitmap_t bitmap)
{
    if (!list_is_sane(list, len)) {
        return PMIX_ERR_BAD_PARAM;
    }
    char *copy = strndup(list, len);
    if (copy == NULL) {
        return PMIX_ERR_NOMEM;
    }
    hwloc_bitmap_zero(bitmap);
    int rc = len == 0 ? 0 : hwloc_bitmap_list_sscanf(bitmap, copy);
    free(copy);
    return rc == 0 ? 0 : PMIX_ERR_BAD_PARAM;
}

/* Makes *ret_cpuset from `bitmap`, which it takes over: on PMIX_ERR_NOMEM the bitmap is freed. */
static int cpuset_from_bitmap(hwloc_bitmap_t bitmap, pmix_cpuset_t *ret_cpuset)
{
    char *source = strdup(PX_TOPO_SOURCE);

    if (source == NULL) {
        hwloc_bitmap_free(bitmap);
        return PMIX_ERR_NOMEM;
    }
    ret_cpuset->source = source;
    ret_cpuset->bitmap = bitmap;
    return 0;
}

int px_topo_cpuset_parse(const char *string, pmix_cpuset_t *ret_cpuset)
{
    const char *colon = string != NULL ? strchr(string, ':') : NULL;
    if (colon == NULL || ret_cpuset == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_topo_is_ours(string)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    hwloc_bitmap_t bitmap = hwloc_bitmap_alloc();
    if (bitmap == NULL) {
        return PMIX_ERR_NOMEM;
    }
    int rc = px_topo_list_parse(colon + 1, strlen(colon + 1), bitmap);
    if (rc != 0) {
        hwloc_bitmap_free(bitmap);
        return rc;
    }
    return cpuset_from_bitmap(bitmap, ret_cpuset);
}

int px_topo_cpuset_string(const pmix_cpuset_t *cpuset, char **ret_string)
{
    if (cpuset == NULL || cpuset->bitmap == NULL || ret_string == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (cpuset->source == NULL || !px_topo_is_ours(cpuset->source)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    char *list;
    if (hwloc_bitmap_list_asprintf(&list, cpuset->bitmap) < 0) {
        return PMIX_ERR_NOMEM;
    }
    char *text;
    int n = asprintf(&text, PX_TOPO_SOURCE ":%s", list);
    free(list);
    if (n < 0) {
        return PMIX_ERR_NOMEM;
    }
    *ret_string = text;
    return 0;
}

/* Adds the CPUs that a thread may run on to the bitmap; tid 0 is the calling thread. The kernel
 * refuses a mask smaller than its own, so the mask is doubled up to MAX_KERNEL_CPUS.
 * PMIX_ERR_NOT_FOUND: there is no such thread, or the kernel refuses every size; PMIX_ERR_NOMEM. */
static int add_affinity(pid_t tid, hwloc_bitmap_t bitmap)
{
    for (int n = CPU_SETSIZE; n <= MAX_KERNEL_CPUS; n *= 2) {
        cpu_set_t *set = CPU_ALLOC(n);
        if (set == NULL) {
            return PMIX_ERR_NOMEM;
        }
        size_t bytes = CPU_ALLOC_SIZE(n);
        int rc = sched_getaffinity(tid, bytes, set);
        for (int i = 0; rc == 0 && i < n; i++) {
            if (CPU_ISSET_S((size_t) i, bytes, set)) {
                hwloc_bitmap_set(bitmap, (unsigned) i);
            }
        }
        CPU_FREE(set);
        if (rc == 0) {
            return 0;
        }
        if (errno != EINVAL) { /* EINVAL: the kernel's mask is larger than ours */
            return PMIX_ERR_NOT_FOUND;
        }
    }
    return PMIX_ERR_NOT_FOUND;
}

/* Adds the CPUs of all threads: a process is bound to the union of what its threads may use.
 * Threads that end meanwhile are skipped; without /proc only the calling thread counts.
 * PMIX_ERR_NOT_FOUND: no thread could be read. */
static int add_all_threads(hwloc_bitmap_t bitmap)
{
    DIR *dir = opendir("/proc/self/task");
    if (dir == NULL) {
        return add_affinity(0, bitmap);
    }
    int rc = PMIX_ERR_NOT_FOUND;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        long tid = strtol(e->d_name, NULL, 10);
        if (tid > 0 && add_affinity((pid_t) tid, bitmap) == 0) {
            rc = 0;
        }
    }
    closedir(dir);
    return rc;
}

int px_topo_cpuset_get(pmix_bind_envelope_t envelope, pmix_cpuset_t *ret_cpuset)
{
    if (ret_cpuset == NULL ||
        (envelope != PMIX_CPUBIND_PROCESS && envelope != PMIX_CPUBIND_THREAD)) {
        return PMIX_ERR_BAD_PARAM;
    }
    hwloc_bitmap_t bitmap = hwloc_bitmap_alloc();
    if (bitmap == NULL) {
        return PMIX_ERR_NOMEM;
    }
    int rc = envelope == PMIX_CPUBIND_THREAD ? add_affinity(0, bitmap) : add_all_threads(bitmap);
    if (rc != 0) {
        hwloc_bitmap_free(bitmap);
        return rc;
    }
    return cpuset_from_bitmap(bitmap, ret_cpuset);
}
