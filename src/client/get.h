/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_H
#define PX_CLIENT_GET_H

#include "gds/state.h"
#include "get_request.h"
#include "refresh.h"

struct px_ctx;

/* Lookup in everything this process holds; no message. 0 with *ret, PMIX_ERR_NOT_FOUND,
 * PMIX_ERR_EXISTS_OUTSIDE_SCOPE. fresh: a reply has just brought the value. */
int px_client_find(struct px_session *session, const struct px_get_request *request, bool fresh,
                   struct px_slice *ret);

/* Looks in the newest segment of the namespace alone. False: it is not there. Loop thread. */
bool px_client_find_published(struct px_session *session, const struct px_get_request *request,
                              struct px_slice *ret);

/* Values that are in no store: the process's own names, and values without bytes.
 * PMIX_ERR_NOT_FOUND when the key is none of those. The value is a fresh one (or the caller's,
 * filled) unless it is a pointer into the library. */
int px_client_get_builtin(struct px_session *session, const struct px_get_request *request,
                          pmix_value_t **value);

/* Hands a value out as the request wants it: *value is set to a fresh one or to one of the library,
 * or **value is filled. */
int px_client_hand_out(struct px_session *session, const struct px_get_request *request,
                       const struct px_slice *slice, pmix_value_t **value);
/* The same of a value in no store. lasts: it stays as it is until the end. */
int px_client_hand_out_value(struct px_session *session, const struct px_get_request *request,
                             const pmix_value_t *from, bool lasts, pmix_value_t **value);

/* A get by what this process holds: a status for the caller, with *value set or filled if it is 0,
 * or PMIX_ERR_WOULD_BLOCK: the server has to be asked. */
/* The same for arguments that are not read yet. */
int px_client_get_local(struct px_session *session, const pmix_proc_t *proc, const char *key,
                        const pmix_info_t *info, size_t ninfo, pmix_value_t **value);

/* The stores of a namespace in the order in which they are looked at; NULL for what is not there.
 */
struct px_stores {
    const struct px_store *first;
    const struct px_store *second;
};

/* Where to look for a key. What we posted is ours before it is anybody's; what the server publishes
 * of others wins over what we were told long ago, unless a reply has just brought it (`fresh`) or
 * the application has put something there on purpose (PMIx_Store_internal). NULL stands for a
 * namespace of which nothing is known. 0, PMIX_ERR_NOMEM: what was posted last is in neither.
 * Inside a read-side critical section. pairs with px_client_store_internal */
static inline int px_space_stores(struct px_session *session, const struct px_space *space,
                                  pmix_rank_t rank, const char *key, bool fresh,
                                  struct px_stores *ret)
{
    const struct px_store *segment;
    const struct px_store *held;
    int rc;

    *ret = (struct px_stores){NULL, NULL};
    if (space == NULL) {
        return 0;
    }
    segment = px_space_segment(space);
    rc = px_space_private(session, space, &held);
    if (held != NULL &&
        (fresh || segment == NULL || px_load_acquire(&session->internal) != 0 ||
         (space == &session->own && rank == session->ctx->self.rank && !px_key_is_of_host(key)))) {
        *ret = (struct px_stores){held, segment};
    } else {
        *ret = (struct px_stores){segment, held};
    }
    return rc;
}

/* Has the server gone on from that segment, so that it is to be asked for what comes next? The name
 * of a job that is no more may come again, but not our own. */
static inline bool px_space_is_behind(const struct px_session *session,
                                      const struct px_space *space, const struct px_store *segment)
{
    return space == &session->own ? px_store_superseded(segment) : px_store_is_over(segment);
}

/* Asks for the next generation if there is one. Inside a read-side critical section. */
static inline void px_space_check(struct px_session *session, struct px_space *space)
{
    const struct px_store *segment = px_space_segment(space);

    if (segment != NULL && __builtin_expect(px_space_is_behind(session, space, segment), 0)) {
        px_space_request_refresh(session, space);
    }
}

/* A px_get_fn: everything that the fast path leaves. */
pmix_status_t px_client_get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                            size_t ninfo, pmix_value_t **value);
pmix_status_t px_client_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                               const pmix_info_t *info, size_t ninfo, pmix_value_cbfunc_t cbfunc,
                               void *cbdata);

#endif
