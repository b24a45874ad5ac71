/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives at the relay as records: their list, their shares, the processes that they name. What
 * becomes of them is in relay_collect.c. */

#include "collective.h"

#include <stdlib.h>
#include <string.h>

struct px_run_collective *px_run_collectives;

/* ---- sets of processes */

bool px_run_procs_has(const struct px_run_procs *set, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < set->n; i++) {
        if (PMIX_CHECK_PROCID(&set->at[i], proc)) {
            return true;
        }
    }
    return false;
}

bool px_run_procs_take(struct px_run_procs *set, struct px_run_reader *r)
{
    for (uint32_t i = px_run_get_u32(r); i > 0 && !r->failed; i--) {
        pmix_proc_t proc;
        px_run_get_proc(r, &proc);
        if (r->failed || px_run_procs_has(set, &proc)) {
            continue;
        }
        pmix_proc_t *more = realloc(set->at, (set->n + 1) * sizeof(*more));
        if (more == NULL) {
            return false;
        }
        more[set->n++] = proc;
        set->at = more;
    }
    return !r->failed;
}

/* ---- parts */

static void parts_free(struct px_run_part *parts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        free(parts[i].nspace);
        free(parts[i].at_node);
    }
    free(parts);
}

/* False: the payload is too short, or memory is out. */
static bool part_read(struct px_run_part *part, struct px_run_reader *r)
{
    uint32_t n_nodes = (uint32_t) px_run.options.n_nodes;

    part->nspace = strdup(px_run_get_string(r));
    part->at_node = calloc(n_nodes, sizeof(*part->at_node));
    for (uint32_t i = 0; part->at_node != NULL && i < n_nodes; i++) {
        part->at_node[i] = px_run_get_u32(r);
    }
    return part->nspace != NULL && part->at_node != NULL && !r->failed;
}

bool px_run_parts_take(struct px_run_collective *c, struct px_run_reader *r)
{
    uint32_t n = px_run_get_u32(r);
    struct px_run_part *parts =
        !r->failed && n <= r->left ? calloc((size_t) n + 1, sizeof(*parts)) : NULL;
    bool taken = parts != NULL;

    for (uint32_t i = 0; taken && i < n; i++) {
        taken = part_read(&parts[i], r);
    }
    if (taken && c->parts == NULL) {
        c->parts = parts;
        c->n_parts = n;
    } else if (parts != NULL) {
        parts_free(parts, n);
    }
    return taken;
}

/* ---- shares */

bool px_run_has_share(const struct px_run_collective *c, uint32_t node)
{
    for (uint32_t i = 0; i < c->n_shares; i++) {
        if (c->shares[i].node == node) {
            return true;
        }
    }
    return false;
}

bool px_run_share_add(struct px_run_collective *c, struct px_run_share share, const char *bytes)
{
    struct px_run_share *shares = realloc(c->shares, (c->n_shares + 1) * sizeof(*shares));

    share.bytes = malloc(share.n + 1);
    c->shares = shares != NULL ? shares : c->shares;
    if (shares == NULL || share.bytes == NULL) {
        free(share.bytes);
        return false;
    }
    memcpy(share.bytes, bytes, share.n);
    c->shares[c->n_shares++] = share;
    return true;
}

/* ---- the list */

struct px_run_collective *px_run_collective_make(const char *key, size_t len, uint32_t n_wanted)
{
    struct px_run_collective *c = calloc(1, sizeof(*c));
    struct px_run_collective **last = &px_run_collectives;

    if (c == NULL) {
        return NULL;
    }
    c->key = malloc(len + 1);
    if (c->key == NULL) {
        free(c);
        return NULL;
    }
    memcpy(c->key, key, len);
    c->key_len = len;
    c->n_wanted = n_wanted;
    c->scattered = n_wanted == 0;
    c->deadline_ms = INT64_MAX;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = c;
    return c;
}

/* Who has left the group was known as long as this destruct named them. */
static void forget_departed(const struct px_run_collective *c)
{
    for (uint32_t i = 0; i < c->n_parts; i++) {
        if (px_run_is_over(c->parts[i].nspace)) {
            px_run_left_forget_job(c->parts[i].nspace);
        }
    }
}

void px_run_collective_forget(struct px_run_collective *c)
{
    struct px_run_collective **link = &px_run_collectives;

    if (px_run_collective_kind(c) == PX_RUN_KIND_DESTRUCT) {
        forget_departed(c);
    }
    while (*link != c) {
        link = &(*link)->next;
    }
    *link = c->next;
    for (uint32_t i = 0; i < c->n_shares; i++) {
        free(c->shares[i].bytes);
    }
    parts_free(c->parts, c->n_parts);
    free(c->leaders.at);
    free(c->added.at);
    free(c->shares);
    free(c->key);
    free(c);
}

enum px_run_kind px_run_collective_kind(const struct px_run_collective *c)
{
    return (enum px_run_kind) px_run_key_kind(c->key, c->key_len);
}
