/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups. Leaders that know each other are gathered like a fence; a bootstrapping leader and an
 * added member go to the host at once, each by itself. A host is needed when members are elsewhere
 * or a context id is wanted; what is local altogether, this server settles alone, also for a host
 * without the entry.
 *
 * The layout of the answer depends on the client's version and was never negotiated
 * (docs/wire-format.md). */

#include "server_group.h"

#include <stdlib.h>
#include <string.h>

#include "src/server/events/server_events.h"
#include "src/event/registry.h"
#include "src/value/directives.h"
#include "group_data.h"
#include "group_registry.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

/* --- the answer --- */

static bool at_least(const struct px_peer *peer, unsigned major, unsigned minor, unsigned release)
{
    if (peer->version_major != major) {
        /* Major 0 is a build that does not know its version. */
        return peer->version_major > major || !peer->version_major;
    }
    if (peer->version_minor != minor) {
        return peer->version_minor > minor;
    }
    return peer->version_release >= release;
}

/* Job information of the other members' namespaces, one byte object in another. */
static void pack_jobs(struct px_server *s, struct px_buf *reply, const struct px_peer *peer,
                      const struct px_coll_group *group)
{
    struct px_buf jobs = {0};

    for (size_t i = 0; i < group->n_members; i++) {
        struct px_nspace *ns = px_nspace_find(s, group->members[i].nspace);
        pmix_proc_t owner = {.rank = PMIX_RANK_WILDCARD};
        bool seen = strcmp(group->members[i].nspace, peer->proc.nspace) == 0;
        const struct px_buf *packed;
        struct px_buf one = {0};

        for (size_t j = 0; !seen && j < i; j++) {
            seen = strcmp(group->members[j].nspace, group->members[i].nspace) == 0;
        }
        if (!ns || seen || px_nspace_packed(ns, peer->kind, &packed)) {
            continue;
        }
        memcpy(owner.nspace, ns->name, sizeof(owner.nspace));
        (void) px_pack(&one, peer->kind, PMIX_PROC, &owner, 1);
        px_buf_append(&one, packed->data, packed->len);
        (void) px_pack_bytes(&jobs, peer->kind, one.data, one.len);
        px_buf_fini(&one);
    }
    (void) px_pack_bytes(reply, peer->kind, jobs.data, jobs.len);
    px_buf_fini(&jobs);
}

static void pack_outcome_6(struct px_buf *buf, const struct px_peer *peer,
                           const struct px_coll_group *group)
{
    bool has_id = group->has_id;

    (void) px_pack_procs(buf, peer->kind, group->members, group->n_members);
    (void) px_pack(buf, peer->kind, PMIX_BOOL, &has_id, 1);
    if (has_id) {
        (void) px_pack_size(buf, peer->kind, group->id);
    }
    (void) px_pack_size(buf, peer->kind, group->n_info);
    for (size_t i = 0; i < group->n_info; i++) {
        (void) px_pack(buf, peer->kind, PMIX_INFO, &group->info[i], 1);
    }
}

void px_group_reply(struct px_server *s, struct px_coll *coll, const struct px_reply_to *reply_to,
                    int status)
{
    struct px_peer *peer = px_peer_find(s, reply_to->peer);
    const struct px_coll_group *group = &coll->group;
    struct px_buf buf = {0};

    px_assert(px_loop_inside(s->loop));
    if (!peer || status) {
        px_answer_status(s, reply_to, status);
        return;
    }
    (void) px_pack_status(&buf, peer->kind, PMIX_SUCCESS);
    if (at_least(peer, 6, 0, 0)) {
        pack_outcome_6(&buf, peer, group);
    } else if (at_least(peer, 4, 2, 4)) {
        (void) px_pack_procs(&buf, peer->kind, group->members, group->n_members);
        (void) px_pack_size(&buf, peer->kind, group->has_id ? group->id : SIZE_MAX);
        if (peer->ours) {
            pack_jobs(s, &buf, peer, group);
            (void) px_pack_infos(&buf, peer->kind, group->info, group->n_info);
        }
    } else {
        (void) px_pack_size(&buf, peer->kind, group->has_id ? group->id : SIZE_MAX);
    }
    px_answer_take(s, reply_to, &buf);
}

/* The group that a destruction is about. */
static struct px_group *group_destructed(struct px_server *s, const struct px_coll *coll)
{
    return coll->n_members ? px_group_find(s, coll->name, &coll->members[0].proc) : NULL;
}

