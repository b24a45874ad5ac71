/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Topology, sets of CPUs, locality and distances. The machine of most cases is made up, in a file
 * that hwloc reads in the host: two packages of two cores, a network card and a fabric on the
 * second. Clients know of it from their server alone. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the machine */

/* A core with one CPU, in the attributes that hwloc wants. */
static void write_core(FILE *to, int n)
{
    for (int pu = 0; pu < 2; pu++) {
        fprintf(to,
                "<object type=\"%s\" os_index=\"%d\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" "
                "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"%d\"%s>\n",
                pu ? "PU" : "Core", n, 1 << n, 1 << n, 10 + 2 * n + pu, pu ? "/" : "");
    }
    fprintf(to, "</object>\n");
}

static void write_devices(FILE *to)
{
    fprintf(to, "<object type=\"Bridge\" gp_index=\"30\" bridge_type=\"0-1\" depth=\"0\" "
                "bridge_pci=\"0000:[02-02]\">\n"
                "<object type=\"PCIDev\" gp_index=\"31\" pci_busid=\"0000:02:00.0\" "
                "pci_type=\"0200 [15b3:1003] [15b3:0017] 00\" pci_link_speed=\"1.0\">\n"
                "<object type=\"OSDev\" gp_index=\"32\" name=\"eth7\" osdev_type=\"2\">\n"
                "<info name=\"Address\" value=\"00:11:22:33:44:55\"/>\n</object>\n"
                "<object type=\"OSDev\" gp_index=\"33\" name=\"mlx5_0\" osdev_type=\"3\">\n"
                "<info name=\"NodeGUID\" value=\"e41d:2d03:0011:2233\"/>\n"
                "<info name=\"SysImageGUID\" value=\"e41d:2d03:0011:2236\"/>\n</object>\n"
                "</object>\n</object>\n");
}

static void write_machine(const char *path)
{
    FILE *to = fopen(path, "w");

    if (!check(to != NULL, "a file for the machine")) {
        return;
    }
    fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
                "<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\" "
                "allowed_cpuset=\"0xf\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
                "allowed_nodeset=\"0x1\" gp_index=\"1\">\n"
                "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\" "
                "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"2\" "
                "local_memory=\"1048576\"/>\n");
    for (int package = 0; package < 2; package++) {
        const char *set = package == 0 ? "0x3" : "0xc";

        fprintf(to,
                "<object type=\"Package\" os_index=\"%d\" cpuset=\"%s\" complete_cpuset=\"%s\" "
                "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"%d\">\n",
                package, set, set, 3 + package);
        write_core(to, 2 * package);
        write_core(to, 2 * package + 1);
        if (package == 1) {
            write_devices(to);
        }
        fprintf(to, "</object>\n");
    }
    fprintf(to, "</object>\n</topology>\n");
    check(fclose(to) == 0, "it is written");
}

/* (host) The server has that machine, and shares it. */
static void share_machine(struct infos *list)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/machine0.xml", scratch());
    write_machine(path);
    setenv("HWLOC_XMLFILE", path, 1);
    add_true(list, PMIX_SERVER_SHARE_TOPOLOGY);
}

/* (driver) */
static void remove_machine(void)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/machine0.xml", scratch());
    check(unlink(path) == 0, "the machine was there");
}

/* (raw client) Knows of the machine by PMIx only. */
static void begin(void)
{
    unsetenv("HWLOC_XMLFILE");
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
}

static void end(void)
{
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* ---- topologies */

static void load(void)
{
    static const struct {
        const char *source;
        pmix_status_t status;
    } loads[] = {{NULL, PMIX_SUCCESS},
                 {"hwloc", PMIX_SUCCESS},
                 {"HwLoc", PMIX_SUCCESS},
                 {"foo", PMIX_ERR_NOT_SUPPORTED}};

    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        pmix_topology_t topo;

        PMIX_TOPOLOGY_CONSTRUCT(&topo);
        topo.source = loads[i].source != NULL ? strdup(loads[i].source) : NULL;
        check_status(loads[i].status, PMIx_Load_topology(&topo), "source %zu", i);
        check((topo.topology != NULL) == (loads[i].status == PMIX_SUCCESS), "its topology");
        check(topo.source != NULL, "its source");
        PMIX_TOPOLOGY_DESTRUCT(&topo);
    }
}

