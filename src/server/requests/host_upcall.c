/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Upcalls. The host may answer within the upcall, later, from any thread, after
 * PMIx_server_finalize, or twice. So it is given a number, not an address: `open_upcalls` has the
 * upcalls that the host has not answered, under numbers that are never used again. Whoever takes an
 * upcall out of the table ends it; a callback that does not find its number does nothing. The table
 * belongs to the process, since a host may call back when no server exists any more.
 *
 * Answers are copied in the thread of the callback, so that the host's memory is not read later.
 * The host's release function is called on the loop thread after the answer was processed: a
 * host may hold a lock around its callback that the release function takes, too (Slurm does). */

#include "host_upcall.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/epoch.h"
#include "src/base/log.h"
#include "src/base/probe.h"
#include "src/base/lock.h"
#include "src/base/map.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/events/audience.h"
#include "src/server/requests/server_query.h"
#include "src/value/directives.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/step.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/value/nested.h"
#include "src/event/shared_infos.h"
#include "src/request/reply.h"

static struct px_lock lock = PX_LOCK_INIT;
static struct px_map open_upcalls; /* lock: handle -> struct px_upcall */
static uintptr_t last_handle;      /* lock */

/* --- infos --- */

/* A requester's own claim about its ids is dropped first: the host trusts these directives. */
int px_requester_identify(const struct px_server *s, const struct px_peer *peer,
                          pmix_info_t **infos, size_t *ninfo)
{
    uint32_t user = peer ? peer->uid : s->uid;
    gid_t gid = peer ? peer->gid : s->gid;
    uint32_t group = gid;
    int rc;

    px_infos_drop(*infos, ninfo, PMIX_USERID);
    px_infos_drop(*infos, ninfo, PMIX_GRPID);
    rc = px_infos_append(infos, ninfo, PMIX_USERID, &user, PMIX_UINT32);
    if (rc || gid == (gid_t) -1) {
        return rc;
    }
    return px_infos_append(infos, ninfo, PMIX_GRPID, &group, PMIX_UINT32);
}

/* --- the table of those that are open --- */

/* Enters an upcall under a new handle. 0 or PMIX_ERR_NOMEM. */
static int open_upcall(struct px_upcall *up)
{
    int rc;

    px_lock_take(&lock);
    up->handle = ++last_handle;
    rc = px_map_set(&open_upcalls, &up->handle, sizeof(up->handle), up);
    px_lock_give(&lock);
    return rc;
}

/* Takes the upcall of the handle out of the table; NULL: it is not there. The table of an idle
 * process takes no memory, so that nothing is lost when the library is unloaded. */
static struct px_upcall *close_locked(uintptr_t handle)
{
    struct px_upcall *up = px_map_remove(&open_upcalls, &handle, sizeof(handle));

    px_assert(px_lock_held(&lock));
    if (up && !open_upcalls.used && up->abandoned) {
        px_map_fini(&open_upcalls);
    }
    return up;
}

/* True if the upcall was open: then the caller ends it. */
static bool close_upcall(const struct px_upcall *up)
{
    bool was_open;

    px_lock_take(&lock);
    was_open = close_locked(up->handle) != NULL;
    px_lock_give(&lock);
    return was_open;
}

/* --- life --- */

void *px_upcall_handle(const struct px_upcall *up)
{
    return (void *) up->handle;
}

/* The reply target is copied: the requester may be gone when the host answers. */
struct px_upcall *px_upcall_create(struct px_server *s, const struct px_reply_to *reply_to,
                                   const pmix_proc_t *proc, px_upcall_fn done)
{
    struct px_upcall *up = calloc(1, sizeof(*up));

    if (up) {
        px_list_init(&up->link);
        up->server = s;
        up->reply_to = reply_to ? *reply_to : (struct px_reply_to){0};
        up->proc = proc ? *proc : s->self;
        up->done = done;
    }
    if (up && open_upcall(up)) {
        free(up);
        up = NULL;
    }
    return up;
}

/* The size of the arguments is that of the request's structure; they begin with a struct
 * px_args. */
struct px_upcall *px_upcall_create_for(struct px_server *s, const struct px_request *request,
                                       const struct px_reply_to *reply_to, const pmix_proc_t *proc,
                                       px_upcall_fn done)
{
    struct px_upcall *up = px_upcall_create(s, reply_to, proc, done);

    if (up) {
        up->request = request;
        up->args = calloc(1, request->size);
        if (!up->args) {
            px_upcall_destroy(up);
            return NULL;
        }
    }
    return up;
}