void px_group_finished(struct px_server *s, struct px_coll *coll, int status)
{
    px_assert(px_loop_inside(s->loop));
    if (coll->kind == PX_COLL_GROUP_DESTRUCT) {
        if (!status || status == PMIX_ERR_LOST_CONNECTION) {
            px_group_destroy(group_destructed(s, coll)); /* the others have all come */
        }
    } else if (!status) {
        (void) px_group_remember(s, coll);
    }
}

/* --- with the host --- */

static void group_answered(struct px_upcall *up)
{
    struct px_coll *coll = up->arg;
    int rc = up->status;

    if (!coll) {
        return;
    }
    if (!rc && coll->kind != PX_COLL_GROUP_DESTRUCT) {
        rc = px_group_take(up->server, coll, up->ret_info, up->ret_ninfo);
        rc = rc ? rc : px_group_judge(coll, &coll->group);
    }
    coll->group.hosted = true;
    coll->upcall = NULL;
    px_coll_finish(up->server, coll, rc);
}

static void group_upcall(struct px_server *s, struct px_coll *coll)
{
    bool construct = coll->kind != PX_COLL_GROUP_DESTRUCT;
    struct px_upcall *up = px_upcall_create(s, NULL, NULL, group_answered);
    int rc = up ? px_coll_hand_over(coll, up) : PMIX_ERR_NOMEM;

    if (!rc && construct) {
        rc = px_group_describe(s, coll, &up->info, &up->ninfo);
    }
    if (!rc) {
        up->text = strdup(coll->name);
        rc = up->text ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    if (rc) {
        coll->upcall = NULL;
        px_upcall_destroy(up);
        px_coll_finish(s, coll, rc);
        return;
    }
    px_directives_mark(construct ? &px_call_group_construct : &px_call_group_destruct,
                       PX_ATTR_SERVER, up->info, up->ninfo);
    px_upcall_returned(up, s->host.group(construct ? PMIX_GROUP_CONSTRUCT : PMIX_GROUP_DESTRUCT,
                                         up->text, up->procs, up->nprocs, up->info, up->ninfo,
                                         px_hostcb_infos, up));
}

/* --- without: everybody is local --- */

static uint32_t leaders_wanted(const struct px_coll *coll)
{
    struct px_group_construct_directives directives;

    return px_group_construct_read(coll->info, coll->ninfo, &directives) ||
                   directives.bootstrap == PX_NOT_GIVEN
               ? 0
               : directives.bootstrap;
}

static bool is_bootstrap_call(const struct px_coll *coll, const char *name)
{
    return coll->closed && !coll->upcall && coll->name && strcmp(coll->name, name) == 0 &&
           (coll->kind == PX_COLL_GROUP_CONSTRUCT || coll->kind == PX_COLL_GROUP_SOLO);
}

/* Puts the parts of one group together into `into`. PMIX_ERR_NOT_FOUND: somebody is missing. */
static int gather_bootstrap(struct px_server *s, const char *name, struct px_coll *into)
{
    struct px_list *item;
    struct px_list *next;
    struct px_coll_group *group = &into->group;
    pmix_proc_t *come = NULL;
    size_t n_come = 0;
    uint32_t wanted = 0;
    uint32_t leaders = 0;
    int rc = PMIX_SUCCESS;

    px_list_each(item, next, &s->colls.list) {
        struct px_coll *coll = px_container_of(item, struct px_coll, link);

        if (!is_bootstrap_call(coll, name)) {
            continue;
        }
        wanted = leaders_wanted(coll) > wanted ? leaders_wanted(coll) : wanted;
        leaders += coll->kind == PX_COLL_GROUP_SOLO && coll->nprocs > 0;
        rc = rc ? rc : px_group_add_named(s, coll, &group->members, &group->n_members);
        rc = rc ? rc
                : px_group_expand(s, coll->group.added, coll->group.n_added, &group->added,
                                  &group->n_added);
        for (size_t i = 0; !rc && i < coll->n_members; i++) {
            rc = px_group_expand(s, &coll->members[i].proc, 1, &come, &n_come);
        }
        group->wants_id |= coll->group.wants_id;
    }
    if (!rc && (leaders < wanted || (!group->n_members && !wanted))) {
        rc = PMIX_ERR_NOT_FOUND;
    }
    for (size_t i = 0; !rc && i < group->n_added; i++) {
        size_t before = n_come;

        rc = px_group_expand(s, &group->added[i], 1, &come, &n_come);
        rc = !rc && n_come > before ? PMIX_ERR_NOT_FOUND : rc;
    }
    free(come);
    return rc;
}

/* What the members gave, in the order in which they came; a stranger's is left out. */
static int gather_given(struct px_server *s, const char *name, struct px_coll *into)
{
    const struct px_coll_group added = {.members = into->group.added,
                                        .n_members = into->group.n_added};
    struct px_coll_group *group = &into->group;
    struct px_list *item;
    struct px_list *next;
    int rc = PMIX_SUCCESS;

    px_list_each(item, next, &s->colls.list) {
        struct px_coll *coll = px_container_of(item, struct px_coll, link);

        if (!is_bootstrap_call(coll, name) ||
            (px_group_judge(coll, group) && (!added.n_members || px_group_judge(coll, &added)))) {
            continue;
        }
        for (size_t i = 0; !rc && i < coll->group.n_given; i++) {
            rc = px_infos_append_copy(&group->given, &group->n_given, &coll->group.given[i]);
        }
    }
    return rc;
}

static int copy_outcome(const struct px_coll_group *reply_to, struct px_coll_group *to)
{
    free(to->members);
    to->members = malloc((reply_to->n_members + 1) * sizeof(*to->members));
    if (!to->members) {
        to->n_members = 0;
        return PMIX_ERR_NOMEM;
    }
    if (reply_to->n_members) {
        memcpy(to->members, reply_to->members, reply_to->n_members * sizeof(*to->members));
    }
    to->n_members = reply_to->n_members;
    PMIx_Info_free(to->info, to->n_info);
    to->n_info = 0;
    to->info = NULL;
    if (px_infos_copy(reply_to->info, reply_to->n_info, &to->info)) {
        return PMIX_ERR_NOMEM;
    }
    to->n_info = to->info ? reply_to->n_info : 0;
    return PMIX_SUCCESS;
}

static void finish_bootstrap(struct px_server *s, const char *name,
                             const struct px_coll_group *outcome, int status)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each(item, next, &s->colls.list) {
        struct px_coll *coll = px_container_of(item, struct px_coll, link);
        int rc = status;

        if (is_bootstrap_call(coll, name)) {
            rc = rc ? rc : px_group_judge(coll, outcome);
            rc = rc ? rc : copy_outcome(outcome, &coll->group);
            px_coll_finish(s, coll, rc);
            next = s->colls.list.next;
        }
    }
}

