/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Commits that delete many values, which the server handles in parts. The test decides when there
 * is a next part, or that there is none. */

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
#include "gds/kval_reader.h"
#include "gds/slice.h"
#include "gds/state.h"
#include "src/server/data/posted_values.h"

/* In one turn a commit may handle PIECE values. MANY is the number of a message of more than 64
 * KiB, and of more than three turns. */
enum { PIECE = 1024, MANY = 8000, MOST_TURNS = 100, SMALL = 1000, LARGE = 700000, N_LARGE = 3 };

/* The bytes that a noted deletion counts, at the least. */
enum { LEAST_BYTES = 64 };

static char bytes[LARGE];

static struct px_nspace *job(void)
{
    return px_nspace_find(px_ctx()->server, JOB);
}

static void begin(struct sender *sender)
{
    sender_begin(sender, 0, MOST_TURNS);
}

/* The n keys of a letter: of values if there is one, else of deletions. */
static void pack(struct sender *sender, pmix_scope_t scope, char letter, unsigned n,
                 const pmix_value_t *value)
{
    static const pmix_value_t none = {.type = PMIX_UNDEF};
    size_t mark;

    (void) px_pack(&sender->buf, PX_WIRE_PLAIN, PMIX_SCOPE, &scope, 1);
    px_pack_buffer_begin(&sender->buf, &mark);
    for (unsigned i = 0; i < n; i++) {
        char key[16];

        (void) snprintf(key, sizeof(key), "%c%06u", letter, i);
        (void) px_pack_kval(&sender->buf, PX_WIRE_PLAIN, key, value ? value : &none);
    }
    assert_int_equal(px_pack_buffer_end(&sender->buf, PX_WIRE_PLAIN, mark), 0);
}

/* The status of a get of that key by a process of this node. */
static int look_up(char letter, unsigned i, struct px_slice *ret)
{
    char key[16];

    (void) snprintf(key, sizeof(key), "%c%06u", letter, i);
    return px_store_find(job()->store, PX_LEVEL_PROC, 0, key, strlen(key), ret);
}

static unsigned count_there(char letter, unsigned n)
{
    struct px_slice slice;
    unsigned n_there = 0;

    for (unsigned i = 0; i < n; i++) {
        n_there += look_up(letter, i, &slice) == 0;
    }
    return n_there;
}

/* Commits n small values for everybody. */
static void put(char letter, unsigned n)
{
    const pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 1};
    struct sender sender;

    begin(&sender);
    pack(&sender, PMIX_GLOBAL, letter, n, &value);
    while (take_turn(&sender)) {
    }
    sender_end(&sender);
    assert_int_equal(count_there(letter, n), n);
}

/* What the test does on the loop's thread. */
static void run(void (*fn)(void *arg))
{
    assert_int_equal(px_loop_run(px_ctx()->loop, fn, NULL), 0);
}

static size_t held(const struct sender *sender)
{
    return sender->peer.user->usage.held[PX_QUOTA_REQUESTS];
}

/* Keys that the process does not have take turns, and no memory beside the message. */
static void try_unknown(void *arg)
{
    struct sender sender;
    size_t before;

    (void) arg;
    begin(&sender);
    pack(&sender, PMIX_DEL_GLOBAL, 'u', MANY, NULL);
    pack(&sender, PMIX_DEL_LOCAL, 'v', MANY, NULL);
    assert_true(take_turn(&sender));
    before = held(&sender);
    while (take_turn(&sender)) {
        assert_true(held(&sender) <= before);
    }
    assert_true(sender.n_turns > 2 * MANY / PIECE);
    assert_int_equal(held(&sender), 0);
    sender_end(&sender);
}

static void unknown_keys(void **state)
{
    (void) state;
    run(try_unknown);
}

/* Those that it has go piece by piece, and count as long as the request is open. */
static void try_known(void *arg)
{
    struct sender sender;
    size_t most = 0;
    unsigned n_there = MANY;

    (void) arg;
    put('k', MANY);
    assert_true(px_local_proc_find(job(), 0)->posted.usage.held[PX_QUOTA_POSTED] > 0);
    begin(&sender);
    pack(&sender, PMIX_DEL_GLOBAL, 'k', MANY, NULL);
    while (take_turn(&sender)) {
        unsigned now = count_there('k', MANY);

        assert_true(now <= n_there && n_there - now <= PIECE);
        n_there = now;
        most = held(&sender) > most ? held(&sender) : most;
    }
    assert_true(most >= MANY * LEAST_BYTES);
    assert_int_equal(held(&sender), 0);
    assert_int_equal(count_there('k', MANY), 0);
    assert_int_equal(px_local_proc_find(job(), 0)->posted.usage.held[PX_QUOTA_POSTED], 0);
    sender_end(&sender);
}

