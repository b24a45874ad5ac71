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

enum { DEFAULT_SECONDS = 60, MAX_SHOWN = 24 };

static int number;
static unsigned seed;
static bool failed;
static FILE *results;
static const char *only_form;
static int world;
static int spread; /* over so many nodes the ranks are dealt; 0: as the case says */
static int bound = DEFAULT_SECONDS;
static int part;
static int n_parts = 1; /* of the cases one in so many is run, from this one on */

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
    foreign_unless();
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
    board->foreign = host_command != NULL;
    board->case_number = which;
    board->world = world;
    board->shared = shared;
    board->seed = seed + (unsigned) number;
    board->dealt = spread > 0;
    board->n_nodes = spread > 0 ? spread : c->nodes > 0 ? c->nodes : 1;
    for (int i = 0; i < MAX_JOBS && c->jobs[i].name != NULL; i++) {
        board->jobs[i] = c->jobs[i];
        board->jobs[i].name = board_text(c->jobs[i].name);
    }
    if (c->jobs[0].name == NULL && !c->alone) {
        board->jobs[0].name = board_text("A");
        for (int i = 0; i < board->n_nodes; i++) {
            int ranks = c->ranks > 0 ? c->ranks : 1;

            board->jobs[0].ranks[i] = spread > 0 ? (ranks + spread - 1 - i) / spread : ranks;
        }
    }
    verdict_prepare(c);
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
    if (board->foreign) {
        foreign_host();
    }
    exit(the_case()->alone ? client_main() : host_main(host));
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int seconds_of(const struct conform_case *c)
{
    return c->seconds > 0 ? c->seconds : bound;
}

static void tell_hang(void)
{
    verdict_hang();
    board_line(true, "hang: no end in %d s", seconds_of(the_case()));
    for (int i = 0; i < MAX_STEPS; i++) {
        struct step *step = &board->steps[i];

        if (atomic_load(&step->waiting) > 0) {
            board_line(true, "%u wait for \"%s\", told %u times", atomic_load(&step->waiting),
                       step->name, atomic_load(&step->count));
        }
    }
}

/* What the end of a process says: one of a host, or of an orphan of a host that was killed. */
static const char *judge_end(int host, pid_t pid, int status)
{
    if (status == 0 || (board->foreign && host < 0) ||
        (host >= 0 && told("conform: host dies") > 0)) {
        return "pass";
    }
    if (WIFSIGNALED(status)) {
        verdict_crash(pid, host >= 0 && !the_case()->alone);
        board_line(true, "crash: %s %d ended by signal %d", host >= 0 ? "host" : "orphan", host,
                   WTERMSIG(status));
        return "crash";
    }
    board_line(true, "%s %d returned %d", host >= 0 ? "host" : "orphan", host, WEXITSTATUS(status));
    return "fail";
}

/* Until one of the signals comes, for so long at most. */
static void nap(int64_t ms, const sigset_t *signals)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    sigtimedwait(signals, NULL, &t);
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

        if (pid > 0) {
            int host = 0;
            while (host < board->n_nodes && pids[host] != pid) {
                host++;
            }
            end = judge_end(host < board->n_nodes ? host : -1, pid, status);
        } else if (left <= 0) {
            tell_hang();
            return "hang";
        } else {
            nap(turn_look(left), &child_ended);
        }
    }
    return end;
}

/* Ends those whom a host has left, in process groups and sessions of their own. Children of a
 * process that has ended become ours, so all are looked for again behind each. */
static void end_children(void)
{
    char path[64];
    int pid;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int) getpid());
    do {
        FILE *list = fopen(path, "r");

        while (list != NULL && fscanf(list, "%d", &pid) == 1) {
            kill(pid, SIGKILL);
        }
        if (list != NULL) {
            fclose(list);
        }
    } while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

