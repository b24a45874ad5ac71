/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_PRIVATE_STORE_H
#define PX_CLIENT_PRIVATE_STORE_H

/* Private stores: what this process keeps of a namespace in its own memory, in the format of a
 * segment. Values get there by puts, by messages of the server, and by PMIx_Store_internal. Also
 * the age of committed data that came by message (stale or not). Functions without _locked take the
 * session lock themselves; they may be called in any thread. */

#include <stdbool.h>
#include <stdint.h>

#include <pmix.h>

struct px_in;
struct px_session;
struct px_space;
struct px_store;
struct px_store_entry;

/* The private store of a namespace, made when first needed; our own contains everything put so far.
 * NULL: no memory. Session lock. */
struct px_store *px_space_private_locked(struct px_session *session, struct px_space *space);

/* Publishes in our private store the values put since the last time. 0, or PMIX_ERR_NOMEM: the
 * store lacks some of them. */
int px_session_store_uncommitted(struct px_session *session);

/* Stores committed data of one process: reads a KVAL stream to its end. only: the one key wanted,
 * or NULL for all. All or nothing is published. 0, PMIX_ERR_NOMEM, or an error of unpacking or
 * publishing. */
int px_session_store_kvals(struct px_session *session, const pmix_proc_t *owner, struct px_in *in,
                           const char *only);

/* True if a stream of job information consists of the mark that the information is in a segment,
 * whose descriptor was sent along. */
bool px_job_info_in_segment(struct px_in in);

/* Stores job information of a namespace: reads a KVAL stream to its end. 0; PMIX_ERR_WOULD_BLOCK
 * (the stream announces a segment that did not arrive: see px_session_segment_came; loop thread
 * only); PMIX_ERR_NOMEM or an error of unpacking. */
int px_session_store_job(struct px_session *session, const char *nspace, struct px_in *in);

/* Stores one BYTE_OBJECT of a reply to GET: PROC owner; KVAL... of the process or, with the
 * wildcard rank, of its job. An empty one is nothing. Statuses as the two functions above. */
int px_session_store_blob(struct px_session *session, struct px_in *in, const char *only);

/* A collective has ended: data that were fetched before of other processes may be old from now on.
 */
void px_session_collected(struct px_session *session);

/* True if the data fetched of this process may be old: a collective has ended since, or the process
 * is of our node, where the server is asked each time. False if none were fetched. */
bool px_session_is_stale(struct px_session *session, const char *nspace, pmix_rank_t rank);

/* The number of the newest change of this process's data that we have completely; 0: none, or the
 * server does not count changes. */
uint64_t px_session_change(struct px_session *session, const char *nspace, pmix_rank_t rank);
/* Notes that another process has committed a value under the key which we may not see. 0,
 * PMIX_ERR_NOMEM or another error of storing. */
int px_session_store_mark(struct px_session *session, const pmix_proc_t *owner, const char *key);

/* Publishes one entry in the private store of a space, which has one. Statuses of px_store_publish.
 * Session lock. */
int px_session_store_locked(struct px_session *session, struct px_space *space,
                            const struct px_store_entry *entry);

/* Stores one value, which is copied. A qualified value is stored under the key and the qualifiers
 * that are in it. 0, PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM or another error of storing the value. */
int px_session_store_value(struct px_session *session, const pmix_proc_t *owner, const char *key,
                           const pmix_value_t *value, pmix_scope_t scope);

#endif
