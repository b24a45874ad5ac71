/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Trackers and the calls that they match. */

#include "tracker.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "src/base/param.h"
#include "src/value/infos.h"
#include "src/value/nested.h"
#include "src/value/procs.h"

/* --- calls --- */

/* Frees the processes that the call names. */
static void drop_procs(struct px_coll_call *call)
{
    if (call->procs) {
        px_shared_procs_drop(call->procs);
    } else {
        PMIx_Proc_free(call->args.procs, call->args.nprocs);
    }
}

void px_coll_call_fini(struct px_coll_call *call)
{
    free(call->args.group);
    drop_procs(call);
    PMIx_Info_free(call->args.head.info, call->args.head.ninfo);
    px_proc_list_fini(&call->set);
    px_nspace_runs_fini(&call->runs);
    px_procs_normalise_end(call->making, NULL, NULL);
}

int px_coll_call_name(struct px_coll_call *call, struct px_shared_procs *procs)
{
    if (!procs) {
        return PMIX_ERR_NOMEM;
    }
    px_assert(!call->set.at);
    drop_procs(call);
    call->procs = procs;
    call->args.procs = procs->at;
    call->args.nprocs = procs->n;
    return PMIX_SUCCESS;
}

/* Lets the processes that the call names have several owners. 0 or PMIX_ERR_NOMEM. */
static int share_procs(struct px_coll_call *call)
{
    if (!call->procs) {
        call->procs = px_shared_procs_take(call->args.procs, call->args.nprocs);
    }
    return call->procs ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* How many directives one caller, and all callers together, may give. */
static size_t most_directives(void)
{
    return (size_t) px_param_int(PX_P_MAX_DIRECTIVES);
}

/* How many processes of a set a step reads or writes: some 1 MB. */
enum { PIECE = 4096 };

/* A call with a name and no processes has an empty set: leaders add its caller. */
int px_coll_call_prepare(const struct px_colls *colls, struct px_coll_call *call)
{
    int rc;

    px_assert(call->ops && !call->set.at);
    if (call->args.head.ninfo > most_directives()) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    rc = share_procs(call);
    if (rc || (call->args.group && !call->args.nprocs)) {
        return rc;
    }
    if (!call->making) {
        rc = px_procs_normalise_begin(call->procs, colls->size, colls->server,
                                      (size_t) px_param_int(PX_P_MAX_JOBS), &call->making);
    }
    rc = rc ? rc : px_procs_normalise_go_on(call->making, PIECE);
    if (rc == PMIX_OPERATION_IN_PROGRESS) {
        return PMIX_SUCCESS;
    }
    px_procs_normalise_end(call->making, rc ? NULL : &call->set, &call->runs);
    call->making = NULL;
    return rc;
}

void px_coll_call_identify(struct px_coll_call *call)
{
    call->key = px_coll_key(call->ops, call->args.group, call->runs.hash);
}

/* --- members --- */

/* Linear in the number of members, as are the other searches here. */
bool px_coll_has_proc(const struct px_coll *coll, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < coll->n_members; i++) {
        if (px_proc_equal(&coll->members[i].proc, proc)) {
            return true;
        }
    }
    return false;
}

bool px_coll_has_peer(const struct px_coll *coll, uint64_t peer)
{
    for (size_t i = 0; i < coll->n_members; i++) {
        if (coll->members[i].peer == peer) {
            return true;
        }
    }
    return false;
}

/* Appends a caller. Its connection has not called before; its process may have, as a clone. */
static int add_member(struct px_coll *coll, const struct px_coll_member *who)
{
    if (px_array_room(&coll->members, coll->n_members, &coll->members_room,
                      sizeof(*coll->members))) {
        return PMIX_ERR_NOMEM;
    }
    px_assert(!coll->closed);
    px_assert(!px_coll_has_peer(coll, who->peer));
    coll->n_arrived += !px_coll_has_proc(coll, &who->proc);
    coll->members[coll->n_members++] = *who;
    return PMIX_SUCCESS;
}

void px_coll_forget_peer(struct px_coll *coll, uint64_t peer)
{
    px_assert(peer);
    for (size_t i = 0; i < coll->n_members; i++) {
        if (coll->members[i].peer == peer) {
            coll->members[i].peer = 0;
        }
    }
}

/* --- trackers --- */

