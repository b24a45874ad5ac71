/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A reply lists all members and what each of them has given. So it is packed once for all callers
 * that get the same bytes, most often all of them: those of one job whose libraries are alike.
 *
 * The layout depends on the client's release, as the protocol does not negotiate it
 * (docs/wire-format.md). */

#include "group_reply.h"

#include <stdlib.h>
#include <string.h>

#include "group_data.h"
#include "src/base/assert.h"
#include "src/base/log.h"
#include "src/net/conn_write.h"
#include "src/request/reply.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/access.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/peers/segment_offer.h"
#include "src/server/stages.h"
#include "src/server/state.h"
#include "src/value/procs.h"
#include "src/wire/codec.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "tracker.h"

/* --- layouts --- */

/* What clients are told; releases before 4.2.4 nothing but the context id. */
enum layout { LAYOUT_ID, LAYOUT_5, LAYOUT_OURS, LAYOUT_6 };

static enum layout layout_of(const struct px_peer *peer)
{
    if (px_peer_at_least(peer, 6, 0, 0)) {
        return LAYOUT_6;
    }
    if (px_peer_at_least(peer, 4, 2, 4)) {
        return peer->ours ? LAYOUT_OURS : LAYOUT_5;
    }
    return LAYOUT_ID;
}

/* True if the peer gets the job's information: it is another one than its own, and the host took
 * part in the group, or the peer may have the information anyway. */
static bool is_told_of(struct px_server *s, const struct px_peer *peer,
                       const struct px_group_build *group, const struct px_nspace *ns)
{
    return ns && strcmp(ns->name, peer->proc.nspace) != 0 &&
           (group->hosted || px_access_data(s, peer, ns));
}

/* Packs the job information of the other members' namespaces, as byte objects within one byte
 * object. A namespace that cannot be packed is left out. */
static void pack_jobs(struct px_server *s, struct px_buf *reply, const struct px_peer *peer,
                      const struct px_group_build *group, const struct px_proc_list *owners)
{
    struct px_buf jobs = {0};

    for (size_t i = 0; i < owners->n; i++) {
        const pmix_proc_t *owner = &owners->at[i];
        struct px_nspace *ns = px_nspace_find(s, owner->nspace);
        struct px_buf one = {0};

        if (!is_told_of(s, peer, group, ns)) {
            continue;
        }
        (void) px_pack(&one, peer->kind, PMIX_PROC, owner, 1);
        if (!px_nspace_append_info(ns, peer->kind, peer->ours, &one)) {
            (void) px_pack_bytes(&jobs, peer->kind, one.data, one.len);
        }
        px_buf_fini(&one);
    }
    (void) px_pack_bytes(reply, peer->kind, jobs.data, jobs.len);
    px_buf_fini(&jobs);
}

/* Packs what follows the members for clients of release 6: context id if there is one, infos. */
static void pack_rest_6(struct px_buf *buf, const struct px_peer *peer,
                        const struct px_group_build *group)
{
    bool has_id = group->has_id;

    (void) px_pack(buf, peer->kind, PMIX_BOOL, &has_id, 1);
    if (has_id) {
        (void) px_pack_size(buf, peer->kind, group->id);
    }
    (void) px_pack_size(buf, peer->kind, group->n_info);
    for (size_t i = 0; i < group->n_info; i++) {
        (void) px_pack(buf, peer->kind, PMIX_INFO, &group->info[i], 1);
    }
}

/* Packs what follows the members. */
static void pack_rest(struct px_server *s, struct px_buf *buf, const struct px_peer *peer,
                      const struct px_group_build *group, const struct px_proc_list *jobs)
{
    enum layout layout = layout_of(peer);

    if (layout == LAYOUT_6) {
        pack_rest_6(buf, peer, group);
        return;
    }
    (void) px_pack_size(buf, peer->kind, group->has_id ? group->id : SIZE_MAX);
    if (layout == LAYOUT_OURS) {
        pack_jobs(s, buf, peer, group, jobs);
        (void) px_pack_infos(buf, peer->kind, group->info, group->n_info);
    }
}

