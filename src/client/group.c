/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups by collective and bootstrap. The layouts of request and reply changed between releases of
 * OpenPMIx and are not negotiated, so the server's version decides (docs/wire-format.md). A
 * construct ends like any collective: the callback is called when data put before it can be read
 * (px_client_collective_over). */

#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "src/client/data/collected.h"
#include "events.h"
#include "request.h"
#include "src/value/infos.h"
#include "group_map.h"
#include "src/client/data/private_store.h"
#include "src/client/data/put.h"
#include "src/wire/messages.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"
#include "src/request/reply.h"
#include "sync.h"
#include "src/base/assert.h"
#include "src/value/procs.h"

/* A construct under way. Allocated when it is sent, freed after its completion. */
struct construct_call {
    struct px_session *session;
    const struct px_link_server *server; /* its release decides how the reply is read */
    struct px_coll_args asked; /* a copy of the caller's arguments; without the processes if the
                                  server says who the members are */
    struct px_completion to;
    struct px_reply reply;         /* for the completion; without infos unless it is a success */
    struct px_proc_list collected; /* the namespaces whose data are to be brought */
};

/* Frees a call with whatever results it still has. */
static void construct_free(struct construct_call *call)
{
    px_reply_fini(&call->reply);
    px_args_fini(&px_request_group_construct, &call->asked.head);
    px_proc_list_fini(&call->collected);
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
        rc = rc == 0 && got == 0 ? PMIX_ERR_UNPACK_FAILURE : rc;
        done += got;
    }
    return rc;
}

/* Reads the reply of releases 4.2.4 to 5.0: the members, the context id (always present; SIZE_MAX
 * for none), then perhaps a BYTE_OBJECT of job information, which is stored, then perhaps infos. */
static int read_outcome_5(struct construct_call *call, struct px_in *reply, struct outcome *out)
{
    struct px_in peek;
    const void *bytes;
    size_t len;

    (void) px_unpack_procs(reply, &out->members, &out->n_members);
    out->has_id = px_unpack_size(reply, &out->id) == 0 && out->id != SIZE_MAX;
    peek = *reply;
    if (px_in_left(&peek) > 0 && px_unpack_view(&peek, &bytes, &len) == 0) {
        struct px_in jobs = px_in_make(bytes, len, reply->kind);

        *reply = peek;
        while (px_in_left(&jobs) > 0) {
            if (px_session_store_blob(call->session, &jobs, NULL) != 0) {
                break; /* job information that does not parse is no error: gets ask for it */
            }
        }
    }
    return px_in_left(reply) > 0 ? read_infos(reply, out) : reply->status;
}

/* Reads the reply of releases from 6.0: the members, a BOOL, the context id if that is true, then
 * perhaps infos. */
static int read_outcome_6(struct px_in *reply, struct outcome *out)
{
    (void) px_unpack_procs(reply, &out->members, &out->n_members);
    if (px_unpack_one(reply, PMIX_BOOL, &out->has_id) == 0 && out->has_id) {
        (void) px_unpack_size(reply, &out->id);
    }
    return px_in_left(reply) > 0 ? read_infos(reply, out) : reply->status;
}

/* Reads the reply by the server's release. Releases before 4.2.4 send the context id alone, asked
 * for or not. */
