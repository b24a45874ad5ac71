/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A host whose 256 slots always have a process: 24 teams of eight, each a job that is registered,
 * runs and is deregistered, and a job of 64 transient processes that are replaced one by one; tools
 * come and go beside them. Some die without finalizing. Every now and then nothing new is started
 * until all have ended and nothing is registered: then memory, descriptors and files have to be as
 * they were.
 *
 * usage: soak SECONDS PACE SEED [nomemory]
 *        PACE: milliseconds between a process's operations, on average; nomemory: the allocator is
 * not the C library's. */

#include <pmix.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/daemon.h"
#include "bench/layout.h"
#include "soak.h"
#include "src/heap/heap.h"
#include "src/host/host.h"

enum { TEAMS = 24, MEMBERS = 8, LODGERS = 64, JOBS = TEAMS + 1, HUNG_S = 120, TOOL_EVERY_MS = 500 };
enum { HEAP_SLACK = 8192, RSS_SLACK_KB = 16384 };

struct slot {
    pid_t pid; /* 0: empty */
    enum soak_end end;
    int64_t since_ms;
};

struct job {
    char nspace[64];
    bool registered;
    bool lodgers; /* each is replaced when it has gone */
    unsigned n;
    unsigned n_alive;
    struct slot slots[LODGERS];
};

static struct job jobs[JOBS];
static struct slot tool;
static uint64_t numbers; /* of the host */
static unsigned pace_ms;
static bool draining;
static bool failed;
static unsigned n_jobs;
static unsigned n_processes;
static unsigned n_tools;
static int64_t last_tool_ms;
static char *program;

static int64_t now_ms(void)
{
    struct timespec t;

    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- processes */

static enum soak_end draw_end(void)
{
    uint64_t draw = soak_draw(&numbers);

    return draw % 2 ? SOAK_FINALIZE : (enum soak_end)(draw / 2 % SOAK_ENDS);
}

/* One process in three reads by messages. */
static void choose_form(void)
{
    (void) setenv("PMIX_MCA_gds", soak_draw(&numbers) % 3 ? "" : "hash", 1);
}

static void start(struct slot *slot, const char *nspace, unsigned rank, const char *what,
                  const struct soak_orders *orders)
{
    char text[4][32];
    char *argv[] = {program, (char *) (uintptr_t) what, text[0], text[1], text[2], text[3], NULL};

    (void) snprintf(text[0], sizeof(text[0]), "%llu", (unsigned long long) orders->seed);
    (void) snprintf(text[1], sizeof(text[1]), "%llu", (unsigned long long) soak_draw(&numbers));
    (void) snprintf(text[2], sizeof(text[2]), "%d,%d", (int) orders->end, orders->bereft);
    (void) snprintf(text[3], sizeof(text[3]), "%u,%d", pace_ms, (int) getpid());
    choose_form();
    *slot = (struct slot){daemon_spawn(nspace, rank, argv, -1, -1), orders->end, now_ms()};
    n_processes++;
}

static void start_lodger(struct job *job, unsigned rank)
{
    struct soak_orders orders = {.end = draw_end()};

    start(&job->slots[rank], job->nspace, rank, "transient", &orders);
    job->n_alive++;
}

static void start_team(struct job *job)
{
    unsigned doomed = (unsigned) (soak_draw(&numbers) % MEMBERS);
    enum soak_end end = draw_end();
    struct soak_orders orders = {.seed = soak_draw(&numbers),
                                 .bereft = end == SOAK_KILLED || end == SOAK_LEAVES};

    for (unsigned r = 0; r < job->n; r++) {
        orders.end = r == doomed ? end : SOAK_FINALIZE;
        start(&job->slots[r], job->nspace, r, "member", &orders);
        job->n_alive++;
    }
}

/* ---- jobs */

static unsigned node_of(unsigned rank)
{
    (void) rank;
    return 0;
}

static unsigned local_rank_of(unsigned rank)
{
    return rank;
}

static void node_name(unsigned node, char *ret, size_t room)
{
    (void) node;
    (void) snprintf(ret, room, "%s", SOAK_HOST);
}

static void start_job(struct job *job)
{
    struct layout layout = {job->nspace, "soak.1", job->n, 1, 0, node_of, local_rank_of, node_name};

    (void) snprintf(job->nspace, sizeof(job->nspace), "soak.%d.%u", (int) (job - jobs), n_jobs++);
    layout_register(&layout);
    job->registered = true;
    for (unsigned r = 0; job->lodgers && r < job->n; r++) {
        start_lodger(job, r);
    }
    if (!job->lodgers) {
        start_team(job);
    }
}

static void start_tool(void)
{
    struct soak_orders orders = {.end = draw_end()};

    last_tool_ms = now_ms();
    start(&tool, jobs[0].nspace, 0, "tool", &orders); /* it drops the name */
    n_tools++;
}

static void check_end(const char *nspace, unsigned rank, const struct slot *slot, int status)
{
    bool died = slot->end == SOAK_KILLED && WIFSIGNALED(status) &&
                (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGALRM);

    if (status != 0 && !died) {
        fprintf(stderr, "soak: %s.%u, process %d, ended with status %x\n", nspace, rank,
                (int) slot->pid, status);
        failed = true;
    }
}

static void ended(pid_t pid, int status)
{
    if (tool.pid == pid) {
        check_end("tool", 0, &tool, status);
        tool.pid = 0;
        return;
    }
    for (struct job *job = jobs; job < jobs + JOBS; job++) {
        for (unsigned r = 0; r < job->n; r++) {
            if (job->slots[r].pid == pid) {
                check_end(job->nspace, r, &job->slots[r], status);
                job->slots[r].pid = 0;
                job->n_alive--;
                if (job->lodgers && !draining) {
                    start_lodger(job, r);
                }
                return;
            }
        }
    }
}

static void end_job(struct job *job)
{
    daemon_deregister(job->nspace);
    px_host_forget_names(job->nspace);
    job->registered = false;
}

static void look_for_hung(const char *nspace, unsigned rank, const struct slot *slot)
{
    if (slot->pid && now_ms() - slot->since_ms > HUNG_S * 1000) {
        fprintf(stderr, "soak: %s.%u, process %d, hangs\n", nspace, rank, (int) slot->pid);
        failed = true;
    }
}

/* Waits for something to happen, at most for a tenth of a second, and sees to it. False when all is
 * quiet. */
static bool turn(void)
{
    static const struct timespec tenth = {0, 100000000};
    bool busy = tool.pid != 0;
    sigset_t child;
    int status;
    pid_t pid;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void) sigtimedwait(&child, NULL, &tenth);
    for (pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
        ended(pid, status);
    }
    for (struct job *job = jobs; job < jobs + JOBS; job++) {
        if (job->registered && !job->n_alive) {
            end_job(job);
        }
        if (!job->registered && !draining) {
            start_job(job);
        }
        for (unsigned r = 0; r < job->n; r++) {
            look_for_hung(job->nspace, r, &job->slots[r]);
        }
        busy |= job->registered;
    }
    look_for_hung("tool", 0, &tool);
    if (!tool.pid && !draining && now_ms() - last_tool_ms >= TOOL_EVERY_MS) {
        start_tool();
    }
    return busy;
}

