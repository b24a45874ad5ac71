/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A chain calls one handler after the other (chain.h). A handler completes in any thread, at any
 * time, also within its own call; the completion only stores the handler's results and posts the
 * chain to the loop, so handlers never nest. If the registry is destroyed while a handler has not
 * completed, the chain is left to that completion, which frees it (`orphan`).
 *
 * A handler may complete twice, and the second time when the next handler has been called or the
 * chain is freed. So what it is given to complete with is no pointer but a number, the ticket of
 * this one call; a completion looks for the chain that waits for its ticket, and has no effect if
 * there is none.
 *
 * The handlers of a chain are chosen when the event arrives: one registered later does not get it,
 * one deregistered meanwhile is passed over. A handler whose registration the server has yet to
 * acknowledge must not be called before its registration callback, and must not miss the event
 * either; so the event is held for it (hold_for) and follows in a chain of its own. */

#include "chain.h"

#include "handler.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/lock.h"
#include "src/value/infos.h"
#include "src/value/proc_match.h"
#include "src/value/procs.h"
#include "registry.h"
#include "src/value/nested.h"

/* Infos that a chain appends to those of the event for each handler: its name and its return
 * object. */
enum { OWN_ENTRIES = 2 };

/* The chains whose handler has not completed, in the order of their calls. They belong to the
 * process, not to a registry, since a handler may complete after its registry was destroyed. */
static struct px_lock waiting_lock = PX_LOCK_INIT;
static struct px_list waiting = {&waiting, &waiting}; /* waiting_lock: struct px_chain */
static uintptr_t last_ticket;                         /* waiting_lock */

static void chain_run(struct px_task *task);

/* Also for a chain that chain_create could not complete: only the first ninfo infos are set. */
void px_chain_destroy(struct px_chain *chain)
{
    for (size_t i = 0; i < chain->n_steps; i++) {
        px_handler_unref(chain->steps[i]);
    }
    free(chain->steps);
    for (size_t i = 0; chain->event.info != NULL && i < chain->ninfo; i++) {
        PMIx_Info_destruct((pmix_info_t *) &chain->event.info[i]);
    }
    free((void *) chain->event.info);
    PMIx_Info_free(chain->results, chain->n_results);
    PMIx_Info_free(chain->given, chain->n_given);
    free(chain);
}

/* Ends the chain: removes it from the registry, calls `done` and `verdict`, then frees it. */
static void chain_end(struct px_chain *chain)
{
    px_assert(px_loop_inside(chain->events->loop));
    px_list_remove(&chain->link);
    if (chain->done != NULL) {
        chain->done(chain->done_arg);
    }
    if (chain->verdict != NULL) {
        chain->verdict(chain->done_arg, chain->status, chain->results, chain->n_results);
    }
    px_chain_destroy(chain);
}

/* True if an info with this key names a process that the handler was registered for. *ret_named is
 * set if such an info names any process. */
static bool affects_by(const struct px_handler *handler, const struct px_event *event,
                       const char *key, bool *ret_named)
{
    const pmix_info_t *info = px_infos_next(event->info, event->ninfo, NULL, key);

    for (; info != NULL; info = px_infos_next(event->info, event->ninfo, info, key)) {
        struct px_procs procs;

        if (px_value_procs(&info->value, &procs)) {
            *ret_named = true;
            if (px_procs_overlap(handler->affected, handler->n_affected, procs.at, procs.n)) {
                return true;
            }
        }
    }
    return false;
}

/* True if the event affects a process that the handler was registered for (PMIX_EVENT_AFFECTED_PROC
 * and _PROCS in both), or names no process at all. */
static bool affects(const struct px_handler *handler, const struct px_event *event)
{
    bool named = false;

    return affects_by(handler, event, PMIX_EVENT_AFFECTED_PROC, &named) ||
           affects_by(handler, event, PMIX_EVENT_AFFECTED_PROCS, &named) || !named;
}

/* True if the event's source is one that the handler was registered for. An event without a source
 * may be of any. */
static bool is_source(const struct px_events *events, const struct px_handler *handler,
                      const struct px_event *event)
{
    const pmix_proc_t *source = &event->source;

    switch (handler->range) {
    case PMIX_RANGE_CUSTOM:
        return px_procs_cover(handler->sources, handler->n_sources, source);
    case PMIX_RANGE_PROC_LOCAL:
        return events->self == NULL || px_proc_equal(source, events->self);
    case PMIX_RANGE_NAMESPACE:
        return events->self == NULL || source->nspace[0] == '\0' ||
               strncmp(source->nspace, events->self->nspace, PMIX_MAX_NSLEN) == 0;
    default:
        return true;
    }
}

