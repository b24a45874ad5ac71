/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A modex log is a list of packed values in ascending order of their numbers, and a map from a
 * value's name to its item. A replaced value is appended with a new number; so a delta is the
 * tail of the list, and packing it is copying bytes. */

#include "modex_log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gds/kval_reader.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/release.h"
#include "src/wire/messages.h"

/* One value: the newest of its name. Owned by the list; the map points to it. */
struct px_modex_log_item {
    struct px_list link;
    uint64_t number;
    bool deleted; /* the entry says that the key is gone */
    size_t len;
    unsigned char bytes[]; /* one KVAL operation */
};

/* The item of a list entry. */
static struct px_modex_log_item *item_of(struct px_list *link)
{
    return px_container_of(link, struct px_modex_log_item, link);
}

size_t px_modex_log_cost(size_t name_len, size_t len)
{
    return sizeof(struct px_modex_log_item) + name_len + len;
}

size_t px_modex_log_size(const struct px_modex_log *log, const void *name, size_t name_len)
{
    const struct px_modex_log_item *item = px_map_find(&log->keys, name, name_len);

    return item ? px_modex_log_cost(name_len, item->len) : 0;
}

/* The arguments of px_modex_log_each, for px_map_each. */
struct visit {
    int (*fn)(void *arg, const void *name, size_t name_len, size_t bytes);
    void *arg;
};

static int visit_item(void *arg, const void *name, size_t name_len, void *value)
{
    const struct px_modex_log_item *item = value;
    const struct visit *visit = arg;

    return item->deleted
               ? 0
               : visit->fn(visit->arg, name, name_len, px_modex_log_cost(name_len, item->len));
}

int px_modex_log_each(const struct px_modex_log *log,
                      int (*fn)(void *arg, const void *name, size_t name_len, size_t bytes),
                      void *arg)
{
    struct visit visit = {fn, arg};

    return px_map_each(&log->keys, visit_item, &visit);
}

/* True if the value equals the newest of its name. Never for qualified values: equal qualifiers
 * may be written in different orders, which are different names, and of such values the one
 * committed last has to be sent last, changed or not. */
static bool is_unchanged(const struct px_modex_log_item *old, const struct px_kval *kval,
                         const struct px_modex_log_copy *copy, const void *bytes, size_t len)
{
    if (!old || px_kval_is_qualified(kval) || old->len != len) {
        return false;
    }
    if (copy->compared == old->number && (copy->differs || copy->filled == len)) {
        return !copy->differs;
    }
    return memcmp(old->bytes, bytes, len) == 0;
}

/* Frees an item, whose name has that length, and which the map does not have any more. */
static void drop(struct px_modex_log *log, struct px_modex_log_item *item, size_t name_len)
{
    px_assert(log->bytes >= px_modex_log_cost(name_len, item->len));
    log->bytes -= px_modex_log_cost(name_len, item->len);
    px_list_remove(&item->link);
    px_modex_log_item_free(item);
}

/* An item without bytes. NULL: no memory. */
static struct px_modex_log_item *make_item(size_t len)
{
    struct px_modex_log_item *item = malloc(sizeof(*item) + len);

    if (item) {
        item->deleted = false;
        item->len = len;
    }
    return item;
}

/* Compares n more bytes of a value with the item of its name, or NULL. False: they differ. */
static bool compare(struct px_modex_log_copy *copy, const struct px_modex_log_item *old,
                    const struct px_kval *kval, size_t n)
{
    uint64_t before = copy->compared;

    copy->compared = old ? old->number : 0;
    copy->differs = !old || px_kval_is_qualified(kval) || old->len != kval->len ||
                    (copy->filled && before != old->number) ||
                    memcmp(old->bytes + copy->filled, kval->bytes + copy->filled, n) != 0;
    copy->filled = copy->differs ? 0 : copy->filled + n;
    return !copy->differs;
}

