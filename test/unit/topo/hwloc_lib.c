/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/topo/hwloc_lib.h"
#include "src/topo/topo.h"

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

/* The exit code of the program below. */
static int without_hwloc(void)
{
    pmix_topology_t lent = {.source = NULL};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    const char *xml;

    hwloc_bitmap_free(set);
    return !px_hwloc_open() && set == NULL && px_topo_load(&lent) == PMIX_ERR_NOT_SUPPORTED &&
                   px_topo_xml_peek(&xml) == PMIX_ERR_NOT_SUPPORTED && lent.topology == NULL
               ? 0
               : 1;
}

/* The same program where hwloc's library is an empty file. */
static void without_it_nothing_is_supported(void **state)
{
    char folder[] = "/tmp/px-hwloc-XXXXXX";
    char file[sizeof(folder) + sizeof(PX_HWLOC_SONAME) + 1];
    int status = -1;
    pid_t pid;

    (void) state;
    assert_non_null(mkdtemp(folder));
    (void) snprintf(file, sizeof(file), "%s/%s", folder, PX_HWLOC_SONAME);
    assert_int_equal(close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
    pid = fork();
    if (pid == 0) {
        (void) setenv("LD_LIBRARY_PATH", folder, 1);
        (void) execl("/proc/self/exe", "hwloc_lib", "without", (char *) NULL);
        _exit(2);
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_true(unlink(file) == 0 && rmdir(folder) == 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_loaded_when_it_is_needed),
        cmocka_unit_test(without_it_nothing_is_supported),
    };

    (void) argv;
    if (argc > 1) {
        return without_hwloc();
    }
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
