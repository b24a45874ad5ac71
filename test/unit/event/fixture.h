/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_EVENT_FIXTURE_H
#define PX_TEST_UNIT_EVENT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/event/registry.h"
#include "src/loop/wait.h"
#include "src/event/chain.h"

/* A registry on a running loop, driven from the test's thread by calls on the loop. */
static struct px_loop *loop;
static struct px_events *events;

struct adding {
    const pmix_status_t *codes;
    size_t ncodes;
    const pmix_info_t *info;
    size_t ninfo;
    pmix_notification_fn_t fn;
    bool ready;
    size_t id;
    int rc;
};

static inline void add_on_loop(void *arg)
{
    struct adding *a = arg;

    a->rc = px_events_add(events, a->codes, a->ncodes, a->info, a->ninfo, a->fn, &a->id);
    if (a->rc == 0 && a->ready) {
        px_events_ready(events, a->id);
    }
}

static inline int add(const pmix_status_t *codes, size_t ncodes, const pmix_info_t *info,
                      size_t ninfo, pmix_notification_fn_t fn, size_t *id)
{
    struct adding a = {codes, ncodes, info, ninfo, fn, true, 0, 0};

    assert_int_equal(px_loop_run(loop, add_on_loop, &a), 0);
    if (id != NULL) {
        *id = a.id;
    }
    return a.rc;
}

struct delivering {
    const struct px_event *event;
    struct px_wait *wait;
    int rc;
};

static inline void chain_done(void *arg)
{
    px_wait_done(arg, 0);
}

static inline void deliver_on_loop(void *arg)
{
    struct delivering *d = arg;

    d->rc = px_events_deliver(events, d->event, chain_done, d->wait);
}

/* Delivers and waits for the end of the chain. */
static inline void deliver(const struct px_event *event)
{
    struct px_wait wait;
    struct delivering d = {event, &wait, 0};

    px_wait_init(&wait);
    assert_int_equal(px_loop_run(loop, deliver_on_loop, &d), 0);
    assert_int_equal(d.rc, 0);
    assert_int_equal(px_wait_for(&wait), 0);
}

static inline void deliver_code(pmix_status_t code)
{
    struct px_event event = {.code = code, .range = PMIX_RANGE_LOCAL};

    PMIx_Load_procid(&event.source, "job", 3);
    deliver(&event);
}

/* What a test asks of the registry, on the loop. */
struct asking {
    size_t id;
    pmix_status_t code;
    pmix_status_t **codes;
    size_t *n;
    bool *defaults;
    int rc;
};

/* What the registry has reported as dropped. Written on the loop. */
static struct {
    int reports;
    pmix_status_t codes[8];
    size_t n;
    bool defaults;
} dropped;

static inline void note_dropped(void *arg, const pmix_status_t *codes, size_t n,
                                bool default_handler)
{
    assert_ptr_equal(arg, &dropped);
    assert_true(dropped.n + n <= 8);
    dropped.reports++;
    for (size_t i = 0; i < n; i++) {
        dropped.codes[dropped.n] = codes[i];
        dropped.n++;
    }
    dropped.defaults |= default_handler;
}

static inline void ready_on_loop(void *arg)
{
    px_events_ready(events, ((struct asking *) arg)->id);
}

static inline void remove_on_loop(void *arg)
{
    struct asking *a = arg;

    a->rc = px_events_remove(events, a->id);
}

static inline void wanted_on_loop(void *arg)
{
    struct asking *a = arg;

    a->rc = px_events_wanted(events, a->code);
}

static inline void asked_on_loop(void *arg)
{
    struct asking *a = arg;

    a->rc = px_events_asked(events, a->code);
}

static inline void codes_on_loop(void *arg)
{
    struct asking *a = arg;

    a->rc = px_events_codes(events, a->codes, a->n, a->defaults);
}

static inline int ask(void (*what)(void *arg), struct asking asking)
{
    assert_int_equal(px_loop_run(loop, what, &asking), 0);
    return asking.rc;
}

static inline void destroy_on_loop(void *arg)
{
    px_events_destroy(arg);
}

static inline int set_up(void **state)
{
    (void) state;
    alarm(60);
    if (px_loop_create(false, &loop) != 0) {
        return -1;
    }
    memset(&dropped, 0, sizeof(dropped));
    events = px_events_create(loop, note_dropped, &dropped);
    return events != NULL ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void) state;
    if (events != NULL && px_loop_run(loop, destroy_on_loop, events) != 0) {
        return -1;
    }
    events = NULL;
    px_loop_destroy(loop);
    return 0;
}

#endif
