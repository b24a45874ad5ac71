/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_REFRESH_H
#define PX_CLIENT_REFRESH_H

#include <stdbool.h>

struct px_session;
struct px_space;
struct px_store;

/* Takes over a segment: the first of its namespace, or the next generation. Loop thread. */
void px_session_adopt(struct px_session *session, struct px_store *segment);

/* A descriptor that came with a reply; for px_link_ops. */
int px_session_descriptor(void *arg, int fd);

/* A reply says that the segment came with it. False: it has not, or is of no use here; the server
 * knows now that we read that namespace by messages, so whoever wants something asks again. Loop
 * thread. */
bool px_session_segment_came(struct px_session *session, const char *nspace);

/* Maps at once what the parameters say of a segment that is read here: when it comes, and what is
 * new in it after a collective. Loop thread. */
void px_session_prefault(struct px_store *segment);

/* The server has gone on from the segment: asks for the next, and does not wait. To be called
 * whenever that is seen: it asks once, and after an answer without it less and less often. Any
 * thread. */
void px_space_request_refresh(struct px_session *session, struct px_space *space);

/* A collective has ended: what was published before it is to be seen. False: it is; true: then(arg)
 * is called when it is. Loop thread. */
bool px_session_refresh_all(struct px_session *session, void (*then)(void *arg), void *arg);

#endif
