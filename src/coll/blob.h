/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_COLL_BLOB_H
#define PX_COLL_BLOB_H

#include <stdint.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"

/* What servers of one job give each other through the host: pieces that any host may concatenate in
 * any order; each is one server's. The bytes are in docs/wire-format.md. */

enum px_blob_flag {
    PX_BLOB_RESEND =
        1, /* the server has missed something: all are asked to send everything next time */
};

struct px_blob_head {
    uint64_t origin; /* which server, in this life of it */
    uint32_t flags;  /* enum px_blob_flag; unknown ones mean nothing */
};

/* What one process posted for other nodes. The numbers are the origin's: whoever had everything
 * that the process had posted up to `from` has everything up to `to` with this. */
struct px_blob_part {
    const char *nspace; /* borrowed */
    pmix_rank_t rank;
    uint64_t from;
    uint64_t to;
    struct px_in kvals; /* a stream in the plain encoding; borrowed */
};

/* Starts a piece at the end of buf; *ret_mark is for px_blob_end. */
void px_blob_begin(struct px_buf *buf, const struct px_blob_head *head, size_t *ret_mark);
int px_blob_add(struct px_buf *buf, const struct px_blob_part *part);
void px_blob_end(struct px_buf *buf, size_t mark);

/* Calls fn once for every piece with part NULL, and then for each part of it. Stops at the first
 * that fn refuses and returns what it said. PMIX_ERR_UNPACK_FAILURE when the bytes are not such
 * pieces. */
typedef int (*px_blob_fn)(void *arg, const struct px_blob_head *head,
                          const struct px_blob_part *part);
int px_blob_each(const void *bytes, size_t len, px_blob_fn fn, void *arg);

#endif
