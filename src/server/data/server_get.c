/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests for data: answered at once from the stores, else held until a local process commits, or
 * handed to the host for a process elsewhere. What can never come is refused at once; what may come
 * is waited for, as long as the asker says. A process that has committed without the key gets a
 * little time to commit again (docs/decisions/0009-missing-keys.md). */

#include "server_get.h"

#include <stdlib.h>
#include <string.h>

#include "src/server/requests/host_upcall.h"
#include "src/base/bytes.h"
#include "src/base/param.h"
#include "src/value/directives.h"
#include "src/wire/message.h"
#include "get_answer.h"
#include "modex.h"
#include "nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"

void px_get_destroy(struct px_get *get)
{
    px_list_remove(&get->link);
    px_timer_stop_loop(&get->timer);
    PMIx_Info_free(get->info, get->ninfo);
    free(get->key);
    free(get);
}

static void get_end(struct px_get *get, int status)
{
    struct px_server *s = get->server;
    struct px_reply_to reply_to = get->reply_to;
    struct px_reply reply = {.status = status};

    px_assert(reply_to.peer || reply_to.own.done);
    px_get_destroy(get);
    if (reply_to.peer) {
        px_answer_status(s, &reply_to, status);
    } else {
        reply_to.own.done(&reply_to.own, &reply);
    }
}

static void on_timer(struct px_timer *timer)
{
    struct px_get *get = px_container_of(timer, struct px_get, timer);

    get_end(get, get->implicit ? PMIX_ERR_NOT_FOUND : PMIX_ERR_TIMEOUT);
}

/* In milliseconds; 0: none, or as long as it takes. */
static uint64_t timeout_of(const struct px_get *get)
{
    uint32_t seconds = get->directives.timeout;

    return seconds != PX_NOT_GIVEN ? (uint64_t) seconds * 1000 : 0;
}

/* False: it cannot wait, and has ended. */
static bool may_wait(struct px_get *get)
{
    int rc = get->here_only          ? PMIX_ERR_WOULD_BLOCK
             : get->server->stopping ? PMIX_ERR_LOST_CONNECTION
                                     : PMIX_SUCCESS;

    px_assert(px_list_empty(&get->link));
    if (rc) {
        get_end(get, rc);
    }
    return !rc;
}

static void wait_for_data(struct px_get *get, bool implicit_limit)
{
    uint64_t ms = timeout_of(get);

    if (!may_wait(get)) {
        return;
    }
    if (implicit_limit && get->directives.timeout == PX_NOT_GIVEN) {
        ms = (uint64_t) px_param_int(PX_P_MISSING_KEY_WAIT) * 1000;
        get->implicit = true;
    }
    px_list_append(&get->server->gets, &get->link);
    if (ms && px_timer_start_loop(get->server->loop, &get->timer, ms, on_timer)) {
        get_end(get, PMIX_ERR_NOMEM);
    }
}

static void wait_for_host(struct px_get *get, uint32_t rank)
{
    uint64_t ms = timeout_of(get);
    int rc;

    if (!may_wait(get)) {
        return;
    }
    px_list_append(&get->server->gets, &get->link);
    if (ms && px_timer_start_loop(get->server->loop, &get->timer, ms, on_timer)) {
        get_end(get, PMIX_ERR_NOMEM);
        return;
    }
    /* The host may have answered, and this get be gone, when this returns success. */
    rc = px_modex_start(get->server, get, rank);
    if (rc) {
        get_end(get, rc);
    }
}

/* Does this process ask for data of its own namespace, which no host has? */
static bool is_of_self(const struct px_get *get)
{
    return !get->reply_to.peer &&
           strncmp(get->target.nspace, get->server->self.nspace, PMIX_MAX_NSLEN) == 0;
}

