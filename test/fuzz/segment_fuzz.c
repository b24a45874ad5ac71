/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Any bytes as a segment, through everything that a reader can ask. The input is an image as
 * `pmix-shm save` writes it; it lies in memory of exactly its length, so that a sanitizer sees the
 * first byte read beyond. Statuses may differ; nothing may crash, read outside or allocate more
 * than the image can account for, and every call ends after a bounded number of steps (this program
 * is built with the hook of shmem/offset.h): a constant for a lookup, a multiple of the image's
 * words for an enumeration. Covers: SHM-011 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "shmem/header.h"
#include "gds/fast_path.h"
#include "gds/lookup.h"
#include "gds/memo.h"
#include "gds/level.h"
#include "gds/state.h"
#include "gds/verify.h"
#include "gds/nodes.h"
#include "gds/slice.h"

enum { MAX_RANKS = 12, MAX_NAMES = 24, MAX_SEEN = 4096, LOOKUP_STEPS = 4096, STEPS_PER_WORD = 4 };

static uint64_t steps;
static uint64_t enumeration_steps; /* allowed for the present image */

void px_shm_step_hook(void)
{
    steps++;
}

/* What was called since the last time has taken at most so many steps. */
static void within(uint64_t most)
{
    if (steps > most) {
        fprintf(stderr, "%llu steps, %llu allowed\n", (unsigned long long) steps,
                (unsigned long long) most);
        abort();
    }
    steps = 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* Names to ask for: those that the segment itself brings, and a few that the rules know. */
struct names {
    char name[MAX_NAMES][64];
    size_t n;
    size_t seen;
};

static const char *const known[] = {
    PMIX_RANK,  PMIX_HOSTNAME,   PMIX_NODEID,   PMIX_APPNUM,     PMIX_LOCAL_PEERS,
    PMIX_JOBID, PMIX_SESSION_ID, PMIX_JOB_SIZE, PMIX_LOCAL_RANK, "no such key",
};

static volatile size_t sink; /* what is read is used */

static void use(const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    size_t sum = 0;

    for (size_t i = 0; i < len; i++) {
        sum += p[i];
    }
    sink += sum;
}

static void take(const struct px_slice *slice)
{
    const pmix_value_t *pointer;
    pmix_value_t value;
    pmix_info_t *quals;
    size_t n;

    if (!slice->inlined && !slice->hidden) {
        use(slice->payload, slice->len);
    }
    if (px_slice_fill(slice, &value) == 0) {
        PMIx_Value_destruct(&value);
    }
    if (px_slice_pointer(slice, &pointer) == 0 && pointer->type == PMIX_STRING &&
        pointer->data.string) {
        use(pointer->data.string, strlen(pointer->data.string));
    }
    if (px_slice_quals(slice, &quals, &n) == 0 && quals) {
        PMIx_Info_free(quals, n);
    }
}

static int see(void *arg, const char *key, const struct px_slice *slice)
{
    struct names *names = arg;

    if (names->n < MAX_NAMES) {
        (void) snprintf(names->name[names->n++], sizeof(names->name[0]), "%s", key);
    }
    take(slice);
    return ++names->seen > MAX_SEEN; /* a segment may list more than one wants to see */
}

static bool equal(pmix_value_t *left, pmix_value_t *right)
{
    return left->type == right->type && PMIx_Value_compare(left, right) == PMIX_EQUAL;
}

/* The inlined case, which follows what px_store_get has left behind. In a sound segment both lead
 * to the same value. */
static void ask_scalar(const struct px_store *store, uint32_t rank, const char *key, bool sound)
{
    struct px_lookup_key what = PX_LOOKUP_KEY_INIT;
    struct px_scalar scalar;
    struct px_slice slice;
    pmix_value_t value;
    pmix_value_t same;
    const struct px_key *hinted;
    bool found = px_store_hinted_key(store, key, &hinted) && px_key_is_named(hinted, key) &&
                 px_store_get_scalar(store, hinted, rank, &scalar) == PX_SCALAR;

    within(LOOKUP_STEPS);
    if (!found || !sound) {
        return;
    }
    what.key = key;
    what.key_len = strlen(key);
    what.rank = rank;
    what.self = 1;
    px_word_value(scalar.type, scalar.word, &value);
    if (px_store_get(store, &what, &slice) != 0 || px_slice_fill(&slice, &same) != 0 ||
        !equal(&value, &same)) {
        abort();
    }
    PMIx_Value_destruct(&same);
}

static void ask(const struct px_store *store, const char *key, uint32_t rank, bool sound)
{
    static const pmix_rank_t special[] = {PMIX_RANK_WILDCARD, PMIX_RANK_UNDEF, PMIX_RANK_INVALID};
    struct px_lookup_key what = PX_LOOKUP_KEY_INIT;
    struct px_slice slice;

    for (enum px_level level = PX_LEVEL_SESSION; level <= PX_LEVEL_PROC; level++) {
        if (px_store_find(store, level, rank, key, strlen(key), &slice) == 0) {
            take(&slice);
        }
        within(LOOKUP_STEPS);
    }
    what.key = key;
    what.key_len = strlen(key);
    what.rank = rank % 4 ? rank : special[rank / 4 % 3];
    what.self = 1;
    what.hostname = rank % 3 ? NULL : "node1";
    what.nodeid = rank % 5 ? PX_NO_NODEID : 1;
    what.appnum = rank % 6 ? PX_NO_APP : 0;
    if (px_store_get(store, &what, &slice) == 0) {
        take(&slice);
    }
    within(LOOKUP_STEPS);
    ask_scalar(store, rank, key, sound);
    ask_scalar(store, PMIX_RANK_WILDCARD, key, sound);
}

static void ask_places(const struct px_store *store)
{
    struct px_node_view node;
    uint32_t ranks[8];

    for (uint32_t i = 0; i < MAX_RANKS; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            const char *alias = px_store_node_alias(store, i, k);

            use(alias, alias ? strlen(alias) : 0);
            within(LOOKUP_STEPS);
        }
        if (px_store_node(store, i, &node) == 0) {
            use(node.name, strlen(node.name));
            (void) px_store_node_by_name(store, node.name);
        }
        (void) px_store_node_ranks(store, i, ranks, 8);
        (void) px_store_node_by_id(store, i);
        (void) px_store_node_of(store, i);
        (void) px_store_app_of(store, i);
        within(LOOKUP_STEPS);
    }
    (void) px_store_local_node(store);
}

