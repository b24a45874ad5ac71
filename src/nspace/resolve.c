/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Resolves peers and nodes by the rules of this library, in this order: the namespace, the node in
 * its list, the peers that the host listed for the node, and then the process map. A list that the
 * host gave has precedence over the map even if it is empty, because the host may know better than
 * its own map.
 *
 * The result of PMIx_Resolve_nodes is the same for every caller until the next publication, and
 * programs ask often; so the usual case, PMIX_NODE_LIST unchanged, is cached in the cookie of
 * the store (listed_nodes). Lists are built in process memory; nothing is written to a segment. */

#include "resolve.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/map.h"
#include "src/nspace/jobinfo.h"
#include "src/nspace/ranks.h"
#include "gds/nodes.h"
#include "gds/level.h"
#include "gds/slice.h"

/* --- finding the node --- */

/* True if the host registered PMIX_HOSTNAME_KEEP_FQDN as true, for the session or the job: names
 * are then compared as a whole. The session has precedence over the job. */
static bool keeps_fqdn(const struct px_store *store)
{
    static const char key[] = PMIX_HOSTNAME_KEEP_FQDN;
    static const char id[] = PMIX_SESSION_ID;
    uint32_t session = UINT32_MAX;
    struct px_slice slice;

    if (!px_store_find(store, PX_LEVEL_JOB, 0, id, sizeof(id) - 1, &slice) && slice.inlined) {
        session = (uint32_t) slice.word;
    }
    if (px_store_find(store, PX_LEVEL_SESSION, session, key, sizeof(key) - 1, &slice) &&
        px_store_find(store, PX_LEVEL_JOB, 0, key, sizeof(key) - 1, &slice)) {
        return false;
    }
    return slice.type == PMIX_BOOL && slice.word;
}

/* Length of the part of a name before the first dot; an IPv4 address is not shortened. */
static size_t short_length(const char *name)
{
    size_t n = strcspn(name, ".");

    return strspn(name, "0123456789.") == strlen(name) ? strlen(name) : n;
}

/* True if the job does not use the node (PX_KEY_FOREIGN_NODE). */
static bool is_foreign(const struct px_store *store, uint32_t index)
{
    static const char key[] = PX_KEY_FOREIGN_NODE;
    struct px_slice slice;

    return px_store_find(store, PX_LEVEL_NODE, index, key, sizeof(key) - 1, &slice) == PMIX_SUCCESS;
}

/* The first node with the same short name; one of the two names has to be short, because the same
 * name in two domains is two nodes. PX_NO_NODE: there is none. */
static uint32_t find_by_short_name(const struct px_store *store, const char *node)
{
    struct px_store_info info;
    struct px_node_view view;
    size_t len = short_length(node);

    px_store_info(store, &info);
    for (uint32_t i = 0; i < info.n_nodes; i++) {
        if (px_store_node(store, i, &view) || short_length(view.name) != len) {
            continue;
        }
        if (!memcmp(view.name, node, len) && (!view.name[len] || !node[len])) {
            return i;
        }
    }
    return PX_NO_NODE;
}

/* Index of the node that a name, an alias, or the short or full form of a name identifies; NULL or
 * "": the readers' own node. PX_NO_NODE: there is none. An exact name or alias has precedence over
 * a short form. */
static uint32_t resolve_node_index(const struct px_store *store, const char *node)
{
    uint32_t index;

    if (!node || !node[0]) {
        return px_store_local_node(store);
    }
    index = px_store_node_by_name(store, node);
    if (index == PX_NO_NODE && !keeps_fqdn(store)) {
        index = find_by_short_name(store, node);
    }
    return index;
}

/* --- peers --- */

/* Peers of a node that are handled on the stack. */
enum { FEW_PEERS = 256 };

/* The result of px_resolve_peers, growing with each store; malloc'd. */
struct peer_list {
    pmix_proc_t *procs;
    size_t n;
};

/* Appends the ranks as processes of the namespace. The first is filled, and copied behind itself,
 * twice as many at a time, which takes a few large copies; then each gets its rank. */
