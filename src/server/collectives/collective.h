/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COLLECTIVE_H
#define PX_SERVER_COLLECTIVE_H

/* The life of a collective on this server, the same for all kinds: a call joins a tracker
 * (tracker.h); when all local members have called, the operation's table (struct px_coll_ops)
 * completes it, usually by an upcall to the host; then every member gets its reply. Time limits
 * and members that die are treated here, too. Loop thread. */

#include "tracker.h"

struct px_in;
struct px_peer;

/* A member's call: reads its arguments, joins or starts a tracker, and completes the collective if
 * the member is the last local one. 0: the member is answered later, or has been; an error: the
 * caller is refused and nothing has changed. PMIX_ERR_NOT_A_MEMBER (the processes do not name the
 * caller), PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM, a malformed directive, the status of unpacking, or
 * that of the operation's `prepare` or `admit`. */
int px_coll_start(const struct px_coll_ops *ops, struct px_peer *peer, uint32_t tag,
                  struct px_in *in);

/* The status of a collective that completes without the host: PMIX_ERR_NOT_SUPPORTED if a member
 * requires a directive that this library does not honour, else what is wrong with the local
 * members, or PMIX_SUCCESS. */
pmix_status_t px_coll_local_status(const struct px_coll *coll);

/* Others may be waited for than before, or some may have ended: completes the collective if all are
 * there, also one that is closed and waits without the host. True if it did; it may be freed then.
 */
bool px_coll_recount(struct px_coll *coll);

/* Starts the upcall of a closed collective: processes, directives, and the status of lost local
 * members (PMIX_LOCAL_COLLECTIVE_STATUS), then the table's `ask`. Ends the collective if that
 * fails. The collective may be over, and freed, when this returns. */
void px_coll_ask_host(struct px_coll *coll);

/* The host has answered, and members of this server are waited for once more: the time limit, if
 * there is one, starts anew. It is stopped when the host is asked, or with px_timer_stop_loop. */
void px_coll_limit_again(struct px_coll *coll);

/* For the table's `answered`: ends the collective of the upcall with a status, unless it is
 * over. */
void px_coll_answered(struct px_upcall *up, pmix_status_t status);

/* Ends a closed collective without an upcall under way, as px_coll_finish does: at once, or in a
 * later turn of the loop, if it has more than PX_MANY_PROCS processes or the table's `ending` has
 * more to do. */
void px_coll_end(struct px_coll *coll, pmix_status_t status);

/* Ends a collective: calls the table's `finished`, replies to every member that is still
 * connected, and frees the tracker. An upcall under way is detached; its answer finds up->arg
 * NULL. */
void px_coll_finish(struct px_coll *coll, pmix_status_t status);

#endif
