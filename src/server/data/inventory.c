/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Inventory of nodes, as collected and delivered by hosts (PMIx_server_deliver_inventory). It is
 * kept in this process and given out by queries that name a node by name or number. It does not go
 * into the segments of jobs: a topology has a hundred kilobytes, and few jobs ever ask for it.
 * Values outside of node arrays belong to the node that a PMIX_HOSTNAME or PMIX_NODEID beside them
 * names, otherwise to this one. Loop thread. */

#include "inventory.h"

#include <stdlib.h>
#include <string.h>

#include "src/nspace/query_args.h"
#include "src/value/infos.h"
#include "register.h"
#include "src/base/assert.h"
#include "src/value/nested.h"

/* The inventory of one node; in s->inventory, owned by it. */
struct stock {
    struct px_list link;
    pmix_info_t *info; /* the node's name and number are among them */
    size_t n;
};

/* True if the stock has this node name. */
static bool same_name(const struct stock *stock, const pmix_value_t *name)
{
    const pmix_value_t *own = px_info_find(stock->info, stock->n, PMIX_HOSTNAME);

    return own && name->type == PMIX_STRING && name->data.string && own->type == PMIX_STRING &&
           strcmp(own->data.string, name->data.string) == 0;
}

/* True if the stock has this node number, whatever the integer types. */
static bool same_number(const struct stock *stock, const pmix_value_t *number)
{
    const pmix_value_t *own = px_info_find(stock->info, stock->n, PMIX_NODEID);
    uint32_t a;
    uint32_t b;

    return own && !px_value_u32(own, &a) && !px_value_u32(number, &b) && a == b;
}

/* The stock of a node, by name if there is one, else by number; either may be NULL. NULL if there
 * is none. A node known by name only is not found by its number. */
static struct stock *find_stock(struct px_server *s, const pmix_value_t *name,
                                const pmix_value_t *number)
{
    px_list_for(struct stock, stock, &s->inventory, link) {
        if (name ? same_name(stock, name) : number && same_number(stock, number)) {
            return stock;
        }
    }
    return NULL;
}

/* Adds an empty stock; NULL when memory is out. */
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

/* Puts a copy of a value into a stock; it replaces an earlier one of the same key. 0 or
 * PMIX_ERR_NOMEM; then the earlier one stays. */
static int stock_put(struct stock *stock, const pmix_info_t *info)
{
    pmix_value_t *old = (pmix_value_t *) (uintptr_t) px_info_find(stock->info, stock->n, info->key);
    pmix_value_t copy;
    int rc;

    if (!old) {
        return px_infos_append_copy(&stock->info, &stock->n, info);
    }
    rc = px_value_keep(&copy, &info->value);
    if (!rc) {
        PMIx_Value_destruct(old);
        *old = copy;
    }
    return rc;
}

/* Takes in the values of one node, whose stock is made if there is none. nameless_here: values
 * without a node's name or number are of this node; otherwise they are refused with
 * PMIX_ERR_BAD_PARAM. After a failure some values may have been taken in. */
static int take_node(struct px_server *s, const pmix_info_t *info, size_t n, bool nameless_here)
{
    pmix_info_t here = {.key = PMIX_HOSTNAME,
                        .value = {.type = PMIX_STRING, .data.string = s->hostname}};
    const pmix_value_t *name = px_info_find(info, n, PMIX_HOSTNAME);
    const pmix_value_t *number = px_info_find(info, n, PMIX_NODEID);
    bool nameless = !name && !number;
    struct stock *stock;
    int rc = PMIX_SUCCESS;

    if (nameless && !nameless_here) {
        return PMIX_ERR_BAD_PARAM;
    }
    stock = find_stock(s, nameless ? &here.value : name, number);
    stock = stock ? stock : make_stock(s);
    rc = !stock ? PMIX_ERR_NOMEM : nameless ? stock_put(stock, &here) : PMIX_SUCCESS;
    for (size_t i = 0; !rc && i < n; i++) {
        rc = stock_put(stock, &info[i]);
    }
    return rc;
}

/* Node arrays first, each with its own node, then the values outside of them as one more node's. */
int px_inventory_deliver(struct px_server *s, void *args)
{
    const struct px_infos_args *a = args;
    const pmix_info_t *node = NULL;
    pmix_info_t *loose;
    size_t n;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    while (!rc && (node = px_infos_next(a->info, a->ninfo, node, PMIX_NODE_INFO_ARRAY)) != NULL) {
        const pmix_info_t *inner;

        rc = px_info_open(&node->value, &inner, &n) ? PMIX_ERR_BAD_PARAM
                                                    : take_node(s, inner, n, false);
    }
    if (rc) {
        return rc;
    }
    loose = px_infos_without(a->info, a->ninfo, PMIX_NODE_INFO_ARRAY, 0, &n);
    rc = !loose ? PMIX_ERR_NOMEM : n ? take_node(s, loose, n, true) : PMIX_SUCCESS;
    free(loose);
    return rc;
}

/* --- giving out --- */

/* Only the first value under the key is given out; a stock has each key once. */
int px_inventory_answer(struct px_server *s, const pmix_query_t *query, const char *key,
                        pmix_info_t **info, size_t *ninfo)
{
    pmix_value_t here = {.type = PMIX_STRING, .data.string = s->hostname};
    const pmix_value_t *name = px_query_qualifier(query, PMIX_HOSTNAME);
    const pmix_value_t *number = px_query_qualifier(query, PMIX_NODEID);
    const struct stock *stock = find_stock(s, name || number ? name : &here, number);
    const pmix_info_t *found = stock ? px_infos_next(stock->info, stock->n, NULL, key) : NULL;

    px_assert(px_loop_inside(s->loop));
    return found ? px_infos_append_copy(info, ninfo, found) : PMIX_ERR_NOT_FOUND;
}
