/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Segments as files. A copy is only as long as what was used, so a loaded segment has another size
 * than the header says: that one field is corrected. The writer stores `used` before any word that
 * leads beyond it, so a copy during which `used` stayed the same has no locator to outside,
 * whatever else was stored meanwhile. It may hold words of a publication that has not ended, like
 * the segment of a writer that was killed. */

#include "gds/segment_file.h"

#include <stdlib.h>
#include <string.h>

#include "gds/state.h"
#include "src/base/atomic.h"
#include "store.h"

enum { TRIES = 100 }; /* copies, before giving up */

/* Copies the bytes into process memory and opens them like a descriptor's; all of the reader's
 * checks apply. */
int px_store_load(const void *bytes, size_t len, struct px_store **ret)
{
    struct px_segment_id id;
    struct px_segment seg;
    int rc;

    if (len < PX_SHM_HEADER_LEN) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    rc = px_segment_create(false, len < 65536 ? 65536 : len, NULL, &seg);
    if (rc) {
        return rc;
    }
    rc = px_segment_commit(&seg, len);
    if (rc == 0) {
        memcpy(seg.base, bytes, len);
        rc = ((const struct px_header *) (const void *) seg.base)->used > len
                 ? PMIX_ERR_UNPACK_FAILURE
                 : 0;
    }
    if (rc) {
        px_segment_close(&seg);
        return rc;
    }
    /* The loaded segment is a mapping of its own size; all other fields stay as they were saved. */
    memcpy(&id, seg.base, sizeof(id));
    id.virtual_size = seg.size;
    memcpy(seg.base, &id, sizeof(id));
    seg.writer = false;
    return px_store_read_segment(&seg, ret);
}

/* Copies whole words with acquire, so that none is torn and everything that a copied word leads to
 * is in the copy or was written before. pairs with px_publish */
static void copy_words(void *to, const void *from, uint64_t len)
{
    const uint64_t *words = from;
    uint64_t *copy = to;
    uint64_t i;

    for (i = 0; i < len / 8; i++) {
        copy[i] = px_load_acquire(&words[i]);
    }
}

/* Copies until `used` is the same before and after. Each attempt allocates anew, because the
 * segment has grown since. */
int px_store_save(const struct px_store *store, void **ret, size_t *ret_len)
{
    const struct px_store_header *h = px_store_header(store);
    unsigned tries;

    for (tries = 0; tries < TRIES; tries++) {
        uint64_t used = px_load_acquire(&h->used); /* pairs with px_bump_publish */
        void *bytes;

        /* The segment may be damaged: nothing is copied from outside the mapping. */
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
