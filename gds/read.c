/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The hot path. A find is: hash the key, probe the key table, then take the job word, the column,
 * or one probe of the record table. Everything that a locator leads to is checked against the
 * segment's end first, so that damage is a status; nothing is retried and no loop depends on the
 * writer. */

#include "gds/read.h"
#include "slice.h"

#include <string.h>

uint64_t px_record_hash_of(const void *arg, uint64_t loc)
{
    const unsigned char *base = arg;
    const struct px_record *rec = (const struct px_record *) (const void *) (base + (loc << 3));
    struct px_qual_digest sum;

    if (rec->quals) {
        const struct px_quals *quals =
            (const struct px_quals *) (const void *) (base + (rec->quals << 3));

        sum = px_quals_sum(quals);
        return px_record_hash(rec->level, rec->index, rec->key, &sum);
    }
    return px_record_hash(rec->level, rec->index, rec->key, NULL);
}

static const struct px_quals *quals_at(struct px_read *read, uint64_t loc)
{
    const struct px_quals *quals = px_at(&read->view, loc, sizeof(*quals));

    if (!quals || !px_at(&read->view, loc, sizeof(*quals) + (uint64_t) quals->len)) {
        return NULL;
    }
    return quals;
}

static inline bool same_quals(struct px_read *read, uint64_t loc, const struct px_qual_digest *sum)
{
    const struct px_quals *quals;

    if (loc == 0 || !sum) {
        return loc == 0 && !sum;
    }
    quals = quals_at(read, loc);
    return quals && quals->sum_a == sum->a && quals->sum_b == sum->b && quals->n == sum->n;
}

uint64_t px_record_find(struct px_read *read, uint32_t level, uint32_t index, uint64_t key,
                        const struct px_qual_digest *quals)
{
    /* pairs with publish_table */
    uint64_t table = px_load_acquire(&px_store_header(read->store)->table);
    struct px_probe probe;
    uint64_t loc;

    if (table == 0) {
        return 0;
    }
    px_probe_start(&read->view, table, px_record_hash(level, index, key, quals), &probe);
    for (loc = px_probe_next(&probe); loc; loc = px_probe_next(&probe)) {
        const struct px_record *rec =
            (const struct px_record *) px_at(&read->view, loc, sizeof(*rec));

        if (!rec) {
            return 0;
        }
        if (rec->key == key && rec->index == index && rec->level == level &&
            same_quals(read, rec->quals, quals)) {
            return loc;
        }
    }
    return 0;
}

static inline const struct px_full_record *visible_record(struct px_read *read, uint64_t loc)
{
    return (const struct px_full_record *) px_visible(read, loc, sizeof(struct px_full_record));
}

static inline int slice_of_record(struct px_read *read, const struct px_full_record *full,
                                  struct px_slice *ret)
{
    int rc = px_cell_slice_at(read->store, &read->view, &full->cell,
                              px_locator(&read->view, &full->cell), ret);

    if (__builtin_expect(rc == 0 && full->rec.quals, 0)) {
        ret->quals = quals_at(read, full->rec.quals);
        rc = ret->quals ? 0 : PMIX_ERR_UNPACK_FAILURE;
    }
    return rc;
}

static inline int read_record(struct px_read *read, uint64_t loc, struct px_slice *ret)
{
    const struct px_full_record *full = loc ? visible_record(read, loc) : NULL;

    return full ? slice_of_record(read, full, ret) : px_read_miss(read);
}

static int get_cell(struct px_read *read, const struct px_column *col, uint32_t rank,
                    struct px_slice *ret)
{
    const uint64_t *locs;
    uint64_t loc = col->data;
    uint64_t at;

    if (col->kind == PX_COLUMN_LOC) {
        locs = (const uint64_t *) px_at(&read->view, loc, (uint64_t) col->n * 8);
        if (!locs) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        loc = locs[rank];
    } else if (col->kind == PX_COLUMN_DICT) {
        locs = (const uint64_t *) px_at(&read->view, col->base, (uint64_t) col->n_dict * 8);
        if (!locs || !px_column_element(&read->view, col, rank, &at) || at >= col->n_dict) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        loc = locs[at];
    } else if (col->kind != PX_COLUMN_CELL) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (loc == 0) {
        return px_read_miss(read);
    }
    return px_cell_slice(read->store, &read->view, loc, ret);
}

static inline __attribute__((always_inline)) int column_get(struct px_read *read,
                                                            const struct px_column *col,
                                                            uint32_t rank, struct px_slice *ret)
{
    uint64_t word;

    if (col->present) {
        const uint64_t *bits =
            px_at(&read->view, col->present, (((uint64_t) col->n + 63) / 64) * 8);

        if (!bits || (bits[rank / 64] >> (rank % 64) & 1) == 0) {
            return px_read_miss(read);
        }
    }
    if (!px_column_word(&read->view, col, rank, &word)) {
        return get_cell(read, col, rank, ret);
    }
    if (px_word_size(col->type) == 0) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    *ret = (struct px_slice){
        .store = read->store,
        .word = word,
        .len = sizeof(word),
        .type = col->type,
        .scope = col->scope,
        .form = PX_FORM_WORD,
        .inlined = true,
    };
    return 0;
}

