/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Commits of large values, which the server copies into the segment in parts, and of many, which it
 * counts in parts. The test decides when there is a next part, or that there is none. */

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

#include <pmix_server.h>

#include "commit_sender.h"
#include "gds/level.h"
#include "gds/slice.h"
#include "gds/state.h"
#include "src/base/param.h"
#include "src/server/collectives/modex_log.h"
#include "src/server/data/posted.h"

/* LARGE bytes take more than four turns, MOST are too many; with SMALLER ones there is room for
 * others in a piece. */
enum { LARGE = 5000000, SMALLER = 400000, LEAST = 4, MOST = 40, N_PEERS = 2 };

/* Strings in arrays: as many as a commit may have, by its parameter's default. */
enum { STRINGS = 65536 };

static char bytes[N_PEERS][LARGE];
static size_t size = LARGE; /* of the large values of this test */

static struct px_store *store_of_job(void)
{
    return px_nspace_find(px_ctx()->server, JOB)->store;
}

/* A commit of a small value, a large one, and a small one, of which the second rank swaps the small
 * ones. */
static void pack_commit(struct sender *sender, uint32_t rank)
{
    pmix_scope_t scope = PMIX_GLOBAL;
    pmix_value_t small = {.type = PMIX_UINT32, .data.uint32 = rank};
    pmix_value_t large = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes[rank], size}};
    size_t mark;

    memset(bytes[rank], 'a' + (int) rank, LARGE);
    (void) px_pack(&sender->buf, PX_WIRE_PLAIN, PMIX_SCOPE, &scope, 1);
    px_pack_buffer_begin(&sender->buf, &mark);
    (void) px_pack_kval(&sender->buf, PX_WIRE_PLAIN, rank ? "after" : "before", &small);
    (void) px_pack_kval(&sender->buf, PX_WIRE_PLAIN, "large", &large);
    (void) px_pack_kval(&sender->buf, PX_WIRE_PLAIN, rank ? "before" : "after", &small);
    assert_int_equal(px_pack_buffer_end(&sender->buf, PX_WIRE_PLAIN, mark), 0);
}

static void begin(struct sender *sender, uint32_t rank)
{
    sender_begin(sender, rank, MOST);
    pack_commit(sender, rank);
}

static bool is_there(uint32_t rank, const char *key)
{
    struct px_slice slice;

    return px_store_find(store_of_job(), PX_LEVEL_PROC, rank, key, strlen(key), &slice) == 0;
}

static void assert_large(uint32_t rank)
{
    struct px_slice slice;

    assert_int_equal(px_store_find(store_of_job(), PX_LEVEL_PROC, rank, "large", 5, &slice), 0);
    assert_int_equal(slice.len, size);
    assert_memory_equal(slice.payload, bytes[rank], size);
}

/* What the test does on the loop's thread. */
static void run(void (*fn)(void *arg))
{
    assert_int_equal(px_loop_run(px_ctx()->loop, fn, NULL), 0);
}

/* The values become visible in the order in which they were put, the large one as a whole; in each
 * turn the segment takes little more than 1 MiB. */
static void try_whole(void *arg)
{
    struct sender sender;
    uint64_t before = store_of_job()->seg.populated;

    (void) arg;
    begin(&sender, 0);
    while (take_turn(&sender)) {
        assert_true(store_of_job()->seg.populated - before < 3 << 20);
        before = store_of_job()->seg.populated;
        assert_true(!is_there(0, "after") || is_there(0, "large"));
        assert_true(!is_there(0, "large") || is_there(0, "before"));
    }
    assert_true(sender.n_turns > LEAST);
    assert_large(0);
    assert_true(is_there(0, "after"));
    assert_null(store_of_job()->partial);
    assert_true(px_store_header(store_of_job())->dead < LARGE);
    sender_end(&sender);
}

static void whole(void **state)
{
    (void) state;
    run(try_whole);
}

/* The place of a large value is of use also if others are published together with it. */
static void try_smaller(void *arg)
{
    struct sender sender;

    (void) arg;
    for (uint32_t rank = 0; rank < N_PEERS; rank++) {
        begin(&sender, rank);
        while (take_turn(&sender)) {
        }
        assert_large(rank);
        sender_end(&sender);
    }
    assert_true(px_store_header(store_of_job())->dead < SMALLER);
}

