/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/bytes.h"
#include "src/base/status.h"
#include "src/loop/loop.h"
#include "src/loop/poll.h"
#include "src/loop/wait.h"

/* Watchers of which many are ready at once, on a loop that the test drives; loop.c has the rest. */

enum { MANY = 2 * PX_POLL_BATCH + 10 };

/* A watcher of a descriptor that is always ready to read. */
struct bell {
    struct px_io io;
    struct bells *all;
    int fd;
    int rung;
};

struct bells {
    struct px_loop *loop;
    struct bell bells[MANY];
    void (*then)(struct bell *bell);
};

static void on_bell(struct px_io *io, int what)
{
    struct bell *bell = px_container_of(io, struct bell, io);

    assert_int_equal(what, PX_IO_READ);
    bell->rung++;
    bell->all->then(bell);
}

static void watch(struct bell *bell)
{
    assert_int_equal(px_io_start_loop(bell->all->loop, &bell->io, bell->fd, PX_IO_READ, on_bell),
                     PX_OK);
}

/* Starts all watchers; all are ready before the loop runs. */
static void start_all(struct bells *all, void (*then)(struct bell *))
{
    assert_int_equal(px_loop_create(true, &all->loop), PX_OK);
    all->then = then;
    for (int i = 0; i < MANY; i++) {
        struct bell *bell = &all->bells[i];

        bell->all = all;
        bell->rung = 0;
        bell->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        assert_true(bell->fd >= 0);
        watch(bell);
    }
}

static void end_all(struct bells *all)
{
    for (int i = 0; i < MANY; i++) {
        px_io_stop_loop(&all->bells[i].io);
        (void) close(all->bells[i].fd);
    }
    px_loop_destroy(all->loop);
}

static void reset(struct bell *bell)
{
    uint64_t n;

    assert_int_equal(read(bell->fd, &n, sizeof(n)), sizeof(n));
}

static void more_than_a_batch_has_its_turn(void **state)
{
    static struct bells all;

    (void) state;
    start_all(&all, reset);
    for (int round = 0; round < 3; round++) {
        px_loop_progress(all.loop);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(all.bells[i].rung, 1);
    }
    end_all(&all);
}

/* The first callback stops all other watchers. */
static void stop_others(struct bell *bell)
{
    for (int i = 0; i < MANY; i++) {
        if (&bell->all->bells[i] != bell) {
            px_io_stop_loop(&bell->all->bells[i].io);
        }
    }
}

static int rung(const struct bells *all)
{
    int sum = 0;

    for (int i = 0; i < MANY; i++) {
        sum += all->bells[i].rung;
    }
    return sum;
}

static void who_is_stopped_is_not_called(void **state)
{
    static struct bells all;

    (void) state;
    start_all(&all, stop_others);
    px_loop_progress(all.loop);
    assert_int_equal(rung(&all), 1);
    end_all(&all);
}

/* The first callback stops all other watchers and starts them again on descriptors that are not
 * ready: the readiness that the loop had already read is not delivered to them. */
static void replace_others(struct bell *bell)
{
    stop_others(bell);
    for (int i = 0; i < MANY; i++) {
        struct bell *other = &bell->all->bells[i];

        reset(other);
        if (other != bell) {
            watch(other);
        }
    }
}

static void a_new_watch_does_not_see_the_old_one(void **state)
{
    static struct bells all;

    (void) state;
    start_all(&all, replace_others);
    px_loop_progress(all.loop);
    px_loop_progress(all.loop);
    assert_int_equal(rung(&all), 1);
    end_all(&all);
}

/* epoll does not accept a regular file. */
static void a_file_is_refused(void **state)
{
    struct px_loop *loop;
    struct px_io io = {.loop = NULL};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    (void) state;
    assert_true(fd >= 0);
    assert_int_equal(px_loop_create(true, &loop), PX_OK);
    assert_int_equal(px_io_start_loop(loop, &io, fd, PX_IO_READ, on_bell), PX_ERR_NOMEM);
    assert_null(io.loop);
    px_io_stop_loop(&io);
    px_loop_destroy(loop);
    (void) close(fd);
}

static void count(struct px_io *io, int what)
{
    struct bell *bell = px_container_of(io, struct bell, io);

    assert_int_equal(what, PX_IO_READ);
    bell->rung++;
    px_io_stop_loop(io);
}

/* The end of a pipe without a writer is reported once as readable. */
static void an_end_is_seen(void **state)
{
    struct bell bell = {.rung = 0};
    struct px_loop *loop;
    int ends[2];

    (void) state;
    assert_int_equal(px_loop_create(true, &loop), PX_OK);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(px_io_start_loop(loop, &bell.io, ends[0], PX_IO_READ, count), PX_OK);
    px_loop_progress(loop);
    assert_int_equal(bell.rung, 0);
    (void) close(ends[1]);
    px_loop_progress(loop);
    assert_int_equal(bell.rung, 1);
    px_loop_destroy(loop);
    (void) close(ends[0]);
}

