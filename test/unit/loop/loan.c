/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/bytes.h"
#include "src/loop/after.h"
#include "src/loop/loan.h"
#include "src/loop/loop.h"
#include "src/loop/wait.h"
#include "src/loop/watch.h"
#include "test/unit/loop/asleep.h"

/* A loop that offers one end of a socket. Each byte that comes there is kept, with the thread that
 * read it. */
struct bed {
    struct px_loop *loop;
    struct px_io io;
    int ends[2];
    pid_t progress; /* the loop's own thread */
    pid_t waiter;   /* the thread of the test */
    struct px_wait wait;
    char last;
    pid_t reader; /* of `last` */
    sem_t read;   /* posted for each byte that is no 'e' */
    struct px_timer timer;
    struct px_task task;
    struct px_after after;
    pid_t ran; /* who ran the task, the timer or the callback */
};

static void end_from_timer(struct px_timer *timer)
{
    struct bed *bed = px_container_of(timer, struct bed, timer);

    bed->ran = thread_id();
    px_wait_done(&bed->wait, 't');
}

static void end_from_task(struct px_task *task)
{
    struct bed *bed = px_container_of(task, struct bed, task);

    bed->ran = thread_id();
    px_wait_done(&bed->wait, 'p');
}

static void note_task(struct px_task *task)
{
    struct bed *bed = px_container_of(task, struct bed, task);

    bed->ran = thread_id();
    (void) sem_post(&bed->read);
}

static void end_from_callback(struct px_after *after)
{
    struct bed *bed = px_container_of(after, struct bed, after);

    bed->ran = thread_id();
    px_wait_done(&bed->wait, 'c');
}

/* 'e' ends the wait; 't' has a timer end it, 'p' a task, 'c' the callback of a call that has not
 * returned; 'q' ends it and leaves a task; 'n' is news. */
static void on_byte(struct px_io *io, int what)
{
    struct bed *bed = px_container_of(io, struct bed, io);

    assert_true(px_loop_inside(bed->loop));
    assert_int_equal(what, PX_IO_READ);
    if (recv(io->fd, &bed->last, 1, MSG_DONTWAIT) != 1) {
        return;
    }
    bed->reader = thread_id();
    if (bed->last == 'e') {
        assert_false(px_loan_is_over(bed->loop));
        px_wait_done(&bed->wait, 'e');
        assert_int_equal(px_loan_is_over(bed->loop), bed->reader == bed->waiter);
        return;
    }
    if (bed->last == 'q') {
        bed->task.run = note_task;
        px_loop_post(bed->loop, &bed->task);
        px_wait_done(&bed->wait, 'q');
        return;
    }
    if (bed->last == 't') {
        px_timer_start_loop(bed->loop, &bed->timer, 1, end_from_timer);
    } else if (bed->last == 'p') {
        px_loop_post(bed->loop, &bed->task);
    } else if (bed->last == 'c') {
        px_after_done(&bed->after);
    }
    (void) sem_post(&bed->read);
}

static void learn_thread(struct px_task *task)
{
    struct bed *bed = px_container_of(task, struct bed, task);

    bed->progress = thread_id();
    px_wait_done(&bed->wait, 0);
}

static void offer(void *arg)
{
    struct bed *bed = arg;

    assert_int_equal(px_io_start_loop(bed->loop, &bed->io, bed->ends[0], PX_IO_READ, on_byte), 0);
    px_loan_offer(&bed->io);
}

/* The loop sleeps when this returns. */
static void bed_open(struct bed *bed)
{
    *bed = (struct bed){.waiter = thread_id(), .task = {NULL, learn_thread}};
    assert_int_equal(px_loop_create(false, &bed->loop), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, bed->ends), 0);
    assert_int_equal(sem_init(&bed->read, 0, 0), 0);
    px_wait_init(&bed->wait);
    px_loop_post(bed->loop, &bed->task);
    assert_int_equal(px_wait_for(&bed->wait), 0);
    bed->task.run = end_from_task;
    assert_int_equal(px_loop_run(bed->loop, offer, bed), 0);
    px_wait_init(&bed->wait);
    await_call(bed->progress, PROGRESS_SLEEPS);
}

