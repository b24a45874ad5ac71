/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A host daemon that uses only what every PMIx of the 4.2 to 6.1 series has, in the way of the
 * older daemons (legacy client_connected, maps as plain strings). Built against our library and the
 * distribution's.
 *
 *     host [OPTION...] N PROGRAM [ARG...]    returns the first exit code that is not zero, or the
 *                                            status of an abort
 *     host [OPTION...] --stays               serves tools until SIGTERM, as a distributed virtual
 *                                            machine does
 *
 * --nodes 2          a second daemon on this machine, joined by TCP on loopback
 * --tools            tools may connect
 * --stdio            processes have pipes; what they write is shown here, and delivered to tools
 * --local-output     what is delivered the library shows, not we
 * --push-stdin       our standard input is for rank 0
 * --tmpdir, --system-tmpdir, --report-uri: what PMIx_server_init is told
 *
 * With HOST_COUNT_FDS set it says how many descriptors the job has left open, with HOST_OTHER_JOB
 * it registers another job like this one, which nobody runs; HOST_TOOLS is --tools. */

#include "test/interop/host.h"

#include <pmix_tool.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define MAIN_JOB "interop-job"

struct settings settings = {.nodes = 1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static int completions;          /* lock */
static struct task *tasks;       /* lock */
static struct task **tasks_tail; /* lock */
static int bell[2];
static int term_fd = -1;

/* ---- waiting */

void op_done(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    pthread_mutex_lock(&lock);
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "host: an operation ended with %s\n", PMIx_Error_string(status));
    }
    completions++;
    pthread_cond_signal(&came);
    pthread_mutex_unlock(&lock);
}

void wait_op(pmix_status_t rc)
{
    if (rc == PMIX_OPERATION_SUCCEEDED) {
        return;
    }
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "host: %s\n", PMIx_Error_string(rc));
        exit(70);
    }
    pthread_mutex_lock(&lock);
    while (!completions) {
        pthread_cond_wait(&came, &lock);
    }
    completions--;
    pthread_mutex_unlock(&lock);
}

/* ---- tasks */

pmix_status_t later(struct upcall *upcall, void (*run)(struct task *task))
{
    struct task *task = calloc(1, sizeof(*task));

    task->run = run;
    task->upcall = *upcall;
    if (upcall->proc) {
        task->proc = *upcall->proc;
        task->upcall.proc = &task->proc;
    }
    if (upcall->n_data) {
        task->data = malloc(upcall->n_data);
        memcpy(task->data, upcall->data, upcall->n_data);
    }
    task->upcall.data = task->data;
    pthread_mutex_lock(&lock);
    *tasks_tail = task;
    tasks_tail = &task->next;
    pthread_mutex_unlock(&lock);
    if (write(bell[1], "", 1) < 0 && errno != EAGAIN) {
        abort();
    }
    return PMIX_SUCCESS;
}

static void run_tasks(void)
{
    char drain[64];

    while (read(bell[0], drain, sizeof(drain)) > 0) {
    }
    for (;;) {
        struct task *task;

        pthread_mutex_lock(&lock);
        task = tasks;
        if (task && !(tasks = task->next)) {
            tasks_tail = &tasks;
        }
        pthread_mutex_unlock(&lock);
        if (!task) {
            return;
        }
        task->run(task);
    }
}

/* ---- the loop */

struct watch {
    struct job *job; /* NULL: one of our own descriptors */
    int rank;
    int stream; /* N_STREAMS: the process's end */
};

enum { MAX_FDS = 1024 };
static struct pollfd fds[MAX_FDS];
static struct watch watches[MAX_FDS];

static nfds_t watch(nfds_t n, int fd, struct watch what)
{
    if (fd >= 0 && n < MAX_FDS) {
        fds[n] = (struct pollfd){.fd = fd, .events = POLLIN};
        watches[n++] = what;
    }
    return n;
}

