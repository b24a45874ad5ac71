/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writing and reading modex blobs. They come through the host from other nodes, so every length
 * is checked before it is used. Numbers of the head have a fixed length in little-endian order,
 * since the length is filled in at the end.
 *
 * A few bytes can stand for many by a delta (modex_delta.h). So deltas are for values of a moderate
 * size only, and what all deltas of a blob stand for is bounded by its length; the writer keeps to
 * that as the reader demands it. */

#include "modex_blob.h"

#include <stdlib.h>
#include <string.h>

#include "modex_delta.h"
#include "src/base/assert.h"
#include "src/base/bytes.h"
#include "src/wire/flex.h"
#include "src/wire/take.h"

/* Offsets in the head, and its length; flags of a part; bounds of deltas: the bytes of one
 * process's values, and what all deltas of a blob stand for, as a multiple of its bytes. See
 * docs/wire-format.md. */
enum {
    FLAGS = 4,
    LENGTH = 8,
    ORIGIN = 16,
    HEAD = 24,
    PART_NAMED = 1,
    PART_DELTA = 2,
    DELTA_MOST = 65536,
    DELTA_RATIO = 64,
};

/* The magic number of the format, the first bytes of each blob. */
static const unsigned char magic[4] = {'P', 'X', 'F', '3'};

/* Writes n bytes, little-endian. */
static void put_number(unsigned char *at, size_t n, uint64_t v)
{
    for (size_t i = 0; i < n; i++) {
        at[i] = (unsigned char) (v >> (8 * i));
    }
}

/* Reads n bytes, little-endian. */
static uint64_t number_at(const unsigned char *at, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++) {
        v |= (uint64_t) at[i] << (8 * i);
    }
    return v;
}

/* --- writing --- */

/* The length is zero until px_modex_blob_end. */
void px_modex_blob_begin(struct px_modex_blob *blob, const struct px_modex_blob_head *head)
{
    unsigned char *at = px_buf_extend(&blob->buf, HEAD);

    px_assert(!at || at == blob->buf.data);
    if (at) {
        memcpy(at, magic, sizeof(magic));
        put_number(at + FLAGS, 4, head->flags);
        put_number(at + LENGTH, 8, 0);
        put_number(at + ORIGIN, 8, head->server_id);
    }
}

static void put_flex(struct px_buf *buf, uint64_t v)
{
    unsigned char number[PX_FLEX_MAX];

    px_buf_append(buf, number, px_flex_put(number, v));
}

/* Writes the values into blob->delta as a delta against those of the part before, value by value.
 * True if that is shorter, and as much as the blob may stand for. */
static bool is_delta_better(struct px_modex_blob *blob, const struct px_modex_list *values)
{
    struct px_modex_delta delta = {.buf = &blob->delta};
    const struct px_modex_list *base = &blob->base;
    const struct px_in none = px_in_make(NULL, 0, PX_WIRE_PLAIN);

    if (base->n == 0 || values->bytes > DELTA_MOST || base->bytes > DELTA_MOST) {
        return false;
    }
    blob->delta.len = 0;
    for (size_t i = 0; i < values->n || i < base->n; i++) {
        px_modex_delta_add(&delta, i < base->n ? base->values[i] : none,
                           i < values->n ? values->values[i] : none);
    }
    px_modex_delta_end(&delta);
    return px_buf_ok(&blob->delta) && blob->delta.len + PX_FLEX_MAX < values->bytes &&
           blob->restored + values->bytes <= DELTA_RATIO * (blob->buf.len - HEAD + blob->delta.len);
}

static void put_values(struct px_modex_blob *blob, const struct px_modex_list *values)
{
    put_flex(&blob->buf, values->bytes);
    for (size_t i = 0; i < values->n; i++) {
        px_buf_append(&blob->buf, values->values[i].at, px_in_left(&values->values[i]));
    }
}

static void put_delta(struct px_modex_blob *blob, const struct px_modex_list *values)
{
    put_flex(&blob->buf, values->bytes);
    put_flex(&blob->buf, blob->delta.len);
    px_buf_append(&blob->buf, blob->delta.data, blob->delta.len);
    blob->restored += values->bytes;
}

void px_modex_blob_add_take(struct px_modex_blob *blob, const struct px_modex_blob_part *part,
                            struct px_modex_list *values)
{
    bool named = !blob->nspace || strcmp(blob->nspace, part->nspace) != 0;
    bool delta = is_delta_better(blob, values);
    size_t len = strlen(part->nspace) + 1;

    px_buf_byte(&blob->buf, (unsigned char) ((named ? PART_NAMED : 0) | (delta ? PART_DELTA : 0)));
    if (named) {
        put_flex(&blob->buf, px_zigzag((int64_t) len));
        px_buf_append(&blob->buf, part->nspace, len);
    }
    put_flex(&blob->buf, part->rank);
    put_flex(&blob->buf, part->from);
    put_flex(&blob->buf, part->to);
    if (delta) {
        put_delta(blob, values);
    } else {
        put_values(blob, values);
    }
    px_modex_list_free(&blob->base);
    blob->base = *values;
    blob->nspace = part->nspace;
    *values = (struct px_modex_list){0};
}

