/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The fields of commands and replies, in terms of px_pack and px_unpack (docs/wire-format.md).
 * Each is one operation with one value unless its name is a plural. A KVAL and a BUFFER are no
 * data types with a C representation, so they are put together here from their parts. */
#include "messages.h"

#include "codec.h"

#include <stdlib.h>
#include <string.h>

#include "flex.h"
#include "frame.h"
#include "message.h"
#include "pack.h"
#include "unpack.h"
#include "src/base/assert.h"

int px_pack_size(struct px_buf *buf, enum px_wire_kind kind, size_t v)
{
    return px_pack(buf, kind, PMIX_SIZE, &v, 1);
}

int px_pack_status(struct px_buf *buf, enum px_wire_kind kind, pmix_status_t v)
{
    return px_pack(buf, kind, PMIX_STATUS, &v, 1);
}

int px_pack_string(struct px_buf *buf, enum px_wire_kind kind, const char *v)
{
    return px_pack(buf, kind, PMIX_STRING, &v, 1);
}

int px_pack_rank(struct px_buf *buf, enum px_wire_kind kind, pmix_rank_t v)
{
    return px_pack(buf, kind, PMIX_PROC_RANK, &v, 1);
}

int px_pack_command(struct px_buf *buf, enum px_wire_kind kind, uint8_t command)
{
    return px_pack(buf, kind, PMIX_COMMAND, &command, 1);
}

/* A KVAL is one operation of its own type: the key as a raw string, then the raw value. */
int px_pack_kval(struct px_buf *buf, enum px_wire_kind kind, const char *key,
                 const pmix_value_t *value)
{
    (void) px_pack_frame(buf, kind, PMIX_KVAL, 1);
    (void) px_pack_raw(buf, false, PMIX_STRING, &key);
    return px_pack_raw(buf, false, PMIX_VALUE, value);
}

/* The object borrows the bytes; packing only reads them. */
int px_pack_bytes(struct px_buf *buf, enum px_wire_kind kind, const void *bytes, size_t len)
{
    pmix_byte_object_t object = {.bytes = (char *) (uintptr_t) bytes, .size = len};

    return px_pack(buf, kind, PMIX_BYTE_OBJECT, &object, 1);
}

/* The SIZE is an operation of its own, so the reader knows the number before the elements' frame.
 */
int px_pack_array_head(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t n)
{
    int rc = px_pack_size(buf, kind, n);

    return n > 0 ? px_pack_frame(buf, kind, type, n) : rc;
}

int px_pack_array(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type,
                  const void *vals, size_t n)
{
    int rc = px_pack_size(buf, kind, n);

    return n > 0 ? px_pack(buf, kind, type, vals, n) : rc;
}

/* An array of PMIX_INFO. */
int px_pack_infos(struct px_buf *buf, enum px_wire_kind kind, const pmix_info_t *info, size_t n)
{
    return px_pack_array(buf, kind, PMIX_INFO, info, n);
}

/* The head of a PMIX_BYTE_OBJECT, a length and the bytes; or of a BUFFER, which is one operation of
 * its own type: a byte for the kind, then the content as a byte object. */
static int pack_head(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t len)
{
    uint8_t inner_kind = (uint8_t) kind;

    (void) px_pack_frame(buf, kind, type, 1);
    if (type == PMIX_BUFFER) {
        (void) px_pack_raw(buf, false, PMIX_BYTE, &inner_kind);
    }
    return px_pack_raw(buf, false, PMIX_SIZE, &len);
}

/* Room for the longest head: a frame with its two types, the kind, and the length. */
enum { LONGEST_HEAD = 4 * PX_FLEX_MAX + 1 };

/* The length is known at the end only, and so is that of the head. */
static void begin(struct px_buf *buf, size_t *ret_mark)
{
    *ret_mark = buf->len;
    (void) px_buf_extend(buf, LONGEST_HEAD);
}

/* Moves the content up to the head, which costs less than memory for it a second time. */
static int end(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t mark)
{
    unsigned char room[LONGEST_HEAD];
    struct px_buf head = {.data = room, .cap = sizeof(room)}; /* never grows */
    unsigned char *at;
    size_t len;

    if (!px_buf_ok(buf)) {
        return buf->status;
    }
    px_assert(buf->len >= mark + LONGEST_HEAD);
    at = buf->data + mark;
    len = buf->len - mark - LONGEST_HEAD;
    if (px_buf_fail(buf, pack_head(&head, kind, type, len)) == 0) {
        px_assert(head.len <= LONGEST_HEAD);
        memcpy(at, head.data, head.len);
        memmove(at + head.len, at + LONGEST_HEAD, len);
        buf->len = mark + head.len + len;
    }
    return buf->status;
}

