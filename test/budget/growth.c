/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Does with N things, as a peer may send them, what growth.sh counts the instructions of.
 * usage: growth CASE N */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/client/data/uncommitted.h"
#include "src/event/code_set.h"
#include "src/nspace/proc_sets.h"
#include "src/value/proc_match.h"
#include "src/value/procs.h"

/* A list of N processes, each told twice. */
static void list_procs(uint32_t n)
{
    struct px_proc_list list = {0};
    pmix_proc_t proc = {.nspace = "job"};

    for (uint32_t i = 0; i < 2 * n; i++) {
        proc.rank = (i * 7919) % n;
        if (px_proc_list_add(&list, &proc) != 0) {
            exit(1);
        }
    }
    if (list.n != n) {
        exit(1);
    }
    px_proc_list_fini(&list);
}

/* Two lists of N processes that have none in common. */
static void overlap_procs(uint32_t n)
{
    pmix_proc_t *both = calloc(2 * n, sizeof(*both));

    for (uint32_t i = 0; both != NULL && i < 2 * n; i++) {
        both[i] = (pmix_proc_t){.nspace = "job", .rank = i};
    }
    if (both == NULL || px_procs_overlap(both, n, both + n, n)) {
        exit(1);
    }
    free(both);
}

/* A set of N codes, registered and deregistered all at once, in no order. */
static void register_codes(uint32_t n)
{
    struct px_code_set set = {0};
    pmix_status_t *codes = malloc(n * sizeof(*codes));
    size_t n_codes = n;

    if (codes == NULL) {
        exit(1);
    }
    for (uint32_t i = 0; i < n; i++) {
        codes[i] = (pmix_status_t) (i * 2654435761u);
    }
    if (px_code_set_add(&set, codes, &n_codes) != 0 || set.n != n || n_codes != n) {
        exit(1);
    }
    px_code_set_remove(&set, codes, &n_codes);
    if (set.n != 0) {
        exit(1);
    }
    px_code_set_fini(&set);
    free(codes);
}

/* N keys are put, and all put again. */
static void put_keys(uint32_t n)
{
    pmix_value_t value = {.type = PMIX_UINT32};
    struct px_uncommitted all;
    struct px_list dropped;
    char key[32];

    px_uncommitted_init(&all);
    px_list_init(&dropped);
    for (uint32_t i = 0; i < 2 * n; i++) {
        struct px_put_value *put;

        snprintf(key, sizeof(key), "key.%u", i % n);
        put = px_put_value_create(PMIX_GLOBAL, key, strlen(key), &value);
        if (put == NULL) {
            exit(1);
        }
        px_uncommitted_append(&all, put, &dropped);
    }
    if (all.n != n) {
        exit(1);
    }
    px_put_values_free(&dropped);
    px_uncommitted_fini(&all);
}

/* The name of one of many groups. */
static pmix_proc_t group_proc(uint32_t i, pmix_rank_t rank)
{
    pmix_proc_t proc = {.rank = rank};

    snprintf(proc.nspace, sizeof(proc.nspace), "group-%u", i);
    return proc;
}

/* Each of N processes, in one list, is named by its group, of which there are N, too; every second
 * group has the name of another one. */
static void name_groups(uint32_t n)
{
    pmix_proc_t *named = calloc(n, sizeof(*named));
    struct px_proc_list list = {0};
    pmix_proc_t who = {.nspace = "job", .rank = n / 2};
    struct px_proc_sets sets;

    px_proc_sets_init(&sets);
    for (uint32_t i = 0; i < n; i++) {
        pmix_proc_t member = {.nspace = "job", .rank = i};

        named[i] = group_proc(i / 2, 0);
        if (px_proc_set_add(&sets, PX_SET_GROUP, named[i].nspace, &member, 1) == NULL) {
            exit(1);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        named[i] = group_proc(i * 7919 % n, PMIX_RANK_WILDCARD);
    }
    if (!px_proc_sets_named(&sets, named, n) ||
        px_proc_sets_expand(&sets, named, n, &who, &list) != 0 || list.n != n) {
        exit(1);
    }
    px_proc_list_fini(&list);
    px_proc_sets_clear(&sets);
    free(named);
}

/* A group of N members is named N times. */
static void name_members(uint32_t n)
{
    pmix_proc_t *procs = calloc(n, sizeof(*procs));
    struct px_proc_list list = {0};
    struct px_proc_sets sets;

    px_proc_sets_init(&sets);
    for (uint32_t i = 0; i < n; i++) {
        procs[i] = (pmix_proc_t){.nspace = "job", .rank = i};
    }
    if (px_proc_set_add(&sets, PX_SET_GROUP, "group-0", procs, n) == NULL ||
        px_proc_set_add(&sets, PX_SET_GROUP, "group-1", procs, n / 2) == NULL) {
        exit(1);
    }
    for (uint32_t i = 0; i < n; i++) {
        procs[i] = group_proc(i % 2, PMIX_RANK_WILDCARD);
    }
    if (px_proc_sets_expand(&sets, procs, n, NULL, &list) != 0 || list.n != n) {
        exit(1);
    }
    px_proc_list_fini(&list);
    px_proc_sets_clear(&sets);
    free(procs);
}

static const struct {
    const char *name;
    void (*run)(uint32_t n);
} cases[] = {
    {"list_procs", list_procs},         {"overlap_procs", overlap_procs},
    {"register_codes", register_codes}, {"put_keys", put_keys},
    {"name_groups", name_groups},       {"name_members", name_members},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run((uint32_t) strtoul(argv[2], NULL, 0));
            return 0;
        }
    }
    fprintf(stderr, "usage: growth CASE N\n");
    return 2;
}
