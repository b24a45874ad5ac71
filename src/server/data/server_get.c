/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests for data. A request is answered at once from the stores if the data is here. Otherwise:
 * - This process asks, in a call that blocks: PMIX_ERR_NOT_FOUND.
 * - The namespace is unknown: the host is asked for its job information.
 * - Only clients of the namespace are registered: the request waits for the namespace's
 *   registration.
 * - The key is job information of a registered namespace: PMIX_ERR_NOT_FOUND.
 * - The process is on another node: the host is asked for the process's data (direct modex).
 * - The process is local: the request waits for its commit; after a commit without the key it waits
 *   for another one, for a limited time (docs/decisions/0009-missing-keys.md).
 * - The local process has ended: PMIX_ERR_NOT_FOUND.
 *
 * Waiting ends with PMIX_TIMEOUT, or with an event that may change the answer: each such event
 * calls a px_gets_... function. Loop thread. */

#include "get.h"
#include "server_get.h"

#include <stdlib.h>
#include <string.h>

#include "src/server/collectives/open_waits.h"
#include "src/base/bytes.h"
#include "src/base/param.h"
#include "src/value/directives.h"
#include "answer.h"
#include "collected.h"
#include "gathering.h"
#include "get_answer.h"
#include "large_answer.h"
#include "modex.h"
#include "nspace.h"
#include "waiting_gets.h"
#include "src/server/peers/access.h"
#include "src/server/peers/peer.h"
#include "src/server/tools/tool_data.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/value/keys.h"

/* --- those that wait --- */

void px_gets_init(struct px_server *s)
{
    px_waiting_gets_init(s);
    px_list_init(&s->large_gets);
    px_list_init(&s->ended_gets);
    px_list_init(&s->ended_modexes);
}

struct px_nspace *px_get_nspace(const struct px_get *get)
{
    return px_tool_data_or_job(get->server, &get->target);
}

/* Also for a get that is in no list and has no timer running. */
void px_get_destroy(struct px_get *get)
{
    px_list_remove(&get->link);
    px_list_remove(&get->of_peer);
    px_list_remove(&get->of_modex);
    px_timer_stop_loop(&get->timer);
    px_open_waits_close(get->server, &get->wait);
    PMIx_Info_free(get->info, get->ninfo);
    px_gathering_free(get->gathering);
    px_large_answer_free(get->large);
    free(get->key);
    free(get);
}

/* True if this process made the call and blocks in it. The blocked thread may be the one in which
 * the host would answer. Therefore such a get does not ask the host and does not wait
 * (docs/decisions/0046-blocking-gets-of-servers.md). */
static bool is_blocking(const struct px_get *get)
{
    return get->value != NULL;
}

/* The task of a get of this process that has failed. */
static void run_failure(struct px_task *task)
{
    struct px_get *get = px_container_of(task, struct px_get, task);
    struct px_completion self = get->reply_to.self;
    struct px_reply reply = {.status = get->status};

    px_get_destroy(get);
    self.done(&self, &reply);
}

/* Answers a get with a status other than success, and frees it. A callback of this process runs in
 * a task of its own, because it may take away what the caller is at: it may deregister the process
 * or the namespace. A thread of this process that waits is woken at once. */
static void get_end(struct px_get *get, int status)
{
    struct px_server *s = get->server;
    struct px_reply_to reply_to = get->reply_to;

    px_assert(reply_to.peer || reply_to.self.done);
    get->status = status;
    get->task.run = run_failure;
    if (reply_to.peer) {
        px_get_destroy(get);
        px_answer_status(s, &reply_to, status);
    } else if (is_blocking(get)) {
        run_failure(&get->task);
    } else {
        px_list_remove(&get->link);
        px_list_remove(&get->of_modex);
        px_timer_stop_loop(&get->timer);
        px_open_waits_close(s, &get->wait);
        px_loop_post(s->loop, &get->task);
    }
}

