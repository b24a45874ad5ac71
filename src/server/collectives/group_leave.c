/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The host passes the event PMIX_GROUP_LEFT on to the servers of the other members, and each of
 * them raises PMIX_GROUP_MEMBERSHIP_UPDATE for its own clients. */

#include "group_leave.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "all_collectives.h"
#include "collective.h"
#include "server_group.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/event/registry.h"
#include "src/loop/turn.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/nspace.h"
#include "src/server/events/server_events.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/proc_match.h"
#include "src/value/procs.h"

/* Events about a group are being raised, as members of it have ended. On the stack of its
 * function. */
struct px_group_walk {
    struct px_proc_set *group; /* may be freed by what follows from an event */
    struct px_proc_set *place; /* behind it */
    struct px_group_walk *outer;
    bool changed; /* collectives have to be recounted when the outermost walk has ended */
};

/* True if the group has one of the processes. */
static bool has_any(const struct px_proc_set *group, const struct px_procs *procs)
{
    return px_procs_overlap(procs->at, procs->n, group->members, group->n);
}

/* The group of that name that has one of the processes, or NULL. The one that events are raised
 * about needs no search: there may be as many events as groups. */
static struct px_proc_set *group_of(struct px_server *s, const char *name,
                                    const struct px_procs *procs)
{
    const struct px_group_walk *walk = s->group_walk;
    struct px_proc_set *group = walk ? walk->group : NULL;

    if (!name || (group && px_proc_set_is_marked(group, walk->place) &&
                  strcmp(group->name, name) == 0 && has_any(group, procs))) {
        return name ? group : NULL;
    }
    group = px_proc_set_find(s->proc_sets, PX_SET_GROUP, name, NULL);
    while (group && !has_any(group, procs)) {
        group = px_proc_set_next(s->proc_sets, group, PX_SET_GROUP, name, NULL);
    }
    return group;
}

/* The name of the group that an event is about, or NULL. */
static const char *name_of(const struct px_event *event)
{
    return px_value_text(px_info_find(event->info, event->ninfo, PMIX_GROUP_ID));
}

/* Makes the infos of an event about a group. 0 or PMIX_ERR_NOMEM; then there are none. */
static int make_infos(const struct px_proc_set *group, const char *members_key,
                      struct px_event *event)
{
    pmix_data_array_t members = {.type = PMIX_PROC, .size = group->n};
    pmix_info_t *info = NULL;
    size_t n = 0;
    int rc = px_infos_append(&info, &n, PMIX_GROUP_ID, group->name, PMIX_STRING);

    members.array = (void *) (uintptr_t) group->members;
    rc = rc ? rc : px_infos_append(&info, &n, PMIX_EVENT_CUSTOM_RANGE, &members, PMIX_DATA_ARRAY);
    rc = rc || !members_key ? rc
                            : px_infos_append(&info, &n, members_key, &members, PMIX_DATA_ARRAY);
    if (rc) {
        PMIx_Info_free(info, n);
        return rc;
    }
    event->info = info;
    event->ninfo = n;
    return PMIX_SUCCESS;
}

/* --- a member of this server leaves --- */

/* The infos about one that is not a member any more: the group, its members before, and who. */
static int make_left(const struct px_proc_set *group, const pmix_proc_t *who,
                     struct px_event *event)
{
    int rc = make_infos(group, NULL, event);
    pmix_info_t *info = (pmix_info_t *) (uintptr_t) event->info;

    rc = rc ? rc : px_infos_append(&info, &event->ninfo, PMIX_EVENT_AFFECTED_PROC, who, PMIX_PROC);
    event->info = info;
    return rc;
}

/* Delivering the event corrects the record, and frees a group that has no members any more. */
pmix_status_t px_group_leave_call(struct px_upcall *up)
{
    struct px_server *s = up->server;
    const struct px_coll_args *args = up->args;
    const struct px_peer *peer = px_peer_find(s, up->reply_to.peer);
    const struct px_procs leaver = {&up->proc, 1};
    const struct px_proc_set *group = group_of(s, args->group, &leaver);
    struct px_event event = {
        .code = PMIX_GROUP_LEFT, .source = up->proc, .range = PMIX_RANGE_CUSTOM};
    int rc;

    px_assert(px_loop_inside(s->loop));
    if (!peer || !group) {
        return PMIX_ERR_NOT_FOUND;
    }
    rc = make_left(group, &up->proc, &event);
    if (!rc) {
        (void) px_event_fan_out(s, &event, PX_ORIGIN_CLIENT, peer);
    }
    PMIx_Info_free((pmix_info_t *) (uintptr_t) event.info, event.ninfo);
    return rc ? rc : PMIX_OPERATION_SUCCEEDED;
}

