/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fetching from the server. A get becomes a waiter in the list of a fetch, which is one GET
 * message under way. Its reply is stored in the private store and then looked up like everything
 * else, unless the value has been published in a segment meanwhile. Several gets of committed data
 * of one process share a message, since a server sends everything that it may show of a process; a
 * waiter that the shared reply does not serve asks again alone.
 *
 * A waiter is owned by its fetch while it is in the list of one (session lock until the reply, loop
 * thread from then on). Replies are handled on the loop thread. */

#include "get_fetch.h"
#include "get_words.h"

#include <stdlib.h>
#include <string.h>

#include "src/client/request.h"
#include "deletion.h"
#include "get.h"
#include "all.h"
#include "src/client/tool/primary.h"
#include "refresh.h"
#include "private_store.h"
#include "src/client/resolve.h"
#include "src/base/epoch.h"
#include "src/request/reply.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/messages.h"
#include "gds/nodes.h"
#include "gds/slice.h"

/* A get that waits for the server. That of a blocking call lives on the caller's stack, as does its
 * request; others are an owned_waiter. */
struct waiter {
    struct px_list link; /* in a fetch */
    struct px_session *session;
    const struct px_get_request *request;
    struct px_completion to; /* without `done`: a blocking call */
    pmix_value_t **value;    /* of a blocking call: where the value goes; NULL: only a refresh */
    struct px_wait wait;     /* of a blocking call */
};

/* The waiter of a non-blocking get, with its own copy of the request. Freed by waiter_free. */
struct owned_waiter {
    struct waiter waiter;
    struct px_get_request request;
};

/* A GET under way. Its first waiter's request is the one that was sent. */
struct px_fetch {
    struct px_list link;    /* in session->fetches while others may join, else alone */
    struct px_list waiters; /* session lock; not empty until the reply */
    uint64_t ended;         /* session->ended when it was sent: an older one is not joined */
    uint64_t change;        /* the number of the change that this process has, or 0 */
    bool refresh;           /* sent as REFRESH_CACHE */
    /* The previous reply announced a segment that did not arrive. This is the second attempt, by
     * messages; there is no third. */
    bool again;
};

static void fetch_reply(void *arg, int status, struct px_in *reply);

/* Frees the waiter of a non-blocking get, with its request. */
static void waiter_free(struct waiter *waiter)
{
    struct owned_waiter *owned = px_container_of(waiter, struct owned_waiter, waiter);

    px_assert(waiter->to.done != NULL && waiter->request == &owned->request);
    px_get_request_fini(&owned->request);
    free(owned);
}

/* Ends a get: hands over the value, which px_client_hand_out has made, or a status. The waiter must
 * be in no fetch; it is invalid afterwards. Loop thread, or the thread that could not send. */
static void waiter_done(struct waiter *waiter, int status, pmix_value_t *value)
{
    struct px_reply reply = {
        .status = status, .value = value, .lent = (waiter->request->flags & PX_GET_POINTER) != 0};

    px_assert(status == 0 || value == NULL);
    px_assert(waiter->link.next == &waiter->link); /* in no fetch */
    if (waiter->to.done == NULL) {
        if (value != NULL && waiter->value != NULL) {
            *waiter->value = value;
        }
        px_wait_answer(&waiter->wait, status);
        return;
    }
    waiter->to.done(&waiter->to, &reply);
    px_reply_fini(&reply);
    waiter_free(waiter);
}

/* The structure of the caller that px_client_hand_out is to fill; NULL: it makes a value. */
static pmix_value_t *waiter_place(const struct waiter *waiter)
{
    bool fills = (waiter->request->flags & PX_GET_STATIC) != 0;

    return fills && waiter->value != NULL ? *waiter->value : NULL;
}

/* The waiter whose request was sent. The fetch must still have it. */
static struct waiter *first_waiter(const struct px_fetch *fetch)
{
    px_assert(!px_list_empty(&fetch->waiters));
    return px_container_of(fetch->waiters.next, struct waiter, link);
}

