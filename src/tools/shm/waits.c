/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Who is to blame for a wait: of this node whoever is expected and has not come; of other nodes,
 * whose servers are here too (pmixrun --nodes), whoever has not come there. */

#include "waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/waits/words.h"

static const struct px_waits_area *area_of(const struct px_waits_all *all, size_t server)
{
    return all->servers[server].copy ? &all->servers[server].copy->area : NULL;
}

static bool is_named(const struct px_waits_area *area, const struct px_waits_entry *e,
                     const char *nspace, uint32_t rank)
{
    for (uint32_t i = 0; i < e->n_named && i < PX_WAITS_NAMED; i++) {
        if (strcmp(px_waits_nspace_name(area, e->named[i].nspace), nspace) == 0 &&
            (e->named[i].rank == rank || e->named[i].rank == PX_WAITS_ALL)) {
            return true;
        }
    }
    return false;
}

/* Calls fn for the processes of a server that the entry of another names. True if it has some.
 * fn NULL: only that. */
static bool each_named(const struct px_waits_all *all, const struct px_waits_area *area,
                       const struct px_waits_entry *e, size_t other, px_waits_culprit_fn fn,
                       void *arg)
{
    const struct px_waits_area *there = area_of(all, other);
    bool any = false;

    for (uint32_t row = 1; there && row <= PX_WAITS_PROCS; row++) {
        const struct px_waits_proc *proc = &there->procs[row - 1];

        if (!proc->nspace ||
            !is_named(area, e, px_waits_nspace_name(there, proc->nspace), proc->rank)) {
            continue;
        }
        any = true;
        if (fn) {
            fn(all, other, row, arg);
        }
    }
    return any;
}

/* The same collective at another server; NULL: it has none. */
static const struct px_waits_entry *counterpart(const struct px_waits_area *there,
                                                const struct px_waits_entry *e)
{
    for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
        const struct px_waits_entry *o = &there->entries[i];

        if (o->kind == e->kind && o->key == e->key) {
            return o;
        }
    }
    return NULL;
}

static void each_missing(const struct px_waits_all *all, size_t server,
                         const struct px_waits_entry *e, px_waits_culprit_fn fn, void *arg)
{
    for (uint32_t row = 1; row <= PX_WAITS_PROCS; row++) {
        if (px_waits_is_missing(e, row)) {
            fn(all, server, row, arg);
        }
    }
}

/* A collective whose host has been asked: what do the other servers say? */
static enum px_waits_far look_far(const struct px_waits_all *all, size_t server,
                                  const struct px_waits_entry *e, px_waits_culprit_fn fn, void *arg)
{
    const struct px_waits_area *area = area_of(all, server);
    enum px_waits_far far = PX_FAR_UNSEEN;

    for (size_t i = 0; i < all->n_servers; i++) {
        const struct px_waits_area *there = i == server ? NULL : area_of(all, i);
        const struct px_waits_entry *o = there ? counterpart(there, e) : NULL;

        if (!there || !each_named(all, area, e, i, NULL, NULL)) {
            continue;
        }
        if (o && o->stage != PX_WAITS_GATHERS) {
            far = far == PX_FAR_UNSEEN ? PX_FAR_ASKED : far;
            continue;
        }
        far = PX_FAR_BEHIND;
        if (o) {
            each_missing(all, i, o, fn, arg);
        } else {
            (void) each_named(all, area, e, i, fn, arg);
        }
    }
    return far;
}

bool px_waits_takes_part(const struct px_waits_all *all, size_t server,
                         const struct px_waits_entry *e, size_t other)
{
    return each_named(all, area_of(all, server), e, other, NULL, NULL);
}

enum px_waits_far px_waits_culprits(const struct px_waits_all *all, size_t server,
                                    const struct px_waits_entry *e, px_waits_culprit_fn fn,
                                    void *arg)
{
    const struct px_waits_area *area = area_of(all, server);

    if (px_waits_is_collective(e) && e->stage == PX_WAITS_GATHERS) {
        each_missing(all, server, e, fn, arg);
    } else if (px_waits_is_collective(e) && e->stage == PX_WAITS_FOR_HOST) {
        return look_far(all, server, e, fn, arg);
    } else if (e->kind == PX_WAITS_GET || e->kind == PX_WAITS_TRANSFER) {
        for (size_t i = 0; i < all->n_servers; i++) {
            (void) each_named(all, area, e, i, fn, arg);
        }
    }
    return PX_FAR_UNSEEN;
}

/* One thing that the process is in. */
static void tell_one(const struct px_waits_area *area, const struct px_waits_entry *e, char *ret,
                     size_t room)
{
    char who[256];

    (void) px_waits_who(area, e, who, sizeof(who));
    (void) snprintf(ret, room, "is in a %s%s%s%s%s", px_waits_kind_text(e->kind),
                    e->text[0] ? " " : "", e->text, who[0] ? " of " : "", who);
}

void px_waits_doing(const struct px_waits_area *area, uint32_t row,
                    const struct px_waits_entry *but, char *ret, size_t room)
{
    const struct px_waits_proc *proc = &area->procs[row - 1];

    for (int i = 0; i < PX_WAITS_ENTRIES; i++) {
        const struct px_waits_entry *e = &area->entries[i];

        if (e->kind != PX_WAITS_NONE && e != but &&
            (px_waits_has(e->come, row) || e->asker == row)) {
            tell_one(area, e, ret, room);
            return;
        }
    }
    (void) snprintf(ret, room, "%s",
                    proc->flags & PX_WAITS_ENDED       ? "has ended"
                    : proc->flags & PX_WAITS_FINALIZED ? "has finalized"
                    : proc->flags & PX_WAITS_CONNECTED ? "is in no call that its server knows of"
                                                       : "has not called PMIx_Init");
}

bool px_waits_concerns(const struct px_waits_area *area, const struct px_waits_entry *e,
                       const char *nspace)
{
    bool found = e->asker &&
                 strcmp(px_waits_nspace_name(area, area->procs[e->asker - 1].nspace), nspace) == 0;

    for (uint32_t i = 0; i < e->n_named && i < PX_WAITS_NAMED; i++) {
        found = found || strcmp(px_waits_nspace_name(area, e->named[i].nspace), nspace) == 0;
    }
    for (uint32_t row = 1; row <= PX_WAITS_PROCS && !found; row++) {
        found = (px_waits_has(e->come, row) || px_waits_has(e->expected, row)) &&
                strcmp(px_waits_nspace_name(area, area->procs[row - 1].nspace), nspace) == 0;
    }
    return found;
}