static int add_peers(struct peer_list *peers, const char *nspace, const struct px_ranks *ranks)
{
    pmix_proc_t *procs;
    pmix_proc_t *first;

    if (!ranks->n) {
        return PMIX_SUCCESS;
    }
    procs = realloc(peers->procs, (peers->n + ranks->n) * sizeof(*procs));
    if (!procs) {
        return PMIX_ERR_NOMEM;
    }
    peers->procs = procs;
    first = procs + peers->n;
    PMIX_LOAD_PROCID(first, nspace, 0);
    for (size_t done = 1; done < ranks->n; done *= 2) {
        size_t more = ranks->n - done < done ? ranks->n - done : done;

        memcpy(first + done, first, more * sizeof(*first));
    }
    for (size_t i = 0; i < ranks->n; i++) {
        first[i].rank = ranks->at[i];
    }
    peers->n += ranks->n;
    return PMIX_SUCCESS;
}

/* The host's list for the node; one that was given for the whole job is stored with the readers'
 * own node. PMIX_ERR_NOT_FOUND: there is none; PMIX_ERR_UNPACK_FAILURE: it is malformed. */
static int listed_peers(const struct px_store *store, uint32_t index, struct px_ranks *ranks)
{
    static const char key[] = PMIX_LOCAL_PEERS;
    struct px_slice slice;
    const char *text;
    size_t len = 0;
    int rc = px_store_find(store, PX_LEVEL_NODE, index, key, sizeof(key) - 1, &slice);

    if (rc) {
        return rc;
    }
    if (slice.type != PMIX_STRING) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    text = px_slice_text(&slice, &len);
    rc = text ? px_ranks_parse(ranks, text, len) : PMIX_SUCCESS;
    return rc == PMIX_ERR_BAD_PARAM ? PMIX_ERR_UNPACK_FAILURE : rc;
}

/* True if it is known where processes of this job run: some are placed on the node, or there is a
 * process map. */
static bool has_layout(const struct px_store *store, uint32_t index)
{
    static const char key[] = PMIX_PROC_MAP;
    static const char raw[] = PMIX_PROC_MAP_RAW;
    struct px_node_view view;
    struct px_slice slice;

    if (!px_store_node(store, index, &view) && view.n_ranks) {
        return true;
    }
    return !px_store_find(store, PX_LEVEL_JOB, 0, key, sizeof(key) - 1, &slice) ||
           !px_store_find(store, PX_LEVEL_JOB, 0, raw, sizeof(raw) - 1, &slice);
}

/* The ranks that are placed on the node. PMIX_ERR_DATA_VALUE_NOT_FOUND: no placement is known, or
 * rebuilding is switched off. The number may change between the two reads of the store. More ranks
 * than the caller's array has room for get memory of their own. */
static int rebuilt_peers(const struct px_store *store, uint32_t index, struct px_ranks *ranks)
{
    uint32_t n;

    if ((px_store_flags(store) & PX_STORE_NO_REBUILD) || !has_layout(store, index)) {
        return PMIX_ERR_DATA_VALUE_NOT_FOUND;
    }
    n = px_store_node_ranks(store, index, NULL, 0);
    if (n > ranks->room) {
        ranks->at = malloc(n * sizeof(*ranks->at));
        ranks->lent = false;
        ranks->room = ranks->at ? n : 0;
    }
    if (!ranks->at) {
        return PMIX_ERR_NOMEM;
    }
    ranks->n = px_store_node_ranks(store, index, ranks->at, n);
    if (ranks->n > n) {
        ranks->n = n;
    }
    return PMIX_SUCCESS;
}

/* Appends the peers of a node in one namespace; a node that it does not have adds none. The ranks
 * of a usual node fit into an array on the stack. */
