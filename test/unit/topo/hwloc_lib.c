/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <string.h>

#include "src/topo/hwloc_lib.h"
#include "src/topo/topo.h"
#include "test/unit/scratch.h"

/* This program is not linked with hwloc, as the library is not. */

static bool is_mapped(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096];
    bool found = false;

    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        found = found || strstr(line, "/" PX_HWLOC_SONAME);
    }
    (void) fclose(maps);
    return found;
}

static void it_is_loaded_when_it_is_needed(void **state)
{
    hwloc_topology_t topo;

    (void) state;
    assert_false(is_mapped());
    assert_int_equal(px_topo_build(NULL, "pu:2", false, &topo), 0);
    assert_true(is_mapped());
    assert_non_null(hwloc_get_obj_by_type(topo, HWLOC_OBJ_PU, 1));
    hwloc_topology_destroy(topo);
}

/* What this program does instead of its tests when it is started with the word "without". */
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

/* The same program where the loader finds an empty file as hwloc's library. */
static void without_it_nothing_is_supported(void)
{
    check(close(open(scratch_path(PX_HWLOC_SONAME), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) == 0);
    check(setenv("LD_LIBRARY_PATH", scratch, 1) == 0);
    (void) execl("/proc/self/exe", "hwloc_lib", "without", (char *) NULL);
    check(false);
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
