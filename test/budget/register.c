/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What registering 10,000 ranks with seven values each may cost: allocations of the library, and
 * bytes of the segment. Prints "allocations N" and "bytes N". */

#include <pmix.h>
#include <pmix_server.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { RANKS = 10000, KEYS = 8, PER_NODE = 100, NAME = 32 };
static unsigned long allocations;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

EXPORTED void *malloc(size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

EXPORTED void *calloc(size_t n, size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_calloc(n, size);
}

EXPORTED void *realloc(void *old, size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_realloc(old, size);
}

static pmix_info_t top[RANKS];
static pmix_data_array_t arrays[RANKS];
static pmix_info_t infos[RANKS][KEYS];
static char names[RANKS][NAME];
static char places[RANKS][NAME];

static pmix_value_t *set(pmix_info_t *info, const char *key, pmix_data_type_t type)
{
    strcpy(info->key, key);
    info->value.type = type;
    return &info->value;
}

static void fill(unsigned r)
{
    pmix_info_t *at = infos[r];

    snprintf(names[r], NAME, "budget%03u", r / PER_NODE);
    snprintf(places[r], NAME, "NM0:SK0:CR%u", r % PER_NODE);
    set(&at[0], PMIX_RANK, PMIX_PROC_RANK)->data.rank = r;
    set(&at[1], PMIX_APPNUM, PMIX_UINT32)->data.uint32 = 0;
    set(&at[2], PMIX_GLOBAL_RANK, PMIX_PROC_RANK)->data.rank = r;
    set(&at[3], PMIX_APP_RANK, PMIX_PROC_RANK)->data.rank = r;
    set(&at[4], PMIX_LOCAL_RANK, PMIX_UINT16)->data.uint16 = (uint16_t) (r % PER_NODE);
    set(&at[5], PMIX_NODE_RANK, PMIX_UINT16)->data.uint16 = (uint16_t) (r % PER_NODE);
    set(&at[6], PMIX_HOSTNAME, PMIX_STRING)->data.string = names[r];
    set(&at[7], PMIX_LOCALITY_STRING, PMIX_STRING)->data.string = places[r];
    arrays[r] = (pmix_data_array_t){.type = PMIX_INFO, .size = KEYS, .array = at};
    set(&top[r], PMIX_PROC_DATA, PMIX_DATA_ARRAY)->data.darray = &arrays[r];
}

/* Resident bytes of shared mappings. */
static long shared_bytes(void)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    char perms[5] = "";
    long sum = 0;
    long kb;

    while (maps && fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%*x-%*x %4s", perms) != 1 && sscanf(line, "Rss: %ld", &kb) == 1 &&
            perms[3] == 's') {
            sum += kb * 1024;
        }
    }
    if (maps) {
        fclose(maps);
    }
    return sum;
}

int main(void)
{
    static pmix_server_module_t module;
    static pmix_nspace_t nspace = "budget";
    unsigned long before;
    unsigned long after;
    long bytes;
    int rc;

    alarm(60);
    for (unsigned r = 0; r < RANKS; r++) {
        fill(r);
    }
    if (PMIx_server_init(&module, NULL, 0) != PMIX_SUCCESS) {
        return 1;
    }
    bytes = shared_bytes();
    before = __atomic_load_n(&allocations, __ATOMIC_RELAXED);
    rc = PMIx_server_register_nspace(nspace, 0, top, RANKS, NULL, NULL);
    after = __atomic_load_n(&allocations, __ATOMIC_RELAXED);
    bytes = shared_bytes() - bytes;
    printf("allocations %lu\nbytes %ld\n", after - before, bytes);
    PMIx_server_finalize();
    return rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED ? 0 : 1;
}
