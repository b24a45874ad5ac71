/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events: from one process to another and back, from one to all others, and how many a second. */

#include <pthread.h>
#include <string.h>

#include "board.h"
#include "family.h"

enum {
    ROUNDS = 201,
    WARM_UP = 5,
    ROUNDS_ALL = 51,
    STREAM = 5000,
    STREAM_ALL = 200,
    PATIENCE_S = 60,
    PING = PMIX_EXTERNAL_ERR_BASE - 1,
    PONG = PMIX_EXTERNAL_ERR_BASE - 2,
    ALL = PMIX_EXTERNAL_ERR_BASE - 3,
    ONE_OF_MANY = PMIX_EXTERNAL_ERR_BASE - 4
};

#define SENT "bench.sent" /* a number: which event it is */

static const struct crew *the_crew;
static unsigned stream_length; /* of ONE_OF_MANY, what each process waits for */
static unsigned seen[4];       /* of each code; handlers run one at a time */
static _Atomic bool wrong;

static void sent(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
        atomic_store(&wrong, true);
    }
}

/* to: that rank only, or all of the job when it is PMIX_RANK_WILDCARD. */
static bool notify(pmix_status_t code, pmix_rank_t to, uint64_t number)
{
    pmix_proc_t proc = crew_proc(the_crew, to);
    pmix_info_t info[2];
    pmix_status_t rc;

    number += family_corrupts();
    PMIX_INFO_CONSTRUCT(&info[0]);
    PMIX_INFO_CONSTRUCT(&info[1]);
    PMIX_INFO_LOAD(&info[0], SENT, &number, PMIX_UINT64);
    if (to != PMIX_RANK_WILDCARD) {
        PMIX_INFO_LOAD(&info[1], PMIX_EVENT_CUSTOM_RANGE, &proc, PMIX_PROC);
    }
    rc = PMIx_Notify_event(code, &the_crew->self,
                           to == PMIX_RANK_WILDCARD ? PMIX_RANGE_NAMESPACE : PMIX_RANGE_CUSTOM,
                           info, to == PMIX_RANK_WILDCARD ? 1 : 2, sent, NULL);
    PMIX_INFO_DESTRUCT(&info[0]);
    PMIX_INFO_DESTRUCT(&info[1]);
    return rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED;
}

static void handle(pmix_status_t code, const pmix_value_t *number)
{
    unsigned *n = &seen[PING - code];

    if (!number || number->type != PMIX_UINT64 || number->data.uint64 != (*n)++) {
        atomic_store(&wrong, true); /* lost, twice, or in another order */
    }
    if (code == PING) {
        if (!notify(PONG, 0, *n - 1)) {
            atomic_store(&wrong, true);
        }
    } else if (code != ONE_OF_MANY) {
        board_arrive();
    } else if (*n == stream_length) {
        *n = 0;
        board_arrive();
    }
}

static void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id;
    (void) results;
    (void) nresults;
    if (source->rank != the_crew->self.rank) { /* some libraries tell the sender, too */
        handle(code, family_find(info, ninfo, SENT));
    }
    if (cbfunc) {
        cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
    }
}

static void registered(pmix_status_t status, size_t id, void *cbdata)
{
    (void) id;
    family_done(status, cbdata);
}

static bool set_up(void)
{
    pmix_status_t codes[] = {PING, PONG, ALL, ONE_OF_MANY};
    struct awaited awaited = {.over = false};

    PMIx_Register_event_handler(codes, 4, NULL, 0, on_event, registered, &awaited);
    return family_await(PMIX_SUCCESS, &awaited) == PMIX_SUCCESS;
}

/* There and back: half of it is one way. */
static bool one_to_one(void)
{
    struct samples samples = {.n = 0};
    bool good = true;

    for (unsigned i = 0; i < scaled(ROUNDS) + WARM_UP && good; i++) {
        uint64_t start;

        board_reset(1);
        start = now_ns();
        good = notify(PING, 1, i) && board_wait(PATIENCE_S);
        if (i >= WARM_UP) {
            sample_add(&samples, (double) (board_time(STAMP_ARRIVED) - start) / 2);
        }
    }
    metric("event_one", good && !atomic_load(&wrong), &samples);
    return good;
}

static bool one_to_all(void)
{
    struct samples samples = {.n = 0};
    bool good = true;

    for (unsigned i = 0; i < scaled(ROUNDS_ALL) + WARM_UP && good; i++) {
        uint64_t start;

        board_reset(the_crew->size - 1);
        start = now_ns();
        good = notify(ALL, PMIX_RANK_WILDCARD, i) && board_wait(PATIENCE_S);
        if (i >= WARM_UP) {
            sample_add(&samples, (double) (board_time(STAMP_ARRIVED) - start));
        }
    }
    metric("event_all", good && !atomic_load(&wrong), &samples);
    return good;
}

/* As many as can be given to the library, until the last has been received by everybody. */
static bool stream(const char *name, pmix_rank_t to)
{
    bool good = true;
    uint64_t start;

    board_reset(to == PMIX_RANK_WILDCARD ? the_crew->size - 1 : 1);
    start = now_ns();
    for (unsigned i = 0; i < stream_length && good; i++) {
        good = notify(ONE_OF_MANY, to, i);
    }
    good = good && board_wait(PATIENCE_S);
    metric_one(name, good && !atomic_load(&wrong),
               stream_length * 1e9 / (double) (board_time(STAMP_ARRIVED) - start));
    return good;
}

bool family_event(const struct crew *crew)
{
    bool good;

    the_crew = crew;
    stream_length = scaled(STREAM); /* before events may come */
    if (!set_up() || !crew_fence(false)) {
        return false;
    }
    good = crew->self.rank != 0 || (one_to_one() && stream("event_one_per_s", 1));
    good &= crew_fence(false);
    stream_length = scaled(STREAM_ALL);
    good &= crew_fence(false);
    good &= crew->self.rank != 0 || crew->size == 2 ||
            (one_to_all() && stream("event_all_per_s", PMIX_RANK_WILDCARD));
    return crew_fence(false) && good && !atomic_load(&wrong);
}
