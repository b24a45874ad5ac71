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

/* --- views: what is borrowed is good as long as the input --- */

/* Of a KVAL: the key is borrowed, as are a value's characters or bytes. Other values are as
 * px_unpack_kval makes them: with `owned`, PMIx_Value_destruct them. Takes and refuses what
 * px_unpack_kval does. */
struct px_kval_view {
    const char *key; /* never NULL */
    size_t key_len;
    pmix_value_t value;
    bool owned;
};

#endif
