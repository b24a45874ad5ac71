/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Where process-level values go. Many ranks at once: a column, which is compact and needs no
 * probing. A few: records, which win over an older column. What a rank has already is dropped
 * first, so that a batch costs what changed. */

#include <stdlib.h>
#include <string.h>

#include "gds/stage.h"
#include "src/base/array.h"
#include "src/base/assert.h"

/* A column is built when the new values are at least one in this many of the ranks that it would
 * cover. */
enum { COLUMN_SHARE = 4, COLUMN_MIN = 2 };

static bool ascending(const struct px_given *procs, size_t n)
{
    size_t i;

    for (i = 1; i < n; i++) {
        if (procs[i - 1].rank >= procs[i].rank) {
            return false;
        }
    }
    return true;
}

/* End of the run that starts at `at`: ranks that do not descend. */
static size_t run_end(const struct px_given *procs, size_t n, size_t at)
{
    at++;
    while (at < n && procs[at - 1].rank <= procs[at].rank) {
        at++;
    }
    return at;
}

static void merge(const struct px_given *a, size_t n_a, const struct px_given *b,
                  size_t n_b, struct px_given *to)
{
    while (n_a && n_b) {
        bool left = a->rank <= b->rank;

        *to++ = left ? *a++ : *b++;
        n_a -= left;
        n_b -= !left;
    }
    memcpy(to, n_a ? a : b, (n_a + n_b) * sizeof *to);
}

/* One pass: neighbouring runs become one. */
static void merge_runs(const struct px_given *from, size_t n, struct px_given *to)
{
    size_t start;
    size_t end;

    for (start = 0; start < n; start = end) {
        size_t mid = run_end(from, n, start);

        end = mid < n ? run_end(from, n, mid) : mid;
        merge(from + start, mid - start, from + mid, end - mid, to + start);
    }
}

/* Stable: equal ranks stay in order of arrival. Data come as few ascending runs (what follows from
 * the layout, then what was said), so whole runs are merged. */
static int sort_stable(struct px_given *procs, size_t n)
{
    struct px_given *from = procs;
    struct px_given *other = malloc(n * sizeof *other);
    struct px_given *to = other;

    if (!other) {
        return PMIX_ERR_NOMEM;
    }
    while (run_end(from, n, 0) < n) {
        struct px_given *swap = from;

        merge_runs(from, n, to);
        from = to;
        to = swap;
    }
    px_assert(n == 0 || run_end(from, n, 0) == n);
    if (from != procs) {
        memcpy(procs, from, n * sizeof *procs);
    }
    free(other);
    return 0;
}

/* Of equal ranks the last stays, but a hidden value never takes a seen one's place. */
static size_t drop_doubles(struct px_given *procs, size_t n)
{
    size_t out = 0;
    size_t i;

    for (i = 1; i < n; i++) {
        if (procs[out].rank != procs[i].rank) {
            procs[++out] = procs[i];
        } else if (procs[i].kind != PX_GIVEN_HIDDEN || procs[out].kind == PX_GIVEN_HIDDEN) {
            procs[out] = procs[i];
        }
    }
    return n ? out + 1 : 0;
}

/* Drops what the store has already. */
static int drop_known(struct px_stage *stage, const struct px_key *key, struct px_given *procs,
                      size_t *n)
{
    size_t out = 0;
    size_t i;

    for (i = 0; i < *n; i++) {
        struct px_slice now;
        bool same = false;
        int rc = px_read_level(&stage->read, PX_LEVEL_PROC, procs[i].rank, key, &now);

        if (rc == 0) {
            rc = px_stage_same(stage, &now, &procs[i], &same);
            if (rc) {
                return rc;
            }
        }
        if (!same) {
            procs[out++] = procs[i];
        }
    }
    *n = out;
    return 0;
}

static int add_items(struct px_stage *stage, uint64_t key, const struct px_given *procs,
                     size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        int rc =
            px_array_room(&stage->items, stage->n_items, &stage->cap_items, sizeof *stage->items);

        if (rc) {
            return rc;
        }
        stage->items[stage->n_items] = (struct px_item){
            .level = PX_SHM_PROC,
            .index = procs[i].rank,
            .key = key,
            .order = stage->n_items,
            .given = procs[i],
        };
        stage->n_items++;
    }
    return 0;
}

static int place_procs(struct px_stage *stage, uint64_t key_loc, const struct px_given *procs,
                       size_t n)
{
    const struct px_key *key = px_stage_key(stage, key_loc);
    uint32_t end = procs[n - 1].rank + 1;

    px_assert(n > 0 && ascending(procs, n));
    if (key->column) {
        const struct px_column *col = px_stage_at(stage, key->column);

        end = col->n > end ? col->n : end;
    }
    if (n < COLUMN_MIN || n * COLUMN_SHARE < end) {
        return add_items(stage, key_loc, procs, n);
    }
    return px_stage_column(stage, key_loc, procs, n, end);
}

int px_stage_procs(struct px_stage *stage, size_t i)
{
    const struct px_batch_key *batch = &stage->batch->keys[i];
    const struct px_key *key = px_stage_key(stage, stage->keys[i]);
    struct px_given *copy;
    size_t n = batch->n_procs;
    int rc = 0;

    px_assert(n > 0 && key->hash == batch->hash);
    if (key->holder == 0 && ascending(batch->procs, n)) {
        return place_procs(stage, stage->keys[i], batch->procs, n);
    }
    copy = malloc(n * sizeof *copy);
    if (!copy) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(copy, batch->procs, n * sizeof *copy);
    if (!ascending(copy, n)) {
        rc = sort_stable(copy, n);
        n = drop_doubles(copy, n);
    }
    if (rc == 0 && key->holder) {
        rc = drop_known(stage, key, copy, &n);
    }
    if (rc == 0 && n) {
        rc = place_procs(stage, stage->keys[i], copy, n);
    }
    free(copy);
    return rc;
}
