/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Name and job information of a process without a server. The information is registered in the
 * private store of our namespace as a host would register it in a server, so that the values that
 * follow from the placement are derived by the same rules. */

#include "singleton.h"

#include <stdio.h>
#include <unistd.h>

#include <pmix.h>

#include "src/client/data/private_store.h"
#include "session.h"
#include "src/nspace/jobinfo.h"
#include "src/value/infos.h"

void px_singleton_name(struct px_session *session, const char *kind)
{
    pmix_nspace_t nspace;

    (void) snprintf(nspace, sizeof(nspace), "%.16s.%.200s.%ld", kind, session->hostname,
                    (long) getpid());
    px_session_name(session, nspace, 0);
}

/* Appends the data of our rank, as an array of a process. 0 or PMIX_ERR_NOMEM. */
static int add_process(const struct px_session *session, pmix_info_t **info, size_t *ninfo)
{
    pmix_info_t *own = NULL;
    size_t n = 0;
    uint32_t app = 0;
    int rc = px_infos_append(&own, &n, PMIX_RANK, &session->ctx->self.rank, PMIX_PROC_RANK);

    rc = rc != 0 ? rc : px_infos_append(&own, &n, PMIX_APPNUM, &app, PMIX_UINT32);
    if (rc == 0 && session->hostname[0] != '\0') {
        rc = px_infos_append(&own, &n, PMIX_HOSTNAME, session->hostname, PMIX_STRING);
    }
    return px_infos_append_array(info, ninfo, PMIX_PROC_INFO_ARRAY, rc, own, n);
}

/* Appends the data of the job: its name, its size, and, if this node has a name, the node of its
 * process. 0 or PMIX_ERR_NOMEM. */
static int add_job(const struct px_session *session, pmix_info_t **info, size_t *ninfo)
{
    const pmix_proc_t *self = &session->ctx->self;
    uint32_t size = 1;
    uint32_t offset = 0;
    char rank[16];
    int rc = px_infos_append(info, ninfo, PMIX_JOBID, self->nspace, PMIX_STRING);

    (void) snprintf(rank, sizeof(rank), "%u", self->rank);
    rc = rc != 0 ? rc : px_infos_append(info, ninfo, PMIX_JOB_SIZE, &size, PMIX_UINT32);
    rc = rc != 0 ? rc : px_infos_append(info, ninfo, PMIX_NPROC_OFFSET, &offset, PMIX_UINT32);
    if (session->hostname[0] == '\0') {
        return rc;
    }
    rc = rc != 0 ? rc : px_infos_append(info, ninfo, PMIX_NODE_MAP, session->hostname, PMIX_STRING);
    return rc != 0 ? rc : px_infos_append(info, ninfo, PMIX_PROC_MAP, rank, PMIX_STRING);
}

int px_singleton_describe(struct px_session *session)
{
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    struct px_store *store;
    int rc = add_job(session, &info, &ninfo);

    rc = rc != 0 ? rc : add_process(session, &info, &ninfo);
    if (rc == 0) {
        px_lock_take(&session->lock);
        store = px_space_private_locked(session, &session->own);
        rc = store != NULL ? px_jobinfo_store(store, info, ninfo, session->hostname)
                           : PMIX_ERR_NOMEM;
        px_lock_give(&session->lock);
    }
    PMIx_Info_free(info, ninfo);
    return rc;
}
