/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Registrations as hosts make them, and what can be read afterwards. Requirement ids in
 * brackets. */

#include "build.h"
#include "gds/nodes.h"
#include "src/wire/regex2.h"

#define ALL PMIX_RANK_WILDCARD

static void maps(struct list *list)
{
    put_text(list, PMIX_NODE_MAP, "n0,n1,n2");
    put_text(list, PMIX_PROC_MAP, "0,1;2,3;4");
}

/* [KEY-024] */
static void maps_alone_are_enough(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct px_node_view view;

    (void) state;
    maps(&list);
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_u32(store, ALL, PMIX_JOB_SIZE, 5);
    expect_u32(store, ALL, PMIX_NUM_NODES, 3);
    expect_u32(store, ALL, PMIX_UNIV_SIZE, 5);
    expect_u32(store, ALL, PMIX_LOCAL_SIZE, 2);
    expect_text(store, ALL, PMIX_LOCAL_PEERS, "2,3");
    expect_u32(store, ALL, PMIX_LOCALLDR, 2);
    expect_text(store, ALL, PMIX_HOSTNAME, "n1");
    expect_u16(store, 0, PMIX_LOCAL_RANK, 0);
    expect_u16(store, 3, PMIX_LOCAL_RANK, 1);
    expect_u16(store, 4, PMIX_NODE_RANK, 0);
    expect_u32(store, 4, PMIX_NODEID, 2);
    expect_text(store, 4, PMIX_HOSTNAME, "n2");
    expect_u32(store, 3, PMIX_GLOBAL_RANK, 3);
    expect_u32(store, 3, PMIX_APP_RANK, 3);
    expect_u32(store, 3, PMIX_APPNUM, 0);
    expect_u32(store, 3, PMIX_APPLDR, 0);
    expect_u32(store, 3, PMIX_APP_SIZE, 5);
    expect_u32(store, ALL, PMIX_JOB_NUM_APPS, 1);
    expect_text(store, ALL, PMIX_NODE_LIST, "n0,n1,n2");
    assert_int_equal(px_store_local_node(store), 1);
    assert_int_equal(px_store_node(store, 2, &view), 0);
    assert_string_equal(view.name, "n2");
    px_store_destroy(store);
}

static void maps_in_every_form(void **state)
{
    static const char *const nodes[] = {"pmix[n[1:0-2]]", "raw:n0,n1,n2", "n0,n1,n2"};
    static const char *const procs[] = {"pmix[0-1;2-3;4]", "raw:0,1;2,3;4", "0-1;2-3;4"};

    (void) state;
    for (size_t i = 0; i < 3; i++) {
        struct px_store *store = make_store();
        struct list list = {0};
        pmix_info_t *info = next_info(&list, PMIX_NODE_MAP, PMIX_REGEX);

        info->value.data.bo.bytes = strdup(nodes[i]);
        info->value.data.bo.size = strlen(nodes[i]) + 1;
        info = next_info(&list, PMIX_PROC_MAP, PMIX_REGEX);
        info->value.data.bo.bytes = strdup(procs[i]);
        info->value.data.bo.size = strlen(procs[i]) + 1;
        assert_int_equal(store_list(store, &list, "n0"), 0);
        expect_text(store, ALL, PMIX_LOCAL_PEERS, "0,1");
        expect_text(store, 4, PMIX_HOSTNAME, "n2");
        px_store_destroy(store);
    }
}

static void put_regex2(struct list *list, const char *key, const char *type, const char *text)
{
    pmix_info_t *info = next_info(list, key, PMIX_REGEX2);

    info->value.data.regex2 = PMIx_Regex2_create(1);
    assert_int_equal(px_regex2_make(text, info->value.data.regex2), 0);
    free(info->value.data.regex2->type);
    info->value.data.regex2->type = strdup(type);
}

