/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_HOST_UPCALL_H
#define PX_SERVER_HOST_UPCALL_H

#include "src/server/state.h"
#include "src/server/peers/dispatch.h"

struct px_call;
struct px_server;

/* An upcall to the host: it keeps what the host was given alive until the host has answered, takes
 * the answer in whatever thread it comes and brings it to the loop thread. After
 * PMIx_server_finalize a late answer is dropped. */

typedef void (*px_upcall_fn)(struct px_upcall *up);

struct px_upcall {
    struct px_task task;
    struct px_list link;
    struct px_server *server;
    uint64_t state;    /* atomic: see host_upcall.c */
    px_upcall_fn done; /* loop thread, once; then the upcall is freed */
    void *arg;
    struct px_reply_to reply_to;

    /* What the host sees; owned. */
    pmix_proc_t proc;
    const struct px_request *request; /* or NULL: what follows `args` is used */
    void *args;                       /* the arguments of the request */
    pmix_proc_t *procs;
    size_t nprocs;
    pmix_info_t *info;
    size_t ninfo;
    char *text;
    pmix_status_t *codes;
    size_t ncodes;

    struct px_reply reply;         /* the answer; owned */
    pmix_release_cbfunc_t release; /* the host's, for what it answered with; called once, at the
                                      end */
    void *release_data;
};

/* NULL when memory is out. */
struct px_upcall *px_upcall_create(struct px_server *s, const struct px_reply_to *reply_to,
                                   const pmix_proc_t *proc, px_upcall_fn done);
/* One with arguments for a request, zeroed. */
struct px_upcall *px_upcall_create_for(struct px_server *s, const struct px_request *request,
                                       const struct px_reply_to *reply_to, const pmix_proc_t *proc,
                                       px_upcall_fn done);

/* Says what the host's function returned: starts the wait for its answer, or ends the upcall at
 * once, calling done before this returns. A host without the function: pass
 * PMIX_ERR_NOT_SUPPORTED. */
void px_upcall_returned(struct px_upcall *up, pmix_status_t rc);

/* Frees one that never went to the host. Takes NULL. */
void px_upcall_destroy(struct px_upcall *up);

/* Adds PMIX_USERID and PMIX_GRPID of the requester, a peer or this process (NULL), in place of all
 * that it claimed itself; a group that is not proved, (gid_t) -1, is left out. 0 or
 * PMIX_ERR_NOMEM. */
int px_requester_identify(const struct px_server *s, const struct px_peer *peer,
                          pmix_info_t **infos, size_t *ninfo);

/* The levels that deal with it: the requester's and this one (enum px_attr_level). */
unsigned px_upcall_levels(const struct px_upcall *up);

/* What the host calls, cbdata being the upcall. Any thread. */
void px_hostcb_op(pmix_status_t status, void *cbdata);
void px_hostcb_modex(pmix_status_t status, const char *data, size_t ndata, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data);
void px_hostcb_lookup(pmix_status_t status, pmix_pdata_t data[], size_t ndata, void *cbdata);
void px_hostcb_spawn(pmix_status_t status, char nspace[], void *cbdata);
void px_hostcb_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data);
void px_hostcb_tool(pmix_status_t status, pmix_proc_t *proc, void *cbdata);
void px_hostcb_credential(pmix_status_t status, pmix_byte_object_t *credential, pmix_info_t info[],
                          size_t ninfo, void *cbdata);
void px_hostcb_validation(pmix_status_t status, pmix_info_t info[], size_t ninfo, void *cbdata);

/* Ready-made endings: reply with the status, or with what the request's reply holds. */
void px_done_status(struct px_upcall *up);
void px_upcall_answer(struct px_upcall *up);

/* host_upcall.c, at the end: those whom the upcalls under way were for are answered with an error.
 */
void px_upcalls_abandon(struct px_server *s);

/* After that: are there some that the host has answered, or is answering, and that have not come
 * through the loop yet? */
bool px_upcalls_answered_late(const struct px_server *s);

#endif
