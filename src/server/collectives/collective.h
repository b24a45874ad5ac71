/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COLLECTIVE_H
#define PX_SERVER_COLLECTIVE_H

#include "src/server/requests/host_upcall.h"

struct px_peer;
struct px_server;

/* What fences, connects, disconnects and group operations have in common: gathering the local
 * members, the time limit, members that die, and the end. Loop thread. */

struct px_coll_call {
    enum px_coll_kind kind;
    char *name;
    pmix_proc_t *procs;
    size_t nprocs;
    pmix_info_t *info;
    size_t ninfo;
};

void px_coll_call_fini(struct px_coll_call *call);

/* A member has come. Completes the collective when it is the last local one. 0 (it is answered
 * later), or an error with nothing changed. */
int px_coll_enter(struct px_server *s, struct px_peer *peer, uint32_t tag,
                  const struct px_coll_call *call);

/* Copies processes and directives into the upcall, says what is wrong with local members, and
 * closes the tracker. */
int px_coll_hand_over(struct px_coll *coll, struct px_upcall *up);

/* Tells every member the status and forgets the collective. An upcall still under way is cut
 * loose. */
void px_coll_finish(struct px_server *s, struct px_coll *coll, int status);

void px_colls_peer_disconnected(struct px_server *s, const struct px_peer *peer);
void px_colls_recount(struct px_server *s);
void px_colls_drop_all(struct px_server *s);

#endif
