/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A value of every type and of every size comes back as it was put: within the process, on the
 * node, from another node by a fence and on demand; copied, in the caller's memory, and by
 * pointer. */

#include "lib/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* OpenPMIx 6 has no structures of resource usage any more. */
#if !defined(CONFORM_THEIRS) || PMIX_NUMERIC_VERSION < 0x00060000
#define HAS_STATS
#endif

/* ---- the values */

static uint32_t numbers[] = {1, 2, 3};
static char *words[] = {"one", "", "three"};
static uint8_t none[1];
static pmix_proc_t proc = {.nspace = "some.job", .rank = 17};
static pmix_nspace_t name = "a.namespace";
static pmix_proc_info_t proc_info = {.proc = {.nspace = "j", .rank = 1},
                                     .hostname = "here",
                                     .executable_name = "a.out",
                                     .pid = 4711,
                                     .exit_code = 3,
                                     .state = PMIX_PROC_STATE_TERMINATED};
static pmix_coord_t coord = {.view = PMIX_COORD_PHYSICAL_VIEW, .coord = numbers, .dims = 3};
static pmix_geometry_t geometry = {
    .fabric = 9, .uuid = "u-1", .osname = "eth0", .coordinates = &coord, .ncoords = 1};
static pmix_device_distance_t distance = {
    .uuid = "u-2", .osname = "ib0", .type = PMIX_DEVTYPE_NETWORK, .mindist = 3, .maxdist = 5};
static pmix_endpoint_t endpoint = {
    .uuid = "u-3", .osname = "ib1", .endpt = {.bytes = "\0\1\2", .size = 3}};
static char *lines[] = {"what it is", "in two lines", NULL};
static pmix_regattr_t regattr = {
    .name = "PMIX_X", .string = "pmix.x", .type = PMIX_INT, .description = lines};
#ifdef HAS_STATS
static pmix_proc_stats_t proc_stats = {.node = "n",
                                       .proc = {.nspace = "j", .rank = 2},
                                       .pid = 5,
                                       .cmd = "c",
                                       .state = 'R',
                                       .time = {.tv_sec = 6, .tv_usec = 7},
                                       .percent_cpu = 8.5F,
                                       .priority = -9,
                                       .num_threads = 10,
                                       .processor = 11};
static pmix_disk_stats_t disk = {
    .disk = "sda", .num_reads_completed = 1, .weighted_milliseconds_io = UINT64_MAX};
static pmix_net_stats_t net = {
    .net_interface = "lo", .num_bytes_recvd = 2, .num_send_errs = UINT64_MAX};
static pmix_node_stats_t node_stats = {.node = "n",
                                       .la = 0.5F,
                                       .swap_free = 1e6F,
                                       .diskstats = &disk,
                                       .ndiskstats = 1,
                                       .netstats = &net,
                                       .nnetstats = 1};
#endif

static pmix_data_array_t of_numbers = {.type = PMIX_UINT32, .size = 3, .array = numbers};
static pmix_data_array_t of_words = {.type = PMIX_STRING, .size = 3, .array = words};
static pmix_data_array_t of_none = {.type = PMIX_PROC, .size = 0, .array = NULL};
static pmix_info_t inner[] = {
    {.key = "in.words", .value = {.type = PMIX_DATA_ARRAY, .data.darray = &of_words}},
    {.key = "in.number", .flags = PMIX_INFO_REQD, .value = {.type = PMIX_INT16, .data.int16 = -1}},
};
static pmix_data_array_t of_infos = {.type = PMIX_INFO, .size = 2, .array = inner};
static pmix_info_t outer[] = {
    {.key = "infos", .value = {.type = PMIX_DATA_ARRAY, .data.darray = &of_infos}},
    {.key = "proc", .value = {.type = PMIX_PROC, .data.proc = &proc}},
};
static pmix_data_array_t nested = {.type = PMIX_INFO, .size = 2, .array = outer};
static pmix_value_t values[] = {
    {.type = PMIX_STRING, .data.string = "text"},
    {.type = PMIX_DATA_ARRAY, .data.darray = &nested},
};
static pmix_data_array_t of_values = {.type = PMIX_VALUE, .size = 2, .array = values};
static pmix_data_array_t arrays[] = {
    {.type = PMIX_UINT32, .size = 3, .array = numbers},
    {.type = PMIX_INFO, .size = 2, .array = outer},
};
static pmix_data_array_t of_arrays = {.type = PMIX_DATA_ARRAY, .size = 2, .array = arrays};
static char *keys[] = {"a.key", "another", NULL};
static pmix_query_t query = {.keys = keys, .qualifiers = outer, .nqual = 2};
static pmix_data_array_t of_queries = {.type = PMIX_QUERY, .size = 1, .array = &query};
static pmix_app_t app = {
    .cmd = "cmd", .argv = keys, .env = lines, .cwd = "/", .maxprocs = 4, .info = inner, .ninfo = 2};
