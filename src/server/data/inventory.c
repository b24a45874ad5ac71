/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What hosts have collected of nodes, kept for who asks: a query with the node's name or number.
 * Not put into the segments of jobs: a topology has a hundred kilobytes, and nobody may ever ask.
 * Values that lie in no node's array are of the node that a PMIX_HOSTNAME or PMIX_NODEID beside
 * them names, otherwise of this one. */

#include "inventory.h"

#include <stdlib.h>
#include <string.h>

#include "src/server/requests/host_upcall.h"
#include "src/nspace/query_args.h"
#include "src/value/infos.h"
#include "register.h"
#include "src/base/assert.h"
#include "src/value/nested.h"

struct stock {
    struct px_list link;
    pmix_info_t *info; /* its name and number among them */
    size_t n;
};

static bool same_name(const struct stock *stock, const pmix_value_t *name)
{
    const pmix_value_t *own = px_info_find(stock->info, stock->n, PMIX_HOSTNAME);

    return own && name->type == PMIX_STRING && name->data.string && own->type == PMIX_STRING &&
           strcmp(own->data.string, name->data.string) == 0;
}

static bool same_number(const struct stock *stock, const pmix_value_t *number)
{
    const pmix_value_t *own = px_info_find(stock->info, stock->n, PMIX_NODEID);
    uint32_t a;
    uint32_t b;

    return own && !px_value_u32(own, &a) && !px_value_u32(number, &b) && a == b;
}

/* Either may be NULL. */
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

/* The values of one node; of this one, unless they say of which: nameless_here. */
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