/* Starts the hosts, or the one process that has none, and leaves nobody. */
static const char *live(const struct conform_case *c)
{
    int64_t deadline = now_ms() + seconds_of(c) * 1000;
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
    end_children();
    return end;
}

/* Runs the case's `after`, in a process of its own: under another's host it may exit at once, and
 * it may crash on what a broken library has left. */
static void look_after(const struct conform_case *c)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        trial_begin();
        c->after();
        trial_end();
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (pid < 0 || WIFSIGNALED(status)) {
        board_line(true, "the look at what is left has crashed");
        setup_failed();
    }
}

static const char *judge(const struct conform_case *c, const char *end)
{
    bool passed = strcmp(end, "pass") == 0;

    if (passed && c->after != NULL) {
        look_after(c);
    }
    clear_folder(board->scratch, passed && !c->dirty && !board->foreign);
    world_end();
    if (atomic_load(&board->wants_own_host)) {
        return "not run: needs its own host";
    }
    if (passed && atomic_load(&board->failures) == 0) {
        verdict_complete();
    }
    if (!passed || atomic_load(&board->failures) == 0) {
        return end;
    }
    return atomic_load(&board->unsound) ? "crash" : "fail";
}

/* What a case's sentence is followed by. */
static const char *dealt(void)
{
    return spread == 0 ? "" : spread == 2 ? ", dealt over two nodes" : ", dealt over three nodes";
}

static void report(const struct conform_case *c, const char *form, const char *end)
{
    bool passed = strcmp(end, "pass") == 0;
    bool omitted = strncmp(end, "not run: ", 9) == 0;
    uint32_t n_lines = atomic_load(&board->n_lines);

    number++;
    printf("%s %d - %s %s%s # %s%s%s\n", passed || omitted ? "ok" : "not ok", number, c->ids,
           c->what, dealt(), omitted ? "SKIP " : form, passed || omitted ? "" : ", ",
           passed    ? ""
           : omitted ? end + 9
                     : end);
    for (uint32_t i = 0; i < n_lines && i < MAX_SHOWN && !passed && !omitted; i++) {
        printf("# %s\n", board->lines[i]);
    }
    if (!passed && !omitted) {
        printf("# --seed %u\n", seed);
        failed = true;
    }
    fflush(stdout);
    if (results == NULL) {
        return;
    }
    if (c->alone) {
        form = "-"; /* without a server nothing depends on it */
    }
    fprintf(results, "case\t%s\t%s\t%s\t%s%s\n", form, end, c->ids, c->what, dealt());
    for (int i = 0; i < board->n_ids; i++) {
        fprintf(results, "id\t%s\t%s\t%s\n", form, omitted ? end : verdict(i), board->ids[i].name);
    }
    for (uint32_t i = 0; i < n_lines && i < MAX_SHOWN && !passed && !omitted; i++) {
        fprintf(results, "said\t%s\n", board->lines[i]);
    }
    fflush(results);
}

static void run(int which, bool shared)
{
    const struct conform_case *c = &cases[which];
    const char *form = shared ? "default" : "messages";

    prepare(which, shared);
    if (make_scratch() < 0 || !world_begin()) {
        board_line(true, "no scratch folder");
        setup_failed();
        report(c, form, "fail");
        return;
    }
    turn_begin();
    report(c, form, judge(c, live(c)));
    turn_end();
}

static void omit(int which, const char *form, const char *why)
{
    char end[400];

    prepare(which, true);
    snprintf(end, sizeof(end), "not run: %s", why);
    report(&cases[which], form, end);
}

static bool wanted(const char *form)
{
    return only_form == NULL || strcmp(only_form, form) == 0;
}

