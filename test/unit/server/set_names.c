/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries for the names of many sets. With a walk over the names for each one that is added they
 * would take longer than the program has. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
        assert_non_null(px_proc_set_add(&s->proc_sets, PX_SET_GROUP, name, &member, 1));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_of_many, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
