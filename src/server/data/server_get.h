/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GET_H
#define PX_SERVER_GET_H

#include "gds/lookup.h"
#include "src/server/state.h"
#include "src/server/peers/dispatch.h"

struct px_get_directives;
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
    uid_t uid;
    gid_t gid;
    unsigned how; /* enum px_get_how */
    pmix_proc_t target;
    char *key; /* NULL: everything */
    pmix_info_t *info;
    size_t ninfo;
    pmix_info_t *quals; /* those of info that qualify the value */
    struct px_lookup_key spec;
    bool immediate;
    bool refresh; /* PMIX_GET_REFRESH_CACHE: what is here of a process of another node is renewed
                     first */
    uint64_t renewal; /* not 0: the direct modex that it waits for */
    bool counts;      /* the asker wants to know of which change the answer is */
    uint64_t change;  /* counts: the one that it has, 0: none */
    bool implicit;    /* the timer is ours, not the asker's */
    bool patient;     /* PMIX_TIMEOUT of 0: as long as it takes */
    uint32_t timeout_s;
    struct px_timer timer;
};

enum px_get_how {
    PX_GET_KVALS = 1, /* REFRESH_CACHE: the reply has no objects */
};

/* Takes over key and info. The answer comes by get->from, now or later. 0, or an error with nothing
 * taken and no answer given. */
int px_get_start(struct px_server *s, const struct px_reply_to *reply_to, const pmix_proc_t *asker,
                 unsigned how, const pmix_proc_t *target, char *key, pmix_info_t *info,
                 size_t ninfo);

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
