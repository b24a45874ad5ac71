/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOCAL_INPUT_H
#define PX_SERVER_LOCAL_INPUT_H

/* Input for processes that the server of a launcher has started: a pipe for each, and the pushes
 * whose bytes are on their way into it. Writing does not wait: a push is answered when each of its
 * processes has taken all of its bytes, which is what holds back who pushes. The bytes stay those
 * of the push; no copy is made. Loop thread. */

#include <stdbool.h>

#include <pmix_server.h>

#include "src/base/list.h"
#include "src/loop/watch.h"

/* The input of one process; embedded in its owner. */
struct px_local_input {
    struct px_io io;        /* the end that is written to; fd -1: none, or closed */
    struct px_list waiting; /* parts of pushes that are not written yet, in their order; owned */
};

/* Makes a closed input. */
void px_local_input_init(struct px_local_input *input);

/* Makes the pipe. 0, with the end for the process, which the caller closes;
 * PMIX_ERR_JOB_SYS_OP_FAILED: no descriptors. */
int px_local_input_open(struct px_local_input *input, int *ret);

/* Begins to write; in the loop. 0 or PMIX_ERR_NOMEM. */
int px_local_input_watch(struct px_local_input *input, struct px_loop *loop);

/* The process has ended: what waits is not written, and is told so. */
void px_local_input_close(struct px_local_input *input);

/* One push to any number of processes. */
struct px_local_push;

/* Begins a push of bytes that stay where they are until the callback is called; `last`: the inputs
 * are closed behind them. NULL: no memory. */
struct px_local_push *px_local_push_begin(const pmix_byte_object_t *bytes, bool last,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata);

/* Adds a process. One that reads no more does not get it. */
void px_local_push_add(struct px_local_push *push, struct px_local_input *input);

/* No more processes are added. The callback is called when all have taken the bytes, which may be
 * before the return: with PMIX_SUCCESS if one has taken them, PMIX_ERR_IOF_COMPLETE if none reads
 * any more, PMIX_ERR_NOMEM if one could not be added. */
void px_local_push_end(struct px_local_push *push);

#endif
