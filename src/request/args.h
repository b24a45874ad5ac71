/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_REQUEST_ARGS_H
#define PX_REQUEST_ARGS_H

/* The arguments of each request, one structure per shape. In the calling process the members
 * borrow from the application (PX_BORROWED); in the server they are owned and freed by
 * px_args_fini. The number of elements of an array `x` is `nx`. Which members travel, and in
 * which order, is in the table of requests (schema.c). */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <pmix.h>

/* The directives of a call. Every structure of arguments begins with one, so that code which
 * only deals with directives needs no more than a struct px_args. */
struct px_args {
    pmix_info_t *info;
    size_t ninfo;
};

/* Makes a pointer to the application's const array fit a member; the request does not write to
 * it. */
#define PX_BORROWED(array) ((void *) (uintptr_t) (array))
/* Initializer of a struct px_args with the application's directives. */
#define PX_DIRECTIVES_OF(info, ninfo)                                                              \
    {                                                                                              \
        PX_BORROWED(info), ninfo                                                                   \
    }

/* PMIx_Lookup and PMIx_Unpublish. Lookup requires keys; unpublish without keys means all of the
 * process's published data. */
struct px_keys_args {
    struct px_args head;
    char **keys; /* ended by NULL; NULL: none */
};

/* PMIx_Spawn; the directives are those of the job, each app has its own besides. */
struct px_spawn_args {
    struct px_args head;
    pmix_app_t *apps;
    size_t napps;
};

/* PMIx_Abort. The call has no directives: `head` is empty when it arrives. */
struct px_abort_args {
    struct px_args head;
    pmix_status_t status;
    char *text; /* or NULL */
    pmix_proc_t *procs;
    size_t nprocs;
};

/* PMIx_Log: `data` are the messages, `head` the directives. */
struct px_log_args {
    struct px_args head;
    pmix_info_t *data;
    size_t ndata;
    time_t when; /* of a request that came as a message: when it was sent; 0: not known */
};

/* PMIx_Allocation_request. */
struct px_alloc_args {
    struct px_args head;
    pmix_alloc_directive_t directive;
};

/* PMIx_Job_control. No procs: all processes of the caller's namespace. */
struct px_job_control_args {
    struct px_args head;
    pmix_proc_t *procs;
    size_t nprocs;
};

/* PMIx_Process_monitor: what is to be watched, and the status of the event if it fails. */
struct px_monitor_args {
    struct px_args head;
    pmix_info_t monitor;
    pmix_status_t error;
};

/* PMIx_Validate_credential. */
struct px_validate_args {
    struct px_args head;
    pmix_byte_object_t credential;
};

/* PMIx_Fabric_register and PMIx_Fabric_update. */
struct px_fabric_args {
    struct px_args head;
    size_t index; /* of an update */
};

/* PMIx_Session_control: the PMIx session (an allocation) that is controlled. */
struct px_session_args {
    struct px_args head;
    uint32_t session;
};

/* PMIx_Resource_block. */
struct px_block_args {
    struct px_args head;
    pmix_resource_block_directive_t directive;
    char *name; /* or NULL */
    pmix_resource_unit_t *units;
    size_t nunits;
};

/* PMIx_Query_info. The server adds the requester's user and group to each query's qualifiers. */
struct px_query_args {
    struct px_args head; /* empty: each query has its qualifiers */
    pmix_query_t *queries;
    size_t nqueries;
};

/* PMIx_Notify_event: one event to be raised. */
struct px_notify_args {
    struct px_args head; /* directives and the event's own information */
    pmix_status_t code;
    pmix_data_range_t range;
    pmix_proc_t source; /* of a call of the server's own; a peer raises its events itself */
};

/* A registration of event codes with the server, so that it forwards these events. */
struct px_codes_args {
    struct px_args head;
    pmix_status_t *codes; /* none: for a default handler */
    size_t ncodes;
    /* In the server: */
    bool of_any_code; /* kept events of any code follow the answer */
    bool had_default; /* the peer had a default handler before */
};

/* PMIx_Resolve_peers (node and nspace) and PMIx_Resolve_nodes (nspace). */
struct px_resolve_args {
    struct px_args head; /* empty */
    char *node;          /* of peers; NULL or empty: the server's */
    char *nspace;        /* NULL or empty: all */
    pmix_query_t query;  /* server only: for the host; no keys: not asked */
};

/* The collectives: fence, connect, disconnect, and the calls of groups. */
struct px_coll_args {
    struct px_args head;
    char *group;        /* its name; of the others NULL */
    pmix_proc_t *procs; /* none: all of the namespace; of a group: others name the members */
    size_t nprocs;
};

/* The distances of devices from the CPUs of a process. */
struct px_distance_args {
    struct px_args head;
    pmix_topology_t topo; /* never read from a message: the server has that of the node */
    pmix_cpuset_t cpuset; /* not bound: the server's */
};

/* PMIx_IOF_pull: a subscription to the output of some processes. */
struct px_iof_pull_args {
    struct px_args head;
    pmix_proc_t *procs;
    size_t nprocs;
    pmix_iof_channel_t channel;
    size_t id; /* the asker's number for the subscription; the output carries it */
};

/* PMIx_IOF_deregister. */
struct px_iof_deregister_args {
    struct px_args head;
    size_t id; /* the server's number */
};

/* PMIx_IOF_push: input for the processes. */
struct px_iof_push_args {
    struct px_args head;
    pmix_proc_t *procs;
    size_t nprocs;
    pmix_byte_object_t bytes;
};

#endif
