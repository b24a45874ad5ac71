/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Answers a request for data from the stores of this server. A client stores the values that it is
 * sent, then repeats its lookup. Therefore the answer to one key of a process carries all values
 * that the process has committed, which saves the client its next requests. A client that maps the
 * segment, or is sent its descriptor with the answer, is sent only the value that it asked for.
 *
 * Every function returns PMIX_ERR_NOT_FOUND without having answered if the data is not here; the
 * caller then decides whether to wait (server_get.c). Loop thread, except for requests of this
 * process. */

#include "get_answer.h"

#include <string.h>

#include "answer.h"
#include "answer_values.h"
#include "gathering.h"
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

/* --- one value, or all of a process --- */

/* True if the peer that asked may not have data of the namespace. */
static bool is_closed(const struct px_get *get, const struct px_nspace *ns)
{
    const struct px_peer *peer = px_get_peer(get);

    return peer && !px_access_data(get->server, peer, ns);
}

/* True if the requester already has everything that the process has committed: its copy is of the
 * newest change. Only clients of this library send the number of their copy. */
static bool is_unchanged(const struct px_get *get, const struct px_nspace *ns, uint32_t owner)
{
    const struct px_local_proc *rank = get->change ? px_local_proc_find(ns, owner) : NULL;

    return rank && rank->change == get->change;
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

/* True if the requester reads the values in the segment, or will with this answer. */
static bool reads_segment(const struct px_get *get, const struct px_nspace *ns)
{
    const struct px_peer *peer = px_get_peer(get);

    return peer &&
           (px_peer_reads(peer, ns) || (!(get->how & PX_GET_KVALS) && px_peer_has_news(peer, ns)));
}

/* Answers with one value. */
static int answer_one(struct px_get *get, struct px_nspace *ns, uint32_t owner,
                      const struct px_slice *slice)
{
    struct px_answer p = {0};
    int rc = px_answer_begin(&p, get, ns, owner);

    rc = rc ? rc : px_answer_add(&p, get->key, slice);
    if (rc) {
        px_answer_fini(&p);
        return rc;
    }
    return px_answer_finish(get, ns, &p);
}

/* Answers with all values of a process. PMIX_ERR_NOT_FOUND if there are none. */
static int answer_process(struct px_get *get, struct px_nspace *ns, uint32_t owner)
{
    struct px_answer p = {0};
    int rc = px_gather(get, ns, owner, px_answer_begin, &p);

    if (rc || !p.n) {
        px_answer_fini(&p);
        return rc ? rc : PMIX_ERR_NOT_FOUND;
    }
    return px_answer_finish(get, ns, &p);
}

/* Answers with a value that was found. `committed`: a process committed it. Then a client that
 * reads by messages is sent all values of that process with it, or only the status if its copy is
 * unchanged since. */
static int answer_slice(struct px_get *get, struct px_nspace *ns, uint32_t owner,
                        const struct px_slice *slice, bool committed)
{
    if (!get->reply_to.peer) {
        return answer_self(get, slice);
    }
    if (committed && is_unchanged(get, ns, owner)) {
        px_answer_status(get->server, &get->reply_to, PMIX_SUCCESS);
        return PMIX_SUCCESS;
    }
    return committed && (get->counts || !slice->quals) && !reads_segment(get, ns)
               ? answer_process(get, ns, owner)
               : answer_one(get, ns, owner, slice);
}

/* Answers a request of a peer without key: all values of a process, or of the job.
 * PMIX_ERR_NOT_FOUND if there are none. */
static int answer_all(struct px_get *get, struct px_nspace *ns)
{
    const struct px_peer *peer = px_get_peer(get);
    struct px_answer p = {0};
    size_t before;
    int rc;

    if (get->target.rank != PMIX_RANK_WILDCARD) {
        return answer_process(get, ns, get->target.rank);
    }
    rc = px_answer_begin(&p, get, ns, PMIX_RANK_WILDCARD);
    before = p.buf.len;
    rc = rc ? rc : px_nspace_append_info(ns, p.kind, peer && peer->ours, &p.buf);
    if (rc || p.buf.len == before) {
        px_answer_fini(&p);
        return rc ? rc : PMIX_ERR_NOT_FOUND;
    }
    px_answer_end(get, &p);
    px_answer_send(get, ns, &p);
    return PMIX_SUCCESS;
}

/* --- any rank --- */

/* Ranks that are looked at in one turn; and how often that begins anew because something was
 * published meanwhile: then all are looked at in one turn. */
enum { SEARCH_PART = 4096, SEARCHES = 8 };

/* Answers with the value of the lowest rank of [first, end) that has committed the key. The
 * requester stores it as that process's. */
static int attempt_ranks(struct px_get *get, struct px_nspace *ns, uint32_t first, uint32_t end)
{
    struct px_lookup_key spec = get->spec;
    struct px_slice slice;

    for (spec.rank = first; spec.rank < end; spec.rank++) {
        if (px_store_get(ns->store, &spec, &slice) == PMIX_SUCCESS) {
            get->search.next = spec.rank; /* where it goes on if the answer is large */
            return answer_slice(get, ns, spec.rank, &slice, false);
        }
    }
    return PMIX_ERR_NOT_FOUND;
}

/* A get of a key for PMIX_RANK_UNDEF: searches rank by rank, for a peer in parts; while it waits,
 * only the rank that has committed. PX_GET_LARGE: it goes on in another turn. */
static int attempt_anyone(struct px_get *get, struct px_nspace *ns)
{
    struct px_search *search = &get->search;
    struct px_store_info info;
    uint32_t first = search->next;
    uint32_t end;
    int rc;

    px_store_info(ns->store, &info);
    if (get->news < info.n_ranks) {
        return attempt_ranks(get, ns, get->news, get->news + 1);
    }
    if (!first) {
        search->sequence = info.sequence;
        search->n_begun++;
    }
    end = get->reply_to.peer && search->n_begun <= SEARCHES && first + SEARCH_PART < info.n_ranks
              ? first + SEARCH_PART
              : info.n_ranks;
    rc = attempt_ranks(get, ns, first, end);
    if (rc != PMIX_ERR_NOT_FOUND) {
        return rc;
    }
    search->next = end < info.n_ranks ? end : 0;
    if (search->next || (first && search->sequence != info.sequence)) {
        return PX_GET_LARGE;
    }
    search->n_begun = 0;
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
    const struct px_peer *peer = px_get_peer(get);
    enum px_realm realm = get->spec.realm;

    return peer && get->how == 0 && get->target.rank == PMIX_RANK_WILDCARD &&
           (realm == PX_REALM_SESSION || realm == PX_REALM_APP || realm == PX_REALM_NODE) &&
           !px_peer_reads(peer, ns) && !px_peer_has_news(peer, ns);
}

/* A get of this process looks first in what it has stored; every get then in the store of the
 * namespace; one of this process, about itself, last in what the library knows of it. A get of any
 * rank (PMIX_RANK_UNDEF) for a key that is not reserved looks at each rank in order; reserved keys
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
