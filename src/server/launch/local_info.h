/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOCAL_INFO_H
#define PX_SERVER_LOCAL_INFO_H

/* What is registered of a job that this process starts itself. */

#include "local_job.h"

/* The infos for the registration of the job, a new array, the caller's; *ret_procs is the number of
 * its processes. 0, PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM (too many processes). Any thread. */
int px_local_info(const struct px_local_spawn *spawn, const char *nspace, const char *hostname,
                  pmix_info_t **ret, size_t *ret_n, uint32_t *ret_procs);

/* The number of processes of an app. */
uint32_t px_local_app_size(const pmix_app_t *app);

#endif
