/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Answers a request for data from the stores of this server. A client stores the values that it is
 * sent, then repeats its lookup. Therefore the answer to one key of a process carries all values
 * that the process has committed, which saves the client its next requests. A client that maps the
 * segment, or is sent its descriptor with the answer, is sent only the value that it asked for. At
 * the end of a collective that has collected data a client without the segment asks for what has
 * changed of a whole namespace; that answer comes in pieces of limited size.
 *
 * Every function returns PMIX_ERR_NOT_FOUND without having answered if the data is not here; the
 * caller then decides whether to wait (server_get.c). Loop thread, except for requests of this
 * process. */

#include "get_answer.h"

#include <string.h>

#include "gds/kval_reader.h"
#include "large_answer.h"
#include "get.h"
#include "server_get.h"
#include "src/request/reply.h"
#include "src/nspace/proc_infos.h"
#include "src/server/self/self.h"
#include "src/server/self/stored.h"
#include "src/wire/message.h"
#include "nspace.h"
#include "src/server/peers/access.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "gds/level.h"
#include "gds/slice.h"

/* Directives choose the realm and the level of the lookup; infos marked as qualifiers narrow it. */
int px_lookup_key_read(const pmix_info_t *info, size_t ninfo, pmix_info_t *quals,
                       struct px_lookup_key *spec, struct px_get_directives *ret)
{
    int rc = px_get_read(info, ninfo, ret);

    if (rc) {
        return rc;
    }
    px_ask_direct(spec, ret);
    spec->n_quals = px_infos_quals(info, ninfo, quals);
    spec->quals = spec->n_quals ? quals : NULL;
    return PMIX_SUCCESS;
}

/* --- building the answer --- */

/* One answer while it is packed. The buffer is handed over when the answer is sent. Values may be
 * large: each is copied once, from the store to its place in the answer. */
struct answer_packer {
    struct px_buf buf;
    size_t mark; /* in buf: where the bytes begin that hold the values */
    enum px_wire_kind kind;
    size_t n;    /* values packed */
    bool scoped; /* each value's scope is packed too, and what the requester may not see as UNDEF */
    pmix_scope_t scope; /* packed last */
    bool offers;        /* the segment's descriptor is passed with the answer */
    bool shares;        /* offers, or the requester already maps the segment */
};

/* Packs one value under its key. A value that has qualifiers is packed together with them, as one
 * PMIX_QUALIFIED_VALUE. */
static int pack_slice(struct answer_packer *p, const char *key, const struct px_slice *slice)
{
    pmix_value_t value;
    bool owns = true;
    int rc =
        slice->quals ? px_kval_fold(key, slice, &value) : px_slice_borrow(slice, &value, &owns);

    if (rc) {
        return rc;
    }
    rc = px_pack_kval(&p->buf, p->kind, slice->quals ? PMIX_QUALIFIED_VALUE : key, &value);
    if (owns) {
        PMIx_Value_destruct(&value);
    }
    p->n += !rc;
    return rc;
}

/* Packs the scope of the values that follow, if it is another one than before. */
static int pack_scope(struct answer_packer *p, pmix_scope_t scope)
{
    pmix_value_t value = {.type = PMIX_SCOPE, .data.scope = scope};

    if (!p->scoped || p->scope == scope) {
        return PMIX_SUCCESS;
    }
    p->scope = scope;
    return px_pack_kval(&p->buf, p->kind, PX_KEY_SCOPE, &value);
}

/* Packs a value if a process committed it: the host's values are left out, and marks of values that
 * this node may not read unless the packer is scoped. For px_store_each. */
static int pack_committed(void *arg, const char *key, const struct px_slice *slice)
{
    struct answer_packer *p = arg;
    bool committed = slice->scope != PMIX_SCOPE_UNDEF &&
                     (slice->type != PMIX_UNDEF || (slice->hidden && p->scoped));
    int rc = committed ? pack_scope(p, slice->scope) : PMIX_SUCCESS;

    return rc || !committed ? rc : pack_slice(p, key, slice);
}

/* The peer that asked, or NULL: this process asked, or the peer has disconnected. */
static struct px_peer *asking_peer(const struct px_get *get)
{
    return px_peer_find(get->server, get->reply_to.peer);
}

/* True if the peer that asked may not have data of the namespace. */
static bool is_closed(const struct px_get *get, const struct px_nspace *ns)
{
    const struct px_peer *peer = asking_peer(get);

    return peer && !px_access_data(get->server, peer, ns);
}

/* Packs all values that a process has committed. For a client of this library the number of the
 * process's newest change goes first, 0 if it does not count, and each value's scope before it: so
 * it knows that there are no others. */
