/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "answers.h"
#include "inside.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16384 };

static _Thread_local char text[2][ROOM];
static _Thread_local int turn;

/* Two texts live at a time, so that two answers can be compared. */
static char *fresh(void)
{
    turn = !turn;
    text[turn][0] = '\0';
    return text[turn];
}

static const char *status_text(pmix_status_t rc)
{
    char *to = fresh();

    snprintf(to, ROOM, "%d", rc);
    return to;
}

static int compare(const void *a, const void *b)
{
    const pmix_proc_t *x = a;
    const pmix_proc_t *y = b;
    int by_name = strcmp(x->nspace, y->nspace);

    return by_name != 0 ? by_name : (x->rank > y->rank) - (x->rank < y->rank);
}

static const char *procs_text(const pmix_proc_t *procs, size_t n)
{
    char *to = fresh();
    size_t at = 0;

    for (size_t i = 0; i < n && at < ROOM; i++) {
        at += (size_t) snprintf(to + at, ROOM - at, "%s%s:%u", i > 0 ? "," : "",
                                job_of(procs[i].nspace), procs[i].rank);
    }
    return to;
}

static const char *ask_peers(const char *node, const char *nspace, bool sort)
{
    pmix_proc_t poison;
    pmix_proc_t *procs = &poison;
    size_t n = 77;
    pmix_status_t rc = PMIx_Resolve_peers(node, nspace_of(nspace), &procs, &n);
    const char *answer;

    if (rc != PMIX_SUCCESS || n == 0) {
        check_aside("RES-010", procs == NULL && n == 0,
                    "without an answer the results are cleared");
        return rc == PMIX_SUCCESS ? fresh() : status_text(rc);
    }
    if (sort) {
        qsort(procs, n, sizeof(*procs), compare);
    }
    answer = procs_text(procs, n);
    PMIX_PROC_FREE(procs, n);
    return answer;
}

const char *peers(const char *node, const char *nspace)
{
    return ask_peers(node, nspace, false);
}

const char *peers_sorted(const char *node, const char *nspace)
{
    return ask_peers(node, nspace, true);
}

const char *hosts(const char *nspace)
{
    static char poison[] = "poison";
    char *list = poison;
    pmix_status_t rc = PMIx_Resolve_nodes(nspace_of(nspace), &list);
    char *to;

    if (rc != PMIX_SUCCESS) {
        check_aside("RES-010", list == NULL, "without an answer the list is cleared");
        return status_text(rc);
    }
    to = fresh();
    snprintf(to, ROOM, "%s", list != NULL ? list : "(null)");
    free(list);
    return to;
}

const char *text_of(const pmix_value_t *v)
{
    char *to = fresh();
    int64_t number = 0;

    if (v == NULL) {
        return "(none)";
    }
    switch (v->type) {
    case PMIX_STRING:
        snprintf(to, ROOM, "%s", v->data.string != NULL ? job_of(v->data.string) : "(null)");
        return to;
    case PMIX_REGEX: /* of the compact form, which is text */
        snprintf(to, ROOM, "%s", v->data.bo.bytes != NULL ? v->data.bo.bytes : "(null)");
        return to;
    case PMIX_BOOL:
        snprintf(to, ROOM, "%s", v->data.flag ? "true" : "false");
        return to;
    case PMIX_PROC:
        return procs_text(v->data.proc, 1);
    case PMIX_DATA_ARRAY:
        if (v->data.darray->type == PMIX_PROC) {
            return procs_text(v->data.darray->array, v->data.darray->size);
        }
        snprintf(to, ROOM, "array of %zu", v->data.darray->size);
        return to;
    case PMIX_BYTE_OBJECT:
        snprintf(to, ROOM, "%.*s", (int) v->data.bo.size, v->data.bo.bytes);
        return to;
    case PMIX_PROC_RANK:
        number = v->data.rank;
        break;
    case PMIX_STATUS:
        number = v->data.status;
        break;
    case PMIX_SIZE:
        number = (int64_t) v->data.size;
        break;
    case PMIX_INT:
        number = v->data.integer;
        break;
    case PMIX_UINT:
        number = v->data.uint;
        break;
    case PMIX_INT8:
        number = v->data.int8;
        break;
    case PMIX_UINT8:
        number = v->data.uint8;
        break;
    case PMIX_INT16:
        number = v->data.int16;
        break;
    case PMIX_UINT16:
        number = v->data.uint16;
        break;
    case PMIX_INT32:
        number = v->data.int32;
        break;
    case PMIX_UINT32:
        number = v->data.uint32;
        break;
    case PMIX_INT64:
        number = v->data.int64;
        break;
    case PMIX_UINT64:
        number = (int64_t) v->data.uint64;
        break;
    case PMIX_PID:
        number = v->data.pid;
        break;
    default:
        snprintf(to, ROOM, "type %d", v->type);
        return to;
    }
    snprintf(to, ROOM, "%" PRId64, number);
    return to;
}

const char *got(const char *nspace, pmix_rank_t rank, const char *key, const pmix_info_t *infos,
                size_t n)
{
    pmix_value_t *v = NULL;
    pmix_proc_t proc;
    pmix_status_t rc;
    const char *answer;

    PMIX_LOAD_PROCID(&proc, nspace_of(nspace), rank);
    rc = PMIx_Get(&proc, key, infos, n, &v);
    if (rc != PMIX_SUCCESS) {
        return status_text(rc);
    }
    if (!check(v != NULL, "a success of PMIx_Get(%s) has a value", key)) {
        return "no value";
    }
    answer = text_of(v);
    PMIX_VALUE_RELEASE(v);
    return answer;
}

static void note_answer(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    struct late_get *get = cbdata;

    get->status = status;
    get->number = value != NULL && value->type == PMIX_UINT32 ? value->data.uint32 : 0;
    tell(get->step);
}

void get_later(struct late_get *get, const char *nspace, pmix_rank_t rank, const char *key,
               const struct infos *list)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace_of(nspace), rank);
    check_status(PMIX_SUCCESS,
                 PMIx_Get_nb(&proc, key, list != NULL ? list->at : NULL, list != NULL ? list->n : 0,
                             note_answer, get),
                 "get_nb %s", key);
}

const char *got_of(pmix_rank_t rank, const char *key, const char *directive)
{
    struct infos list = {0};
    const char *answer;

    if (directive != NULL) {
        add_true(&list, directive);
    }
    answer = got(me.nspace, rank, key, list.at, list.n);
    free_infos(&list);
    return answer;
}

bool conform_same(const char *want, const char *is, const char *file, int line, const char *what,
                  ...)
{
    char sentence[256];
    va_list args;

    va_start(args, what);
    vsnprintf(sentence, sizeof(sentence), what, args);
    va_end(args);
    return conform_check(strcmp(want, is) == 0, file, line, "%s: \"%s\" instead of \"%s\"",
                         sentence, is, want);
}
