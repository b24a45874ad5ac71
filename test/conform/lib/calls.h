/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls of PMIx in few words, for ranks. What a case cannot do without is checked here. */

#ifndef PX_CONFORM_LIB_CALLS_H
#define PX_CONFORM_LIB_CALLS_H

#include "conform.h"

pmix_proc_t process(const char *nspace, pmix_rank_t rank);
void put_text(pmix_scope_t scope, const char *key, const char *text);
void put_in(pmix_scope_t scope, const char *key, uint32_t number);
void put_number(const char *key, uint32_t number); /* PMIX_GLOBAL */
void commit(void);
/* Of a process of the caller's job, with one directive or none (NULL); the number is 0 if the value
 * is none. */
pmix_status_t get(pmix_rank_t rank, const char *key, const char *directive, uint32_t *ret);
void check_number(uint32_t want, pmix_rank_t rank, const char *key, const char *directive);
pmix_status_t fence(const pmix_proc_t *procs, size_t n, const char *flag);
void fence_all(const char *flag); /* must succeed */
pmix_status_t fence_seconds(const pmix_proc_t *procs, size_t n, int seconds);

/* How many segments this process maps. */
int n_segments(void);

/* A call with a callback, one at a time per process: its callback, whether it has come, and its
 * status when it comes. call_is_over looks behind the call: it fences the caller alone, whose
 * answer comes over the same connection after that of what ended before. */
void call_done(pmix_status_t status, void *cbdata);
bool call_is_over(void);
pmix_status_t await_call(void);

#endif
