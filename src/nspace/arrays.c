/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading info arrays: where each value belongs. An array names its place by an identifier among its own elements;
 * a loose value belongs where its key's realm says, if there is only one such place. Arrays nest to any depth up
 * to PX_JOB_MAX_DEPTH, each element being read in the place of the innermost array around it. */

#include <string.h>

#include <pmix.h>

#include "job.h"
#include "types.h"

/* Where an element stands. */
struct place {
    enum px_level level;
    uint32_t index;
    unsigned depth;
    bool session_only; /* inside a session array and in no job array */
    bool loose;        /* in no array but the job's: the realm decides */
    uint32_t app;      /* of a process */
};

static int read_infos(struct px_job *job, const struct place *place, const pmix_info_t *info, size_t ninfo);

/* --- looking into arrays --- */

static const pmix_value_t *find_key(const pmix_info_t *info, size_t ninfo, const char *key)
{
    for (size_t i = 0; i < ninfo; i++) {
        if (strncmp(info[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &info[i].value;
        }
    }
    return NULL;
}

/* The elements of a value that has to be an array of infos. */
static int open_array(const pmix_value_t *value, const pmix_info_t **ret_info, size_t *ret_n)
{
    const pmix_data_array_t *array = value->data.darray;

    if (value->type != PMIX_DATA_ARRAY) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    *ret_info = NULL;
    *ret_n = 0;
    if (!array || !array->size) {
        return PMIX_SUCCESS;
    }
    if (array->type != PMIX_INFO || !array->array) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    *ret_info = array->array;
    *ret_n = array->size;
    return PMIX_SUCCESS;
}

static const char *text_of(const pmix_value_t *value)
{
    return value && value->type == PMIX_STRING && value->data.string && value->data.string[0]
               ? value->data.string
               : NULL;
}

static bool is_array(const struct px_job_key *key)
{
    return key->role >= PX_ROLE_SESSION_ARRAY && key->role <= PX_ROLE_PROC_ARRAY;
}

/* --- the readers' own node --- */

static int own_node_by_number(struct px_job *job, const pmix_info_t *info, size_t ninfo)
{
    const pmix_value_t *id = find_key(info, ninfo, PMIX_NODEID);
    const char *peers = text_of(find_key(info, ninfo, PMIX_LOCAL_PEERS));
    struct px_ranks ranks = {0};
    uint32_t number;

    if (job->local_node == PX_NO_NODE && id && !px_value_u32(id, &number)) {
        job->local_node = px_job_node_by_id(job, number);
    }
    if (job->local_node == PX_NO_NODE && peers && !px_ranks_parse(&ranks, peers, strlen(peers)) && ranks.n &&
        ranks.at[0] < job->n_ranks) {
        job->local_node = job->ranks[ranks.at[0]].node;
    }
    px_ranks_fini(&ranks);
    if (job->local_node != PX_NO_NODE && job->hostname) {
        return px_job_alias(job, job->local_node, job->hostname);
    }
    return PMIX_SUCCESS;
}

int px_job_local_node(struct px_job *job, uint32_t *ret_index)
{
    uint32_t known = px_store_local_node(job->store);
    struct px_node_view view;
    int rc = PMIX_SUCCESS;

    if (job->local_node == PX_NO_NODE && known != PX_NO_NODE && !px_store_node(job->store, known, &view)) {
        rc = px_job_node(job, view.name, &job->local_node);
    } else if (job->local_node == PX_NO_NODE && job->hostname) {
        rc = px_job_node(job, job->hostname, &job->local_node);
    }
    *ret_index = job->local_node;
    return rc;
}

/* --- first pass: maps, sizes, names --- */

static int read_name(struct px_job *job, const pmix_info_t *info)
{
    uint32_t v;

    if (strcmp(info->key, PMIX_SESSION_ID) == 0 && !px_value_u32(&info->value, &v)) {
        job->session = v;
    } else if (strcmp(info->key, PMIX_JOB_SIZE) == 0 && !px_value_u32(&info->value, &v)) {
        job->job_size = v;
    } else if (strcmp(info->key, PMIX_NPROC_OFFSET) == 0 && !px_value_u32(&info->value, &v)) {
        job->offset = v;
    } else if (strcmp(info->key, PMIX_NODE_MAP) == 0 || strcmp(info->key, PMIX_NODE_MAP_RAW) == 0) {
        return px_job_node_map(job, &info->value);
    }
    return PMIX_SUCCESS;
}

static int read_names(struct px_job *job, const pmix_info_t *info, size_t ninfo, unsigned depth)
{
    int rc = depth > PX_JOB_MAX_DEPTH ? PMIX_ERR_BAD_PARAM : PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        bool session = strcmp(info[i].key, PMIX_SESSION_INFO_ARRAY) == 0;
        const pmix_value_t *id;
        const pmix_info_t *inner;
        size_t n;
        uint32_t v;

        if (!session && strcmp(info[i].key, PMIX_JOB_INFO_ARRAY) != 0) {
            rc = read_name(job, &info[i]);
            continue;
        }
        rc = open_array(&info[i].value, &inner, &n);
        id = !rc && session ? find_key(inner, n, PMIX_SESSION_ID) : NULL;
        if (id && !px_value_u32(id, &v)) {
            job->session = v;
        }
        /* A session's own maps are not the job's: of a session array only the job arrays count. */
        for (size_t j = 0; !rc && j < n; j++) {
            if (!session || strcmp(inner[j].key, PMIX_JOB_INFO_ARRAY) == 0) {
                rc = read_names(job, &inner[j], 1, depth + 1);
            }
        }
    }
    return rc;
}

static int read_proc_maps(struct px_job *job, const pmix_info_t *info, size_t ninfo, unsigned depth)
{
    int rc = depth > PX_JOB_MAX_DEPTH ? PMIX_ERR_BAD_PARAM : PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        bool session = strcmp(info[i].key, PMIX_SESSION_INFO_ARRAY) == 0;
        const pmix_info_t *inner;
        size_t n;

        if (strcmp(info[i].key, PMIX_PROC_MAP) == 0 || strcmp(info[i].key, PMIX_PROC_MAP_RAW) == 0) {
            rc = px_job_proc_map(job, &info[i].value);
        } else if (session || strcmp(info[i].key, PMIX_JOB_INFO_ARRAY) == 0) {
            rc = open_array(&info[i].value, &inner, &n);
            for (size_t j = 0; !rc && j < n; j++) {
                if (!session || strcmp(inner[j].key, PMIX_JOB_INFO_ARRAY) == 0) {
                    rc = read_proc_maps(job, &inner[j], 1, depth + 1);
                }
            }
        }
    }
    return rc;
}