void px_upcall_name(struct px_upcall *up, struct px_shared_procs *procs)
{
    px_shared_procs_drop(up->procs);
    up->procs = px_shared_procs_hold(procs);
}

/* Also the end of an abandoned upcall, in the host's thread: nothing of the server is used here.
 * The list entry was removed before, so the removal does nothing. */
void px_upcall_destroy(struct px_upcall *up)
{
    if (!up) {
        return;
    }
    (void) close_upcall(up); /* if the host was never asked */
    px_list_remove(&up->link);
    if (up->args) {
        px_args_fini(up->request, up->args);
        free(up->args);
    }
    px_shared_procs_drop(up->procs);
    PMIx_Info_free(up->info, up->ninfo);
    px_shared_infos_drop(up->shared);
    px_named_free(up->named);
    px_query_work_free(up->query);
    free(up->text);
    free(up->codes);
    px_reply_fini(&up->reply);
    if (up->release) {
        up->release(up->release_data);
    }
    free(up);
}

/* Ends an upcall whose reply is complete: takes it off the server's list, calls `done`, frees
 * it. Loop thread. */
static void upcall_end(struct px_upcall *up)
{
    px_list_remove(&up->link);
    px_timer_stop_loop(&up->timer);
    px_open_waits_close(up->server, &up->wait);
    PX_PROBE(host_answer, up->arg, up->reply.status);
    up->done(up);
    px_upcall_destroy(up);
}

/* Does the next part of the answer; true: there is more. */
static bool do_part(struct px_upcall *up)
{
    const struct px_service *service = up->request ? px_service_of(up->request->command) : NULL;

    return service && service->part && service->part(up);
}

static void on_part(struct px_timer *timer);

/* The first upcall that has parts left does the next one in the next turn. */
static void await_part(struct px_server *s)
{
    struct px_upcall *first = px_container_of(s->answered_upcalls.next, struct px_upcall, link);

    if (!px_list_empty(&s->answered_upcalls) && !first->timer.loop) {
        px_timer_start_loop(s->loop, &first->timer, 0, on_part);
    }
}

/* Of all upcalls together one part is done in a turn, each in its turn. */
static void on_part(struct px_timer *timer)
{
    struct px_upcall *up = px_container_of(timer, struct px_upcall, timer);
    struct px_server *s = up->server;

    px_assert(s->answered_upcalls.next == &up->link);
    px_list_remove(&up->link);
    if (do_part(up)) {
        px_list_append(&s->answered_upcalls, &up->link);
    } else {
        upcall_end(up);
    }
    await_part(s);
}

/* Ends an upcall that the host has answered, or does the first part of what that takes. While the
 * server stops, all parts are done at once. */
static void upcall_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    bool more;

    px_assert(px_loop_inside(s->loop));
    do {
        more = do_part(up);
    } while (more && s->stopping);
    if (!more) {
        upcall_end(up);
        return;
    }
    px_list_remove(&up->link);
    px_timer_stop_loop(&up->timer);
    px_list_append(&s->answered_upcalls, &up->link);
    await_part(s);
}

/* The task that post_answer posts. */
static void run_answer(struct px_task *task)
{
    upcall_answered(px_container_of(task, struct px_upcall, task));
}

/* The turn of the loop after the one in which the host's function has returned the answer. */
static void on_next_turn(struct px_timer *timer)
{
    upcall_end(px_container_of(timer, struct px_upcall, timer));
}

/* The loop thread is in this function, so an answer that another thread has posted runs later
 * and finds the upcall on the list. */
void px_upcall_returned(struct px_upcall *up, pmix_status_t rc)
{
    /* If the host called back and then returned an error, its callback is the answer. */
    if (rc == PMIX_SUCCESS || !close_upcall(up)) {
        px_list_append(&up->server->upcalls, &up->link);
        px_open_waits_upcall(up);
        return;
    }
    up->reply.status = rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
    if (!up->procs || up->procs->n <= PX_MANY_PROCS) {
        upcall_answered(up);
    } else { /* listed, so that the server's end waits for it */
        px_list_append(&up->server->upcalls, &up->link);
        px_timer_start_loop(up->server->loop, &up->timer, 0, on_next_turn);
    }
}

/* Ends one upcall with that status if the host has not answered it. It stays in the table, because
 * the host may still read the arguments: the host's answer frees it, unless that comes during
 * `done`. False: an answer is on its way to the loop thread. */
