/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The bytes of the requests of collectives and groups, as servers of each release read them. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"
#include "test/unit/wire/hex.h"

static pmix_info_t flag = {.key = "k", .value = {.type = PMIX_BOOL, .data.flag = true}};
static const pmix_proc_t procs[] = {{"job", 1}, {"job", 2}};

static struct px_buf sent; /* of the last request, from its command on */

/* Keeps the request and answers with a success, which is the whole reply of all but a construct.
 * That the client wants to hear of members that leave, behind its first group, is not kept. */
static bool keep(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    if (command != PX_CMD_REGEVENTS) {
        px_buf_fini(&sent);
        px_buf_byte(&sent, command);
        px_buf_append(&sent, in->at, px_in_left(in));
    }
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    return true;
}

static void op_done(pmix_status_t status, void *cbdata)
{
    px_wait_done(cbdata, status);
}

static void infos_done(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                       pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    (void) info;
    (void) ninfo;
    release_fn(release_cbdata);
    px_wait_done(cbdata, status);
}

static void assert_sent(const struct px_request *request, size_t nprocs, size_t ninfo,
                        const char *hex)
{
    bool group = request->reply == &px_reply_infos || request == &px_request_group_destruct ||
                 request == &px_request_group_leave;
    struct px_coll_args args = {
        {&flag, ninfo}, group ? (char *) "g" : NULL, PX_BORROWED(procs), nprocs};
    struct px_wait wait;

    px_wait_init(&wait);
    assert_int_equal(script_request(request, &args,
                                    request->reply == &px_reply_infos ? (px_callback) infos_done
                                                                      : (px_callback) op_done,
                                    &wait),
                     PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&wait), PMIX_SUCCESS);
    script_settle();
    assert_hex(&sent, hex);
}

#define JOB_1_2  "0202 04086a6f620001086a6f620002"
#define JOB      "0201 02086a6f6200feffffff0f"
#define ONE_FLAG "0201 02046b00000101"
#define NO_INFOS "0200"
#define G        "02046700"

/* [FEN-001] no processes: all of the caller's namespace. */
static void processes_and_directives(void **state)
{
    (void) state;
    client_open("5.0.0", keep);
    assert_sent(&px_request_fence, 2, 1, "03" JOB_1_2 ONE_FLAG);
    assert_sent(&px_request_fence, 0, 0, "03" JOB NO_INFOS);
    assert_sent(&px_request_connect, 2, 0, "0a" JOB_1_2 NO_INFOS);
    assert_sent(&px_request_connect, 0, 1, "0a" JOB ONE_FLAG);
    assert_sent(&px_request_disconnect, 2, 1, "0b" JOB_1_2 ONE_FLAG);
    client_close();
}

/* A group that the client knows stands for its members, in a fence as in its destruction. */
static void groups_and_their_members(void **state)
{
    (void) state;
    client_open("5.0.0", keep);
    assert_sent(&px_request_group_construct, 0, 0, "18" G "0200" NO_INFOS);
    assert_sent(&px_request_group_destruct, 0, 1, "1c" G "0200" ONE_FLAG);
    assert_sent(&px_request_group_construct, 2, 1, "18" G JOB_1_2 ONE_FLAG);
    assert_sent(&px_request_group_destruct, 0, 0, "1c" G JOB_1_2 NO_INFOS);
    assert_sent(&px_request_group_leave, 0, 1, "1b" G ONE_FLAG);
    client_close();
}

/* Before 4.2.4 a destruct has no members. */
static void an_older_server(void **state)
{
    (void) state;
    client_open("4.2.3", keep);
    assert_sent(&px_request_group_construct, 2, 0, "18" G JOB_1_2 NO_INFOS);
    assert_sent(&px_request_group_destruct, 0, 1, "1c" G ONE_FLAG);
    client_close();
}

static int free_sent(void **state)
{
    (void) state;
    px_buf_fini(&sent);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_and_directives),
        cmocka_unit_test(groups_and_their_members),
        cmocka_unit_test(an_older_server),
    };

    return cmocka_run_group_tests_name("collectives", tests, script_limit, free_sent);
}
