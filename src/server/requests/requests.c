/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Logging, allocation, job control, monitoring, credentials, fabric, devices and sessions: read,
 * identify, hand to the host, answer with what it says. */

#include "requests.h"

#include <stdlib.h>
#include <string.h>

#include "src/topo/topo.h"
#include "src/value/directives.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

struct px_upcall *px_request_create(struct px_server *s, const struct px_peer *peer, uint32_t tag)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);

    px_assert(px_loop_inside(s->loop));
    return px_upcall_create(s, &reply_to, &peer->proc, px_done_status);
}

int px_request_go_plain(struct px_upcall *up, int rc, void (*go)(struct px_upcall *up))
{
    if (rc) {
        px_upcall_destroy(up);
        return rc;
    }
    go(up);
    return PMIX_SUCCESS;
}

int px_request_go(struct px_upcall *up, const struct px_peer *peer, int rc,
                  void (*go)(struct px_upcall *up))
{
    return px_request_go_plain(up, rc ? rc : px_upcall_identify(up, peer->uid, peer->gid), go);
}

/* --- log --- */

void px_upcall_log(struct px_upcall *up)
{
    const pmix_server_module_t *host = &up->server->host;

    up->done = px_done_status;
    px_upcall_set_processed(up, &px_call_log);
    if (host->log2) {
        px_upcall_returned(
            up, host->log2(&up->proc, up->data, up->ndata, up->info, up->ninfo, px_hostcb_op, up));
    } else if (host->log) {
        host->log(&up->proc, up->data, up->ndata, up->info, up->ninfo, px_hostcb_op, up);
        px_upcall_returned(up, PMIX_SUCCESS);
    } else {
        px_upcall_returned(up, PMIX_ERR_NOT_SUPPORTED);
    }
}

int px_handle_log(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    time_t when;
    int rc = up ? px_unpack_one(in, PMIX_TIME, &when) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &up->data, &up->ndata);
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    if (!rc && when) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_LOG_TIMESTAMP, &when, PMIX_TIME);
    }
    return px_request_go(up, peer, rc, px_upcall_log);
}

/* --- allocation, job control, monitoring --- */