/* True if events that a server replays now are for the handler. */
static bool gets_replays(const struct px_events *events, const struct px_handler *handler)
{
    switch (events->replays_to) {
    case PX_REPLAYS_TO_CODED:
        return handler->ncodes > 0;
    case PX_REPLAYS_TO_DEFAULT:
        return handler->ncodes == 0;
    default:
        return handler->id == events->replays_to;
    }
}

/* True if the handler wants the event: by its codes (none: every code), by the processes that it
 * was registered for (none: all), and, for a default handler, by PMIX_EVENT_NON_DEFAULT. */
static bool handler_wants(const struct px_events *events, const struct px_handler *handler,
                          const struct px_event *event)
{
    if (event->replayed && !gets_replays(events, handler)) {
        return false;
    }
    if (handler->gone || !is_source(events, handler, event) ||
        (handler->ncodes > 0 && !px_handler_names(handler, event->code))) {
        return false;
    }
    if (handler->category == PX_CAT_DEFAULT &&
        px_infos_flag(event->info, event->ninfo, PMIX_EVENT_NON_DEFAULT)) {
        return false;
    }
    return handler->n_affected == 0 || affects(handler, event);
}

/* A chain with a copy of the event and room for max_steps handlers; not started, in no list. The
 * copies own their values, since they outlive the caller's. NULL: no memory, or an info that cannot
 * be copied. */
static struct px_chain *chain_create(struct px_events *events, const struct px_event *event,
                                     size_t max_steps)
{
    struct px_chain *chain = calloc(1, sizeof(*chain));
    pmix_info_t *info;

    if (chain == NULL) {
        return NULL;
    }
    chain->events = events;
    chain->event = *event;
    chain->event.info = NULL;
    chain->task.run = chain_run;
    px_list_init(&chain->link);
    px_list_init(&chain->waiting);
    chain->steps = calloc(max_steps > 0 ? max_steps : 1, sizeof(struct px_handler *));
    info = calloc(event->ninfo + OWN_ENTRIES, sizeof(*info));
    chain->event.info = info;
    if (chain->steps == NULL || info == NULL) {
        px_chain_destroy(chain);
        return NULL;
    }
    for (size_t i = 0; i < event->ninfo; i++) {
        if (px_info_keep(&info[i], &event->info[i]) != PMIX_SUCCESS) {
            px_chain_destroy(chain);
            return NULL;
        }
        chain->ninfo++;
    }
    return chain;
}

/* Enters the chain in the registry and has the loop call its first handler. */
static void chain_start(struct px_events *events, struct px_chain *chain)
{
    px_assert(px_loop_inside(events->loop));
    px_list_append(&events->chains, &chain->link);
    px_loop_post(events->loop, &chain->task);
}

/* Holds the event for a handler whose registration is not acknowledged yet; it gets a chain of its
 * own later. 0 or PMIX_ERR_NOMEM. */
static int hold_for(struct px_events *events, struct px_handler *handler,
                    const struct px_event *event)
{
    struct px_chain *chain = chain_create(events, event, 1);

    if (chain == NULL) {
        return PMIX_ERR_NOMEM;
    }
    chain->steps[0] = handler;
    px_list_append(&handler->held, &chain->link);
    return 0;
}

/* A held chain borrows its handler, since a reference would keep a deregistered handler for ever;
 * from here on it has one, as any chain. */
void px_chain_release_held(struct px_events *events, struct px_handler *handler)
{
    px_assert(px_loop_inside(events->loop) && handler->ready);
    while (!px_list_empty(&handler->held)) {
        struct px_list *item = px_list_shift(&handler->held);
        struct px_chain *chain = px_container_of(item, struct px_chain, link);

        (void) px_fetch_add(&handler->refs, 1);
        chain->n_steps = 1;
        chain_start(events, chain);
    }
}

/* Number of all handlers: the upper limit of a chain's steps. */
static size_t count_handlers(const struct px_events *events)
{
    const struct px_handler *handler = NULL;
    size_t n = 0;

    while ((handler = px_handler_next(events, handler)) != NULL) {
        n++;
    }
    return n;
}

/* Adds the handler to the chain if it wants the event; if it is not ready, holds the event for it
 * instead. */
