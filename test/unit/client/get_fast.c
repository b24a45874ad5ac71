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

/* Asks for a value of a node, optionally with another directive in front. */
static pmix_status_t get_of_node(px_get_fn fn, pmix_rank_t rank, const char *key, const char *node,
                                 const char *directive, pmix_value_t *here, pmix_value_t **value)
{
    pmix_info_t info[2];
    pmix_proc_t proc;
    bool yes = true;
    pmix_status_t rc;

    PMIx_Load_procid(&proc, "job", rank);
    PMIx_Info_construct(&info[0]);
    PMIx_Info_construct(&info[1]);
    PMIx_Info_load(&info[0], directive != NULL ? directive : PMIX_OPTIONAL, &yes, PMIX_BOOL);
    PMIx_Info_load(&info[1], PMIX_HOSTNAME, node, PMIX_STRING);
    here->type = PMIX_UNDEF;
    *value = here;
    rc = fn(&proc, key, info, 2, value);
    PMIx_Info_destruct(&info[1]);
    return rc;
}

static bool is_named(const char *directive, const char *name)
{
    return directive != NULL && strcmp(directive, name) == 0;
}

/* Compares what the two ways have returned, and releases it. */
static void compare_values(const char *directive, pmix_value_t *here, pmix_value_t **value)
{
    bool copied = !is_named(directive, PMIX_GET_STATIC_VALUES);

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

static void compare(pmix_rank_t rank, const char *key, const char *directive)
{
    pmix_value_t here[2];
    pmix_value_t *value[2];
    pmix_status_t rc[2];

    rc[0] = get(px_client_get_fast, rank, key, directive, &here[0], &value[0]);
    rc[1] = get(px_client_get, rank, key, directive, &here[1], &value[1]);
    assert_int_equal(rc[0], rc[1]);
    if (rc[0] == PMIX_SUCCESS) {
        compare_values(directive, here, value);
    }
}

static void compare_of_node(pmix_rank_t rank, const char *key, const char *node,
                            const char *directive, pmix_status_t want)
{
    pmix_value_t here[2];
    pmix_value_t *value[2];
    pmix_status_t rc[2];

    rc[0] = get_of_node(px_client_get_fast, rank, key, node, directive, &here[0], &value[0]);
    rc[1] = get_of_node(px_client_get, rank, key, node, directive, &here[1], &value[1]);
    assert_int_equal(rc[0], rc[1]);
    assert_int_equal(rc[0], want);
    if (rc[0] == PMIX_SUCCESS) {
        compare_values(directive, here, value);
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

/* Three nodes, of which the second has an alias; values of the first two. */
static void publish_nodes(void)
{
    static const char *const aliases[] = {"alias", NULL};
    pmix_value_t text = {.type = PMIX_STRING, .data.string = "of the second"};
    struct px_batch *batch = px_batch_create();
    uint32_t index[3];

    assert_non_null(batch);
    for (uint32_t i = 0; i < 3; i++) {
        struct px_node_def def = {.name = (const char *[]){"one", "two", "three"}[i],
                                  .aliases = i == 1 ? aliases : NULL,
                                  .nodeid = PX_NO_NODEID};

        assert_int_equal(px_batch_node(batch, writer, &def, &index[i]), 0);
        assert_int_equal(px_batch_place_rank(batch, i, index[i], 0), 0);
    }
    assert_int_equal(px_batch_place_rank(batch, 4, index[1], 0), 0); /* another local size */
    assert_int_equal(px_batch_local_node(batch, index[0]), 0);
    assert_int_equal(px_store_publish(writer, batch), 0);
    px_batch_destroy(batch);
    publish(PX_LEVEL_NODE, index[0], "posted", 1);
    publish(PX_LEVEL_NODE, index[1], "posted", 2);
    publish_value(PX_LEVEL_NODE, index[1], "text", &text);
}

static void a_value_of_a_node(void **state)
{
    static const char *const names[] = {"one", "two", "alias"};
    static const pmix_rank_t ranks[] = {1, SELF, PMIX_RANK_WILDCARD, PMIX_RANK_UNDEF};
    pmix_value_t here;
    pmix_value_t *value;

    (void) state;
    publish_nodes();
    for (size_t i = 0; i < 4 * 4 * 3; i++) {
        const char *node = names[i / 16];

        compare_of_node(ranks[i % 4], "posted", node, directives[i / 4 % 4], PMIX_SUCCESS);
        compare_of_node(ranks[i % 4], PMIX_LOCAL_SIZE, node, directives[i / 4 % 4], PMIX_SUCCESS);
        compare_of_node(ranks[i % 4], "text", node, directives[i / 4 % 4],
                        i / 16 > 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND);
        compare_of_node(ranks[i % 4], "nobody", node, directives[i / 4 % 4], PMIX_ERR_NOT_FOUND);
        compare_of_node(ranks[i % 4], "posted", "nowhere", directives[i / 4 % 4],
                        PMIX_ERR_NOT_FOUND);
    }
    assert_int_equal(get_of_node(px_client_get_fast, PMIX_RANK_WILDCARD, "posted", "two",
                                 PMIX_GET_STATIC_VALUES, &here, &value),
                     PMIX_SUCCESS);
    assert_int_equal(here.data.uint32, 2);
}

/* What we have put and deleted is gone, whatever the segment has under the key. */
static void a_value_of_a_node_that_we_deleted(void **state)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 3};

    (void) state;
    publish_nodes();
    assert_int_equal(px_client_put(ctx, PMIX_LOCAL, "text", &value), PMIX_SUCCESS);
    compare_of_node(SELF, "text", "two", NULL, PMIX_SUCCESS);
    assert_int_equal(px_client_put(ctx, PMIX_DEL_LOCAL, "text", NULL), PMIX_SUCCESS);
    compare_of_node(SELF, "text", "two", NULL, PMIX_ERR_NOT_FOUND);
    compare_of_node(SELF, "posted", "two", NULL, PMIX_SUCCESS);
}

/* A node that is named by something other than a string is a mistake; NULL is no name. */
static void no_name_of_a_node(void **state)
{
    pmix_proc_t proc;
    pmix_info_t info;
    pmix_value_t *value[2];

    (void) state;
    publish_nodes();
    PMIx_Load_procid(&proc, "job", PMIX_RANK_WILDCARD);
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_HOSTNAME, &(uint32_t){1}, PMIX_UINT32);
    assert_int_equal(px_client_get_fast(&proc, "posted", &info, 1, &value[0]), PMIX_ERR_BAD_PARAM);
    info.value = (pmix_value_t){.type = PMIX_STRING};
    assert_int_equal(px_client_get_fast(&proc, PMIX_LOCAL_SIZE, &info, 1, &value[0]), PMIX_SUCCESS);
    assert_int_equal(px_client_get(&proc, PMIX_LOCAL_SIZE, &info, 1, &value[1]), PMIX_SUCCESS);
    compare_values(NULL, NULL, value);
}

