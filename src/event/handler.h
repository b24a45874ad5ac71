/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_HANDLER_H
#define PX_EVENT_HANDLER_H

#include "registry.h"

#include "src/base/atomic.h"
#include "src/base/list.h"
#include "src/base/lock.h"

/* The folder's own view of the registry. Everything belongs to the loop thread unless a line says
 * otherwise. */

enum px_category {
    PX_CAT_FIRST,
    PX_CAT_SINGLE,
    PX_CAT_MULTI,
    PX_CAT_DEFAULT,
    PX_CAT_LAST,
    PX_CATEGORIES
};

/* Where in its category a handler insists on standing. */
enum px_pin { PX_PIN_FRONT, PX_PIN_NONE, PX_PIN_BACK };

struct px_handler {
    struct px_list link; /* in its category */
    uint64_t refs;       /* atomic: the registry's and one for each chain that may still call it */
    size_t id;
    enum px_category category;
    enum px_pin pin;
    bool ready; /* its registration has been acknowledged: events go to it at once */
    bool gone;  /* deregistered */
    bool oneshot;
    bool local; /* for events of this process only */
    char *name; /* or NULL */
    pmix_status_t *codes;
    size_t ncodes;
    pmix_proc_t *affected;
    size_t n_affected;
    bool has_object;
    void *object; /* PMIX_EVENT_RETURN_OBJECT */
    pmix_notification_fn_t fn;
    struct px_list held; /* struct px_chain waiting for `ready` */
};

struct px_events {
    struct px_loop *loop;
    struct px_list categories[PX_CATEGORIES];
    size_t next_id;
    struct px_list chains; /* struct px_chain under way */
};

/* One event on its way through the handlers. */
struct px_chain {
    struct px_list link; /* in events->chains or a handler's held */
    struct px_task task;
    struct px_events *events;
    struct px_lock lock;
    bool orphan;           /* lock: the registry has gone; whoever comes next frees the chain */
    bool waiting;          /* lock: a handler runs and owes its completion */
    struct px_event event; /* info has room for the handler's own entries */
    size_t ninfo;          /* of the event itself */
    struct px_handler **steps;
    size_t n_steps;
    size_t at;
    pmix_info_t *results; /* of the handlers so far */
    size_t n_results;
    pmix_status_t status; /* lock: of the last completion */
    pmix_info_t *given;   /* lock: its results, copied */
    size_t n_given;
    void (*done)(void *arg);
    px_verdict_fn verdict;
    void *done_arg;
};

#endif
