/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The table of the server role. The exported calls look up the operation here; one that is
 * missing is not supported for a server. A process that calls PMIx_server_init and then PMIx_Get
 * uses it. */

#include "self_ops.h"

#include "src/server/requests/requests.h"
#include "src/server/server_start.h"
#include "self_data.h"
#include "self_events.h"

/* Without an entry: calls that only a member of a job can make (put, fence, connect, groups). */
const struct px_role_ops px_server_ops = {
    .name = "server",
    .hosted = true,
    .store_internal = px_self_store,
    .commit = px_self_commit,
    .get = px_self_get,
    .get_nb = px_self_get_nb,
    .request = px_self_request,
    .resolve = px_self_resolve,
    .deregister_codes = px_self_deregister_codes,
    .spell_groups = px_self_spell_groups,
    .iof_pull = px_self_iof_pull,
};
