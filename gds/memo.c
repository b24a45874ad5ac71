/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The memo of pointer values: a trie over the bits of a hash. The top node has 256 words, every
 * other node 16. A word is 0, or the address of a leaf (lowest bit set), or the address of a node.
 * A word that is 0 or leads to a leaf may change, by compare-and-swap; one that leads to a node
 * never does. Nothing is removed before the end of the store, so readers take no lock. A thread
 * whose compare-and-swap fails frees the node or leaf that it has made. Leaves with equal hashes
 * form a list. */

#include "gds/memo.h"

#include <stdlib.h>
#include <string.h>

#include "gds/format.h"
#include "gds/thread_cache.h"
#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/hash.h"
#include "src/wire/codec.h"
#include "slice.h"

enum { ROOT_BITS = 8, NODE_BITS = 4, HASH_BITS = 64 };

/* An inner node: one word per value of the next four bits of the hash. */
struct node {
    uint64_t child[1 << NODE_BITS]; /* atomic, stored by px_cas */
};

/* The memo of one store: the top of the trie. */
struct px_memo {
    uint64_t child[1 << ROOT_BITS]; /* atomic, stored by px_cas */
};

/* A ready-made value and what identifies it. Immutable once a word leads to it; owned by the memo
 * from then on. */
struct leaf {
    uint64_t hash;
    uint64_t next; /* atomic: struct leaf * of the same hash, stored by px_cas; 0: none */
    uint64_t what; /* locator, or the word of a column's value */
    uint64_t kind; /* 0: locator; else 1 + its type */
    pmix_value_t value;
    bool owns;                 /* the value has memory of its own */
    pmix_data_array_t array[]; /* that of value.data, when the elements are in the segment */
};

/* All words are 0. */
struct px_memo *px_memo_create(void)
{
    return calloc(1, sizeof(struct px_memo));
}

/* The leaf behind a word whose lowest bit is set. */
static struct leaf *as_leaf(uint64_t word)
{
    return (struct leaf *) (uintptr_t) (word & ~UINT64_C(1));
}

/* Frees a leaf, with what its value owns. */
static void destroy_leaf(struct leaf *leaf)
{
    if (leaf->owns) {
        PMIx_Value_destruct(&leaf->value);
    }
    free(leaf);
}

/* Frees a leaf and those of the same hash. */
static void destroy_leaves(struct leaf *leaf)
{
    while (leaf) {
        struct leaf *next = (struct leaf *) (uintptr_t) leaf->next;

        destroy_leaf(leaf);
        leaf = next;
    }
}

/* Frees everything below n words. At most 14 levels deep: each takes four bits of the hash. */
static void destroy_words(uint64_t *words, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (words[i] & 1) {
            destroy_leaves(as_leaf(words[i]));
        } else if (words[i]) {
            struct node *below = (struct node *) (uintptr_t) words[i];

            destroy_words(below->child, 1 << NODE_BITS);
            free(below);
        }
    }
}

/* Every thread has left the store before (a grace period). */
void px_memo_destroy(struct px_memo *memo)
{
    if (memo) {
        destroy_words(memo->child, 1 << ROOT_BITS);
        free(memo);
    }
}

/* Makes the leaf's value. Strings, bytes and elements of arrays stay in the segment; other types
 * get memory of their own, and leaf->owns says so. */
static int aim(const struct px_slice *slice, struct leaf *leaf)
{
    struct px_array head;

    if (slice->form != PX_FORM_ARRAY) {
        return px_slice_borrow(slice, &leaf->value, &leaf->owns);
    }
    leaf->value.type = slice->type;
    if (slice->len >= sizeof(head)) {
        const unsigned char *payload = slice->payload;

        memcpy(&head, payload, sizeof(head));
        leaf->array->type = head.type;
        leaf->array->size = head.n;
        leaf->array->array = head.n ? (void *) (uintptr_t) (payload + sizeof(head)) : NULL;
        leaf->value.data.darray = leaf->array;
    }
    return 0;
}

/* A new leaf for a slice, owned by the caller; or NULL with *ret_rc: PMIX_ERR_NOMEM,
 * PMIX_ERR_UNPACK_FAILURE. A leaf for an array in place has the pmix_data_array_t behind it. */
static struct leaf *make_leaf(const struct px_slice *slice, uint64_t hash, uint64_t what,
                              uint64_t kind, int *ret_rc)
{
    size_t n_arrays = slice->form == PX_FORM_ARRAY ? 1 : 0;
    struct leaf *leaf = calloc(1, sizeof(*leaf) + n_arrays * sizeof(leaf->array[0]));

    *ret_rc = PMIX_ERR_NOMEM;
    if (!leaf) {
        return NULL;
    }
    leaf->hash = hash;
    leaf->what = what;
    leaf->kind = kind;
    *ret_rc = aim(slice, leaf);
    if (*ret_rc) {
        free(leaf);
        return NULL;
    }
    return leaf;
}

/* A new node that holds one leaf, to take the place of the leaf's word. NULL: no memory. */
static struct node *push_down(uint64_t leaf_word, unsigned shift)
{
    struct node *below = calloc(1, sizeof(*below));

    px_assert((leaf_word & 1) != 0 && shift < HASH_BITS);
    if (below) {
        below->child[(as_leaf(leaf_word)->hash >> shift) & ((1 << NODE_BITS) - 1)] = leaf_word;
    }
    return below;
}

