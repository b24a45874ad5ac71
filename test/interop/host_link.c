/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The connection of the two daemons: frames over TCP on loopback. The first one starts jobs and
 * collects what fences bring, the second one does what it is told. */

#include "test/interop/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { JOB, OUTPUT, INPUT, ENDED, KILL, FENCE, FENCED, WANT, HAVE };

struct frame {
    uint32_t kind;
    int32_t rank;
    int32_t number; /* stream, exit status, how many processes */
    uint32_t len;   /* bytes behind the frame */
    uint64_t cookie;
    pmix_nspace_t job;
};

static int fd = -1;
static pid_t other;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

int link_fd(void)
{
    return fd;
}

static struct sockaddr_in loopback(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t) port)};

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return to;
}

static void fail(const char *what)
{
    fprintf(stderr, "host: %s: %s\n", what, strerror(errno));
    exit(79);
}

void link_open(const char *program)
{
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = loopback(0);
    socklen_t len = sizeof(at);
    char port[16];

    if (bind(listener, (struct sockaddr *) &at, len) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *) &at, &len)) {
        fail("listen");
    }
    snprintf(port, sizeof(port), "%d", ntohs(at.sin_port));
    other = fork();
    if (other == 0) {
        execl(program, "host", "--join", port, (char *) NULL);
        _exit(127);
    }
    fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        fail("accept");
    }
    close(listener);
}

void link_join(int port)
{
    struct sockaddr_in to = loopback(port);

    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *) &to, sizeof(to))) {
        fail("connect");
    }
}

void link_close(void)
{
    if (other) {
        shutdown(fd, SHUT_WR);
        waitpid(other, NULL, 0);
        close(fd);
        fd = -1;
    }
}

static void put(const void *bytes, size_t n)
{
    const char *at = bytes;

    while (n > 0) {
        ssize_t done = send(fd, at, n, MSG_NOSIGNAL);

        if (done < 0 && errno != EINTR) {
            fail("send");
        }
        at += done > 0 ? done : 0;
        n -= done > 0 ? (size_t) done : 0;
    }
}

static bool take(void *bytes, size_t n)
{
    return n == 0 || recv(fd, bytes, n, MSG_WAITALL) == (ssize_t) n;
}

static void say(struct frame frame, const char *job, const void *bytes, size_t n)
{
    if (fd >= 0) {
        snprintf(frame.job, sizeof(frame.job), "%s", job);
        frame.len = (uint32_t) n;
        pthread_mutex_lock(&sending);
        put(&frame, sizeof(frame));
        put(bytes, n);
        pthread_mutex_unlock(&sending);
    }
}

void link_job(const struct job *job)
{
    char words[4096];
    size_t n = 0;

    for (char **word = job->command; *word && n + strlen(*word) < sizeof(words); word++) {
        memcpy(words + n, *word, strlen(*word) + 1);
        n += strlen(*word) + 1;
    }
    if (settings.node == 0) {
        say((struct frame){.kind = JOB, .number = job->n}, job->name, words, n);
    }
}

void link_output(const struct job *job, int rank, int stream, const char *bytes, size_t n)
{
    say((struct frame){.kind = OUTPUT, .rank = rank, .number = stream}, job->name, bytes, n);
}

void link_input(const struct job *job, int rank, const char *bytes, size_t n)
{
    say((struct frame){.kind = INPUT, .rank = rank}, job->name, bytes, n);
}

void link_ended(const struct job *job, int rank, int status)
{
    if (settings.node != 0) {
        say((struct frame){.kind = ENDED, .rank = rank, .number = status}, job->name, NULL, 0);
    }
}

void link_kill(const struct job *job)
{
    say((struct frame){.kind = KILL, .number = job->result}, job->name, NULL, 0);
}

static void kill_here(struct job *job, int result)
{
    job->result = job->result ? job->result : result;
    for (int r = 0; r < job->n; r++) {
        job_kill(job, r);
    }
}

static void begin(const struct frame *frame, char *words)
{
    char *command[64];
    int n = 0;

    for (char *at = words; at < words + frame->len && n < 63; at += strlen(at) + 1) {
        command[n++] = at;
    }
    command[n] = NULL;
    job_start(job_make(frame->job, frame->number, command, true));
}

/* ---- fences over both nodes: one after the other in a job, so the first of each node are one. A
 * fence of the first node waits as its task, one of the second as its frame. */

struct share {
    struct share *next;
    struct task *task; /* NULL: of the second node */
    uint64_t cookie;
    pmix_nspace_t job;
    size_t n;
    char data[];
};

static struct share *shares;

