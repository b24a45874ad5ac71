/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What this server waits for, written where others can read it. Who is waited for is written when a
 * collective begins to wait and when that changes; a call only sets a bit. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "open_waits.h"

#include "src/base/assert.h"
#include "src/base/clock.h"
#include "src/base/hash.h"
#include "src/base/log.h"
#include "src/base/param.h"
#include "src/server/data/expected.h"
#include "src/server/data/nspace.h"
#include "src/server/data/get.h"
#include "src/server/data/server_get.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/collectives/tracker.h"
#include "src/server/state.h"
#include "src/value/directives.h"
#include "src/waits/words.h"
#include "src/waits/writer.h"
#include "src/wire/message.h"

void px_open_waits_start(struct px_server *s)
{
    struct px_waits_head head = {.rank = s->self.rank};

    if (!px_param_bool(PX_P_WAITS)) {
        return;
    }
    (void) snprintf(head.nspace, sizeof(head.nspace), "%s", s->self.nspace);
    (void) snprintf(head.hostname, sizeof(head.hostname), "%s", s->hostname);
    if (px_waits_create(&head, &s->waits)) {
        px_log(PX_LOG_SERVER, 1, "no memory to publish what is waited for");
    }
}

void px_open_waits_stop(struct px_server *s)
{
    px_waits_destroy(s->waits);
    s->waits = NULL;
}

void px_open_waits_close(struct px_server *s, uint32_t *wait)
{
    if (s->waits && *wait) {
        px_waits_close(s->waits, *wait);
    }
    *wait = PX_WAITS_NO_ENTRY;
}

/* The entry of a wait, which is opened if there is none yet. NULL: nothing is to be written. */
static struct px_waits_entry *edit(struct px_server *s, uint32_t *wait, enum px_waits_kind kind)
{
    struct px_waits_entry *entry;

    if (!s->waits || s->stopping) {
        return NULL;
    }
    if (*wait) {
        return px_waits_edit(s->waits, *wait);
    }
    *wait = px_waits_open(s->waits);
    entry = px_waits_edit(s->waits, *wait);
    if (entry) {
        entry->kind = kind;
        entry->since_ns = px_clock_ns();
    }
    return entry;
}

/* The row of a process; 0: it is none of this node, or has none. */
static uint32_t row_of(struct px_server *s, const pmix_proc_t *proc)
{
    const struct px_local_proc *rank = px_local_proc_of(s, proc);

    return rank ? rank->waits : 0;
}

/* --- processes --- */

void px_open_waits_proc(struct px_server *s, struct px_local_proc *rank)
{
    uint32_t flags = (rank->n_peers ? PX_WAITS_CONNECTED : 0) |
                     (rank->finalized ? PX_WAITS_FINALIZED : 0) |
                     (rank->departed || rank->terminated ? PX_WAITS_ENDED : 0);

    if (s->waits) {
        rank->waits = px_waits_set_proc(s->waits, rank->waits, rank->ns->name, rank->rank,
                                        (uint32_t) rank->pid, flags);
    }
}

void px_open_waits_nspace_gone(struct px_server *s, struct px_nspace *ns)
{
    px_list_for(struct px_local_proc, rank, &ns->rank_list, link) {
        if (s->waits) {
            px_waits_drop_proc(s->waits, rank->waits);
        }
        rank->waits = 0;
    }
}

/* --- collectives --- */

uint32_t px_open_waits_kind(const struct px_coll *coll)
{
    switch (coll->ops->request->command) {
    case PX_CMD_FENCE:
        return PX_WAITS_FENCE;
    case PX_CMD_CONNECT:
        return PX_WAITS_CONNECT;
    case PX_CMD_DISCONNECT:
        return PX_WAITS_DISCONNECT;
    case PX_CMD_GROUP_CONSTRUCT:
        return PX_WAITS_CONSTRUCT;
    default:
        return PX_WAITS_DESTRUCT;
    }
}

/* Of long lists of processes some are looked at, the same at each server. */
enum { LOOKED_AT = 1024 };