/* True if that is the leaf of this value. */
static bool is_of(const struct leaf *leaf, uint64_t what, uint64_t kind)
{
    return leaf->what == what && leaf->kind == kind;
}

/* Appends a leaf to the list of those with its hash, unless an equal one is in it. Returns the one
 * to use. */
static struct leaf *chain(struct leaf *at, struct leaf *leaf)
{
    px_assert(at->hash == leaf->hash);
    while (!is_of(at, leaf->what, leaf->kind)) {
        /* pairs with chain and find_leaf */
        if (px_cas(&at->next, 0, (uint64_t) (uintptr_t) leaf)) {
            return leaf;
        }
        at = (struct leaf *) (uintptr_t) px_load_acquire(&at->next); /* pairs with chain */
    }
    return at;
}

/* Inserts a leaf, or finds the equal one that another thread has inserted; *ret is the one to use,
 * and the caller frees its own if it is not that. 0 or PMIX_ERR_NOMEM. */
static int insert(struct px_memo *memo, struct leaf *leaf, struct leaf **ret)
{
    uint64_t *place = &memo->child[leaf->hash & ((1 << ROOT_BITS) - 1)];
    unsigned shift = ROOT_BITS;

    px_assert(((uintptr_t) leaf & 1) == 0);
    for (;;) {
        uint64_t word = px_load_acquire(place); /* pairs with insert */

        if (word == 0) {
            /* pairs with insert and find_leaf */
            if (px_cas(place, 0, (uint64_t) (uintptr_t) leaf | 1)) {
                *ret = leaf;
                return 0;
            }
        } else if ((word & 1) && as_leaf(word)->hash == leaf->hash) {
            /* Equal hashes cannot be told apart by going deeper. */
            *ret = chain(as_leaf(word), leaf);
            return 0;
        } else if (word & 1) {
            /* Another leaf is in the way: put a node in its place and go on in that. */
            struct node *below = push_down(word, shift);

            if (!below) {
                return PMIX_ERR_NOMEM;
            }
            /* pairs with insert and find_leaf */
            if (!px_cas(place, word, (uint64_t) (uintptr_t) below)) {
                free(below);
            }
        } else {
            struct node *below = (struct node *) (uintptr_t) word;

            place = &below->child[(leaf->hash >> shift) & ((1 << NODE_BITS) - 1)];
            shift += NODE_BITS;
        }
    }
}

/* The leaf of a value, or NULL. Loads only: no reader stores to the trie when the value is there.
 */
static struct leaf *find_leaf(struct px_memo *memo, uint64_t hash, uint64_t what, uint64_t kind)
{
    /* pairs with insert */
    uint64_t word = px_load_acquire(&memo->child[hash & ((1 << ROOT_BITS) - 1)]);
    struct leaf *leaf = NULL;
    unsigned shift;

    for (shift = ROOT_BITS; word && (word & 1) == 0 && shift < HASH_BITS; shift += NODE_BITS) {
        const struct node *below = (const struct node *) (uintptr_t) word;

        /* pairs with insert */
        word = px_load_acquire(&below->child[(hash >> shift) & ((1 << NODE_BITS) - 1)]);
    }
    /* The loop ends at 0 or at a leaf, which may be that of another value. */
    if (word & 1) {
        leaf = as_leaf(word);
    }
    while (leaf && !is_of(leaf, what, kind)) {
        leaf = (struct leaf *) (uintptr_t) px_load_acquire(&leaf->next); /* pairs with chain */
    }
    return leaf;
}

/* A value that the memo did not have a moment ago: its leaf is made outside the trie and then
 * inserted; a leaf that came second is freed. Statuses as px_memo_value. */
static __attribute__((noinline)) int add_value(struct px_memo *memo, const struct px_slice *slice,
                                               uint64_t what, uint64_t kind,
                                               const pmix_value_t **ret)
{
    struct leaf *leaf = NULL;
    struct leaf *mine;
    int rc;

    mine = make_leaf(slice, px_hash_mix(what, kind), what, kind, &rc);
    if (!mine) {
        return rc;
    }
    rc = insert(memo, mine, &leaf);
    if (rc || leaf != mine) {
        destroy_leaf(mine);
    }
    if (rc == 0) {
        *ret = &leaf->value;
    }
    return rc;
}

/* Only the first reader of a value makes it. */
int px_memo_value(struct px_memo *memo, const struct px_slice *slice, const pmix_value_t **ret)
{
    uint64_t what = slice->locator ? slice->locator : slice->word;
    uint64_t kind = slice->locator ? 0 : 1 + (uint64_t) slice->type;
    const struct leaf *leaf = find_leaf(memo, px_hash_mix(what, kind), what, kind);

    if (!leaf) {
        return add_value(memo, slice, what, kind, ret);
    }
    *ret = &leaf->value;
    return 0;
}

/* Threads beyond the number of readers have none. The array is published with release because the
 * next thread of this number will find it. Its words are relaxed atomics: only the one thread that
 * has the number now stores them. */
struct px_thread_cache *px_memo_thread_cache(const struct px_store *store,
                                             const struct px_reader *reader)
{
    void **place = &((struct px_store *) (uintptr_t) store)->thread_caches[reader->number];
    struct px_thread_cache *mine = NULL;

    if (reader->number < PX_READERS) {
        mine = calloc(1, sizeof(*mine));
        /* pairs with px_thread_cache_find and px_thread_cache_put */
        px_store_ptr_release(place, mine);
    }
    return mine;
}
