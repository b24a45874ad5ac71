/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Handlers are in one list per category, each in calling order, so that a walk through the lists is
 * the order of a chain. A handler that was deregistered stays allocated while a chain may reach it.
 *
 * The Standard (chapter Event Notification) fixes the order of the categories, and lets a
 * registration choose its place in its category: before or after a named handler, first or last, at
 * the front or at the end. Without such a directive a new handler is placed at the front, as in
 * other PMIx libraries. The registry is short, so everything in it is found by walking it. */

#include "registry.h"

#include "handler.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/value/directives.h"
#include "chain.h"

/* The handler whose `link` this is. */
static struct px_handler *handler_at(struct px_list *item)
{
    return px_container_of(item, struct px_handler, link);
}

static bool has_code(const pmix_status_t *codes, size_t n, pmix_status_t code)
{
    for (size_t i = 0; i < n; i++) {
        if (codes[i] == code) {
            return true;
        }
    }
    return false;
}

/* Steps over empty categories; the head of a list is its end. */
struct px_handler *px_handler_next(const struct px_events *events, const struct px_handler *handler)
{
    int c = handler != NULL ? (int) handler->category : 0;
    const struct px_list *at = handler != NULL ? &handler->link : &events->categories[0];

    px_assert(px_loop_inside(events->loop));
    while (at->next == &events->categories[c]) {
        c++;
        if (c == PX_CATEGORIES) {
            return NULL;
        }
        at = &events->categories[c];
    }
    return handler_at(at->next);
}

bool px_handler_names(const struct px_handler *handler, pmix_status_t code)
{
    return has_code(handler->codes, handler->ncodes, code);
}

/* Chains held for the handler go with it: their events are not delivered. */
void px_handler_unref(struct px_handler *handler)
{
    struct px_list *item;

    if (px_fetch_add(&handler->refs, UINT64_MAX) != 1) {
        return;
    }
    while (!px_list_empty(&handler->held)) {
        item = px_list_shift(&handler->held);
        px_chain_destroy(px_container_of(item, struct px_chain, link));
    }
    free(handler->name);
    free(handler->codes);
    free(handler->affected);
    free(handler->sources);
    free(handler);
}

struct px_events *px_events_create(struct px_loop *loop, px_dropped_fn dropped, void *arg)
{
    struct px_events *events = calloc(1, sizeof(*events));

    if (events == NULL) {
        return NULL;
    }
    events->loop = loop;
    events->dropped = dropped;
    events->dropped_arg = arg;
    events->next_id = 1;
    px_list_init(&events->chains);
    for (int c = 0; c < PX_CATEGORIES; c++) {
        px_list_init(&events->categories[c]);
    }
    return events;
}

/* Chains come first: they must find `orphan` set before the registry is freed. */
void px_events_destroy(struct px_events *events)
{
    struct px_handler *handler;

    px_assert(!events || px_loop_inside(events->loop));
    if (events == NULL) {
        return;
    }
    px_chain_orphan_all(events);
    while ((handler = px_handler_next(events, NULL)) != NULL) {
        px_list_remove(&handler->link);
        handler->gone = true;
        px_handler_unref(handler);
    }
    free(events);
}

/* Appends processes to those that the handler is restricted to; they are copied. n is not 0. 0 or
 * PMIX_ERR_NOMEM. */
static int add_affected(struct px_handler *handler, const pmix_proc_t *procs, size_t n)
{
    pmix_proc_t *grown = realloc(handler->affected, (handler->n_affected + n) * sizeof(*grown));

    if (grown == NULL) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(grown + handler->n_affected, procs, n * sizeof(*grown));
    handler->affected = grown;
    handler->n_affected += n;
    return 0;
}

/* Restricts the handler to the processes of all infos with first's key; `first` is the first of
 * them, or NULL for none. 0, PMIX_ERR_NOMEM or PMIX_ERR_BAD_PARAM (the value is no process and no
 * array of them). */
