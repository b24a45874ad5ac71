/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* One process of a job, and what it does step by step, for a tracer that counts its messages: each
 * step is between two system calls that name a file that is not there, /budget-STEP and
 * /budget-over. */

#include <pmix.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 10, KEYS = 8, BYTES = 64 };

static pmix_proc_t self;
static char bytes[BYTES];

static void must(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "messages: %s\n", what);
        exit(1);
    }
}

static void init(void)
{
    must(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS, "init");
}

static void put(void)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = BYTES}};

    for (int k = 0; k < KEYS; k++) {
        char key[PMIX_MAX_KEYLEN + 1];

        /* Half of the values are alike in all processes, the others differ in every byte. */
        memset(bytes, k % 2 == 0 ? 'a' : (int) self.rank, sizeof(bytes));

        snprintf(key, sizeof(key), "messages.%d", k);
        must(PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS, "put");
    }
}

static void commit(void)
{
    must(PMIx_Commit() == PMIX_SUCCESS, "commit");
}

static void fence(bool collect)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    must(PMIx_Fence(NULL, 0, &info, 1) == PMIX_SUCCESS, "fence");
}

static void barriers(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        fence(false);
    }
}

static void collect(void)
{
    fence(true);
}

static void get(void)
{
    for (pmix_rank_t rank = 0; rank < 2; rank++) {
        pmix_proc_t proc = self;
        pmix_value_t *value = NULL;

        proc.rank = rank;
        must(PMIx_Get(&proc, "messages.3", NULL, 0, &value) == PMIX_SUCCESS &&
                 value->data.bo.size == BYTES,
             "get");
        PMIX_VALUE_RELEASE(value);
    }
}

static void finalize(void)
{
    must(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS, "finalize");
}

static const struct {
    const char *mark;
    void (*act)(void);
} steps[] = {{"/budget-init", init},        {"/budget-put", put},
             {"/budget-commit", commit},    {"/budget-barriers", barriers},
             {"/budget-collect", collect},  {"/budget-get", get},
             {"/budget-finalize", finalize}};

int main(void)
{
    alarm(120);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        (void) access(steps[i].mark, F_OK);
        steps[i].act();
        (void) access("/budget-over", F_OK);
        if (i == 0) {
            fence(false); /* of no step: the progress thread has started by its end */
        }
    }
    return 0;
}
