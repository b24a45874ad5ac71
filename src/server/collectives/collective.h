/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COLLECTIVE_H
#define PX_SERVER_COLLECTIVE_H

#include "src/server/requests/host_upcall.h"
#include "src/server/priv.h"

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

/* All local members are there; `remote`: others are elsewhere. Each finishes the collective, now or
 * later. */
void px_fence_complete(struct px_server *s, struct px_coll *coll, bool remote);
void px_connect_complete(struct px_server *s, struct px_coll *coll, bool remote);
void px_group_complete(struct px_server *s, struct px_coll *coll, bool remote);

/* Whether the set of a disconnect was connected, or is a family. */
bool px_connected(struct px_server *s, const struct px_coll *coll);

/* fence.c, connect.c, server_group.c: their share in finishing. */
void px_fence_finished(struct px_server *s, const struct px_coll *coll, int status);
void px_connect_reply(struct px_server *s, struct px_coll *coll, const struct px_reply_to *reply_to,
                      int status);
void px_connect_finished(struct px_server *s, struct px_coll *coll, int status);
/* Takes over a member's directives and contributions. PMIX_ERR_BAD_PARAM when they contradict
 * another's. */
int px_group_absorb(struct px_coll *coll, const pmix_proc_t *proc, const struct px_coll_call *call);
void px_group_reply(struct px_server *s, struct px_coll *coll, const struct px_reply_to *reply_to,
                    int status);
void px_group_finished(struct px_server *s, struct px_coll *coll, int status);

#endif
