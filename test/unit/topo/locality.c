/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "test/unit/topo/use.h"
#include "src/topo/cpuset.h"
#include "src/topo/locality.h"
#include "src/topo/topo_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int setup(void **state)
{
    (void) state;
    return use_synthetic("pack:2 [numa] l3:1 l2:2 l1:1 core:1 pu:2");
}

static int teardown(void **state)
{
    (void) state;
    px_topo_fini();
    return 0;
}

static void expect(const char *cpus, const char *locality)
{
    pmix_cpuset_t c = {0};
    char *text = NULL;

    assert_int_equal(px_topo_cpuset_parse(cpus, &c), 0);
    assert_int_equal(px_topo_locality_string(&c, &text), 0);
    if (locality == NULL) {
        assert_null(text);
    } else {
        assert_string_equal(text, locality);
    }
    free(text);
    px_topo_cpuset_destruct(&c);
}

/* The forms that OpenPMIx 4.2.2 gives for this machine, with the source in front. */
static void strings_have_the_known_form(void **state)
{
    (void) state;
    expect("hwloc:0", "hwloc:SK0:L30:L20:L10:CR0:HT0:NM0");
    expect("hwloc:0-1", "hwloc:SK0:L30:L20:L10:CR0:HT0-1:NM0");
    expect("hwloc:4", "hwloc:SK1:L31:L22:L12:CR2:HT4:NM1");
    expect("hwloc:0-7", "hwloc:SK0-1:L30-1:L20-3:L10-3:CR0-3:HT0-7:NM0-1");
    expect("hwloc:", NULL);
    expect("hwloc:100", NULL);
    pmix_cpuset_t none = {.source = (char *) "hwloc"};
    char *text = (char *) "x";
    assert_int_equal(px_topo_locality_string(&none, &text), 0);
    assert_null(text);
    none.source = (char *) "foo";
    assert_int_equal(px_topo_locality_string(&none, &text), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_topo_locality_string(NULL, &text), PMIX_ERR_BAD_PARAM);
}

static void relative_locality_has_the_right_bits(void **state)
{
    (void) state;
    static const struct {
        const char *one;
        const char *two;
        unsigned bits;
    } cases[] = {
        {"hwloc:SK0:L30:L20:L10:CR0:HT0:NM0", "hwloc:SK0:L30:L20:L10:CR0:HT0:NM0", 0x407f},
        {"hwloc:SK0:L30:L20:L10:CR0:HT0", "hwloc:SK0:L30:L20:L10:CR0:HT1", 0x403e},
        {"hwloc:SK0:L30:L20:L10:CR0:HT0", "hwloc:SK0:L30:L21:L11:CR1:HT2", 0x4030},
        {"hwloc:SK0", "hwloc:SK1", 0x4000},
        {"HWLOC:CR0-3,7", "hwloc:CR7", 0x4002},
        {"SK0:L30:NM0", "hwloc:SK0:NM0", 0x4060},   /* OpenPMIx 4.2 gives no source */
        {"hwloc:SK0:DI3", "hwloc:SK0:DI3", 0x4020}, /* a level of the future */
        {"hwloc:", "hwloc:", 0x4000},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pmix_locality_t bits = 0;
        assert_int_equal(px_topo_relative_locality(cases[i].one, cases[i].two, &bits), 0);
        assert_int_equal(bits, cases[i].bits);
    }
}

static void bad_strings_are_refused(void **state)
{
    (void) state;
    pmix_locality_t bits = 7;

    assert_int_equal(px_topo_relative_locality("hwloc:SK0", "foo:SK0", &bits),
                     PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_topo_relative_locality(NULL, "hwloc:SK0", &bits), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_topo_relative_locality("hwloc:SK0", NULL, &bits), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_topo_relative_locality("", "hwloc:SK0", &bits), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_topo_relative_locality("hwloc:SKx", "hwloc:SK0", &bits),
                     PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_topo_relative_locality("hwloc:SK4294967295", "hwloc:SK0", &bits),
                     PMIX_ERR_BAD_PARAM);
    assert_int_equal(bits, 7);
}

int main(void)
{
    alarm(60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_have_the_known_form),
        cmocka_unit_test(relative_locality_has_the_right_bits),
        cmocka_unit_test(bad_strings_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
