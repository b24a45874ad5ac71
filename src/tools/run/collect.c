/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A node's share in collectives: fence, connect and disconnect, construction and destruction of
 * groups. All are one exchange: what this node has to give goes to the relay, everybody's comes
 * back. The processes are written in one way only, so that every node means the same by its key,
 * however its processes have put it. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

/* ---- who takes part */

/* Ranks of one job; all of them when n is n_procs. */
struct part {
    const struct px_run_job *job;
    uint8_t *in; /* by rank */
    uint32_t n;
    uint32_t *at_node; /* by node: how many of them are there */
};

struct parts {
    struct part *at;
    size_t n;
    uint32_t *nodes; /* the same for all of them */
    uint32_t n_nodes;
};

static void parts_free(struct parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->at[i].in);
        free(p->at[i].at_node);
    }
    free(p->at);
    free(p->nodes);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct part *) a)->job->nspace, ((const struct part *) b)->job->nspace);
}

static struct part *part_of(struct parts *p, const struct px_run_job *job)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->at[i].job == job) {
            return &p->at[i];
        }
    }
    struct part *part = &p->at[p->n]; /* there is room for one for each proc */
    part->in = calloc(job->n_procs, 1);
    part->at_node = calloc((size_t) px_run.options.n_nodes, sizeof(*part->at_node));
    part->job = job;
    p->n++; /* freed with the others */
    return part->in != NULL && part->at_node != NULL ? part : NULL;
}

static void add_rank(struct parts *p, struct part *part, uint32_t rank)
{
    uint32_t node = px_run_job_node(part->job, rank);

    if (!part->in[rank]) {
        part->in[rank] = 1;
        part->n++;
        part->at_node[node]++;
        p->n_nodes += p->nodes[node]++ == 0;
    }
}

static pmix_status_t parts_read(const pmix_proc_t *procs, size_t n, struct parts *p)
{
    p->at = calloc(n + 1, sizeof(*p->at));
    p->nodes = calloc((size_t) px_run.options.n_nodes, sizeof(*p->nodes));
    if (p->at == NULL || p->nodes == NULL) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        const struct px_run_job *job = px_run_job_find(procs[i].nspace);
        bool all = procs[i].rank == PMIX_RANK_WILDCARD;
        if (job == NULL || (!all && procs[i].rank >= job->n_procs)) {
            return PMIX_ERR_NOT_FOUND;
        }
        struct part *part = part_of(p, job);
        if (part == NULL) {
            return PMIX_ERR_NOMEM;
        }
        for (uint32_t r = all ? 0 : procs[i].rank; r < (all ? job->n_procs : procs[i].rank + 1);
             r++) {
            add_rank(p, part, r);
        }
    }
    qsort(p->at, p->n, sizeof(*p->at), by_name);
    return PMIX_SUCCESS;
}

/* Number; {namespace, rank}. brief: a whole job is one entry. */
static void put_parts(struct px_run_bytes *b, const struct parts *p, bool brief)
{
    uint32_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        n += brief && p->at[i].n == p->at[i].job->n_procs ? 1 : p->at[i].n;
    }
    px_run_put_u32(b, n);
    for (size_t i = 0; i < p->n; i++) {
        const struct part *part = &p->at[i];
        bool all = brief && part->n == part->job->n_procs;
        for (uint32_t r = 0; r < (all ? 1 : part->job->n_procs); r++) {
            if (all || part->in[r]) {
                px_run_put_string(b, part->job->nspace);
                px_run_put_u32(b, all ? PMIX_RANK_WILDCARD : r);
            }
        }
    }
}

/* Number of jobs; {namespace; how many of them each node has}. */
static void put_places(struct px_run_bytes *b, const struct parts *p)
{
    px_run_put_u32(b, (uint32_t) p->n);
    for (size_t i = 0; i < p->n; i++) {
        px_run_put_string(b, p->at[i].job->nspace);
        for (int node = 0; node < px_run.options.n_nodes; node++) {
            px_run_put_u32(b, p->at[i].at_node[node]);
        }
    }
}

/* ---- the exchange */

static pmix_status_t read_status(const pmix_info_t *info, size_t n, uint32_t *ret_timeout_s)
{
    pmix_status_t status = PMIX_SUCCESS;

    *ret_timeout_s = 0;
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_LOCAL_COLLECTIVE_STATUS)) {
            status = info[i].value.data.status;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_TIMEOUT) && info[i].value.type == PMIX_INT) {
            *ret_timeout_s = (uint32_t) info[i].value.data.integer;
        }
    }
    return status;
}

