/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A program that links this is such a process if the variable is set: main is not reached then. */

#include "children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pmix_proc_t child;

void child_must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s:%u failed: %s\n", child.nspace, child.rank, what);
        _exit(1);
    }
}

static uint32_t child_number(pmix_rank_t rank, const char *key)
{
    pmix_proc_t of = {.rank = rank};
    pmix_value_t *value = NULL;
    uint32_t number;

    PMIX_LOAD_NSPACE(of.nspace, child.nspace);
    child_must(PMIx_Get(&of, key, NULL, 0, &value) == PMIX_SUCCESS, key);
    child_must(value->type == PMIX_UINT32, key);
    number = value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return number;
}

void child_peer(void)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = child.rank + 10};
    struct infos list = {0};

    child_must(child_number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE) == 2, "size");
    child_must(PMIx_Put(PMIX_GLOBAL, "conform.number", &value) == PMIX_SUCCESS, "put");
    child_must(PMIx_Commit() == PMIX_SUCCESS, "commit");
    add_true(&list, PMIX_COLLECT_DATA);
    child_must(PMIx_Fence(NULL, 0, list.at, list.n) == PMIX_SUCCESS, "fence");
    free_infos(&list);
    child_must(child_number(1 - child.rank, "conform.number") == 11 - child.rank,
               "the other's number");
    printf("peer %u is done\n", child.rank);
}

__attribute__((constructor)) static void be_child(void)
{
    const char *what = getenv(CHILD);

    if (what == NULL || child_kinds == NULL) {
        return;
    }
    child_must(PMIx_Init(&child, NULL, 0) == PMIX_SUCCESS, "init");
    for (const struct child_kind *kind = child_kinds; kind->what != NULL; kind++) {
        if (strcmp(what, kind->what) == 0) {
            kind->be();
        }
    }
    child_must(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS, "finalize");
    fflush(stdout);
    _exit(0);
}
