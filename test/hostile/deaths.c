/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Two servers, a tool, and processes that the tool spawns. One of them kills itself at its k-th
 * step of an operation of the tool: the calls of the others return with a status that says so, the
 * tool works with the other server and leaves no descriptor or thread, a server is left with the
 * descriptors that it had and no more blocks of memory, and servers that come later remove the
 * files of dead ones. usage: deaths [STEPS [TIMES [CYCLES]]]: at so many steps of each operation,
 * 0: all; each so often; and so many times attach and detach. */

#include "deaths.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pmix.h>

/* A server or tool, as the driver sees it. */
struct actor {
    pid_t pid; /* 0: none */
    struct ends ends;
};
static struct actor actors[TOOL + 1];

static int n_steps = 6;
static int n_times = 1;
static long n_cycles = 300;
static bool has_failed;

static void say(bool held, const char *what)
{
    static int n;

    printf("%s %d - %s\n", held ? "ok" : "not ok", ++n, what);
    (void) fflush(stdout);
    has_failed |= !held;
}

/* Nothing can be tried any more. What was started dies with this process. */
__attribute__((noreturn)) static void give_up(const char *what)
{
    say(false, what);
    for (int i = 0; i <= TOOL; i++) {
        if (actors[i].pid > 0) {
            (void) kill(actors[i].pid, SIGKILL);
        }
    }
    exit(1);
}

static void start(enum who who)
{
    struct actor *actor = &actors[who];
    int to[2];
    int from[2];

    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        give_up("pipes");
    }
    (void) fflush(stdout);
    actor->pid = fork();
    if (actor->pid == 0) {
        struct ends ends = {to[0], from[1]};

        (void) prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void) setpgid(0, 0);
        (void) close(to[1]);
        (void) close(from[0]);
        if (who == TOOL) {
            be_tool(ends);
        }
        be_server(who, ends);
    }
    (void) close(to[0]);
    (void) close(from[1]);
    actor->ends = (struct ends){from[0], to[1]};
}

/* Gives an order. False: the actor has died; *ret is what it says then, or says otherwise. */
static bool give(enum who who, struct order order, struct outcome *ret)
{
    struct actor *actor = &actors[who];
    struct pollfd answer = {.fd = actor->ends.in, .events = POLLIN};

    *ret = (struct outcome){.n = 0};
    if (actor->pid == 0 || !put_all(actor->ends.out, &order, sizeof(order))) {
        return false;
    }
    if (poll(&answer, 1, 2 * PATIENCE_MS) != 1) {
        printf("# order %d, %s, step %ld of %d: actor %d does not return\n", order.what,
               op_names[order.op], order.n, order.victim, who);
        give_up("every call returns");
    }
    return get_all(actor->ends.in, ret, sizeof(*ret));
}

/* Waits for the end of an actor, and says how it ended. */
static int reap(enum who who)
{
    struct actor *actor = &actors[who];
    int status = -1;

    (void) close(actor->ends.in);
    (void) close(actor->ends.out);
    (void) waitpid(actor->pid, &status, 0);
    actor->pid = 0;
    return status;
}

/* Waits for the processes of a server that has died: they are in its group, and have us as their
 * parent by now. */
static bool reap_orphans(pid_t server)
{
    bool good = true;
    int status = 0;

    while (waitpid(-server, &status, 0) > 0) {
        if (!is_good_end(status)) {
            printf("# a process of a dead server ends with %d\n", status);
            good = false;
        }
    }
    atomic_store(&board->ended, atomic_load(&board->started));
    return good;
}

/* ---- one operation, at one step of which somebody dies */

struct tally {
    pmix_status_t status[16];
    int times[16];
};

static void count(struct tally *tally, const struct outcome *outcome)
{
    for (int i = 0; i < outcome->n; i++) {
        int k = 0;

        while (k < 15 && tally->times[k] > 0 && tally->status[k] != outcome->status[i]) {
            k++;
        }
        tally->status[k] = outcome->status[i];
        tally->times[k]++;
    }
}

