/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* How to write a conformance case; ../README.md has the story. Only the public interface of
 * PMIx 4.2 is used, so that a program builds against our library and against another. A program is
 * a table `cases` and `n_cases`; main is here. Functions marked (host) are for host processes,
 * (client) for ranks and tools, the others for anybody. */

#ifndef PX_CONFORM_LIB_CONFORM_H
#define PX_CONFORM_LIB_CONFORM_H

#include <pmix.h>
#include <pmix_server.h>
#include <pmix_tool.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "newer.h"
#include "src/host/host.h"

enum { MAX_NODES = 8, MAX_JOBS = 8 };

/* ---- what was asked of a host: struct record and struct note of src/host/upcall.h */

/* Everything is counted from 0 and in order of arrival; node -1: of all nodes. */
int upcalls(enum entry entry, int node);
const struct record *upcall(enum entry entry, int node, int nth); /* NULL: there was none */
const struct note *record_info(const struct record *r, const char *key);
const struct note *note_info(const struct note *note, const char *key);
bool record_names(const struct record *r, const char *nspace, pmix_rank_t rank);
/* Waits until there were n upcalls of this kind on all nodes. */
void await_upcalls(enum entry entry, int n);

/* ---- what a host answers: struct answer of src/host/upcall.h
 *
 * An entry that is there without being scripted does what a sound host does; another one is NULL.
 * `when` is a step. What an ask points to is there only during the call, except the record. */

/* (host) For own functions; each calls back once, from this thread, and what is given stays the
 * caller's. */
#define reply_status px_host_reply_status
#define reply_infos  px_host_reply_infos
#define reply_bytes  px_host_reply_bytes
/* Runs fn in another thread, after `when` was told if given; it gets a copy without the borrowed
 * arguments. */
static inline pmix_status_t later(const struct upcall *ask, const char *when,
                                  void (*fn)(struct upcall *copy))
{
    return px_host_later(ask, when, fn);
}
/* What BY_DEFAULT does: for own functions that only look, or choose. */
pmix_status_t sound_answer(struct upcall *ask);

/* ---- infos to give */

struct infos {
    pmix_info_t *at;
    size_t n;
};

void add(struct infos *list, const char *key, const void *value, pmix_data_type_t type);
void add_u32(struct infos *list, const char *key, uint32_t value);
void add_text(struct infos *list, const char *key, const char *value);
void add_procs(struct infos *list, const char *key, const pmix_proc_t *procs, size_t n);
void add_true(struct infos *list, const char *key);
void add_required(struct infos *list, const char *key, const void *value, pmix_data_type_t type);
/* Takes the inner list: an array of infos under key (PMIX_PROC_INFO_ARRAY and the like). */
void add_array(struct infos *list, const char *key, struct infos *inner);
void drop(struct infos *list, const char *key);
void free_infos(struct infos *list);

/* ---- cases */

struct job {
    const char *name;
    int ranks[MAX_NODES]; /* on each node, numbered node by node */
    bool later;           /* neither registered nor started before job_register and job_start */
    bool quiet;           /* registered, but its processes are never started */
};

enum form { BOTH_FORMS, SHARED, MESSAGES };

struct conform_case {
    const char *ids;       /* "FEN-001 FEN-002" */
    const char *otherwise; /* those that checks count for that name none; default: the only one */
    const char *what;      /* a sentence without full stop */
    int nodes;             /* default 1 */
    int ranks;             /* of the default job "A", on each node; default 1 */
    bool spread;           /* is run again with these ranks of one node on two, and on three */
    struct job jobs[MAX_JOBS]; /* instead of nodes' and ranks' job A */
    int tools; /* processes on node 0 that run `tool` and get no job's environment */
    struct answer host[N_ENTRIES];
    void (*server)(struct infos *list); /* (host) more for PMIx_server_init */
    void (*setup)(const struct job *job,
                  struct infos *list);               /* (host) change what is registered of a job */
    void (*client)(void);                            /* every rank */
    void (*tool)(void);                              /* does its PMIx_tool_init itself */
    void (*script)(void);                            /* (host) on every node, beside the clients */
    void (*further)(int number, struct infos *list); /* more for a further server, in its process */
    void (*after)(void);                             /* in the driver, after all have ended */
    bool raw;              /* the client calls PMIx_Init and PMIx_Finalize itself */
    bool alone;            /* no host: one process that runs `client`, and is raw */
    bool no_module;        /* the host gives its server none at all */
    bool unmapped;         /* also in the shared form a process may have no segment */
    bool dirty;            /* what is left (descriptors, files) is not looked at */
    enum form form;        /* the only form in which the case makes sense */
    bool own_host;         /* what it knows of its job is what our hosts say of it */
    int seconds;           /* bound of its whole life; default 60 */
    const char *ours_only; /* why the case cannot be built or run with another library */
};

