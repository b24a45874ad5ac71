/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_FORMAT_H
#define PX_GDS_FORMAT_H

/* The layout of a store's objects in its segment: keys, values, columns, nodes.
 * docs/segment-format.md is the authority; the asserts below hold this file to it. The rules of
 * shmem/layout.h apply: "word" in a comment marks the only bytes that change after publication, and
 * all fields that name an object are locators. */

#include "shmem/layout.h"

/* In placements: no such index is known. */
#define PX_NO_INDEX UINT32_MAX

/* struct px_header with names for the words that belong to the store. One at offset 0 of each
 * segment; stored to by the writer only. */
struct px_store_header {
    struct px_segment_id id;
    /* one cache line of words */
    uint64_t sequence; /* word: publications so far; every publication ends with its store */
    uint64_t used;     /* word: the segment's */
    uint64_t keys;     /* word: key table */
    uint64_t table;    /* word: record table */
    uint64_t place;    /* word: struct px_placement */
    uint64_t columns;  /* word: newest of the chain of first columns */
    uint64_t flags;    /* word: enum px_store_flag */
    uint64_t state;    /* word: the segment's */
    /* further words */
    uint64_t session; /* word: 2^32 + the readers' own session id; 0: none */
    uint64_t extent;  /* word: highest rank + 1; above 32 bits: highest application number + 1 */
    /* word: bytes of what has been replaced since, as its writer counts; since 1.1 */
    uint64_t dead;
    uint64_t reserved[437];
};

/* A key: its name, and the words that lead to its values. One per name and segment, filed in the
 * key table; its locator identifies it. Never replaced. */
struct px_key {
    /* The table `keys` files the key by it; constant, as all members without "word" are. */
    uint64_t hash;    /* px_hash_bytes of the name */
    uint64_t column;  /* word: newest struct px_column of process-level values, or 0 */
    uint64_t job;     /* word: newest job-level struct px_record, or 0 */
    uint64_t holder;  /* word: 1 + a rank that has a process-level value, or 0 */
    uint32_t len;     /* of the name without its NUL */
    uint16_t realm;   /* enum px_realm, gds/lookup.h */
    uint16_t derived; /* enum px_derived; a placement comes with the keys that have one */
    char name[];      /* len + 1 bytes */
};

/* The head of every object that publications replace: records, columns, placements. A reader whose
 * sequence is at least `seq` sees the object; any other reader takes `prev`. */
struct px_version {
    uint64_t seq;
    uint64_t prev; /* older version or 0; always below this one */
};

/* How a cell holds its value: the low four bits of px_cell.form; the flags above are for keys
 * without a value that this segment's readers may see. */
enum px_form {
    PX_FORM_NONE = 0, /* no payload */
    PX_FORM_WORD = 1, /* 8 bytes: the value's bits, zero-extended */
    PX_FORM_TEXT = 2, /* bytes with their NUL; len 0: a NULL string */
    PX_FORM_BYTES = 3,
    PX_FORM_CODEC = 4,   /* a VALUE in the raw encoding of the wire, floats as 8 bytes */
    PX_FORM_PROC = 5,    /* u32 rank, namespace with its NUL */
    PX_FORM_TIMEVAL = 6, /* i64 seconds, i64 microseconds */
    PX_FORM_ARRAY = 7,   /* struct px_array, then the elements */
    /* Bits of the form; those above are flags. */
    PX_FORM_MASK = 15,
    PX_CELL_HIDDEN = 16, /* the key exists, its scope keeps it from readers of this segment */
    PX_CELL_TOMB = 32,   /* the key was deleted */
};

/* One value: type, scope, form and payload. Immutable; several ranks of a column may share one. */
struct px_cell {
    uint32_t len; /* of the payload */
    /* pmix_data_type_t of the value; pmix_scope_t under which it was put, 0 for data of the
     * host. */
    uint16_t type;
    uint8_t scope;
    uint8_t form; /* enum px_form and flags */
    unsigned char payload[];
};

/* Head of the payload of an array of scalars; n * width bytes follow. It can be used where it
 * lies. */
struct px_array {
    /* pmix_data_type_t of the elements. */
    uint16_t type;
    uint16_t width; /* bytes of an element */
    uint32_t reserved;
    uint64_t n;
};

/* A value at (level, index, key, qualifiers) that is not in a column; its cell follows it. With key
 * 0 it is the index list of (level, index): no cell follows, and `link` is a word, the newest
 * record of the chain there. */
