/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_RUN_RUN_H
#define PX_TOOLS_RUN_RUN_H

#include <pmix.h>
#include <pmix_server.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "src/base/env.h"
#include "src/base/output_format.h"
#include "src/host/host.h"

/* pmixrun: starts processes on this machine under the server half of the library. It uses the
 * public interface only, as any host daemon does.
 *
 * Threads: everything here belongs to the main thread, which waits in one poll(2) (loop.c). The
 * library's upcalls come on its progress thread; each becomes a task (task.c) that the main thread
 * does and answers. */

/* ---- options.c */

enum { PX_RUN_MAX_PROCS = 65536 }; /* of one job, all of its applications together */

struct px_run_options {
    int n_procs;    /* of the application that is read; 0: not given */
    bool by_number; /* likewise: as many as its --map-by says */
    bool help;
    bool version;
    bool tag_output;
    bool timestamp_output;
    bool merge;
    bool raw;
    const char *output; /* directory; NULL: none */
    bool output_only;   /* nothing is shown */
    unsigned format;    /* PX_FORMAT_, of the lines of all jobs */
    bool bind_core;
    bool report_bindings;
    bool verbose;
    bool report;
    bool waits_signal;
    bool keep_going;
    bool map_by_node;
    pmix_rank_t input_rank; /* as px_run_job.input_rank, of the first job */
    int n_nodes;
    int timeout_s; /* 0: none */
    const char *nspace;
    const char *record; /* file, or NULL */
    const char *trace;  /* likewise */
    char **env;         /* the environment of all processes, malloc'd array of malloc'd strings */
    pmix_app_t *apps;   /* the applications, at least one; malloc memory */
    size_t n_apps;
    size_t n_done; /* those that have been read */
    char **rest;   /* of main's argv: what has not been read */
    int n_rest;
    const char **rules; /* of --script, within main's argv; malloc'd array */
    size_t n_rules;
};

/* Reads the command line. 0, or the exit code after a complaint on standard error. */
int px_run_options_read(int argc, char **argv, struct px_run_options *ret_options);
void px_run_options_free(struct px_run_options *options);
void px_run_usage(FILE *to);

/* ---- output.c */

/* One of a process's two outputs. */
struct px_run_stream {
    int fd; /* read end, non-blocking; -1 at its end */
    int to; /* our own descriptor: 1 or 2 */
    bool at_end;
    bool made;     /* its file is there */
    bool mid_line; /* the beginning of a line was given out in a format */
    char *line;
    size_t len;
};

/* ---- job.c */

struct px_run_job;
struct px_shm_tally;

struct px_run_proc {
    struct px_run_job *job;
    pmix_rank_t rank;
    int app;
    uint32_t node;
    uint32_t local_rank; /* among those of its job on its node */
    pid_t pid;           /* also its process group; 0: not started */
    bool alive;
    bool stopped;      /* it stops before its first instruction */
    bool excused;      /* told to die: its status is nobody's failure */
    atomic_int n_open; /* connections between PMIx_Init and PMIx_Finalize; counted by the library's
                          threads */
    int status;        /* of waitpid(2) */
    cpu_set_t *cpus;   /* where it is bound, or NULL */
    char *cpuset;      /* the same as text, "hwloc:0-1" */
    struct px_run_stream out[2];
};

struct px_run_app {
    char *cmd;   /* what is executed; NULL: a node, which is not */
    char **argv; /* what it sees */
    char **env;
    char *cwd; /* NULL: ours */
    int n_procs;
    uint32_t *place;    /* the node of each process; NULL: the job's processes are placed as one */
    char mapped_by[24]; /* PMIX_MAPBY */
    bool rank_by_node;  /* PMIX_RANKBY: node, else slot */
};