extern const struct conform_case cases[];
extern const int n_cases;

/* ---- in a case */

/* A requirement fails by its own checks only: those that name it, and those that name nobody while
 * the process is about it. In a case of one id all are. An end by a signal, or none in time, is
 * laid to what the process was about, or was just evaluating a check for. `ids` may be several. */
#define check(cond, ...)             conform_check((cond), __FILE__, __LINE__, __VA_ARGS__)
#define check_status(want, got, ...) conform_status((want), (got), __FILE__, __LINE__, __VA_ARGS__)
#define check_for(ids, cond, ...)                                                                  \
    (conform_enter(ids), conform_left(conform_check((cond), __FILE__, __LINE__, __VA_ARGS__)))
#define check_status_for(ids, want, got, ...)                                                      \
    (conform_enter(ids),                                                                           \
     conform_left(conform_status((want), (got), __FILE__, __LINE__, __VA_ARGS__)))
/* For helpers: counts for this id if the case has it, else for none. */
#define check_aside(id, cond, ...)                                                                 \
    (conform_enter_if(id), conform_left(conform_check((cond), __FILE__, __LINE__, __VA_ARGS__)))
/* What follows in this process, until the next; NULL: as the case says. */
void about(const char *ids);
void conform_enter(const char *ids);
void conform_enter_if(const char *id);
void conform_leave(void);
static inline bool conform_left(bool holds)
{
    conform_leave();
    return holds;
}
bool conform_check(bool holds, const char *file, int line, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
/* PMIX_SUCCESS and PMIX_OPERATION_SUCCEEDED are different statuses. */
bool conform_status(pmix_status_t want, pmix_status_t got, const char *file, int line,
                    const char *what, ...) __attribute__((format(printf, 5, 6)));

/* Named steps, seen by every process of the case and counted; outside of PMIx. */
void tell(const char *step);
void await(const char *step);
void await_n(const char *step, int n);
int told(const char *step);

const struct conform_case *the_case(void);
const struct job *find_job(const char *name);
int job_size(const struct job *job);
int job_node(const struct job *job, pmix_rank_t rank); /* -1: no such rank */
const char *node_name(int node);                       /* "node0" */
int n_nodes(void);
bool shared_form(void);
int node(void); /* of this process */
pid_t server_pid(int node);
const char *scratch(void); /* a folder of this case; TMPDIR and HOME are in it */

/* (client) */
extern pmix_proc_t me;
int tool_number(void);

/* (client) Further servers on node 0, each in a process of its own, with the host that the case
 * scripts: for cases that start and stop servers. Their numbers go from n_nodes() to MAX_NODES - 1;
 * upcalls and server_pid know each as the node of that number. Without more, it is called "server2"
 * (by its number), and takes no tools. */
pmix_status_t server_begin(int number); /* what PMIx_server_init has returned */
void server_end(int number);            /* PMIx_server_finalize, and the process ends */
void server_kill(int number);

/* Folders in the scratch folder: makes one, and returns its path; looks that it is empty, and
 * removes it. */
const char *make_folder(const char *name);
void remove_folder(const char *name);
/* How many entries a folder has whose names begin so; -1: there is no folder. */
int count_entries(const char *path, const char *name);

/* (host) Each acts on the part of the job that is on this node. */
void job_register(const char *name);
void job_start(const char *name);
/* Two later jobs of which each node knows only its own: the first is of node 0, the second of node
 * 1. */
void jobs_apart(const char *first, const char *second);
void job_start_rank(const char *name, pmix_rank_t rank);
void job_end(const char *name); /* waits for its processes to end */
void job_deregister(const char *name);
/* An event of the host's, in the range of the session, told by the servers of all nodes. */
void hosts_say(pmix_status_t code, const pmix_proc_t *about, const struct infos *list);
void host_dies(void); /* by SIGKILL, now; what it started lives on. For cases of one node */
pid_t rank_pid(const char *name, pmix_rank_t rank); /* 0: not of this node, or not started */
void rank_kill(const char *name, pmix_rank_t rank,
               int signal); /* SIGKILL: its end is no failure, and is waited for */

#endif
