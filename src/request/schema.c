/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The table of requests: the fields of each command in the order in which they travel
 * (docs/wire-format.md, 5), and its directives, reply and release. Constant data; the functions
 * below only apply the operations of fields.c to it. */

#include "fields.h"
#include "src/value/directives.h"
#include "src/wire/messages.h"

/* The forms of a field. `args` is the structure of arguments, `member` its member; an array's
 * count is the member with an n in front. */
#define ONE(args, member, type)                                                                    \
    {                                                                                              \
        PX_FIELD_ONE, PX_ANY, type, offsetof(struct args, member), 0                               \
    }
#define LAST(args, member, type)                                                                   \
    {                                                                                              \
        PX_FIELD_ONE, PX_MAY_TRAIL, type, offsetof(struct args, member), 0                         \
    }
#define LOCAL(args, member, type)                                                                  \
    {                                                                                              \
        PX_FIELD_LOCAL, PX_ANY, type, offsetof(struct args, member), 0                             \
    }
#define MANY(args, member, type, need)                                                             \
    {                                                                                              \
        PX_FIELD_MANY, need, type, offsetof(struct args, member), offsetof(struct args, n##member) \
    }
#define KEYS(need)                                                                                 \
    {                                                                                              \
        PX_FIELD_KEYS, need, PMIX_STRING, offsetof(struct px_keys_args, keys), 0                   \
    }
/* Fields that the sender fills in itself. */
#define USER                                                                                       \
    {                                                                                              \
        PX_FIELD_USER, PX_ANY, PMIX_UINT32, 0, 0                                                   \
    }
#define WHEN                                                                                       \
    {                                                                                              \
        PX_FIELD_TIME, PX_ANY, PMIX_TIME, offsetof(struct px_log_args, when), 0                    \
    }
#define DIRECTIVES(need) MANY(px_args, info, PMIX_INFO, need)
/* Of the collectives: their processes, and the name of a group. */
#define PROCS MANY(px_coll_args, procs, PMIX_PROC, PX_ANY)
#define GROUP(need)                                                                                \
    {                                                                                              \
        PX_FIELD_ONE, need, PMIX_STRING, offsetof(struct px_coll_args, group), 0                   \
    }

#define FIELDS(...)                                                                                \
    .fields = (const struct px_field[]){__VA_ARGS__},                                              \
    .n_fields = sizeof((const struct px_field[]){__VA_ARGS__}) / sizeof(struct px_field)
/* One row: px_request_ROW for PX_CMD_NUMBER, with arguments of struct ARGS and the reply type
 * px_reply_RESULT. The other members are given by name. */
#define REQUEST(row, number, args, result, ...)                                                    \
    const struct px_request px_request_##row = {.command = PX_CMD_##number,                        \
                                                .name = #row,                                      \
                                                .size = sizeof(struct args),                       \
                                                .reply = &px_reply_##result,                       \
                                                __VA_ARGS__}

/* --- published data --- */

REQUEST(publish, PUBLISH, px_args, op, .call = &px_call_publish, .needs_callback = true,
        .timed = true, FIELDS(USER, DIRECTIVES(PX_GIVEN)));

REQUEST(lookup, LOOKUP, px_keys_args, lookup, .call = &px_call_lookup, .needs_callback = true,
        .timed = true, FIELDS(USER, KEYS(PX_REQUIRED), DIRECTIVES(PX_ANY)));

REQUEST(unpublish, UNPUBLISH, px_keys_args, op, .call = &px_call_unpublish, .needs_callback = true,
        .timed = true, FIELDS(USER, KEYS(PX_ANY), DIRECTIVES(PX_ANY)));

/* --- processes and jobs --- */

REQUEST(spawn, SPAWN, px_spawn_args, spawn, .call = &px_call_spawn, .needs_callback = true,
        .timed = true,
        FIELDS(DIRECTIVES(PX_ANY), MANY(px_spawn_args, apps, PMIX_APP, PX_REQUIRED)));

REQUEST(abort, ABORT, px_abort_args, op,
        FIELDS(ONE(px_abort_args, status, PMIX_STATUS), ONE(px_abort_args, text, PMIX_STRING),
               MANY(px_abort_args, procs, PMIX_PROC, PX_ANY)));

/* The members of a job call the collectives; a fence of a singleton is served by its process. */
REQUEST(fence, FENCE, px_coll_args, op, .call = &px_call_fence, .needs_callback = true,
        .timed = true, .member = true, FIELDS(PROCS, DIRECTIVES(PX_ANY)));

REQUEST(connect, CONNECT, px_coll_args, op, .call = &px_call_connect, .needs_callback = true,
        .timed = true, .member = true, FIELDS(PROCS, DIRECTIVES(PX_ANY)));

