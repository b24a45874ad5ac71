/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What changes is changed in the private copy and then stored, word by word, between two stores of
 * a lock word: odd before, even after. Every store is a release: who sees a word of a change finds
 * the lock odd, or beyond. */

#include "writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shmem/segment.h"
#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/status.h"

struct px_waits {
    struct px_waits_area own;
    struct px_segment seg;               /* base NULL: private */
    uint32_t users[PX_WAITS_NAMESPACES]; /* rows and names that refer to a namespace */
    uint64_t n_past;
};

/* --- publication --- */

/* Stores a part of the private copy in the area. pairs with px_waits_load */
static void store_words(struct px_waits *w, const void *from, size_t len)
{
    size_t at = (size_t) ((const char *) from - (const char *) &w->own);
    uint64_t *to = w->seg.base ? (uint64_t *) (void *) (w->seg.base + at) : NULL;
    uint64_t word;

    px_assert(at % 8 == 0 && len % 8 == 0 && at + len <= sizeof(w->own));
    for (size_t i = 0; to && i < len / 8; i++) {
        memcpy(&word, (const char *) from + i * 8, sizeof(word));
        px_store_release(&to[i], word);
    }
}

/* Makes the lock odd before the words behind it are stored, and even after. */
static void turn(struct px_waits *w, uint64_t *lock)
{
    ++*lock;
    store_words(w, lock, sizeof(*lock));
}

/* Publishes a part of what `lock` guards, but for the lock itself. */
static void publish(struct px_waits *w, uint64_t *lock, const void *from, size_t len)
{
    turn(w, lock);
    store_words(w, from, len);
    turn(w, lock);
}

/* --- life --- */

int px_waits_create(const struct px_waits_head *who, struct px_waits **ret)
{
    const struct px_segment_hints hints = {.initial_commit = sizeof(struct px_waits_area),
                                           .label = PX_WAITS_LABEL};
    struct px_waits *w = calloc(1, sizeof(*w));

    if (!w) {
        return PX_ERR_NOMEM;
    }
    w->own.head = *who;
    w->own.head.magic = PX_WAITS_MAGIC;
    w->own.head.version = PX_WAITS_VERSION;
    w->own.head.bytes = sizeof(w->own);
    w->own.head.pid = (uint32_t) getpid();
    if (!px_segment_create(true, sizeof(w->own), &hints, &w->seg) &&
        (w->seg.size < sizeof(w->own) || px_segment_commit(&w->seg, sizeof(w->own)))) {
        px_segment_close(&w->seg);
    }
    store_words(w, &w->own.head.version, sizeof(w->own.head) - sizeof(w->own.head.magic));
    store_words(w, &w->own.head.magic, sizeof(w->own.head.magic));
    *ret = w;
    return 0;
}

void px_waits_destroy(struct px_waits *w)
{
    if (w && w->seg.base) {
        px_segment_close(&w->seg);
    }
    free(w);
}

const struct px_waits_area *px_waits_own(const struct px_waits *w)
{
    return &w->own;
}

void px_waits_count(struct px_waits *w, enum px_waits_count which, int64_t change)
{
    w->own.counts[which] += (uint64_t) change;
    store_words(w, &w->own.counts[which], sizeof(w->own.counts[which]));
}

/* --- namespaces and processes --- */

/* The row of a namespace, one more user of it; 0: there is no room. */
static uint32_t use_nspace(struct px_waits *w, const char *name)
{
    uint32_t spare = 0;

    for (uint32_t i = 0; i < PX_WAITS_NAMESPACES; i++) {
        if (!w->users[i]) {
            spare = spare ? spare : i + 1;
        } else if (strncmp(w->own.nspaces[i].name, name, PX_WAITS_NAME - 1) == 0) {
            w->users[i]++;
            return i + 1;
        }
    }
    if (spare) {
        struct px_waits_nspace *row = &w->own.nspaces[spare - 1];

        w->users[spare - 1] = 1;
        memset(row, 0, sizeof(*row));
        memcpy(row->name, name, strnlen(name, PX_WAITS_NAME - 1));
        publish(w, &w->own.lock, row, sizeof(*row));
    }
    return spare;
}

/* One user less. */
static void leave_nspace(struct px_waits *w, uint32_t row)
{
    px_assert(!row || w->users[row - 1]);
    if (row && --w->users[row - 1] == 0) {
        memset(&w->own.nspaces[row - 1], 0, sizeof(w->own.nspaces[0]));
        publish(w, &w->own.lock, &w->own.nspaces[row - 1], sizeof(w->own.nspaces[0]));
    }
}

/* A free row of the processes; 0: there is none. */
static uint32_t free_row(const struct px_waits *w)
{
    for (uint32_t i = 0; i < PX_WAITS_PROCS; i++) {
        if (!w->own.procs[i].nspace) {
            return i + 1;
        }
    }
    return 0;
}

uint32_t px_waits_set_proc(struct px_waits *w, uint32_t row, const char *nspace, uint32_t rank,
                           uint32_t pid, uint32_t flags)
{
    struct px_waits_proc *proc;
    bool is_new = !row;

    row = row ? row : free_row(w);
    if (!row) {
        return 0;
    }
    proc = &w->own.procs[row - 1];
    proc->nspace = proc->nspace ? proc->nspace : use_nspace(w, nspace);
    if (!proc->nspace) {
        return 0;
    }
    if (proc->rank != rank || proc->pid != pid || proc->flags != flags || is_new) {
        proc->rank = rank;
        proc->pid = pid;
        proc->flags = flags;
        publish(w, &w->own.lock, proc, sizeof(*proc));
    }
    return row;
}