/* A part has come: settles the group when it was the last. */
static void try_bootstrap(struct px_server *s, struct px_coll *part)
{
    struct px_coll whole = {.kind = PX_COLL_GROUP_SOLO};
    char *name = strdup(part->name);
    int rc = name ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    px_list_init(&whole.link);
    rc = rc ? rc : gather_bootstrap(s, name, &whole);
    rc = rc ? rc : gather_given(s, name, &whole);
    if (!rc && whole.group.wants_id) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    rc = rc ? rc : px_group_settle(s, &whole);
    if (rc != PMIX_ERR_NOT_FOUND && name) {
        finish_bootstrap(s, name, &whole.group, rc);
    }
    free(name);
    free(whole.group.members);
    free(whole.group.added);
    PMIx_Info_free(whole.group.given, whole.group.n_given);
    PMIx_Info_free(whole.group.info, whole.group.n_info);
}

/* --- deciding --- */

static bool added_elsewhere(struct px_server *s, const struct px_coll *coll)
{
    bool remote = false;
    bool lost = false;

    for (size_t i = 0; i < coll->group.n_added; i++) {
        (void) px_nspace_count_locals(s, &coll->group.added[i], &remote, &lost);
    }
    return remote;
}

/* What is wrong with a group of this node if there is nobody but ourselves to do what is
 * required. */
static int local_status(const struct px_coll *coll, const struct px_call *call)
{
    return px_directives_met(call, PX_ATTR_ALL, coll->info, coll->ninfo) ? coll->local_status
                                                                         : PMIX_ERR_NOT_SUPPORTED;
}

static void complete_construct(struct px_server *s, struct px_coll *coll, bool remote)
{
    bool others = coll->kind == PX_COLL_GROUP_SOLO || coll->group.n_added;
    bool needs_host =
        remote || coll->group.wants_id || added_elsewhere(s, coll) || (others && s->host.group);
    int rc;

    if (!coll->group.wants_id && px_infos_flag(coll->info, coll->ninfo, PMIX_GROUP_LOCAL_ONLY)) {
        needs_host = false;
    }
    rc = needs_host ? PMIX_SUCCESS : local_status(coll, &px_call_group_construct);
    if (rc) {
        px_coll_finish(s, coll, rc);
    } else if (needs_host && s->host.group) {
        group_upcall(s, coll);
    } else if (needs_host) {
        px_coll_finish(s, coll, PMIX_ERR_NOT_SUPPORTED);
    } else if (others) {
        try_bootstrap(s, coll);
    } else {
        rc = px_group_settle(s, coll);
        px_coll_finish(s, coll, rc);
    }
}

