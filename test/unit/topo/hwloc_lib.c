/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "src/topo/hwloc_lib.h"
#include "src/topo/topo.h"
#include "test/unit/opened_library.h"

/* This program is not linked with hwloc, as the library is not. */

static void it_is_loaded_when_it_is_needed(void **state)
{
    hwloc_topology_t topo;

    (void) state;
    assert_false(library_is_mapped("/" PX_HWLOC_SONAME));
    assert_int_equal(px_topo_build(NULL, "pu:2", false, &topo), 0);
    assert_true(library_is_mapped("/" PX_HWLOC_SONAME));
    assert_non_null(hwloc_get_obj_by_type(topo, HWLOC_OBJ_PU, 1));
    hwloc_topology_destroy(topo);
}

/* What this program does in place of its tests when it is executed with an argument. */
static int without_hwloc(void)
{
    pmix_topology_t lent = {.source = NULL};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    const char *xml;

    check(!px_hwloc_open());
    check(set == NULL);
    hwloc_bitmap_free(set);
    check(px_topo_load(&lent) == PMIX_ERR_NOT_SUPPORTED);
    check(lent.topology == NULL);
    check(px_topo_xml_peek(&xml) == PMIX_ERR_NOT_SUPPORTED);
    return 0;
}

static void without_it_nothing_is_supported(void)
{
    execute_without(PX_HWLOC_SONAME);
}
CASE(in_scratch, without_it_nothing_is_supported)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_loaded_when_it_is_needed),
        cmocka_unit_test(test_without_it_nothing_is_supported),
    };

    (void) argv;
    if (argc > 1) {
        return without_hwloc();
    }
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
