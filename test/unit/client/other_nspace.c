/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client or a tool that reads another namespace, and a server that hands out its segment as it
 * should, or says that it does: without a descriptor, with rubbish, with one that is not sealed,
 * with another namespace's. Every read has its answer, from the segment or by message. SHM-007.
 * Covers: SHM-001 SHM-007 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <sys/mman.h>

#include "script.h"
#include "src/client/data/get.h"
#include "src/client/tool/primary.h"
#include "gds/state.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/publication.h"

enum { BIG = 65536, N_THREADS = 4, N_MOVES = 30, N_JOBS = 30, MOST_KEPT = 100 };

static struct px_store *own;
static struct px_store *other;
static _Atomic int rides = -1; /* on the next replies with data of the other namespace */
static _Atomic bool marks;
static _Atomic bool short_reply; /* neither segment nor job information, until it is refused */
static _Atomic int next = -1;    /* on replies to REQ for the other namespace */
static _Atomic bool alone;       /* the reader's own namespace is not known */
static _Atomic bool withheld;    /* there is no answer */
static _Atomic bool unknown;     /* it is no more */
static _Atomic unsigned refusals;
static _Atomic unsigned pursuits;
static int kept[MOST_KEPT];
static int n_kept;

static struct px_store *create(const char *nspace)
{
    struct px_store_opts opts = {.nspace = nspace,
                                 .shared = true,
                                 .uid = getuid(),
                                 .gid = getgid(),
                                 .moves = true,
                                 .garbage_bytes = 4096};
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    return store;
}

static void publish(struct px_store *store, uint32_t number)
{
    static char big[BIG];
    pmix_value_t v = {.type = PMIX_UINT32, .data.uint32 = number};
    pmix_value_t b = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = big, .size = BIG}};
    struct px_batch *batch = px_batch_create();
    struct px_store_entry entries[] = {
        {.level = PX_LEVEL_JOB, .key = PMIX_JOB_SIZE, .value = &v},
        {.level = PX_LEVEL_PROC, .key = "big", .value = &b, .scope = PMIX_GLOBAL},
    };

    memset(big, ++big[0], sizeof(big));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(px_batch_add(batch, &entries[i]), 0);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
}

static uint32_t generation(const struct px_store *store)
{
    struct px_store_info info;

    px_store_info(store, &info);
    return info.generation;
}

static void move(uint32_t number)
{
    uint32_t before = generation(other);

    while (generation(other) == before) {
        publish(other, number);
        px_store_compact(other);
    }
}

/* A descriptor that the server's thread may still send when its store has gone on. */
static int lasting(int fd)
{
    assert_in_range(n_kept, 0, MOST_KEPT - 1);
    kept[n_kept] = dup(fd);
    assert_true(kept[n_kept] >= 0);
    return kept[n_kept++];
}

static void pack_mark(struct px_buf *buf)
{
    pmix_value_t mark = {.type = PMIX_BYTE_OBJECT};

    (void) px_pack_kval(buf, PX_WIRE_PLAIN, PX_KEY_SEGMENT, &mark);
}

/* REQ: its own first; then, by name, what is to be had of the other. */
static int answer_req(struct px_in *in, struct px_buf *reply)
{
    uint32_t at = 1;
    char *name = NULL;
    int rider; /* what is next may change under us: the mark and the descriptor go together */

    if (px_in_left(in) == 0) {
        (void) px_pack_string(reply, PX_WIRE_PLAIN, "job");
        if (alone) {
            return -1;
        }
        pack_mark(reply);
        return px_store_fd(own);
    }
    (void) px_unpack_rank(in, &at);
    (void) px_unpack_string(in, &name);
    refusals += at == 0;
    pursuits += at != 0;
    if (unknown) {
        (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_ERR_NOT_FOUND);
    } else {
        (void) px_pack_string(reply, PX_WIRE_PLAIN, name);
    }
    free(name);
    rider = at != 0 ? next : -1;
    if (rider >= 0) {
        pack_mark(reply);
    }
    return rider;
}