/* The request that was sent. */
static const struct px_get_request *request_of(const struct px_fetch *fetch)
{
    return first_waiter(fetch)->request;
}

/* The process that a request asks about. */
static pmix_proc_t proc_of(const struct px_get_request *request)
{
    pmix_proc_t proc;

    PMIx_Load_procid(&proc, request->nspace, request->spec.rank);
    return proc;
}

/* True if the request asks for data that one process commits, not for the host's. */
static bool is_of_commits(const struct px_get_request *request)
{
    return (request->flags & PX_GET_REFRESH) == 0 && request->spec.rank <= PMIX_RANK_VALID &&
           !px_key_is_of_host(request->spec.key);
}

/* A fetch with this waiter as its first. again: px_fetch.again. NULL: no memory; the waiter is
 * unchanged. */
static struct px_fetch *fetch_create(struct waiter *waiter, bool again)
{
    const struct px_get_request *request = waiter->request;
    struct px_fetch *fetch = calloc(1, sizeof(*fetch));

    if (fetch != NULL) {
        fetch->refresh = (request->flags & PX_GET_REFRESH) != 0;
        fetch->again = again;
        if (is_of_commits(request) && (request->flags & PX_GET_ALL) == 0) {
            fetch->change = px_session_change(waiter->session, request->nspace, request->spec.rank);
        }
        px_list_init(&fetch->link);
        px_list_init(&fetch->waiters);
        px_list_append(&fetch->waiters, &waiter->link);
    }
    return fetch;
}

/* Committed data of a far process reach this node by collectives and direct modex only. */
bool px_client_is_far(const struct px_space *space, pmix_rank_t rank)
{
    const struct px_store *store = space != NULL ? px_space_job(space) : NULL;
    uint32_t node = store != NULL ? px_store_node_of(store, rank) : PX_NO_NODE;

    return node != PX_NO_NODE && node != px_store_local_node(store);
}

/* Fills an info by a shallow copy of the value. */
static void load_info(pmix_info_t *info, const char *key, pmix_value_t value)
{
    PMIx_Load_key(info->key, key);
    info->flags = 0;
    info->value = value;
}

/* Packs the request's directives, without those about the return mode. For committed data of this
 * node adds PX_KEY_CHANGE, the change that we have: our servers answer with the number of theirs,
 * or that it is the same. A get of everything of a process of this node does not wait for its first
 * commit (PMIX_IMMEDIATE). */
static void pack_directives(const struct px_fetch *fetch, struct px_msg *msg)
{
    const struct px_get_request *request = request_of(fetch);
    size_t n;
    pmix_info_t *info = px_get_directives_to_send(request, 2, &n);
    bool far;

    if (info == NULL) {
        (void) px_buf_fail(&msg->buf, PMIX_ERR_NOMEM);
        return;
    }
    px_reader_enter();
    far = px_client_is_far(px_space_named(first_waiter(fetch)->session, request->nspace),
                           request->spec.rank);
    px_reader_leave();
    if (!far && is_of_commits(request)) {
        load_info(&info[n++], PX_KEY_CHANGE,
                  (pmix_value_t){.type = PMIX_UINT64, .data.uint64 = fetch->change});
    }
    if (!far && is_of_commits(request) && (request->flags & PX_GET_ALL) != 0) {
        load_info(&info[n++], PMIX_IMMEDIATE, (pmix_value_t){.type = PMIX_BOOL, .data.flag = true});
    }
    (void) px_pack_infos(&msg->buf, msg->kind, info, n);
    free(info);
}

/* Sends GET or REFRESH_CACHE: STRING namespace, PROC_RANK, the directives, STRING key (not for
 * everything). Servers before 5.0 have no command to refresh and get a plain GET that carries the
 * directive. 0: fetch_reply is called; else it is not, and the fetch is the caller's. */
