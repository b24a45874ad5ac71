/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The source itself, for the one test that has to reach the end of the tags. */
#include "src/context/request.c"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "test/unit/net/fixture.h"
#include "test/unit/net/faults.h"

/* A link whose far end is a raw socket in the hands of the test. */

struct bench {
    struct px_loop *loop;
    struct px_link *link;
    int raw;
    pthread_mutex_t lock;
    pthread_cond_t cond;
    unsigned answers; /* lock */
    unsigned notices; /* lock */
    unsigned lost;    /* lock */
    int last_status;  /* lock */
    char last_word;   /* lock */
    int last_fd;      /* lock; 0: none */
};

static void bump(struct bench *b, unsigned *what)
{
    (void) pthread_mutex_lock(&b->lock);
    (*what)++;
    (void) pthread_cond_broadcast(&b->cond);
    (void) pthread_mutex_unlock(&b->lock);
}

static void await(struct bench *b, const unsigned *what, unsigned n)
{
    (void) pthread_mutex_lock(&b->lock);
    while (*what < n) {
        (void) pthread_cond_wait(&b->cond, &b->lock);
    }
    assert_int_equal(*what, n);
    (void) pthread_mutex_unlock(&b->lock);
}

static void on_reply(void *arg, int status, struct px_in *reply)
{
    struct bench *b = arg;

    assert_int_equal(reply != NULL, status == PMIX_SUCCESS);
    assert_true(px_loop_inside(b->loop));
    (void) pthread_mutex_lock(&b->lock);
    b->last_status = status;
    b->last_word = reply ? (char) *reply->at : 0;
    (void) pthread_mutex_unlock(&b->lock);
    bump(b, &b->answers);
}

static void on_notice(void *arg, uint32_t tag, struct px_in *in)
{
    struct bench *b = arg;

    assert_in_range(tag, 0, 99);
    assert_int_equal(in->kind, PX_WIRE_PLAIN);
    bump(b, &b->notices);
}

static void on_lost(void *arg)
{
    struct bench *b = arg;

    bump(b, &b->lost);
}

static void on_descriptor(void *arg, int fd)
{
    struct bench *b = arg;

    if (fd < 0) {
        return;
    }
    (void) pthread_mutex_lock(&b->lock);
    assert_int_equal(b->last_fd, 0); /* one only */
    b->last_fd = fd;
    (void) pthread_mutex_unlock(&b->lock);
}

static const struct px_link_ops link_ops = {
    .notice = on_notice, .lost = on_lost, .reply = on_descriptor};

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    int ends[2];

    alarm(120);
    if (!b || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        return -1;
    }
    (void) pthread_mutex_init(&b->lock, NULL);
    (void) pthread_cond_init(&b->cond, NULL);
    b->raw = ends[1];
    *state = b;
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) || px_loop_create(false, &b->loop) ||
        px_link_open(b->loop, ends[0], 3, PX_WIRE_PLAIN, &link_ops, b, &b->link)) {
        return -1;
    }
    fixture_settle(b->loop); /* it reads, and has all its descriptors */
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;

    px_link_close(b->link);
    px_link_close(NULL);
    px_loop_destroy(b->loop);
    (void) close(b->raw);
    (void) pthread_cond_destroy(&b->cond);
    (void) pthread_mutex_destroy(&b->lock);
    free(b);
    return 0;
}

static struct px_buf word(char c)
{
    struct px_buf buf = {0};

    px_buf_byte(&buf, (unsigned char) c);
    return buf;
}

static int ask(struct bench *b, char c, uint64_t timeout_ms)
{
    struct px_buf buf = word(c);

    return px_link_request_take(b->link, &buf, timeout_ms, on_reply, b);
}

/* Reads one request of one byte; returns its tag. */
static uint32_t hear(struct bench *b, char *ret_word)
{
    unsigned char frame[17];
    uint32_t words[4];

    assert_true(fixture_read(b->raw, frame, sizeof(frame)));
    memcpy(words, frame, sizeof(words));
    assert_int_equal(ntohl(words[0]), 3);
    assert_int_equal(ntohl(words[2]), 1);
    if (ret_word) {
        *ret_word = (char) frame[16];
    }
    return ntohl(words[1]);
}

