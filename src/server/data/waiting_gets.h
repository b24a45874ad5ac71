/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_WAITING_GETS_H
#define PX_SERVER_WAITING_GETS_H

/* The gets that wait (px_server.gets), by the process that they ask about, and the walks over them
 * after data of a process have come, after its end, and after changes of a job. A user may have
 * hundreds of thousands of them, so a walk does a part in a turn of the loop; one that meets few is
 * over at once. Loop thread. */

#include <stdbool.h>

#include <pmix_common.h>

struct px_get;
struct px_server;

/* Makes the lists of a server that begins. */
void px_waiting_gets_init(struct px_server *s);

/* Lets a get wait that is in no list. */
void px_waiting_gets_add(struct px_get *get);

/* Data of a process have come: tries the gets about it and those of any rank (any_only: these
 * alone) that wait now, with px_get_data_came, some of them later. Without memory all are tried at
 * once. */
void px_waiting_gets_try(struct px_server *s, const char *nspace, pmix_rank_t rank, bool any_only);

/* The process is no more: ends the gets about it that wait now, with px_get_process_gone, some of
 * them later. They are not tried any more. */
void px_waiting_gets_end(struct px_server *s, const char *nspace, pmix_rank_t rank);

/* A job has been registered, or the host has answered a question about it: decides the gets about
 * it and its processes anew that wait now, with px_get_job_changed, some of them later. */
void px_waiting_gets_decide(struct px_server *s, const char *nspace);

/* The job is no more, and px_waiting_gets_end was called for its processes: ends all other gets
 * about it that wait now, with px_get_job_gone, some of them later. A get that begins later is
 * about another job of this name, and does not end. */
void px_waiting_gets_end_job(struct px_server *s, const char *nspace);

/* Ends all walks: the server stops. */
void px_waiting_gets_stop(struct px_server *s);

#endif
