/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GET_H
#define PX_SERVER_GET_H

#include "gds/get_directives.h"
#include "src/server/state.h"
#include "src/server/peers/dispatch.h"

struct px_in;
struct px_local_proc;
struct px_nspace;
struct px_peer;
struct px_server;

/* One request for data of a process, or of a job, from a client or from this process. Loop
 * thread. */

struct px_get {
    struct px_list link; /* s->gets while it waits */
    struct px_server *server;
    struct px_reply_to reply_to;
    pmix_proc_t asker;
    unsigned how; /* enum px_get_how */
    pmix_proc_t target;
    char *key; /* NULL: everything */
    pmix_info_t *info;
    size_t ninfo;
    struct px_lookup_key spec;
    struct px_get_directives directives;
    uint64_t renewal; /* not 0: the direct modex that it waits for */
    bool counts;      /* the asker wants to know of which change the answer is */
    uint64_t change;  /* counts: the one that it has, 0: none */
    bool implicit;    /* the timer is ours, not the asker's */
    struct px_timer timer;
    /* of a call of this process */
    struct px_task task;
    pmix_value_t **value; /* of one that waits: where the value goes; else NULL */
    bool here_only;       /* it cannot wait: PMIX_ERR_WOULD_BLOCK instead */
    pmix_info_t quals[];  /* those of info that qualify the value */
};

enum px_get_how {
    PX_GET_KVALS = 1, /* REFRESH_CACHE: the reply has no objects */
};

/* Makes a request of its arguments, whose directives are read here and nowhere else. Takes over key
 * and info, whatever it returns. Any thread. 0, PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
int px_get_create(struct px_server *s, const struct px_reply_to *reply_to, const pmix_proc_t *asker,
                  unsigned how, const pmix_proc_t *target, char *key, pmix_info_t *info,
                  size_t ninfo, struct px_get **ret);

/* Serves it and frees it, now or later. The answer goes to get->reply_to; with here_only always
 * now, and then any thread of a process without a loop may call. */
void px_get_begin(struct px_get *get);

/* Frees it without an answer. */
void px_get_destroy(struct px_get *get);

/* server_get.c: a direct modex for (nspace, rank) has ended; key: what it was asked for; renewal:
 * as in px_get. */
void px_gets_modex_done(struct px_server *s, const char *nspace, uint32_t rank, const char *key,
                        int status);
void px_gets_renewed(struct px_server *s, uint64_t renewal, int status);

int px_handle_get(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

int px_handle_refresh(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

void px_gets_committed(struct px_server *s, struct px_local_proc *rank);
void px_gets_proc_departed(struct px_server *s, struct px_local_proc *rank);
void px_gets_nspace_changed(struct px_server *s, struct px_nspace *ns);
void px_gets_peer_disconnected(struct px_server *s, const struct px_peer *peer);
void px_gets_drop_all(struct px_server *s);

#endif
