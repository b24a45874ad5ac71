/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The server module: each entry only puts its arguments into one shape; what is done with them is
 * the same for all. */

#include <stdio.h>
#include <stdlib.h>

#include "host.h"

static const struct px_host *host;

const char *px_host_entry_name(enum entry entry)
{
    static const char *const names[N_ENTRIES] = {
#define X(name, member, reply) [ON_##name] = #member,
        PX_HOST_ENTRIES(X)
#undef X
    };

    return names[entry];
}

static pmix_status_t put(struct upcall *upcall)
{
    upcall->host = host;
    return px_host_answer(upcall);
}

#define PUT(...) put(&(struct upcall){__VA_ARGS__, .cbdata = cbdata})
#define PROCS    .procs = procs, .n_procs = nprocs
#define INFOS    .infos = info, .n_infos = ninfo
#define OP       .reply.op = cbfunc

static pmix_status_t client_connected(const pmix_proc_t *proc, void *object,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_CONNECTED1, .proc = proc, .object = object, OP);
}

static pmix_status_t client_connected2(const pmix_proc_t *proc, void *object, pmix_info_t info[],
                                       size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_CONNECTED, .proc = proc, .object = object, INFOS, OP);
}

static pmix_status_t client_finalized(const pmix_proc_t *proc, void *object,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_FINALIZED, .proc = proc, .object = object, OP);
}

static pmix_status_t on_abort(const pmix_proc_t *proc, void *object, int status, const char msg[],
                              pmix_proc_t procs[], size_t nprocs, pmix_op_cbfunc_t cbfunc,
                              void *cbdata)
{
    return PUT(.entry = ON_ABORT, .proc = proc, .object = object, PROCS, .number = status,
               .text = msg, OP);
}

static pmix_status_t fence_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo, char *data, size_t ndata, pmix_modex_cbfunc_t cbfunc,
                              void *cbdata)
{
    struct upcall upcall = {.entry = ON_FENCE,
                            PROCS,
                            INFOS,
                            .data = data,
                            .n_data = ndata,
                            .reply.modex = cbfunc,
                            .cbdata = cbdata};
    pmix_status_t rc = put(&upcall);

    if (host->frees_data && !upcall.data_taken) {
        free(data);
    }
    return rc;
}

static pmix_status_t direct_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                  pmix_modex_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_MODEX, .proc = proc, INFOS, .reply.modex = cbfunc);
}

static pmix_status_t publish(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                             pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_PUBLISH, .proc = proc, INFOS, OP);
}

static pmix_status_t lookup(const pmix_proc_t *proc, char **keys, const pmix_info_t info[],
                            size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_LOOKUP, .proc = proc, .keys = keys, INFOS, .reply.lookup = cbfunc);
}

static pmix_status_t unpublish(const pmix_proc_t *proc, char **keys, const pmix_info_t info[],
                               size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_UNPUBLISH, .proc = proc, .keys = keys, INFOS, OP);
}

static pmix_status_t spawn(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                           const pmix_app_t apps[], size_t napps, pmix_spawn_cbfunc_t cbfunc,
                           void *cbdata)
{
    return PUT(.entry = ON_SPAWN, .proc = proc, INFOS, .apps = apps, .n_apps = napps,
               .reply.spawn = cbfunc);
}

static pmix_status_t connect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                             size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_CONNECT, PROCS, INFOS, OP);
}

static pmix_status_t disconnect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                                size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_DISCONNECT, PROCS, INFOS, OP);
}

/* The codes of events are noted as text. */
static const char *codes_text(char *to, size_t room, const pmix_status_t *codes, size_t n)
{
    size_t at = 0;

    to[0] = '\0';
    for (size_t i = 0; i < n && at < room; i++) {
        at += (size_t) snprintf(to + at, room - at, "%s%d", i > 0 ? "," : "", codes[i]);
    }
    return to;
}

static pmix_status_t register_events(pmix_status_t *codes, size_t ncodes, const pmix_info_t info[],
                                     size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    char text[512];

    return PUT(.entry = ON_REGISTER, INFOS, .text = codes_text(text, sizeof(text), codes, ncodes),
               OP);
}

static pmix_status_t deregister_events(pmix_status_t *codes, size_t ncodes, pmix_op_cbfunc_t cbfunc,
                                       void *cbdata)
{
    char text[512];

    return PUT(.entry = ON_DEREGISTER, .text = codes_text(text, sizeof(text), codes, ncodes), OP);
}

static pmix_status_t notify_event(pmix_status_t code, const pmix_proc_t *source,
                                  pmix_data_range_t range, pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_NOTIFY, .proc = source, .number = code, .range = range, INFOS, OP);
}

static pmix_status_t query(pmix_proc_t *proct, pmix_query_t *queries, size_t nqueries,
                           pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_QUERY, .proc = proct, .queries = queries, .n_queries = nqueries,
               .reply.info = cbfunc);
}

