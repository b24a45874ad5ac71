/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "ops.h"
#include "control.h"
#include "events.h"
#include "get.h"
#include "get_fast.h"
#include "group.h"
#include "invite.h"
#include "iof.h"
#include "publish.h"
#include "put.h"
#include "query.h"
#include "resolve.h"
#include "sync.h"

/* Clients and tools ask their servers for the same things in the same way. */
#define COMMON_OPS                                                                                 \
    .put = px_client_put, .store_internal = px_client_store_internal, .commit = px_client_commit,  \
    .get = px_client_get_fast, .get_nb = px_client_get_nb, .fence_nb = px_client_fence_nb,         \
    .abort_nb = px_client_abort_nb, .publish_nb = px_client_publish_nb,                            \
    .lookup_nb = px_client_lookup_nb, .unpublish_nb = px_client_unpublish_nb,                      \
    .spawn_nb = px_client_spawn_nb, .connect_nb = px_client_connect_nb,                            \
    .disconnect_nb = px_client_disconnect_nb, .resolve_peers = px_client_resolve_peers,            \
    .resolve_nodes = px_client_resolve_nodes, .query_nb = px_client_query_nb,                      \
    .log_nb = px_client_log_nb, .alloc_nb = px_client_alloc_nb,                                    \
    .job_control_nb = px_client_job_control_nb, .monitor_nb = px_client_monitor_nb,                \
    .get_credential_nb = px_client_get_credential_nb,                                              \
    .validate_credential_nb = px_client_validate_credential_nb,                                    \
    .register_codes = px_client_register_codes, .deregister_codes = px_client_deregister_codes,    \
    .notify_nb = px_client_notify_nb, .group_construct_nb = px_client_group_construct_nb,          \
    .group_destruct_nb = px_client_group_destruct_nb, .group_leave_nb = px_client_group_leave_nb,  \
    .group_invite_nb = px_client_group_invite_nb, .group_join_nb = px_client_group_join_nb,        \
    .session_control_nb = px_client_session_control_nb,                                            \
    .resource_block_nb = px_client_resource_block_nb,                                              \
    .fabric_register_nb = px_client_fabric_register_nb,                                            \
    .fabric_update_nb = px_client_fabric_update_nb, .iof_pull = px_client_iof_pull,                \
    .iof_deregister = px_client_iof_deregister, .iof_push = px_client_iof_push

const struct px_role_ops px_client_ops = {.name = "client", COMMON_OPS};
const struct px_role_ops px_tool_ops = {.name = "tool", COMMON_OPS};