static void run_for(int64_t ms)
{
    int64_t until = now_ms() + ms;

    draining = false;
    while (!failed && now_ms() < until) {
        (void) turn();
    }
    draining = true;
    while (!failed && turn()) {
    }
}

static void kill_all(void)
{
    for (struct job *job = jobs; job < jobs + JOBS; job++) {
        for (unsigned r = 0; r < job->n; r++) {
            if (job->slots[r].pid) {
                (void) kill(job->slots[r].pid, SIGKILL);
            }
        }
    }
    if (tool.pid) {
        (void) kill(tool.pid, SIGKILL);
    }
}

/* ---- what may not grow */

struct state {
    size_t heap_bytes;
    long rss_kb;
    unsigned n_files; /* descriptors */
    unsigned n_maps;
    unsigned n_left; /* in the directory for temporary files */
};

static unsigned count_entries(const char *path)
{
    DIR *dir = opendir(path);
    unsigned n = 0;

    while (dir && readdir(dir)) {
        n++;
    }
    if (dir) {
        (void) closedir(dir);
    }
    return n;
}

/* Mappings of files and segments; those without a file are the allocator's and the threads', and
 * count as memory. */
static unsigned count_mappings(void)
{
    char line[512];
    unsigned n = 0;
    FILE *f = fopen("/proc/self/maps", "re");

    while (f && fgets(line, sizeof(line), f)) {
        n += strchr(line, '/') != NULL;
    }
    if (f) {
        (void) fclose(f);
    }
    return n;
}

static long resident_kb(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f && fscanf(f, "%*d %ld", &pages) != 1) {
        pages = 0;
    }
    if (f) {
        (void) fclose(f);
    }
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static struct state look(void)
{
    struct state state;

    state.heap_bytes = px_heap_look().used;
    state.rss_kb = resident_kb();
    state.n_maps = count_mappings();
    state.n_files = count_entries("/proc/self/fd");
    state.n_left = count_entries(getenv("TMPDIR"));
    printf("# %u processes, %u jobs, %u tools; heap %zu bytes, resident %ld KiB, %u descriptors, "
           "%u mappings, "
           "%u entries\n",
           n_processes, n_jobs, n_tools, state.heap_bytes, state.rss_kb, state.n_files,
           state.n_maps, state.n_left);
    (void) fflush(stdout);
    return state;
}

