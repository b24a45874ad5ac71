/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_OPS_H
#define PX_SERVER_SELF_OPS_H

/* The server role's table of operations (struct px_role_ops): how the process of a server serves
 * its own calls of the client's interface. The functions are in self_data.c, self_events.c and
 * src/server/requests/requests.c; the table px_server_ops is declared in
 * src/server/server_start.h. */

#include "src/context/role.h"
#include "src/request/args.h"

struct px_server;

#endif