struct px_run_job {
    struct px_run_job *next; /* of all, in the order of their starts */
    struct px_run_job *peer; /* of those that run, or (jobs.c) of those that are over */
    pmix_nspace_t nspace;
    int n_apps;
    struct px_run_app *apps;
    uint32_t n_procs;
    struct px_run_proc *procs; /* NULL: it is over, and only where they were is kept */
    uint16_t *nodes;           /* then that, by rank; else NULL */
    pmix_status_t end;         /* then px_run_job_status */
    uint32_t n_alive;          /* of this node */
    bool done;                 /* none of this node is left to wait for */
    bool over;                 /* nor of others */
    bool registered;           /* the library knows it */
    bool spawned;
    bool notify_parent;       /* whoever has spawned it hears of its end */
    bool tell_start;          /* and of its start */
    bool apart;               /* a tool, or of a tool: its failure is not ours */
    bool merge;               /* standard error is written to standard output */
    bool raw;                 /* output is passed on also before its line has an end */
    bool file_only;           /* output with a file is not shown */
    bool file_failed;         /* one could not be written */
    unsigned format;          /* PX_FORMAT_, of its lines */
    struct px_output_file to; /* where its output is written, too; owns its texts */
    bool stops;               /* a process is stopped before its first instruction */
    pmix_proc_t parent;
    pmix_rank_t input_rank; /* who is given input; PMIX_RANK_WILDCARD: all, _INVALID: nobody */
    uint32_t home;          /* the node at which it was spawned */
    pmix_iof_channel_t forwarded;     /* outputs that go there, also when nobody has asked yet */
    int code;                         /* first non-zero exit code */
    const struct px_run_proc *failed; /* whose end that was, or NULL */
    pmix_info_t *more;                /* that the library is told with the rest; malloc memory */
    size_t n_more;
    struct px_shm_tally *tally; /* of its segment, for --report; NULL: none (yet) */
};

/* A job of its apps, which it takes over also on failure. NULL when memory is out. */
struct px_run_job *px_run_job_create(const char *nspace, struct px_run_app *apps, int n_apps);
void px_run_job_destroy(struct px_run_job *job);
/* Frees its processes and applications, and what they need. */
void px_run_job_empty(struct px_run_job *job);
void px_run_apps_destroy(struct px_run_app *apps, int n);
/* How it has ended, or PMIX_SUCCESS. */
pmix_status_t px_run_job_status(const struct px_run_job *job);

/* Tells the library everything about the job and its processes. */
pmix_status_t px_run_job_register(struct px_run_job *job);
void px_run_job_deregister(struct px_run_job *job);
/* After a change: when nobody of this node is left, says so, or ends the job if there is only one
 * node. */
void px_run_job_check(struct px_run_job *job);
/* Everybody has ended, everywhere. */
void px_run_job_over(struct px_run_job *job);

/* ---- jobs.c */

/* Takes over a job that is about to run. PMIX_ERR_NOMEM: it stays the caller's. */
pmix_status_t px_run_job_add(struct px_run_job *job);
struct px_run_job *px_run_job_find(const char *nspace); /* NULL: there was never such a job */
/* True if there is such a process, or, with PMIX_RANK_WILDCARD, such a job; or was. */
bool px_run_proc_exists(const pmix_proc_t *proc);
/* The node of a process that exists. */
uint32_t px_run_job_node(const struct px_run_job *job, pmix_rank_t rank);
/* It is over. Deregisters it, or, while a tool may still ask for its output, an older one; and
 * empties an older one. */
void px_run_job_retire(struct px_run_job *job);
void px_run_jobs_free(void);

/* ---- job_event.c: what whoever has spawned a job hears of it */

void px_run_say_started(const struct px_run_job *job);
void px_run_say_over(const struct px_run_job *job);

/* ---- bind.c */

/* Gives each process of the job a core, in turn; with fewer cores than processes they share. */
int px_run_bind(struct px_run_job *job);
void px_run_bind_say(const struct px_run_job *job);

/* ---- launch.c */