static void known_keys(void **state)
{
    (void) state;
    run(try_known);
}

/* Of a key that two blocks name, the value is gone everywhere; it counts once. */
static void try_twice(void *arg)
{
    struct sender sender;
    size_t first;
    size_t most;

    (void) arg;
    put('k', MANY);
    begin(&sender);
    pack(&sender, PMIX_DEL_LOCAL, 'k', MANY, NULL);
    pack(&sender, PMIX_DEL_REMOTE, 'k', MANY, NULL);
    assert_true(take_turn(&sender));
    first = held(&sender);
    most = first;
    while (take_turn(&sender)) {
        most = held(&sender) > most ? held(&sender) : most;
    }
    assert_true(most - first < MANY * LEAST_BYTES * 3 / 2);
    assert_int_equal(count_there('k', MANY), 0);
    assert_int_equal(px_local_proc_find(job(), 0)->posted.usage.held[PX_QUOTA_POSTED], 0);
    sender_end(&sender);
}

static void keys_that_are_named_twice(void **state)
{
    (void) state;
    run(try_twice);
}

/* Values are published behind all deletions: a key that a commit deletes and puts is there. */
static void try_order(void *arg)
{
    const pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, *(size_t *) arg}};
    struct px_slice slice;
    struct sender sender;

    put('k', MANY);
    begin(&sender);
    pack(&sender, PMIX_GLOBAL, 'k', N_LARGE, &value);
    pack(&sender, PMIX_DEL_GLOBAL, 'k', MANY, NULL);
    while (take_turn(&sender)) {
        if (look_up('k', MANY - 1, &slice) == 0) {
            assert_true(look_up('k', 0, &slice) || slice.len < value.data.bo.size);
        }
    }
    assert_int_equal(count_there('k', MANY), N_LARGE);
    for (unsigned i = 0; i < N_LARGE; i++) {
        assert_int_equal(look_up('k', i, &slice), 0);
        assert_int_equal(slice.len, value.data.bo.size);
    }
    assert_null(job()->store->partial);
    sender_end(&sender);
}

static void values_come_last(void **state)
{
    size_t sizes[] = {SMALL, LARGE};

    (void) state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(px_loop_run(px_ctx()->loop, try_order, &sizes[i]), 0);
    }
}

/* The connection closes in the middle: the pieces that were handled are gone. */
static void try_cut(void *arg)
{
    struct sender sender;
    unsigned n_there;

    (void) arg;
    put('k', MANY);
    begin(&sender);
    pack(&sender, PMIX_DEL_GLOBAL, 'k', MANY, NULL);
    do {
        assert_true(take_turn(&sender));
        n_there = count_there('k', MANY);
    } while (n_there == MANY);
    sender_end(&sender);
    assert_int_equal(count_there('k', MANY), n_there);
    assert_true(n_there >= MANY - PIECE);
}

static void cut(void **state)
{
    (void) state;
    run(try_cut);
}

/* The number of large values that are only for this node. */
static unsigned count_local(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 2 * N_LARGE; i++) {
        struct px_slice slice;

        assert_int_equal(look_up('l', i, &slice), 0);
        assert_int_equal(slice.len, LARGE);
        n += slice.scope == PMIX_LOCAL;
    }
    return n;
}

/* What stays for this node is copied: little more than 1 MiB in a turn, which is two values. */
static void try_copies(void *arg)
{
    const pmix_value_t large = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, LARGE}};
    struct sender sender;
    unsigned n_local = 0;

    (void) arg;
    begin(&sender);
    pack(&sender, PMIX_GLOBAL, 'l', 2 * N_LARGE, &large);
    while (take_turn(&sender)) {
    }
    sender_end(&sender);
    begin(&sender);
    pack(&sender, PMIX_DEL_LOCAL, 'u', MANY, NULL);
    pack(&sender, PMIX_DEL_REMOTE, 'l', 2 * N_LARGE, NULL);
    do {
        assert_true(count_local() <= n_local + 2);
        n_local = count_local();
    } while (take_turn(&sender));
    assert_true(n_local >= 2 * N_LARGE - 2);
    assert_int_equal(count_local(), 2 * N_LARGE);
    sender_end(&sender);
}

static void copies(void **state)
{
    (void) state;
    run(try_copies);
}

