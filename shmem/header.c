/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Making and checking the header of a segment. Readers accept only the major version, the byte
 * order and the structure fingerprint that they know exactly. A minor version may only add column
 * kinds, payload forms, flags and words in reserved space; an older reader does without these. */

#include "shmem/header.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shmem/put.h"
#include "src/base/assert.h"
#include "src/base/status.h"

/* The header is built aside and written by one px_put, before anybody can map the segment. */
int px_header_init(struct px_segment *seg, const struct px_header_init *init)
{
    struct px_header *to = (struct px_header *) (void *) seg->base;
    struct px_header h = {.used = PX_SHM_HEADER_LEN, .state = PX_SHM_LIVE};
    struct px_segment_id *id = &h.id;
    size_t len = strlen(init->name);
    struct timespec now = {0};

    px_assert(seg->writer && seg->committed >= PX_SHM_HEADER_LEN);
    if (len >= sizeof(id->name)) {
        return PX_ERR_BAD_PARAM;
    }
    if (init->epoch == 0) {
        (void) clock_gettime(CLOCK_REALTIME, &now); /* only has to differ */
    }
    memcpy(id->magic, PX_SHM_MAGIC, sizeof(id->magic));
    memcpy(id->name, init->name, len + 1);
    id->major = PX_SHM_MAJOR;
    id->minor = PX_SHM_MINOR;
    id->header_len = PX_SHM_HEADER_LEN;
    id->probe = PX_SHM_PROBE;
    id->fingerprint = init->fingerprint;
    id->virtual_size = seg->size;
    id->uid = init->uid;
    id->gid = init->gid;
    id->generation = init->generation;
    id->creator = (uint32_t) getpid();
    id->epoch =
        init->epoch ? init->epoch : (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
    px_put(to, &h, sizeof(h));
    px_assert(px_header_check(seg, init->fingerprint) == 0);
    return 0;
}

/* Magic first, then version, so that damage and a foreign format give different statuses. Nothing
 * behind the header is looked at. */
int px_header_check(const struct px_segment *seg, uint64_t fingerprint)
{
    const struct px_header *h = px_segment_header(seg);
    const struct px_segment_id *id = &h->id;
    uint64_t state;

    if (seg->size < PX_SHM_HEADER_LEN || memcmp(id->magic, PX_SHM_MAGIC, sizeof(id->magic)) != 0) {
        return PX_ERR_UNPACK_FAILURE;
    }
    if (id->major != PX_SHM_MAJOR || id->probe != PX_SHM_PROBE || id->fingerprint != fingerprint) {
        return PX_ERR_NOT_SUPPORTED;
    }
    state = px_load_acquire(&h->state) & UINT32_MAX; /* pairs with set_state and px_store_destroy */
    if (id->header_len != PX_SHM_HEADER_LEN || id->virtual_size != seg->size ||
        h->used < PX_SHM_HEADER_LEN || h->used > seg->size ||
        memchr(id->name, '\0', sizeof(id->name)) == NULL || state < PX_SHM_LIVE ||
        state > PX_SHM_DEAD) {
        return PX_ERR_UNPACK_FAILURE;
    }
    return 0;
}