static int send_fetch(struct px_fetch *fetch)
{
    const struct px_get_request *request = request_of(fetch);
    struct px_session *session = first_waiter(fetch)->session;
    struct px_link_server *server = px_session_server(session);
    uint64_t patience = request->timeout_ms > 0 ? request->timeout_ms + 250 : 0;
    struct px_msg msg;
    int rc;

    px_get_request_asks(request);
    fetch->refresh = fetch->refresh && server != NULL && px_server_at_least(server, 5, 0, 0);
    rc = px_msg_start(session, fetch->refresh ? PX_CMD_REFRESH_CACHE : PX_CMD_GET, &msg);
    if (rc != 0) {
        return rc;
    }
    (void) px_pack_string(&msg.buf, msg.kind, request->nspace);
    (void) px_pack_rank(&msg.buf, msg.kind, request->spec.rank);
    pack_directives(fetch, &msg);
    if ((request->flags & PX_GET_ALL) == 0) {
        (void) px_pack_string(&msg.buf, msg.kind, request->spec.key);
    }
    return px_msg_send(&msg, patience, fetch_reply, fetch);
}

/* True if a refresh failed and the value found here is one that it should have renewed: not our
 * own, and not from PMIx_Store_internal. Then the get fails with the status of the refresh. */
static bool is_outdated(const struct px_session *session, const struct px_get_request *request,
                        const struct px_slice *slice, int status)
{
    bool own = request->space == &session->own && request->spec.rank == session->ctx->self.rank;

    return status != PMIX_SUCCESS && (request->flags & PX_GET_REFRESH) != 0 && !own &&
           slice->scope != PMIX_INTERNAL;
}

/* The end of a get of everything: what is here by now. Of a refresh without a key: the status of
 * the reply. */
static int find_all(const struct waiter *waiter, int status, pmix_value_t **value)
{
    bool refreshes = (waiter->request->flags & PX_GET_REFRESH) != 0;

    return !refreshes && (status == PMIX_SUCCESS || status == PMIX_ERR_NOT_FOUND)
               ? px_client_get_all(waiter->session, waiter->request, value)
               : status;
}

/* The server has refused a value because of its scope: a get that may not ask a server then says
 * the same. Without memory for the mark it says that there is nothing. */
static void note_hidden(struct px_session *session, const struct px_get_request *request)
{
    const struct px_space *space = px_space_named(session, request->nspace);
    bool segment = space != NULL && px_space_segment(space) != NULL;
    pmix_proc_t owner = proc_of(request);

    if (is_of_commits(request) && (request->flags & (PX_GET_MORE | PX_GET_ALL)) == 0 && !segment &&
        request->spec.realm == PX_REALM_NONE && !px_proc_equal(&owner, &session->ctx->self)) {
        (void) px_session_store_mark(session, &owner, request->spec.key);
    }
}

/* Hands out the value of the key from the stores, or returns a final status. found: the value if it
 * was looked up already, or NULL. status: of the reply. PMIX_ERR_NOT_FOUND: the value is not here.
 */
static int find_key(const struct waiter *waiter, const struct px_slice *found, bool fresh,
                    int status, pmix_value_t **value)
{
    const struct px_get_request *request = waiter->request;
    struct px_slice slice;
    int rc = 0;

    if (status == PMIX_ERR_EXISTS_OUTSIDE_SCOPE) {
        note_hidden(waiter->session, request);
        return status; /* the server knows scopes; we may not */
    }
    if (status == PMIX_ERR_NOT_FOUND) {
        px_client_note_gone(waiter->session, request);
    }
    if (found == NULL) {
        rc = px_client_find(waiter->session, request, fresh, &slice);
        found = &slice;
    }
    if (rc == PMIX_ERR_NOT_FOUND) {
        return px_client_get_builtin(waiter->session, request, value);
    }
    if (rc == 0 && is_outdated(waiter->session, request, found, status)) {
        return status;
    }
    return rc == 0 ? px_client_hand_out(waiter->session, request, found, value) : rc;
}

