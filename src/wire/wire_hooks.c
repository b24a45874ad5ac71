/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The hooks themselves. Function pointers, not state: the same in every process that links
 * src/topo. */
#include "wire_hooks.h"

struct px_wire_hooks px_wire_hooks;
