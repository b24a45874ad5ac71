/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Get when the value is not here: one message, whose reply is stored and then looked up like
 * everything else. Several callers that want posted data of the same process share a message, since
 * a server sends all it may show of a process; those that the reply does not serve ask again for
 * themselves. */

#include "get_nb.h"

#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "get.h"
#include "deferred.h"
#include "src/base/epoch.h"
#include "src/value/infos.h"
#include "all.h"
#include "other_nspace.h"
#include "private_store.h"
#include "resolve.h"

/* Somebody who waits for a value. Owns copies of all that the caller passed. */
struct waiter {
    struct px_list link; /* in a fetch */
    pmix_proc_t proc;
    char *key; /* or NULL: all of the process */
    pmix_info_t *info;
    size_t ninfo;
    pmix_value_cbfunc_t cbfunc;
    void *cbdata;
};

struct px_fetch {
    struct px_list link; /* in session->fetches while others may join, else alone */
    struct px_session *session;
    pmix_proc_t proc;
    struct px_list waiters; /* session lock; the first one's key is the one asked for */
    uint64_t ended;         /* session->ended when it was asked */
    bool refresh;           /* sent as REFRESH_CACHE */
    bool again;             /* the answer before said that a segment had come, in vain */
    uint64_t timeout_ms;
};

static void fetch_reply(void *arg, int status, struct px_in *reply, int fd);

static void waiter_free(struct waiter *waiter)
{
    PMIx_Info_free(waiter->info, waiter->ninfo);
    free(waiter->key);
    free(waiter);
}

static struct waiter *waiter_create(const pmix_proc_t *proc, const char *key,
                                    const pmix_info_t *info, size_t ninfo)
{
    struct waiter *waiter = calloc(1, sizeof(*waiter));

    if (waiter == NULL) {
        return NULL;
    }
    px_list_init(&waiter->link);
    waiter->proc = *proc;
    if (key != NULL) {
        waiter->key = strdup(key);
    }
    waiter->info = ninfo > 0 ? PMIx_Info_create(ninfo) : NULL;
    if ((key != NULL && waiter->key == NULL) || (ninfo > 0 && waiter->info == NULL)) {
        waiter_free(waiter);
        return NULL;
    }
    for (size_t i = 0; i < ninfo; i++) {
        waiter->ninfo = i + 1;
        if (px_info_keep(&waiter->info[i], &info[i]) != PMIX_SUCCESS) {
            waiter_free(waiter);
            return NULL;
        }
    }
    return waiter;
}

static struct waiter *first_waiter(const struct px_fetch *fetch)
{
    return px_container_of(fetch->waiters.next, struct waiter, link);
}

static struct px_fetch *fetch_create(struct px_session *session, const pmix_proc_t *proc,
                                     const struct px_get_request *request)
{
    struct px_fetch *fetch = calloc(1, sizeof(*fetch));

    if (fetch != NULL) {
        fetch->session = session;
        fetch->proc = *proc;
        fetch->refresh = (request->flags & PX_GET_REFRESH) != 0;
        fetch->timeout_ms = request->timeout_ms;
        px_list_init(&fetch->link);
        px_list_init(&fetch->waiters);
    }
    return fetch;
}