/* ---- sets of CPUs and locality, in a host */

/* Text of the locality of a set, which the caller frees. */
static char *locality_of(const char *cpus)
{
    pmix_cpuset_t set;
    char *text = NULL;

    PMIX_CPUSET_CONSTRUCT(&set);
    check_status_for("TOP-004", PMIX_SUCCESS, PMIx_Parse_cpuset_string(cpus, &set), "%s", cpus);
    check_status_for("TOP-003", PMIX_SUCCESS, PMIx_server_generate_locality_string(&set, &text),
                     "locality of %s", cpus);
    PMIX_CPUSET_DESTRUCT(&set);
    return text;
}

static void there_and_back(const char *cpus)
{
    pmix_cpuset_t set;
    char *text = NULL;

    PMIX_CPUSET_CONSTRUCT(&set);
    check_status_for("TOP-004", PMIX_SUCCESS, PMIx_Parse_cpuset_string(cpus, &set), "%s", cpus);
    check_status_for("TOP-003", PMIX_SUCCESS, PMIx_server_generate_cpuset_string(&set, &text),
                     "text of %s", cpus);
    same_for("TOP-003 TOP-004", cpus, text != NULL ? text : "(none)", "there and back");
    free(text);
    PMIX_CPUSET_DESTRUCT(&set);
}

static void relate(const char *one, const char *other, pmix_locality_t has, pmix_locality_t hasnt)
{
    char *first = locality_of(one);
    char *second = locality_of(other);
    pmix_locality_t bits = 0;

    if (check_for("TOP-003",
                  first != NULL && second != NULL && strncmp(first, "hwloc:", 6) == 0 &&
                      strncmp(second, "hwloc:", 6) == 0,
                  "the source is in front")) {
        check_status_for("TOP-006", PMIX_SUCCESS, PMIx_Get_relative_locality(first, second, &bits),
                         "%s and %s", first, second);
        check_for("TOP-006", (bits & has) == has && (bits & hasnt) == 0, "%s and %s share 0x%x",
                  one, other, bits);
    }
    free(first);
    free(second);
}

static void locate(void)
{
    const pmix_locality_t node = PMIX_LOCALITY_SHARE_NODE;
    const pmix_locality_t package = PMIX_LOCALITY_SHARE_PACKAGE;
    const pmix_locality_t core = PMIX_LOCALITY_SHARE_CORE;
    const pmix_locality_t thread = PMIX_LOCALITY_SHARE_HWTHREAD;

    there_and_back("hwloc:0");
    there_and_back("hwloc:1-3");
    there_and_back("hwloc:0,2");
    check_for("TOP-006", PMIX_LOCALITY_SHARE_NODE == 0x4000, "the bit of the node");
    relate("hwloc:0", "hwloc:0", node | package | core | thread, 0);
    relate("hwloc:0", "hwloc:1", node | package, core | thread);
    relate("hwloc:0", "hwloc:2", node, package | core | thread);
    relate("hwloc:0-1", "hwloc:1", node | package | core | thread, 0);
}

/* ---- bindings */

static void bind_to(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    check(sched_setaffinity(0, sizeof(set), &set) == 0, "bound to %d", cpu);
}

/* Text of what the envelope is bound to; the thread's until its next call. */
static const char *binding(pmix_bind_envelope_t envelope)
{
    static __thread char said[256];
    pmix_cpuset_t set;
    char *text = NULL;

    PMIX_CPUSET_CONSTRUCT(&set);
    check_status(PMIX_SUCCESS, PMIx_Get_cpuset(&set, envelope), "envelope %d", (int) envelope);
    check_status(PMIX_SUCCESS, PMIx_server_generate_cpuset_string(&set, &text), "its text");
    snprintf(said, sizeof(said), "%s", text != NULL ? text : "(none)");
    free(text);
    PMIX_CPUSET_DESTRUCT(&set);
    return said;
}

static char want_thread[32]; /* what the thread is bound to */
static int its_cpu;

static void *be_bound(void *unused)
{
    bind_to(its_cpu);
    same(want_thread, binding(PMIX_CPUBIND_THREAD), "the thread");
    check(strcmp(want_thread, binding(PMIX_CPUBIND_PROCESS)) != 0, "the process is another");
    return unused;
}

