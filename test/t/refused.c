/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Rank 0 posts what its server has no room for. It learns of that from the fence, the others' fence
 * succeeds, nobody finds the value but rank 0, and everything goes on: what it posts next is found
 * by all. refused BYTES */

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pmix_proc_t me;
static pmix_proc_t first;

static void tell(const char *what, pmix_status_t rc)
{
    printf("rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
    fflush(stdout);
}

static void put(const char *key, char fill, size_t size)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT,
                          .data.bo = {.bytes = malloc(size), .size = size}};

    if (value.data.bo.bytes == NULL) {
        exit(1);
    }
    memset(value.data.bo.bytes, fill, size);
    tell("put", PMIx_Put(PMIX_GLOBAL, key, &value));
    free(value.data.bo.bytes);
    tell("commit", PMIx_Commit());
}

static void look(const char *key)
{
    pmix_value_t *value = NULL;
    bool yes = true;
    pmix_info_t optional;

    PMIx_Info_load(&optional, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    tell(key, PMIx_Get(&first, key, &optional, 1, &value));
    if (value != NULL) {
        PMIx_Value_free(value, 1);
    }
}

int main(int argc, char **argv)
{
    size_t size = argc > 1 ? (size_t) strtoul(argv[1], NULL, 10) : 0;

    if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS) {
        return 1;
    }
    PMIX_LOAD_PROCID(&first, me.nspace, 0);
    if (me.rank == 0) {
        put("large", 'x', size);
    }
    tell("fence", PMIx_Fence(NULL, 0, NULL, 0));
    look("large");
    if (me.rank == 0) {
        put("small", 'y', 16);
    }
    tell("fence", PMIx_Fence(NULL, 0, NULL, 0));
    look("small");
    PMIx_Finalize(NULL, 0);
    return 0;
}
