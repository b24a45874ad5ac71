/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_NSPACE_H
#define PX_SERVER_NSPACE_H

/* Namespaces and their local processes. The server owns both; everything here runs on the loop
 * thread. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_server.h>

#include "src/base/buf.h"
#include "src/base/list.h"
#include "src/server/collectives/modex_log.h"
#include "posted.h"
#include "src/wire/codec.h"

struct px_store;

/* One element of px_nspace.ranks. */
struct px_local_proc_slot {
    uint32_t rank;
    struct px_local_proc *rec;
};

/* A namespace (a job): its store, its local processes, and the information that the host
 * registered. In s->nspaces and s->ns_list until px_nspace_drop. */
struct px_nspace {
    struct px_list link;
    uint64_t id; /* never reused, while the name may be */
    char name[PMIX_MAX_NSLEN + 1];
    struct px_store *store;
    struct px_list move_link; /* in s->moving while the store changes its generation */
    bool shared;              /* the store is a segment */
    bool registered; /* by the host; false: known only by a client's registration or by data of
                        another node */
    int n_local;     /* number of local processes as registered; -1: unknown */
    struct px_local_proc_slot *ranks; /* the same records as rank_list, by ascending rank */
    size_t n_ranks;
    size_t cap_ranks;
    struct px_list rank_list;    /* struct px_local_proc; owns them */
    struct px_buf packed[2];     /* job information for PLAIN and DESCRIBED peers */
    uint64_t packed_sequence[2]; /* the store's sequence at that time; UINT64_MAX: not packed */
    uid_t uid;                   /* of the client registered last; of the server before that */
    gid_t gid;
    bool owned; /* a client was registered */
    bool mixed; /* its clients are of several users: no other namespace's client may map it */
    pmix_info_t *envars; /* PMIx_server_setup_local_support: for the environment of its processes */
    size_t n_envars;
    bool asked_host;                   /* job information was asked for by direct modex */
    struct px_received_mark *received; /* by rank: data that fences have delivered */
    uint32_t n_received;
    uint64_t *changes; /* by rank: number of the newest change of its committed data, of s->changes;
                          0: none, or not noted */
    uint32_t n_changes;
    bool deletes; /* committed values were deleted */
};

/* Of a process on another node: everything that it had committed up to number `up_to` of its server
 * is in the store here, or newer values are. */
struct px_received_mark {
    uint64_t server_id;
    uint64_t up_to;
};

/* A rank that is registered at this server, or whose end the host has reported, connected or not;
 * owned by its namespace. The record stays after the process has ended, until the namespace is
 * dropped. */
struct px_local_proc {
    struct px_list link;
    struct px_nspace *ns;
    uint32_t rank;
    uid_t uid;
    gid_t gid;
    void *object;       /* server_object of the registration, for the host's callbacks */
    bool registered;    /* PMIx_server_register_client, not deregistered since */
    bool committed;     /* since it was registered */
    bool finalized;     /* its last connection ended after PMIx_Finalize */
    bool terminated;    /* the host reported its end */
    bool departed;      /* ended, or disconnected without finalizing: nothing waits for it */
    unsigned n_peers;   /* connections under this name now */
    unsigned n_callers; /* these, and those that the host has not decided about yet */
    pid_t pid;          /* of the first connection, if the kernel reported it; else 0 */
    uint32_t waits;     /* row in the area of open waits; 0: none */
    uint64_t change;    /* number of its newest commit, of s->changes; 0: none */
    uint64_t n_parts;   /* parts of its commits that were published */
    struct px_modex_log modex_log; /* committed values for other nodes */
    struct px_posted posted;       /* how much it has committed */
};

/* The namespace with this name, or NULL. The name need not be terminated if it has PMIX_MAX_NSLEN
 * bytes. */
struct px_nspace *px_nspace_find(struct px_server *s, const char *name);

/* The flags of a store that say which resolve calls the host answers (PX_STORE_HOST_BITS): clients
 * read them in the segment. */
uint32_t px_nspace_host_flags(const struct px_server *s);

/* Finds the record, or makes one with an empty store. NULL if memory is out, or if the name is
 * empty or too long. */
struct px_nspace *px_nspace_make(struct px_server *s, const char *name);

/* Removes and frees a namespace: closes its clients' connections and ends the requests that wait
 * for its data. */
void px_nspace_drop(struct px_server *s, struct px_nspace *ns);

/* The same for all namespaces, when the server stops. */
void px_nspace_drop_all(struct px_server *s);

/* Makes a record for what one process posts that is of no job: a tool. Such a namespace is in no
 * list and is found by nobody but its owner (src/server/tools/tool_data.h); its store is in process
 * memory. NULL: no memory. */
struct px_local_proc *px_nspace_make_apart(struct px_server *s, const pmix_proc_t *proc, uid_t uid,
                                           gid_t gid);

/* Frees such a namespace, with its process. Nobody may wait for its data. Takes NULL. */
void px_nspace_drop_apart(struct px_server *s, struct px_nspace *ns);

/* The record of a rank, or NULL. */
struct px_local_proc *px_local_proc_find(const struct px_nspace *ns, uint32_t rank);

/* Finds or makes the record of a rank. NULL if memory is out. */
struct px_local_proc *px_local_proc_make(struct px_nspace *ns, uint32_t rank);

/* The process is deregistered: closes its connections, ends the gets for its data, and drops its
 * modex log. The record stays as that of a departed process. */
void px_local_proc_terminate(struct px_server *s, struct px_local_proc *rank);

/* Notes that the committed data of a process, local or not, has changed. Changes that cannot be
 * noted (no memory; a rank of 2^24 or more) are not collected; gets find them all the same. */
void px_nspace_note_change(struct px_server *s, struct px_nspace *ns, uint32_t rank);

/* The record of a process of any namespace, or NULL. */
struct px_local_proc *px_local_proc_of(struct px_server *s, const pmix_proc_t *proc);

/* True if the rank is a client of this server or will be one: it has a record, or the placement has
 * it on this node. */
bool px_nspace_is_local(const struct px_nspace *ns, uint32_t rank);

/* The namespace of procs[at], or NULL; it is looked for only if the process before it is not of the
 * same one, which is `before`. */
struct px_nspace *px_nspace_next(struct px_server *s, const pmix_proc_t *procs, size_t at,
                                 struct px_nspace *before);

/* The job's size, or 0 if it is unknown. A px_job_size_fn; arg is the server. */
uint32_t px_nspace_job_size(void *arg, const char *name);

/* True if the host has given the value of this reserved key of a process. The host's value stands:
 * applications that put it again get success, but the store does not change. */
bool px_nspace_is_hosts(const struct px_nspace *ns, uint32_t rank, const char *key);

/* Appends the job information for a peer, with the maps of the job if `ours`: a client of this
 * library. 0, PMIX_ERR_NOMEM or the status of packing; then buf is as before. */
int px_nspace_append_info(struct px_nspace *ns, enum px_wire_kind kind, bool ours,
                          struct px_buf *buf);

/* Job information ready to send in an encoding. Borrowed from the namespace until the next call of
 * this function for it. 0, PMIX_ERR_NOMEM or the status of packing. */
int px_nspace_packed(struct px_nspace *ns, enum px_wire_kind kind, const struct px_buf **ret);

#endif