/* The process is bound before it has other threads. */
static void be_bound_first(void)
{
    cpu_set_t all;
    pthread_t thread;
    int first = -1;
    char want[32];

    its_cpu = -1;
    check(sched_getaffinity(0, sizeof(all), &all) == 0, "what the process may use");
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
        if (CPU_ISSET(cpu, &all)) {
            its_cpu = first;
            first = cpu;
        }
    }
    bind_to(first);
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    snprintf(want, sizeof(want), "hwloc:%d", first);
    same(want, binding(PMIX_CPUBIND_PROCESS), "the process");
    same(want, binding(PMIX_CPUBIND_THREAD), "its thread");
    if (its_cpu >= 0) { /* a machine of several */
        snprintf(want_thread, sizeof(want_thread), "hwloc:%d", its_cpu);
        if (check(pthread_create(&thread, NULL, be_bound, NULL) == 0, "a thread")) {
            pthread_join(thread, NULL);
        }
    }
    end();
}

/* ---- what is registered */

/* (host) Each node knows the locality of its own processes, and a distance of theirs. */
static void describe(const struct job *job, struct infos *list)
{
    pmix_device_distance_t distance;
    pmix_data_array_t array = {.type = PMIX_DEVICE_DIST, .size = 1, .array = &distance};

    memset(&distance, 0, sizeof(distance));
    distance.uuid = (char *) "fab://e41d:2d03:0011:2233";
    distance.osname = (char *) "mlx5_0";
    distance.type = PMIX_DEVTYPE_OPENFABRICS;
    distance.mindist = 7;
    distance.maxdist = 17;
    for (int rank = 0; rank < job_size(job); rank++) {
        struct infos inner = {0};
        pmix_rank_t number = (pmix_rank_t) rank;

        if (job_node(job, number) == node()) {
            add(&inner, PMIX_RANK, &number, PMIX_PROC_RANK);
            add_text(&inner, PMIX_LOCALITY_STRING, "hwloc:SK0:CR0:HT0");
            add(&inner, PMIX_DEVICE_DISTANCES, &array, PMIX_DATA_ARRAY);
            add_array(list, PMIX_PROC_INFO_ARRAY, &inner);
        }
    }
}

static void read_locality(void)
{
    same("hwloc:SK0:CR0:HT0", got_of(me.rank, PMIX_LOCALITY_STRING, NULL), "one's own");
    same("hwloc:SK0:CR0:HT0", got_of(me.rank ^ 1, PMIX_LOCALITY_STRING, NULL), "a neighbour's");
    same("-46", got_of((me.rank + 2) % 4, PMIX_LOCALITY_STRING, NULL), "one of another node");
}

static void read_distances(void)
{
    pmix_value_t *value = NULL;
    const pmix_device_distance_t *distance;

    check_status(PMIX_SUCCESS, PMIx_Get(&me, PMIX_DEVICE_DISTANCES, NULL, 0, &value), "distances");
    if (check(value != NULL && value->type == PMIX_DATA_ARRAY && value->data.darray != NULL &&
                  value->data.darray->type == PMIX_DEVICE_DIST && value->data.darray->size == 1,
              "one of a device")) {
        distance = value->data.darray->array;
        same("mlx5_0", distance->osname, "its name");
        same("fab://e41d:2d03:0011:2233", distance->uuid, "its id");
        check(distance->type == PMIX_DEVTYPE_OPENFABRICS && distance->mindist == 7 &&
                  distance->maxdist == 17,
              "its type and distances");
    }
    if (value != NULL) {
        PMIX_VALUE_RELEASE(value);
    }
}

/* ---- distances */

struct asked_distances {
    pmix_topology_t topo;
    pmix_cpuset_t cpus;
    struct infos types;
};

static struct asked_distances from(const char *cpus, pmix_device_type_t type)
{
    struct asked_distances ask = {0};

