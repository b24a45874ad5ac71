/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client whose segment has been superseded, and a server that answers its request for the next
 * generation in every way that there is: with nothing, with what the client has, with rubbish, not
 * at all. Reads go on, whoever reads asks again, and not at every read. SHM-006. Covers: SHM-006 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"
#include "src/client/data/get.h"
#include "src/client/data/get_fast.h"
#include "src/wire/messages.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/publication.h"

enum { N_THREADS = 4, BIG = 65536, MANY = 100000 };

static struct px_store *store;
static int older = -1; /* a descriptor of the first generation */
static _Atomic int given = -1;
static _Atomic bool over;

/* The number, and bytes that are others each time. */
static void publish(uint32_t number)
{
    static char big[BIG];
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = number};
    pmix_value_t b = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = big, .size = BIG}};
    struct px_batch *batch = px_batch_create();
    struct px_store_entry entries[] = {
        {.level = PX_LEVEL_JOB, .key = "number", .value = &v},
        {.level = PX_LEVEL_JOB, .key = "big", .value = &b},
    };

    memset(big, ++big[0], sizeof(big));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(px_batch_add(batch, &entries[i]), 0);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
}

static uint32_t generation(void)
{
    struct px_store_info info;

    px_store_info(store, &info);
    return info.generation;
}

/* The number of the next generation is its generation. */
static void move(void)
{
    uint32_t before = generation();

    for (int i = 0; i < 4; i++) {
        publish(before); /* what is dead is worth a move in the end */
    }
    px_store_compact(store);
    assert_int_equal(generation(), before + 1);
    publish(before + 1);
}

/* The first request is answered with the segment, later ones with what is to be given. */
static int answer(struct px_in *in, struct px_buf *reply)
{
    pmix_value_t mark = {.type = PMIX_BYTE_OBJECT};

    (void) px_pack_string(reply, PX_WIRE_PLAIN, "job");
    if (px_in_left(in) == 0) {
        (void) px_pack_kval(reply, PX_WIRE_PLAIN, PX_KEY_SEGMENT, &mark);
        return older;
    }
    return given;
}

/* A fence ends at once, and its reply brings nothing. */
static bool fences(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    return command == PX_CMD_FENCE;
}

/* 0: it is not found. Any thread. */
static uint32_t number(void)
{
    pmix_proc_t job = {.nspace = "job", .rank = PMIX_RANK_WILDCARD};
    pmix_value_t *value = NULL;
    uint32_t ret;

    if (px_client_get_local(px_session(ctx), &job, "number", NULL, 0, &value) != PMIX_SUCCESS) {
        return 0;
    }
    ret = value->data.uint32;
    PMIx_Value_free(value, 1);
    return ret;
}

static unsigned n_asked(void)
{
    return script_commands(PX_CMD_REQ) - 1; /* one in the beginning */
}

/* Reads until the server was asked so often. */
static void read_until_asked(unsigned n, uint32_t want)
{
    while (n_asked() < n) {
        for (int i = 0; i < 100; i++) {
            assert_int_equal(number(), want);
        }
    }
}

static void read_until(uint32_t want)
{
    while (number() != want) {
    }
}

static void fenced(pmix_status_t status, void *cbdata)
{
    struct called *called = cbdata;

    px_wait_done(&called->wait, status);
}

static void fence(void)
{
    struct called called;

    called_init(&called);
    assert_int_equal(script_fence(fenced, &called), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&called.wait), PMIX_SUCCESS);
}

static int begin(void **state)
{
    struct px_store_opts opts = {.nspace = "job",
                                 .shared = true,
                                 .uid = getuid(),
                                 .gid = getgid(),
                                 .moves = true,
                                 .garbage_bytes = 4096};

    (void) state;
    over = false;
    given = -1;
    assert_int_equal(px_store_create(&opts, &store), 0);
    publish(1);
    older = dup(px_store_fd(store));
    script_req = answer;
    client_open("5.0.0", fences);
    assert_int_equal(number(), 1);
    return 0;
}

static int end(void **state)
{
    (void) state;
    client_close();
    script_req = NULL;
    close(older);
    px_store_destroy(store);
    return 0;
}

/* It has nothing at first, then what is out of date, then something else, then what is wanted; and
 * so again with the next. */
static void in_vain(void **state)
{
    int rubbish[2];
    unsigned asked;

    (void) state;
    assert_int_equal(pipe(rubbish), 0);
    move();
    read_until_asked(3, 1);
    given = older;
    read_until_asked(5, 1);
    given = rubbish[0];
    read_until_asked(7, 1);
    given = px_store_fd(store);
    read_until(2);
    fence(); /* a request of an earlier read has arrived before it */
    asked = n_asked();
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(number(), 2);
    }
    assert_int_equal(n_asked(), asked);
    given = -1;
    move();
    read_until_asked(asked + 2, 2);
    given = px_store_fd(store);
    read_until(3);
    close(rubbish[0]);
    close(rubbish[1]);
}

