/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The answer with all values of a process that has many, which is made in parts: it is what it
 * would be if it were made at once, whatever happens in between. The test decides when there is a
 * next part. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "gds/level.h"
#include "gds/store.h"
#include "src/context/context.h"
#include "src/loop/loop.h"
#include "src/server/data/answer.h"
#include "src/server/data/answer_values.h"
#include "src/server/data/commit.h"
#include "src/server/data/gathering.h"
#include "src/server/data/get.h"
#include "src/server/data/get_answer.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

/* MANY values take three parts to be counted and three to be packed; so many turns are too many. */
enum {
    MANY = 5000,
    FEW = 100,
    LEAST_TURNS = 5,
    MOST_TURNS = 1000,
    TAG = 100,
    BYTES = 100000,
    MEDIUM = 60, /* values of so many bytes, of which about ten are packed in one turn */
    MEDIUM_BYTES = 120000,
    LARGE = 3000000
};

static struct px_nspace *nspace_of_job(void)
{
    return px_nspace_find(px_ctx()->server, JOB);
}

/* What is posted: n numbers, or that many bytes under one key. */
struct post {
    uint32_t rank;
    size_t n;
    uint32_t number; /* the values begin with it */
    uint32_t key;    /* and the keys with this one */
    bool one;
};

static void pack_values(struct px_buf *buf, const struct post *post)
{
    static char bytes[LARGE];
    char key[16];

    memset(bytes, (int) post->number, sizeof(bytes));
    for (uint32_t i = 0; i < (post->one ? 1 : post->n); i++) {
        pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = post->number + i};

        if (post->one) {
            value = (pmix_value_t){.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, post->n}};
        }
        snprintf(key, sizeof(key), "key.%u", post->key + i);
        (void) px_pack_kval(buf, PX_WIRE_PLAIN, key, &value);
    }
}

/* A commit without a connection. */
struct sender {
    struct px_peer peer;
    struct px_buf buf;
    bool begun;
};

static void pack_commit(struct px_buf *buf, const struct post *post)
{
    pmix_scope_t scope = PMIX_GLOBAL;
    size_t mark;

    (void) px_pack_command(buf, PX_WIRE_PLAIN, PX_CMD_COMMIT);
    (void) px_pack(buf, PX_WIRE_PLAIN, PMIX_SCOPE, &scope, 1);
    px_pack_buffer_begin(buf, &mark);
    pack_values(buf, post);
    assert_int_equal(px_pack_buffer_end(buf, PX_WIRE_PLAIN, mark), 0);
}

/* For px_loop_run: a turn of the commit, which may have to wait for the segment to have moved. */
static void commit_turn(void *arg)
{
    struct sender *sender = arg;
    struct px_in in = px_in_make(sender->buf.data, sender->buf.len, PX_WIRE_PLAIN);
    struct px_reply_to reply_to;
    uint8_t command;

    if (sender->begun) {
        assert_int_equal(px_commit_go_on(sender->peer.server, &sender->peer, &reply_to), 0);
        return;
    }
    sender->begun = true;
    (void) px_unpack_command(&in, &command);
    assert_int_equal(px_handle_commit(sender->peer.server, &sender->peer, TAG, &in), 0);
}

/* For px_loop_run. */
static void identify(void *arg)
{
    struct px_peer *peer = arg;

    peer->server = px_ctx()->server;
    peer->user = px_user_of(peer->server, geteuid());
    peer->rank = px_local_proc_find(nspace_of_job(), (uint32_t) peer->id);
    peer->kind = PX_WIRE_PLAIN;
}

static void post(struct post what)
{
    struct sender sender = {.peer.id = what.rank};

    assert_int_equal(px_loop_run(px_ctx()->loop, identify, &sender.peer), 0);
    sender.peer.id = UINT64_MAX;
    pack_commit(&sender.buf, &what);
    do {
        assert_int_equal(px_loop_run(px_ctx()->loop, commit_turn, &sender), 0);
    } while (sender.peer.commit);
    px_buf_fini(&sender.buf);
}