static pmix_data_array_t of_apps = {.type = PMIX_APP, .size = 1, .array = &app};
static pmix_pdata_t pdata = {.proc = {.nspace = "p", .rank = 3},
                             .key = "k",
                             .value = {.type = PMIX_BOOL, .data.flag = true}};
static pmix_data_array_t of_pdata = {.type = PMIX_PDATA, .size = 1, .array = &pdata};
static pmix_byte_object_t objects[] = {{.bytes = "abc", .size = 3}, {.bytes = NULL, .size = 0}};
static pmix_data_array_t of_objects = {.type = PMIX_BYTE_OBJECT, .size = 2, .array = objects};

/* Filled by prepare(). */
#ifndef CONFORM_THEIRS /* it parses none before it has loaded a topology */
static pmix_cpuset_t cpuset;
#endif
static pmix_data_buffer_t buffer;
static char large[1 << 20];
static char regex[] = "pmix[n:2(0-3)]";

#define INLINE(t, member, v)                                                                       \
    {                                                                                              \
        sizeof(((pmix_value_t *) 0)->data.member),                                                 \
        {                                                                                          \
            .type = (t), .data.member = (v)                                                        \
        }                                                                                          \
    }
#define BOXED(t, member, p)                                                                        \
    {                                                                                              \
        0,                                                                                         \
        {                                                                                          \
            .type = (t), .data.member = (p)                                                        \
        }                                                                                          \
    }
#define BYTES(t, p, n)                                                                             \
    {                                                                                              \
        0,                                                                                         \
        {                                                                                          \
            .type = (t), .data.bo = {.bytes = (char *) (p), .size = (n) }                          \
        }                                                                                          \
    }

