/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the files of the harness share, and cases do not use. */

#ifndef PX_CONFORM_LIB_INSIDE_H
#define PX_CONFORM_LIB_INSIDE_H

#include "conform.h"

#include <stdatomic.h>

enum { MAX_STEPS = 1024, MAX_RECORDS = 1 << 17, MAX_LINES = 256, MAX_LINE = 400 };
enum { MAX_IDS = 24, MAX_ID = 16, MAX_TRIALS = 4096 };

/* One of the ids of the case: how many checks were for it. */
struct asked_id {
    char name[MAX_ID];
    _Atomic uint32_t tried;
    _Atomic uint32_t failed;
};

/* A process in the body of the case, and what it is about. */
struct trial {
    _Atomic int pid;
    _Atomic uint32_t mask;
    _Atomic bool over;
};

struct step {
    _Atomic uint64_t hash; /* 0: free */
    _Atomic uint32_t count;
    _Atomic uint32_t waiting;
    char name[48];
};

/* Memory that all processes of a case have at the same address, so that it may hold pointers into
 * itself. Nothing is ever given back, and no lock is held by anybody who might be killed. */
struct board {
    int case_number;
    int world;
    bool foreign;
    _Atomic bool wants_own_host;
    bool shared;
    unsigned seed;
    int n_nodes;
    bool dealt; /* the ranks of one node are dealt over these */
    char scratch[200];
    struct job jobs[MAX_JOBS];
    pid_t servers[MAX_NODES];
    _Atomic int init_status[MAX_NODES]; /* of a further server */
    _Atomic size_t used;
    _Atomic int failures;
    _Atomic uint32_t n_lines;
    _Atomic uint32_t n_records;
    int n_ids;
    uint32_t otherwise;
    uint32_t hung;
    _Atomic uint32_t crashed;
    _Atomic bool unsound;    /* somebody did not end, or by a signal */
    _Atomic bool unprepared; /* something was missing before the body of the case began */
    _Atomic uint32_t n_trials;
    struct asked_id ids[MAX_IDS];
    struct trial trials[MAX_TRIALS];
    struct step steps[MAX_STEPS];
    char lines[MAX_LINES][MAX_LINE];
    const struct record *_Atomic records[MAX_RECORDS];
    _Alignas(16) char room[];
};

/* How this process came to be; -1 where it does not apply. */
struct self {
    int node;
    int tool;
    bool in_host;
    char job[PMIX_MAX_NSLEN + 1];
    int rank;
};

extern struct board *board;
extern struct self self;

/* board.c */
int board_create(bool named); /* returns its descriptor, or -1 */
void board_attach(int fd);
void board_open(const char *path);
extern char board_path[]; /* of a board that is found by its name; else "" */
void board_clear(void);
void *board_room(size_t n); /* zeroed; never NULL: the process ends when there is no more */
const char *board_text(const char *text);
const void *board_bytes(const void *bytes, size_t n);
void board_line(bool failure, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint64_t hash_text(const char *text);

/* verdict.c */
void verdict_prepare(const struct conform_case *c);
void trial_begin(void); /* the body of the case begins in this process */
void trial_end(void);
void setup_failed(void); /* what happens after is no requirement's failure */
uint32_t verdict_note(bool holds);
void verdict_names(uint32_t mask, char *to, size_t room); /* "FEN-001 ", if the case has several */
void verdict_crash(pid_t pid, bool host);
void verdict_hang(void);
void verdict_complete(void);
const char *verdict(int i);

/* record.c */
const struct record *record_ask(const struct upcall *ask);

/* module.c */
pmix_server_module_t *module_make(void);

/* relay.c */
void relay_prepare(int nodes); /* in the driver, before hosts are forked */
void relay_forget(void);
void relay_start(void);
void relay_stop(void);
pmix_status_t relay_collect(struct upcall *ask); /* shares.c */
pmix_status_t relay_modex(struct upcall *ask);
pmix_status_t relay_event(struct upcall *ask);
/* A process of this node has ended, or is there again: collectives of all nodes hear of it. */
void relay_ended(const pmix_proc_t *proc);
void relay_started(const pmix_proc_t *proc);

/* world.c: in which world a case lives; 0 is the usual one */
int world_find(const char *name); /* -1: there is none of that name */
void world_list(void);
bool world_permitted(int number);
bool world_begin(void); /* in the driver; false: not permitted */
void world_end(void);
void world_set(void);         /* in a host, first of all */
bool world_wants_files(void); /* the server shall have something to write */
void world_enter_host(void);
void world_registered(const char *nspace);
pid_t world_fork(void);
void world_enter_rank(void);
void world_check_rank(void); /* after PMIx_Init */

/* job.c */
void job_rename(const char *nspace);
void jobs_end(void); /* waits for all processes of this node */
void tools_start(void);
void process_start(const char *job, pmix_rank_t rank); /* one that no server has registered */
void rank_reap(const char *job, pmix_rank_t rank);     /* waits for its end */

/* foreign.c: ranks that the program of another's host starts */
extern const char *host_command;                            /* NULL: hosts are our own */
const char *foreign_obstacle(const struct conform_case *c); /* why it cannot; NULL: it can */
void foreign_host(void) __attribute__((noreturn));          /* becomes it */
void foreign_unless(void); /* in a function that only our own hosts can serve */
/* Cases call their job "A": what it is called here, and back. */
const char *nspace_of(const char *job);
const char *job_of(const char *nspace);

/* turns.c: of programs that run at once only one has its turn, and runs a case. Without turns_use
 * these do nothing. */
enum { TURN_LOOK_MS = 100 };
bool turns_use(const char *path);
void turn_begin(void); /* waits for it */
void turn_end(void);
/* How many of the LEFT milliseconds of the case to wait before the next look, which may come
 * earlier. The turn ends when the processes of the case have done nothing for half a second: one
 * that only waits does not disturb the next. */
int64_t turn_look(int64_t left);

/* servers.c */
#define FURTHER "conform-server"
int further_main(void);

/* host.c, client.c */
int host_main(int node);
int client_main(void);
int open_descriptors(void);

/* A check of the harness itself: it fails the case, and no requirement. */
#define sound(cond, ...) conform_sound((cond), __FILE__, __LINE__, __VA_ARGS__)
bool conform_sound(bool holds, const char *file, int line, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

extern char *program_path;
extern int board_fd;

#endif
