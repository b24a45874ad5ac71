/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_IOF_H
#define PX_CLIENT_IOF_H

#include "session.h"

/* Output of some process from the server. Loop thread. */
void px_client_iof_in(struct px_server_peer *server, struct px_in *in);
void px_iof_handlers_fini(struct px_session *session);

#endif