/* Lets us have as many descriptors as we may; the processes get the limit that we were given. */
void px_run_files_raise(void);
/* Starts the job's processes. 0, or after a complaint the errno of what failed, with what was
 * already started told to die. */
int px_run_job_launch(struct px_run_job *job);

/* ---- openmpi.c: variables that Open MPI's launcher gives its processes */

/* Makes the nodes' directories. 0 or errno. */
int px_run_openmpi_open(void);
/* Removes the directories with all that is in them. The guard does, when nobody uses them. */
void px_run_openmpi_remove(void);
/* Forgets the directories without removing them. */
void px_run_openmpi_free(void);
/* Adds to the environment of a process of the job what it does not have. */
int px_run_openmpi_set(const struct px_run_job *job, char ***env);
/* Whether there are more processes, the job's among them, than CPUs that we may use. */
bool px_run_oversubscribed(const struct px_run_job *job);

/* ---- guard.c: a process that kills what is left if pmixrun itself is killed */

int px_run_guard_start(void);
int px_run_guard_fd(void); /* children write their pid here before exec */
void px_run_guard_drop(pid_t pid);
void px_run_guard_stop(void);

/* ---- task.c: from the progress thread to the main thread */

struct px_run_task {
    struct px_run_task *next;
    void (*run)(struct px_run_task *task); /* answers the upcall; frees the task's own things */
    pmix_proc_t proc;                      /* who asked, or who is asked about */
    struct upcall upcall;                  /* its own proc is not used */
};

int px_run_tasks_open(void); /* returns the descriptor to wait on, or -1 */
/* Copies the task; the arguments stay the library's until the answer. PMIX_SUCCESS or
 * PMIX_ERR_NOMEM. */
pmix_status_t px_run_task_post(const struct px_run_task *task);
void px_run_tasks_do(void);

/* ---- host.c */

/* The module of our server. */
pmix_server_module_t *px_run_host_open(void);
/* Whether there is an answer to this without a script. */
bool px_run_host_can(enum entry entry);

/* ---- script.c, record.c: what --script and --record say about upcalls; any thread from open on */

/* A rule, or the name of a file of rules, for that many nodes. 0, or -1 after a complaint on
 * standard error. */
int px_run_script_add(const char *text, int n_nodes);
int px_run_script_open(void);                 /* 0 or errno */
enum how px_run_script_how(enum entry entry); /* of this node; BY_DEFAULT: nothing is said */
const struct answer *px_run_script(struct upcall *upcall);
bool px_run_script_wait(const char *when);
/* Late answers that are still to come are given up. Before the server ends. */
void px_run_script_close(void);
/* Says which rules no node has applied; in the process that was started. */
void px_run_script_unused(void);
void px_run_script_free(void);

int px_run_record_open(const char *path); /* 0 or errno; before nodes are forked */
/* The nth upcall of its kind; rule: the one that it is answered by, or NULL. */
void px_run_record(const struct upcall *upcall, long nth, const char *rule);

/* ---- publish.c (main thread) */

void px_run_publish(struct px_run_task *task);
void px_run_lookup(struct px_run_task *task);
void px_run_unpublish(struct px_run_task *task);
void px_run_published_expire(int64_t now_ms);
int64_t px_run_published_deadline(
    void); /* of the waiting lookup that ends first; INT64_MAX: none */
void px_run_published_forget(const char *nspace,
                             pmix_rank_t rank); /* they have ended; PMIX_RANK_WILDCARD: all */
void px_run_published_free(void);

/* ---- query.c, control.c, spawn.c (main thread) */

bool px_run_query_knows(const pmix_query_t *queries, size_t n);
void px_run_query(struct px_run_task *task);
void px_run_control(struct px_run_task *task);
void px_run_abort(struct px_run_task *task);
void px_run_spawn(struct px_run_task *task);
struct px_run_job_wishes;
/* The job that the applications and directives of a PMIx_Spawn describe, not registered yet.
 * wishes: the defaults; then what the directives ask for the job. PMIX_ERR_JOB_NO_EXE_SPECIFIED,
 * PMIX_ERR_OUT_OF_RESOURCE (more than PX_RUN_MAX_PROCS processes), PMIX_ERR_NOMEM, or as
 * px_run_wishes_read and px_run_map. */
