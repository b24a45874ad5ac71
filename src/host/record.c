/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Upcalls as they came, copied, so that they can be looked at when the call is over. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

typedef void *room_fn(size_t n);

static const void *keep_bytes(room_fn *room, const void *bytes, size_t n)
{
    char *to = n > 0 && bytes != NULL ? room(n) : NULL;

    if (to != NULL) {
        memcpy(to, bytes, n);
    }
    return to;
}

static const char *keep_text(room_fn *room, const char *text)
{
    const char *to = text != NULL ? keep_bytes(room, text, strlen(text) + 1) : NULL;

    return to != NULL ? to : "";
}

/* The words with the separator, one character, between them. */
static const char *joined(room_fn *room, char **words, const char *separator)
{
    size_t len = 1;
    char *text;
    char *end;

    for (int i = 0; words != NULL && words[i] != NULL; i++) {
        len += strlen(words[i]) + 1;
    }
    text = len > 1 ? room(len) : NULL;
    end = text;
    for (int i = 0; text != NULL && words[i] != NULL; i++) {
        end = stpcpy(end, i > 0 ? separator : "");
        end = stpcpy(end, words[i]);
    }
    return text != NULL ? text : "";
}

static const char *procs_text(room_fn *room, const pmix_proc_t *procs, size_t n)
{
    size_t cap = n * (PMIX_MAX_NSLEN + 16) + 1;
    char *text = procs != NULL ? calloc(1, cap) : NULL;
    const char *kept;
    size_t at = 0;

    for (size_t i = 0; text != NULL && i < n; i++) {
        at += (size_t) snprintf(text + at, cap - at, "%s%s:", i > 0 ? "," : "", procs[i].nspace);
        at += (size_t) (procs[i].rank == PMIX_RANK_WILDCARD
                            ? snprintf(text + at, cap - at, "*")
                            : snprintf(text + at, cap - at, "%u", procs[i].rank));
    }
    kept = keep_text(room, text);
    free(text);
    return kept;
}

static struct note *note_infos(room_fn *room, const pmix_info_t *infos, size_t n);

static void note_array(room_fn *room, struct note *to, const pmix_data_array_t *array)
{
    if (array == NULL) {
        return;
    }
    to->number = (int64_t) array->size;
    if (array->type == PMIX_INFO) {
        to->sub = note_infos(room, array->array, array->size);
        to->n_sub = to->sub != NULL ? array->size : 0;
    } else if (array->type == PMIX_PROC) {
        to->text = procs_text(room, array->array, array->size);
    }
}

/* clang-format off */
#define NUMBERS(X) \
    X(PMIX_BOOL, flag) X(PMIX_BYTE, byte) X(PMIX_SIZE, size) X(PMIX_PID, pid) \
    X(PMIX_INT, integer) X(PMIX_INT8, int8) X(PMIX_INT16, int16) X(PMIX_INT32, int32) \
    X(PMIX_INT64, int64) X(PMIX_UINT, uint) X(PMIX_UINT8, uint8) X(PMIX_UINT16, uint16) \
    X(PMIX_UINT32, uint32) X(PMIX_UINT64, uint64) X(PMIX_STATUS, status) \
    X(PMIX_PROC_RANK, rank) X(PMIX_SCOPE, scope) X(PMIX_DATA_RANGE, range) \
    X(PMIX_PERSIST, persist)
/* clang-format on */

static bool note_number(struct note *to, const pmix_value_t *v)
{
    switch (v->type) {
#define X(name, member)                                                                            \
    case name:                                                                                     \
        to->number = (int64_t) v->data.member;                                                     \
        return true;
        NUMBERS(X)
#undef X
    default:
        return false;
    }
}

static const char *double_text(room_fn *room, double number)
{
    char text[40];

    snprintf(text, sizeof(text), "%.17g", number);
    return keep_text(room, text);
}

static const char *envar_text(room_fn *room, const pmix_envar_t *e)
{
    char *pair[] = {e->envar, e->value, NULL};

    return joined(room, pair, "=");
}

