/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A request's completion for a caller that does not wait. The reply is taken over when it comes, so
 * that it can outlast the message that brought it. */

#include "reply_after.h"

#include <stdlib.h>

#include "src/base/bytes.h"
#include "src/base/probe.h"
#include "src/loop/after.h"
#include "src/request/reply.h"
#include "src/request/schema.h"

struct px_reply_after {
    struct px_after after; /* first */
    struct px_completion to;
    struct px_reply reply; /* set by the completion */
};

/* The completion: takes over what the reply holds, leaves its status. */
static void keep(const struct px_completion *inner, struct px_reply *reply)
{
    struct px_reply_after *call = inner->target;

    call->reply = *reply;
    *reply = (struct px_reply){.status = call->reply.status};
    px_after_done(&call->after);
}

/* Calls the application. Loop thread. */
static void call_back(struct px_after *after)
{
    struct px_reply_after *call = px_container_of(after, struct px_reply_after, after);

    PX_PROBE(callback, call->to.cbdata, call->reply.status);
    call->to.done(&call->to, &call->reply);
    px_reply_fini(&call->reply);
    free(call);
}

struct px_reply_after *px_reply_after_begin(struct px_loop *loop, const struct px_completion *to,
                                            struct px_completion *ret)
{
    struct px_reply_after *call = malloc(sizeof(*call));

    if (call != NULL) {
        px_after_init(&call->after, loop, call_back);
        call->to = *to;
        *ret = (struct px_completion){.done = keep, .target = call};
    }
    return call;
}

/* The end of a call of either kind, of which `after` is the first member. */
static pmix_status_t end(struct px_after *after, pmix_status_t accepted)
{
    if (after == NULL) {
        return PMIX_ERR_NOMEM;
    }
    if (accepted == PMIX_SUCCESS) {
        px_after_return(after);
    } else {
        free(after);
    }
    return accepted;
}

pmix_status_t px_reply_after_end(struct px_reply_after *call, pmix_status_t accepted)
{
    return end((struct px_after *) call, accepted);
}

/* --- values --- */

struct px_value_after {
    struct px_after after; /* first */
    pmix_value_cbfunc_t cbfunc;
    void *cbdata;
    pmix_status_t status;
    bool lent; /* as px_reply.lent */
    pmix_value_t *value;
};

/* The completion: takes over the value. */
static void keep_value(const struct px_completion *inner, struct px_reply *reply)
{
    struct px_value_after *call = inner->target;

    call->status = reply->status;
    call->lent = reply->lent;
    call->value = reply->value;
    reply->value = NULL;
    px_after_done(&call->after);
}

/* Calls the application. Loop thread. */
static void give_value(struct px_after *after)
{
    struct px_value_after *call = px_container_of(after, struct px_value_after, after);

    PX_PROBE(callback, call->cbdata, call->status);
    call->cbfunc(call->status, call->value, call->cbdata);
    if (call->value != NULL && !call->lent) {
        PMIx_Value_free(call->value, 1);
    }
    free(call);
}

struct px_value_after *px_value_after_begin(struct px_loop *loop, pmix_value_cbfunc_t cbfunc,
                                            void *cbdata, struct px_completion *ret)
{
    struct px_value_after *call = malloc(sizeof(*call));

    if (call != NULL) {
        px_after_init(&call->after, loop, give_value);
        call->cbfunc = cbfunc;
        call->cbdata = cbdata;
        *ret = (struct px_completion){.done = keep_value, .target = call};
    }
    return call;
}

pmix_status_t px_value_after_end(struct px_value_after *call, pmix_status_t accepted)
{
    return end((struct px_after *) call, accepted);
}