pmix_status_t px_run_job_make(const struct upcall *order, const char *nspace,
                              struct px_run_job_wishes *wishes, struct px_run_job **ret_job);
/* Sends a signal to those processes of this node that `target` means; excuse: what they then return
 * is nobody's failure. */
void px_run_signal(const pmix_proc_t *target, int sig, bool excuse);

/* ---- tool.c (library's threads) */

/* Admits a tool of our user, and names it. */
pmix_status_t px_run_tool(struct upcall *upcall);
/* From now on processes that a debugger has let stop go on when it is lost. After
 * PMIx_server_init. */
pmix_status_t px_run_tools_watch(void);

/* ---- rendezvous.c: files by which tools find us, in the directory that the server uses */

#define PX_RUN_SERVERS "pmixrun-server." /* and the process id: namespace of the servers */

const char *px_run_rendezvous_dir(void);
/* With several nodes: a tool that is told the id of the process that was started, or the name of
 * its servers, finds this node's. 0 or errno. */
int px_run_rendezvous_open(void);
void px_run_rendezvous_close(void);
/* Removes what these processes, which were killed, have left. */
void px_run_rendezvous_sweep(const int32_t *pids, size_t n);

/* ---- forward.c, push.c (main thread) */

/* A process of this node has written, or (n == 0) will not write any more: for those who have
 * asked. */
void px_run_forward(const struct px_run_proc *proc, pmix_iof_channel_t channel, const char *bytes,
                    size_t n);
void px_run_pull(struct px_run_task *task);
void px_run_forward_free(void);
void px_run_push(struct px_run_task *task);
void px_run_push_free(void);

struct px_run_push;
/* One of its inputs has taken all of it, or will not. */
void px_run_push_settle(struct px_run_push *push, pmix_status_t status);

/* ---- stdio: input.c, stdin.c, output.c, report.c */

struct px_run_input;
/* The write end towards the process's standard input; taken also on failure. NULL when memory is
 * out. */
struct px_run_input *px_run_input_open(const struct px_run_proc *proc, int fd);
struct px_run_input *px_run_input_find(const struct px_run_proc *proc); /* NULL: none (any more) */
bool px_run_input_is_empty(const struct px_run_input *in);
/* False if this was asked for the same push, whose number is not 0, before, and for no other since.
 */
bool px_run_input_is_new_to(struct px_run_input *in, uint64_t push);
/* Queues bytes; `last`: and then the end. The input may be gone when this returns. `push` (may be
 * NULL) is settled when all is taken, but not on failure: PMIX_ERR_OUT_OF_RESOURCE (too much
 * waits), PMIX_ERR_IOF_COMPLETE (it has ended), PMIX_ERR_NOMEM. */
pmix_status_t px_run_input_put(struct px_run_input *in, const char *bytes, size_t n, bool last,
                               struct px_run_push *push);
void px_run_input_ended(const struct px_run_proc *proc); /* it reads no more */
void px_run_inputs_close(void);

/* Of the relay: our own standard input goes there. */
void px_run_stdin_open(struct px_run_input *in);
/* Elsewhere: node 0 gives it to the job's input_rank. After the job was launched. */
void px_run_stdin_feed(const struct px_run_job *job);
void px_run_stdin_forget(const struct px_run_input *in); /* it is closed */
int px_run_stdin_poll_fd(void);                          /* descriptor to read, -1: none */
/* True if there is none only because the terminal is another job's: nothing says when that ends. */
bool px_run_stdin_is_away(void);
void px_run_stdin_move(void);

/* Moves what is there to our own output, whole lines; closes the stream at its end.
 * Non-blocking. */
