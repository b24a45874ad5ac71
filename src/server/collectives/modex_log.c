/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "modex_log.h"
#include "src/wire/codec.h"
#include "src/wire/messages.h"
#include "src/wire/view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct log_item {
    struct px_list link;
    uint64_t number;
    size_t len;
    unsigned char bytes[]; /* one KVAL operation */
};

static struct log_item *item_of(struct px_list *link)
{
    return px_container_of(link, struct log_item, link);
}

static bool is_qualified(const char *key)
{
    return strcmp(key, PMIX_QUALIFIED_VALUE) == 0;
}

int px_kval_name(const char *key, const pmix_value_t *value, struct px_kval_name *ret)
{
    const pmix_data_array_t *array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;
    const pmix_info_t *info;

    *ret = (struct px_kval_name){.bytes = key, .len = strlen(key)};
    if (!is_qualified(key)) {
        return PMIX_SUCCESS;
    }
    if (!array || array->type != PMIX_INFO || !array->size || !array->array) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    info = array->array;
    px_buf_append(&ret->room, key, ret->len + 1);
    px_buf_append(&ret->room, info[0].key, strnlen(info[0].key, PMIX_MAX_KEYLEN) + 1);
    (void) px_pack_infos(&ret->room, PX_WIRE_PLAIN, info + 1, array->size - 1);
    ret->bytes = ret->room.data;
    ret->len = ret->room.len;
    return px_buf_ok(&ret->room) ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* Equal qualifiers may be written in different orders, under different names then: of such values
 * the one posted last has to go last, unchanged or not. */
static bool is_unchanged(const struct log_item *old, const char *key, const void *bytes, size_t len)
{
    return old && !is_qualified(key) && old->len == len && memcmp(old->bytes, bytes, len) == 0;
}

static int put_one(struct px_modex_log *box, const char *key, const struct px_kval_name *name,
                   const void *bytes, size_t len, uint64_t *counter)
{
    struct log_item *old = px_map_find(&box->keys, name->bytes, name->len);
    struct log_item *item;

    if (is_unchanged(old, key, bytes, len)) {
        return PMIX_SUCCESS;
    }
    item = malloc(sizeof(*item) + len);
    if (!item || px_map_set(&box->keys, name->bytes, name->len, item)) {
        free(item);
        return PMIX_ERR_NOMEM;
    }
    item->number = ++*counter;
    item->len = len;
    memcpy(item->bytes, bytes, len);
    px_list_append(&box->items, &item->link);
    if (old) {
        px_list_remove(&old->link);
        free(old);
    }
    return PMIX_SUCCESS;
}

int px_modex_log_put(struct px_modex_log *box, const struct px_buf *kvals, uint64_t *counter)
{
    struct px_in in = px_in_make(kvals->data, kvals->len, PX_WIRE_PLAIN);
    int rc = PMIX_SUCCESS;

    if (!box->items.next) {
        px_list_init(&box->items);
    }
    while (!rc && px_in_left(&in)) {
        const unsigned char *start = in.at;
        struct px_kval_view kval;
        struct px_kval_name name;

        rc = px_unpack_kval_view(&in, &kval);
        if (rc) {
            return rc;
        }
        rc = px_kval_name(kval.key, &kval.value, &name);
        rc = rc ? rc : put_one(box, kval.key, &name, start, (size_t) (in.at - start), counter);
        px_buf_fini(&name.room);
        if (kval.owned) {
            PMIx_Value_destruct(&kval.value);
        }
    }
    return rc;
}

int px_modex_log_pack(struct px_modex_log *box, uint64_t since, struct px_buf *buf,
                      struct px_modex_log_span *ret)
{
    struct px_modex_log_span span = {0};
    struct px_list *first = &box->items;

    if (!first->next || px_list_empty(first)) {
        *ret = span;
        return PMIX_SUCCESS;
    }
    while (first->prev != &box->items && item_of(first->prev)->number > since) {
        first = first->prev;
    }
    span.to = item_of(box->items.prev)->number;
    span.from = first->prev != &box->items ? item_of(first->prev)->number : 0;
    for (; first != &box->items; first = first->next) {
        px_buf_append(buf, item_of(first)->bytes, item_of(first)->len);
    }
    *ret = span;
    return px_buf_ok(buf) ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

void px_modex_log_fini(struct px_modex_log *box)
{
    while (box->items.next && !px_list_empty(&box->items)) {
        free(item_of(px_list_shift(&box->items)));
    }
    px_map_fini(&box->keys);
}