/* A group that is to be made, or taken apart, without those who are lost. */
static bool survives(const struct upcall *upcall)
{
    if (upcall->entry != ON_GROUP) {
        return false;
    }
    return upcall->number == PMIX_GROUP_CONSTRUCT
               ? px_host_flag(upcall, PMIX_GROUP_FT_COLLECTIVE) ||
                     px_host_flag(upcall, PMIX_GROUP_OPTIONAL)
               : px_host_flag(upcall, PMIX_GROUP_NOTIFY_TERMINATION);
}

/* Who else is to be in a group, beside those that call it together. */
struct scattered {
    bool alone; /* this caller comes by itself: a leader of many, or one that others add */
    const pmix_proc_t *caller; /* who that is, where the server says so */
    size_t n_leaders;          /* that come so; 0: this one does not know */
    const pmix_proc_t *added;
    size_t n_added;
};

static struct scattered read_scattered(const struct upcall *upcall)
{
    struct scattered s = {0};

    if (upcall->entry != ON_GROUP || upcall->number != PMIX_GROUP_CONSTRUCT) {
        return s;
    }
    for (size_t i = 0; i < upcall->n_infos; i++) {
        const pmix_value_t *v = &upcall->infos[i].value;

        if (PMIX_CHECK_KEY(&upcall->infos[i], PMIX_PROCID) && v->type == PMIX_PROC) {
            s.caller = v->data.proc;
        } else if (PMIX_CHECK_KEY(&upcall->infos[i], PMIX_GROUP_BOOTSTRAP)) {
            (void) PMIx_Value_get_number(v, &s.n_leaders, PMIX_SIZE);
        } else if (PMIX_CHECK_KEY(&upcall->infos[i], PMIX_GROUP_ADD_MEMBERS) &&
                   v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_PROC) {
            s.added = v->data.darray->array;
            s.n_added = v->data.darray->size;
        }
    }
    s.alone = s.n_leaders > 0 || upcall->n_procs == 0;
    return s;
}

/* Number of leaders; the leader that comes; who is added; the caller that comes by itself. */
static pmix_status_t put_scattered(struct px_run_bytes *b, const struct upcall *upcall)
{
    struct scattered s = read_scattered(upcall);
    struct parts leader = {0};
    struct parts added = {0};
    struct parts caller = {0};
    pmix_status_t rc = parts_read(upcall->procs, s.alone ? upcall->n_procs : 0, &leader);

    rc = rc == PMIX_SUCCESS ? parts_read(s.added, s.n_added, &added) : rc;
    rc = rc == PMIX_SUCCESS ? parts_read(s.caller, s.alone && s.caller != NULL, &caller) : rc;
    if (rc == PMIX_SUCCESS) {
        px_run_put_u32(b, s.n_leaders < UINT32_MAX ? (uint32_t) s.n_leaders : UINT32_MAX);
        put_parts(b, &leader, false);
        put_parts(b, &added, false);
        put_parts(b, &caller, false);
    }
    parts_free(&leader);
    parts_free(&added);
    parts_free(&caller);
    return rc;
}

/* Keeps the request until everybody's shares come. The payload is freed on success. */
static pmix_status_t send_share(const struct px_run_task *task, pmix_status_t local,
                                struct px_run_bytes *b)
{
    uint64_t id = px_run_remote_keep(task);
    pmix_status_t rc =
        id != 0 ? px_run_remote_send(PX_RUN_COLLECT, PX_RUN_RELAY, id, local, b) : PMIX_ERR_NOMEM;
    struct px_run_task ignored;

    if (rc != PMIX_SUCCESS && id != 0) {
        (void) px_run_remote_take(id, &ignored);
    }
    return rc;
}

