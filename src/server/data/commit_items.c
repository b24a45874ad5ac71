/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading the values of a commit. Those in both buffers are usually the same bytes in the same
 * order; such a value is recognised by comparing bytes and is not unpacked again. */

#include "commit_items.h"

#include <stdlib.h>

#include "src/base/assert.h"
#include "src/base/release.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"

/* True if a commit may have a block of this scope. */
static bool is_block(pmix_scope_t scope)
{
    return scope == PMIX_LOCAL || scope == PMIX_REMOTE || scope == PMIX_GLOBAL ||
           px_commit_deletes(scope);
}

int px_commit_blocks_find(struct px_in *in, struct px_commit_blocks *ret)
{
    for (int i = 0; i <= PMIX_DEL_GLOBAL; i++) {
        ret->of[i] = px_in_make(NULL, 0, in->kind);
    }
    while (px_in_left(in)) {
        pmix_scope_t scope;
        struct px_in inner;

        (void) px_unpack_one(in, PMIX_SCOPE, &scope);
        if (px_unpack_buffer_view(in, &inner)) {
            break;
        }
        if (!is_block(scope)) {
            return PMIX_ERR_NOT_SUPPORTED;
        }
        inner.most = in->most;
        ret->of[scope] = inner;
    }
    if (px_in_left(&ret->of[PMIX_GLOBAL]) &&
        (px_in_left(&ret->of[PMIX_LOCAL]) || px_in_left(&ret->of[PMIX_REMOTE]))) {
        return PMIX_ERR_BAD_PARAM;
    }
    return in->status;
}

static size_t size_of_block(size_t block)
{
    return (px_commit_block_begin(block + 1) - px_commit_block_begin(block)) *
           sizeof(struct px_commit_item);
}

/* Makes room for one more item. 0 or PMIX_ERR_NOMEM. */
static int make_room(struct px_commit_items *list)
{
    size_t block = px_commit_block_of(list->n);

    if (block == PX_COMMIT_BLOCKS) {
        return PMIX_ERR_NOMEM;
    }
    if (!list->blocks[block]) {
        list->blocks[block] = malloc(size_of_block(block));
    }
    return list->blocks[block] ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* Appends the next value of a buffer. The item counts only if it could be read. The arrays of all
 * values together are bounded. */
static int read_item(struct px_commit_items *list, struct px_in *in, pmix_scope_t scope)
{
    struct px_commit_item *item;
    int rc = make_room(list);

    if (rc) {
        return rc;
    }
    item = px_commit_item(list, list->n++);
    *item = (struct px_commit_item){.scope = scope};
    in->made = list->made;
    rc = px_kval_reader_next(list->reader, in, &item->kval);
    list->made = in->made;
    if (rc) {
        list->n--;
    } else {
        list->bound += px_modex_log_cost(item->kval.len, item->kval.len); /* the name is a part */
    }
    return rc;
}

/* Marks an item as one for other nodes: it will enter the modex log, after those marked before. */
static void add_logged(struct px_commit_items *list, size_t at)
{
    struct px_commit_item *item = px_commit_item(list, at);

    px_assert(!item->logged);
    if (list->last_logged) {
        px_commit_item(list, list->last_logged - 1)->next_logged = at + 1;
    } else {
        list->first_logged = at + 1;
    }
    item->logged = true;
    list->last_logged = at + 1;
}

int px_commit_items_first(struct px_commit_items *list, struct px_in *in, pmix_scope_t scope,
                          bool logged)
{
    int rc = read_item(list, in, scope);

    if (!rc && logged) {
        add_logged(list, list->n - 1);
    }
    list->n_local = list->n;
    return rc;
}

/* Fills list->names. Only needed if the two buffers differ in their order or their values. */
static int list_names(struct px_commit_items *list)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < list->n_local; i++) {
        struct px_kval_name name;

        rc = px_kval_name(&px_commit_item(list, i)->kval, &name);
        rc = rc ? rc : px_map_set(&list->names, name.bytes, name.len, (void *) (uintptr_t) (i + 1));
        px_buf_fini(&name.room);
    }
    return rc;
}

/* Finds the last item of the first buffer that has the name of the item read last; the name of a
 * qualified value includes its qualifiers. *ret is 1 + its index, or 0 for none. 0, PMIX_ERR_NOMEM
 * or the status of unpacking. */
static int find_local(struct px_commit_items *list, size_t *ret)
{
    struct px_kval_name name;
    int rc = list->names.used ? PMIX_SUCCESS : list_names(list);

    px_assert(list->n > list->n_local);
    rc = rc ? rc : px_kval_name(&px_commit_item(list, list->n - 1)->kval, &name);
    if (!rc) {
        *ret = (uintptr_t) px_map_find(&list->names, name.bytes, name.len);
        px_buf_fini(&name.room);
    }
    return rc;
}

/* A value that is not the expected one is unpacked, and its name is searched among those of the
 * first buffer. */
int px_commit_items_second(struct px_commit_items *list, struct px_in *in)
{
    const struct px_commit_item *next =
        list->expected < list->n_local ? px_commit_item(list, list->expected) : NULL;
    size_t local;
    int rc;

    if (next && !next->logged && px_kval_is_next(&next->kval, in)) {
        local = list->expected + 1;
        in->at += next->kval.len;
        add_logged(list, local - 1);
    } else {
        rc = read_item(list, in, PMIX_REMOTE);
        rc = rc ? rc : find_local(list, &local);
        if (rc) {
            return rc;
        }
        add_logged(list, list->n - 1);
        if (local) {
            px_commit_item(list, list->n - 1)->scope = PMIX_SCOPE_UNDEF;
        }
    }
    if (local) {
        px_commit_item(list, local - 1)->scope = PMIX_GLOBAL;
        list->expected = local;
    }
    return PMIX_SUCCESS;
}

/* The memory of many items is given back elsewhere, and looked at no more than it has to be. */
void px_commit_items_fini(struct px_commit_items *list)
{
    for (size_t i = 0; list->copied && i < list->n; i++) {
        px_modex_log_item_free(px_commit_item(list, i)->copy.item);
    }
    px_kval_reader_destroy(list->reader);
    px_map_fini(&list->names);
    for (size_t i = 0; i < PX_COMMIT_BLOCKS; i++) {
        px_release_block(list->blocks[i], size_of_block(i));
    }
    *list = (struct px_commit_items){0};
}