/* The number of times that the text is in what the other end of a connection has got. */
static unsigned count_text(int fd, const char *text)
{
    static char got[1 << 18];
    ssize_t len = read(fd, got, sizeof(got));
    const char *end_of_got = got + (len > 0 ? len : 0);
    unsigned n = 0;

    for (const char *at = got; at && at < end_of_got; n += at != NULL) {
        at = memmem(at, (size_t) (end_of_got - at), text, strlen(text));
        at = at ? at + 1 : NULL;
    }
    return n;
}

/* A client of OpenPMIx 7 is told of what is gone, and of nothing else; one of 6 is not. */
static void try_told(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct sender sender;
    struct sender listeners[2];

    (void) arg;
    put('k', 2);
    for (unsigned i = 0; i < 2; i++) {
        begin(&listeners[i]);
        PMIX_LOAD_PROCID(&listeners[i].peer.proc, JOB, 1);
        listeners[i].peer.version_major = 6 + i;
        px_list_append(&s->peer_list, &listeners[i].peer.link);
    }
    begin(&sender);
    pack(&sender, PMIX_DEL_LOCAL, 'k', MANY, NULL);
    while (take_turn(&sender)) {
    }
    sender_end(&sender);
    assert_int_equal(count_text(listeners[0].fd, "k00"), 0);
    assert_int_equal(count_text(listeners[1].fd, "k00"), 2);
    for (unsigned i = 0; i < 2; i++) {
        px_list_remove(&listeners[i].peer.link);
        sender_end(&listeners[i]);
    }
}

static void told(void **state)
{
    (void) state;
    run(try_told);
}

/* --- of a process of another node --- */

enum { FAR_AWAY = 7, WALK = 256, N_FAR = 2 * WALK + 1 };

static unsigned n_looks; /* at what a peer may have */

bool __real_px_access_data(const struct px_server *s, const struct px_peer *peer,
                           const struct px_nspace *ns);
bool __wrap_px_access_data(const struct px_server *s, const struct px_peer *peer,
                           const struct px_nspace *ns);

bool __wrap_px_access_data(const struct px_server *s, const struct px_peer *peer,
                           const struct px_nspace *ns)
{
    n_looks++;
    return __real_px_access_data(s, peer, ns);
}

/* What another server sends of its process: n values, or deletions. */
static void arrive(unsigned n, const pmix_value_t *value)
{
    struct px_server *s = px_ctx()->server;
    struct px_kval_reader *reader = px_kval_reader_create(false, NULL);
    struct px_buf buf = {0};
    struct px_in in;
    int rc;

    assert_non_null(reader);
    for (unsigned i = 0; i < n; i++) {
        char key[16];

        (void) snprintf(key, sizeof(key), "r%06u", i);
        (void) px_pack_kval(&buf, PX_WIRE_PLAIN, key, value);
    }
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    rc = px_modex_values_read(s, reader, job(), FAR_AWAY, &in);
    assert_int_equal(px_modex_values_publish(s, reader, job(), rc), 0);
    px_buf_fini(&buf);
}

/* Clients of OpenPMIx 7 are told, of what is gone. The peers are walked over once for many keys. */
static void try_far(void *arg)
{
    static const pmix_value_t none = {.type = PMIX_UNDEF};
    const pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 1};
    const unsigned n = *(unsigned *) arg;
    struct px_server *s = px_ctx()->server;
    struct sender listener;
    struct px_slice slice;

    begin(&listener);
    listener.peer.version_major = 7;
    px_list_append(&s->peer_list, &listener.peer.link);
    arrive(n, &value);
    assert_int_equal(px_store_find(job()->store, PX_LEVEL_PROC, FAR_AWAY, "r000001", 7, &slice), 0);
    n_looks = 0;
    arrive(n, &none);
    assert_int_not_equal(px_store_find(job()->store, PX_LEVEL_PROC, FAR_AWAY, "r000001", 7, &slice),
                         0);
    assert_int_equal(n_looks, (n + WALK - 1) / WALK);
    if (n < WALK) { /* more do not fit into the socket */
        assert_int_equal(count_text(listener.fd, "r00"), n);
        arrive(n, &none); /* nothing is there any more */
        assert_int_equal(count_text(listener.fd, "r00"), 0);
    }
    px_list_remove(&listener.peer.link);
    sender_end(&listener);
}

static void far_away(void **state)
{
    unsigned numbers[] = {3, N_FAR};

    (void) state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(px_loop_run(px_ctx()->loop, try_far, &numbers[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unknown_keys, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(known_keys, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(keys_that_are_named_twice, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(values_come_last, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(cut, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(copies, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(told, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(far_away, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
