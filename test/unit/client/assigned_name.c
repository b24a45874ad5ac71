/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The namespace that a server's first reply gives a process: a client has one, a tool takes what it
 * is given, but not the name of a job of which the same server has sent it the segment. INI-001,
 * SHM-007. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"
#include "gds/store.h"

static const char *given;         /* the name in the reply to REQ */
static const struct px_store *of; /* its descriptor rides on this reply; NULL: none does */

static int answer_req(struct px_in *in, struct px_buf *reply)
{
    pmix_value_t mark = {.type = PMIX_BYTE_OBJECT};

    (void) in;
    (void) px_pack_string(reply, PX_WIRE_PLAIN, given);
    if (of == NULL) {
        return -1;
    }
    (void) px_pack_kval(reply, PX_WIRE_PLAIN, PX_KEY_SEGMENT, &mark);
    return px_store_fd(of);
}

static bool nothing(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) command;
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    return true;
}

static struct px_store *segment_of(const char *nspace)
{
    struct px_store_opts opts = {
        .nspace = nspace, .shared = true, .uid = getuid(), .gid = getgid()};
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    return store;
}

/* A tool that has named itself "job". */
static void expect_tool(const char *name, const struct px_store *store, pmix_status_t want)
{
    given = name;
    of = store;
    script_req = answer_req;
    assert_int_equal(tool_start(nothing), want);
    if (want != PMIX_SUCCESS) {
        process_close();
        return;
    }
    assert_string_equal(ctx->self.nspace, name);
    client_close();
}

static void tools(void **state)
{
    struct px_store *job = segment_of("job");
    struct px_store *other = segment_of("other");

    (void) state;
    expect_tool("job", NULL, PMIX_SUCCESS);
    expect_tool("job", job, PMIX_SUCCESS);
    expect_tool("other", NULL, PMIX_SUCCESS);
    expect_tool("other", job, PMIX_SUCCESS);
    expect_tool("other", other, PMIX_ERR_UNPACK_FAILURE);
    px_store_destroy(job);
    px_store_destroy(other);
}

static void no_names(void **state)
{
    static char long_name[PMIX_MAX_NSLEN + 2];

    (void) state;
    memset(long_name, 'n', sizeof(long_name) - 1);
    expect_tool("", NULL, PMIX_ERR_UNPACK_FAILURE);
    expect_tool(long_name, NULL, PMIX_ERR_UNPACK_FAILURE);
    expect_tool(long_name + 1, NULL, PMIX_SUCCESS);
}

static void clients(void **state)
{
    (void) state;
    given = "other";
    of = NULL;
    script_req = answer_req;
    process_open("5.0.0", nothing);
    px_lock_take(&ctx->lock);
    assert_int_equal(px_client_start(ctx, NULL, 0), PMIX_ERR_UNPACK_FAILURE);
    px_lock_give(&ctx->lock);
    process_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools),
        cmocka_unit_test(no_names),
        cmocka_unit_test(clients),
    };

    return cmocka_run_group_tests(tests, limit_time, NULL);
}
