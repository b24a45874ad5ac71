/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_OPS_H
#define PX_SERVER_SELF_OPS_H

#include "src/context/role.h"
#include "src/request/args.h"

struct px_server;

/* The server process's own operations, as struct px_role_ops says. self_data.c and
 * self_events.c. */

#endif
