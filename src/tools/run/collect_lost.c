/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Who will not come to a collective: processes that have ended, and all of a job that is over
 * (absent.c). Of those who run the relay has heard where they are when they end; of a job that is
 * over, each share says how many of those that the key names each node had. */

#include "collective.h"

static bool is_destruct(const struct px_run_collective *c)
{
    return px_run_collective_kind(c) == PX_RUN_KIND_DESTRUCT;
}

bool px_run_collective_names(const struct px_run_collective *c, const pmix_proc_t *proc)
{
    return px_run_key_names(c->key, c->key_len, proc) &&
           !(is_destruct(c) && px_run_has_left(px_run_key_name(c->key, c->key_len), proc));
}

bool px_run_is_missed(const struct px_run_collective *c, const pmix_proc_t *proc, uint32_t node)
{
    return px_run_collective_names(c, proc) && !px_run_has_share(c, node);
}

/* Processes of the part on a node for which c waits, or would if they had not ended. */
static uint32_t part_at(const struct px_run_collective *c, const struct px_run_part *part,
                        uint32_t node)
{
    uint32_t left = is_destruct(c) ? px_run_left_count(c->key, c->key_len, part->nspace, node) : 0;

    return part->at_node[node] > left ? part->at_node[node] - left : 0;
}

static bool misses_some_of(const struct px_run_collective *c, const struct px_run_part *part)
{
    for (uint32_t node = 0; node < (uint32_t) px_run.options.n_nodes; node++) {
        if (!px_run_has_share(c, node) && part_at(c, part, node) > 0) {
            return true;
        }
    }
    return false;
}

bool px_run_misses_the_lost(const struct px_run_collective *c)
{
    uint32_t node;
    const pmix_proc_t *proc;

    for (size_t i = 0; (proc = px_run_absent(i, &node)) != NULL; i++) {
        if (px_run_is_missed(c, proc, node)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < c->n_parts; i++) {
        if (px_run_is_over(c->parts[i].nspace) && misses_some_of(c, &c->parts[i])) {
            return true;
        }
    }
    return false;
}

bool px_run_is_awaited(const struct px_run_collective *c, uint32_t node)
{
    uint32_t named = 0;
    uint32_t lost = 0;
    uint32_t where;
    const pmix_proc_t *proc;

    if (px_run_has_share(c, node)) {
        return false;
    }
    for (uint32_t i = 0; i < c->n_parts; i++) {
        named += px_run_is_over(c->parts[i].nspace) ? 0 : part_at(c, &c->parts[i], node);
    }
    for (size_t i = 0; (proc = px_run_absent(i, &where)) != NULL; i++) {
        lost += where == node && px_run_collective_names(c, proc);
    }
    return named > lost;
}

/* ---- their names */

/* How many processes of the job the key names. */
static uint32_t count_named(const struct px_run_collective *c, const char *nspace)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_parts; i++) {
        for (int node = 0;
             PMIX_CHECK_NSPACE(c->parts[i].nspace, nspace) && node < px_run.options.n_nodes;
             node++) {
            n += c->parts[i].at_node[node];
        }
    }
    return n;
}

/* Writes the process (b NULL: does not), and returns how many that is. */
static uint32_t put_one(const struct px_run_collective *c, const pmix_proc_t *proc,
                        struct px_run_bytes *b)
{
    bool is_lost = px_run_collective_names(c, proc) || px_run_procs_has(&c->added, proc);

    if (is_lost && b != NULL) {
        px_run_put_proc(b, proc);
    }
    return is_lost;
}

/* Those of the key whose jobs are over; its ranks are all of the job where it names the whole. */
static uint32_t put_named(const struct px_run_collective *c, struct px_run_bytes *b)
{
    struct px_run_reader r = {c->key, c->key_len, false};
    uint32_t n = 0;

    (void) px_run_get_u32(&r);
    (void) px_run_get_string(&r);
    for (uint32_t i = px_run_get_u32(&r); i > 0 && !r.failed; i--) {
        pmix_proc_t proc;

        px_run_get_proc(&r, &proc);
        bool all = proc.rank == PMIX_RANK_WILDCARD;
        uint32_t n_ranks = px_run_is_over(proc.nspace) ? 1 : 0;
        n_ranks = all && n_ranks > 0 ? count_named(c, proc.nspace) : n_ranks;
        for (uint32_t rank = 0; rank < n_ranks; rank++) {
            proc.rank = all ? rank : proc.rank;
            n += put_one(c, &proc, b);
        }
    }
    return n;
}

/* Those that others add, and whose jobs are over. */
static uint32_t put_added(const struct px_run_collective *c, struct px_run_bytes *b)
{
    uint32_t n = 0;

    for (size_t i = 0; i < c->added.n; i++) {
        const pmix_proc_t *proc = &c->added.at[i];

        if (px_run_is_over(proc->nspace) && !px_run_key_names(c->key, c->key_len, proc)) {
            n += put_one(c, proc, b);
        }
    }
    return n;
}

static uint32_t put_all(const struct px_run_collective *c, struct px_run_bytes *b)
{
    uint32_t n = put_named(c, b) + put_added(c, b);
    uint32_t node;
    const pmix_proc_t *proc;

    for (size_t i = 0; (proc = px_run_absent(i, &node)) != NULL; i++) {
        n += put_one(c, proc, b);
    }
    return n;
}

void px_run_put_lost(const struct px_run_collective *c, struct px_run_bytes *b)
{
    uint32_t n = c->survives ? put_all(c, NULL) : 0;

    px_run_put_u32(b, n);
    if (n > 0) {
        (void) put_all(c, b);
    }
}
