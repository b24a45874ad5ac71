/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_KVAL_READER_H
#define PX_GDS_KVAL_READER_H

/* Put values from the wire (a stream of KVALs) into a batch. This is the only reader of such
 * streams, and the only code that knows how a qualified value is packed: as an array of infos under
 * PMIX_QUALIFIED_VALUE, first the value under its key, then its qualifiers. */

#include <string.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"
#include "batch.h"

/* One value of a stream. Everything is borrowed from the input and from the reader, and valid as
 * long as both. */
struct px_kval {
    /* Key, value and qualifiers, unfolded. The caller of px_kval_reader_add sets level, index and
     * scope. */
    struct px_store_entry entry;
    size_t key_len;             /* of entry.key */
    const pmix_value_t *packed; /* as it came: entry.value, or the array of a qualified value */
    const unsigned char *bytes; /* its pack operation in the input */
    size_t len;
    enum px_wire_kind kind; /* of the input */
};

/* Sets key, value and qualifiers of the entry from a key and a value as they were put; all
 * borrowed. 0; PMIX_ERR_BAD_PARAM: PMIX_QUALIFIED_VALUE without a proper array, and the entry is as
 * before. */
int px_kval_unfold(const char *key, const pmix_value_t *value, struct px_store_entry *entry);

/* The opposite, for a slice with qualifiers: makes the value of PMIX_QUALIFIED_VALUE, which the
 * caller destructs. 0, PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE (the slice is damaged). */
int px_kval_fold(const char *key, const struct px_slice *slice, pmix_value_t *ret);

/* True for a value that was put with qualifiers. */
static inline bool px_kval_is_qualified(const struct px_kval *kval)
{
    return kval->entry.quals != NULL;
}

/* True if another stream continues with the same bytes in the same encoding: its next value is then
 * equal to this one and need not be decoded. */
static inline bool px_kval_is_next(const struct px_kval *kval, const struct px_in *in)
{
    return kval->kind == in->kind && kval->len <= px_in_left(in) &&
           memcmp(kval->bytes, in->at, kval->len) == 0;
}

/* The bytes by which two values of one process are told apart: the key, and for a qualified value
 * also its qualifiers. */
struct px_kval_name {
    const void *bytes; /* the key, or in room */
    size_t len;
    struct px_buf room; /* px_buf_fini it afterwards */
};
/* Makes the name of a value; the key in it is borrowed from the value. The caller releases
 * ret->room with px_buf_fini. 0, PMIX_ERR_NOMEM. */
int px_kval_name(const struct px_kval *kval, struct px_kval_name *ret);

/* Reads streams into one batch, which borrows the values from the input and from the reader. */
struct px_kval_reader;

/* Makes a reader with an empty batch. plain: compressed values are stored inflated. only: the one
 * key that is wanted, borrowed, or NULL for all. The caller destroys it. NULL: no memory. */
struct px_kval_reader *px_kval_reader_create(bool plain, const char *only);
void px_kval_reader_destroy(struct px_kval_reader *reader); /* takes NULL */

/* Decodes the next value of a stream that is not at its end. *ret is valid as long as the reader
 * and the input. 0, PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE (malformed), or another status of
 * px_unpack_kval_view. */
int px_kval_reader_next(struct px_kval_reader *reader, struct px_in *in, struct px_kval *ret);

/* Adds a value to the batch under the entry's level, index and scope. Passes over a key that is not
 * wanted, which is no failure. Statuses as px_batch_add. */
int px_kval_reader_add(struct px_kval_reader *reader, const struct px_kval *kval);

/* The batch with all values that were added, borrowed from the reader; NULL if there are none. */
const struct px_batch *px_kval_reader_batch(const struct px_kval_reader *reader);

#endif