void px_pack_bytes_begin(struct px_buf *buf, size_t *ret_mark)
{
    begin(buf, ret_mark);
}

int px_pack_bytes_end(struct px_buf *buf, enum px_wire_kind kind, size_t mark)
{
    return end(buf, kind, PMIX_BYTE_OBJECT, mark);
}

int px_pack_bytes_head(struct px_buf *to, const struct px_buf *from, enum px_wire_kind kind,
                       size_t mark, size_t more, size_t *ret_at)
{
    px_assert(from->len >= mark + LONGEST_HEAD);
    px_buf_append(to, from->data, mark);
    *ret_at = mark + LONGEST_HEAD;
    return pack_head(to, kind, PMIX_BYTE_OBJECT, from->len - *ret_at + more);
}

void px_pack_buffer_begin(struct px_buf *buf, size_t *ret_mark)
{
    begin(buf, ret_mark);
}

int px_pack_buffer_end(struct px_buf *buf, enum px_wire_kind kind, size_t mark)
{
    return end(buf, kind, PMIX_BUFFER, mark);
}

int px_unpack_string(struct px_in *in, char **ret)
{
    return px_unpack_one(in, PMIX_STRING, ret);
}

int px_unpack_size(struct px_in *in, size_t *ret)
{
    return px_unpack_one(in, PMIX_SIZE, ret);
}

int px_unpack_status(struct px_in *in, pmix_status_t *ret)
{
    return px_unpack_one(in, PMIX_STATUS, ret);
}

int px_unpack_rank(struct px_in *in, pmix_rank_t *ret)
{
    return px_unpack_one(in, PMIX_PROC_RANK, ret);
}

int px_unpack_command(struct px_in *in, uint8_t *ret)
{
    return px_unpack_one(in, PMIX_COMMAND, ret);
}

/* The key is released if the value cannot be read. */
int px_unpack_kval(struct px_in *in, char **ret_key, pmix_value_t *ret_value)
{
    char *key = NULL;

    (void) px_unpack_single(in, PMIX_KVAL);
    if (px_unpack_raw(in, PMIX_STRING, &key) == PMIX_SUCCESS &&
        (!key || strlen(key) > PMIX_MAX_KEYLEN)) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    if (px_unpack_raw(in, PMIX_VALUE, ret_value) != PMIX_SUCCESS) {
        free(key);
        return in->status;
    }
    *ret_key = key;
    return PMIX_SUCCESS;
}

/* Reads the frame of the elements ahead, so that the count is checked against the SIZE in front,
 * and the memory against the bytes left, before the array is allocated. */
int px_unpack_array(struct px_in *in, pmix_data_type_t type, void **ret, size_t *ret_n)
{
    size_t there = 0;
    void *array = NULL;
    size_t n = 0;

    if (px_unpack_size(in, &n) == PMIX_SUCCESS && n > 0) {
        struct px_in peek = *in;

        if (px_unpack_frame(&peek, type, &there) == PMIX_SUCCESS && there != n) {
            (void) px_in_fail(&peek, PMIX_ERR_UNPACK_FAILURE);
        }
        (void) px_unpack_room(&peek, n, px_type_size(type));
        array = peek.status ? NULL : malloc(n * px_type_size(type)); /* no overflow: the room */
        (void) px_in_fail(in, peek.status ? peek.status : array ? PMIX_SUCCESS : PMIX_ERR_NOMEM);
        (void) px_unpack_count(in, type, n);
        if (px_unpack_owes(in, type, n)) {
            (void) px_unpack_frame(in, type, &there);
            (void) px_unpack_procs_later(in, array, n);
        } else {
            (void) px_unpack(in, type, array, &there);
        }
    }
    if (in->status) {
        free(array);
        return in->status;
    }
    *ret = array;
    *ret_n = n;
    return PMIX_SUCCESS;
}

/* An array of PMIX_INFO; release it with PMIx_Info_free. */
int px_unpack_infos(struct px_in *in, pmix_info_t **ret, size_t *ret_n)
{
    return px_unpack_array(in, PMIX_INFO, (void **) ret, ret_n);
}

/* An array of PMIX_PROC; release it with PMIx_Proc_free. */
int px_unpack_procs(struct px_in *in, pmix_proc_t **ret, size_t *ret_n)
{
    return px_unpack_array(in, PMIX_PROC, (void **) ret, ret_n);
}
