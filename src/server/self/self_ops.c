/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the server process itself may call of the client's API. */

#include "self_ops.h"

#include "src/server/requests/requests.h"
#include "src/server/server_start.h"
#include "self_data.h"
#include "self_events.h"

/* Not here: what only a member of a job does (put, fence, connect, groups). */
const struct px_role_ops px_server_ops = {
    .name = "server",
    .store_internal = px_self_store,
    .commit = px_self_commit,
    .get = px_self_get,
    .get_nb = px_self_get_nb,
    .request = px_self_request,
    .resolve_peers = px_self_resolve_peers,
    .resolve_nodes = px_self_resolve_nodes,
    .deregister_codes = px_self_deregister_codes,
    .iof_pull = px_self_iof_pull,
};
