/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The short way through a get says what the long one says, however often and with whatever
 * directives it is asked, while values are published, posted and moved to another generation. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "gds/state.h"
#include "src/base/param.h"
#include "src/client/ops.h"
#include "src/client/session.h"
#include "src/client/data/get.h"
#include "src/client/data/get_fast.h"
#include "src/client/data/put.h"
#include "src/client/data/refresh.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/store.h"

enum { N_RANKS = 300, SELF = 3, ROUNDS = 3000, N_THREADS = 3, LAST = 2000 };

static const char *const keys[] = {PMIX_JOB_SIZE,  PMIX_UNIV_SIZE,  PMIX_APP_SIZE, PMIX_LOCAL_SIZE,
                                   PMIX_NODE_SIZE, PMIX_LOCAL_RANK, PMIX_NODEID,   PMIX_HOSTNAME,
                                   PMIX_NODE_RANK, "posted",        "other",       "nobody"};

static const char *const directives[] = {NULL, PMIX_IMMEDIATE, PMIX_GET_STATIC_VALUES,
                                         PMIX_GET_POINTER_VALUES};

enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

static struct px_ctx *ctx;
static struct px_store *writer;

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (*seed >> 33);
}

static struct px_store *make(const struct px_store *before)
{
    struct px_store_opts opts = {.nspace = "job", .shared = true, .uid = getuid(), .gid = getgid()};
    struct px_store *store;

    return px_store_make(&opts, before, &store) == 0 ? store : NULL;
}

static void adopt_loop(void *segment)
{
    px_session_adopt(px_session(ctx), segment);
}

static void adopt(void)
{
    struct px_store *segment;

    assert_int_equal(px_store_open(dup(px_store_fd(writer)), &segment), 0);
    assert_int_equal(px_loop_run(ctx->loop, adopt_loop, segment), 0);
}

static void publish_value(enum px_level level, uint32_t index, const char *key,
                          const pmix_value_t *value)
{
    struct px_store_entry entry = {.level = level, .index = index, .key = key, .value = value};
    struct px_batch *batch = px_batch_create();

    assert_non_null(batch);
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(writer, batch), 0);
    px_batch_destroy(batch);
}

static void publish(enum px_level level, uint32_t index, const char *key, uint32_t number)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = number};

    publish_value(level, index, key, &value);
}

static int set_up(void **state)
{
    (void) state;
    alarm(120);
    writer = make(NULL);
    assert_non_null(writer);
    ctx = px_ctx();
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_loop_create(false, &ctx->loop), 0);
    ctx->ops = &px_client_ops;
    ctx->role = px_session_create(ctx);
    assert_non_null(ctx->role);
    px_session_name(px_session(ctx), "job", SELF);
    adopt();
    px_lock_take(&ctx->lock);
    px_ctx_up(ctx);
    px_session_open_reads(px_session(ctx));
    px_lock_give(&ctx->lock);
    assert_ptr_equal(px_session_visited(), px_session(ctx)); /* else all goes the long way */
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    px_lock_take(&ctx->lock);
    px_ctx_down(ctx);
    px_session_end(px_session(ctx));
    px_lock_give(&ctx->lock);
    assert_null(ctx->role);
    px_loop_destroy(ctx->loop);
    ctx->loop = NULL;
    px_store_destroy(writer);
    return 0;
}

static pmix_status_t get(px_get_fn fn, pmix_rank_t rank, const char *key, const char *directive,
                         pmix_value_t *here, pmix_value_t **value)
{
    pmix_proc_t proc;
    pmix_info_t info[2];
    bool yes = true;

    PMIx_Load_procid(&proc, "job", rank);
    PMIx_Info_construct(&info[0]);
    PMIx_Info_construct(&info[1]);
    PMIx_Info_load(&info[0], PMIX_OPTIONAL, &yes, PMIX_BOOL);
    PMIx_Info_load(&info[1], directive != NULL ? directive : "", &yes, PMIX_BOOL);
    here->type = PMIX_UNDEF;
    *value = here;
    return fn(&proc, key, directive != NULL ? info : NULL, directive != NULL ? 2 : 0, value);
}

static bool is_named(const char *directive, const char *name)
{
    return directive != NULL && strcmp(directive, name) == 0;
}

static void compare(pmix_rank_t rank, const char *key, const char *directive)
{
    bool copied = !is_named(directive, PMIX_GET_STATIC_VALUES);
    pmix_value_t here[2];
    pmix_value_t *value[2];
    pmix_status_t rc[2];

    rc[0] = get(px_client_get_fast, rank, key, directive, &here[0], &value[0]);
    rc[1] = get(px_client_get, rank, key, directive, &here[1], &value[1]);
    assert_int_equal(rc[0], rc[1]);
    if (rc[0] != PMIX_SUCCESS) {
        return;
    }
    assert_int_equal(PMIx_Value_compare(value[0], value[1]), PMIX_EQUAL);
    assert_int_equal(value[0]->type, value[1]->type);
    if (is_named(directive, PMIX_GET_POINTER_VALUES)) {
        assert_ptr_equal(value[0], value[1]);
        return;
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(value[i] == &here[i], !copied);
        if (copied) {
            PMIx_Value_free(value[i], 1);
        } else {
            PMIx_Value_destruct(value[i]);
        }
    }
}

