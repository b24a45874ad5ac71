/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_REQUEST_ARGS_H
#define PX_REQUEST_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <pmix.h>

/* The arguments of each request, one structure per shape. In the process that calls they borrow
 * what the application has given; in the server they own it (px_args_fini). The number of an array
 * `x` is `nx`. */

/* Every structure of arguments begins with the directives of the call. */
struct px_args {
    pmix_info_t *info;
    size_t ninfo;
};

/* Arguments that are borrowed from the application. */
#define PX_BORROWED(array) ((void *) (uintptr_t) (array))
#define PX_DIRECTIVES_OF(info, ninfo)                                                              \
    {                                                                                              \
        PX_BORROWED(info), ninfo                                                                   \
    }

struct px_keys_args {
    struct px_args head;
    char **keys; /* ended by NULL; NULL: none */
};

struct px_spawn_args {
    struct px_args head;
    pmix_app_t *apps;
    size_t napps;
};

struct px_abort_args {
    struct px_args head;
    pmix_status_t status;
    char *text; /* or NULL */
    pmix_proc_t *procs;
    size_t nprocs;
};

struct px_log_args {
    struct px_args head;
    pmix_info_t *data;
    size_t ndata;
    time_t when; /* of a request that came as a message: when it was sent; 0: not known */
};

struct px_alloc_args {
    struct px_args head;
    pmix_alloc_directive_t directive;
};

struct px_job_control_args {
    struct px_args head;
    pmix_proc_t *procs;
    size_t nprocs;
};

struct px_monitor_args {
    struct px_args head;
    pmix_info_t monitor;
    pmix_status_t error;
};

struct px_validate_args {
    struct px_args head;
    pmix_byte_object_t credential;
};

struct px_fabric_args {
    struct px_args head;
    size_t index; /* of an update */
};

struct px_session_args {
    struct px_args head;
    uint32_t session;
};

struct px_block_args {
    struct px_args head;
    pmix_resource_block_directive_t directive;
    char *name; /* or NULL */
    pmix_resource_unit_t *units;
    size_t nunits;
};

struct px_query_args {
    struct px_args head; /* empty: each query has its qualifiers */
    pmix_query_t *queries;
    size_t nqueries;
};

/* An event that is raised. */
struct px_notify_args {
    struct px_args head; /* beside directives all that the event says */
    pmix_status_t code;
    pmix_data_range_t range;
    pmix_proc_t source; /* of a call of the server's own; a peer raises its events itself */
};

/* Events that are wanted. */
struct px_codes_args {
    struct px_args head;
    pmix_status_t *codes; /* none: those that no other handler takes */
    size_t ncodes;
    bool replay; /* in the server: kept events follow the answer */
};

struct px_resolve_args {
    struct px_args head; /* empty */
    char *node;          /* of peers; NULL or empty: the server's */
    char *nspace;        /* NULL or empty: all */
    pmix_query_t query;  /* in the server: what the host is asked; no keys: it is not */
};

struct px_iof_pull_args {
    struct px_args head;
    pmix_proc_t *procs;
    size_t nprocs;
    pmix_iof_channel_t channel;
    size_t id; /* the asker's number for the subscription; the output carries it */
};

struct px_iof_deregister_args {
    struct px_args head;
    size_t id; /* the server's number */
};

struct px_iof_push_args {
    struct px_args head;
    pmix_proc_t *procs;
    size_t nprocs;
    pmix_byte_object_t bytes;
};

#endif
