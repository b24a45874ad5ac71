/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading single values: the hot path. A read hashes the key, probes the key table, and then takes
 * the key's job word, its column, or one probe of the record table. Whatever a locator leads to is
 * checked against the segment's end first, so damage is a status. Nothing is retried and no loop
 * depends on the writer: reads are wait-free (docs/memory-model.md). */

#include "gds/read.h"
#include "slice.h"

/* Must agree with px_record_hash as px_record_find uses it. */
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

const struct px_key *px_read_search_key(struct px_read *read, const char *name, size_t len)
{
    const struct px_key *key = px_read_key(read, name, len, px_hash_bytes(name, len));

    if (key) {
        px_read_note_key(read, name, key);
    }
    return key;
}

/* The length is that of the encoded qualifiers, which are decoded only by px_slice_quals. */
const struct px_quals *px_quals_at(struct px_read *read, uint64_t loc)
{
    const struct px_quals *quals = px_at(&read->view, loc, sizeof(*quals));

    if (!quals || !px_at(&read->view, loc, sizeof(*quals) + (uint64_t) quals->len)) {
        return NULL;
    }
    return quals;
}

/* True if the qualifiers at `loc` (0: none) are those with this digest (NULL: none). Damaged ones
 * equal nothing. */
static inline bool same_quals(struct px_read *read, uint64_t loc, const struct px_qual_digest *sum)
{
    const struct px_quals *quals;

    if (loc == 0 || !sum) {
        return loc == 0 && !sum;
    }
    quals = px_quals_at(read, loc);
    return quals && quals->sum_a == sum->a && quals->sum_b == sum->b && quals->n == sum->n;
}

/* px_record_find, inlined where no qualifiers are asked for. Equal tags are settled by comparing
 * the records. Each step is a bounds check and a comparison; the probe is bounded by the table
 * code. */