static int peers_of(const struct px_store *store, const char *node, struct peer_list *peers)
{
    uint32_t few[FEW_PEERS];
    struct px_ranks ranks = {.at = few, .room = FEW_PEERS, .lent = true};
    uint32_t index = resolve_node_index(store, node);
    int rc;

    if (index == PX_NO_NODE || is_foreign(store, index)) {
        return PMIX_SUCCESS;
    }
    rc = listed_peers(store, index, &ranks);
    if (rc == PMIX_ERR_NOT_FOUND) {
        rc = rebuilt_peers(store, index, &ranks);
    }
    rc = rc ? rc : add_peers(peers, px_store_nspace(store), &ranks);
    px_ranks_fini(&ranks);
    return rc;
}

/* Memory that is out is reported at once; any other error only if no store answers. */
int px_resolve_peers(const struct px_store *const *stores, size_t n_stores, const char *node,
                     pmix_proc_t **ret_procs, size_t *ret_nprocs)
{
    struct peer_list peers = {0};
    int failure = PMIX_ERR_INVALID_NAMESPACE;
    bool answered = false;

    for (size_t i = 0; i < n_stores; i++) {
        int rc = peers_of(stores[i], node, &peers);

        if (rc == PMIX_ERR_NOMEM) {
            free(peers.procs);
            return rc;
        }
        answered |= rc == PMIX_SUCCESS;
        failure = rc ? rc : failure;
    }
    if (!answered) {
        free(peers.procs);
        return failure;
    }
    *ret_procs = peers.procs;
    *ret_nprocs = peers.n;
    return PMIX_SUCCESS;
}

/* --- nodes --- */

/* The names so far. One store has each node once, so names are compared only if there are several
 * stores. */
struct nodes {
    struct px_buf list;
    struct px_map names; /* when there are several stores */
    bool several;
};

/* One store on its way into the list of names. */
struct walk {
    const struct px_store *store;
    bool *done;       /* by index of the node: it was examined */
    uint32_t n;       /* nodes of the store */
    uint32_t left;    /* not examined yet */
    bool any_foreign; /* the store marks some node as foreign */
};

/* Appends the name of a node, unless it was added, is foreign or has vanished. */
static int add_node(struct walk *walk, uint32_t index, struct nodes *nodes)
{
    struct px_node_view view;
    size_t len;

    if (index >= walk->n || walk->done[index]) {
        return PMIX_SUCCESS;
    }
    walk->done[index] = true;
    walk->left--;
    if (px_store_node(walk->store, index, &view) ||
        (walk->any_foreign && is_foreign(walk->store, index))) {
        return PMIX_SUCCESS;
    }
    len = strlen(view.name);
    if (nodes->several) {
        if (px_map_find(&nodes->names, view.name, len)) {
            return PMIX_SUCCESS;
        }
        if (px_map_set(&nodes->names, view.name, len, nodes)) {
            return PMIX_ERR_NOMEM;
        }
    }
    px_buf_item(&nodes->list, view.name);
    return PMIX_SUCCESS;
}

/* Appends the nodes of PMIX_NODE_LIST in its order. The store's own order begins with the readers'
 * node. */
static int add_mapped_nodes(struct walk *walk, struct nodes *nodes)
{
    static const char key[] = PMIX_NODE_LIST;
    struct px_slice slice;
    pmix_value_t value;
    char *rest = NULL;
    int rc;

    if (px_store_find(walk->store, PX_LEVEL_JOB, 0, key, sizeof(key) - 1, &slice)) {
        return PMIX_SUCCESS;
    }
    rc = px_slice_fill(&slice, &value);
    if (rc) {
        return rc;
    }
    if (value.type == PMIX_STRING && value.data.string) {
        for (char *name = strtok_r(value.data.string, ",", &rest); name && !rc;
             name = strtok_r(NULL, ",", &rest)) {
            rc = add_node(walk, px_store_node_by_name(walk->store, name), nodes);
        }
    }
    PMIx_Value_destruct(&value);
    return rc;
}

/* Appends all nodes of a store: the mapped ones first, then the others. The loop ends when every
 * node was examined. */