/* Answers each get of the list in the same way; answers may end or begin others. */
static void end_all(struct px_list *list, int status)
{
    while (!px_list_empty(list)) {
        get_end(px_container_of(list->next, struct px_get, link), status);
    }
}

/* The time limit has passed. The requester's own limit ends with PMIX_ERR_TIMEOUT, the implicit one
 * of a missing key with PMIX_ERR_NOT_FOUND: then the answer is that the process has not put the
 * key. */
static void on_timer(struct px_timer *timer)
{
    struct px_get *get = px_container_of(timer, struct px_get, timer);

    get_end(get, get->implicit ? PMIX_ERR_NOT_FOUND : PMIX_ERR_TIMEOUT);
}

/* The requester's limit in milliseconds; 0: none given, or no limit. */
static uint64_t timeout_of(const struct px_get *get)
{
    uint32_t seconds = get->directives.timeout;

    return seconds != PX_NOT_GIVEN ? (uint64_t) seconds * 1000 : 0;
}

/* True if the get can wait. Otherwise the server stops, and the get has been answered and freed. */
static bool may_wait(struct px_get *get)
{
    bool stopping = get->server->stopping;

    px_assert(px_list_empty(&get->link) && !is_blocking(get));
    if (stopping) {
        get_end(get, PMIX_ERR_LOST_CONNECTION);
    }
    return !stopping;
}

/* Lets the get wait for an event of this node. implicit_limit: if the requester gave no limit, the
 * one for missing keys holds (parameter PX_P_MISSING_KEY_WAIT). The get may have ended when this
 * returns. */
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
    px_waiting_gets_add(get);
    px_open_waits_get(get, false);
    if (ms) {
        px_timer_start_loop(get->server->loop, &get->timer, ms, on_timer);
    }
}

/* Lets the get wait for the host's data of the rank (PMIX_RANK_WILDCARD: of the job). The get may
 * have ended when this returns. */
static void wait_for_host(struct px_get *get, uint32_t rank)
{
    uint64_t ms = timeout_of(get);
    int rc;

    if (!may_wait(get)) {
        return;
    }
    px_waiting_gets_add(get);
    px_open_waits_get(get, true);
    if (ms) {
        px_timer_start_loop(get->server->loop, &get->timer, ms, on_timer);
    }
    /* After success the host may have answered already; then the get is freed. */
    rc = px_modex_start(get->server, get, rank);
    if (rc) {
        get_end(get, rc);
    }
}

/* True if this process asks for data of its own namespace, which no host can have. */
static bool is_of_self(const struct px_get *get)
{
    return !get->reply_to.peer &&
           strncmp(get->target.nspace, get->server->self.nspace, PMIX_MAX_NSLEN) == 0;
}

/* Decides about a get whose data is not here, and which waits for no host any more: refuse it, wait
 * for the registration of its namespace, wait for a commit, or ask the host. PMIX_IMMEDIATE,
 * PMIX_OPTIONAL and a call that blocks end the search here; job information that is missing after
 * the registration will not appear later. */
static void answer_or_wait(struct px_get *get)
{
    struct px_nspace *ns = px_get_nspace(get);
    bool of_job = !get->key ? get->target.rank == PMIX_RANK_WILDCARD
                            : px_key_reserved(get->key) || get->target.rank == PMIX_RANK_WILDCARD;
    struct px_local_proc *rank;

    px_list_remove(&get->of_modex);
    if (get->directives.immediate || get->directives.optional || is_blocking(get) ||
        (!ns && is_of_self(get))) {
        get_end(get, PMIX_ERR_NOT_FOUND);
    } else if (!ns) {
        wait_for_host(get, PMIX_RANK_WILDCARD);
    } else if (!ns->registered && !ns->asked_host) {
        wait_for_data(get, false); /* for the registration */
    } else if (of_job) {
        get_end(get, PMIX_ERR_NOT_FOUND);
    } else if (get->target.rank == PMIX_RANK_UNDEF) {
        wait_for_data(get, false); /* any process may commit the key */
    } else if (!px_nspace_is_local(ns, get->target.rank)) {
        wait_for_host(get, get->target.rank);
    } else {
        rank = px_local_proc_find(ns, get->target.rank);
        if (rank && (rank->departed || rank->finalized)) {
            get_end(get, PMIX_ERR_NOT_FOUND);
        } else {
            wait_for_data(get, rank && rank->committed); /* without the key: for a limited time */
        }
    }
}

