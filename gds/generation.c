/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Generations. A store moves when too much of its segment is garbage, or when the segment is full:
 * the live data are copied into a new segment, of which no reader knows yet; then one store to the
 * old segment's state marks it superseded. Nothing is ever published in a segment after that store,
 * and the new descriptor is not handed out before it, so a reader of the new segment finds
 * everything that was in the old one (docs/memory-model.md, section 9). */

#include "generation.h"

#include "gds/compact.h"
#include "gds/state.h"
#include "shmem/put.h"
#include "gds/verify.h"
#include "store.h"

/* A store moves when more than one byte in this many is garbage. */
enum { DEAD_SHARE = 4 };

/* Stores the state and the number of the next generation as one word, so that a reader never sees
 * one without the other. */
static void set_state(const struct px_store *store, uint64_t state, uint32_t next)
{
    /* pairs with px_store_superseded */
    px_publish(&px_store_header(store)->state, (uint64_t) next << 32 | state);
}

/* Destroys a generation without marking its segment dead: either it was never published, or its
 * state already says superseded. */
static void drop_generation(struct px_store *store)
{
    store->seg.writer = false; /* nobody reads it: nobody is told */
    px_store_destroy(store);
}

/* Forgets the generation that is being filled, if there is one. */
static void drop_next(struct px_store *store)
{
    px_compaction_end(store->compaction);
    if (store->next) {
        drop_generation(store->next);
    }
    store->compaction = NULL;
    store->next = NULL;
}

/* Makes the next generation, which is empty and must not move before it is filled: it would be
 * superseded before anybody has seen it. The caller owns *ret. PMIX_ERR_OUT_OF_RESOURCE also if the
 * system granted less address space than asked for; else statuses of px_store_make. */
static int make_empty(const struct px_store *store, bool shared, uint64_t size,
                      struct px_store **ret)
{
    const struct px_store_header *h = px_store_header(store);
    struct px_store_opts opts = {
        .nspace = store->nspace,
        .shared = shared,
        .virtual_size = size,
        .hints = &store->hints,
        .uid = h->id.uid,
        .gid = h->id.gid,
        .moves = true,
        .garbage_bytes = store->garbage_limit,
        .move_piece = store->move_piece,
    };
    struct px_store *next;
    int rc = px_store_make(&opts, store, &next);

    if (rc) {
        return rc;
    }
    next->moves = false;
    if (next->seg.size < size) {
        drop_generation(next);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    *ret = next;
    return 0;
}

/* The last step: from now on the generation is one that moves itself. */
static void complete(struct px_store *next)
{
    next->moves = true;
    px_verify(px_format_verify(&next->seg, PX_VERIFY_ALL, NULL) == 0);
}

/* Copies what is live, one piece after the other. Statuses of px_compaction_go_on. */
static int copy_all(const struct px_store *store, struct px_store *next)
{
    struct px_compaction *compaction = px_compaction_begin(store, next);
    bool done = false;
    int rc = compaction ? 0 : PMIX_ERR_NOMEM;

    while (rc == 0 && !done) {
        rc = px_compaction_go_on(compaction, store->move_piece, &done);
    }
    px_compaction_end(compaction);
    return rc;
}

/* Makes the next generation with a copy of what is live. The store is unchanged; the caller owns
 * *ret. Statuses of make_empty and copy_all. */
static int make_next(const struct px_store *store, bool shared, uint64_t size,
                     struct px_store **ret)
{
    struct px_store *next;
    int rc = make_empty(store, shared, size, &next);