static void smaller(void **state)
{
    (void) state;
    size = SMALLER;
    run(try_smaller);
    size = LARGE;
}

/* The connection closes in the middle: nothing of the large value is visible, what the segment has
 * of it is garbage, and another process can commit. */
static void try_cut(void *arg)
{
    struct sender sender;

    (void) arg;
    begin(&sender, 0);
    while (!store_of_job()->partial) {
        assert_true(take_turn(&sender));
    }
    for (int i = 0; i < LEAST; i++) {
        assert_true(take_turn(&sender));
    }
    sender_end(&sender);
    assert_null(store_of_job()->partial);
    assert_true(is_there(0, "before"));
    assert_false(is_there(0, "large"));
    begin(&sender, 1);
    while (take_turn(&sender)) {
    }
    assert_large(1);
    sender_end(&sender);
}

static void cut(void **state)
{
    (void) state;
    run(try_cut);
}

/* Two at once: the second one waits for the first. */
static void try_both(void *arg)
{
    struct sender senders[N_PEERS];
    bool more[N_PEERS] = {true, true};

    (void) arg;
    for (uint32_t i = 0; i < N_PEERS; i++) {
        begin(&senders[i], i);
    }
    while (more[0] || more[1]) {
        for (int i = 0; i < N_PEERS; i++) {
            more[i] = more[i] && take_turn(&senders[i]);
        }
    }
    for (uint32_t i = 0; i < N_PEERS; i++) {
        assert_large(i);
        sender_end(&senders[i]);
    }
    assert_null(store_of_job()->partial);
    assert_true(px_store_header(store_of_job())->dead < LARGE);
}

static void both(void **state)
{
    (void) state;
    run(try_both);
}

/* A commit of two arrays of strings; the status that it ends with. */
struct lists {
    size_t n[2];
    int rc;
    bool there; /* the second one */
};

static void pack_lists(struct px_buf *buf, const size_t n[2])
{
    static char *strings[STRINGS + 1];
    pmix_scope_t scope = PMIX_GLOBAL;
    size_t mark;

    for (size_t i = 0; i <= STRINGS; i++) {
        strings[i] = (char *) (uintptr_t) "s";
    }
    (void) px_pack_command(buf, PX_WIRE_PLAIN, PX_CMD_COMMIT);
    (void) px_pack(buf, PX_WIRE_PLAIN, PMIX_SCOPE, &scope, 1);
    px_pack_buffer_begin(buf, &mark);
    for (int i = 0; i < 2; i++) {
        pmix_data_array_t array = {.type = PMIX_STRING, .size = n[i], .array = strings};
        pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};

        (void) px_pack_kval(buf, PX_WIRE_PLAIN, i ? "second" : "first", &value);
    }
    assert_int_equal(px_pack_buffer_end(buf, PX_WIRE_PLAIN, mark), 0);
}

static void try_lists(void *arg)
{
    struct lists *lists = arg;
    struct px_server *s = px_ctx()->server;
    struct px_peer peer = {.server = s,
                           .user = px_user_of(s, geteuid()),
                           .rank = px_local_proc_find(px_nspace_find(s, JOB), 0),
                           .id = UINT64_MAX,
                           .kind = PX_WIRE_PLAIN};
    struct px_reply_to reply_to;
    struct px_buf buf = {0};
    struct px_in in;
    uint8_t command;

    pack_lists(&buf, lists->n);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    in.most = (size_t) px_param_int(PX_P_REQUEST_ARRAYS);
    (void) px_unpack_command(&in, &command);
    lists->rc = px_handle_commit(s, &peer, SENDER_TAG, &in);
    for (int i = 0; i < MOST && !lists->rc && peer.commit; i++) {
        lists->rc = px_commit_go_on(s, &peer, &reply_to);
    }
    lists->there = is_there(0, "second");
    px_parts_drop(&peer);
    px_buf_fini(&buf);
}

/* What is made of all values of a commit is bounded: elements that are made one by one stop a
 * server for longer than their bytes say. */