static void stop(void *arg)
{
    struct bed *bed = arg;

    px_io_stop_loop(&bed->io);
    px_timer_stop_loop(&bed->timer);
}

static void bed_close(struct bed *bed)
{
    assert_int_equal(px_loop_run(bed->loop, stop, bed), 0);
    px_loop_destroy(bed->loop);
    (void) sem_destroy(&bed->read);
    (void) close(bed->ends[0]);
    (void) close(bed->ends[1]);
}

static void say(struct bed *bed, char byte)
{
    assert_int_equal(send(bed->ends[1], &byte, 1, 0), 1);
}

/* Until a byte that is no 'e' has been read. */
static void await_byte(struct bed *bed)
{
    while (sem_wait(&bed->read) != 0) {
    }
}

/* Another thread that does something when the waiter sleeps on what it has borrowed. */
struct other {
    struct bed *bed;
    void (*act)(struct bed *bed);
};

static void *act(void *arg)
{
    struct other *other = arg;

    await_call(other->bed->waiter, WAITER_SLEEPS);
    other->act(other->bed);
    return NULL;
}

/* Waits meanwhile; returns the status. */
static int wait_while(struct bed *bed, void (*what)(struct bed *bed))
{
    struct other other = {bed, what};
    pthread_t thread;
    int status;

    assert_int_equal(pthread_create(&thread, NULL, act, &other), 0);
    status = px_loop_wait(bed->loop, &bed->wait);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return status;
}

static void say_end(struct bed *bed)
{
    say(bed, 'e');
}

/* The progress thread has other things to be woken for, and sleeps on. */
static void a_waiter_reads_its_reply(void **state)
{
    struct bed bed;

    (void) state;
    bed_open(&bed);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wait_while(&bed, say_end), 'e');
        assert_int_equal(bed.reader, bed.waiter);
        px_wait_init(&bed.wait);
    }
    say(&bed, 'n');
    await_byte(&bed);
    assert_int_equal(bed.reader, bed.progress);
    assert_false(px_loop_inside(bed.loop));
    bed_close(&bed);
}

/* A byte before the end of the wait is the waiter's to read, one behind it the progress thread's.
 */
static void say_news_and_end(struct bed *bed)
{
    say(bed, 'n');
    await_byte(bed);
    assert_int_equal(bed->reader, bed->waiter);
    say(bed, 'e');
    say(bed, 'n');
}

static void what_comes_behind_is_read_by_the_loop(void **state)
{
    struct bed bed;

    (void) state;
    bed_open(&bed);
    assert_int_equal(wait_while(&bed, say_news_and_end), 'e');
    await_byte(&bed);
    assert_int_equal(bed.last, 'n');
    assert_int_equal(bed.reader, bed.progress);
    bed_close(&bed);
}

static void say_timer(struct bed *bed)
{
    say(bed, 't');
    await_byte(bed);
}

static void say_task(struct bed *bed)
{
    say(bed, 'p');
    await_byte(bed);
}

/* The call returns when its callback is held already, and nobody is told. */
static void say_callback(struct bed *bed)
{
    px_after_init(&bed->after, bed->loop, end_from_callback);
    say(bed, 'c');
    await_byte(bed);
    px_after_return(&bed->after);
}

static void say_end_with_task(struct bed *bed)
{
    say(bed, 'q');
}

/* A task that is left by what the borrower has handled is his, unless his wait is over. The rest is
 * the progress thread's, which sleeps without end then. */