static void say(struct bench *b, uint32_t tag, char c)
{
    unsigned char frame[17];

    fixture_header(frame, tag, 1);
    frame[16] = (unsigned char) c;
    fixture_write(b->raw, frame, sizeof(frame));
}

static void replies_find_their_request(void **state)
{
    struct bench *b = *state;
    uint64_t sent;
    uint64_t received;
    char c;

    assert_int_equal(ask(b, 'a', 0), 0);
    assert_int_equal(ask(b, 'b', 0), 0);
    assert_int_equal(ask(b, 'c', 60000), 0);
    assert_int_equal(hear(b, &c), 101);
    assert_int_equal(c, 'a');
    assert_int_equal(hear(b, NULL), 102);
    assert_int_equal(hear(b, NULL), 103);
    say(b, 102, 'B');
    await(b, &b->answers, 1);
    assert_int_equal(b->last_word, 'B');
    say(b, 103, 'C');
    await(b, &b->answers, 2);
    say(b, 101, 'A');
    await(b, &b->answers, 3);
    assert_int_equal(b->last_word, 'A');
    assert_int_equal(b->last_fd, 0);
    px_link_counts(b->link, &sent, &received);
    assert_int_equal(sent, 3);
    assert_int_equal(received, 3);
    assert_int_equal(px_link_kind(b->link), PX_WIRE_PLAIN);
    assert_int_equal(b->lost, 0);
}

static void notices_and_nonsense(void **state)
{
    struct bench *b = *state;

    say(b, 0, 'n');
    say(b, 101, '?'); /* nobody asked */
    say(b, UINT32_MAX, '?');
    say(b, 2, 'n');
    await(b, &b->notices, 2);
    assert_int_equal(ask(b, 'a', 0), 0);
    assert_int_equal(hear(b, NULL), 101);
    say(b, 101, '1');
    say(b, 101, '2'); /* said twice */
    say(b, 99, 'n');
    await(b, &b->notices, 3);
    await(b, &b->answers, 1);
    assert_int_equal(b->last_word, '1');
    assert_int_equal(b->lost, 0);
}

static void timeouts(void **state)
{
    struct bench *b = *state;

    assert_int_equal(ask(b, 'l', 60000), 0); /* the timer has to be set nearer */
    assert_int_equal(ask(b, 'a', 10), 0);
    await(b, &b->answers, 1);
    assert_int_equal(b->last_status, PMIX_ERR_TIMEOUT);
    (void) hear(b, NULL);
    say(b, hear(b, NULL), 'x'); /* too late */
    assert_int_equal(ask(b, 'b', 5), 0);
    assert_int_equal(ask(b, 'c', 1), 0);
    await(b, &b->answers, 3);
    assert_int_equal(b->last_status, PMIX_ERR_TIMEOUT);
    say(b, 101, 'L');
    await(b, &b->answers, 4);
    assert_int_equal(b->last_word, 'L');
    assert_int_equal(ask(b, 'm', UINT64_MAX), 0);
}

