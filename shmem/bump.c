/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The writer's bump allocator. Allocation is exact and deterministic: the same calls give the same
 * bytes at the same offsets, in the shared form and in the private form. Memory is committed before
 * a pointer is returned, so filling it cannot fail. */

#include "shmem/bump.h"

#include "shmem/offset.h"
#include "shmem/put.h"
#include "src/base/status.h"

bool px_bump_is_valid(const struct px_bump *bump)
{
    const struct px_segment *seg = bump->seg;

    return seg && seg->writer && ((bump->next | bump->published | bump->dirty) & 7) == 0 &&
           bump->published >= PX_SHM_HEADER_LEN && bump->published <= bump->next &&
           bump->next <= bump->dirty && bump->dirty <= seg->committed &&
           seg->committed <= seg->size;
}

/* All three ends start at `used`: nothing is pending, and no byte beyond it was ever written. */
void px_bump_init(struct px_bump *bump, struct px_segment *seg, uint64_t used)
{
    bump->seg = seg;
    bump->next = px_round8(used);
    bump->published = bump->next;
    bump->dirty = bump->next;
    bump->beyond = 0;
    px_assert(px_bump_is_valid(bump));
}

/* The size is checked before the sum, so that a large n cannot wrap around. `beyond` keeps the end
 * that did not fit; px_store_grow sizes the next generation by it. */
int px_bump_take(struct px_bump *bump, uint64_t n, void **ret)
{
    uint64_t end;

    px_assert(px_bump_is_valid(bump));
    if (n > bump->seg->size || bump->next + px_round8(n) > bump->seg->size) {
        bump->beyond = bump->next + n;
        return PX_ERR_OUT_OF_RESOURCE;
    }
    end = bump->next + px_round8(n);
    if (px_segment_commit(bump->seg, end)) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    *ret = bump->seg->base + bump->next;
    bump->next = end;
    if (bump->dirty < end) {
        bump->dirty = end;
    }
    px_assert(px_bump_is_valid(bump));
    return 0;
}

/* What is committed ahead is not all mapped: `populated` counts. */
int px_bump_prepare(struct px_bump *bump, uint64_t n, uint64_t most, uint64_t *ret_more)
{
    uint64_t ready = bump->seg->populated > bump->next ? bump->seg->populated - bump->next : 0;
    uint64_t more;

    px_assert(px_bump_is_valid(bump));
    if (n > bump->seg->size || bump->next + n > bump->seg->size) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    more = n > ready ? n - ready : 0;
    more = more < most ? more : most;
    if (more && px_segment_commit(bump->seg, bump->next + ready + more)) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    *ret_more = more;
    return 0;
}

/* Only bytes below `dirty` need zeros: a rollback may have left data there. Fresh memory is
 * zero. */
int px_bump_take_zeroed(struct px_bump *bump, uint64_t n, void **ret)
{
    uint64_t dirty = bump->dirty;
    uint64_t from = bump->next;
    void *at;
    int rc = px_bump_take(bump, n, &at);

    if (rc) {
        return rc;
    }
    if (from < dirty) {
        px_put_zero(at, (dirty < bump->next ? dirty : bump->next) - from);
    }
    *ret = at;
    return 0;
}

/* The bytes up to the next multiple of 8 become zero, as the format requires. */
int px_bump_copy(struct px_bump *bump, const void *bytes, uint64_t n, uint64_t *ret_loc)
{
    void *at;
    int rc = px_bump_take(bump, n, &at);

    if (rc) {
        return rc;
    }
    px_put(at, bytes, n);
    if (n & 7) {
        px_put_zero((unsigned char *) at + n, 8 - (n & 7));
    }
    *ret_loc = px_bump_locator(bump, at);
    return 0;
}

/* `dirty` stays where it is: the bytes that are given back are no longer zero. */
void px_bump_rollback(struct px_bump *bump)
{
    px_assert(px_bump_is_valid(bump));
    bump->next = bump->published;
}

/* The first store of each publication: every word that is stored later leads below `used`. */
void px_bump_publish(struct px_bump *bump)
{
    const struct px_header *header = (const struct px_header *) (const void *) bump->seg->base;

    px_assert(px_bump_is_valid(bump));
    px_assert(header->used == bump->published);
    bump->published = bump->next;
    px_publish(&header->used, bump->next); /* pairs with px_view_refresh */
}
