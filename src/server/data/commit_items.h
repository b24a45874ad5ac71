/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COMMIT_ITEMS_H
#define PX_SERVER_COMMIT_ITEMS_H

/* The blocks of a commit, and its values. Each buffer of the message is read once: first the items
 * of the first buffer, then those that only the second one has. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "gds/kval_reader.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "src/server/collectives/modex_log.h"

/* True if the scope says that a key goes away, and servers are told of it. */
static inline bool px_commit_deletes(pmix_scope_t scope)
{
    return scope == PMIX_DEL_LOCAL || scope == PMIX_DEL_REMOTE || scope == PMIX_DEL_GLOBAL;
}

/* The blocks of a commit message, by their scopes; empty where there is none. */
struct px_commit_blocks {
    struct px_in of[PMIX_DEL_GLOBAL + 1];
};

/* Splits a commit message into its blocks. If several have one scope the last counts. What the
 * values of a block are unpacked into is bounded as in the message (px_in.most). 0,
 * PMIX_ERR_NOT_SUPPORTED (a scope that no commit has), PMIX_ERR_BAD_PARAM (values in the block for
 * everybody and in one for some, which no client sends), or the status of unpacking. */
int px_commit_blocks_find(struct px_in *in, struct px_commit_blocks *ret);

/* One value of a commit. It borrows from the message. */
struct px_commit_item {
    struct px_kval kval;
    pmix_scope_t scope; /* UNDEF: only logged, the first buffer's value of this name is published */
    bool logged;        /* it is in the list of those for other nodes */
    size_t next_logged; /* 1 + the next one in the order of the second buffer; 0: none */
    struct px_modex_log_copy copy; /* owned: what the modex log will have of a large value */
};

/* The items are in blocks, so that none is moved when the list grows. The first two blocks have 16
 * items, each of the others as many as all blocks before it together. */
enum { PX_COMMIT_BLOCK_BITS = 4, PX_COMMIT_BLOCKS = 28 };

/* All of them, in two orders: as they are in the blocks, and as a list. Owned by the commit; zeros
 * with a reader are an empty one. */
struct px_commit_items {
    struct px_kval_reader *reader;                   /* owned */
    struct px_commit_item *blocks[PX_COMMIT_BLOCKS]; /* owned; NULL behind the last one */
    size_t n;
    size_t n_local;      /* those of the first buffer */
    size_t bound;        /* all items will take no more bytes than this (px_modex_log_cost) */
    bool copied;         /* some items have a copy */
    size_t made;         /* of the arrays that they were unpacked into (px_in.made) */
    size_t expected;     /* index of the item of the first buffer that is likely to be next in the
                            second */
    size_t first_logged; /* as next_logged */
    size_t last_logged;
    struct px_map names; /* names in the first buffer to 1 + index; empty until needed */
};

/* Reads the next value of the first buffer, with its scope. logged: it is for other nodes, too. 0,
 * PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE (the values have more arrays than a request may have),
 * or another status of unpacking; then there is no item. */
int px_commit_items_first(struct px_commit_items *list, struct px_in *in, pmix_scope_t scope,
                          bool logged);

/* Reads the next value of the second buffer, after all of the first one. A value that is in both
 * has the scope PMIX_GLOBAL from then on. Statuses as of px_commit_items_first. */
int px_commit_items_second(struct px_commit_items *list, struct px_in *in);

/* The number of the block that has item `at`, and the index of the first item of a block. */
static inline size_t px_commit_block_of(size_t at)
{
    size_t n = at >> PX_COMMIT_BLOCK_BITS;

    return n ? 64 - (size_t) __builtin_clzll(n) : 0;
}
static inline size_t px_commit_block_begin(size_t block)
{
    return block ? (size_t) 1 << (block - 1 + PX_COMMIT_BLOCK_BITS) : 0;
}

/* The item with this index, which must be below list->n. */
static inline struct px_commit_item *px_commit_item(const struct px_commit_items *list, size_t at)
{
    size_t block = px_commit_block_of(at);

    px_assert(at < list->n);
    return &list->blocks[block][at - px_commit_block_begin(block)];
}

/* Frees what the list has. */
void px_commit_items_fini(struct px_commit_items *list);

#endif
