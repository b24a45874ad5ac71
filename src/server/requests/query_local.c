/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Answers of this server to queries. The table `answered` lists the keys that have a function here,
 * with the qualifiers that they understand; every other key is looked up in the registered data
 * and then in the inventory. Each put_ function appends one info under the queried key and
 * returns 0, PMIX_ERR_NOT_FOUND or PMIX_ERR_NOMEM; those of sets also PX_QUERY_MORE. */

#include "query_local.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gds/lookup.h"
#include "src/server/data/inventory.h"
#include "src/value/attributes.h"
#include "src/nspace/query_args.h"
#include "src/nspace/resolve.h"
#include "src/discovery/server_list.h"
#include "src/base/version.h"
#include "src/context/context.h"
#include "src/value/infos.h"
#include "src/value/keys.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/get_answer.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/access.h"
#include "src/server/peers/peer.h"
#include "host_upcall.h"
#include "query_sets.h"
#include "server_resolve.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "gds/nodes.h"
#include "gds/level.h"
#include "gds/slice.h"

struct answer;

/* A key that is answered by a function. */
struct answered_key {
    const char *key;
    int (*put)(const struct answer *a);
    const char *qualifiers; /* that it understands, as a comma list */
    enum px_query_looks_at looks_at;
    enum px_proc_set_kind kind; /* of the sets that it is about */
};

/* One key of a query that is being answered. Everything is borrowed; *info and *ninfo are the
 * caller's array, which grows. */
struct answer {
    struct px_server *s;
    const struct px_peer *peer; /* NULL: this process asks */
    const pmix_proc_t *asker;
    const pmix_query_t *query;
    const char *key;
    const struct answered_key *row; /* of the key, or NULL */
    struct px_query_turn *turn;
    pmix_info_t **info;
    size_t *ninfo;
};

/* True if the requester may not have data of the namespace. */
static bool is_closed(const struct answer *a, const struct px_nspace *ns)
{
    return a->peer && !px_access_data(a->s, a->peer, ns);
}

/* Appends a copy of one value under the queried key. */
static int put_value(const struct answer *a, const void *data, pmix_data_type_t type)
{
    return px_infos_append(a->info, a->ninfo, a->key, data, type);
}

/* The value of a string qualifier of the query, or NULL. */
static const char *text_qualifier(const struct answer *a, const char *key)
{
    const pmix_value_t *value = px_query_qualifier(a->query, key);

    return value && value->type == PMIX_STRING ? value->data.string : NULL;
}

/* Appends the list as one string and frees the buffer. */
static int put_list(const struct answer *a, struct px_buf *list)
{
    int rc;

    px_buf_byte(list, 0);
    rc = px_buf_ok(list) ? put_value(a, list->data, PMIX_STRING) : PMIX_ERR_NOMEM;
    px_buf_fini(list);
    return rc;
}

/* --- namespaces --- */

/* All namespaces that this server has a record of, separated by commas. */
static int put_namespaces(const struct answer *a)
{
    struct px_buf list = {0};

    px_list_for(struct px_nspace, ns, &a->s->ns_list, link) {
        px_buf_item(&list, ns->name);
    }
    return put_list(a, &list);
}

/* Appends the description of one namespace: an array with its name, and its command line if that
 * is registered. */
static int add_namespace(pmix_info_t **list, size_t *n, const struct px_nspace *ns)
{
    static const char cmd[] = PMIX_CMD_LINE;
    pmix_info_t *one = NULL;
    size_t n_one = 0;
    struct px_slice slice;
    pmix_value_t value;
    int rc = px_infos_append(&one, &n_one, PMIX_NSPACE, ns->name, PMIX_STRING);

    if (!rc && !px_store_find(ns->store, PX_LEVEL_JOB, 0, cmd, sizeof(cmd) - 1, &slice) &&
        !px_slice_fill(&slice, &value)) {
        if (value.type == PMIX_STRING && value.data.string) {
            rc = px_infos_append(&one, &n_one, PMIX_CMD_LINE, value.data.string, PMIX_STRING);
        }
        PMIx_Value_destruct(&value);
    }
    return px_infos_append_array(list, n, PMIX_QUERY_NAMESPACE_INFO, rc, one, n_one);
}

