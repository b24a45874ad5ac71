/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The pieces come back through the host from other nodes: every length is checked before it is believed. */

#include "blob.h"

#include <stdint.h>
#include <string.h>

enum { HEAD = 12 };

static const unsigned char magic[4] = {'P', 'X', 'F', '1'};

void px_blob_begin(struct px_buf *buf, size_t *ret_mark)
{
    unsigned char *head;

    *ret_mark = buf->len;
    head = px_buf_extend(buf, HEAD);
    if (head) {
        memset(head, 0, HEAD);
        memcpy(head, magic, sizeof(magic));
    }
}

int px_blob_add(struct px_buf *buf, const pmix_proc_t *proc, const void *kvals, size_t len)
{
    int rc = px_pack(buf, PX_WIRE_PLAIN, PMIX_PROC, proc, 1);

    return rc ? rc : px_pack_bytes(buf, PX_WIRE_PLAIN, kvals, len);
}

void px_blob_end(struct px_buf *buf, size_t mark)
{
    uint64_t len;

    if (!px_buf_ok(buf)) {
        return;
    }
    len = buf->len - mark - HEAD;
    for (size_t i = 0; i < 8; i++) {
        buf->data[mark + 4 + i] = (unsigned char) (len >> (8 * i));
    }
}

static int each_in_piece(const unsigned char *at, size_t len, px_blob_fn fn, void *arg)
{
    struct px_in in = px_in_make(at, len, PX_WIRE_PLAIN);
    int rc = PMIX_SUCCESS;

    while (!rc && px_in_left(&in)) {
        pmix_proc_t proc;
        const void *kvals;
        size_t n;

        memset(&proc, 0, sizeof(proc));
        if (px_unpack_one(&in, PMIX_PROC, &proc) || px_unpack_view(&in, &kvals, &n)) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        rc = fn(arg, &proc, px_in_make(kvals, n, PX_WIRE_PLAIN));
    }
    return rc;
}

int px_blob_each(const void *bytes, size_t len, px_blob_fn fn, void *arg)
{
    const unsigned char *at = bytes;
    int rc = PMIX_SUCCESS;

    while (!rc && len) {
        uint64_t n = 0;

        if (len < HEAD || memcmp(at, magic, sizeof(magic)) != 0) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        for (size_t i = 0; i < 8; i++) {
            n |= (uint64_t) at[4 + i] << (8 * i);
        }
        if (n > len - HEAD) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        rc = each_in_piece(at + HEAD, n, fn, arg);
        at += HEAD + n;
        len -= HEAD + n;
    }
    return rc;
}
