/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What other servers of a job contribute to a fence, or answer to a direct modex: the whole input
 * is what the host brings. */
#include <stdio.h>

#include <pmix.h>

#include "fuzz.h"
#include "half_server.h"
#include "src/context/context.h"
#include "src/server/collectives/modex_exchange.h"

struct bytes {
    const char *at;
    size_t len;
};

static void got(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) status;
    (void) value;
    (void) cbdata;
}

/* Twice: what is here already is passed over. */
static void decode(void *arg)
{
    const struct bytes *bytes = arg;
    bool echo = false;
    int first = px_modex_decode(px_ctx()->server, bytes->at, bytes->len, &echo);

    if (first == PMIX_SUCCESS &&
        px_modex_decode(px_ctx()->server, bytes->at, bytes->len, &echo) != PMIX_SUCCESS) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {(const char *) data, size};
    pmix_proc_t proc;

    (void) half_server_start(HOST_ANSWERS, 0);
    half_server_modex(data, size);
    PMIX_LOAD_PROCID(&proc, FUZZ_JOB, 2);
    (void) PMIx_Get_nb(&proc, "key", NULL, 0, got, NULL);
    half_server_run();
    (void) px_loop_run(px_ctx()->loop, decode, &bytes);
    half_server_stop();
    return 0;
}