static int pack_process(struct answer_packer *p, const struct px_get *get,
                        const struct px_nspace *ns, uint32_t owner)
{
    const struct px_local_proc *rank = get->counts ? px_local_proc_find(ns, owner) : NULL;
    pmix_value_t change = {.type = PMIX_UINT64, .data.uint64 = rank ? rank->change : 0};
    int rc = PMIX_SUCCESS;

    if (p->scoped) {
        rc = px_pack_kval(&p->buf, p->kind, PX_KEY_CHANGE, &change);
    }
    return rc ? rc : px_store_each(ns->store, PX_LEVEL_PROC, owner, pack_committed, p);
}

/* True if the requester already has everything that the process has committed: its copy is of the
 * newest change. Only clients of this library send the number of their copy. */
static bool is_unchanged(const struct px_get *get, const struct px_nspace *ns, uint32_t owner)
{
    const struct px_local_proc *rank = get->change ? px_local_proc_find(ns, owner) : NULL;

    return rank && rank->change == get->change;
}

/* Packs {PROC, KVAL...} of the job, or the one value that stands for all of them when the segment
 * is passed with the answer. If packing fails, so does the answer. */
static void pack_job(struct px_buf *reply, const struct px_get *get, const struct answer_packer *p,
                     struct px_nspace *ns)
{
    pmix_proc_t job = {.rank = PMIX_RANK_WILDCARD};
    const struct px_peer *peer = asking_peer(get);
    size_t mark;

    memcpy(job.nspace, ns->name, sizeof(job.nspace));
    px_pack_bytes_begin(reply, &mark);
    (void) px_pack(reply, p->kind, PMIX_PROC, &job, 1);
    if (p->offers) {
        (void) px_pack_segment(reply, p->kind);
    } else {
        (void) px_buf_fail(reply, px_nspace_append_info(ns, p->kind, peer && peer->ours, reply));
    }
    (void) px_pack_bytes_end(reply, p->kind, mark);
}

/* Starts an answer about one process or the job: finds the encoding, and whether the requester
 * reads the segment. The reply of GET is STATUS BYTES, the job's information; only if the namespace
 * is not the requester's own, and the requester does not get its segment: else it could not tell
 * which values are missing BYTES, the process, then its values. The reply of REFRESH_CACHE is
 * STATUS and the values; no segment is passed with it. */
static int begin_object(struct answer_packer *p, const struct px_get *get, struct px_nspace *ns,
                        uint32_t rank)
{
    struct px_peer *peer = asking_peer(get);
    bool foreign = peer && strncmp(get->asker.nspace, ns->name, PMIX_MAX_NSLEN) != 0;
    pmix_proc_t owner = {.rank = rank};

    p->kind = peer ? peer->kind : PX_WIRE_PLAIN;
    p->scoped = get->counts || (peer && peer->ours);
    p->shares = peer && px_peer_reads(peer, ns);
    (void) px_pack_status(&p->buf, p->kind, PMIX_SUCCESS);
    p->mark = p->buf.len;
    if (get->how & PX_GET_KVALS) {
        return p->buf.status;
    }
    p->offers = peer && px_peer_has_news(peer, ns);
    p->shares |= p->offers;
    if (p->offers || (foreign && !p->shares && get->target.rank != PMIX_RANK_WILDCARD)) {
        pack_job(&p->buf, get, p, ns);
    }
    memcpy(owner.nspace, ns->name, sizeof(owner.nspace));
    px_pack_bytes_begin(&p->buf, &p->mark);
    return px_pack(&p->buf, p->kind, PMIX_PROC, &owner, 1);
}

/* Sends the answer, with the descriptor of the segment if begin_object decided so. The reply of
 * REFRESH_CACHE is without values for requesters that read them in the segment. Empties the packer.
 */
static void send_object(const struct px_get *get, struct px_nspace *ns, struct answer_packer *p)
{
    struct px_peer *peer = asking_peer(get);

    if (!peer) {
        px_buf_fini(&p->buf);
        return;
    }
    if (!(get->how & PX_GET_KVALS)) {
        (void) px_pack_bytes_end(&p->buf, p->kind, p->mark);
    } else if (p->shares) {
        p->buf.len = p->mark;
    }
    if (p->offers && px_buf_ok(&p->buf)) {
        px_answer_offer(get->server, &get->reply_to, &p->buf, px_peer_offer(peer, ns));
    } else {
        px_answer_take(get->server, &get->reply_to, &p->buf);
    }
}

