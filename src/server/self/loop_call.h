/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOOP_CALL_H
#define PX_SERVER_LOOP_CALL_H

#include "src/server/priv.h"

/* From an exported call to the loop thread. */

/* The server of a context that is up in that role, or NULL. */
struct px_server *px_server_of(struct px_ctx *ctx);

/* Runs fn on the loop thread and waits for what it returns; on the loop thread itself, at once. Any
 * thread. PMIX_ERR_UNREACH in a forked child, which has no loop. */
int px_server_run(struct px_server *s, int (*fn)(struct px_server *s, void *arg), void *arg);

/* The same for what only reads: a forked child, alone with its copy of the server, runs it itself.
 * Slurm's daemon asks for a task's environment there. */
int px_server_read(struct px_server *s, int (*fn)(struct px_server *s, void *arg), void *arg);

/* The same, without waiting: `done` gets what fn returned, on the loop thread, never before this
 * returns. arg stays the caller's until then. PMIX_SUCCESS, PMIX_ERR_NOMEM or PMIX_ERR_UNREACH
 * (then done is not called). Without done: px_server_run. */
pmix_status_t px_server_start_call(struct px_server *s, int (*fn)(struct px_server *s, void *arg),
                                   void *arg, size_t arg_size, pmix_op_cbfunc_t done, void *cbdata);

/* --- what the exported calls ask for; arguments are borrowed until fn has run. Loop thread. --- */

struct px_nspace_args {
    pmix_nspace_t nspace; /* a copy: the caller's is good during its call only */
    int n_local;
    const pmix_info_t *info;
    size_t ninfo;
};
int px_register_nspace(struct px_server *s, void *args);
int px_deregister_nspace(struct px_server *s, void *args);
int px_local_support(struct px_server *s, void *args);

struct px_client_args {
    pmix_proc_t proc;
    uid_t uid;
    gid_t gid;
    void *object;
};
int px_register_client(struct px_server *s, void *args);
int px_deregister_client(struct px_server *s, void *args);

struct px_infos_args {
    const pmix_info_t *info;
    size_t ninfo;
};
int px_register_resources(struct px_server *s, void *args);
int px_deregister_resources(struct px_server *s, void *args);
int px_inventory_deliver(struct px_server *s, void *args);
const char *px_server_hostname(const struct px_server *s); /* any thread */

struct px_fork_args {
    const pmix_proc_t *proc;
    char ***env;
};
int px_setup_fork(struct px_server *s, void *args);

struct px_pset_args {
    const char *name;
    const pmix_proc_t *members;
    size_t n;
};
int px_pset_define(struct px_server *s, void *args);
int px_pset_delete(struct px_server *s, void *args);

struct px_output_args {
    pmix_proc_t source;
    pmix_iof_channel_t channel;
    const pmix_byte_object_t *bytes;
    const pmix_info_t *info;
    size_t ninfo;
};
int px_output_deliver(struct px_server *s, void *args);

struct px_dmodex_args {
    pmix_proc_t proc;
    pmix_dmodex_response_fn_t fn;
    void *cbdata;
};
int px_dmodex_serve(struct px_server *s, void *args);

struct px_collect_args {
    const pmix_proc_t *procs;
    size_t nprocs;
    struct px_buf *buf;
};
int px_collect_job_info(struct px_server *s, void *args);

/* PMIx_server_setup_application: what the host should ship with the application; the array is the
 * caller's. */
int px_setup_application(const pmix_info_t *info, size_t ninfo, pmix_info_t **ret, size_t *ret_n);

#endif
