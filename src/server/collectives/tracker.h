/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_TRACKER_H
#define PX_SERVER_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/base/list.h"
#include "src/loop/loop.h"

/* Collective operations in which local processes take part: who is in, who has come. Knows nothing
 * of what the operation does. One thread (the loop's).
 *
 * Two calls belong together when they are of one kind and over one set of processes, in whatever
 * order and with whatever repetitions the set was written down; groups: when they also give one
 * name. Whoever takes a group apart need only be one of its processes.
 * A tracker that is closed (it went to the host) or that already has the caller takes no more: the
 * caller starts the next one. */

enum px_coll_kind {
    PX_COLL_FENCE,
    PX_COLL_CONNECT,
    PX_COLL_DISCONNECT,
    PX_COLL_GROUP_CONSTRUCT,
    PX_COLL_GROUP_SOLO, /* a member that is not gathered with others: bootstrap, or added by
                           somebody */
    PX_COLL_GROUP_DESTRUCT,
};

struct px_coll_member {
    uint64_t peer; /* the caller's connection */
    uint32_t tag;
    pmix_proc_t proc;
};

/* What only groups need. All owned. */
struct px_coll_group {
    pmix_info_t *given; /* PMIX_GROUP_INFO of each member, its process first */
    size_t n_given;
    pmix_proc_t *added; /* PMIX_GROUP_ADD_MEMBERS of all leaders */
    size_t n_added;
    bool wants_id;
    bool mixed;                      /* callers wrote the processes down in different orders */
    pmix_info_directives_t id_flags; /* whether it is required */
    bool hosted;                     /* the host took part */
    pmix_proc_t *members;            /* the outcome */
    size_t n_members;
    pmix_info_t *info;
    size_t n_info;
    bool has_id;
    size_t id;
};

struct px_coll {
    struct px_list link;
    enum px_coll_kind kind;
    char *name;         /* of the group, or NULL */
    pmix_proc_t *procs; /* as the first caller gave them */
    size_t nprocs;
    pmix_proc_t *set; /* the same, in normal form */
    size_t nset;
    struct px_coll_member *members;
    size_t n_members;
    size_t members_room;
    pmix_info_t *info; /* directives of all callers; the first to give a key wins */
    size_t ninfo;
    bool closed;
    bool collect;        /* somebody asked for the data */
    bool here;           /* fences: nobody is elsewhere */
    bool all_clones;     /* every connection of a process takes part */
    uint64_t sent_up_to; /* fences: the number of the newest value that went to the host with it */
    pmix_status_t local_status; /* what is wrong with a local member, or PMIX_SUCCESS */
    uint32_t timeout_s;         /* 0: no limit */
    struct px_timer timer;
    struct px_coll_group group;
    void *owner;  /* the user's */
    void *upcall; /* the user's */
};

/* Answers how many processes a namespace has; 0 when unknown. */
typedef uint32_t (*px_coll_size_fn)(void *arg, const char *nspace);

struct px_colls {
    struct px_list list;
    px_coll_size_fn size; /* lets a complete list and a wildcard mean the same; may be NULL */
    void *arg;
};

void px_colls_init(struct px_colls *colls, px_coll_size_fn size, void *arg);

/* The open tracker that a caller belongs to, its set in normal form; NULL when there is none. */
struct px_coll *px_coll_find(struct px_colls *colls, enum px_coll_kind kind, const char *name,
                             const pmix_proc_t *set, size_t nset, const struct px_coll_member *who);

/* Finds the tracker that the caller belongs to, or starts one, and adds the caller. 0,
 * PMIX_ERR_BAD_PARAM (no processes, or one without a namespace), PMIX_ERR_NOMEM (nothing has
 * changed). */
int px_coll_join(struct px_colls *colls, enum px_coll_kind kind, const char *name,
                 const pmix_proc_t *procs, size_t nprocs, const struct px_coll_member *who,
                 struct px_coll **ret);

/* Takes over directives that are not there yet. 0 or PMIX_ERR_NOMEM. */
int px_coll_merge(struct px_coll *coll, const pmix_info_t *info, size_t ninfo);

/* Does the set name this process? */
bool px_coll_concerns(const struct px_coll *coll, const pmix_proc_t *proc);
/* Has it come: this process, over this connection? */
bool px_coll_has_proc(const struct px_coll *coll, const pmix_proc_t *proc);
bool px_coll_has_peer(const struct px_coll *coll, uint64_t peer);

/* Forgets a caller's connection, but not that it had come. */
void px_coll_forget_peer(struct px_coll *coll, uint64_t peer);

/* How many different processes have come, over however many connections. */
size_t px_coll_arrived(const struct px_coll *coll);

/* The invariants: a name or a set; the set in normal form (px_coll_normalise); members and
 * directives counted as they lie there. Cost: its size. */
bool px_coll_is_valid(const struct px_coll *coll);

/* Off the list, timer stopped, freed. Takes NULL. */
void px_coll_destroy(struct px_coll *coll);

/* Normal form of a set: sorted, each once, no single ranks beside their wildcard. malloc'd. */
int px_coll_normalise(const struct px_colls *colls, const pmix_proc_t *procs, size_t nprocs,
                      pmix_proc_t **ret, size_t *ret_n);
bool px_coll_same_set(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);
/* Is there a process in both? In whatever form and order. */
bool px_coll_overlap(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);
/* Is every process of b, in normal form, one of a's? */
bool px_coll_covers(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);

#endif