uint64_t px_open_waits_key(const struct px_coll *coll)
{
    uint64_t key = px_hash_mix(px_open_waits_kind(coll), coll->name ? strlen(coll->name) : 0);

    key = coll->name ? px_hash_mix(key, px_hash_bytes(coll->name, strlen(coll->name))) : key;
    key = px_hash_mix(key, coll->set->n);
    for (size_t i = 0; i < coll->set->n; i += 1 + coll->set->n / LOOKED_AT) {
        const char *nspace = coll->set->at[i].nspace;

        key = px_hash_mix(key, px_hash_bytes(nspace, strnlen(nspace, PMIX_MAX_NSLEN)));
        key = px_hash_mix(key, coll->set->at[i].rank);
    }
    return key;
}

/* Writes who takes part. The entry has room for the first ones; a long list is not walked. */
static void name_members(struct px_coll *coll, struct px_waits_entry *entry)
{
    struct px_waits *waits = coll->server->waits;
    const struct px_shared_procs *set = coll->set;

    px_waits_unname(waits, entry);
    for (size_t i = 0; i < set->n && i < PX_WAITS_NAMED; i++) {
        px_waits_name(waits, entry, set->at[i].nspace, set->at[i].rank);
    }
    entry->n_named = (uint32_t) set->n;
    coll->renamed = false;
}

/* The entry of a collective. Everything is written but the stage and who is waited for. */
static struct px_waits_entry *edit_coll(struct px_coll *coll)
{
    bool is_new = !coll->wait;
    struct px_waits_entry *entry = edit(coll->server, &coll->wait, px_open_waits_kind(coll));

    if (entry && is_new) {
        entry->since_ns = coll->first_ns;
        entry->key = px_open_waits_key(coll);
        px_waits_text(entry->text, coll->name);
        for (size_t i = 0; i < coll->n_members; i++) {
            uint32_t row = coll->members[i].row;

            if (row) {
                entry->come[(row - 1) / 64] |= UINT64_C(1) << (row - 1) % 64;
            }
        }
    }
    if (entry && (is_new || coll->renamed)) {
        name_members(coll, entry);
    }
    if (entry) {
        entry->n_come = (uint32_t) coll->n_arrived;
        entry->deadline_ns = coll->deadline_ns;
    }
    return entry;
}

void px_open_waits_arrived(struct px_coll *coll, uint32_t row)
{
    struct px_server *s = coll->server;

    coll->before_ns = coll->last_ns;
    coll->last_ns = px_clock_ns();
    coll->first_ns = coll->first_ns ? coll->first_ns : coll->last_ns;
    if (s->waits && coll->wait) {
        px_waits_come(s->waits, coll->wait, row, (uint32_t) coll->n_arrived);
    }
}

/* True if the entry of the collective needs no change. */
static bool is_current(const struct px_waits_entry *entry, const struct px_coll *coll,
                       const struct px_expected *expected)
{
    return entry->n_expected == expected->n && entry->deadline_ns == coll->deadline_ns &&
           !coll->renamed && memcmp(entry->expected, expected->rows, sizeof(expected->rows)) == 0;
}

void px_open_waits_gathers(struct px_coll *coll, const struct px_expected *expected)
{
    struct px_waits *waits = coll->server->waits;
    struct px_waits_entry *entry = waits && coll->wait ? px_waits_edit(waits, coll->wait) : NULL;

    if (!waits || (entry && is_current(entry, coll, expected))) {
        return;
    }
    entry = edit_coll(coll);
    if (entry) {
        entry->stage = PX_WAITS_GATHERS;
        entry->n_expected = expected->n;
        memcpy(entry->expected, expected->rows, sizeof(expected->rows));
        px_waits_publish(waits, coll->wait);
    }
}

/* All have called: in a new entry `expected` stays empty, and `come` has all. */
void px_open_waits_closed(struct px_coll *coll, bool asks_host)
{
    struct px_waits_entry *entry = coll->server->waits ? edit_coll(coll) : NULL;

    if (entry) {
        entry->stage = asks_host ? PX_WAITS_FOR_HOST : PX_WAITS_FOR_OTHERS;
        entry->n_expected = entry->n_come;
        px_waits_publish(coll->server->waits, coll->wait);
    }
}