static void work_of_the_borrower_is_done(void **state)
{
    struct bed bed;

    (void) state;
    bed_open(&bed);
    assert_int_equal(wait_while(&bed, say_timer), 't');
    assert_int_equal(bed.ran, bed.progress);
    px_wait_init(&bed.wait);
    assert_int_equal(wait_while(&bed, say_task), 'p');
    assert_int_equal(bed.ran, bed.waiter);
    px_wait_init(&bed.wait);
    assert_int_equal(wait_while(&bed, say_end_with_task), 'q');
    await_byte(&bed);
    assert_int_equal(bed.ran, bed.progress);
    px_wait_init(&bed.wait);
    assert_int_equal(wait_while(&bed, say_callback), 'c');
    assert_int_equal(bed.ran, bed.progress);
    bed_close(&bed);
}

static void post_end(struct bed *bed)
{
    px_loop_post(bed->loop, &bed->task);
}

static void end_here(struct bed *bed)
{
    px_wait_done(&bed->wait, 'h');
}

/* The end comes from elsewhere: the borrower sleeps on a descriptor where nothing comes. */
static void the_end_comes_from_elsewhere(void **state)
{
    struct bed bed;

    (void) state;
    bed_open(&bed);
    assert_int_equal(wait_while(&bed, post_end), 'p');
    assert_int_equal(bed.ran, bed.progress);
    px_wait_init(&bed.wait);
    assert_int_equal(wait_while(&bed, end_here), 'h');
    px_wait_init(&bed.wait);
    assert_int_equal(wait_while(&bed, say_end), 'e');
    assert_int_equal(bed.reader, bed.waiter);
    bed_close(&bed);
}

static void stop_and_end(struct bed *bed)
{
    assert_int_equal(px_loop_run(bed->loop, stop, bed), 0);
    await_call(bed->waiter, SYS_futex); /* it has noticed */
    (void) close(bed->ends[0]);
    bed->ends[0] = -1;
    px_loop_post(bed->loop, &bed->task);
}

/* A watcher that is stopped meanwhile: its borrower waits like everybody. Another one may be
 * offered then. */
static void a_stopped_watcher_is_given_back(void **state)
{
    struct bed bed;
    struct bed next;

    (void) state;
    bed_open(&bed);
    assert_int_equal(wait_while(&bed, stop_and_end), 'p');
    px_wait_init(&bed.wait);
    px_loop_post(bed.loop, &bed.task);
    assert_int_equal(px_loop_wait(bed.loop, &bed.wait), 'p');
    next = (struct bed){.loop = bed.loop, .waiter = bed.waiter, .progress = bed.progress};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, next.ends), 0);
    assert_int_equal(px_loop_run(next.loop, offer, &next), 0);
    await_call(next.progress, PROGRESS_SLEEPS);
    px_wait_init(&next.wait);
    assert_int_equal(wait_while(&next, say_end), 'e');
    assert_int_equal(next.reader, next.waiter);
    assert_int_equal(px_loop_run(next.loop, stop, &next), 0);
    (void) close(next.ends[0]);
    (void) close(next.ends[1]);
    bed_close(&bed);
}

/* One thread borrows; a second one waits beside it, and is told by the first. */
struct second {
    struct bed *bed;
    struct px_wait wait;
    pid_t tid;
    sem_t begun;
};

static void *wait_beside(void *arg)
{
    struct second *second = arg;

    second->tid = thread_id();
    await_call(second->bed->waiter, WAITER_SLEEPS);
    (void) sem_post(&second->begun);
    assert_int_equal(px_loop_wait(second->bed->loop, &second->wait), 'h');
    say(second->bed, 'e');
    return NULL;
}

static void *end_second(void *arg)
{
    struct second *second = arg;

    while (sem_wait(&second->begun) != 0) {
    }
    await_call(second->tid, SYS_futex);
    px_wait_done(&second->wait, 'h');
    return NULL;
}

static void one_thread_borrows(void **state)
{
    struct bed bed;
    struct second second = {.bed = &bed};
    pthread_t threads[2];

    (void) state;
    bed_open(&bed);
    px_wait_init(&second.wait);
    assert_int_equal(sem_init(&second.begun, 0, 0), 0);
    assert_int_equal(pthread_create(&threads[0], NULL, wait_beside, &second), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, end_second, &second), 0);
    assert_int_equal(px_loop_wait(bed.loop, &bed.wait), 'e');
    assert_int_equal(bed.reader, bed.waiter);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    (void) sem_destroy(&second.begun);
    bed_close(&bed);
}

