/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Registration of namespaces, clients and resources by the host, and the collection of job
 * information. The host may register them in any order: a client before its namespace, resources
 * before or after the jobs. The functions are run on the loop thread by the exported calls
 * (loop_call.h). */

#include "register.h"

#include <string.h>

#include "src/server/stages.h"
#include "src/waits/counts.h"
#include "src/server/self/stored.h"
#include "src/base/log.h"
#include "src/nspace/jobinfo.h"
#include "src/topo/topo.h"
#include "src/server/collectives/all_collectives.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/collectives/group_names.h"
#include "src/server/events/kept_ends.h"
#include "src/server/events/server_iof.h"
#include "compaction.h"
#include "nspace.h"
#include "server_get.h"
#include "src/server/state.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"
#include "gds/nodes.h"
#include "gds/level.h"
#include "gds/slice.h"

/* Stores the registered resources in a new namespace. They are defaults: values of the namespace's
 * own registration are stored later and replace them. */
static int store_resources(struct px_server *s, struct px_nspace *ns)
{
    return px_jobinfo_store(ns->store, s->resources, s->n_resources, s->hostname);
}

/* Stores the XML of this node's topology in a new namespace if the host asked for
 * PMIX_SERVER_SHARE_TOPOLOGY. Without a topology nothing is stored. */
static int store_topology(struct px_server *s, struct px_nspace *ns)
{
    const char *xml = NULL;
    pmix_info_t info;

    if (!s->share_topology || px_topo_xml_peek(&xml)) {
        return PMIX_SUCCESS;
    }
    memset(&info, 0, sizeof(info));
    memcpy(info.key, PMIX_HWLOC_XML_V2, sizeof(PMIX_HWLOC_XML_V2));
    info.value.type = PMIX_STRING;
    info.value.data.string = (char *) (uintptr_t) xml;
    return px_jobinfo_store(ns->store, &info, 1, s->hostname);
}

/* Says why a namespace is refused, and which key is to blame. */
static void tell_of(const char *nspace, int rc, const struct px_jobinfo_fault *fault)
{
    if (!fault->key[0]) {
        px_log(PX_LOG_SERVER, 1, "namespace %s refused: %s", nspace, PMIx_Error_string(rc));
    } else if (fault->declared != PMIX_UNDEF && fault->declared != fault->type) {
        px_log(PX_LOG_SERVER, 1, "namespace %s refused: %s: the value of %s is of type %s, not %s",
               nspace, PMIx_Error_string(rc), PMIx_Get_attribute_name(fault->key),
               PMIx_Data_type_string(fault->type), PMIx_Data_type_string(fault->declared));
    } else {
        px_log(PX_LOG_SERVER, 1, "namespace %s refused: %s: the value of %s cannot be used", nspace,
               PMIx_Error_string(rc), PMIx_Get_attribute_name(fault->key));
    }
}

/* A repeated registration adds to the first. If it fails, a namespace that this call made is
 * dropped again; in one that existed, values before the wrong one may stay.
 *
 * After success the waiting gets are decided again, and collectives count their local members anew:
 * the number of local processes may only now be known. Processes of other nodes whose end was
 * reported have been started again, as far as is known here; local ones, when they are registered
 * or connect. */
int px_register_nspace(struct px_server *s, void *args)
{
    struct px_nspace_args *a = args;
    bool is_new = !px_nspace_find(s, a->nspace);
    struct px_nspace *ns = px_nspace_make(s, a->nspace);
    struct px_jobinfo_fault fault = {.key = ""};
    int rc = ns ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    pmix_proc_t job;

    px_assert(px_loop_inside(s->loop));
    if (!rc && !ns->registered) {
        rc = store_resources(s, ns);
        rc = rc ? rc : store_topology(s, ns);
    }
    rc = rc ? rc : px_jobinfo_store_or_tell(ns->store, a->info, a->ninfo, s->hostname, &fault);
    if (ns) {
        px_nspace_compact(s, ns);
    }
    if (rc) {
        tell_of(a->nspace, rc, &fault);
        if (ns && is_new) {
            px_nspace_drop(s, ns);
        }
        return rc;
    }
    ns->registered = true;
    px_group_names_job(s, ns->name);
    px_high_water_forget(&s->high_water, ns->name); /* its processes may now be on more nodes */
    ns->n_local = a->n_local < 0 ? -1 : a->n_local;
    px_store_set_flags(ns->store, px_store_flags(ns->store) | PX_STORE_JOB_COMPLETE);
    PMIX_LOAD_PROCID(&job, ns->name, PMIX_RANK_WILDCARD);
    px_ends_undone(s, &job);
    px_gets_nspace_changed(s, ns);
    s->colls.sizes++;
    px_colls_recount(s);
    return PMIX_SUCCESS;
}