void px_group_complete(struct px_server *s, struct px_coll *coll, bool remote)
{
    struct px_group *group;

    px_assert(px_loop_inside(s->loop));
    if (coll->kind != PX_COLL_GROUP_DESTRUCT) {
        complete_construct(s, coll, remote);
        return;
    }
    group = group_destructed(s, coll);
    if (s->host.group && (remote || (group && group->hosted))) {
        group_upcall(s, coll);
    } else if (remote) {
        px_coll_finish(s, coll, PMIX_ERR_NOT_SUPPORTED);
    } else {
        px_coll_finish(s, coll, local_status(coll, &px_call_group_destruct));
    }
}

/* --- requests --- */

int px_handle_group_construct(struct px_server *s, struct px_peer *peer, uint32_t tag,
                              struct px_in *in)
{
    struct px_coll_call call = {.kind = PX_COLL_GROUP_CONSTRUCT};
    struct px_group_construct_directives directives;
    int rc = px_unpack_string(in, &call.name);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_procs(in, &call.procs, &call.nprocs);
    rc = rc ? rc : px_unpack_infos(in, &call.info, &call.ninfo);
    if (!rc && (!call.name || !call.name[0])) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    rc = rc ? rc : px_group_construct_read(call.info, call.ninfo, &directives);
    if (!rc && (!call.nprocs || directives.bootstrap != PX_NOT_GIVEN)) {
        call.kind = PX_COLL_GROUP_SOLO;
    }
    rc = rc ? rc : px_coll_enter(s, peer, tag, &call);
    px_coll_call_fini(&call);
    return rc;
}

/* The members of a group to take apart: those it has here, whatever the caller remembers; one that
 * was made by invitation is known to its members only. */
static int fill_members(struct px_server *s, const pmix_proc_t *caller, struct px_coll_call *call)
{
    struct px_group *group = px_group_find(s, call->name, caller);

    if (!group) {
        return call->nprocs ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
    }
    PMIx_Proc_free(call->procs, call->nprocs);
    call->nprocs = 0;
    call->procs = PMIx_Proc_create(group->n);
    if (!call->procs) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(call->procs, group->members, group->n * sizeof(*call->procs));
    call->nprocs = group->n;
    return PMIX_SUCCESS;
}

int px_handle_group_destruct(struct px_server *s, struct px_peer *peer, uint32_t tag,
                             struct px_in *in)
{
    struct px_coll_call call = {.kind = PX_COLL_GROUP_DESTRUCT};
    int rc = px_unpack_string(in, &call.name);

    px_assert(px_loop_inside(s->loop));
    if (!rc && at_least(peer, 4, 2, 4)) {
        rc = px_unpack_procs(in, &call.procs, &call.nprocs);
    }
    rc = rc ? rc : px_unpack_infos(in, &call.info, &call.ninfo);
    if (!rc && (!call.name || !call.name[0])) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    rc = rc ? rc : fill_members(s, &peer->proc, &call);
    rc = rc ? rc : px_coll_enter(s, peer, tag, &call);
    px_coll_call_fini(&call);
    return rc;
}

static void notify_left(struct px_server *s, struct px_peer *peer, struct px_group *group)
{
    struct px_event event = {
        .code = PMIX_GROUP_LEFT, .source = peer->proc, .range = PMIX_RANGE_CUSTOM};
    pmix_data_array_t members = {.type = PMIX_PROC, .size = group->n, .array = group->members};
    pmix_info_t *info = NULL;
    size_t n = 0;
    int rc = px_infos_append(&info, &n, PMIX_GROUP_ID, group->name, PMIX_STRING);

    rc = rc ? rc : px_infos_append(&info, &n, PMIX_EVENT_AFFECTED_PROC, &peer->proc, PMIX_PROC);
    rc = rc ? rc : px_infos_append(&info, &n, PMIX_EVENT_CUSTOM_RANGE, &members, PMIX_DATA_ARRAY);
    if (!rc) {
        event.info = info;
        event.ninfo = n;
        (void) px_event_fan_out(s, &event, PX_ORIGIN_CLIENT, peer);
    }
    PMIx_Info_free(info, n);
}

int px_handle_group_leave(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    struct px_group *group;
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    char *name = NULL;
    int rc = px_unpack_string(in, &name);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &info, &ninfo);
    group = rc || !name ? NULL : px_group_find(s, name, &peer->proc);
    if (!rc && !group) {
        rc = PMIX_ERR_NOT_FOUND;
    }
    if (!rc) {
        notify_left(s, peer, group);
        px_group_remove(group, &peer->proc);
        px_answer_status(s, &reply_to, PMIX_SUCCESS);
    }
    PMIx_Info_free(info, ninfo);
    free(name);
    return rc;
}
