/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_REQUEST_H
#define PX_CLIENT_REQUEST_H

#include "session.h"
#include "src/wire/message.h"

/* A request to the primary server being put together. */
struct px_msg {
    struct px_session *session;
    struct px_server_peer *server;
    struct px_buf buf;
    enum px_wire_kind kind;
};

/* Starts with the command. PMIX_ERR_UNREACH when there is no server, PMIX_ERR_LOST_CONNECTION when
 * it has gone, PMIX_ERR_WOULD_BLOCK never. Nothing to release on failure. */
int px_msg_start(struct px_session *session, enum px_command command, struct px_msg *ret);
/* The same for one server, primary or not. PMIX_ERR_LOST_CONNECTION when it has gone. */
int px_msg_start_at(struct px_server_peer *server, enum px_command command, struct px_msg *ret);
void px_msg_drop(struct px_msg *msg);

/* Sends and forgets the buffer, whatever happens. `packed` is the outcome of packing: an error is
 * returned as it is. fn as in request.h. */
int px_msg_send(struct px_msg *msg, int packed, uint64_t timeout_ms, px_reply_fn fn, void *arg);

/* The usual replies: STATUS; or STATUS, SIZE m, INFO[m]. cbfunc may be NULL. */
pmix_status_t px_msg_send_op(struct px_msg *msg, int packed, uint64_t timeout_ms,
                             pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_msg_send_info(struct px_msg *msg, int packed, uint64_t timeout_ms,
                               pmix_info_cbfunc_t cbfunc, void *cbdata);

/* The STATUS in front of a reply, or what went wrong before; closes a descriptor that nobody
 * expects. */
pmix_status_t px_reply_status(int status, struct px_in *reply, int fd);

/* Results of an operation, to be freed when the receiver says so: the release function for
 * pmix_info_cbfunc_t. */
struct px_infos {
    pmix_info_t *info;
    size_t n;
};
void px_infos_release(void *infos);

/* Packs processes, groups and ranks in them replaced by the members. PMIX_ERR_NOT_FOUND: a rank
 * that a group does not have. */
int px_msg_pack_procs(struct px_msg *msg, const pmix_proc_t *procs, size_t n);

/* Packs an array of strings, each as an operation of its own, after its number. Returns that
 * number's status. */
int px_pack_keys(struct px_msg *msg, char **keys);

/* Milliseconds after which we give up on our own: the server's time-out and some grace; 0:
 * never. */
uint64_t px_client_timeout_ms(const pmix_info_t *info, size_t ninfo);

#endif
