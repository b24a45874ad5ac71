/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Runs cases, each in processes of its own, and says how they went. The driver itself never calls
 * PMIx. */

#include "inside.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char *program_path;
int board_fd = -1;

#ifdef CONFORM_THEIRS
enum { DEFAULT_SECONDS = 15 };
#else
enum { DEFAULT_SECONDS = 60 };
#endif
enum { MAX_SHOWN = 24 };

static int number;
static unsigned seed;
static bool failed;
static FILE *results;
static const char *only_form;
static int world;

/* ---- what cases ask */

const struct conform_case *the_case(void)
{
    return &cases[board->case_number];
}

int n_nodes(void)
{
    return board->n_nodes;
}

bool shared_form(void)
{
    return board->shared;
}

int node(void)
{
    return self.node;
}

int tool_number(void)
{
    return self.tool;
}

pid_t server_pid(int n)
{
    return board->servers[n];
}

const char *scratch(void)
{
    return board->scratch;
}

/* ---- one run */

static int make_scratch(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(board->scratch, sizeof(board->scratch), "%s/shmix-conform.XXXXXX",
             tmp != NULL ? tmp : "/tmp");
    return mkdtemp(board->scratch) != NULL ? 0 : -1;
}

/* Removes a folder with what is in it; returns how many files there were in it. */
static int clear_folder(const char *path, bool look)
{
    DIR *dir = opendir(path);
    int n = 0;

    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        char inner[600];

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name);
        check(!look, "was left behind: %s", e->d_name);
        n++;
        if (unlink(inner) < 0) {
            n += clear_folder(inner, look);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    rmdir(path);
    return n;
}

static void prepare(int which, bool shared)
{
    const struct conform_case *c = &cases[which];

    board_clear();
    board->case_number = which;
    board->world = world;
    board->shared = shared;
    board->seed = seed + (unsigned) number;
    board->n_nodes = c->nodes > 0 ? c->nodes : 1;
    for (int i = 0; i < MAX_JOBS && c->jobs[i].name != NULL; i++) {
        board->jobs[i] = c->jobs[i];
        board->jobs[i].name = board_text(c->jobs[i].name);
    }
    if (c->jobs[0].name == NULL && !c->alone) {
        board->jobs[0].name = board_text("A");
        for (int i = 0; i < board->n_nodes; i++) {
            board->jobs[0].ranks[i] = c->ranks > 0 ? c->ranks : 1;
        }
    }
}

/* In a process of the case: a world of its own. */
static void enter(pid_t group, int host)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, group);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("TMPDIR", board->scratch, 1);
    setenv("HOME", board->scratch, 1);
    if (!board->shared) {
        setenv("PMIX_MCA_gds", "hash", 1);
    }
    world_set();
    exit(the_case()->alone ? client_main() : host_main(host));
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell_hang(void)
{
    board_line(true, "hang: no end in %d s",
               the_case()->seconds > 0 ? the_case()->seconds : DEFAULT_SECONDS);
    for (int i = 0; i < MAX_STEPS; i++) {
        struct step *step = &board->steps[i];

        if (atomic_load(&step->waiting) > 0) {
            board_line(true, "%u wait for \"%s\", told %u times", atomic_load(&step->waiting),
                       step->name, atomic_load(&step->count));
        }
    }
}

/* What the end of a process says: one of a host, or of an orphan of a host that was killed. */
static const char *judge_end(int host, int status)
{
    if (status == 0 || (host >= 0 && told("conform: host dies") > 0)) {
        return "pass";
    }
    if (WIFSIGNALED(status)) {
        board_line(true, "crash: %s %d ended by signal %d", host >= 0 ? "host" : "orphan", host,
                   WTERMSIG(status));
        return "crash";
    }
    board_line(true, "%s %d returned %d", host >= 0 ? "host" : "orphan", host, WEXITSTATUS(status));
    return "fail";
}

/* Sees all processes end: the hosts, and what they have left. */
static const char *see_end(const pid_t *pids, int64_t deadline)
{
    const char *end = "pass";
    sigset_t child_ended;
    int status;
    pid_t pid;

    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    for (pid = waitpid(-1, &status, WNOHANG); pid >= 0 && strcmp(end, "pass") == 0;
         pid = waitpid(-1, &status, WNOHANG)) {
        int64_t left = deadline - now_ms();
        struct timespec t = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};

        if (pid > 0) {
            int host = 0;
            while (host < board->n_nodes && pids[host] != pid) {
                host++;
            }
            end = judge_end(host < board->n_nodes ? host : -1, status);
        } else if (left <= 0) {
            tell_hang();
            return "hang";
        } else {
            sigtimedwait(&child_ended, NULL, &t);
        }
    }
    return end;
}

/* Starts the hosts, or the one process that has none, and leaves nobody. */
static const char *live(const struct conform_case *c)
{
    int64_t deadline = now_ms() + (c->seconds > 0 ? c->seconds : DEFAULT_SECONDS) * 1000;
    pid_t pids[MAX_NODES] = {0};
    const char *end;

    relay_prepare(board->n_nodes);
    for (int i = 0; i < board->n_nodes; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            enter(pids[0], i);
        }
        setpgid(pids[i], pids[0]);
    }
    relay_forget();
    end = see_end(pids, deadline);
    kill(-pids[0], SIGKILL);
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    return end;
}