/* --- members that end --- */

/* Raises PMIX_GROUP_MEMBER_FAILED; also for the host if it comes as from a client. False if memory
 * is out. */
static bool raise_failed(struct px_server *s, const struct px_proc_set *group,
                         const pmix_proc_t *who, enum px_origin origin)
{
    pmix_proc_t failed = *who; /* may be the group's own */
    struct px_event event = {
        .code = PMIX_GROUP_MEMBER_FAILED, .source = failed, .range = PMIX_RANGE_CUSTOM};
    int rc = make_left(group, &failed, &event);

    if (!rc) {
        (void) px_event_fan_out(s, &event, origin, NULL);
    }
    PMIx_Info_free((pmix_info_t *) (uintptr_t) event.info, event.ninfo);
    return !rc;
}

void px_group_tell_failed(struct px_server *s, const struct px_proc_set *group,
                          const struct px_proc_list *failed)
{
    for (size_t i = 0; failed && i < failed->n; i++) {
        (void) raise_failed(s, group, &failed->at[i], PX_ORIGIN_LIBRARY);
    }
}

/* A number that changes whenever a process gets a record on this server or loses it. Not 0. */
static uint64_t records_of(const struct px_server *s)
{
    uint64_t n = 0;

    px_list_for(const struct px_nspace, ns, &s->ns_list, link) {
        n += ns->n_ranks;
    }
    return (s->n_nspaces_gone << 32) + n + 1;
}

/* Lists the members that have a record here, unless they are listed. 0 or PMIX_ERR_NOMEM. */
static int list_here(struct px_server *s, struct px_proc_set *group)
{
    const uint64_t records = records_of(s);
    struct px_nspace *ns = NULL;

    if (group->listed == records) {
        return PMIX_SUCCESS;
    }
    group->listed = 0;
    group->n_here = 0;
    for (size_t i = 0; i < group->n; i++) {
        ns = px_nspace_next(s, group->members, i, ns);
        if (ns && px_local_proc_find(ns, group->members[i].rank)) {
            if (px_array_room(&group->here, group->n_here, &group->here_room,
                              sizeof(*group->here))) {
                return PMIX_ERR_NOMEM;
            }
            group->here[group->n_here++] = (uint32_t) i;
        }
    }
    group->listed = records;
    return PMIX_SUCCESS;
}

/* The first member of this node that has ended, or that has not; or NULL. Linear in the members of
 * this node, if no process is new since the last time. */
static const pmix_proc_t *find_member(struct px_server *s, struct px_proc_set *group, bool ended)
{
    bool all = list_here(s, group) != PMIX_SUCCESS;
    size_t n = all ? group->n : group->n_here;

    for (size_t i = 0; i < n; i++) {
        const pmix_proc_t *member = &group->members[all ? i : group->here[i]];
        const struct px_local_proc *rank = px_local_proc_of(s, member);

        if (rank && rank->departed == ended) {
            return member;
        }
    }
    return NULL;
}

bool px_group_is_here(struct px_server *s, const pmix_proc_t *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct px_local_proc *rank = px_local_proc_of(s, &members[i]);

        if (rank && !rank->departed) {
            return true;
        }
    }
    return false;
}

/* A number that changes whenever a process of this server or a namespace has ended. Not 0. */
static uint64_t known_ends(const struct px_server *s)
{
    return s->n_ends + 1;
}

/* How far px_groups_recheck is. Owned by the server. Ends are counted by known_ends. */
struct px_group_recheck {
    struct px_server *server;
    uint64_t known;           /* it looks for all ends up to this one; 0: none is under way */
    struct px_proc_set place; /* behind the group that was checked last; while it is under way */
    bool again;               /* something has changed meanwhile */
    bool missed;              /* there was no memory to tell of an end */
    uint64_t turn;            /* the turn of the loop in which it last checked a piece */
    uint64_t ends;            /* the last one that was complete: its `known`, */
    uint64_t changes;         /* and px_proc_sets_changes when it began */
    struct px_timer timer;
};

