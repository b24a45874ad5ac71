/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_KVAL_READER_H
#define PX_GDS_KVAL_READER_H

#include <string.h>

#include "gds/store.h"
#include "src/base/buf.h"
#include "src/wire/codec.h"
#include "batch.h"

/* Values that processes have put, from the wire (a stream of KVALs) into a batch: the only reader
 * of such streams, and the only one that knows how a qualified value is packed, as an array of
 * infos under PMIX_QUALIFIED_VALUE: the value under its key, then its qualifiers. */

/* One value. Everything is borrowed: from the input, from the reader. */
struct px_kval {
    /* Key, value and qualifiers, unfolded; whoever adds it says level, index and scope. */
    struct px_store_entry entry;
    size_t key_len;             /* of entry.key */
    const pmix_value_t *packed; /* as it came: entry.value, or the array of a qualified value */
    const unsigned char *bytes; /* its pack operation in the input */
    size_t len;
    enum px_wire_kind kind; /* of the input */
};

/* Sets key, value and qualifiers of the entry. 0, PMIX_ERR_BAD_PARAM (a qualified value that is
 * none). */
int px_kval_unfold(const char *key, const pmix_value_t *value, struct px_store_entry *entry);

/* The opposite for a slice with qualifiers: makes the array. 0, PMIX_ERR_NOMEM, or what is wrong
 * with the slice. */
int px_kval_fold(const char *key, const struct px_slice *slice, pmix_value_t *ret);

static inline bool px_kval_is_qualified(const struct px_kval *kval)
{
    return kval->entry.quals != NULL;
}

/* Does another stream go on with the same bytes? Then they are the same value. */
static inline bool px_kval_is_next(const struct px_kval *kval, const struct px_in *in)
{
    return kval->kind == in->kind && kval->len <= px_in_left(in) &&
           memcmp(kval->bytes, in->at, kval->len) == 0;
}

/* The bytes that tell values apart: the key, or for a qualified value also its qualifiers. */
struct px_kval_name {
    const void *bytes; /* the key, or in room */
    size_t len;
    struct px_buf room; /* px_buf_fini it afterwards */
};
/* The key stays borrowed. 0 or PMIX_ERR_NOMEM. */
int px_kval_name(const struct px_kval *kval, struct px_kval_name *ret);

/* Reads streams into one batch, which borrows the values from the input and from the reader. */
struct px_kval_reader;

/* plain: compressed values are stored as what they were. only: the one key that is wanted,
 * borrowed, or NULL. NULL: no memory. */
struct px_kval_reader *px_kval_reader_create(bool plain, const char *only);
void px_kval_reader_destroy(struct px_kval_reader *reader); /* takes NULL */

/* The next value of a stream that is not at its end. 0, PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE or
 * another status of px_unpack_kval_view. *ret is good as long as the reader and the input. */
int px_kval_reader_next(struct px_kval_reader *reader, struct px_in *in, struct px_kval *ret);

/* As px_batch_add. A value with a key that is not wanted is passed over. */
int px_kval_reader_add(struct px_kval_reader *reader, const struct px_kval *kval);

/* What was added; NULL: nothing. */
const struct px_batch *px_kval_reader_batch(const struct px_kval_reader *reader);

#endif
