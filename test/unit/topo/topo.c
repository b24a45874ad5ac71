/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "test/unit/topo/use.h"
#include "src/topo/cpuset.h"
#include "src/topo/locality.h"
#include "src/topo/topo_values.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int n_provider_calls;

static char *provide(void *arg)
{
    n_provider_calls++;
    return arg != NULL ? strdup(arg) : NULL;
}

static int teardown(void **state)
{
    (void) state;
    px_topo_fini();
    n_provider_calls = 0;
    return 0;
}

static void load_gives_one_shared_topology(void **state)
{
    (void) state;
    pmix_topology_t a = {0};
    pmix_topology_t b = {.source = strdup("HWLOC")};

    assert_int_equal(use_synthetic("pack:2 core:2 pu:2"), 0);
    assert_int_equal(use_synthetic("pack:1 core:1 pu:1"), PMIX_ERR_EXISTS);
    assert_int_equal(px_topo_load(&a), 0);
    assert_int_equal(px_topo_load(&b), 0);
    assert_string_equal(a.source, "hwloc");
    assert_ptr_equal(a.topology, b.topology);
    px_topo_destruct(&a);
    assert_null(a.topology);
    px_topo_destruct(&b);
}

static void load_refuses_another_source(void **state)
{
    (void) state;
    pmix_topology_t t = {.source = (char *) "foo"};

    assert_int_equal(px_topo_load(&t), PMIX_ERR_NOT_SUPPORTED);
    assert_null(t.topology);
    assert_int_equal(px_topo_load(NULL), PMIX_ERR_BAD_PARAM);
    t.source = (char *) "hwlocx";
    assert_int_equal(px_topo_load(&t), PMIX_ERR_NOT_SUPPORTED);
}

static void release_after_fini_is_harmless(void **state)
{
    (void) state;
    pmix_topology_t t = {0};

    assert_int_equal(use_synthetic("pack:1 core:2 pu:1"), 0);
    assert_int_equal(px_topo_load(&t), 0);
    px_topo_fini();
    px_topo_destruct(&t);
}

static void provider_is_asked_late_and_once(void **state)
{
    (void) state;
    char *xml;
    const char *peek;
    pmix_topology_t t = {0};

    assert_int_equal(use_synthetic("pack:3 core:1 pu:1"), 0);
    assert_int_equal(px_topo_xml_peek(&peek), 0);
    xml = strdup(peek);
    px_topo_fini();
    px_topo_set_provider(provide, xml);
    pmix_cpuset_t c = {0};
    assert_int_equal(px_topo_cpuset_parse("hwloc:2", &c), 0);
    assert_int_equal(n_provider_calls, 0);
    char *where;
    assert_int_equal(px_topo_locality_string(&c, &where), 0);
    assert_non_null(strstr(where, "SK2"));
    free(where);
    assert_int_equal(px_topo_load(&t), 0);
    assert_int_equal(n_provider_calls, 1);
    px_topo_destruct(&t);
    px_topo_cpuset_destruct(&c);
    free(xml);
}

static void nonsense_from_the_provider_is_passed_over(void **state)
{
    (void) state;
    const char *xml;

    px_topo_set_provider(provide, (void *) "<topology");
    assert_int_equal(px_topo_xml_peek(&xml), 0);
    assert_int_equal(n_provider_calls, 1);
    assert_non_null(strstr(xml, "<topology"));
    assert_int_equal(use_topology("nonsense", NULL), PMIX_ERR_BAD_PARAM);
}

static void copies_are_their_own(void **state)
{
    (void) state;
    pmix_topology_t t = {0};
    pmix_topology_t copy = {0};
    char *xml;

    assert_int_equal(use_synthetic("pack:2 core:2 pu:2"), 0);
    assert_int_equal(px_topo_load(&t), 0);
    assert_int_equal(px_topo_copy(&t, &copy), 0);
    assert_ptr_not_equal(t.topology, copy.topology);
    assert_int_equal(px_topo_compare(&t, &copy), PMIX_EQUAL);
    assert_int_equal(px_topo_to_xml(&copy, &xml), 0);
    px_topo_destruct(&copy);
    assert_int_equal(px_topo_from_xml(xml, &copy), 0);
    assert_int_equal(px_topo_compare(&t, &copy), PMIX_EQUAL);
    assert_true(px_topo_size(&t) == strlen(xml));
    free(xml);
    px_topo_destruct(&copy);
    px_topo_destruct(&t);
    assert_int_equal(px_topo_from_xml("<x/>", &copy), PMIX_ERR_BAD_PARAM);
}

static void adopted_topology_is_used_and_left_alone(void **state)
{
    (void) state;
    pmix_topology_t host = {0};
    pmix_topology_t t = {0};
    const char *xml;

    assert_int_equal(use_synthetic("pack:4 core:1 pu:1"), 0);
    assert_int_equal(px_topo_xml_peek(&xml), 0);
    assert_int_equal(px_topo_from_xml(xml, &host), 0);
    assert_int_equal(px_topo_adopt(&host), PMIX_ERR_EXISTS);
    px_topo_fini();
    pmix_topology_t other = {.source = (char *) "foo", .topology = host.topology};
    assert_int_equal(px_topo_adopt(&other), PMIX_ERR_NOT_SUPPORTED);
    other.topology = NULL;
    assert_int_equal(px_topo_adopt(&other), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_topo_adopt(&host), 0);
    assert_int_equal(px_topo_load(&t), 0);
    assert_ptr_equal(t.topology, host.topology);
    px_topo_fini();
    free(t.source);
    free(host.source);
    /* The process lends it for ever; the host destroys it by its own means, here not at all. */
}

static void *load_in_thread(void *arg)
{
    return (void *) (intptr_t) px_topo_load(arg);
}

static void threads_load_the_same(void **state)
{
    (void) state;
    pmix_topology_t t[4] = {{0}};
    pthread_t id[4];
    void *rc;

    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&id[i], NULL, load_in_thread, &t[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(id[i], &rc), 0);
        assert_null(rc);
    }
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(t[i].topology, t[0].topology);
    }
    for (int i = 0; i < 4; i++) {
        px_topo_destruct(&t[i]);
    }
}

int main(void)
{
    alarm(60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(load_gives_one_shared_topology, teardown),
        cmocka_unit_test_teardown(load_refuses_another_source, teardown),
        cmocka_unit_test_teardown(release_after_fini_is_harmless, teardown),
        cmocka_unit_test_teardown(provider_is_asked_late_and_once, teardown),
        cmocka_unit_test_teardown(nonsense_from_the_provider_is_passed_over, teardown),
        cmocka_unit_test_teardown(copies_are_their_own, teardown),
        cmocka_unit_test_teardown(adopted_topology_is_used_and_left_alone, teardown),
        cmocka_unit_test_teardown(threads_load_the_same, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
