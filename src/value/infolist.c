/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Lists of infos (PMIx_Info_list_*), for an array whose length is not known beforehand. A list
 * belongs to the caller and is used by one thread at a time. Keys and values are copies, except
 * for inserted infos, whose values stay the caller's. */
#include <pmix.h>

#include <stdlib.h>

#include "src/base/list.h"

/* One list, the object behind the caller's void pointer. */
struct info_list {
    struct px_list items;
    size_t n;
};

/* One info of a list. Its link is also the cursor of PMIx_Info_list_get_info. */
struct list_item {
    struct px_list link;
    pmix_info_t info;
};

/* The item of a link. */
static struct list_item *item_of(struct px_list *link)
{
    return px_container_of(link, struct list_item, link);
}

/* NULL without memory; the other functions refuse a NULL list. */
void *PMIx_Info_list_start(void)
{
    struct info_list *list = malloc(sizeof(*list));

    if (list != NULL) {
        px_list_init(&list->items);
        list->n = 0;
    }
    return list;
}

/* Values of inserted infos stay: they are marked as persistent. */
void PMIx_Info_list_release(void *ptr)
{
    struct info_list *list = ptr;

    if (list == NULL) {
        return;
    }
    px_list_for(struct list_item, item, &list->items, link) {
        PMIx_Info_destruct(&item->info);
        free(item);
    }
    free(list);
}

/* The first item with the key, or NULL. Linear: lists are short, and built once. */
static struct list_item *find_item(struct info_list *list, const char *key)
{
    px_list_for(struct list_item, item, &list->items, link) {
        if (PMIx_Check_key(item->info.key, key)) {
            return item;
        }
    }
    return NULL;
}

/* The source of a new info, borrowed for the call. All functions that add go through it, so that
 * each way of adding exists with and without a check for the key: a whole info, else a value, else
 * data and type as PMIx_Info_load takes them. The key is always set. */
struct source {
    const char *key;
    const pmix_info_t *info;
    const pmix_value_t *value;
    const void *data;
    pmix_data_type_t type;
};

/* Makes a new info from a source: a copy with everything that it owns. On failure *ret owns
 * nothing. Statuses of PMIx_Info_load and PMIx_Info_xfer. */
static pmix_status_t copy_source(const struct source *from, pmix_info_t *ret)
{
    if (from->info != NULL) {
        return PMIx_Info_xfer(ret, from->info);
    }
    if (from->value != NULL) {
        PMIx_Info_construct(ret);
        PMIx_Load_key(ret->key, from->key);
        return PMIx_Value_xfer(&ret->value, from->value);
    }
    return PMIx_Info_load(ret, from->key, from->data, from->type);
}

/* Appends an info to the list, which takes over its value. PMIX_ERR_NOMEM: the value stays the
 * caller's. This is the only place where items are made. */
static pmix_status_t append(struct info_list *list, const pmix_info_t *info)
{
    struct list_item *item = malloc(sizeof(*item));

    if (item == NULL) {
        return PMIX_ERR_NOMEM;
    }
    item->info = *info;
    px_list_append(&list->items, &item->link);
    list->n++;
    return PMIX_SUCCESS;
}

