/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_JOBINFO_H
#define PX_NSPACE_JOBINFO_H

#include "gds/store.h"
#include "src/wire/codec.h"

struct px_job;
struct px_store;

/* Marks a node that the session has but the job does not use (node level, BOOL). */
#define PX_KEY_FOREIGN_NODE "shmix.node.foreign"

/* Job information in its three shapes: the host's info arrays (PMIx_server_register_nspace), the
 * wire's KVAL stream (reply to REQ, wire-format 6.1), and the store. */

/* Reads info arrays of every form of the Standard (loose values; session, job, app, node and proc
 * arrays at any nesting; node and process maps as regex, list or raw) and publishes them in one
 * step, with what can be derived (sizes, local peers, ranks, node ids). `hostname`: the readers'
 * own node; NULL: unknown. 0, PMIX_ERR_BAD_PARAM or PMIX_ERR_TYPE_MISMATCH (a value of a wrong
 * type, or one that does not fit its key's type; an array without its identifier), PMIX_ERR_EXISTS
 * (the job is registered in another session), PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE; the store
 * is then as before. */
int px_jobinfo_store(struct px_store *store, const pmix_info_t *info, size_t ninfo,
                     const char *hostname);

/* Reads such a stream to its end into a store. Unknown keys are kept; malformed input is refused
 * whole. */
int px_jobinfo_unpack(struct px_in *in, struct px_store *store, const char *hostname);

#endif