static void walk(const struct px_store *store, bool sound)
{
    struct names names = {.n = 0};
    struct px_store_info info;

    steps = 0; /* the verifier has its own bound */
    px_store_info(store, &info);
    (void) px_store_flags(store);
    for (enum px_level level = PX_LEVEL_SESSION; level <= PX_LEVEL_PROC; level++) {
        for (uint32_t i = 0; i < MAX_RANKS; i++) {
            (void) px_store_each(store, level, i, see, &names);
            within(enumeration_steps);
        }
    }
    for (uint32_t rank = 0; rank < MAX_RANKS; rank++) {
        for (size_t k = 0; k < names.n; k++) {
            ask(store, names.name[k], rank, sound);
        }
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
            ask(store, known[k], rank, sound);
        }
    }
    ask_places(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct px_store *store = calloc(1, sizeof(*store));
    uint64_t len = size;
    uint64_t format = PX_FORMAT_FINGERPRINT;
    struct px_fault fault;

    if (!store) {
        return 0;
    }
    store->seg.base = malloc(size ? size : 1);
    store->seg.size = size;
    store->memo = px_memo_create();
    if (store->seg.base && store->memo) {
        if (size) {
            memcpy(store->seg.base, data, size);
        }
        if (size >= PX_SHM_HEADER_LEN) { /* what would only make the reader refuse */
            memcpy(store->seg.base + offsetof(struct px_segment_id, virtual_size), &len,
                   sizeof(len));
            memcpy(store->seg.base + offsetof(struct px_segment_id, fingerprint), &format,
                   sizeof(format));
        }
        if (px_header_check(&store->seg, PX_FORMAT_FINGERPRINT) == 0) {
            enumeration_steps = LOOKUP_STEPS + size / 8 * STEPS_PER_WORD;
            walk(store, px_format_verify(&store->seg, PX_VERIFY_ALL, &fault) == 0);
        }
    }
    px_memo_destroy(store->memo);
    free(store->seg.base);
    free(store);
    return 0;
}

/* Segments are made of words: locators, counts, hashes. So most changes are to whole words, and few
 * to the first half of the header, without which nothing else is looked at. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint64_t words = size / 8;
    uint64_t rng = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t at;
    uint64_t word;
    uint64_t other;

    if (size < PX_SHM_HEADER_LEN + 64 || rng >> 60 == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (rng >> 60 < 4) {
        return PX_SHM_HEADER_LEN + LLVMFuzzerMutate(data + PX_SHM_HEADER_LEN,
                                                    size - PX_SHM_HEADER_LEN,
                                                    max_size - PX_SHM_HEADER_LEN);
    }
    at = (rng >> 20) % (words - 512 + 10);
    at = at < 10 ? 64 + at : at - 10 + 512;
    memcpy(&word, data + at * 8, 8);
    memcpy(&other, data + (rng >> 33) % words * 8, 8);
    switch (rng >> 17 & 7) {
    case 0:
        word ^= UINT64_C(1) << (rng >> 50 & 63);
        break;
    case 1:
        word += (rng >> 40) % 17 - 8;
        break;
    case 2:
        word = (word & ~PX_SHM_LOC_MASK) | (rng >> 40) % (words + 2);
        break;
    case 3:
        word = other;
        break;
    case 4:
        word = (rng >> 40) % (words + 2);
        break;
    case 5:
        word = (word & ~(uint64_t) UINT32_MAX) | (other & UINT32_MAX);
        break;
    default:
        (void) LLVMFuzzerMutate((uint8_t *) &word, 8, 8);
        break;
    }
    memcpy(data + at * 8, &word, 8);
    return size;
}
