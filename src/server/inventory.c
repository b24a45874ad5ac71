/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What hosts have collected of nodes, kept for who asks: a query with the node's name or number.
 * Not put into the segments of jobs: a topology has a hundred kilobytes, and nobody may ever ask.
 * Values that lie in no node's array are of the node that a PMIX_HOSTNAME or PMIX_NODEID beside
 * them names, otherwise of this one. */

#include "inventory.h"

#include <stdlib.h>
#include <string.h>

#include "loop_call.h"
#include "host_upcall.h"
#include "src/ops/query_args.h"
#include "src/value/infos.h"

struct stock {
    struct px_list link;
    pmix_info_t *info; /* its name and number among them */
    size_t n;
};

static const pmix_info_t *find_key(const pmix_info_t *info, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (strncmp(info[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &info[i];
        }
    }
    return NULL;
}

static bool same_name(const struct stock *stock, const pmix_value_t *name)
{
    const pmix_info_t *own = find_key(stock->info, stock->n, PMIX_HOSTNAME);

    return own && name->type == PMIX_STRING && name->data.string &&
           own->value.type == PMIX_STRING && strcmp(own->value.data.string, name->data.string) == 0;
}

static bool same_number(const struct stock *stock, const pmix_value_t *number)
{
    const pmix_info_t *own = find_key(stock->info, stock->n, PMIX_NODEID);
    uint32_t a;
    uint32_t b;

    return own && !px_value_u32(&own->value, &a) && !px_value_u32(number, &b) && a == b;
}

/* Either may be NULL. */
static struct stock *find_stock(struct px_server *s, const pmix_value_t *name,
                                const pmix_value_t *number)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each(item, next, &s->inventory) {
        struct stock *stock = px_container_of(item, struct stock, link);

        if (name ? same_name(stock, name) : number && same_number(stock, number)) {
            return stock;
        }
    }
    return NULL;
}

static struct stock *make_stock(struct px_server *s)
{
    struct stock *stock = calloc(1, sizeof(*stock));

    if (stock) {
        px_list_append(&s->inventory, &stock->link);
    }
    return stock;
}

void px_inventory_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->inventory)) {
        struct stock *stock = px_container_of(px_list_shift(&s->inventory), struct stock, link);

        PMIx_Info_free(stock->info, stock->n);
        free(stock);
    }
}

/* --- taking in --- */

/* What comes later counts. */
static int stock_put(struct stock *stock, const pmix_info_t *info)
{
    pmix_info_t *old = (pmix_info_t *) (uintptr_t) find_key(stock->info, stock->n, info->key);
    pmix_info_t former;
    int rc;

    if (!old) {
        return px_infos_append_copy(&stock->info, &stock->n, info);
    }
    former = *old;
    rc = px_info_keep(old, info);
    if (rc) {
        *old = former;
        return rc;
    }
    PMIx_Value_destruct(&former.value);
    return PMIX_SUCCESS;
}

static bool is_node(const pmix_info_t *info)
{
    return strcmp(info->key, PMIX_NODE_INFO_ARRAY) == 0;
}

/* The values of one node; loose: those among others' arrays. */
static int take_node(struct px_server *s, const pmix_info_t *info, size_t n, bool loose)
{
    pmix_info_t here = {.key = PMIX_HOSTNAME,
                        .value = {.type = PMIX_STRING, .data.string = s->hostname}};
    const pmix_info_t *name = find_key(info, n, PMIX_HOSTNAME);
    const pmix_info_t *number = find_key(info, n, PMIX_NODEID);
    bool nameless = !name && !number;
    struct stock *stock;
    int rc = PMIX_SUCCESS;

    if (nameless && !loose) {
        return PMIX_ERR_BAD_PARAM;
    }
    name = nameless ? &here : name;
    stock = find_stock(s, name ? &name->value : NULL, number ? &number->value : NULL);
    stock = stock ? stock : make_stock(s);
    rc = !stock ? PMIX_ERR_NOMEM : nameless ? stock_put(stock, &here) : PMIX_SUCCESS;
    for (size_t i = 0; !rc && i < n; i++) {
        rc = loose && is_node(&info[i]) ? PMIX_SUCCESS : stock_put(stock, &info[i]);
    }
    return rc;
}

int px_inventory_deliver(struct px_server *s, void *args)
{
    const struct px_infos_args *a = args;
    size_t n_loose = 0;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; !rc && i < a->ninfo; i++) {
        const pmix_data_array_t *array =
            a->info[i].value.type == PMIX_DATA_ARRAY ? a->info[i].value.data.darray : NULL;

        if (!is_node(&a->info[i])) {
            n_loose++;
        } else if (!array || array->type != PMIX_INFO || !array->array) {
            rc = PMIX_ERR_BAD_PARAM;
        } else {
            rc = take_node(s, array->array, array->size, false);
        }
    }
    return !rc && n_loose ? take_node(s, a->info, a->ninfo, true) : rc;
}

/* --- giving out --- */

int px_inventory_answer(struct px_server *s, const pmix_query_t *query, const char *key,
                        pmix_info_t **info, size_t *ninfo)
{
    pmix_value_t here = {.type = PMIX_STRING, .data.string = s->hostname};
    const pmix_value_t *name = px_query_qualifier(query, PMIX_HOSTNAME);
    const pmix_value_t *number = px_query_qualifier(query, PMIX_NODEID);
    const struct stock *stock = find_stock(s, name || number ? name : &here, number);
    const pmix_info_t *found = stock ? find_key(stock->info, stock->n, key) : NULL;

    px_assert(px_loop_inside(s->loop));
    return found ? px_infos_append_copy(info, ninfo, found) : PMIX_ERR_NOT_FOUND;
}
