/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Choosing and writing a column: the smallest form that holds all values. Scalars of one type and
 * scope become a constant, a line (base + step * rank) or an array of the narrowest elements. All
 * other values become cells, shared between equal values, with an element or a locator per rank. A
 * column is never changed: later values are records above it, or the next column. Format:
 * docs/segment-format.md, section 7. Writer's thread. */

#include "column_writer.h"

#include <stdlib.h>
#include <string.h>

#include "gds/compare.h"
#include "gds/dict.h"
#include "gds/writer.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "garbage.h"
#include "publication.h"
#include "slice.h"

/* What px_val.what means; nothing where the rank has no value, or none any more. */
enum kind { ABSENT, WORD, CELL, GONE };

/* The value of one rank. */
struct px_val {
    uint64_t what; /* the word, or the number of a cell */
    uint16_t type; /* of a word */
    uint8_t scope; /* of a word */
    uint8_t kind;
};

/* One column in the making, on the stack of px_writer_column. Its scratch array belongs to the
 * writer; the dictionary is freed at the end, and its cells stay. */
struct build {
    struct px_writer *writer;
    /* One per rank below n. */
    struct px_val *vals;
    uint32_t n;
    uint32_t n_present;
    uint32_t n_gone;
    /* Cells of values that are no words, and the column object, filled step by step. */
    struct px_dict dict;
    struct px_column col;
};

/* Turns a datum into a cell of the dictionary, new or equal to one before. A hidden datum has no
 * scope of its own. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE, PMIX_ERR_UNKNOWN_DATA_TYPE. */
static int set_cell(struct build *b, const struct px_datum *proc, struct px_val *val)
{
    pmix_value_t room;
    const pmix_value_t *value = px_datum_value(proc, &room);
    pmix_scope_t scope = value ? proc->scope : PMIX_SCOPE_UNDEF;
    struct px_payload payload;
    uint32_t number;
    int rc = px_payload_encode(value, &payload);

    if (rc) {
        return rc;
    }
    rc = px_dict_payload(&b->dict, &payload, scope, &number);
    px_payload_fini(&payload);
    if (rc == 0) {
        *val = (struct px_val){.what = number, .kind = CELL};
    }
    return rc;
}

/* True if two data are the same string or value in the same place: the second one needs no encoding
 * and no comparison. */
static bool is_same(const struct px_datum *one, const struct px_datum *two)
{
    if (one->kind != two->kind || one->scope != two->scope) {
        return false;
    }
    return one->kind == PX_DATUM_TEXT ? one->text == two->text
                                      : one->kind == PX_DATUM_VALUE && one->value == two->value;
}

/* How many data are remembered by their address. */
enum { RECENT = 256 };

/* The place in `recent` of a datum with that address. */
static uint32_t *recent_of(uint32_t recent[RECENT], const struct px_datum *proc)
{
    uintptr_t at = (uintptr_t) proc->value;

    return &recent[(at >> 4 ^ at >> 12) % RECENT];
}

/* Enters the new values, which ascend by rank. A scalar takes no memory and no hashing. A value at
 * the same address as an earlier one takes the cell of that one: host names share addresses, and so
 * do the values that a move copies. */
static int set_values(struct build *b, const struct px_datum *procs, size_t n_procs)
{
    uint32_t recent[RECENT] = {0}; /* positions in procs: guesses */
    size_t i;
    int rc = 0;

    for (i = 0; rc == 0 && i < n_procs; i++) {
        const struct px_datum *proc = &procs[i];
        struct px_val *val = &b->vals[proc->rank];
        uint32_t *before = recent_of(recent, proc);

        px_assert(proc->rank < b->n && (i == 0 || proc[-1].rank < proc->rank));
        if (proc->kind == PX_DATUM_WORD) {
            *val = (struct px_val){
                .what = proc->word, .type = proc->type, .scope = proc->scope, .kind = WORD};
            continue;
        }
        if (*before < i && is_same(&procs[*before], proc)) {
            *val = b->vals[procs[*before].rank];
        } else if (px_datum_is_gone(proc)) {
            *val = (struct px_val){.kind = GONE};
            b->n_gone++;
        } else {
            rc = set_cell(b, proc, val);
        }
        *before = (uint32_t) i;
    }
    b->n_present = (uint32_t) n_procs - b->n_gone;
    return rc;
}

/* Enters the value that the key has for a rank so far, if any: a new column must hold it too,
 * because readers of the column do not look at older ones. A cell is referred to, not copied. */
