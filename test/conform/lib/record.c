/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Upcalls as they came, kept in the shared memory so that every process of the case can look at
 * them at any time. */

#include "inside.h"

#include <stdio.h>
#include <string.h>

const struct record *record_ask(const struct upcall *ask)
{
    struct record *r = board_room(sizeof(*r));
    char step[64];
    uint32_t place;

    px_host_record(ask, board_room, r);
    r->node = self.node;
    place = atomic_fetch_add(&board->n_records, 1);
    if (place < MAX_RECORDS) {
        atomic_store(&board->records[place], r);
    } else if (place == MAX_RECORDS) {
        board_line(true, "more upcalls than can be recorded");
    }
    snprintf(step, sizeof(step), "upcall %s", px_host_entry_name(ask->entry));
    tell(step);
    return r;
}

/* ---- looking */

const struct record *upcall(enum entry entry, int node, int nth)
{
    uint32_t n = atomic_load(&board->n_records);

    foreign_unless();
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

    foreign_unless();
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

    foreign_unless();
    snprintf(step, sizeof(step), "upcall %s", px_host_entry_name(entry));
    await_n(step, n);
}