static void tell(int *number, bool holds, const char *what)
{
    printf("%sok %d - %s\n", holds ? "" : "not ", ++*number, what);
    failed |= !holds;
}

static int judge(const struct state *then, const struct state *now, bool memory)
{
    int n = 0;

    tell(&n, !failed, "every process has ended as it should, and found what is right");
    tell(&n, now->n_files <= then->n_files, "descriptors have not grown");
    tell(&n, now->n_left <= then->n_left, "files have not grown");
    tell(&n, !memory || now->heap_bytes <= then->heap_bytes + HEAP_SLACK, "the heap has not grown");
    tell(&n, !memory || now->rss_kb <= then->rss_kb + RSS_SLACK_KB,
         "resident memory has not grown");
    tell(&n, now->n_maps <= then->n_maps + 16, "mappings have not grown");
    return n;
}

/* ---- */

static int play(int argc, char **argv)
{
    struct soak_orders orders = {.seed = strtoull(argv[2], NULL, 10),
                                 .own = strtoull(argv[3], NULL, 10)};
    int end;
    int pid;

    if (argc != 6 || sscanf(argv[4], "%d,%d", &end, &orders.bereft) != 2 ||
        sscanf(argv[5], "%u,%d", &orders.pace_ms, &pid) != 2) {
        return 2;
    }
    orders.end = (enum soak_end) end;
    if (strcmp(argv[1], "tool") == 0) {
        return soak_tool(&orders, pid);
    }
    return strcmp(argv[1], "transient") == 0 ? soak_transient(&orders) : soak_member(&orders);
}

static pmix_status_t tool_connected(struct upcall *upcall)
{
    upcall->reply.tool(PMIX_SUCCESS, NULL, upcall->cbdata); /* the library names it */
    return PMIX_SUCCESS;
}

/* Everything is answered at once. */
static const struct answer answers[N_ENTRIES] = {
    [ON_CONNECTED] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_FINALIZED] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_TOOL] = {OWN, .own = tool_connected},
    [ON_FENCE] = {OWN, .own = px_host_fence_alone},
    [ON_PUBLISH] = {OWN, .own = px_host_publish},
    [ON_LOOKUP] = {OWN, .own = px_host_lookup},
    [ON_UNPUBLISH] = {OWN, .own = px_host_unpublish},
    [ON_CONNECT] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_DISCONNECT] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_REGISTER] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_DEREGISTER] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_NOTIFY] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
};

static void prepare(void)
{
    static const struct px_host host = {.answers = answers, .frees_data = true};
    pmix_info_t info[2];
    bool yes = true;
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void) sigprocmask(SIG_BLOCK, &child, NULL); /* before the library has threads */
    PMIX_INFO_LOAD(&info[0], PMIX_HOSTNAME, SOAK_HOST, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_SERVER_TOOL_SUPPORT, &yes, PMIX_BOOL);
    daemon_start(&host, info, 2);
    PMIX_INFO_DESTRUCT(&info[0]);
    for (unsigned i = 0; i < JOBS; i++) {
        jobs[i].lodgers = i == TEAMS;
        jobs[i].n = i == TEAMS ? LODGERS : MEMBERS;
    }
}

static int run(int seconds, bool memory)
{
    struct state then;
    struct state now;
    unsigned left = count_entries(getenv("TMPDIR"));
    int rounds = 1 + seconds / 60;
    int n;

    prepare();
    run_for((int64_t) seconds * 1000 / (rounds + 1)); /* until what is made once has been made */
    then = look();
    now = then;
    for (int i = 0; i < rounds && !failed; i++) {
        run_for((int64_t) seconds * 1000 / (rounds + 1));
        now = look();
    }
    kill_all();
    n = judge(&then, &now, memory);
    if (!failed) {
        (void) PMIx_server_finalize();
        tell(&n, count_entries(getenv("TMPDIR")) == left, "no file is left at the end");
    }
    printf("1..%d\n", n);
    return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1 && strchr("mlt", argv[1][0])) {
        return play(argc, argv);
    }
    if (argc < 4 || !getenv("TMPDIR")) {
        fprintf(stderr, "usage: TMPDIR=... soak SECONDS PACE SEED [nomemory]\n");
        return 2;
    }
    pace_ms = (unsigned) strtoul(argv[2], NULL, 10);
    numbers = strtoull(argv[3], NULL, 10);
    printf("# seed %s\n", argv[3]);
    return run(atoi(argv[1]), argc == 4);
}
