/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SYNC_H
#define PX_CLIENT_SYNC_H

/* Collectives of processes: fence, connect, disconnect; and what every collective does at its
 * beginning and end. */

#include <stddef.h>

#include <pmix.h>

struct px_coll_args;
struct px_completion;
struct px_msg;
struct px_request;
struct px_link_server;
struct px_session;

/* Ends a collective: calls then(arg) once everything that others committed before it can be read
 * here, at once or after refreshes of segments. Loop thread. */
void px_client_collective_over(struct px_session *session, void (*then)(void *arg), void *arg);

/* px_client_request for the collectives and the calls of groups. The completion of a fence has the
 * status of the fence, or that of a commit which the server refused earlier. A singleton's fence
 * with itself alone is PMIX_OPERATION_SUCCEEDED; PMIX_ERR_NOT_SUPPORTED: a required directive is
 * unknown. Job information of other namespaces that comes with the reply of a connect is stored
 * before its completion, unless it is in segments, which are asked for when needed. Other statuses
 * as px_request_send. */
pmix_status_t px_client_collective(struct px_session *session, const struct px_request *request,
                                   const struct px_coll_args *args, const struct px_completion *to);

/* Begins the request of a collective, with groups among its processes replaced by their members. 0,
 * PMIX_ERR_NOT_FOUND (a rank that a group does not have), PMIX_ERR_NOMEM, or as px_msg_describe. */
int px_client_collective_begin(struct px_link_server *server, const struct px_request *request,
                               const struct px_coll_args *args, struct px_msg *ret);

#endif