static inline __attribute__((always_inline)) uint64_t find_record(
    struct px_read *read, uint32_t level, uint32_t index, uint64_t key,
    const struct px_qual_digest *quals)
{
    /* pairs with publish_table and grow_table */
    uint64_t table = px_load_acquire(&px_read_header(read)->table);
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

uint64_t px_record_find(struct px_read *read, uint32_t level, uint32_t index, uint64_t key,
                        const struct px_qual_digest *quals)
{
    return find_record(read, level, index, key, quals);
}

/* The slice of a cell whose payload has been checked, by the form that its flags are taken from. */
static inline void set_slice(const struct px_read *read, const struct px_cell *cell, uint8_t form,
                             struct px_slice *ret)
{
    *ret = (struct px_slice){
        .store = read->store,
        .payload = cell->payload,
        .len = cell->len,
        .locator = px_locator(&read->view, cell),
        .type = cell->type,
        .scope = cell->scope,
        .form = form,
    };
    if (ret->form == PX_FORM_WORD) {
        memcpy(&ret->word, cell->payload, sizeof(ret->word));
        ret->inlined = true;
    }
}

/* read_cell for all forms, with flags. Deleted values are checked like others before they count as
 * absent. */
static __attribute__((noinline)) int read_rare_cell(const struct px_read *read,
                                                    const struct px_cell *cell,
                                                    struct px_slice *ret)
{
    if (!px_payload_fits(cell->form & PX_FORM_MASK, cell->type, cell->payload, cell->len)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    set_slice(read, cell, cell->form & PX_FORM_MASK, ret);
    ret->hidden = (cell->form & PX_CELL_HIDDEN) != 0;
    return cell->form & PX_CELL_TOMB ? PMIX_ERR_NOT_FOUND : 0;
}

/* The value in a cell whose head is inside; a hidden one has ret->hidden. The cell is immutable, so
 * it can be read again after a check. PMIX_ERR_NOT_FOUND (deleted), PMIX_ERR_UNPACK_FAILURE
 * (damaged). */
static __attribute__((noinline)) int read_cell(struct px_read *read, const struct px_cell *cell,
                                               struct px_slice *ret)
{
    if (!px_reaches(&read->view, cell, sizeof(*cell) + cell->len)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (!px_payload_is_usual(cell->form, cell->type, cell->payload, cell->len)) {
        return read_rare_cell(read, cell, ret);
    }
    set_slice(read, cell, cell->form, ret);
    return 0;
}

int px_read_cell(struct px_read *read, uint64_t loc, struct px_slice *ret)
{
    const struct px_cell *cell = (const struct px_cell *) px_at(&read->view, loc, sizeof(*cell));

    return cell ? read_cell(read, cell, ret) : PMIX_ERR_UNPACK_FAILURE;
}

/* The version of a record that this pass may see, with its cell's head inside; or NULL. Not for
 * index lists, which have no cell. */
static inline const struct px_full_record *visible_record(struct px_read *read, uint64_t loc)
{
    return (const struct px_full_record *) px_visible(read, loc, sizeof(struct px_full_record));
}

/* The value of a visible record with qualifiers. As slice_of_record. */
static __attribute__((noinline)) int slice_of_qualified(struct px_read *read,
                                                        const struct px_full_record *full,
                                                        struct px_slice *ret)
{
    const struct px_quals *quals = px_quals_at(read, full->rec.quals);
    int rc = quals ? read_cell(read, &full->cell, ret) : PMIX_ERR_UNPACK_FAILURE;

    if (rc == 0) {
        ret->quals = quals;
    }
    return rc;
}

/* The value of a visible record, with its qualifiers. PMIX_ERR_NOT_FOUND if it was deleted;
 * PMIX_ERR_UNPACK_FAILURE if cell or qualifiers are damaged. */
static inline int slice_of_record(struct px_read *read, const struct px_full_record *full,
                                  struct px_slice *ret)
{
    return __builtin_expect(full->rec.quals != 0, 0) ? slice_of_qualified(read, full, ret)
                                                     : read_cell(read, &full->cell, ret);
}

/* The value of the record at a locator, which may be 0: then, as for a record that is not visible
 * yet, the status of px_read_miss. */
static inline int read_record(struct px_read *read, uint64_t loc, struct px_slice *ret)
{
    const struct px_full_record *full = loc ? visible_record(read, loc) : NULL;

    return full ? slice_of_record(read, full, ret) : px_read_miss(read);
}

/* px_read_column_cell, inlined in px_read_proc. */
static inline __attribute__((always_inline)) int get_cell(struct px_read *read,
                                                          const struct px_column *col,
                                                          uint32_t rank, struct px_slice *ret)
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
    /* Absent, in a column of locators; in another kind it is damage that reads as absence. */
    if (loc == 0) {
        return px_read_miss(read);
    }
    return px_read_cell(read, loc, ret);
}

int px_read_column_cell(struct px_read *read, const struct px_column *col, uint32_t rank,
                        struct px_slice *ret)
{
    return get_cell(read, col, rank, ret);
}

/* The value of a rank below n in a column, or PMIX_ERR_NOT_FOUND if the rank has none. The presence
 * bitmap comes first: elements of absent ranks are 0, which may also be a value. */
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

/* The visible record of a rank, if there is one that is newer than the column (NULL: none), which
 * has taken over the older ones (docs/memory-model.md, section 5); else NULL. */
static __attribute__((noinline)) const struct px_full_record *find_newer(
    struct px_read *read, const struct px_key *key, uint32_t rank, const struct px_column *col)
{
    uint64_t loc = find_record(read, PX_LEVEL_PROC, rank, px_locator(&read->view, key), NULL);
    const struct px_full_record *full = loc ? visible_record(read, loc) : NULL;

    return full && (!col || full->rec.version.seq > col->version.seq) ? full : NULL;
}

/* The rule at the end of section 7 of docs/segment-format.md. Records are probed only for ranks
 * beyond the column or if the column has an overlay. */
int px_read_proc(struct px_read *read, const struct px_key *key, uint32_t rank,
                 struct px_slice *ret)
{
    const struct px_column *col = px_read_column(read, key);
    const struct px_full_record *full = NULL;

    if (col && rank >= col->n) {
        col = NULL;
    }
    if (!col ||
        __builtin_expect(px_load_acquire(&col->overlay) != 0, 0)) { /* pairs with publish_all */
        full = find_newer(read, key, rank, col);
    }
    if (full) {
        return slice_of_record(read, full, ret);
    }
    return col ? column_get(read, col, rank, ret) : px_read_miss(read);
}

int px_read_job(struct px_read *read, const struct px_key *key, struct px_slice *ret)
{
    return read_record(read, px_load_acquire(&key->job), ret); /* pairs with publish_all */
}

/* Process and job level have ways of their own, because they are nearly all of what is read; every
 * other level, and each qualified value, is one probe of the record table. */
int px_read_level(struct px_read *read, enum px_level level, uint32_t index,
                  const struct px_key *key, const struct px_qual_digest *quals,
                  struct px_slice *ret)
{
    px_assert(level < PX_N_LEVELS);
    if (level == PX_LEVEL_PROC && !quals) {
        return px_read_proc(read, key, index, ret);
    }
    if (level == PX_LEVEL_JOB && !quals) {
        return px_read_job(read, key, ret);
    }
    return read_record(
        read, px_record_find(read, (uint32_t) level, index, px_locator(&read->view, key), quals),
        ret);
}