static int keep_value(struct build *b, const struct px_key *key, uint32_t rank)
{
    struct px_slice slice;
    uint32_t number;
    int rc = px_read_level(&b->writer->read, PX_LEVEL_PROC, rank, key, NULL, &slice);

    px_assert(rank < b->n && b->vals[rank].kind == ABSENT);
    if (rc) {
        return rc == PMIX_ERR_NOT_FOUND ? 0 : rc;
    }
    b->n_present++;
    if (slice.inlined) {
        b->vals[rank] = (struct px_val){
            .what = slice.word, .type = slice.type, .scope = slice.scope, .kind = WORD};
        return 0;
    }
    rc = px_dict_cell(&b->dict, slice.locator, &number);
    if (rc == 0) {
        b->vals[rank] = (struct px_val){.what = number, .kind = CELL};
    }
    return rc;
}

/* Ranks whose value was deleted are absent like those that never had one. A column without any
 * value has one deleted cell for all its ranks. Statuses of set_cell. */
static int settle_gone(struct build *b)
{
    struct px_datum gone = px_datum_make(0, PMIX_SCOPE_UNDEF, &px_deleted);
    struct px_val val = {.kind = ABSENT};
    int rc = 0;

    if (b->n_gone && b->n_present == 0) {
        rc = set_cell(b, &gone, &val);
        b->n_present = b->n_gone;
    }
    for (uint32_t i = 0; rc == 0 && b->n_gone && i < b->n; i++) {
        b->vals[i] = b->vals[i].kind == GONE ? val : b->vals[i];
    }
    return rc;
}

/* The last datum that gives its rank a value; NULL if all of them take one away. */
static const struct px_datum *last_given(const struct px_datum *procs, size_t n_procs)
{
    while (n_procs > 0 && px_datum_is_gone(&procs[n_procs - 1])) {
        n_procs--;
    }
    return n_procs > 0 ? &procs[n_procs - 1] : NULL;
}

/* True if all values are scalars of one type and one scope; *ret_first is the first of them. */
static bool uniform(const struct build *b, const struct px_val **ret_first)
{
    const struct px_val *first = NULL;
    uint32_t i;

    for (i = 0; i < b->n; i++) {
        const struct px_val *val = &b->vals[i];

        if (val->kind == ABSENT) {
            continue;
        }
        if (val->kind != WORD ||
            (first && (val->type != first->type || val->scope != first->scope))) {
            return false;
        }
        first = first ? first : val;
    }
    *ret_first = first;
    return first != NULL;
}

/* True if each word is base + step * rank modulo 2^64. Base and step follow from the first two
 * values; there is at least one. */
static bool fits_line(const struct build *b, uint64_t *ret_base, uint64_t *ret_step)
{
    uint32_t first = 0;
    uint32_t second;
    uint64_t step = 0;
    uint32_t i;

    while (b->vals[first].kind == ABSENT) {
        first++;
    }
    for (second = first + 1; second < b->n && b->vals[second].kind == ABSENT; second++) {
    }
    /* Differences are taken as signed, so that a descending line has a negative step. */
    if (second < b->n) {
        uint64_t rise = b->vals[second].what - b->vals[first].what;
        uint64_t run = second - first;

        if ((int64_t) rise % (int64_t) run != 0) {
            return false;
        }
        step = (uint64_t) ((int64_t) rise / (int64_t) run);
    }
    for (i = first; i < b->n; i++) {
        if (b->vals[i].kind != ABSENT &&
            b->vals[i].what != b->vals[first].what + step * (i - first)) {
            return false;
        }
    }
    /* The line is extended to rank 0, which need not have a value. */
    *ret_base = b->vals[first].what - step * first;
    *ret_step = step;
    return true;
}

/* The narrowest element, in bits, that holds `max`. Negative numbers are large as words, so an
 * array of them has elements as wide as their type. */
static uint32_t width_for(uint64_t max)
{
    return max <= UINT8_MAX ? 8 : max <= UINT16_MAX ? 16 : max <= UINT32_MAX ? 32 : 64;
}

/* Stores element i, which must fit into `width` bits. The array is process memory; it is copied
 * into the segment when it is complete. */
static void set_element(void *elements, uint32_t width, uint32_t i, uint64_t what)
{
    px_assert(width == 64 || what >> width == 0);
    switch (width) {
    case 8:
        ((uint8_t *) elements)[i] = (uint8_t) what;
        break;
    case 16:
        ((uint16_t *) elements)[i] = (uint16_t) what;
        break;
    case 32:
        ((uint32_t *) elements)[i] = (uint32_t) what;
        break;
    default:
        ((uint64_t *) elements)[i] = what;
        break;
    }
}

