/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The life of a store. Creating and opening both end with a mapped segment and a checked header;
 * only the writer's store has an allocator behind it. Also the words of the header that are not
 * part of a publication: flags and state. */

#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "gds/memo.h"
#include "gds/read.h"
#include "gds/state.h"
#include "shmem/header.h"
#include "shmem/put.h"
#include "generation.h"
#include "nodes.h"
#include "partial.h"

/* Under a limit on address space a store that can be replaced starts with this many bytes, or with
 * this share of the limit if that is less. */
enum { FIRST_SIZE = 1 << 20, FIRST_SHARE = 64 };

/* What takes a millisecond to copy into memory that is not prepared. */
enum { MOVE_PIECE = 1 << 20 };

/* A store without a segment, which free_store takes. It has its memo already, so that no reader
 * finds none. NULL: no memory. */
static struct px_store *store_alloc(void)
{
    struct px_store *store = calloc(1, sizeof(*store));

    if (!store) {
        return NULL;
    }
    store->seg.fd = -1;
    store->memo = px_memo_create();
    if (!store->memo) {
        free(store);
        return NULL;
    }
    return store;
}

/* For a writer, the allocator's end must agree with the header. */
bool px_store_is_valid(const struct px_store *store)
{
    const struct px_store_header *h = px_store_header(store);

    if (!store->seg.base || !store->memo || store->nspace[0] == '\0') {
        return false;
    }
    return !store->seg.writer ||
           (px_bump_is_valid(&store->bump) && store->bump.seg == &store->seg &&
            store->bump.published == h->used);
}

/* No thread reads the store any more. */
static void free_thread_caches(struct px_store *store)
{
    for (size_t i = 0; i < PX_READERS; i++) {
        free(store->thread_caches[i]);
    }
}

/* Unmaps and frees one store, not those chained to it. */
static void free_store(struct px_store *store)
{
    px_memo_destroy(store->memo);
    px_partial_fini(store);
    free_thread_caches(store);
    px_segment_close(&store->seg);
    free(store);
}

/* The epoch and the generation number come from the store before, if there is one; all else comes
 * from the options. What was made by then is freed after a failure. */
int px_store_make(const struct px_store_opts *opts, const struct px_store *before,
                  struct px_store **ret)
{
    struct px_header_init init = {.name = opts->nspace,
                                  .uid = opts->uid,
                                  .gid = opts->gid,
                                  .generation = 1,
                                  .fingerprint = PX_FORMAT_FINGERPRINT};
    struct px_store *store;
    int rc;