/* True if all required directives are honoured. A directive that this library does not know may be
 * the host's, if the host may be asked: it has direct_modex, and the process is not local. */
static bool is_supported(const struct px_get *get)
{
    const struct px_nspace *ns = px_get_nspace(get);
    bool hosts = !is_blocking(get) && get->server->host.direct_modex &&
                 (!ns || !px_nspace_is_local(ns, get->target.rank));
    unsigned levels = PX_ATTR_ALL | (get->value ? PX_ATTR_WAITING : 0);

    return hosts || px_directives_met(&px_call_get, levels, get->info, get->ninfo);
}

/* True if PMIX_GET_REFRESH_CACHE makes the server ask the host again. Only data of other nodes can
 * be out of date here; data of local processes and registered job information is current.
 * PMIX_OPTIONAL and a call that blocks forbid asking the host, and nothing is asked for a peer that
 * may not have the answer. */
static bool is_renewable(const struct px_get *get)
{
    const struct px_nspace *ns = px_get_nspace(get);
    const struct px_peer *peer = px_get_peer(get);

    if (!get->directives.refresh_cache || get->directives.optional || is_blocking(get) || !ns ||
        (peer && !px_access_data(get->server, peer, ns))) {
        return false;
    }
    if (get->target.rank == PMIX_RANK_WILDCARD) {
        return ns->asked_host && !ns->registered;
    }
    return get->target.rank <= PMIX_RANK_VALID && !px_nspace_is_local(ns, get->target.rank) &&
           !(get->key && px_key_reserved(get->key));
}

/* Handles the status of px_get_attempt: true if the get is over, and freed, or waits for a turn;
 * false if its data is not here. */
static bool is_settled(struct px_get *get, int rc)
{
    if (rc == PMIX_SUCCESS) {
        px_get_destroy(get);
    } else if (rc == PX_GET_LARGE) {
        px_list_remove(&get->of_modex);
        px_get_take_turns(get);
    } else if (rc != PMIX_ERR_NOT_FOUND) {
        get_end(get, rc);
    }
    return rc != PMIX_ERR_NOT_FOUND;
}

/* Answers a get of PX_GET_COLLECTED. status: if it is not 0, the get ends with it. */
static void answer_collected(struct px_get *get, int status)
{
    if (!is_settled(get, status ? status : px_get_collected(get))) {
        get_end(get, PMIX_ERR_NOT_FOUND);
    }
}

/* A get of PX_GET_COLLECTED never waits for data. Another one is refused because of its directives,
 * or renewed by a direct modex of its own, or answered from the stores; if these do not have the
 * data, it is decided whether the get waits. */
void px_get_begin(struct px_get *get)
{
    px_assert(is_blocking(get) || px_loop_inside(get->server->loop));
    if (get->how & PX_GET_COLLECTED) {
        answer_collected(get, PMIX_SUCCESS);
    } else if (!is_supported(get)) {
        get_end(get, PMIX_ERR_NOT_SUPPORTED);
    } else if (is_renewable(get)) {
        get->renews = true;
        wait_for_host(get, get->target.rank);
    } else if (!is_settled(get, px_get_attempt(get))) {
        answer_or_wait(get);
    }
}

/* What it asks for may have gone meanwhile. */
void px_get_again(struct px_get *get, int status)
{
    px_list_remove(&get->link);
    if (get->how & PX_GET_COLLECTED) {
        answer_collected(get, status);
    } else if (!is_settled(get, status ? status : px_get_attempt(get))) {
        answer_or_wait(get);
    }
}

