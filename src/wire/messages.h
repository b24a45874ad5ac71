/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Packing and unpacking of the fields that commands and replies consist of. Each function is one
 * pack operation, or an array with its count in front. Statuses are those of px_pack and
 * px_unpack, and sticky like those: the status of the last call is that of all on the same buffer
 * or input. The outputs of a function that fails hold nothing to release. Pack functions borrow
 * their arguments. Any thread. */
#ifndef PX_WIRE_MESSAGES_H
#define PX_WIRE_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

#include "codec.h"

struct px_buf;
struct px_in;

/* One value of type PMIX_SIZE, PMIX_STATUS, PMIX_STRING (v may be NULL), PMIX_PROC_RANK,
 * PMIX_COMMAND (enum px_command, the first field of a request), and one KVAL. */
int px_pack_size(struct px_buf *buf, enum px_wire_kind kind, size_t v);
int px_pack_status(struct px_buf *buf, enum px_wire_kind kind, pmix_status_t v);
int px_pack_string(struct px_buf *buf, enum px_wire_kind kind, const char *v);
int px_pack_rank(struct px_buf *buf, enum px_wire_kind kind, pmix_rank_t v);
int px_pack_command(struct px_buf *buf, enum px_wire_kind kind, uint8_t command);
int px_pack_kval(struct px_buf *buf, enum px_wire_kind kind, const char *key,
                 const pmix_value_t *value);

/* One PMIX_BYTE_OBJECT of len bytes. */
int px_pack_bytes(struct px_buf *buf, enum px_wire_kind kind, const void *bytes, size_t len);
/* The same for bytes that the caller appends to buf between these two calls, so that they are not
 * copied. The caller passes *ret_mark to the end, which returns the buffer's status. */
void px_pack_bytes_begin(struct px_buf *buf, size_t *ret_mark);
int px_pack_bytes_end(struct px_buf *buf, enum px_wire_kind kind, size_t mark);
/* In place of the end, for a content that is to be copied to another buffer, and has `more` bytes
 * besides those behind the mark of `from`: appends to `to` what is before the mark, and the head of
 * the bytes. *ret_at is where the content begins in `from`. Returns the status of `to`. */
int px_pack_bytes_head(struct px_buf *to, const struct px_buf *from, enum px_wire_kind kind,
                       size_t mark, size_t more, size_t *ret_at);

/* An array as commands carry it: its SIZE n, then one pack operation of the n elements unless n is
 * 0. */
int px_pack_array(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type,
                  const void *vals, size_t n);
/* The same for infos. */
int px_pack_infos(struct px_buf *buf, enum px_wire_kind kind, const pmix_info_t *info, size_t n);
/* Begins such an array of n elements; the caller appends each of them with px_pack_raw.
 * PMIX_ERR_BAD_PARAM (n does not fit an int32_t), PMIX_ERR_NOMEM. */
int px_pack_array_head(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t n);

/* One value each, as packed above. PMIX_ERR_UNPACK_FAILURE if the operation has more or fewer
 * values. */
int px_unpack_string(struct px_in *in, char **ret); /* malloc'd, may be NULL */
int px_unpack_size(struct px_in *in, size_t *ret);
int px_unpack_status(struct px_in *in, pmix_status_t *ret);
int px_unpack_rank(struct px_in *in, pmix_rank_t *ret);
/* PMIX_COMMAND: the first field of a request. Whether such a command exists is for the caller to
 * check. */
int px_unpack_command(struct px_in *in, uint8_t *ret);

/* One KVAL. The caller frees the key, which is never NULL and at most PMIX_MAX_KEYLEN bytes long,
 * and destructs the value. */
int px_unpack_kval(struct px_in *in, char **ret_key, pmix_value_t *ret_value);
/* One PMIX_BUFFER: what is appended to buf between these two calls, in the encoding `kind`.
 * *ret_mark is for the end. The end returns the buffer's status. */
void px_pack_buffer_begin(struct px_buf *buf, size_t *ret_mark);
int px_pack_buffer_end(struct px_buf *buf, enum px_wire_kind kind, size_t mark);

/* Arrays as packed by px_pack_array. *ret is malloc'd and the caller's, NULL if the array is
 * empty; release it with px_type_free, PMIx_Info_free or PMIx_Proc_free. PMIX_ERR_UNPACK_FAILURE
 * also if the two counts differ or the array claims too much memory for its bytes
 * (px_unpack_room). */
int px_unpack_array(struct px_in *in, pmix_data_type_t type, void **ret, size_t *ret_n);
/* The same for infos and for processes. */
int px_unpack_infos(struct px_in *in, pmix_info_t **ret, size_t *ret_n);
int px_unpack_procs(struct px_in *in, pmix_proc_t **ret, size_t *ret_n);

#endif