static inline __attribute__((always_inline)) int read_proc(struct px_read *read,
                                                           const struct px_key *key, uint32_t rank,
                                                           struct px_slice *ret)
{
    const struct px_column *col = px_read_column(read, key);
    uint64_t key_loc = px_locator(&read->view, key);
    const struct px_full_record *full = NULL;
    uint64_t loc;

    if (!col || rank >= col->n) {
        return read_record(read, px_record_find(read, PX_LEVEL_PROC, rank, key_loc, NULL), ret);
    }
    if (__builtin_expect(px_load_acquire(&col->overlay) != 0, 0)) { /* pairs with publish_all */
        loc = px_record_find(read, PX_LEVEL_PROC, rank, key_loc, NULL);
        if (loc) {
            full = visible_record(read, loc);
        }
        if (full && full->rec.version.seq > col->version.seq) {
            return slice_of_record(read, full, ret);
        }
    }
    return column_get(read, col, rank, ret);
}

int px_read_level(struct px_read *read, enum px_level level, uint32_t index,
                  const struct px_key *key, const struct px_qual_digest *quals,
                  struct px_slice *ret)
{
    px_assert(level < PX_N_LEVELS);
    if (level == PX_LEVEL_PROC && !quals) {
        return read_proc(read, key, index, ret);
    }
    if (level == PX_LEVEL_JOB && !quals) {
        return read_record(read, px_load_acquire(&key->job), ret); /* pairs with publish_all */
    }
    return read_record(
        read, px_record_find(read, (uint32_t) level, index, px_locator(&read->view, key), quals),
        ret);
}

int px_store_find(const struct px_store *store, enum px_level level, uint32_t index,
                  const char *key, size_t key_len, struct px_slice *ret)
{
    const struct px_key *found;
    struct px_read read;
    int rc;

    px_read_begin(store, &read);
    found = px_read_known_key(&read, key, key_len);
    if (!found) {
        return px_read_miss(&read);
    }
    rc = px_read_level(&read, level, index, found, NULL, ret);
    return rc == 0 && ret->hidden ? PMIX_ERR_EXISTS_OUTSIDE_SCOPE : rc;
}

bool px_store_has_key(const struct px_store *store, const char *key, size_t key_len)
{
    struct px_read read;

    px_read_begin(store, &read);
    return px_read_known_key(&read, key, key_len) != NULL;
}

/* --- enumeration --- */

struct each {
    struct px_read read;
    px_each_fn fn;
    void *arg;
};

static int each_value(struct each *e, const struct px_key *key, enum px_level level, uint32_t index,
                      const struct px_qual_digest *quals)
{
    struct px_slice slice;
    int rc = px_read_level(&e->read, level, index, key, quals, &slice);

    if (rc == PMIX_ERR_NOT_FOUND) {
        return 0;
    }
    return rc ? rc : e->fn(e->arg, key->name, &slice);
}

/* Keys with a column, visible or not, for one rank. The chain descends, so it ends. */
static int each_column(struct each *e, uint32_t rank)
{
    /* pairs with publish_all */
    uint64_t loc = px_load_acquire(&px_store_header(e->read.store)->columns);
    int rc = 0;

    while (loc && rc == 0) {
        const struct px_column *col = px_at(&e->read.view, loc, sizeof(*col));
        const struct px_key *key = col ? px_key_at(&e->read.view, col->key) : NULL;

        if (!key || col->link >= loc) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        rc = each_value(e, key, PX_LEVEL_PROC, rank, NULL);
        loc = col->link;
    }
    return rc;
}

static int each_record(struct each *e, enum px_level level, uint32_t index,
                       const struct px_record *rec)
{
    const struct px_key *key = px_key_at(&e->read.view, rec->key);
    const struct px_quals *quals;
    struct px_qual_digest sum;

    if (!key) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (rec->quals) {
        quals = quals_at(&e->read, rec->quals);
        if (!quals) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        sum = px_quals_sum(quals);
        return each_value(e, key, level, index, &sum);
    }
    if (level == PX_LEVEL_PROC && px_load_acquire(&key->column)) { /* pairs with publish_all */
        return 0; /* left to each_column, which comes later: a column that appears between them is
                     in its chain */
    }
    return each_value(e, key, level, index, NULL);
}

static int each_at(struct each *e, enum px_level level, uint32_t index)
{
    uint64_t loc = px_record_find(&e->read, (uint32_t) level, index, 0, NULL);
    const struct px_record *rec = loc ? px_at(&e->read.view, loc, sizeof(*rec)) : NULL;
    int rc = 0;

    loc = rec ? px_load_acquire(&rec->link) : 0; /* pairs with publish_all */
    while (loc && rc == 0) {
        rec = px_at(&e->read.view, loc, sizeof(*rec));
        if (!rec || rec->link >= loc) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        rc = each_record(e, level, index, rec);
        loc = rec->link;
    }
    return rc;
}

int px_store_each(const struct px_store *store, enum px_level level, uint32_t index, px_each_fn fn,
                  void *arg)
{
    struct each e = {.fn = fn, .arg = arg};
    int rc;

    px_read_begin(store, &e.read);
    rc = each_at(&e, level, index);
    if (rc == 0 && level == PX_LEVEL_PROC) {
        rc = each_column(&e, index);
    }
    return rc == 0 && e.read.view.damaged ? PMIX_ERR_UNPACK_FAILURE : rc;
}