/* The descriptions of all namespaces that the requester may have data of, or of that in the
 * qualifier PMIX_NSPACE. */
static int put_namespace_info(const struct answer *a)
{
    const char *only = text_qualifier(a, PMIX_NSPACE);
    pmix_info_t *list = NULL;
    size_t n = 0;
    int rc = PMIX_SUCCESS;

    px_list_for(struct px_nspace, ns, &a->s->ns_list, link) {
        if (!rc && (!only || strcmp(only, ns->name) == 0) && !is_closed(a, ns)) {
            rc = add_namespace(&list, &n, ns);
        }
    }
    rc = rc || n ? rc : PMIX_ERR_NOT_FOUND;
    return px_infos_append_array(a->info, a->ninfo, a->key, rc, list, n);
}

/* --- sets and groups --- */

/* An array of processes, copied. */
static int put_procs(const struct answer *a, const pmix_proc_t *procs, size_t n)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = (void *) (uintptr_t) procs};

    return put_value(a, &array, PMIX_DATA_ARRAY);
}

/* --- process sets (PMIx_server_define_process_set), and groups of which a member is of this
 *     server, also those made by invitation (invited_group.h) --- */

/* Looks at the sets of the key's kind that have a member (NULL: those in the range of the query),
 * and answers when all were looked at. */
static int put_sets(const struct answer *a, enum px_sets_form form, const pmix_proc_t *member)
{
    struct px_sets_walk *walk = &a->turn->walk;
    int rc;

    if (!walk->open) {
        const struct px_sets_asked asked = {.s = a->s,
                                            .kind = a->row->kind,
                                            .member = member,
                                            .asker = a->asker,
                                            .range = member ? PMIX_RANGE_SESSION
                                                            : px_sets_range(a->query)};

        px_sets_walk_begin(walk, &asked, form);
    }
    rc = px_sets_walk_go_on(walk, &a->turn->left);
    if (rc == PX_QUERY_MORE) {
        return rc;
    }
    rc = rc ? rc : px_sets_walk_put(walk, a->key, a->info, a->ninfo);
    px_sets_walk_fini(walk);
    return rc;
}

/* The number of the sets in the range. */
static int put_count(const struct answer *a)
{
    return put_sets(a, PX_SETS_NUMBER, NULL);
}

/* All names in the range, as an array of strings. PMIX_ERR_NOT_FOUND if there is none. */
static int put_all_names(const struct answer *a)
{
    return put_sets(a, PX_SETS_NAMES, NULL);
}

/* Of the process in the qualifiers, or of the requester. */
static int put_names_of(const struct answer *a)
{
    pmix_proc_t who = px_query_target(a->query, a->asker);

    return put_sets(a, PX_SETS_NAMES, &who);
}

/* All names in the range, as one string separated by commas. */
static int put_name_list(const struct answer *a)
{
    return put_sets(a, PX_SETS_LIST, NULL);
}

/* The members of the set in the qualifier, which is required. Names are not unique: the set that
 * has the process in the qualifiers, or the requester, is preferred. */
static int put_members(const struct answer *a)
{
    const struct px_proc_sets *sets = a->s->proc_sets;
    const char *name =
        text_qualifier(a, a->row->kind == PX_SET_PSET ? PMIX_PSET_NAME : PMIX_GROUP_ID);
    pmix_proc_t who = px_query_target(a->query, a->asker);
    const struct px_proc_set *set = name ? px_proc_set_find(sets, a->row->kind, name, &who) : NULL;

    if (name && !set) {
        set = px_proc_set_find(sets, a->row->kind, name, NULL);
    }
    return set ? put_procs(a, set->members, set->n) : PMIX_ERR_NOT_FOUND;
}

/* --- processes --- */

/* Fills in a local process as this server sees it: name, node, pid and state. `ret` borrows
 * hostname. */