/* It is not here: what now? */
static void answer_or_wait(struct px_get *get)
{
    struct px_server *s = get->server;
    struct px_nspace *ns = px_nspace_find(s, get->target.nspace);
    bool of_job = !get->key ? get->target.rank == PMIX_RANK_WILDCARD
                            : px_key_reserved(get->key) || get->target.rank == PMIX_RANK_WILDCARD;
    struct px_local_proc *rank;

    if (get->directives.immediate || get->directives.optional || (!ns && is_of_self(get))) {
        get_end(get, PMIX_ERR_NOT_FOUND);
    } else if (!ns) {
        wait_for_host(get, PMIX_RANK_WILDCARD);
    } else if (!ns->registered && !ns->asked_host) {
        wait_for_data(get, false);
    } else if (of_job) {
        get_end(get, PMIX_ERR_NOT_FOUND);
    } else if (get->target.rank == PMIX_RANK_UNDEF) {
        wait_for_data(get, false);
    } else if (!px_nspace_is_local(ns, get->target.rank)) {
        wait_for_host(get, get->target.rank);
    } else {
        rank = px_local_proc_find(ns, get->target.rank);
        if (rank && (rank->departed || rank->finalized)) {
            get_end(get, PMIX_ERR_NOT_FOUND);
        } else {
            wait_for_data(get, rank && rank->committed);
        }
    }
}

/* What is between the asker and us is not for the host. */
static void take_change(struct px_get *get)
{
    const pmix_value_t *change = px_info_find(get->info, get->ninfo, PX_KEY_CHANGE);
    pmix_info_t *info;

    if (!change || change->type != PMIX_UINT64) {
        return;
    }
    info = px_container_of((pmix_value_t *) (uintptr_t) change, pmix_info_t, value);
    get->counts = true;
    get->change = change->data.uint64;
    get->ninfo--;
    *info = get->info[get->ninfo]; /* the array is freed whole; a number owns nothing */
}

/* What is required and not known here may be the host's to do, where it is asked. */
static bool is_supported(const struct px_get *get)
{
    const struct px_nspace *ns = px_nspace_find(get->server, get->target.nspace);
    bool hosts =
        get->server->host.direct_modex && (!ns || !px_nspace_is_local(ns, get->target.rank));
    unsigned levels = PX_ATTR_ALL | (get->value ? PX_ATTR_WAITING : 0);

    return hosts || px_directives_met(&px_call_get, levels, get->info, get->ninfo);
}

/* What other nodes have given us is as old as the last time that they did. The rest is as new as it
 * can be. */
static bool is_renewable(const struct px_get *get)
{
    const struct px_nspace *ns = px_nspace_find(get->server, get->target.nspace);

    if (!get->directives.refresh_cache || get->directives.optional || !ns) {
        return false;
    }
    if (get->target.rank == PMIX_RANK_WILDCARD) {
        return ns->asked_host && !ns->registered;
    }
    return get->target.rank <= PMIX_RANK_VALID && !px_nspace_is_local(ns, get->target.rank) &&
           !(get->key && px_key_reserved(get->key));
}

/* It is answered, or not here. */
static bool is_settled(struct px_get *get, int rc)
{
    if (rc == PMIX_SUCCESS) {
        px_get_destroy(get);
    } else if (rc != PMIX_ERR_NOT_FOUND) {
        get_end(get, rc);
    }
    return rc != PMIX_ERR_NOT_FOUND;
}

void px_get_begin(struct px_get *get)
{
    px_assert(get->here_only || px_loop_inside(get->server->loop));
    if (!is_supported(get)) {
        get_end(get, PMIX_ERR_NOT_SUPPORTED);
    } else if (is_renewable(get)) {
        get->renewal = ++get->server->renewals;
        wait_for_host(get, get->target.rank);
    } else if (!is_settled(get, px_get_attempt(get))) {
        answer_or_wait(get);
    }
}