static nfds_t gather(void)
{
    nfds_t n = watch(0, bell[0], (struct watch){0});
    struct job *job;

    n = watch(n, link_fd(), (struct watch){0});
    n = watch(n, term_fd, (struct watch){0});
    for (int j = 0; (job = job_at(j)); j++) {
        for (int r = 0; r < job->n; r++) {
            const struct proc *proc = &job->procs[r];

            for (int s = 0; s < N_STREAMS; s++) {
                n = watch(n, proc->out[s], (struct watch){job, r, s});
            }
            if (proc->out[0] < 0 && proc->out[1] < 0) { /* its output comes first */
                n = watch(n, proc->ended, (struct watch){job, r, N_STREAMS});
            }
        }
    }
    return n;
}

static void read_output(struct job *job, int rank, int stream)
{
    struct proc *proc = &job->procs[rank];
    char bytes[4096];
    ssize_t n = read(proc->out[stream], bytes, sizeof(bytes));

    if (n > 0) {
        job_output(job, rank, stream, bytes, (size_t) n);
    } else if (n == 0 || errno != EINTR) {
        close(proc->out[stream]);
        proc->out[stream] = -1;
        job_output(job, rank, stream, NULL, 0);
    }
}

/* False when the other node or SIGTERM has ended us. */
static bool look(nfds_t n)
{
    for (nfds_t i = 0; i < n; i++) {
        const struct watch *w = &watches[i];

        if (!fds[i].revents) {
            continue;
        }
        if (w->job && w->stream == N_STREAMS) {
            job_ended(w->job, w->rank, -1);
        } else if (w->job) {
            read_output(w->job, w->rank, w->stream);
        } else if (fds[i].fd == bell[0]) {
            run_tasks();
        } else if (fds[i].fd == term_fd || !link_read()) {
            return false;
        }
    }
    return true;
}

static int loop(const struct job *job)
{
    while (!job || job->left > 0) {
        nfds_t n = gather();

        if (poll(fds, n, -1) < 0 && errno != EINTR) {
            exit(74);
        }
        if (!look(n)) {
            break;
        }
    }
    return job ? job->result : 0;
}

/* ---- main */

/* Descriptors this process has open. */
static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 4096; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

/* Says how many more descriptors there are than before the job, once the server has seen its
 * clients go, and its tools, which have their answers then. */
static void settle(int before)
{
    struct timespec tick = {.tv_nsec = 10000000};
    int more = open_descriptors() - before;

    for (int i = 0; more > 0 && i < 1000; i++) {
        nanosleep(&tick, NULL);
        more = open_descriptors() - before;
    }
    printf("host: %d descriptors more\n", more);
    fflush(stdout);
}

enum { MAX_INFOS = 16 };
static pmix_info_t infos[MAX_INFOS];
static size_t n_infos;

static void tell_flag(bool is, const char *key)
{
    bool yes = true;

    if (is) {
        PMIX_INFO_LOAD(&infos[n_infos], key, &yes, PMIX_BOOL);
        n_infos++;
    }
}

static void tell_text(const char *text, const char *key)
{
    if (text) {
        PMIX_INFO_LOAD(&infos[n_infos], key, text, PMIX_STRING);
        n_infos++;
    }
}

static void server_begin(void)
{
    char name[256] = "";
    pmix_rank_t rank = (pmix_rank_t) settings.node;
    pmix_status_t rc;

    tell_flag(settings.tools, PMIX_SERVER_TOOL_SUPPORT);
    tell_flag(settings.local_output, PMIX_IOF_LOCAL_OUTPUT);
    tell_text(settings.tmpdir, PMIX_SERVER_TMPDIR);
    tell_text(settings.systemdir, PMIX_SYSTEM_TMPDIR);
    tell_text(settings.uri_file, PMIX_TCP_REPORT_URI);
    if (settings.nodes > 1) {
        node_name(settings.node, name, sizeof(name));
        tell_text(name, PMIX_HOSTNAME);
        tell_text("interop-host", PMIX_SERVER_NSPACE);
        PMIX_INFO_LOAD(&infos[n_infos], PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
        n_infos++;
    }
    rc = PMIx_server_init(serve_module(), infos, n_infos);
    for (size_t i = 0; i < n_infos; i++) {
        PMIX_INFO_DESTRUCT(&infos[i]);
    }
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "host: server init: %s\n", PMIx_Error_string(rc));
        exit(72);
    }
}