/* Completes a request of this process with the value, in the return mode of its directives. A
 * caller that waits gets it in *get->value. A callback gets a copy that is freed after it, or a
 * pointer that stays valid. */
static int answer_self(const struct px_get *get, const struct px_slice *slice)
{
    enum px_return_mode mode = px_get_mode(&get->directives);
    pmix_value_t *value = get->value ? *get->value : NULL;
    struct px_reply reply = {.status = PMIX_SUCCESS};
    int rc = px_slice_give(slice, mode, &value);

    if (rc) {
        return rc;
    }
    if (get->value) {
        *get->value = value;
    }
    reply.value = value;
    reply.lent = get->value || mode != PX_RETURN_COPY;
    get->reply_to.self.done(&get->reply_to.self, &reply);
    px_reply_fini(&reply);
    return PMIX_SUCCESS;
}

/* Answers a request of this process without key: what it has stored of a process, what is here of
 * it, and, if it is this one, its own data. Nothing keeps such a value, so no pointer to it is
 * handed out. PMIX_ERR_NOT_FOUND, PMIX_ERR_NOT_SUPPORTED, PMIX_ERR_NOMEM. */
static int answer_self_all(const struct px_get *get, const struct px_nspace *ns)
{
    enum px_return_mode mode = px_get_mode(&get->directives);
    bool self = px_self_is(get->server, &get->target);
    const struct px_store *stored = px_stored_of(get->server, get->target.nspace);
    struct px_reply reply = {.status = PMIX_SUCCESS};
    struct px_proc_infos all = {0};
    int rc = mode == PX_RETURN_POINTER ? PMIX_ERR_NOT_SUPPORTED : PMIX_SUCCESS;

    if (!rc && stored) {
        rc = px_proc_infos_add_store(&all, stored, get->target.rank);
    }
    if (!rc && self && get->server->self_store) {
        rc = px_proc_infos_add_store(&all, get->server->self_store, get->server->self.rank);
    }
    if (!rc && ns) {
        rc = px_proc_infos_add_store(&all, ns->store, get->target.rank);
    }
    rc = rc ? rc : px_proc_infos_take(&all, &reply.value);
    px_proc_infos_fini(&all);
    if (rc) {
        return rc;
    }
    if (get->value && mode == PX_RETURN_FILL) {
        **get->value = *reply.value;
        free(reply.value);
        reply.value = *get->value;
    } else if (get->value) {
        *get->value = reply.value;
    }
    reply.lent = get->value;
    get->reply_to.self.done(&get->reply_to.self, &reply);
    px_reply_fini(&reply);
    return PMIX_SUCCESS;
}

/* Answers a request of this process from its own data (self.c), or PMIX_ERR_NOT_FOUND. */
static int attempt_self(const struct px_get *get)
{
    struct px_slice slice;
    int rc = !get->reply_to.peer && px_self_is(get->server, &get->target)
                 ? px_self_find(get->server, &get->spec, &slice)
                 : PMIX_ERR_NOT_FOUND;

    return rc ? rc : answer_self(get, &slice);
}

/* For px_store_each: adds the bytes of a value and of its key, and some for types and lengths. */
static int add_size(void *arg, const char *key, const struct px_slice *slice)
{
    *(size_t *) arg += slice->len + strlen(key) + 64;
    return PMIX_SUCCESS;
}

static size_t size_of_process(const struct px_nspace *ns, uint32_t owner)
{
    size_t bytes = 0;

    (void) px_store_each(ns->store, PX_LEVEL_PROC, owner, add_size, &bytes);
    return bytes;
}

/* True if the requester reads the values in the segment, or will with this answer. */
static bool reads_segment(const struct px_get *get, const struct px_nspace *ns)
{
    const struct px_peer *peer = asking_peer(get);

    return peer &&
           (px_peer_reads(peer, ns) || (!(get->how & PX_GET_KVALS) && px_peer_has_news(peer, ns)));
}

/* Packs into the memory that was made. */
static void take_room(struct answer_packer *p, struct px_get *get)
{
    p->buf = get->room;
    get->room = (struct px_buf){0};
}

/* Answers with a value that was found. `committed`: a process committed it. Then a client that
 * reads by messages is sent all values of that process with it, or only the status if its copy is
 * unchanged since. */