int px_get_create(struct px_server *s, const struct px_reply_to *reply_to, const pmix_proc_t *asker,
                  unsigned how, const pmix_proc_t *target, char *key, pmix_info_t *info,
                  size_t ninfo, struct px_get **ret)
{
    struct px_get *get = calloc(1, sizeof(*get) + ninfo * sizeof(get->quals[0]));
    int rc;

    if (!get) {
        PMIx_Info_free(info, ninfo);
        free(key);
        return PMIX_ERR_NOMEM;
    }
    px_list_init(&get->link);
    get->server = s;
    get->reply_to = *reply_to;
    get->asker = *asker;
    get->how = how;
    get->target = *target;
    get->key = key;
    get->info = info;
    get->ninfo = ninfo;
    take_change(get);
    get->spec = (struct px_lookup_key) PX_LOOKUP_KEY_INIT;
    get->spec.rank = target->rank;
    get->spec.key = key;
    get->spec.key_len = key ? strlen(key) : 0;
    if (strncmp(asker->nspace, target->nspace, PMIX_MAX_NSLEN) == 0) {
        get->spec.self = asker->rank;
    }
    rc = px_lookup_key_read(get->info, get->ninfo, get->quals, &get->spec, &get->directives);
    if (rc) {
        px_get_destroy(get);
        return rc;
    }
    *ret = get;
    return PMIX_SUCCESS;
}

/* Both requests: STRING nspace; PROC_RANK; infos; STRING key if there is one. Of REFRESH_CACHE the
 * last two are left out by other implementations. */
static int on_request(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in,
                      unsigned how)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    pmix_proc_t target = {.rank = PMIX_RANK_UNDEF};
    char *nspace = NULL;
    struct px_get *get = NULL;
    char *key = NULL;
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    bool yes = true;
    int rc = px_unpack_string(in, &nspace);

    rc = rc ? rc : px_unpack_rank(in, &target.rank);
    if (!rc && (!(how & PX_GET_KVALS) || px_in_left(in))) {
        rc = px_unpack_infos(in, &info, &ninfo);
    }
    if (!rc && px_in_left(in)) {
        rc = px_unpack_string(in, &key);
    }
    if (!rc && nspace && strlen(nspace) > PMIX_MAX_NSLEN) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    if (!rc && key && (!key[0] || strlen(key) > PMIX_MAX_KEYLEN)) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (!rc && (how & PX_GET_KVALS)) {
        rc = px_infos_append(&info, &ninfo, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
        rc = rc ? rc : px_infos_append(&info, &ninfo, PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    }
    if (rc) {
        PMIx_Info_free(info, ninfo);
        free(key);
    } else {
        PMIX_LOAD_NSPACE(target.nspace, nspace && nspace[0] ? nspace : peer->proc.nspace);
        rc = px_get_create(s, &reply_to, &peer->proc, how, &target, key, info, ninfo, &get);
    }
    if (!rc) {
        px_get_begin(get);
    }
    free(nspace);
    return rc;
}

int px_handle_get(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    px_assert(px_loop_inside(s->loop));
    return on_request(s, peer, tag, in, 0);
}

int px_handle_refresh(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    px_assert(px_loop_inside(s->loop));
    return on_request(s, peer, tag, in, PX_GET_KVALS);
}

/* --- what changes the answer of those that wait --- */

static bool is_about(const struct px_get *get, const char *nspace, uint32_t rank)
{
    return !get->renewal && strncmp(get->target.nspace, nspace, PMIX_MAX_NSLEN) == 0 &&
           (rank == PMIX_RANK_WILDCARD || get->target.rank == rank ||
            get->target.rank == PMIX_RANK_UNDEF);
}

/* Tries again those that are about the rank. The list is detached first: an answer may start new
 * ones. */
static void retry(struct px_server *s, const char *nspace, uint32_t rank, const char *asked_key,
                  int otherwise)
{
    struct px_list mine;
    struct px_list *item;

    px_list_init(&mine);
    px_list_for(struct px_get, get, &s->gets, link) {
        if (is_about(get, nspace, rank)) {
            px_list_remove(&get->link);
            px_list_append(&mine, &get->link);
        }
    }
    for (item = px_list_shift(&mine); item; item = px_list_shift(&mine)) {
        struct px_get *get = px_container_of(item, struct px_get, link);
        bool same = asked_key && get->key && strcmp(asked_key, get->key) == 0;
        int rc = px_get_attempt(get);

        if (is_settled(get, rc)) {
            continue;
        }
        if (otherwise != PMIX_SUCCESS && (same || !asked_key || !get->key)) {
            get_end(get, otherwise);
        } else if (otherwise != PMIX_SUCCESS) {
            px_timer_stop_loop(&get->timer);
            answer_or_wait(get);
        } else if (!timeout_of(get) && get->target.rank == rank) {
            wait_for_data(get, true);
        } else {
            px_list_append(&s->gets, &get->link);
        }
    }
}

void px_gets_committed(struct px_server *s, struct px_local_proc *rank)
{
    px_assert(px_loop_inside(s->loop));
    retry(s, rank->ns->name, rank->rank, NULL, PMIX_SUCCESS);
}

void px_gets_proc_departed(struct px_server *s, struct px_local_proc *rank)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->gets) {
        struct px_get *get = px_container_of(item, struct px_get, link);

        if (get->target.rank == rank->rank &&
            strncmp(get->target.nspace, rank->ns->name, PMIX_MAX_NSLEN) == 0) {
            get_end(get, PMIX_ERR_NOT_FOUND);
            next = s->gets.next;
        }
    }
}

