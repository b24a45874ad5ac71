/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_HOST_MODULE_H
#define PX_SERVER_HOST_MODULE_H

#include <pmix_server.h>

/* Given to PMIx_server_init (INT or UINT32; 42, 50 or 61): the layout of the host's module, so that
 * the members beyond the first 28 may be used. A host compiled with our pmix_server.h passes
 * PMIX_SERVER_MODULE_LEVEL. */
#define PX_KEY_MODULE_LEVEL "shmix.module.level"

/* Copies as much of a host's module as is certain to be there; the rest of *ret is NULL. module may
 * be NULL. */
void px_module_copy(const pmix_server_module_t *module, const pmix_info_t *info, size_t ninfo,
                    pmix_server_module_t *ret);

#endif