static void add_step(struct px_chain *chain, struct px_handler *handler,
                     const struct px_event *event)
{
    if (!handler_wants(chain->events, handler, event)) {
        return;
    }
    if (!handler->ready) {
        (void) hold_for(chain->events, handler, event); /* no memory: it misses the event */
        return;
    }
    (void) px_fetch_add(&handler->refs, 1);
    chain->steps[chain->n_steps] = handler;
    chain->n_steps++;
}

/* Makes and starts the chain for an event: the handlers are chosen now, and called later. An event
 * that no handler wants has a chain, too, whose end is reported. Either of `done` and `verdict` may
 * be NULL. 0 or PMIX_ERR_NOMEM. */
static int run_chain(struct px_events *events, const struct px_event *event,
                     void (*done)(void *arg), px_verdict_fn verdict, void *arg)
{
    struct px_chain *chain = chain_create(events, event, count_handlers(events));
    struct px_handler *handler = NULL;

    while (chain != NULL && (handler = px_handler_next(events, handler)) != NULL) {
        add_step(chain, handler, event);
    }
    if (chain == NULL) {
        return PMIX_ERR_NOMEM;
    }
    chain->done = done;
    chain->verdict = verdict;
    chain->done_arg = arg;
    chain_start(events, chain);
    return 0;
}

int px_events_deliver(struct px_events *events, const struct px_event *event,
                      void (*done)(void *arg), void *arg)
{
    return run_chain(events, event, done, NULL, arg);
}

void px_events_raise(struct px_events *events, pmix_status_t code, const pmix_proc_t *source,
                     const pmix_proc_t *affected)
{
    pmix_info_t info;
    struct px_event event = {
        .code = code, .source = *source, .range = PMIX_RANGE_PROC_LOCAL, .info = &info};

    if (events == NULL) {
        return;
    }
    memset(&info, 0, sizeof(info));
    if (affected != NULL &&
        PMIx_Info_load(&info, PMIX_EVENT_AFFECTED_PROC, affected, PMIX_PROC) == PMIX_SUCCESS) {
        event.ninfo = 1;
    }
    (void) px_events_deliver(events, &event, NULL, NULL);
    PMIx_Value_destruct(&info.value);
}

int px_events_ask(struct px_events *events, const struct px_event *event, px_verdict_fn verdict,
                  void *arg)
{
    return run_chain(events, event, NULL, verdict, arg);
}

/* Takes the chain that waits for this ticket off the list; NULL: none does. Holds waiting_lock. */
static struct px_chain *take_waiting_locked(uintptr_t ticket)
{
    px_assert(px_lock_held(&waiting_lock));
    px_list_for(struct px_chain, chain, &waiting, waiting) {
        if (chain->ticket == ticket) {
            px_list_remove(&chain->waiting);
            return chain;
        }
    }
    return NULL;
}

/* The completion function that handlers are given. Any thread. Copies the results, stores them and
 * posts the chain. `cbfunc` (may be NULL) is called once the results are copied: from then on the
 * handler may free them. A second call for the same ticket calls `cbfunc` and is ignored. */
static void step_done(pmix_status_t status, pmix_info_t *results, size_t nresults,
                      pmix_op_cbfunc_t cbfunc, void *thiscbdata, void *ticket)
{
    pmix_info_t *copy = NULL;
    struct px_chain *chain;
    bool orphan = false;

    (void) px_infos_copy(results, nresults, &copy); /* no memory: later handlers miss them */
    if (cbfunc != NULL) {
        cbfunc(PMIX_SUCCESS, thiscbdata);
    }
    px_lock_take(&waiting_lock);
    chain = take_waiting_locked((uintptr_t) ticket);
    if (chain != NULL) {
        orphan = chain->orphan;
        chain->status = status;
        chain->given = copy;
        chain->n_given = copy != NULL ? nresults : 0;
    }
    if (chain != NULL && !orphan) {
        px_loop_post(chain->events->loop, &chain->task);
    }
    px_lock_give(&waiting_lock);
    if (chain == NULL) {
        PMIx_Info_free(copy, nresults); /* the second call */
    } else if (orphan) {
        px_chain_destroy(chain);
    }
}

/* Appends to the results, which later handlers are given, an info whose key is the name of the
 * handler that has completed (or empty) and whose value is its status, then the infos that it
 * returned. The infos are moved, not copied. Without memory later handlers are given less. */
