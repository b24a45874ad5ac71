/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_FRAME_H
#define PX_WIRE_FRAME_H

#include "codec.h"
#include "flex.h"

/* What begins every operation: the count and, in described buffers, the types around it. */

int px_pack_frame(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t n);

/* The input moves past the frame; on failure it stays where it was. Statuses as px_unpack. */
int px_unpack_frame(struct px_in *in, pmix_data_type_t type, size_t *ret_n);

/* The frame of an operation that must be of one value; PMIX_ERR_UNPACK_FAILURE too. */
int px_unpack_any_single(struct px_in *in, pmix_data_type_t type);

static inline int px_unpack_single(struct px_in *in, pmix_data_type_t type)
{
    if (in->kind == PX_WIRE_PLAIN && in->at < in->end && *in->at == px_zigzag(1)) {
        in->at++;
        return 0;
    }
    return px_unpack_any_single(in, type);
}

/* May n elements of a C size be made out of what is left? Each takes a byte at least, and memory is
 * asked for only in proportion to the bytes that stand behind it. 0,
 * PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER, PMIX_ERR_UNPACK_FAILURE. */
int px_unpack_room(const struct px_in *in, size_t n, size_t size);

#endif
