/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Texts of topologies that are cut, or whose objects contradict each other: each is refused or
 * loaded, and hwloc prints nothing. Each case in its own process. */

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "src/base/param.h"
#include "src/base/status.h"
#include "src/topo/topo.h"
#include "test/unit/process.h"
#include "test/unit/topo/use.h"

enum { CUTS = 200, CHANGES = 400 };

static int err; /* standard error, while a case runs */

/* The text of a topology; synthetic NULL: of this machine. free() it. */
static char *export(const char *synthetic)
{
    hwloc_topology_t topo;
    char *xml = NULL;

    check(px_topo_build(NULL, synthetic, synthetic == NULL, &topo) == 0);
    check(px_topo_export(topo, &xml) == 0);
    hwloc_topology_destroy(topo);
    return xml;
}

/* Loads a text in both ways: as a topology of this machine, and of another. */
static void load(const char *xml)
{
    hwloc_topology_t topo;

    for (int here = 0; here < 2; here++) {
        int rc = px_topo_build(xml, NULL, here == 1, &topo);

        check(rc == 0 || rc == PMIX_ERR_BAD_PARAM);
        if (rc == 0) {
            hwloc_topology_destroy(topo);
        }
    }
}

static void begin(void)
{
    err = memfd_create("stderr", MFD_CLOEXEC);
    check(err >= 0 && dup2(err, STDERR_FILENO) >= 0);
}

static void end(void)
{
    char said[512] = "";
    ssize_t n = pread(err, said, sizeof(said) - 1, 0);

    printf("%s%.*s", n > 0 ? "# " : "", (int) n, said);
    check(n == 0);
}

static const char *const machines[] = {NULL, "pack:2 numa:2 l3:1 core:4 pu:2",
                                       "group:2 pack:2 numa:1 core:2 pu:1"};
enum { MACHINES = sizeof(machines) / sizeof(machines[0]) };

static void cut_anywhere(void)
{
    begin();
    load("");
    load("<topology");
    load("no topology");
    for (size_t i = 0; i < MACHINES; i++) {
        char *xml = export(machines[i]);
        size_t n = strlen(xml);

        for (size_t at = n; at > n / CUTS; at -= n / CUTS) {
            xml[at] = '\0';
            load(xml);
        }
        free(xml);
    }
    end();
}
CASE(in_process, cut_anywhere)

/* hwloc reports contradictions on standard error; the program silences it by the environment
 * (docs/troubleshooting.md). A digit of the text, chosen by chance, becomes another one: an index,
 * a type's number, a bit of a set of processors or of memory. */
static void contradictions(void)
{
    uint32_t seed = (uint32_t) getpid();

    printf("# seed %u\n", seed);
    check(setenv("HWLOC_HIDE_ERRORS", "2", 1) == 0);
    begin();
    for (size_t i = 0; i < MACHINES; i++) {
        char *xml = export(machines[i]);
        size_t n = strlen(xml);

        for (int change = 0; change < CHANGES; change++) {
            size_t at;
            char before;

            do {
                seed = seed * 1664525 + 1013904223;
                at = (seed >> 8) % n;
            } while (xml[at] < '0' || xml[at] > '9');
            before = xml[at];
            xml[at] = (char) ('0' + (seed >> 4) % 10);
            load(xml);
            xml[at] = before;
        }
        free(xml);
    }
    end();
    (void) fflush(stdout);
    _exit(0); /* hwloc does not free all that it has made of such texts */
}
CASE(in_process, contradictions)

/* A file that is no topology is passed over: this machine's own is found. */
static void named_file(void)
{
    static const char text[] = "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n <object>\n";
    const char *xml = NULL;
    int fd = memfd_create("xml", 0);
    char name[64];

    check(fd >= 0 && write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
    (void) snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    check(setenv("PMIX_MCA_hwloc_topo_file", name, 1) == 0 && px_param_load() == 0);
    begin();
    check(px_topo_xml_peek(&xml) == 0 && strstr(xml, "type=\"PU\"") != NULL);
    px_topo_fini();
    end();
}
CASE(in_process, named_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_named_file),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