/* A timer that starts itself again when it fires. */
struct alarm {
    struct px_timer timer;
    struct px_loop *loop;
    unsigned fired;
};

static void again(struct px_timer *timer)
{
    struct alarm *alarm = px_container_of(timer, struct alarm, timer);

    alarm->fired++;
    px_timer_start_loop(alarm->loop, timer, 0, again);
}

/* Timers of 0 ms that start themselves again do not keep one round of the loop from ending. */
static void timers_do_not_keep_the_loop(void **state)
{
    struct alarm alarms[3] = {{.fired = 0}};
    struct px_loop *loop;

    (void) state;
    assert_int_equal(px_loop_create(true, &loop), PX_OK);
    for (int i = 0; i < 3; i++) {
        alarms[i].loop = loop;
        px_timer_start_loop(loop, &alarms[i].timer, 0, again);
    }
    while (alarms[0].fired < 10 || alarms[1].fired < 10 || alarms[2].fired < 10) {
        px_loop_progress(loop);
    }
    for (int i = 0; i < 3; i++) {
        px_timer_stop_loop(&alarms[i].timer);
    }
    px_loop_destroy(loop);
}

/* A loop with its own thread, which sleeps until the timer fires. */
struct sleeper {
    struct px_timer timer;
    struct px_loop *loop;
    struct px_wait wait;
};

static void end_wait(struct px_timer *timer)
{
    px_wait_done(&px_container_of(timer, struct sleeper, timer)->wait, PX_OK);
}

static void fall_asleep(void *arg)
{
    struct sleeper *sleeper = arg;

    px_timer_start_loop(sleeper->loop, &sleeper->timer, 120, end_wait);
}

/* The timer has 120 ms: if the loop took them for seconds, the program's alarm would end it. */
static void a_timer_ends_the_sleep(void **state)
{
    struct sleeper sleeper = {.loop = NULL};

    (void) state;
    assert_int_equal(px_loop_create(false, &sleeper.loop), PX_OK);
    px_wait_init(&sleeper.wait);
    assert_int_equal(px_loop_run(sleeper.loop, fall_asleep, &sleeper), PX_OK);
    assert_int_equal(px_wait_for(&sleeper.wait), PX_OK);
    px_loop_destroy(sleeper.loop);
}

/* What a sleep meets: a thread that stops one watch and rings for the other. */
struct disturbance {
    struct px_poll poll;
    pthread_mutex_t lock;
    struct px_io stopped;
    struct px_io other;
};

static void *disturb(void *arg)
{
    struct disturbance *d = arg;

    (void) pthread_mutex_lock(&d->lock); /* which the sleep gives up */
    px_poll_forget(&d->poll, &d->stopped);
    assert_int_equal(eventfd_write(d->other.fd, 1), 0);
    (void) pthread_mutex_unlock(&d->lock);
    return NULL;
}

/* What is found in a sleep in which a watch was stopped is dropped: nobody has had a turn. */
static void a_dropped_look_is_no_turn(void **state)
{
    struct disturbance d = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;

    (void) state;
    assert_int_equal(px_poll_open(&d.poll), PX_OK);
    d.stopped = (struct px_io){.fd = eventfd(0, EFD_CLOEXEC), .want = PX_IO_READ};
    d.other = (struct px_io){.fd = eventfd(0, EFD_CLOEXEC), .want = PX_IO_READ};
    assert_int_equal(px_poll_watch(&d.poll, &d.stopped, 0), PX_OK);
    assert_int_equal(px_poll_watch(&d.poll, &d.other, 0), PX_OK);
    (void) pthread_mutex_lock(&d.lock);
    assert_int_equal(pthread_create(&thread, NULL, disturb, &d), 0);
    px_poll_wait(&d.poll, 60000, &d.lock);
    (void) pthread_mutex_unlock(&d.lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(d.poll.n, 0);
    assert_int_equal(d.poll.turn, 0);
    px_poll_wait(&d.poll, 0, NULL);
    assert_int_equal(d.poll.n, 1);
    assert_int_equal(d.poll.turn, 1);
    px_poll_forget(&d.poll, &d.other);
    px_poll_close(&d.poll);
    (void) close(d.stopped.fd);
    (void) close(d.other.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_a_batch_has_its_turn),
        cmocka_unit_test(who_is_stopped_is_not_called),
        cmocka_unit_test(a_new_watch_does_not_see_the_old_one),
        cmocka_unit_test(a_file_is_refused),
        cmocka_unit_test(an_end_is_seen),
        cmocka_unit_test(timers_do_not_keep_the_loop),
        cmocka_unit_test(a_timer_ends_the_sleep),
        cmocka_unit_test(a_dropped_look_is_no_turn),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
