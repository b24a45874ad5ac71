/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOOP_CALL_H
#define PX_SERVER_LOOP_CALL_H

#include "src/server/state.h"

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

struct px_dmodex_args {
    pmix_proc_t proc;
    pmix_dmodex_response_fn_t fn;
    void *cbdata;
};
/* The arguments are borrowed until it returns. Loop thread. */
int px_dmodex_serve(struct px_server *s, void *args);

const char *px_server_hostname(const struct px_server *s); /* any thread */

#endif