void px_waits_drop_proc(struct px_waits *w, uint32_t row)
{
    struct px_waits_proc *proc = row ? &w->own.procs[row - 1] : NULL;
    uint64_t bit = row ? UINT64_C(1) << (row - 1) % 64 : 0;
    uint32_t nspace;

    if (!proc) {
        return;
    }
    for (uint32_t i = 0; i < PX_WAITS_ENTRIES; i++) {
        struct px_waits_entry *entry = &w->own.entries[i];

        uint64_t bits = entry->expected[(row - 1) / 64] | entry->come[(row - 1) / 64];

        if (entry->kind != PX_WAITS_NONE && (bits & bit || entry->asker == row)) {
            entry->expected[(row - 1) / 64] &= ~bit;
            entry->come[(row - 1) / 64] &= ~bit;
            entry->asker = entry->asker == row ? 0 : entry->asker;
            px_waits_publish(w, i + 1);
        }
    }
    nspace = proc->nspace;
    memset(proc, 0, sizeof(*proc));
    publish(w, &w->own.lock, proc, sizeof(*proc));
    leave_nspace(w, nspace);
}

/* --- entries --- */

/* Counts those without an entry. */
static void count_hidden(struct px_waits *w, int change)
{
    w->own.hidden += (uint64_t) (int64_t) change;
    store_words(w, &w->own.hidden, sizeof(w->own.hidden));
}

uint32_t px_waits_open(struct px_waits *w)
{
    for (uint32_t i = 0; i < PX_WAITS_ENTRIES; i++) {
        struct px_waits_entry *entry = &w->own.entries[i];

        if (entry->kind == PX_WAITS_NONE) {
            *entry = (struct px_waits_entry){.lock = entry->lock};
            return i + 1;
        }
    }
    count_hidden(w, 1);
    return PX_WAITS_NO_ROOM;
}

struct px_waits_entry *px_waits_edit(struct px_waits *w, uint32_t wait)
{
    return wait - 1 < PX_WAITS_ENTRIES ? &w->own.entries[wait - 1] : NULL;
}

void px_waits_name(struct px_waits *w, struct px_waits_entry *entry, const char *nspace,
                   uint32_t rank)
{
    if (entry->n_named < PX_WAITS_NAMED) {
        struct px_waits_name *name = &entry->named[entry->n_named];

        *name = (struct px_waits_name){.nspace = use_nspace(w, nspace), .rank = rank};
    }
    entry->n_named++;
}

void px_waits_unname(struct px_waits *w, struct px_waits_entry *entry)
{
    for (uint32_t i = 0; i < entry->n_named && i < PX_WAITS_NAMED; i++) {
        leave_nspace(w, entry->named[i].nspace);
        entry->named[i] = (struct px_waits_name){0};
    }
    entry->n_named = 0;
}

void px_waits_text(char *text, const char *value)
{
    size_t len = value ? strnlen(value, PX_WAITS_TEXT - 1) : 0;

    memset(text, 0, PX_WAITS_TEXT);
    if (len) {
        memcpy(text, value, len);
    }
}

void px_waits_publish(struct px_waits *w, uint32_t wait)
{
    struct px_waits_entry *entry = px_waits_edit(w, wait);

    if (entry) {
        publish(w, &entry->lock, &entry->since_ns, sizeof(*entry) - sizeof(entry->lock));
    }
}

void px_waits_come(struct px_waits *w, uint32_t wait, uint32_t row, uint32_t n_come)
{
    struct px_waits_entry *entry = px_waits_edit(w, wait);

    if (!entry) {
        return;
    }
    entry->n_come = n_come;
    turn(w, &entry->lock);
    if (row) {
        entry->come[(row - 1) / 64] |= UINT64_C(1) << (row - 1) % 64;
        store_words(w, &entry->come[(row - 1) / 64], sizeof(uint64_t));
    }
    store_words(w, (char *) entry + offsetof(struct px_waits_entry, n_expected), sizeof(uint64_t));
    turn(w, &entry->lock);
}

void px_waits_close(struct px_waits *w, uint32_t wait)
{
    struct px_waits_entry *entry = px_waits_edit(w, wait);

    if (wait == PX_WAITS_NO_ROOM) {
        count_hidden(w, -1);
    } else if (entry) {
        px_waits_unname(w, entry);
        entry->kind = PX_WAITS_NONE; /* the rest is of no meaning, until px_waits_open clears it */
        publish(w, &entry->lock, (char *) entry + offsetof(struct px_waits_entry, kind),
                sizeof(uint64_t));
    }
}

void px_waits_note_past(struct px_waits *w, const struct px_waits_past *past)
{
    struct px_waits_past *to = &w->own.past[w->n_past % PX_WAITS_PAST];
    struct px_waits_past now = *past;

    now.lock = to->lock + 1;
    now.number = ++w->n_past;
    turn(w, &to->lock);
    for (size_t at = 0; at < sizeof(now); at += sizeof(uint64_t)) {
        char *word = (char *) to + at;

        if (memcmp(word, (const char *) &now + at, sizeof(uint64_t)) != 0) {
            memcpy(word, (const char *) &now + at, sizeof(uint64_t));
            store_words(w, word, sizeof(uint64_t));
        }
    }
    turn(w, &to->lock);
}