/* --- what changes the answer of those that wait --- */

/* Tries a get that is in no list again after an event about a rank. `otherwise` PMIX_SUCCESS: if
 * there are no data it waits on, with the implicit limit if the rank is its own. An error: a get
 * for asked_key (NULL: each) ends with it, another one decides again. */
static void retry(struct px_get *get, uint32_t rank, const char *asked_key, int otherwise)
{
    bool same = asked_key && get->key && px_value_key_is(asked_key, get->key);
    int rc;

    get->news = rank;
    rc = px_get_attempt(get);
    get->news = PMIX_RANK_WILDCARD;
    if (is_settled(get, rc)) {
        return;
    }
    if (otherwise != PMIX_SUCCESS && (same || !asked_key || !get->key)) {
        get_end(get, otherwise);
    } else if (otherwise != PMIX_SUCCESS) {
        px_timer_stop_loop(&get->timer);
        answer_or_wait(get);
    } else if (!timeout_of(get) && get->target.rank == rank && px_list_empty(&get->of_modex)) {
        wait_for_data(get, true);
    } else {
        px_waiting_gets_add(get);
    }
}

void px_get_data_came(struct px_get *get, pmix_rank_t rank)
{
    px_assert(px_list_empty(&get->link));
    retry(get, rank, NULL, PMIX_SUCCESS);
}

/* True if gets for a process of this name are about another one: a tool may have the name of a
 * process of a job, and is not asked for that job's data (tool_data.h). */
static bool is_namesake(struct px_server *s, const struct px_local_proc *rank)
{
    const struct px_nspace *job = px_nspace_find(s, rank->ns->name);

    return job && job != rank->ns;
}

/* A get whose key is not among the committed values begins to run the limit for missing keys. */
void px_gets_committed(struct px_server *s, struct px_local_proc *rank)
{
    px_assert(px_loop_inside(s->loop));
    if (!is_namesake(s, rank)) {
        px_waiting_gets_try(s, rank->ns->name, rank->rank, false);
    }
}

void px_get_process_gone(struct px_get *get)
{
    px_assert(px_list_empty(&get->link));
    get_end(get, PMIX_ERR_NOT_FOUND);
}

void px_gets_proc_departed(struct px_server *s, struct px_local_proc *rank)
{
    px_assert(px_loop_inside(s->loop));
    if (!is_namesake(s, rank)) {
        px_waiting_gets_end(s, rank->ns->name, rank->rank);
    }
}

void px_get_job_changed(struct px_get *get)
{
    px_assert(px_list_empty(&get->link));
    if (!is_settled(get, px_get_attempt(get))) {
        px_timer_stop_loop(&get->timer);
        answer_or_wait(get);
    }
}

void px_get_job_gone(struct px_get *get)
{
    px_assert(px_list_empty(&get->link));
    get_end(get, PMIX_ERR_INVALID_NAMESPACE);
}

/* One that cannot be found under its name is about to be freed. */
void px_gets_nspace_changed(struct px_server *s, struct px_nspace *ns)
{
    px_assert(px_loop_inside(s->loop));
    if (px_nspace_find(s, ns->name) == ns) {
        px_waiting_gets_decide(s, ns->name);
    } else {
        px_waiting_gets_end_job(s, ns->name);
    }
}

/* So many gets that waited for one upcall are tried in a turn. */
enum { MODEX_PART = 128 };

/* Tries the next ones of those that waited for an upcall, to which none is added any more. */
static void retry_waiting(struct px_list *waiting, uint32_t rank, const char *key, int otherwise)
{
    for (int i = 0; i < MODEX_PART && !px_list_empty(waiting); i++) {
        struct px_get *get = px_container_of(waiting->next, struct px_get, of_modex);

        px_list_remove(&get->of_modex);
        px_list_remove(&get->link);
        retry(get, rank, key, otherwise);
    }
}

