/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_CODEC_H
#define PX_WIRE_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

#include "src/base/buf.h"

/* The v4-family encoding (docs/wire-format.md): what the packing half (pack.c) and the unpacking
 * half (unpack.c) share. One codec for all data types, driven by the table of types in src/value.
 */

/* Failures are sticky: a px_buf and a px_in keep their first one, every later operation on them
 * does nothing and returns it again, so that callers check the last status, or the buffer's, once.
 * Unpacking treats every byte as hostile: lengths and counts are checked against what is left,
 * nesting against PX_WIRE_MAX_DEPTH, integers against their type. No state: any thread, given that
 * one thread at a time uses a px_buf or px_in. */

/* Arrays inside arrays that are packed or unpacked; deeper ones are refused. */
enum { PX_WIRE_MAX_DEPTH = 64 };

/* Type byte of a buffer, as peers declare it. In a described buffer each operation also has the
 * types of its count and of its values. */
enum px_wire_kind { PX_WIRE_PLAIN = 1, PX_WIRE_DESCRIBED = 2 };

/* The type of a value that stays encoded: data.bo has the bytes of a VALUE, as px_pack_raw writes
 * it, borrowed. They begin with the type that it really has. Such values are for batches (gds) and
 * for packing; one that is packed has no real numbers in it, whose encoding differs. No message has
 * this type. */
enum { PX_TYPE_ENCODED = 0xffff };

/* The position in a message that is being read. The bytes are borrowed and have to outlive it. A
 * copy of the structure is a saved position. After a failure nothing is left to be read. */
struct px_in {
    const unsigned char *at;
    const unsigned char *end;
    enum px_wire_kind kind;
    unsigned depth; /* data arrays around the current position */
    bool exact;     /* floats as 8 raw bytes, not text: payloads of the segment only */
    bool topo;  /* topologies are parsed: for an application that asks for one, not for messages */
    int status; /* 0, or the first failure; then end is at */
    size_t made, most; /* bytes of the arrays that were made of it; how many there may be, 0: any */
    struct px_owed *owed; /* takes large copies of what values point at; NULL: made at once */
    bool in_value;        /* the current position is inside a value */
};

/* A reader at the beginning of len bytes, which it borrows; not exact, topologies refused. Without
 * a byte there may be no address, to which nothing can be added. */
static inline struct px_in px_in_make(const void *bytes, size_t len, enum px_wire_kind kind)
{
    const unsigned char *at = bytes;

    return (struct px_in){.at = at, .end = len ? at + len : at, .kind = kind};
}

/* Marks the input as failed, unless it has failed before or status is 0; then nothing is left of
 * it. Returns its status. */
static inline int px_in_fail(struct px_in *in, int status)
{
    if (in->status == 0 && status != 0) {
        in->status = status;
        in->end = in->at;
    }
    return in->status;
}

/* Bytes that have not been read. */
static inline size_t px_in_left(const struct px_in *in)
{
    return (size_t) (in->end - in->at);
}

#endif
