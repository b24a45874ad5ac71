/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The table of services: for each command the host's function, and the directives that the
 * server adds to the arguments. Most services are a `call_` function that passes the arguments
 * to one member of the host's module; queries, resolve calls, events and output have files of
 * their own. */

#include "requests.h"

#include <stdlib.h>

#include "server_query.h"
#include "server_resolve.h"
#include "src/context/context.h"
#include "src/server/collectives/collective.h"
#include "src/server/collectives/connect.h"
#include "src/server/collectives/fence.h"
#include "src/server/collectives/group_leave.h"
#include "src/server/collectives/server_group.h"
#include "src/server/data/nspace.h"
#include "src/context/log_channels.h"
#include "src/server/events/monitor.h"
#include "src/server/events/registrations.h"
#include "src/server/events/server_events.h"
#include "src/server/events/server_input.h"
#include "src/server/events/server_iof.h"
#include "src/value/directives.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/server/self/self_events.h"
#include "src/event/own_input.h"
#include "src/request/reply.h"
#include "src/topo/distance.h"
#include "src/server/peers/step.h"
#include "src/wire/owed.h"

/* --- arguments completed --- */

/* Log: adds when the message was sent, if that is known (PMIX_LOG_TIMESTAMP). */
static int add_timestamp(struct px_upcall *up, struct px_peer *peer)
{
    struct px_log_args *args = up->args;

    (void) peer;
    return args->when ? px_infos_append(&args->head.info, &args->head.ninfo, PMIX_LOG_TIMESTAMP,
                                        &args->when, PMIX_TIME)
                      : PMIX_SUCCESS;
}

/* Fabric update: the index is a directive for the host (PMIX_FABRIC_INDEX). */
static int add_fabric_index(struct px_upcall *up, struct px_peer *peer)
{
    struct px_fabric_args *args = up->args;

    (void) peer;
    return px_infos_append(&args->head.info, &args->head.ninfo, PMIX_FABRIC_INDEX, &args->index,
                           PMIX_SIZE);
}

/* Spawn: adds that the job is spawned, by which process, and whether that is a tool or a client.
 * Nothing is added for a spawn of the server's own process. */
static int add_parent(struct px_upcall *up, struct px_peer *peer)
{
    struct px_args *args = up->args;
    bool yes = true;
    int rc;

    if (!peer) {
        return PMIX_SUCCESS;
    }
    rc = px_infos_append(&args->info, &args->ninfo, PMIX_SPAWNED, &yes, PMIX_BOOL);
    rc = rc ? rc
            : px_infos_append(&args->info, &args->ninfo, PMIX_PARENT_ID, &peer->proc, PMIX_PROC);
    return rc ? rc
              : px_infos_append(&args->info, &args->ninfo,
                                peer->tool ? PMIX_REQUESTOR_IS_TOOL : PMIX_REQUESTOR_IS_CLIENT,
                                &yes, PMIX_BOOL);
}

/* --- the host's entries --- */

/* Publish, lookup, unpublish: the host keeps the data. The requester's ids among the directives
 * let it apply access rules; the Standard, chapter on publishing, leaves these to the host. */