void px_gets_nspace_changed(struct px_server *s, struct px_nspace *ns)
{
    bool gone = px_nspace_find(s, ns->name) != ns;
    struct px_list *item;
    struct px_list mine;

    px_assert(px_loop_inside(s->loop));
    px_list_init(&mine);
    px_list_for(struct px_get, get, &s->gets, link) {
        if (is_about(get, ns->name, PMIX_RANK_WILDCARD)) {
            px_list_remove(&get->link);
            px_list_append(&mine, &get->link);
        }
    }
    for (item = px_list_shift(&mine); item; item = px_list_shift(&mine)) {
        struct px_get *get = px_container_of(item, struct px_get, link);
        int rc = gone ? PMIX_ERR_INVALID_NAMESPACE : px_get_attempt(get);

        if (!is_settled(get, rc)) {
            px_timer_stop_loop(&get->timer);
            answer_or_wait(get);
        }
    }
}

void px_gets_modex_done(struct px_server *s, const char *nspace, uint32_t rank, const char *key,
                        int status)
{
    px_assert(px_loop_inside(s->loop));
    /* A job that is known now may have what was asked for, or its processes may have to be
     * asked. */
    if (!status && rank == PMIX_RANK_WILDCARD && px_nspace_find(s, nspace)) {
        retry(s, nspace, rank, "", PMIX_ERR_NOT_FOUND);
        return;
    }
    /* A failure for one key may be success for another. */
    retry(s, nspace, rank, key, status ? status : PMIX_ERR_NOT_FOUND);
}

void px_gets_renewed(struct px_server *s, uint64_t renewal, int status)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_get, get, &s->gets, link) {
        if (get->renewal != renewal) {
            continue;
        }
        if (status || !is_settled(get, px_get_attempt(get))) {
            get_end(get, status ? status : PMIX_ERR_NOT_FOUND);
        }
        return;
    }
}

void px_gets_peer_disconnected(struct px_server *s, const struct px_peer *peer)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_get, get, &s->gets, link) {
        if (get->reply_to.peer == peer->id) {
            px_get_destroy(get);
        }
    }
}

void px_gets_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->gets)) {
        get_end(px_container_of(s->gets.next, struct px_get, link), PMIX_ERR_LOST_CONNECTION);
    }
}