static void change(uint64_t *seed)
{
    uint32_t number = draw(seed) % 100;
    uint32_t rank = draw(seed) % N_RANKS;
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = number};
    const char *key = keys[draw(seed) % (N_KEYS - 1)];

    switch (draw(seed) % 6) {
    case 0:
        publish(PX_LEVEL_JOB, 0, key, number);
        break;
    case 1:
        publish(PX_LEVEL_NODE, 0, key, number);
        break;
    case 2:
        publish(PX_LEVEL_PROC, rank, key, number);
        break;
    case 3:
        publish(PX_LEVEL_APP, 0, key, number);
        break;
    case 4:
        (void) px_client_put(ctx, number % 2 ? PMIX_LOCAL : PMIX_GLOBAL,
                             number % 3 ? "posted" : "other", &value);
        break;
    default:
        publish(PX_LEVEL_PROC, SELF, number % 2 ? "posted" : PMIX_LOCAL_RANK, number);
        break;
    }
}

static void says_the_same(void **state)
{
    const char *given = getenv("SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t) getpid() * 2654435761u;

    (void) state;
    printf("# SEED=%llu\n", (unsigned long long) seed);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t n = draw(&seed);
        pmix_rank_t rank = n % 3 == 0 ? SELF : n % 3 == 1 ? PMIX_RANK_WILDCARD : n / 3 % N_RANKS;
        const char *key = keys[n / 64 % N_KEYS];

        if (n % 7 == 0) {
            change(&seed);
        }
        compare(rank, key, directives[n / 8 % 4]);
        compare(rank, key, directives[n / 8 % 4]);
    }
}

/* The string of a question may hold another key the next time. */
static void another_key_at_the_place(void **state)
{
    char key[PMIX_MAX_KEYLEN + 1];

    (void) state;
    publish(PX_LEVEL_PROC, 1, "posted", 1);
    publish(PX_LEVEL_PROC, 1, "other", 2);
    for (int i = 0; i < 32; i++) {
        strcpy(key, i % 4 == 3 ? "nobody" : i % 2 ? "other" : "posted");
        compare(1, key, directives[i / 8]);
        compare(SELF, key, directives[i / 8]);
    }
}

/* More keys than the key hints and the cache of a thread have places: numbers and texts of the job,
 * of the node, of another rank and of our own, which are put; and every sixth that nobody has. */
static void keys_that_meet(void **state)
{
    static char names[600][16];
    pmix_value_t text = {.type = PMIX_STRING};
    pmix_value_t number = {.type = PMIX_UINT32};

    (void) state;
    for (uint32_t i = 0; i < 600; i++) {
        (void) snprintf(names[i], sizeof(names[i]), "key-%u", i);
        text.data.string = names[i];
        number.data.uint32 = i;
        if (i % 6 < 4) {
            publish_value((enum px_level[]){PX_LEVEL_JOB, PX_LEVEL_PROC}[i % 2], i % 2, names[i],
                          i % 6 < 2 ? &text : &number);
        } else if (i % 6 == 4) {
            assert_int_equal(px_client_put(ctx, PMIX_LOCAL, names[i], i % 4 != 0 ? &text : &number),
                             0);
        }
    }
    publish(PX_LEVEL_NODE, 0, PMIX_LOCAL_SIZE, 4);
    for (uint32_t i = 0; i < 4 * 600; i++) {
        for (size_t d = 0; d < 4; d++) {
            compare(1, names[i % 600], directives[d]);
            compare(SELF, names[i % 600], directives[d]);
            compare(PMIX_RANK_WILDCARD, names[i % 600], directives[d]);
            compare(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, directives[d]);
        }
    }
}

static void a_new_generation(void **state)
{
    struct px_store *next;

    (void) state;
    publish(PX_LEVEL_PROC, 1, "posted", 1);
    compare(1, "posted", NULL);
    compare(1, "posted", NULL);
    next = make(writer);
    assert_non_null(next);
    px_store_destroy(writer);
    writer = next;
    publish(PX_LEVEL_PROC, 1, "posted", 2);
    adopt();
    for (int i = 0; i < 3; i++) {
        pmix_value_t here;
        pmix_value_t *value;

        assert_int_equal(get(px_client_get_fast, 1, "posted", NULL, &here, &value), PMIX_SUCCESS);
        assert_int_equal(value->data.uint32, 2);
        PMIx_Value_free(value, 1);
    }
}

/* Reads what others publish and post; it never goes back. */
static void *read_on(void *arg)
{
    pmix_rank_t rank = *(pmix_rank_t *) arg;
    uint32_t before = 0;

    while (before < LAST) {
        pmix_value_t here;
        pmix_value_t *value;
        uint32_t now = before;

        if (get(px_client_get_fast, rank, "posted", PMIX_GET_STATIC_VALUES, &here, &value) == 0) {
            now = here.data.uint32;
        }
        if (now < before) {
            return arg;
        }
        before = now;
    }
    return NULL;
}

static void never_goes_back(void **state)
{
    pmix_rank_t ranks[N_THREADS] = {1, SELF, PMIX_RANK_WILDCARD};
    pthread_t threads[N_THREADS];
    pmix_value_t value = {.type = PMIX_UINT32};

    (void) state;
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &ranks[i]), 0);
    }
    for (uint32_t n = 1; n <= LAST; n++) {
        publish(PX_LEVEL_PROC, 1, "posted", n);
        publish(PX_LEVEL_JOB, 0, "posted", n);
        value.data.uint32 = n;
        assert_int_equal(px_client_put(ctx, PMIX_LOCAL, "posted", &value), PMIX_SUCCESS);
        compare(SELF, "posted", NULL);
    }
    for (int i = 0; i < N_THREADS; i++) {
        void *rc;

        assert_int_equal(pthread_join(threads[i], &rc), 0);
        assert_null(rc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(says_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_key_at_the_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keys_that_meet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_generation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(never_goes_back, set_up, tear_down),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
