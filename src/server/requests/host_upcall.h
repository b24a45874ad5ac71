/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_HOST_UPCALL_H
#define PX_SERVER_HOST_UPCALL_H

/* Upcalls to the host. An upcall owns the arguments that the host was given until the host has
 * answered, accepts the answer in any thread, and passes it to the loop thread. An answer that
 * arrives after PMIx_server_finalize is dropped. The functions are for the loop thread, except
 * the host callbacks (px_hostcb_). The sequence: px_upcall_create, fill in the arguments, call the
 * host's function with a px_hostcb_ callback and px_upcall_handle as cbdata, px_upcall_returned
 * with its status. Then `done` runs once, now or later. Whatever the host does with the handle is
 * harmless: each handle is good for one answer, and no other upcall ever has the same one. */

#include "src/loop/watch.h"
#include "src/server/state.h"
#include "src/server/peers/dispatch.h"

struct px_upcall;

/* The end of an upcall, on the loop thread: up->reply has the answer. The upcall is freed
 * afterwards. If the service of its request makes answers in parts (px_service.part), that is done
 * before, in turns of the loop. */
typedef void (*px_upcall_fn)(struct px_upcall *up);

/* One call of a function of the host's module. Owned by its creator until px_upcall_returned,
 * then by the host's answer: it frees itself. */
struct px_upcall {
    struct px_task task;
    struct px_list link; /* of px_server.upcalls while the host has it, then of answered_upcalls */
    struct px_server *server;
    uintptr_t handle; /* not 0; constant: what the host calls it */
    bool abandoned;   /* lock of host_upcall.c: the server's end has ended it */
    bool ended;       /* likewise: `done` has returned, the host's answer frees it */
    uint32_t wait;    /* in the area of open waits (open_waits.h) */
    struct px_timer
        timer;         /* of a request of this process that has a time limit; of the next turn */
    px_upcall_fn done; /* loop thread, once; then the upcall is freed */
    void *arg;         /* of `done`; the collective of a collective's upcall */
    struct px_reply_to reply_to; /* the requester; zeros: nobody gets a reply */

    /* The arguments for the host; owned. */
    pmix_proc_t proc;
    const struct px_request *request; /* or NULL: the members behind `args` are used */
    void *args;                       /* the arguments of the request */
    struct px_shared_procs *procs;    /* px_upcall_name; NULL: none */
    pmix_info_t *info;
    size_t ninfo;
    struct px_shared_infos *shared; /* in place of `info`: of an event */
    struct px_named *named;         /* names of an event's range, looked at ahead (audience.h) */
    struct px_query_work *query;    /* the answer to a query, while it is made (server_query.c) */
    char *text;
    pmix_status_t *codes;
    size_t ncodes;

    /* The host's, of px_hostcb_modex: borrowed until `release`; without one reply.bytes. */
    pmix_byte_object_t data;
    struct px_reply reply;         /* the answer; owned */
    pmix_release_cbfunc_t release; /* the host's, for the memory of its answer; called once, at the
                                      end */
    void *release_data;
};

/* A new upcall for the requester `proc` (NULL: this process) without arguments. reply_to may be
 * NULL. The caller owns it until px_upcall_returned. NULL: out of memory. */
struct px_upcall *px_upcall_create(struct px_server *s, const struct px_reply_to *reply_to,
                                   const pmix_proc_t *proc, px_upcall_fn done);
/* The cbdata for the host's function. */
void *px_upcall_handle(const struct px_upcall *up);
/* As px_upcall_create, with zeroed arguments for a request, which the upcall owns. */
struct px_upcall *px_upcall_create_for(struct px_server *s, const struct px_request *request,
                                       const struct px_reply_to *reply_to, const pmix_proc_t *proc,
                                       px_upcall_fn done);

/* Replaces the processes that the host is told, of which the upcall becomes one more owner. */
void px_upcall_name(struct px_upcall *up, struct px_shared_procs *procs);

/* Reports the status that the host's function returned, and gives the upcall away. PMIX_SUCCESS:
 * the host answers later. Any other status is the answer (PMIX_OPERATION_SUCCEEDED counts as
 * PMIX_SUCCESS): `done` is called, and the upcall freed, before this returns; in a later turn of
 * the loop with more than PX_MANY_PROCS processes, or if the answer takes several parts. If the
 * host lacks the function, pass PMIX_ERR_NOT_SUPPORTED. */
void px_upcall_returned(struct px_upcall *up, pmix_status_t rc);

/* Ends the upcall with PMIX_ERR_TIMEOUT if the host has not answered it when so many milliseconds
 * have passed. Before the host's function is called, at most once. */
void px_upcall_limit(struct px_upcall *up, uint64_t ms);

/* Frees an upcall that was never passed to the host. Takes NULL. */
void px_upcall_destroy(struct px_upcall *up);

/* Replaces PMIX_USERID and PMIX_GRPID in the infos by those of the requester: a peer's from its
 * credentials, or this process's (NULL). A group that is not proved, (gid_t) -1, is left out. 0
 * or PMIX_ERR_NOMEM. */
int px_requester_identify(const struct px_server *s, const struct px_peer *peer,
                          pmix_info_t **infos, size_t *ninfo);

/* The levels (enum px_attr_level) at which the request is treated: the requester's and this
 * server's. For px_directives_met and px_directives_mark. */
unsigned px_upcall_levels(const struct px_upcall *up);

/* The callbacks with which the host answers; cbdata is px_upcall_handle of the upcall. Any thread,
 * also before the host's function has returned, and at any time: further answers, and one after an
 * error that the host's function returned, do nothing but call `release`. Infos are copied; if that
 * fails, the status of the reply is the error. `release`, if any, is called once for each
 * callback, when the answer has been processed. */
void px_hostcb_op(pmix_status_t status, void *cbdata);
/* For fence_nb and direct_modex: `data` are used where they lie until `release` is called; without
 * one they are copied. */
void px_hostcb_modex(pmix_status_t status, const char *data, size_t ndata, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data);
/* For lookup: values and their publishers. */
void px_hostcb_lookup(pmix_status_t status, pmix_pdata_t data[], size_t ndata, void *cbdata);
/* For spawn: the namespace of the new job. */
void px_hostcb_spawn(pmix_status_t status, char nspace[], void *cbdata);
/* For query, allocate, job_control, monitor, fabric, session_control, group. */
void px_hostcb_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data);
/* For tool_connected: the tool's name. */
void px_hostcb_tool(pmix_status_t status, pmix_proc_t *proc, void *cbdata);
/* For get_credential. */
void px_hostcb_credential(pmix_status_t status, pmix_byte_object_t *credential, pmix_info_t info[],
                          size_t ninfo, void *cbdata);
/* For validate_credential. */
void px_hostcb_validation(pmix_status_t status, pmix_info_t info[], size_t ninfo, void *cbdata);

/* `done` of requests whose reply is a status only. */
void px_done_status(struct px_upcall *up);
/* `done` of requests: replies with the fields of the request's reply type. */
void px_upcall_answer(struct px_upcall *up);

/* For the server's end (PMIx_server_finalize): ends all upcalls that the host has not answered, and
 * those of which parts are left, with PMIX_ERR_LOST_CONNECTION, and logs the number of the first.
 * Their memory is freed when the host answers, if ever. */
void px_upcalls_abandon(struct px_server *s);

/* After px_upcalls_abandon: true if upcalls remain whose answer is on its way to the loop
 * thread. The server must not be freed before these have ended. */
bool px_upcalls_answered_late(const struct px_server *s);

#endif
