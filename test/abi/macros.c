/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Covers: MAC-005 MAC-006 MAC-015 */
/*
 * The macros, used the way programs of the 4.2 and 6.1 series use them. One source for C and C++:
 * macros_cxx.cc includes it. With PX_SYSTEM_HEADERS it uses only what 4.2 has: headers.sh compiles
 * it so, against the system's headers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmix.h>
#include <pmix_server.h>
#include <pmix_tool.h>

static int n_tests;
static int n_wrong;

static void is_true(int condition, const char *what)
{
    n_tests++;
    printf("%s %d - %s\n", condition ? "ok" : "not ok", n_tests, what);
    n_wrong += !condition;
}

static void names(void)
{
    pmix_proc_t a = PMIX_PROC_STATIC_INIT;
    pmix_proc_t b;
    pmix_proc_t *list;
    pmix_key_t key;
    pmix_nspace_t joined;
    pmix_nspace_t cluster;
    pmix_nspace_t nspace;

    is_true(a.rank == PMIX_RANK_UNDEF, "PMIX_PROC_STATIC_INIT");
    PMIX_PROC_CONSTRUCT(&b);
    PMIX_LOAD_PROCID(&a, "job", 3);
    PMIX_XFER_PROCID(&b, &a);
    is_true(PMIX_CHECK_PROCID(&a, &b) && PMIX_CHECK_NSPACE(a.nspace, "job"), "PMIX_XFER_PROCID");
    PMIX_PROC_LOAD(&b, "job", PMIX_RANK_WILDCARD);
    is_true(PMIX_CHECK_RANK(a.rank, b.rank) && PMIX_RANK_IS_VALID(a.rank), "PMIX_CHECK_RANK");
    is_true(!PMIX_PROCID_INVALID(&a) && PMIX_NSPACE_INVALID(""), "PMIX_PROCID_INVALID");
    PMIX_LOAD_KEY(key, PMIX_JOB_SIZE);
    is_true(PMIX_CHECK_RESERVED_KEY(key) && pmix_keylen(key) == 13, "PMIX_LOAD_KEY");
    PMIX_LOAD_NSPACE(cluster, "c1");
    PMIX_LOAD_NSPACE(nspace, "job");
    PMIX_MULTICLUSTER_NSPACE_CONSTRUCT(joined, cluster, nspace);
    memset(cluster, 0, sizeof(cluster));
    memset(nspace, 0, sizeof(nspace));
    PMIX_MULTICLUSTER_NSPACE_PARSE(joined, cluster, nspace);
    is_true(strcmp(cluster, "c1") == 0 && strcmp(nspace, "job") == 0, "PMIX_MULTICLUSTER_*");
    PMIX_PROC_CREATE(list, 4);
    PMIX_PROC_FREE(list, 4);
    is_true(list == NULL, "PMIX_PROC_FREE");
    is_true(PMIX_SYSTEM_EVENT(PMIX_EVENT_NODE_DOWN) != 0, "PMIX_SYSTEM_EVENT");
}

static void values(void)
{
    pmix_value_t value = PMIX_VALUE_STATIC_INIT;
    pmix_value_t *copy;
    pmix_status_t rc;
    uint16_t u16;
    uint16_t got;
    double real;
    char *text;
    void *where;
    size_t size;

    u16 = 513;
    PMIX_VALUE_CONSTRUCT(&value);
    PMIX_VALUE_LOAD(&value, &u16, PMIX_UINT16);
    got = 0;
    PMIX_VALUE_GET_NUMBER(rc, &value, got, uint16_t);
    is_true(rc == PMIX_SUCCESS && got == 513, "PMIX_VALUE_GET_NUMBER of an integer");
    PMIX_VALUE_GET_NUMBER(rc, &value, real, double);
    is_true(rc == PMIX_SUCCESS && real > 512.5 && real < 513.5, "PMIX_VALUE_GET_NUMBER to double");
    PMIX_VALUE_DESTRUCT(&value);
    PMIX_VALUE_LOAD(&value, "text", PMIX_STRING);
    PMIX_VALUE_GET_NUMBER(rc, &value, got, uint16_t);
    is_true(rc != PMIX_SUCCESS, "PMIX_VALUE_GET_NUMBER of a string");
    PMIx_Heartbeat(); /* a macro until 6.1; before init it does nothing */
    copy = NULL;
    PMIX_VALUE_XFER(rc, copy, &value);
    is_true(rc == PMIX_SUCCESS && strcmp(copy->data.string, "text") == 0, "PMIX_VALUE_XFER");
    where = NULL;
    PMIX_VALUE_UNLOAD(rc, copy, &where, &size);
    text = (char *) where;
    is_true(rc == PMIX_SUCCESS && strcmp(text, "text") == 0, "PMIX_VALUE_UNLOAD");
    free(text);
    PMIX_VALUE_RELEASE(copy);
    PMIX_VALUE_DESTRUCT(&value);
    PMIX_VALUE_LOAD(&value, NULL, PMIX_BOOL);
    is_true(PMIX_CHECK_TRUE(&value) && PMIX_CHECK_BOOL(&value), "PMIX_CHECK_TRUE");
    PMIX_VALUE_CREATE(copy, 2);
    PMIX_VALUE_FREE(copy, 2);
    is_true(copy == NULL, "PMIX_VALUE_FREE");
}

