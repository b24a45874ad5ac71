/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* EVT-002, EVT-006..008, EVT-023: how an event goes from one handler to the next.
 * Covers: EVT-002 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "fixture.h"
#include "src/event/chain.h"

#include <pthread.h>

#include "test/unit/net/faults.h"

static int n_calls;
static size_t seen_results;
static pmix_status_t seen_status;
static char seen_name[PMIX_MAX_KEYLEN + 1];
static char seen_given[PMIX_MAX_KEYLEN + 1]; /* the key of the second result */
static void *seen_object;

static const pmix_status_t code[] = {-5000};

static void count(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                  size_t ninfo, pmix_info_t *results, size_t nresults,
                  pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id;
    (void) status;
    assert_string_equal(source->nspace, "job");
    n_calls++;
    seen_results = nresults;
    if (nresults > 0) {
        seen_status = results[0].value.data.status;
        snprintf(seen_name, sizeof(seen_name), "%s", results[0].key);
    }
    if (nresults > 1) {
        snprintf(seen_given, sizeof(seen_given), "%s", results[1].key);
    }
    for (size_t i = 0; i < ninfo; i++) {
        if (strcmp(info[i].key, PMIX_EVENT_RETURN_OBJECT) == 0) {
            seen_object = info[i].value.data.ptr;
        }
    }
    cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static int n_released;

static void released(pmix_status_t status, void *cbdata)
{
    assert_int_equal(status, PMIX_SUCCESS);
    PMIx_Info_free(cbdata, 1);
    n_released++;
}

/* Gives one result of its own. */
static void give(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                 size_t ninfo, pmix_info_t *results, size_t nresults,
                 pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    pmix_info_t *mine = PMIx_Info_create(1);

    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    PMIx_Info_load(mine, "my.result", "text", PMIX_STRING);
    cbfunc(PMIX_EVENT_PARTIAL_ACTION_TAKEN, mine, 1, released, mine, cbdata);
}

static uint64_t scarce_step;

/* The same, and from now on the allocation of that number fails. */
static void give_scarce(size_t id, pmix_status_t status, const pmix_proc_t *source,
                        pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                        pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    pmix_info_t *mine = PMIx_Info_create(1);

    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    PMIx_Info_load(mine, "my.result", "text", PMIX_STRING);
    scarce_from(scarce_step);
    cbfunc(PMIX_EVENT_PARTIAL_ACTION_TAKEN, mine, 1, released, mine, cbdata);
}

static void stop(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                 size_t ninfo, pmix_info_t *results, size_t nresults,
                 pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* A handler that answers from another thread, twice. */
struct late {
    pmix_event_notification_cbfunc_fn_t cbfunc;
    void *cbdata;
};
static struct late late;
static pthread_t late_thread;

static void *answer_late(void *arg)
{
    struct late *l = arg;

    l->cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, l->cbdata);
    return NULL;
}

static void answer_in_thread(size_t id, pmix_status_t status, const pmix_proc_t *source,
                             pmix_info_t info[], size_t ninfo, pmix_info_t *results,
                             size_t nresults, pmix_event_notification_cbfunc_fn_t cbfunc,
                             void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    late = (struct late){cbfunc, cbdata};
    assert_int_equal(pthread_create(&late_thread, NULL, answer_late, &late), 0);
}

static void keep_waiting(size_t id, pmix_status_t status, const pmix_proc_t *source,
                         pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                         pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    late = (struct late){cbfunc, cbdata};
}

static void results_accumulate(void **state)
{
    pmix_info_t name;

    (void) state;
    n_calls = 0;
    n_released = 0;
    PMIx_Info_construct(&name);
    PMIx_Info_load(&name, PMIX_EVENT_HDLR_NAME, "giver", PMIX_STRING);
    assert_int_equal(add(code, 1, NULL, 0, count, NULL), 0);
    assert_int_equal(add(code, 1, &name, 1, give, NULL), 0); /* in front */
    PMIx_Info_destruct(&name);
    deliver_code(-5000);
    assert_int_equal(n_calls, 1);
    assert_int_equal(n_released, 1);
    assert_int_equal(seen_results, 2);
    assert_int_equal(seen_status, PMIX_EVENT_PARTIAL_ACTION_TAKEN);
    assert_string_equal(seen_name, "giver");
    assert_string_equal(seen_given, "my.result");
}

static void complete_ends_the_chain(void **state)
{
    (void) state;
    n_calls = 0;
    assert_int_equal(add(code, 1, NULL, 0, count, NULL), 0);
    assert_int_equal(add(code, 1, NULL, 0, stop, NULL), 0); /* in front */
    deliver_code(-5000);
    assert_int_equal(n_calls, 0);
}

static void the_object_comes_back(void **state)
{
    pmix_info_t info;
    int object;

    (void) state;
    seen_object = NULL;
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_EVENT_RETURN_OBJECT, &object, PMIX_POINTER);
    assert_int_equal(add(code, 1, &info, 1, count, NULL), 0);
    deliver_code(-5000);
    assert_ptr_equal(seen_object, &object);
}

