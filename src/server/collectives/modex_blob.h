/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_BLOB_H
#define PX_SERVER_MODEX_BLOB_H

#include <stdint.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"

/* What servers of one job give each other through the host: blobs that any host may concatenate in
 * any order; each is one server's. The bytes are in docs/wire-format.md. */

enum px_modex_blob_flag {
    PX_MODEX_BLOB_RESEND =
        1, /* the server has missed something: all are asked to send everything next time */
};

struct px_modex_blob_head {
    uint64_t server_id; /* which server, in this life of it */
    uint32_t flags;     /* enum px_modex_blob_flag; unknown ones mean nothing */
};

/* What one process posted for other nodes. The numbers are the origin's: whoever had everything
 * that the process had posted up to `from` has everything up to `to` with this. */
struct px_modex_blob_part {
    const char *nspace; /* borrowed */
    pmix_rank_t rank;
    uint64_t from;
    uint64_t to;
    struct px_in kvals; /* a stream in the plain encoding; borrowed */
};

/* Starts a blob at the end of buf; *ret_mark is for px_modex_blob_end. */
void px_modex_blob_begin(struct px_buf *buf, const struct px_modex_blob_head *head,
                         size_t *ret_mark);
int px_modex_blob_add(struct px_buf *buf, const struct px_modex_blob_part *part);
void px_modex_blob_end(struct px_buf *buf, size_t mark);

/* Calls fn once for every blob with part NULL, and then for each part of it. Stops at the first
 * that fn refuses and returns what it said. PMIX_ERR_UNPACK_FAILURE when the bytes are not such
 * blobs. */
typedef int (*px_modex_blob_fn)(void *arg, const struct px_modex_blob_head *head,
                                const struct px_modex_blob_part *part);
int px_modex_blob_each(const void *bytes, size_t len, px_modex_blob_fn fn, void *arg);

#endif
