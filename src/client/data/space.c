/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The list of namespaces that this process has data of. It only grows while the context is up (a
 * tool has one for each of its servers, primary.c), so readers follow it without a lock; all of it
 * goes at the end. */

#include "space.h"

#include <stdlib.h>

#include "gds/state.h"
#include "src/client/session.h"

/* Fills words[i] from word `at` of the name. The mask covers the name and its NUL; a word behind
 * them has an empty mask and equals everything. */
static void note_word(struct px_space *space, size_t i, size_t at)
{
    size_t counted = space->nspace_len + 1;
    size_t n = counted > 8 * at ? counted - 8 * at : 0;
    unsigned char bytes[8] = {0};

    memset(bytes, 0xff, n < 8 ? n : 8);
    memcpy(&space->words[i].mask, bytes, sizeof(bytes));
    space->words[i].bits = px_nspace_word(space->nspace, at);
}

/* last_word 0 stands for a name that the first two words hold with its NUL. */
void px_space_name(struct px_space *space, const char *nspace)
{
    PMIx_Load_nspace(space->nspace, nspace);
    space->nspace_len = strlen(space->nspace);
    space->last_word = space->nspace_len < 16 ? 0 : space->nspace_len / 8;
    note_word(space, 0, 0);
    note_word(space, 1, 1);
    note_word(space, 2, space->last_word);
    px_assert(px_space_is_named(space, space->nspace));
}

bool px_space_is_valid(const struct px_space *space)
{
    const struct px_store *segment = px_space_segment(space);
    const struct px_store *private_store = px_space_private_peek(space);

    return space->nspace_len == strlen(space->nspace) && px_space_is_named(space, space->nspace) &&
           (segment == NULL ||
            (segment->seg.shared && strcmp(px_store_nspace(segment), space->nspace) == 0)) &&
           (private_store == NULL || (!private_store->seg.shared &&
                                      strcmp(px_store_nspace(private_store), space->nspace) == 0));
}

/* The space of that name among those from `at` on, or NULL. */
static struct px_space *find_from(struct px_space *at, const char *nspace, size_t len)
{
    while (at != NULL && (at->nspace_len != len || memcmp(at->nspace, nspace, len) != 0)) {
        at = px_space_next(at);
    }
    return at;
}

struct px_space *px_space_find(struct px_session *session, const char *nspace, size_t len)
{
    px_assert(len <= PMIX_MAX_NSLEN);
    return len == 0 ? &session->own : find_from(&session->own, nspace, len);
}

struct px_space *px_space_named(struct px_session *session, const char *nspace)
{
    return px_space_find(session, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
}

/* Makes a space and puts it first in the list at `head`. NULL: no memory. */
static struct px_space *add_space(void **head, const char *nspace)
{
    struct px_space *space = calloc(1, sizeof(*space));

    if (space == NULL) {
        return NULL;
    }
    px_space_name(space, nspace);
    space->next = *head;
    px_assert(px_space_is_valid(space));
    px_store_ptr_release(head, space); /* pairs with px_space_next and px_space_kept */
    return space;
}

/* New spaces go behind the first, which is our own. */
struct px_space *px_space_meet_locked(struct px_session *session, const char *nspace)
{
    struct px_space *space = px_space_named(session, nspace);

    px_assert(px_lock_held(&session->lock));
    return space != NULL ? space : add_space(&session->own.next, nspace);
}

struct px_space *px_space_kept(struct px_session *session, const char *nspace)
{
    /* pairs with add_space */
    return find_from(px_load_ptr_acquire(&session->kept_spaces), nspace,
                     strnlen(nspace, PMIX_MAX_NSLEN));
}

struct px_space *px_space_keep_locked(struct px_session *session, const char *nspace)
{
    struct px_space *space = px_space_kept(session, nspace);

    px_assert(px_lock_held(&session->lock));
    return space != NULL ? space : add_space(&session->kept_spaces, nspace);
}

size_t px_space_jobs(const struct px_space *first, bool all, const struct px_store **ret,
                     size_t room)
{
    size_t n = 0;

    for (const struct px_space *at = first; at != NULL; at = all ? px_space_next(at) : NULL) {
        const struct px_store *store = px_space_job(at);

        if (store != NULL && n < room) {
            ret[n] = store;
        }
        n += store != NULL;
    }
    return n;
}

/* Frees the stores of a space and leaves it empty. */
static void fini_one(struct px_space *space)
{
    px_store_destroy(space->private_store);
    px_store_destroy(space->segment);
    space->private_store = NULL;
    space->segment = NULL;
    space->refresh_state = 0;
    space->collected = 0;
}

void px_space_list_free(struct px_space *first)
{
    while (first != NULL) {
        struct px_space *next = first->next;

        fini_one(first);
        free(first);
        first = next;
    }
}

void px_spaces_fini(struct px_session *session)
{
    struct px_space *others = session->own.next;

    session->own.next = NULL;
    session->fast_store = NULL;
    session->arrived = NULL;
    fini_one(&session->own);
    px_space_list_free(others);
}