static struct share *share_make(const char *job, const char *data, size_t n)
{
    struct share *share = calloc(1, sizeof(*share) + n);
    struct share **end = &shares;

    snprintf(share->job, sizeof(share->job), "%s", job);
    share->n = n;
    if (n) {
        memcpy(share->data, data, n);
    }
    while (*end) {
        end = &(*end)->next;
    }
    *end = share;
    return share;
}

/* Takes the first of that node out of the list, and gives it. */
static struct share *share_take(const char *job, bool first_node)
{
    for (struct share **at = &shares; *at; at = &(*at)->next) {
        if (!strcmp((*at)->job, job) && !(*at)->task == !first_node) {
            struct share *share = *at;

            *at = share->next;
            return share;
        }
    }
    return NULL;
}

static bool has_both(const char *job)
{
    int seen = 0;

    for (struct share *at = shares; at; at = at->next) {
        seen |= strcmp(at->job, job) ? 0 : at->task ? 1 : 2;
    }
    return seen == 3;
}

/* Answers a task that wants bytes. */
static void fenced(struct task *task, pmix_status_t status, const char *data, size_t n)
{
    px_host_reply_bytes(&task->upcall, status, data, n);
    free(task->data);
    free(task);
}

static void match(const char *job)
{
    struct share *own;
    struct share *theirs;
    char *all;

    if (!has_both(job)) {
        return;
    }
    own = share_take(job, true);
    theirs = share_take(job, false);
    all = malloc(own->n + theirs->n + 1);
    memcpy(all, own->data, own->n);
    memcpy(all + own->n, theirs->data, theirs->n);
    say((struct frame){.kind = FENCED, .cookie = theirs->cookie}, job, all, own->n + theirs->n);
    fenced(own->task, PMIX_SUCCESS, all, own->n + theirs->n);
    free(all);
    free(own);
    free(theirs);
}

void link_fence(struct task *task)
{
    const char *job = task->upcall.procs[0].nspace;

    if (settings.node == 0) {
        share_make(job, task->data, task->upcall.n_data)->task = task;
        match(job);
    } else {
        say((struct frame){.kind = FENCE, .cookie = (uintptr_t) task}, job, task->data,
            task->upcall.n_data);
    }
}

/* ---- what a process of the other node has posted */

void link_modex(struct task *task)
{
    const pmix_value_t *key = px_host_find(&task->upcall, PMIX_REQUIRED_KEY);
    const char *text = key && key->type == PMIX_STRING ? key->data.string : "";

    say((struct frame){.kind = WANT, .rank = (int) task->proc.rank, .cookie = (uintptr_t) task},
        task->proc.nspace, text, strlen(text) + 1);
}

static void fetched(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    struct frame *frame = cbdata;

    say((struct frame){.kind = HAVE, .number = status, .cookie = frame->cookie}, frame->job, data,
        status == PMIX_SUCCESS ? n : 0);
    free(frame);
}

static void fetch(const struct frame *frame, const char *key)
{
    struct frame *kept = malloc(sizeof(*kept));
    pmix_proc_t proc;

    *kept = *frame;
    PMIX_LOAD_PROCID(&proc, frame->job, (pmix_rank_t) frame->rank);
    px_host_fetch(&proc, key[0] ? key : NULL, 30, fetched, kept);
}

/* ---- reading */

static void heard(const struct frame *frame, char *bytes)
{
    struct job *job = job_find(frame->job);

    if (frame->kind == JOB) {
        begin(frame, bytes);
    } else if (frame->kind == FENCED || frame->kind == HAVE) {
        fenced((struct task *) (uintptr_t) frame->cookie, frame->number, bytes, frame->len);
    } else if (frame->kind == WANT) {
        fetch(frame, bytes);
    } else if (!job) {
        fail("a frame about nothing");
    } else if (frame->kind == OUTPUT) {
        job_output(job, frame->rank, frame->number, bytes, frame->len);
    } else if (frame->kind == INPUT) {
        job_input(job, frame->rank, bytes, frame->len);
    } else if (frame->kind == ENDED) {
        job_ended(job, frame->rank, frame->number);
    } else if (frame->kind == KILL) {
        kill_here(job, frame->number);
    } else {
        share_make(frame->job, bytes, frame->len)->cookie = frame->cookie;
        match(frame->job);
    }
}

bool link_read(void)
{
    struct frame frame;
    char *bytes;
    bool whole;

    if (!take(&frame, sizeof(frame))) {
        return false;
    }
    bytes = malloc(frame.len + 1);
    whole = take(bytes, frame.len);
    bytes[frame.len] = '\0';
    if (whole) {
        heard(&frame, bytes);
    }
    free(bytes);
    return whole;
}