    if (rc) {
        return rc;
    }
    rc = copy_all(store, next);
    if (rc) {
        drop_generation(next);
        return rc;
    }
    complete(next);
    *ret = next;
    return 0;
}

/* Marks the store's generation superseded and lets the store become the next one. The px_store
 * object stays, with the contents of `next`; `next`, which is taken, gets the old contents and
 * heads the list of earlier generations. */
static void move_to(struct px_store *store, struct px_store *next)
{
    struct px_store old = *store;

    px_assert(px_store_header(next)->id.generation == px_store_header(store)->id.generation + 1);
    px_assert(px_store_header(next)->id.epoch == px_store_header(store)->id.epoch);
    px_assert(px_store_header(next)->sequence >= px_store_header(store)->sequence);
    px_assert(next->last == NULL && !next->next && !store->next && !next->partial);
    /* From here on readers of the old generation ask for the new one. */
    set_state(store, PX_SHM_SUPERSEDED, px_store_header(next)->id.generation);
    *store = *next;
    *next = old;
    /* Both allocators point to the segment inside the object that they are in now. */
    store->bump.seg = &store->seg;
    next->bump.seg = &next->seg;
    store->last = next;
    store->fd_exported = next->fd_exported;
    px_check(px_store_is_valid(store) && px_store_is_valid(next));
}

/* Twice the size that was needed, so that the number of moves grows with the logarithm of the
 * size. */
int px_store_enlarge(const struct px_store *store, struct px_store **ret)
{
    uint64_t need = store->bump.beyond;
    struct px_store *next;

    if (need <= store->seg.size || need > UINT64_MAX / 4 ||
        make_next(store, false, need * 2, &next)) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    next->moves = store->moves;
    *ret = next;
    return 0;
}

/* Tries a segment of twice the size; then, if enough is garbage, one of the same size; then, if
 * nobody has the descriptor, process memory. */
int px_store_grow(struct px_store *store)
{
    uint64_t size = store->seg.size;
    uint64_t need = store->bump.beyond > size ? store->bump.beyond : size;
    struct px_store *next;
    int rc;

    if (!store->moves || store->bump.beyond == 0 || need > UINT64_MAX / 4) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    drop_next(store);
    /* Without `beyond` the failure had another reason than the end of the segment. */
    rc = make_next(store, store->seg.shared, need * 2, &next);
    if (rc && px_store_header(store)->dead > store->bump.published / DEAD_SHARE) {
        rc = make_next(store, store->seg.shared, size, &next);
    }
    if (rc && store->seg.shared && !store->fd_exported) {
        rc = make_next(store, false, need * 2, &next);
    }
    if (rc) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    move_to(store, next);
    return 0;
}

/* The number is constant in a segment, so one plain load will do. */
bool px_store_is_later(const struct px_store *store, uint32_t generation)
{
    return px_store_header(store)->id.generation > generation;
}

bool px_store_is_pinned(const struct px_store *store)
{
    return px_load_acquire(&store->pinned) != 0; /* pairs with px_slice_pointer */
}

/* Frees the old generations that no pointer values lead into. Their segments stay mapped in other
 * processes for as long as those like. */
static void forget_generations(struct px_store *store)
{
    struct px_store **at = &store->last;

    while (*at) {
        struct px_store *old = *at;

        if (px_store_is_pinned(old)) {
            at = &old->last;
        } else {
            *at = old->last;
            old->last = NULL;
            drop_generation(old);
        }
    }
}

/* A store that cannot move shall not try at every occasion. */
static void try_later(struct px_store *store)
{
    store->garbage_limit = px_store_header(store)->dead * 2;
}

void px_store_give_up(struct px_store *store)
{
    if (store->next) {
        drop_next(store);
        try_later(store);
    }
}

bool px_store_is_moving(const struct px_store *store)
{
    return store->next != NULL;
}

/* Begins to fill the next generation. False: want of memory. */
static bool begin_move(struct px_store *store)
{
    if (make_empty(store, store->seg.shared, store->seg.size, &store->next)) {
        store->next = NULL;
        try_later(store);
        return false;
    }
    store->compaction = px_compaction_begin(store, store->next);
    if (!store->compaction) {
        px_store_give_up(store);
    }
    return store->compaction != NULL;
}

/* The generation that is being filled has everything: the store becomes that one. */
static void end_move(struct px_store *store)
{
    struct px_store *next = store->next;

    px_compaction_end(store->compaction);
    store->compaction = NULL;
    store->next = NULL;
    complete(next);
    move_to(store, next);
    forget_generations(store);
}

bool px_store_compact(struct px_store *store)
{
    const struct px_store_header *h = px_store_header(store);
    bool done;

    if (!store->moves) {
        return false;
    }
    forget_generations(store);
    if (!store->next && (store->partial || h->dead <= store->garbage_limit ||
                         h->dead <= store->bump.published / DEAD_SHARE || !begin_move(store))) {
        return false;
    }
    if (px_compaction_go_on(store->compaction, store->move_piece, &done)) {
        px_store_give_up(store);
    } else if (done) {
        end_move(store);
    }
    return store->next != NULL;
}

/* The list runs through `last`, which is free: such a store has no earlier generations. */
void px_store_chain(struct px_store **list, struct px_store *store)
{
    px_assert(store->last == NULL);
    store->last = *list;
    *list = store;
}

/* The store is a list of its own afterwards, so px_store_destroy frees it alone. */
struct px_store *px_store_unchain(struct px_store **list)
{
    struct px_store *store = *list;

    if (store) {
        *list = store->last;
        store->last = NULL;
    }
    return store;
}