REQUEST(disconnect, DISCONNECT, px_coll_args, op, .call = &px_call_disconnect,
        .needs_callback = true, .timed = true, .member = true, FIELDS(PROCS, DIRECTIVES(PX_ANY)));

/* What follows the status in the reply depends on the release (docs/wire-format.md). */
REQUEST(group_construct, GROUP_CONSTRUCT, px_coll_args, infos, .call = &px_call_group_construct,
        .timed = true, .member = true, FIELDS(GROUP(PX_REQUIRED), PROCS, DIRECTIVES(PX_ANY)));

static REQUEST(group_destruct_4, GROUP_DESTRUCT, px_coll_args, op,
               FIELDS(GROUP(PX_REQUIRED), DIRECTIVES(PX_ANY)));

REQUEST(group_destruct, GROUP_DESTRUCT, px_coll_args, op, .call = &px_call_group_destruct,
        .timed = true, .member = true, .older = &px_request_group_destruct_4,
        FIELDS(GROUP(PX_REQUIRED), PROCS, DIRECTIVES(PX_ANY)));

REQUEST(group_leave, GROUP_LEAVE, px_coll_args, op, .call = &px_call_group_leave, .timed = true,
        .member = true, .alone = true, FIELDS(GROUP(PX_ANY), DIRECTIVES(PX_ANY)));

REQUEST(job_control, JOB_CONTROL, px_job_control_args, infos, .call = &px_call_job_control,
        .timed = true,
        FIELDS(MANY(px_job_control_args, procs, PMIX_PROC, PX_ANY), DIRECTIVES(PX_GIVEN)));

REQUEST(monitor, MONITOR, px_monitor_args, infos, .call = &px_call_monitor, .timed = true,
        FIELDS(ONE(px_monitor_args, monitor, PMIX_INFO), ONE(px_monitor_args, error, PMIX_STATUS),
               DIRECTIVES(PX_ANY)));

REQUEST(log, LOG, px_log_args, op, .call = &px_call_log, .timed = true,
        FIELDS(WHEN, MANY(px_log_args, data, PMIX_INFO, PX_GIVEN), DIRECTIVES(PX_ANY)));

/* --- resources --- */

REQUEST(alloc, ALLOC, px_alloc_args, infos, .call = &px_call_alloc, .timed = true,
        FIELDS(ONE(px_alloc_args, directive, PMIX_ALLOC_DIRECTIVE), DIRECTIVES(PX_ANY)));

REQUEST(session_control, SESSION_CTRL, px_session_args, infos, .call = &px_call_session_control,
        .timed = true, FIELDS(ONE(px_session_args, session, PMIX_UINT32), DIRECTIVES(PX_ANY)));

REQUEST(block, RESBLOCK, px_block_args, op, .call = &px_call_block, .timed = true, .since = 6,
        FIELDS(ONE(px_block_args, directive, PMIX_RESBLOCK_DIRECTIVE),
               ONE(px_block_args, name, PMIX_STRING),
               MANY(px_block_args, units, PMIX_RESOURCE_UNIT, PX_ANY), DIRECTIVES(PX_ANY)));

REQUEST(fabric_register, FABRIC_REGISTER, px_fabric_args, infos, .call = &px_call_fabric,
        .needs_callback = true, .timed = true, FIELDS(DIRECTIVES(PX_ANY)));

/* The server adds the index to the directives (PMIX_FABRIC_INDEX) before it calls the host. */
REQUEST(fabric_update, FABRIC_UPDATE, px_fabric_args, infos, .call = &px_call_fabric,
        .needs_callback = true, FIELDS(ONE(px_fabric_args, index, PMIX_SIZE)));

/* --- questions, and who asks --- */

REQUEST(query, QUERY, px_query_args, query, .needs_callback = true,
        FIELDS(MANY(px_query_args, queries, PMIX_QUERY, PX_REQUIRED)));

REQUEST(credential, GET_CREDENTIAL, px_args, credential, .call = &px_call_credential,
        .needs_callback = true, .timed = true, FIELDS(DIRECTIVES(PX_ANY)));

REQUEST(validate, VALIDATE_CREDENTIAL, px_validate_args, validation, .call = &px_call_validate,
        .needs_callback = true, .timed = true,
        FIELDS(ONE(px_validate_args, credential, PMIX_BYTE_OBJECT), DIRECTIVES(PX_ANY)));

/* The query is built by the server for its host; it is a field only so that px_args_fini frees
 * it. */
REQUEST(resolve_peers, RESOLVE_PEERS, px_resolve_args, peers, .since = 5,
        FIELDS(ONE(px_resolve_args, node, PMIX_STRING), ONE(px_resolve_args, nspace, PMIX_STRING),
               LOCAL(px_resolve_args, query, PMIX_QUERY)));

