/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups by collective and bootstrap. The layouts of request and reply changed between releases of
 * OpenPMIx and are not negotiated, so the server's version decides (docs/wire-format.md). A
 * construct ends like any collective: the callback is called when data put before it can be read
 * (px_client_collective_over). */

#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "src/value/infos.h"
#include "group_map.h"
#include "private_store.h"
#include "put.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"
#include "src/request/reply.h"
#include "sync.h"
#include "src/base/assert.h"
#include "src/value/procs.h"

/* A construct under way. Allocated when it is sent, freed after its callback. */
struct construct_call {
    struct px_session *session;
    const struct px_server_peer *server; /* its release decides how the reply is read */
    struct px_infos *results;            /* empty unless it succeeds; given to the callback */
    pmix_status_t status;
    bool wants_id; /* the caller asked for a context id; releases before 4.2.4 send one anyway */
    char *group;
    struct px_proc_list asked; /* the members that the caller named, if the server sends none */
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
};

/* Frees a call with whatever results it still has. */
static void construct_free(struct construct_call *call)
{
    px_infos_release(call->results);
    px_proc_list_fini(&call->asked);
    free(call->group);
    free(call);
}

/* The contents of a reply to construct, as far as the server's release sends them. */
struct outcome {
    pmix_proc_t *members;
    size_t n_members;
    bool has_id; /* the group has a context id */
    size_t id;
    pmix_info_t *info; /* the group information that the members gave */
    size_t n_info;
};

/* Reads the infos at the end of a reply: one INFO with all, or many with one each; servers differ.
 * 0, PMIX_ERR_NOMEM or an error of unpacking. */
static int read_infos(struct px_in *reply, struct outcome *out)
{
    size_t n = 0;
    int rc = px_unpack_size(reply, &n);

    if (rc != 0 || n == 0) {
        return rc;
    }
    rc = px_unpack_room(reply, n, sizeof(*out->info));
    if (rc != 0) {
        return rc;
    }
    out->info = PMIx_Info_create(n);
    if (out->info == NULL) {
        return PMIX_ERR_NOMEM;
    }
    out->n_info = n;
    for (size_t done = 0; done < n && rc == 0;) {
        size_t got = n - done;

        rc = px_unpack(reply, PMIX_INFO, out->info + done, &got);
        done += got > 0 ? got : n;
    }
    return rc;
}

/* Reads the reply of releases 4.2.4 to 5.0: the members, the context id (always present; SIZE_MAX
 * for none), then perhaps a BYTE_OBJECT of job information, which is stored, then perhaps infos. */
static int read_outcome_5(struct construct_call *call, struct px_in *reply, struct outcome *out)
{
    const void *bytes;
    size_t len;
    int rc = px_unpack_procs(reply, &out->members, &out->n_members);

    if (rc == 0) {
        rc = px_unpack_size(reply, &out->id);
        out->has_id = rc == 0 && out->id != SIZE_MAX; /* another member may have asked for it */
    }
    if (rc == 0 && px_in_left(reply) > 0) {
        struct px_in jobs;

        rc = px_unpack_view(reply, &bytes, &len);
        jobs = px_in_make(bytes, rc == 0 ? len : 0, reply->kind);
        while (rc == 0 && px_in_left(&jobs) > 0) {
            rc = px_session_store_blob(call->session, &jobs, NULL);
        }
        rc = 0; /* job information that does not parse is no error: gets ask for it */
    }
    if (rc == 0 && px_in_left(reply) > 0) {
        rc = read_infos(reply, out);
    }
    return rc;
}

/* Reads the reply of releases from 6.0: the members, a BOOL, the context id if that is true, then
 * perhaps infos. */
static int read_outcome_6(struct px_in *reply, struct outcome *out)
{
    int rc = px_unpack_procs(reply, &out->members, &out->n_members);

    if (rc == 0) {
        rc = px_unpack_one(reply, PMIX_BOOL, &out->has_id);
    }
    if (rc == 0 && out->has_id) {
        rc = px_unpack_size(reply, &out->id);
    }
    if (rc == 0 && px_in_left(reply) > 0) {
        rc = read_infos(reply, out);
    }
    return rc;
}

/* Reads the reply by the server's release. Releases before 4.2.4 send the context id alone. */
static int read_outcome(struct construct_call *call, struct px_in *reply, struct outcome *out)
{
    if (px_server_at_least(call->server, 6, 0, 0)) {
        return read_outcome_6(reply, out);
    }
    if (px_server_at_least(call->server, 4, 2, 4)) {
        return read_outcome_5(call, reply, out);
    }
    out->has_id = call->wants_id;
    return px_unpack_size(reply, &out->id);
}

/* Makes the results for the application: the members (as asked for, if the server does not send
 * them), the context id, and the server's infos. 0 or PMIX_ERR_NOMEM. */
static int make_results(struct construct_call *call, const struct outcome *out)
{
    bool told = out->n_members > 0;
    pmix_data_array_t members = {.type = PMIX_PROC,
                                 .size = told ? out->n_members : call->asked.n,
                                 .array = told ? out->members : call->asked.at};
    struct px_infos *results = call->results;
    int rc = 0;

    px_assert(results->n == 0);
    if (members.size > 0) {
        rc = px_infos_append(&results->info, &results->n, PMIX_GROUP_MEMBERSHIP, &members,
                             PMIX_DATA_ARRAY);
    }
    if (rc == 0 && out->has_id) {
        rc = px_infos_append(&results->info, &results->n, PMIX_GROUP_CONTEXT_ID, &out->id,
                             PMIX_SIZE);
    }
    return rc == 0 ? px_infos_append_all(&results->info, &results->n, out->info, out->n_info) : rc;
}