    PMIX_TOPOLOGY_CONSTRUCT(&ask.topo);
    PMIX_CPUSET_CONSTRUCT(&ask.cpus);
    check_status(PMIX_SUCCESS, PMIx_Load_topology(&ask.topo), "topology");
    check_status(PMIX_SUCCESS, PMIx_Parse_cpuset_string(cpus, &ask.cpus), "%s", cpus);
    add(&ask.types, PMIX_DEVICE_TYPE, &type, PMIX_DEVTYPE);
    return ask;
}

static void release(struct asked_distances *ask)
{
    free_infos(&ask->types);
    PMIX_CPUSET_DESTRUCT(&ask->cpus);
    PMIX_TOPOLOGY_DESTRUCT(&ask->topo);
}

/* The smallest distance of the one device of this type, from these CPUs; checks its name. */
static uint16_t distance_of(const char *name, pmix_device_type_t type, const char *cpus)
{
    struct asked_distances ask = from(cpus, type);
    pmix_device_distance_t *found = NULL;
    uint16_t least = 0;
    size_t n = 0;

    check_status(
        PMIX_SUCCESS,
        PMIx_Compute_distances(&ask.topo, &ask.cpus, ask.types.at, ask.types.n, &found, &n),
        "%s from %s", name, cpus);
    if (check(n == 1 && found != NULL, "one device: %zu", n)) {
        same(name, found[0].osname, "its name");
        check(found[0].type == type && found[0].uuid != NULL, "its type and id");
        check(found[0].mindist <= found[0].maxdist && found[0].maxdist < UINT16_MAX,
              "%u to %u are distances", found[0].mindist, found[0].maxdist);
        least = found[0].mindist;
        PMIX_DEVICE_DIST_FREE(found, n);
    }
    release(&ask);
    return least;
}

static void came(pmix_status_t status, pmix_device_distance_t *found, size_t n, void *cbdata,
                 pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    check_status(PMIX_SUCCESS, status, "by callback");
    if (check(n == 1, "one device: %zu", n)) {
        same("eth7", found[0].osname, "the card");
    }
    if (release_fn != NULL) {
        release_fn(release_cbdata);
    }
    tell(cbdata);
}

static void measure(void)
{
    struct asked_distances ask;
    pmix_device_distance_t *found = NULL;
    size_t n = 0;

    about("TOP-002"); /* the machine that is made up */
    begin();
    distance_of("eth7", PMIX_DEVTYPE_NETWORK, "hwloc:0");
    about("TOP-008");
    check(distance_of("eth7", PMIX_DEVTYPE_NETWORK, "hwloc:2") <
              distance_of("eth7", PMIX_DEVTYPE_NETWORK, "hwloc:0"),
          "the package that has the card is nearer");
    distance_of("mlx5_0", PMIX_DEVTYPE_OPENFABRICS, "hwloc:0-3");
    ask = from("hwloc:0", PMIX_DEVTYPE_GPU);
    check(PMIx_Compute_distances(&ask.topo, &ask.cpus, ask.types.at, ask.types.n, &found, &n) !=
                  PMIX_SUCCESS ||
              n == 0,
          "there is no such device");
    release(&ask);
    ask = from("hwloc:0", PMIX_DEVTYPE_NETWORK);
    check_status(PMIX_SUCCESS,
                 PMIx_Compute_distances_nb(&ask.topo, &ask.cpus, ask.types.at, ask.types.n, came,
                                           (void *) "came"),
                 "the other form");
    await("came");
    release(&ask);
    end();
}

const struct conform_case cases[] = {
    {.ids = "TOP-001", .what = "a topology, by its source", .client = load},
    {.ids = "TOP-002 TOP-008",
     .otherwise = "TOP-002",
     .what = "devices of the machine that the server shares",
     .raw = true,
     .server = share_machine,
     .client = measure,
     .after = remove_machine},
    {.ids = "TOP-003 TOP-004 TOP-006",
     .otherwise = "TOP-003",
     .what = "sets of CPUs and what they share",
     .server = share_machine,
     .script = locate,
     .after = remove_machine},
    {.ids = "TOP-005", .what = "process and thread", .raw = true, .client = be_bound_first},
    {.ids = "TOP-007",
     .what = "locality is for one node",
     .nodes = 2,
     .ranks = 2,
     .setup = describe,
     .client = read_locality},
    {.ids = "TOP-009",
     .what = "distances that the host has registered",
     .setup = describe,
     .client = read_distances},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