int px_job_read_maps(struct px_job *job, const pmix_info_t *info, size_t ninfo)
{
    int rc = read_names(job, info, ninfo, 0);

    rc = rc ? rc : read_proc_maps(job, info, ninfo, 0);
    if (rc) {
        return rc;
    }
    if (job->hostname) {
        job->local_node = px_job_node_by_name(job, job->hostname);
    }
    return own_node_by_number(job, info, ninfo);
}

/* --- second pass: arrays --- */

static int read_session(struct px_job *job, const struct place *outer, const pmix_info_t *info, size_t ninfo)
{
    const pmix_value_t *id = find_key(info, ninfo, PMIX_SESSION_ID);
    struct place place = *outer;
    int rc;

    place.level = PX_LEVEL_SESSION;
    place.index = PX_SESSION_DEFAULT;
    place.loose = false;
    place.session_only = true;
    if (!id) {
        return job->strict ? PMIX_ERR_BAD_PARAM : read_infos(job, &place, info, ninfo);
    }
    rc = px_value_u32(id, &place.index);
    return rc ? rc : read_infos(job, &place, info, ninfo);
}

static int read_app(struct px_job *job, const struct place *outer, const pmix_info_t *info, size_t ninfo)
{
    const pmix_value_t *id = find_key(info, ninfo, PMIX_APPNUM);
    struct place place = *outer;
    int rc;

    place.level = PX_LEVEL_APP;
    place.loose = false;
    rc = id ? px_value_u32(id, &place.index) : PMIX_ERR_BAD_PARAM;
    if (rc || place.index >= UINT16_MAX) {
        return rc ? rc : PMIX_ERR_BAD_PARAM;
    }
    px_job_app(job, place.index);
    return read_infos(job, &place, info, ninfo);
}