struct px_record {
    /* The version before it is of the same (level, index, key, qualifiers). */
    struct px_version version;
    /* the record entered before this one at (level, index); set in first versions only */
    uint64_t link;
    uint64_t key;   /* struct px_key, or 0: index list */
    uint64_t quals; /* struct px_quals or 0 */
    /* Session id, application number, node index or rank; 0 at the job level. */
    uint32_t index;
    /* enum px_level, gds/store.h. */
    uint32_t level;
};

/* The qualifiers of a value. Two sets are equal when n and both sums are: the sums are over hashes
 * of the single qualifiers, so their order does not matter. */
struct px_quals {
    /* The record table files a qualified value by sum_a; sum_b and n settle equal hashes. */
    uint64_t sum_a;
    uint64_t sum_b;
    /* Number of qualifiers, and bytes of their encoding. */
    uint32_t n;
    uint32_t len;
    unsigned char infos[]; /* n INFO in the raw encoding of the wire, floats as 8 bytes */
};

/* How a column holds its values; a writer takes the smallest kind that fits. */
enum px_column_kind {
    PX_COLUMN_CONST = 1,  /* base; step is 0 */
    PX_COLUMN_AFFINE = 2, /* base + step * rank, modulo 2^64 */
    PX_COLUMN_ARRAY = 3,  /* elements of `width` bits at data */
    PX_COLUMN_CELL = 4,   /* the cell at data */
    PX_COLUMN_DICT =
        5, /* elements at data, each an index into the locators of n_dict cells at base */
    PX_COLUMN_LOC = 6, /* locators of cells at data, 0: absent */
};

/* The process-level values of one key for ranks 0 to n - 1. Immutable but for `overlay`; a newer
 * column of the key has this one as its previous version. */
struct px_column {
    /* The version before it is an older column of the same key. */
    struct px_version version;
    uint64_t link;    /* the next key's first column; set in a key's first column only */
    uint64_t overlay; /* word: not 0 when the record table has newer values for ranks below n */
    /* The struct px_key that leads here. */
    uint64_t key;
    /* CONST and AFFINE: the word of rank 0. DICT: locator of n_dict locators of cells. Else 0. */
    uint64_t base;
    /* AFFINE: added per rank, modulo 2^64. CONST: 0, so that both kinds are read alike. */
    uint64_t step;
    uint64_t present; /* bitmap in 64-bit units, 0: every rank below n has a value */
    /* ARRAY, DICT, LOC: locator of the elements. CELL: locator of the one cell. */
    uint64_t data;
    /* Ranks that the column covers, and for DICT the cells in its dictionary. */
    uint32_t n;
    uint32_t n_dict;
    uint16_t type; /* of CONST, AFFINE, ARRAY */
    uint8_t scope; /* of CONST, AFFINE, ARRAY */
    uint8_t kind;
    uint32_t width; /* bits of an element: 8, 16, 32, 64 */
};

/* How a map leads from ranks to numbers; only an ARRAY takes memory per rank. A reader that does
 * not know a kind takes it for NONE. */
enum px_map_kind {
    PX_MAP_NONE = 0,
    PX_MAP_CONST = 1,  /* k */
    PX_MAP_BLOCK = 2,  /* rank / k */
    PX_MAP_CYCLIC = 3, /* rank % k */
    PX_MAP_ARRAY = 4,  /* u32 per rank at data, UINT32_MAX: not said */
};

/* A map from rank to node index or to application number. */
struct px_rank_map {
    /* enum px_map_kind; k and data as the kind says, else 0. */
    uint32_t kind;
    uint32_t k;
    uint64_t data;
};

/* A node. Its position in the placement's array is its index, which stays the same in all later
 * placements and generations; its ranks are listed in ascending order. */
struct px_node {
    /* As the host gave it when the node was defined; other names are aliases. */
    uint64_t name;    /* cell, TEXT */
    uint64_t aliases; /* u64 count, then locators of TEXT cells; or 0 */
    /* PMIX_NODEID: the host's number, or the index where the host gave none. */
    uint32_t nodeid;
    uint32_t count;  /* ranks placed here */
    uint32_t first;  /* rank, or with stride 0 the index into csr */
    uint32_t stride; /* ranks are first + i * stride; 0: listed in csr */
};

/* The nodes, and on which of them and in which application each rank runs. A change writes a whole
 * new one, so a reader's answers from one placement agree with each other. */
struct px_placement {
    /* The version before it is the placement that this one replaced. */
    struct px_version version;
    uint32_t n_nodes;
    uint32_t n_ranks; /* ranks that the maps cover */
    uint32_t n_apps;
    uint32_t local_node; /* PX_NO_INDEX: not said */
    /* Rank to node index, and rank to application number; PX_NO_INDEX where it is not known. */
    struct px_rank_map node_of;
    struct px_rank_map app_of;
    /* Arrays and tables of this placement; 0 where it has no nodes or no lists. */
    uint64_t nodes; /* struct px_node[n_nodes] */
    uint64_t csr;   /* u32 ranks of the nodes that list them */
    uint64_t names; /* table of struct px_node by px_hash_bytes of name and alias */
    uint64_t ids;   /* table of struct px_node by px_hash_mix(nodeid, 0) */
    uint64_t n_csr;
};

