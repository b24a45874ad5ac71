/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Upcalls as they came, copied into the shared memory so that every process of the case can look at
 * them at any time. */

#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *procs_text(const pmix_proc_t *procs, size_t n)
{
    size_t room = n * (PMIX_MAX_NSLEN + 16) + 1;
    char *text = calloc(1, room);
    const char *kept;
    size_t at = 0;

    for (size_t i = 0; text != NULL && i < n; i++) {
        at += (size_t) snprintf(text + at, room - at, "%s%s:", i > 0 ? "," : "", procs[i].nspace);
        at += (size_t) (procs[i].rank == PMIX_RANK_WILDCARD
                            ? snprintf(text + at, room - at, "*")
                            : snprintf(text + at, room - at, "%u", procs[i].rank));
    }
    kept = board_text(text);
    free(text);
    return kept;
}

static struct note *note_infos(const pmix_info_t *infos, size_t n);

static void note_array(struct note *to, const pmix_data_array_t *array)
{
    if (array == NULL) {
        return;
    }
    to->number = (int64_t) array->size;
    if (array->type == PMIX_INFO) {
        to->n_sub = array->size;
        to->sub = note_infos(array->array, array->size);
    } else if (array->type == PMIX_PROC) {
        to->text = procs_text(array->array, array->size);
    }
}

static bool note_number(struct note *to, const pmix_value_t *v)
{
    switch (v->type) {
    case PMIX_BOOL: to->number = v->data.flag; break;
    case PMIX_BYTE: to->number = v->data.byte; break;
    case PMIX_SIZE: to->number = (int64_t) v->data.size; break;
    case PMIX_PID: to->number = v->data.pid; break;
    case PMIX_INT: to->number = v->data.integer; break;
    case PMIX_INT8: to->number = v->data.int8; break;
    case PMIX_INT16: to->number = v->data.int16; break;
    case PMIX_INT32: to->number = v->data.int32; break;
    case PMIX_INT64: to->number = v->data.int64; break;
    case PMIX_UINT: to->number = v->data.uint; break;
    case PMIX_UINT8: to->number = v->data.uint8; break;
    case PMIX_UINT16: to->number = v->data.uint16; break;
    case PMIX_UINT32: to->number = v->data.uint32; break;
    case PMIX_UINT64: to->number = (int64_t) v->data.uint64; break;
    case PMIX_STATUS: to->number = v->data.status; break;
    case PMIX_PROC_RANK: to->number = v->data.rank; break;
    case PMIX_SCOPE: to->number = v->data.scope; break;
    case PMIX_DATA_RANGE: to->number = v->data.range; break;
    default: return false;
    }
    return true;
}

static void note_value(struct note *to, const pmix_value_t *v)
{
    to->type = v->type;
    to->text = "";
    if (note_number(to, v)) {
        return;
    }
    if (v->type == PMIX_STRING) {
        to->text = board_text(v->data.string);
    } else if (v->type == PMIX_PROC && v->data.proc != NULL) {
        to->text = procs_text(v->data.proc, 1);
    } else if (v->type == PMIX_BYTE_OBJECT) {
        to->number = (int64_t) v->data.bo.size;
        to->bytes = board_bytes(v->data.bo.bytes, v->data.bo.size);
    } else if (v->type == PMIX_DATA_ARRAY) {
        note_array(to, v->data.darray);
    }
}

static struct note *note_infos(const pmix_info_t *infos, size_t n)
{
    struct note *notes = board_room(n * sizeof(*notes));

    for (size_t i = 0; i < n; i++) {
        notes[i].key = board_text(infos[i].key);
        notes[i].flags = infos[i].flags;
        note_value(&notes[i], &infos[i].value);
    }
    return notes;
}

static const char *joined(char **words)
{
    char text[4096] = "";
    size_t at = 0;

    for (int i = 0; words != NULL && words[i] != NULL && at < sizeof(text); i++) {
        at += (size_t) snprintf(text + at, sizeof(text) - at, "%s%s", i > 0 ? "," : "", words[i]);
    }
    return board_text(text);
}

