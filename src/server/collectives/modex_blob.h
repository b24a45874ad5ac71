/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_BLOB_H
#define PX_SERVER_MODEX_BLOB_H

/* Modex blobs: the bytes that servers of a job exchange through the host in a fence, a direct
 * modex or a group. Each blob is the contribution of one server. A host may concatenate blobs in
 * any order. The layout is in docs/wire-format.md. */

#include <stdbool.h>
#include <stdint.h>

#include "modex_log.h"
#include "src/base/buf.h"
#include "src/base/list.h"
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

/* A blob in the making. Zeros; px_modex_blob_begin makes it usable, px_modex_blob_end ends
 * it. */
struct px_modex_blob {
    struct px_buf buf;         /* the blob; errors are recorded in it */
    struct px_buf delta;       /* scratch */
    const char *nspace;        /* of the part before; borrowed from it. NULL: there is none */
    struct px_modex_list base; /* the values of the part before */
    size_t restored;           /* bytes of all values that were written as deltas */
};

/* Writes the head. Errors are recorded in the blob's buffer, as those of the other functions. */
void px_modex_blob_begin(struct px_modex_blob *blob, const struct px_modex_blob_head *head);
/* Appends a part with these values, of which the blob takes over the list; their bytes and the
 * part's namespace are borrowed until the end. They are written as a delta against the values of
 * the part before if that is shorter. */
void px_modex_blob_add_take(struct px_modex_blob *blob, const struct px_modex_blob_part *part,
                            struct px_modex_list *values);
/* Writes the blob's length into its head, and gives the bytes to the caller, who frees them. True
 * in *ret_empty: it is the head alone. 0, or the first error, and nothing is given. */
int px_modex_blob_end(struct px_modex_blob *blob, char **ret, size_t *ret_len, bool *ret_empty);
/* Memory of the values that were written as deltas. Zeros: none. */
struct px_modex_room {
    struct px_list blocks;
};
void px_modex_room_init(struct px_modex_room *room);
void px_modex_room_free(struct px_modex_room *room);

/* Result of a px_modex_blob_fn for a head: its parts are passed over. */
enum { PX_MODEX_BLOB_SKIP = 1 };

/* Called by px_modex_blob_each for each head (part NULL) and each part, which are borrowed; the
 * values of a part as long as the bytes and the room. */
typedef int (*px_modex_blob_fn)(void *arg, const struct px_modex_blob_head *head,
                                const struct px_modex_blob_part *part);
/* Calls fn for every blob with part NULL, then for each of its parts. Stops at the first error
 * of fn and returns it. PMIX_ERR_UNPACK_FAILURE if the bytes are no sequence of blobs, or stand for
 * more than they may: parts before the damage have been passed to fn. PMIX_ERR_NOMEM. */
int px_modex_blob_each(const void *bytes, size_t len, struct px_modex_room *room,
                       px_modex_blob_fn fn, void *arg);

#endif