static pmix_status_t give(const struct px_run_task *task, uint32_t kind, const char *name,
                          const void *bytes, size_t n)
{
    struct parts parts = {0};
    struct px_run_bytes key = {0};
    struct px_run_bytes b = {0};
    uint32_t timeout_s;
    pmix_status_t local = read_status(task->upcall.infos, task->upcall.n_infos, &timeout_s);
    bool alone = read_scattered(&task->upcall).alone;
    pmix_status_t rc = parts_read(task->upcall.procs, alone ? 0 : task->upcall.n_procs, &parts);

    if (rc == PMIX_SUCCESS) {
        px_run_put_u32(&key, kind);
        px_run_put_string(&key, name);
        put_parts(&key, &parts, true);
        px_run_put_bytes(&b, key.at, key.len);
        px_run_put_u32(&b, parts.n_nodes);
        px_run_put_u32(&b, timeout_s);
        rc = put_scattered(&b, &task->upcall);
    }
    if (rc == PMIX_SUCCESS) {
        px_run_put_u32(&b, survives(&task->upcall));
        put_places(&b, &parts);
        local = survives(&task->upcall) ? PMIX_SUCCESS : local;
        if (b.len + n + sizeof(uint32_t) > px_run_max_frame) { /* the others are to hear of it */
            local = PMIX_ERR_OUT_OF_RESOURCE;
            n = 0;
        }
        px_run_put_bytes(&b, bytes, n);
        rc = key.failed ? PMIX_ERR_NOMEM : send_share(task, local, &b);
    }
    free(b.at);
    free(key.at);
    parts_free(&parts);
    return rc;
}

/* ---- fence */

void px_run_fence(struct px_run_task *task)
{
    pmix_status_t rc = give(task, PX_RUN_KIND_FENCE, NULL, task->upcall.data, task->upcall.n_data);

    free((char *) task->upcall.data);
    if (rc != PMIX_SUCCESS) {
        px_host_reply_status(&task->upcall, rc);
    }
}

static void fence_done(const struct px_run_task *task, pmix_status_t status,
                       struct px_run_reader *r)
{
    struct px_run_bytes all = {0};
    uint32_t n = px_run_get_u32(r);

    for (uint32_t i = 0; i < n && !r->failed; i++) {
        size_t len;
        (void) px_run_get_u32(r);
        const char *bytes = px_run_get_bytes(r, &len);
        px_run_put_raw(&all, bytes, len);
    }
    if (all.failed) {
        status = PMIX_ERR_NOMEM;
    }
    task->upcall.reply.modex(status, all.at, all.len, task->upcall.cbdata, free, all.at);
}

/* ---- connect and disconnect */

void px_run_connect(struct px_run_task *task)
{
    uint32_t kind = task->upcall.entry == ON_CONNECT ? PX_RUN_KIND_CONNECT : PX_RUN_KIND_DISCONNECT;
    pmix_status_t rc = give(task, kind, NULL, NULL, 0);

    if (rc != PMIX_SUCCESS) {
        px_host_reply_status(&task->upcall, rc);
    }
}

/* ---- groups */

static bool is_construct(const struct px_run_task *task)
{
    return task->upcall.number == PMIX_GROUP_CONSTRUCT;
}

/* Puts the processes that are not there behind the others. */
static pmix_status_t unite(pmix_proc_t **at, size_t *n, const pmix_proc_t *more, size_t n_more)
{
    for (size_t i = 0; i < n_more; i++) {
        bool there = false;
        for (size_t k = 0; !there && k < *n; k++) {
            there = (*at)[k].rank == more[i].rank && strcmp((*at)[k].nspace, more[i].nspace) == 0;
        }
        pmix_proc_t *grown = there ? *at : realloc(*at, (*n + 1) * sizeof(*grown));
        if (grown == NULL) {
            return PMIX_ERR_NOMEM;
        }
        *at = grown;
        if (!there) {
            grown[(*n)++] = more[i];
        }
    }
    return PMIX_SUCCESS;
}

/* Writes the processes in their order, a wildcard as the ranks of its job. */
static pmix_status_t put_spelled(struct px_run_bytes *b, const pmix_proc_t *procs, size_t n)
{
    pmix_proc_t *spelled = NULL;
    size_t n_spelled = 0;
    pmix_status_t rc = PMIX_SUCCESS;

    for (size_t i = 0; rc == PMIX_SUCCESS && i < n; i++) {
        const struct px_run_job *job = px_run_job_find(procs[i].nspace);
        bool all = procs[i].rank == PMIX_RANK_WILDCARD;
        pmix_proc_t one = procs[i];

        if (job == NULL || (!all && one.rank >= job->n_procs)) {
            rc = PMIX_ERR_NOT_FOUND;
        }
        for (uint32_t r = 0; rc == PMIX_SUCCESS && r < (all ? job->n_procs : 1); r++) {
            one.rank = all ? r : one.rank;
            rc = unite(&spelled, &n_spelled, &one, 1);
        }
    }
    if (rc == PMIX_SUCCESS) {
        px_run_put_array(b, spelled, n_spelled, PMIX_PROC);
    }
    free(spelled);
    return rc;
}