static void infos(void)
{
    pmix_info_t one = PMIX_INFO_STATIC_INIT;
    pmix_info_t *info;
    pmix_data_array_t array = PMIX_DATA_ARRAY_STATIC_INIT;
    pmix_status_t rc;
    void *list;
    bool flag;

    flag = true;
    PMIX_INFO_CREATE(info, 2);
    PMIX_INFO_LOAD(&info[0], PMIX_COLLECT_DATA, &flag, PMIX_BOOL);
    PMIX_INFO_REQUIRED(&info[0]);
    is_true(PMIX_INFO_TRUE(&info[0]) && PMIX_INFO_IS_REQUIRED(&info[0]), "PMIX_INFO_REQUIRED");
    PMIX_INFO_OPTIONAL(&info[0]);
    is_true(PMIX_INFO_IS_OPTIONAL(&info[0]) && PMIX_INFO_IS_END(&info[1]), "PMIX_INFO_IS_END");
    PMIX_INFO_PROCESSED(&info[0]);
    PMIX_INFO_SET_PERSISTENT(&info[0]);
    PMIX_INFO_SET_QUALIFIER(&info[1]);
    is_true(PMIX_INFO_WAS_PROCESSED(&info[0]) && PMIX_INFO_IS_PERSISTENT(&info[0]) &&
                PMIX_INFO_IS_QUALIFIER(&info[1]),
            "flags of an info");
    PMIX_INFO_XFER(&one, &info[0]);
    is_true(PMIX_CHECK_KEY(&one, PMIX_COLLECT_DATA), "PMIX_INFO_XFER");
    PMIX_INFO_LIST_START(list);
    PMIX_INFO_LIST_ADD(rc, list, PMIX_TIMEOUT, &flag, PMIX_BOOL);
    PMIX_INFO_LIST_XFER(rc, list, &one);
    PMIX_INFO_LIST_CONVERT(rc, list, &array);
    is_true(rc == PMIX_SUCCESS && array.size == 2, "PMIX_INFO_LIST_CONVERT");
    PMIX_INFO_LIST_RELEASE(list);
    PMIX_DATA_ARRAY_DESTRUCT(&array);
    PMIX_INFO_DESTRUCT(&one);
    PMIX_INFO_FREE(info, 2);
    is_true(info == NULL, "PMIX_INFO_FREE");
}

static void vectors(void)
{
    char **argv;
    char **copy;
    char *joined;
    pmix_status_t rc;
    int count;

    argv = NULL;
    PMIX_ARGV_APPEND(rc, argv, "b");
    PMIX_ARGV_PREPEND(rc, argv, "a");
    PMIX_ARGV_APPEND_UNIQUE(rc, argv, "b");
    PMIX_ARGV_COUNT(count, argv);
    is_true(rc == PMIX_SUCCESS && count == 2, "PMIX_ARGV_APPEND_UNIQUE");
    PMIX_ARGV_COPY(copy, argv);
    PMIX_ARGV_JOIN(joined, copy, ',');
    is_true(strcmp(joined, "a,b") == 0, "PMIX_ARGV_JOIN");
    PMIX_ARGV_FREE(copy);
    PMIX_ARGV_SPLIT(copy, joined, ',');
    is_true(pmix_argv_count(copy) == 2, "PMIX_ARGV_SPLIT");
    PMIX_SETENV(rc, "PX_A", "1", &copy);
    is_true(rc == PMIX_SUCCESS && pmix_argv_count(copy) == 3, "PMIX_SETENV");
    free(joined);
    PMIX_ARGV_FREE(copy);
    PMIX_ARGV_FREE(argv);
}

