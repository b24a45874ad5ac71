/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SPACE_H
#define PX_CLIENT_SPACE_H

/* What this process has of one namespace: its segment, where the server hands it out, and a private
 * store for everything else. The spaces are a list whose first element is our own namespace
 * (px_session.own), there from the start; another is added when data of its namespace arrive. None
 * is removed before the end of the session.
 *
 * Gets compare the name of the namespace at each call, so the space keeps the name's first two
 * words and its last one with masks, for a comparison without a loop. */

#include <pmix.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gds/store.h"
#include "src/base/atomic.h"

struct px_session;

/* One namespace as this process knows it. Owned by the session. */
struct px_space {
    /* Atomic struct px_space *: for the first space, the one that was added last; for others,
     * constant once linked. */
    void *next;
    /* Atomic struct px_store *: the newest generation that we have; NULL: none. The loop thread
     * replaces it; other threads use it within a read-side critical section. */
    void *segment;
    /* Atomic struct px_store *: values that came by message or were stored by this process; NULL:
     * none yet. Replaced and written under the session lock. */
    void *private_store;
    /* Atomic: when the server is asked for the next generation; refresh.c says how it is packed. */
    uint64_t refresh_state;
    /* Loop thread: the number of the server's change up to which the private store has all that
     * collectives have collected; 0: nothing was collected. */
    uint64_t collected;
    size_t nspace_len;
    /* Index of the name's last word, its NUL included; 0: the first two words hold the name. */
    size_t last_word;
    /* The first, the second, and the last word of the name, each with the bytes that count. */
    struct {
        uint64_t bits;
        uint64_t mask;
    } words[3];
    pmix_nspace_t nspace;
};

/* True if the struct is consistent and its stores belong to its namespace; for assertions. Loop
 * thread, or inside a read-side critical section. */
bool px_space_is_valid(const struct px_space *space);

/* Sets the name, before other threads can see the space. nspace: at most PMIX_MAX_NSLEN bytes. */
void px_space_name(struct px_space *space, const char *nspace);

/* The next space of the list, or NULL. Any thread. */
static inline struct px_space *px_space_next(const struct px_space *space)
{
    return px_load_ptr_acquire(&space->next); /* pairs with add_space */
}

/* The newest segment that this process has of the namespace, or NULL. Off the loop thread: valid
 * until the end of the read-side critical section. */
static inline struct px_store *px_space_segment(const struct px_space *space)
{
    return px_load_ptr_acquire(&space->segment); /* pairs with replace_segment */
}

/* The private store, or NULL. It may lack the latest put values: see px_space_private. Any thread.
 */
static inline const struct px_store *px_space_private_peek(const struct px_space *space)
{
    /* pairs with px_space_private_locked and enlarge_locked */
    return px_load_ptr_acquire(&space->private_store);
}

/* The store with the job information: the segment or, without one, the private store. NULL: neither
 * exists. Inside a read-side critical section. */
static inline const struct px_store *px_space_job(const struct px_space *space)
{
    const struct px_store *segment = px_space_segment(space);

    return segment != NULL ? segment : px_space_private_peek(space);
}

/* The i-th 8 bytes of a name. */
static inline uint64_t px_nspace_word(const char *nspace, size_t i)
{
    uint64_t word;

    memcpy(&word, nspace + 8 * i, sizeof(word)); /* a pmix_nspace_t has whole words up to its end */
    return word;
}

/* The bits in which word `at` of a name differs from the space's word number i (index of `words`).
 */
static inline uint64_t px_space_differs(const struct px_space *space, const char *nspace, size_t i,
                                        size_t at)
{
    return (px_nspace_word(nspace, at) ^ space->words[i].bits) & space->words[i].mask;
}

/* True if that is the namespace's name. nspace must be a whole pmix_nspace_t: it is compared word
 * by word, since a call of strcmp would cost more than the comparison. */
static inline bool px_space_is_named(const struct px_space *space, const char *nspace)
{
    uint64_t differ = px_space_differs(space, nspace, 0, 0) | px_space_differs(space, nspace, 1, 1);
    size_t last = space->last_word;

    if (last != 0) {
        differ |= px_space_differs(space, nspace, 2, last);
        for (size_t i = 2; i < last; i++) {
            differ |= px_nspace_word(nspace, i) ^ px_nspace_word(space->nspace, i);
        }
    }
    return differ == 0;
}

/* --- the list (space.c) --- */

/* The space of a namespace by its name of len bytes, at most PMIX_MAX_NSLEN; the empty name is our
 * own. NULL: nothing is known of it. Any thread, no lock. */
struct px_space *px_space_find(struct px_session *session, const char *nspace, size_t len);
/* As px_space_find, for a name that ends at a NUL or at PMIX_MAX_NSLEN. */
struct px_space *px_space_named(struct px_session *session, const char *nspace);
/* As px_space_named, but makes and links the space if it is missing. NULL: no memory. Session lock.
 */
struct px_space *px_space_meet_locked(struct px_session *session, const char *nspace);
/* Collects the stores with job information: of the space `first` (NULL: none) and, with `all`, of
 * the spaces behind it. Writes at most `room` of them to ret; returns how many there are, which may
 * be more. Inside a read-side critical section. */
size_t px_space_jobs(const struct px_space *first, bool all, const struct px_store **ret,
                     size_t room);
/* The space of what this tool has stored of another namespace by PMIx_Store_internal, or NULL. Any
 * thread, no lock. */
struct px_space *px_space_kept(struct px_session *session, const char *nspace);
/* The same; makes it if it is missing. NULL: no memory. Session lock. */
struct px_space *px_space_keep_locked(struct px_session *session, const char *nspace);
/* Frees spaces that hang together, with their stores. Takes NULL. No other thread may use them. */
void px_space_list_free(struct px_space *first);
/* Frees the stores of all spaces, and all spaces but our own. No other thread may use them. */
void px_spaces_fini(struct px_session *session);

#endif
