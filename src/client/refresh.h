/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_REFRESH_H
#define PX_CLIENT_REFRESH_H

struct px_session;
struct px_store;

/* The first segment, or the next: takes it over. Loop thread, or nobody else is there yet. */
void px_session_adopt(struct px_session *session, struct px_store *segment);

/* A descriptor that came with a reply; for px_link_ops. */
int px_session_descriptor(void *arg, int fd);

/* Maps at once what the parameters say of a segment that is read here: when it comes, and what is
 * new in it after a collective. Loop thread. */
void px_session_prefault(struct px_store *segment);

/* The server has gone on to another generation: asks for it, and does not wait. To be called
 * whenever that is seen: it asks once, and after an answer without it less and less often. Any
 * thread. */
void px_session_request_refresh(struct px_session *session);

/* One that has been replaced: it is unmapped when no thread reads it any more. Loop thread. */
void px_session_defer_unmap(struct px_session *session, struct px_store *old);

/* Unmaps what can be unmapped by now. Loop thread. */
void px_session_unmap_deferred(struct px_session *session);

/* Frees all generations. */
void px_session_drop_segments(struct px_session *session);

#endif
