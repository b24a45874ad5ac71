/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "uncommitted.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/bytes.h"
#include "src/value/nested.h"

/* Lists up to this length are searched; longer ones have an index. */
enum { SHORT = 32 };

struct px_put_value *px_put_value_create(pmix_scope_t scope, const char *key, size_t len,
                                         const pmix_value_t *value)
{
    struct px_put_value *put = malloc(sizeof(*put) + len + 1);

    px_assert(strlen(key) == len);
    if (put == NULL) {
        return NULL;
    }
    *put = (struct px_put_value){.scope = scope, .key_len = len};
    memcpy(put->key, key, len + 1);
    if (px_value_keep(&put->value, value) != PMIX_SUCCESS) {
        free(put);
        return NULL;
    }
    return put;
}

void px_put_values_free(struct px_list *head)
{
    struct px_list *item;

    while ((item = px_list_shift(head)) != NULL) {
        struct px_put_value *put = px_container_of(item, struct px_put_value, link);

        PMIx_Value_destruct(&put->value);
        free(put);
    }
}

void px_uncommitted_init(struct px_uncommitted *all)
{
    *all = (struct px_uncommitted){0};
    px_list_init(&all->values);
}

void px_uncommitted_fini(struct px_uncommitted *all)
{
    px_put_values_free(&all->values);
    px_map_fini(&all->newest);
}

pmix_scope_t px_scope_left(pmix_scope_t scope, pmix_scope_t deletion)
{
    if (deletion == PMIX_DEL_GLOBAL || (deletion == PMIX_DEL_LOCAL && scope == PMIX_LOCAL) ||
        (deletion == PMIX_DEL_REMOTE && scope == PMIX_REMOTE)) {
        return PMIX_SCOPE_UNDEF;
    }
    if (scope != PMIX_GLOBAL) {
        return scope;
    }
    return deletion == PMIX_DEL_LOCAL ? PMIX_REMOTE : PMIX_LOCAL;
}

/* Enters all values in the index. Without memory there is none, and the next append tries again. */
static void make_index(struct px_uncommitted *all)
{
    px_list_for(struct px_put_value, put, &all->values, link) {
        if (px_map_set(&all->newest, put->key, put->key_len, put) != 0) {
            px_map_fini(&all->newest);
            return;
        }
    }
}

/* The newest value or deletion of the key, or NULL. */
static struct px_put_value *find_newest(struct px_uncommitted *all, const char *key, size_t len)
{
    if (all->n > SHORT && all->newest.used == 0) {
        make_index(all);
    }
    if (all->newest.used != 0) {
        return px_map_find(&all->newest, key, len);
    }
    for (struct px_list *at = all->values.prev; at != &all->values; at = at->prev) {
        struct px_put_value *put = px_container_of(at, struct px_put_value, link);

        if (put->key_len == len && px_same_bytes(put->key, key, len)) {
            return put;
        }
    }
    return NULL;
}

/* Says in the index, if there is one, which value is the newest of its key; NULL: there is none. */
static void note_newest(struct px_uncommitted *all, const struct px_put_value *put,
                        struct px_put_value *newest)
{
    if (all->newest.used == 0) {
        return;
    }
    if (newest == NULL) {
        (void) px_map_remove(&all->newest, put->key, put->key_len);
    } else if (px_map_set(&all->newest, put->key, put->key_len, newest) != 0) {
        px_map_fini(&all->newest);
    }
}

/* True if an older value or deletion of the key stays beside the new one, which came with this
 * scope. Changes the scope of the older one, or that of the new one, as a deletion says. */
static bool stays(struct px_put_value *older, struct px_put_value *put, pmix_scope_t scope)
{
    bool deletes = px_scope_deletes(scope);

    if (px_scope_deletes(older->scope)) {
        put->scope = deletes && older->scope != put->scope ? PMIX_DEL_GLOBAL : put->scope;
        return !deletes;
    }
    older->scope = deletes ? px_scope_left(older->scope, scope) : PMIX_SCOPE_UNDEF;
    return older->scope != PMIX_SCOPE_UNDEF;
}

/* True for a value with qualifiers, which replaces none of its key. */
static bool is_qualified(const struct px_put_value *put)
{
    return put->key_len == sizeof(PMIX_QUALIFIED_VALUE) - 1 &&
           px_same_bytes(put->key, PMIX_QUALIFIED_VALUE, sizeof(PMIX_QUALIFIED_VALUE) - 1);
}

void px_uncommitted_append(struct px_uncommitted *all, struct px_put_value *put,
                           struct px_list *dropped)
{
    const pmix_scope_t scope = put->scope;
    bool sent = scope != PMIX_INTERNAL;
    bool alone = is_qualified(put);
    struct px_put_value *older = alone ? NULL : find_newest(all, put->key, put->key_len);
    struct px_put_value *next;

    for (put->older = NULL; older != NULL; older = next) {
        next = older->older;
        older->older = NULL;
        if (stays(older, put, scope)) {
            px_assert(put->older == NULL);
            put->older = older;
        } else {
            px_list_remove(&older->link);
            px_list_append(dropped, &older->link);
            all->n--;
        }
    }
    if (!alone) {
        note_newest(all, put, sent ? put : put->older);
    }
    px_list_append(sent ? &all->values : dropped, &put->link);
    all->n += sent;
}

struct px_list *px_uncommitted_first_unstored(struct px_uncommitted *all)
{
    struct px_list *at = all->values.prev;

    while (at != &all->values && !px_container_of(at, struct px_put_value, link)->stored) {
        at = at->prev;
    }
    return at->next;
}

void px_uncommitted_take(struct px_uncommitted *all, struct px_list *taken)
{
    struct px_list *item;

    while ((item = px_list_shift(&all->values)) != NULL) {
        px_list_append(taken, item);
    }
    px_map_fini(&all->newest);
    all->n = 0;
}
