/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GET_REQUEST_H
#define PX_SERVER_GET_REQUEST_H

/* Makes gets, of messages of peers and of calls of this process; server_get.h serves them. */

#include <pmix_common.h>

struct px_get;
struct px_in;
struct px_peer;
struct px_reply_to;
struct px_server;

/* Makes a get from its arguments. The directives are read here and nowhere else. key and info then
 * belong to the get; after an error they have been freed. Any thread may call this. Returns 0,
 * PMIX_ERR_BAD_PARAM or PMIX_ERR_NOMEM. */
int px_get_create(struct px_server *s, const struct px_reply_to *reply_to, const pmix_proc_t *asker,
                  unsigned how, const pmix_proc_t *target, char *key, pmix_info_t *info,
                  size_t ninfo, struct px_get **ret);

/* PX_CMD_GET, a px_handler. 0, PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM or the status of unpacking. */
int px_handle_get(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

/* PX_CMD_REFRESH_CACHE, likewise. */
int px_handle_refresh(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

#endif