/* Calls the application back, which releases the results later. Loop thread. */
static void construct_over(void *arg)
{
    struct construct_call *call = arg;

    struct px_infos *results = call->results;

    px_assert(px_loop_inside(call->session->ctx->loop));
    px_assert(call->status == PMIX_SUCCESS || call->status == PMIX_ERR_PARTIAL_SUCCESS ||
              results->n == 0);
    if (call->cbfunc != NULL) {
        call->results = NULL;
        call->cbfunc(call->status, results->info, results->n, call->cbdata, px_infos_release,
                     results);
    }
    construct_free(call);
}

/* Reads the reply of a construct and enters the group in the map; then waits until data from before
 * can be read. Loop thread. */
static void construct_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct construct_call *call = arg;
    struct outcome out = {0};
    int rc = 0;

    status = px_reply_status(status, reply, fd);
    if (status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS) {
        if (px_in_left(reply) > 0) {
            rc = read_outcome(call, reply, &out);
        }
        if (rc == 0) {
            rc = make_results(call, &out);
        }
        if (rc == 0) {
            px_group_map_add(call->session, call->group, call->results->info, call->results->n);
        } else {
            PMIx_Info_free(call->results->info, call->results->n);
            *call->results = (struct px_infos){0};
            status = rc;
        }
    }
    PMIx_Proc_free(out.members, out.n_members);
    PMIx_Info_free(out.info, out.n_info);
    call->status = status;
    px_client_collective_over(call->session, construct_over, call);
}

/* A call with copies of its arguments, or NULL: no memory. */
static struct construct_call *construct_create(struct px_session *session, const struct px_msg *msg,
                                               const char *group, const pmix_proc_t *procs,
                                               size_t nprocs, const pmix_info_t *info, size_t ninfo)
{
    struct construct_call *call = calloc(1, sizeof(*call));

    if (call == NULL) {
        return NULL;
    }
    call->session = session;
    call->server = msg->server;
    call->group = strdup(group);
    call->results = calloc(1, sizeof(*call->results));
    if (call->group == NULL || call->results == NULL ||
        px_proc_list_add_all(&call->asked, procs, nprocs) != 0) {
        construct_free(call);
        return NULL;
    }
    call->wants_id = px_infos_flag(info, ninfo, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    return call;
}

/* The commit goes first: what the other members are to learn of us travels with the server's part
 * of the operation. Layout: STRING group, PROCs, INFOs. */
pmix_status_t px_client_group_construct_nb(struct px_ctx *ctx, const char *group,
                                           const pmix_proc_t *procs, size_t nprocs,
                                           const pmix_info_t *info, size_t ninfo,
                                           pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct construct_call *call;
    struct px_msg msg;
    /* What the others are to learn of us travels with the server's part of the operation. */
    int rc = px_client_commit(ctx);

    if (rc == 0) {
        rc = px_msg_start(session, PX_CMD_GROUP_CONSTRUCT, &msg);
    }
    if (rc != 0) {
        return rc;
    }
    call = construct_create(session, &msg, group, procs, procs != NULL ? nprocs : 0, info, ninfo);
    if (call == NULL) {
        px_msg_drop(&msg);
        return PMIX_ERR_NOMEM;
    }
    call->cbfunc = cbfunc;
    call->cbdata = cbdata;
    rc = px_pack_string(&msg.buf, msg.kind, group);
    if (rc == 0) {
        rc = px_msg_pack_procs(&msg, procs, procs != NULL ? nprocs : 0);
    }
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    (void) px_buf_fail(&msg.buf, rc);
    rc = px_msg_send(&msg, px_client_timeout_ms(info, ninfo), construct_reply, call);
    if (rc != 0) {
        construct_free(call);
    }
    return rc;
}

/* Servers from 4.2.4 want the members, which are none if only the server knows the group. Layout:
 * STRING group, PROCs (from 4.2.4), INFOs. */
pmix_status_t px_client_group_destruct_nb(struct px_ctx *ctx, const char *group,
                                          const pmix_info_t *info, size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    struct px_proc_list members;
    pmix_proc_t all;
    int rc = px_msg_start(px_session(ctx), PX_CMD_GROUP_DESTRUCT, &msg);

    PMIx_Load_procid(&all, group, PMIX_RANK_WILDCARD);
    if (rc != 0) {
        return rc;
    }
    rc = px_pack_string(&msg.buf, msg.kind, group);
    if (rc == 0 && px_server_at_least(msg.server, 4, 2, 4)) {
        /* All members; an empty list if only the server knows them. */
        (void) px_group_map_expand(msg.session, &all, 1, &members);
        rc = px_pack_procs(&msg.buf, msg.kind, members.at, members.n);
        px_proc_list_fini(&members);
    }
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    px_group_map_remove(px_session(ctx), group);
    (void) px_buf_fail(&msg.buf, rc);
    return px_msg_send_op(&msg, px_client_timeout_ms(info, ninfo), cbfunc, cbdata);
}

pmix_status_t px_client_group_leave_nb(struct px_ctx *ctx, const char *group,
                                       const pmix_info_t *info, size_t ninfo,
                                       pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_GROUP_LEAVE, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = px_pack_string(&msg.buf, msg.kind, group);
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    px_group_map_remove(px_session(ctx), group);
    (void) px_buf_fail(&msg.buf, rc);
    return px_msg_send_op(&msg, px_client_timeout_ms(info, ninfo), cbfunc, cbdata);
}