/* Ends the waiter with what is here after the reply. False, with the waiter unchanged: the server
 * sent success, but this process has no such value. */
static bool serve(struct waiter *waiter, const struct px_slice *found, bool fresh, int status)
{
    pmix_value_t *value = waiter_place(waiter);
    int rc;

    if ((waiter->request->flags & PX_GET_ALL) != 0) {
        rc = find_all(waiter, status, &value);
    } else {
        rc = find_key(waiter, found, fresh, status, &value);
        if (rc == PMIX_ERR_NOT_FOUND && status == PMIX_SUCCESS) {
            return false;
        }
        rc = rc == PMIX_ERR_NOT_FOUND ? status : rc;
    }
    waiter_done(waiter, rc, rc == 0 ? value : NULL);
    return true;
}

/* Sends a message for one waiter alone, which a shared reply did not serve. told: as
 * px_fetch.again, the previous reply announced a segment that cannot be read here. If sending
 * fails, the waiter ends. */
static void ask_again(struct waiter *waiter, bool told)
{
    struct px_fetch *fetch = fetch_create(waiter, told);
    int rc = fetch != NULL ? send_fetch(fetch) : PMIX_ERR_NOMEM;

    if (rc != 0) {
        px_list_remove(&waiter->link);
        waiter_done(waiter, rc, NULL);
        free(fetch);
    }
}

/* The key whose value is wanted; NULL: all keys. */
static const char *key_of(const struct px_get_request *request)
{
    return (request->flags & PX_GET_ALL) == 0 ? request->spec.key : NULL;
}

/* Stores the reply to a refresh, KVAL... of the process or of its job. An error: the reply has
 * another form. */
static int store_refreshed(struct px_session *session, const struct px_get_request *request,
                           struct px_in *reply)
{
    pmix_proc_t proc = proc_of(request);

    return proc.rank == PMIX_RANK_WILDCARD
               ? px_session_store_job(session, proc.nspace, reply)
               : px_session_store_kvals(session, &proc, reply, key_of(request));
}

/* Stores the reply to a fetch in the private store. After the reply to a refresh is stored, the
 * segment of an earlier job of that name is dropped: a reader finds one or the other. *ret_fresh:
 * it has data. 0, PMIX_ERR_WOULD_BLOCK (it announces a segment that did not arrive), PMIX_ERR_NOMEM
 * or an error of unpacking. */
static int store_reply(const struct px_fetch *fetch, struct px_in *reply, bool *ret_fresh)
{
    const struct px_get_request *request = request_of(fetch);
    struct px_session *session = first_waiter(fetch)->session;
    bool refreshes = fetch->refresh && px_in_left(reply) > 0;
    struct px_in start = *reply;
    int rc = 0;

    *ret_fresh = px_in_left(reply) > 0;
    if (!refreshes || store_refreshed(session, request, reply) != 0) {
        *reply = start; /* some servers answer a refresh as they answer a get */
        while (px_in_left(reply) > 0 && rc == 0) {
            rc = px_session_store_blob(session, reply, refreshes ? key_of(request) : NULL);
        }
    }
    if (refreshes) {
        px_session_refreshed(session, request->nspace);
    }
    return rc;
}

/* True if the segment has the value by now, with *ret. Then nothing of the reply is stored. */
static bool is_published(const struct px_fetch *fetch, struct px_slice *ret)
{
    const struct px_get_request *request = request_of(fetch);

    return !fetch->refresh && (request->flags & PX_GET_ALL) == 0 &&
           px_client_find_published(first_waiter(fetch)->session, request, ret);
}

/* Ends a waiter whose value the server has and we have not. One cause can be repaired: the server
 * believes that we read that namespace's segment, whose descriptor was lost. Then the server is
 * told, and asked once more. */
