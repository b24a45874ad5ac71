/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_PACK_H
#define PX_WIRE_PACK_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "codec.h"

struct px_buf;

/* Packing: appends values of any data type to a buffer in the encoding of codec.h. The values are
 * borrowed. Each function returns the status of the buffer: 0, or its first failure, after which
 * nothing more is appended. So the status of the last of several calls is that of all. Any
 * thread. */

/* One pack operation of n values of one type at vals, an array of the type's C representation (for
 * strings an array of char *). 0, PMIX_ERR_UNKNOWN_DATA_TYPE, PMIX_ERR_BAD_PARAM (NULL where there
 * must be a value, a name without its NUL, or more values than an int32_t counts),
 * PMIX_ERR_PACK_FAILURE (arrays nested too deep), PMIX_ERR_NOT_SUPPORTED (a cpuset or topology
 * without its hook), a status of such a hook or of px_regex_length, PMIX_ERR_NOMEM. */
int px_pack(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, const void *vals,
            size_t n);

/* Appends one value without a frame, as inside composites and in payloads of a segment. exact:
 * reals as 8 raw bytes and all members, for payloads of a segment only (struct px_in). PMIX_UNDEF
 * appends nothing. Statuses as px_pack. */
int px_pack_raw(struct px_buf *buf, bool exact, pmix_data_type_t type, const void *val);

/* The size in memory of one element of a type (struct px_type); 0 if there is no such type. */
size_t px_type_size(pmix_data_type_t type);

/* Appends the frame of an operation of n values of a type, and no values. PMIX_ERR_BAD_PARAM (n
 * does not fit an int32_t), PMIX_ERR_NOMEM. */
int px_pack_frame(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t n);

#endif
