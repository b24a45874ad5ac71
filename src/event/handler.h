/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_HANDLER_H
#define PX_EVENT_HANDLER_H

/* The registry's structures, for this folder only. Everything belongs to the loop thread unless a
 * line says otherwise. */

#include "registry.h"

#include "src/base/atomic.h"
#include "src/base/list.h"

/* The five groups of handlers, in calling order (Standard, chapter Event Notification). There is at
 * most one handler in the first and in the last one. */
enum px_category {
    PX_CAT_FIRST,
    PX_CAT_SINGLE,
    PX_CAT_MULTI,
    PX_CAT_DEFAULT,
    PX_CAT_LAST,
    PX_CATEGORIES
};

/* Whether a handler was registered to be the first (PMIX_EVENT_HDLR_FIRST_IN_CATEGORY) or the last
 * (PMIX_EVENT_HDLR_LAST_IN_CATEGORY) of its category. */
enum px_pin { PX_PIN_FRONT, PX_PIN_NONE, PX_PIN_BACK };

/* One registered handler. Owned by its references: the registry holds one, and each chain one per
 * step. A chain that is held for it has none, and is freed with it. */
struct px_handler {
    struct px_list link; /* in its category */
    uint64_t refs;       /* atomic: the registry's and one for each chain that may still call it */
    size_t id;
    enum px_category category;
    enum px_pin pin;
    bool ready;   /* px_events_ready was called: events go to it at once */
    bool gone;    /* deregistered: chains pass it over */
    bool oneshot; /* removed before its first call */
    bool local;   /* its range is PMIX_RANGE_PROC_LOCAL: no server is asked for its codes */
    bool asked;   /* a server was asked for its codes; not of a local one (px_events_set_asked) */
    char *name;   /* or NULL */
    /* The codes that it was registered for; none: every code. */
    pmix_status_t *codes;
    size_t ncodes;
    /* Only events that affect one of these processes reach it; none: all events. */
    pmix_proc_t *affected;
    size_t n_affected;
    /* Only events of these sources reach it (PMIX_RANGE); with PMIX_RANGE_CUSTOM, those listed. */
    pmix_data_range_t range;
    pmix_proc_t *sources;
    size_t n_sources;
    /* PMIX_EVENT_RETURN_OBJECT of the registration: passed back with each event. */
    bool has_object;
    void *object;
    pmix_notification_fn_t fn;
    struct px_list held; /* struct px_chain that wait for `ready` */
};

/* The registry of the process; owned by the context. Each category is in calling order. Ids of
 * handlers are not used again. */
struct px_events {
    struct px_loop *loop;
    px_dropped_fn dropped; /* or NULL; called with dropped_arg */
    void *dropped_arg;
    const pmix_proc_t *self; /* this process; NULL: not known */
    size_t replays_to;       /* see px_events_replays_to; 0: no handler */
    struct px_list categories[PX_CATEGORIES];
    size_t next_id;
    struct px_list chains; /* struct px_chain under way */
};

/* One event on its way through the handlers. Owned by the loop while it is posted, by the handler
 * that it has called until that completes; freed at its end. Members marked `lock` are under
 * the lock of the list of chains that wait (chain.c). */
struct px_chain {
    struct px_list link; /* in events->chains or a handler's held */
    /* Posted when the next handler is to be called, or the chain to end. */
    struct px_task task;
    struct px_events *events;
    /* The registry was destroyed; the next to use the chain frees it. */
    bool orphan;            /* lock */
    struct px_list waiting; /* lock: in the list while a handler has not completed */
    uintptr_t ticket;       /* lock: of the last call of a handler; 0: none yet */
    /* A copy. Behind its ninfo infos there is room for the handler's own entries. */
    struct px_event event;
    size_t ninfo;              /* of the event itself */
    struct px_handler **steps; /* the handlers to call, in order */
    size_t n_steps;
    size_t at; /* steps that were called or passed over */
    /* What the next handler is given: per handler so far its status, under its name, and what it
     * returned. */
    pmix_info_t *results;
    size_t n_results;
    /* Written by the completion: its status and a copy of its results, until they are taken into
     * `results`. The loop thread reads them when the chain was posted. */
    pmix_status_t status;
    pmix_info_t *given;
    size_t n_given;
    /* Called at the end with done_arg; either may be NULL. */
    void (*done)(void *arg);
    px_verdict_fn verdict;
    void *done_arg;
};

#endif