static bool abandon(struct px_upcall *up, pmix_status_t status)
{
    bool is_open;

    px_lock_take(&lock);
    is_open = px_map_find(&open_upcalls, &up->handle, sizeof(up->handle)) != NULL;
    up->abandoned = is_open;
    px_lock_give(&lock);
    if (!is_open) {
        return false;
    }
    px_list_remove(&up->link);
    px_timer_stop_loop(&up->timer);
    px_open_waits_close(up->server, &up->wait);
    up->reply.status = status;
    up->done(up);
    px_lock_take(&lock);
    is_open = px_map_find(&open_upcalls, &up->handle, sizeof(up->handle)) != NULL;
    up->ended = is_open;
    px_lock_give(&lock);
    if (!is_open) {
        px_upcall_destroy(up);
    }
    return true;
}

/* The host's answer, if it is on its way, ends the upcall. */
static void expire(struct px_timer *timer)
{
    (void) abandon(px_container_of(timer, struct px_upcall, timer), PMIX_ERR_TIMEOUT);
}

void px_upcall_limit(struct px_upcall *up, uint64_t ms)
{
    px_assert(px_loop_inside(up->server->loop));
    px_timer_start_loop(up->server->loop, &up->timer, ms, expire);
}

/* Ends those of which parts are left. */
static void end_answered(struct px_server *s)
{
    struct px_list *item;

    while ((item = px_list_shift(&s->answered_upcalls))) {
        struct px_upcall *up = px_container_of(item, struct px_upcall, link);

        up->reply.status = PMIX_ERR_LOST_CONNECTION;
        upcall_end(up);
    }
}

/* `done` may start or end other upcalls, so the walk begins anew after each. */
void px_upcalls_abandon(struct px_server *s)
{
    struct px_list *item;
    size_t n_open;

    px_assert(px_loop_inside(s->loop) && s->stopping);
    end_answered(s);
    item = s->upcalls.next;
    while (item != &s->upcalls) {
        struct px_list *next = item->next;

        struct px_upcall *up = px_container_of(item, struct px_upcall, link);

        item = abandon(up, PMIX_ERR_LOST_CONNECTION) ? s->upcalls.next : next;
    }
    px_lock_take(&lock);
    n_open = open_upcalls.used;
    if (n_open == 0) {
        px_map_fini(&open_upcalls);
    }
    px_lock_give(&lock);
    if (n_open > 0) {
        px_log(PX_LOG_SERVER, 1,
               "%zu upcalls have no answer of the host: each is kept until it comes", n_open);
    }
}

/* px_upcalls_abandon leaves only answered upcalls on the list. */
bool px_upcalls_answered_late(const struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    return !px_list_empty(&s->upcalls);
}

/* The upcall that a callback of the host answers, with the status in its reply: the caller fills in
 * the rest and calls post_answer. NULL: there is none, because the host has answered it before or
 * the server has ended it. Until post_answer or the return of NULL a finalize waits. */
static struct px_upcall *begin_answer(void *cbdata, pmix_status_t status)
{
    struct px_upcall *up;
    bool abandoned;
    bool ended;

    px_call_begin();
    px_lock_take(&lock);
    up = close_locked((uintptr_t) cbdata);
    abandoned = up && up->abandoned;
    ended = up && up->ended;
    px_lock_give(&lock);
    if (up && !abandoned) {
        up->reply.status = status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status;
        return up;
    }
    if (ended) {
        px_upcall_destroy(up); /* otherwise the loop thread is in `done`, and frees it */
    }
    px_call_end();
    return NULL;
}

/* Passes the filled reply to the loop thread, which may free the upcall at once. */
static void post_answer(struct px_upcall *up)
{
    up->task.run = run_answer;
    px_loop_post(up->server->loop, &up->task);
    px_call_end();
}

/* As post_answer, for data that the host gets back by `release`: with the upcall, or at once if up
 * is NULL, since nothing was taken. */
static void post_held(struct px_upcall *up, pmix_release_cbfunc_t release, void *release_data)
{
    if (up) {
        up->release = release;
        up->release_data = release_data;
        post_answer(up);
    } else if (release) {
        release(release_data);
    }
}

/* --- what is required --- */

/* A peer that has disconnected in the meantime counts as none. */
unsigned px_upcall_levels(const struct px_upcall *up)
{
    const struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);

    if (!peer) {
        return PX_ATTR_SERVER;
    }
    return PX_ATTR_SERVER | (peer->tool ? PX_ATTR_TOOL : PX_ATTR_CLIENT);
}

/* --- what the host calls --- */

/* A status without data. */
void px_hostcb_op(pmix_status_t status, void *cbdata)
{
    struct px_upcall *up = begin_answer(cbdata, status);

    if (up) {
        post_answer(up);
    }
}

