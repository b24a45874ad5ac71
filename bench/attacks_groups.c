/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Attacks by groups: large ones, and many whose names are asked for. And by names in any order. */

#include "attacks_priv.h"

#include <stdio.h>

static pmix_proc_t names[NAMES];

/* The host agrees at once: all members but this process are of other nodes. */
static void construct_and_destruct(void)
{
    pmix_info_t *results = NULL;
    size_t n = 0;

    attack_count(PMIx_Group_construct("large", names, NAMES, NULL, 0, &results, &n));
    PMIX_INFO_FREE(results, n);
    (void) PMIx_Group_destruct("large", NULL, 0);
}

void attack_large_groups(void)
{
    for (unsigned i = 1; i < NAMES && !names[i].nspace[0]; i++) {
        PMIX_LOAD_PROCID(&names[i], "nobody", i);
    }
    names[0] = attack_self;
    construct_and_destruct();
}

void attack_large_groups_in_any_order(void)
{
    for (unsigned i = 1; i < NAMES && !names[i].nspace[0]; i++) {
        PMIX_LOAD_PROCID(&names[i], "nobody", NAMES - i);
    }
    names[0] = attack_self;
    construct_and_destruct();
}

/* The host answers at once. */
void attack_names_in_any_order(void)
{
    enum { JOBS = 16383 }; /* shmix_max_jobs allows one more, that of the caller */
    char job[32];

    for (unsigned i = 1; i < NAMES && !names[i].nspace[0]; i++) {
        snprintf(job, sizeof(job), "job.%u", (NAMES - i) % JOBS);
        PMIX_LOAD_PROCID(&names[i], job, i);
    }
    names[0] = attack_self;
    attack_count(PMIx_Fence(names, NAMES, NULL, 0));
}

static void ask_names(void)
{
    char *sets[] = {(char *) PMIX_QUERY_GROUP_NAMES, (char *) PMIX_QUERY_PSET_NAMES, NULL};
    char *members[] = {(char *) PMIX_QUERY_GROUP_MEMBERSHIP, NULL};
    pmix_info_t infos[3];
    pmix_query_t queries[2] = {{.keys = sets, .qualifiers = &infos[0], .nqual = 1},
                               {.keys = members, .qualifiers = &infos[1], .nqual = 2}};
    pmix_info_t *results = NULL;
    size_t n = 0;

    PMIX_INFO_LOAD(&infos[0], PMIX_QUERY_REFRESH_CACHE, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[1], PMIX_QUERY_REFRESH_CACHE, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[2], PMIX_GROUP_ID, "group.0", PMIX_STRING);
    attack_count(PMIx_Query_info(queries, 2, &results, &n));
    PMIX_INFO_FREE(results, n);
    PMIX_INFO_DESTRUCT(&infos[2]);
}

/* Once no further group can be made. */
void attack_names(void)
{
    pmix_info_t *results = NULL;
    size_t n = 0;
    char name[32];

    if (attack_state->reached) {
        ask_names();
        return;
    }
    snprintf(name, sizeof(name), "group.%lu", attack_state->tries);
    attack_count(PMIx_Group_construct(name, &attack_self, 1, NULL, 0, &results, &n));
    PMIX_INFO_FREE(results, n);
}
