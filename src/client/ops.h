/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_OPS_H
#define PX_CLIENT_OPS_H

/* The tables of operations of the two roles that this folder implements. Constant. The contract of
 * each operation is in src/context/role.h. */

#include "src/context/role.h"

/* For px_ctx.ops: of a client, and of a tool. They differ in their name only. */

extern const struct px_role_ops px_client_ops;
extern const struct px_role_ops px_tool_ops;

#endif