static int read_affected(struct px_handler *handler, const pmix_info_t *info, size_t ninfo,
                         const pmix_info_t *first)
{
    int rc = 0;

    for (const pmix_info_t *at = first; at != NULL && rc == 0;
         at = px_infos_next(info, ninfo, at, first->key)) {
        struct px_procs procs;

        rc = px_value_procs(&at->value, &procs) ? 0 : PMIX_ERR_BAD_PARAM;
        if (rc == 0 && procs.n > 0) {
            rc = add_affected(handler, procs.at, procs.n);
        }
    }
    return rc;
}

/* Restricts the handler to events of some sources. 0, PMIX_ERR_NOMEM or PMIX_ERR_BAD_PARAM (a
 * custom range without processes). */
static int read_sources(struct px_handler *handler, const struct px_handler_directives *directives)
{
    const struct px_procs *sources = &directives->sources;

    handler->range = sources->n > 0 ? PMIX_RANGE_CUSTOM : directives->range;
    handler->local = directives->range == PMIX_RANGE_PROC_LOCAL;
    if (handler->range != PMIX_RANGE_CUSTOM) {
        return 0;
    }
    if (sources->n == 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    handler->sources = calloc(sources->n, sizeof(*handler->sources));
    if (handler->sources == NULL) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(handler->sources, sources->at, sources->n * sizeof(*handler->sources));
    handler->n_sources = sources->n;
    return 0;
}

/* Sets the handler's members from its directives, except its place. 0, PMIX_ERR_NOMEM or
 * PMIX_ERR_BAD_PARAM; on failure the caller drops the handler, with whatever was set. */
static int apply_directives(struct px_handler *handler, const pmix_info_t *info, size_t ninfo,
                            const struct px_handler_directives *directives)
{
    int rc = read_affected(handler, info, ninfo, directives->affected_proc);

    rc = rc != 0 ? rc : read_affected(handler, info, ninfo, directives->affected_procs);
    rc = rc != 0 ? rc : read_sources(handler, directives);
    if (rc == 0 && directives->name != NULL) {
        handler->name = strdup(directives->name);
        rc = handler->name != NULL ? 0 : PMIX_ERR_NOMEM;
    }
    if (directives->return_object != NULL) {
        handler->has_object = true;
        handler->object = directives->return_object->value.data.ptr;
    }
    handler->oneshot = directives->oneshot;
    handler->pin = directives->last_in_category    ? PX_PIN_BACK
                   : directives->first_in_category ? PX_PIN_FRONT
                                                   : handler->pin;
    return rc;
}

/* The category of a handler: first or last overall if it is registered so, whatever its codes; else
 * by their number. */
static enum px_category category_of(const struct px_handler *handler,
                                    const struct px_handler_directives *place)
{
    if (place->first) {
        return PX_CAT_FIRST;
    }
    if (place->last) {
        return PX_CAT_LAST;
    }
    if (handler->ncodes == 0) {
        return PX_CAT_DEFAULT;
    }
    return handler->ncodes == 1 ? PX_CAT_SINGLE : PX_CAT_MULTI;
}

/* The handler of this name in the category, or NULL. */
static struct px_handler *find_named(struct px_list *head, const char *name)
{
    px_list_for(struct px_handler, handler, head, link) {
        if (handler->name != NULL && strcmp(handler->name, name) == 0) {
            return handler;
        }
    }
    return NULL;
}

/* True if a handler in the category has this pin. */
static bool has_pin(struct px_list *head, enum px_pin pin)
{
    px_list_for(const struct px_handler, handler, head, link) {
        if (handler->pin == pin) {
            return true;
        }
    }
    return false;
}

/* The nearest item to `at` that a handler without a pin may be inserted before: not in front of the
 * handler pinned to the front, not behind the one pinned to the back. The head stands for the
 * end. */
static struct px_list *within_pins(struct px_list *head, struct px_list *at)
{
    if (has_pin(head, PX_PIN_FRONT) && at == head->next) {
        return at->next;
    }
    return at == head && has_pin(head, PX_PIN_BACK) ? head->prev : at;
}

/* The item that the new handler is inserted before; the head stands for the end. NULL: its place is
 * taken. Directives count in this order: first or last in the category, before, after (a name that
 * is not in the category means the end), append, prepend. The Standard calls a handler that is
 * first in its category before any other, so that no later directive can place one in front of it.
 */
static struct px_list *find_place(struct px_list *head, const struct px_handler *handler,
                                  const struct px_handler_directives *place)
{
    const char *name = place->before != NULL ? place->before : place->after;
    struct px_handler *named = name != NULL ? find_named(head, name) : NULL;

    if (handler->pin != PX_PIN_NONE) {
        return has_pin(head, handler->pin)    ? NULL
               : handler->pin == PX_PIN_FRONT ? head->next
                                              : head;
    }
    if (named != NULL) {
        return within_pins(head, place->before != NULL ? &named->link : named->link.next);
    }
    return within_pins(head,
                       name != NULL || (place->append && !place->prepend) ? head : head->next);
}

/* Enters the handler in its category. 0, PMIX_ERR_BAD_PARAM (first and last at once, overall or in
 * the category) or PMIX_ERR_EVENT_REGISTRATION (the place is taken). */
static int place_handler(struct px_events *events, struct px_handler *handler,
                         const struct px_handler_directives *place)
{
    struct px_list *head;
    struct px_list *at;

    if ((place->first && place->last) || (place->first_in_category && place->last_in_category)) {
        return PMIX_ERR_BAD_PARAM;
    }
    handler->category = category_of(handler, place);
    head = &events->categories[handler->category];
    if ((place->first || place->last) && !px_list_empty(head)) {
        return PMIX_ERR_EVENT_REGISTRATION;
    }
    at = find_place(head, handler, place);
    if (at == NULL) {
        return PMIX_ERR_EVENT_REGISTRATION;
    }
    px_list_append(at, &handler->link);
    return 0;
}

/* A handler with a copy of the codes, in no list, with one reference. NULL: no memory. */
static struct px_handler *handler_create(const pmix_status_t *codes, size_t ncodes,
                                         pmix_notification_fn_t fn)
{
    struct px_handler *handler = calloc(1, sizeof(*handler));

    if (handler == NULL) {
        return NULL;
    }
    handler->refs = 1;
    handler->pin = PX_PIN_NONE;
    handler->fn = fn;
    px_list_init(&handler->link);
    px_list_init(&handler->held);
    if (ncodes > 0) {
        handler->codes = malloc(ncodes * sizeof(*codes));
        if (handler->codes == NULL) {
            free(handler);
            return NULL;
        }
        memcpy(handler->codes, codes, ncodes * sizeof(*codes));
        handler->ncodes = ncodes;
    }
    return handler;
}

/* The handler is numbered last: an id is never given to one that could not be placed. */
int px_events_add(struct px_events *events, const pmix_status_t *codes, size_t ncodes,
                  const pmix_info_t *info, size_t ninfo, pmix_notification_fn_t handler,
                  size_t *ret_id)
{
    struct px_handler_directives place;
    struct px_handler *made;
    int rc;

    px_assert(px_loop_inside(events->loop));
    if (handler == NULL || (ncodes > 0 && codes == NULL) || (ninfo > 0 && info == NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    made = handler_create(codes, ncodes, handler);
    if (made == NULL) {
        return PMIX_ERR_NOMEM;
    }
    rc = px_handler_read(info, ninfo, &place);
    rc = rc != 0 ? rc : apply_directives(made, info, ninfo, &place);
    rc = rc != 0 ? rc : place_handler(events, made, &place);
    if (rc != 0) {
        px_handler_unref(made);
        return rc;
    }
    made->asked = !made->local;
    made->id = events->next_id++;
    *ret_id = made->id;
    return 0;
}

/* The handler with this id, or NULL. */
static struct px_handler *find_id(struct px_events *events, size_t id)
{
    struct px_handler *handler = px_handler_next(events, NULL);

    while (handler != NULL && handler->id != id) {
        handler = px_handler_next(events, handler);
    }
    return handler;
}

void px_events_set_self(struct px_events *events, const pmix_proc_t *self)
{
    events->self = self;
}

void px_events_replays_to(struct px_events *events, size_t id)
{
    px_assert(px_loop_inside(events->loop));
    events->replays_to = id;
}

/* `ready` is set before the held chains start: they are ordinary chains then. */
void px_events_ready(struct px_events *events, size_t id)
{
    struct px_handler *handler = find_id(events, id);

    px_assert(px_loop_inside(events->loop));
    if (handler != NULL && !handler->ready) {
        handler->ready = true;
        px_chain_release_held(events, handler);
    }
}

void px_events_set_asked(struct px_events *events, size_t id, bool asked)
{
    struct px_handler *handler = find_id(events, id);

    px_assert(px_loop_inside(events->loop));
    if (handler != NULL) {
        handler->asked = asked && !handler->local;
    }
}

/* True if a handler names the code; `asked`: one whose codes a server was asked for. */
static bool is_named(const struct px_events *events, pmix_status_t code, bool asked)
{
    const struct px_handler *handler = px_handler_next(events, NULL);

    while (handler != NULL && ((asked && !handler->asked) || !px_handler_names(handler, code))) {
        handler = px_handler_next(events, handler);
    }
    return handler != NULL;
}

/* True if there is a handler without codes, in any category; `asked` as for is_named. */
static bool has_default(const struct px_events *events, bool asked)
{
    const struct px_handler *handler = px_handler_next(events, NULL);

    while (handler != NULL && ((asked && !handler->asked) || handler->ncodes > 0)) {
        handler = px_handler_next(events, handler);
    }
    return handler != NULL;
}

bool px_events_asked(const struct px_events *events, pmix_status_t code)
{
    return is_named(events, code, true);
}

bool px_events_asked_default(const struct px_events *events)
{
    return has_default(events, true);
}

bool px_events_wanted(const struct px_events *events, pmix_status_t code)
{
    return is_named(events, code, false) || has_default(events, false);
}

/* Appends the handler's codes that are not yet in the array, which is malloc'd and grows by
 * reallocation; on PMIX_ERR_NOMEM it is as before. */
static int add_codes(const struct px_handler *handler, pmix_status_t **codes, size_t *n)
{
    pmix_status_t *grown = realloc(*codes, (*n + handler->ncodes + 1) * sizeof(*grown));

    if (grown == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *codes = grown;
    for (size_t i = 0; i < handler->ncodes; i++) {
        if (!has_code(grown, *n, handler->codes[i])) {
            grown[*n] = handler->codes[i];
            (*n)++;
        }
    }
    return 0;
}

int px_events_codes(const struct px_events *events, pmix_status_t **ret, size_t *ret_n,
                    bool *ret_default)
{
    const struct px_handler *handler = NULL;
    pmix_status_t *codes = NULL;
    bool defaults = false;
    size_t n = 0;
    int rc = 0;

    px_assert(px_loop_inside(events->loop));
    while (rc == 0 && (handler = px_handler_next(events, handler)) != NULL) {
        if (!handler->local) {
            rc = add_codes(handler, &codes, &n);
            defaults |= handler->ncodes == 0;
        }
    }
    if (rc != 0) {
        free(codes);
        return rc;
    }
    *ret = codes;
    *ret_n = n;
    *ret_default = defaults;
    return 0;
}

/* Reports the codes of a handler that was removed and that no server is asked for any more. They
 * are moved to the front of its own array, which nobody reads once the handler is gone. */
static void report_dropped(const struct px_events *events, struct px_handler *handler)
{
    bool last_default = handler->ncodes == 0 && !px_events_asked_default(events);
    size_t n = 0;

    for (size_t i = 0; i < handler->ncodes; i++) {
        if (!px_events_asked(events, handler->codes[i])) {
            handler->codes[n] = handler->codes[i];
            n++;
        }
    }
    if (events->dropped != NULL && !handler->local && (n > 0 || last_default)) {
        events->dropped(events->dropped_arg, handler->codes, n, last_default);
    }
}

/* The handler leaves its list first, so that the search for its codes finds those of the others
 * only. */
int px_events_remove(struct px_events *events, size_t id)
{
    struct px_handler *handler = find_id(events, id);

    px_assert(px_loop_inside(events->loop));
    if (handler == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    px_list_remove(&handler->link);
    handler->gone = true;
    report_dropped(events, handler);
    px_handler_unref(handler);
    return 0;
}
