/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_TRACKER_H
#define PX_SERVER_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/base/list.h"
#include "src/loop/loop.h"
#include "src/value/procs.h"

/* Collective operations in which local processes take part: who is in, who has come. Knows nothing
 * of what an operation does: that is its table, struct px_coll_ops. Loop thread.
 *
 * Two calls belong together when they have one table and are over one set of processes, in whatever
 * order and with whatever repetitions the set was written down; named ones: when they also have one
 * name. A tracker that is closed (all local members are there) or that already has the caller takes
 * no more: the caller starts the next one. */

struct px_call;
struct px_coll;
struct px_coll_call;
struct px_coll_member;
struct px_reply_to;
struct px_server;
struct px_upcall;

/* What collectives of one kind do. NULL: nothing, or what the comment says. */
struct px_coll_ops {
    const struct px_call *call; /* the directives of the call */
    size_t state_size;          /* of px_coll.state, which is zeros at first; 0: none */
    /* With a name, and the caller one of the processes: whatever processes the caller names. */
    bool by_member;
    /* May the call be joined or begun? An error refuses the caller; nothing has changed. */
    int (*admit)(struct px_server *s, const struct px_coll_call *call,
                 const struct px_coll_member *who);
    /* Takes over directives and contributions of a member. An error ends the collective for all.
     * NULL: px_coll_merge. */
    int (*absorb)(struct px_coll *coll, const struct px_coll_call *call,
                  const struct px_coll_member *who);
    /* All local members are there; remote: others are elsewhere. Asks the host or finishes the
     * collective, now or later. Never NULL. */
    void (*complete)(struct px_coll *coll, bool remote);
    /* Calls the host with what is in the upcall, and what the operation adds to it. Returns what
     * the host did, or what went wrong before. Never NULL. */
    pmix_status_t (*ask)(struct px_coll *coll, struct px_upcall *up);
    /* The host has answered: ends in px_coll_answered. up->arg, the tracker, is NULL if the
     * collective is over. NULL: px_coll_answered with the status. */
    void (*answered)(struct px_upcall *up);
    /* It is over; the members have not been told yet. */
    void (*finished)(struct px_coll *coll, pmix_status_t status);
    /* Tells one member. NULL: px_answer_status. */
    void (*reply)(struct px_coll *coll, const struct px_reply_to *reply_to, pmix_status_t status);
    /* Frees what the state holds, but not the state. */
    void (*fini)(void *state);
};

struct px_coll_member {
    uint64_t peer; /* the caller's connection */
    uint32_t tag;
    pmix_proc_t proc;
};

/* What one member calls. All but `directives` is owned (px_coll_call_fini). */
struct px_coll_call {
    const struct px_coll_ops *ops;
    char *name; /* NULL: none */
    pmix_proc_t *procs;
    size_t nprocs;
    pmix_info_t *info;
    size_t ninfo;
    const void *directives;  /* the operation's own, read from info */
    struct px_proc_list set; /* procs in normal form; none: others name the members */
};
void px_coll_call_fini(struct px_coll_call *call);

struct px_coll {
    struct px_list link;
    const struct px_coll_ops *ops;
    struct px_server *server;
    char *name;
    pmix_proc_t *procs; /* as the first caller gave them */
    size_t nprocs;
    pmix_proc_t *set; /* the same, in normal form */
    size_t nset;
    struct px_coll_member *members;
    size_t n_members;
    size_t members_room;
    size_t n_arrived;  /* different processes among the members */
    pmix_info_t *info; /* directives of all callers; the first to give a key wins */
    size_t ninfo;
    bool closed;
    bool all_clones;            /* every connection of a process takes part */
    pmix_status_t local_status; /* what is wrong with a local member, or PMIX_SUCCESS */
    uint32_t timeout_s;         /* 0: no limit */
    struct px_timer timer;
    struct px_upcall *upcall; /* under way, or NULL */
    void *state;              /* the operation's */
};

struct px_colls {
    struct px_list list;
    px_job_size_fn size;      /* lets a complete list and a wildcard mean the same; may be NULL */
    struct px_server *server; /* also the argument of size */
};

void px_colls_init(struct px_colls *colls, px_job_size_fn size, struct px_server *server);

/* Fills call->set. 0, PMIX_ERR_BAD_PARAM (no processes and no name, or a process without a
 * namespace), PMIX_ERR_NOMEM. */
int px_coll_call_prepare(const struct px_colls *colls, struct px_coll_call *call);

/* The open tracker that a caller belongs to; NULL when there is none. */
struct px_coll *px_coll_find(const struct px_colls *colls, const struct px_coll_call *call,
                             const struct px_coll_member *who);

/* Finds the tracker that the caller belongs to, or starts one, and adds the caller. 0 or
 * PMIX_ERR_NOMEM (nothing has changed). */
int px_coll_join(struct px_colls *colls, struct px_coll_call *call,
                 const struct px_coll_member *who, struct px_coll **ret);

/* Takes over directives that are not there yet, and flags that are on. 0 or PMIX_ERR_NOMEM. */
int px_coll_merge(struct px_coll *coll, const pmix_info_t *info, size_t ninfo);

/* Has it come: this process, over this connection? */
bool px_coll_has_proc(const struct px_coll *coll, const pmix_proc_t *proc);
bool px_coll_has_peer(const struct px_coll *coll, uint64_t peer);

/* Forgets a caller's connection, but not that it had come. */
void px_coll_forget_peer(struct px_coll *coll, uint64_t peer);

/* The invariants: a name or a set; the set in normal form; members and directives counted as they
 * lie there; closed if it is at the host. Cost: its size. */
bool px_coll_is_valid(const struct px_coll *coll);

/* Off the list, timer stopped, freed. Takes NULL. */
void px_coll_destroy(struct px_coll *coll);

#endif
