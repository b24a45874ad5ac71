/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "wire_hooks.h"

/* Function pointers, not state: the same in every process that links the topology layer. */
struct px_wire_hooks px_wire_hooks;
