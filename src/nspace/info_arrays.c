/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reads info arrays and finds the home of each value. An array names its home by an identifier
 * among its own elements; a value outside of arrays belongs where its key's realm says, if there is
 * only one such home. Arrays may nest to a depth of PX_JOB_MAX_DEPTH; an element is read in the
 * home of the innermost array around it.
 *
 * Example of a registration, with the home of each value:
 *
 *   PMIX_UNIV_SIZE                      session, because of its realm
 *   PMIX_SESSION_INFO_ARRAY             session of its PMIX_SESSION_ID
 *     PMIX_NODE_INFO_ARRAY              node of its PMIX_HOSTNAME or PMIX_NODEID, foreign
 *     PMIX_JOB_INFO_ARRAY               job; nodes in it are the job's
 *   PMIX_APP_INFO_ARRAY                 application of its PMIX_APPNUM
 *   PMIX_PROC_DATA                      process of its PMIX_RANK or PMIX_PROCID */

#include "info_arrays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pmix.h>

#include "job.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "key_types.h"
#include "names.h"
#include "gds/batch.h"

/* The home of the element being read. On the stack; each array makes a changed copy for its
 * elements. */
struct home {
    enum px_level level;
    uint32_t index;
    unsigned depth;
    bool session_only; /* inside a session array, outside of job arrays */
    bool loose;        /* in no array but the job's: the key's realm decides the level */
    uint32_t app;      /* of a process */
    bool named;        /* of a process: it gives its node's name, not an alias of it */
};

/* Reads elements at a home; calls itself for the elements of arrays. */
static int read_infos(struct px_job *job, const struct home *home, const pmix_info_t *info,
                      size_t ninfo);

/* True if the key is one of the five arrays that name a home. */
static bool is_array(const struct px_job_key *key)
{
    return key->role >= PX_KEY_ROLE_SESSION_ARRAY && key->role <= PX_KEY_ROLE_PROC_ARRAY;
}

/* --- second pass: arrays --- */

/* A session array: its values belong to the session that it names. One without an identifier is
 * refused from the host and belongs to the default session when it comes from the wire. */
static int read_session(struct px_job *job, const struct home *outer, const pmix_info_t *info,
                        size_t ninfo)
{
    const pmix_value_t *id = px_info_find(info, ninfo, PMIX_SESSION_ID);
    struct home home = *outer;
    int rc;

    home.level = PX_LEVEL_SESSION;
    home.index = PX_SESSION_DEFAULT;
    home.loose = false;
    home.session_only = true;
    if (!id) {
        return job->strict ? PMIX_ERR_BAD_PARAM : read_infos(job, &home, info, ninfo);
    }
    rc = px_value_u32(id, &home.index);
    return rc ? rc : read_infos(job, &home, info, ninfo);
}

/* An application array. The number is required and must be below UINT16_MAX; the other numbers
 * below it are applications, too. */
static int read_app(struct px_job *job, const struct home *outer, const pmix_info_t *info,
                    size_t ninfo)
{
    const pmix_value_t *id = px_info_find(info, ninfo, PMIX_APPNUM);
    struct home home = *outer;
    int rc;

    home.level = PX_LEVEL_APP;
    home.loose = false;
    rc = id ? px_value_u32(id, &home.index) : PMIX_ERR_BAD_PARAM;
    if (rc || home.index >= UINT16_MAX) {
        return rc ? rc : PMIX_ERR_BAD_PARAM;
    }
    px_job_app(job, home.index);
    return read_infos(job, &home, info, ninfo);
}

/* Finds the node that a node array is about, by name or number, or adds it. A new node without a
 * name is called "#" and its number. PMIX_ERR_BAD_PARAM: neither name nor number. */
static int identify_node(struct px_job *job, const pmix_info_t *info, size_t ninfo,
                         uint32_t *ret_index)
{
    const char *name = px_value_text(px_info_find(info, ninfo, PMIX_HOSTNAME));
    const pmix_value_t *id = px_info_find(info, ninfo, PMIX_NODEID);
    uint32_t nodeid = PX_NO_NODEID;
    char made_up[32];
    uint32_t index = PX_NO_NODE;
    int rc = id ? px_value_u32(id, &nodeid) : name ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;

    if (!rc && !name) {
        index = px_job_node_by_id(job, nodeid);
        (void) snprintf(made_up, sizeof(made_up), "#%" PRIu32, nodeid);
        name = made_up;
    }
    if (!rc && index == PX_NO_NODE) {
        rc = px_job_node(job, name, &index);
    }
    if (!rc && nodeid != PX_NO_NODEID) {
        job->nodes[index].nodeid = nodeid;
    }
    if (!rc) {
        *ret_index = index;
    }
    return rc;
}

