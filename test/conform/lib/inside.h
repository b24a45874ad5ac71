/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the files of the harness share, and cases do not use. */

#ifndef PX_CONFORM_LIB_INSIDE_H
#define PX_CONFORM_LIB_INSIDE_H

#include "conform.h"

#include <stdatomic.h>

enum { MAX_STEPS = 1024, MAX_RECORDS = 1 << 17, MAX_LINES = 256, MAX_LINE = 400 };

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
    bool shared;
    unsigned seed;
    int n_nodes;
    char scratch[200];
    struct job jobs[MAX_JOBS];
    pid_t servers[MAX_NODES];
    _Atomic size_t used;
    _Atomic int failures;
    _Atomic uint32_t n_lines;
    _Atomic uint32_t n_records;
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
int board_create(void); /* returns its descriptor, or -1 */
void board_attach(int fd);
void board_clear(void);
void *board_room(size_t n); /* zeroed; never NULL: the process ends when there is no more */
const char *board_text(const char *text);
const void *board_bytes(const void *bytes, size_t n);
void board_line(bool failure, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint64_t hash_text(const char *text);

/* record.c */
const struct record *record_ask(const struct upcall *ask);

/* module.c */
pmix_server_module_t *module_make(void);

/* relay.c */
void relay_prepare(int nodes); /* in the driver, before hosts are forked */
void relay_forget(void);
void relay_start(void);
void relay_stop(void);
pmix_status_t relay_collect(struct upcall *ask);
pmix_status_t relay_modex(struct upcall *ask);
pmix_status_t relay_event(struct upcall *ask);

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
void jobs_end(void); /* waits for all processes of this node */
void tools_start(void);

/* host.c, client.c */
int host_main(int node);
int client_main(void);
int open_descriptors(void);

extern char *program_path;
extern int board_fd;

#endif