/* Makes the set of a tracker of these processes, of which it is one more owner. 0 or
 * PMIX_ERR_NOMEM; nothing has changed then. */
static int make_set(const struct px_colls *colls, struct px_coll *coll,
                    struct px_shared_procs *procs)
{
    struct px_nspace_runs runs = {0};
    struct px_proc_list normal = {0};
    struct px_shared_procs *set = NULL;
    int rc = px_procs_normalise(procs, colls->size, colls->server, &normal, &runs);

    if (!rc) {
        set = px_proc_list_hold(&normal);
        rc = set ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    px_proc_list_fini(&normal);
    if (rc) {
        px_nspace_runs_fini(&runs);
        return rc;
    }
    (void) px_shared_procs_hold(procs);
    px_shared_procs_drop(coll->procs);
    px_shared_procs_drop(coll->set);
    px_nspace_runs_fini(&coll->runs);
    coll->procs = procs;
    coll->set = set;
    coll->runs = runs;
    coll->sized = colls->sizes;
    coll->renamed = true;
    return PMIX_SUCCESS;
}

/* Replaces the processes of a tracker. Errors as above. */
static int name_anew(const struct px_colls *colls, struct px_coll *coll, struct px_proc_list *left)
{
    struct px_shared_procs *procs = px_proc_list_hold(left);
    int rc = procs ? make_set(colls, coll, procs) : PMIX_ERR_NOMEM;

    px_shared_procs_drop(procs);
    return rc;
}

/* A wildcard is expanded first, if the size of its namespace is known; otherwise the process stays
 * covered by it, and is not expected since it has departed or left. */
int px_coll_excuse(const struct px_colls *colls, struct px_coll *coll, const pmix_proc_t *proc)
{
    struct px_proc_list left = {0};
    int rc;

    px_assert(coll->name);
    rc = px_coll_has_proc(coll, proc) ? PMIX_SUCCESS
                                      : px_proc_list_expand(&left, coll->procs->at, coll->procs->n,
                                                            colls->size, colls->server);

    if (!rc && left.n > 1 && px_proc_list_has(&left, proc)) {
        rc = px_proc_list_remove(&left, proc, 1);
        rc = rc ? rc : name_anew(colls, coll, &left);
    }
    px_proc_list_fini(&left);
    return rc;
}

bool px_coll_is_valid(const struct px_coll *coll)
{
    return coll->ops && coll->procs && coll->set && (coll->name || coll->set->n) &&
           px_procs_are_normal(coll->set->at, coll->set->n) && !coll->set->n == !coll->runs.n &&
           (!coll->runs.n || coll->runs.ends[coll->runs.n - 1] == coll->set->n) &&
           coll->n_members > 0 && coll->n_members <= coll->members_room && coll->members &&
           coll->n_arrived > 0 && coll->n_arrived <= coll->n_members &&
           (!coll->ninfo || coll->info) && (coll->closed || !(coll->upcall || coll->ending)) &&
           !(coll->upcall && coll->ending);
}

/* Makes a tracker for the first call, which is not on the list yet. It becomes one more owner of
 * the processes of the call. NULL: out of memory. */
static struct px_coll *coll_create(struct px_colls *colls, struct px_coll_call *call)
{
    struct px_coll *coll = calloc(1, sizeof(*coll));

