/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_GENERATION_H
#define PX_GDS_GENERATION_H

/* Moving a store to its next generation, because it is full or because much of it is garbage; and
 * lists of stores that have been replaced and still have readers. */

#include <stdbool.h>
#include <stdint.h>

struct px_store;

/* Called by px_store_publish after PMIX_ERR_OUT_OF_RESOURCE. Moves the store to a larger
 * generation, or to one without garbage, if the end of the segment was the reason and the store may
 * move. If no memfd can be had and the descriptor was never handed out, the store becomes private.
 * The old generation stays mapped. Writer's thread. 0; PMIX_ERR_OUT_OF_RESOURCE: the store is as
 * before. */
int px_store_grow(struct px_store *store);

/* Puts a store, which must not be in a list, in front of a list of stores; the list owns it then.
 * The caller's lock or thread protects the list. */
void px_store_chain(struct px_store **list, struct px_store *store);
/* Takes the first store out of a list; the caller owns it. NULL: the list is empty. */
struct px_store *px_store_unchain(struct px_store **list);

/* Housekeeping of a store that moves, to be called when nothing borrowed from it is in use: slices,
 * names, values that a batch refers to. Frees old generations, but for those into which
 * px_slice_pointer has given pointers away. Moves to a new one when the garbage is more than
 * garbage_bytes and more than a quarter of the segment; that is done in pieces, one of a few
 * milliseconds in each call. True: the store is to be called with again, whatever happens
 * meanwhile. Readers of an old generation see that it has been superseded (px_store_superseded) and
 * keep their mapping. Want of memory is no error: the store stays as it is. Writer's thread. */
bool px_store_compact(struct px_store *store);

/* True between two pieces of px_store_compact: whatever is published is published twice, and takes
 * memory in both generations. Writer's thread. */
bool px_store_is_moving(const struct px_store *store);

/* Makes a larger copy of a private store that was too full for a publication. The caller puts *ret,
 * which it owns, in the place of the store, and keeps the old one for as long as it may have
 * readers. Writer's thread. 0, PMIX_ERR_OUT_OF_RESOURCE (fullness was not the reason, or no
 * memory). */
int px_store_enlarge(const struct px_store *store, struct px_store **ret);

/* Gives up the generation that is being filled, if there is one; the store stays as it is, and does
 * not try again before there is twice as much garbage. For gds/publication.c and gds/store.c.
 * Writer's thread. */
void px_store_give_up(struct px_store *store);

/* True if the store's present generation is later than this one. Any thread that may use the
 * store. */
bool px_store_is_later(const struct px_store *store, uint32_t generation);

/* True if pointers into the store were given away (px_slice_pointer): it must stay mapped. Any
 * thread. */
bool px_store_is_pinned(const struct px_store *store);

#endif
