/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Upcalls of a host in one shape: what was asked, how it is answered, what is kept of it. Here is
 * what conformance cases say as well, in the same words, so tags and constants are short; functions
 * (host.h) have our prefix. Only the public interface of PMIx 4.2 is used: this folder is built
 * against other libraries, too. */

#ifndef PX_HOST_UPCALL_H
#define PX_HOST_UPCALL_H

#include <pmix.h>
#include <pmix_server.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The entries of the server module: name, member, what it calls back with. */
#define PX_HOST_ENTRIES(X)                                                                         \
    X(CONNECTED, client_connected2, OP)                                                            \
    X(CONNECTED1, client_connected, OP)                                                            \
    X(FINALIZED, client_finalized, OP)                                                             \
    X(ABORT, abort, OP)                                                                            \
    X(FENCE, fence_nb, MODEX)                                                                      \
    X(MODEX, direct_modex, MODEX)                                                                  \
    X(PUBLISH, publish, OP)                                                                        \
    X(LOOKUP, lookup, LOOKUP)                                                                      \
    X(UNPUBLISH, unpublish, OP)                                                                    \
    X(SPAWN, spawn, SPAWN)                                                                         \
    X(CONNECT, connect, OP)                                                                        \
    X(DISCONNECT, disconnect, OP)                                                                  \
    X(REGISTER, register_events, OP)                                                               \
    X(DEREGISTER, deregister_events, OP)                                                           \
    X(NOTIFY, notify_event, OP)                                                                    \
    X(QUERY, query, INFO)                                                                          \
    X(TOOL, tool_connected, TOOL)                                                                  \
    X(LOG, log, OP)                                                                                \
    X(ALLOCATE, allocate, INFO)                                                                    \
    X(CONTROL, job_control, INFO)                                                                  \
    X(MONITOR, monitor, INFO)                                                                      \
    X(CREDENTIAL, get_credential, CRED)                                                            \
    X(VALIDATE, validate_credential, VALID)                                                        \
    X(PULL, iof_pull, OP)                                                                          \
    X(PUSH, push_stdin, OP)                                                                        \
    X(GROUP, group, INFO)                                                                          \
    X(FABRIC, fabric, INFO)

enum entry {
#define X(name, member, reply) ON_##name,
    PX_HOST_ENTRIES(X)
#undef X
        N_ENTRIES
};

/* ---- what is kept: copies, with nothing borrowed */

/* One info, flattened; sub: the infos, if the value is an array of them. A query is an info whose
 * key is its keys, joined by commas, and whose sub are the qualifiers; an app likewise, its key is
 * the command and number its processes. */
struct note {
    const char *key;
    pmix_info_directives_t flags;
    pmix_data_type_t type;
    int64_t number; /* numbers, booleans, statuses, ranks; the length of arrays and byte objects */
    const char *text; /* strings; processes as "A:0,A:*"; "" otherwise */
    const void *bytes;
    const struct note *sub;
    size_t n_sub;
};

struct record {
    enum entry entry;
    int node;
    pmix_proc_t proc;   /* who asked */
    const void *object; /* what the host gave when it registered who asked: not to be looked into */
    const pmix_proc_t *procs;
    size_t n_procs;
    const struct note *infos;
    size_t n_infos;
    const char *blob; /* data of a fence, bytes for stdin, credential */
    size_t n_blob;
    int number; /* status of an abort or event, operation of a group, directive of an allocation,
                   ... */
    int range;  /* of an event; channels of iof_pull */
    const char *text; /* message of an abort, name of a group, keys of a lookup joined by commas */
};

/* ---- what is asked */

union reply {
    pmix_op_cbfunc_t op;
    pmix_modex_cbfunc_t modex;
    pmix_lookup_cbfunc_t lookup;
    pmix_spawn_cbfunc_t spawn;
    pmix_info_cbfunc_t info;
    pmix_tool_connection_cbfunc_t tool;
    pmix_credential_cbfunc_t cred;
    pmix_validation_cbfunc_t valid;
};

/* An upcall. What it points to, except the record, is the library's; ours keeps it until the answer
 * (proc, text and object: until the call returns), another one may not. */
struct upcall {
    const struct px_host *host; /* who is asked */
    const struct record *record;
    enum entry entry;
    const pmix_proc_t *proc;
    const void *object;
    const pmix_proc_t *procs;
    size_t n_procs;
    const pmix_info_t *infos;
    size_t n_infos;
    const pmix_info_t *more; /* directives of log and monitor, beside the data */
    size_t n_more;
    const pmix_query_t *queries;
    size_t n_queries;
    const pmix_app_t *apps;
    size_t n_apps;
    char **keys;
    const char *data;
    size_t n_data;
    bool data_taken; /* of a fence: whoever sets this frees the data */
    int number;
    int range;
    const char *text;
    union reply reply;
    void *cbdata;
};

/* ---- what is answered */

enum how {
    BY_DEFAULT, /* what a sound host does */
    AT_ONCE,    /* returns status, no callback: PMIX_OPERATION_SUCCEEDED or an error */
    CALLBACK,   /* PMIX_SUCCESS, then status by callback from another thread; after `when`, if given
                 */
    DELAYED,    /* the same, with what a sound host answers */
    INSIDE,     /* calls back before it returns */
    NEVER,      /* PMIX_SUCCESS, and no callback */
    MISSING,    /* the entry is NULL */
    OWN,        /* what the function returns; it may use the replies of host.h */
};

struct answer {
    enum how how;
    pmix_status_t status;
    const char *when; /* the host knows what it means */
    pmix_status_t (*own)(struct upcall *upcall);
};

#endif
