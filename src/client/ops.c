/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The operations of the roles client and tool, as src/api calls them. Both roles ask their servers
 * for the same things in the same way, so the two tables have the same functions; what makes a tool
 * different is how it starts and that it may have several servers (tool.c). */

#include "ops.h"
#include "events.h"
#include "src/client/data/get.h"
#include "src/client/data/get_fast.h"
#include "group_map.h"
#include "handler_sources.h"
#include "invite.h"
#include "join.h"
#include "iof.h"
#include "request.h"
#include "src/client/data/put.h"
#include "resolve.h"

/* All operations, the same for both roles. */
#define COMMON_OPS                                                                                 \
    .put = px_client_put, .store_internal = px_client_store_internal, .commit = px_client_commit,  \
    .get = px_client_get_fast, .get_nb = px_client_get_nb, .request = px_client_request,           \
    .resolve = px_client_resolve, .deregister_codes = px_client_deregister_codes,                  \
    .spell_groups = px_group_map_spell_info, .spell_sources = px_client_spell_sources,             \
    .group_invite_nb = px_client_group_invite_nb, .group_join_nb = px_client_group_join_nb,        \
    .iof_pull = px_client_iof_pull

const struct px_role_ops px_client_ops = {.name = "client", COMMON_OPS};
const struct px_role_ops px_tool_ops = {.name = "tool", COMMON_OPS};
