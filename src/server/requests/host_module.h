/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_HOST_MODULE_H
#define PX_SERVER_HOST_MODULE_H

/* The host's table of upcalls (pmix_server_module_t), copied when it is given (PMIx_server_init,
 * PMIx_tool_set_server_module). Its length
 * depends on the release that the host was compiled against. Any thread. */

#include <pmix_server.h>

/* Directive of PMIx_server_init and, for launchers, of PMIx_tool_init (INT or UINT32; 42, 50 or
 * 61): the layout of the host's module, so that the members beyond the first 28 may be read. A host
 * compiled with our pmix_server.h passes PMIX_SERVER_MODULE_LEVEL. */
#define PX_KEY_MODULE_LEVEL "shmix.module.level"

/* The layout that the host names among its directives; 0 if it names none, or with a wrong type. */
int px_module_level(const pmix_info_t *info, size_t ninfo);

/* Copies those members of the host's module that are certain to exist in this layout to *ret, which
 * the caller owns; the others are NULL. `module` may be NULL: all are. */
void px_module_copy(const pmix_server_module_t *module, int level, pmix_server_module_t *ret);

#endif
