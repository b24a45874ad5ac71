/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_COMPARE_H
#define PX_GDS_COMPARE_H

/* New data compared with each other, and with what readers find. Writer's thread. */

#include "gds/batch.h"
#include "gds/read.h"

struct px_writer;

/* True if nothing is left of the value for anybody: no mark that the key exists either. */
static inline bool px_datum_is_gone(const struct px_datum *datum)
{
    return datum->kind == PX_DATUM_GONE && datum->scope != PMIX_REMOTE;
}

/* Of two data of one value, sets *to to what both in this order amount to: the later one, but a
 * hidden value never replaces a visible one. Behind a deletion it does. */
void px_datum_follow(struct px_datum *to, const struct px_datum *later);

/* What readers find in the place of a datum before it is published. */
struct px_present {
    bool same;           /* the datum would change nothing for them */
    bool deleted;        /* they find a deleted value */
    struct px_slice now; /* zeros: nothing */
};

/* Compares a datum with what readers now find at its level and index, with these qualifiers or
 * (NULL) without any. A read that fails counts as nothing there. A hidden datum changes nothing
 * where there is a value, a deletion nothing where the value is deleted. 0, or a status of
 * px_payload_encode; *ret is then as before. */
int px_writer_compare(struct px_writer *writer, enum px_level level, const struct px_key *key,
                      const struct px_qual_digest *quals, uint32_t index,
                      const struct px_datum *datum, struct px_present *ret);

#endif
