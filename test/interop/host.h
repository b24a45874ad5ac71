/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef TEST_INTEROP_HOST_H
#define TEST_INTEROP_HOST_H

#include "src/host/host.h"

#include <stdbool.h>
#include <sys/types.h>

/* A host daemon of test/interop, of which there may be a second one on the other end of a TCP
 * connection, as a launcher has a daemon on each node. The main thread owns the jobs; upcalls
 * become tasks for it. */

enum { MAX_PROCS = 64, MAX_JOBS = 32, N_STREAMS = 2 };

struct proc {
    pid_t pid;
    int ended;          /* pidfd; -1: not of this node, or over */
    int out[N_STREAMS]; /* standard output and error; -1: closed */
    int in;             /* standard input; -1: closed */
};

struct job {
    pmix_nspace_t name;
    int n;
    char **command;
    bool stdio;        /* pipes in place of our own standard streams */
    pmix_proc_t owner; /* who has spawned it; rank PMIX_RANK_UNDEF: nobody */
    bool tells_end;    /* the owner wants PMIX_EVENT_JOB_END */
    int left;          /* processes that run, on all nodes */
    int result;
    struct proc procs[MAX_PROCS];
};

struct task {
    struct task *next;
    void (*run)(struct task *task);
    struct upcall upcall;
    pmix_proc_t proc; /* upcall.proc is this */
    char *data;       /* upcall.data is this */
};

struct settings {
    int nodes;
    int node;
    bool tools;
    bool stdio;
    bool push_stdin;       /* our own standard input is that of the job's rank 0 */
    bool local_output;     /* the library writes what we deliver */
    bool pulled;           /* a tool has asked for output. Main thread */
    bool stays;            /* runs until SIGTERM */
    const char *tmpdir;    /* session directory */
    const char *systemdir; /* system directory */
    const char *uri_file;
};
extern struct settings settings;

/* ---- host.c */

/* The main thread runs it. PMIX_SUCCESS, for the upcall. */
pmix_status_t later(struct upcall *upcall, void (*run)(struct task *task));
void wait_op(pmix_status_t rc);
void op_done(pmix_status_t status, void *cbdata);

/* ---- host_job.c: main thread */

/* Registers it here, and has the other node register and start it. */
struct job *job_make(const char *name, int n, char **command, bool stdio);
void job_start(struct job *job); /* its processes here */
struct job *job_find(const char *name);
struct job *job_at(int index);                    /* NULL: no more */
void node_name(int node, char *ret, size_t room); /* zeroed */
int job_node(const struct job *job, int rank);
void job_output(struct job *job, int rank, int stream, const char *bytes, size_t n);
void job_input(struct job *job, int rank, const char *bytes, size_t n);
void job_ended(struct job *job, int rank, int status);
void job_kill(struct job *job, int rank); /* -1: all */
void job_forget_all(void);

/* ---- host_serve.c: library's threads */

pmix_server_module_t *serve_module(void);

/* ---- host_link.c: main thread */

void link_open(const char *program);
void link_join(int port);
int link_fd(void); /* -1: there is no other node */
bool link_read(void);
void link_job(const struct job *job);
void link_output(const struct job *job, int rank, int stream, const char *bytes, size_t n);
void link_input(const struct job *job, int rank, const char *bytes, size_t n);
void link_ended(const struct job *job, int rank, int status);
void link_kill(const struct job *job);
void link_fence(struct task *task); /* takes it */
void link_modex(struct task *task); /* takes it */
void link_close(void);

#endif
