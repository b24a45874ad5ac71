/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_server_init gets the host's module without its length, and the tail of the module differs
 * by release. For hosts compiled against 4.x it ends after 224 bytes; 5.0 appends
 * session_control; 6.1 appends tool_connected2, log2, session_control and resource_block. One
 * offset means different functions, and real hosts have a 224-byte module as the last object of
 * their data. So the tail is read only if the host names its layout
 * (docs/decisions/0012-server-module.md). */

#include "host_module.h"

#include <stddef.h>
#include <string.h>

#include "src/value/infos.h"

enum { BASE = 28 * sizeof(void *) };

_Static_assert(offsetof(pmix_server_module_t, client_connected2) + sizeof(void *) == BASE,
               "the first 28 members are the same in every generation");
_Static_assert(PMIX_SERVER_MODULE_LEVEL >= 61, "the library itself uses the longest layout");

int px_module_level(const pmix_info_t *info, size_t ninfo)
{
    const pmix_value_t *level = px_info_find(info, ninfo, PX_KEY_MODULE_LEVEL);

    return level && (level->type == PMIX_INT || level->type == PMIX_UINT32) ? level->data.integer
                                                                            : 0;
}

/* A layout between 50 and 60 has one function behind the first 28, at the place where ours has
 * another; a layout of 61 or more is ours as far as ours goes. */
void px_module_copy(const pmix_server_module_t *module, int level, pmix_server_module_t *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (!module) {
        return;
    }
    memcpy(ret, module, level >= 61 ? sizeof(*ret) : BASE);
    if (level >= 50 && level < 61) {
        memcpy(&ret->session_control, (const char *) module + BASE, sizeof(ret->session_control));
    }
}