static int read_outcome(struct construct_call *call, struct px_in *reply, struct outcome *out)
{
    const struct px_args *asked = &call->asked.head;

    if (px_in_left(reply) == 0) {
        return 0;
    }
    if (px_server_at_least(call->server, 6, 0, 0)) {
        return read_outcome_6(reply, out);
    }
    if (px_server_at_least(call->server, 4, 2, 4)) {
        return read_outcome_5(call, reply, out);
    }
    out->has_id = px_infos_flag(asked->info, asked->ninfo, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    return px_unpack_size(reply, &out->id);
}

/* Appends the members to the results as the array that they were read into. 0 or
 * PMIX_ERR_NOMEM; the array is still the outcome's then. */
static int move_members(struct outcome *out, struct px_reply *results)
{
    pmix_data_array_t *array = malloc(sizeof(*array));
    pmix_info_t *info = array != NULL ? px_infos_room(&results->info, results->ninfo, 1) : NULL;

    if (info == NULL) {
        free(array);
        return PMIX_ERR_NOMEM;
    }
    *array = (pmix_data_array_t){.type = PMIX_PROC, .size = out->n_members, .array = out->members};
    PMIx_Load_key(info->key, PMIX_GROUP_MEMBERSHIP);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
    results->ninfo++;
    out->members = NULL;
    out->n_members = 0;
    return 0;
}

/* Makes the results for the application: the members (as asked for, if the server does not send
 * them), the context id, and the server's infos. Long arrays are moved to the results, not copied.
 * 0 or PMIX_ERR_NOMEM. */
static int make_results(struct construct_call *call, struct outcome *out)
{
    const pmix_data_array_t asked = {
        .type = PMIX_PROC, .size = call->asked.nprocs, .array = call->asked.procs};
    struct px_reply *results = &call->reply;
    int rc = 0;

    px_assert(results->ninfo == 0);
    if (out->n_members > 0) {
        rc = move_members(out, results);
    } else if (asked.size > 0) {
        rc = px_infos_append(&results->info, &results->ninfo, PMIX_GROUP_MEMBERSHIP, &asked,
                             PMIX_DATA_ARRAY);
    }
    if (rc == 0 && out->has_id) {
        rc = px_infos_append(&results->info, &results->ninfo, PMIX_GROUP_CONTEXT_ID, &out->id,
                             PMIX_SIZE);
    }
    if (rc == 0) {
        rc = px_infos_append_take(&results->info, &results->ninfo, out->info, out->n_info);
        out->info = NULL;
        out->n_info = 0;
    }
    return rc;
}

/* Calls the completion, which may take the results. Loop thread. */
static void construct_over(void *arg)
{
    struct construct_call *call = arg;

    px_assert(px_loop_inside(call->session->ctx->loop));
    px_assert(call->reply.status == PMIX_SUCCESS || call->reply.ninfo == 0 ||
              call->reply.status == PMIX_ERR_PARTIAL_SUCCESS);
    call->to.done(&call->to, &call->reply);
    construct_free(call);
}

/* Brings what the members have committed, if there is no segment that has it. Loop thread. */
static void construct_collect(void *arg)
{
    struct construct_call *call = arg;

    px_collected_fetch(call->session, &call->collected, construct_over, call);
}

/* Asks a server of another library for the events of members that leave; ours sends them unasked.
 * Once. */
static void watch_left(struct px_session *session, const struct px_link_server *server)
{
    const struct px_completion nobody = px_completion_of(&px_reply_op, NULL, NULL);
    pmix_status_t left = PMIX_GROUP_LEFT;
    struct px_codes_args args = {.codes = &left, .ncodes = 1};

    if (!server->ours && !session->left_watched) {
        session->left_watched = true;
        (void) px_client_watch_codes(session, &args, &nobody); /* or the map is out of date */
    }
}

/* Reads the reply of a construct and enters the group in the map; then waits until data from before
 * can be read. If the server has refused a commit, the call ends with that status, as a fence
 * does; the process is a member all the same, without the refused values. Loop thread. */
static void construct_reply(void *arg, int status, struct px_in *in)
{
    struct construct_call *call = arg;
    struct px_reply *reply = &call->reply;
    struct outcome out = {0};
    int rc;

    reply->status = px_reply_status(status, in);
    if (reply->status == PMIX_SUCCESS || reply->status == PMIX_ERR_PARTIAL_SUCCESS) {
        rc = read_outcome(call, in, &out);
        rc = rc == 0 ? make_results(call, &out) : rc;
        if (rc == 0) {
            px_group_map_add(call->session, call->asked.group, call->server->ours, reply->info,
                             reply->ninfo);
            watch_left(call->session, call->server);
        } else {
            px_reply_fini(reply);
            reply->status = rc;
        }
    }
    if (reply->status == PMIX_SUCCESS || reply->status == PMIX_ERR_PARTIAL_SUCCESS) {
        const pmix_value_t *value = px_info_find(reply->info, reply->ninfo, PMIX_GROUP_MEMBERSHIP);
        struct px_procs members = {NULL, 0};

        (void) (value != NULL && px_value_procs(value, &members));
        /* without memory for the list gets bring the data */
        (void) px_collected_choose(call->session, &members, &call->collected);
        rc = px_session_refused(call->session);
        if (rc != 0) {
            px_reply_fini(reply);
            reply->status = rc;
        }
    }
    PMIx_Proc_free(out.members, out.n_members);
    PMIx_Info_free(out.info, out.n_info);
    px_client_collective_over(call->session, construct_collect, call);
}

/* Sends the request of a construct, with the groups in its directives spelled out, for servers and
 * processes that do not know them. */
static int construct_send(struct construct_call *call, struct px_link_server *server,
                          const struct px_coll_args *args, uint64_t timeout_ms)
{
    static const char *const keys[] = {PMIX_GROUP_ADD_MEMBERS, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER};
    struct px_coll_args named = *args;
    struct px_args spelt[2] = {{0}, {0}};
    struct px_msg msg;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < 2; i++) {
        rc = px_group_map_spell(call->session, keys[i], &named.head, &spelt[i]);
        named.head = rc == 0 ? spelt[i] : named.head;
        rc = rc == 1 ? 0 : rc;
    }
    rc = rc == 0 ? px_client_collective_begin(server, &px_request_group_construct, &named, &msg)
                 : rc;
    PMIx_Info_free(spelt[0].info, spelt[0].ninfo);
    PMIx_Info_free(spelt[1].info, spelt[1].ninfo);
    /* Our server keeps the time until its host has it, and then the host does. */
    return rc == 0 ? px_msg_send(&msg, server->ours ? 0 : timeout_ms, construct_reply, call) : rc;
}