/* How many of the newest are compared: job information has some 20 columns, peers may post
 * many. */
enum { SPANS_COMPARED = 64 };

/* Writes bytes into the segment, or finds equal ones that another column of this publication wrote:
 * elements of local and node rank and presence bitmaps are often the same. Columns never change, so
 * sharing is invisible. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int write_once(struct px_writer *writer, const void *bytes, size_t len, uint64_t *ret_loc)
{
    size_t i = writer->n_spans > SPANS_COMPARED ? writer->n_spans - SPANS_COMPARED : 0;
    int rc;

    px_assert(len > 0);
    for (; i < writer->n_spans; i++) {
        const struct px_writer_span *span = &writer->spans[i];

        if (span->len == len && memcmp(px_writer_at(writer, span->loc), bytes, len) == 0) {
            *ret_loc = span->loc;
            return 0;
        }
    }
    rc = px_array_room(&writer->spans, writer->n_spans, &writer->cap_spans, sizeof(*writer->spans));
    rc = rc ? rc : px_bump_copy(writer->bump, bytes, len, ret_loc);
    if (rc == 0) {
        writer->spans[writer->n_spans++] = (struct px_writer_span){.loc = *ret_loc, .len = len};
    }
    return rc;
}

/* Writes one element per rank, 0 for absent ones. `locs`, if not NULL, translates cell numbers into
 * locators. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int write_elements(struct build *b, uint32_t width, const uint64_t *locs, uint64_t *ret_loc)
{
    size_t len = (size_t) b->n * (width / 8);
    void *elements = calloc(1, len);
    uint32_t i;
    int rc;

    if (!elements) {
        return PMIX_ERR_NOMEM;
    }
    for (i = 0; i < b->n; i++) {
        if (b->vals[i].kind != ABSENT) {
            set_element(elements, width, i, locs ? locs[b->vals[i].what] : b->vals[i].what);
        }
    }
    rc = write_once(b->writer, elements, len, ret_loc);
    free(elements);
    return rc;
}

/* Writes the bitmap of ranks that have a value, unless all have one or the kind marks absent ranks
 * by locator 0. Columns with equal bitmaps share one. */
static int write_presence(struct build *b)
{
    size_t n_words = ((size_t) b->n + 63) / 64;
    uint64_t *bits;
    uint32_t i;
    int rc;

    if (b->n_present == b->n || b->col.kind == PX_COLUMN_LOC) {
        return 0;
    }
    bits = calloc(n_words, sizeof(*bits));
    if (!bits) {
        return PMIX_ERR_NOMEM;
    }
    for (i = 0; i < b->n; i++) {
        if (b->vals[i].kind != ABSENT) {
            bits[i / 64] |= UINT64_C(1) << (i % 64);
        }
    }
    rc = write_once(b->writer, bits, n_words * sizeof(*bits), &b->col.present);
    free(bits);
    return rc;
}

/* Chooses CONST, AFFINE or ARRAY for scalars of one type and scope. CONST and AFFINE may have
 * absent ranks, which the presence bitmap marks. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int form_scalars(struct build *b, const struct px_val *first)
{
    uint64_t max = 0;
    uint32_t i;

    b->col.type = first->type;
    b->col.scope = first->scope;
    if (fits_line(b, &b->col.base, &b->col.step)) {
        b->col.kind = b->col.step ? PX_COLUMN_AFFINE : PX_COLUMN_CONST;
        return 0;
    }
    for (i = 0; i < b->n; i++) {
        if (b->vals[i].kind != ABSENT && b->vals[i].what > max) {
            max = b->vals[i].what;
        }
    }
    b->col.kind = PX_COLUMN_ARRAY;
    b->col.width = width_for(max);
    return write_elements(b, b->col.width, NULL, &b->col.data);
}

/* Turns the scalars of a mixed column into cells, so that all of its values have one kind. Statuses
 * of px_dict_payload. */
static int words_to_cells(struct build *b)
{
    uint32_t i;

    for (i = 0; i < b->n; i++) {
        struct px_val *val = &b->vals[i];
        struct px_payload payload = {
            .type = val->type, .form = PX_FORM_WORD, .word = val->what, .head_len = 8};
        uint32_t number;
        int rc;

        if (val->kind != WORD) {
            continue;
        }
        memcpy(payload.head, &val->what, sizeof(val->what));
        rc = px_dict_payload(&b->dict, &payload, val->scope, &number);
        if (rc) {
            return rc;
        }
        *val = (struct px_val){.what = number, .kind = CELL};
    }
    return 0;
}