static void buffers(void)
{
    pmix_byte_object_t bo = PMIX_BYTE_OBJECT_STATIC_INIT;
    pmix_data_buffer_t buffer = PMIX_DATA_BUFFER_STATIC_INIT;
    pmix_data_array_t *array;
    char *bytes;
    size_t size;

    bytes = strdup("12345");
    size = 6;
    PMIX_BYTE_OBJECT_LOAD(&bo, bytes, size);
    is_true(bytes == NULL && size == 0 && bo.size == 6, "PMIX_BYTE_OBJECT_LOAD");
    PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
    PMIX_DATA_BUFFER_LOAD(&buffer, bo.bytes, bo.size);
    PMIX_BYTE_OBJECT_CONSTRUCT(&bo);
    PMIX_DATA_BUFFER_UNLOAD(&buffer, bytes, size);
    is_true(size == 6 && strcmp(bytes, "12345") == 0, "PMIX_DATA_BUFFER_UNLOAD");
    free(bytes);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    PMIX_DATA_ARRAY_CREATE(array, 3, PMIX_INFO);
    is_true(array->size == 3 && array->type == PMIX_INFO, "PMIX_DATA_ARRAY_CREATE");
    PMIX_DATA_ARRAY_FREE(array);
    is_true(array == NULL, "PMIX_DATA_ARRAY_FREE");
}

static void spawning(void)
{
    pmix_app_t *app;
    pmix_query_t *query;
    pmix_pdata_t *pdata;
    pmix_regattr_t attr = PMIX_REGATTR_STATIC_INIT;
    pmix_envar_t envar = PMIX_ENVAR_STATIC_INIT;
    pmix_proc_info_t *pinfo;
    pmix_status_t rc;

    PMIX_APP_CREATE(app, 1);
    app->cmd = strdup("true");
    PMIX_ARGV_APPEND(rc, app->argv, "true");
    PMIX_APP_INFO_CREATE(app, 1);
    is_true(rc == PMIX_SUCCESS && app->ninfo == 1, "PMIX_APP_INFO_CREATE");
    PMIX_APP_FREE(app, 1);
    PMIX_QUERY_CREATE(query, 1);
    PMIX_ARGV_APPEND(rc, query->keys, PMIX_QUERY_NAMESPACES);
    PMIX_QUERY_QUALIFIERS_CREATE(query, 2);
    is_true(query->nqual == 2, "PMIX_QUERY_QUALIFIERS_CREATE");
    PMIX_QUERY_FREE(query, 1);
    PMIX_PDATA_CREATE(pdata, 1);
    PMIX_LOAD_KEY(pdata[0].key, "site.key");
    PMIX_PDATA_FREE(pdata, 1);
    PMIX_REGATTR_CONSTRUCT(&attr);
#ifndef PX_SYSTEM_HEADERS /* does not compile in 4.2.2 */
    PMIX_REGATTR_LOAD(&attr, "PMIX_TIMEOUT", PMIX_TIMEOUT, PMIX_INT, "seconds");
    is_true(strcmp(attr.string, PMIX_TIMEOUT) == 0, "PMIX_REGATTR_LOAD");
#endif
    PMIX_REGATTR_DESTRUCT(&attr);
    PMIX_ENVAR_LOAD(&envar, "A", "b", ':');
    is_true(envar.separator == ':' && strcmp(envar.value, "b") == 0, "PMIX_ENVAR_LOAD");
    PMIX_ENVAR_DESTRUCT(&envar);
    PMIX_PROC_INFO_CREATE(pinfo, 2);
    PMIX_PROC_INFO_FREE(pinfo, 2);
    is_true(app == NULL && query == NULL && pdata == NULL && pinfo == NULL, "the freed are NULL");
}

