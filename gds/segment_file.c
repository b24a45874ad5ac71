/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Copies of segments. A copy is as long as what was used, so its header says another size than the
 * original's: the one field that differs. The writer stores `used` before any word that leads
 * beyond, so a copy during which `used` stayed the same leads nowhere outside, whatever else was
 * stored meanwhile: it may hold words of a publication that has not ended, like the segment of a
 * writer that was killed. */

#include "gds/segment_file.h"

#include <stdlib.h>
#include <string.h>

#include "gds/memo.h"
#include "gds/state.h"
#include "shmem/header.h"
#include "src/base/atomic.h"

enum { TRIES = 100 }; /* copies, before giving up */

static int copy_from_file(struct px_segment *seg, const void *bytes, size_t len)
{
    struct px_store_header *h;
    int rc = px_segment_commit(seg, len);

    if (rc) {
        return rc;
    }
    memcpy(seg->base, bytes, len);
    h = (struct px_store_header *) (void *) seg->base;
    if (h->used > len) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    h->id.virtual_size = seg->size;
    seg->writer = false;
    return px_header_check(seg, px_format_fingerprint());
}

int px_store_load(const void *bytes, size_t len, struct px_store **ret)
{
    struct px_store *store;
    int rc;

    if (len < PX_SHM_HEADER_LEN) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    store = calloc(1, sizeof(*store));
    if (!store) {
        return PMIX_ERR_NOMEM;
    }
    store->seg.fd = -1;
    store->memo = px_memo_create();
    rc = store->memo ? px_segment_create(false, len < 65536 ? 65536 : len, NULL, &store->seg)
                     : PMIX_ERR_NOMEM;
    if (rc == 0) {
        rc = copy_from_file(&store->seg, bytes, len);
    }
    if (rc) {
        store->seg.writer = false; /* nobody reads what was made so far */
        px_store_destroy(store);
        return rc;
    }
    memcpy(store->nspace, px_store_header(store)->id.name, sizeof(store->nspace));
    *ret = store;
    return 0;
}

/* Word by word, so that none is torn. pairs with px_publish */
static void copy_words(void *to, const void *from, uint64_t len)
{
    const uint64_t *words = from;
    uint64_t *copy = to;
    uint64_t i;

    for (i = 0; i < len / 8; i++) {
        copy[i] = px_load_acquire(&words[i]);
    }
}

int px_store_save(const struct px_store *store, void **ret, size_t *ret_len)
{
    const struct px_store_header *h = px_store_header(store);
    unsigned tries;

    for (tries = 0; tries < TRIES; tries++) {
        uint64_t used = px_load_acquire(&h->used); /* pairs with px_bump_publish */
        void *bytes;

        if (used < sizeof(*h) || used > store->seg.size || used % 8) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        bytes = malloc(used);
        if (!bytes) {
            return PMIX_ERR_NOMEM;
        }
        copy_words(bytes, store->seg.base, used);
        if (px_load_acquire(&h->used) == used) { /* pairs with px_bump_publish */
            *ret = bytes;
            *ret_len = used;
            return 0;
        }
        free(bytes);
    }
    return PMIX_ERR_RESOURCE_BUSY;
}