/* Adds the comma-separated aliases to the node. */
static int read_aliases(struct px_job *job, uint32_t index, const char *text)
{
    char **names = PMIx_Argv_split(text, ',');
    int rc = names ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    for (size_t i = 0; !rc && names[i]; i++) {
        rc = px_job_alias(job, index, names[i]);
    }
    PMIx_Argv_free(names);
    return rc;
}

/* A node array. A node that only a session array has is foreign, until a job array or a process
 * names it. An alias may identify the readers' own node, so that is tried again. The list of
 * aliases is read first, since values in the array may refer to the node by one. */
static int read_node(struct px_job *job, const struct home *outer, const pmix_info_t *info,
                     size_t ninfo)
{
    const char *aliases = px_value_text(px_info_find(info, ninfo, PMIX_HOSTNAME_ALIASES));
    struct home home = *outer;
    size_t known = job->n_nodes;
    int rc = identify_node(job, info, ninfo, &home.index);

    if (rc) {
        return rc;
    }
    if (home.index == known) {
        job->nodes[home.index].foreign = outer->session_only;
    } else if (!outer->session_only) {
        job->nodes[home.index].foreign = false;
    }
    rc = aliases ? read_aliases(job, home.index, aliases) : PMIX_SUCCESS;
    if (!rc && job->local_node == PX_NO_NODE && job->hostname) {
        job->local_node = px_job_node_by_name(job, job->hostname);
    }
    home.level = PX_LEVEL_NODE;
    home.loose = false;
    return rc ? rc : read_infos(job, &home, info, ninfo);
}

/* The first value of each role among the values of one process, NULL if there is none. Borrowed. */
struct seen_keys {
    const pmix_value_t *of[PX_N_KEY_ROLES];
};

/* Finds the values that decide the home of a process, before its values are read.
 * PMIX_ERR_BAD_PARAM: a malformed key. */
static int look_through(struct px_job *job, unsigned depth, const pmix_info_t *info, size_t ninfo,
                        struct seen_keys *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < ninfo; i++) {
        const struct px_job_key *key = px_job_key(job, &info[i], depth, i);

        if (!key) {
            return PMIX_ERR_BAD_PARAM;
        }
        if (!ret->of[key->role]) {
            ret->of[key->role] = &info[i].value;
        }
    }
    return PMIX_SUCCESS;
}

/* The node that a process names, added if it is new. In most cases the maps have placed the process
 * there already, and one comparison suffices. */
static int node_of_proc(struct px_job *job, const char *name, const struct px_job_rank *at,
                        uint32_t *ret_index, bool *ret_named)
{
    int rc;

    if (at->node != PX_NO_NODE && strcmp(job->nodes[at->node].name, name) == 0) {
        *ret_index = at->node;
        *ret_named = true;
        return PMIX_SUCCESS;
    }
    rc = px_job_node(job, name, ret_index);
    *ret_named = !rc && strcmp(job->nodes[*ret_index].name, name) == 0;
    return rc;
}

/* Records node and application of a process from its own values. They have precedence over the
 * maps, and the values that are missing leave them as they are. 0, PMIX_ERR_NOMEM, or
 * PMIX_ERR_BAD_PARAM: the rank is too high, or (in a strict job; from the wire it counts as not
 * given) the number of the application, which must be below UINT16_MAX. */
static int set_proc_home(struct px_job *job, uint32_t rank, const struct seen_keys *said,
                         struct home *ret)
{
    const char *name = px_value_text(said->of[PX_KEY_ROLE_HOSTNAME]);
    const pmix_value_t *id = said->of[PX_KEY_ROLE_NODEID];
    const pmix_value_t *app = said->of[PX_KEY_ROLE_APPNUM];
    struct px_job_rank *at;
    uint32_t index = PX_NO_NODE;
    uint32_t v;
    int rc = px_job_rank(job, rank, &at);

