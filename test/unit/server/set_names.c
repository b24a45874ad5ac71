/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries about sets: the names of many, with a walk over the names for each one that is added
 * they would take longer than the program has; in parts, while sets come and go; and those of a
 * range. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/nspace/proc_sets.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/requests/query_local.h"
#include "src/server/state.h"

enum { N_SETS = 200000, N_QUERIES = 16 };

static void add_sets(struct px_server *s)
{
    pmix_proc_t member;
    char name[32];

    PMIX_LOAD_PROCID(&member, JOB, 0);
    for (unsigned i = 0; i < N_SETS; i++) {
        (void) snprintf(name, sizeof(name), "set%u", i);
        assert_non_null(px_proc_set_add(s->proc_sets, PX_SET_GROUP, name, &member, 1));
    }
}

/* The names are all there, in their order. */
static void query(struct px_server *s)
{
    pmix_query_t query = {.nqual = 0};
    struct px_upcall up = {.server = s};
    struct px_query_turn turn = {.left = SIZE_MAX};
    const pmix_data_array_t *names;
    char last[32];

    assert_int_equal(
        px_query_local(&up, &query, PMIX_QUERY_GROUP_NAMES, &turn, &up.reply.info, &up.reply.ninfo),
        0);
    assert_int_equal(up.reply.ninfo, 1);
    assert_int_equal(up.reply.info[0].value.type, PMIX_DATA_ARRAY);
    names = up.reply.info[0].value.data.darray;
    assert_int_equal(names->type, PMIX_STRING);
    assert_int_equal(names->size, N_SETS);
    (void) snprintf(last, sizeof(last), "set%d", N_SETS - 1);
    assert_string_equal(((char **) names->array)[0], "set0");
    assert_string_equal(((char **) names->array)[N_SETS - 1], last);
    PMIx_Info_free(up.reply.info, up.reply.ninfo);
}

/* What the test does on the loop's thread. */
static void try_names(void *arg)
{
    struct px_server *s = px_ctx()->server;

    (void) arg;
    add_sets(s);
    for (int i = 0; i < N_QUERIES; i++) {
        query(s);
    }
}

static void names_of_many(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, try_names, NULL), 0);
}

/* --- parts --- */

/* One part of the answer with the names of groups: so many sets, or names of sets, are looked at.
 */
static int part(struct px_upcall *up, struct px_query_turn *turn, size_t left)
{
    static const pmix_query_t query = {.nqual = 0};

    turn->left = left;
    return px_query_local(up, &query, PMIX_QUERY_GROUP_NAMES, turn, &up->reply.info,
                          &up->reply.ninfo);
}

static struct px_proc_set *add_group(struct px_server *s, const char *name)
{
    pmix_proc_t member;

    PMIX_LOAD_PROCID(&member, JOB, 0);
    return px_proc_set_add(s->proc_sets, PX_SET_GROUP, name, &member, 1);
}

static void assert_strings(const struct px_upcall *up, const char *const *names, size_t n)
{
    const pmix_data_array_t *array = up->reply.info[0].value.data.darray;

    assert_int_equal(up->reply.ninfo, 1);
    assert_string_equal(up->reply.info[0].key, PMIX_QUERY_GROUP_NAMES);
    assert_int_equal(array->size, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(((char **) array->array)[i], names[i]);
    }
}

/* The sets at which a part ends are removed before the next one, and one is added. Another walk's
 * place stays behind its set. */
static void try_parts(void *arg)
{
    static const char *const names[] = {"a", "b", "d", "e", "f"};
    struct px_server *s = px_ctx()->server;
    struct px_upcall up = {.server = s};
    struct px_query_turn turn = {.left = 0};
    struct px_proc_set *sets[5];
    struct px_proc_set place;

    (void) arg;
    for (size_t i = 0; i < 5; i++) {
        sets[i] = add_group(s, (const char *[]){"a", "b", "c", "d", "e"}[i]);
    }
    px_proc_set_mark(sets[1], &place);
    assert_int_equal(part(&up, &turn, 0), PX_QUERY_MORE);
    assert_int_equal(part(&up, &turn, 4), PX_QUERY_MORE); /* each counts, and its name */
    assert_int_equal(turn.left, 0);
    assert_true(px_proc_set_is_marked(sets[1], &place));
    px_proc_set_remove(sets[1]);
    px_proc_set_remove(sets[2]);
    assert_non_null(add_group(s, "f"));
    assert_int_equal(part(&up, &turn, 4), PX_QUERY_MORE);
    assert_int_equal(up.reply.ninfo, 0);
    assert_int_equal(part(&up, &turn, 2), 0);
    px_list_remove(&place.link);
    assert_strings(&up, names, sizeof(names) / sizeof(names[0]));
    PMIx_Info_free(up.reply.info, up.reply.ninfo);
}

