/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* EVT-001, EVT-003..005, EVT-008, EVT-011, EVT-012, EVT-018, EVT-019: who is called, and in which
 * order. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "fixture.h"

static char trace[256];

/* Appends the handler's name to the trace and passes on. */
static void note(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                 size_t ninfo, pmix_info_t *results, size_t nresults,
                 pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (strcmp(info[i].key, PMIX_EVENT_HDLR_NAME) == 0) {
            strcat(trace, info[i].value.data.string);
        }
    }
    cbfunc(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

/* Registers a handler of that name with one more directive, whose value is a string, or a true
 * switch. */
static int add_named(const char *name, const pmix_status_t *codes, size_t ncodes, const char *key,
                     const char *text, size_t *id)
{
    pmix_info_t info[2];
    bool yes = true;
    size_t n = 1;
    int rc;

    PMIx_Info_construct(&info[0]);
    PMIx_Info_construct(&info[1]);
    PMIx_Info_load(&info[0], PMIX_EVENT_HDLR_NAME, name, PMIX_STRING);
    if (key != NULL) {
        PMIx_Info_load(&info[1], key, text != NULL ? (const void *) text : (const void *) &yes,
                       text != NULL ? PMIX_STRING : PMIX_BOOL);
        n = 2;
    }
    rc = add(codes, ncodes, info, n, note, id);
    PMIx_Info_destruct(&info[0]);
    PMIx_Info_destruct(&info[1]);
    return rc;
}

static void expect(pmix_status_t code, const char *order)
{
    trace[0] = '\0';
    deliver_code(code);
    assert_string_equal(trace, order);
}

static const pmix_status_t one[] = {-5000};
static const pmix_status_t two[] = {-5000, 7};

static void categories_in_order(void **state)
{
    (void) state;
    assert_int_equal(add_named("d", NULL, 0, NULL, NULL, NULL), 0);
    assert_int_equal(add_named("L", one, 1, PMIX_EVENT_HDLR_LAST, NULL, NULL), 0);
    assert_int_equal(add_named("m", two, 2, NULL, NULL, NULL), 0);
    assert_int_equal(add_named("s", one, 1, NULL, NULL, NULL), 0);
    assert_int_equal(add_named("F", one, 1, PMIX_EVENT_HDLR_FIRST, NULL, NULL), 0);
    expect(-5000, "FsmdL");
    expect(7, "md");
    expect(-1, "d");
}

static void one_first_and_one_last(void **state)
{
    size_t id;

    (void) state;
    assert_int_equal(add_named("F", one, 1, PMIX_EVENT_HDLR_FIRST, NULL, &id), 0);
    assert_int_equal(add_named("G", one, 1, PMIX_EVENT_HDLR_FIRST, NULL, NULL),
                     PMIX_ERR_EVENT_REGISTRATION);
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = id}), 0);
    assert_int_equal(add_named("G", one, 1, PMIX_EVENT_HDLR_FIRST, NULL, NULL), 0);
    assert_int_equal(add_named("L", one, 1, PMIX_EVENT_HDLR_LAST, NULL, NULL), 0);
    assert_int_equal(add_named("M", one, 1, PMIX_EVENT_HDLR_LAST, NULL, NULL),
                     PMIX_ERR_EVENT_REGISTRATION);
    expect(-5000, "GL");
}

static void places_within_a_category(void **state)
{
    (void) state;
    assert_int_equal(add_named("a", one, 1, NULL, NULL, NULL), 0);
    assert_int_equal(add_named("b", one, 1, PMIX_EVENT_HDLR_APPEND, NULL, NULL), 0);
    assert_int_equal(add_named("c", one, 1, PMIX_EVENT_HDLR_PREPEND, NULL, NULL), 0);
    expect(-5000, "cab");
    assert_int_equal(add_named("d", one, 1, PMIX_EVENT_HDLR_BEFORE, "a", NULL), 0);
    assert_int_equal(add_named("e", one, 1, PMIX_EVENT_HDLR_AFTER, "a", NULL), 0);
    expect(-5000, "cdaeb");
    assert_int_equal(add_named("f", one, 1, PMIX_EVENT_HDLR_FIRST_IN_CATEGORY, NULL, NULL), 0);
    assert_int_equal(add_named("l", one, 1, PMIX_EVENT_HDLR_LAST_IN_CATEGORY, NULL, NULL), 0);
    assert_int_equal(add_named("g", one, 1, PMIX_EVENT_HDLR_FIRST_IN_CATEGORY, NULL, NULL),
                     PMIX_ERR_EVENT_REGISTRATION);
    assert_int_equal(add_named("p", one, 1, PMIX_EVENT_HDLR_PREPEND, NULL, NULL), 0);
    assert_int_equal(add_named("q", one, 1, PMIX_EVENT_HDLR_APPEND, NULL, NULL), 0);
    expect(-5000, "fpcdaebql");
}