/* Frees what an unfinished blob holds. */
static void drop(struct px_modex_blob *blob)
{
    px_modex_list_free(&blob->base);
    px_buf_fini(&blob->buf);
    px_buf_fini(&blob->delta);
}

int px_modex_blob_end(struct px_modex_blob *blob, char **ret, size_t *ret_len, bool *ret_empty)
{
    int rc = blob->buf.status;

    if (!rc) {
        put_number(blob->buf.data + LENGTH, 8, blob->buf.len - HEAD);
        *ret_empty = blob->buf.len == HEAD;
        *ret = px_buf_take(&blob->buf, ret_len);
    }
    drop(blob);
    return rc;
}

/* --- reading --- */

/* The values of one part, restored from a delta. */
struct block {
    struct px_list link;
    unsigned char bytes[];
};

void px_modex_room_init(struct px_modex_room *room)
{
    px_list_init(&room->blocks);
}

void px_modex_room_free(struct px_modex_room *room)
{
    while (!px_list_empty(&room->blocks)) {
        free(px_container_of(px_list_shift(&room->blocks), struct block, link));
    }
}

/* One blob while it is read. */
struct reading {
    struct px_in in;
    struct px_modex_room *room;
    size_t may_restore;             /* bytes */
    struct px_modex_blob_part part; /* the one before, then the next */
};

/* Takes the bytes of a byte object, which are borrowed. */
static struct px_in take_view(struct px_in *in)
{
    size_t len;
    const void *bytes = px_take_view(in, &len);

    return px_in_make(bytes, len, PX_WIRE_PLAIN);
}

/* Reads a delta against the values of the part before, and restores the values in the room. 0,
 * PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_NOMEM. */
static int read_delta(struct reading *reading)
{
    size_t len = (size_t) px_take_bounded(&reading->in, DELTA_MOST);
    struct px_in delta = take_view(&reading->in);
    struct block *block;

    if (reading->in.status || len > reading->may_restore) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    block = malloc(sizeof(*block) + len);
    if (!block) {
        return PMIX_ERR_NOMEM;
    }
    px_list_append(&reading->room->blocks, &block->link);
    reading->may_restore -= len;
    if (px_modex_delta_restore(reading->part.kvals, delta, block->bytes, len)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    reading->part.kvals = px_in_make(block->bytes, len, PX_WIRE_PLAIN);
    return PMIX_SUCCESS;
}

/* Reads the namespace of a part, which is borrowed. 0 or PMIX_ERR_UNPACK_FAILURE. */
static int read_name(struct reading *reading)
{
    size_t size = 0;
    const char *name = px_take_chars(&reading->in, &size);

    if (!name || size > PMIX_MAX_NSLEN + 1) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    reading->part.nspace = name;
    return PMIX_SUCCESS;
}

/* Reads one part. Unknown flags are refused; the first part has to have a name, and is no delta. */
static int read_part(struct reading *reading)
{
    struct px_modex_blob_part *part = &reading->part;
    struct px_in *in = &reading->in;
    unsigned flags = px_take_byte(in);

    if (in->status || flags > (PART_NAMED | PART_DELTA) || (!part->nspace && flags != PART_NAMED) ||
        ((flags & PART_NAMED) && read_name(reading))) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    part->rank = (pmix_rank_t) px_take_bounded(in, UINT32_MAX);
    part->from = px_take_flex(in);
    part->to = px_take_flex(in);
    if (flags & PART_DELTA) {
        return read_delta(reading);
    }
    part->kvals = take_view(in);
    return in->status ? PMIX_ERR_UNPACK_FAILURE : PMIX_SUCCESS;
}

/* Calls fn for the head and the parts of one blob. */
static int each_in_blob(const struct px_modex_blob_head *head, struct reading *reading,
                        px_modex_blob_fn fn, void *arg)
{
    int rc = fn(arg, head, NULL);

    while (!rc && px_in_left(&reading->in)) {
        rc = read_part(reading);
        rc = rc ? rc : fn(arg, head, &reading->part);
    }
    return rc == PX_MODEX_BLOB_SKIP ? PMIX_SUCCESS : rc;
}

/* The bytes may be empty: no blob. Unknown flags are passed on; only the magic number and
 * lengths are checked here. */
int px_modex_blob_each(const void *bytes, size_t len, struct px_modex_room *room,
                       px_modex_blob_fn fn, void *arg)
{
    const unsigned char *at = bytes;
    int rc = PMIX_SUCCESS;

    while (!rc && len) {
        struct reading reading = {.room = room};
        struct px_modex_blob_head head;
        uint64_t n;

        if (len < HEAD || memcmp(at, magic, sizeof(magic)) != 0) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        head.flags = (uint32_t) number_at(at + FLAGS, 4);
        head.server_id = number_at(at + ORIGIN, 8);
        n = number_at(at + LENGTH, 8);
        if (n > len - HEAD) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        reading.in = px_in_make(at + HEAD, n, PX_WIRE_PLAIN);
        reading.may_restore = n < SIZE_MAX / DELTA_RATIO ? n * DELTA_RATIO : SIZE_MAX;
        rc = each_in_blob(&head, &reading, fn, arg);
        at += HEAD + n;
        len -= HEAD + n;
    }
    return rc;
}
