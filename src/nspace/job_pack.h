/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_JOB_PACK_H
#define PX_NSPACE_JOB_PACK_H

#include <stdint.h>

#include "src/wire/codec.h"

struct px_buf;
struct px_store;

/* job_pack.c: the session that the store's job is of, or PX_SESSION_DEFAULT. */
uint32_t px_job_session_of(const struct px_store *store);

/* Packs the whole job as a stock client expects it after the namespace string: KVALs,
 * node/app/session arrays, one PMIX_PROC_BLOB per rank. */
int px_jobinfo_pack(const struct px_store *store, struct px_buf *buf, enum px_wire_kind kind);

/* The PMIX_UINT32 that the job has under the key; `otherwise`: it has none. */
uint32_t px_job_number(const struct px_store *store, const char *key, uint32_t otherwise);

#endif