static struct sample {
    size_t size; /* of a value without pointers: it is compared byte by byte */
    pmix_value_t value;
} samples[] = {
    INLINE(PMIX_BOOL, flag, true),
    INLINE(PMIX_BYTE, byte, 0xfe),
    BOXED(PMIX_STRING, string, "a text"),
    BOXED(PMIX_STRING, string, ""),
    BOXED(PMIX_STRING, string, large),
    INLINE(PMIX_SIZE, size, SIZE_MAX),
    INLINE(PMIX_PID, pid, 4711),
    INLINE(PMIX_INT, integer, INT32_MIN),
    INLINE(PMIX_INT8, int8, INT8_MIN),
    INLINE(PMIX_INT16, int16, INT16_MIN),
    INLINE(PMIX_INT32, int32, INT32_MIN),
    INLINE(PMIX_INT64, int64, INT64_MIN),
    INLINE(PMIX_UINT, uint, UINT32_MAX),
    INLINE(PMIX_UINT8, uint8, UINT8_MAX),
    INLINE(PMIX_UINT16, uint16, UINT16_MAX),
    INLINE(PMIX_UINT32, uint32, UINT32_MAX),
    INLINE(PMIX_UINT64, uint64, UINT64_MAX),
    INLINE(PMIX_FLOAT, fval, 1.5F),
    INLINE(PMIX_DOUBLE, dval, -2.25),
    {sizeof(struct timeval), {.type = PMIX_TIMEVAL, .data.tv = {.tv_sec = 12, .tv_usec = 345}}},
    INLINE(PMIX_TIME, time, 1234567890),
    INLINE(PMIX_STATUS, status, PMIX_ERR_TIMEOUT),
    BOXED(PMIX_PROC, proc, &proc),
    BYTES(PMIX_BYTE_OBJECT, "by\0tes", 6),
    BYTES(PMIX_BYTE_OBJECT, none, 0),
    BYTES(PMIX_BYTE_OBJECT, large, sizeof(large)),
    INLINE(PMIX_PERSIST, persist, PMIX_PERSIST_SESSION),
    INLINE(PMIX_SCOPE, scope, PMIX_REMOTE),
    INLINE(PMIX_DATA_RANGE, range, PMIX_RANGE_NAMESPACE),
    INLINE(PMIX_PROC_STATE, state, PMIX_PROC_STATE_RUNNING),
    BOXED(PMIX_PROC_INFO, pinfo, &proc_info),
    BOXED(PMIX_DATA_ARRAY, darray, &of_numbers),
    BOXED(PMIX_DATA_ARRAY, darray, &of_words),
    BOXED(PMIX_DATA_ARRAY, darray, &of_none),
    BOXED(PMIX_DATA_ARRAY, darray, &nested),
    BOXED(PMIX_DATA_ARRAY, darray, &of_values),
    BOXED(PMIX_DATA_ARRAY, darray, &of_arrays),
    BOXED(PMIX_DATA_ARRAY, darray, &of_queries),
    BOXED(PMIX_DATA_ARRAY, darray, &of_apps),
    BOXED(PMIX_DATA_ARRAY, darray, &of_pdata),
    BOXED(PMIX_DATA_ARRAY, darray, &of_objects),
    INLINE(PMIX_PROC_RANK, rank, PMIX_RANK_WILDCARD),
    INLINE(PMIX_ALLOC_DIRECTIVE, adir, PMIX_ALLOC_EXTEND),
    {0, {.type = PMIX_ENVAR, .data.envar = {.envar = "PATH", .value = "/bin", .separator = ':'}}},
    BOXED(PMIX_COORD, coord, &coord),
    BOXED(PMIX_REGATTR, ptr, &regattr),
    BYTES(PMIX_REGEX, regex, sizeof(regex)),
    INLINE(PMIX_JOB_STATE, jstate, PMIX_JOB_STATE_RUNNING),
    INLINE(PMIX_LINK_STATE, linkstate, PMIX_LINK_UP),
#ifndef CONFORM_THEIRS
    BOXED(PMIX_PROC_CPUSET, cpuset, &cpuset),
#endif
    BOXED(PMIX_GEOMETRY, geometry, &geometry),
    BOXED(PMIX_DEVICE_DIST, devdist, &distance),
    BOXED(PMIX_ENDPOINT, endpoint, &endpoint),
    INLINE(PMIX_DEVTYPE, devtype, PMIX_DEVTYPE_GPU),
    INLINE(PMIX_LOCTYPE, locality, PMIX_LOCALITY_SHARE_NUMA),
    BOXED(PMIX_PROC_NSPACE, nspace, &name),
#ifdef HAS_STATS
    BOXED(PMIX_PROC_STATS, pstats, &proc_stats),
    BOXED(PMIX_DISK_STATS, dkstats, &disk),
    BOXED(PMIX_NET_STATS, netstats, &net),
    BOXED(PMIX_NODE_STATS, ndstats, &node_stats),
#endif
    BOXED(PMIX_DATA_BUFFER, dbuf, &buffer),
    INLINE(PMIX_STOR_MEDIUM, uint64, 1 << 3),
    INLINE(PMIX_STOR_ACCESS, uint64, 1 << 1),
    INLINE(PMIX_STOR_PERSIST, uint64, 1 << 2),
    INLINE(PMIX_STOR_ACCESS_TYPE, uint16, 1),
};
enum { N_SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void prepare(void)
{
    int number = 42;