static void arrays_are_bounded(void **state)
{
    struct lists lists[] = {{.n = {STRINGS + 1, 0}}, {.n = {1, STRINGS}}, {.n = {STRINGS - 1, 1}}};

    (void) state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(px_loop_run(px_ctx()->loop, try_lists, &lists[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lists[i].rc, PMIX_ERR_OUT_OF_RESOURCE);
        assert_false(lists[i].there);
    }
    assert_int_equal(lists[2].rc, PMIX_SUCCESS);
    assert_true(lists[2].there);
}

/* --- the quota --- */

/* Values of a commit that might exceed the quota, and how many may be looked at, or logged, in one
 * turn. */
enum { MANY = 8000, PIECE = 1024, LOGGED = 256, MOST_TURNS = 100 };

static unsigned n_looks; /* at what the process has of a name */

size_t __real_px_posted_size(const struct px_local_proc *rank, const struct px_kval_name *name);
size_t __wrap_px_posted_size(const struct px_local_proc *rank, const struct px_kval_name *name);

size_t __wrap_px_posted_size(const struct px_local_proc *rank, const struct px_kval_name *name)
{
    n_looks++;
    return __real_px_posted_size(rank, name);
}

/* Packs many values. Returns the bytes that they will take; *ret_bound: what they take at most, as
 * far as the server knows without their names. */
static size_t pack_many(struct sender *sender, size_t *ret_bound)
{
    pmix_scope_t scope = PMIX_GLOBAL;
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 1};
    size_t mark;
    size_t len;

    (void) px_pack(&sender->buf, PX_WIRE_PLAIN, PMIX_SCOPE, &scope, 1);
    px_pack_buffer_begin(&sender->buf, &mark);
    len = sender->buf.len;
    for (unsigned i = 0; i < MANY; i++) {
        char key[16];

        (void) snprintf(key, sizeof(key), "k%06u", i);
        (void) px_pack_kval(&sender->buf, PX_WIRE_PLAIN, key, &value);
    }
    len = (sender->buf.len - len) / MANY;
    assert_int_equal(px_pack_buffer_end(&sender->buf, PX_WIRE_PLAIN, mark), 0);
    *ret_bound = MANY * px_modex_log_cost(len, len);
    return MANY * px_modex_log_cost(7, len);
}

/* The process may post so many bytes more. */
static void leave_room(struct px_local_proc *rank, size_t room)
{
    struct px_server *s = px_ctx()->server;
    size_t now = px_posted_room(s, rank);

    assert_true(now > room);
    px_quota_add(&rank->posted.usage, rank->posted.user, PX_QUOTA_POSTED, now - room);
    assert_int_equal(px_posted_room(s, rank), room);
}

/* Looks at all values, a piece in each turn, if it is not certain that they fit. Then they are
 * logged in smaller ones. */
static void try_quota(void *arg)
{
    bool fits = *(bool *) arg;
    struct sender sender;
    size_t bound;
    size_t bytes_needed;
    unsigned all = 0;
    size_t before;
    bool more;

    sender_begin(&sender, 0, MOST_TURNS);
    bytes_needed = pack_many(&sender, &bound);
    assert_true(bytes_needed < bound);
    leave_room(sender.peer.rank, fits ? bytes_needed : bytes_needed - 1);
    do {
        n_looks = 0;
        before = sender.peer.rank->modex_log.keys.used;
        more = take_turn(&sender);
        assert_true(n_looks <= PIECE);
        assert_true(sender.peer.rank->modex_log.keys.used - before <= LOGGED);
        all += n_looks;
    } while (more);
    assert_int_equal(all, MANY);
    assert_int_equal(sender.peer.rank->modex_log.keys.used, fits ? MANY : 0);
    assert_int_equal(is_there(0, "k000000"), fits);
    sender_end(&sender);
}

static void quota_in_pieces(void **state)
{
    (void) state;
    for (int fits = 0; fits < 2; fits++) {
        bool arg = fits != 0;

        assert_int_equal(px_loop_run(px_ctx()->loop, try_quota, &arg), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(smaller, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(cut, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(both, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(arrays_are_bounded, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(quota_in_pieces, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
