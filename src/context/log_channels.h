/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_LOG_CHANNELS_H
#define PX_CONTEXT_LOG_CHANNELS_H

/* The channels of PMIx_Log that this process serves itself, where there is no host that does:
 * PMIX_LOG_STDERR, PMIX_LOG_STDOUT, PMIX_LOG_SYSLOG, PMIX_LOG_LOCAL_SYSLOG. Nothing waits for a
 * reader or a daemon. Any thread. */

#include <stdbool.h>

#include <pmix.h>

/* Logs each item of data that is a text for one of these channels; with PMIX_LOG_ONCE the first one
 * only. source: who logs; PMIX_LOG_SOURCE replaces it where for_others is true, and else has no
 * effect: a peer is not believed that it logs for another process. PMIX_OPERATION_SUCCEEDED: all
 * were logged, or one is enough. PMIX_ERR_PARTIAL_SUCCESS: some were. PMIX_ERR_NOT_SUPPORTED: none
 * is for these channels, or a required directive is unknown. PMIX_ERR_BAD_PARAM: a directive has a
 * wrong type. Else the error of a channel. */
pmix_status_t px_log_here(const pmix_proc_t *source, bool for_others, const pmix_info_t *data,
                          size_t ndata, const pmix_info_t *directives, size_t ndirs);

#endif
