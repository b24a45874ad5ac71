/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Where process-level values go. Many ranks at once: a column, which is compact and needs no
 * probing. A few: records, which win over an older column. What a rank has already is dropped
 * first, so that a batch costs what changed. */

#include "proc_values.h"

#include <stdlib.h>
#include <string.h>

#include "gds/writer.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "batch.h"
#include "column_writer.h"
#include "publication.h"
#include "slice.h"

/* A column is built when the new values are at least one in this many of the ranks that it would
 * cover. */
enum { COLUMN_SHARE = 4, COLUMN_MIN = 2 };

static bool ascending(const struct px_datum *procs, size_t n)
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
static size_t run_end(const struct px_datum *procs, size_t n, size_t at)
{
    at++;
    while (at < n && procs[at - 1].rank <= procs[at].rank) {
        at++;
    }
    return at;
}

static void merge_sorted(const struct px_datum *a, size_t n_a, const struct px_datum *b, size_t n_b,
                         struct px_datum *to)
{
    while (n_a && n_b) {
        bool left = a->rank <= b->rank;

        *to++ = left ? *a++ : *b++;
        n_a -= left;
        n_b -= !left;
    }
    memcpy(to, n_a ? a : b, (n_a + n_b) * sizeof(*to));
}

/* One pass: neighbouring runs become one. */
static void merge_runs(const struct px_datum *from, size_t n, struct px_datum *to)
{
    size_t start;
    size_t end;

    for (start = 0; start < n; start = end) {
        size_t mid = run_end(from, n, start);

        end = mid < n ? run_end(from, n, mid) : mid;
        merge_sorted(from + start, mid - start, from + mid, end - mid, to + start);
    }
}

/* Stable: equal ranks stay in order of arrival. Data come as few ascending runs (what follows from
 * the layout, then what was said), so whole runs are merged. */
static int sort_stable(struct px_datum *procs, size_t n)
{
    struct px_datum *from = procs;
    struct px_datum *other = malloc(n * sizeof(*other));
    struct px_datum *to = other;

    if (!other) {
        return PMIX_ERR_NOMEM;
    }
    while (run_end(from, n, 0) < n) {
        struct px_datum *swap = from;

        merge_runs(from, n, to);
        from = to;
        to = swap;
    }
    px_assert(n == 0 || run_end(from, n, 0) == n);
    if (from != procs) {
        memcpy(procs, from, n * sizeof(*procs));
    }
    free(other);
    return 0;
}

/* Of equal ranks the last stays, but a hidden value never takes a seen one's place. */
static size_t drop_doubles(struct px_datum *procs, size_t n)
{
    size_t out = 0;
    size_t i;

    for (i = 1; i < n; i++) {
        if (procs[out].rank != procs[i].rank) {
            procs[++out] = procs[i];
        } else if (procs[i].kind != PX_DATUM_HIDDEN || procs[out].kind == PX_DATUM_HIDDEN) {
            procs[out] = procs[i];
        }
    }
    return n ? out + 1 : 0;
}

/* Drops what the store has already. */
static int drop_known(struct px_writer *writer, const struct px_key *key, struct px_datum *procs,
                      size_t *n)
{
    size_t out = 0;
    size_t i;

    for (i = 0; i < *n; i++) {
        struct px_slice now;
        bool same = false;
        int rc = px_read_level(&writer->read, PX_LEVEL_PROC, procs[i].rank, key, NULL, &now);

        if (rc == 0) {
            rc = px_writer_same(writer, &now, &procs[i], &same);
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

static int add_items(struct px_writer *writer, uint64_t key, const struct px_datum *procs, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        int rc = px_array_room(&writer->items, writer->n_items, &writer->cap_items,
                               sizeof(*writer->items));

        if (rc) {
            return rc;
        }
        writer->items[writer->n_items] = (struct px_pending_record){
            .level = PX_LEVEL_PROC,
            .index = procs[i].rank,
            .key = key,
            .order = writer->n_items,
            .datum = procs[i],
        };
        writer->n_items++;
    }
    return 0;
}

static int place_procs(struct px_writer *writer, uint64_t key_loc, const struct px_datum *procs,
                       size_t n)
{
    const struct px_key *key = px_writer_key(writer, key_loc);
    uint32_t end = procs[n - 1].rank + 1;

    px_assert(n > 0 && ascending(procs, n));
    if (key->column) {
        const struct px_column *col = px_writer_at(writer, key->column);

        end = col->n > end ? col->n : end;
    }
    if (n < COLUMN_MIN || n * COLUMN_SHARE < end) {
        return add_items(writer, key_loc, procs, n);
    }
    return px_writer_column(writer, key_loc, procs, n, end);
}

int px_writer_procs(struct px_writer *writer, size_t i)
{
    const struct px_batch_key *batch = &writer->batch->keys[i];
    const struct px_key *key = px_writer_key(writer, writer->keys[i]);
    struct px_datum *copy;
    size_t n = batch->n_procs;
    int rc = 0;

    px_assert(n > 0 && key->hash == batch->hash);
    if (key->holder == 0 && ascending(batch->procs, n)) {
        return place_procs(writer, writer->keys[i], batch->procs, n);
    }
    copy = malloc(n * sizeof(*copy));
    if (!copy) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(copy, batch->procs, n * sizeof(*copy));
    if (!ascending(copy, n)) {
        rc = sort_stable(copy, n);
        n = drop_doubles(copy, n);
    }
    if (rc == 0 && key->holder) {
        rc = drop_known(writer, key, copy, &n);
    }
    if (rc == 0 && n) {
        rc = place_procs(writer, writer->keys[i], copy, n);
    }
    free(copy);
    return rc;
}