/* Nobody in the segment has the key: that is the answer only as long as nothing else has it. */
static void a_key_that_is_nowhere(void **state)
{
    static const pmix_rank_t ranks[] = {1, SELF, PMIX_RANK_WILDCARD, PMIX_RANK_UNDEF};
    char long_key[PMIX_MAX_KEYLEN + 2];
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 3};
    pmix_value_t pointer = {.type = PMIX_POINTER, .data.ptr = &value};
    pmix_proc_t proc;

    (void) state;
    memset(long_key, 'k', sizeof(long_key) - 1);
    long_key[sizeof(long_key) - 1] = '\0';
    for (size_t i = 0; i < 4 * 4; i++) {
        const char *directive = i / 4 == 0 ? PMIX_OPTIONAL : directives[i / 4];

        compare(ranks[i % 4], "mine", directive);
        compare(ranks[i % 4], "", directive);
        compare(ranks[i % 4], long_key, directive);
        compare(ranks[i % 4], PMIX_VERSION_NUMERIC, directive);
    }
    assert_int_equal(px_client_put(ctx, PMIX_LOCAL, "mine", &value), PMIX_SUCCESS);
    for (size_t i = 0; i < 2 * 4; i++) {
        compare(ranks[3 - i % 4], "mine", PMIX_OPTIONAL);
    }
    PMIx_Load_procid(&proc, "job", 1);
    compare(1, "kept", PMIX_OPTIONAL);
    assert_int_equal(px_client_store_internal(ctx, &proc, "kept", &pointer), PMIX_SUCCESS);
    compare(1, "kept", PMIX_OPTIONAL);
}

/* Publishes a string for each rank, of which n are different; some are hidden or compressed. */
static void publish_texts(const char *key, uint32_t n, bool odd)
{
    static char texts[N_RANKS][16];
    struct px_batch *batch = px_batch_create();
    pmix_value_t values[N_RANKS];

    assert_non_null(batch);
    for (uint32_t rank = 0; rank < N_RANKS; rank++) {
        struct px_store_entry entry = {
            .level = PX_LEVEL_PROC, .index = rank, .key = key, .value = &values[rank]};

        (void) snprintf(texts[rank], sizeof(texts[rank]), "text %u", rank % n);
        values[rank] = (pmix_value_t){.type = PMIX_STRING, .data.string = texts[rank]};
        if (odd && rank % 3 == 1) {
            values[rank] = (pmix_value_t){.type = PMIX_COMPRESSED_STRING,
                                          .data.bo = {.bytes = texts[rank], .size = 8}};
        }
        entry.value = odd && rank % 3 == 2 ? NULL : &values[rank];
        assert_int_equal(px_batch_add(batch, &entry), 0);
    }
    assert_int_equal(px_store_publish(writer, batch), 0);
    px_batch_destroy(batch);
}

/* Strings in columns: one for all, a few, another one for each rank; and what is in a column but
 * not for everybody, or not as it is. */
static void texts_of_ranks(void **state)
{
    static const char *const names[] = {"single", "few", "many", "odd"};
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 3};

    (void) state;
    publish_texts(names[0], 1, false);
    publish_texts(names[1], 5, false);
    publish_texts(names[2], N_RANKS, false);
    publish_texts(names[3], N_RANKS, true);
    for (uint32_t i = 0; i < 2 * 4 * 4 * N_RANKS; i++) {
        if (i == 4 * 4 * N_RANKS) {
            publish(PX_LEVEL_PROC, 7, "few", 9);
            assert_int_equal(px_client_put(ctx, PMIX_LOCAL, "few", &value), PMIX_SUCCESS);
        }
        compare(i / 16 % N_RANKS, names[i % 4], directives[i / 4 % 4]);
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
        cmocka_unit_test_setup_teardown(a_value_of_a_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_of_a_node_that_we_deleted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_name_of_a_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_that_is_nowhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_of_ranks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_generation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(never_goes_back, set_up, tear_down),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