static void the_loss_answers_everybody(void **state)
{
    struct bench *b = *state;

    for (int i = 0; i < 200; i++) {
        assert_int_equal(ask(b, 'a', i % 2 ? 0 : 100000), 0);
    }
    (void) shutdown(b->raw, SHUT_RDWR);
    await(b, &b->lost, 1);
    await(b, &b->answers, 200);
    assert_int_equal(b->last_status, PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(ask(b, 'a', 0), PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(ask(b, 'a', 5), PMIX_ERR_LOST_CONNECTION);
    fixture_settle(b->loop);
    assert_int_equal(b->answers, 200);
}

static void a_bad_frame_is_a_loss(void **state)
{
    struct bench *b = *state;
    unsigned char header[16];

    assert_int_equal(ask(b, 'a', 0), 0);
    fixture_header(header, 101, UINT32_MAX);
    fixture_write(b->raw, header, sizeof(header));
    await(b, &b->lost, 1);
    assert_int_equal(b->last_status, PMIX_ERR_LOST_CONNECTION);
}

static void closing_answers_too(void **state)
{
    struct bench *b = *state;

    assert_int_equal(ask(b, 'a', 0), 0);
    assert_int_equal(ask(b, 'a', 50000), 0);
    px_link_close(b->link);
    b->link = NULL;
    assert_int_equal(b->answers, 2);
    assert_int_equal(b->last_status, PMIX_ERR_LOST_CONNECTION);
    assert_int_equal(b->lost, 0);
    (void) hear(b, NULL); /* what was sent arrives */
    (void) hear(b, NULL);
}

static void one_way(void **state)
{
    struct bench *b = *state;
    struct px_buf buf = word('h');

    assert_int_equal(px_link_post_take(b->link, PX_TAG_HEARTBEAT, &buf), 0);
    assert_int_equal(hear(b, NULL), PX_TAG_HEARTBEAT);
    buf = word('d');
    assert_int_equal(px_link_post_take(b->link, PX_TAG_FIRST, &buf), 0);
    assert_int_equal(hear(b, NULL), 101);
    assert_int_equal(ask(b, 'a', 0), 0);
    assert_int_equal(hear(b, NULL), 102);
}

static void tags_wrap_around_the_living(void **state)
{
    struct bench *b = *state;

    assert_int_equal(ask(b, 'a', 0), 0);
    assert_int_equal(ask(b, 'b', 0), 0);
    px_lock_take(&b->link->lock);
    b->link->next_tag = TAG_LAST;
    px_lock_give(&b->link->lock);
    assert_int_equal(ask(b, 'c', 0), 0);
    assert_int_equal(ask(b, 'd', 0), 0);
    assert_int_equal(hear(b, NULL), 101);
    assert_int_equal(hear(b, NULL), 102);
    assert_int_equal(hear(b, NULL), TAG_LAST);
    assert_int_equal(hear(b, NULL), 103);
}

static void bad_payloads(void **state)
{
    struct bench *b = *state;
    struct px_buf buf = {0};

    assert_int_equal(px_link_request_take(b->link, &buf, 0, on_reply, b), PMIX_ERR_BAD_PARAM);
    buf.status = PX_ERR_NOMEM;
    assert_int_equal(px_link_request_take(b->link, &buf, 0, on_reply, b), PMIX_ERR_NOMEM);
    fixture_settle(b->loop);
    assert_int_equal(b->answers, 0);
}

/* A reply handler may ask again. */
static void ask_again(void *arg, int status, struct px_in *reply)
{
    struct bench *b = arg;

    (void) reply;
    assert_int_equal(status, PMIX_SUCCESS);
    assert_int_equal(ask(b, 'z', 1000000), 0);
}

static void requests_from_a_reply(void **state)
{
    struct bench *b = *state;
    struct px_buf buf = word('a');
    char c;

    assert_int_equal(px_link_request_take(b->link, &buf, 0, ask_again, b), 0);
    say(b, hear(b, NULL), 'r');
    say(b, hear(b, &c), 'y');
    assert_int_equal(c, 'z');
    await(b, &b->answers, 1);
    assert_int_equal(b->last_word, 'y');
}

enum { ASKERS = 6, ASKED = 500 };

static void *ask_many(void *arg)
{
    struct bench *b = arg;

    for (int i = 0; i < ASKED; i++) {
        int rc = ask(b, 'q', i % 3 ? 0 : 100000 + (uint64_t) i);

        assert_true(rc == 0 || rc == PMIX_ERR_LOST_CONNECTION);
        if (rc) {
            bump(b, &b->answers);
        }
    }
    return NULL;
}

static void run_askers(struct bench *b, unsigned heard)
{
    pthread_t askers[ASKERS];

    for (int i = 0; i < ASKERS; i++) {
        assert_int_equal(pthread_create(&askers[i], NULL, ask_many, b), 0);
    }
    for (unsigned i = 0; i < heard; i++) {
        say(b, hear(b, NULL), 'r');
    }
    if (heard < ASKERS * ASKED) {
        (void) shutdown(b->raw, SHUT_RDWR);
    }
    for (int i = 0; i < ASKERS; i++) {
        assert_int_equal(pthread_join(askers[i], NULL), 0);
    }
    await(b, &b->answers, ASKERS * ASKED);
}

static void many_threads_ask(void **state)
{
    run_askers(*state, ASKERS * ASKED);
}

/* The server dies in the middle: everybody is answered, once. */
static void many_threads_and_a_loss(void **state)
{
    struct bench *b = *state;

    run_askers(b, 700);
    await(b, &b->lost, 1);
}

static void descriptors_come_with_replies(void **state)
{
    struct bench *b = *state;
    int before = fixture_descriptors();
    union {
        struct cmsghdr align;
        unsigned char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    const int zero = STDIN_FILENO;
    unsigned char frame[17];
    struct iovec iov = {frame, sizeof(frame)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

    cmsg->cmsg_level = SOL_SOCKET;
    cmsg->cmsg_type = SCM_RIGHTS;
    cmsg->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(cmsg), &zero, sizeof(int));
    assert_int_equal(ask(b, 'a', 0), 0);
    fixture_header(frame, 500, 1); /* unknown: closed */
    assert_int_equal(sendmsg(b->raw, &msg, 0), 17);
    fixture_header(frame, 0, 1); /* a notice: closed */
    assert_int_equal(sendmsg(b->raw, &msg, 0), 17);
    fixture_header(frame, 101, 1);
    assert_int_equal(sendmsg(b->raw, &msg, 0), 17);
    await(b, &b->answers, 1);
    assert_true(b->last_fd > 0);
    assert_int_equal(fixture_descriptors(), before + 1);
    (void) close(b->last_fd);
}

/* One request and its answer, over a link of its own, with the n-th allocation failing. */
static bool ask_over_new_link(struct bench *outer)
{
    struct bench b = {
        .loop = outer->loop, .lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER};
    bool good = false;
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
    b.raw = ends[1];
    if (px_link_open(b.loop, ends[0], 3, PX_WIRE_PLAIN, &link_ops, &b, &b.link) == 0) {
        if (ask(&b, 'a', 70000) == 0) {
            say(&b, hear(&b, NULL), 'r');
            await(&b, &b.answers, 1);
            good = true;
        }
        px_link_close(b.link);
        assert_int_equal(b.answers, good);
    }
    (void) close(b.raw);
    return good;
}

static void memory_runs_out(void **state)
{
    int before = fixture_descriptors();
    uint64_t n = 0;
    bool good;

    do {
        scarce_from(++n);
        good = ask_over_new_link(*state);
        assert_int_equal(fixture_descriptors(), before);
    } while (scarce_reached());
    assert_true(good);
    assert_true(n > 3);
    scarce_from(0);
}

/* A child of fork has the descriptor, but the stream is its parent's. */
static void a_forked_child_does_not_speak(void **state)
{
    struct bench *b = *state;
    struct px_buf buf = word('c');
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        bool good = ask(b, 'c', 0) == PMIX_ERR_LOST_CONNECTION &&
                    px_link_post_take(b->link, PX_TAG_HEARTBEAT, &buf) == PMIX_ERR_LOST_CONNECTION;

        px_link_close(b->link);
        _exit(good ? 0 : 1);
    }
    px_buf_fini(&buf);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(ask(b, 'p', 0), 0);
    assert_int_equal(hear(b, NULL), 101);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(replies_find_their_request),
        T(notices_and_nonsense),
        T(timeouts),
        T(the_loss_answers_everybody),
        T(a_bad_frame_is_a_loss),
        T(closing_answers_too),
        T(one_way),
        T(tags_wrap_around_the_living),
        T(bad_payloads),
        T(requests_from_a_reply),
        T(many_threads_ask),
        T(many_threads_and_a_loss),
        T(descriptors_come_with_replies),
        T(memory_runs_out),
        T(a_forked_child_does_not_speak),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