static pmix_status_t host_key(void)
{
    pmix_proc_t job = {.nspace = "job", .rank = PMIX_RANK_WILDCARD};
    pmix_value_t *value = NULL;
    pmix_status_t rc = px_client_get_local(px_session(ctx), &job, PMIX_ANL_MAP, NULL, 0, &value);

    if (rc == PMIX_SUCCESS) {
        PMIx_Value_free(value, 1);
    }
    return rc;
}

/* A key of the host that is not in a complete segment is nowhere; but not when that segment has
 * been superseded: the next generation may have it. */
static void a_key_of_the_host(void **state)
{
    (void) state;
    px_store_set_flags(store, PX_STORE_JOB_COMPLETE);
    assert_int_equal(host_key(), PMIX_ERR_NOT_FOUND);
    move();
    assert_int_equal(host_key(), PMIX_ERR_WOULD_BLOCK);
    given = px_store_fd(store);
    read_until(2);
    assert_int_equal(host_key(), PMIX_ERR_NOT_FOUND);
}

/* The short way through a get sees that its segment is superseded, and asks for the next one. */
static void the_short_way(void **state)
{
    pmix_proc_t job = {.nspace = "job", .rank = PMIX_RANK_WILDCARD};
    pmix_value_t room;
    pmix_value_t *value = &room;
    pmix_info_t fill;

    (void) state;
    PMIx_Info_construct(&fill);
    PMIx_Info_load(&fill, PMIX_GET_STATIC_VALUES, &(bool){true}, PMIX_BOOL);
    px_lock_take(&ctx->lock);
    px_ctx_up(ctx);
    px_lock_give(&ctx->lock);
    assert_ptr_equal(px_session_visited(), px_session(ctx));
    for (int i = 0; i < 2; i++) { /* the first of a thread goes the long way */
        assert_int_equal(px_client_get_fast(&job, "number", &fill, 1, &value), PMIX_SUCCESS);
        assert_int_equal(room.data.uint32, 1);
    }
    move();
    assert_int_equal(px_client_get_fast(&job, "number", &fill, 1, &value), PMIX_SUCCESS);
    /* It is asked for, or has been in vain. */
    assert_int_not_equal(px_load_acquire(&px_session(ctx)->own.refresh_state), 0);
    given = px_store_fd(store);
    read_until(2);
    assert_int_equal(px_client_get_fast(&job, "number", &fill, 1, &value), PMIX_SUCCESS);
    assert_int_equal(room.data.uint32, 2);
    px_lock_take(&ctx->lock);
    px_ctx_down(ctx);
    px_lock_give(&ctx->lock);
}

/* A server that never has anything: a hundred thousand reads are a dozen requests. */
static void not_always(void **state)
{
    (void) state;
    move();
    read_until_asked(1, 1);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(number(), 1);
    }
    assert_in_range(n_asked(), 1, 12);
}

/* A request that is never answered since the server dies: reads go on, and nobody waits for it. */
static void lost(void **state)
{
    (void) state;
    move();
    script_withhold = true;
    read_until_asked(1, 1);
    script_hang_up();
    while (px_session_server(px_session(ctx)) != NULL) {
        assert_int_equal(number(), 1);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(number(), 1);
    }
    script_withhold = false;
    assert_int_equal(n_asked(), 1);
}

/* The descriptor got lost, so it does not come with the reply of the fence: that is not delivered
 * before the segment has been asked for. */
static void after_a_fence(void **state)
{
    (void) state;
    for (uint32_t g = 2; g < 6; g++) {
        move();
        given = px_store_fd(store);
        fence();
        assert_int_equal(number(), g);
    }
    assert_int_equal(n_asked(), 4);
}

/* Leaves the last number, or 0 when one was smaller than one before it. */
static void *keep_reading(void *arg)
{
    uint32_t *last = arg;
    bool sound = true;

    *last = 1;
    do {
        uint32_t now = number();

        sound = sound && now >= *last;
        *last = now;
    } while (!over);
    *last = sound ? number() : 0;
    return NULL;
}

/* Many readers, and answers that help only now and then. */
static void many_readers(void **state)
{
    pthread_t threads[N_THREADS];
    uint32_t seen[N_THREADS];

    (void) state;
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, keep_reading, &seen[i]), 0);
    }
    for (uint32_t g = 2; g < 10; g++) {
        unsigned asked = n_asked();

        given = -1;
        move();
        while (n_asked() < asked + 2) {
        }
        given = px_store_fd(store);
        read_until(g);
    }
    over = true;
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(seen[i], 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_vain, begin, end),
        cmocka_unit_test_setup_teardown(a_key_of_the_host, begin, end),
        cmocka_unit_test_setup_teardown(the_short_way, begin, end),
        cmocka_unit_test_setup_teardown(not_always, begin, end),
        cmocka_unit_test_setup_teardown(lost, begin, end),
        cmocka_unit_test_setup_teardown(after_a_fence, begin, end),
        cmocka_unit_test_setup_teardown(many_readers, begin, end),
    };

    return cmocka_run_group_tests_name("moved", tests, script_limit, NULL);
}
