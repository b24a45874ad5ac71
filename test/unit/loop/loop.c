/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/bytes.h"
#include "src/base/param.h"
#include "src/base/status.h"
#include "src/loop/loop.h"
#include "src/loop/wait.h"

static int open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    assert_non_null(dir);
    while (readdir(dir)) {
        n++;
    }
    closedir(dir);
    return n;
}

struct job {
    struct px_task task;
    struct px_loop *loop;
    struct px_wait wait;
    int number;
    int *order; /* where the next number goes */
    bool inside;
};

static void record(struct px_task *task)
{
    struct job *job = px_container_of(task, struct job, task);

    job->inside = px_loop_inside(job->loop);
    *job->order = *job->order * 10 + job->number;
}

static void finish(struct px_task *task)
{
    px_wait_done(&px_container_of(task, struct job, task)->wait, 42);
}

static void tasks_run_in_order_on_the_thread(void **state)
{
    struct px_loop *loop;
    struct job jobs[4];
    struct job last = {.task = {NULL, finish}};
    int order = 0;

    (void) state;
    assert_int_equal(px_loop_create(false, &loop), 0);
    assert_false(px_loop_inside(loop));
    assert_true(px_loop_alive(loop));
    px_wait_init(&last.wait);
    for (int i = 0; i < 4; i++) {
        jobs[i] =
            (struct job){.task = {NULL, record}, .loop = loop, .number = i + 1, .order = &order};
        px_loop_post(loop, &jobs[i].task);
    }
    px_loop_post(loop, &last.task);
    assert_int_equal(px_wait_for(&last.wait), 42);
    assert_int_equal(order, 1234);
    assert_true(jobs[0].inside && jobs[3].inside);
    px_loop_progress(loop); /* harmless */
    px_loop_destroy(loop);
    px_loop_destroy(NULL);
}

static void what_is_queued_runs_before_the_end(void **state)
{
    struct px_loop *loop;
    struct job jobs[3];
    int order = 0;

    (void) state;
    assert_int_equal(px_loop_create(false, &loop), 0);
    for (int i = 0; i < 3; i++) {
        jobs[i] =
            (struct job){.task = {NULL, record}, .loop = loop, .number = i + 1, .order = &order};
        px_loop_post(loop, &jobs[i].task);
    }
    px_loop_destroy(loop);
    assert_int_equal(order, 123);
}

enum { POSTERS = 8, POSTS = 5000 };

struct poster {
    pthread_t thread;
    struct px_loop *loop;
    struct px_wait wait;
    int number;
    int ran; /* loop thread */
};

struct numbered {
    struct px_task task;
    struct poster *poster;
    int number;
};

static void check_number(struct px_task *task)
{
    struct numbered *n = px_container_of(task, struct numbered, task);
    struct poster *poster = n->poster;

    assert_int_equal(n->number, poster->ran);
    poster->ran++;
    free(n);
    if (poster->ran == POSTS) {
        px_wait_done(&poster->wait, 0);
    }
}

static void *post_many(void *arg)
{
    struct poster *poster = arg;

    for (int i = 0; i < POSTS; i++) {
        struct numbered *n = malloc(sizeof(*n));

        assert_non_null(n);
        *n = (struct numbered){{NULL, check_number}, poster, i};
        px_loop_post(poster->loop, &n->task);
    }
    return NULL;
}

static void many_threads_post(void **state)
{
    static struct poster posters[POSTERS];
    struct px_loop *loop;

    (void) state;
    assert_int_equal(px_loop_create(false, &loop), 0);
    for (int i = 0; i < POSTERS; i++) {
        posters[i] = (struct poster){.loop = loop, .number = i};
        px_wait_init(&posters[i].wait);
        assert_int_equal(pthread_create(&posters[i].thread, NULL, post_many, &posters[i]), 0);
    }
    for (int i = 0; i < POSTERS; i++) {
        assert_int_equal(px_wait_for(&posters[i].wait), 0);
        assert_int_equal(pthread_join(posters[i].thread, NULL), 0);
    }
    px_loop_destroy(loop);
}

