/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The progress thread (loop.h). What it sleeps on is touched by the thread that runs the loop,
 * which of a loop with a thread holds `running`; the progress thread does except while it sleeps.
 *
 * Tasks arrive on a stack that any thread pushes to; the loop takes it as a whole and reverses it.
 * A push costs a system call only when the loop is about to sleep: the loop announces that in
 * `asleep`, checks the stack once more, then sleeps; a thread that pushes and finds the
 * announcement takes it back and rings the bell. Both sides write their word, then have a
 * full barrier, then read the other's, so at least one of them sees the other
 * (docs/memory-model.md, section 10; test/model/sleep.pml). */

#include "src/loop/loop.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/bell.h"
#include "src/base/bytes.h"
#include "src/base/fork_mark.h"
#include "src/base/param.h"
#include "src/base/status.h"
#include "src/base/thread.h"
#include "src/loop/after.h"
#include "src/loop/cpus.h"
#include "src/loop/poll.h"
#include "src/loop/wait.h"

/* Runs of the task queue before descriptors have their turn. */
enum { TASK_ROUNDS = 16 };

/* One loop. Owned by the context; freed by px_loop_destroy. */
struct px_loop {
    struct px_poll poll; /* loop thread */
    struct px_io bell;   /* loop thread: watches bell_fd */
    int bell_fd;         /* any thread rings it to end a sleep */
    uint64_t inbox; /* atomic: struct px_task *, newest first; px_loop_post pairs with take_inbox */
    uint64_t posting; /* atomic: threads in px_loop_post; the last thing of it that they touch */
    uint64_t asleep;  /* atomic: 1 while the loop sleeps or is about to */
    bool external;
    bool stop;                    /* loop thread */
    struct px_after_queue afters; /* loop thread */
    struct px_timer recheck;      /* loop thread: ends a sleep while `afters` holds something */
    struct px_fork_mark mark;     /* of the process that made the loop */
    pthread_t thread;
    pthread_mutex_t running; /* loops with a thread: held by who runs it, not in its sleep */
    pthread_mutex_t driver;  /* external loops: guards the next two */
    pthread_cond_t turned;   /* a round has ended */
    bool driven;             /* a thread is running a round */
};

/* The loop whose callbacks the calling thread is running. */
static __thread struct px_loop *inside;

/* Ends the loop's sleep if it sleeps or is about to, and nobody has ended it yet. */
static void end_sleep(struct px_loop *loop)
{
    if (px_load_relaxed(&loop->asleep) && px_cas(&loop->asleep, 1, 0)) {
        px_bell_ring(loop->bell_fd);
    }
}

static void bell_rang(struct px_io *bell, int what)
{
    (void) what;
    px_bell_reset(bell->fd);
}

/* `posting` counts the threads in here: px_loop_destroy must not free the loop under one that has
 * pushed its task and has yet to look at `asleep`. */
void px_loop_post(struct px_loop *loop, struct px_task *task)
{
    uint64_t head;

    (void) px_fetch_add(&loop->posting, 1);
    do {
        head = px_load_relaxed(&loop->inbox);
        task->next = (struct px_task *) (uintptr_t) head;
    } while (!px_cas(&loop->inbox, head, (uint64_t) (uintptr_t) task));
    px_fence_behind(); /* pairs with look_or_sleep */
    if (inside != loop) {
        end_sleep(loop);
    }
    (void) px_fetch_add(&loop->posting, UINT64_MAX); /* pairs with px_loop_destroy */
}

/* Empties the stack and returns its tasks, oldest first; NULL if there are none. */
static struct px_task *take_inbox(struct px_loop *loop)
{
    struct px_task *list = NULL;
    struct px_task *task;
    uint64_t head;

    do {
        head = px_load_relaxed(&loop->inbox);
        if (!head) {
            return NULL;
        }
    } while (!px_cas(&loop->inbox, head, 0));
    task = (struct px_task *) (uintptr_t) head;
    while (task) {
        struct px_task *older = task->next;

        task->next = list;
        list = task;
        task = older;
    }
    return list;
}

/* Runs all tasks that are queued now. True if there was one. A task may free itself, so its
 * successor is read first. */
