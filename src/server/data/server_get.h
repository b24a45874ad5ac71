/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GET_H
#define PX_SERVER_GET_H

/* Requests for data of a process or of a job (PMIx_Get), of clients, tools and this process. Loop
 * thread. */

#include "gds/get_directives.h"
#include "src/server/state.h"
#include "src/server/peers/dispatch.h"

struct px_in;
struct px_local_proc;
struct px_nspace;
struct px_peer;
struct px_server;

/* One get. Created by px_get_create (get_request.h); px_get_begin frees it once it is answered. In
 * s->gets while it waits. */
struct px_get {
    struct px_list link; /* a list of s->gets while it waits, or s->large_gets */
    struct px_server *server;
    struct px_reply_to reply_to;
    pmix_proc_t asker;
    unsigned how; /* bits of enum px_get_how */
    pmix_proc_t target;
    char *key;         /* NULL: all values; owned */
    pmix_info_t *info; /* directives and qualifiers; owned */
    size_t ninfo;
    struct px_lookup_key spec;           /* what to look up in a store; borrows key and quals */
    struct px_get_directives directives; /* read from info */
    bool renews;                         /* the data is renewed, by a direct modex of its own */
    uint64_t modex;  /* number of the direct modex that it waits for; 0: none, or the one that gets
                        of the process share by default */
    bool counts;     /* the requester wants the number of the newest change with the values */
    uint64_t change; /* number of the change that the requester has; 0: none */
    bool implicit;   /* the timer runs the limit for missing keys, not PMIX_TIMEOUT */
    uint32_t wait;   /* in the area of open waits (open_waits.h) */
    struct px_timer timer;
    size_t need;        /* bytes of a large answer; 0: not known to be large */
    struct px_buf room; /* for it, empty, of which the first n_made bytes were written to */
    size_t n_made;
    /* The rest is for a call of this process. */
    struct px_task task;
    pmix_value_t **value; /* where the waiting caller gets the value; NULL: by callback */
    pmix_status_t status; /* of a failure, until its callback has run */
    pmix_info_t quals[];  /* those of info that qualify the value */
};

/* How a get is answered. */
enum px_get_how {
    PX_GET_KVALS = 1, /* REFRESH_CACHE: the reply has plain values, not one object per process */
    PX_GET_COLLECTED = 2, /* all that has changed of a namespace (PX_KEY_COLLECTED) */
};

/* Makes the lists of a server that begins. */
void px_gets_init(struct px_server *s);

/* Serves the get and frees it, now or later. The answer goes to get->reply_to. A get with
 * px_get.value is always answered before this function returns, and a process without a loop may
 * then call it in any thread. */
void px_get_begin(struct px_get *get);

/* Tries to answer a get again that is in no list. Frees it, now or later. */
void px_get_again(struct px_get *get);

/* Answers a get with an error, and frees it. */
void px_get_refuse(struct px_get *get, int status);

/* Frees the get without an answer. */
void px_get_destroy(struct px_get *get);

/* A direct modex for the process has ended, which the gets with this px_get.modex share; its data
 * is in the store if status is PMIX_SUCCESS. key: the key that the host was asked for. */
void px_gets_modex_done(struct px_server *s, const pmix_proc_t *proc, uint64_t modex,
                        const char *key, int status);

/* The same for the direct modex of a get that renews. */
void px_gets_renewed(struct px_server *s, const pmix_proc_t *proc, uint64_t modex, int status);

/* A local process has committed: answers the gets that the commit satisfies. */
void px_gets_committed(struct px_server *s, struct px_local_proc *rank);

/* A process will not commit any more: its gets end with PMIX_ERR_NOT_FOUND. */
void px_gets_proc_departed(struct px_server *s, struct px_local_proc *rank);

/* A namespace was registered, or is about to be freed: its gets are decided again, or end with
 * PMIX_ERR_INVALID_NAMESPACE. */
void px_gets_nspace_changed(struct px_server *s, struct px_nspace *ns);

/* Frees the gets of a peer. */
void px_gets_peer_disconnected(struct px_server *s, const struct px_peer *peer);

/* The server stops: all gets end with PMIX_ERR_LOST_CONNECTION. */
void px_gets_drop_all(struct px_server *s);

/* The namespace with the data that the get asks for, or NULL: px_tool_data_or_job. Loop thread. */
struct px_nspace *px_get_nspace(const struct px_get *get);

#endif