/* Each post finds the loop asleep or falling asleep: a lost ring would hang the test. */
static void ping_pong_never_sleeps_through(void **state)
{
    struct px_loop *loop;

    (void) state;
    assert_int_equal(px_loop_create(false, &loop), 0);
    for (int i = 0; i < 20000; i++) {
        struct job job = {.task = {NULL, finish}};

        px_wait_init(&job.wait);
        px_loop_post(loop, &job.task);
        assert_int_equal(px_wait_for(&job.wait), 42);
    }
    px_loop_destroy(loop);
}

/* --- timers --- */

struct clockwork {
    struct px_timer timer;
    struct px_wait wait;
    struct px_loop *loop;
    int fired;
    int again;
};

static void tick(struct px_timer *timer)
{
    struct clockwork *c = px_container_of(timer, struct clockwork, timer);

    assert_null(timer->loop); /* it may be started again */
    c->fired++;
    if (c->fired <= c->again) {
        px_timer_start_loop(c->loop, timer, 1, tick);
        return;
    }
    px_wait_done(&c->wait, c->fired);
}

static void start_clockwork(void *arg)
{
    struct clockwork *c = arg;

    px_timer_start_loop(c->loop, &c->timer, 100000, tick);
    px_timer_start_loop(c->loop, &c->timer, 1, tick); /* the second time counts */
}

static void timers_fire_and_start_again(void **state)
{
    struct clockwork c = {.again = 5};

    (void) state;
    assert_int_equal(px_loop_create(false, &c.loop), 0);
    px_wait_init(&c.wait);
    assert_int_equal(px_loop_run(c.loop, start_clockwork, &c), 0);
    assert_int_equal(px_wait_for(&c.wait), 6);
    px_loop_destroy(c.loop);
}

static void start_and_stop(void *arg)
{
    struct clockwork *c = arg;

    px_timer_stop_loop(&c->timer);
    px_timer_start_loop(c->loop, &c->timer, 0, tick);
    px_timer_stop_loop(&c->timer);
    px_timer_stop_loop(&c->timer);
    px_timer_start_loop(c->loop, &c->timer, UINT64_MAX, tick);
    px_timer_stop_loop(&c->timer);
}

static void stopped_timers_do_not_fire(void **state)
{
    struct clockwork c = {.again = 0};

    (void) state;
    assert_int_equal(px_loop_create(true, &c.loop), 0);
    px_wait_init(&c.wait);
    assert_int_equal(px_loop_run(c.loop, start_and_stop, &c), 0);
    for (int i = 0; i < 10; i++) {
        px_loop_progress(c.loop);
    }
    assert_int_equal(c.fired, 0);
    px_wait_done(&c.wait, 0);
    (void) px_wait_for(&c.wait);
    px_loop_destroy(c.loop);
}

/* A timer with a descriptor beside it that is readable long before it fires. */
struct race {
    struct px_loop *loop;
    struct px_timer timer;
    struct px_timer never;
    struct px_io io;
    struct px_wait wait;
    int fd;
    bool read;
};

static void first_comes(struct px_io *io, int what)
{
    struct race *race = px_container_of(io, struct race, io);

    (void) what;
    race->read = true;
    px_io_stop_loop(io);
}

static void then_fires(struct px_timer *timer)
{
    struct race *race = px_container_of(timer, struct race, timer);

    px_timer_stop_loop(&race->never);
    px_wait_done(&race->wait, race->read ? 0 : -1);
}

static void start_race(void *arg)
{
    struct race *race = arg;

    px_timer_start_loop(race->loop, &race->never, UINT64_MAX, tick);
    px_timer_start_loop(race->loop, &race->timer, 1200, then_fires);
    assert_int_equal(px_io_start_loop(race->loop, &race->io, race->fd, PX_IO_READ, first_comes), 0);
}