static bool run_tasks(struct px_loop *loop)
{
    struct px_task *task = take_inbox(loop);
    bool any = task != NULL;

    px_assert(inside == loop);
    while (task) {
        struct px_task *following = task->next;

        task->run(task);
        task = following;
    }
    return any;
}

/* Runs the tasks that are queued and those that they queue, up to a bound, so that tasks that keep
 * coming do not starve the descriptors. True if there may be more. */
static bool run_queued(struct px_loop *loop)
{
    bool busy = true;

    for (int i = 0; busy && i < TASK_ROUNDS; i++) {
        busy = run_tasks(loop);
    }
    return busy;
}

/* The end of the sleep is all that is wanted: every look is followed by one at what is held. */
static void recheck(struct px_timer *timer)
{
    (void) timer;
}

/* True if the loop must not sleep now for what it holds; otherwise a timer ends the sleep in time.
 * Gives the processor to the calls that are waited for. */
static bool holds(struct px_loop *loop)
{
    int ms = px_after_pause(&loop->afters);

    if (ms < 0) {
        px_timer_stop_loop(&loop->recheck);
        return false;
    }
    if (ms > 0) {
        px_timer_start_loop(loop, &loop->recheck, (uint64_t) ms, recheck);
        return false;
    }
    (void) sched_yield();
    return true;
}

/* Handles what descriptors and timers have; sleeps until they have something if neither `busy` nor
 * a new task forbids it; then runs what it has held long enough. */
static void look_or_sleep(struct px_loop *loop, bool busy)
{
    px_assert(inside == loop);
    busy = busy || holds(loop);
    if (!busy) {
        (void) px_cas(&loop->asleep, 0, 1);
        px_fence_behind(); /* pairs with px_loop_post */
        busy = px_load_acquire(&loop->inbox) != 0;
    }
    px_poll_wait(&loop->poll, busy ? 0 : px_poll_pause_ms(&loop->poll),
                 loop->external ? NULL : &loop->running);
    if (px_load_relaxed(&loop->asleep)) {
        px_store_relaxed(&loop->asleep, 0);
    }
    px_poll_handle(&loop->poll);
    (void) px_after_run(&loop->afters);
}

/* One round of the thread, with at most one sleep. */
static void round_blocking(struct px_loop *loop)
{
    bool busy = run_queued(loop);

    if (!loop->stop) { /* nothing would end the sleep */
        look_or_sleep(loop, busy);
    }
}

/* One round of a thread that waits for a completion. No sleep after a task, which may have been
 * that completion. */
static void round_of_waiter(struct px_loop *loop)
{
    look_or_sleep(loop, run_tasks(loop));
}

/* Runs whatever is still queued or held. */
static void run_rest(struct px_loop *loop)
{
    loop->afters.settled = true;
    while (run_tasks(loop) || px_after_run(&loop->afters)) {
    }
    px_timer_stop_loop(&loop->recheck);
}

/* The thread: rounds until the stop task has run, then whatever is still queued. */
static void *progress(void *arg)
{
    struct px_loop *loop = arg;

    (void) pthread_mutex_lock(&loop->running);
    inside = loop;
    (void) pthread_setname_np(pthread_self(), "pmix-progress");
    while (!loop->stop) {
        round_blocking(loop);
    }
    run_rest(loop);
    inside = NULL;
    (void) pthread_mutex_unlock(&loop->running);
    return NULL;
}

/* Binds the thread to the CPUs of pmix_progress_thread_cpus; if that is not possible it runs
 * unbound. */
static void bind_thread(pthread_t thread)
{
    cpu_set_t cpus;

    if (px_cpus_parse(px_param_string(PX_P_PROGRESS_CPUS), &cpus) == PX_OK) {
        (void) pthread_setaffinity_np(thread, sizeof(cpus), &cpus);
    }
}

/* Starts the progress thread. */
static int start_thread(struct px_loop *loop)
{
    if (px_thread_start(progress, loop, &loop->thread)) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    bind_thread(loop->thread);
    return PX_OK;
}