void px_upcall_alloc(struct px_upcall *up)
{
    pmix_server_alloc_fn_t fn = up->server->host.allocate;

    up->done = px_done_infos;
    px_upcall_set_processed(up, &px_call_alloc);
    px_upcall_returned(up, fn ? fn(&up->proc, (pmix_alloc_directive_t) up->number, up->info,
                                   up->ninfo, px_hostcb_infos, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_alloc(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    pmix_alloc_directive_t directive = 0;
    int rc = up ? px_unpack_one(in, PMIX_ALLOC_DIRECTIVE, &directive) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    if (!rc) {
        up->number = directive;
    }
    return px_request_go(up, peer, rc, px_upcall_alloc);
}

void px_upcall_job_control(struct px_upcall *up)
{
    pmix_server_job_control_fn_t fn = up->server->host.job_control;

    up->done = px_done_infos;
    px_upcall_set_processed(up, &px_call_job_control);
    px_upcall_returned(
        up, fn ? fn(&up->proc, up->procs, up->nprocs, up->info, up->ninfo, px_hostcb_infos, up)
               : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_job_control(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? px_unpack_procs(in, &up->procs, &up->nprocs) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    return px_request_go(up, peer, rc, px_upcall_job_control);
}

void px_upcall_monitor(struct px_upcall *up)
{
    pmix_server_monitor_fn_t fn = up->server->host.monitor;

    up->done = px_done_infos;
    px_upcall_set_processed(up, &px_call_monitor);
    px_upcall_returned(
        up, fn ? fn(&up->proc, up->data, up->code, up->info, up->ninfo, px_hostcb_infos, up)
               : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_monitor(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    if (!rc) {
        up->data = PMIx_Info_create(1);
        rc = up->data ? px_unpack_one(in, PMIX_INFO, up->data) : PMIX_ERR_NOMEM;
        up->ndata = up->data ? 1 : 0;
    }
    rc = rc ? rc : px_unpack_status(in, &up->code);
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    return px_request_go(up, peer, rc, px_upcall_monitor);
}

/* --- credentials --- */

static void credential_answered(struct px_upcall *up)
{
    struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);
    pmix_byte_object_t bytes = {.bytes = up->ret_bytes, .size = up->ret_len};
    struct px_buf buf = {0};

    if (!up->reply_to.peer && up->reply_to.cred) {
        up->reply_to.cred(up->status, &bytes, up->ret_info, up->ret_ninfo, up->reply_to.cbdata);
        return;
    }
    if (!peer) {
        return;
    }
    (void) px_pack_status(&buf, peer->kind, up->status);
    if (up->status == PMIX_SUCCESS) {
        (void) px_pack_bytes(&buf, peer->kind, bytes.bytes, bytes.size);
        if (px_pack_infos(&buf, peer->kind, up->ret_info, up->ret_ninfo)) {
            buf.failed = true;
        }
    }
    px_answer_take(up->server, &up->reply_to, &buf);
}

void px_upcall_credential(struct px_upcall *up)
{
    pmix_server_get_cred_fn_t fn = up->server->host.get_credential;

    up->done = credential_answered;
    px_upcall_set_processed(up, &px_call_credential);
    px_upcall_returned(up, fn ? fn(&up->proc, up->info, up->ninfo, px_hostcb_credential, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_get_credential(struct px_server *s, struct px_peer *peer, uint32_t tag,
                             struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? px_unpack_infos(in, &up->info, &up->ninfo) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    return px_request_go(up, peer, rc, px_upcall_credential);
}

static void validation_answered(struct px_upcall *up)
{
    if (!up->reply_to.peer && up->reply_to.valid) {
        up->reply_to.valid(up->status, up->ret_info, up->ret_ninfo, up->reply_to.cbdata);
        return;
    }
    px_done_infos(up);
}

void px_upcall_validate(struct px_upcall *up)
{
    pmix_server_validate_cred_fn_t fn = up->server->host.validate_credential;

    up->done = validation_answered;
    px_upcall_set_processed(up, &px_call_validate);
    px_upcall_returned(up,
                       fn ? fn(&up->proc, &up->bytes, up->info, up->ninfo, px_hostcb_validation, up)
                          : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_validate(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? px_unpack_one(in, PMIX_BYTE_OBJECT, &up->bytes) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    return px_request_go(up, peer, rc, px_upcall_validate);
}

/* --- fabric, devices, sessions, resource blocks --- */

void px_upcall_fabric(struct px_upcall *up)
{
    pmix_server_fabric_fn_t fn = up->server->host.fabric;

    up->done = px_done_infos;
    px_upcall_set_processed(up, &px_call_fabric);
    px_upcall_returned(up, fn ? fn(&up->proc, (pmix_fabric_operation_t) up->number, up->info,
                                   up->ninfo, px_hostcb_infos, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_fabric_register(struct px_server *s, struct px_peer *peer, uint32_t tag,
                              struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? px_unpack_infos(in, &up->info, &up->ninfo) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    if (!rc) {
        up->number = PMIX_FABRIC_REQUEST_INFO;
    }
    return px_request_go(up, peer, rc, px_upcall_fabric);
}

int px_handle_fabric_update(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    size_t index;
    int rc = up ? px_unpack_size(in, &index) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_infos_append(&up->info, &up->ninfo, PMIX_FABRIC_INDEX, &index, PMIX_SIZE);
    if (!rc) {
        up->number = PMIX_FABRIC_UPDATE_INFO;
    }
    return px_request_go(up, peer, rc, px_upcall_fabric);
}

int px_handle_distances(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    pmix_topology_t topo = {0};
    pmix_cpuset_t cpuset = {0};
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    pmix_device_distance_t *distances = NULL;
    size_t n = 0;
    struct px_buf buf = {0};
    int rc = px_unpack_one(in, PMIX_TOPO, &topo);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_one(in, PMIX_PROC_CPUSET, &cpuset);
    rc = rc ? rc : px_unpack_infos(in, &info, &ninfo);
    if (!rc) {
        int found = px_directives_met(&px_call_distances, PX_ATTR_ALL, info, ninfo)
                        ? px_topo_distances(NULL, cpuset.bitmap ? &cpuset : NULL, info, ninfo,
                                            &distances, &n)
                        : PMIX_ERR_NOT_SUPPORTED;

        (void) px_pack_status(&buf, peer->kind, found);
        if (!found) {
            (void) px_pack_size(&buf, peer->kind, n);
            (void) px_pack(&buf, peer->kind, PMIX_DEVICE_DIST, distances, n);
        }
        px_answer_take(s, &reply_to, &buf);
    }
    PMIx_Device_distance_free(distances, n);
    PMIx_Info_free(info, ninfo);
    px_topo_cpuset_destruct(&cpuset);
    px_topo_destruct(&topo);
    return rc;
}

void px_upcall_session(struct px_upcall *up)
{
    pmix_server_session_control_fn_t fn = up->server->host.session_control;

    up->done = px_done_infos;
    px_upcall_set_processed(up, &px_call_session_control);
    px_upcall_returned(up, fn ? fn(&up->proc, up->number, up->info, up->ninfo, px_hostcb_infos, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_session(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    int rc = up ? px_unpack_one(in, PMIX_UINT32, &up->number) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    return px_request_go(up, peer, rc, px_upcall_session);
}

static int read_units(struct px_in *in, struct px_upcall *up)
{
    size_t n = 0;
    int rc = px_unpack_size(in, &n);

    if (rc || !n) {
        return rc;
    }
    if (n > px_in_left(in)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    up->units = calloc(n, sizeof(*up->units));
    up->nunits = up->units ? n : 0;
    return up->units ? px_unpack(in, PMIX_RESOURCE_UNIT, up->units, &up->nunits) : PMIX_ERR_NOMEM;
}

void px_upcall_resblock(struct px_upcall *up)
{
    pmix_server_resource_block_fn_t fn = up->server->host.resource_block;

    up->done = px_done_status;
    px_upcall_set_processed(up, &px_call_block);
    px_upcall_returned(up,
                       fn ? fn(&up->proc, (pmix_resource_block_directive_t) up->number, up->text,
                               up->units, up->nunits, up->info, up->ninfo, px_hostcb_op, up)
                          : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_resblock(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    pmix_resource_block_directive_t directive = 0;
    int rc = up ? px_unpack_one(in, PMIX_RESBLOCK_DIRECTIVE, &directive) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_string(in, &up->text);
    rc = rc ? rc : read_units(in, up);
    rc = rc ? rc : px_unpack_infos(in, &up->info, &up->ninfo);
    if (!rc) {
        up->number = directive;
    }
    return px_request_go(up, peer, rc, px_upcall_resblock);
}
