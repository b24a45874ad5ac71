/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_BATCH_H
#define PX_GDS_BATCH_H

/* A batch: entries that a writer collects and publishes together or not at all (px_store_publish).
 * It is already sorted by key. Process-level values, of which there may be millions, take 16 bytes
 * each; the value of a scalar is copied, everything else is borrowed until the batch is destroyed.
 * One thread at a time. */

#include "gds/payload.h"
#include "gds/store.h"

struct px_store;

/* One value to be stored, as the caller gives it to px_batch_add. Everything it points at is
 * borrowed. */
struct px_store_entry {
    enum px_level level;
    uint32_t index; /* rank, app number, node index (see px_batch_node), session id; 0 for job */
    /* At most PMIX_MAX_KEYLEN bytes. */
    const char *key;
    /* NULL: the key exists but its scope hides it from readers of this store. That never takes the
     * place of a value that they can see. &px_deleted: the value goes away; with the scope
     * PMIX_REMOTE only for readers of this store, to whom the key is hidden from then on. */
    const pmix_value_t *value;
    pmix_scope_t scope;       /* PMIX_SCOPE_UNDEF for data of the host */
    const pmix_info_t *quals; /* qualified value: retrieved only with equal qualifiers */
    size_t n_quals;
};

/* A node as the host describes it. Strings are borrowed. */
struct px_node_def {
    const char *name;
    const char *const *aliases; /* NULL-terminated, or NULL */
    uint32_t nodeid;            /* PX_NO_NODEID: its index */
};

/* How a datum holds its value: not at all (hidden), as a word, as a string, or as a borrowed
 * value; or it deletes the value. */
enum px_datum_kind { PX_DATUM_HIDDEN, PX_DATUM_WORD, PX_DATUM_TEXT, PX_DATUM_VALUE, PX_DATUM_GONE };

/* One process-level value in a batch, 16 bytes. Text and value are borrowed. */
struct px_datum {
    uint32_t rank;
    uint16_t type; /* of a word */
    uint8_t scope;
    /* enum px_datum_kind: which member of the union holds the value. */
    uint8_t kind;
    union {
        uint64_t word;
        const char *text;          /* borrowed */
        const pmix_value_t *value; /* borrowed */
    };
};

/* The datum of a rank's value; NULL and &px_deleted as in struct px_store_entry. Copies a scalar
 * and borrows everything else. */
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
        datum.kind = value == &px_deleted ? PX_DATUM_GONE : PX_DATUM_VALUE;
        datum.value = value;
    }
    return datum;
}

/* The value of a datum; NULL if it is hidden, &px_deleted if it is gone. Uses *room for a word or a
 * string, so the result is valid as long as *room and the datum. */
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
        return datum->kind == PX_DATUM_GONE && datum->scope != PMIX_REMOTE ? &px_deleted : NULL;
    }
}

/* A key of the batch and its unqualified process-level values, in order of arrival. Owned by the
 * batch. */
struct px_batch_key {
    /* PMIX_MAX_KEYLEN bytes at most; hash is px_hash_bytes of them. */
    const char *name; /* borrowed */
    uint32_t len;
    uint64_t hash;
    struct px_datum *procs;
    size_t n_procs;
    size_t cap_procs;
};

/* A value at another level, or a qualified one. Value and qualifiers are borrowed. */
struct px_batch_entry {
    /* Where the value is at home, as in struct px_store_entry. */
    enum px_level level;
    uint32_t index;
    uint32_t key; /* index into keys */
    pmix_scope_t scope;
    const pmix_value_t *value;
    const pmix_info_t *quals;
    size_t n_quals;
};

/* A definition of a new or a known node, applied in order of arrival. */
struct px_batch_node_def {
    uint32_t index; /* of the node */
    struct px_node_def def;
};

/* Node and application of one rank; PX_NO_NODE and PX_NO_APP leave what was known before. */
struct px_batch_placement {
    uint32_t rank;
    uint32_t node;
    uint32_t app;
};

/* Entries of the cache from the address of a key's name to the key. */
enum { PX_BATCH_RECENT = 32 };

/* The batch. Owned by whoever created it; publishing only reads it, so it can be published again
 * after a failure. */
