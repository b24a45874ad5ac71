/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_HOST_MODULE_H
#define PX_SERVER_HOST_MODULE_H

/* The host's table of upcalls (pmix_server_module_t), copied at PMIx_server_init. Its length
 * depends on the release that the host was compiled against. Any thread. */

#include <pmix_server.h>

/* Directive of PMIx_server_init (INT or UINT32; 42, 50 or 61): the layout of the host's module,
 * so that the members beyond the first 28 may be read. A host compiled with our pmix_server.h
 * passes PMIX_SERVER_MODULE_LEVEL. */
#define PX_KEY_MODULE_LEVEL "shmix.module.level"

/* Copies those members of the host's module that are certain to exist to *ret, which the caller
 * owns; the others are NULL. `module` may be NULL: all are. */
void px_module_copy(const pmix_server_module_t *module, const pmix_info_t *info, size_t ninfo,
                    pmix_server_module_t *ret);

#endif
