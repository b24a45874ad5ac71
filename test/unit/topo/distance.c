/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "test/unit/topo/use.h"
#include "src/topo/cpuset.h"
#include "src/topo/distance.h"
#include "src/topo/topo_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Two packages of two cores; a network card and a fabric on the second, a disk on the first. */
static const char machine[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
    "<topology version=\"2.0\">" /* hwloc's own parser takes these by lines */
    "<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\" "
    "allowed_cpuset=\"0xf\""
    " nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" gp_index=\"1\">"
    "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\" "
    "nodeset=\"0x1\""
    " complete_nodeset=\"0x1\" gp_index=\"2\" local_memory=\"1048576\"/>"
#define CORE(n, mask, gp1, gp2)                                                                    \
    "<object type=\"Core\" os_index=\"" n "\" cpuset=\"" mask "\" complete_cpuset=\"" mask         \
    "\" nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"" gp1 "\">"                            \
    "<object type=\"PU\" os_index=\"" n "\" cpuset=\"" mask "\" complete_cpuset=\"" mask           \
    "\" nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"" gp2 "\"/></object>"
#define BRIDGE(bus, gp)                                                                            \
    "<object type=\"Bridge\" gp_index=\"" gp                                                       \
    "\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[" bus "-" bus "]\">"
#define PCI(bus, cls, gp)                                                                          \
    "<object type=\"PCIDev\" gp_index=\"" gp "\" pci_busid=\"0000:" bus ":00.0\" pci_type=\"" cls  \
    " [15b3:1003] [15b3:0017] 00\" pci_link_speed=\"1.0\">"
    "<object type=\"Package\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\" nodeset=\"0x1\""
    " complete_nodeset=\"0x1\" gp_index=\"3\">" CORE("0", "0x1", "4", "5")
        CORE("1", "0x2", "6", "7") BRIDGE("01", "20")
            PCI("01", "0106",
                "21") "<object type=\"OSDev\" gp_index=\"22\" name=\"sda\" "
                      "osdev_type=\"0\"/></object></object></object>"
                      "<object type=\"Package\" os_index=\"1\" cpuset=\"0xc\" "
                      "complete_cpuset=\"0xc\" nodeset=\"0x1\""
                      " complete_nodeset=\"0x1\" gp_index=\"8\">" CORE("2", "0x4", "9", "10")
                          CORE("3", "0x8", "11", "12") BRIDGE("02", "23") PCI(
                              "02", "0200",
                              "24") "<object type=\"OSDev\" gp_index=\"25\" name=\"eth7\" "
                                    "osdev_type=\"2\">"
                                    "<info name=\"Address\" value=\"00:11:22:33:44:55\"/></object>"
                                    "<object type=\"OSDev\" gp_index=\"26\" name=\"mlx5_0\" "
                                    "osdev_type=\"3\">"
                                    "<info name=\"NodeGUID\" value=\"e41d:2d03:0011:2233\"/>"
                                    "<info name=\"SysImageGUID\" "
                                    "value=\"e41d:2d03:0011:2236\"/></object>"
                                    "</object></object></object></object></topology>";

static int setup(void **state)
{
    (void) state;
    return use_topology(machine, NULL);
}

static int teardown(void **state)
{
    (void) state;
    px_topo_fini();
    return 0;
}

static void release(pmix_device_distance_t *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(d[i].uuid);
        free(d[i].osname);
    }
    free(d);
}

static const pmix_device_distance_t *by_name(const pmix_device_distance_t *d, size_t n,
                                             const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(d[i].osname, name) == 0) {
            return &d[i];
        }
    }
    fail_msg("%s is not there", name);
    return NULL;
}

static pmix_info_t type_info(pmix_device_type_t type)
{
    pmix_info_t info = {.key = PMIX_DEVICE_TYPE};
    info.value.type = PMIX_DEVTYPE;
    info.value.data.devtype = type;
    return info;
}