static void note_value(room_fn *room, struct note *to, const pmix_value_t *v)
{
    to->type = v->type;
    to->text = "";
    if (note_number(to, v)) {
        return;
    }
    if (v->type == PMIX_STRING) {
        to->text = keep_text(room, v->data.string);
    } else if (v->type == PMIX_PROC && v->data.proc != NULL) {
        to->text = procs_text(room, v->data.proc, 1);
    } else if (v->type == PMIX_FLOAT) {
        to->text = double_text(room, (double) v->data.fval);
    } else if (v->type == PMIX_DOUBLE) {
        to->text = double_text(room, v->data.dval);
    } else if (v->type == PMIX_ENVAR) {
        to->text = envar_text(room, &v->data.envar);
    } else if (v->type == PMIX_BYTE_OBJECT || v->type == PMIX_REGEX) {
        to->number = (int64_t) v->data.bo.size;
        to->bytes = keep_bytes(room, v->data.bo.bytes, v->data.bo.size);
    } else if (v->type == PMIX_DATA_ARRAY) {
        note_array(room, to, v->data.darray);
    }
}

static struct note *note_infos(room_fn *room, const pmix_info_t *infos, size_t n)
{
    struct note *notes = infos != NULL && n > 0 ? room(n * sizeof(*notes)) : NULL;

    for (size_t i = 0; notes != NULL && i < n; i++) {
        notes[i].key = keep_text(room, infos[i].key);
        notes[i].flags = infos[i].flags;
        note_value(room, &notes[i], &infos[i].value);
    }
    return notes;
}

/* Puts the notes behind those that are there. */
static void add_infos(room_fn *room, struct note *notes, size_t *at, const pmix_info_t *infos,
                      size_t n)
{
    const struct note *more = note_infos(room, infos, n);

    if (more != NULL) {
        memcpy(notes + *at, more, n * sizeof(*notes));
        *at += n;
    }
}

static struct note note_query(room_fn *room, const pmix_query_t *q)
{
    struct note note = {.key = joined(room, q->keys, ","), .type = PMIX_QUERY, .text = ""};

    note.sub = note_infos(room, q->qualifiers, q->nqual);
    note.n_sub = note.sub != NULL ? q->nqual : 0;
    return note;
}

static struct note note_app(room_fn *room, const pmix_app_t *app)
{
    struct note note = {.key = keep_text(room, app->cmd),
                        .type = PMIX_APP,
                        .number = app->maxprocs,
                        .text = joined(room, app->argv, ",")};

    note.sub = note_infos(room, app->info, app->ninfo);
    note.n_sub = note.sub != NULL ? app->ninfo : 0;
    return note;
}

/* Infos, then directives beside them, queries and applications: one list. */
static void note_all(room_fn *room, struct record *r, const struct upcall *upcall)
{
    size_t n = upcall->n_infos + upcall->n_more + upcall->n_queries + upcall->n_apps;
    struct note *notes = n > 0 ? room(n * sizeof(*notes)) : NULL;

    if (notes == NULL) {
        return;
    }
    add_infos(room, notes, &r->n_infos, upcall->infos, upcall->n_infos);
    add_infos(room, notes, &r->n_infos, upcall->more, upcall->n_more);
    for (size_t i = 0; i < upcall->n_queries; i++) {
        notes[r->n_infos++] = note_query(room, &upcall->queries[i]);
    }
    for (size_t i = 0; i < upcall->n_apps; i++) {
        notes[r->n_infos++] = note_app(room, &upcall->apps[i]);
    }
    r->infos = notes;
}

void px_host_record(const struct upcall *upcall, void *(*room)(size_t n), struct record *ret_record)
{
    struct record *r = ret_record;

    *r = (struct record){.entry = upcall->entry,
                         .node = r->node,
                         .object = upcall->object,
                         .number = upcall->number,
                         .range = upcall->range};
    if (upcall->proc != NULL) {
        r->proc = *upcall->proc;
    }
    r->procs = keep_bytes(room, upcall->procs, upcall->n_procs * sizeof(*upcall->procs));
    r->n_procs = r->procs != NULL ? upcall->n_procs : 0;
    r->blob = keep_bytes(room, upcall->data, upcall->n_data);
    r->n_blob = r->blob != NULL ? upcall->n_data : 0;
    r->text =
        upcall->keys != NULL ? joined(room, upcall->keys, ",") : keep_text(room, upcall->text);
    note_all(room, r, upcall);
}