    ret->app = 0;
    ret->named = false;
    if (rc) {
        return rc;
    }
    if (name) {
        rc = node_of_proc(job, name, at, &index, &ret->named);
    } else if (id && !px_value_u32(id, &v)) {
        index = px_job_node_by_id(job, v);
    }
    if (rc) {
        return rc;
    }
    if (index != PX_NO_NODE) {
        at->node = index;
        job->nodes[index].foreign = false;
        if (name && id && job->nodes[index].nodeid == PX_NO_NODEID && !px_value_u32(id, &v)) {
            job->nodes[index].nodeid = v;
        }
    }
    if (!app || px_value_u32(app, &v)) {
        return PMIX_SUCCESS;
    }
    if (v >= UINT16_MAX) {
        return job->strict ? PMIX_ERR_BAD_PARAM : PMIX_SUCCESS;
    }
    at->app = v;
    ret->app = v;
    px_job_app(job, v);
    return PMIX_SUCCESS;
}

/* Reads the values of a process whose rank is known. */
static int read_proc_at(struct px_job *job, const struct home *outer, uint32_t rank,
                        const struct seen_keys *said, const pmix_info_t *info, size_t ninfo)
{
    struct home home = *outer;
    int rc = set_proc_home(job, rank, said, &home);

    home.level = PX_LEVEL_PROC;
    home.index = rank;
    home.loose = false;
    return rc ? rc : read_infos(job, &home, info, ninfo);
}

/* A process array; PMIX_RANK or PMIX_PROCID has to identify the process. */
static int read_proc(struct px_job *job, const struct home *outer, const pmix_info_t *info,
                     size_t ninfo)
{
    const pmix_value_t *id;
    const pmix_value_t *proc;
    struct seen_keys said;
    uint32_t rank;
    int rc = look_through(job, outer->depth, info, ninfo, &said);

    if (rc) {
        return rc;
    }
    id = said.of[PX_KEY_ROLE_RANK];
    proc = said.of[PX_KEY_ROLE_PROCID];
    if (id) {
        rc = px_value_u32(id, &rank);
    } else if (proc && proc->type == PMIX_PROC && proc->data.proc) {
        rank = proc->data.proc->rank;
    } else {
        rc = PMIX_ERR_BAD_PARAM;
    }
    return rc ? rc : read_proc_at(job, outer, rank, &said, info, ninfo);
}

/* Opens an array and reads its elements in the home that its role says. Empty arrays are ignored.
 * The last case is a job array: one inside of another session's array is a job of the same name
 * there, and is skipped. Nested arrays deeper than PX_JOB_MAX_DEPTH are PMIX_ERR_BAD_PARAM. */
static int read_array(struct px_job *job, const struct home *outer, enum px_key_role role,
                      const pmix_info_t *array)
{
    struct home home = *outer;
    const pmix_info_t *info;
    size_t n;
    int rc = px_info_open(&array->value, &info, &n);

    home.depth++;
    if (rc || !n) {
        return rc;
    }
    if (home.depth > PX_JOB_MAX_DEPTH) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (role == PX_KEY_ROLE_SESSION_ARRAY) {
        return read_session(job, &home, info, n);
    }
    if (role == PX_KEY_ROLE_APP_ARRAY) {
        return read_app(job, &home, info, n);
    }
    if (role == PX_KEY_ROLE_NODE_ARRAY) {
        return read_node(job, &home, info, n);
    }
    if (role == PX_KEY_ROLE_PROC_ARRAY) {
        return read_proc(job, &home, info, n);
    }
    if (home.session_only && home.index != PX_SESSION_DEFAULT && home.index != job->session) {
        return PMIX_SUCCESS;
    }
    home.level = PX_LEVEL_JOB;
    home.index = 0;
    home.session_only = false;
    home.loose = true;
    return read_infos(job, &home, info, n);
}

/* --- second pass: values --- */

/* A process array may contain values of its application, the same ones in each array. The first one
 * of an application is used; key->app_placed makes the check cheap. */
static int add_app_fact(struct px_job *job, uint32_t app, struct px_job_key *key,
                        const pmix_value_t *value)
{
    char name[PMIX_MAX_KEYLEN + 16];
    size_t len = strlen(key->name);

    if (key->app_placed == app + 1) {
        return PMIX_SUCCESS;
    }
    memcpy(name, &app, sizeof(app));
    memcpy(name + sizeof(app), key->name, len);
    len += sizeof(app);
    key->app_placed = app + 1;
    if (px_map_find(&job->placed, name, len)) {
        return PMIX_SUCCESS;
    }
    if (px_map_set(&job->placed, name, len, job)) {
        return PMIX_ERR_NOMEM;
    }
    return px_job_add_value(job, PX_LEVEL_APP, app, key->name, value);
}