static int add_nodes(const struct px_store *store, struct nodes *nodes)
{
    static const char foreign[] = PX_KEY_FOREIGN_NODE;
    struct walk walk = {.store = store};
    struct px_store_info info;
    int rc;

    px_store_info(store, &info);
    walk.n = info.n_nodes;
    walk.left = info.n_nodes;
    walk.any_foreign = px_store_has_key(store, foreign, sizeof(foreign) - 1);
    walk.done = calloc((size_t) walk.n + 1, sizeof(*walk.done));
    rc = walk.done ? add_mapped_nodes(&walk, nodes) : PMIX_ERR_NOMEM;
    for (uint32_t i = 0; !rc && walk.left; i++) {
        rc = add_node(&walk, i, nodes);
    }
    free(walk.done);
    return px_buf_fail(&nodes->list, rc);
}

/* Moves the list to *ret_nodes if rc is 0, and frees the rest. */
static int finish_nodes(struct nodes *nodes, int rc, char **ret_nodes)
{
    char *text = NULL;

    if (!rc && nodes->list.len) {
        text = px_buf_take_text(&nodes->list);
        rc = text ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    if (!rc) {
        *ret_nodes = text;
    }
    px_buf_fini(&nodes->list);
    px_map_fini(&nodes->names);
    return rc;
}

/* PMIX_NODE_LIST in place, borrowed from the store; NULL: there is none, or it is not in one
 * piece. */
static const char *node_list(const struct px_store *store, size_t *ret_len)
{
    static const char key[] = PMIX_NODE_LIST;
    struct px_slice slice;

    return px_store_find(store, PX_LEVEL_JOB, 0, key, sizeof(key) - 1, &slice)
               ? NULL
               : px_slice_text(&slice, ret_len);
}

/* The number of the newest publication in the store. */
static uint64_t sequence_of(const struct px_store *store)
{
    struct px_store_info info;

    px_store_info(store, &info);
    return info.sequence;
}

/* In most cases the answer is PMIX_NODE_LIST unchanged. nodes_of has noted in the store's cookie
 * the sequence, plus 1, at which it was; while nothing else is published, a copy of the list is the
 * answer. NULL: not so, or memory is out. The sequence is read again after the copy, because a
 * publication in between may have replaced the list. */
static char *listed_nodes(const struct px_store *store)
{
    uint64_t sequence = sequence_of(store);
    const char *text;
    char *copy;
    size_t len;

    if (px_store_cookie(store) != sequence + 1) {
        return NULL;
    }
    text = node_list(store, &len);
    copy = text ? malloc(len + 1) : NULL;
    if (copy) {
        memcpy(copy, text, len + 1);
    }
    if (copy && sequence_of(store) != sequence) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

/* Computes the answer for one store, and sets the cookie if it equals PMIX_NODE_LIST. */
static int nodes_of(const struct px_store *store, char **ret_nodes)
{
    struct nodes nodes = {.several = false};
    uint64_t sequence = sequence_of(store);
    const char *text;
    size_t len;
    int rc = add_nodes(store, &nodes);

    if (!rc && nodes.list.len) {
        text = node_list(store, &len);
        if (text && len == nodes.list.len && !memcmp(text, nodes.list.data, len)) {
            px_store_set_cookie(store, sequence + 1);
        }
    }
    return finish_nodes(&nodes, rc, ret_nodes);
}

/* One store: from the cookie if possible. Several: names are merged. */
int px_resolve_nodes(const struct px_store *const *stores, size_t n_stores, char **ret_nodes)
{
    struct nodes nodes = {.several = n_stores > 1};
    int rc = n_stores ? PMIX_SUCCESS : PMIX_ERR_INVALID_NAMESPACE;
    char *listed = n_stores == 1 ? listed_nodes(stores[0]) : NULL;

    if (listed) {
        *ret_nodes = listed;
        return PMIX_SUCCESS;
    }
    if (n_stores == 1) {
        return nodes_of(stores[0], ret_nodes);
    }
    for (size_t i = 0; !rc && i < n_stores; i++) {
        rc = add_nodes(stores[i], &nodes);
    }
    return finish_nodes(&nodes, rc, ret_nodes);
}
