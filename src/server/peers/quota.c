/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An open request is known by an id that is made of its place in the array and of a serial number,
 * so that closing one twice does not close another that has its place now. */

#include "quota.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "peer.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/log.h"
#include "src/base/param.h"
#include "src/net/conn.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"
#include "src/value/procs.h"

/* --- users --- */

/* A node has few users, so the search is linear. */
struct px_user *px_user_of(struct px_server *s, uid_t uid)
{
    struct px_user *user;

    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_user, known, &s->users, link) {
        if (known->uid == uid) {
            return known;
        }
    }
    user = calloc(1, sizeof(*user));
    if (user) {
        user->uid = uid;
        user->queue.limit = (uint64_t) px_param_int(PX_P_USER_QUEUE);
        px_list_append(&s->users, &user->link);
    }
    return user;
}

void px_users_fini(struct px_server *s)
{
    while (!px_list_empty(&s->users)) {
        struct px_user *user = px_container_of(px_list_shift(&s->users), struct px_user, link);

        for (size_t i = 0; i < PX_N_QUOTAS; i++) {
            px_assert(!user->usage.held[i]);
        }
        px_assert(!user->queue.queued);
        free(user);
    }
    free(s->open_requests.at);
}

/* --- counting --- */

/* The bounds of one kind, and how the log calls it. */
struct bound {
    enum px_param holder;
    enum px_param user;
    const char *what;
};

static const struct bound bounds[PX_N_QUOTAS] = {
    [PX_QUOTA_POSTED] = {PX_P_RANK_POSTED, PX_P_USER_POSTED, "posted data"},
    [PX_QUOTA_REQUESTS] = {PX_P_PEER_REQUESTS, PX_P_USER_REQUESTS, "open requests"},
    [PX_QUOTA_GROUPS] = {PX_P_USER_GROUPS, PX_P_USER_GROUPS, "groups"},
    [PX_QUOTA_PULLS] = {PX_P_PEER_PULLS, PX_P_USER_PULLS, "subscriptions to output"},
};

/* What is left of a bound. */
static size_t room(size_t held, enum px_param bound)
{
    size_t most = (size_t) px_param_int(bound);

    return held < most ? most - held : 0;
}

size_t px_quota_room(const struct px_usage *holder, const struct px_user *user, enum px_quota what)
{
    size_t own = room(holder->held[what], bounds[what].holder);
    size_t users = room(user->usage.held[what], bounds[what].user);

    return own < users ? own : users;
}

bool px_quota_allows(struct px_usage *holder, const struct px_user *user, enum px_quota what,
                     size_t n, const pmix_proc_t *who)
{
    const struct bound *bound = &bounds[what];
    bool own = n <= room(holder->held[what], bound->holder);

    if (own && n <= room(user->usage.held[what], bound->user)) {
        return true;
    }
    if (!holder->told[what]) {
        holder->told[what] = true;
        px_log(PX_LOG_SERVER, 1, "%s:%u refused: %s of %s (%s)", who->nspace, who->rank,
               bound->what, own ? "its user" : "its own",
               px_param_describe(own ? bound->user : bound->holder).name);
    }
    return false;
}

void px_quota_refused(struct px_server *s, uint64_t peer_id, enum px_param bound)
{
    struct px_peer *peer = px_peer_find(s, peer_id);

    px_assert(px_loop_inside(s->loop));
    if (peer && !peer->usage.told_bound[bound]) {
        peer->usage.told_bound[bound] = true;
        px_log(PX_LOG_SERVER, 1, "%s:%u refused: more than it may have (%s)", peer->proc.nspace,
               peer->proc.rank, px_param_describe(bound).name);
    }
}

void px_quota_add(struct px_usage *holder, struct px_user *user, enum px_quota what, size_t n)
{
    user->usage.held[what] += n;
    if (holder) {
        holder->held[what] += n;
    }
}

void px_quota_subtract(struct px_usage *holder, struct px_user *user, enum px_quota what, size_t n)
{
    px_assert(user->usage.held[what] >= n && (!holder || holder->held[what] >= n));
    user->usage.held[what] -= n;
    if (holder) {
        holder->held[what] -= n;
    }
}

/* --- groups and connected sets --- */

/* What a set counts besides its members: it is in the way of each walk over all sets. */
enum { SET_BYTES = 524288 };

static size_t set_bytes(size_t n)
{
    return SET_BYTES + n * sizeof(pmix_proc_t);
}

/* The user of a process that is registered here, or of a tool's connection. NULL: it is of another
 * node, or memory is out. */
static struct px_user *user_of(struct px_server *s, const pmix_proc_t *proc)
{
    const struct px_local_proc *rank = px_local_proc_of(s, proc);

    if (rank && rank->registered) {
        return px_user_of(s, rank->uid);
    }
    px_list_for(const struct px_peer, peer, &s->peer_list, link) {
        if (px_proc_equal(&peer->proc, proc)) {
            return peer->user;
        }
    }
    return NULL;
}

bool px_quota_allows_set(struct px_server *s, const pmix_proc_t *proc, size_t n)
{
    struct px_user *user = user_of(s, proc);

    return !user || px_quota_allows(&user->usage, user, PX_QUOTA_GROUPS, set_bytes(n), proc);
}

void px_quota_add_set(struct px_server *s, struct px_proc_set *set, const pmix_proc_t *proc)
{
    struct px_user *user = set ? user_of(s, proc) : NULL;

    if (user) {
        px_assert(!set->held);
        set->held = &user->usage.held[PX_QUOTA_GROUPS];
        set->bytes = set_bytes(set->n);
        *set->held += set->bytes;
    }
}