/* A value outside of arrays goes to the level of its realm: the session, the only application, the
 * readers' own node; and to the job if there is no such home. */
static int add_loose(struct px_job *job, const struct px_job_key *known, const pmix_value_t *value)
{
    enum px_realm realm = known->per_node ? PX_REALM_NODE : known->realm;
    const char *key = known->name;
    uint32_t index = PX_NO_NODE;
    int rc;

    if (realm == PX_REALM_SESSION) {
        return px_job_add_value(job, PX_LEVEL_SESSION, job->session, key, value);
    }
    if (realm == PX_REALM_APP && job->n_apps <= 1) {
        px_job_app(job, 0);
        return px_job_add_value(job, PX_LEVEL_APP, 0, key, value);
    }
    if (realm == PX_REALM_NODE) {
        rc = px_job_local_node(job, &index);
        if (rc || index != PX_NO_NODE) {
            return rc ? rc : px_job_add_value(job, PX_LEVEL_NODE, index, key, value);
        }
    }
    return px_job_add_value(job, PX_LEVEL_JOB, 0, key, value);
}

/* Places the processes of a node's list on that node, unless they are on one already. */
static int set_peers_place(struct px_job *job, uint32_t node, const pmix_value_t *value)
{
    const char *text = px_value_text(value);
    struct px_ranks ranks = {0};
    int rc = text ? px_ranks_parse(&ranks, text, strlen(text)) : PMIX_SUCCESS;

    px_assert(node < job->n_nodes);
    for (size_t i = 0; !rc && i < ranks.n; i++) {
        struct px_job_rank *rank;

        rc = px_job_rank(job, ranks.at[i], &rank);
        if (!rc && rank->node == PX_NO_NODE) {
            rank->node = node;
        }
    }
    px_ranks_fini(&ranks);
    return rc;
}

/* PMIX_LOCAL_PEERS in a node array. The list of a foreign node is about other jobs and places
 * nobody. */
static int read_peers(struct px_job *job, uint32_t node, const pmix_value_t *value)
{
    job->nodes[node].said_peers = true;
    return job->nodes[node].foreign ? PMIX_SUCCESS : set_peers_place(job, node, value);
}

/* A value of any level but processes. */
static int read_elsewhere(struct px_job *job, const struct home *home, const struct px_job_key *key,
                          const pmix_value_t *value)
{
    int rc = PMIX_SUCCESS;

    if (key->role == PX_KEY_ROLE_LOCAL_PEERS && home->level == PX_LEVEL_NODE) {
        rc = read_peers(job, home->index, value);
    }
    if (rc || home->loose) {
        return rc ? rc : add_loose(job, key, value);
    }
    return px_job_add_value(job, home->level, home->index, key->name, value);
}

/* A value of a process. A string equal to the name of its node is replaced by the node's own
 * string, so that the writer recognises equal values by their address. */
static int read_of_proc(struct px_job *job, const struct home *home, struct px_job_key *key,
                        const pmix_value_t *value)
{
    uint32_t node = job->ranks[home->index].node;
    pmix_value_t name = {.type = PMIX_STRING};

    px_assert(node == PX_NO_NODE || node < job->n_nodes);
    if (key->role == PX_KEY_ROLE_NODEID && node != PX_NO_NODE) {
        return PMIX_SUCCESS; /* the store answers it with the number of the node */
    }
    if (key->role == PX_KEY_ROLE_HOSTNAME && home->named && value->type == PMIX_STRING) {
        name.data.string = (char *) (uintptr_t) job->nodes[node].name;
        value = &name;
    }
    return px_job_add_proc_value(job, home->index, key, value);
}

/* Converts a value to the declared type of its key and adds it. A strict job refuses a value that
 * does not fit; from the wire it is stored unchanged. Converted values above processes need memory
 * of the job, because they are only referenced. */
