/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Job information through the wire and back: what a client that is fed by messages reads is what
 * one reads that maps the segment. */

#include "build.h"
#include "src/nspace/job_pack.h"
#include "src/wire/messages.h"
#include "gds/batch.h"
#include "gds/nodes.h"
#include "gds/publication.h"

#define ALL PMIX_RANK_WILDCARD

static void describe(struct list *list)
{
    struct list inner = {0};

    put_text(list, PMIX_NODE_MAP, "n0,n1");
    put_text(list, PMIX_PROC_MAP, "0,1;2,3");
    put_text(list, PMIX_JOBID, "7.0");
    put_text(list, PMIX_TMPDIR, "/tmp/x");
    put_text(&inner, PMIX_HOSTNAME, "n1");
    put_text(&inner, PMIX_HOSTNAME_ALIASES, "n1.example.org,front");
    put_array(list, PMIX_NODE_INFO_ARRAY, &inner);
    put_rank(&inner, PMIX_RANK, 2);
    put_text(&inner, PMIX_CPUSET, "0-3");
    put_array(list, PMIX_PROC_INFO_ARRAY, &inner);
}

static void compare(const struct px_store *store)
{
    expect_u32(store, ALL, PMIX_JOB_SIZE, 4);
    expect_u32(store, ALL, PMIX_NUM_NODES, 2);
    expect_text(store, ALL, PMIX_JOBID, "7.0");
    expect_text(store, ALL, PMIX_TMPDIR, "/tmp/x");
    expect_text(store, ALL, PMIX_LOCAL_PEERS, "2,3");
    expect_text(store, ALL, PMIX_NODE_LIST, "n0,n1");
    expect_text(store, 2, PMIX_CPUSET, "0-3");
    expect_u16(store, 3, PMIX_LOCAL_RANK, 1);
    expect_text(store, 0, PMIX_HOSTNAME, "n0");
    expect_u32(store, 3, PMIX_APP_SIZE, 4);
    assert_int_equal(px_store_node_by_name(store, "front"), 1);
    assert_int_equal(px_store_node_of(store, 3), 1);
    assert_int_equal(px_store_local_node(store), 1);
}

static void round_trip(enum px_wire_kind kind)
{
    struct px_store *from = make_store();
    struct px_store *to = make_store();
    struct list list = {0};
    struct px_buf buf = {0};
    struct px_in in;

    describe(&list);
    assert_int_equal(store_list(from, &list, "n1"), 0);
    compare(from);
    assert_int_equal(px_jobinfo_pack(from, &buf, kind), 0);
    assert_true(px_buf_ok(&buf));
    in = px_in_make(buf.data, buf.len, kind);
    assert_int_equal(px_jobinfo_unpack(&in, to, "n1"), 0);
    compare(to);
    /* The maps were expanded; they do not travel. */
    expect_none(to, ALL, PMIX_NODE_MAP);
    /* Truncated at every seventh place: refused or read, never worse; the store is as before when
     * refused. */
    for (size_t n = 0; n < buf.len; n += 7) {
        struct px_store *cut = make_store();
        struct px_store_info info;
        int rc;

        in = px_in_make(buf.data, n, kind);
        rc = px_jobinfo_unpack(&in, cut, "n1");
        px_store_info(cut, &info);
        assert_true(rc == 0 || info.sequence == 0);
        px_store_destroy(cut);
    }
    px_buf_fini(&buf);
    px_store_destroy(from);
    px_store_destroy(to);
}

static void plain(void **state)
{
    (void) state;
    round_trip(PX_WIRE_PLAIN);
}

static void described(void **state)
{
    (void) state;
    round_trip(PX_WIRE_DESCRIBED);
}

/* What programs posted is not job information. */
static void posted_stays(void **state)
{
    struct px_store *store = make_store();
    struct px_store *to = make_store();
    struct px_batch *batch = px_batch_create();
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 5};
    struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .index = 0, .key = "mine", .value = &value, .scope = PMIX_GLOBAL};
    struct list list = {0};
    struct px_buf buf = {0};
    struct px_in in;

    (void) state;
    describe(&list);
    assert_int_equal(store_list(store, &list, "n1"), 0);
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    expect_u32(store, 0, "mine", 5);
    assert_int_equal(px_jobinfo_pack(store, &buf, PX_WIRE_PLAIN), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_jobinfo_unpack(&in, to, "n1"), 0);
    expect_none(to, 0, "mine");
    px_buf_fini(&buf);
    px_store_destroy(store);
    px_store_destroy(to);
}

/* Unknown keys are kept, also where a type is not the declared one. */
static void unknown_is_kept(void **state)
{
    struct px_store *store = make_store();
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 3};
    struct px_buf buf = {0};
    struct px_in in;

    (void) state;
    assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, "pmix.future", &value), 0);
    assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, PMIX_JOBID, &value), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_jobinfo_unpack(&in, store, NULL), 0);
    expect_u32(store, ALL, "pmix.future", 3);
    expect_u32(store, ALL, PMIX_JOBID, 3);
    px_buf_fini(&buf);
    px_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(described),
        cmocka_unit_test(posted_stays),
        cmocka_unit_test(unknown_is_kept),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