/* Frees a loop that no thread uses any more, also one that is half set up. */
static void loop_free(struct px_loop *loop)
{
    px_poll_close(&loop->poll);
    if (loop->bell_fd >= 0) {
        (void) close(loop->bell_fd);
    }
    px_fork_mark_fini(&loop->mark);
    (void) pthread_mutex_destroy(&loop->running);
    (void) pthread_cond_destroy(&loop->turned);
    (void) pthread_mutex_destroy(&loop->driver);
    free(loop);
}

/* Makes what may fail in px_loop_create; what was made stays for loop_free. Until the loop has a
 * thread, or a caller that drives it, the calling thread is its thread. Statuses as there. */
static int set_up(struct px_loop *loop)
{
    struct px_loop *outer = inside;
    int rc;

    loop->bell_fd = px_bell_open();
    if (loop->bell_fd < 0 || px_poll_open(&loop->poll) != PX_OK) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    inside = loop;
    rc = px_io_start_loop(loop, &loop->bell, loop->bell_fd, PX_IO_READ, bell_rang);
    inside = outer;
    return rc || loop->external ? rc : start_thread(loop);
}

int px_loop_create(bool external, struct px_loop **ret_loop)
{
    struct px_loop *loop = calloc(1, sizeof(*loop));
    int rc;

    if (!loop) {
        return PX_ERR_NOMEM;
    }
    loop->external = external;
    px_fork_mark_init(&loop->mark);
    loop->bell_fd = -1;
    loop->poll.fd = -1;
    px_after_queue_init(&loop->afters);
    (void) pthread_mutex_init(&loop->running, NULL);
    (void) pthread_mutex_init(&loop->driver, NULL);
    (void) pthread_cond_init(&loop->turned, NULL);
    rc = set_up(loop);
    if (rc) {
        loop_free(loop);
        return rc;
    }
    *ret_loop = loop;
    return PX_OK;
}

/* The task that ends the thread; on the stack of px_loop_destroy. */
struct stop_task {
    struct px_task task;
    struct px_loop *loop;
};

/* Runs on the loop's thread, so `stop` needs no lock. */
static void stop_run(struct px_task *task)
{
    px_container_of(task, struct stop_task, task)->loop->stop = true;
}

/* The child of a fork shares the kernel's watch list with its parent: it must not remove anything
 * from it, so there the loop is left as it is. */
void px_loop_destroy(struct px_loop *loop)
{
    struct stop_task stop = {{NULL, stop_run}, loop};

    px_assert(!loop || !px_loop_inside(loop));
    if (!loop || !px_loop_alive(loop)) {
        return;
    }
    if (loop->external) {
        struct px_loop *outer = inside;

        inside = loop;
        run_rest(loop);
        inside = outer;
    } else {
        px_loop_post(loop, &stop.task);
        (void) pthread_join(loop->thread, NULL);
    }
    /* A thread may still be in px_loop_post although its task has run, and the task's effect may be
     * the reason for this call. */
    while (px_load_acquire(&loop->posting)) { /* pairs with px_loop_post */
        (void) sched_yield();
    }
    loop_free(loop);
}

bool px_loop_inside(const struct px_loop *loop)
{
    return inside == loop;
}

bool px_loop_alive(const struct px_loop *loop)
{
    return px_fork_mark_is_ours(&loop->mark);
}

/* One round without sleep, for px_loop_progress. */
static void round_at_once(struct px_loop *loop)
{
    (void) run_tasks(loop);
    px_poll_wait(&loop->poll, 0, NULL);
    px_poll_handle(&loop->poll);
    (void) run_tasks(loop);
    (void) px_after_run(&loop->afters);
}

/* Runs one round in this thread, which is the loop's thread meanwhile. Called with `driver` locked;
 * unlocked during the round. */
static void drive_locked(struct px_loop *loop, void (*round)(struct px_loop *loop))
{
    struct px_loop *outer = inside;

    px_assert(!loop->driven && inside != loop);
    loop->driven = true;
    (void) pthread_mutex_unlock(&loop->driver);
    inside = loop;
    round(loop);
    inside = outer;
    (void) pthread_mutex_lock(&loop->driver);
    loop->driven = false;
    (void) pthread_cond_broadcast(&loop->turned);
}

