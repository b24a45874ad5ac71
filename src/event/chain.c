/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A chain calls one handler after the other. A handler says that it is done from any thread, at any
 * time, also from within its own call; that only stores what it said and posts the chain to the
 * loop, so handlers never nest. When the registry goes while a handler still owes its answer, the
 * chain is left to that answer (`orphan`). */

#include "chain.h"

#include "handler.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "registry.h"
#include "src/value/nested.h"

enum { OWN_ENTRIES = 2 }; /* handler name and return object */

static void chain_run(struct px_task *task);

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
    px_lock_fini(&chain->lock);
    free(chain);
}

/* Ends the chain: tells whoever started it, then frees it. */
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

/* Does an info with the key name processes (*ret_named), and one that the handler is about? */
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

/* An event that names nobody passes every filter. */
static bool affects(const struct px_handler *handler, const struct px_event *event)
{
    bool named = false;

    return affects_by(handler, event, PMIX_EVENT_AFFECTED_PROC, &named) ||
           affects_by(handler, event, PMIX_EVENT_AFFECTED_PROCS, &named) || !named;
}

/* Does the handler want the event? */
static bool handler_wants(const struct px_handler *handler, const struct px_event *event)
{
    if (handler->gone || (handler->ncodes > 0 && !px_handler_names(handler, event->code))) {
        return false;
    }
    if (handler->category == PX_CAT_DEFAULT &&
        px_infos_flag(event->info, event->ninfo, PMIX_EVENT_NON_DEFAULT)) {
        return false;
    }
    return handler->n_affected == 0 || affects(handler, event);
}

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
    px_lock_init(&chain->lock);
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

static void chain_start(struct px_events *events, struct px_chain *chain)
{
    px_assert(px_loop_inside(events->loop));
    px_list_append(&events->chains, &chain->link);
    px_loop_post(events->loop, &chain->task);
}

/* A handler whose registration is still under way gets the event in a chain of its own, later. */
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

void px_chain_release_held(struct px_events *events, struct px_handler *handler)
{
    px_assert(px_loop_inside(events->loop) && handler->ready);
    while (!px_list_empty(&handler->held)) {
        struct px_list *item = px_list_shift(&handler->held);
        struct px_chain *chain = px_container_of(item, struct px_chain, link);

        (void) px_fetch_add(&handler->refs, 1); /* a held chain borrows its handler until here */
        chain->n_steps = 1;
        chain_start(events, chain);
    }
}

/* Room for as many steps as there are handlers. */
static size_t count_handlers(const struct px_events *events)
{
    const struct px_handler *handler = NULL;
    size_t n = 0;

    while ((handler = px_handler_next(events, handler)) != NULL) {
        n++;
    }
    return n;
}

static void add_step(struct px_chain *chain, struct px_handler *handler,
                     const struct px_event *event)
{
    if (!handler_wants(handler, event)) {
        return;
    }
    if (!handler->ready) {
        (void) hold_for(chain->events, handler,
                        event); /* out of memory: this one handler misses the event */
        return;
    }
    (void) px_fetch_add(&handler->refs, 1);
    chain->steps[chain->n_steps] = handler;
    chain->n_steps++;
}

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

int px_events_ask(struct px_events *events, const struct px_event *event, px_verdict_fn verdict,
                  void *arg)
{
    return run_chain(events, event, NULL, verdict, arg);
}

/* The function that handlers call when they are done. Any thread. */
static void step_done(pmix_status_t status, pmix_info_t *results, size_t nresults,
                      pmix_op_cbfunc_t cbfunc, void *thiscbdata, void *notification_cbdata)
{
    struct px_chain *chain = notification_cbdata;
    pmix_info_t *copy = NULL;
    bool waiting;
    bool orphan;

    (void) px_infos_copy(results, nresults, &copy); /* else later handlers do not see them */
    if (cbfunc != NULL) {
        cbfunc(PMIX_SUCCESS, thiscbdata);
    }
    px_lock_take(&chain->lock);
    waiting = chain->waiting;
    orphan = chain->orphan;
    chain->waiting = false;
    if (waiting) {
        chain->status = status;
        chain->given = copy;
        chain->n_given = copy != NULL ? nresults : 0;
    }
    if (waiting && !orphan) {
        px_loop_post(chain->events->loop, &chain->task);
    }
    px_lock_give(&chain->lock);
    if (!waiting) {
        PMIx_Info_free(copy, nresults); /* answered twice */
    } else if (orphan) {
        px_chain_destroy(chain);
    }
}

/* Appends one handler's status, under its name, and its results to what later handlers see. */
static void gather(struct px_chain *chain, const struct px_handler *handler)
{
    size_t total = chain->n_results + 1 + chain->n_given;
    pmix_info_t *fresh = px_infos_room(&chain->results, chain->n_results, 1 + chain->n_given);

    px_assert(px_loop_inside(chain->events->loop));
    if (fresh == NULL) {
        return; /* later handlers see less */
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

static void call_handler(struct px_chain *chain, struct px_handler *handler)
{
    pmix_info_t *info = (pmix_info_t *) chain->event.info;
    pmix_proc_t source = chain->event.source;
    size_t n;

    px_assert(px_loop_inside(chain->events->loop) && chain->at <= chain->n_steps);
    memset(info + chain->ninfo, 0, OWN_ENTRIES * sizeof(*info));
    n = add_own_entries(chain, handler);
    if (handler->oneshot) {
        (void) px_events_remove(chain->events, handler->id, NULL, NULL, NULL);
    }
    px_lock_take(&chain->lock);
    chain->waiting = true;
    px_lock_give(&chain->lock);
    handler->fn(handler->id, chain->event.code, &source, n > 0 ? info : NULL, n, chain->results,
                chain->n_results, step_done, chain);
}

static void chain_run(struct px_task *task)
{
    struct px_chain *chain = px_container_of(task, struct px_chain, task);
    bool orphan;

    px_lock_take(&chain->lock);
    orphan = chain->orphan;
    px_lock_give(&chain->lock);
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

void px_chain_orphan_all(struct px_events *events)
{
    px_assert(px_loop_inside(events->loop));
    while (!px_list_empty(&events->chains)) {
        struct px_list *item = px_list_shift(&events->chains);
        struct px_chain *chain = px_container_of(item, struct px_chain, link);

        /* Handlers are freed with the registry: the chain keeps its references and frees the
         * last. */
        px_lock_take(&chain->lock);
        chain->orphan = true;
        px_lock_give(&chain->lock);
    }
}
