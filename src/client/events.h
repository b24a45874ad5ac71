/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_EVENTS_H
#define PX_CLIENT_EVENTS_H

#include "session.h"

struct px_ctx;

/* An event from the server. Loop thread. */
void px_client_event_in(struct px_session *session, struct px_in *in);
/* Asks a server, which has become the primary one, for everything that handlers here are registered
 * for. It answers before anything that is asked of it later. Loop thread. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_LOST_CONNECTION. */
int px_client_repeat_codes(struct px_server_peer *server);

pmix_status_t px_client_register_codes(struct px_ctx *ctx, const pmix_status_t *codes,
                                       size_t ncodes, const pmix_info_t *info, size_t ninfo,
                                       pmix_op_cbfunc_t cbfunc, void *cbdata);
void px_client_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                bool default_handler);
pmix_status_t px_client_notify_nb(struct px_ctx *ctx, pmix_status_t code, const pmix_proc_t *source,
                                  pmix_data_range_t range, const pmix_info_t *info, size_t ninfo,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata);

#endif
