/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_REFRESH_H
#define PX_CLIENT_REFRESH_H

/* Segments from generation to generation: adopting those that arrive, asking for the next one, and
 * waiting for it at the end of a collective. Any thread may find that a segment is superseded;
 * segments are exchanged and unmapped by the loop thread alone. */

#include <stdbool.h>

struct px_session;
struct px_space;
struct px_store;

/* Takes over a segment: the first of its namespace, or its next generation. It is destroyed if it
 * is not newer than ours, if there is no memory for its space, or if it is of another namespace
 * while we have no segment of our own. Loop thread. */
void px_session_adopt(struct px_session *session, struct px_store *segment);

/* Maps the segment of our own namespace that was inherited, before there is a server. Takes over
 * the descriptor. 0, a status of px_store_open, PMIX_ERR_UNPACK_FAILURE (another namespace's). The
 * thread that starts the session. */
int px_session_begin_with(struct px_session *session, int fd);

/* Notes whose reply is delivered next. Opens the segment whose descriptor came with it (-1: none),
 * and adopts it. For px_link_ops; loop thread. */
void px_session_reply(void *arg, int fd);

/* To be called when a reply says that the namespace's segment came with it. True: it did, and is
 * adopted. False: its descriptor was lost, or it is of no use here. Then the server is told that we
 * read that namespace by messages (our own excepted), so that the caller can ask again. Loop
 * thread. */
bool px_session_segment_came(struct px_session *session, const char *nspace);

/* To be called when the server's answer to a refresh of a namespace (PMIX_GET_REFRESH_CACHE) is in
 * the private store: the segment of an earlier job of that name is not read any more, and the new
 * one is asked for. Loop thread. */
void px_session_refreshed(struct px_session *session, const char *nspace);

/* Empties a space: its segment and its private store are unmapped when nobody reads them any more
 * (px_session_unmap). Loop thread, session lock. */
void px_space_drop(struct px_session *session, struct px_space *space);

/* Unmaps what was replaced or dropped, as far as nobody reads it; called again at later occasions.
 * Loop thread. */
void px_session_unmap(struct px_session *session);

/* Maps as much of a segment at once as the parameters shmix_prefault and shmix_huge_pages say: when
 * it arrives, and the new parts after a collective. Loop thread. */
void px_session_prefault(struct px_store *segment);

/* Asks the server for the next generation of a namespace; does not wait. To be called whenever a
 * reader sees that its segment is superseded: it asks once, and backs off after replies without a
 * new one. Any thread, inside a read-side critical section. */
void px_space_request_refresh(struct px_session *session, struct px_space *space);

/* At the end of a collective: makes everything readable that was published before. False: it is
 * already. True: refreshes are under way, and then(arg) is called once they are over, on the loop
 * thread, at the latest after a time-out of 10 s. Loop thread. */
bool px_session_refresh_all(struct px_session *session, void (*then)(void *arg), void *arg);

#endif