/* Milliseconds are no microseconds: what comes after 20 of them is before a timer of 1,200, however
 * late the loop looks. A timer of all the time that there is does not fire. */
static void a_timer_waits(void **state)
{
    const struct itimerspec soon = {.it_value.tv_nsec = 20 * 1000000};
    struct race race = {.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};

    (void) state;
    assert_int_equal(px_loop_create(false, &race.loop), 0);
    px_wait_init(&race.wait);
    assert_int_equal(timerfd_settime(race.fd, 0, &soon, NULL), 0);
    assert_int_equal(px_loop_run(race.loop, start_race, &race), 0);
    assert_int_equal(px_wait_for(&race.wait), 0);
    px_loop_destroy(race.loop);
    (void) close(race.fd);
}

/* --- descriptors --- */

struct watched {
    struct px_io io;
    struct px_loop *loop;
    int ends[2];
    int reads;
    int writes;
};

static void on_ready(struct px_io *io, int what)
{
    struct watched *w = px_container_of(io, struct watched, io);
    char byte;

    if (what & PX_IO_READ) {
        w->reads++;
        if (recv(w->ends[0], &byte, 1, MSG_DONTWAIT) <= 0) {
            px_io_stop_loop(io);
        }
    }
    if (what & PX_IO_WRITE) {
        w->writes++;
        assert_int_equal(px_io_want_loop(io, PX_IO_READ), 0);
    }
}

static void descriptors_are_watched(void **state)
{
    struct watched w = {.reads = 0};

    (void) state;
    assert_int_equal(px_loop_create(true, &w.loop), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, w.ends), 0);
    assert_int_equal(px_io_start_loop(w.loop, &w.io, w.ends[0], 0, on_ready), 0);
    assert_int_equal(send(w.ends[1], "abc", 3, 0), 3);
    px_loop_progress(w.loop);
    assert_int_equal(w.reads, 0);
    assert_int_equal(px_io_want_loop(&w.io, PX_IO_READ | PX_IO_WRITE), 0);
    px_loop_progress(w.loop);
    assert_int_equal(w.reads, 1);
    assert_int_equal(w.writes, 1);
    px_loop_progress(w.loop);
    px_loop_progress(w.loop);
    px_loop_progress(w.loop);
    assert_int_equal(w.reads, 3); /* level-triggered, then nothing left */
    assert_int_equal(w.writes, 1);
    assert_int_equal(px_io_want_loop(&w.io, 0), 0);
    assert_int_equal(close(w.ends[1]), 0);
    px_loop_progress(w.loop);
    assert_int_equal(w.reads, 3);
    assert_int_equal(px_io_want_loop(&w.io, PX_IO_READ), 0);
    px_loop_progress(w.loop);
    assert_int_equal(w.reads, 4);
    px_loop_progress(w.loop);
    assert_int_equal(w.reads, 4); /* stopped itself at the end of the stream */
    px_io_stop_loop(&w.io);
    (void) close(w.ends[0]);
    px_loop_destroy(w.loop);
}

/* --- thread --- */

struct look {
    struct px_task task;
    struct px_wait wait;
    sigset_t mask;
    char name[32];
    cpu_set_t cpus;
};

static void look_around(struct px_task *task)
{
    struct look *look = px_container_of(task, struct look, task);

    (void) pthread_sigmask(SIG_SETMASK, NULL, &look->mask);
    (void) pthread_getname_np(pthread_self(), look->name, sizeof(look->name));
    (void) pthread_getaffinity_np(pthread_self(), sizeof(look->cpus), &look->cpus);
    px_wait_done(&look->wait, 0);
}