static void run_forms(int which)
{
    const struct conform_case *c = &cases[which];
    const char *why = host_command != NULL ? foreign_obstacle(c) : NULL;

#ifdef CONFORM_THEIRS
    why = c->ours_only != NULL ? c->ours_only : why;
#endif
    if (why != NULL) {
        omit(which, "-", why);
        return;
    }
    for (spread = 0; spread <= (c->spread && host_command == NULL ? 3 : 0);
         spread += spread > 0 ? 1 : 2) {
        if (c->form != MESSAGES && wanted("default")) {
            run(which, true);
        }
        if (c->form != SHARED && !c->alone && wanted("messages")) {
            run(which, false);
        }
    }
    spread = 0;
    if (c->form == SHARED && wanted("messages")) {
        omit(which, "messages", "it is about the segment");
    } else if (c->form == MESSAGES && wanted("default")) {
        omit(which, "default", "it is about messages");
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
    fprintf(stderr,
            "usage: PROGRAM [--list] [--version] [--form default|messages] [--seed N]\n"
            "               [--seconds N] [--host COMMAND] [--results FILE] [--worlds]\n"
            "               [--world NAME] [--turns FILE] [--part K/N] [CASE...]\n"
            "a case is named by a part of its ids or of its sentence; of all programs with\n"
            "the same FILE of --turns only one works at a time; K is one of 0 to N - 1\n");
    return 2;
}

static int say_version(void)
{
    printf("%s\n", PMIx_Get_version());
    return 0;
}

static int client_of(const char *where)
{
    if (where[0] == '/') {
        board_open(where);
    } else {
        board_fd = atoi(where);
        board_attach(board_fd);
    }
    program_path = realpath("/proc/self/exe", NULL);
    return client_main();
}

static const char *form_named(const char *name)
{
    return strcmp(name, "shared") == 0 ? "default" : name;
}

/* "K/N" and nothing behind it, so that each case is in the part of exactly one K. */
static bool read_part(const char *text)
{
    int n = 0;

    return sscanf(text, "%9d/%9d%n", &part, &n_parts, &n) == 2 && text[n] == '\0' && part >= 0 &&
           part < n_parts;
}

/* An option that has an argument; false: there is none of that name, or its argument is wrong. */
static bool option(const char *name, const char *value)
{
    if (strcmp(name, "--form") == 0) {
        only_form = form_named(value);
    } else if (strcmp(name, "--seed") == 0) {
        seed = (unsigned) strtoul(value, NULL, 10);
    } else if (strcmp(name, "--seconds") == 0) {
        bound = atoi(value) > 0 ? atoi(value) : DEFAULT_SECONDS;
    } else if (strcmp(name, "--host") == 0) {
        host_command = value;
    } else if (strcmp(name, "--world") == 0) {
        world = world_find(value);
    } else if (strcmp(name, "--part") == 0) {
        return read_part(value);
    } else if (strcmp(name, "--turns") == 0) {
        return turns_use(value);
    } else if (strcmp(name, "--results") == 0) {
        results = fopen(value, "w");
        return results != NULL;
    } else {
        return false;
    }
    return true;
}

static int run_all(bool list, int n_names, char **names)
{
    for (int i = 0; i < n_cases; i++) {
        if (i % n_parts != part || !chosen(&cases[i], n_names, names)) {
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
    if (board_path[0] != '\0') {
        unlink(board_path);
    }
    return failed;
}

int main(int argc, char **argv)
{
    int first = 1;
    bool list = false;
    sigset_t child_ended;

    if (argc == 3 && strcmp(argv[1], "--client") == 0) {
        return client_of(argv[2]);
    }
    seed = (unsigned) getpid();
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--list") == 0) {
            list = true;
        } else if (strcmp(argv[first], "--version") == 0) {
            return say_version();
        } else if (strcmp(argv[first], "--worlds") == 0) {
            world_list();
            return 0;
        } else if (first + 1 == argc || !option(argv[first], argv[first + 1])) {
            return usage();
        } else {
            first++;
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
    board_fd = board_create(host_command != NULL);
    if (program_path == NULL || board_fd < 0) {
        perror("conform");
        return 99;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, NULL);
    return run_all(list, argc - first, argv + first);
}
