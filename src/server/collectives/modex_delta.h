/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_DELTA_H
#define PX_SERVER_MODEX_DELTA_H

/* Deltas: bytes written as what they have in common with other bytes, the base, and what differs.
 * The processes of a node post values of the same names, types and often contents, and endpoints
 * that differ in a few bytes; in a modex blob the values of a process are a delta against those of
 * the process before. A delta restores the bytes exactly. The layout is in docs/wire-format.md. */

#include <stddef.h>
#include <stdint.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"

/* A delta in the making. Zeros, and the buffer that it is appended to. */
struct px_modex_delta {
    struct px_buf *buf; /* borrowed; errors are recorded in it */
    unsigned step;      /* the kind of the last step, if it is one without bytes; not written yet */
    uint64_t n;         /* its length; 0: there is none */
};

/* Appends the next `len` bytes, whose counterpart in the base are its next `base_len` bytes. Either
 * may be none. Takes time linear in their number. */
void px_modex_delta_add(struct px_modex_delta *delta, struct px_in base, struct px_in bytes);

/* Writes what is left. */
void px_modex_delta_end(struct px_modex_delta *delta);

/* Restores the bytes that a delta stands for, which are exactly `len`, at `ret`. The delta is
 * hostile: nothing is written beyond these, or read beyond the base. 0, or PMIX_ERR_UNPACK_FAILURE:
 * it is no delta, does not fit the base, or makes more or fewer bytes. */
int px_modex_delta_restore(struct px_in base, struct px_in delta, unsigned char *ret, size_t len);

#endif