/* What the members of this node give to all: whether this is one that comes by itself, whom they
 * add, who they are, whether a context id is wanted, and infos. The orders that they want are among
 * the infos: every server gets those of all. */
static pmix_status_t give_group(struct px_run_task *task)
{
    const pmix_info_t *info = task->upcall.infos;
    struct scattered s = read_scattered(&task->upcall);
    struct px_run_bytes b = {0};
    pmix_status_t rc;

    px_run_put_u32(&b, s.alone);
    rc = put_spelled(&b, s.added, s.n_added);
    rc = rc == PMIX_SUCCESS ? put_spelled(&b, task->upcall.procs, task->upcall.n_procs) : rc;
    px_run_put_u32(&b, px_host_flag(&task->upcall, PMIX_GROUP_ASSIGN_CONTEXT_ID));
    for (size_t i = 0; i < task->upcall.n_infos; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_ENDPT_DATA) ||
            PMIX_CHECK_KEY(&info[i], PMIX_GROUP_INFO_ARRAY) ||
            PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROCS) ||
            PMIX_CHECK_KEY(&info[i], PMIX_GROUP_FINAL_MEMBERSHIP_ORDER) ||
            PMIX_CHECK_KEY(&info[i], PMIX_GROUP_INFO)) {
            px_run_put_array(&b, &info[i], 1, PMIX_INFO);
        }
    }
    uint32_t kind = is_construct(task) ? PX_RUN_KIND_CONSTRUCT : PX_RUN_KIND_DESTRUCT;
    rc = rc == PMIX_SUCCESS && b.failed ? PMIX_ERR_NOMEM : rc;
    rc = rc == PMIX_SUCCESS ? give(task, kind, task->upcall.text, b.at, b.len) : rc;
    free(b.at);
    return rc;
}

void px_run_group(struct px_run_task *task)
{
    pmix_status_t rc = give_group(task);

    if (rc != PMIX_SUCCESS) {
        px_host_reply_status(&task->upcall, rc);
    }
}

struct outcome {
    pmix_info_t *info;
    size_t n;
};

/* As it comes together from the shares. */
struct group {
    pmix_proc_t *members;
    size_t n_members;
    pmix_proc_t *added;
    size_t n_added;
    bool wants_id;
};

static void release(void *cbdata)
{
    struct outcome *o = cbdata;

    for (size_t i = 0; i < o->n; i++) {
        PMIX_INFO_DESTRUCT(&o->info[i]);
    }
    free(o->info);
    free(o);
}

static pmix_info_t *more(struct outcome *o)
{
    pmix_info_t *info = realloc(o->info, (o->n + 1) * sizeof(*info));
    if (info == NULL) {
        return NULL;
    }
    memset(&info[o->n], 0, sizeof(*info));
    o->info = info;
    return &info[o->n];
}

static pmix_status_t load(struct outcome *o, const char *key, const void *value,
                          pmix_data_type_t type)
{
    pmix_info_t *info = more(o);
    pmix_status_t rc = info != NULL ? PMIx_Info_load(info, key, value, type) : PMIX_ERR_NOMEM;

    o->n += rc == PMIX_SUCCESS;
    return rc;
}

/* The order of the first share is that of all nodes: shares come in one order to all. Behind those
 * come leaders that come by themselves. */
static pmix_status_t take_members(struct group *group, struct px_run_reader *share)
{
    bool alone = px_run_get_u32(share) != 0;
    size_t n_added;
    size_t n;
    pmix_proc_t *added = px_run_get_array(share, sizeof(*added), PMIX_PROC, &n_added);
    pmix_proc_t *procs = px_run_get_array(share, sizeof(*procs), PMIX_PROC, &n);
    pmix_status_t rc = unite(&group->added, &group->n_added, added, n_added);

    if (rc == PMIX_SUCCESS && (alone || group->n_members == 0)) {
        rc = unite(&group->members, &group->n_members, procs, n);
    }
    PMIx_Proc_free(added, n_added);
    PMIx_Proc_free(procs, n);
    return rc;
}

