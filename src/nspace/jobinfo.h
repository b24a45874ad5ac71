/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_JOBINFO_H
#define PX_NSPACE_JOBINFO_H

/* Job information of a namespace in its three forms: the host's info arrays
 * (PMIx_server_register_nspace), the KVAL stream on the wire (reply to REQ, docs/wire-format.md),
 * and the store. Called by the thread that writes the store.
 *
 * A namespace may be registered several times. Values of a later registration replace those of an
 * earlier one; values that it does not have stay. So hosts can add information about a running job.
 */

#include <pmix.h>

#include "gds/store.h"
#include "src/wire/codec.h"

struct px_job;
struct px_store;

/* Key of this library (node level, BOOL): the session has the node but the job does not use it. */
#define PX_KEY_FOREIGN_NODE "shmix.node.foreign"

/* Reads info arrays of every form of the Standard (loose values; session, job, app, node and proc
 * arrays at any nesting; node and process maps as regex, list or raw) and publishes them in one
 * step, with what can be derived (sizes, local peers, ranks, node ids). `hostname`: the readers'
 * own node; NULL: unknown. 0, PMIX_ERR_BAD_PARAM or PMIX_ERR_TYPE_MISMATCH (a value of a wrong
 * type, or one that does not fit its key's type; an array without its identifier), PMIX_ERR_EXISTS
 * (the job is registered in another session), PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE; the store
 * is then as before. */
int px_jobinfo_store(struct px_store *store, const pmix_info_t *info, size_t ninfo,
                     const char *hostname);

/* The info that made a registration fail: the first one that was wrong. An empty key: none. */
struct px_jobinfo_fault {
    char key[PMIX_MAX_KEYLEN + 1];
    pmix_data_type_t type;     /* of its value */
    pmix_data_type_t declared; /* of the key; PMIX_UNDEF: any */
};

/* As px_jobinfo_store; tells which info was wrong, too. */
int px_jobinfo_store_or_tell(struct px_store *store, const pmix_info_t *info, size_t ninfo,
                             const char *hostname, struct px_jobinfo_fault *ret_fault);

/* Reads a KVAL stream to its end and publishes it in one step. Unknown keys are stored; types are
 * not enforced. Malformed input is refused as a whole, and the store is unchanged:
 * PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
int px_jobinfo_unpack(struct px_in *in, struct px_store *store, const char *hostname);

#endif
