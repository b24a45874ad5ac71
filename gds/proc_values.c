/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The place of process-level values. Values for many ranks become a column, which is compact and
 * needs no probing; values for a few become records, which win over an older column. Values that a
 * rank has already are dropped first, so that a publication costs what changed. Writer's thread. */

#include "proc_values.h"

#include <stdlib.h>
#include <string.h>

#include "gds/compare.h"
#include "gds/writer.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "batch.h"
#include "column_writer.h"
#include "publication.h"
#include "slice.h"

/* A column is written for at least COLUMN_MIN new values that are at least one in COLUMN_SHARE of
 * the ranks it would cover (docs/segment-format.md, section 7). */
enum { COLUMN_SHARE = 4, COLUMN_MIN = 2 };

/* True if the ranks ascend strictly: sorted, and none twice. */
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

/* The end of the run that starts at `at`: entries whose ranks do not descend. */
static size_t run_end(const struct px_datum *procs, size_t n, size_t at)
{
    at++;
    while (at < n && procs[at - 1].rank <= procs[at].rank) {
        at++;
    }
    return at;
}

/* Merges two runs into `to`, which overlaps neither; of equal ranks those of `a` come first, which
 * keeps the sort stable. */
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

/* One pass of the sort: merges neighbouring runs in pairs, from one array into the other; a last
 * run without a partner is copied. */
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

/* Sorts by rank; equal ranks stay in order of arrival. Data arrive as few ascending runs (from the
 * layout, then from the host), so whole runs are merged: the cost is n times the logarithm of the
 * number of runs. PMIX_ERR_NOMEM: `procs` is as before. */
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

/* Keeps one value per rank, as px_datum_follow says. The entries are sorted. Returns how many are
 * left. */
static size_t drop_doubles(struct px_datum *procs, size_t n)
{
    size_t out = 0;
    size_t i;

    for (i = 1; i < n; i++) {
        if (procs[out].rank != procs[i].rank) {
            procs[++out] = procs[i];
        } else {
            px_datum_follow(&procs[out], &procs[i]);
        }
    }
    return n ? out + 1 : 0;
}

/* Drops the values that would change nothing for the readers, so that a commit repeated by the
 * application costs no space. *n becomes the number left. Statuses of px_writer_compare. */
static int drop_unchanged(struct px_writer *writer, const struct px_key *key,
                          struct px_datum *procs, size_t *n)
{
    size_t out = 0;
    size_t i;

    for (i = 0; i < *n; i++) {
        struct px_present present;
        int rc =
            px_writer_compare(writer, PX_LEVEL_PROC, key, NULL, procs[i].rank, &procs[i], &present);

        if (rc) {
            return rc;
        }
        if (!present.same) {
            procs[out++] = procs[i];
        }
    }
    *n = out;
    return 0;
}

/* Notes the values as pending records, which px_writer_records writes after all columns.
 * PMIX_ERR_NOMEM. */
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

/* Decides between column and records for n values that ascend by rank. A new column covers at least
 * the ranks of the present one. Statuses of px_writer_column. */
static int place_procs(struct px_writer *writer, uint64_t key_loc, const struct px_datum *procs,
                       size_t n)
{
    const struct px_key *key = px_writer_key(writer, key_loc);
    uint32_t end = procs[n - 1].rank + 1;

    px_assert(n > 0 && ascending(procs, n));
    /* A column that covered less would lose values of the present one. */
    if (key->column) {
        const struct px_column *col = px_writer_at(writer, key->column);

        end = col->n > end ? col->n : end;
    }
    if (n < COLUMN_MIN || n * COLUMN_SHARE < end) {
        return add_items(writer, key_loc, procs, n);
    }
    return px_writer_column(writer, key_loc, procs, n, end);
}

/* How many ranks one publication looks at for new hints: each takes some 50 ns, and one commit can
 * delete many keys of a large job. */
enum { HINT_READS = 1 << 16 };

/* If the rank that the key's hint names loses its value, the hint moves: to a rank that gets one,
 * or else to the lowest that has one, or to none. It stays if the publication has looked at too
 * many ranks. n values that ascend by rank. PMIX_ERR_NOMEM. */
static int move_hint(struct px_writer *writer, const struct px_key *key,
                     const struct px_datum *procs, size_t n)
{
    uint64_t holder = 0;
    bool loses = false;
    uint32_t rank = 0;
    size_t i;

    for (i = 0; i < n; i++) {
        loses =
            loses || (px_datum_is_gone(&procs[i]) && procs[i].rank + UINT64_C(1) == key->holder);
        holder = px_datum_is_gone(&procs[i]) ? holder : procs[i].rank + UINT64_C(1);
    }
    for (i = 0; loses && !holder && rank < writer->n_ranks; rank++) {
        struct px_slice slice;
        bool listed = i < n && procs[i].rank == rank;

        if (writer->hint_reads++ >= HINT_READS) {
            return 0;
        }
        i += listed;
        if (!listed && px_read_proc(&writer->read, key, rank, &slice) == 0) {
            holder = rank + UINT64_C(1);
        }
    }
    return loses ? px_writer_word(writer, &key->holder, holder) : 0;
}

/* The batch stays as it is, so that it can be published again: what has to be sorted or filtered is
 * copied. A new key with ascending ranks, the case of a large job, needs no copy and no look at the
 * store. */
int px_writer_procs(struct px_writer *writer, size_t i)
{
    const struct px_batch_key *batch = &writer->batch->keys[i];
    const struct px_key *key = px_writer_key(writer, writer->keys[i]);
    struct px_datum *copy;
    size_t n = batch->n_procs;
    int rc = 0;

    px_assert(n > 0 && key->hash == batch->hash);
    /* Nothing to drop and nothing to sort: read the batch in place. */
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
        rc = drop_unchanged(writer, key, copy, &n);
        rc = rc ? rc : move_hint(writer, key, copy, n);
    }
    if (rc == 0 && n) {
        rc = place_procs(writer, writer->keys[i], copy, n);
    }
    free(copy);
    return rc;
}
