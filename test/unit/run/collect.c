/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives at pmixrun's relay: who is waited for when a job is over, and shares that cannot be
 * taken. The nodes are this program, which gives shares and keeps the answers. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/tools/run/collective.h"

enum { NODES = 3, MOST_ANSWERS = 16 };

struct px_run px_run;
const size_t px_run_max_frame = 4096;

/* What the relay has answered, by the id of the share. */
static struct {
    bool come;
    int status;
    char *bytes;
    size_t n;
} answers[MOST_ANSWERS];

void px_run_relay_send(uint32_t node, struct px_run_frame head, const void *bytes, size_t n)
{
    (void) node;
    assert_true(head.id < MOST_ANSWERS);
    assert_false(answers[head.id].come);
    answers[head.id].come = true;
    answers[head.id].status = head.status;
    answers[head.id].bytes = malloc(n + 1);
    answers[head.id].n = n;
    assert_non_null(answers[head.id].bytes);
    if (n > 0) {
        memcpy(answers[head.id].bytes, bytes, n);
    }
}

int64_t px_run_now_ms(void)
{
    return 0;
}

static int begin(void **state)
{
    (void) state;
    px_run.options.n_nodes = NODES;
    return 0;
}

static int end(void **state)
{
    (void) state;
    px_run_collect_free();
    for (size_t i = 0; i < MOST_ANSWERS; i++) {
        free(answers[i].bytes);
    }
    memset(answers, 0, sizeof(answers));
    return 0;
}

/* ---- shares. Job "a" has ranks 0 and 1 on nodes 0 and 1, job "b" one on node 2. */

struct what {
    enum px_run_kind kind;
    bool survives;
    bool without_b; /* the key is of "a" alone */
    size_t size;    /* of the share */
    size_t cut;     /* so many bytes are missing at its end */
};

static void put_key(struct px_run_bytes *b, const struct what *what)
{
    px_run_put_u32(b, what->kind);
    px_run_put_string(b, "group");
    px_run_put_u32(b, what->without_b ? 1 : 2);
    px_run_put_string(b, "a");
    px_run_put_u32(b, PMIX_RANK_WILDCARD);
    if (!what->without_b) {
        px_run_put_string(b, "b");
        px_run_put_u32(b, PMIX_RANK_WILDCARD);
    }
}

static void put_places(struct px_run_bytes *b, const char *nspace, const uint32_t *at_node)
{
    px_run_put_string(b, nspace);
    for (int node = 0; node < NODES; node++) {
        px_run_put_u32(b, at_node[node]);
    }
}

static void give(uint32_t node, uint64_t id, struct what what)
{
    static const char bytes[8192];
    struct px_run_frame head = {.type = PX_RUN_COLLECT, .from = (uint16_t) node, .id = id};
    struct px_run_bytes key = {0};
    struct px_run_bytes b = {0};

    put_key(&key, &what);
    px_run_put_bytes(&b, key.at, key.len);
    px_run_put_u32(&b, what.without_b ? 2 : 3);
    for (int i = 0; i < 5; i++) { /* no time limit; nobody comes by itself, or is added */
        px_run_put_u32(&b, 0);
    }
    px_run_put_u32(&b, what.survives);
    px_run_put_u32(&b, what.without_b ? 1 : 2);
    put_places(&b, "a", (const uint32_t[NODES]){1, 1, 0});
    if (!what.without_b) {
        put_places(&b, "b", (const uint32_t[NODES]){0, 0, 1});
    }
    px_run_put_bytes(&b, bytes, what.size);
    assert_false(b.failed);
    struct px_run_reader r = {b.at, b.len - what.cut, false};
    px_run_collect_add(&head, &r);
    free(key.at);
    free(b.at);
}

static void b_ends(void)
{
    pmix_proc_t b;

    PMIX_LOAD_PROCID(&b, "b", 0);
    px_run_collect_lost(&b, 2);
    px_run_collect_over("b");
}

static void answered(uint64_t id, int status)
{
    assert_true(answers[id].come);
    assert_int_equal(answers[id].status, status);
}

/* The lost that an answer names, which is at most one. */
static uint32_t lost_in(uint64_t id, pmix_proc_t *ret)
{
    struct px_run_reader r = {answers[id].bytes, answers[id].n, false};
    size_t len;

    (void) px_run_get_u32(&r); /* serial number */
    for (uint32_t n = px_run_get_u32(&r); n > 0; n--) {
        (void) px_run_get_u32(&r);
        (void) px_run_get_bytes(&r, &len);
    }
    uint32_t n = px_run_get_u32(&r);
    if (n > 0) {
        px_run_get_proc(&r, ret);
    }
    assert_false(r.failed);
    assert_int_equal(r.left, 0);
    return n;
}

/* ---- a job is over */

/* Nobody of it comes to a collective that begins later. */
static void over_before(void **state)
{
    static const enum px_run_kind kinds[] = {PX_RUN_KIND_FENCE, PX_RUN_KIND_CONNECT,
                                             PX_RUN_KIND_DISCONNECT, PX_RUN_KIND_DESTRUCT};

    (void) state;
    b_ends();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        give(0, 2 * i, (struct what){.kind = kinds[i]});
        answered(2 * i, PMIX_ERR_LOST_CONNECTION);
        give(1, 2 * i + 1, (struct what){.kind = kinds[i]});
        answered(2 * i + 1, PMIX_ERR_LOST_CONNECTION);
        assert_null(px_run_collectives); /* all who can come have been answered */
    }
    give(0, 8, (struct what){.kind = PX_RUN_KIND_CONSTRUCT});
    answered(8, PMIX_GROUP_CONSTRUCT_ABORT);
}

