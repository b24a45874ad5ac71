/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_OTHER_NSPACE_H
#define PX_CLIENT_OTHER_NSPACE_H

#include <stdbool.h>
#include <stddef.h>

struct px_other_nspace;
struct px_session;
struct px_store;

/* NULL: we have not met it. No lock. */
struct px_other_nspace *px_session_find_other_nspace(const struct px_session *session,
                                                     const char *nspace, size_t len);

/* Makes it if need be; NULL: no memory. Session lock. */
struct px_other_nspace *px_session_other_nspace_locked(struct px_session *session,
                                                       const char *nspace);

/* A segment that came with a reply: takes it over. Loop thread. */
void px_other_nspace_adopt(struct px_session *session, struct px_store *segment);

/* A reply says that the segment came with it. False: it is of no use here; the server knows now
 * that we read that namespace by messages, so whoever wants something asks again. Loop thread. */
bool px_other_nspace_segment_came(struct px_session *session, const char *nspace);

/* Its segment has been superseded, or its job is no more: asks for another, once, and does not
 * wait. Any thread. */
void px_other_nspace_request_refresh(struct px_session *session,
                                     struct px_other_nspace *other_nspace);

/* A collective has ended: what others posted before is to be seen. False: it is; true: then(arg) is
 * called when it is. Loop thread. */
bool px_other_nspace_barrier(struct px_session *session, void (*then)(void *arg), void *arg);
void px_session_drop_other_nspaces(struct px_session *session);

#endif