static void miss(struct waiter *waiter, bool again)
{
    struct px_session *session = waiter->session;
    const struct px_get_request *request = waiter->request;
    const struct px_space *space = px_space_named(session, request->nspace);

    if (again || !px_session_gets_segments(session) ||
        (space != NULL && px_space_segment(space) != NULL)) {
        waiter_done(waiter, PMIX_ERR_NOT_FOUND, NULL);
        return;
    }
    (void) px_session_segment_came(session, request->nspace);
    ask_again(waiter, true);
}

/* Serves a waiter that joined another one's message. The reply may be older than its get, if
 * something was committed in between. For a process of this node, whose data carry a change number,
 * it therefore asks again. */
static void serve_joined(struct waiter *waiter, bool fresh)
{
    const struct px_get_request *request = waiter->request;

    if (px_session_change(waiter->session, request->nspace, request->spec.rank) != 0 ||
        !serve(waiter, NULL, fresh, PMIX_SUCCESS)) {
        ask_again(waiter, false);
    }
}

/* Takes the next waiter off the fetch; NULL: none is left. */
static struct waiter *next_waiter(struct px_fetch *fetch)
{
    struct px_list *item = px_list_shift(&fetch->waiters);

    return item != NULL ? px_container_of(item, struct waiter, link) : NULL;
}

/* The reply to a fetch: stores it, then serves or restarts each waiter, and frees the fetch. The
 * first waiter's status is that of the reply. Loop thread. */
static void fetch_reply(void *arg, int status, struct px_in *reply)
{
    struct px_fetch *fetch = arg;
    struct waiter *waiter = first_waiter(fetch);
    struct px_session *session = waiter->session;
    struct px_slice slice;
    bool fresh = false;
    bool again = false;
    bool first = true;
    bool heard = px_session_is_heard(session); /* else another server is asked again */
    bool found;

    px_assert(px_loop_inside(session->ctx->loop));
    status = px_reply_status(status, reply);
    px_get_request_answered(waiter->request, status);
    found = status == PMIX_SUCCESS && heard && is_published(fetch, &slice);
    if (status == PMIX_SUCCESS && !found) {
        status = heard ? store_reply(fetch, reply, &fresh) : PMIX_ERR_WOULD_BLOCK;
        again = status == PMIX_ERR_WOULD_BLOCK && !fetch->again;
        status = status == PMIX_ERR_WOULD_BLOCK ? PMIX_ERR_NOT_FOUND : status;
    }
    session->arrived = NULL; /* whether the reply was read or not */
    px_lock_take(&session->lock);
    px_list_remove(&fetch->link); /* no other waiter can join now */
    px_lock_give(&session->lock);
    for (waiter = next_waiter(fetch); waiter != NULL; waiter = next_waiter(fetch)) {
        if (again) {
            ask_again(waiter, true);
        } else if (!first) {
            serve_joined(waiter, fresh);
        } else if (!serve(waiter, found ? &slice : NULL, fresh, status)) {
            miss(waiter, fetch->again);
        }
        first = false;
    }
    free(fetch);
}

/* True if the waiter of `fetch` has moved to a message under way for the same process; the fetch is
 * empty then. False: the fetch is entered in the list, and others may join it. A message is not
 * joined if a collective has ended since it was sent: its answer may be older. Session lock. */
static bool join_locked(struct px_fetch *fetch)
{
    const struct px_get_request *request = request_of(fetch);
    struct waiter *waiter = first_waiter(fetch);
    struct px_session *session = waiter->session;

    px_assert(px_lock_held(&session->lock));
    px_list_for(struct px_fetch, under_way, &session->fetches, link) {
        const struct px_get_request *asked = request_of(under_way);

        if (under_way->ended == session->ended && asked->spec.rank == request->spec.rank &&
            strncmp(asked->nspace, request->nspace, PMIX_MAX_NSLEN) == 0) {
            px_list_remove(&waiter->link);
            px_list_append(&under_way->waiters, &waiter->link);
            return true;
        }
    }
    fetch->ended = session->ended;
    px_list_append(&session->fetches, &fetch->link);
    return false;
}