static int answer_slice(struct px_get *get, struct px_nspace *ns, uint32_t owner,
                        const struct px_slice *slice, bool committed)
{
    struct answer_packer p = {0};
    bool all;
    int rc;

    if (!get->reply_to.peer) {
        return answer_self(get, slice);
    }
    if (committed && is_unchanged(get, ns, owner)) {
        px_answer_status(get->server, &get->reply_to, PMIX_SUCCESS);
        return PMIX_SUCCESS;
    }
    all = committed && (get->counts || !slice->quals) && !reads_segment(get, ns);
    if (px_answer_needs_room(get, all ? size_of_process(ns, owner) : slice->len)) {
        return PX_GET_LARGE;
    }
    take_room(&p, get);
    rc = begin_object(&p, get, ns, owner);
    if (!rc && all && !p.shares) {
        rc = pack_process(&p, get, ns, owner);
    } else if (!rc) {
        rc = slice->scope != PMIX_SCOPE_UNDEF ? pack_scope(&p, slice->scope) : PMIX_SUCCESS;
        rc = rc ? rc : pack_slice(&p, get->key, slice);
    }
    if (rc) {
        px_buf_fini(&p.buf);
        return rc;
    }
    send_object(get, ns, &p);
    return PMIX_SUCCESS;
}

/* Answers a request of a peer without key: all values of a process, or of the job.
 * PMIX_ERR_NOT_FOUND if there are none. */
static int answer_all(struct px_get *get, struct px_nspace *ns)
{
    bool of_job = get->target.rank == PMIX_RANK_WILDCARD;
    struct answer_packer p = {0};
    int rc;

    if (!of_job && px_answer_needs_room(get, size_of_process(ns, get->target.rank))) {
        return PX_GET_LARGE;
    }
    take_room(&p, get);
    rc = begin_object(&p, get, ns, get->target.rank);
    if (!rc && of_job) {
        const struct px_peer *peer = asking_peer(get);
        size_t before = p.buf.len;

        rc = px_nspace_append_info(ns, p.kind, peer && peer->ours, &p.buf);
        p.n = p.buf.len - before;
    } else if (!rc) {
        rc = pack_process(&p, get, ns, get->target.rank);
    }
    if (rc || !p.n) {
        px_buf_fini(&p.buf);
        return rc ? rc : PMIX_ERR_NOT_FOUND;
    }
    send_object(get, ns, &p);
    return PMIX_SUCCESS;
}

/* A get of a key for PMIX_RANK_UNDEF: answers with the value of the lowest rank that has committed
 * the key. The requester stores it as that process's. Searches rank by rank, which costs time in
 * proportion to the job's size. */
static int attempt_anyone(struct px_get *get, struct px_nspace *ns)
{
    struct px_store_info info;
    struct px_lookup_key spec = get->spec;
    struct px_slice slice;

    px_store_info(ns->store, &info);
    for (uint32_t r = 0; r < info.n_ranks; r++) {
        spec.rank = r;
        if (px_store_get(ns->store, &spec, &slice) == PMIX_SUCCESS) {
            return answer_slice(get, ns, r, &slice, false);
        }
    }
    return PMIX_ERR_NOT_FOUND;
}

/* Answers a request of this process with what it has stored, or PMIX_ERR_NOT_FOUND. */
static int attempt_stored(const struct px_get *get)
{
    const struct px_store *stored = px_stored_of(get->server, get->target.nspace);
    struct px_slice slice;
    int rc = stored && !get->reply_to.peer ? px_store_get(stored, &get->spec, &slice)
                                           : PMIX_ERR_NOT_FOUND;

    return rc ? rc : answer_self(get, &slice);
}

/* True if the value is at home at a session, an application or a node, and the requester does not
 * read the segment. A message cannot carry such a value alone, since its level would be lost: the
 * requester is sent the whole job information. */
static bool wants_levels(const struct px_get *get, const struct px_nspace *ns)
{
    const struct px_peer *peer = asking_peer(get);
    enum px_realm realm = get->spec.realm;

    return peer && get->how == 0 && get->target.rank == PMIX_RANK_WILDCARD &&
           (realm == PX_REALM_SESSION || realm == PX_REALM_APP || realm == PX_REALM_NODE) &&
           !px_peer_reads(peer, ns) && !px_peer_has_news(peer, ns);
}

/* A get of this process looks first in what it has stored; every get then in the store of the
 * namespace; one of this process, about itself, last in what the library knows of it. A get of any
 * rank (PMIX_RANK_UNDEF) for a key that is not reserved looks at each rank in turn; reserved keys
 * have one place. */