/* Programs register handlers in an order of their own, and one library does not know whether the
 * other is in the process: the name may never come. */
static void places_by_names_that_are_not_there(void **state)
{
    (void) state;
    assert_int_equal(add_named("a", one, 1, PMIX_EVENT_HDLR_AFTER, "nobody", NULL), 0);
    assert_int_equal(add_named("b", one, 1, NULL, NULL, NULL), 0);
    assert_int_equal(add_named("c", one, 1, PMIX_EVENT_HDLR_BEFORE, "nobody", NULL), 0);
    assert_int_equal(add_named("d", two, 2, PMIX_EVENT_HDLR_BEFORE, "a", NULL), 0);
    expect(-5000, "bacd");
    assert_int_equal(add_named("l", one, 1, PMIX_EVENT_HDLR_LAST_IN_CATEGORY, NULL, NULL), 0);
    assert_int_equal(add_named("e", one, 1, PMIX_EVENT_HDLR_AFTER, "nobody", NULL), 0);
    expect(-5000, "baceld");
}

/* The first and the last of a category stay so, whoever asks for a place beside them. [EVT-005] */
static void places_beside_the_pinned(void **state)
{
    (void) state;
    assert_int_equal(add_named("f", one, 1, PMIX_EVENT_HDLR_FIRST_IN_CATEGORY, NULL, NULL), 0);
    assert_int_equal(add_named("l", one, 1, PMIX_EVENT_HDLR_LAST_IN_CATEGORY, NULL, NULL), 0);
    assert_int_equal(add_named("a", one, 1, PMIX_EVENT_HDLR_BEFORE, "f", NULL), 0);
    assert_int_equal(add_named("b", one, 1, PMIX_EVENT_HDLR_AFTER, "l", NULL), 0);
    assert_int_equal(add_named("c", one, 1, PMIX_EVENT_HDLR_AFTER, "f", NULL), 0);
    assert_int_equal(add_named("d", one, 1, PMIX_EVENT_HDLR_BEFORE, "l", NULL), 0);
    expect(-5000, "fcabdl");
}

/* Registers `name` as first or last of its category and before another one. */
static int add_twice_placed(const char *name, const char *pin, const char *before)
{
    pmix_info_t info[3];
    bool yes = true;
    int rc;

    PMIx_Info_load(&info[0], PMIX_EVENT_HDLR_NAME, name, PMIX_STRING);
    PMIx_Info_load(&info[1], PMIX_EVENT_HDLR_BEFORE, before, PMIX_STRING);
    PMIx_Info_load(&info[2], pin, &yes, PMIX_BOOL);
    rc = add(one, 1, info, 3, note, NULL);
    for (int i = 0; i < 3; i++) {
        PMIx_Info_destruct(&info[i]);
    }
    return rc;
}

static void places_that_contradict(void **state)
{
    pmix_info_t both[2];
    bool yes = true;

    (void) state;
    assert_int_equal(add_named("b", one, 1, NULL, NULL, NULL), 0);
    assert_int_equal(add_named("a", one, 1, NULL, NULL, NULL), 0);
    assert_int_equal(add_twice_placed("f", PMIX_EVENT_HDLR_FIRST_IN_CATEGORY, "b"), 0);
    assert_int_equal(add_twice_placed("l", PMIX_EVENT_HDLR_LAST_IN_CATEGORY, "b"), 0);
    expect(-5000, "fabl");
    assert_int_equal(add_named("p", one, 1, PMIX_EVENT_HDLR_PREPEND, NULL, NULL), 0);
    expect(-5000, "fpabl");
    PMIx_Info_load(&both[0], PMIX_EVENT_HDLR_FIRST_IN_CATEGORY, &yes, PMIX_BOOL);
    PMIx_Info_load(&both[1], PMIX_EVENT_HDLR_LAST_IN_CATEGORY, &yes, PMIX_BOOL);
    assert_int_equal(add(two, 2, both, 2, note, NULL), PMIX_ERR_BAD_PARAM);
    PMIx_Info_load(&both[0], PMIX_EVENT_HDLR_FIRST, &yes, PMIX_BOOL);
    PMIx_Info_load(&both[1], PMIX_EVENT_HDLR_LAST, &yes, PMIX_BOOL);
    assert_int_equal(add(two, 2, both, 2, note, NULL), PMIX_ERR_BAD_PARAM);
}