/* Those that wait for it, also for a process that has never started, are answered. */
static void over_meanwhile(void **state)
{
    (void) state;
    give(0, 0, (struct what){.kind = PX_RUN_KIND_FENCE});
    assert_false(answers[0].come);
    px_run_collect_over("b");
    answered(0, PMIX_ERR_LOST_CONNECTION);
    give(1, 1, (struct what){.kind = PX_RUN_KIND_FENCE});
    answered(1, PMIX_ERR_LOST_CONNECTION);
    assert_null(px_run_collectives);
}

/* What it has given counts. */
static void over_after_its_share(void **state)
{
    (void) state;
    give(2, 0, (struct what){.kind = PX_RUN_KIND_FENCE});
    b_ends();
    give(0, 1, (struct what){.kind = PX_RUN_KIND_FENCE});
    give(1, 2, (struct what){.kind = PX_RUN_KIND_FENCE});
    for (uint64_t id = 0; id < 3; id++) {
        answered(id, PMIX_SUCCESS);
    }
    assert_null(px_run_collectives);
}

/* A group is made, or taken apart, without it where its members want that, and they hear whom they
 * have lost. */
static void done_without(void **state)
{
    static const enum px_run_kind kinds[] = {PX_RUN_KIND_CONSTRUCT, PX_RUN_KIND_DESTRUCT};
    pmix_proc_t lost;

    (void) state;
    b_ends();
    for (size_t i = 0; i < 2; i++) {
        give(0, 2 * i, (struct what){.kind = kinds[i], .survives = true});
        assert_false(answers[2 * i].come);
        give(1, 2 * i + 1, (struct what){.kind = kinds[i], .survives = true});
        answered(2 * i, PMIX_SUCCESS);
        answered(2 * i + 1, PMIX_SUCCESS);
        assert_int_equal(lost_in(2 * i, &lost), 1);
        assert_string_equal(lost.nspace, "b");
        assert_int_equal(lost.rank, 0);
    }
    assert_null(px_run_collectives);
}

/* Who has left a group before is not missed when it is taken apart. */
static void left_before(void **state)
{
    pmix_proc_t b;

    (void) state;
    PMIX_LOAD_PROCID(&b, "b", 0);
    give(0, 0, (struct what){.kind = PX_RUN_KIND_DESTRUCT});
    px_run_collect_left("group", &b, 2);
    b_ends();
    assert_false(answers[0].come);
    give(1, 1, (struct what){.kind = PX_RUN_KIND_DESTRUCT, .without_b = true});
    answered(0, PMIX_SUCCESS);
    answered(1, PMIX_SUCCESS);
    assert_false(px_run_has_left("group", &b));
    px_run_collect_left("group", &b, 2); /* comes too late */
    assert_false(px_run_has_left("group", &b));
}

/* ---- shares that cannot be taken */

static void share_cut_short(void **state)
{
    (void) state;
    give(0, 0, (struct what){.kind = PX_RUN_KIND_DESTRUCT, .cut = 12});
    answered(0, PMIX_ERR_NOMEM);
    assert_null(px_run_collectives);
    give(0, 1, (struct what){.kind = PX_RUN_KIND_DESTRUCT});
    assert_false(answers[1].come);
    give(1, 2, (struct what){.kind = PX_RUN_KIND_DESTRUCT, .cut = 12});
    answered(2, PMIX_ERR_NOMEM);
    assert_non_null(px_run_collectives);
}

/* A frame may have less here. */
static void too_much_together(void **state)
{
    (void) state;
    give(0, 0, (struct what){.kind = PX_RUN_KIND_FENCE, .size = px_run_max_frame / 2});
    give(1, 1, (struct what){.kind = PX_RUN_KIND_FENCE, .size = px_run_max_frame / 2});
    give(2, 2, (struct what){.kind = PX_RUN_KIND_FENCE, .size = 0});
    for (uint64_t id = 0; id < 3; id++) { /* with what is beside the bytes */
        answered(id, PMIX_ERR_OUT_OF_RESOURCE);
        assert_int_equal(answers[id].n, 0);
    }
    for (uint64_t id = 3; id < 6; id++) {
        give((uint32_t) id - 3, id, (struct what){.kind = PX_RUN_KIND_FENCE, .size = 1000});
    }
    for (uint64_t id = 3; id < 6; id++) {
        answered(id, PMIX_SUCCESS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(over_before, begin, end),
        cmocka_unit_test_setup_teardown(over_meanwhile, begin, end),
        cmocka_unit_test_setup_teardown(over_after_its_share, begin, end),
        cmocka_unit_test_setup_teardown(done_without, begin, end),
        cmocka_unit_test_setup_teardown(left_before, begin, end),
        cmocka_unit_test_setup_teardown(share_cut_short, begin, end),
        cmocka_unit_test_setup_teardown(too_much_together, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
