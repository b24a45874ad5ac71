/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_JOB_PACK_H
#define PX_NSPACE_JOB_PACK_H

/* Job information out of a store: as a message for peers that cannot map a segment, and single
 * numbers. */

#include <stdint.h>

#include "src/wire/codec.h"

struct px_buf;
struct px_store;

/* The session of the store's job, or PX_SESSION_DEFAULT. Any thread. */
uint32_t px_job_session_of(const struct px_store *store);

/* Appends the whole job as stock clients expect it behind the namespace string: KVALs, node,
 * application and session arrays, one PMIX_PROC_BLOB a rank (docs/wire-format.md). 0,
 * PMIX_ERR_NOMEM or an error of packing; buf is then not to be used. */
int px_jobinfo_pack(const struct px_store *store, struct px_buf *buf, enum px_wire_kind kind);

/* Appends the maps of the job as they were registered, which the function above leaves out: stock
 * clients do not expect them. Statuses as above. */
int px_jobinfo_pack_maps(const struct px_store *store, struct px_buf *buf, enum px_wire_kind kind);

/* The PMIX_UINT32 that the job has under the key; `otherwise` if it has none of that type. Any
 * thread. */
uint32_t px_job_number(const struct px_store *store, const char *key, uint32_t otherwise);

#endif