/* Which node a node array is about, made when it is new. */
static int identify_node(struct px_job *job, const pmix_info_t *info, size_t ninfo, uint32_t *ret_index)
{
    const char *name = text_of(find_key(info, ninfo, PMIX_HOSTNAME));
    const pmix_value_t *id = find_key(info, ninfo, PMIX_NODEID);
    uint32_t nodeid = PX_NO_NODEID;
    char made_up[32] = "#";
    uint32_t index = PX_NO_NODE;
    int rc = id ? px_value_u32(id, &nodeid) : name ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;

    if (!rc && !name) {
        index = px_job_node_by_id(job, nodeid);
        for (uint32_t v = nodeid, at = 1; index == PX_NO_NODE && at < 11; at++) {
            made_up[at] = (char) ('0' + v % 10);
            v /= 10;
        }
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

static int read_node(struct px_job *job, const struct place *outer, const pmix_info_t *info, size_t ninfo)
{
    const char *aliases = text_of(find_key(info, ninfo, PMIX_HOSTNAME_ALIASES));
    struct place place = *outer;
    size_t known = job->n_nodes;
    int rc = identify_node(job, info, ninfo, &place.index);

    if (rc) {
        return rc;
    }
    if (place.index == known) {
        job->nodes[place.index].foreign = outer->session_only;
    } else if (!outer->session_only) {
        job->nodes[place.index].foreign = false;
    }
    rc = aliases ? read_aliases(job, place.index, aliases) : PMIX_SUCCESS;
    if (!rc && job->local_node == PX_NO_NODE && job->hostname) {
        job->local_node = px_job_node_by_name(job, job->hostname);
    }
    place.level = PX_LEVEL_NODE;
    place.loose = false;
    return rc ? rc : read_infos(job, &place, info, ninfo);
}

/* The first value of each role among a process's own, NULL where there is none. */
struct said {
    const pmix_value_t *of[PX_N_ROLES];
};

static int look_through(struct px_job *job, unsigned depth, const pmix_info_t *info, size_t ninfo, struct said *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < ninfo; i++) {
        const struct px_job_key *key = px_job_key(job, info[i].key, depth, i);

        if (!key) {
            return PMIX_ERR_BAD_PARAM;
        }
        if (!ret->of[key->role]) {
            ret->of[key->role] = &info[i].value;
        }
    }
    return PMIX_SUCCESS;
}

/* Node and app of a process as its own values say. */
static int place_proc(struct px_job *job, uint32_t rank, const struct said *said, uint32_t *ret_app)
{
    const char *name = text_of(said->of[PX_ROLE_HOSTNAME]);
    const pmix_value_t *id = said->of[PX_ROLE_NODEID];
    const pmix_value_t *app = said->of[PX_ROLE_APPNUM];
    struct px_job_rank *at = px_job_rank(job, rank);
    uint32_t index = PX_NO_NODE;
    uint32_t v;
    int rc = PMIX_SUCCESS;

    *ret_app = 0;
    if (!at) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (name) {
        rc = px_job_node(job, name, &index);
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
    if (app && !px_value_u32(app, &v)) {
        at->app = v;
        *ret_app = v;
        px_job_app(job, v);
    }
    return PMIX_SUCCESS;
}

static int read_proc_at(struct px_job *job, const struct place *outer, uint32_t rank, const struct said *said,
                        const pmix_info_t *info, size_t ninfo)
{
    struct place place = *outer;
    int rc = place_proc(job, rank, said, &place.app);

    place.level = PX_LEVEL_PROC;
    place.index = rank;
    place.loose = false;
    return rc ? rc : read_infos(job, &place, info, ninfo);
}

static int read_proc(struct px_job *job, const struct place *outer, const pmix_info_t *info, size_t ninfo)
{
    const pmix_value_t *id;
    const pmix_value_t *proc;
    struct said said;
    uint32_t rank;
    int rc = look_through(job, outer->depth, info, ninfo, &said);

    if (rc) {
        return rc;
    }
    id = said.of[PX_ROLE_RANK];
    proc = said.of[PX_ROLE_PROCID];
    if (id) {
        rc = px_value_u32(id, &rank);
    } else if (proc && proc->type == PMIX_PROC && proc->data.proc) {
        rank = proc->data.proc->rank;
    } else {
        rc = PMIX_ERR_BAD_PARAM;
    }
    return rc ? rc : read_proc_at(job, outer, rank, &said, info, ninfo);
}

static int read_array(struct px_job *job, const struct place *outer, enum px_role role, const pmix_info_t *array)
{
    struct place place = *outer;
    const pmix_info_t *info;
    size_t n;
    int rc = open_array(&array->value, &info, &n);

    place.depth++;
    if (rc || !n) {
        return rc;
    }
    if (place.depth > PX_JOB_MAX_DEPTH) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (role == PX_ROLE_SESSION_ARRAY) {
        return read_session(job, &place, info, n);
    }
    if (role == PX_ROLE_APP_ARRAY) {
        return read_app(job, &place, info, n);
    }
    if (role == PX_ROLE_NODE_ARRAY) {
        return read_node(job, &place, info, n);
    }
    if (role == PX_ROLE_PROC_ARRAY) {
        return read_proc(job, &place, info, n);
    }
    place.level = PX_LEVEL_JOB;
    place.index = 0;
    place.session_only = false;
    place.loose = true;
    return read_infos(job, &place, info, n);
}

/* --- second pass: values --- */

/* A process array may carry its app's values, the same in each: the first counts. */
static int add_app_fact(struct px_job *job, uint32_t app, const char *key, const pmix_value_t *value)
{
    char name[PMIX_MAX_KEYLEN + 16];
    size_t len = strlen(key);

    memcpy(name, &app, sizeof(app));
    memcpy(name + sizeof(app), key, len);
    len += sizeof(app);
    if (px_map_find(&job->placed, name, len)) {
        return PMIX_SUCCESS;
    }
    if (px_map_set(&job->placed, name, len, job)) {
        return PMIX_ERR_NOMEM;
    }
    return px_job_fact(job, PX_LEVEL_APP, app, key, value);
}

static int add_loose(struct px_job *job, const struct px_job_key *known, const pmix_value_t *value)
{
    enum px_realm realm = known->per_node ? PX_REALM_NODE : known->realm;
    const char *key = known->name;
    uint32_t index = PX_NO_NODE;
    int rc;

    if (realm == PX_REALM_SESSION) {
        return px_job_fact(job, PX_LEVEL_SESSION, job->session, key, value);
    }
    if (realm == PX_REALM_APP && job->n_apps <= 1) {
        px_job_app(job, 0);
        return px_job_fact(job, PX_LEVEL_APP, 0, key, value);
    }
    if (realm == PX_REALM_NODE) {
        rc = px_job_local_node(job, &index);
        if (rc || index != PX_NO_NODE) {
            return rc ? rc : px_job_fact(job, PX_LEVEL_NODE, index, key, value);
        }
    }
    return px_job_fact(job, PX_LEVEL_JOB, 0, key, value);
}

/* The list of a node's processes says where they run, unless that was said before. */
static int place_peers(struct px_job *job, uint32_t node, const pmix_value_t *value)
{
    const char *text = text_of(value);
    struct px_ranks ranks = {0};
    int rc = text ? px_ranks_parse(&ranks, text, strlen(text)) : PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ranks.n; i++) {
        struct px_job_rank *rank = px_job_rank(job, ranks.at[i]);

        if (!rank) {
            rc = PMIX_ERR_BAD_PARAM;
        } else if (rank->node == PX_NO_NODE) {
            rank->node = node;
        }
    }
    px_ranks_fini(&ranks);
    return rc;
}

static int read_value(struct px_job *job, const struct place *place, const struct px_job_key *key,
                      const pmix_value_t *value)
{
    bool converted;
    pmix_value_t fitted;
    int rc = px_value_fit(key->declared, value, &converted, &fitted);

    if (rc && job->strict) {
        return rc;
    }
    if (!rc && converted) {
        pmix_value_t *copy = px_job_alloc(job, sizeof(*copy));

        if (!copy) {
            return PMIX_ERR_NOMEM;
        }
        *copy = fitted;
        value = copy;
    }
    if (key->role == PX_ROLE_LOCAL_PEERS && place->level == PX_LEVEL_NODE && !job->nodes[place->index].foreign) {
        rc = place_peers(job, place->index, value);
        if (rc) {
            return rc;
        }
    }
    if (place->loose) {
        return add_loose(job, key, value);
    }
    if (place->level == PX_LEVEL_PROC && key->realm == PX_REALM_APP) {
        return add_app_fact(job, place->app, key->name, value);
    }
    if (place->level == PX_LEVEL_PROC && key->role == PX_ROLE_NODEID && job->ranks[place->index].node != PX_NO_NODE) {
        return PMIX_SUCCESS; /* the node's own number, which settle_ids() makes sure of, answers for its processes */
    }
    return px_job_fact(job, place->level, place->index, key->name, value);
}

static int read_infos(struct px_job *job, const struct place *place, const pmix_info_t *info, size_t ninfo)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        const struct px_job_key *key = px_job_key(job, info[i].key, place->depth, i);

        if (!key) {
            return PMIX_ERR_BAD_PARAM;
        }
        if (is_array(key) && info[i].value.type == PMIX_DATA_ARRAY) {
            rc = read_array(job, place, key->role, &info[i]);
        } else if (is_array(key) && job->strict) {
            rc = PMIX_ERR_TYPE_MISMATCH;
        } else if (key->role != PX_ROLE_NO_DATA) {
            rc = read_value(job, place, key, &info[i].value);
        }
    }
    return rc;
}

/* Loose values last: which node and app they belong to is known only when all arrays have been read. */
static int read_round(struct px_job *job, const struct place *place, const pmix_info_t *info, size_t ninfo,
                      bool arrays)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < ninfo; i++) {
        const struct px_job_key *key = px_job_key(job, info[i].key, 0, 0);

        if (!key) {
            return PMIX_ERR_BAD_PARAM;
        }
        if (is_array(key) == arrays) {
            rc = read_infos(job, place, &info[i], 1);
        }
    }
    return rc;
}

int px_job_read(struct px_job *job, const pmix_info_t *info, size_t ninfo)
{
    struct place place = {.level = PX_LEVEL_JOB, .loose = true};
    int rc = read_round(job, &place, info, ninfo, true);

    rc = rc ? rc : own_node_by_number(job, info, ninfo);
    return rc ? rc : read_round(job, &place, info, ninfo, false);
}

int px_job_read_proc(struct px_job *job, uint32_t rank, const pmix_info_t *info, size_t ninfo)
{
    struct place place = {.level = PX_LEVEL_JOB, .depth = 1};
    struct said said;
    int rc = look_through(job, place.depth, info, ninfo, &said);

    return rc ? rc : read_proc_at(job, &place, rank, &said, info, ninfo);
}
