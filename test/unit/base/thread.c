/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A thread of the library gets its argument, blocks all signals, and leaves its creator's mask
 * alone. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

#include "src/base/thread.h"
#include "test/unit/process.h"

/* The mask of the thread that runs it. */
static void *tell_mask(void *arg)
{
    sigset_t *mask = arg;

    (void) pthread_sigmask(SIG_BLOCK, NULL, mask);
    return mask;
}

/* True if all signals that a thread can block are as in `blocked`. */
static bool is_alike(const sigset_t *mask, bool blocked)
{
    sigset_t blockable;
    int signal;

    (void) sigfillset(&blockable);
    for (signal = 1; signal < NSIG; signal++) {
        bool fixed = signal == SIGKILL || signal == SIGSTOP;

        if (!fixed && sigismember(&blockable, signal) == 1 &&
            sigismember(mask, signal) != blocked) {
            return false;
        }
    }
    return true;
}

static void no_signal_goes_to_the_thread(void)
{
    pthread_t thread;
    sigset_t mask;
    void *ret = NULL;

    check(sigemptyset(&mask) == 0);
    check(px_thread_start(tell_mask, &mask, &thread) == 0);
    check(pthread_join(thread, &ret) == 0 && ret == &mask);
    check(is_alike(&mask, true));
}
CASE(in_process, no_signal_goes_to_the_thread)

static void the_caller_has_its_mask_again(void)
{
    pthread_t thread;
    sigset_t usr1;
    sigset_t mask;
    sigset_t mine;

    check(sigemptyset(&usr1) == 0 && sigprocmask(SIG_SETMASK, &usr1, NULL) == 0);
    check(sigaddset(&usr1, SIGUSR1) == 0 && sigprocmask(SIG_BLOCK, &usr1, NULL) == 0);
    check(px_thread_start(tell_mask, &mask, &thread) == 0);
    check(pthread_join(thread, NULL) == 0);
    check(sigprocmask(SIG_BLOCK, NULL, &mine) == 0 && sigismember(&mine, SIGUSR1) == 1);
    check(sigdelset(&mine, SIGUSR1) == 0 && is_alike(&mine, false));
}
CASE(in_process, the_caller_has_its_mask_again)

/* A stack that is larger than the address space. */
static void no_thread_leaves_the_mask_alone(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t none;
    sigset_t mask;

    check(sigemptyset(&none) == 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0);
    check(pthread_attr_init(&attr) == 0);
    check(pthread_attr_setstacksize(&attr, SIZE_MAX / 4 & ~(size_t) 0xffff) == 0);
    check(pthread_setattr_default_np(&attr) == 0);
    check(px_thread_start(tell_mask, &mask, &thread) == EAGAIN);
    check(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && is_alike(&mask, false));
}
CASE(in_process, no_thread_leaves_the_mask_alone)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_signal_goes_to_the_thread),
        cmocka_unit_test(test_the_caller_has_its_mask_again),
        cmocka_unit_test(test_no_thread_leaves_the_mask_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
