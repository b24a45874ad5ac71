/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Input that is pushed from a terminal: a process in the background does not read, which would stop
 * it or end the input, and reads as soon as it is in the foreground. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix.h>

#include "src/base/param.h"
#include "src/event/own_input.h"
#include "src/event/registry.h"
#include "src/request/reply.h"

enum { ROUNDS = 50, LIMIT_MS = 20000 };

static int report[2]; /* what the process that pushes has to say */

static void say(const void *bytes, size_t n)
{
    if (write(report[1], bytes, n) != (ssize_t) n) {
        _exit(9);
    }
}

/* --- the process that pushes --- */

static pmix_status_t push(void *where, const struct px_iof_push_args *args,
                          const struct px_completion *to)
{
    struct px_reply reply = {.status = PMIX_SUCCESS};

    (void) where;
    say(args->bytes.bytes, args->bytes.size);
    to->done(to, &reply);
    return PMIX_SUCCESS;
}

static void begun(const struct px_completion *to, struct px_reply *reply)
{
    (void) to;
    (void) reply;
}

static void nothing(void *arg)
{
    (void) arg;
}

/* Begins to push, says "r" when the input has been looked at, and goes on until it is killed. */
static void be_pushing(void)
{
    const struct px_completion to = {.done = begun};
    struct px_ctx *ctx = px_ctx();
    bool yes = true;
    pmix_info_t info;
    struct px_iof_push_args args = {.head = {&info, 1}};

    PMIx_Info_load(&info, PMIX_IOF_PUSH_STDIN, &yes, PMIX_BOOL);
    if (px_param_load() != 0 || px_loop_create(false, &ctx->loop) != 0) {
        _exit(8);
    }
    ctx->events = px_events_create(ctx->loop, NULL, NULL);
    if (px_push_input(ctx, &args, push, NULL, &to) != PMIX_SUCCESS) {
        _exit(7);
    }
    for (int i = 0; i < ROUNDS; i++) {
        (void) px_loop_run(ctx->loop, nothing, NULL);
    }
    say("r", 1);
    for (;;) {
        pause();
    }
}

/* --- its parent, the shell of the terminal --- */

/* Waits for bytes of the process; false if it is stopped, has ended, or is silent. */
static bool await(pid_t pid, const char *want)
{
    char got[8] = "";

    for (int waited = 0; waited < LIMIT_MS; waited += 50) {
        struct pollfd fd = {.fd = report[0], .events = POLLIN};

        if (waitpid(pid, NULL, WNOHANG | WUNTRACED) != 0) {
            return false;
        }
        if (poll(&fd, 1, 50) > 0) {
            return read(report[0], got, sizeof(got) - 1) > 0 && strcmp(got, want) == 0;
        }
    }
    return false;
}

/* The leader of a session with this terminal. Ends with 0 if all is well. */
static void be_shell(const char *name)
{
    int terminal = setsid() > 0 ? open(name, O_RDWR) : -1;
    pid_t pid;
    int rc = 0;

    alarm(60);
    signal(SIGTTOU, SIG_IGN);
    if (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0 || tcsetpgrp(terminal, getpgrp()) != 0 ||
        dup2(terminal, STDIN_FILENO) < 0) {
        _exit(10);
    }
    pid = fork();
    if (pid == 0) {
        (void) setpgid(0, 0);
        be_pushing();
    }
    (void) setpgid(pid, pid);
    if (!await(pid, "r")) {
        rc = 11;
    } else if (tcsetpgrp(terminal, pid) != 0 || !await(pid, "line\n")) {
        rc = 12;
    }
    (void) kill(pid, SIGKILL);
    _exit(rc);
}

static void in_the_background(void **state)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    int status = -1;
    pid_t pid;

    (void) state;
    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    assert_int_equal(pipe(report), 0);
    assert_int_equal(write(master, "line\n", 5), 5);
    pid = fork();
    if (pid == 0) {
        be_shell(ptsname(master));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(report[0]);
    close(report[1]);
    close(master);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_the_background)};

    return cmocka_run_group_tests_name("own_input", tests, NULL, NULL);
}