/* What such a process posts comes with collectives and when it is asked for, not by itself. */
bool px_client_is_far(struct px_session *session, const char *nspace, pmix_rank_t rank)
{
    const struct px_other_nspace *other_nspace;
    const struct px_store *store;
    uint32_t node;

    if (px_session_is_named(session, nspace)) {
        store = px_session_shared(session);
        if (store == NULL && px_session_private(session, &store) != 0) {
            store = NULL;
        }
    } else {
        other_nspace =
            px_session_find_other_nspace(session, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
        store = other_nspace == NULL ? NULL
                : px_other_nspace_shared(other_nspace) != NULL
                    ? px_other_nspace_shared(other_nspace)
                    : px_other_nspace_private(other_nspace);
    }
    node = store != NULL ? px_store_node_of(store, rank) : PX_NO_NODE;
    return node != PX_NO_NODE && node != px_store_local_node(store);
}

/* Packs the waiter's directives. Whoever asks for posted data says which change of them it has:
 * a server that knows of that answers with the number, or that it is still the same. Who asks for
 * everything of a process of this node does not wait for its first commit. */
static int pack_directives(struct px_fetch *fetch, struct px_msg *msg)
{
    const struct waiter *waiter = first_waiter(fetch);
    struct px_session *session = fetch->session;
    pmix_info_t *info;
    size_t n = waiter->ninfo;
    bool yes = true;
    bool far;
    int rc;

    px_reader_enter();
    far = px_client_is_far(session, fetch->proc.nspace, fetch->proc.rank);
    px_reader_leave();
    if (far || fetch->refresh || fetch->proc.rank > PMIX_RANK_VALID ||
        (waiter->key != NULL && px_key_is_of_host(waiter->key))) {
        return px_pack_infos(&msg->buf, msg->kind, waiter->info, waiter->ninfo);
    }
    info = calloc(n + 2, sizeof(*info));
    if (info == NULL) {
        return PMIX_ERR_NOMEM;
    }
    if (n > 0) {
        memcpy(info, waiter->info, n * sizeof(*info)); /* borrowed */
    }
    PMIx_Load_key(info[n].key, PX_KEY_CHANGE);
    info[n].value.type = PMIX_UINT64;
    if (waiter->key != NULL) {
        info[n].value.data.uint64 =
            px_session_change(session, fetch->proc.nspace, fetch->proc.rank);
    } else {
        n++;
        (void) PMIx_Info_load(&info[n], PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    }
    rc = px_pack_infos(&msg->buf, msg->kind, info, n + 1);
    free(info);
    return rc;
}

/* Servers before 5.0 know no command to refresh: a plain GET that carries the directive is the best
 * there is. */
static int send_fetch(struct px_fetch *fetch)
{
    struct px_session *session = fetch->session;
    const struct waiter *waiter = first_waiter(fetch);
    struct px_server_peer *server = px_session_server(session);
    uint64_t patience = fetch->timeout_ms > 0 ? fetch->timeout_ms + 250 : 0;
    struct px_msg msg;
    int rc;

    fetch->refresh = fetch->refresh && server != NULL && px_server_at_least(server, 5, 0, 0);
    rc = px_msg_start(session, fetch->refresh ? PX_CMD_REFRESH_CACHE : PX_CMD_GET, &msg);
    if (rc != 0) {
        return rc;
    }
    rc = px_pack_string(&msg.buf, msg.kind, fetch->proc.nspace);
    if (rc == 0) {
        rc = px_pack_rank(&msg.buf, msg.kind, fetch->proc.rank);
    }
    if (rc == 0) {
        rc = pack_directives(fetch, &msg);
    }
    if (rc == 0 && waiter->key != NULL) {
        rc = px_pack_string(&msg.buf, msg.kind, waiter->key);
    }
    return px_msg_send(&msg, rc, patience, fetch_reply, fetch);
}

/* What was to be refreshed and could not be: what is here of it may be as old as the refusal says,
 * unless it is our own. */
static bool is_outdated(const struct px_session *session, const struct px_get_request *request,
                        const struct px_slice *slice, int status)
{
    bool own = (request->flags & PX_GET_OWN) != 0 && request->spec.rank == session->ctx->self.rank;

    return status != PMIX_SUCCESS && (request->flags & PX_GET_REFRESH) != 0 && !own &&
           slice->scope != PMIX_INTERNAL;
}

/* Who has asked without a key wanted everything, or nothing but that it is fresh. */
static void serve_all(struct px_session *session, struct waiter *waiter, int status)
{
    struct px_get_request request;
    pmix_value_t *value = NULL;
    int rc = px_get_request_read(session, &waiter->proc, PX_NO_KEY, waiter->info, waiter->ninfo,
                                 &request);

    if (rc != 0) {
        waiter->cbfunc(rc, NULL, waiter->cbdata);
        return;
    }
    rc = status;
    if ((request.flags & PX_GET_REFRESH) == 0 &&
        (status == PMIX_SUCCESS || status == PMIX_ERR_NOT_FOUND)) {
        rc = px_client_get_all(session, &request, &value);
    }
    waiter->cbfunc(rc, value, waiter->cbdata);
    if (value != NULL && (request.flags & PX_GET_POINTER) == 0) {
        PMIx_Value_free(value, 1);
    }
    px_get_request_fini(&request);
}

/* The value for a waiter out of the stores, if it is there now; calls back. False: not there. */
static bool serve(struct px_session *session, struct waiter *waiter, bool fresh, int status)
{
    struct px_get_request request;
    struct px_slice slice;
    pmix_value_t *value = NULL;
    int rc;

    if (waiter->key == NULL) {
        serve_all(session, waiter, status);
        return true;
    }
    rc = px_get_request_read(session, &waiter->proc, waiter->key, waiter->info, waiter->ninfo,
                             &request);
    if (rc == 0) {
        /* The server knows scopes; we may not. */
        rc = status == PMIX_ERR_EXISTS_OUTSIDE_SCOPE
                 ? status
                 : px_client_find(session, &request, fresh, &slice);
    }
    if (rc == 0 && is_outdated(session, &request, &slice, status)) {
        rc = status;
    } else if (rc == 0) {
        rc = px_client_hand_out(session, &request, &slice, &value);
    } else if (rc == PMIX_ERR_NOT_FOUND) {
        rc = px_client_get_builtin(session, &request, &value);
    }
    if (rc == PMIX_ERR_NOT_FOUND && status == PMIX_SUCCESS) {
        px_get_request_fini(&request);
        return false;
    }
    if (rc == PMIX_ERR_NOT_FOUND) {
        rc = status;
    }
    waiter->cbfunc(rc, rc == 0 ? value : NULL, waiter->cbdata);
    if (rc == 0 && (request.flags & PX_GET_POINTER) == 0) {
        PMIx_Value_free(value, 1);
    }
    px_get_request_fini(&request);
    return true;
}

/* A waiter that shared somebody else's message in vain asks alone; `told`: or has been told to read
 * what it cannot. */
static void ask_again(struct px_session *session, struct waiter *waiter, bool told)
{
    struct px_get_request request;
    struct px_fetch *fetch = NULL;
    int rc = px_get_request_read(session, &waiter->proc, waiter->key, waiter->info, waiter->ninfo,
                                 &request);

    if (rc == 0) {
        fetch = fetch_create(session, &waiter->proc, &request);
        rc = fetch != NULL ? 0 : PMIX_ERR_NOMEM;
        px_get_request_fini(&request);
    }
    if (rc == 0) {
        fetch->again = told;
        px_list_append(&fetch->waiters, &waiter->link);
        rc = send_fetch(fetch);
    }
    if (rc != 0) {
        waiter->cbfunc(rc, NULL, waiter->cbdata);
        px_list_remove(&waiter->link);
        waiter_free(waiter);
        free(fetch);
    }
}

/* KVAL... of the process, or of its job. */
static int store_refreshed(struct px_fetch *fetch, struct px_in *reply)
{
    const struct waiter *waiter = first_waiter(fetch);

    return fetch->proc.rank == PMIX_RANK_WILDCARD
               ? px_session_store_job(fetch->session, fetch->proc.nspace, reply)
               : px_session_store_kvals(fetch->session, &fetch->proc, reply, waiter->key);
}

static int store_reply(struct px_fetch *fetch, struct px_in *reply, bool *ret_fresh)
{
    struct px_in start = *reply;
    int rc = 0;

    *ret_fresh = px_in_left(reply) > 0;
    if (!*ret_fresh || (fetch->refresh && store_refreshed(fetch, reply) == 0)) {
        return 0;
    }
    /* Some servers answer a refresh as they answer a get. */
    *reply = start;
    while (px_in_left(reply) > 0 && rc == 0) {
        rc = px_session_store_blob(fetch->session, reply,
                                   fetch->refresh ? first_waiter(fetch)->key : NULL);
    }
    return rc;
}

/* Is what was asked for in the segment, now that the server has answered? Then nothing of the
 * answer is kept. */
static bool is_published(struct px_fetch *fetch)
{
    const struct waiter *waiter = first_waiter(fetch);
    struct px_get_request request;
    bool found;

    if (fetch->refresh || waiter->key == NULL ||
        px_get_request_read(fetch->session, &waiter->proc, waiter->key, waiter->info, waiter->ninfo,
                            &request) != 0) {
        return false;
    }
    found = px_client_is_published(fetch->session, &request);
    px_get_request_fini(&request);
    return found;
}

/* The server has it, and we have not. It may believe that we read that namespace's segment, whose
 * descriptor got lost. */
static void miss(struct px_fetch *fetch, struct waiter *waiter)
{
    struct px_session *session = fetch->session;
    const char *nspace = fetch->proc.nspace;
    size_t len = strnlen(nspace, PMIX_MAX_NSLEN);
    const struct px_other_nspace *other_nspace = px_session_find_other_nspace(session, nspace, len);

    if (fetch->again || px_session_shared(session) == NULL ||
        px_session_is_named(session, nspace) ||
        (other_nspace != NULL && px_other_nspace_shared(other_nspace) != NULL)) {
        waiter->cbfunc(PMIX_ERR_NOT_FOUND, NULL, waiter->cbdata);
        waiter_free(waiter);
        return;
    }
    (void) px_other_nspace_segment_came(session, nspace);
    ask_again(session, waiter, true);
}

static void fetch_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct px_fetch *fetch = arg;
    struct px_session *session = fetch->session;
    bool fresh = false;
    bool first = true;
    bool again = false;
    bool counted;
    int rc;

    status = px_reply_status(status, reply, fd);
    if (status == PMIX_SUCCESS && !is_published(fetch)) {
        rc = store_reply(fetch, reply, &fresh);
        again = rc == PMIX_ERR_WOULD_BLOCK && !fetch->again;
        status = rc == PMIX_ERR_WOULD_BLOCK ? PMIX_ERR_NOT_FOUND : rc == 0 ? status : rc;
    }
    session->arrived = NULL; /* whether the reply was read or not */
    /* Those that have joined may have come after something newer was posted. */
    counted = px_session_change(session, fetch->proc.nspace, fetch->proc.rank) != 0;
    px_lock_take(&session->lock);
    px_list_remove(&fetch->link); /* nobody joins from here on */
    px_lock_give(&session->lock);
    while (!px_list_empty(&fetch->waiters)) {
        struct waiter *waiter =
            px_container_of(px_list_shift(&fetch->waiters), struct waiter, link);

        if (again) {
            ask_again(session, waiter, true);
        } else if (first && !serve(session, waiter, fresh, status)) {
            miss(fetch, waiter);
        } else if (first || (!counted && serve(session, waiter, fresh, PMIX_SUCCESS))) {
            waiter_free(waiter);
        } else {
            ask_again(session, waiter, false);
        }
        first = false;
    }
    free(fetch);
}

/* Joins a message under way for the same process, unless its answer may be older than a collective
 * that has ended. Session lock. */
static bool join(struct px_session *session, struct waiter *waiter)
{
    struct px_list *item;
    struct px_list *following;

    px_list_each(item, following, &session->fetches) {
        struct px_fetch *fetch = px_container_of(item, struct px_fetch, link);

        if (fetch->ended == session->ended && fetch->proc.rank == waiter->proc.rank &&
            strncmp(fetch->proc.nspace, waiter->proc.nspace, PMIX_MAX_NSLEN) == 0) {
            px_list_append(&fetch->waiters, &waiter->link);
            return true;
        }
    }
    return false;
}

static int ask_server(struct px_session *session, const struct px_get_request *request,
                      struct waiter *waiter)
{
    bool sharable = waiter->ninfo == 0 && waiter->key != NULL && !px_key_is_of_host(waiter->key) &&
                    px_session_change(session, waiter->proc.nspace, waiter->proc.rank) == 0;
    struct px_fetch *fetch;
    bool joined = false;
    int rc;

    fetch = fetch_create(session, &waiter->proc, request);
    if (fetch == NULL) {
        return PMIX_ERR_NOMEM;
    }
    px_list_append(&fetch->waiters, &waiter->link);
    if (sharable) {
        px_lock_take(&session->lock);
        px_list_remove(&waiter->link);
        joined = join(session, waiter);
        if (!joined) {
            fetch->ended = session->ended;
            px_list_append(&fetch->waiters, &waiter->link);
            px_list_append(&session->fetches, &fetch->link);
        }
        px_lock_give(&session->lock);
    }
    if (joined) {
        free(fetch);
        return 0;
    }
    rc = send_fetch(fetch);
    if (rc == 0) {
        return 0;
    }
    /* Whoever has joined in the meantime is told what we are told. */
    px_lock_take(&session->lock);
    px_list_remove(&fetch->link);
    px_list_remove(&waiter->link);
    px_lock_give(&session->lock);
    while (!px_list_empty(&fetch->waiters)) {
        struct waiter *other = px_container_of(px_list_shift(&fetch->waiters), struct waiter, link);

        other->cbfunc(rc, NULL, other->cbdata);
        waiter_free(other);
    }
    free(fetch);
    return rc;
}

/* The answer is here already; it still has to come by callback, after the return. */
static pmix_status_t answer_later(struct px_session *session, const struct px_get_request *request,
                                  int rc, pmix_value_t *value, pmix_value_cbfunc_t cbfunc,
                                  void *cbdata)
{
    bool ours = (request->flags & PX_GET_POINTER) == 0;

    if (rc != PMIX_ERR_NOT_FOUND && rc != PMIX_ERR_EXISTS_OUTSIDE_SCOPE && rc != 0) {
        return rc;
    }
    rc = px_defer_value(session->ctx->loop, rc, value, ours, cbfunc, cbdata);
    if (rc != 0 && ours && value != NULL) {
        PMIx_Value_free(value, 1);
    }
    return rc;
}

pmix_status_t px_client_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                               const pmix_info_t *info, size_t ninfo, pmix_value_cbfunc_t cbfunc,
                               void *cbdata)
{
    struct px_session *session = px_session(ctx);
    pmix_value_t *value = NULL;
    struct waiter *waiter;
    pmix_proc_t target;
    struct px_get_request request;
    int rc =
        px_get_request_read(session, proc, key != NULL ? key : PX_NO_KEY, info, ninfo, &request);

    if (rc == 0 && (request.flags & PX_GET_STATIC) != 0) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    if (rc != 0) {
        px_get_request_fini(&request);
        return rc;
    }
    if (key != NULL || (request.flags & PX_GET_REFRESH) == 0) {
        rc = px_client_get(ctx, proc, key, info, ninfo, &value);
    } else {
        rc = px_session_is_served(session) ? PMIX_ERR_WOULD_BLOCK : PMIX_ERR_NOT_FOUND;
    }
    if (rc != PMIX_ERR_WOULD_BLOCK) {
        rc = answer_later(session, &request, rc, value, cbfunc, cbdata);
        px_get_request_fini(&request);
        return rc;
    }
    PMIx_Load_procid(&target, request.nspace, request.spec.rank);
    if (key != NULL && px_key_is_dynamic(key)) {
        bool lasting = (request.flags & PX_GET_POINTER) != 0;

        px_get_request_fini(&request);
        return px_client_get_dynamic_nb(session, &target, key, lasting, cbfunc, cbdata);
    }
    waiter = waiter_create(&target, key, info, ninfo);
    rc = PMIX_ERR_NOMEM;
    if (waiter != NULL) {
        waiter->cbfunc = cbfunc;
        waiter->cbdata = cbdata;
        rc = ask_server(session, &request, waiter);
    }
    if (rc != 0 && waiter != NULL) {
        waiter_free(waiter);
    }
    px_get_request_fini(&request);
    return rc;
}