struct px_group_recheck *px_group_recheck_create(struct px_server *s)
{
    struct px_group_recheck *recheck = calloc(1, sizeof(*recheck));

    if (recheck) {
        recheck->server = s;
    }
    return recheck;
}

/* How many groups are checked in a turn of the loop, and how many an event that is raised counts
 * for. */
enum { PIECE = 1024, RAISED = 32 };

/* Subtracts n from *left, which does not fall below 0. */
static void spend(size_t *left, size_t n)
{
    *left -= *left < n ? *left : n;
}

/* Tells the others of each member that has ended, if the group wants it. A group without members
 * here is forgotten. Nested in another walk for a destruct that completes meanwhile. Subtracts the
 * work from *left. True if collectives have to be recounted. */
static bool check_group(struct px_server *s, struct px_proc_set *group, struct px_proc_set *place,
                        size_t *left)
{
    struct px_group_walk walk = {.group = group, .place = place, .outer = s->group_walk};
    const pmix_proc_t *ended = group->notify ? find_member(s, group, true) : NULL;
    const uint64_t known = known_ends(s);

    s->group_walk = &walk;
    spend(left, 1);
    while (ended && raise_failed(s, group, ended, PX_ORIGIN_CLIENT)) {
        spend(left, RAISED);
        ended = px_proc_set_is_marked(group, place) ? find_member(s, group, true) : NULL;
    }
    if (px_proc_set_is_marked(group, place)) {
        group->checked = ended ? 0 : known; /* without memory it is looked at again */
        s->group_recheck->missed |= ended != NULL;
        if (!find_member(s, group, false)) {
            px_proc_set_remove(group);
        }
    }
    s->group_walk = walk.outer;
    if (walk.outer) {
        walk.outer->changed |= walk.changed;
    }
    return walk.changed && !walk.outer;
}

/* Begins at the first group, for all ends that are known now. */
static void begin_recheck(struct px_group_recheck *recheck, struct px_server *s)
{
    recheck->known = known_ends(s);
    recheck->changes = px_proc_sets_changes();
    recheck->again = false;
    recheck->missed = false;
    recheck->place = (struct px_proc_set){.kind = PX_SET_PLACE};
    px_list_prepend(&s->proc_sets->list, &recheck->place.link);
}

/* Checks the next group, unless it was checked since the last end. False: there is no further
 * group. */
static bool recheck_next(struct px_group_recheck *recheck, struct px_server *s, size_t *left)
{
    struct px_proc_set *place = &recheck->place;
    struct px_proc_set *group = px_proc_set_next(s->proc_sets, place, PX_SET_GROUP, NULL, NULL);

    px_list_remove(&place->link);
    if (group) {
        px_proc_set_mark(group, place);
        recheck->again |= group->checked < recheck->known && check_group(s, group, place, left);
        return true;
    }
    if (!recheck->again) {
        return false;
    }
    begin_recheck(recheck, s);
    return true;
}

/* True if no process has ended, and no set has changed, since all groups were checked. */
static bool is_rechecked(const struct px_group_recheck *recheck, const struct px_server *s)
{
    return recheck->ends == known_ends(s) && recheck->changes == px_proc_sets_changes();
}

/* Checks the next piece, or begins again because a process has ended meanwhile. */
static void on_recheck(struct px_timer *timer)
{
    px_colls_recount(px_container_of(timer, struct px_group_recheck, timer)->server);
}

/* Members may end while others are told of one. A process that ends between two pieces is left to
 * the next recheck: otherwise the ends of one user's processes could delay this one for ever. */
bool px_groups_recheck(struct px_server *s)
{
    struct px_group_recheck *recheck = s->group_recheck;
    size_t left = recheck->known && recheck->turn == px_loop_turn(s->loop) ? 0 : PIECE;
    bool more = true;

    px_assert(px_loop_inside(s->loop));
    if (s->group_walk) {
        s->group_walk->changed = true;
        return false;
    }
    if (!recheck->known && is_rechecked(recheck, s)) {
        return true;
    }
    if (!recheck->known) {
        begin_recheck(recheck, s);
    }
    while (left && more) {
        more = recheck_next(recheck, s, &left);
    }
    recheck->turn = px_loop_turn(s->loop);
    if (more || recheck->known != known_ends(s)) {
        px_timer_start_loop(s->loop, &recheck->timer, 0, on_recheck);
    }
    if (!more) {
        recheck->ends = recheck->missed ? 0 : recheck->known;
        recheck->known = 0;
    }
    return !more;
}