bool px_modex_log_copy(const struct px_modex_log *log, struct px_modex_log_copy *copy,
                       const struct px_kval *kval, size_t most)
{
    size_t left = kval->len - copy->filled;
    size_t n = left < most ? left : most;

    px_assert(kval->kind == PX_WIRE_PLAIN && copy->filled <= kval->len);
    if (!copy->differs) {
        if (compare(copy, px_map_find(&log->keys, kval->entry.key, kval->key_len), kval, n)) {
            return copy->filled == kval->len;
        }
        copy->item = make_item(kval->len);
        n = kval->len < most ? kval->len : most;
    }
    if (!copy->item) {
        return true;
    }
    memcpy(copy->item->bytes + copy->filled, kval->bytes + copy->filled, n);
    copy->filled += n;
    return copy->filled == kval->len;
}

/* Takes the item of a copy out of it, if it is whole; else frees it. */
static struct px_modex_log_item *take_item(struct px_modex_log_copy *copy)
{
    struct px_modex_log_item *item = copy->item;

    copy->item = NULL;
    if (item && copy->filled < item->len) {
        px_modex_log_item_free(item);
        item = NULL;
    }
    return item;
}

void px_modex_log_item_free(struct px_modex_log_item *item)
{
    if (item) {
        px_release_block(item, sizeof(*item) + item->len);
    }
}

/* Appends a filled item, which it takes over (NULL: no memory for one), as the newest of its name
 * and frees `old`, the one before (NULL: none). 0 or PMIX_ERR_NOMEM; then the log is unchanged. */
static int put(struct px_modex_log *log, struct px_modex_log_item *old, const void *name,
               size_t name_len, struct px_modex_log_item *item, uint64_t *counter)
{
    if (!item || px_map_set(&log->keys, name, name_len, item)) {
        px_modex_log_item_free(item);
        return PMIX_ERR_NOMEM;
    }
    item->number = ++*counter;
    px_assert(px_list_empty(&log->items) || item_of(log->items.prev)->number < item->number);
    px_list_append(&log->items, &item->link);
    log->bytes += px_modex_log_cost(name_len, item->len);
    if (old) {
        drop(log, old, name_len);
    }
    return PMIX_SUCCESS;
}

/* An item with these bytes. NULL: no memory. */
static struct px_modex_log_item *copy_of(const void *bytes, size_t len)
{
    struct px_modex_log_item *item = make_item(len);

    if (item) {
        memcpy(item->bytes, bytes, len);
    }
    return item;
}

/* A client may use the described encoding; the log has the plain one only. */
int px_modex_log_put(struct px_modex_log *log, const struct px_kval *kval,
                     struct px_modex_log_copy *copy, uint64_t *counter)
{
    bool qualified = px_kval_is_qualified(kval);
    struct px_buf plain = {.data = NULL};
    const void *bytes = kval->bytes;
    size_t len = kval->len;
    struct px_kval_name name;
    struct px_modex_log_item *item = NULL;
    struct px_modex_log_item *old;
    int rc = px_kval_name(kval, &name);

    if (!log->items.next) {
        px_list_init(&log->items);
    }
    if (!rc && kval->kind != PX_WIRE_PLAIN) {
        rc = px_pack_kval(&plain, PX_WIRE_PLAIN, qualified ? PMIX_QUALIFIED_VALUE : kval->entry.key,
                          kval->packed);
        bytes = plain.data;
        len = plain.len;
    }
    old = rc ? NULL : px_map_find(&log->keys, name.bytes, name.len);
    if (!rc && !is_unchanged(old, kval, copy, bytes, len)) {
        item = take_item(copy);
        rc = put(log, old, name.bytes, name.len, item ? item : copy_of(bytes, len), counter);
    }
    px_buf_fini(&plain);
    px_buf_fini(&name.room);
    return rc;
}

bool px_modex_log_has(const struct px_modex_log *log, const char *key, size_t key_len)
{
    const struct px_modex_log_item *item = px_map_find(&log->keys, key, key_len);

    return item && !item->deleted;
}