/* A one-shot handler is removed by its own call. */
static void a_one_shot_is_reported(void **state)
{
    pmix_info_t info;
    bool yes = true;

    (void) state;
    PMIx_Info_load(&info, PMIX_EVENT_ONESHOT, &yes, PMIX_BOOL);
    assert_int_equal(add(two, 2, &info, 1, note, NULL), 0);
    assert_int_equal(add(one, 1, NULL, 0, note, NULL), 0);
    deliver_code(7);
    assert_true(dropped.reports == 1 && dropped.n == 1 && dropped.codes[0] == 7);
}

/* A handler of this process's own events has asked no server, so that it stands in nobody's way. */
static void local_handlers_ask_nobody(void **state)
{
    pmix_data_range_t here = PMIX_RANGE_PROC_LOCAL;
    pmix_info_t info;
    size_t a;
    size_t b;

    (void) state;
    PMIx_Info_load(&info, PMIX_RANGE, &here, PMIX_DATA_RANGE);
    assert_int_equal(add(one, 1, &info, 1, note, &a), 0);
    assert_false(ask(asked_on_loop, (struct asking){.code = one[0]}));
    assert_true(ask(wanted_on_loop, (struct asking){.code = one[0]}));
    assert_int_equal(add(one, 1, NULL, 0, note, &b), 0);
    assert_true(ask(asked_on_loop, (struct asking){.code = one[0]}));
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = b}), 0);
    assert_true(dropped.reports == 1 && dropped.n == 1 && dropped.codes[0] == one[0]);
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = a}), 0);
    assert_int_equal(dropped.reports, 1);
}

static void removal(void **state)
{
    size_t a;
    size_t b;
    size_t d;

    (void) state;
    assert_int_equal(add_named("a", one, 1, NULL, NULL, &a), 0);
    assert_int_equal(a, 1);
    assert_int_equal(add_named("b", two, 2, NULL, NULL, &b), 0);
    assert_int_equal(add_named("d", NULL, 0, NULL, NULL, &d), 0);
    assert_true(ask(wanted_on_loop, (struct asking){.code = 99}));
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = 0}), PMIX_ERR_BAD_PARAM);
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = 1000}), PMIX_ERR_BAD_PARAM);
    assert_int_equal(dropped.reports, 0);
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = b}), 0);
    assert_true(dropped.reports == 1 && dropped.n == 1 && dropped.codes[0] == 7);
    assert_false(dropped.defaults);
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = d}), 0);
    assert_true(dropped.reports == 2 && dropped.n == 1 && dropped.defaults);
    assert_false(ask(wanted_on_loop, (struct asking){.code = 99}));
    assert_int_equal(ask(remove_on_loop, (struct asking){.id = b}), PMIX_ERR_BAD_PARAM);
    expect(-5000, "a");
}

/* A number is not given where there is no handler. */
static int try_add(const pmix_status_t *codes, const pmix_info_t *info, size_t ninfo,
                   pmix_notification_fn_t fn)
{
    struct adding a = {codes, 1, info, ninfo, fn, true, 77, 0};

    assert_int_equal(px_loop_run(loop, add_on_loop, &a), 0);
    assert_int_equal(a.id, 77);
    return a.rc;
}