static int read_value(struct px_job *job, const struct home *home, struct px_job_key *key,
                      const pmix_value_t *value)
{
    bool converted = false;
    bool of_proc = home->level == PX_LEVEL_PROC && key->realm != PX_REALM_APP;
    pmix_value_t fitted;
    int rc = value->type == key->declared ? PMIX_SUCCESS
                                          : px_value_fit(key->declared, value, &converted, &fitted);

    if (rc && job->strict) {
        return rc;
    }
    if (!rc && converted && !of_proc) {
        pmix_value_t *copy = px_job_alloc(job, sizeof(*copy));

        if (!copy) {
            return PMIX_ERR_NOMEM;
        }
        *copy = fitted;
        value = copy;
    }
    if (of_proc) {
        return read_of_proc(job, home, key, !rc && converted ? &fitted : value);
    }
    if (home->level == PX_LEVEL_PROC) {
        return add_app_fact(job, home->app, key, value);
    }
    return read_elsewhere(job, home, key, value);
}

/* One element after the other: arrays of a home are opened, markers skipped, values added. */
static int read_infos(struct px_job *job, const struct home *home, const pmix_info_t *info,
                      size_t ninfo)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        struct px_job_key *key = px_job_key(job, &info[i], home->depth, i);

        if (!key) {
            return px_job_wrong(job, &info[i], PMIX_ERR_BAD_PARAM);
        }
        if (is_array(key) && info[i].value.type == PMIX_DATA_ARRAY) {
            rc = read_array(job, home, key->role, &info[i]);
        } else if (is_array(key) && job->strict) {
            rc = PMIX_ERR_TYPE_MISMATCH;
        } else if (key->role != PX_KEY_ROLE_NO_DATA) {
            rc = read_value(job, home, key, &info[i].value);
        }
        rc = rc ? px_job_wrong(job, &info[i], rc) : rc;
    }
    return rc;
}

/* Prefetches. The infos of a large job do not fit into any cache, so those of the next process
 * arrays are fetched in three steps, each of which needs the data of the one before. */
static void look_ahead(const struct px_job_infos *top, size_t i)
{
    enum { VALUES = 12, ARRAYS = 8, INFOS = 4, MOST = 16 };
    const pmix_info_t *info = NULL;
    size_t n = 0;

    if (i < top->procs || i + VALUES >= top->procs + top->n_procs) {
        return;
    }
    __builtin_prefetch(top->at[i + VALUES].key);
    __builtin_prefetch(&top->at[i + VALUES].value);
    if (top->at[i + ARRAYS].value.type == PMIX_DATA_ARRAY) {
        __builtin_prefetch(top->at[i + ARRAYS].value.data.darray);
    }
    if (px_info_open(&top->at[i + INFOS].value, &info, &n)) {
        return;
    }
    for (size_t k = 0; k < n && k < MOST; k++) {
        __builtin_prefetch(info[k].key);
        __builtin_prefetch(&info[k].value);
    }
}

/* Reads the top level once: the arrays, or the loose values. Loose values come last, because their
 * node and application are known only after all arrays were read. */
static int read_round(struct px_job *job, const struct home *home, const struct px_job_infos *top,
                      bool arrays)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < top->n; i++) {
        const struct px_job_key *key;

        i = arrays ? i : px_job_infos_next(top, i);
        if (i == top->n) {
            break;
        }
        key = px_job_key(job, &top->at[i], 0, 0);
        if (!key) {
            return PMIX_ERR_BAD_PARAM;
        }
        if (is_array(key) == arrays) {
            look_ahead(top, i);
            rc = read_infos(job, home, &top->at[i], 1);
        }
    }
    return rc;
}

/* The number of process arrays lets the batch reserve memory at once. */
int px_job_read(struct px_job *job, const struct px_job_infos *top)
{
    struct home home = {.level = PX_LEVEL_JOB, .loose = true};
    int rc = PMIX_SUCCESS;

    if (job->batch) {
        px_batch_expect(job->batch, top->n_procs);
    }
    rc = read_round(job, &home, top, true);
    rc = rc ? rc : px_job_own_node(job, top);
    return rc ? rc : read_round(job, &home, top, false);
}

/* The values are read as if they were in a process array at the first depth. */
int px_job_read_proc(struct px_job *job, uint32_t rank, const pmix_info_t *info, size_t ninfo)
{
    struct home home = {.level = PX_LEVEL_JOB, .depth = 1};
    struct seen_keys said;
    int rc = look_through(job, home.depth, info, ninfo, &said);

    return rc ? rc : read_proc_at(job, &home, rank, &said, info, ninfo);
}