static bool is_fair(const struct outcome *outcome)
{
    for (int i = 0; i < outcome->n; i++) {
        pmix_status_t rc = outcome->status[i];

        if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED &&
            rc != PMIX_ERR_LOST_CONNECTION && rc != PMIX_ERR_UNREACH) {
            return false;
        }
    }
    return true;
}

static bool is_killed(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* The first server after the operation. False: something is wrong. */
static bool settle_first(struct outcome *ret)
{
    pid_t pid = actors[SERVER].pid;
    bool killed;
    bool good;

    if (give(SERVER, (struct order){.what = SETTLE}, ret)) {
        return ret->wrong == 0;
    }
    killed = is_killed(reap(SERVER));
    good = reap_orphans(pid) && killed;
    start(SERVER);
    return give(SERVER, (struct order){.what = SETTLE}, ret) && ret->wrong == 0 && good;
}

/* True if the tool may have died by now, also behind its answer. */
static bool may_be_dead(enum who victim, long fatal)
{
    return victim == TOOL && fatal != 0 && atomic_load(&board->steps) >= fatal;
}

/* *ret_wrong: who has seen something wrong, and at which line; NULL: nobody. */
static struct outcome run_once(enum op op, enum who victim, long fatal, const char **ret_wrong)
{
    static char text[128];
    struct order order = {PREPARE, op, victim, fatal};
    struct outcome done = {.n = 0};
    struct outcome seen = {.n = 0};
    bool lives;
    bool good;
    int failed;

    *ret_wrong = NULL;
    start(TOOL);
    if (!give(TOOL, order, &seen) || seen.wrong != 0) {
        printf("# %s: deaths_roles.c:%d, %d\n", op_names[op], seen.wrong, seen.status[0]);
        give_up("a tool is ready");
    }
    order.what = RUN;
    lives = give(TOOL, order, &done);
    if (lives && !is_fair(&done)) {
        snprintf(text, sizeof(text), "statuses %d %d", done.status[0], done.status[1]);
        *ret_wrong = text;
    }
    if (lives) {
        bool ends = give(TOOL, (struct order){.what = END}, &seen);

        if (ends ? seen.wrong != 0 : !may_be_dead(victim, fatal)) {
            snprintf(text, sizeof(text), "the tool, deaths_roles.c:%d", seen.wrong);
            *ret_wrong = text;
        }
    }
    lives = !is_killed(reap(TOOL));
    if (lives == may_be_dead(victim, fatal)) {
        *ret_wrong = "the tool has died, or has not";
    }
    good = settle_first(&seen);
    atomic_store(&board->victim, NOBODY);
    good = settle_first(&seen) && good; /* it may have died behind its answer */
    if (!good) {
        snprintf(text, sizeof(text), "the server, deaths_roles.c:%d, %d descriptors", seen.wrong,
                 seen.descriptors);
        *ret_wrong = text;
    }
    done.blocks = seen.blocks;
    if (!give(SECOND, (struct order){.what = SETTLE}, &seen) || seen.wrong != 0) {
        snprintf(text, sizeof(text), "the second server, deaths_roles.c:%d", seen.wrong);
        *ret_wrong = text;
    }
    failed = atomic_exchange(&board->failed, 0);
    if (failed != 0) {
        snprintf(text, sizeof(text), "a process has ended with %d", failed);
        *ret_wrong = text;
    }
    if (victim == SERVER) {
        done.blocks = seen.blocks;
    }
    return done;
}

/* ---- all of them */

static void print_tally(enum op op, const char *who, long steps, const struct tally *tally,
                        long more)
{
    printf("# %s, %s: %ld steps;", op_names[op], who, steps);
    for (int k = 0; k < 16 && tally->times[k] > 0; k++) {
        printf(" %s %d", PMIx_Error_string(tally->status[k]), tally->times[k]);
    }
    printf("; %ld blocks more\n", more);
}

static void sweep(enum op op, enum who victim, const char *who)
{
    struct tally tally = {.times = {0}};
    const char *wrong = NULL;
    char what[96];
    long blocks;
    long steps;
    long stride;
    int rounds = 0;
    bool good = true;
    struct outcome done;

    done = run_once(op, victim, 0, &wrong);
    steps = atomic_load(&board->steps);
    if (wrong != NULL || done.n == 0 || done.status[0] != PMIX_SUCCESS) {
        printf("# %s, nobody dies: %s, %d\n", op_names[op], wrong, done.status[0]);
        good = false;
    }
    done = run_once(op, victim, 1, &wrong); /* caches are full from here on */
    blocks = done.blocks;
    stride = n_steps == 0 || steps < n_steps ? 1 : steps / n_steps;
    for (int time = 0; time < n_times; time++) {
        for (long k = 1 + random() % stride; k <= steps; k += stride) {
            done = run_once(op, victim, k, &wrong);
            count(&tally, &done);
            rounds++;
            if (wrong != NULL) {
                printf("# %s, %s dies at step %ld of %ld: %s\n", op_names[op], who, k, steps,
                       wrong);
                good = false;
            }
        }
    }
    print_tally(op, who, steps, &tally, done.blocks - blocks);
    snprintf(what, sizeof(what), "%s: %s dies", op_names[op], who);
    say(good && steps > 0 && 2 * (done.blocks - blocks) < rounds, what);
}

/* What the servers have left in their folder; it is removed. */
static bool remove_folder(void)
{
    int n = 0;
    DIR *dir = opendir(board->dir);

    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        if (e->d_name[0] != '.') {
            printf("# left: %s\n", e->d_name);
            (void) unlinkat(dirfd(dir), e->d_name, 0);
            n++;
        }
    }
    if (dir) {
        (void) closedir(dir);
    }
    return rmdir(board->dir) == 0 && n == 0;
}