void px_run_stream_move(const struct px_run_proc *proc, struct px_run_stream *s);
/* Gives out what is left, also an unfinished line, and closes. */
void px_run_stream_close(const struct px_run_proc *proc, struct px_run_stream *s);
/* Writes all bytes to descriptor 1 or 2. Handles signals while it waits for a reader; a write to a
 * regular file does not wait. Main thread. */
void px_run_write(int fd, const char *bytes, size_t n);
void px_run_say(const char *format, ...) __attribute__((format(printf, 1, 2))); /* "pmixrun: ..." */
void px_run_verbose(const char *format, ...)
    __attribute__((format(printf, 1, 2))); /* only with --verbose */

int px_run_report_open(void);    /* the descriptor that children get; -1 on failure */
int px_run_report_poll_fd(void); /* where lines come; -1: none do */
void px_run_report_move(void);   /* takes what has come, so that no process waits for room */
void px_run_report_take(struct px_run_job *job); /* before its segment goes */
/* Takes the heap as it is at this step, which `when` names (borrowed); for --report --verbose. */
void px_run_report_step(const char *when);
void px_run_report_print(void);

/* ---- waits.c: nothing is said where the library publishes nothing (shmix_waits) */

void px_run_waits_say(void);    /* what our server waits for */
void px_run_waits_report(void); /* who came last to its collectives, the newest ones */

/* ---- trace.c: --trace; without it the functions do nothing. Main thread */

/* Before our library is initialized and nodes are forked. 0 or errno. */
int px_run_trace_open(const char *path);
uint64_t px_run_trace_now(void); /* 0 without --trace */
/* Something that this node has done, for a job or (NULL) not, since then. */
void px_run_trace_step(const char *what, const char *nspace, uint64_t since_ns);
void px_run_trace_forked(const struct px_run_proc *proc, uint64_t since_ns);
void px_run_trace_ended(const struct px_run_proc *proc);
/* In the process that was started, writes the timeline: when everything else has ended. */
void px_run_trace_close(void);

/* ---- loop.c */

/* With --nodes there are several processes of pmixrun (nodes.h). */
enum px_run_place { PX_RUN_ALONE, PX_RUN_NODE, PX_RUN_AT_RELAY };

struct px_run {
    struct px_run_options options;
    enum px_run_place place;
    uint32_t node;              /* which one this is */
    pid_t pid;                  /* of the process that was started, the same on all nodes */
    bool dismissed;             /* nothing more will come: may end when all processes have */
    struct px_run_job *jobs;    /* all that there have been, by `next` */
    struct px_run_job *running; /* those that are not over, by `peer` */
    uint32_t n_spawned;
    char hostname[PMIX_MAX_NSLEN + 1];
    bool ending;           /* everybody has been told to terminate */
    bool muted;            /* our output is gone or stuck: drop what is still written */
    int code;              /* exit code */
    int last_signal;       /* the last that was passed on; 0: none */
    int64_t kill_at_ms;    /* when SIGKILL follows; 0: not set */
    int64_t timeout_at_ms; /* when the job is ended; 0: never */
    int signal_fd;
    int task_fd;
};
extern struct px_run px_run;

int64_t px_run_now_ms(void);
int px_run_signals_open(void);
/* Deals with the signals that have come. Whether one of them is a request to end: SIGINT, SIGTERM.
 */
bool px_run_signals_read(void);
/* A process has failed, and others go on: the exit code, if it is the first that is not 0, of all
 * nodes. */
void px_run_note_code(int code);
/* Everybody is told to terminate, with SIGKILL after a grace; the first code given counts. */
void px_run_end(int code);
/* Sends a signal to a process and what it has started. */
void px_run_kill(struct px_run_proc *proc, int sig);
/* How long poll(2) may wait, and what to do about the time that has passed. */
int px_run_wait_ms(void);
void px_run_expire(void);
/* Until every process has ended. */
void px_run_loop(void);

#endif
