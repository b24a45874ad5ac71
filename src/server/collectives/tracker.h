/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_TRACKER_H
#define PX_SERVER_TRACKER_H

/* Trackers: one for each collective under way, with its set of processes and the local members
 * that have called. They know nothing of what an operation does; that is its table, struct
 * px_coll_ops. Loop thread.
 *
 * Two calls belong together if they have the same table and the same set of processes, in
 * whatever order and with whatever repetitions the set is written; calls with a name also need
 * the same name, and a caller by itself joins only those of its kind. A tracker that is closed (all
 * local members have called), or that has the caller already, admits no more calls: the caller
 * starts the next one. */

#include <stdbool.h>
#include <stdint.h>

#include <pmix_common.h>

#include "colls.h"
#include "src/loop/loop.h"
#include "src/nspace/normal_form.h"
#include "src/request/schema.h"

struct px_coll_call;
struct px_coll_member;
struct px_reply_to;
struct px_upcall;

/* What each process that an open collective names counts among its caller's requests. */
enum { PX_COLL_NAMED_BYTES = 1024 };

/* The operation of a kind of collective. Constant. A NULL member does nothing, unless its
 * comment says otherwise. The order of calls: prepare, admit, absorb and gathers for each member,
 * complete once, ask and answered if the host takes part, ending, finished, reply for each member,
 * fini. */
struct px_coll_ops {
    const struct px_request *request;
    size_t state_size; /* of px_coll.state, which is zeros at first; 0: none */
    /* Calls belong together if they have the same name and meaning, and the caller is in the
     * tracker's set; the processes of the call are not compared. */
    bool by_member;
    /* Once the host has been asked, its answer is waited for without a limit of this library's. */
    bool hosts_time;
    /* Completes or checks the arguments as they were read; may set `solo`. An error refuses the
     * caller. */
    int (*prepare)(struct px_server *s, const struct px_coll_member *who,
                   struct px_coll_call *call);
    /* Checks whether the call may join or start a tracker. An error refuses the caller; nothing has
     * changed. */
    int (*admit)(struct px_server *s, const struct px_coll_call *call,
                 const struct px_coll_member *who);
    /* Takes over directives and contributions of a member. An error ends the collective for all.
     * NULL: px_coll_merge. */
    int (*absorb)(struct px_coll *coll, const struct px_coll_call *call,
                  const struct px_coll_member *who);
    /* Members are waited for, and one more has called, or some may have ended; `remote`: some are
     * on other nodes, `lost`: local ones have ended. */
    void (*gathers)(struct px_coll *coll, bool remote, bool lost);
    /* All local members have called; `remote`: others are on other nodes. Asks the host or ends the
     * collective, now or later. Never NULL. */
    void (*complete)(struct px_coll *coll, bool remote);
    /* A closed collective waits for others without the host, and some may have ended. True if it is
     * over, and freed. NULL: none waits so. */
    bool (*recount)(struct px_coll *coll);
    /* Calls the host with the upcall's arguments and those that the operation adds. Returns the
     * host's status, or an error before. Never NULL. */
    pmix_status_t (*ask)(struct px_coll *coll, struct px_upcall *up);
    /* The host has answered; has to call px_coll_answered. up->arg, the tracker, is NULL if the
     * collective is over. NULL: px_coll_answered with the status. */
    void (*answered)(struct px_upcall *up);
    /* Prepares a part of the replies of a large collective. True: it has to be called again, in the
     * next turn of the loop. */
    bool (*ending)(struct px_coll *coll, pmix_status_t status);
    /* The collective has ended; the replies follow. */
    void (*finished)(struct px_coll *coll, pmix_status_t status);
    /* Replies to one member. NULL: px_answer_status. */
    void (*reply)(struct px_coll *coll, const struct px_reply_to *reply_to, pmix_status_t status);
    /* Frees what the state holds, but not the state. */
    void (*fini)(void *state);
};

/* One call that a tracker has: who, and where the reply goes. */
struct px_coll_member {
    uint64_t peer; /* the caller's connection; 0: it has disconnected */
    uint32_t tag;
    uint32_t row;     /* of the process in the area of open waits; 0: it has none */
    uint64_t request; /* that its answer closes (quota.h) */
    uid_t uid;        /* the user of the caller's connection */
    pmix_proc_t proc;
};

/* One member's call, on the stack of its handler. Owned: args, procs, set and runs
 * (px_coll_call_fini). */
struct px_coll_call {
    const struct px_coll_ops *ops;
    struct px_coll_args args;      /* `group` is the name; NULL: none */
    bool solo;                     /* one caller by itself: joins only trackers of such calls */
    uint64_t meaning;              /* of the name to the caller, set by `prepare` (by_member) */
    struct px_shared_procs *procs; /* has the array of args.procs; NULL: args has it */
    struct px_proc_list set;    /* the processes in normal form; empty: others name the members */
    struct px_nspace_runs runs; /* of the set; a new tracker takes them */
    struct px_normalising *making; /* of the set, or NULL */
    uint64_t key;                  /* px_coll_key */
};
/* Frees what the call owns. */
void px_coll_call_fini(struct px_coll_call *call);
/* Replaces the processes that the call names, before it joins. The caller gives up one ownership of
 * them; NULL: PMIX_ERR_NOMEM, and nothing has changed. */
int px_coll_call_name(struct px_coll_call *call, struct px_shared_procs *procs);