static void near_and_far(void **state)
{
    (void) state;
    pmix_device_distance_t *d;
    size_t n;
    pmix_cpuset_t c = {0};

    assert_int_equal(px_topo_cpuset_parse("hwloc:0", &c), 0);
    assert_int_equal(px_topo_distances(NULL, &c, NULL, 0, &d, &n), 0);
    assert_int_equal(n, 3);
    const pmix_device_distance_t *sda = by_name(d, n, "sda");
    const pmix_device_distance_t *eth = by_name(d, n, "eth7");
    assert_int_equal(sda->type, PMIX_DEVTYPE_BLOCK);
    assert_int_equal(eth->type, PMIX_DEVTYPE_NETWORK);
    assert_string_equal(eth->uuid, "net://00:11:22:33:44:55");
    assert_true(sda->mindist == sda->maxdist && sda->mindist < eth->mindist);
    release(d, n);
    px_topo_cpuset_destruct(&c);

    assert_int_equal(px_topo_cpuset_parse("hwloc:1-2", &c), 0);
    assert_int_equal(px_topo_distances(NULL, &c, NULL, 0, &d, &n), 0);
    const pmix_device_distance_t *ib = by_name(d, n, "mlx5_0");
    assert_string_equal(ib->uuid, "fab://e41d:2d03:0011:2233::e41d:2d03:0011:2236");
    assert_true(ib->mindist < ib->maxdist);
    release(d, n);
    px_topo_cpuset_destruct(&c);
}

static void filters(void **state)
{
    (void) state;
    pmix_device_distance_t *d = NULL;
    size_t n = 0;
    pmix_info_t two[] = {type_info(PMIX_DEVTYPE_BLOCK), type_info(PMIX_DEVTYPE_OPENFABRICS)};
    pmix_info_t gpu = type_info(PMIX_DEVTYPE_GPU);
    pmix_info_t id = {.key = PMIX_DEVICE_ID};

    assert_int_equal(px_topo_distances(NULL, NULL, two, 2, &d, &n), 0);
    assert_int_equal(n, 2);
    release(d, n);
    d = NULL;
    assert_int_equal(px_topo_distances(NULL, NULL, &gpu, 1, &d, &n), PMIX_ERR_NOT_FOUND);
    assert_null(d);
    id.value.type = PMIX_STRING;
    id.value.data.string = (char *) "eth7";
    assert_int_equal(px_topo_distances(NULL, NULL, &id, 1, &d, &n), 0);
    assert_int_equal(n, 1);
    release(d, n);
    id.value.type = PMIX_UINT32;
    assert_int_equal(px_topo_distances(NULL, NULL, &id, 1, &d, &n), PMIX_ERR_TYPE_MISMATCH);
    gpu.value.type = PMIX_STRING;
    assert_int_equal(px_topo_distances(NULL, NULL, &gpu, 1, &d, &n), PMIX_ERR_TYPE_MISMATCH);
}

static void unknown_is_the_largest_number(void **state)
{
    (void) state;
    pmix_device_distance_t *d;
    size_t n;
    pmix_cpuset_t c = {0};

    assert_int_equal(px_topo_cpuset_parse("hwloc:", &c), 0);
    assert_int_equal(px_topo_distances(NULL, &c, NULL, 0, &d, &n), 0);
    assert_int_equal(d[0].mindist, UINT16_MAX);
    assert_int_equal(d[0].maxdist, UINT16_MAX);
    release(d, n);
    px_topo_cpuset_destruct(&c);
    c.source = (char *) "foo";
    assert_int_equal(px_topo_distances(NULL, &c, NULL, 0, &d, &n), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_topo_distances(NULL, NULL, NULL, 1, &d, &n), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_topo_distances(NULL, NULL, NULL, 0, NULL, &n), PMIX_ERR_BAD_PARAM);
}

int main(void)
{
    alarm(60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_and_far),
        cmocka_unit_test(filters),
        cmocka_unit_test(unknown_is_the_largest_number),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