static void gather(struct px_chain *chain, const struct px_handler *handler)
{
    size_t total = chain->n_results + 1 + chain->n_given;
    pmix_info_t *fresh = px_infos_room(&chain->results, chain->n_results, 1 + chain->n_given);

    px_assert(px_loop_inside(chain->events->loop));
    if (fresh == NULL) {
        PMIx_Info_free(chain->given, chain->n_given); /* later handlers see less */
        chain->given = NULL;
        chain->n_given = 0;
        return;
    }
    PMIx_Info_load(fresh, handler->name != NULL ? handler->name : "", &chain->status, PMIX_STATUS);
    if (chain->n_given > 0) {
        memcpy(fresh + 1, chain->given, chain->n_given * sizeof(*fresh));
    }
    chain->n_results = total;
    free(chain->given);
    chain->given = NULL;
    chain->n_given = 0;
}

/* Writes the infos that only this handler gets, its name and its return object, behind those of the
 * event. Returns the number of all. */
static size_t add_own_entries(struct px_chain *chain, const struct px_handler *handler)
{
    pmix_info_t *info = (pmix_info_t *) chain->event.info;
    size_t n = chain->ninfo;

    if (handler->name != NULL) {
        PMIx_Load_key(info[n].key, PMIX_EVENT_HDLR_NAME);
        info[n].value.type = PMIX_STRING;
        info[n].value.data.string = handler->name;
        n++;
    }
    if (handler->has_object) {
        PMIx_Load_key(info[n].key, PMIX_EVENT_RETURN_OBJECT);
        info[n].value.type = PMIX_POINTER;
        info[n].value.data.ptr = handler->object;
        n++;
    }
    return n;
}

/* Calls the handler of the present step with the event, its own infos, and the results so far. A
 * one-shot handler is removed first, so that no other event reaches it. The chain waits for the
 * ticket before the call, because the handler may complete within it, in this thread or another. */
static void call_handler(struct px_chain *chain, struct px_handler *handler)
{
    pmix_info_t *info = (pmix_info_t *) chain->event.info;
    pmix_proc_t source = chain->event.source;
    uintptr_t ticket;
    size_t n;

    px_assert(px_loop_inside(chain->events->loop) && chain->at <= chain->n_steps);
    memset(info + chain->ninfo, 0, OWN_ENTRIES * sizeof(*info));
    n = add_own_entries(chain, handler);
    if (handler->oneshot) {
        (void) px_events_remove(chain->events, handler->id);
    }
    px_lock_take(&waiting_lock);
    last_ticket++;
    ticket = last_ticket;
    chain->ticket = ticket;
    px_list_append(&waiting, &chain->waiting);
    px_lock_give(&waiting_lock);
    handler->fn(handler->id, chain->event.code, &source, n > 0 ? info : NULL, n, chain->results,
                chain->n_results, step_done, (void *) ticket);
}

/* The chain's task: takes in the results of the handler that has completed, then calls the next one
 * or ends the chain. A status of PMIX_EVENT_ACTION_COMPLETE ends it early (Standard, chapter Event
 * Notification). Handlers deregistered meanwhile are passed over. An orphan is freed without a
 * call. */
static void chain_run(struct px_task *task)
{
    struct px_chain *chain = px_container_of(task, struct px_chain, task);
    bool orphan;

    px_lock_take(&waiting_lock);
    orphan = chain->orphan;
    px_lock_give(&waiting_lock);
    if (orphan) {
        px_chain_destroy(chain);
        return;
    }
    if (chain->at > 0) {
        gather(chain, chain->steps[chain->at - 1]);
        if (chain->status == PMIX_EVENT_ACTION_COMPLETE) {
            chain_end(chain);
            return;
        }
    }
    while (chain->at < chain->n_steps && chain->steps[chain->at]->gone) {
        chain->at++;
    }
    if (chain->at >= chain->n_steps) {
        chain_end(chain);
        return;
    }
    chain->at++;
    call_handler(chain, chain->steps[chain->at - 1]);
}

/* A chain that is posted frees itself when its task runs; one that waits for a handler is freed by
 * the completion. Each keeps its references to handlers, and may be the last to drop them. */
void px_chain_orphan_all(struct px_events *events)
{
    px_assert(px_loop_inside(events->loop));
    while (!px_list_empty(&events->chains)) {
        struct px_list *item = px_list_shift(&events->chains);
        struct px_chain *chain = px_container_of(item, struct px_chain, link);

        px_lock_take(&waiting_lock);
        chain->orphan = true;
        px_lock_give(&waiting_lock);
    }
}