/* One collective under way. Owned by the server's list; freed by px_coll_finish. */
struct px_coll {
    struct px_list link;
    struct px_colls *colls; /* that have it on their list */
    struct px_list alike; /* ring of the trackers with the same key, the oldest first; alone: none,
                             or it is on no list */
    uint64_t key;         /* px_coll_key of the first call */
    const struct px_coll_ops *ops;
    struct px_server *server;
    char *name;
    uint64_t meaning; /* this and the next of the first call */
    bool solo;
    struct px_shared_procs *procs; /* as the first caller gave them */
    struct px_shared_procs *set;   /* the same in normal form: `procs`, if they are in it */
    struct px_nspace_runs runs;    /* of the set */
    uint64_t sized;                /* px_colls.sizes, when the set was made */
    struct px_coll_member *members;
    size_t n_members;
    size_t members_room;
    size_t n_arrived;  /* processes among the members, clones counted once */
    pmix_info_t *info; /* directives of all callers; the first to give a key wins */
    size_t ninfo;
    bool closed;                /* all local members have called; no call joins any more */
    bool all_clones;            /* every connection of a process takes part */
    pmix_status_t local_status; /* what is wrong with a local member, or PMIX_SUCCESS */
    uint32_t timeout_s;         /* the shortest limit of a caller; 0: none */
    uint64_t deadline_ns;       /* when the first limit of a caller runs out; 0: never */
    struct px_timer timer;
    uint32_t wait;     /* in the area of open waits (open_waits.h) */
    bool renamed;      /* the set has changed since that names it */
    uint64_t first_ns; /* when the first process called, the last but one, the last */
    uint64_t before_ns;
    uint64_t last_ns;
    struct px_upcall *upcall; /* under way, or NULL */
    bool ending;              /* px_coll_end was called; px_coll_finish follows in a later turn */
    pmix_status_t outcome;    /* while `ending`: its status */
    void *state;              /* the operation's */
};

/* Fills call->set and call->runs with the normal form of the processes; a call with a name needs no
 * processes. Of many processes this is done in steps: call->making is NULL after the last one. 0,
 * PMIX_ERR_BAD_PARAM (no processes and no name, or a process without a namespace),
 * PMIX_ERR_OUT_OF_RESOURCE (more directives than shmix_max_directives, or processes of more jobs
 * than shmix_max_jobs), PMIX_ERR_NOMEM. */
int px_coll_call_prepare(const struct px_colls *colls, struct px_coll_call *call);
/* Fills call->key, from the name or the runs. */
void px_coll_call_identify(struct px_coll_call *call);

/* True if the tracker is of this set, in normal form, with this hash (px_nspace_runs). */
bool px_coll_set_is(const struct px_coll *coll, const pmix_proc_t *set, size_t n, uint64_t hash);
/* True if a set in normal form names the process: itself, its job, or its node by
 * PMIX_RANK_LOCAL_NODE or PMIX_RANK_LOCAL_PEERS. */
bool px_coll_set_names(const pmix_proc_t *set, size_t n, const pmix_proc_t *proc);

/* The open tracker that the call belongs to, or NULL. call->key is set. */
struct px_coll *px_coll_find(const struct px_colls *colls, const struct px_coll_call *call,
                             const struct px_coll_member *who);

/* Adds the caller to the tracker that the call belongs to, or to a new one, which is one more owner
 * of the processes of the call. *ret is owned by the list. 0 or PMIX_ERR_NOMEM; then no tracker has
 * changed. */
int px_coll_join(struct px_colls *colls, struct px_coll_call *call,
                 const struct px_coll_member *who, struct px_coll **ret);

/* The open tracker with this key that this call has joined; NULL: it is closed, or over. */
struct px_coll *px_coll_joined(const struct px_colls *colls, uint64_t key,
                               const struct px_coll_member *who);

/* Merges a caller's directives into the tracker's: keys that are new, flags that are on, and
 * PMIX_INFO_REQD. Otherwise the first caller's value stays. 0, PMIX_ERR_NOMEM, or
 * PMIX_ERR_OUT_OF_RESOURCE (more keys than shmix_max_directives). */
int px_coll_merge(struct px_coll *coll, const pmix_info_t *info, size_t ninfo);

/* True if this process has called, over any of its connections. */
bool px_coll_has_proc(const struct px_coll *coll, const pmix_proc_t *proc);
/* True if this connection has called and is still open. */
bool px_coll_has_peer(const struct px_coll *coll, uint64_t peer);

/* The connection has ended: its call still counts, but it gets no reply. Does nothing if it has
 * not called. */
void px_coll_forget_peer(struct px_coll *coll, uint64_t peer);

/* The process is not waited for any more: takes it out of the tracker's processes, unless it has
 * called, or is the only one. The tracker has a name, and is found by it: its processes are not
 * part of its key. 0 or PMIX_ERR_NOMEM; nothing has changed then. */
int px_coll_excuse(const struct px_colls *colls, struct px_coll *coll, const pmix_proc_t *proc);

/* True if the invariants hold: a name or a set; the set in normal form; counts that fit the
 * arrays; closed if an upcall is under way. For assertions; its cost is linear in the tracker's
 * size. */
bool px_coll_is_valid(const struct px_coll *coll);

/* Removes the tracker from the list, stops its timer and frees it. Takes NULL. */
void px_coll_destroy(struct px_coll *coll);

#endif