/* What one node gave. */
static pmix_status_t take_share(struct outcome *o, struct group *group, struct px_run_reader *share)
{
    pmix_status_t rc = take_members(group, share);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    group->wants_id = px_run_get_u32(share) != 0 || group->wants_id;
    while (share->left > 0 && !share->failed) {
        size_t n;
        pmix_info_t *one = px_run_get_array(share, sizeof(*one), PMIX_INFO, &n);
        pmix_info_t *place = one != NULL ? more(o) : NULL;
        if (place == NULL) {
            PMIx_Info_free(one, n);
            return PMIX_ERR_NOMEM;
        }
        *place = *one; /* with what it points to */
        o->n++;
        free(one);
    }
    return share->failed ? PMIX_ERR_UNPACK_FAILURE : PMIX_SUCCESS;
}

static pmix_status_t load_group(struct outcome *o, struct group *group, size_t serial)
{
    pmix_status_t rc = unite(&group->members, &group->n_members, group->added, group->n_added);

    if (rc == PMIX_SUCCESS) {
        pmix_data_array_t members = {
            .type = PMIX_PROC, .size = group->n_members, .array = group->members};
        rc = load(o, PMIX_GROUP_MEMBERSHIP, &members, PMIX_DATA_ARRAY);
    }
    if (rc == PMIX_SUCCESS && group->wants_id) {
        rc = load(o, PMIX_GROUP_CONTEXT_ID, &serial, PMIX_SIZE);
    }
    return rc;
}

/* Who was to be a member, or is one, and has ended. */
static pmix_status_t load_lost(struct outcome *o, struct px_run_reader *r)
{
    pmix_data_array_t lost = {.type = PMIX_PROC, .size = px_run_get_u32(r)};
    pmix_proc_t *procs = NULL;
    pmix_status_t rc = PMIX_SUCCESS;

    if (lost.size == 0 || r->failed) {
        return r->failed ? PMIX_ERR_UNPACK_FAILURE : PMIX_SUCCESS;
    }
    procs = calloc(lost.size, sizeof(*procs));
    for (size_t i = 0; procs != NULL && i < lost.size && !r->failed; i++) {
        px_run_get_proc(r, &procs[i]);
    }
    lost.array = procs;
    if (procs == NULL || r->failed) {
        rc = r->failed ? PMIX_ERR_UNPACK_FAILURE : PMIX_ERR_NOMEM;
    } else {
        rc = load(o, PMIX_EVENT_AFFECTED_PROCS, &lost, PMIX_DATA_ARRAY);
    }
    free(procs);
    return rc;
}

static void group_done(const struct px_run_task *task, pmix_status_t status, size_t serial,
                       struct px_run_reader *r)
{
    struct outcome *o = calloc(1, sizeof(*o));
    struct group group = {0};
    uint32_t n = px_run_get_u32(r);

    if (o == NULL) {
        px_host_reply_status(&task->upcall, PMIX_ERR_NOMEM);
        return;
    }
    for (uint32_t i = 0; status == PMIX_SUCCESS && i < n && !r->failed; i++) {
        struct px_run_reader share = {0};
        (void) px_run_get_u32(r);
        share.at = px_run_get_bytes(r, &share.left);
        status = take_share(o, &group, &share);
    }
    status = status == PMIX_SUCCESS ? load_lost(o, r) : status;
    if (status == PMIX_SUCCESS && is_construct(task)) {
        status = load_group(o, &group, serial);
    }
    free(group.members);
    free(group.added);
    task->upcall.reply.info(status, o->info, o->n, task->upcall.cbdata, release, o);
}

/* ---- everybody's shares have come */

void px_run_collected(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct px_run_task task;
    struct px_run_reader none = {0};
    struct px_run_reader *r = head->status == PMIX_SUCCESS ? payload : &none;

    if (!px_run_remote_take(head->id, &task)) {
        return;
    }
    uint32_t serial = px_run_get_u32(r);
    if (task.upcall.entry == ON_FENCE) {
        fence_done(&task, head->status, r);
    } else if (task.upcall.entry == ON_GROUP) {
        group_done(&task, head->status, serial, r);
    } else {
        px_host_reply_status(&task.upcall, head->status);
    }
}
