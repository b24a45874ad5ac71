/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_LAYOUT_H
#define PX_SHMEM_LAYOUT_H

/* The layout that all segments share: the header and hash tables. All other objects belong to the
 * user of the segment: gds/format.h. docs/segment-format.md is the authority; the asserts below
 * hold this file to it. Fields have a fixed width, are little-endian and naturally aligned; there
 * is no unnamed padding, no pointer and no lock. A locator is a byte offset divided by 8; 0 means
 * none. "Word" in a comment marks the only bytes that change after publication: aligned 64-bit
 * words, stored by the one writer with release, loaded with acquire. All other bytes are written
 * before a word makes them reachable, and never again. */

#include <stddef.h>
#include <stdint.h>

/* The first 8 bytes of a segment. Another magic is damage, not another version. */
#define PX_SHM_MAGIC "PXSH0001"

enum {
    PX_SHM_MAJOR = 1,
    PX_SHM_MINOR = 2,
    PX_SHM_HEADER_LEN = 4096,
    PX_SHM_TABLE_PROBES = 128, /* longest probe a writer may leave */
    PX_SHM_TAG_SHIFT = 48,
};

#define PX_SHM_PROBE     UINT64_C(0x0102030405060708)
#define PX_SHM_LOC_MASK  ((UINT64_C(1) << PX_SHM_TAG_SHIFT) - 1)
#define PX_SHM_MAX_SLOTS (UINT64_C(1) << 36)

/* Low half of the header's `state`: published to, replaced by the next generation, or ended with
 * its namespace. */
enum px_shm_state { PX_SHM_LIVE = 1, PX_SHM_SUPERSEDED = 2, PX_SHM_DEAD = 3 };

/* The constant part of the header: who made the segment, in which format, for which namespace.
 * Written once, before anybody can map the segment. */
struct px_segment_id {
    char magic[8];
    uint16_t major;
    uint16_t minor;
    uint32_t header_len;
    uint64_t probe;        /* PX_SHM_PROBE as the writer stores it */
    uint64_t fingerprint;  /* of all structures in it; the user's */
    uint64_t virtual_size; /* bytes; the size of the object */
    uint32_t uid;
    uint32_t gid;
    uint32_t generation;
    uint32_t creator; /* process id, for people */
    uint64_t epoch;   /* differs between writers of one name */
    char name[256];   /* NUL-terminated */
    uint64_t reserved[24];
};

/* The header, 4096 bytes at offset 0. The words user_a, user_b and user_c are those of the
 * segment's user: struct px_store_header gives them names. */
struct px_header {
    struct px_segment_id id;
    uint64_t user_a;
    uint64_t used; /* word: bytes that may be reached */
    uint64_t user_b[5];
    uint64_t state; /* word: enum px_shm_state, next generation in the upper half */
    uint64_t user_c[440];
};

/* A hash table from 64-bit hashes to locators: open addressing, linear probing from (hash &
 * (n_slots - 1)) over at most max_probe slots. A slot is a word: 0 when empty, else the upper 16
 * bits of the hash above a 48-bit locator. A slot is never emptied. At most half of the slots are
 * used. */
struct px_table {
    uint64_t n_slots; /* power of two */
    uint32_t max_probe;
    uint32_t reserved;
    uint64_t slots[]; /* words */
};

#define PX_AT(type, member, offset)                                                                \
    _Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
#define PX_SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)
PX_SIZE(px_segment_id, 512);
PX_SIZE(px_header, PX_SHM_HEADER_LEN);
PX_AT(px_segment_id, magic, 0);
PX_AT(px_segment_id, major, 8);
PX_AT(px_segment_id, minor, 10);
PX_AT(px_segment_id, header_len, 12);
PX_AT(px_segment_id, probe, 16);
PX_AT(px_segment_id, fingerprint, 24);
PX_AT(px_segment_id, virtual_size, 32);
PX_AT(px_segment_id, uid, 40);
PX_AT(px_segment_id, gid, 44);
PX_AT(px_segment_id, generation, 48);
PX_AT(px_segment_id, creator, 52);
PX_AT(px_segment_id, epoch, 56);
PX_AT(px_segment_id, name, 64);
PX_AT(px_header, used, 520);
PX_AT(px_header, state, 568);
PX_SIZE(px_table, 16);
PX_AT(px_table, n_slots, 0);
PX_AT(px_table, max_probe, 8);
PX_AT(px_table, slots, 16);

#undef PX_AT
#undef PX_SIZE

#endif
