/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A part is copied between two loads of its lock, and again if the two differ. A server that was
 * stopped while it wrote leaves an odd lock for ever, so the number of tries is bounded. */

#include "reader.h"

#include <stdbool.h>
#include <string.h>

#include "src/base/atomic.h"
#include "src/base/status.h"

enum { TRIES = 1000 };

/* Copies words. Each load is an acquire: the loads of a lock before and after it stay there. pairs
 * with store_words */
static void px_waits_load(void *to, const void *from, size_t len)
{
    const uint64_t *words = from;

    for (size_t i = 0; i < len / 8; i++) {
        uint64_t word = px_load_acquire(&words[i]);

        memcpy((char *) to + i * 8, &word, sizeof(word));
    }
}

/* Copies what a lock guards. False: it was being written each time; *to is a mixture then. */
static bool load_locked(const uint64_t *lock, void *to, const void *from, size_t len)
{
    for (int i = 0; i < TRIES; i++) {
        uint64_t before;
        uint64_t after;

        px_waits_load(&before, lock, sizeof(before));
        px_waits_load(to, from, len);
        px_waits_load(&after, lock, sizeof(after));
        if (before == after && before % 2 == 0) {
            return true;
        }
    }
    return false;
}

/* Ends a text where its room ends, and clears what is behind its end. */
static void close_text(char *text, size_t room)
{
    size_t len = strnlen(text, room - 1);

    memset(text + len, 0, room - len);
}

static bool entry_is_sound(const struct px_waits_entry *e)
{
    bool sound = e->kind < PX_WAITS_KINDS && e->stage < PX_WAITS_STAGES &&
                 e->asker <= PX_WAITS_PROCS && memchr(e->text, '\0', sizeof(e->text));

    for (int i = 0; i < PX_WAITS_NAMED; i++) {
        sound = sound && e->named[i].nspace <= PX_WAITS_NAMESPACES;
    }
    return sound;
}

static void copy_entries(const struct px_waits_area *from, struct px_waits_copy *ret)
{
    for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
        struct px_waits_entry *e = &ret->area.entries[i];
        const struct px_waits_entry *there = &from->entries[i];
        bool whole = load_locked(&there->lock, e, there, sizeof(*e));

        if (!whole || !entry_is_sound(e)) {
            *(whole ? &ret->damaged : &ret->torn) |= UINT64_C(1) << i;
            memset(e, 0, sizeof(*e));
        }
    }
    for (int i = 0; i < PX_WAITS_PAST; i++) {
        struct px_waits_past *p = &ret->area.past[i];
        const struct px_waits_past *there = &from->past[i];

        if (!load_locked(&there->lock, p, there, sizeof(*p)) || p->kind >= PX_WAITS_KINDS) {
            memset(p, 0, sizeof(*p));
        }
        close_text(p->text, sizeof(p->text));
        close_text(p->last_nspace, sizeof(p->last_nspace));
    }
}

/* The two tables have one lock; they are one behind the other. */
static void copy_tables(const struct px_waits_area *from, struct px_waits_copy *ret)
{
    struct px_waits_area *area = &ret->area;
    size_t len = sizeof(area->nspaces) + sizeof(area->procs);

    ret->names_torn = !load_locked(&from->lock, area->nspaces, from->nspaces, len);
    for (int i = 0; i < PX_WAITS_NAMESPACES; i++) {
        close_text(area->nspaces[i].name, sizeof(area->nspaces[i].name));
    }
    for (int i = 0; i < PX_WAITS_PROCS; i++) {
        if (area->procs[i].nspace > PX_WAITS_NAMESPACES) {
            area->procs[i] = (struct px_waits_proc){0};
        }
    }
}

int px_waits_copy(const void *base, size_t size, struct px_waits_copy *ret)
{
    const struct px_waits_area *from = base;
    struct px_waits_head *head = &ret->area.head;

    if (size < sizeof(*from)) {
        return PX_ERR_UNPACK_FAILURE;
    }
    memset(ret, 0, sizeof(*ret));
    px_waits_load(head, &from->head, sizeof(*head));
    if (head->magic != PX_WAITS_MAGIC || head->version != PX_WAITS_VERSION ||
        head->bytes != sizeof(*from)) {
        return PX_ERR_UNPACK_FAILURE;
    }
    close_text(head->nspace, sizeof(head->nspace));
    close_text(head->hostname, sizeof(head->hostname));
    px_waits_load(&ret->area.hidden, &from->hidden, sizeof(from->hidden));
    px_waits_load(ret->area.counts, from->counts, sizeof(from->counts));
    copy_entries(from, ret);
    copy_tables(from, ret);
    return 0;
}

const char *px_waits_nspace_name(const struct px_waits_area *area, uint32_t row)
{
    return row ? area->nspaces[row - 1].name : "";
}

int px_waits_has(const uint64_t bits[PX_WAITS_BITS], uint32_t row)
{
    return row && (bits[(row - 1) / 64] >> (row - 1) % 64 & 1);
}