/* --- connections --- */

bool px_quota_has_place(const struct px_server *s, uid_t uid)
{
    struct rlimit limit;
    rlim_t n = 0;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return true;
    }
    for (const struct px_list *item = s->peer_list.next; item != &s->peer_list; item = item->next) {
        const struct px_peer *peer = px_container_of(item, struct px_peer, link);

        n += peer->uid == uid && peer->further;
    }
    return n < 1 + limit.rlim_cur * (rlim_t) px_param_int(PX_P_USER_SHARE) / 100;
}

/* --- requests --- */

/* What an open request takes besides its message: its record, an upcall or a get, a timer. */
enum { REQUEST_BYTES = 1024 };

/* One open request, or a free place (id 0). */
struct px_open_request {
    uint64_t id;
    uint64_t peer;
    struct px_user *user;
    size_t bytes;
    size_t next_free; /* as first_free */
};

/* A free place. NULL: memory is out. */
static struct px_open_request *take_place(struct px_open_requests *all)
{
    struct px_open_request *place;

    if (all->first_free) {
        place = &all->at[all->first_free - 1];
        px_assert(!place->id);
        all->first_free = place->next_free;
        return place;
    }
    return px_array_room(&all->at, all->n, &all->room, sizeof(*all->at)) ? NULL
                                                                         : &all->at[all->n++];
}

/* The open request with this id, or NULL. */
static struct px_open_request *find(const struct px_open_requests *all, uint64_t id)
{
    uint32_t place = (uint32_t) id;

    return id && place && place <= all->n && all->at[place - 1].id == id ? &all->at[place - 1]
                                                                         : NULL;
}

/* The peer's own count; NULL when it has disconnected. */
static struct px_usage *usage_of(struct px_server *s, uint64_t id)
{
    struct px_peer *peer = px_peer_find(s, id);

    return peer ? &peer->usage : NULL;
}

int px_holding_take(struct px_peer *peer, enum px_quota what, size_t n, struct px_holding *ret)
{
    if (!px_quota_allows(&peer->usage, peer->user, what, n, &peer->proc)) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    px_quota_add(&peer->usage, peer->user, what, n);
    *ret = (struct px_holding){peer->id, peer->user, what, n};
    return PMIX_SUCCESS;
}

void px_holding_give(struct px_server *s, struct px_holding *holding)
{
    if (holding->user) {
        px_quota_subtract(usage_of(s, holding->peer), holding->user, holding->what, holding->n);
        *holding = (struct px_holding){0};
    }
}

/* True if the peer reads its replies, more or less: what waits for it leaves room for others. Half
 * of the queue is for what has been asked before. A full pool of the user concerns only those who
 * have a part in it. */
static bool keeps_up(const struct px_peer *peer)
{
    const struct px_conn_pool *pool = &peer->user->queue;
    size_t queued = px_conn_queued(peer->conn);

    return !queued || (queued <= (size_t) px_param_int(PX_P_SEND_QUEUE) / 2 &&
                       px_load_relaxed(&pool->queued) <= pool->limit);
}

bool px_peer_is_behind(struct px_peer *peer)
{
    bool behind = !keeps_up(peer);

    if (behind && !peer->usage.told_queue) {
        peer->usage.told_queue = true;
        px_log(PX_LOG_SERVER, 1, "%s:%u refused: it does not read (%s, %s)", peer->proc.nspace,
               peer->proc.rank, px_param_describe(PX_P_SEND_QUEUE).name,
               px_param_describe(PX_P_USER_QUEUE).name);
    }
    return behind;
}

int px_request_open(struct px_peer *peer, size_t bytes, uint64_t *ret_id)
{
    struct px_open_requests *all = &peer->server->open_requests;
    struct px_open_request *open;
    size_t all_bytes = REQUEST_BYTES + bytes;

    px_assert(px_loop_inside(peer->server->loop));
    if (px_peer_is_behind(peer) ||
        !px_quota_allows(&peer->usage, peer->user, PX_QUOTA_REQUESTS, all_bytes, &peer->proc)) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    open = all->n < UINT32_MAX || all->first_free ? take_place(all) : NULL;
    if (!open) {
        return PMIX_ERR_NOMEM;
    }
    *open = (struct px_open_request){
        .id = (uint64_t) ++all->serial << 32 | (uint64_t) (open - all->at + 1),
        .peer = peer->id,
        .user = peer->user,
        .bytes = all_bytes,
    };
    px_quota_add(&peer->usage, peer->user, PX_QUOTA_REQUESTS, all_bytes);
    *ret_id = open->id;
    return PMIX_SUCCESS;
}

void px_request_grow(struct px_server *s, uint64_t id, size_t bytes)
{
    struct px_open_request *open = find(&s->open_requests, id);

    if (open) {
        open->bytes += bytes;
        px_quota_add(usage_of(s, open->peer), open->user, PX_QUOTA_REQUESTS, bytes);
    }
}

void px_request_close(struct px_server *s, uint64_t id)
{
    struct px_open_requests *all = &s->open_requests;
    struct px_open_request *open = find(all, id);

    if (open) {
        px_quota_subtract(usage_of(s, open->peer), open->user, PX_QUOTA_REQUESTS, open->bytes);
        open->id = 0;
        open->next_free = all->first_free;
        all->first_free = (size_t) (open - all->at) + 1;
    }
}
