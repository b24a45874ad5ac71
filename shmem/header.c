/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Readers refuse what they do not know exactly: the major version, the byte order and the
 * fingerprint of the structures must be ours. A minor version may only add column kinds, payload
 * forms and words in reserved space, which an older reader skips. */

#include "shmem/header.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shmem/put.h"
#include "src/base/assert.h"
#include "src/base/hash.h"
#include "src/base/status.h"

uint64_t px_shm_fingerprint(void)
{
    static const uint32_t facts[] = {
        sizeof(struct px_header),
        offsetof(struct px_header, nspace),
        offsetof(struct px_header, sequence),
        offsetof(struct px_header, used),
        offsetof(struct px_header, keys),
        offsetof(struct px_header, table),
        offsetof(struct px_header, place),
        offsetof(struct px_header, columns),
        offsetof(struct px_header, flags),
        offsetof(struct px_header, state),
        offsetof(struct px_header, session),
        offsetof(struct px_header, extent),
        offsetof(struct px_table, slots),
        PX_SHM_TAG_SHIFT,
        PX_SHM_TABLE_PROBES,
        sizeof(struct px_key),
        offsetof(struct px_key, column),
        offsetof(struct px_key, job),
        offsetof(struct px_key, holder),
        offsetof(struct px_key, derived),
        sizeof(struct px_cell),
        offsetof(struct px_cell, form),
        sizeof(struct px_array),
        sizeof(struct px_record),
        offsetof(struct px_record, link),
        offsetof(struct px_record, key),
        offsetof(struct px_record, quals),
        offsetof(struct px_record, index),
        sizeof(struct px_quals),
        sizeof(struct px_column),
        offsetof(struct px_column, overlay),
        offsetof(struct px_column, base),
        offsetof(struct px_column, data),
        offsetof(struct px_column, n),
        offsetof(struct px_column, kind),
        sizeof(struct px_rank_map),
        sizeof(struct px_node),
        sizeof(struct px_placement),
        offsetof(struct px_placement, node_of),
        offsetof(struct px_placement, names),
    };
    uint64_t sum = PX_SHM_MAJOR;
    size_t i;

    for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        sum = px_hash_mix(sum, facts[i]);
    }
    return sum;
}

int px_header_init(struct px_segment *seg, const struct px_header_init *init)
{
    struct px_header *to = (struct px_header *) (void *) seg->base;
    struct px_header h = {
        .major = PX_SHM_MAJOR, .minor = PX_SHM_MINOR, .header_len = PX_SHM_HEADER_LEN};
    size_t len = strlen(init->nspace);
    struct timespec now = {0};

    px_assert(seg->writer && seg->committed >= PX_SHM_HEADER_LEN);
    if (len >= sizeof(h.nspace)) {
        return PX_ERR_BAD_PARAM;
    }
    if (init->epoch == 0) {
        (void) clock_gettime(CLOCK_REALTIME, &now); /* only has to differ */
    }
    memcpy(h.magic, PX_SHM_MAGIC, sizeof(h.magic));
    memcpy(h.nspace, init->nspace, len + 1);
    h.probe = PX_SHM_PROBE;
    h.fingerprint = px_shm_fingerprint();
    h.virtual_size = seg->size;
    h.uid = init->uid;
    h.gid = init->gid;
    h.generation = init->generation;
    h.creator = (uint32_t) getpid();
    h.epoch =
        init->epoch ? init->epoch : (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
    h.used = PX_SHM_HEADER_LEN;
    h.state = PX_SHM_LIVE;
    px_put(to, &h, sizeof(h));
    px_assert(px_header_check(seg) == 0);
    return 0;
}

int px_header_check(const struct px_segment *seg)
{
    const struct px_header *h = px_segment_header(seg);
    uint64_t state;

    if (seg->size < PX_SHM_HEADER_LEN || memcmp(h->magic, PX_SHM_MAGIC, sizeof(h->magic)) != 0) {
        return PX_ERR_UNPACK_FAILURE;
    }
    if (h->major != PX_SHM_MAJOR || h->probe != PX_SHM_PROBE ||
        h->fingerprint != px_shm_fingerprint()) {
        return PX_ERR_NOT_SUPPORTED;
    }
    state = px_load_acquire(&h->state) & UINT32_MAX; /* pairs with set_state and px_store_destroy */
    if (h->header_len != PX_SHM_HEADER_LEN || h->virtual_size != seg->size ||
        h->used < PX_SHM_HEADER_LEN || h->used > seg->size ||
        memchr(h->nspace, '\0', sizeof(h->nspace)) == NULL || state < PX_SHM_LIVE ||
        state > PX_SHM_DEAD) {
        return PX_ERR_UNPACK_FAILURE;
    }
    return 0;
}