static void describe_proc(const struct px_server *s, const struct px_local_proc *rank,
                          pmix_proc_info_t *ret)
{
    PMIX_LOAD_PROCID(&ret->proc, rank->ns->name, rank->rank);
    ret->hostname = s->hostname;
    ret->pid = rank->pid;
    ret->state = rank->departed    ? PMIX_PROC_STATE_TERMINATED
                 : rank->finalized ? PMIX_PROC_STATE_TERMINATED
                 : rank->n_peers   ? PMIX_PROC_STATE_CONNECTED
                                   : PMIX_PROC_STATE_LAUNCH_UNDERWAY;
}

/* The registered local processes of the namespace in the qualifier, which is required. The
 * server knows no others, so the tables of the node and of the job are the same here.
 * PMIX_ERR_NOT_FOUND if it has none. */
static int put_proc_table(const struct answer *a)
{
    const char *name = text_qualifier(a, PMIX_NSPACE);
    struct px_nspace *ns = name ? px_nspace_find(a->s, name) : NULL;
    pmix_data_array_t array = {.type = PMIX_PROC_INFO};
    pmix_proc_info_t *table;
    int rc;

    if (!ns || is_closed(a, ns)) {
        return PMIX_ERR_NOT_FOUND;
    }
    table = calloc(ns->n_ranks + 1, sizeof(*table));
    if (!table) {
        return PMIX_ERR_NOMEM;
    }
    px_list_for(const struct px_local_proc, rank, &ns->rank_list, link) {
        if (rank->registered) {
            describe_proc(a->s, rank, &table[array.size++]);
        }
    }
    array.array = table;
    rc = array.size ? put_value(a, &array, PMIX_DATA_ARRAY) : PMIX_ERR_NOT_FOUND;
    free(table);
    return rc;
}

/* This server's address: TCP if it listens there, else AF_UNIX. */
static int put_uri(const struct answer *a)
{
    const char *uri = a->s->uri_tcp ? a->s->uri_tcp : a->s->uri_unix;

    return uri ? put_value(a, uri, PMIX_STRING) : PMIX_ERR_NOT_FOUND;
}

/* True if the query names directories. */
static bool names_directories(const pmix_query_t *query)
{
    return px_query_qualifier(query, PMIX_SERVER_TMPDIR) ||
           px_query_qualifier(query, PMIX_SYSTEM_TMPDIR);
}

/* The servers of this node, found by their rendezvous files. This process reads no directory that
 * another user has chosen: it may be large, or of a file system that does not answer. */
static int put_servers(const struct answer *a)
{
    pmix_info_t info;
    int rc = PMIX_ERR_NOT_FOUND;

    if (!a->peer || a->peer->uid == a->s->uid || !names_directories(a->query)) {
        rc = px_servers_answer(a->query, a->s->hostname, a->s->tmpdir, a->s->system_tmpdir, &info);
    }
    if (!rc) {
        rc = px_infos_append_copy(a->info, a->ninfo, &info);
        PMIx_Info_destruct(&info);
    }
    return rc;
}

/* --- supported attributes --- */

/* The attributes that server and host support. Those of clients and tools are answered by the
 * peers themselves, except to this process, which is answered for all levels. */
static int put_attributes(const struct answer *a)
{
    bool ours = PMIX_CHECK_PROCID(a->asker, &a->s->self);
    unsigned levels = ours ? ~0U : PX_ATTR_SERVER | PX_ATTR_HOST;
    size_t before = *a->ninfo;
    unsigned wanted;
    int rc = px_attrs_answer(a->s->ctx->attrs, levels, a->query, a->info, a->ninfo);

    /* No answer is missing if the query wants none of these levels. */
    if (!rc && *a->ninfo == before) {
        return px_attrs_asked(a->query, &wanted) && (wanted & levels) ? PMIX_ERR_NOT_FOUND
                                                                      : PMIX_SUCCESS;
    }
    return rc;
}

/* --- resolving --- */

/* Processes collected from several nodes. `procs`, `nodes` and stores.at are owned. */
struct peers {
    struct px_nspace_stores stores;
    struct px_map nodes; /* the names of those that were added */
    pmix_proc_t *procs;
    size_t n;
};

