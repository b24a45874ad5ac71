/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_PACK_H
#define PX_WIRE_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "codec.h"

struct px_buf;

/* One pack operation of n values of one type at vals (an array of the type's C representation; for
 * strings an array of char *). Returns 0, PMIX_ERR_UNKNOWN_DATA_TYPE, PMIX_ERR_BAD_PARAM (NULL
 * where a value must be), PMIX_ERR_PACK_FAILURE (arrays nested too deep), PMIX_ERR_NOT_SUPPORTED
 * (a cpuset or topology without its hook), or PMIX_ERR_NOMEM; on failure buf->failed is set. */
int px_pack(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, const void *vals,
            size_t n);

/* Raw value without framing, as inside composites and segment payloads. `exact`: see px_in. */
int px_pack_raw(struct px_buf *buf, bool exact, pmix_data_type_t type, const void *val);

/* Size of the C representation of one element of a type, 0 when unknown. */
size_t px_type_size(pmix_data_type_t type);

int px_pack_frame(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t n);

#endif