/* GET: what a client by messages is told, or the mark and the key alone. 77 is nowhere else. */
static bool answer(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    pmix_value_t size = {.type = PMIX_UINT32, .data.uint32 = 77};
    pmix_proc_t job = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    struct px_buf blob = {0};
    bool with_mark = marks && refusals == 0;

    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    if (command != PX_CMD_GET) {
        return true;
    }
    (void) px_pack(&blob, PX_WIRE_PLAIN, PMIX_PROC, &job, 1);
    if (with_mark) {
        pack_mark(&blob);
    } else if (short_reply && refusals == 0) {
        (void) px_pack_kval(&blob, PX_WIRE_PLAIN, PMIX_JOBID, &size);
    } else {
        (void) px_pack_kval(&blob, PX_WIRE_PLAIN, PMIX_JOB_SIZE, &size);
    }
    (void) px_pack_bytes(reply, PX_WIRE_PLAIN, blob.data, blob.len);
    px_buf_fini(&blob);
    script_rider = with_mark && !withheld ? rides : -1;
    return !withheld;
}

static void got_status(pmix_status_t status, void *cbdata)
{
    struct called *called = cbdata;

    px_wait_done(&called->wait, status);
}

static uint32_t size_of_other(void)
{
    pmix_proc_t job = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    struct called called;
    uint32_t size;

    called_init(&called);
    assert_int_equal(get_nb(&job, PMIX_JOB_SIZE, NULL, 0, &called), PMIX_SUCCESS);
    if (px_wait_for(&called.wait) != PMIX_SUCCESS) {
        return 0;
    }
    size = called.value.data.uint32;
    PMIx_Value_destruct(&called.value);
    return size;
}

static void collective(void)
{
    struct called called;

    called_init(&called);
    assert_int_equal(script_fence(got_status, &called), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&called.wait), PMIX_SUCCESS);
}

static void prepare(void)
{
    rides = next = -1;
    alone = withheld = false;
    marks = true;
    short_reply = false;
    unknown = false;
    refusals = pursuits = 0;
    own = create("job");
    publish(own, 1);
    other = create("other");
    publish(other, 5);
    script_req = answer_req;
}

static int begin(void **state)
{
    (void) state;
    prepare();
    client_open("5.0.0", answer);
    return 0;
}

/* A tool, which has no namespace of its own there. */
static int begin_tool(void **state)
{
    (void) state;
    prepare();
    alone = true;
    tool_open(answer);
    return 0;
}

static int end(void **state)
{
    (void) state;
    client_close();
    script_req = NULL;
    while (n_kept > 0) {
        close(kept[--n_kept]);
    }
    px_store_destroy(own);
    px_store_destroy(other);
    return 0;
}

/* --- how much is mapped at once --- */

static int begin_warm(void **state)
{
    setenv("PMIX_MCA_shmix_prefault", "1G", 1);
    return begin(state);
}

static int end_warm(void **state)
{
    unsetenv("PMIX_MCA_shmix_prefault");
    return end(state);
}

static void assert_warm(const struct px_store *segment)
{
    struct px_store_info info;

    px_store_info(segment, &info);
    assert_in_range(segment->seg.prefaulted, info.used_bytes, info.used_bytes + 4095);
}

static void mapped_at_once(void **state)
{
    struct px_session *session = px_session(ctx);
    struct px_store_info before;
    struct px_store_info after;

    (void) state;
    assert_warm(px_session_shared(session));
    px_store_info(own, &before);
    publish(own, 2);
    px_store_info(own, &after);
    assert_true(after.used_bytes >= before.used_bytes + BIG);
    collective();
    assert_warm(px_session_shared(session));
    rides = lasting(px_store_fd(other));
    assert_int_equal(size_of_other(), 5);
    assert_warm(px_space_segment(px_space_named(session, "other")));
}

static void touched_once(void **state)
{
    unsigned asked;

    (void) state;
    rides = lasting(px_store_fd(other));
    assert_int_equal(size_of_other(), 5);
    asked = script_requests();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(size_of_other(), 5);
    }
    publish(other, 6);
    assert_int_equal(size_of_other(), 6);
    assert_int_equal(script_requests(), asked);
    assert_int_equal(refusals, 0);
}

/* What is promised and does not come, or is of no use: it is refused by name, and asked again. */
static void by_messages(int fd)
{
    rides = fd;
    assert_int_equal(size_of_other(), 77);
    assert_int_equal(script_requests(), 2);
    assert_int_equal(refusals, 1);
    assert_int_equal(size_of_other(), 77);
    assert_int_equal(script_requests(), 2);
}