/* Collectives that name the namespace count anew, since its processes are not local any more. */
int px_deregister_nspace(struct px_server *s, void *args)
{
    struct px_nspace_args *a = args;
    struct px_nspace *ns = px_nspace_find(s, a->nspace);

    px_assert(px_loop_inside(s->loop));
    px_stored_drop(s, a->nspace);
    if (!ns) {
        return PMIX_ERR_NOT_FOUND;
    }
    px_nspace_drop(s, ns);
    s->colls.sizes++;
    px_iof_tell_unwanted(s);
    px_colls_recount(s);
    return PMIX_SUCCESS;
}

/* A registration of a process that has departed makes it a live one again. The namespace's user is
 * that of the client registered last; clients of different users mark it as mixed. */
int px_register_client(struct px_server *s, void *args)
{
    struct px_client_args *a = args;
    struct px_nspace *ns = px_nspace_make(s, a->proc.nspace);
    struct px_local_proc *rank = ns ? px_local_proc_make(ns, a->proc.rank) : NULL;

    px_assert(px_loop_inside(s->loop));
    if (!rank) {
        return PMIX_ERR_NOMEM;
    }
    ns->mixed |= ns->owned && ns->uid != a->uid;
    ns->owned = true;
    px_group_names_job(s, ns->name);
    ns->uid = a->uid;
    ns->gid = a->gid;
    px_stage_count(s, PX_WAITS_N_PROCS, !rank->registered);
    rank->registered = true;
    rank->uid = a->uid;
    rank->gid = a->gid;
    rank->object = a->object;
    if (rank->terminated) {
        px_ends_undone(s, &a->proc);
    }
    rank->terminated = false;
    rank->departed = false;
    rank->finalized = false;
    px_open_waits_proc(s, rank);
    px_colls_recount(s);
    return PMIX_SUCCESS;
}

int px_deregister_client(struct px_server *s, void *args)
{
    struct px_client_args *a = args;
    struct px_local_proc *rank = px_local_proc_of(s, &a->proc);

    px_assert(px_loop_inside(s->loop));
    if (!rank || !rank->registered) {
        return PMIX_ERR_NOT_FOUND;
    }
    px_local_proc_terminate(s, rank);
    px_colls_recount(s);
    return PMIX_SUCCESS;
}

/* --- resources --- */

/* The value of a key within an info array; NULL if info is no array of infos or does not have the
 * key. */
static const pmix_value_t *in_array(const pmix_info_t *info, const char *key)
{
    const pmix_info_t *inner;
    size_t n;

    return px_info_open(&info->value, &inner, &n) ? NULL : px_info_find(inner, n, key);
}

/* True if the values have one type and compare as equal. */
static bool equal(const pmix_value_t *a, const pmix_value_t *b)
{
    return PMIx_Value_compare((pmix_value_t *) (uintptr_t) a, (pmix_value_t *) (uintptr_t) b) ==
           PMIX_EQUAL;
}

/* True if both infos say something of one subject: they have one key and, if they are arrays, name
 * the same node, application or session, or none. */
static bool same_subject(const pmix_info_t *known, const pmix_info_t *info)
{
    static const char *const names[] = {PMIX_HOSTNAME, PMIX_NODEID, PMIX_APPNUM, PMIX_SESSION_ID};
    bool same = px_infos_next(known, 1, NULL, info->key) != NULL;

    for (size_t i = 0; same && i < sizeof(names) / sizeof(names[0]); i++) {
        const pmix_value_t *a = in_array(known, names[i]);
        const pmix_value_t *b = in_array(info, names[i]);

        same = a && b ? equal(a, b) : !a && !b;
    }
    return same;
}