/* Copies the host's bytes into the reply, or sets its status to PMIX_ERR_NOMEM. */
static void take_bytes(struct px_upcall *up, const char *bytes, size_t n)
{
    if (!bytes || !n) {
        return;
    }
    up->reply.bytes.bytes = malloc(n);
    if (up->reply.bytes.bytes) {
        memcpy(up->reply.bytes.bytes, bytes, n);
        up->reply.bytes.size = n;
    } else {
        up->reply.status = PMIX_ERR_NOMEM;
    }
}

/* Data of a fence or a direct modex. If they are not the answer, they are released here. They can
 * be many, and are read once: a host that waits for their release keeps them. */
void px_hostcb_modex(pmix_status_t status, const char *data, size_t ndata, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data)
{
    struct px_upcall *up = begin_answer(cbdata, status);

    if (up && release) {
        up->data =
            (pmix_byte_object_t){.bytes = (char *) (uintptr_t) data, .size = data ? ndata : 0};
    } else if (up) {
        take_bytes(up, data, ndata);
        up->data = up->reply.bytes;
    }
    post_held(up, release, release_data);
}

/* The published values that were found; values without a type stay empty. */
void px_hostcb_lookup(pmix_status_t status, pmix_pdata_t data[], size_t ndata, void *cbdata)
{
    struct px_upcall *up = begin_answer(cbdata, status);

    if (!up) {
        return;
    }
    up->reply.data = ndata && data ? PMIx_Pdata_create(ndata) : NULL;
    for (size_t i = 0; up->reply.data && i < ndata; i++) {
        up->reply.data[i].proc = data[i].proc;
        memcpy(up->reply.data[i].key, data[i].key, sizeof(data[i].key));
        if (data[i].value.type != PMIX_UNDEF &&
            px_value_keep(&up->reply.data[i].value, &data[i].value)) {
            up->reply.status = PMIX_ERR_NOMEM;
        }
    }
    up->reply.ndata = up->reply.data ? ndata : 0;
    if (ndata && data && !up->reply.data) {
        up->reply.status = PMIX_ERR_NOMEM;
    }
    post_answer(up);
}

/* The new namespace, as a process of wildcard rank in the reply. */
void px_hostcb_spawn(pmix_status_t status, char nspace[], void *cbdata)
{
    struct px_upcall *up = begin_answer(cbdata, status);

    if (up) {
        PMIX_LOAD_PROCID(&up->reply.proc, nspace ? nspace : "", PMIX_RANK_WILDCARD);
        post_answer(up);
    }
}

/* Copies the host's infos into the reply, or sets its status to the error. */
static void take_infos(struct px_upcall *up, const pmix_info_t *info, size_t ninfo)
{
    int rc = px_infos_copy(info, ninfo, &up->reply.info);

    if (rc) {
        up->reply.status = rc;
    } else {
        up->reply.ninfo = up->reply.info ? ninfo : 0;
    }
}

/* Infos of queries, allocations, job control, monitoring, groups and so on. */
void px_hostcb_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data)
{
    struct px_upcall *up = begin_answer(cbdata, status);

    if (up) {
        take_infos(up, info, ninfo);
    }
    post_held(up, release, release_data);
}

/* The name of a tool that has connected; without one the reply's process stays empty. */
void px_hostcb_tool(pmix_status_t status, pmix_proc_t *proc, void *cbdata)
{
    struct px_upcall *up = begin_answer(cbdata, status);

    if (up) {
        if (proc) {
            up->reply.proc = *proc;
        }
        post_answer(up);
    }
}

/* A credential, and infos about it. */
void px_hostcb_credential(pmix_status_t status, pmix_byte_object_t *credential, pmix_info_t info[],
                          size_t ninfo, void *cbdata)
{
    struct px_upcall *up = begin_answer(cbdata, status);

    if (!up) {
        return;
    }
    if (credential) {
        take_bytes(up, credential->bytes, credential->size);
    }
    take_infos(up, info, ninfo);
    post_answer(up);
}

/* Infos about a credential that was checked. */
void px_hostcb_validation(pmix_status_t status, pmix_info_t info[], size_t ninfo, void *cbdata)
{
    struct px_upcall *up = begin_answer(cbdata, status);

    if (up) {
        take_infos(up, info, ninfo);
        post_answer(up);
    }
}

/* --- endings --- */

void px_done_status(struct px_upcall *up)
{
    px_answer_status(up->server, &up->reply_to, up->reply.status);
}

/* The completion or the packing uses up->reply, which is freed with the upcall. */
void px_upcall_answer(struct px_upcall *up)
{
    px_answer(up->server, &up->reply_to, up->request->reply, &up->reply);
}