static void names_in_parts(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, try_parts, NULL), 0);
}

/* A walk that has not come to its end leaves nothing behind. */
static void try_end(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_upcall up = {.server = s};
    struct px_query_turn turn = {.left = 0};
    struct px_proc_set *set = add_group(s, "a");

    (void) arg;
    assert_non_null(add_group(s, "b"));
    assert_int_equal(part(&up, &turn, 2), PX_QUERY_MORE);
    px_sets_walk_fini(&turn.walk);
    px_sets_walk_fini(&turn.walk);
    assert_ptr_equal(s->proc_sets->list.next, &set->link);
    px_proc_set_remove(set);
    assert_false(px_list_empty(&s->proc_sets->list));
}

static void a_walk_that_ends_early(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, try_end, NULL), 0);
}

/* --- ranges --- */

static void add_set(struct px_server *s, const char *name, const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t member;

    PMIX_LOAD_PROCID(&member, nspace, rank);
    assert_non_null(px_proc_set_add(s->proc_sets, PX_SET_PSET, name, &member, 1));
}

/* What a process of the job is answered for a range; NULL: nothing. */
static void assert_names(const char *names, const void *range, pmix_data_type_t type)
{
    pmix_query_t query = {.nqual = 1, .qualifiers = PMIx_Info_create(1)};
    struct px_upcall up = {.server = px_ctx()->server};
    struct px_query_turn turn = {.left = SIZE_MAX};

    PMIX_LOAD_PROCID(&up.proc, JOB, 0);
    assert_int_equal(PMIx_Info_load(query.qualifiers, PMIX_RANGE, range, type), 0);
    assert_int_equal(
        px_query_local(&up, &query, PMIX_QUERY_PSET_NAMES, &turn, &up.reply.info, &up.reply.ninfo),
        0);
    assert_int_equal(
        px_query_local(&up, &query, PMIX_QUERY_NUM_PSETS, &turn, &up.reply.info, &up.reply.ninfo),
        0);
    assert_string_equal(up.reply.info[0].value.data.string, names);
    assert_int_equal(up.reply.info[1].value.data.size, (strlen(names) + 1) / 2);
    PMIx_Info_free(up.reply.info, up.reply.ninfo);
    PMIx_Info_free(query.qualifiers, 1);
}

/* What the test does on the loop's thread. */
static void try_ranges(void *arg)
{
    static const struct {
        pmix_data_range_t range;
        const char *names;
    } seen[] = {
        {PMIX_RANGE_PROC_LOCAL, "a,c"},
        {PMIX_RANGE_NAMESPACE, "a,b,c,d"},
        {PMIX_RANGE_LOCAL, "a,b,c"},
        {PMIX_RANGE_SESSION, "a,b,c,d,e"},
        {PMIX_RANGE_GLOBAL, "a,b,c,d,e"},
        {PMIX_RANGE_UNDEF, "a,b,c,d,e"},
        {PMIX_RANGE_RM, ""},
        {PMIX_RANGE_CUSTOM, ""},
    };
    struct px_server *s = px_ctx()->server;

    (void) arg;
    add_set(s, "a", JOB, 0);
    add_set(s, "b", JOB, 1);
    add_set(s, "c", JOB, PMIX_RANK_WILDCARD);
    add_set(s, "d", JOB, 7);
    add_set(s, "e", "elsewhere", 0);
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
        assert_names(seen[i].names, &seen[i].range, PMIX_DATA_RANGE);
    }
    assert_names("", "local", PMIX_STRING);
}

static void sets_of_a_range(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, try_ranges, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_of_many, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(names_in_parts, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(a_walk_that_ends_early, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(sets_of_a_range, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