int px_get_attempt(struct px_get *get)
{
    struct px_nspace *ns = px_get_nspace(get);
    struct px_slice slice;
    bool committed;
    int rc;

    if (!get->key && !get->reply_to.peer) {
        return answer_self_all(get, ns);
    }
    rc = get->key ? attempt_stored(get) : PMIX_ERR_NOT_FOUND;
    if (rc != PMIX_ERR_NOT_FOUND) {
        return rc;
    }
    if (!ns) {
        return attempt_self(get);
    }
    if (is_closed(get, ns)) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    if (!get->key || (get->how == PX_GET_KVALS && get->target.rank == PMIX_RANK_WILDCARD)) {
        return answer_all(get, ns);
    }
    rc = px_store_get(ns->store, &get->spec, &slice);
    if ((!rc || rc == PMIX_ERR_NOT_FOUND) && get->target.rank == PMIX_RANK_UNDEF &&
        !px_key_reserved(get->key)) {
        return attempt_anyone(get, ns);
    }
    if (!rc && wants_levels(get, ns)) {
        return answer_all(get, ns);
    }
    if (rc) {
        return rc == PMIX_ERR_NOT_FOUND ? attempt_self(get) : rc;
    }
    committed = slice.scope != PMIX_SCOPE_UNDEF && (get->counts || !px_key_reserved(get->key));
    return answer_slice(get, ns, get->target.rank, &slice, committed);
}

/* --- what a collective has collected --- */

/* An answer ends behind the process that makes it longer than this, so that no answer grows with
 * the job, and a requester that does not read keeps no more than one of them waiting here. */
enum { PIECE_BYTES = 1 << 20 };

/* Packs one process as BYTES {PROC; KVAL...}; nothing if it has never committed anything. */
static int pack_changed(struct answer_packer *all, const struct px_get *get,
                        const struct px_nspace *ns, uint32_t rank)
{
    pmix_proc_t owner = {.rank = rank};
    const size_t before = all->buf.len;
    int rc;

    memcpy(owner.nspace, ns->name, sizeof(owner.nspace));
    all->n = 0;
    all->scope = PMIX_SCOPE_UNDEF;
    px_pack_bytes_begin(&all->buf, &all->mark);
    rc = px_pack(&all->buf, all->kind, PMIX_PROC, &owner, 1);
    rc = rc ? rc : pack_process(all, get, ns, rank);
    if (!rc && (all->n || ns->deletes)) {
        rc = px_pack_bytes_end(&all->buf, all->kind, all->mark);
    } else {
        all->buf.len = before;
    }
    return rc;
}

/* Packs the processes from get->target.rank on that have changed, until the piece is full.
 * *ret_next is the rank at which the next piece begins, or PMIX_RANK_INVALID. Ranks without a
 * number have committed nothing, or cannot be collected (px_nspace_note_change). */
static int pack_piece(struct answer_packer *all, const struct px_get *get,
                      const struct px_nspace *ns, pmix_rank_t *ret_next)
{
    uint32_t rank = get->target.rank;
    int rc = PMIX_SUCCESS;

    for (; !rc && rank < ns->n_changes && all->buf.len < PIECE_BYTES; rank++) {
        if (ns->changes[rank] > get->change) {
            rc = pack_changed(all, get, ns, rank);
        }
    }
    *ret_next = rank < ns->n_changes ? rank : PMIX_RANK_INVALID;
    return rc;
}

/* To a requester that may map the segment of the namespace goes the segment in place of the data.
 */
int px_get_collected(const struct px_get *get)
{
    struct px_nspace *ns = px_nspace_find(get->server, get->target.nspace);
    struct px_peer *peer = asking_peer(get);
    pmix_value_t reached = {.type = PMIX_UINT64, .data.uint64 = get->server->changes};
    struct answer_packer all = {.kind = peer ? peer->kind : PX_WIRE_PLAIN, .scoped = true};
    pmix_rank_t next = PMIX_RANK_INVALID;
    struct px_buf reply = {0};
    int rc;

    if (!ns || !peer) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (is_closed(get, ns)) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    all.offers = px_peer_has_news(peer, ns);
    rc = all.offers ? PMIX_SUCCESS : pack_piece(&all, get, ns, &next);
    (void) px_pack_status(&reply, all.kind, PMIX_SUCCESS);
    rc = rc ? rc : px_pack_kval(&reply, all.kind, PX_KEY_COLLECTED, &reached);
    rc = rc ? rc : px_pack_rank(&reply, all.kind, next);
    px_buf_append(&reply, all.buf.data, all.buf.len);
    (void) px_buf_fail(&reply, all.buf.status);
    px_buf_fini(&all.buf);
    if (rc) {
        px_buf_fini(&reply);
    } else if (all.offers) {
        pack_job(&reply, get, &all, ns);
        px_answer_offer(get->server, &get->reply_to, &reply, px_peer_offer(peer, ns));
    } else {
        px_answer_take(get->server, &get->reply_to, &reply);
    }
    return rc;
}
