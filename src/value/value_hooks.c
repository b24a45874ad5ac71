/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The hooks for topologies and cpusets, empty until src/topo sets them (px_topo_install_hooks). */
#include "value_hooks.h"

struct px_value_hooks px_topology_hooks;
struct px_value_hooks px_cpuset_hooks;
