/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_CODEC_H
#define PX_WIRE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/base/buf.h"

/* The v4-family encoding (docs/wire-format.md): one codec, driven by a table of types. Packing
 * never fails half-way: look at px_buf_ok() and the returned status. Unpacking trusts nothing:
 * lengths and counts are checked against what is left, nesting against PX_WIRE_MAX_DEPTH, integers
 * against their type. */

enum { PX_WIRE_MAX_DEPTH = 64 };

/* Type byte of a buffer, as peers declare it. */
enum px_wire_kind { PX_WIRE_PLAIN = 1, PX_WIRE_DESCRIBED = 2 };

/* A message being read: borrowed bytes. */
struct px_in {
    const unsigned char *at;
    const unsigned char *end;
    enum px_wire_kind kind;
    unsigned depth;
    bool exact; /* floats as 8 raw bytes, not text: payloads of the segment only */
    bool topo;  /* topologies are parsed: for an application that asks for one, not for messages */
};

static inline struct px_in px_in_make(const void *bytes, size_t len, enum px_wire_kind kind)
{
    return (struct px_in){.at = bytes, .end = (const unsigned char *) bytes + len, .kind = kind};
}

static inline size_t px_in_left(const struct px_in *in)
{
    return (size_t) (in->end - in->at);
}

/* One pack operation of n values of one type at vals (an array of the type's C representation; for
 * strings an array of char *). Returns 0, PMIX_ERR_UNKNOWN_DATA_TYPE, PMIX_ERR_BAD_PARAM (NULL
 * where a value must be), PMIX_ERR_PACK_FAILURE (arrays nested too deep), PMIX_ERR_NOT_SUPPORTED
 * (a cpuset or topology without its hook), or PMIX_ERR_NOMEM; on failure buf->failed is set. */
int px_pack(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, const void *vals,
            size_t n);

/* One unpack operation into room for *n values; *n becomes the number unpacked. What it allocates
 * (strings, arrays) is plain malloc memory owned by the caller. Returns 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER, PMIX_ERR_UNPACK_INADEQUATE_SPACE (the fitting part is
 * delivered), PMIX_ERR_TYPE_MISMATCH (described buffers), PMIX_ERR_UNPACK_FAILURE,
 * PMIX_ERR_UNKNOWN_DATA_TYPE, PMIX_ERR_NOT_SUPPORTED (see wire_hooks.h), PMIX_ERR_NOMEM. With
 * inadequate space the input moves behind the whole operation. After another failure nothing is
 * left allocated, the input is where it was, and elements that had been read are zeros. */
int px_unpack(struct px_in *in, pmix_data_type_t type, void *vals, size_t *n);

/* Exactly one value. */
int px_unpack_one(struct px_in *in, pmix_data_type_t type, void *val);

/* Raw value without framing, as inside composites and segment payloads. `exact`: see px_in. */
int px_pack_raw(struct px_buf *buf, bool exact, pmix_data_type_t type, const void *val);
int px_unpack_raw(struct px_in *in, pmix_data_type_t type, void *val);

/* Size of the C representation of one element of a type, 0 when unknown. */
size_t px_type_size(pmix_data_type_t type);

/* --- shorthands for messages; all of them one pack operation of one value --- */
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

/* --- views: what is borrowed is good as long as the input --- */

/* Of a BYTE_OBJECT's bytes. */
int px_unpack_view(struct px_in *in, const void **ret_bytes, size_t *ret_len);

/* Of a BUFFER: also says of which kind it is. */
int px_unpack_buffer_view(struct px_in *in, struct px_in *ret_inner);

/* Of a PROC: the namespace, "" at least, is borrowed. */
int px_unpack_proc_view(struct px_in *in, const char **ret_nspace, pmix_rank_t *ret_rank);

/* Of a KVAL: the key is borrowed, as are a value's characters or bytes. Other values are as
 * px_unpack_kval makes them: with `owned`, PMIx_Value_destruct them. Takes and refuses what
 * px_unpack_kval does. */
struct px_kval_view {
    const char *key; /* never NULL */
    size_t key_len;
    pmix_value_t value;
    bool owned;
};
int px_unpack_kval_view(struct px_in *in, struct px_kval_view *ret);

#endif
