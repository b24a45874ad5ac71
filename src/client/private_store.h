/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_PRIVATE_STORE_H
#define PX_CLIENT_PRIVATE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

struct px_in;
struct px_session;
struct px_space;
struct px_store;

/* The private store of a namespace, made when first needed; our own with all that was posted. NULL:
 * no memory. Session lock. */
struct px_store *px_space_private_locked(struct px_session *session, struct px_space *space);

/* Publishes in our private store what was posted since the last time. 0, PMIX_ERR_NOMEM: it lacks
 * some of that. */
int px_session_store_posted(struct px_session *session);

/* Stores the put data of one process: a KVAL stream to its end. only: NULL, or the one key
 * wanted. */
int px_session_store_kvals(struct px_session *session, const pmix_proc_t *owner, struct px_in *in,
                           const char *only);

/* Does a stream of job information say that all of it is in a segment? */
bool px_job_info_in_segment(struct px_in in);

/* Job information of a namespace: a KVAL stream to its end. PMIX_ERR_WOULD_BLOCK: see
 * px_session_segment_came. */
int px_session_store_job(struct px_session *session, const char *nspace, struct px_in *in);

/* One BYTE_OBJECT of a reply to GET: PROC owner; KVAL... */
int px_session_store_blob(struct px_session *session, struct px_in *in, const char *only);

/* A collective has ended: what others posted before it may be newer than what was fetched of
 * them. */
void px_session_collected(struct px_session *session);

/* May what was fetched of this process be old: has a collective ended since, or is it of our node,
 * so that the server is asked each time? Any number of them may be asked for again. */
bool px_session_is_stale(struct px_session *session, const char *nspace, pmix_rank_t rank);

/* The number of the change that we have all data of this process of; 0: none. Any thread. */
uint64_t px_session_change(struct px_session *session, const char *nspace, pmix_rank_t rank);
int px_session_store_value(struct px_session *session, const pmix_proc_t *owner, const char *key,
                           const pmix_value_t *value, pmix_scope_t scope);

#endif
