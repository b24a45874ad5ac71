/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client in a container. Ranks 2n and 2n + 1 of its job are in the n-th sort of container: each
 * posts a value, they fence, and each reads that of the other. Rank 2n writes "n WORD": memory or
 * messages, by which the job's data came; no, if the server cannot be reached; or the status of the
 * call that failed. usage: namespaces RANK SIZE; 0 in any case. */

#include <pmix.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors.h"

static pmix_status_t post(pmix_rank_t rank)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = rank + 100};
    pmix_status_t rc = PMIx_Put(PMIX_GLOBAL, "rank", &value);

    return rc == PMIX_SUCCESS ? PMIx_Commit() : rc;
}

static pmix_status_t read_number(const pmix_proc_t *proc, const char *key, uint32_t want)
{
    pmix_value_t *value = NULL;
    pmix_status_t rc = PMIx_Get(proc, key, NULL, 0, &value);

    if (rc == PMIX_SUCCESS) {
        rc = value->type == PMIX_UINT32 && value->data.uint32 == want ? PMIX_SUCCESS
                                                                      : PMIX_ERR_BAD_PARAM;
        PMIX_VALUE_RELEASE(value);
    }
    return rc;
}

/* What the two do with each other. */
static pmix_status_t work(const pmix_proc_t *self, uint32_t size)
{
    pmix_proc_t pair[2];
    pmix_proc_t job;
    pmix_status_t rc = post(self->rank);

    PMIX_LOAD_PROCID(&pair[0], self->nspace, self->rank & ~(pmix_rank_t) 1);
    PMIX_LOAD_PROCID(&pair[1], self->nspace, self->rank | 1);
    PMIX_LOAD_PROCID(&job, self->nspace, PMIX_RANK_WILDCARD);
    rc = rc == PMIX_SUCCESS ? PMIx_Fence(pair, 2, NULL, 0) : rc;
    for (int i = 0; rc == PMIX_SUCCESS && i < 2; i++) {
        rc = read_number(&pair[i], "rank", pair[i].rank + 100);
    }
    return rc == PMIX_SUCCESS ? read_number(&job, PMIX_JOB_SIZE, size) : rc;
}

int main(int argc, char **argv)
{
    const char *word = "no";
    pmix_status_t rc;
    pmix_proc_t self;
    unsigned rank;

    if (argc != 3) {
        return 1;
    }
    rank = (unsigned) strtoul(argv[1], NULL, 10);
    rc = PMIx_Init(&self, NULL, 0);
    if (rc == PMIX_SUCCESS) {
        rc = work(&self, (uint32_t) strtoul(argv[2], NULL, 10));
        word = segments() > 0 ? "memory" : "messages";
        PMIx_Finalize(NULL, 0);
    } else if (rc == PMIX_ERR_UNREACH) {
        rc = PMIX_SUCCESS;
    }
    if (rank % 2 == 0) {
        printf("%u %s\n", rank / 2, rc == PMIX_SUCCESS ? word : PMIx_Error_string(rc));
    }
    return 0;
}