/* Appends a copy of a source. PMIX_ERR_BAD_PARAM for a NULL list or key. */
static pmix_status_t add(void *ptr, const struct source *from)
{
    pmix_info_t info;
    pmix_status_t rc;

    if (ptr == NULL || from->key == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = copy_source(from, &info);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    rc = append(ptr, &info);
    if (rc != PMIX_SUCCESS) {
        PMIx_Info_destruct(&info);
    }
    return rc;
}

/* Adds a copy of a source unless the list has its key; with `overwrite` the present info is
 * replaced. */
static pmix_status_t add_unique(void *ptr, const struct source *from, bool overwrite)
{
    struct list_item *item = ptr == NULL || from->key == NULL ? NULL : find_item(ptr, from->key);
    pmix_info_t info;
    pmix_status_t rc;

    if (item == NULL) {
        return add(ptr, from);
    }
    if (!overwrite || &item->info == from->info) {
        return PMIX_SUCCESS;
    }
    rc = copy_source(from, &info);
    if (rc == PMIX_SUCCESS) {
        PMIx_Info_destruct(&item->info);
        item->info = info;
    }
    return rc;
}

/* The key may be in the list already: PMIx_Info_list_add_unique prevents that. */
pmix_status_t PMIx_Info_list_add(void *ptr, const char *key, const void *value,
                                 pmix_data_type_t type)
{
    return add(ptr, &(struct source){.key = key, .data = value, .type = type});
}

/* Appends the info and moves it to the front. */
pmix_status_t PMIx_Info_list_prepend(void *ptr, const char *key, const void *value,
                                     pmix_data_type_t type)
{
    struct info_list *list = ptr;
    struct px_list *last;
    pmix_status_t rc = PMIx_Info_list_add(ptr, key, value, type);

    if (rc == PMIX_SUCCESS) {
        last = list->items.prev;
        px_list_remove(last);
        px_list_prepend(&list->items, last);
    }
    return rc;
}

/* As add, but the list has each key once if all infos are added this way. */
pmix_status_t PMIx_Info_list_add_unique(void *ptr, const char *key, const void *value,
                                        pmix_data_type_t type, bool overwrite)
{
    return add_unique(ptr, &(struct source){.key = key, .data = value, .type = type}, overwrite);
}

/* As add, with a copy of a value instead of data and type. */
pmix_status_t PMIx_Info_list_add_value(void *ptr, const char *key, const pmix_value_t *value)
{
    return value == NULL ? PMIX_ERR_BAD_PARAM
                         : add(ptr, &(struct source){.key = key, .value = value});
}

/* As add_unique, with a copy of a value. */
pmix_status_t PMIx_Info_list_add_value_unique(void *ptr, const char *key, const pmix_value_t *value,
                                              bool overwrite)
{
    return value == NULL ? PMIX_ERR_BAD_PARAM
                         : add_unique(ptr, &(struct source){.key = key, .value = value}, overwrite);
}

/* Appends a copy of a whole info, with its flags. */
pmix_status_t PMIx_Info_list_xfer(void *ptr, const pmix_info_t *info)
{
    return info == NULL ? PMIX_ERR_BAD_PARAM
                        : add(ptr, &(struct source){.key = info->key, .info = info});
}

/* As add_unique, with a copy of a whole info. */
pmix_status_t PMIx_Info_list_xfer_unique(void *ptr, const pmix_info_t *info, bool overwrite)
{
    return info == NULL
               ? PMIX_ERR_BAD_PARAM
               : add_unique(ptr, &(struct source){.key = info->key, .info = info}, overwrite);
}

/* Marks the list's info as persistent, so that releasing the list does not release the value. */
pmix_status_t PMIx_Info_list_insert(void *ptr, pmix_info_t *info)
{
    pmix_info_t borrowed;

    if (ptr == NULL || info == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    borrowed = *info;
    PMIx_Info_persistent(&borrowed); /* the value stays the caller's */
    return append(ptr, &borrowed);
}

/* Copies the infos into an array; the list stays as it is. Marks the end on the last element
 * only. */
pmix_status_t PMIx_Info_list_convert(void *ptr, pmix_data_array_t *par)
{
    struct info_list *list = ptr;
    pmix_info_t *infos;
    size_t i = 0;

    if (list == NULL || par == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Data_array_init(par, PMIX_INFO);
    if (list->n == 0) {
        return PMIX_ERR_EMPTY;
    }
    infos = PMIx_Info_create(list->n);
    if (infos == NULL) {
        return PMIX_ERR_NOMEM;
    }
    px_list_for(struct list_item, item, &list->items, link) {
        pmix_status_t rc = PMIx_Info_xfer(&infos[i], &item->info);

        if (rc != PMIX_SUCCESS) {
            PMIx_Info_free(infos, list->n);
            return rc;
        }
        infos[i].flags &= ~(pmix_info_directives_t) PMIX_INFO_ARRAY_END;
        i++;
    }
    PMIx_Info_set_end(&infos[list->n - 1]);
    par->array = infos;
    par->size = list->n;
    return PMIX_SUCCESS;
}

/* The cursors are links of the list: prev NULL is the first one, *next NULL the end. */
pmix_info_t *PMIx_Info_list_get_info(void *ptr, void *prev, void **next)
{
    struct info_list *list = ptr;
    struct px_list *link;

    if (next != NULL) {
        *next = NULL;
    }
    if (list == NULL || list->n == 0) {
        return NULL;
    }
    link = prev == NULL ? list->items.next : prev;
    if (next != NULL && link->next != &list->items) {
        *next = link->next;
    }
    return &item_of(link)->info;
}

/* 0 for NULL. */
size_t PMIx_Info_list_get_size(void *ptr)
{
    return ptr == NULL ? 0 : ((struct info_list *) ptr)->n;
}
