/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_BLOB_H
#define PX_SERVER_MODEX_BLOB_H

/* Modex blobs: the bytes that servers of a job exchange through the host in a fence, a direct
 * modex or a group. Each blob is the contribution of one server. A host may concatenate blobs in
 * any order. The layout is in docs/wire-format.md. */

#include <stdint.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"

/* Flags of a blob's head. */
enum px_modex_blob_flag {
    PX_MODEX_BLOB_RESEND =
        1, /* the server has missed something: all are asked to send everything next time */
};

/* The head of a blob. The server id is random and new at each start of a server, so that numbers
 * of an earlier life are not compared with those of this one. */
struct px_modex_blob_head {
    uint64_t server_id; /* which server, in this life of it */
    uint32_t flags;     /* enum px_modex_blob_flag; unknown ones mean nothing */
};

/* What one process has committed for other nodes. The numbers are those of the sender's modex
 * log: a receiver that has the process's data up to `from` has them up to `to` with this part.
 * Borrowed. */
struct px_modex_blob_part {
    const char *nspace; /* borrowed */
    pmix_rank_t rank;
    uint64_t from;
    uint64_t to;
    struct px_in kvals; /* of one that is read: a stream in the plain encoding; borrowed */
};

/* Most bytes that a part has besides its values. */
enum { PX_MODEX_BLOB_PART = 320 };

/* Appends the head of a blob to buf; *ret_mark is for px_modex_blob_end. Errors are recorded in
 * buf. */
void px_modex_blob_begin(struct px_buf *buf, const struct px_modex_blob_head *head,
                         size_t *ret_mark);
/* Appends one part but its values, of which the caller appends `len` bytes next, in the plain
 * encoding. 0 or the status of packing. */
int px_modex_blob_add(struct px_buf *buf, const struct px_modex_blob_part *part, size_t len);
/* Writes the blob's length into its head. */
void px_modex_blob_end(struct px_buf *buf, size_t mark);

/* Called by px_modex_blob_each for each head (part NULL) and each part, which are borrowed. */
typedef int (*px_modex_blob_fn)(void *arg, const struct px_modex_blob_head *head,
                                const struct px_modex_blob_part *part);
/* Calls fn for every blob with part NULL, then for each of its parts. Stops at the first error
 * of fn and returns it. PMIX_ERR_UNPACK_FAILURE if the bytes are no sequence of blobs; parts
 * before the damage have been passed to fn. */
int px_modex_blob_each(const void *bytes, size_t len, px_modex_blob_fn fn, void *arg);

#endif
