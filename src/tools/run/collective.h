/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_RUN_COLLECTIVE_H
#define PX_TOOLS_RUN_COLLECTIVE_H

#include "nodes.h"

/* The collectives that are under way at the relay, as relay_collect.c knows them. Main thread. */

/* A set of processes; `at` is malloc memory. Zeroed: empty. */
struct px_run_procs {
    pmix_proc_t *at;
    size_t n;
};

bool px_run_procs_has(const struct px_run_procs *set, const pmix_proc_t *proc);
/* Adds what the payload has: number; {namespace, rank}. False: it is too short, or memory is out;
 * what was read before is in the set. */
bool px_run_procs_take(struct px_run_procs *set, struct px_run_reader *r);

/* What one node, or a process that comes by itself, has given. */
struct px_run_share {
    uint32_t node;
    uint64_t id;      /* of the request, for the answer */
    pmix_proc_t proc; /* who comes, when it comes by itself */
    char *bytes;      /* malloc memory */
    size_t n;
};

/* The processes of one job that the key names. */
struct px_run_part {
    char *nspace;
    uint32_t *at_node; /* how many of them each node has */
};

struct px_run_collective {
    struct px_run_collective *next;
    char *key; /* collect_key.c */
    size_t key_len;
    uint32_t n_wanted;
    struct px_run_part *parts; /* of the key; NULL: not read yet */
    uint32_t n_parts;
    bool survives;               /* it is completed without those who are lost */
    bool scattered;              /* of callers that come by themselves; n_wanted is not known */
    uint32_t n_leaders;          /* that are to come to a scattered one; 0: nobody has said it */
    struct px_run_procs leaders; /* that have */
    struct px_run_procs added;   /* of a group: who has to come, too */
    struct px_run_share *shares;
    uint32_t n_shares;
    pmix_status_t status; /* a failure answers at once */
    int64_t deadline_ms;
};

/* The oldest comes first. */
extern struct px_run_collective *px_run_collectives;

/* Makes one behind the others; n_wanted 0: a scattered one. NULL when memory is out. */
struct px_run_collective *px_run_collective_make(const char *key, size_t len, uint32_t n_wanted);
/* Frees one with its shares. */
void px_run_collective_forget(struct px_run_collective *c);
enum px_run_kind px_run_collective_kind(const struct px_run_collective *c);
bool px_run_has_share(const struct px_run_collective *c, uint32_t node);
/* Copies the bytes. False when memory is out. */
bool px_run_share_add(struct px_run_collective *c, struct px_run_share share, const char *bytes);
/* Reads the parts: number; {namespace; how many each node has}. They are kept if c has none yet.
 * False: the payload is too short, or memory is out. */
bool px_run_parts_take(struct px_run_collective *c, struct px_run_reader *r);

/* ---- collect_lost.c: who will not come */

/* Whether c waits for the process: who has left the group is not one of a destruct any more. */
bool px_run_collective_names(const struct px_run_collective *c, const pmix_proc_t *proc);
/* Whether c waits for the process, and the share of its node is not there. */
bool px_run_is_missed(const struct px_run_collective *c, const pmix_proc_t *proc, uint32_t node);
/* Whether one that has ended is missed. */
bool px_run_misses_the_lost(const struct px_run_collective *c);
/* Whether the share of a node is still to come: not if all of the processes there that c names are
 * lost. */
bool px_run_is_awaited(const struct px_run_collective *c, uint32_t node);
/* Writes number; {namespace, rank}: who was to come to c, or is added, and is lost. */
void px_run_put_lost(const struct px_run_collective *c, struct px_run_bytes *b);

#endif