static void the_thread_is_set_up(void **state)
{
    struct px_loop *loop;
    struct look look = {.task = {NULL, look_around}};
    sigset_t mine;

    (void) state;
    (void) setenv("PMIX_MCA_pmix_progress_thread_cpus", "0", 1);
    assert_int_equal(px_param_load(), 0);
    assert_int_equal(px_loop_create(false, &loop), 0);
    px_wait_init(&look.wait);
    px_loop_post(loop, &look.task);
    assert_int_equal(px_wait_for(&look.wait), 0);
    assert_true(sigismember(&look.mask, SIGTERM));
    assert_true(sigismember(&look.mask, SIGUSR1));
    (void) pthread_sigmask(SIG_SETMASK, NULL, &mine);
    assert_false(sigismember(&mine, SIGUSR1));
    assert_string_equal(look.name, "pmix-progress");
    assert_true(CPU_COUNT(&look.cpus) == 1 || !CPU_ISSET(0, &look.cpus)); /* 0 may not be ours */
    px_loop_destroy(loop);
    (void) unsetenv("PMIX_MCA_pmix_progress_thread_cpus");
    assert_int_equal(px_param_load(), 0);
}

static void never(void *arg)
{
    (void) arg;
    abort();
}

static void set_flag(void *arg)
{
    *(bool *) arg = true;
}

static void a_forked_child_leaves_it_alone(void **state)
{
    struct px_loop *loop;
    bool ran = false;
    int status;
    pid_t pid;

    (void) state;
    assert_int_equal(px_loop_create(false, &loop), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bool good = !px_loop_alive(loop) && px_loop_run(loop, never, NULL) == PX_ERR_UNREACH;

        px_loop_destroy(loop);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(px_loop_run(loop, set_flag, &ran), 0); /* the parent's still works */
    assert_true(ran);
    px_loop_destroy(loop);
}

static void nothing_is_left_open(void **state)
{
    int before = open_descriptors();
    struct px_loop *loop;

    (void) state;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(px_loop_create(i % 2 != 0, &loop), 0);
        px_loop_destroy(loop);
    }
    assert_int_equal(open_descriptors(), before);
}

/* In a process that may have `more` descriptors besides the three: what creating a loop gives. It
 * says nothing, which is to come through `said`, and the process goes on. */
static int create_with(int more, int said)
{
    struct rlimit few = {.rlim_cur = (rlim_t) (3 + more), .rlim_max = (rlim_t) (3 + more)};
    struct px_loop *loop = NULL;
    int rc;

    (void) dup2(said, STDOUT_FILENO);
    (void) dup2(said, STDERR_FILENO);
    for (int fd = 3; fd < 1024; fd++) {
        (void) close(fd);
    }
    if (setrlimit(RLIMIT_NOFILE, &few) != 0) {
        return 3;
    }
    rc = px_loop_create(false, &loop);
    if (rc == PX_OK) {
        px_loop_destroy(loop);
    }
    return rc == PX_OK ? 0 : rc == PX_ERR_OUT_OF_RESOURCE ? 1 : 2;
}

static void few_descriptors(void **state)
{
    int worked = 0;

    (void) state;
    for (int more = 0; more < 8; more++) {
        char text[256];
        int status;
        int said[2];
        pid_t pid;

        assert_int_equal(pipe(said), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            _exit(100 + create_with(more, said[1]));
        }
        (void) close(said[1]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(read(said[0], text, sizeof(text)), 0);
        (void) close(said[0]);
        assert_true(WIFEXITED(status));
        assert_in_range(WEXITSTATUS(status), 100, 101);
        worked += WEXITSTATUS(status) == 100;
    }
    assert_in_range(worked, 1, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_in_order_on_the_thread),
        cmocka_unit_test(what_is_queued_runs_before_the_end),
        cmocka_unit_test(many_threads_post),
        cmocka_unit_test(ping_pong_never_sleeps_through),
        cmocka_unit_test(timers_fire_and_start_again),
        cmocka_unit_test(stopped_timers_do_not_fire),
        cmocka_unit_test(a_timer_waits),
        cmocka_unit_test(descriptors_are_watched),
        cmocka_unit_test(the_thread_is_set_up),
        cmocka_unit_test(a_forked_child_leaves_it_alone),
        cmocka_unit_test(few_descriptors),
        cmocka_unit_test(nothing_is_left_open),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