static void bad_arguments(void **state)
{
    pmix_info_t info;
    int number = 3;

    (void) state;
    assert_int_equal(try_add(one, NULL, 0, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(try_add(NULL, NULL, 0, note), PMIX_ERR_BAD_PARAM);
    assert_int_equal(try_add(one, NULL, 1, note), PMIX_ERR_BAD_PARAM);
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_EVENT_HDLR_NAME, &number, PMIX_INT);
    assert_int_equal(try_add(one, &info, 1, note), PMIX_ERR_BAD_PARAM);
    PMIx_Info_load(&info, PMIX_EVENT_AFFECTED_PROC, &number, PMIX_INT);
    assert_int_equal(try_add(one, &info, 1, note), PMIX_ERR_BAD_PARAM);
}

static void non_default_skips_defaults(void **state)
{
    struct px_event event = {.code = -5000};
    pmix_info_t info;
    bool yes = true;

    (void) state;
    assert_int_equal(add_named("d", NULL, 0, NULL, NULL, NULL), 0);
    assert_int_equal(add_named("s", one, 1, NULL, NULL, NULL), 0);
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    event.info = &info;
    event.ninfo = 1;
    trace[0] = '\0';
    deliver(&event);
    assert_string_equal(trace, "s");
}

static void only_affected(void **state)
{
    struct px_event event = {.code = -5000};
    pmix_info_t reg[2];
    pmix_info_t info;
    pmix_proc_t proc;

    (void) state;
    PMIx_Info_construct(&reg[0]);
    PMIx_Info_construct(&reg[1]);
    PMIx_Info_construct(&info);
    PMIx_Load_procid(&proc, "job", 5);
    PMIx_Info_load(&reg[0], PMIX_EVENT_HDLR_NAME, "a", PMIX_STRING);
    PMIx_Info_load(&reg[1], PMIX_EVENT_AFFECTED_PROC, &proc, PMIX_PROC);
    assert_int_equal(add(one, 1, reg, 2, note, NULL), 0);
    PMIx_Info_destruct(&reg[0]);
    PMIx_Info_destruct(&reg[1]);
    event.info = &info;
    event.ninfo = 1;
    PMIx_Info_load(&info, PMIX_EVENT_AFFECTED_PROC, &proc, PMIX_PROC);
    trace[0] = '\0';
    deliver(&event);
    assert_string_equal(trace, "a");
    PMIx_Info_destruct(&info);
    proc.rank = 6;
    PMIx_Info_load(&info, PMIX_EVENT_AFFECTED_PROC, &proc, PMIX_PROC);
    deliver(&event);
    assert_string_equal(trace, "a");
    PMIx_Info_destruct(&info);
    event.ninfo = 0;
    deliver(&event);
    assert_string_equal(trace, "aa");
}

#define with_registry(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* What a server is asked for; what is this process's own business is not. */
static void codes_to_ask_for(void **state)
{
    const pmix_status_t some[] = {-2000, -2001};
    const pmix_status_t more[] = {-2001, -2002, -2003};
    pmix_data_range_t here = PMIX_RANGE_PROC_LOCAL;
    pmix_status_t *codes = NULL;
    pmix_info_t info;
    bool defaults = true;
    size_t n = 9;
    size_t id;

    (void) state;
    assert_int_equal(ask(codes_on_loop, (struct asking){0, 0, &codes, &n, &defaults, 0}), 0);
    assert_true(n == 0 && !defaults);
    free(codes);
    PMIx_Info_load(&info, PMIX_RANGE, &here, PMIX_DATA_RANGE);
    assert_int_equal(add(some, 2, NULL, 0, note, &id), 0);
    assert_int_equal(add(more, 2, NULL, 0, note, &id), 0);
    assert_int_equal(add(more + 2, 1, &info, 1, note, &id), 0);
    assert_int_equal(ask(codes_on_loop, (struct asking){0, 0, &codes, &n, &defaults, 0}), 0);
    assert_true(n == 3 && !defaults);
    assert_true(codes[0] + codes[1] + codes[2] == -2000 - 2001 - 2002);
    free(codes);
    assert_int_equal(add(NULL, 0, NULL, 0, note, &id), 0);
    assert_int_equal(ask(codes_on_loop, (struct asking){0, 0, &codes, &n, &defaults, 0}), 0);
    assert_true(n == 3 && defaults);
    free(codes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_registry(categories_in_order),
        with_registry(one_first_and_one_last),
        with_registry(places_within_a_category),
        with_registry(places_by_names_that_are_not_there),
        with_registry(places_beside_the_pinned),
        with_registry(places_that_contradict),
        with_registry(a_one_shot_is_reported),
        with_registry(local_handlers_ask_nobody),
        with_registry(removal),
        with_registry(bad_arguments),
        with_registry(non_default_skips_defaults),
        with_registry(only_affected),
        with_registry(codes_to_ask_for),
    };

    return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