/* The next time that the kernel is to report something again, it refuses. */
static bool refuse;

/* In front of the C library's. */
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    if (refuse && op == EPOLL_CTL_MOD && event->events != 0) {
        refuse = false;
        errno = ENOMEM;
        return -1;
    }
    return (int) syscall(SYS_epoll_ctl, epfd, op, fd, event);
}

static void start_timer(void *arg)
{
    struct bed *bed = arg;

    px_timer_start_loop(bed->loop, &bed->timer, 5, end_from_timer);
}

static void the_kernel_is_asked_again(void **state)
{
    struct bed bed;

    (void) state;
    bed_open(&bed);
    refuse = true;
    assert_int_equal(wait_while(&bed, say_end), 'e');
    say(&bed, 'n');
    await_byte(&bed);
    assert_int_equal(bed.reader, bed.progress);
    await_call(bed.progress, PROGRESS_SLEEPS);
    px_wait_init(&bed.wait);
    refuse = true;
    assert_int_equal(wait_while(&bed, say_end), 'e');
    assert_int_equal(px_loop_run(bed.loop, stop, &bed), 0);
    px_wait_init(&bed.wait);
    assert_int_equal(px_loop_run(bed.loop, start_timer, &bed), 0); /* later than it is asked */
    assert_int_equal(px_wait_for(&bed.wait), 't');
    bed_close(&bed);
}

static void never(struct px_io *io, int what)
{
    (void) io;
    (void) what;
    fail_msg("a watcher that was stopped is called");
}

/* The progress thread has been told of a byte, and waits for its turn. */
static void stop_what_was_found(void *arg)
{
    struct bed *bed = arg;

    say(bed, 'n');
    await_call(bed->progress, SYS_futex);
    px_io_stop_loop(&bed->io);
    bed->io.want = PX_IO_READ; /* as another object in its memory might */
    bed->io.ready = never;
}

static void what_was_found_and_stopped_is_forgotten(void **state)
{
    struct bed bed;

    (void) state;
    bed_open(&bed);
    assert_true(px_loop_try_run(bed.loop, stop_what_was_found, &bed));
    px_loop_post(bed.loop, &bed.task);
    assert_int_equal(px_loop_wait(bed.loop, &bed.wait), 'p');
    bed.io.want = 0;
    bed_close(&bed);
}

/* Without a descriptor for the bell the progress thread reads, as ever. */
static void no_bell_no_loan(void **state)
{
    struct rlimit usual;
    struct rlimit none;
    struct bed bed = {.waiter = thread_id(), .task = {NULL, end_from_task}};

    (void) state;
    assert_int_equal(px_loop_create(false, &bed.loop), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, bed.ends), 0);
    assert_int_equal(sem_init(&bed.read, 0, 0), 0);
    px_wait_init(&bed.wait);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    none = usual;
    none.rlim_cur = (rlim_t) bed.ends[1] + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(px_loop_run(bed.loop, offer, &bed), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    say(&bed, 'e');
    assert_int_equal(px_loop_wait(bed.loop, &bed.wait), 'e');
    assert_int_not_equal(bed.reader, bed.waiter);
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_waiter_reads_its_reply),
        cmocka_unit_test(what_comes_behind_is_read_by_the_loop),
        cmocka_unit_test(work_of_the_borrower_is_done),
        cmocka_unit_test(the_end_comes_from_elsewhere),
        cmocka_unit_test(a_stopped_watcher_is_given_back),
        cmocka_unit_test(one_thread_borrows),
        cmocka_unit_test(the_kernel_is_asked_again),
        cmocka_unit_test(what_was_found_and_stopped_is_forgotten),
        cmocka_unit_test(no_bell_no_loan),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