/* All that waited for the upcall have been tried: what it has brought may be of use to others. */
static void try_others(struct px_server *s, const pmix_proc_t *proc)
{
    struct px_nspace *ns = px_nspace_find(s, proc->nspace);

    if (proc->rank != PMIX_RANK_WILDCARD) {
        px_waiting_gets_try(s, proc->nspace, proc->rank, true);
    } else if (ns) {
        px_gets_nspace_changed(s, ns);
    }
}

/* The answer for a job ends gets without a key; gets with a key are decided again, by the key ""
 * that equals none, as are all others about the job: its information may hold the key, or its
 * processes have to be asked. Another answer is final for the key that the host was asked for
 * only. */
bool px_gets_modex_done(struct px_server *s, const pmix_proc_t *proc, struct px_list *waiting,
                        const char *key, int status)
{
    bool of_job = !status && proc->rank == PMIX_RANK_WILDCARD && px_nspace_find(s, proc->nspace);

    px_assert(px_loop_inside(s->loop));
    retry_waiting(waiting, proc->rank, of_job ? "" : key, status ? status : PMIX_ERR_NOT_FOUND);
    if (!px_list_empty(waiting)) {
        return false;
    }
    if (!status) {
        try_others(s, proc);
    }
    return true;
}

/* It has ended before if its time limit has passed or its requester has disconnected. */
void px_gets_renewed(struct px_list *waiting, int status)
{
    struct px_list *item = px_list_shift(waiting);
    struct px_get *get = item ? px_container_of(item, struct px_get, of_modex) : NULL;

    px_assert(px_list_empty(waiting));
    if (!get) {
        return;
    }
    px_assert(px_loop_inside(get->server->loop) && get->renews);
    px_list_remove(&get->link);
    if (status || !is_settled(get, px_get_attempt(get))) {
        get_end(get, status ? status : PMIX_ERR_NOT_FOUND);
    }
}

/* So many gets of peers that have gone are freed in one turn: a peer may leave hundreds of
 * thousands. */
enum { ENDED_PART = 1024 };

/* One that is in no list is being answered: who does that frees it. */
static void free_ended(struct px_timer *timer)
{
    struct px_server *s = px_container_of(timer, struct px_server, ended_timer);

    for (unsigned i = 0; i < ENDED_PART && !px_list_empty(&s->ended_gets); i++) {
        struct px_get *get = px_container_of(s->ended_gets.next, struct px_get, of_peer);

        px_list_remove(&get->of_peer);
        if (!px_list_empty(&get->link)) {
            px_answer_nobody(s, &get->reply_to);
            px_get_destroy(get);
        }
    }
    if (!px_list_empty(&s->ended_gets)) {
        px_timer_start_loop(s->loop, &s->ended_timer, 0, free_ended);
    }
}

/* Moves all items of a list to the end of another one. */
static void move_all(struct px_list *from, struct px_list *to)
{
    if (!px_list_empty(from)) {
        from->next->prev = to->prev;
        to->prev->next = from->next;
        from->prev->next = to;
        to->prev = from->prev;
        px_list_init(from);
    }
}

/* Nobody receives the answers any more, also of those that are answered before they are freed; the
 * direct modex upcalls for these gets continue. */
void px_gets_peer_disconnected(struct px_server *s, struct px_peer *peer)
{
    px_assert(px_loop_inside(s->loop));
    move_all(&peer->gets, &s->ended_gets);
    free_ended(&s->ended_timer);
}

/* s->stopping is set by now: a get that an answer starts does not wait. */
void px_gets_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    px_waiting_gets_stop(s);
    for (size_t i = 0; i < PX_GET_LISTS; i++) {
        end_all(&s->gets[i], PMIX_ERR_LOST_CONNECTION);
    }
    end_all(&s->large_gets, PMIX_ERR_LOST_CONNECTION);
    px_modex_stop(s);
    px_timer_stop_loop(&s->room_timer);
    while (!px_list_empty(&s->ended_gets)) {
        free_ended(&s->ended_timer);
    }
    px_timer_stop_loop(&s->ended_timer);
}