/* --- the reply that was packed last --- */

/* With all that it depends on besides the construction. */
struct px_group_reply_cache {
    struct px_parcel *bytes; /* NULL: none */
    enum layout layout;
    enum px_wire_kind kind;
    pmix_nspace_t nspace;       /* of the peer, whose job information is left out */
    const struct px_user *user; /* of the peer; it is compared only */
    /* A reply of which a part is packed: the status, and n_packed of the members. */
    struct px_buf begun;
    pmix_status_t status;
    struct px_shared_procs *members; /* NULL: there is no such reply */
    size_t n_packed;
    struct px_proc_list jobs; /* those of the n_packed that are known here, by their wildcards */
};

/* Drops the reply of which a part is packed. */
static void drop_begun(struct px_group_reply_cache *cache)
{
    px_buf_fini(&cache->begun);
    px_shared_procs_drop(cache->members);
    cache->members = NULL;
    px_proc_list_fini(&cache->jobs);
}

void px_group_reply_drop(struct px_group_reply_cache *cache)
{
    if (cache) {
        px_parcel_drop(cache->bytes);
        drop_begun(cache);
        free(cache);
    }
}

/* True if the peer's reply has the same bytes. */
static bool is_alike(const struct px_group_reply_cache *cache, const struct px_peer *peer)
{
    return cache->layout == layout_of(peer) && cache->kind == peer->kind &&
           cache->user == peer->user && strcmp(cache->nspace, peer->proc.nspace) == 0;
}

/* True if the part that is packed belongs to the reply for this peer with this status. The cache is
 * an owner of the array of members, so the array has not changed since. */
static bool goes_on(const struct px_group_reply_cache *cache, const struct px_peer *peer,
                    const struct px_group_build *group, pmix_status_t status)
{
    return cache->members && is_alike(cache, peer) && cache->status == status &&
           cache->members->at == group->members.at && cache->members->n == group->members.n;
}

/* Begins the reply for this peer, and drops the one before: packs the status and the number of
 * members. 0 or PMIX_ERR_NOMEM. */
static int begin(struct px_group_reply_cache *cache, const struct px_peer *peer,
                 struct px_group_build *group, pmix_status_t status)
{
    struct px_shared_procs *members = px_proc_list_hold(&group->members);

    if (!members) {
        return PMIX_ERR_NOMEM;
    }
    px_parcel_drop(cache->bytes);
    drop_begun(cache);
    *cache = (struct px_group_reply_cache){.layout = layout_of(peer),
                                           .kind = peer->kind,
                                           .user = peer->user,
                                           .status = status,
                                           .members = members};
    memcpy(cache->nspace, peer->proc.nspace, sizeof(cache->nspace));
    (void) px_pack_status(&cache->begun, cache->kind, status);
    if (cache->layout == LAYOUT_ID) {
        cache->n_packed = members->n;
    } else {
        (void) px_pack_array_head(&cache->begun, cache->kind, PMIX_PROC, members->n);
    }
    return PMIX_SUCCESS;
}

/* Notes the namespace of a member if this server knows it. */
static void note_job(struct px_server *s, struct px_group_reply_cache *cache, const char *name)
{
    const struct px_nspace *ns = px_nspace_find(s, name);
    pmix_proc_t job;

    if (ns) {
        PMIX_LOAD_PROCID(&job, ns->name, PMIX_RANK_WILDCARD);
        (void) px_buf_fail(&cache->begun, px_proc_list_add(&cache->jobs, &job));
    }
}

/* Packs up to `most` of the members that are not packed yet. */
static void pack_members(struct px_server *s, struct px_group_reply_cache *cache, size_t most)
{
    const pmix_proc_t *members = cache->members->at;
    size_t left = cache->members->n - cache->n_packed;
    size_t end = cache->n_packed + (left < most ? left : most);

    for (size_t i = cache->n_packed; i < end; i++) {
        bool again = i > 0 && px_same_nspace(members[i].nspace, members[i - 1].nspace);

        (void) px_pack_raw(&cache->begun, false, PMIX_PROC, &members[i]);
        if (!again && cache->layout == LAYOUT_OURS) {
            note_job(s, cache, members[i].nspace);
        }
    }
    cache->n_packed = end;
}