static void without_descriptor(void **state)
{
    (void) state;
    by_messages(-1);
}

static void with_rubbish(void **state)
{
    int fds[2];

    (void) state;
    assert_int_equal(pipe(fds), 0);
    by_messages(fds[0]);
    close(fds[0]);
    close(fds[1]);
}

/* It got lost on the way, and the server believes that we have it. */
static void lost(void **state)
{
    (void) state;
    marks = false;
    short_reply = true;
    by_messages(-1);
}

/* The same bytes, but somebody could change them. */
static void without_seals(void **state)
{
    int fd = memfd_create("unsealed", MFD_CLOEXEC);
    static char bytes[1 << 20];
    ssize_t n = pread(px_store_fd(other), bytes, sizeof(bytes), 0);

    (void) state;
    assert_true(fd >= 0 && n > 4096 && write(fd, bytes, (size_t) n) == n);
    by_messages(fd);
    close(fd);
}

/* The segment of a third: nobody has asked for it, and it is not taken for the other's. */
static void of_a_third(void **state)
{
    struct px_store *third = create("third");

    (void) state;
    publish(third, 3);
    by_messages(px_store_fd(third));
    px_store_destroy(third);
}

/* A fence ends when the next generation is there; a server that promises for ever gets one more
 * request at each. */
static void after_a_fence(void **state)
{
    (void) state;
    rides = lasting(px_store_fd(other));
    assert_int_equal(size_of_other(), 5);
    for (uint32_t number = 10; number < 20; number++) {
        move(number);
        next = lasting(px_store_fd(other));
        collective();
        assert_int_equal(size_of_other(), number);
    }
    assert_int_equal(refusals, 0);
    assert_in_range(pursuits, 10, 20);
}

/* The next generation cannot be used. */
static void no_next(void **state)
{
    int fds[2];

    (void) state;
    rides = lasting(px_store_fd(other));
    assert_int_equal(size_of_other(), 5);
    assert_int_equal(pipe(fds), 0);
    next = fds[0];
    move(10);
    collective();
    assert_int_equal(size_of_other(), 77);
    assert_int_equal(refusals, 1);
    close(fds[0]);
    close(fds[1]);
}

/* The server's side of the other namespace ends: from now on it is unknown. */
static void end_other(void)
{
    unknown = true;
    px_store_destroy(other);
    other = NULL;
}

/* A job that is no more: it is asked for after each fence, then less and less often, and can be
 * read. */
static void gone(void **state)
{
    (void) state;
    rides = lasting(px_store_fd(other));
    assert_int_equal(size_of_other(), 5);
    end_other();
    for (int n = 1; n < 5; n++) {
        unsigned before = pursuits;

        for (int i = 0; i < 100; i++) {
            assert_int_equal(size_of_other(), 5);
        }
        collective(); /* the server has seen what was sent before, and its replies have come */
        assert_in_range(pursuits, before + 1, before + 2);
    }
    other = create("other");
    publish(other, 8);
    unknown = false;
    next = lasting(px_store_fd(other));
    while (size_of_other() != 8) {
        collective();
    }
    next = -1;
}

/* The job's name comes again: whoever only reads finds that out too. */
static void comes_again(void **state)
{
    (void) state;
    rides = lasting(px_store_fd(other));
    assert_int_equal(size_of_other(), 5);
    end_other();
    assert_int_equal(size_of_other(), 5);
    other = create("other");
    publish(other, 8);
    while (pursuits == 0) {
        assert_int_equal(size_of_other(), 5);
    }
    unknown = false;
    next = lasting(px_store_fd(other));
    while (size_of_other() != 8) {
    }
    next = -1;
}

static _Atomic bool over;

/* What is read never goes back; the namespace is always there, in some segment. */
static void *keep_reading(void *arg)
{
    pmix_proc_t job = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    bool *sound = arg;
    uint32_t last = 0;

    *sound = true;
    while (!over) {
        pmix_value_t *value = NULL;

        if (px_client_get_local(px_session(ctx), &job, PMIX_JOB_SIZE, NULL, 0, &value) !=
            PMIX_SUCCESS) {
            *sound = false;
            break;
        }
        *sound = *sound && value->data.uint32 >= last;
        last = value->data.uint32;
        PMIx_Value_free(value, 1);
    }
    return NULL;
}