/* True if the host has been asked for it. */
static bool has_left(const struct px_coll *coll)
{
    const struct px_waits_entry *entry = px_waits_edit(coll->server->waits, coll->wait);

    return entry && entry->stage == PX_WAITS_FOR_HOST;
}

/* A collective of one process that has asked nobody has no latecomer. */
static void note_latecomer(const struct px_coll *coll, pmix_status_t status)
{
    struct px_waits_past past = {.kind = px_open_waits_kind(coll),
                                 .n_come = (uint32_t) coll->n_arrived};
    const pmix_proc_t *last = &coll->members[coll->n_members - 1].proc;

    if (!coll->server->waits || (coll->n_members < 2 && !has_left(coll))) {
        return;
    }
    past.status = status;
    past.late_ns = coll->before_ns ? coll->last_ns - coll->before_ns : 0;
    past.spread_ns = coll->last_ns - coll->first_ns;
    past.total_ns = px_clock_ns() - coll->first_ns;
    past.last_rank = last->rank;
    memcpy(past.last_nspace, last->nspace, strnlen(last->nspace, PMIX_MAX_NSLEN));
    px_waits_text(past.text, coll->name);
    px_waits_note_past(coll->server->waits, &past);
}

void px_open_waits_ended(struct px_coll *coll, pmix_status_t status)
{
    note_latecomer(coll, status);
    px_open_waits_close(coll->server, &coll->wait);
}

void px_open_waits_say(const struct px_coll *coll)
{
    struct px_waits *waits = coll->server->waits;
    struct px_waits_entry *entry = waits ? px_waits_edit(waits, coll->wait) : NULL;
    char words[960];

    if (entry && px_log_level(PX_LOG_SERVER) >= 1) {
        (void) px_waits_tell(px_waits_own(waits), entry, px_clock_ns(), words, sizeof(words));
        px_log(PX_LOG_SERVER, 1, "out of time: %s", words);
    }
}

/* --- the rest --- */

void px_open_waits_get(struct px_get *get, bool for_host)
{
    struct px_server *s = get->server;
    struct px_waits_entry *entry = edit(s, &get->wait, PX_WAITS_GET);
    const struct px_nspace *ns = px_nspace_find(s, get->target.nspace);
    bool known = ns && (ns->registered || ns->asked_host);

    px_log(PX_LOG_SERVER, 2, "%s:%u waits for %s of %s:%u: %s", get->asker.nspace, get->asker.rank,
           get->key ? get->key : "all keys", get->target.nspace, get->target.rank,
           for_host ? "it is not of this node, the host is asked"
           : known  ? "it is not committed yet"
                    : "the namespace is not registered yet");
    if (entry) {
        entry->stage = for_host ? PX_WAITS_FOR_HOST
                       : !known ? PX_WAITS_FOR_JOB
                                : PX_WAITS_FOR_COMMIT;
        entry->asker = row_of(s, &get->asker);
        px_waits_text(entry->text, get->key);
        px_waits_unname(s->waits, entry);
        px_waits_name(s->waits, entry, get->target.nspace, get->target.rank);
        px_waits_publish(s->waits, get->wait);
    }
}

void px_open_waits_upcall(struct px_upcall *up)
{
    struct px_waits_entry *entry =
        up->request ? edit(up->server, &up->wait, PX_WAITS_REQUEST) : NULL;

    if (entry) {
        entry->stage = PX_WAITS_FOR_HOST;
        entry->asker = row_of(up->server, &up->proc);
        px_waits_text(entry->text, up->request->call ? up->request->call->name : "of another kind");
        px_waits_publish(up->server->waits, up->wait);
    }
}

uint32_t px_open_waits_transfer(struct px_server *s, const pmix_proc_t *proc)
{
    uint32_t wait = PX_WAITS_NO_ENTRY;
    struct px_waits_entry *entry = edit(s, &wait, PX_WAITS_TRANSFER);

    if (entry) {
        entry->stage = PX_WAITS_FOR_COMMIT;
        px_waits_name(s->waits, entry, proc->nspace, proc->rank);
        px_waits_publish(s->waits, wait);
    }
    return wait;
}