    px_assert(call->procs);
    if (!coll) {
        return NULL;
    }
    px_list_init(&coll->link);
    px_list_init(&coll->alike);
    coll->colls = colls;
    coll->ops = call->ops;
    coll->solo = call->solo;
    coll->meaning = call->meaning;
    coll->server = colls->server;
    coll->key = call->key;
    coll->name = call->args.group ? strdup(call->args.group) : NULL;
    coll->state = call->ops->state_size ? calloc(1, call->ops->state_size) : NULL;
    coll->procs = px_shared_procs_hold(call->procs);
    coll->set = px_proc_list_hold(&call->set);
    coll->sized = colls->sizes;
    if ((call->args.group && !coll->name) || (call->ops->state_size && !coll->state) ||
        !coll->set) {
        px_coll_destroy(coll);
        return NULL;
    }
    coll->runs = call->runs;
    call->runs = (struct px_nspace_runs){0};
    return coll;
}

/* Sets of up to so many processes are compared name by name. Of larger ones only the sizes and the
 * keyed hashes are compared, which no peer can predict: two walks over 32 MB take 10 ms. */
enum { COMPARED = 8192 };

bool px_coll_set_is(const struct px_coll *coll, const pmix_proc_t *set, size_t n, uint64_t hash)
{
    bool same = n == coll->set->n && hash == coll->runs.hash;

    px_check(same == px_procs_equal(set, n, coll->set->at, coll->set->n));
    return same && (n > COMPARED || px_procs_equal(set, n, coll->set->at, coll->set->n));
}

/* True if the set of the call is that of the tracker. */
static bool is_same_set(const struct px_coll *coll, const struct px_coll_call *call)
{
    return px_coll_set_is(coll, call->set.at, call->set.n, call->runs.hash);
}

/* The same by now: the set of the tracker is made again if the size of a namespace may have become
 * known since. */
static bool is_same_by_now(const struct px_colls *colls, struct px_coll *coll,
                           const struct px_coll_call *call)
{
    return is_same_set(coll, call) ||
           (coll->sized != colls->sizes && coll->procs->n > 0 &&
            !make_set(colls, coll, coll->procs) && is_same_set(coll, call));
}

bool px_coll_set_names(const pmix_proc_t *set, size_t n, const pmix_proc_t *proc)
{
    pmix_proc_t node = *proc;
    pmix_proc_t peers = *proc;

    node.rank = PMIX_RANK_LOCAL_NODE;
    peers.rank = PMIX_RANK_LOCAL_PEERS;
    return px_procs_normal_cover(set, n, proc) || px_procs_normal_cover(set, n, &node) ||
           px_procs_normal_cover(set, n, &peers);
}

/* True if a call has the name and the processes of a tracker. Others may have many open under the
 * same name: sets are normalised again only where the caller is named. */
static bool belongs_to(const struct px_colls *colls, struct px_coll *coll,
                       const struct px_coll_call *call, const pmix_proc_t *who)
{
    if (!call->args.group) {
        return is_same_set(coll, call);
    }
    if (strcmp(call->args.group, coll->name) != 0) {
        return false;
    }
    if (call->ops->by_member) {
        return call->meaning == coll->meaning &&
               px_procs_normal_cover(coll->set->at, coll->set->n, who);
    }
    return px_coll_set_names(coll->set->at, coll->set->n, who) && is_same_by_now(colls, coll, call);
}

/* The oldest open tracker: calls of one process that overlap are matched in their order. Of those
 * without a name, whose key says which processes they are of, a process has joined the older ones
 * and not the newer ones: they are searched from the newest, so that who has many open does not
 * look at them again with each call. */
struct px_coll *px_coll_find(const struct px_colls *colls, const struct px_coll_call *call,
                             const struct px_coll_member *who)
{
    struct px_coll *first = px_colls_first(colls, call->key);
    struct px_coll *found = NULL;
    const struct px_list *item = first ? first->alike.prev : NULL;
    bool more = first != NULL;

    while (more) {
        struct px_coll *coll = px_container_of(item, struct px_coll, alike);

        more = coll != first;
        item = item->prev;
        if (coll->ops != call->ops || coll->solo != call->solo || coll->closed) {
            continue;
        }
        if (px_coll_has_peer(coll, who->peer)) {
            more = more && call->args.group;
        } else if (belongs_to(colls, coll, call, &who->proc)) {
            found = coll;
        }
    }
    return found;
}

/* The tracker is put on the list last, so that an error leaves the list as it was. */
int px_coll_join(struct px_colls *colls, struct px_coll_call *call,
                 const struct px_coll_member *who, struct px_coll **ret)
{
    struct px_coll *coll = px_coll_find(colls, call, who);
    struct px_coll *made = coll ? NULL : coll_create(colls, call);
    int rc;

    coll = coll ? coll : made;
    rc = coll ? add_member(coll, who) : PMIX_ERR_NOMEM;
    if (rc) {
        px_coll_destroy(made);
        return rc;
    }
    rc = made ? px_coll_enlist(colls, made) : PMIX_SUCCESS;
    if (rc) {
        px_coll_destroy(made);
        return rc;
    }
    px_check(px_coll_is_valid(coll));
    *ret = coll;
    return PMIX_SUCCESS;
}

/* True if this call is among the members. */
static bool has_call(const struct px_coll *coll, const struct px_coll_member *who)
{
    for (size_t i = 0; i < coll->n_members; i++) {
        if (coll->members[i].peer == who->peer && coll->members[i].tag == who->tag) {
            return true;
        }
    }
    return false;
}

struct px_coll *px_coll_joined(const struct px_colls *colls, uint64_t key,
                               const struct px_coll_member *who)
{
    struct px_coll *first = px_colls_first(colls, key);
    struct px_coll *coll = first;

    px_assert(who->peer);
    while (coll && (coll->closed || !has_call(coll, who))) {
        coll = px_container_of(coll->alike.next, struct px_coll, alike);
        coll = coll == first ? NULL : coll;
    }
    return coll;
}

/* True if the value is a flag, or a string that is read as one, and not on. */
static bool is_off(const pmix_value_t *value)
{
    return (value->type == PMIX_BOOL || value->type == PMIX_STRING) && !px_value_true(value);
}

/* Lists of directives up to this length are searched; longer ones have an index while they grow. */
enum { SHORT = 16 };

/* The directives of a tracker while those of one caller are added. */
struct merge {
    struct px_coll *coll;
    bool indexed;
    struct px_map index; /* key to 1 + its place in coll->info */
};

/* Enters the directive at this place in the index, if there is one. 0 or PMIX_ERR_NOMEM. */
static int note_key(struct merge *merge, size_t at)
{
    const char *key = merge->coll->info[at].key;

    return merge->indexed ? px_map_set(&merge->index, key, strnlen(key, PMIX_MAX_KEYLEN),
                                       (void *) (uintptr_t) (at + 1))
                          : PMIX_SUCCESS;
}

/* The directive with this key, or NULL. */
static pmix_info_t *find_key(const struct merge *merge, const char *key)
{
    struct px_coll *coll = merge->coll;
    size_t place;

    if (!merge->indexed) {
        const pmix_info_t *there = px_infos_next(coll->info, coll->ninfo, NULL, key);

        return there ? &coll->info[there - coll->info] : NULL;
    }
    place = (uintptr_t) px_map_find(&merge->index, key, strnlen(key, PMIX_MAX_KEYLEN));
    return place ? &coll->info[place - 1] : NULL;
}

/* One more caller gives a directive that the tracker has: one that a caller requires is required of
 * all; a flag that one sets is set for all. */
static int merge_again(pmix_info_t *kept, const pmix_info_t *info)
{
    kept->flags |= info->flags & PMIX_INFO_REQD;
    if (!is_off(&kept->value) || !px_value_true(&info->value)) {
        return PMIX_SUCCESS;
    }
    PMIx_Value_destruct(&kept->value);
    return px_value_keep(&kept->value, &info->value);
}

/* Appends a directive that the tracker does not have. */
static int merge_new(struct merge *merge, const pmix_info_t *info)
{
    struct px_coll *coll = merge->coll;
    int rc = coll->ninfo < most_directives() ? px_infos_append_copy(&coll->info, &coll->ninfo, info)
                                             : PMIX_ERR_OUT_OF_RESOURCE;

    return rc ? rc : note_key(merge, coll->ninfo - 1);
}

int px_coll_merge(struct px_coll *coll, const pmix_info_t *info, size_t ninfo)
{
    struct merge merge = {.coll = coll, .indexed = coll->ninfo + ninfo > SHORT};
    int rc = PMIX_SUCCESS;

    px_assert(ninfo == 0 || info);
    for (size_t i = 0; !rc && merge.indexed && i < coll->ninfo; i++) {
        rc = note_key(&merge, i);
    }
    for (size_t i = 0; !rc && i < ninfo; i++) {
        pmix_info_t *kept = find_key(&merge, info[i].key);

        rc = kept ? merge_again(kept, &info[i]) : merge_new(&merge, &info[i]);
    }
    px_map_fini(&merge.index);
    return rc;
}

/* Also used for trackers that are only partly constructed. */
void px_coll_destroy(struct px_coll *coll)
{
    if (!coll) {
        return;
    }
    px_coll_unlist(coll);
    px_timer_stop_loop(&coll->timer);
    if (coll->ops->fini && coll->state) {
        coll->ops->fini(coll->state);
    }
    PMIx_Info_free(coll->info, coll->ninfo);
    free(coll->state);
    free(coll->members);
    px_shared_procs_drop(coll->procs);
    px_shared_procs_drop(coll->set);
    px_nspace_runs_fini(&coll->runs);
    free(coll->name);
    free(coll);
}
