/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_CLIENT_UNLAUNCHED_H
#define PX_TEST_UNIT_CLIENT_UNLAUNCHED_H

/* A client that nobody launched, with a loop of its own: for tests of what it does by itself.
 * Included after <cmocka.h>. */

#include <stdlib.h>
#include <unistd.h>

#include "src/base/param.h"
#include "src/client/session.h"
#include "src/client/start.h"

static struct px_ctx *ctx;

/* cmocka's: 0 or -1. */
static inline int set_up(void **state)
{
    pmix_status_t rc;

    (void) state;
    alarm(60);
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_RANK");
    ctx = px_ctx();
    if (px_param_load() != 0 || px_loop_create(false, &ctx->loop) != 0) {
        return -1;
    }
    px_lock_take(&ctx->lock);
    rc = px_client_start(ctx, NULL, 0);
    if (rc == PMIX_ERR_UNREACH) {
        px_ctx_up(ctx);
    }
    px_lock_give(&ctx->lock);
    return rc == PMIX_ERR_UNREACH ? 0 : -1;
}

static inline int tear_down(void **state)
{
    pmix_status_t rc;

    (void) state;
    px_lock_take(&ctx->lock);
    px_ctx_down(ctx);
    rc = px_client_stop(ctx, NULL, 0);
    px_lock_give(&ctx->lock);
    px_loop_destroy(ctx->loop);
    ctx->loop = NULL;
    return rc == PMIX_SUCCESS ? 0 : -1;
}

#endif