/* Our own standard input, for rank 0 of the job: the library reads it. */
static void push_stdin(const struct job *job)
{
    pmix_info_t info;
    pmix_proc_t proc;
    pmix_status_t rc;
    bool yes = true;

    PMIX_LOAD_PROCID(&proc, job->name, 0);
    PMIX_INFO_LOAD(&info, PMIX_IOF_PUSH_STDIN, &yes, PMIX_BOOL);
    rc = PMIx_IOF_push(&proc, 1, NULL, &info, 1, NULL, NULL);
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fprintf(stderr, "host: push: %s\n", PMIx_Error_string(rc));
    }
}

static void server_end(void)
{
    job_forget_all();
    if (PMIx_server_finalize() != PMIX_SUCCESS) {
        exit(73);
    }
}

struct word {
    const char *name;
    bool *flag;
    const char **text;
    int *number;
};

static int join_port;
static const struct word words[] = {
    {"--tools", &settings.tools, NULL, NULL},
    {"--stdio", &settings.stdio, NULL, NULL},
    {"--local-output", &settings.local_output, NULL, NULL},
    {"--push-stdin", &settings.push_stdin, NULL, NULL},
    {"--stays", &settings.stays, NULL, NULL},
    {"--tmpdir", NULL, &settings.tmpdir, NULL},
    {"--system-tmpdir", NULL, &settings.systemdir, NULL},
    {"--report-uri", NULL, &settings.uri_file, NULL},
    {"--nodes", NULL, NULL, &settings.nodes},
    {"--join", NULL, NULL, &join_port},
};

/* Returns the words that are left. */
static char **options(char **argv)
{
    for (argv++; *argv && !strncmp(*argv, "--", 2); argv++) {
        const struct word *word = words;

        for (; word < words + sizeof(words) / sizeof(words[0]); word++) {
            if (!strcmp(*argv, word->name)) {
                break;
            }
        }
        if (word == words + sizeof(words) / sizeof(words[0]) || (!word->flag && !argv[1])) {
            fprintf(stderr, "host: what is %s?\n", *argv);
            exit(64);
        }
        if (word->flag) {
            *word->flag = true;
        } else if (word->text) {
            *word->text = *++argv;
        } else {
            *word->number = atoi(*++argv);
        }
    }
    return argv;
}

/* The second daemon: what the first one says, until it closes the connection. */
static int second(void)
{
    settings.node = 1;
    settings.nodes = 2;
    settings.stdio = true;
    link_join(join_port);
    server_begin();
    (void) loop(NULL);
    server_end();
    return 0;
}

static int first(char **argv)
{
    struct job *job = NULL;
    int n = argv[0] ? atoi(argv[0]) : 0;
    int before;
    int result;

    if (!settings.stays && (n < 1 || n > MAX_PROCS || !argv[1])) {
        fprintf(stderr, "usage: host [OPTION...] N PROGRAM [ARG...]\n");
        return 64;
    }
    if (settings.nodes > 1) {
        settings.stdio = true;
        link_open("/proc/self/exe");
    }
    server_begin();
    if (!settings.stays) {
        job = job_make(MAIN_JOB, n, argv + 1, settings.stdio);
    }
    before = open_descriptors();
    if (job) {
        job_start(job);
        if (settings.push_stdin) {
            push_stdin(job);
        }
    }
    result = loop(job);
    if (getenv("HOST_COUNT_FDS") || (settings.tools && !settings.stays)) {
        settle(before);
    }
    link_close();
    server_end();
    return result;
}

int main(int argc, char **argv)
{
    sigset_t term;

    (void) argc;
    alarm(150);
    signal(SIGPIPE, SIG_IGN);
    settings.tools = getenv("HOST_TOOLS") != NULL;
    argv = options(argv);
    tasks_tail = &tasks;
    if (pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0) {
        return 75;
    }
    if (settings.stays) {
        sigemptyset(&term);
        sigaddset(&term, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &term, NULL);
        term_fd = signalfd(-1, &term, SFD_CLOEXEC);
    }
    return join_port ? second() : first(argv);
}