/* If another thread is running a round, that round does this call's work. */
void px_loop_progress(struct px_loop *loop)
{
    if (!loop->external || px_loop_inside(loop)) {
        return;
    }
    (void) pthread_mutex_lock(&loop->driver);
    if (!loop->driven) {
        drive_locked(loop, round_at_once);
    }
    (void) pthread_mutex_unlock(&loop->driver);
}

void px_loop_wake(struct px_loop *loop)
{
    if (!loop->external) {
        px_loan_ring(&loop->poll.loan);
    } else if (!px_loop_inside(loop)) {
        px_bell_ring(loop->bell_fd);
    }
}

/* One waiter drives the loop; the others check their completion after each of its rounds. */
int px_loop_wait(struct px_loop *loop, struct px_wait *wait)
{
    px_assert(!px_loop_inside(loop));
    if (!loop->external) {
        px_loan_wait(loop, wait);
        return px_wait_for(wait);
    }
    px_wait_wakes(wait, loop);
    (void) pthread_mutex_lock(&loop->driver);
    while (!px_wait_is_done(wait)) {
        if (loop->driven) {
            (void) pthread_cond_wait(&loop->turned, &loop->driver);
        } else {
            drive_locked(loop, round_of_waiter);
        }
    }
    (void) pthread_mutex_unlock(&loop->driver);
    return px_wait_for(wait);
}

/* A call of px_loop_run on its way; on the caller's stack. */
struct run_call {
    struct px_task task;
    void (*fn)(void *arg);
    void *arg;
    struct px_wait wait;
};

/* Runs the function and ends the caller's wait, which frees `task`. */
static void run_call(struct px_task *task)
{
    struct run_call *call = px_container_of(task, struct run_call, task);

    call->fn(call->arg);
    px_wait_done(&call->wait, PX_OK);
}

bool px_loop_try_run(struct px_loop *loop, void (*fn)(void *arg), void *arg)
{
    if (!px_loop_enter(loop, false)) {
        return false;
    }
    fn(arg);
    px_loop_leave(loop);
    return true;
}

/* The task is on this stack, which is safe because the loop has let go of it before the wait
 * ends. */
int px_loop_run(struct px_loop *loop, void (*fn)(void *arg), void *arg)
{
    struct run_call call = {.task = {NULL, run_call}, .fn = fn, .arg = arg};

    if (!px_loop_alive(loop)) {
        return PX_ERR_UNREACH;
    }
    if (px_loop_inside(loop)) {
        fn(arg);
        return PX_OK;
    }
    if (px_loop_try_run(loop, fn, arg)) {
        return PX_OK;
    }
    px_wait_init(&call.wait);
    px_loop_post(loop, &call.task);
    return loop->external ? px_loop_wait(loop, &call.wait) : px_wait_for(&call.wait);
}

/* --- for src/loop --- */

bool px_loop_enter(struct px_loop *loop, bool wait)
{
    if (loop->external || inside != NULL) {
        return false;
    }
    if (wait) {
        (void) pthread_mutex_lock(&loop->running);
    } else if (pthread_mutex_trylock(&loop->running) != 0) {
        return false;
    } else if (px_load_acquire(&loop->inbox) != 0) { /* the progress thread is on its way */
        (void) pthread_mutex_unlock(&loop->running);
        return false;
    }
    inside = loop;
    return true;
}

void px_loop_run_queued(struct px_loop *loop)
{
    px_assert(!loop->external);
    (void) run_queued(loop);
}

/* The kernel's list tells the progress thread of descriptors only. */
void px_loop_leave(struct px_loop *loop)
{
    px_assert(!loop->external && inside == loop);
    if (loop->stop || px_load_relaxed(&loop->inbox) != 0 || !px_list_empty(&loop->afters.held) ||
        px_poll_is_late(&loop->poll)) {
        end_sleep(loop);
    }
    inside = NULL;
    (void) pthread_mutex_unlock(&loop->running);
}

bool px_loop_may_touch(const struct px_loop *loop)
{
    return inside == loop || (loop->external && !loop->driven);
}

struct px_poll *px_loop_poll(struct px_loop *loop)
{
    return &loop->poll;
}

struct px_after_queue *px_loop_afters(struct px_loop *loop)
{
    return &loop->afters;
}

struct px_after_queue *px_loop_own_afters(void)
{
    return inside ? &inside->afters : NULL;
}
