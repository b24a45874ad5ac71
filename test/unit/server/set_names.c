/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries about sets: the names of many, with a walk over the names for each one that is added
 * they would take longer than the program has; and those of a range. */

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
    const pmix_data_array_t *names;
    char last[32];

    assert_int_equal(px_query_local(&up, &query, PMIX_QUERY_GROUP_NAMES), 0);
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

    PMIX_LOAD_PROCID(&up.proc, JOB, 0);
    assert_int_equal(PMIx_Info_load(query.qualifiers, PMIX_RANGE, range, type), 0);
    assert_int_equal(px_query_local(&up, &query, PMIX_QUERY_PSET_NAMES), 0);
    assert_int_equal(px_query_local(&up, &query, PMIX_QUERY_NUM_PSETS), 0);
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
        cmocka_unit_test_setup_teardown(sets_of_a_range, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
