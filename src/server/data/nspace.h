/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_NSPACE_H
#define PX_SERVER_NSPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_server.h>

#include "src/base/buf.h"
#include "src/base/list.h"
#include "src/server/collectives/modex_log.h"
#include "src/wire/codec.h"

struct px_buf;
struct px_server;
struct px_store;

/* What is known of namespaces and ranks. Loop thread. */

struct px_local_proc_slot {
    uint32_t rank;
    struct px_local_proc *rec;
};

struct px_nspace {
    struct px_list link;
    uint64_t id; /* never used again: the name may be */
    char name[PMIX_MAX_NSLEN + 1];
    struct px_store *store;
    bool shared;     /* which is a segment */
    bool registered; /* by the host; false: only clients of it were named, or it came with a peer's
                        data */
    int n_local;     /* as registered; -1 unknown */
    struct px_local_proc_slot *ranks; /* ascending */
    size_t n_ranks;
    size_t cap_ranks;
    struct px_list rank_list;
    struct px_buf packed[2]; /* job information for PLAIN and DESCRIBED peers */
    uint64_t packed_sequence[2];
    uid_t uid; /* of its clients; without any, the server's */
    gid_t gid;
    bool owned;          /* a client was registered */
    bool mixed;          /* its clients are of several users: it is nobody's */
    pmix_info_t *envars; /* PMIx_server_setup_local_support: for the environment of its processes */
    size_t n_envars;
    bool asked_host;                   /* job information was asked for by direct modex */
    struct px_received_mark *received; /* by rank: what fences have brought */
    uint32_t n_received;
};

/* Everything that a process of another node had posted up to a number of that node's server is
 * here, or newer. */
struct px_received_mark {
    uint64_t server_id;
    uint64_t up_to;
};

struct px_local_proc {
    struct px_list link;
    struct px_nspace *ns;
    uint32_t rank;
    uid_t uid;
    gid_t gid;
    void *object; /* the host's */
    bool registered;
    bool committed;
    bool finalized;
    bool terminated;    /* the host says so */
    bool departed;      /* is not waited for: went away without finalizing, or ended */
    unsigned n_peers;   /* connections under this name now */
    unsigned n_callers; /* these, and those about which the host has not decided yet */
    pid_t pid;          /* of the first, when the kernel told */
    uint64_t change;    /* a new number whenever it has posted something; 0: nothing yet */
    struct px_modex_log modex_log; /* what other nodes may see */
};

struct px_nspace *px_nspace_find(struct px_server *s, const char *name);

/* The flags of a store that say which resolve calls the host answers (PX_STORE_HOST_BITS). */
uint32_t px_nspace_host_flags(const struct px_server *s);

/* Finds or makes the record, with an empty store. NULL when memory is out. */
struct px_nspace *px_nspace_make(struct px_server *s, const char *name);

/* Ends its clients' connections and frees it. */
void px_nspace_drop(struct px_server *s, struct px_nspace *ns);
void px_nspace_drop_all(struct px_server *s);
struct px_local_proc *px_local_proc_find(const struct px_nspace *ns, uint32_t rank);
struct px_local_proc *px_local_proc_make(struct px_nspace *ns, uint32_t rank);

/* Ends its clients' connections. The record stays, as one of the dead: nobody may wait for it. */
void px_local_proc_terminate(struct px_server *s, struct px_local_proc *rank);
struct px_local_proc *px_local_proc_of(struct px_server *s, const pmix_proc_t *proc);

/* Is it, or will it be, a client of this server? */
bool px_nspace_is_local(const struct px_nspace *ns, uint32_t rank);

/* Local members that a collective over this proc waits for, and whether others are elsewhere. */
uint32_t px_nspace_count_locals(struct px_server *s, const pmix_proc_t *proc, bool *ret_remote,
                                bool *ret_lost);
uint32_t px_nspace_job_size(void *arg, const char *name); /* a px_job_size_fn; 0: unknown */

/* Job information ready to send; borrowed until the next call. */
int px_nspace_packed(struct px_nspace *ns, enum px_wire_kind kind, const struct px_buf **ret);

#endif
