/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_REGISTER_H
#define PX_SERVER_REGISTER_H

/* The exported calls by which a host registers namespaces, clients and resources, as they run on
 * the loop thread (loop_call.h). `args` points to the structure declared before the functions; it
 * and all that it refers to are borrowed for the call, and values are copied. */

#include <stddef.h>
#include <sys/types.h>

#include <pmix_server.h>

struct px_buf;
struct px_server;

/* Arguments of PMIx_server_register_nspace, _deregister_nspace and _setup_local_support. */
struct px_nspace_args {
    pmix_nspace_t nspace; /* a copy, for calls that do not wait */
    int n_local;          /* local processes; negative: unknown */
    const pmix_info_t *info;
    size_t ninfo;
};

/* Arguments of PMIx_server_register_client and _deregister_client. */
struct px_client_args {
    pmix_proc_t proc;
    uid_t uid; /* user and group that the client has to prove */
    gid_t gid;
    void *object; /* passed to the host's callbacks about this client */
};

/* Arguments of calls that take infos only. */
struct px_infos_args {
    const pmix_info_t *info;
    size_t ninfo;
};

/* Arguments of PMIx_server_collect_job_info. */
struct px_collect_args {
    const pmix_proc_t *procs;
    size_t nprocs;
    struct px_buf *buf;
};

/* Registers a namespace and its job information, and serves the gets and collectives that waited
 * for it. 0, PMIX_ERR_NOMEM, or the status of px_jobinfo_store. */
int px_register_nspace(struct px_server *s, void *args);

/* Drops a namespace with its clients' connections. 0 or PMIX_ERR_NOT_FOUND. */
int px_deregister_nspace(struct px_server *s, void *args);

/* Registers a client of this server and the user that may connect under its name. 0 or
 * PMIX_ERR_NOMEM. */
int px_register_client(struct px_server *s, void *args);

/* Ends a client's connections; nothing waits for it from then on. 0 or PMIX_ERR_NOT_FOUND. */
int px_deregister_client(struct px_server *s, void *args);

/* PMIx_server_register_resources: values that hold for every job, of now and later, unless the
 * job's registration gives its own. 0, PMIX_ERR_NOMEM, or the status of px_jobinfo_store; resources
 * before the refused one stay registered. */
int px_register_resources(struct px_server *s, void *args);

/* Removes the resources with the given keys. Namespaces that have received them keep their values.
 * 0. */
int px_deregister_resources(struct px_server *s, void *args);

/* Appends the packed job information of each namespace of procs to buf: STRING name, BYTES. Unknown
 * namespaces are left out. 0, PMIX_ERR_NOMEM or the status of packing; after a failure buf holds a
 * part. */
int px_collect_job_info(struct px_server *s, void *args);

#endif