/* Appends the processes on one node (NULL: this one), if it was not added before. 0,
 * PMIX_ERR_NOMEM, or the status of px_resolve_peers. */
static int add_peers(struct peers *peers, const char *node)
{
    const char *name = node ? node : "";
    pmix_proc_t *procs = NULL;
    pmix_proc_t *grown;
    size_t n = 0;
    int rc;

    if (px_map_find(&peers->nodes, name, strlen(name))) {
        return PMIX_SUCCESS;
    }
    rc = px_map_set(&peers->nodes, name, strlen(name), peers)
             ? PMIX_ERR_NOMEM
             : px_resolve_peers(peers->stores.at, peers->stores.n, node, &procs, &n);
    if (rc || !n) {
        return rc;
    }
    grown = realloc(peers->procs, (peers->n + n) * sizeof(*grown));
    if (grown) {
        memcpy(grown + peers->n, procs, n * sizeof(*grown));
        peers->procs = grown;
        peers->n += n;
    }
    free(procs);
    return grown ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* The name of a node by its number in any of the namespaces, borrowed from the store; NULL if
 * none has it. */
static const char *node_name(const struct px_nspace_stores *stores, const pmix_value_t *value)
{
    struct px_node_view node;
    uint32_t nodeid;

    if (px_value_u32(value, &nodeid)) {
        return NULL;
    }
    for (size_t i = 0; i < stores->n; i++) {
        uint32_t index = px_store_node_by_id(stores->at[i], nodeid);

        if (index != PX_NO_NODE && !px_store_node(stores->at[i], index, &node)) {
            return node.name;
        }
    }
    return NULL;
}

/* The processes on the nodes that the qualifiers give, by name or number, one or several;
 * without such a qualifier on this node. PMIX_ERR_NOT_FOUND if there is none. */
static int put_peers(const struct answer *a)
{
    struct peers peers = {.procs = NULL};
    bool named = false;
    int rc = px_stores_named(a->s, text_qualifier(a, PMIX_NSPACE), &peers.stores);

    for (size_t i = 0; !rc && i < a->query->nqual; i++) {
        const pmix_info_t *qual = &a->query->qualifiers[i];
        const pmix_value_t *name = px_info_find(qual, 1, PMIX_HOSTNAME);
        const pmix_value_t *id = px_info_find(qual, 1, PMIX_NODEID);

        if ((name && name->type == PMIX_STRING) || id) {
            const char *node = id ? node_name(&peers.stores, id) : name->data.string;

            named = true;
            rc = node ? add_peers(&peers, node) : PMIX_ERR_NOT_FOUND;
        }
    }
    if (!rc && !named) {
        rc = add_peers(&peers, NULL);
    }
    rc = rc ? rc : peers.n ? put_procs(a, peers.procs, peers.n) : PMIX_ERR_NOT_FOUND;
    px_map_fini(&peers.nodes);
    free(peers.procs);
    free(peers.stores.at);
    return rc == PMIX_ERR_NOMEM || !rc ? rc : PMIX_ERR_NOT_FOUND;
}

/* The nodes of the namespace in the qualifier, or of all, as one string. */
static int put_nodes(const struct answer *a)
{
    struct px_nspace_stores stores;
    char *nodes = NULL;
    int rc = px_stores_named(a->s, text_qualifier(a, PMIX_NSPACE), &stores);

    rc = rc ? rc : px_resolve_nodes(stores.at, stores.n, &nodes);
    free(stores.at);
    rc = rc ? rc : nodes ? put_value(a, nodes, PMIX_STRING) : PMIX_ERR_NOT_FOUND;
    free(nodes);
    return rc == PMIX_ERR_NOMEM || !rc ? rc : PMIX_ERR_NOT_FOUND;
}

/* --- registered data --- */

/* A registered value, found as by PMIx_Get with the qualifiers as directives. A query without a
 * process is about the requester's job. An error in the qualifiers is returned as it is; a value
 * that is not found is PMIX_ERR_NOT_FOUND whatever the store says. */
static int put_stored(const struct answer *a)
{
    pmix_proc_t job;
    pmix_proc_t target;
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;
    pmix_info_t *quals = calloc(a->query->nqual + 1, sizeof(*quals));
    struct px_nspace *ns;
    struct px_get_directives directives;
    struct px_slice slice;
    pmix_value_t value;
    int rc =
        quals ? px_lookup_key_read(a->query->qualifiers, a->query->nqual, quals, &spec, &directives)
              : PMIX_ERR_NOMEM;

    if (rc) {
        free(quals);
        return rc;
    }
    PMIX_LOAD_PROCID(&job, a->asker->nspace, PMIX_RANK_WILDCARD);
    target = px_query_target(a->query, &job);
    spec.rank = target.rank;
    spec.key = a->key;
    spec.key_len = strlen(a->key);
    ns = px_nspace_find(a->s, target.nspace);
    rc = ns && !is_closed(a, ns) ? px_store_get(ns->store, &spec, &slice) : PMIX_ERR_NOT_FOUND;
    rc = rc ? PMIX_ERR_NOT_FOUND : px_slice_fill(&slice, &value);
    if (!rc) {
        pmix_info_t info;

        memset(&info, 0, sizeof(info));
        memcpy(info.key, a->key, strnlen(a->key, PMIX_MAX_KEYLEN));
        info.value = value;
        rc = px_infos_append_copy(a->info, a->ninfo, &info);
        PMIx_Value_destruct(&value);
    }
    free(quals);
    return rc;
}

/* The version of the ABI that the key names, stable or provisional. */
static int put_abi(const struct answer *a)
{
    return put_value(a, px_abi_version(a->key), PMIX_STRING);
}

/* --- queries --- */

static int put_keys(const struct answer *a);

#define OF_PROC PMIX_PROCID "," PMIX_NSPACE "," PMIX_RANK
#define LITTLE  PX_LOOKS_AT_LITTLE
#define SETS    PX_LOOKS_AT_SETS
#define MEMBERS PX_LOOKS_AT_MEMBERS
#define NODES   PX_LOOKS_AT_NODES
#define FILES   PX_LOOKS_AT_FILES

static const struct answered_key answered[] = {
    {PMIX_QUERY_NAMESPACES, put_namespaces, "", LITTLE, 0},
    {PMIX_QUERY_NAMESPACE_INFO, put_namespace_info, PMIX_NSPACE, LITTLE, 0},
    {PMIX_QUERY_NUM_PSETS, put_count, PMIX_RANGE, SETS, PX_SET_PSET},
    {PMIX_QUERY_PSET_NAMES, put_name_list, PMIX_RANGE, SETS, PX_SET_PSET},
    {PMIX_QUERY_PSET_MEMBERSHIP, put_members, PMIX_PSET_NAME "," OF_PROC, SETS, PX_SET_PSET},
    {PMIX_PSET_NAMES, put_names_of, OF_PROC, MEMBERS, PX_SET_PSET},
    {PMIX_GROUP_NAMES, put_names_of, OF_PROC, MEMBERS, PX_SET_GROUP},
    {PMIX_QUERY_NUM_GROUPS, put_count, PMIX_RANGE, SETS, PX_SET_GROUP},
    {PMIX_QUERY_GROUP_NAMES, put_all_names, PMIX_RANGE, SETS, PX_SET_GROUP},
    {PMIX_QUERY_GROUP_MEMBERSHIP, put_members, PMIX_GROUP_ID "," OF_PROC, SETS, PX_SET_GROUP},
    {PMIX_QUERY_LOCAL_PROC_TABLE, put_proc_table, PMIX_NSPACE, LITTLE, 0},
    {PMIX_QUERY_PROC_TABLE, put_proc_table, PMIX_NSPACE, LITTLE, 0},
    {PMIX_SERVER_URI, put_uri, "", LITTLE, 0},
    {PMIX_QUERY_AVAIL_SERVERS, put_servers, PX_SERVERS_QUALIFIERS, FILES, 0},
    {PMIX_QUERY_ATTRIBUTE_SUPPORT, put_attributes,
     PMIX_CLIENT_ATTRIBUTES "," PMIX_SERVER_ATTRIBUTES "," PMIX_HOST_ATTRIBUTES
                            "," PMIX_TOOL_ATTRIBUTES,
     LITTLE, 0},
    {PMIX_LOCAL_PROCS, put_peers, PMIX_NSPACE "," PMIX_HOSTNAME "," PMIX_NODEID, NODES, 0},
    {PMIX_QUERY_RESOLVE_PEERS, put_peers, PMIX_NSPACE "," PMIX_HOSTNAME "," PMIX_NODEID, NODES, 0},
    {PMIX_QUERY_RESOLVE_NODE, put_nodes, PMIX_NSPACE, LITTLE, 0},
    {PMIX_QUERY_STABLE_ABI_VERSION, put_abi, "", LITTLE, 0},
    {PMIX_QUERY_PROVISIONAL_ABI_VERSION, put_abi, "", LITTLE, 0},
    {PMIX_QUERY_SUPPORTED_KEYS, put_keys, "", LITTLE, 0},
};

/* The number of rows; a search is linear, as queries are rare. */
enum { N_ANSWERED = sizeof(answered) / sizeof(answered[0]) };

/* The row of a key, or NULL. */
static const struct answered_key *find_answered(const char *key)
{
    for (size_t i = 0; i < N_ANSWERED; i++) {
        if (px_value_key_is(answered[i].key, key)) {
            return &answered[i];
        }
    }
    return NULL;
}

/* The keys of the table, separated by commas. The host's own keys are not among them. */
static int put_keys(const struct answer *a)
{
    struct px_buf list = {0};

    for (size_t i = 0; i < N_ANSWERED; i++) {
        px_buf_item(&list, answered[i].key);
    }
    return put_list(a, &list);
}

/* The qualifiers that a key understands (PMIX_QUERY_SUPPORTED_QUALIFIERS), separated by commas.
 * Every key with a realm is registered data, with the qualifiers of a get. */
static int put_qualifiers(const struct answer *a)
{
    if (a->row) {
        return put_value(a, a->row->qualifiers, PMIX_STRING);
    }
    if (px_key_realm(a->key, strlen(a->key)) == PX_REALM_NONE) {
        return PMIX_ERR_NOT_FOUND;
    }
    return put_value(a,
                     OF_PROC "," PMIX_SESSION_INFO "," PMIX_JOB_INFO "," PMIX_APP_INFO
                             "," PMIX_NODE_INFO "," PMIX_SESSION_ID "," PMIX_APPNUM
                             "," PMIX_HOSTNAME "," PMIX_NODEID,
                     PMIX_STRING);
}

enum px_query_looks_at px_query_looks_at(const char *key)
{
    const struct answered_key *row = find_answered(key);

    return row ? row->looks_at : PX_LOOKS_AT_LITTLE;
}

/* The order: qualifiers of the key, the table, registered data, inventory. */
int px_query_local(struct px_upcall *up, const pmix_query_t *query, const char *key,
                   struct px_query_turn *turn, pmix_info_t **info, size_t *ninfo)
{
    struct px_server *s = up->server;
    struct answer a = {.s = s,
                       .peer = px_peer_find(s, up->reply_to.peer),
                       .asker = &up->proc,
                       .query = query,
                       .key = key,
                       .row = find_answered(key),
                       .turn = turn,
                       .info = info,
                       .ninfo = ninfo};
    int rc;

    px_assert(px_loop_inside(s->loop));
    if (!key[0] || strlen(key) > PMIX_MAX_KEYLEN) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (px_query_asks_qualifiers(query)) {
        return put_qualifiers(&a);
    }
    if (a.row) {
        return a.row->put(&a);
    }
    rc = put_stored(&a);
    return rc == PMIX_ERR_NOT_FOUND ? px_inventory_answer(s, query, key, a.info, a.ninfo) : rc;
}