static void maps_as_regex2(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_regex2(&list, PMIX_NODE_MAP, "raw", "n0,n1,n2");
    put_regex2(&list, PMIX_PROC_MAP, "raw", "0,1;2,3;4");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_text(store, ALL, PMIX_LOCAL_PEERS, "0,1");
    expect_text(store, 4, PMIX_HOSTNAME, "n2");
    px_store_destroy(store);

    store = make_store();
    list = (struct list){0};
    put_regex2(&list, PMIX_NODE_MAP, "of another kind", "n0,n1,n2");
    assert_int_equal(store_list(store, &list, "n0"), PMIX_ERR_BAD_PARAM);
    px_store_destroy(store);
}

static void raw_maps(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_text(&list, PMIX_NODE_MAP_RAW, "n0,n1");
    put_text(&list, PMIX_PROC_MAP_RAW, "0,2;1,3");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_text(store, ALL, PMIX_LOCAL_PEERS, "1,3");
    px_store_destroy(store);
}

/* A map that says more ranks than there are nodes for, or nonsense, is refused and changes
 * nothing. */
static void bad_maps(void **state)
{
    static const char *const bad[][2] = {
        {"n0", "0;1"}, {"n0,n1", "0;x"}, {"pmix[n[", "0"}, {"n0", "3-1"}, {"n0", "0-4294967295"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct px_store *store = make_store();
        struct list list = {0};
        struct px_store_info info;

        put_text(&list, PMIX_NODE_MAP, bad[i][0]);
        put_text(&list, PMIX_PROC_MAP, bad[i][1]);
        assert_int_not_equal(store_list(store, &list, "n0"), 0);
        px_store_info(store, &info);
        assert_int_equal(info.sequence, 0);
        px_store_destroy(store);
    }
}

/* A separator at the end, and nodes without processes. [RES-053] */
static void empty_fields(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_text(&list, PMIX_NODE_MAP, "n0,n1");
    put_text(&list, PMIX_PROC_MAP, "0,1;;");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_u32(store, ALL, PMIX_JOB_SIZE, 2);
    assert_int_equal(px_store_node_ranks(store, 1, NULL, 0), 0);
    px_store_destroy(store);
}

/* What Slurm registers, with its types. */
static void slurm(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_bool(&list, PMIX_SPAWNED, false);
    put_text(&list, PMIX_TMPDIR, "/tmp/s");
    put_text(&list, PMIX_NSDIR, "/tmp/s/ns");
    put_bool(&list, PMIX_TDIR_RMCLEAN, true);
    put_text(&list, PMIX_JOBID, "7.0");
    put_u32(&list, PMIX_NODEID, 1);
    for (uint32_t r = 0; r < 4; r++) {
        struct list proc = {0};

        put_rank(&proc, PMIX_RANK, r);
        put_int(&proc, PMIX_APPNUM, 0);
        put_int(&proc, PMIX_APPLDR, 0);
        put_u32(&proc, PMIX_GLOBAL_RANK, r);
        put_u32(&proc, PMIX_APP_RANK, r);
        if (r >= 2) {
            put_u16(&proc, PMIX_LOCAL_RANK, (uint16_t) (r - 2));
            put_u16(&proc, PMIX_NODE_RANK, (uint16_t) (r - 2));
        }
        put_text(&proc, PMIX_HOSTNAME, r < 2 ? "c0" : "c1");
        put_u32(&proc, PMIX_NODEID, r / 2);
        put_array(&list, PMIX_PROC_DATA, &proc);
    }
    put_u32(&list, PMIX_UNIV_SIZE, 4);
    put_u32(&list, PMIX_JOB_SIZE, 4);
    put_u32(&list, PMIX_LOCAL_SIZE, 2);
    put_u32(&list, PMIX_NODE_SIZE, 2);
    put_u32(&list, PMIX_MAX_PROCS, 4);
    put_text(&list, PMIX_LOCAL_TOPO, "<xml/>");
    put_text(&list, PMIX_NODE_MAP, "pmix[c[1:0-1]]");
    put_text(&list, PMIX_PROC_MAP, "pmix[0-1;2-3]");
    put_text(&list, PMIX_ANL_MAP, "c0,c1");
    put_text(&list, PMIX_LOCAL_PEERS, "2,3");
    put_u32(&list, PMIX_LOCALLDR, 2);
    /* The host's own name is not the node's name. */
    assert_int_equal(store_list(store, &list, "machine.example.org"), 0);
    expect_u32(store, ALL, PMIX_JOB_SIZE, 4);
    expect_text(store, ALL, PMIX_LOCAL_PEERS, "2,3");
    expect_u32(store, ALL, PMIX_LOCALLDR, 2);
    expect_u32(store, 3, PMIX_APPNUM, 0);
    expect_u32(store, 3, PMIX_APPLDR, 0);
    expect_u16(store, 3, PMIX_LOCAL_RANK, 1);
    expect_u32(store, 3, PMIX_GLOBAL_RANK, 3);
    expect_text(store, 0, PMIX_HOSTNAME, "c0");
    expect_text(store, ALL, PMIX_LOCAL_TOPO, "<xml/>");
    expect_text(store, ALL, PMIX_TMPDIR, "/tmp/s");
    assert_int_equal(px_store_local_node(store), 1);
    assert_int_equal(px_store_node_by_name(store, "machine.example.org"), 1);
    px_store_destroy(store);
}

/* flux: no node arrays, maps as strings, processes with numbers only. */
static void flux(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_text(&list, PMIX_JOBID, "f1");
    put_text(&list, PMIX_NODE_MAP, "raw:a,b");
    put_text(&list, PMIX_PROC_MAP, "raw:0,1;2,3");
    put_u32(&list, PMIX_JOB_NUM_APPS, 1);
    put_u32(&list, PMIX_LOCAL_SIZE, 2);
    put_u32(&list, PMIX_UNIV_SIZE, 4);
    put_u32(&list, PMIX_JOB_SIZE, 4);
    put_u32(&list, PMIX_APPNUM, 0);
    put_text(&list, PMIX_LOCAL_PEERS, "0,1");
    for (uint32_t r = 0; r < 4; r++) {
        struct list proc = {0};

        put_rank(&proc, PMIX_RANK, r);
        put_u32(&proc, PMIX_NODEID, r / 2);
        put_u16(&proc, PMIX_LOCAL_RANK, (uint16_t) (r % 2));
        put_u16(&proc, PMIX_NODE_RANK, (uint16_t) (r % 2));
        put_array(&list, PMIX_PROC_INFO_ARRAY, &proc);
    }
    assert_int_equal(store_list(store, &list, "a"), 0);
    expect_u16(store, 3, PMIX_LOCAL_RANK, 1);
    expect_text(store, 3, PMIX_HOSTNAME, "b");
    expect_text(store, ALL, PMIX_LOCAL_PEERS, "0,1");
    px_store_destroy(store);
}

/* [SRV-005] session > job > app, node, proc; found wherever the realm says. */
static void nested(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct list session = {0};
    struct list job = {0};
    struct list inner = {0};
    struct px_store_info info;
    pmix_value_t value;

    (void) state;
    put_u32(&session, PMIX_SESSION_ID, 42);
    put_u32(&session, PMIX_UNIV_SIZE, 64);
    put_text(&inner, PMIX_HOSTNAME, "elsewhere");
    put_u32(&inner, PMIX_NODEID, 9);
    put_array(&session, PMIX_NODE_INFO_ARRAY, &inner);
    put_u32(&job, PMIX_JOB_SIZE, 4);
    put_u32(&inner, PMIX_APPNUM, 0);
    put_u32(&inner, PMIX_APP_SIZE, 1);
    put_text(&inner, PMIX_WDIR, "/zero");
    put_array(&job, PMIX_APP_INFO_ARRAY, &inner);
    put_u32(&inner, PMIX_APPNUM, 1);
    put_u32(&inner, PMIX_APP_SIZE, 3);
    put_text(&inner, PMIX_WDIR, "/one");
    put_array(&job, PMIX_APP_INFO_ARRAY, &inner);
    put_text(&inner, PMIX_HOSTNAME, "here");
    put_u32(&inner, PMIX_NODEID, 5);
    put_text(&inner, PMIX_LOCAL_PEERS, "0,1,2,3");
    put_array(&job, PMIX_NODE_INFO_ARRAY, &inner);
    for (uint32_t r = 0; r < 4; r++) {
        put_rank(&inner, PMIX_RANK, r);
        put_u32(&inner, PMIX_APPNUM, r > 0);
        put_text(&inner, PMIX_CPUSET, "0-1");
        put_array(&job, PMIX_PROC_INFO_ARRAY, &inner);
    }
    put_array(&session, PMIX_JOB_INFO_ARRAY, &job);
    put_array(&list, PMIX_SESSION_INFO_ARRAY, &session);
    assert_int_equal(store_list(store, &list, "here"), 0);
    expect_u32(store, ALL, PMIX_JOB_SIZE, 4);
    expect_u32(store, ALL, PMIX_UNIV_SIZE, 64);
    expect_u32(store, 0, PMIX_APP_SIZE, 1);
    expect_u32(store, 2, PMIX_APP_SIZE, 3);
    expect_text(store, 3, PMIX_WDIR, "/one");
    expect_u32(store, 3, PMIX_APP_RANK, 2);
    expect_u32(store, 3, PMIX_APPLDR, 1);
    expect_text(store, 3, PMIX_CPUSET, "0-1");
    expect_text(store, 1, PMIX_HOSTNAME, "here");
    expect_u32(store, 1, PMIX_NODEID, 5);
    px_store_info(store, &info);
    assert_int_equal(info.n_nodes, 2);
    assert_int_equal(ask(store, ALL, PMIX_SESSION_ID, &value), 0);
    assert_int_equal(value.data.uint32, 42);
    px_store_destroy(store);
}

static void put_session(struct list *list, uint32_t id, uint32_t size, const char *peers)
{
    struct list session = {0};
    struct list job = {0};
    struct list node = {0};

    put_text(&node, PMIX_HOSTNAME, "here");
    put_text(&node, PMIX_LOCAL_PEERS, peers);
    put_u32(&job, PMIX_JOB_SIZE, size);
    put_array(&job, PMIX_NODE_INFO_ARRAY, &node);
    put_u32(&session, PMIX_SESSION_ID, id);
    put_u32(&session, PMIX_UNIV_SIZE, id);
    put_array(&session, PMIX_JOB_INFO_ARRAY, &job);
    put_array(list, PMIX_SESSION_INFO_ARRAY, &session);
}

/* [RES-035] the job of that name in another session is another job. */
static void sessions(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_session(&list, 1, 2, "0,1");
    put_session(&list, 2, 3, "0,1,2");
    assert_int_equal(store_list(store, &list, "here"), 0);
    expect_u32(store, ALL, PMIX_SESSION_ID, 1);
    expect_u32(store, ALL, PMIX_JOB_SIZE, 2);
    expect_u32(store, ALL, PMIX_UNIV_SIZE, 1);
    expect_text(store, ALL, PMIX_LOCAL_PEERS, "0,1");
    px_store_set_flags(store, px_store_flags(store) | PX_STORE_JOB_COMPLETE);
    put_session(&list, 2, 3, "0,1,2");
    assert_int_equal(store_list(store, &list, "here"), PMIX_ERR_EXISTS);
    put_session(&list, 2, 3, "0,1,2");
    put_u32(&list, PMIX_SESSION_ID, 1);
    put_u32(&list, PMIX_NUM_SLOTS, 5);
    assert_int_equal(store_list(store, &list, "here"), 0);
    expect_u32(store, ALL, PMIX_JOB_SIZE, 2);
    expect_u32(store, ALL, PMIX_NUM_SLOTS, 5);
    expect_u32(store, ALL, PMIX_SESSION_ID, 1);
    px_store_destroy(store);
}

/* [SRV-006] a number that fits becomes the declared type, anything else is refused. */
static void types(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    pmix_value_t value;

    (void) state;
    put_int(&list, PMIX_JOB_SIZE, 4);
    put_u16(&list, PMIX_MAX_PROCS, 9);
    assert_int_equal(store_list(store, &list, NULL), 0);
    assert_int_equal(ask(store, ALL, PMIX_JOB_SIZE, &value), 0);
    assert_int_equal(value.type, PMIX_UINT32);
    put_text(&list, PMIX_JOB_SIZE, "4");
    assert_int_equal(store_list(store, &list, NULL), PMIX_ERR_TYPE_MISMATCH);
    put_int(&list, PMIX_JOB_SIZE, -1);
    assert_int_equal(store_list(store, &list, NULL), PMIX_ERR_BAD_PARAM);
    put_u32(&list, PMIX_JOBID, 4);
    assert_int_equal(store_list(store, &list, NULL), PMIX_ERR_TYPE_MISMATCH);
    put_u32(&list, PMIX_LOCAL_RANK, 70000);
    assert_int_equal(store_list(store, &list, NULL), PMIX_ERR_BAD_PARAM);
    put_text(&list, PMIX_NODE_INFO_ARRAY, "no array");
    assert_int_equal(store_list(store, &list, NULL), PMIX_ERR_TYPE_MISMATCH);
    expect_u32(store, ALL, PMIX_JOB_SIZE, 4);
    px_store_destroy(store);
}

/* [SRV-007] */
static void arrays_need_their_names(void **state)
{
    static const char *const arrays[] = {PMIX_SESSION_INFO_ARRAY, PMIX_APP_INFO_ARRAY,
                                         PMIX_NODE_INFO_ARRAY, PMIX_PROC_INFO_ARRAY};

    (void) state;
    for (size_t i = 0; i < 4; i++) {
        struct px_store *store = make_store();
        struct list list = {0};
        struct list inner = {0};

        put_text(&inner, "site.key", "v");
        put_array(&list, arrays[i], &inner);
        assert_int_equal(store_list(store, &list, "here"), PMIX_ERR_BAD_PARAM);
        px_store_destroy(store);
    }
}

/* [SRV-008] loose values of the only app and node; [KEY-025] keys of the site. */
static void loose(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_u32(&list, PMIX_APP_SIZE, 8);
    put_text(&list, PMIX_WDIR, "/w");
    put_u32(&list, PMIX_LOCAL_SIZE, 8);
    put_u32(&list, PMIX_NODE_SIZE, 16);
    put_text(&list, "pmix.site.x", "x");
    put_text(&list, "site.y", "y");
    assert_int_equal(store_list(store, &list, "here"), 0);
    expect_u32(store, ALL, PMIX_APP_SIZE, 8);
    expect_text(store, ALL, PMIX_WDIR, "/w");
    expect_u32(store, ALL, PMIX_LOCAL_SIZE, 8);
    expect_u32(store, ALL, PMIX_NODE_SIZE, 16);
    expect_text(store, ALL, "pmix.site.x", "x");
    expect_text(store, ALL, "site.y", "y");
    px_store_destroy(store);
}

/* [SRV-009] */
static void nodata(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_bool(&list, PMIX_REGISTER_NODATA, true);
    put_u32(&list, PMIX_JOB_SIZE, 4);
    assert_int_equal(store_list(store, &list, "here"), 0);
    expect_none(store, ALL, PMIX_JOB_SIZE);
    px_store_destroy(store);
}

/* [SRV-015], [RES-062] */
static void again(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    maps(&list);
    assert_int_equal(store_list(store, &list, "n1"), 0);
    put_text(&list, PMIX_JOBID, "new");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_u32(store, ALL, PMIX_JOB_SIZE, 5);
    expect_text(store, ALL, PMIX_JOBID, "new");
    put_text(&list, PMIX_NODE_MAP, "n0,n1,n2");
    put_text(&list, PMIX_PROC_MAP, "0;2,3,1;4");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_text(store, ALL, PMIX_LOCAL_PEERS, "1,2,3");
    expect_text(store, 1, PMIX_HOSTNAME, "n1");
    px_store_destroy(store);
}

/* The switch for plain behaviour: what the host did not list is not listed. [RES-054] */
static void no_rebuild(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    px_store_set_flags(store, PX_STORE_NO_REBUILD);
    maps(&list);
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_none(store, ALL, PMIX_LOCAL_PEERS);
    px_store_destroy(store);
}

/* --- the same by another way --- */

enum { MANY = 40, ROUNDS = 30, WORDS = 4, TEXTS = 3 };

static const char *const own_keys[WORDS + TEXTS] = {
    "t.u32", PMIX_LOCAL_RANK, "t.wide", "t.rank", "t.text", PMIX_LOCALITY_STRING, PMIX_HOSTNAME};

/* What rank r has under key k: in lines, constants, arrays, of a few values or all different. 0:
 * nothing. */
static void put_own(struct list *list, unsigned shape, unsigned k, uint32_t r)
{
    uint32_t v = shape % 4 == 0   ? 7
                 : shape % 4 == 1 ? r * 3
                 : shape % 4 == 2 ? r % 5
                                  : (r * 2654435761u) >> 17;
    char text[32];

    if (shape >= 6 && r % 3 == 0 && own_keys[k] != own_keys[WORDS + TEXTS - 1]) {
        return;
    }
    snprintf(text, sizeof(text), k == WORDS + 2 ? "n%u" : "text %u", k == WORDS + 2 ? r % 3 : v);
    if (k >= WORDS) {
        put_text(list, own_keys[k], text);
    } else if (k == 1) {
        put_u16(list, own_keys[k], (uint16_t) v);
    } else if (k == 2) {
        next_info(list, own_keys[k], PMIX_UINT64)->value.data.uint64 = (uint64_t) v << 33;
    } else {
        put_u32(list, own_keys[k], v);
    }
}

static void put_proc(struct list *list, const unsigned *shapes, uint32_t r)
{
    struct list inner = {0};

    put_rank(&inner, PMIX_RANK, r);
    for (unsigned k = 0; k < WORDS + TEXTS; k++) {
        put_own(&inner, shapes[k], k, r);
    }
    put_array(list, PMIX_PROC_DATA, &inner);
}

static void same_values(const struct px_store *a, const struct px_store *b)
{
    for (uint32_t r = 0; r < MANY; r++) {
        for (unsigned k = 0; k < WORDS + TEXTS; k++) {
            pmix_value_t one = {.type = PMIX_UNDEF};
            pmix_value_t other = {.type = PMIX_UNDEF};
            int rc = ask(a, r, own_keys[k], &one);

            if (k != 1) { /* what is derived depends on what came together */
                assert_int_equal(ask(b, r, own_keys[k], &other), rc);
                assert_true(rc || PMIx_Value_compare(&one, &other) == PMIX_EQUAL);
            }
            PMIx_Value_destruct(&one);
            PMIx_Value_destruct(&other);
        }
    }
}

/* All processes in one registration become columns; one by one, records. The answers are the
 * same. */
static void together_or_one_by_one(void **state)
{
    const char *given = getenv("SEED");
    uint64_t rng = given ? strtoull(given, NULL, 10) : (uint64_t) getpid() * 2654435761u;

    (void) state;
    print_message("# SEED=%llu\n", (unsigned long long) rng);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct px_store *together = make_store();
        struct px_store *single = make_store();
        struct list list = {0};
        unsigned shapes[WORDS + TEXTS];

        for (unsigned k = 0; k < WORDS + TEXTS; k++) {
            rng = rng * 6364136223846793005u + 1442695040888963407u;
            shapes[k] = (unsigned) (rng >> 60) % 8;
        }
        for (uint32_t r = 0; r < MANY; r++) {
            put_proc(&list, shapes, r);
        }
        assert_int_equal(store_list(together, &list, "n1"), 0);
        for (uint32_t r = MANY; r-- > 0;) {
            put_proc(&list, shapes, r);
            assert_int_equal(store_list(single, &list, "n1"), 0);
        }
        same_values(together, single);
        px_store_destroy(together);
        px_store_destroy(single);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_alone_are_enough),
        cmocka_unit_test(maps_in_every_form),
        cmocka_unit_test(maps_as_regex2),
        cmocka_unit_test(raw_maps),
        cmocka_unit_test(bad_maps),
        cmocka_unit_test(empty_fields),
        cmocka_unit_test(slurm),
        cmocka_unit_test(flux),
        cmocka_unit_test(nested),
        cmocka_unit_test(sessions),
        cmocka_unit_test(types),
        cmocka_unit_test(arrays_need_their_names),
        cmocka_unit_test(loose),
        cmocka_unit_test(nodata),
        cmocka_unit_test(again),
        cmocka_unit_test(no_rebuild),
        cmocka_unit_test(together_or_one_by_one),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
