/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_H
#define PX_CLIENT_GET_H

/* PMIx_Get, except the fast path: lookup in what this process holds, handing values out, and the
 * entry points of the role. The order is: fast path (get_fast.h), stores of this process (here),
 * values in no store (facts.h), then the server (get_fetch.h). */

#include "gds/state.h"
#include "get_request.h"
#include "refresh.h"

struct px_ctx;

/* Looks a key up in the stores of a namespace (NULL: nothing is known of it), in the order of
 * px_space_stores; sends no message. fresh: a reply has just brought the value, so the private
 * store goes first. 0 with *ret, PMIX_ERR_NOT_FOUND, PMIX_ERR_EXISTS_OUTSIDE_SCOPE (a value that
 * the request may not see), PMIX_ERR_NOMEM (nothing found, and the last put values could not be
 * stored). Inside a read-side critical section, or on the loop thread. */
int px_client_find_in(struct px_session *session, const struct px_space *space,
                      const struct px_lookup_key *spec, bool fresh, struct px_slice *ret);
/* The same for a request. */
int px_client_find(struct px_session *session, const struct px_get_request *request, bool fresh,
                   struct px_slice *ret);

/* True if the newest segment of the namespace has the key, with *ret. Private stores are not read,
 * nor is the segment of a job that has ended. Loop thread. */
bool px_client_find_published(struct px_session *session, const struct px_get_request *request,
                              struct px_slice *ret);

/* Gets a value that is in no store: a fact of the library, or a local value without bytes. 0 with
 * *value set or **value filled, PMIX_ERR_NOT_FOUND (the key is neither), PMIX_ERR_NOMEM. In the
 * mode "pointer" the value is the library's. */
int px_client_get_builtin(struct px_session *session, const struct px_get_request *request,
                          pmix_value_t **value);

/* Hands a value of a store out in the mode of the request: *value is set to a new value or to one
 * of the library, or **value is filled. Compressed strings are inflated. 0, PMIX_ERR_NOMEM or an
 * error of decoding. In the critical section in which the slice was found, or on the loop thread.
 */
int px_client_hand_out(struct px_session *session, const struct px_get_request *request,
                       const struct px_slice *slice, pmix_value_t **value);
/* The same for a value in no store, which is copied if need be. lasts: it stays valid and unchanged
 * until the end of the session, so that a pointer to it may be handed out. */
int px_client_hand_out_value(struct px_session *session, const struct px_get_request *request,
                             const pmix_value_t *from, bool lasts, pmix_value_t **value);

/* Hands out a value that was made for the caller: itself, its content, or a pointer to one that is
 * kept. Takes `made` over. 0 or PMIX_ERR_NOMEM. */
int px_client_give_made(struct px_session *session, const struct px_get_request *request,
                        pmix_value_t *made, pmix_value_t **value);

/* A get from what this process holds, with arguments that are not read yet; sends no message. The
 * final status for the caller, with *value set or **value filled if it is 0; or
 * PMIX_ERR_WOULD_BLOCK: the server has to be asked. Any thread. */
int px_client_get_local(struct px_session *session, const pmix_proc_t *proc, const char *key,
                        const pmix_info_t *info, size_t ninfo, pmix_value_t **value);

/* The value of PMIx_Store_internal without bytes that this process has of the key, or NULL. Any
 * thread. */
const pmix_value_t *px_session_find_local(struct px_session *session, const char *nspace,
                                          pmix_rank_t rank, const char *key);

/* The one or two stores of a namespace in which a get looks, in this order; NULL: none. */
struct px_stores {
    const struct px_store *first;
    const struct px_store *second;
};

/* Chooses the order of the stores for a get of `key`. Normally the segment goes first: what the
 * server publishes is newer than what messages brought. The private store goes first for keys that
 * we put ourselves, after PMIx_Store_internal, when there is no segment, and when a reply has just
 * brought the value (`fresh`). space: NULL for an unknown namespace. 0, or PMIX_ERR_NOMEM: the last
 * put values are in neither store. Inside a read-side critical section. pairs with
 * px_client_store_internal */
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

/* True if the server has gone on from this segment, so that the next generation is to be asked for.
 * For other namespaces that includes the end of the job: its name may come again, but not our own.
 */
static inline bool px_space_is_behind(const struct px_session *session,
                                      const struct px_space *space, const struct px_store *segment)
{
    return space == &session->own ? px_store_superseded(segment) : px_store_is_over(segment);
}

/* Asks for the next generation if there is one; does not wait for it. Inside a read-side critical
 * section. */
static inline void px_space_check(struct px_session *session, struct px_space *space)
{
    const struct px_store *segment = px_space_segment(space);

    if (segment != NULL && __builtin_expect(px_space_is_behind(session, space, segment), 0)) {
        px_space_request_refresh(session, space);
    }
}

/* px_get_fn: PMIx_Get for everything that the fast path leaves. Blocks if the server has to be
 * asked. Statuses as PMIx_Get; PMIX_ERR_INIT without a session. */
pmix_status_t px_client_get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                            size_t ninfo, pmix_value_t **value);
/* px_role_ops.get_nb. 0: the completion is ended once, at once if the answer is here already. The
 * value of its reply is the library's in the mode "pointer" (px_reply.lent).
 * PMIX_GET_STATIC_VALUES is PMIX_ERR_NOT_SUPPORTED here: there is no structure to fill. */
pmix_status_t px_client_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                               const pmix_info_t *info, size_t ninfo,
                               const struct px_completion *to);

#endif