    for (size_t i = 0; i < sizeof(large) - 1; i++) {
        large[i] = (char) ('a' + i % 23);
    }
#ifndef CONFORM_THEIRS
    check_status(PMIX_SUCCESS, PMIx_Parse_cpuset_string("hwloc:0-1", &cpuset),
                 "a set of processors");
#endif
    PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
    check_status(PMIX_SUCCESS, PMIx_Data_pack(NULL, &buffer, &number, 1, PMIX_INT), "a buffer");
}

/* ---- the same? */

static void pack(const pmix_value_t *v, pmix_data_buffer_t *to)
{
    PMIX_DATA_BUFFER_CONSTRUCT(to);
    check_status(PMIX_SUCCESS, PMIx_Data_pack(NULL, to, (void *) (uintptr_t) v, 1, PMIX_VALUE),
                 "type %d", v->type);
}

static bool equal(const struct sample *sample, const pmix_value_t *v)
{
    const pmix_value_t *want = &sample->value;
    pmix_data_buffer_t a;
    pmix_data_buffer_t b;
    bool is;

    if (v->type != want->type) {
        return false;
    }
    if (sample->size > 0) {
        return memcmp(&v->data, &want->data, sample->size) == 0;
    }
    if (want->type == PMIX_STRING) {
        return strcmp(v->data.string, want->data.string) == 0;
    }
    if (want->type == PMIX_BYTE_OBJECT) {
        return v->data.bo.size == want->data.bo.size &&
               (v->data.bo.size == 0 ||
                memcmp(v->data.bo.bytes, want->data.bo.bytes, v->data.bo.size) == 0);
    }
    pack(want, &a);
    pack(v, &b);
    is = a.bytes_used == b.bytes_used && memcmp(a.base_ptr, b.base_ptr, a.bytes_used) == 0;
    PMIX_DATA_BUFFER_DESTRUCT(&a);
    PMIX_DATA_BUFFER_DESTRUCT(&b);
    return is;
}

/* ---- put and got */

static void key_of(int i, char to[32])
{
    snprintf(to, 32, "type.%d", i);
}

static void put_all(void)
{
    char key[32];

    for (int i = 0; i < N_SAMPLES; i++) {
        key_of(i, key);
        check_status(PMIX_SUCCESS, PMIx_Put(PMIX_GLOBAL, key, &samples[i].value), "put type %d",
                     samples[i].value.type);
    }
}

static void get_one(pmix_rank_t rank, int i, const char *manner)
{
    pmix_proc_t of = process(me.nspace, rank);
    bool in_place = manner != NULL && strcmp(manner, PMIX_GET_STATIC_VALUES) == 0;
    pmix_data_type_t type = samples[i].value.type;
    pmix_value_t room;
    pmix_value_t *v = in_place ? &room : NULL;
    struct infos list = {0};
    char key[32];
    pmix_status_t rc;

    key_of(i, key);
    PMIX_VALUE_CONSTRUCT(&room);
    if (manner != NULL) {
        add_true(&list, manner);
    }
    rc = PMIx_Get(&of, key, list.at, list.n, &v);
    free_infos(&list);
    if (manner != NULL && rc == PMIX_ERR_NOT_SUPPORTED) {
        return;
    }
    about(manner != NULL ? "GET-002" : NULL);
    if (!check_status(PMIX_SUCCESS, rc, "type %d of %u, %s", type, rank,
                      manner != NULL ? manner : "copied")) {
        return;
    }
    about(NULL);
    check(equal(&samples[i], v), "sample %d, type %d, of %u, %s, is not what was put", i, type,
          rank, manner != NULL ? manner : "copied");
    if (in_place) {
        check_for("GET-008", v == &room, "it is in the given place");
        PMIX_VALUE_DESTRUCT(&room);
    } else if (manner == NULL) {
        PMIX_VALUE_RELEASE(v);
    }
}

static void get_all(pmix_rank_t rank)
{
    for (int i = 0; i < N_SAMPLES; i++) {
        get_one(rank, i, NULL);
        get_one(rank, i, PMIX_GET_STATIC_VALUES);
        get_one(rank, i, PMIX_GET_POINTER_VALUES);
    }
}

/* Rank 0 posts to a fence that collects, rank 2, of the other node, to one that does not. */
static void exchange_all(void)
{
    prepare();
    if (me.rank == 0) {
        put_all();
        get_all(0);
        commit();
        get_all(0);
    }
    fence_all(PMIX_COLLECT_DATA);
    get_all(0);
    if (me.rank == 2) {
        put_all();
        commit();
    }
    fence_all(NULL);
    get_all(2);
    fence_all(NULL);
}

/* What has no meaning elsewhere, and what is only kept. */
static void keep_pointer(void)
{
    static int something;
    pmix_value_t v = {.type = PMIX_POINTER, .data.ptr = &something};
    pmix_value_t *is = NULL;

    check_status(PMIX_SUCCESS, PMIx_Store_internal(&me, "pointer", &v), "store a pointer");
    if (check_status(PMIX_SUCCESS, PMIx_Get(&me, "pointer", NULL, 0, &is), "get it")) {
        check(is->type == PMIX_POINTER && is->data.ptr == &something, "the same pointer");
        free(is); /* what it points to is not the value's */
    }
}

const struct conform_case cases[] = {
    {.ids = "PUT-013 GET-002 GET-008",
     .otherwise = "PUT-013",
     .what = "values of all types, near and far",
     .nodes = 2,
     .ranks = 2,
     .client = exchange_all},
    {.ids = "GET-002", .what = "a pointer that a process keeps for itself", .client = keep_pointer},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