REQUEST(resolve_nodes, RESOLVE_NODES, px_resolve_args, nodes, .since = 5,
        FIELDS(ONE(px_resolve_args, nspace, PMIX_STRING),
               LOCAL(px_resolve_args, query, PMIX_QUERY)));

/* No application sends it through this library, which computes distances where it is. */
REQUEST(distances, DEVICE_DISTANCES, px_distance_args, distances, .call = &px_call_distances,
        FIELDS(ONE(px_distance_args, topo, PMIX_TOPO),
               ONE(px_distance_args, cpuset, PMIX_PROC_CPUSET), DIRECTIVES(PX_ANY)));

/* --- events --- */

/* The source does not travel: a peer raises its events itself, so the server knows it from the
 * connection. */
REQUEST(notify, NOTIFY, px_notify_args, op,
        FIELDS(ONE(px_notify_args, code, PMIX_STATUS), ONE(px_notify_args, range, PMIX_DATA_RANGE),
               DIRECTIVES(PX_ANY), LOCAL(px_notify_args, source, PMIX_PROC)));

REQUEST(register_codes, REGEVENTS, px_codes_args, op,
        FIELDS(MANY(px_codes_args, codes, PMIX_STATUS, PX_ANY), DIRECTIVES(PX_ANY)));

/* --- output and input of processes --- */

/* The requester's number may be missing at the end of the message; it is 0 then. */
REQUEST(iof_pull, IOF_PULL, px_iof_pull_args, subscription, .call = &px_call_iof_pull,
        FIELDS(MANY(px_iof_pull_args, procs, PMIX_PROC, PX_GIVEN), DIRECTIVES(PX_ANY),
               ONE(px_iof_pull_args, channel, PMIX_IOF_CHANNEL),
               LAST(px_iof_pull_args, id, PMIX_SIZE)));

REQUEST(iof_deregister, IOF_DEREG, px_iof_deregister_args, op,
        FIELDS(DIRECTIVES(PX_ANY), ONE(px_iof_deregister_args, id, PMIX_SIZE)));

REQUEST(iof_push, IOF_PUSH, px_iof_push_args, op, .call = &px_call_iof_push,
        FIELDS(MANY(px_iof_push_args, procs, PMIX_PROC, PX_ANY), DIRECTIVES(PX_ANY),
               ONE(px_iof_push_args, bytes, PMIX_BYTE_OBJECT)));

/* --- operations on arguments --- */

/* Only presence is checked here; types of directives are checked when they are read. */
bool px_args_valid(const struct px_request *request, const struct px_args *args)
{
    for (size_t i = 0; i < request->n_fields; i++) {
        if (!px_field_valid(&request->fields[i], args)) {
            return false;
        }
    }
    return true;
}

int px_args_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_request *request,
                 const struct px_args *args)
{
    (void) px_pack_command(buf, kind, (uint8_t) request->command);
    px_fields_pack(buf, kind, request->fields, request->n_fields, args);
    return buf->status;
}

int px_args_unpack(struct px_in *in, const struct px_request *request, struct px_args *args)
{
    return px_fields_unpack(in, request->fields, request->n_fields, false, args);
}

int px_args_copy(const struct px_request *request, struct px_args *to, const struct px_args *from)
{
    return px_fields_copy(request->fields, request->n_fields, to, from);
}

/* The server may have added directives to a request that lists none, so they are freed apart. */
void px_args_fini(const struct px_request *request, struct px_args *args)
{
    px_fields_fini(request->fields, request->n_fields, args);
    PMIx_Info_free(args->info, args->ninfo);
    *args = (struct px_args){0};
}

/* --- time limits --- */

/* Reads with the table of the publish calls, since many calls take this directive and no other. */
int px_timeout_read(const pmix_info_t *info, size_t ninfo, uint64_t *ret_ms)
{
    struct px_publish_directives directives;
    int rc = px_publish_read(info, ninfo, &directives);

    if (rc == 0) {
        *ret_ms = directives.timeout != PX_NOT_GIVEN ? (uint64_t) directives.timeout * 1000 : 0;
    }
    return rc;
}

int px_args_limit(const struct px_request *request, const struct px_args *args, uint64_t *ret_ms)
{
    const struct px_query_args *query = (const struct px_query_args *) args;
    uint64_t least = 0;
    int rc = 0;

    if (request != &px_request_query) {
        rc = request->timed ? px_timeout_read(args->info, args->ninfo, &least) : 0;
    }
    for (size_t i = 0; request == &px_request_query && rc == 0 && i < query->nqueries; i++) {
        uint64_t ms = 0;

        rc = px_timeout_read(query->queries[i].qualifiers, query->queries[i].nqual, &ms);
        if (ms > 0 && (least == 0 || ms < least)) {
            least = ms;
        }
    }
    if (rc == 0) {
        *ret_ms = least;
    }
    return rc;
}