static void tool_connected(pmix_info_t *info, size_t ninfo, pmix_tool_connection_cbfunc_t cbfunc,
                           void *cbdata)
{
    struct upcall upcall = {.entry = ON_TOOL, INFOS, .reply.tool = cbfunc, .cbdata = cbdata};
    pmix_status_t rc = put(&upcall);

    if (rc != PMIX_SUCCESS) {
        px_host_reply_status(&upcall, rc);
    }
}

static void on_log(const pmix_proc_t *client, const pmix_info_t info[], size_t ninfo,
                   const pmix_info_t directives[], size_t ndirs, pmix_op_cbfunc_t cbfunc,
                   void *cbdata)
{
    struct upcall upcall = {.entry = ON_LOG,
                            .proc = client,
                            INFOS,
                            .more = directives,
                            .n_more = ndirs,
                            OP,
                            .cbdata = cbdata};
    pmix_status_t rc = put(&upcall);

    if (rc != PMIX_SUCCESS) {
        px_host_reply_status(&upcall, rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc);
    }
}

static pmix_status_t allocate(const pmix_proc_t *client, pmix_alloc_directive_t directive,
                              const pmix_info_t info[], size_t ninfo, pmix_info_cbfunc_t cbfunc,
                              void *cbdata)
{
    return PUT(.entry = ON_ALLOCATE, .proc = client, .number = directive, INFOS,
               .reply.info = cbfunc);
}

static pmix_status_t job_control(const pmix_proc_t *requestor, const pmix_proc_t procs[],
                                 size_t nprocs, const pmix_info_t info[], size_t ninfo,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_CONTROL, .proc = requestor, PROCS, INFOS, .reply.info = cbfunc);
}

static pmix_status_t monitor(const pmix_proc_t *requestor, const pmix_info_t *what,
                             pmix_status_t error, const pmix_info_t info[], size_t ninfo,
                             pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_MONITOR, .proc = requestor, .infos = what, .n_infos = 1, .number = error,
               .more = info, .n_more = ninfo, .reply.info = cbfunc);
}

static pmix_status_t get_credential(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                    pmix_credential_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_CREDENTIAL, .proc = proc, INFOS, .reply.cred = cbfunc);
}

static pmix_status_t validate_credential(const pmix_proc_t *proc, const pmix_byte_object_t *cred,
                                         const pmix_info_t info[], size_t ninfo,
                                         pmix_validation_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_VALIDATE, .proc = proc, .data = cred->bytes, .n_data = cred->size, INFOS,
               .reply.valid = cbfunc);
}

static pmix_status_t iof_pull(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo, pmix_iof_channel_t channels, pmix_op_cbfunc_t cbfunc,
                              void *cbdata)
{
    return PUT(.entry = ON_PULL, PROCS, INFOS, .range = channels, OP);
}

static pmix_status_t push_stdin(const pmix_proc_t *source, const pmix_proc_t procs[], size_t nprocs,
                                const pmix_info_t info[], size_t ninfo,
                                const pmix_byte_object_t *bo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_PUSH, .proc = source, PROCS, INFOS,
               .data = bo != NULL ? bo->bytes : NULL, .n_data = bo != NULL ? bo->size : 0, OP);
}

static pmix_status_t group(pmix_group_operation_t op, char *name, const pmix_proc_t procs[],
                           size_t nprocs, const pmix_info_t info[], size_t ninfo,
                           pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return PUT(.entry = ON_GROUP, PROCS, INFOS, .number = op, .text = name, .reply.info = cbfunc);
}

static pmix_status_t fabric(const pmix_proc_t *requestor, pmix_fabric_operation_t op,
                            const pmix_info_t info[], size_t ninfo, pmix_info_cbfunc_t cbfunc,
                            void *cbdata)
{
    return PUT(.entry = ON_FABRIC, .proc = requestor, INFOS, .number = op, .reply.info = cbfunc);
}

static const pmix_server_module_t full = {
    .client_connected2 = client_connected2,
    .client_connected = client_connected,
    .client_finalized = client_finalized,
    .abort = on_abort,
    .fence_nb = fence_nb,
    .direct_modex = direct_modex,
    .publish = publish,
    .lookup = lookup,
    .unpublish = unpublish,
    .spawn = spawn,
    .connect = connect,
    .disconnect = disconnect,
    .register_events = register_events,
    .deregister_events = deregister_events,
    .notify_event = notify_event,
    .query = query,
    .tool_connected = tool_connected,
    .log = on_log,
    .allocate = allocate,
    .job_control = job_control,
    .monitor = monitor,
    .get_credential = get_credential,
    .validate_credential = validate_credential,
    .iof_pull = iof_pull,
    .push_stdin = push_stdin,
    .group = group,
    .fabric = fabric,
};

static bool has(enum entry entry)
{
    return host->has != NULL ? host->has(entry) : host->answers[entry].how != BY_DEFAULT;
}

pmix_server_module_t *px_host_module(const struct px_host *which)
{
    static pmix_server_module_t module;

    host = which;
#define X(name, member, reply) module.member = has(ON_##name) ? full.member : NULL;
    PX_HOST_ENTRIES(X)
#undef X
    return &module;
}