/* A value that was never packed is on no other node, so no deletion has to be packed for it. */
int px_modex_log_delete(struct px_modex_log *log, const char *key, size_t key_len,
                        uint64_t *counter)
{
    static const pmix_value_t gone = {.type = PMIX_UNDEF};
    struct px_modex_log_item *old = px_map_find(&log->keys, key, key_len);
    struct px_buf plain = {.data = NULL};
    char name[PMIX_MAX_KEYLEN + 1];
    int rc;

    if (!old || old->deleted) {
        return PMIX_SUCCESS;
    }
    if (old->number > log->packed) {
        px_map_remove(&log->keys, key, key_len);
        drop(log, old, key_len);
        return PMIX_SUCCESS;
    }
    px_assert(key_len <= PMIX_MAX_KEYLEN);
    memcpy(name, key, key_len);
    name[key_len] = '\0';
    rc = px_pack_kval(&plain, PX_WIRE_PLAIN, name, &gone);
    rc = rc ? rc : put(log, old, key, key_len, copy_of(plain.data, plain.len), counter);
    if (!rc) {
        item_of(log->items.prev)->deleted = true;
    }
    px_buf_fini(&plain);
    return rc;
}

/* The first entry with a number above `since`, or the list itself. Walks from the end, since a
 * delta is short. The list of a zeroed log was never initialised: NULL. */
static struct px_list *first_since(const struct px_modex_log *log, uint64_t since)
{
    struct px_list *first = log->items.next ? (struct px_list *) (uintptr_t) &log->items : NULL;

    while (first && first->prev != &log->items && item_of(first->prev)->number > since) {
        first = first->prev;
    }
    return first;
}

/* `from` is the number of the last value left out. */
struct px_modex_log_span px_modex_log_since(const struct px_modex_log *log, uint64_t since)
{
    struct px_list *at = first_since(log, since);
    struct px_modex_log_span span = {0};

    if (!at || px_list_empty(&log->items)) {
        return span;
    }
    span.to = item_of(log->items.prev)->number;
    span.from = at->prev != &log->items ? item_of(at->prev)->number : 0;
    for (; at != &log->items; at = at->next) {
        span.len += item_of(at)->len;
    }
    return span;
}

int px_modex_list_add(struct px_modex_list *list, const void *bytes, size_t len)
{
    if (px_array_room(&list->values, list->n, &list->cap, sizeof(*list->values))) {
        return PMIX_ERR_NOMEM;
    }
    list->values[list->n++] = px_in_make(bytes, len, PX_WIRE_PLAIN);
    list->bytes += len;
    return PMIX_SUCCESS;
}

void px_modex_list_free(struct px_modex_list *list)
{
    free(list->values);
    *list = (struct px_modex_list){0};
}

int px_modex_log_list(struct px_modex_log *log, uint64_t since, struct px_modex_list *list)
{
    struct px_list *at = first_since(log, since);
    int rc = PMIX_SUCCESS;

    for (; !rc && at && at != &log->items; at = at->next) {
        rc = px_modex_list_add(list, item_of(at)->bytes, item_of(at)->len);
        if (!rc && log->packed < item_of(at)->number) {
            log->packed = item_of(at)->number;
        }
    }
    return rc;
}

int px_modex_log_pack_values(struct px_modex_log *log, struct px_buf *buf)
{
    for (struct px_list *at = log->items.next; at && at != &log->items; at = at->next) {
        if (!item_of(at)->deleted) {
            px_buf_append(buf, item_of(at)->bytes, item_of(at)->len);
        }
        log->packed = item_of(at)->number > log->packed ? item_of(at)->number : log->packed;
    }
    return buf->status;
}

/* The list of a zeroed log was never initialised, hence the test. */
void px_modex_log_fini(struct px_modex_log *box)
{
    while (box->items.next && !px_list_empty(&box->items)) {
        px_modex_log_item_free(item_of(px_list_shift(&box->items)));
    }
    px_map_fini(&box->keys);
}
