/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "get_words.h"

#include <pmix.h>

#include "get_request.h"
#include "src/base/log.h"
#include "src/base/probe.h"

static void tell(const struct px_get_request *request, const char *what)
{
    px_log(PX_LOG_CLIENT, 2, "get of %s:%u, %s: %s", request->nspace, request->spec.rank,
           (request->flags & PX_GET_ALL) == 0 ? request->spec.key : "all keys", what);
}

void px_get_request_asks(const struct px_get_request *request)
{
    PX_PROBE(get_ask, request->nspace, request->spec.rank, request->spec.key);
    tell(request, "not among what this process has");
}

void px_get_request_answered(const struct px_get_request *request, int status)
{
    PX_PROBE(get_reply, request->nspace, request->spec.rank, request->spec.key, status);
    tell(request, PMIx_Error_string(status));
}