/* Chooses CELL, DICT or LOC. A dictionary with its indices must be smaller than a locator per rank.
 * One cell for all needs neither; absent ranks are then in the bitmap. */
static int form_cells(struct build *b)
{
    uint32_t width;
    int rc = words_to_cells(b);

    if (rc) {
        return rc;
    }
    px_assert(b->dict.n > 0);
    width = width_for(b->dict.n - 1);
    if (b->dict.n == 1) {
        b->col.kind = PX_COLUMN_CELL;
        b->col.data = b->dict.locs[0];
        return 0;
    }
    /* Few values are shared: a locator per rank is no larger than a dictionary and its indices. */
    if ((uint64_t) b->n * (width / 8) + (uint64_t) b->dict.n * 8 >= (uint64_t) b->n * 8) {
        b->col.kind = PX_COLUMN_LOC;
        b->col.width = 64;
        return write_elements(b, 64, b->dict.locs, &b->col.data);
    }
    b->col.kind = PX_COLUMN_DICT;
    b->col.width = width;
    b->col.n_dict = b->dict.n;
    rc = px_bump_copy(b->writer->bump, b->dict.locs, (uint64_t) b->dict.n * 8, &b->col.base);
    return rc ? rc : write_elements(b, width, NULL, &b->col.data);
}

/* Writes the column object and registers the words that will lead to it. A key's first column joins
 * the chain that enumeration walks; the rank of `given`, if not NULL, becomes the key's
 * any-rank hint if it has none. */
static int write_column(struct build *b, uint64_t key_loc, const struct px_datum *given)
{
    struct px_writer *writer = b->writer;
    const struct px_key *key = px_writer_key(writer, key_loc);
    const struct px_val *first;
    uint64_t loc;
    int rc = uniform(b, &first) ? form_scalars(b, first) : form_cells(b);

    if (rc == 0) {
        rc = write_presence(b);
    }
    if (rc) {
        return rc;
    }
    px_assert(b->n_present > 0 && b->n_present <= b->n && b->col.kind != 0);
    b->col.version = (struct px_version){.seq = writer->seq, .prev = key->column};
    b->col.link = key->column ? 0 : writer->columns;
    b->col.key = key_loc;
    b->col.n = b->n;
    rc = px_bump_copy(writer->bump, &b->col, sizeof(b->col), &loc);
    if (rc == 0) {
        rc = px_writer_word(writer, &key->column, loc);
    }
    if (rc == 0 && given) {
        rc = px_writer_any_rank_hint(writer, key, given->rank);
    }
    if (rc == 0 && key->column == 0) {
        writer->columns = loc;
    }
    return rc;
}

/* Makes the scratch array for n ranks, which the columns of one publication share. Clears it unless
 * all ranks will be set. PMIX_ERR_NOMEM. */
static int open_vals(struct px_writer *writer, size_t n_procs, uint32_t n)
{
    if (n > writer->cap_vals) {
        free(writer->vals);
        writer->cap_vals = 0;
        writer->vals = malloc(n * sizeof(*writer->vals));
        if (!writer->vals) {
            return PMIX_ERR_NOMEM;
        }
        writer->cap_vals = n;
    }
    if (n_procs < n) {
        memset(writer->vals, 0, n * sizeof(*writer->vals));
    }
    return 0;
}

/* The new values first, then what the key has for the other ranks; the form is chosen when all of
 * them are known. */
int px_writer_column(struct px_writer *writer, uint64_t key_loc, const struct px_datum *procs,
                     size_t n_procs, uint32_t n)
{
    struct build b = {.writer = writer, .n = n, .dict.bump = writer->bump};
    const struct px_key *key = px_writer_key(writer, key_loc);
    uint32_t rank;
    int rc;

    px_assert(n_procs >= 1 && procs[n_procs - 1].rank < n);
    rc = open_vals(writer, n_procs, n);
    b.vals = writer->vals;
    if (rc == 0) {
        rc = set_values(&b, procs, n_procs);
    }
    /* Without a holder the key has no process-level value yet, so there is nothing to keep. */
    for (rank = 0; rc == 0 && key->holder && rank < n; rank++) {
        if (b.vals[rank].kind == ABSENT) {
            rc = keep_value(&b, key, rank);
        }
    }
    rc = rc ? rc : settle_gone(&b);
    if (rc == 0) {
        if (key->column) {
            px_writer_count_garbage_column(writer, px_writer_at(writer, key->column), procs,
                                           n_procs);
        }
        rc = write_column(&b, key_loc, last_given(procs, n_procs));
        writer->changed = true;
    }
    px_dict_fini(&b.dict);
    return rc;
}
