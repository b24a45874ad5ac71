/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "queries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"

void add_query(struct queries *list, const char *keys, struct infos *quals)
{
    pmix_query_t *at = realloc(list->at, (list->n + 1) * sizeof(*at));
    pmix_query_t *q;

    if (at == NULL) {
        abort();
    }
    list->at = at;
    q = &at[list->n++];
    PMIX_QUERY_CONSTRUCT(q);
    PMIX_ARGV_SPLIT(q->keys, keys, ',');
    if (quals != NULL) {
        q->qualifiers = quals->at;
        q->nqual = quals->n;
        *quals = (struct infos){0};
    }
}

void free_queries(struct queries *list)
{
    for (size_t i = 0; i < list->n; i++) {
        PMIX_QUERY_DESTRUCT(&list->at[i]);
    }
    free(list->at);
    *list = (struct queries){0};
}

struct asked ask_all(struct queries *list)
{
    pmix_info_t poison;
    struct asked asked = {.info = &poison, .n = 77};

    asked.rc = PMIx_Query_info(list->at, list->n, &asked.info, &asked.n);
    free_queries(list);
    if (!check(asked.info != &poison, "with status %d the results are set", asked.rc)) {
        asked.info = NULL;
        asked.n = 0;
    }
    if (asked.rc != PMIX_SUCCESS && asked.rc != PMIX_ERR_PARTIAL_SUCCESS &&
        asked.rc != PMIX_QUERY_PARTIAL_SUCCESS) {
        check(asked.info == NULL && asked.n == 0, "status %d comes without results", asked.rc);
        asked.info = NULL;
        asked.n = 0;
    }
    return asked;
}

struct asked ask_one(const char *keys, struct infos *quals)
{
    struct queries list = {0};

    add_query(&list, keys, quals);
    return ask_all(&list);
}

void free_asked(struct asked *asked)
{
    PMIX_INFO_FREE(asked->info, asked->n);
    *asked = (struct asked){0};
}

const pmix_info_t *results(const struct asked *asked, int nth, size_t *ret_n)
{
    for (size_t i = 0; i < asked->n; i++) {
        const pmix_value_t *v = &asked->info[i].value;

        if (PMIX_CHECK_KEY(&asked->info[i], PMIX_QUERY_RESULTS) && v->type == PMIX_DATA_ARRAY &&
            v->data.darray->type == PMIX_INFO && nth-- == 0) {
            *ret_n = v->data.darray->size;
            return v->data.darray->array;
        }
    }
    return NULL;
}

const pmix_value_t *answer_to(const struct asked *asked, int q, const char *key)
{
    size_t n = 0;
    const pmix_info_t *info = results(asked, q, &n);

    if (info == NULL) {
        info = asked->info;
        n = asked->n;
    }
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], key)) {
            return &info[i].value;
        }
    }
    return NULL;
}

const char *said(const struct asked *asked, int q, const char *key)
{
    return text_of(answer_to(asked, q, key));
}

const char *query_text(const char *key, struct infos *quals)
{
    static _Thread_local char status[16];
    struct asked asked = ask_one(key, quals);
    const char *text = status;

    snprintf(status, sizeof(status), "%d", asked.rc);
    if (asked.rc == PMIX_SUCCESS) {
        text = said(&asked, 0, key);
    }
    free_asked(&asked);
    return text;
}