static void answers_from_any_thread(void **state)
{
    (void) state;
    n_calls = 0;
    assert_int_equal(add(code, 1, NULL, 0, count, NULL), 0);
    assert_int_equal(add(code, 1, NULL, 0, answer_in_thread, NULL), 0); /* in front */
    deliver_code(-5000);
    assert_int_equal(n_calls, 1);
    pthread_join(late_thread, NULL);
}

static void nothing_before_ready(void **state)
{
    struct adding a = {code, 1, NULL, 0, count, false, 0, 0};
    struct px_event event = {.code = -5000};

    (void) state;
    n_calls = 0;
    PMIx_Load_procid(&event.source, "job", 0);
    assert_int_equal(px_loop_run(loop, add_on_loop, &a), 0);
    deliver(&event);
    deliver(&event);
    assert_int_equal(n_calls, 0);
    (void) ask(ready_on_loop, (struct asking){.id = a.id});
    deliver(&event); /* comes after the two that were held */
    assert_int_equal(n_calls, 3);
}

static void oneshot(void **state)
{
    pmix_info_t info;
    bool yes = true;

    (void) state;
    n_calls = 0;
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_EVENT_ONESHOT, &yes, PMIX_BOOL);
    assert_int_equal(add(code, 1, &info, 1, count, NULL), 0);
    deliver_code(-5000);
    deliver_code(-5000);
    assert_int_equal(n_calls, 1);
}

static void nothing(void *arg)
{
    (void) arg;
}

/* Returns when all that was posted to the loop before has run. */
static void settle(void)
{
    assert_int_equal(px_loop_run(loop, nothing, NULL), 0);
    assert_int_equal(px_loop_run(loop, nothing, NULL), 0);
}

/* A second completion of one handler is neither the completion of the next one, nor does it touch a
 * chain that has ended. */
static void a_second_completion_counts_for_nobody(void **state)
{
    struct px_wait wait;
    struct px_event event = {.code = -5000, .source.nspace = "job"};
    struct delivering d = {&event, &wait, 0};
    struct late first;

    (void) state;
    n_calls = 0;
    px_wait_init(&wait);
    assert_int_equal(add(code, 1, NULL, 0, count, NULL), 0);
    assert_int_equal(add(code, 1, NULL, 0, keep_waiting, NULL), 0);
    assert_int_equal(add(code, 1, NULL, 0, keep_waiting, NULL), 0);
    assert_int_equal(px_loop_run(loop, deliver_on_loop, &d), 0);
    settle();
    first = late;
    first.cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, first.cbdata);
    settle();
    first.cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, first.cbdata);
    settle();
    assert_int_equal(n_calls, 0);
    assert_false(px_wait_is_done(&wait));
    late.cbfunc(PMIX_EVENT_NO_ACTION_TAKEN, NULL, 0, NULL, NULL, late.cbdata);
    assert_int_equal(px_wait_for(&wait), 0);
    assert_int_equal(n_calls, 1);
    assert_int_equal(seen_results, 2);
    first.cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, first.cbdata);
    late.cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, late.cbdata);
}

/* A handler that is deregistered while an event is on its way to it is passed over. */
static void a_handler_that_is_gone_is_passed_over(void **state)
{
    struct px_wait wait;
    struct px_event event = {.code = -5000, .source.nspace = "job"};
    struct delivering d = {&event, &wait, 0};
    size_t id;

    (void) state;
    n_calls = 0;
    px_wait_init(&wait);
    assert_int_equal(add(code, 1, NULL, 0, count, &id), 0);
    assert_int_equal(add(code, 1, NULL, 0, keep_waiting, NULL), 0); /* in front */
    assert_int_equal(px_loop_run(loop, deliver_on_loop, &d), 0);
    settle();
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = id}), 0);
    late.cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, late.cbdata);
    assert_int_equal(px_wait_for(&wait), 0);
    assert_int_equal(n_calls, 0);
}

