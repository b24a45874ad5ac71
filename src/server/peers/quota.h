/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_QUOTA_H
#define PX_SERVER_QUOTA_H

/* Quotas: how much of the server's memory one process and one user may hold. What is counted is
 * counted twice, for a holder (a connection, or a registered process) and for the user. Who would
 * exceed either bound is refused with PMIX_ERR_OUT_OF_RESOURCE; what was accepted stays counted
 * until it is freed. What this process asks for itself is not counted. Loop thread
 * (docs/decisions/0029-quotas.md). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_common.h>

#include "src/base/list.h"
#include "src/base/param.h"
#include "src/net/conn_pool.h"

struct px_peer;
struct px_proc_set;
struct px_server;

/* The kinds of quotas. They count bytes, unless a comment says otherwise. */
enum px_quota {
    PX_QUOTA_POSTED,   /* values that a process has committed */
    PX_QUOTA_REQUESTS, /* requests that are not answered, monitors */
    PX_QUOTA_GROUPS,   /* groups and connected sets; of a user only */
    PX_QUOTA_PULLS,    /* subscriptions to output: the processes that they name, 1 at least */
    PX_N_QUOTAS
};

/* What a holder has, or a user. Zeros: nothing. */
struct px_usage {
    size_t held[PX_N_QUOTAS];
    bool told[PX_N_QUOTAS];     /* the log names the first refusal only */
    bool told_queue;            /* likewise, for a peer that does not read */
    bool told_bound[PX_PARAMS]; /* likewise, for px_quota_refused */
};

/* All that the processes and tools of one user have. In s->users, which owns it, until the server
 * ends: so it outlives every connection of the user. */
struct px_user {
    struct px_list link;
    uid_t uid;
    struct px_usage usage;
    struct px_conn_pool queue; /* what waits for its connections */
    size_t output;             /* bytes of kept output (output_cache.h) */
    size_t held_pushes;        /* answers to its pushes that are held back (server_input.h) */
};

/* The record of a user, made if there is none. NULL: memory is out. */
struct px_user *px_user_of(struct px_server *s, uid_t uid);

/* Frees all users when the server ends. Nobody holds anything any more. */
void px_users_fini(struct px_server *s);

/* How much more the holder may have. */
size_t px_quota_room(const struct px_usage *holder, const struct px_user *user, enum px_quota what);

/* True if the holder may have n more. A refusal is named in the log, once for each holder:
 * `who` is its name. */
bool px_quota_allows(struct px_usage *holder, const struct px_user *user, enum px_quota what,
                     size_t n, const pmix_proc_t *who);

/* Names in the log, once for each peer, a bound that it has exceeded and that is no quota. No
 * effect if the peer has disconnected. */
void px_quota_refused(struct px_server *s, uint64_t peer, enum px_param bound);

/* Counts n more, and n less, without a question. Without a holder (NULL: it is gone)
 * only the user's count changes. */
void px_quota_add(struct px_usage *holder, struct px_user *user, enum px_quota what, size_t n);
void px_quota_subtract(struct px_usage *holder, struct px_user *user, enum px_quota what, size_t n);

/* What a peer has until it disconnects or gives it back: a monitor, a subscription. Zeros:
 * nothing. */
struct px_holding {
    uint64_t peer;
    struct px_user *user;
    enum px_quota what;
    size_t n;
};

/* Counts n more for the peer. PMIX_ERR_OUT_OF_RESOURCE, or 0 and a holding to be given back. */
int px_holding_take(struct px_peer *peer, enum px_quota what, size_t n, struct px_holding *ret);
void px_holding_give(struct px_server *s, struct px_holding *holding);

/* True if the user of the process may have one more group, or connected set, of n members. A
 * refusal is named in the log, once for each user. Processes of other nodes are not counted. */
bool px_quota_allows_set(struct px_server *s, const pmix_proc_t *proc, size_t n);

/* Counts the set (NULL: none) for the user of the process until it is removed. */
void px_quota_add_set(struct px_server *s, struct px_proc_set *set, const pmix_proc_t *proc);

/* --- connections --- */

/* True if this user may have one more connection of the kind that is limited: tools, and further
 * connections of a process. A user gets a share of the descriptor table (shmix_user_share, in per
 * cent). The first connection of each registered process is never refused for it. */
bool px_quota_has_place(const struct px_server *s, uid_t uid);

/* --- requests --- */

/* The requests of peers that are not answered yet: an array whose free places are a list. Zeros:
 * none. */
struct px_open_requests {
    struct px_open_request *at;
    size_t n;
    size_t room;
    size_t first_free; /* 1 + its index; 0: none */
    uint32_t serial;   /* of the one opened last */
};

/* True if the peer has more replies to read than are good: it is not served then. */
bool px_peer_is_behind(struct px_peer *peer);

/* Counts a request of the peer, with a message of that many bytes. *ret_id: to be closed once, when
 * it is answered or its end is certain to have no answer. 0, PMIX_ERR_NOMEM, or
 * PMIX_ERR_OUT_OF_RESOURCE. */
int px_request_open(struct px_peer *peer, size_t bytes, uint64_t *ret_id);

/* Counts what was made of a request's message. No effect if it is closed by now, nor for id 0. */
void px_request_grow(struct px_server *s, uint64_t id, size_t bytes);

/* The request is over: its bytes are free for others. No effect for id 0. */
void px_request_close(struct px_server *s, uint64_t id);

#endif
