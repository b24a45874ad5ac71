/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SERVER_START_H
#define PX_SERVER_SERVER_START_H

#include "src/context/role.h"

/* What the server process itself may call. */
extern const struct px_role_ops px_server_ops;

struct px_server;

#endif