/* Whatever is short of memory while a handler gives results, nothing of them is left behind. */
static void results_without_memory(void **state)
{
    uint64_t n = 0;

    (void) state;
    n_calls = 0;
    assert_int_equal(add(code, 1, NULL, 0, count, NULL), 0);
    assert_int_equal(add(code, 1, NULL, 0, give_scarce, NULL), 0); /* in front */
    do {
        n++;
        scarce_step = n;
        deliver_code(-5000);
    } while (scarce_reached());
    scarce_from(0);
    assert_int_equal(n_calls, n);
    assert_int_equal(seen_results, 2);
    assert_true(n > 2);
}

/* The registry goes while a handler still owes its answer. */
static void answer_after_the_end(void **state)
{
    struct px_wait wait;
    struct px_event event = {.code = -5000};
    struct delivering d = {&event, &wait, 0};

    (void) state;
    px_wait_init(&wait);
    assert_int_equal(add(code, 1, NULL, 0, keep_waiting, NULL), 0);
    assert_int_equal(px_loop_run(loop, deliver_on_loop, &d), 0);
    assert_int_equal(d.rc, 0);
    assert_int_equal(px_loop_run(loop, destroy_on_loop, events), 0);
    events = NULL;
    late.cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, late.cbdata);
}

static void deliver_and_destroy(void *arg)
{
    deliver_on_loop(arg);
    px_events_destroy(events);
}

/* The registry goes before the first handler was called: none is, and no end is reported. */
static void the_end_before_the_first_call(void **state)
{
    struct px_wait wait;
    struct px_event event = {.code = -5000, .source.nspace = "job"};
    struct delivering d = {&event, &wait, 0};

    (void) state;
    n_calls = 0;
    px_wait_init(&wait);
    assert_int_equal(add(code, 1, NULL, 0, count, NULL), 0);
    assert_int_equal(px_loop_run(loop, deliver_and_destroy, &d), 0);
    events = NULL;
    settle();
    assert_int_equal(d.rc, 0);
    assert_int_equal(n_calls, 0);
    assert_false(px_wait_is_done(&wait));
}

#define with_registry(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static char seen_text[16];

static void keep_text(size_t id, pmix_status_t status, const pmix_proc_t *source,
                      pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                      pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    assert_int_equal(ninfo, 1);
    snprintf(seen_text, sizeof(seen_text), "%s", info[0].value.data.string);
    cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

struct short_lived {
    struct px_wait wait;
    pmix_info_t info;
    int rc;
};

/* The chain starts when this has returned: the caller's value is gone by then. */
static void deliver_short_lived(void *arg)
{
    struct short_lived *s = arg;
    struct px_event event = {
        .code = code[0], .range = PMIX_RANGE_LOCAL, .info = &s->info, .ninfo = 1};

    s->rc = px_events_deliver(events, &event, chain_done, &s->wait);
    memset(s->info.value.data.string, 'x', 4);
    PMIx_Value_destruct(&s->info.value);
}

/* "Persistent" tells who releases a value, not how long it lives. */
static void persistent_values_are_copied(void **state)
{
    struct short_lived s;

    (void) state;
    assert_int_equal(add(code, 1, NULL, 0, keep_text, NULL), 0);
    px_wait_init(&s.wait);
    assert_int_equal(PMIx_Info_load(&s.info, "some.key", "text", PMIX_STRING), PMIX_SUCCESS);
    PMIx_Info_persistent(&s.info);
    assert_int_equal(px_loop_run(loop, deliver_short_lived, &s), 0);
    assert_int_equal(s.rc, 0);
    assert_int_equal(px_wait_for(&s.wait), 0);
    assert_string_equal(seen_text, "text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_registry(results_accumulate),
        with_registry(complete_ends_the_chain),
        with_registry(the_object_comes_back),
        with_registry(answers_from_any_thread),
        with_registry(nothing_before_ready),
        with_registry(oneshot),
        with_registry(a_second_completion_counts_for_nobody),
        with_registry(a_handler_that_is_gone_is_passed_over),
        with_registry(results_without_memory),
        with_registry(answer_after_the_end),
        with_registry(the_end_before_the_first_call),
        with_registry(persistent_values_are_copied),
    };

    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