/* Segments move, end, and come again under threads that read them. */
static void many_readers(void **state)
{
    pthread_t threads[N_THREADS];
    bool sound[N_THREADS];
    uint32_t number = 5;

    (void) state;
    over = false;
    rides = lasting(px_store_fd(other));
    assert_int_equal(size_of_other(), 5);
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, keep_reading, &sound[i]), 0);
    }
    for (int i = 0; i < N_MOVES; i++) {
        next = -1;
        move(++number);
        next = lasting(px_store_fd(other));
        collective();
        assert_int_equal(size_of_other(), number);
    }
    for (int i = 0; i < N_JOBS; i++) {
        next = -1;
        px_store_destroy(other);
        other = create("other");
        publish(other, ++number);
        next = lasting(px_store_fd(other));
        while (size_of_other() != number) {
            collective();
            assert_int_equal(refusals, 0);
        }
    }
    over = true;
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(sound[i]);
    }
    assert_int_equal(refusals, 0);
}

/* --- tools */

static void set_primary(struct px_link_server *server)
{
    struct px_session *session = px_session(ctx);

    px_lock_take(&session->lock);
    px_session_set_primary_locked(session, server);
    px_lock_give(&session->lock);
}

/* The answer of a server that is not the primary one any more is not read as the next one's. */
static void too_late(void **state)
{
    pmix_proc_t job = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    struct px_session *session = px_session(ctx);
    struct px_link_server *server = px_session_server(session);
    struct px_buf reply = {0};
    struct px_in none = {0};
    struct called called;

    (void) state;
    marks = false;
    assert_int_equal(size_of_other(), 77);
    assert_non_null(px_space_named(session, "other"));
    withheld = true;
    called_init(&called);
    assert_int_equal(get_nb(&job, "asked", NULL, 0, &called), PMIX_SUCCESS);
    while (script_requests() < 2) { /* until it has the question */
        (void) sched_yield();
    }
    set_primary(NULL);
    assert_null(px_space_named(session, "other"));
    withheld = false;
    (void) answer(PX_CMD_GET, &none, &reply);
    script_send(script.tag, &reply);
    assert_int_equal(px_wait_for(&called.wait), PMIX_ERR_UNREACH);
    assert_null(px_space_named(session, "other"));
    assert_int_equal(script_requests(), 2);
    set_primary(server);
    assert_int_equal(size_of_other(), 77);
    assert_int_equal(script_requests(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(touched_once, begin, end),
        cmocka_unit_test_setup_teardown(mapped_at_once, begin_warm, end_warm),
        cmocka_unit_test_setup_teardown(without_descriptor, begin, end),
        cmocka_unit_test_setup_teardown(lost, begin, end),
        cmocka_unit_test_setup_teardown(with_rubbish, begin, end),
        cmocka_unit_test_setup_teardown(without_seals, begin, end),
        cmocka_unit_test_setup_teardown(of_a_third, begin, end),
        cmocka_unit_test_setup_teardown(after_a_fence, begin, end),
        cmocka_unit_test_setup_teardown(no_next, begin, end),
        cmocka_unit_test_setup_teardown(gone, begin, end),
        cmocka_unit_test_setup_teardown(comes_again, begin, end),
        cmocka_unit_test_setup_teardown(many_readers, begin, end),
        cmocka_unit_test_setup_teardown(touched_once, begin_tool, end),
        cmocka_unit_test_setup_teardown(without_descriptor, begin_tool, end),
        cmocka_unit_test_setup_teardown(lost, begin_tool, end),
        cmocka_unit_test_setup_teardown(with_rubbish, begin_tool, end),
        cmocka_unit_test_setup_teardown(without_seals, begin_tool, end),
        cmocka_unit_test_setup_teardown(of_a_third, begin_tool, end),
        cmocka_unit_test_setup_teardown(comes_again, begin_tool, end),
        cmocka_unit_test_setup_teardown(many_readers, begin_tool, end),
        cmocka_unit_test_setup_teardown(too_late, begin_tool, end),
    };

    return cmocka_run_group_tests_name("foreign", tests, script_limit, NULL);
}