struct px_batch {
    /* Keys in order of arrival, with their process-level values, and an index by hash. */
    struct px_batch_key *keys;
    size_t n_keys;
    size_t cap_keys;
    uint32_t *by_hash; /* open addressing: 1 + index into keys */
    size_t n_slots;
    uint32_t recent[PX_BATCH_RECENT]; /* where a key was last, by its pointer; a guess */
    /* Values of other levels and qualified ones, in order of arrival. */
    struct px_batch_entry *others;
    size_t n_others;
    size_t cap_others;
    /* Definitions of nodes, and the names that they bring. */
    struct px_batch_node_def *defs;
    size_t n_defs;
    size_t cap_defs;
    uint32_t *by_name; /* open addressing: 1 + index into names */
    size_t n_name_slots;
    struct px_batch_name *names;
    size_t n_names;
    size_t cap_names;
    /* New nodes get the indices from base_nodes on. */
    bool based;          /* base_nodes is set */
    uint32_t base_nodes; /* nodes that the store had when the first was defined here */
    uint32_t n_new_nodes;
    /* Placements of ranks, in order of arrival; a later one wins. */
    struct px_batch_placement *places;
    size_t n_places;
    size_t cap_places;
    size_t expected; /* ranks, as the caller guesses */
    bool placed;     /* the keys that a placement answers for are among `keys` */
    /* The readers' own node, if the batch gives one. */
    bool local_set;
    uint32_t local_node;
};

/* A name or alias of a node that this batch defines. */
struct px_batch_name {
    const char *name; /* borrowed */
    uint64_t hash;
    uint32_t node;
};

/* An empty batch; the caller destroys it. NULL: no memory. */
struct px_batch *px_batch_create(void);
void px_batch_destroy(struct px_batch *batch); /* takes NULL */

/* Adds one value. The entry is copied; what it points at is borrowed until the batch is destroyed,
 * but for the value of a process-level scalar, which is copied too. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_BAD_PARAM (key empty or over PMIX_MAX_KEYLEN, level or rank out of range),
 * PMIX_ERR_OUT_OF_RESOURCE (more than 1,024 keys that were made to collide). */
int px_batch_add(struct px_batch *batch, const struct px_store_entry *entry);

/* The same for many values of few keys: px_batch_key gives a key's number in this batch (the name
 * is borrowed), px_batch_add_proc adds a value of a rank (at most PMIX_RANK_VALID) under it, and
 * px_batch_expect says for how many ranks to make room once a key turns out to have many. Statuses
 * as px_batch_add. */
int px_batch_key(struct px_batch *batch, const char *key, uint32_t *ret);
/* Adds a value of a rank under a key of this batch; NULL and &px_deleted as in struct
 * px_store_entry. 0, PMIX_ERR_NOMEM. */
int px_batch_add_proc(struct px_batch *batch, uint32_t key, uint32_t rank, pmix_scope_t scope,
                      const pmix_value_t *value);
/* True if the batch has an unqualified process-level value of any rank under the key. */
bool px_batch_has_proc(const struct px_batch *batch, const char *key);
/* The number of ranks that a key with many values is expected to have; 0: not known. */
void px_batch_expect(struct px_batch *batch, size_t n_ranks);

/* Defines a node, or finds it by name or alias in the store or the batch. *ret_index is its index,
 * valid in px_store_entry.index and px_batch_place_rank. Strings are borrowed until the batch is
 * destroyed. 0, PMIX_ERR_BAD_PARAM (no name), PMIX_ERR_NOMEM. */
int px_batch_node(struct px_batch *batch, const struct px_store *store,
                  const struct px_node_def *def, uint32_t *ret_index);

/* Adds the keys that a placement answers by itself (px_derived_names), once per batch. The
 * functions below and px_batch_node do. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
int px_batch_derived(struct px_batch *batch);

/* Places a rank on a node and in an application (PX_NO_NODE, PX_NO_APP: not given). 0,
 * PMIX_ERR_BAD_PARAM (not a rank), PMIX_ERR_NOMEM. */
int px_batch_place_rank(struct px_batch *batch, uint32_t rank, uint32_t node_index,
                        uint32_t appnum);

/* Names the readers' own node. 0, PMIX_ERR_NOMEM. */
int px_batch_local_node(struct px_batch *batch, uint32_t node_index);

#endif