/* The commit goes first: what the other members are to learn of us travels with the server's part
 * of the operation. */
pmix_status_t px_client_group_construct(struct px_link_server *server,
                                        const struct px_coll_args *args,
                                        const struct px_completion *to)
{
    const struct px_request *request = &px_request_group_construct;
    struct px_coll_args asked = *args;
    uint64_t timeout_ms;
    struct construct_call *call;
    int rc = px_client_timeout(args->head.info, args->head.ninfo, &timeout_ms);

    call = rc == 0 ? calloc(1, sizeof(*call)) : NULL;
    if (call == NULL) {
        return rc != 0 ? rc : PMIX_ERR_NOMEM;
    }
    rc = px_client_send_commit(server->session->ctx);
    *call = (struct construct_call){.session = server->session, .server = server, .to = *to};
    if (server->ours) {
        asked.procs = NULL;
        asked.nprocs = 0;
    }
    rc = rc == 0 ? px_args_copy(request, &call->asked.head, &asked.head) : rc;
    rc = rc == 0 ? construct_send(call, server, args, timeout_ms) : rc;
    if (rc != 0) {
        construct_free(call);
    }
    return rc;
}

/* A destruct or leave under way. Allocated when it is sent, freed after its completion. */
struct end_call {
    struct px_session *session;
    char *group;
    struct px_completion to;
};

static void end_free(struct end_call *call)
{
    free(call->group);
    free(call);
}

/* Forgets the group if it has come to its end for this process: with success, or with the loss of
 * a member, which the survivors have been told. After another status it is as before. Loop
 * thread. */
static void end_over(const struct px_completion *to, struct px_reply *reply)
{
    struct end_call *call = to->target;
    pmix_status_t status = reply->status;

    if (status == PMIX_SUCCESS || status == PMIX_ERR_LOST_CONNECTION) {
        px_group_map_remove(call->session, call->group);
    }
    call->to.done(&call->to, reply);
    end_free(call);
}

/* The completion that forgets the group before it calls `to`. 0 or PMIX_ERR_NOMEM. */
static int end_begin(struct px_session *session, const char *group, const struct px_completion *to,
                     struct px_completion *ret)
{
    struct end_call *call = malloc(sizeof(*call));
    char *copy = strdup(group);

    if (call == NULL || copy == NULL) {
        free(copy);
        free(call);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct end_call){.session = session, .group = copy, .to = *to};
    *ret = (struct px_completion){.done = end_over, .target = call};
    return 0;
}

/* A destruct names all members; none to a server of this library that has made the group, which
 * goes by its own list. */
pmix_status_t px_client_group_end(struct px_link_server *server, const struct px_request *request,
                                  const struct px_coll_args *args, const struct px_completion *to)
{
    struct px_session *session = server->session;
    struct px_coll_args named = *args;
    struct px_proc_list members = {0};
    struct px_completion over;
    pmix_proc_t all;
    int rc;

    PMIx_Load_procid(&all, args->group, PMIX_RANK_WILDCARD);
    if (!server->ours || !px_group_map_is_served(session, args->group)) {
        (void) px_group_map_expand(session, &all, 1, &members);
    }
    named.procs = members.at;
    named.nprocs = members.n;
    rc = end_begin(session, args->group, to, &over);
    if (rc == 0) {
        rc = px_request_send_at(server, request, &named.head, &over);
        if (rc != 0) {
            end_free(over.target);
        }
    }
    px_proc_list_fini(&members);
    return rc;
}