/* Infos, then directives beside them, queries and applications: one list. */
static void note_all(struct record *r, const struct ask *ask)
{
    size_t n = ask->n_infos + ask->n_more + ask->n_queries + ask->n_apps;
    struct note *notes = board_room(n * sizeof(*notes));
    struct note *to = notes + ask->n_infos + ask->n_more;

    memcpy(notes, note_infos(ask->infos, ask->n_infos), ask->n_infos * sizeof(*notes));
    memcpy(notes + ask->n_infos, note_infos(ask->more, ask->n_more), ask->n_more * sizeof(*notes));
    for (size_t i = 0; i < ask->n_queries; i++, to++) {
        const pmix_query_t *q = &ask->queries[i];
        *to = (struct note){.key = joined(q->keys), .type = PMIX_QUERY, .text = "",
                            .sub = note_infos(q->qualifiers, q->nqual), .n_sub = q->nqual};
    }
    for (size_t i = 0; i < ask->n_apps; i++, to++) {
        const pmix_app_t *app = &ask->apps[i];
        *to = (struct note){.key = board_text(app->cmd), .type = PMIX_APP, .number = app->maxprocs,
                            .text = joined(app->argv), .sub = note_infos(app->info, app->ninfo),
                            .n_sub = app->ninfo};
    }
    r->infos = notes;
    r->n_infos = n;
}

const struct record *record_ask(const struct ask *ask)
{
    struct record *r = board_room(sizeof(*r));
    char step[64];
    uint32_t place;

    r->entry = ask->entry;
    r->node = self.node;
    if (ask->proc != NULL) {
        r->proc = *ask->proc;
    }
    r->object = ask->object;
    r->procs = board_bytes(ask->procs, ask->n_procs * sizeof(*ask->procs));
    r->n_procs = ask->n_procs;
    r->blob = board_bytes(ask->data, ask->n_data);
    r->n_blob = ask->n_data;
    r->number = ask->number;
    r->range = ask->range;
    r->text = ask->keys != NULL ? joined(ask->keys) : board_text(ask->text);
    note_all(r, ask);
    place = atomic_fetch_add(&board->n_records, 1);
    if (place < MAX_RECORDS) {
        atomic_store(&board->records[place], r);
    } else if (place == MAX_RECORDS) {
        board_line(true, "more upcalls than can be recorded");
    }
    snprintf(step, sizeof(step), "upcall %s", entry_name(ask->entry));
    tell(step);
    return r;
}

/* ---- looking */

const struct record *upcall(enum entry entry, int node, int nth)
{
    uint32_t n = atomic_load(&board->n_records);

    for (uint32_t i = 0; i < n && i < MAX_RECORDS; i++) {
        const struct record *r = atomic_load(&board->records[i]);

        if (r != NULL && r->entry == entry && (node < 0 || r->node == node) && nth-- == 0) {
            return r;
        }
    }
    return NULL;
}

int upcalls(enum entry entry, int node)
{
    uint32_t n = atomic_load(&board->n_records);
    int count = 0;

    for (uint32_t i = 0; i < n && i < MAX_RECORDS; i++) {
        const struct record *r = atomic_load(&board->records[i]);

        count += r != NULL && r->entry == entry && (node < 0 || r->node == node);
    }
    return count;
}

static const struct note *find_note(const struct note *notes, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(notes[i].key, key) == 0) {
            return &notes[i];
        }
    }
    return NULL;
}

const struct note *record_info(const struct record *r, const char *key)
{
    return r != NULL ? find_note(r->infos, r->n_infos, key) : NULL;
}

const struct note *note_info(const struct note *note, const char *key)
{
    return note != NULL ? find_note(note->sub, note->n_sub, key) : NULL;
}

bool record_names(const struct record *r, const char *nspace, pmix_rank_t rank)
{
    for (size_t i = 0; r != NULL && i < r->n_procs; i++) {
        if (strcmp(r->procs[i].nspace, nspace) == 0 && r->procs[i].rank == rank) {
            return true;
        }
    }
    return false;
}

void await_upcalls(enum entry entry, int n)
{
    char step[64];

    snprintf(step, sizeof(step), "upcall %s", entry_name(entry));
    await_n(step, n);
}
