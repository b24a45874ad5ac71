/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_IOF_H
#define PX_SERVER_IOF_H

#include "requests.h"

/* Subscriptions to output. peer 0 is this process. Loop thread. */

/* NULL when memory is out. */
struct px_pull *px_pull_add(struct px_server *s, uint64_t peer, const pmix_proc_t *procs,
                            size_t nprocs, pmix_iof_channel_t channel);
/* 0 or PMIX_ERR_NOT_FOUND. */
int px_pull_drop(struct px_server *s, uint64_t peer, size_t id);

#endif
