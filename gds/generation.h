/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_GENERATION_H
#define PX_GDS_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

struct px_store;

/* After PMIX_ERR_OUT_OF_RESOURCE from publishing: moves to a larger generation, or one without what
 * is dead, if the end of the segment was the reason and one can be had. A store of which nobody has
 * the descriptor becomes private before it gives up. The old one stays mapped. 0 or the same. */
int px_store_grow(struct px_store *store);

/* Puts a store in front of a list of stores that are kept; it is taken out of it. */
void px_store_chain(struct px_store **list, struct px_store *store);
struct px_store *px_store_unchain(struct px_store **list);

/* Housekeeping of a store that moves, to be called when nothing borrowed from it is in use: slices,
 * names, values that a batch refers to. Moves to a new generation when more than a quarter and more
 * than garbage_bytes of the segment is dead, and forgets old ones, but for those of which
 * px_slice_pointer has given pointers away. Readers of an old generation see that it has been
 * superseded (px_store_info) and keep what they have mapped. Want of memory is no error: things
 * stay as they are. */
void px_store_compact(struct px_store *store);

/* A private store that has refused a publication because it was full: the same in a larger one,
 * which takes its place; the caller keeps the old one for as long as somebody may read it. The
 * writer's thread. 0, PMIX_ERR_OUT_OF_RESOURCE (that was not the reason, or no room). */
int px_store_enlarge(const struct px_store *store, struct px_store **ret);

/* Whether the store is of a later generation than this. */
bool px_store_is_later(const struct px_store *store, uint32_t generation);

/* Whether pointers into the store were given away (px_slice_pointer). Any thread. */
bool px_store_is_pinned(const struct px_store *store);

#endif
