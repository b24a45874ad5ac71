/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_HOOKS_H
#define PX_TOPO_HOOKS_H

/* Gives the functions above to src/value/value_hooks.h. Idempotent; called before the first context
 * starts. */
void px_topo_install_hooks(void);

#endif