    if (!opts->nspace || opts->nspace[0] == '\0' || strlen(opts->nspace) > PMIX_MAX_NSLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (before) {
        init.generation = px_store_header(before)->id.generation + 1;
        init.epoch = px_store_header(before)->id.epoch;
    }
    store = store_alloc();
    if (!store) {
        return PMIX_ERR_NOMEM;
    }
    rc = px_segment_create(opts->shared, opts->virtual_size, opts->hints, &store->seg);
    if (rc == 0) {
        rc = px_header_init(&store->seg, &init);
    }
    if (rc) {
        free_store(store);
        return rc;
    }
    strcpy(store->nspace, opts->nspace); /* length checked above */
    /* Nothing is published yet: the allocator starts behind the header. */
    px_bump_init(&store->bump, &store->seg, PX_SHM_HEADER_LEN);
    store->moves = opts->moves;
    store->hints = opts->hints ? *opts->hints : (struct px_segment_hints){0};
    store->garbage_limit = opts->garbage_bytes;
    store->move_piece = opts->move_piece ? opts->move_piece : MOVE_PIECE;
    px_check(px_store_is_valid(store));
    *ret = store;
    return 0;
}

/* Where address space is limited, a store that can be replaced by a larger one starts small: a
 * private store is enlarged by its owner, one that moves enlarges itself. */
int px_store_create(const struct px_store_opts *opts, struct px_store **ret)
{
    struct px_store_opts first = *opts;
    uint64_t room = px_segment_address_space();

    if ((opts->moves || !opts->shared) && room != UINT64_MAX) {
        uint64_t small = room / FIRST_SHARE < FIRST_SIZE ? room / FIRST_SHARE : FIRST_SIZE;

        first.virtual_size =
            opts->virtual_size && opts->virtual_size < small ? opts->virtual_size : small;
    }
    return px_store_make(&first, NULL, ret);
}

/* px_segment_open closes the descriptor in every case. */
int px_store_open(int fd, struct px_store **ret)
{
    struct px_segment seg;
    int rc = px_segment_open(fd, &seg);

    return rc ? rc : px_store_read_segment(&seg, ret);
}

/* The name is copied and terminated here: nothing read from the segment is trusted to stay as it
 * was checked. */
int px_store_read_segment(struct px_segment *seg, struct px_store **ret)
{
    struct px_store *store = store_alloc();
    int rc;

    px_assert(!seg->writer);
    if (!store) {
        px_segment_close(seg);
        return PMIX_ERR_NOMEM;
    }
    store->seg = *seg;
    rc = px_header_check(seg, PX_FORMAT_FINGERPRINT);
    if (rc) {
        free_store(store);
        return rc;
    }
    memcpy(store->nspace, px_store_header(store)->id.name, sizeof(store->nspace));
    store->nspace[sizeof(store->nspace) - 1] = '\0';
    px_check(px_store_is_valid(store));
    *ret = store;
    return 0;
}

/* `used` is loaded anew each time, so what was published since is mapped too. */
void px_store_prefault(struct px_store *store, const struct px_segment_hints *hints)
{
    /* pairs with px_bump_publish */
    px_segment_prefault(&store->seg, hints, px_load_acquire(&px_store_header(store)->used));
}

/* Goes through the list of earlier generations first. Keeps the number of the next generation in
 * the upper half of the state. */
void px_store_destroy(struct px_store *store)
{
    if (!store) {
        return;
    }
    px_store_give_up(store);
    px_store_destroy(store->last);
    if (store->seg.writer) {
        uint64_t state = px_load_relaxed(&px_store_header(store)->state);

        /* pairs with px_store_info */
        px_publish(&px_store_header(store)->state, (state & ~(uint64_t) UINT32_MAX) | PX_SHM_DEAD);
    }
    free_store(store);
}

/* From now on the store cannot become private: somebody may map the descriptor. */
int px_store_fd(const struct px_store *store)
{
    ((struct px_store *) (uintptr_t) store)->fd_exported |= store->seg.fd >= 0;
    return store->seg.fd;
}

/* The copy in process memory, not the header's. */
const char *px_store_nspace(const struct px_store *store)
{
    return store->nspace;
}

/* The values are loaded one after the other, so they may be of neighbouring publications. */
void px_store_info(const struct px_store *store, struct px_store_info *ret)
{
    const struct px_store_header *h = px_store_header(store);
    const struct px_placement *place;
    struct px_read read;
    uint64_t extent;

    /* The placement is read by a pass; the header's words are read as they are. */
    px_read_begin(store, &read);
    place = px_read_placement(&read);
    extent = px_load_acquire(&h->extent); /* pairs with publish_all */
    *ret = (struct px_store_info){
        .used_bytes = px_load_acquire(&h->used),    /* pairs with px_bump_publish */
        .garbage_bytes = px_load_acquire(&h->dead), /* pairs with publish_all */
        .sequence = px_load_acquire(&h->sequence),  /* pairs with publish_all */
        .epoch = h->id.epoch,
        .generation = h->id.generation,
        .n_nodes = place ? place->n_nodes : 0,
        .n_apps = (uint32_t) (extent >> 32),
        .n_ranks = (uint32_t) extent,
        .shared = store->seg.shared,
        /* pairs with px_store_destroy */
        .dead = (px_load_acquire(&h->state) & UINT32_MAX) == PX_SHM_DEAD,
        .superseded = px_store_superseded(store),
    };
}

/* Kept with the store, so a new generation begins without it. */
uint64_t px_store_cookie(const struct px_store *store)
{
    return px_load_acquire(&store->cookie); /* pairs with px_store_set_cookie */
}

/* const, because readers keep a number with a store that they may only read. */
void px_store_set_cookie(const struct px_store *store, uint64_t mark)
{
    /* pairs with px_store_cookie */
    px_store_release(&((struct px_store *) (uintptr_t) store)->cookie, mark);
}

/* Not part of a publication: readers see it at once, with everything that was published before. */
void px_store_set_flags(struct px_store *store, uint32_t flags)
{
    if (store->seg.writer) {
        px_publish(&px_store_header(store)->flags, flags); /* pairs with px_store_flags */
    }
}

/* Bits of a newer minor version are passed on as they are. */
uint32_t px_store_flags(const struct px_store *store)
{
    /* pairs with px_store_set_flags */
    return (uint32_t) px_load_acquire(&px_store_header(store)->flags);
}
