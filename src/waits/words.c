/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Open waits in words. */

#include "words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reader.h"

const char *px_waits_kind_text(uint32_t kind)
{
    static const char *const texts[PX_WAITS_KINDS] = {
        [PX_WAITS_NONE] = "none",
        [PX_WAITS_FENCE] = "fence",
        [PX_WAITS_CONNECT] = "connect",
        [PX_WAITS_DISCONNECT] = "disconnect",
        [PX_WAITS_CONSTRUCT] = "group construct",
        [PX_WAITS_DESTRUCT] = "group destruct",
        [PX_WAITS_GET] = "get",
        [PX_WAITS_TRANSFER] = "transfer to another node",
        [PX_WAITS_REQUEST] = "request",
    };

    return kind < PX_WAITS_KINDS ? texts[kind] : texts[PX_WAITS_NONE];
}

const char *px_waits_stage_text(uint32_t stage)
{
    static const char *const texts[PX_WAITS_STAGES] = {
        [PX_WAITS_GATHERS] = "processes of this node",
        [PX_WAITS_FOR_HOST] = "the host's answer",
        [PX_WAITS_FOR_OTHERS] = "other members",
        [PX_WAITS_FOR_COMMIT] = "a commit of the key",
        [PX_WAITS_FOR_JOB] = "the registration of the namespace",
    };

    return stage < PX_WAITS_STAGES ? texts[stage] : "";
}

int px_waits_is_collective(const struct px_waits_entry *e)
{
    return e->kind >= PX_WAITS_FENCE && e->kind <= PX_WAITS_DESTRUCT;
}

/* How many processes of this node have not come. */
static uint32_t n_missing(const struct px_waits_entry *e)
{
    return px_waits_is_collective(e) && e->n_expected > e->n_come ? e->n_expected - e->n_come : 0;
}

int px_waits_is_missing(const struct px_waits_entry *e, uint32_t row)
{
    return px_waits_is_collective(e) && e->stage == PX_WAITS_GATHERS &&
           px_waits_has(e->expected, row) && !px_waits_has(e->come, row);
}

/* --- texts that grow --- */

struct text {
    char *at;
    size_t len;
    size_t room;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->at + t->len, t->room - t->len, format, args);
    va_end(args);
    if (n > 0) {
        t->len = t->len + (size_t) n < t->room ? t->len + (size_t) n : t->room - 1;
    }
}

/* A list of processes under way: consecutive ranks of one namespace are one range. */
struct ranges {
    struct text *to;
    uint32_t nspace; /* of the last one; 0: the list is empty, or its name is not known */
    uint32_t first;
    uint32_t last;
    int any;
};

/* Writes the range that has ended. */
static void end_range(struct ranges *r)
{
    if (r->any && r->last != r->first) {
        add(r->to, "-%" PRIu32, r->last);
    }
}

static void add_proc(const struct px_waits_area *area, struct ranges *r, uint32_t nspace,
                     uint32_t rank)
{
    const char *name = px_waits_nspace_name(area, nspace);

    if (r->any && nspace == r->nspace && rank == r->last + 1 && rank < PX_WAITS_ALL) {
        r->last = rank;
        return;
    }
    end_range(r);
    add(r->to, "%s", r->any ? "," : "");
    if (!r->any || nspace != r->nspace) {
        add(r->to, "%s:", name[0] ? name : "?");
    }
    if (rank == PX_WAITS_ALL) {
        add(r->to, "*");
    } else {
        add(r->to, "%" PRIu32, rank);
    }
    r->any = 1;
    r->nspace = nspace;
    r->first = rank;
    r->last = rank;
}

size_t px_waits_who(const struct px_waits_area *area, const struct px_waits_entry *e, char *ret,
                    size_t room)
{
    struct text t = {.at = ret, .room = room};
    struct ranges r = {.to = &t};

    ret[0] = '\0';
    for (uint32_t i = 0; i < e->n_named && i < PX_WAITS_NAMED; i++) {
        add_proc(area, &r, e->named[i].nspace, e->named[i].rank);
    }
    end_range(&r);
    if (e->n_named > PX_WAITS_NAMED) {
        add(&t, " and %" PRIu32 " more", e->n_named - PX_WAITS_NAMED);
    }
    return t.len;
}

size_t px_waits_list(const struct px_waits_area *area, const struct px_waits_entry *e, int missing,
                     char *ret, size_t room)
{
    struct text t = {.at = ret, .room = room};
    struct ranges r = {.to = &t};
    uint32_t n = 0;
    uint32_t all = missing ? n_missing(e) : e->n_come;

    ret[0] = '\0';
    for (uint32_t row = 1; row <= PX_WAITS_PROCS; row++) {
        const struct px_waits_proc *proc = &area->procs[row - 1];

        if (missing ? px_waits_is_missing(e, row) : px_waits_has(e->come, row)) {
            add_proc(area, &r, proc->nspace, proc->rank);
            n++;
        }
    }
    end_range(&r);
    if (all > n) {
        add(&t, "%s%" PRIu32 " %s", n ? " and " : "", all - n,
            n ? "more" : "that this server has no record of");
    }
    return t.len;
}

/* What is waited for, behind what waits. */
static void tell_target(const struct px_waits_area *area, const struct px_waits_entry *e,
                        struct text *t)
{
    char who[512];

    (void) px_waits_who(area, e, who, sizeof(who));
    if (px_waits_is_collective(e)) {
        add(t, "%s%s of %s", e->text[0] ? " " : "", e->text, who[0] ? who : "whoever comes");
    } else if (e->kind == PX_WAITS_REQUEST) {
        add(t, " %s", e->text);
    } else {
        add(t, " of %s%s of %s", e->text[0] ? "key " : "all values", e->text, who);
    }
}

size_t px_waits_tell(const struct px_waits_area *area, const struct px_waits_entry *e,
                     uint64_t now_ns, char *ret, size_t room)
{
    struct text t = {.at = ret, .room = room};
    uint64_t ms = now_ns > e->since_ns ? (now_ns - e->since_ns) / 1000000 : 0;
    char list[512];

    ret[0] = '\0';
    add(&t, "%s", px_waits_kind_text(e->kind));
    tell_target(area, e, &t);
    if (e->asker) {
        const struct px_waits_proc *asker = &area->procs[e->asker - 1];

        add(&t, " by %s:%" PRIu32, px_waits_nspace_name(area, asker->nspace), asker->rank);
    }
    add(&t, " for %" PRIu64 ".%01" PRIu64 " s", ms / 1000, ms % 1000 / 100);
    if (px_waits_is_collective(e)) {
        add(&t, ", %" PRIu32 " of %" PRIu32 " of this node have come", e->n_come,
            e->n_expected > e->n_come ? e->n_expected : e->n_come);
    }
    add(&t, "; waits for %s", px_waits_stage_text(e->stage));
    if (e->stage == PX_WAITS_GATHERS && n_missing(e)) {
        (void) px_waits_list(area, e, 1, list, sizeof(list));
        add(&t, ": %s", list);
    }
    return t.len;
}
