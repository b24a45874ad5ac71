/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_FRAME_H
#define PX_WIRE_FRAME_H

#include "codec.h"
#include "flex.h"
#include "unpack.h"

/* The inline fast path for the frame in front of every pack operation: a count and, in described
 * buffers, the data types of count and values. Separate from unpack.h because it needs px_in. */

/* Reads the frame of an operation that must have one value. In a plain buffer that frame is one
 * byte; everything else, errors included, goes to px_unpack_any_single. */
static inline int px_unpack_single(struct px_in *in, pmix_data_type_t type)
{
    if (in->kind == PX_WIRE_PLAIN && in->at < in->end && *in->at == px_zigzag(1)) {
        in->at++;
        return 0;
    }
    return px_unpack_any_single(in, type);
}

#endif
