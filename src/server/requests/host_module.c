/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The module's length is not passed to PMIx_server_init, and its tail differs by generation: 224
 * bytes end it for hosts compiled against 4.x, then comes session_control (5.0) or tool_connected2,
 * log2, session_control and resource_block (6.1). The same offset means different functions, and
 * real hosts place a 224-byte module as the last object of their data, so the tail is read only
 * when the host says which layout it has (docs/decisions/0012-server-module.md). */

#include "host_module.h"

#include <stddef.h>
#include <string.h>

#include "src/value/infos.h"

enum { BASE = 28 * sizeof(void *) };

_Static_assert(offsetof(pmix_server_module_t, client_connected2) + sizeof(void *) == BASE,
               "the first 28 members are the same in every generation");
_Static_assert(PMIX_SERVER_MODULE_LEVEL >= 61, "the library itself uses the longest layout");

static int level_of(const pmix_info_t *info, size_t ninfo)
{
    const pmix_value_t *level = px_info_find(info, ninfo, PX_KEY_MODULE_LEVEL);

    return level && (level->type == PMIX_INT || level->type == PMIX_UINT32) ? level->data.integer
                                                                            : 0;
}

void px_module_copy(const pmix_server_module_t *module, const pmix_info_t *info, size_t ninfo,
                    pmix_server_module_t *ret)
{
    int level = level_of(info, ninfo);

    memset(ret, 0, sizeof(*ret));
    if (!module) {
        return;
    }
    memcpy(ret, module, level >= 61 ? sizeof(*ret) : BASE);
    if (level >= 50 && level < 61) {
        memcpy(&ret->session_control, (const char *) module + BASE, sizeof(ret->session_control));
    }
}