/* True if the reply to this request serves any other request without directives for the process. */
static bool is_sharable(const struct px_fetch *fetch)
{
    const struct px_get_request *request = request_of(fetch);

    return request->ninfo == 0 && (request->flags & PX_GET_ALL) == 0 &&
           !px_key_is_of_host(request->spec.key) && fetch->change == 0;
}

/* Sends a message for the waiter, or lets it join one. 0: the waiter belongs to the fetch. An
 * error: the waiter is the caller's again; waiters that had joined end with the same status. */
static int ask_server(struct waiter *waiter)
{
    struct px_session *session = waiter->session;
    struct px_fetch *fetch = fetch_create(waiter, false);
    struct waiter *other;
    bool joined = false;
    int rc;

    if (fetch == NULL) {
        return PMIX_ERR_NOMEM;
    }
    if (is_sharable(fetch)) {
        px_lock_take(&session->lock);
        joined = join_locked(fetch);
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
    /* Waiters that have joined in the meantime get the same status. */
    px_lock_take(&session->lock);
    px_list_remove(&fetch->link);
    px_list_remove(&waiter->link);
    px_lock_give(&session->lock);
    for (other = next_waiter(fetch); other != NULL; other = next_waiter(fetch)) {
        waiter_done(other, rc, NULL);
    }
    free(fetch);
    return rc;
}

/* --- values in no store --- */

/* Ends a waiter with the value of a dynamic key, which is borrowed for the callback. Loop thread.
 */
static void dynamic_reply(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    struct waiter *waiter = cbdata;
    pmix_value_t *given = waiter_place(waiter);

    if (status == PMIX_SUCCESS) {
        status = px_client_hand_out_value(waiter->session, waiter->request, value, false, &given);
    }
    waiter_done(waiter, status, status == PMIX_SUCCESS ? given : NULL);
}

/* Starts the request of a waiter: a dynamic key by a request of its own, everything else by a
 * fetch. 0: the waiter will be ended on the loop thread; else it is the caller's. */
static int ask(struct waiter *waiter)
{
    const struct px_get_request *request = waiter->request;
    pmix_proc_t proc;

    px_list_init(&waiter->link);
    if ((request->flags & PX_GET_ALL) != 0 || !px_key_is_dynamic(request->spec.key)) {
        return ask_server(waiter);
    }
    proc = proc_of(request);
    return px_client_get_dynamic_nb(waiter->session, &proc, request->spec.key, request->timeout_ms,
                                    dynamic_reply, waiter);
}

/* --- */

int px_client_fetch(struct px_session *session, struct px_get_request *request,
                    pmix_value_t **value)
{
    struct waiter waiter = {.session = session, .request = request, .value = value};
    int rc = px_ctx_may_block(session->ctx);

    if (rc != 0) {
        return rc;
    }
    px_wait_init(&waiter.wait);
    rc = ask(&waiter);
    return px_ctx_await(session->ctx, &waiter.wait, rc);
}

int px_client_fetch_nb(struct px_session *session, const struct px_get_request *request,
                       const struct px_completion *to)
{
    struct owned_waiter *owned = calloc(1, sizeof(*owned));
    int rc = owned != NULL ? px_get_request_copy(request, &owned->request) : PMIX_ERR_NOMEM;

    if (rc != 0) {
        free(owned);
        return rc;
    }
    owned->waiter.session = session;
    owned->waiter.request = &owned->request;
    owned->waiter.to = *to;
    rc = ask(&owned->waiter);
    if (rc != 0) {
        waiter_free(&owned->waiter);
    }
    return rc;
}