/* Takes the first resource of the info's subject out of the list, and closes the gap; *ret_info
 * then owns it. False if there is none. */
static bool take_resource(struct px_server *s, const pmix_info_t *info, pmix_info_t *ret_info)
{
    size_t out = 0;
    bool found = false;

    for (size_t i = 0; i < s->n_resources; i++) {
        if (!found && same_subject(&s->resources[i], info)) {
            *ret_info = s->resources[i];
            found = true;
        } else {
            s->resources[out++] = s->resources[i];
        }
    }
    s->n_resources = out;
    return found;
}

/* True if the stored value equals that of the info. */
static bool is_value(const struct px_slice *slice, const pmix_info_t *info)
{
    pmix_value_t value;
    bool same;

    if (px_slice_fill(slice, &value)) {
        return false;
    }
    same = equal(&value, &info->value);
    PMIx_Value_destruct(&value);
    return same;
}

/* Gives a newly registered resource to a namespace that exists. A value that the namespace's own
 * registration gave is not replaced; the value of an earlier resource (`former`, or NULL) is. The
 * stored value may be at the job's level or at that of this node, so both are looked at. */
static int give_to(struct px_server *s, struct px_nspace *ns, const pmix_info_t *info,
                   const pmix_info_t *former)
{
    static const enum px_level levels[] = {PX_LEVEL_JOB, PX_LEVEL_NODE};
    uint32_t local = px_store_local_node(ns->store);
    struct px_slice slice;
    int rc;

    for (size_t i = 0; i < 2; i++) {
        if (!px_store_find(ns->store, levels[i], i && local != PX_NO_NODE ? local : 0, info->key,
                           strlen(info->key), &slice) &&
            !(former && is_value(&slice, former))) {
            return PMIX_SUCCESS;
        }
    }
    rc = px_jobinfo_store(ns->store, info, 1, s->hostname);
    px_nspace_compact(s, ns);
    return rc;
}

/* Registers one resource in place of an earlier one of the same subject, and gives it to all
 * namespaces. The earlier value is kept until then, because a namespace that holds it gets the new
 * one. */
static int register_resource(struct px_server *s, const pmix_info_t *info)
{
    pmix_info_t former;
    bool has_former = take_resource(s, info, &former);
    int rc = px_infos_append_copy(&s->resources, &s->n_resources, info);

    px_list_for(struct px_nspace, ns, &s->ns_list, link) {
        rc = rc ? rc : give_to(s, ns, info, has_former ? &former : NULL);
    }
    if (has_former) {
        PMIx_Value_destruct(&former.value);
    }
    return rc;
}

/* A resource is put into the list first and then into each namespace, so that namespaces registered
 * later find it in the list. */
int px_register_resources(struct px_server *s, void *args)
{
    struct px_infos_args *a = args;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; !rc && i < a->ninfo; i++) {
        rc = register_resource(s, &a->info[i]);
    }
    return rc;
}

/* The value of the given info does not matter, only its key. */
int px_deregister_resources(struct px_server *s, void *args)
{
    struct px_infos_args *a = args;

    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; i < a->ninfo; i++) {
        px_infos_drop(s->resources, &s->n_resources, a->info[i].key);
    }
    return PMIX_SUCCESS;
}

/* A namespace that is named twice is packed at its first place only. The packed form is the one
 * that clients without shared memory are sent. */
int px_collect_job_info(struct px_server *s, void *args)
{
    struct px_collect_args *a = args;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; !rc && i < a->nprocs; i++) {
        struct px_nspace *ns = px_nspace_find(s, a->procs[i].nspace);
        const struct px_buf *packed;

        for (size_t j = 0; ns && j < i; j++) {
            if (strcmp(a->procs[j].nspace, a->procs[i].nspace) == 0) {
                ns = NULL;
            }
        }
        if (!ns) {
            continue;
        }
        rc = px_nspace_packed(ns, PX_WIRE_PLAIN, &packed);
        if (!rc) {
            (void) px_pack_string(a->buf, PX_WIRE_PLAIN, ns->name);
            (void) px_pack_bytes(a->buf, PX_WIRE_PLAIN, packed->data, packed->len);
        }
    }
    return px_buf_fail(a->buf, rc);
}
