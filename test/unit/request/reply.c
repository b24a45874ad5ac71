/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Replies: their bytes, what may be missing, and what reaches the application's callbacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/request/schema.h"
#include "src/wire/messages.h"
#include "test/unit/wire/hex.h"
#include "src/request/reply.h"

static void assert_reply(const struct px_reply_type *type, const struct px_reply *reply,
                         const char *hex)
{
    struct px_buf buf = {0};

    px_reply_pack(&buf, PX_WIRE_PLAIN, type, reply);
    assert_hex(&buf, hex);
    px_buf_fini(&buf);
}

/* Infos follow every status, also without any; what else there is, only a success. */
static void replies_have_their_bytes(void **state)
{
    struct px_reply good = {.proc = {.nspace = "j"}, .bytes = {"xy", 2}, .number = 7};
    struct px_reply bad = {.status = -1};

    (void) state;
    assert_reply(&px_reply_op, &good, "0200");
    assert_reply(&px_reply_op, &bad, "0201");
    assert_reply(&px_reply_infos, &good, "0200 0200");
    assert_reply(&px_reply_infos, &bad, "0201 0200");
    assert_reply(&px_reply_validation, &bad, "0201 0200");
    assert_reply(&px_reply_query, &good, "0200 0200");
    assert_reply(&px_reply_query, &bad, "0201");
    assert_reply(&px_reply_lookup, &good, "0200 0200");
    assert_reply(&px_reply_lookup, &bad, "0201");
    assert_reply(&px_reply_spawn, &good, "0200 02046a00");
    assert_reply(&px_reply_spawn, &bad, "0201");
    assert_reply(&px_reply_credential, &good, "0200 02027879 0200");
    assert_reply(&px_reply_credential, &bad, "0201");
    assert_reply(&px_reply_subscription, &good, "0200 0207");
    assert_reply(&px_reply_subscription, &bad, "0201");
}

static struct px_reply read_reply(const struct px_reply_type *type, pmix_status_t status,
                                  const char *hex)
{
    struct px_reply reply = {.status = status};
    struct px_buf buf = {0};
    struct px_in in;

    unhex(hex, &buf);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    px_reply_unpack(&in, type, &reply);
    px_buf_fini(&buf);
    return reply;
}

static void what_may_be_missing_is_empty(void **state)
{
    struct px_reply reply = read_reply(&px_reply_infos, PMIX_SUCCESS, "");

    (void) state;
    assert_int_equal(reply.status, PMIX_SUCCESS);
    assert_int_equal(reply.ninfo, 0);
    reply = read_reply(&px_reply_lookup, PMIX_ERR_PARTIAL_SUCCESS, "");
    assert_int_equal(reply.status, PMIX_ERR_PARTIAL_SUCCESS);
    reply = read_reply(&px_reply_credential, PMIX_SUCCESS, "02027879");
    assert_int_equal(reply.status, PMIX_SUCCESS);
    assert_int_equal(reply.bytes.size, 2);
    px_reply_fini(&reply);
    reply = read_reply(&px_reply_infos, PMIX_ERR_NOT_FOUND, "ff"); /* is not looked at */
    assert_int_equal(reply.status, PMIX_ERR_NOT_FOUND);
}

/* One info: a key, no flags, a number; what is behind a failure may be cut off. */
static void infos_follow_a_failure_too(void **state)
{
    struct px_reply given = {.status = PMIX_ERR_NO_PERMISSIONS, .ninfo = 1};
    pmix_info_t info = {.key = "why", .value = {.type = PMIX_UINT8, .data.uint8 = 5}};
    struct px_buf buf = {0};

    (void) state;
    given.info = &info;
    px_reply_pack(&buf, PX_WIRE_PLAIN, &px_reply_infos, &given);
    for (size_t cut = 0; cut < buf.len; cut++) {
        struct px_in in = px_in_make(buf.data, buf.len - cut, PX_WIRE_PLAIN);
        struct px_reply reply = {0};

        if (px_unpack_status(&in, &reply.status) != 0) {
            break;
        }
        px_reply_unpack(&in, &px_reply_infos, &reply);
        assert_int_equal(reply.status, PMIX_ERR_NO_PERMISSIONS);
        assert_int_equal(reply.ninfo, cut == 0 ? 1 : 0);
        if (cut == 0) {
            assert_string_equal(reply.info[0].key, "why");
        }
        px_reply_fini(&reply);
    }
    px_buf_fini(&buf);
    given = (struct px_reply){.status = PMIX_ERR_LOST_CONNECTION};
    px_reply_unpack(NULL, &px_reply_infos, &given);
    assert_int_equal(given.status, PMIX_ERR_LOST_CONNECTION);
}

/* A namespace of one character more than fits is not cut short. */
static void assert_long_name_is_refused(void)
{
    char name[PMIX_MAX_NSLEN + 2];
    struct px_reply reply = {.status = PMIX_SUCCESS};
    struct px_buf buf = {0};
    struct px_in in;

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(px_pack_string(&buf, PX_WIRE_PLAIN, name), 0);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    px_reply_unpack(&in, &px_reply_spawn, &reply);
    assert_int_equal(reply.status, PMIX_ERR_UNPACK_FAILURE);
    px_buf_fini(&buf);
}