/* A get of rank 0 by a client of this library that has disconnected, and what it has come to. */
struct gather {
    struct px_get *get;
    struct px_answer answer;
    unsigned n_turns;
    int rc;
    bool same; /* as the answer that is made at once */
};

static void begin(struct gather *gather)
{
    *gather = (struct gather){.get = calloc(1, sizeof(*gather->get)), .rc = PX_GET_LARGE};
    assert_non_null(gather->get);
    gather->get->server = px_ctx()->server;
    gather->get->reply_to.peer = UINT64_MAX;
    gather->get->counts = true;
    px_list_init(&gather->get->link);
    px_list_init(&gather->get->of_peer);
    px_list_init(&gather->get->of_modex);
}

/* For px_loop_run: one part; at the end, in the same turn, the comparison. */
static void take_turn(void *arg)
{
    struct gather *gather = arg;
    struct px_nspace *ns = nspace_of_job();
    struct px_answer whole = {.n = 0};

    gather->n_turns++;
    gather->rc = px_gather(gather->get, ns, 0, px_answer_begin, &gather->answer);
    if (gather->rc) {
        return;
    }
    assert_int_equal(px_answer_begin(&whole, gather->get, ns, 0), 0);
    assert_int_equal(px_answer_add_change(&whole, gather->get, ns, 0), 0);
    assert_int_equal(px_store_each(ns->store, PX_LEVEL_PROC, 0, px_answer_add_committed, &whole),
                     0);
    assert_int_equal(px_pack_bytes_end(&whole.buf, whole.kind, whole.mark), 0);
    assert_int_equal(px_pack_bytes_end(&gather->answer.buf, whole.kind, gather->answer.mark), 0);
    gather->same = whole.n == gather->answer.n && whole.buf.len == gather->answer.buf.len &&
                   memcmp(whole.buf.data, gather->answer.buf.data, whole.buf.len) == 0 &&
                   whole.n_large == gather->answer.n_large;
    for (size_t i = 0; gather->same && i < whole.n_large; i++) {
        gather->same = whole.large[i].at == gather->answer.large[i].at &&
                       whole.large[i].bytes == gather->answer.large[i].bytes;
    }
    px_answer_fini(&whole);
}

static int turn(struct gather *gather)
{
    assert_int_equal(px_loop_run(px_ctx()->loop, take_turn, gather), 0);
    assert_true(gather->n_turns < MOST_TURNS);
    return gather->rc;
}

static void destroy(void *arg)
{
    px_get_destroy(arg);
}

static void end(struct gather *gather)
{
    px_answer_fini(&gather->answer);
    assert_int_equal(px_loop_run(px_ctx()->loop, destroy, gather->get), 0);
}

static void few_values_at_once(void **state)
{
    struct gather gather;

    (void) state;
    post((struct post){.n = FEW});
    begin(&gather);
    assert_int_equal(turn(&gather), 0);
    assert_int_equal(gather.answer.n, FEW);
    assert_true(gather.same);
    end(&gather);
}

static void many_in_parts(void **state)
{
    struct gather gather;

    (void) state;
    post((struct post){.n = MANY});
    begin(&gather);
    while (turn(&gather) == PX_GET_LARGE) {
    }
    assert_int_equal(gather.rc, 0);
    assert_int_equal(gather.answer.n, MANY);
    assert_true(gather.same);
    assert_true(gather.n_turns >= LEAST_TURNS);
    end(&gather);
}

/* Its memory is freed after any part. */
static void one_that_is_dropped(void **state)
{
    struct gather gather;

    (void) state;
    post((struct post){.n = MANY});
    for (unsigned n = 1; n < LEAST_TURNS; n++) {
        begin(&gather);
        for (unsigned i = 0; i < n; i++) {
            assert_int_equal(turn(&gather), PX_GET_LARGE);
        }
        end(&gather);
    }
}

