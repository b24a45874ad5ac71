/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOOP_CALL_H
#define PX_SERVER_LOOP_CALL_H

/* The way of an exported call to the progress thread (the loop thread). All state of a server
 * belongs to that thread; the calls of pmix_server.h run a function there, and wait for its
 * result or give a callback for it. */

#include "src/server/state.h"

/* The server of a context, that of a launcher too; NULL if there is none, or no context. Any
 * thread. */
struct px_server *px_server_of(struct px_ctx *ctx);

/* Runs fn on the loop thread and returns its result: at once if called there, otherwise the
 * caller blocks. `arg` is borrowed until the return. Any thread. PMIX_ERR_UNREACH in a forked
 * child, which has no loop thread; then fn has not run. */
int px_server_run(struct px_server *s, int (*fn)(struct px_server *s, void *arg), void *arg);

/* As px_server_run, for an fn that only reads: in a forked child, which is alone with its copy
 * of the server, fn runs in the calling thread. Slurm's daemon asks for a task's environment
 * there. */
int px_server_read(struct px_server *s, int (*fn)(struct px_server *s, void *arg), void *arg);

/* As px_server_run without waiting: `done` is called with the result of fn on the loop thread, not
 * before this call has returned, which is the last thing that the exported call does. `arg`, of
 * arg_size bytes, is copied; memory it points at has to live until `done`. PMIX_SUCCESS,
 * PMIX_ERR_NOMEM, or PMIX_ERR_UNREACH in a forked child; after an error `done` is not called. If
 * `done` is NULL: px_server_run. */
pmix_status_t px_server_start_call(struct px_server *s, int (*fn)(struct px_server *s, void *arg),
                                   void *arg, size_t arg_size, pmix_op_cbfunc_t done, void *cbdata);

/* The name of this node; owned by the server, constant while it runs. Any thread. */
const char *px_server_hostname(const struct px_server *s); /* any thread */

#endif