#define PX_AT(type, member, offset)                                                                \
    _Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
#define PX_SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)
PX_SIZE(px_store_header, PX_SHM_HEADER_LEN);
PX_AT(px_store_header, used, offsetof(struct px_header, used));
PX_AT(px_store_header, state, offsetof(struct px_header, state));
PX_AT(px_store_header, sequence, 512);
PX_AT(px_store_header, keys, 528);
PX_AT(px_store_header, table, 536);
PX_AT(px_store_header, place, 544);
PX_AT(px_store_header, columns, 552);
PX_AT(px_store_header, flags, 560);
PX_AT(px_store_header, session, 576);
PX_AT(px_store_header, extent, 584);
PX_AT(px_store_header, dead, 592);
PX_SIZE(px_key, 40);
PX_AT(px_key, hash, 0);
PX_AT(px_key, column, 8);
PX_AT(px_key, job, 16);
PX_AT(px_key, holder, 24);
PX_AT(px_key, len, 32);
PX_AT(px_key, realm, 36);
PX_AT(px_key, derived, 38);
PX_AT(px_key, name, 40);
PX_SIZE(px_version, 16);
PX_AT(px_version, seq, 0);
PX_AT(px_version, prev, 8);
PX_SIZE(px_cell, 8);
PX_AT(px_cell, len, 0);
PX_AT(px_cell, type, 4);
PX_AT(px_cell, scope, 6);
PX_AT(px_cell, form, 7);
PX_SIZE(px_array, 16);
PX_AT(px_array, type, 0);
PX_AT(px_array, width, 2);
PX_AT(px_array, n, 8);
PX_SIZE(px_record, 48);
PX_AT(px_record, version, 0);
PX_AT(px_record, link, 16);
PX_AT(px_record, key, 24);
PX_AT(px_record, quals, 32);
PX_AT(px_record, index, 40);
PX_AT(px_record, level, 44);
PX_SIZE(px_quals, 24);
PX_AT(px_quals, sum_a, 0);
PX_AT(px_quals, sum_b, 8);
PX_AT(px_quals, n, 16);
PX_AT(px_quals, len, 20);
PX_AT(px_quals, infos, 24);
PX_SIZE(px_column, 88);
PX_AT(px_column, version, 0);
PX_AT(px_column, link, 16);
PX_AT(px_column, overlay, 24);
PX_AT(px_column, key, 32);
PX_AT(px_column, base, 40);
PX_AT(px_column, step, 48);
PX_AT(px_column, present, 56);
PX_AT(px_column, data, 64);
PX_AT(px_column, n, 72);
PX_AT(px_column, n_dict, 76);
PX_AT(px_column, type, 80);
PX_AT(px_column, scope, 82);
PX_AT(px_column, kind, 83);
PX_AT(px_column, width, 84);
PX_SIZE(px_rank_map, 16);
PX_AT(px_rank_map, kind, 0);
PX_AT(px_rank_map, k, 4);
PX_AT(px_rank_map, data, 8);
PX_SIZE(px_node, 32);
PX_AT(px_node, name, 0);
PX_AT(px_node, aliases, 8);
PX_AT(px_node, nodeid, 16);
PX_AT(px_node, count, 20);
PX_AT(px_node, first, 24);
PX_AT(px_node, stride, 28);
PX_SIZE(px_placement, 104);
PX_AT(px_placement, version, 0);
PX_AT(px_placement, n_nodes, 16);
PX_AT(px_placement, n_ranks, 20);
PX_AT(px_placement, n_apps, 24);
PX_AT(px_placement, local_node, 28);
PX_AT(px_placement, node_of, 32);
PX_AT(px_placement, app_of, 48);
PX_AT(px_placement, nodes, 64);
PX_AT(px_placement, csr, 72);
PX_AT(px_placement, names, 80);
PX_AT(px_placement, ids, 88);
PX_AT(px_placement, n_csr, 96);

#undef PX_AT
#undef PX_SIZE

/* A hash over the sizes and offsets of the structures above and of shmem/layout.h, which the
 * asserts pin down; test/unit/gds/format.c computes it. Whoever changes a structure has to change
 * it. */
#define PX_FORMAT_FINGERPRINT UINT64_C(0x61f664a75f29a6aa)

#endif
