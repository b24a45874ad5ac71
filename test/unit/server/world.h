/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_SERVER_WORLD_H
#define PX_TEST_SERVER_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/host/host.h"

/* A small cluster on this machine: one process per node runs a server, a relay joins them, and the
 * clients are this same program started again. Everything goes through the public functions. */

struct world {
    const char *act; /* what the clients do: a name in the program's table */
    unsigned n_nodes;
    unsigned per_node; /* ranks on each; rank r is on node r / per_node */
    /* Changes how the host answers upcalls, one answer for each entry; may be NULL. In the node's
     * process. */
    void (*host)(unsigned node, struct answer *answers);
    /* After registration, before the clients start; may be NULL. */
    void (*ready)(unsigned node);
    /* After the clients have ended; 0 when all is as it should be; may be NULL. */
    int (*after)(unsigned node);
    bool private_store; /* clients are fed by messages */
};

/* 0 when every server and client ended with 0. */
int world_run(const struct world *world);

/* The clients' side. */
struct act {
    const char *name;
    int (*run)(void);
};
/* Runs the named act when this is a client's process (and exits); returns otherwise. */
void world_maybe_client(int argc, char **argv, const struct act *acts);

/* In acts: who we are, and a check that ends the process. */
extern pmix_proc_t me;
extern uint32_t job_size;
void check_at(bool ok, const char *what, const char *file, int line);
#define check(e) check_at((e), #e, __FILE__, __LINE__)
#define check_status(e, want)                                                                      \
    do {                                                                                           \
        pmix_status_t got_ = (e);                                                                  \
        if (got_ != (want)) {                                                                      \
            check_at(false, PMIx_Error_string(got_), __FILE__, __LINE__);                          \
        }                                                                                          \
    } while (0)

pmix_proc_t proc_of(const char *nspace, pmix_rank_t rank);
void fence_all(bool collect);
void post(pmix_scope_t scope, const char *key, uint32_t v);
/* PMIx_Get with the directive (or NULL) on, for a number. */
pmix_status_t get_with(pmix_rank_t rank, const char *key, const char *directive, uint32_t *ret);

/* The letter that the kernel has for what a process does: 'T' when it is stopped. */
char world_state_of(uint32_t pid);

/* In hosts: what every node answers to a fence, unless `host` changes it. */
pmix_status_t world_fence(struct upcall *upcall);

/* In hosts: how often each entry was called in this node's server. Any thread. */
extern _Atomic unsigned calls[N_ENTRIES];

#define WORLD_NSPACE "job"

#endif