static void hardware(void)
{
    pmix_coord_t coord = PMIX_COORD_STATIC_INIT;
    pmix_geometry_t *geometry;
    pmix_endpoint_t *endpoint;
    pmix_device_distance_t distance = PMIX_DEVICE_DIST_STATIC_INIT;
    pmix_cpuset_t cpuset = PMIX_CPUSET_STATIC_INIT;
    pmix_topology_t topology = PMIX_TOPOLOGY_STATIC_INIT;
    pmix_fabric_t fabric = PMIX_FABRIC_STATIC_INIT;

    PMIX_COORD_CONSTRUCT(&coord);
    PMIX_COORD_DESTRUCT(&coord);
    PMIX_GEOMETRY_CREATE(geometry, 1);
    PMIX_GEOMETRY_FREE(geometry, 1);
    PMIX_ENDPOINT_CREATE(endpoint, 1);
    PMIX_ENDPOINT_FREE(endpoint, 1);
    PMIX_DEVICE_DIST_CONSTRUCT(&distance);
    PMIX_DEVICE_DIST_DESTRUCT(&distance);
    PMIX_CPUSET_CONSTRUCT(&cpuset);
    PMIX_TOPOLOGY_CONSTRUCT(&topology);
    PMIX_FABRIC_CONSTRUCT(&fabric);
    is_true(geometry == NULL && endpoint == NULL && cpuset.source == NULL && fabric.name == NULL &&
                topology.topology == NULL && coord.coord == NULL && distance.uuid == NULL,
            "hardware structures");
}

#ifndef PX_SYSTEM_HEADERS
static void newer(void)
{
    pmix_device_t *device;
    pmix_resource_unit_t *unit;
    pmix_cpuset_t *cpuset;
    pmix_topology_t *topology;
    pmix_proc_stats_t stats = PMIX_PROC_STATS_STATIC_INIT;
    pmix_disk_stats_t disk = PMIX_DISK_STATS_STATIC_INIT;
    pmix_net_stats_t net = PMIX_NET_STATS_STATIC_INIT;
    pmix_node_stats_t node = PMIX_NODE_STATS_STATIC_INIT;
    pmix_info_t *info;
    pmix_data_array_t array;
    pmix_status_t rc;
    void *list;
    int n;

    PMIX_DEVICE_CREATE(device, 1);
    PMIX_DEVICE_FREE(device, 1);
    PMIX_RESOURCE_UNIT_CREATE(unit, 1);
    PMIX_RESOURCE_UNIT_FREE(unit, 1);
    PMIX_CPUSET_CREATE(cpuset, 1);
    PMIX_CPUSET_FREE(cpuset, 1);
    PMIX_TOPOLOGY_CREATE(topology, 1);
    PMIX_TOPOLOGY_FREE(topology, 1);
    is_true(device == NULL && unit == NULL && cpuset == NULL && topology == NULL, "new structures");
    PMIX_PROC_STATS_DESTRUCT(&stats);
    PMIX_DISK_STATS_DESTRUCT(&disk);
    PMIX_NET_STATS_DESTRUCT(&net);
    PMIX_NODE_STATS_DESTRUCT(&node);
    is_true(stats.node == NULL && node.diskstats == NULL && net.net_interface == NULL,
            "statistics");
    n = 1;
    PMIX_INFO_LIST_START(list);
    PMIX_INFO_LIST_ADD(rc, list, "site.second", &n, PMIX_INT);
    PMIX_INFO_LIST_PREPEND(rc, list, "site.first", &n, PMIX_INT);
    PMIX_DATA_ARRAY_INIT(&array, PMIX_INFO);
    PMIX_INFO_LIST_CONVERT(rc, list, &array);
    info = (pmix_info_t *) array.array;
    is_true(rc == PMIX_SUCCESS && PMIX_CHECK_KEY(&info[0], "site.first"), "PMIX_INFO_LIST_PREPEND");
    PMIX_DATA_ARRAY_DESTRUCT(&array);
    PMIX_INFO_LIST_RELEASE(list);
}
#endif

int main(void)
{
    names();
    values();
    infos();
    vectors();
    buffers();
    spawning();
    hardware();
#ifndef PX_SYSTEM_HEADERS
    newer();
#endif
    printf("1..%d\n", n_tests);
    return 0;
}