/* Packs the reply for this peer, or the rest of one that has begun. 0 or the error of packing. */
static int renew(struct px_server *s, struct px_group_reply_cache *cache,
                 const struct px_peer *peer, struct px_group_build *group, pmix_status_t status)
{
    int rc = goes_on(cache, peer, group, status) ? PMIX_SUCCESS : begin(cache, peer, group, status);

    if (rc) {
        return rc;
    }
    pack_members(s, cache, SIZE_MAX);
    pack_rest(s, &cache->begun, peer, group, &cache->jobs);
    rc = cache->begun.status;
    cache->bytes = px_parcel_take(&cache->begun, NULL, NULL);
    drop_begun(cache);
    return rc || cache->bytes ? rc : PMIX_ERR_NOMEM;
}

/* Sends a reply that others get, too. The peer's segment may have been superseded, as in
 * px_answer_take. */
static void answer(struct px_server *s, const struct px_reply_to *reply_to, struct px_peer *peer,
                   struct px_parcel *bytes)
{
    px_request_close(s, reply_to->request);
    if (peer->conn) {
        px_log(PX_LOG_SERVER, 3, "answers %s:%u: %zu bytes, request %u", peer->proc.nspace,
               peer->proc.rank, px_parcel_len(bytes), reply_to->tag);
        px_stage_sent(s, px_parcel_len(bytes));
        (void) px_conn_send(peer->conn, reply_to->tag, bytes, px_peer_moved_segment(peer));
    }
}

/* The cache of the group, which is made if there is none. NULL: memory is out. */
static struct px_group_reply_cache *cache_of(struct px_group_build *group)
{
    if (!group->reply) {
        group->reply = calloc(1, sizeof(*group->reply));
    }
    return group->reply;
}

/* A reply that cannot be made is its status, so that the caller does not wait forever. */
void px_group_reply(struct px_coll *coll, const struct px_reply_to *reply_to, pmix_status_t status)
{
    struct px_server *s = coll->server;
    struct px_peer *peer = px_peer_find(s, reply_to->peer);
    struct px_group_build *group = coll->state;
    struct px_group_reply_cache *cache;
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    if (!peer || !px_status_has_results(status)) {
        px_answer_status(s, reply_to, status);
        return;
    }
    cache = cache_of(group);
    if (!cache) {
        rc = PMIX_ERR_NOMEM;
    } else if (!cache->bytes || !is_alike(cache, peer)) {
        rc = renew(s, cache, peer, group, status);
    }
    if (rc) {
        px_answer_status(s, reply_to, rc);
    } else {
        answer(s, reply_to, peer, cache->bytes);
    }
}

/* How many members are packed in a turn of the loop. */
enum { PIECE = 4096 };

/* The reply is for the first caller that is still connected; most others get the same bytes.
 * px_group_reply packs the rest, and reports errors. */
bool px_group_reply_prepare(struct px_coll *coll, pmix_status_t status)
{
    struct px_group_build *group = coll->state;
    struct px_group_reply_cache *cache;
    const struct px_peer *peer = NULL;

    px_assert(px_loop_inside(coll->server->loop));
    if (group->members.n <= PIECE) {
        return false;
    }
    for (size_t i = 0; !peer && i < coll->n_members; i++) {
        peer = px_peer_find(coll->server, coll->members[i].peer);
    }
    if (!peer || !px_status_has_results(status)) {
        return false;
    }
    cache = cache_of(group);
    if (!cache ||
        (!goes_on(cache, peer, group, status) && begin(cache, peer, group, status) != 0)) {
        return false;
    }
    pack_members(coll->server, cache, PIECE);
    return cache->n_packed < cache->members->n;
}