void px_group_recheck_again(struct px_server *s, struct px_proc_set *group)
{
    group->checked = 0;
    s->group_recheck->ends = 0;
}

void px_groups_recheck_stop(struct px_server *s)
{
    if (s->group_recheck->known) {
        px_list_remove(&s->group_recheck->place.link);
        s->group_recheck->known = 0;
    }
    px_timer_stop_loop(&s->group_recheck->timer);
}

void px_group_expel(struct px_server *s, struct px_proc_set *group)
{
    struct px_proc_set place;
    size_t left = PIECE;
    bool changed;

    px_assert(px_loop_inside(s->loop));
    group->notify = true;
    px_proc_set_mark(group, &place);
    changed = check_group(s, group, &place, &left);
    px_list_remove(&place.link);
    if (changed) {
        px_colls_recount(s);
    }
}

/* --- somebody has left --- */

/* The members that have called a destruct do not wait for the one that has left. Without memory
 * they do, until their time limit. True if there is such a destruct. */
static bool excuse(struct px_server *s, const char *name, const pmix_proc_t *left)
{
    bool any = false;

    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        if (coll->ops == &px_group_destruct_ops && !coll->closed && strcmp(coll->name, name) == 0 &&
            px_procs_normal_cover(coll->set->at, coll->set->n, left)) {
            (void) px_coll_excuse(&s->colls, coll, left);
            any = true;
        }
    }
    return any;
}

bool px_group_left_speaks_of_others(const struct px_event *event)
{
    static const char key[] = PMIX_EVENT_AFFECTED_PROC;
    const pmix_info_t *info = px_infos_next(event->info, event->ninfo, NULL, key);
    bool others = false;

    for (; info && !others; info = px_infos_next(event->info, event->ninfo, info, key)) {
        struct px_procs affected;

        others = !px_value_procs(&info->value, &affected) || affected.n != 1 ||
                 !px_proc_equal(affected.at, &event->source);
    }
    return others;
}

/* Who has left is the affected process; without one it is the source. */
bool px_group_left(struct px_server *s, const struct px_event *event, bool own,
                   const struct px_peer *by)
{
    const pmix_value_t *value = px_info_find(event->info, event->ninfo, PMIX_EVENT_AFFECTED_PROC);
    const pmix_proc_t *left = &event->source;
    const char *name = name_of(event);
    struct px_proc_set *group;
    struct px_procs affected;
    bool excused;

    px_assert(px_loop_inside(s->loop));
    if (value && px_value_procs(value, &affected) && affected.n == 1) {
        left = affected.at;
    }
    if (own && !px_proc_equal(left, by ? &by->proc : &event->source)) {
        return false;
    }
    affected = (struct px_procs){left, 1};
    group = left->rank <= PMIX_RANK_VALID ? group_of(s, name, &affected) : NULL;
    if (!group) {
        return false;
    }
    if (px_proc_set_leave(group, left)) {
        return false; /* without memory it is still a member */
    }
    excused = excuse(s, name, left);
    if (excused || !s->group_walk) { /* a walk looks by itself whether members are left here */
        px_colls_recount(s);
    }
    return true;
}

/* The group is found by those whom the event was for, since its name need not be unique. */
void px_group_announce(struct px_server *s, const struct px_event *event)
{
    const pmix_value_t *range = px_info_find(event->info, event->ninfo, PMIX_EVENT_CUSTOM_RANGE);
    struct px_event update = {
        .code = PMIX_GROUP_MEMBERSHIP_UPDATE, .source = s->self, .range = PMIX_RANGE_CUSTOM};
    const struct px_proc_set *group;
    struct px_procs told = {NULL, 0};

    if (range) {
        (void) px_value_procs(range, &told); /* a value of another type: none */
    }
    group = group_of(s, name_of(event), &told);
    if (group && !make_infos(group, PMIX_GROUP_MEMBERSHIP, &update)) {
        (void) px_event_fan_out(s, &update, PX_ORIGIN_LIBRARY, NULL);
        PMIx_Info_free((pmix_info_t *) (uintptr_t) update.info, update.ninfo);
    }
}