static void cycles(void)
{
    struct outcome first;
    struct outcome last;
    struct outcome tool;
    struct order order = {.what = CYCLES, .n = n_cycles};

    if (!give(SERVER, (struct order){.what = SETTLE}, &first)) {
        give_up("the server answers");
    }
    start(TOOL);
    say(give(TOOL, order, &tool) && tool.wrong == 0, "attach and detach, many times");
    (void) reap(TOOL);
    say(give(SERVER, (struct order){.what = SETTLE}, &last) && last.wrong == 0 &&
            last.descriptors == first.descriptors && last.blocks - first.blocks < n_cycles / 10,
        "the server keeps nothing of it");
    printf("# %ld cycles: the server has %ld blocks more, the tool %d descriptors and %ld blocks\n",
           n_cycles, last.blocks - first.blocks, tool.descriptors, tool.blocks);
    say(tool.descriptors == 0 && tool.blocks < n_cycles / 10, "nor the tool");
}

static void end_server(enum who who)
{
    struct outcome end;

    say(give(who, (struct order){.what = END}, &end) && end.wrong == 0 && reap(who) == 0,
        who == SERVER ? "the first server ends, and has closed everything"
                      : "the second server ends, and has closed everything");
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    const char *seed = getenv("PX_SEED");
    struct outcome seen;
    unsigned number = seed != NULL ? (unsigned) atoi(seed) : (unsigned) time(NULL);

    if (!board_open()) {
        return 99;
    }
    if (argc > 1 && strcmp(argv[1], "--process") == 0) {
        be_process();
    }
    n_steps = argc > 1 ? atoi(argv[1]) : n_steps;
    n_times = argc > 2 ? atoi(argv[2]) : n_times;
    n_cycles = argc > 3 ? atol(argv[3]) : n_cycles;
    printf("# PX_SEED=%u\n", number);
    srandom(number);
    snprintf(board->dir, sizeof(board->dir), "%s/deaths.XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(board->dir) == NULL) {
        return 99;
    }
    (void) prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void) signal(SIGPIPE, SIG_IGN);
    start(SERVER);
    start(SECOND);
    if (!settle_first(&seen) || !give(SECOND, (struct order){.what = SETTLE}, &seen)) {
        give_up("two servers are ready");
    }
    for (enum op op = 0; op < N_OPS; op++) {
        sweep(op, SERVER, "the server");
        sweep(op, TOOL, "the tool");
    }
    sweep(SPAWN, PROCESS, "the process");
    cycles();
    end_server(SERVER);
    end_server(SECOND);
    say(remove_folder(), "no file is left");
    return has_failed;
}
