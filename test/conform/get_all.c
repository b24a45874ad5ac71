/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get of what the library itself says of a process, and of everything of a process. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <string.h>

/* One get in a manner (NULL: as usual); the value is the library's or the caller's accordingly. */
static pmix_status_t get_as(const char *manner, pmix_rank_t rank, const char *key, pmix_value_t **v)
{
    struct infos list = {0};
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    if (manner != NULL) {
        add_true(&list, manner);
    }
    rc = PMIx_Get(&proc, key, list.at, list.n, v);
    free_infos(&list);
    return rc;
}

/* What the library answers by itself, or asks for each time, is answered in every manner; and
 * whatever one manner has been told, the next one is told, too. */
static void point_at_own(void)
{
    static const char *const keys[] = {PMIX_PROCID, PMIX_NSPACE, PMIX_RANK, PMIX_VERSION_INFO,
                                       PMIX_LOCAL_PROCS};
    const char *const manners[] = {PMIX_GET_POINTER_VALUES, PMIX_OPTIONAL, NULL,
                                   PMIX_GET_STATIC_VALUES, PMIX_GET_POINTER_VALUES};

    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        bool asks = k >= 4; /* a local look finds nothing */
        pmix_value_t *first = NULL;

        for (size_t m = 0; m < sizeof(manners) / sizeof(manners[0]); m++) {
            bool fixed = manners[m] != NULL && strcmp(manners[m], PMIX_GET_STATIC_VALUES) == 0;
            bool optional = manners[m] != NULL && strcmp(manners[m], PMIX_OPTIONAL) == 0;
            pmix_value_t room = {.type = PMIX_UNDEF};
            pmix_value_t *v = fixed ? &room : NULL;

            if (!check_status(asks && optional ? PMIX_ERR_NOT_FOUND : PMIX_SUCCESS,
                              get_as(manners[m], me.rank, keys[k], &v), "%s %s", keys[k],
                              manners[m] == NULL ? "plainly" : manners[m]) ||
                (asks && optional)) {
                continue;
            }
            if (first == NULL) {
                first = v;
            }
            check(v->type == first->type, "%s: the same type", keys[k]);
            if (m == 0 || m == 4) {
                check_for("GET-004", v == first && PMIx_Value_compare(v, first) == PMIX_EQUAL,
                          "%s: the same address each time", keys[k]);
            } else if (fixed) {
                PMIX_VALUE_DESTRUCT(v);
            } else {
                PMIX_VALUE_RELEASE(v);
            }
        }
    }
}

/* ---- without a key */

/* The value under a key in an array of infos, or NULL; how often it is there. */
static const pmix_value_t *in_array(const pmix_value_t *v, const char *key, int *ret_n)
{
    const pmix_value_t *found = NULL;

    *ret_n = 0;
    for (size_t i = 0; v->type == PMIX_DATA_ARRAY && i < v->data.darray->size; i++) {
        const pmix_info_t *info = (const pmix_info_t *) v->data.darray->array + i;

        if (strcmp(info->key, key) == 0) {
            found = &info->value;
            (*ret_n)++;
        }
    }
    return found;
}

/* Everything of a process: what it posted for us, each key once, and what the host says of it. */
static void read_all(pmix_rank_t rank, const char *manner, uint32_t number, bool sees_local)
{
    pmix_value_t room;
    pmix_value_t *v = &room;
    const pmix_value_t *one;
    bool fixed = manner != NULL && strcmp(manner, PMIX_GET_STATIC_VALUES) == 0;
    int n;

    if (!check_status(PMIX_SUCCESS, get_as(manner, rank, NULL, &v), "all of %u, %s", rank,
                      manner == NULL ? "plainly" : manner)) {
        return;
    }
    if (check(v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_INFO, "infos")) {
        one = in_array(v, "number", &n);
        check(n == 1 && one->type == PMIX_UINT32 && one->data.uint32 == number, "number: %d", n);
        one = in_array(v, "text", &n);
        check(n == 1 && one->type == PMIX_STRING, "the text, %d", n);
        (void) in_array(v, "local", &n);
        check(n == (sees_local ? 1 : 0), "what is for its own node, %d", n);
        (void) in_array(v, PMIX_LOCAL_RANK, &n);
        check(n == 1 || rank == me.rank, "what the host says, %d", n);
    }
    if (fixed) {
        PMIX_VALUE_DESTRUCT(v);
    } else if (manner == NULL || strcmp(manner, PMIX_GET_POINTER_VALUES) != 0) {
        PMIX_VALUE_RELEASE(v);
    }
}

static void ask_for_all(void)
{
    const struct job *job = find_job(me.nspace);
    pmix_value_t *v = NULL;

    put_text(PMIX_GLOBAL, "text", "x");
    put_in(PMIX_LOCAL, "local", 1);
    put_number("number", 1);
    commit();
    put_number("number", 7);
    commit();
    fence_all(NULL);
    for (int i = 0; i < job_size(job); i++) {
        pmix_rank_t r = (pmix_rank_t) i;
        bool near = i / 2 == (int) me.rank / 2;

        read_all(r, NULL, 7, near);
        read_all(r, NULL, 7, near);
        read_all(r, PMIX_GET_STATIC_VALUES, 7, near);
        read_all(r, PMIX_GET_POINTER_VALUES, 7, near);
        read_all(r, PMIX_OPTIONAL, 7, near);
    }
    fence_all(NULL);
    check_status(PMIX_ERR_BAD_PARAM, get_as(NULL, PMIX_RANK_WILDCARD, NULL, &v), "of all");
    check_status(PMIX_ERR_NOT_FOUND, get_as(PMIX_OPTIONAL, 77, NULL, &v), "of nobody");
    fence_all(NULL);
}

/* Nobody waits for a process of its node that posts nothing. */
static void ask_for_little(void)
{
    pmix_value_t *v = NULL;
    int n;

    if (check_status(PMIX_SUCCESS, get_as(NULL, 1 - me.rank, NULL, &v), "of the other")) {
        (void) in_array(v, PMIX_LOCAL_RANK, &n);
        check(n == 1, "what the host says");
        PMIX_VALUE_RELEASE(v);
    }
    same(me.rank == 0 ? "0" : "1", got_of(PMIX_RANK_INVALID, PMIX_RANK, NULL), "my own rank");
    if (check_status(PMIX_SUCCESS, get_as(NULL, me.rank, PMIX_SERVER_URI, &v), "my server")) {
        check(v->type == PMIX_STRING && strstr(v->data.string, ";tcp") != NULL, "where it is: %s",
              v->data.string);
        PMIX_VALUE_RELEASE(v);
    }
    check_status(PMIX_SUCCESS, get_as(NULL, me.rank, PMIX_SERVER_RANK, &v), "and who");
    PMIX_VALUE_RELEASE(v);
    fence_all(NULL);
}

const struct conform_case cases[] = {
    {.ids = "GET-002 GET-004",
     .otherwise = "GET-002",
     .what = "what the library says of itself is given in every manner",
     .ranks = 2,
     .client = point_at_own},
    {.ids = "GET-016",
     .what = "without a key everything of a process comes",
     .nodes = 2,
     .ranks = 2,
     .client = ask_for_all},
    {.ids = "GET-016",
     .what = "what programs ask of a process and of themselves",
     .ranks = 2,
     .client = ask_for_little},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