static pmix_status_t call_publish(struct px_upcall *up)
{
    const struct px_args *args = up->args;
    pmix_server_publish_fn_t fn = up->server->host.publish;

    return fn ? fn(&up->proc, args->info, args->ninfo, px_hostcb_op, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host answers with the values and who published each. */
static pmix_status_t call_lookup(struct px_upcall *up)
{
    const struct px_keys_args *args = up->args;
    pmix_server_lookup_fn_t fn = up->server->host.lookup;

    return fn ? fn(&up->proc, args->keys, args->head.info, args->head.ninfo, px_hostcb_lookup,
                   px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* Without keys the host removes everything that the requester has published. */
static pmix_status_t call_unpublish(struct px_upcall *up)
{
    const struct px_keys_args *args = up->args;
    pmix_server_unpublish_fn_t fn = up->server->host.unpublish;

    return fn ? fn(&up->proc, args->keys, args->head.info, args->head.ninfo, px_hostcb_op,
                   px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host starts the job and answers with its namespace. */
static pmix_status_t call_spawn(struct px_upcall *up)
{
    const struct px_spawn_args *args = up->args;
    pmix_server_spawn_fn_t fn = up->server->host.spawn;

    return fn ? fn(&up->proc, args->head.info, args->head.ninfo, args->apps, args->napps,
                   px_hostcb_spawn, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host also gets the object that it registered with the client. */
static pmix_status_t call_abort(struct px_upcall *up)
{
    const struct px_abort_args *args = up->args;
    const struct px_local_proc *rank = px_local_proc_of(up->server, &up->proc);
    pmix_server_abort_fn_t fn = up->server->host.abort;

    return fn ? fn(&up->proc, rank ? rank->object : NULL, args->status, args->text, args->procs,
                   args->nprocs, px_hostcb_op, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* Hosts of 6.1 have log2, whose status counts; older ones have log, which returns nothing and
 * always answers by its callback. Without either this process logs. */
static pmix_status_t call_log(struct px_upcall *up)
{
    const struct px_log_args *args = up->args;
    const pmix_server_module_t *host = &up->server->host;

    if (host->log2) {
        return host->log2(&up->proc, args->data, args->ndata, args->head.info, args->head.ninfo,
                          px_hostcb_op, px_upcall_handle(up));
    }
    if (!host->log) {
        return px_log_here(&up->proc, !up->reply_to.peer, args->data, args->ndata, args->head.info,
                           args->head.ninfo);
    }
    host->log(&up->proc, args->data, args->ndata, args->head.info, args->head.ninfo, px_hostcb_op,
              px_upcall_handle(up));
    return PMIX_SUCCESS;
}

/* The host's allocate: a new allocation, or a change of one; infos of the host are the reply. */
static pmix_status_t call_alloc(struct px_upcall *up)
{
    const struct px_alloc_args *args = up->args;
    pmix_server_alloc_fn_t fn = up->server->host.allocate;

    return fn ? fn(&up->proc, args->directive, args->head.info, args->head.ninfo, px_hostcb_infos,
                   px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host's job_control. Without processes it concerns the requester's namespace. */
static pmix_status_t call_job_control(struct px_upcall *up)
{
    const struct px_job_control_args *args = up->args;
    pmix_server_job_control_fn_t fn = up->server->host.job_control;

    return fn ? fn(&up->proc, args->procs, args->nprocs, args->head.info, args->head.ninfo,
                   px_hostcb_infos, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host makes a credential for the requester; it knows its ids from the directives. */
static pmix_status_t call_credential(struct px_upcall *up)
{
    const struct px_args *args = up->args;
    pmix_server_get_cred_fn_t fn = up->server->host.get_credential;

    return fn ? fn(&up->proc, args->info, args->ninfo, px_hostcb_credential, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host checks a credential and answers with infos about its owner. */
static pmix_status_t call_validate(struct px_upcall *up)
{
    const struct px_validate_args *args = up->args;
    pmix_server_validate_cred_fn_t fn = up->server->host.validate_credential;

    return fn ? fn(&up->proc, &args->credential, args->head.info, args->head.ninfo,
                   px_hostcb_validation, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* One member of the module serves both requests; the operation tells them apart. */
static pmix_status_t call_fabric(struct px_upcall *up)
{
    const struct px_args *args = up->args;
    pmix_server_fabric_fn_t fn = up->server->host.fabric;
    pmix_fabric_operation_t operation = up->request == &px_request_fabric_update
                                            ? PMIX_FABRIC_UPDATE_INFO
                                            : PMIX_FABRIC_REQUEST_INFO;

    return fn ? fn(&up->proc, operation, args->info, args->ninfo, px_hostcb_infos,
                   px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host's session_control: only of modules of 5.0 or later (px_module_copy). */
static pmix_status_t call_session_control(struct px_upcall *up)
{
    const struct px_session_args *args = up->args;
    pmix_server_session_control_fn_t fn = up->server->host.session_control;

    return fn ? fn(&up->proc, args->session, args->head.info, args->head.ninfo, px_hostcb_infos,
                   px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host's resource_block: only of modules of 6.1 or later. */
static pmix_status_t call_block(struct px_upcall *up)
{
    const struct px_block_args *args = up->args;
    pmix_server_resource_block_fn_t fn = up->server->host.resource_block;

    return fn ? fn(&up->proc, args->directive, args->name, args->units, args->nunits,
                   args->head.info, args->head.ninfo, px_hostcb_op, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The server computes distances from its own topology, which is that of the node; the host has no
 * part in it. The client's cpuset says where it is bound. */
static pmix_status_t call_distances(struct px_upcall *up)
{
    struct px_distance_args *args = up->args;
    pmix_cpuset_t *cpuset = args->cpuset.bitmap ? &args->cpuset : NULL;
    int rc = px_directives_met(&px_call_distances, PX_ATTR_ALL, args->head.info, args->head.ninfo)
                 ? px_topo_distances(NULL, cpuset, args->head.info, args->head.ninfo,
                                     &up->reply.distances, &up->reply.ndistances)
                 : PMIX_ERR_NOT_SUPPORTED;

    return rc ? rc : PMIX_OPERATION_SUCCEEDED;
}

/* --- the answer of a spawn --- */

/* Adds the new job's information to the answer, so that the parent can get it without another
 * request: the segment if the parent maps segments and this one is new to it, the values if it
 * does not map it. A segment travels as a descriptor with the message, so it needs
 * px_answer_offer. */
static void spawn_answered(struct px_upcall *up)
{
    struct px_server *s = up->server;
    struct px_peer *peer = px_peer_find(s, up->reply_to.peer);
    struct px_nspace *ns = px_nspace_find(s, up->reply.proc.nspace);
    bool good = up->reply.status == PMIX_SUCCESS;
    struct px_buf buf = {0};

    if (peer && good) {
        px_iof_launched(s, peer, up->args, up->reply.proc.nspace);
    }
    if (!peer || !good || !ns) {
        px_upcall_answer(up);
        return;
    }
    px_reply_pack(&buf, peer->kind, &px_reply_spawn, &up->reply);
    if (px_peer_has_news(peer, ns)) {
        (void) px_pack_segment(&buf, peer->kind);
        if (px_buf_ok(&buf)) {
            px_answer_offer(s, &up->reply_to, &buf, px_peer_offer(peer, ns));
            return;
        }
    } else if (!px_peer_may_read(peer, ns)) {
        (void) px_nspace_append_info(ns, peer->kind, peer->ours, &buf);
    }
    px_answer_take(s, &up->reply_to, &buf);
}

/* --- the table --- */

/* By command. A row is: description, prepare, call, done, anonymous. */
static const struct px_service services[] = {
    [PX_CMD_PUBLISH] = {&px_request_publish, .call = call_publish},
    [PX_CMD_LOOKUP] = {&px_request_lookup, .call = call_lookup},
    [PX_CMD_UNPUBLISH] = {&px_request_unpublish, .call = call_unpublish},
    [PX_CMD_SPAWN] = {&px_request_spawn, .prepare = add_parent, .call = call_spawn,
                      .done = spawn_answered},
    [PX_CMD_ABORT] = {&px_request_abort, .call = call_abort, .anonymous = true},
    [PX_CMD_QUERY] = {&px_request_query, .prepare = px_query_prepare, .call = px_query_call,
                      .part = px_query_go_on, .done = px_query_answered, .anonymous = true},
    [PX_CMD_LOG] = {&px_request_log, .prepare = add_timestamp, .call = call_log},
    [PX_CMD_ALLOC] = {&px_request_alloc, .call = call_alloc},
    [PX_CMD_JOB_CONTROL] = {&px_request_job_control, .call = call_job_control},
    [PX_CMD_MONITOR] = {&px_request_monitor, .prepare = px_monitor_prepare,
                        .call = px_monitor_call},
    [PX_CMD_GET_CREDENTIAL] = {&px_request_credential, .call = call_credential},
    [PX_CMD_VALIDATE_CREDENTIAL] = {&px_request_validate, .call = call_validate},
    [PX_CMD_FABRIC_REGISTER] = {&px_request_fabric_register, .call = call_fabric},
    [PX_CMD_FABRIC_UPDATE] = {&px_request_fabric_update, .prepare = add_fabric_index,
                              .call = call_fabric},
    [PX_CMD_SESSION_CTRL] = {&px_request_session_control, .call = call_session_control},
    [PX_CMD_RESBLOCK] = {&px_request_block, .call = call_block},
    [PX_CMD_NOTIFY] = {&px_request_notify, .call = px_notify_call, .ahead = px_notify_ahead,
                       .done = px_notify_answered, .anonymous = true},
    [PX_CMD_REGEVENTS] = {&px_request_register_codes, .prepare = px_codes_prepare,
                          .call = px_codes_call, .done = px_codes_registered, .anonymous = true},
    [PX_CMD_RESOLVE_PEERS] = {&px_request_resolve_peers, .call = px_resolve_call,
                              .done = px_resolve_answered, .anonymous = true},
    [PX_CMD_RESOLVE_NODES] = {&px_request_resolve_nodes, .call = px_resolve_call,
                              .done = px_resolve_answered, .anonymous = true},
    [PX_CMD_IOF_PULL] = {&px_request_iof_pull, .prepare = px_iof_pull_prepare,
                         .call = px_iof_pull_call, .done = px_iof_pull_answered},
    [PX_CMD_IOF_DEREG] = {&px_request_iof_deregister, .call = px_iof_deregister_call,
                          .anonymous = true},
    [PX_CMD_IOF_PUSH] = {&px_request_iof_push, .call = px_push_call, .done = px_push_answered},
    [PX_CMD_DEVICE_DISTANCES] = {&px_request_distances, .call = call_distances, .anonymous = true},
    [PX_CMD_FENCE] = {&px_request_fence, .coll = &px_fence_ops},
    [PX_CMD_CONNECT] = {&px_request_connect, .coll = &px_connect_ops},
    [PX_CMD_DISCONNECT] = {&px_request_disconnect, .coll = &px_disconnect_ops},
    [PX_CMD_GROUP_CONSTRUCT] = {&px_request_group_construct, .coll = &px_group_construct_ops},
    [PX_CMD_GROUP_DESTRUCT] = {&px_request_group_destruct, .coll = &px_group_destruct_ops},
    [PX_CMD_GROUP_LEAVE] = {&px_request_group_leave, .call = px_group_leave_call,
                            .anonymous = true},
};

/* Commands without a row have zeros in the table; a command comes from a peer and may be any
 * number. */
const struct px_service *px_service_of(unsigned command)
{
    return command < sizeof(services) / sizeof(services[0]) && services[command].request
               ? &services[command]
               : NULL;
}

/* --- from the request to the host --- */

/* An upcall for a service, with zeroed arguments. NULL: out of memory. */
static struct px_upcall *create(struct px_server *s, const struct px_service *service,
                                const struct px_reply_to *reply_to, const pmix_proc_t *proc)
{
    return px_upcall_create_for(s, service->request, reply_to, proc,
                                service->done ? service->done : px_upcall_answer);
}

/* Completes the arguments: the service's own part, then the requester's user and group. 0 or the
 * status that refuses the request. */
static int prepare(const struct px_service *service, struct px_upcall *up, struct px_peer *peer)
{
    struct px_args *args = up->args;
    int rc = service->prepare ? service->prepare(up, peer) : PMIX_SUCCESS;

    return rc || service->anonymous
               ? rc
               : px_requester_identify(up->server, peer, &args->info, &args->ninfo);
}

/* Marks the required directives that the library honours, then calls the host. The upcall may be
 * gone when this returns. While the server stops the host is not asked any more: a thread of this
 * process may still come. */
static void ask_host(const struct px_service *service, struct px_upcall *up)
{
    struct px_args *args = up->args;

    if (service->request->call) {
        px_directives_mark(service->request->call, px_upcall_levels(up), args->info, args->ninfo);
    }
    px_upcall_returned(up, up->server->stopping ? PMIX_ERR_LOST_CONNECTION : service->call(up));
}

/* Completes the request that was read, and asks the host. Until ask_host the upcall is ours. */
static int serve(struct px_upcall *up, struct px_peer *peer)
{
    const struct px_service *service = px_service_of(up->request->command);
    int rc = prepare(service, up, peer);

    if (rc) {
        px_upcall_destroy(up);
        return rc;
    }
    ask_host(service, up);
    return PMIX_SUCCESS;
}

/* A request that was read (struct px_step). */
struct read_request {
    struct px_step step;
    struct px_upcall *up; /* owned */
    struct px_owed owed;  /* of the message, to the arguments of `up` */
};

static void read_free(struct read_request *request)
{
    px_owed_fini(&request->owed);
    free(request);
}

/* Copies a piece of what is owed. When nothing is owed any more, does a part of the work that the
 * service has before the request is served. When that is done, too, serves the request. */
static int serve_read(struct px_step *step, struct px_peer *peer)
{
    struct read_request *request = px_container_of(step, struct read_request, step);
    struct px_upcall *up = request->up;
    const struct px_service *service = px_service_of(up->request->command);

    if (px_owed_is_due(&request->owed)) {
        (void) px_owed_pay(&request->owed, PX_OWED_PIECE);
        peer->step = step;
        return PMIX_SUCCESS;
    }
    if (service->ahead && service->ahead(up)) {
        peer->step = step;
        return PMIX_SUCCESS;
    }
    read_free(request);
    return serve(up, peer);
}

static void drop_read(struct px_step *step)
{
    struct read_request *request = px_container_of(step, struct read_request, step);

    px_upcall_destroy(request->up);
    read_free(request);
}

/* Leaves the rest of a request to the next step, which takes what is owed. False: memory is out. */
static bool put_off(struct px_upcall *up, struct px_owed *owed, struct px_peer *peer)
{
    struct read_request *request = malloc(sizeof(*request));

    if (request) {
        *request = (struct read_request){{serve_read, drop_read, up->reply_to}, up, *owed};
        *owed = (struct px_owed){0};
        peer->step = &request->step;
    }
    return request != NULL;
}

/* Reads a long request, and leaves the rest to the next step. Takes the upcall. */
static int serve_long(struct px_upcall *up, struct px_peer *peer, struct px_in *in)
{
    struct px_owed owed = {0};
    int rc;

    in->owed = &owed;
    rc = px_args_unpack(in, up->request, up->args);
    in->owed = NULL;
    if (!rc && put_off(up, &owed, peer)) {
        return PMIX_SUCCESS;
    }
    px_owed_fini(&owed);
    px_upcall_destroy(up);
    return rc ? rc : PMIX_ERR_NOMEM;
}

/* The path of a peer's request. The host never sees a request whose arguments cannot be read. */
int px_service_start(const struct px_service *service, struct px_peer *peer, uint32_t tag,
                     struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    struct px_upcall *up;
    int rc;

    px_assert(px_loop_inside(peer->server->loop));
    if (service->coll) {
        return px_coll_start(service->coll, peer, tag, in);
    }
    up = create(peer->server, service, &reply_to, &peer->proc);
    if (up && px_is_long(in)) {
        return serve_long(up, peer, in);
    }
    rc = up ? px_args_unpack(in, service->request, up->args) : PMIX_ERR_NOMEM;
    if (rc) {
        px_upcall_destroy(up);
        return rc;
    }
    return serve(up, peer);
}

/* Loop thread: the second half of px_self_request. */
static void run_self(struct px_task *task)
{
    struct px_upcall *up = px_container_of(task, struct px_upcall, task);
    uint64_t ms = 0;

    if (!px_args_limit(up->request, up->args, &ms) && ms) { /* start_self has refused wrong types */
        px_upcall_limit(up, ms);
    }
    ask_host(px_service_of(up->request->command), up);
}

/* The host sees the same upcall as for a peer, with this process's name. Arguments are copied in
 * the caller's thread; the host is called on the loop thread. The time limit is kept here, as no
 * client waits for the answer. */
static pmix_status_t start_self(struct px_server *s, const struct px_request *request,
                                const struct px_args *args, const struct px_completion *to)
{
    const struct px_service *service = px_service_of(request->command);
    struct px_reply_to reply_to = {.self = *to};
    struct px_upcall *up = create(s, service, &reply_to, &s->self);
    uint64_t ms;
    int rc = px_args_limit(request, args, &ms);

    rc = rc || up ? rc : PMIX_ERR_NOMEM;
    rc = rc ? rc : px_args_copy(request, up->args, args);
    rc = rc ? rc : prepare(service, up, NULL);
    if (rc) {
        px_upcall_destroy(up);
        return rc;
    }
    up->task.run = run_self;
    px_loop_post(s->loop, &up->task);
    return PMIX_SUCCESS;
}

/* px_push_fn of a server: its own host. */
static pmix_status_t push_self(void *server, const struct px_iof_push_args *args,
                               const struct px_completion *to)
{
    return start_self(server, &px_request_iof_push, &args->head, to);
}

pmix_status_t px_self_request(struct px_ctx *ctx, const struct px_request *request,
                              const struct px_args *args, const struct px_completion *to)
{
    struct px_server *s = ctx->server;

    px_assert(!request->member);
    if (request == &px_request_iof_deregister) {
        return px_self_iof_deregister(s, (const struct px_iof_deregister_args *) args);
    }
    if (request == &px_request_iof_push) {
        return px_push_input(ctx, (const struct px_iof_push_args *) args, push_self, s, to);
    }
    return start_self(s, request, args, to);
}