/* The process posts after each of the parts: the answer has all of that, or it has failed. */
static void who_posts_meanwhile(void **state)
{
    struct gather gather;

    (void) state;
    post((struct post){.n = MANY});
    for (unsigned n = 1; n < LEAST_TURNS; n++) {
        begin(&gather);
        for (unsigned i = 0; i < n; i++) {
            assert_int_equal(turn(&gather), PX_GET_LARGE);
        }
        post((struct post){.n = FEW, .number = 1000 * n});
        while (turn(&gather) == PX_GET_LARGE) {
        }
        assert_int_equal(gather.rc, 0);
        assert_true(gather.same);
        assert_true(gather.n_turns >= n + LEAST_TURNS);
        end(&gather);
    }
}

/* Of bytes no more than some are packed in a turn. */
static void bytes_in_parts(void **state)
{
    struct gather gather;

    (void) state;
    for (uint32_t i = 0; i < MEDIUM; i++) {
        post((struct post){.n = MEDIUM_BYTES, .number = i, .key = i, .one = true});
    }
    begin(&gather);
    while (turn(&gather) == PX_GET_LARGE) {
    }
    assert_int_equal(gather.rc, 0);
    assert_int_equal(gather.answer.n, MEDIUM);
    assert_true(gather.same);
    assert_true(gather.n_turns >= MEDIUM / 10);
    end(&gather);
}

/* Large values are left in the store, whatever comes meanwhile. */
static void large_values_are_left(void **state)
{
    struct gather gather;

    (void) state;
    post((struct post){.n = MANY});
    post((struct post){.n = LARGE, .one = true});
    begin(&gather);
    while (turn(&gather) == PX_GET_LARGE) {
        if (gather.n_turns == 2) {
            post((struct post){.n = LARGE, .key = 1, .one = true});
        }
    }
    assert_int_equal(gather.rc, 0);
    assert_true(gather.same);
    assert_int_equal(gather.answer.n_large, 2);
    assert_int_equal(gather.answer.large_bytes, 2 * LARGE);
    assert_true(gather.answer.buf.len < LARGE);
    end(&gather);
}

static void who_posts_too_fast(void **state)
{
    struct gather gather;

    (void) state;
    post((struct post){.n = MANY});
    begin(&gather);
    while (turn(&gather) == PX_GET_LARGE) {
        post((struct post){.n = FEW, .number = gather.n_turns});
    }
    assert_int_equal(gather.rc, PMIX_ERR_OUT_OF_RESOURCE);
    end(&gather);
}

static uint32_t generation_of_job(void)
{
    struct px_store_info info;

    px_store_info(nspace_of_job()->store, &info);
    return info.generation;
}

static void look(void *arg)
{
    *(uint32_t *) arg = generation_of_job();
}

/* The segment moves after a part, since the other process replaces a large value. */
static void who_moves_meanwhile(void **state)
{
    struct gather gather;
    uint32_t before = 0;
    uint32_t now = 0;

    (void) state;
    post((struct post){.n = MANY});
    begin(&gather);
    assert_int_equal(turn(&gather), PX_GET_LARGE);
    assert_int_equal(px_loop_run(px_ctx()->loop, look, &before), 0);
    for (uint32_t i = 0; now == 0 || now == before; i++) {
        post((struct post){.rank = 1, .n = BYTES, .number = i, .one = true});
        (void) sched_yield();
        assert_int_equal(px_loop_run(px_ctx()->loop, look, &now), 0);
    }
    while (turn(&gather) == PX_GET_LARGE) {
    }
    assert_int_equal(gather.rc, 0);
    assert_true(gather.same);
    assert_true(gather.n_turns >= 1 + LEAST_TURNS);
    end(&gather);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(few_values_at_once, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(many_in_parts, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_that_is_dropped, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(who_posts_meanwhile, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(bytes_in_parts, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(large_values_are_left, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(who_posts_too_fast, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(who_moves_meanwhile, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    (void) setenv("PMIX_MCA_shmix_segment_dead", "4096", 1);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
