/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_BATCH_H
#define PX_GDS_BATCH_H

#include "gds/payload.h"
#include "gds/store.h"

/* What has been collected for one publication, already sorted by key: process-level values, of
 * which there may be millions, take 16 bytes each, and of scalars nothing is looked at again. */

enum px_datum_kind { PX_DATUM_HIDDEN, PX_DATUM_WORD, PX_DATUM_TEXT, PX_DATUM_VALUE };

struct px_datum {
    uint32_t rank;
    uint16_t type; /* of a word */
    uint8_t scope;
    uint8_t kind;
    union {
        uint64_t word;
        const char *text;          /* borrowed */
        const pmix_value_t *value; /* borrowed */
    };
};

static inline struct px_datum px_datum_make(uint32_t rank, pmix_scope_t scope,
                                            const pmix_value_t *value)
{
    struct px_datum datum = {.rank = rank, .scope = scope};

    if (!value) {
        datum.kind = PX_DATUM_HIDDEN;
    } else if (px_word_size(value->type)) {
        datum.kind = PX_DATUM_WORD;
        datum.type = value->type;
        datum.word = px_word_of(value);
    } else if (value->type == PMIX_STRING) {
        datum.kind = PX_DATUM_TEXT;
        datum.text = value->data.string;
    } else {
        datum.kind = PX_DATUM_VALUE;
        datum.value = value;
    }
    return datum;
}

/* As it was given; in *room when it is kept in another form. NULL: hidden. */
static inline const pmix_value_t *px_datum_value(const struct px_datum *datum, pmix_value_t *room)
{
    switch (datum->kind) {
    case PX_DATUM_WORD:
        px_word_value(datum->type, datum->word, room);
        return room;
    case PX_DATUM_TEXT:
        *room =
            (pmix_value_t){.type = PMIX_STRING, .data.string = (char *) (uintptr_t) datum->text};
        return room;
    case PX_DATUM_VALUE:
        return datum->value;
    default:
        return NULL;
    }
}

struct px_batch_key {
    const char *name; /* borrowed */
    uint32_t len;
    uint64_t hash;
    struct px_datum *procs;
    size_t n_procs;
    size_t cap_procs;
};

/* A value at another level, or a qualified one. */
struct px_batch_entry {
    enum px_level level;
    uint32_t index;
    uint32_t key; /* index into keys */
    pmix_scope_t scope;
    const pmix_value_t *value;
    const pmix_info_t *quals;
    size_t n_quals;
};

struct px_batch_node_def {
    uint32_t index; /* of the node */
    struct px_node_def def;
};

struct px_batch_placement {
    uint32_t rank;
    uint32_t node;
    uint32_t app;
};

enum { PX_BATCH_RECENT = 32 };

struct px_batch {
    struct px_batch_key *keys;
    size_t n_keys;
    size_t cap_keys;
    uint32_t *by_hash; /* open addressing: 1 + index into keys */
    size_t n_slots;
    uint32_t recent[PX_BATCH_RECENT]; /* where a key was last, by its pointer; a guess */
    struct px_batch_entry *others;
    size_t n_others;
    size_t cap_others;
    struct px_batch_node_def *defs;
    size_t n_defs;
    size_t cap_defs;
    uint32_t *by_name; /* open addressing: 1 + index into names */
    size_t n_name_slots;
    struct px_batch_name *names;
    size_t n_names;
    size_t cap_names;
    bool based;          /* base_nodes is set */
    uint32_t base_nodes; /* nodes that the store had when the first was defined here */
    uint32_t n_new_nodes;
    struct px_batch_placement *places;
    size_t n_places;
    size_t cap_places;
    size_t expected; /* ranks, as the caller guesses */
    bool placed;     /* the keys that a placement answers for are among `keys` */
    bool local_set;
    uint32_t local_node;
};

struct px_batch_name {
    const char *name; /* borrowed */
    uint64_t hash;
    uint32_t node;
};

#endif