/* A credential is not empty in a success. */
static void what_is_needed_is_there(void **state)
{
    struct px_reply empty = {.status = PMIX_SUCCESS};
    struct px_buf buf = {0};
    struct px_in in;

    (void) state;
    px_reply_pack(&buf, PX_WIRE_PLAIN, &px_reply_credential, &empty);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_status(&in, &empty.status), 0);
    px_reply_unpack(&in, &px_reply_credential, &empty);
    assert_int_equal(empty.status, PMIX_ERR_BAD_PARAM);
    px_buf_fini(&buf);
}

static void what_cannot_be_read_becomes_the_status(void **state)
{
    struct px_reply reply = read_reply(&px_reply_spawn, PMIX_SUCCESS, "");

    (void) state;
    assert_int_not_equal(reply.status, PMIX_SUCCESS);
    reply = read_reply(&px_reply_spawn, PMIX_SUCCESS, "0200"); /* no namespace at all */
    assert_int_equal(reply.status, PMIX_ERR_UNPACK_FAILURE);
    assert_long_name_is_refused();
    reply = read_reply(&px_reply_credential, PMIX_SUCCESS, "");
    assert_int_not_equal(reply.status, PMIX_SUCCESS);
    reply =
        read_reply(&px_reply_credential, PMIX_SUCCESS, "02027879 0205"); /* infos are not there */
    assert_int_not_equal(reply.status, PMIX_SUCCESS);
    assert_null(reply.bytes.bytes);
    reply = read_reply(&px_reply_infos, PMIX_SUCCESS, "02ffffff7f");
    assert_int_not_equal(reply.status, PMIX_SUCCESS);
    assert_int_equal(reply.ninfo, 0);
}

struct seen {
    int calls;
    pmix_status_t status;
    size_t n;
    pmix_info_t *info;
    pmix_release_cbfunc_t release;
    void *release_data;
};

static void saw_op(pmix_status_t status, void *cbdata)
{
    struct seen *seen = cbdata;

    seen->calls++;
    seen->status = status;
}

static void saw_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                      pmix_release_cbfunc_t release, void *release_data)
{
    struct seen *seen = cbdata;

    saw_op(status, cbdata);
    seen->info = info;
    seen->n = ninfo;
    seen->release = release;
    seen->release_data = release_data;
}

static const void *watched; /* memory whose end is looked for */
static bool is_freed;

void __real_free(void *mem);
void __wrap_free(void *mem);

void __wrap_free(void *mem)
{
    is_freed |= mem != NULL && mem == watched;
    __real_free(mem);
}

/* Infos are the application's until it releases them; the reply is freed before that. */
static void infos_stay_until_they_are_released(void **state)
{
    struct seen seen = {0};
    struct px_completion to = px_completion_of(&px_reply_infos, (px_callback) saw_infos, &seen);
    struct px_reply reply = {.info = PMIx_Info_create(1), .ninfo = 1};

    (void) state;
    assert_int_equal(PMIx_Info_load(reply.info, "k", "text", PMIX_STRING), PMIX_SUCCESS);
    to.done(&to, &reply);
    px_reply_fini(&reply);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.n, 1);
    assert_string_equal(seen.info[0].value.data.string, "text");
    watched = seen.info[0].value.data.string;
    seen.release(seen.release_data);
    assert_true(is_freed);
    to.done(&to, &reply); /* there are none: still something to release */
    assert_int_equal(seen.calls, 2);
    assert_null(seen.info);
    assert_null(seen.release_data); /* an application that has got nothing need not release it */
    seen.release(seen.release_data);
}

static void saw_credential(pmix_status_t status, pmix_byte_object_t *credential, pmix_info_t info[],
                           size_t ninfo, void *cbdata)
{
    struct seen *seen = cbdata;

    (void) info;
    (void) ninfo;
    saw_op(status, cbdata);
    seen->n = credential != NULL ? credential->size : 0;
}

/* What came beside a failure is no credential. */
static void a_refused_credential_is_none(void **state)
{
    struct seen seen = {0};
    struct px_completion to =
        px_completion_of(&px_reply_credential, (px_callback) saw_credential, &seen);
    struct px_reply reply = {.bytes = {(char *) "xy", 2}};

    (void) state;
    to.done(&to, &reply);
    assert_int_equal(seen.n, 2);
    reply.status = PMIX_ERR_NO_PERMISSIONS;
    to.done(&to, &reply);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.status, PMIX_ERR_NO_PERMISSIONS);
    assert_int_equal(seen.n, 0);
}

static void nobody_need_listen(void **state)
{
    struct px_completion op = px_completion_of(&px_reply_op, NULL, NULL);
    struct px_completion infos = px_completion_of(&px_reply_infos, NULL, NULL);
    struct px_reply reply = {.info = PMIx_Info_create(1), .ninfo = 1};

    (void) state;
    op.done(&op, &reply);
    infos.done(&infos, &reply);
    assert_int_equal(reply.ninfo, 1);
    px_reply_fini(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_have_their_bytes),
        cmocka_unit_test(what_may_be_missing_is_empty),
        cmocka_unit_test(infos_follow_a_failure_too),
        cmocka_unit_test(what_cannot_be_read_becomes_the_status),
        cmocka_unit_test(what_is_needed_is_there),
        cmocka_unit_test(infos_stay_until_they_are_released),
        cmocka_unit_test(a_refused_credential_is_none),
        cmocka_unit_test(nobody_need_listen),
    };

    return cmocka_run_group_tests_name("replies", tests, NULL, NULL);
}
