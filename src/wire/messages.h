/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_MESSAGES_H
#define PX_WIRE_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

#include "codec.h"

struct px_buf;
struct px_in;

int px_pack_size(struct px_buf *buf, enum px_wire_kind kind, size_t v);
int px_pack_status(struct px_buf *buf, enum px_wire_kind kind, pmix_status_t v);
int px_pack_string(struct px_buf *buf, enum px_wire_kind kind, const char *v);
int px_pack_rank(struct px_buf *buf, enum px_wire_kind kind, pmix_rank_t v);
int px_pack_command(struct px_buf *buf, enum px_wire_kind kind, uint8_t command);
int px_pack_kval(struct px_buf *buf, enum px_wire_kind kind, const char *key,
                 const pmix_value_t *value);

/* A BYTE_OBJECT. */
int px_pack_bytes(struct px_buf *buf, enum px_wire_kind kind, const void *bytes, size_t len);

/* SIZE n, then one pack operation of the n elements unless n is 0: how commands carry arrays. */
int px_pack_array(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type,
                  const void *vals, size_t n);
int px_pack_infos(struct px_buf *buf, enum px_wire_kind kind, const pmix_info_t *info, size_t n);
int px_pack_procs(struct px_buf *buf, enum px_wire_kind kind, const pmix_proc_t *procs, size_t n);

int px_unpack_string(struct px_in *in, char **ret); /* malloc'd, may be NULL */
int px_unpack_size(struct px_in *in, size_t *ret);
int px_unpack_status(struct px_in *in, pmix_status_t *ret);
int px_unpack_rank(struct px_in *in, pmix_rank_t *ret);
int px_unpack_command(struct px_in *in, uint8_t *ret);

/* Both results are the caller's; the key is never NULL. */
int px_unpack_kval(struct px_in *in, char **ret_key, pmix_value_t *ret_value);
int px_pack_buffer(struct px_buf *buf, enum px_wire_kind kind, const struct px_buf *inner);

/* The counterparts: *ret is NULL when n is 0; free with px_type_free, PMIx_Info_free,
 * PMIx_Proc_free. */
int px_unpack_array(struct px_in *in, pmix_data_type_t type, void **ret, size_t *ret_n);
int px_unpack_infos(struct px_in *in, pmix_info_t **ret, size_t *ret_n);
int px_unpack_procs(struct px_in *in, pmix_proc_t **ret, size_t *ret_n);

#endif
