/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writing and reading modex blobs. They come through the host from other nodes, so every length
 * is checked before it is used. Numbers of the head have a fixed length in little-endian order,
 * since the length is filled in at the end. */

#include "modex_blob.h"

#include <string.h>

#include "src/base/assert.h"
#include "src/wire/take.h"
#include "src/wire/codec.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"

/* Offsets in the head, and its length; see docs/wire-format.md. */
enum { FLAGS = 4, LENGTH = 8, ORIGIN = 16, HEAD = 24 };

/* The magic number of the format, the first bytes of each blob. */
static const unsigned char magic[4] = {'P', 'X', 'F', '2'};

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

/* The length is zero until px_modex_blob_end. */
void px_modex_blob_begin(struct px_buf *buf, const struct px_modex_blob_head *head,
                         size_t *ret_mark)
{
    unsigned char *at;

    *ret_mark = buf->len;
    at = px_buf_extend(buf, HEAD);
    if (at) {
        memcpy(at, magic, sizeof(magic));
        put_number(at + FLAGS, 4, head->flags);
        put_number(at + LENGTH, 8, 0);
        put_number(at + ORIGIN, 8, head->server_id);
    }
}

/* PROC; UINT64[2] from, to; BYTE_OBJECT of KVALs: all in the plain encoding. */
int px_modex_blob_add(struct px_buf *buf, const struct px_modex_blob_part *part, size_t len)
{
    uint64_t span[] = {part->from, part->to};
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, part->nspace, part->rank);
    (void) px_pack(buf, PX_WIRE_PLAIN, PMIX_PROC, &proc, 1);
    (void) px_pack(buf, PX_WIRE_PLAIN, PMIX_UINT64, span, 2);
    return px_pack_bytes_head(buf, PX_WIRE_PLAIN, len);
}

void px_modex_blob_end(struct px_buf *buf, size_t mark)
{
    if (px_buf_ok(buf)) {
        px_assert(buf->len >= mark + HEAD && memcmp(buf->data + mark, magic, sizeof(magic)) == 0);
        put_number(buf->data + mark + LENGTH, 8, buf->len - mark - HEAD);
    }
}

/* Reads one part as a view on the bytes. */
static int read_part(struct px_in *in, struct px_modex_blob_part *ret)
{
    const void *kvals;
    size_t n_span = 0;
    size_t n;

    (void) px_unpack_proc_view(in, &ret->nspace, &ret->rank);
    (void) px_unpack_frame(in, PMIX_UINT64, &n_span);
    ret->from = px_take_flex(in);
    ret->to = px_take_flex(in);
    if (px_unpack_view(in, &kvals, &n) || n_span != 2) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    ret->kvals = px_in_make(kvals, n, PX_WIRE_PLAIN);
    return PMIX_SUCCESS;
}

/* Calls fn for the head and the parts of one blob. */
static int each_in_blob(const struct px_modex_blob_head *head, const unsigned char *at, size_t len,
                        px_modex_blob_fn fn, void *arg)
{
    struct px_in in = px_in_make(at, len, PX_WIRE_PLAIN);
    int rc = fn(arg, head, NULL);

    while (!rc && px_in_left(&in)) {
        struct px_modex_blob_part part;

        rc = read_part(&in, &part);
        rc = rc ? rc : fn(arg, head, &part);
    }
    return rc;
}

/* The bytes may be empty: no blob. Unknown flags are passed on; only the magic number and
 * lengths are checked here. */
int px_modex_blob_each(const void *bytes, size_t len, px_modex_blob_fn fn, void *arg)
{
    const unsigned char *at = bytes;
    int rc = PMIX_SUCCESS;

    while (!rc && len) {
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
        rc = each_in_blob(&head, at + HEAD, n, fn, arg);
        at += HEAD + n;
        len -= HEAD + n;
    }
    return rc;
}