static const char *judge(const struct conform_case *c, const char *end)
{
    if (strcmp(end, "pass") == 0 && c->after != NULL) {
        c->after();
    }
    clear_folder(board->scratch, strcmp(end, "pass") == 0 && !c->dirty);
    world_end();
    if (strcmp(end, "pass") != 0 || atomic_load(&board->failures) == 0) {
        return end;
    }
    for (uint32_t i = 0; i < atomic_load(&board->n_lines) && i < MAX_LINES; i++) {
        if (strstr(board->lines[i], ": crash: ") != NULL) {
            return "crash";
        }
    }
    return "fail";
}

static void report(const struct conform_case *c, const char *form, const char *end)
{
    bool passed = strcmp(end, "pass") == 0;

    number++;
    printf("%s %d - %s %s # %s%s%s\n", passed ? "ok" : "not ok", number, c->ids, c->what, form,
           passed ? "" : ", ", passed ? "" : end);
    for (uint32_t i = 0; i < atomic_load(&board->n_lines) && i < MAX_SHOWN && !passed; i++) {
        printf("# %s\n", board->lines[i]);
    }
    if (!passed) {
        printf("# --seed %u\n", seed);
        failed = true;
    }
    fflush(stdout);
    if (results != NULL) {
        fprintf(results, "%s\t%s\t%s\n", c->ids, form, end);
        fflush(results);
    }
}

static void run(int which, bool shared)
{
    const struct conform_case *c = &cases[which];

    prepare(which, shared);
    if (make_scratch() < 0 || !world_begin()) {
        board_line(true, "no scratch folder");
        report(c, "setup", "fail");
        return;
    }
    report(c, shared ? "shared" : "messages", judge(c, live(c)));
}

static void skip(const struct conform_case *c)
{
    number++;
    printf("ok %d - %s %s # SKIP %s\n", number, c->ids, c->what, c->ours_only);
    if (results != NULL) {
        fprintf(results, "%s\t-\tnot run: %s\n", c->ids, c->ours_only);
        fflush(results);
    }
}

static void run_forms(int which)
{
    const struct conform_case *c = &cases[which];
    bool shared = c->form != MESSAGES && (only_form == NULL || strcmp(only_form, "shared") == 0);
    bool messages =
        c->form != SHARED && !c->alone && (only_form == NULL || strcmp(only_form, "messages") == 0);

#ifdef CONFORM_THEIRS
    if (c->ours_only != NULL) {
        skip(c);
        return;
    }
#else
    (void) skip;
#endif
    if (shared) {
        run(which, true);
    }
    if (messages) {
        run(which, false);
    }
}

/* ---- which */

static bool chosen(const struct conform_case *c, int n_names, char **names)
{
    for (int i = 0; i < n_names; i++) {
        if (strstr(c->ids, names[i]) != NULL || strstr(c->what, names[i]) != NULL) {
            return true;
        }
    }
    return n_names == 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: PROGRAM [--list] [--form shared|messages] [--seed N] [--results FILE]\n"
                    "               [--worlds] [--world NAME] [CASE...]\n"
                    "a case is named by a part of its ids or of its sentence\n");
    return 64;
}

int main(int argc, char **argv)
{
    int first = 1;
    bool list = false;
    sigset_t child_ended;

    if (argc == 3 && strcmp(argv[1], "--client") == 0) {
        board_attach(atoi(argv[2]));
        return client_main();
    }
    seed = (unsigned) getpid();
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--list") == 0) {
            list = true;
        } else if (strcmp(argv[first], "--form") == 0 && first + 1 < argc) {
            only_form = argv[++first];
        } else if (strcmp(argv[first], "--seed") == 0 && first + 1 < argc) {
            seed = (unsigned) strtoul(argv[++first], NULL, 10);
        } else if (strcmp(argv[first], "--worlds") == 0) {
            world_list();
            return 0;
        } else if (strcmp(argv[first], "--world") == 0 && first + 1 < argc) {
            world = world_find(argv[++first]);
        } else if (strcmp(argv[first], "--results") == 0 && first + 1 < argc) {
            results = fopen(argv[++first], "w");
        } else {
            return usage();
        }
    }
    if (world < 0) {
        return usage();
    }
    if (!world_permitted(world)) {
        printf("1..0 # SKIP this process may not make such a world\n");
        return 0;
    }
    program_path = realpath("/proc/self/exe", NULL);
    board_fd = board_create();
    if (program_path == NULL || board_fd < 0) {
        perror("conform");
        return 99;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, NULL);
    for (int i = 0; i < n_cases; i++) {
        if (!chosen(&cases[i], argc - first, argv + first)) {
            continue;
        }
        if (list) {
            printf("%s: %s\n", cases[i].ids, cases[i].what);
        } else {
            run_forms(i);
        }
    }
    if (!list) {
        printf("1..%d\n", number);
    }
    if (results != NULL) {
        fclose(results);
    }
    return failed;
}
