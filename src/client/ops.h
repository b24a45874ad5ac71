/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_OPS_H
#define PX_CLIENT_OPS_H

#include "src/context/role.h"

/* The operations of a client and of a tool; the contracts are those of src/context/role.h. */

extern const struct px_role_ops px_client_ops;
extern const struct px_role_ops px_tool_ops;

#endif
