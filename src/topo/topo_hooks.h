/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_HOOKS_H
#define PX_TOPO_HOOKS_H

/* Connects the value family (src/value/value_hooks.h) to hwloc. */

/* Installs the functions of topo_values.h and the cpuset's text as the hooks of src/value. Call it
 * before the first context starts; calling again changes nothing. */
void px_topo_install_hooks(void);

#endif
