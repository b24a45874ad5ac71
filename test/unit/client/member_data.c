/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* GRP-042: what the members of an invited group give each other is said of themselves. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"
#include "src/client/data/get.h"
#include "src/client/member_data.h"
#include "src/request/reply.h"
#include "src/value/infos.h"
#include "src/wire/pack.h"

static bool none(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    (void) command;
    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_ERR_NOT_FOUND);
    return true;
}

/* Appends a value that is said to be posted by the process. */
static void add_endpoint(struct px_infos *to, pmix_rank_t rank, const char *key)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 7};
    pmix_proc_t owner = {.nspace = "job", .rank = rank};
    pmix_byte_object_t bytes;
    struct px_buf buf = {0};

    assert_int_equal(px_pack(&buf, PX_WIRE_PLAIN, PMIX_PROC, &owner, 1), 0);
    assert_int_equal(px_pack_kval(&buf, PX_WIRE_PLAIN, key, &value), 0);
    bytes = (pmix_byte_object_t){.bytes = (char *) buf.data, .size = buf.len};
    assert_int_equal(
        px_infos_append(&to->info, &to->n, PMIX_GROUP_ENDPT_DATA, &bytes, PMIX_BYTE_OBJECT), 0);
    px_buf_fini(&buf);
}

/* Appends group information that is said to be of the process. */
static void add_group_info(struct px_infos *to, pmix_rank_t rank, const char *key)
{
    pmix_proc_t owner = {.nspace = "job", .rank = rank};
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 1};
    struct px_infos given = {0};
    struct px_infos inner = {0};
    uint32_t number = 7;

    assert_int_equal(px_infos_append(&inner.info, &inner.n, key, &number, PMIX_UINT32), 0);
    array.array = inner.info;
    assert_int_equal(
        px_infos_append(&given.info, &given.n, PMIX_GROUP_INFO, &array, PMIX_DATA_ARRAY), 0);
    assert_int_equal(px_member_data_add_group_info(to, &owner, &given.info[0]), 0);
    px_infos_fini(&inner);
    px_infos_fini(&given);
}

/* Whether the process is known to have the value. */
static bool is_there(pmix_rank_t rank, const char *key)
{
    const pmix_proc_t proc = {.nspace = "job", .rank = rank};
    pmix_value_t *value = NULL;
    pmix_info_t optional;
    pmix_status_t rc;

    PMIx_Info_construct(&optional);
    PMIx_Info_load(&optional, PMIX_OPTIONAL, NULL, PMIX_BOOL);
    rc = px_client_get_local(px_session(ctx), &proc, key, &optional, 1, &value);
    PMIx_Info_destruct(&optional);
    if (rc == PMIX_SUCCESS) {
        PMIx_Value_free(value, 1);
    }
    return rc == PMIX_SUCCESS;
}

static void said_of_members(void **state)
{
    pmix_proc_t members[] = {{.nspace = "job", .rank = 1}, {.nspace = "job", .rank = 2}};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = members};
    struct px_infos told = {0};

    (void) state;
    client_open("5.0.0", none);
    add_endpoint(&told, 1, "posted.by.one");
    add_endpoint(&told, 3, "posted.by.three");
    add_endpoint(&told, PMIX_RANK_WILDCARD, "posted.by.all");
    add_group_info(&told, 2, "info.of.two");
    add_group_info(&told, 3, "info.of.three");
    px_member_data_store(px_session(ctx), told.info, told.n);
    assert_false(is_there(1, "posted.by.one")); /* of no member */
    assert_int_equal(
        px_infos_append(&told.info, &told.n, PMIX_GROUP_MEMBERSHIP, &array, PMIX_DATA_ARRAY), 0);
    px_member_data_store(px_session(ctx), told.info, told.n);
    assert_true(is_there(1, "posted.by.one"));
    assert_true(is_there(2, "info.of.two"));
    assert_false(is_there(3, "posted.by.three"));
    assert_false(is_there(3, "info.of.three"));
    assert_false(is_there(PMIX_RANK_WILDCARD, "posted.by.all"));
    px_infos_fini(&told);
    client_close();
}

static void said_by_an_invitee(void **state)
{
    const pmix_proc_t from = {.nspace = "job", .rank = 1};
    struct px_infos answer = {0};
    struct px_infos given = {0};

    (void) state;
    add_endpoint(&answer, 2, "posted.by.two");
    assert_int_equal(px_member_data_add_member(&given, &from, answer.info, answer.n), 0);
    assert_int_equal(given.n, 0);
    add_endpoint(&answer, 1, "posted.by.one");
    assert_int_equal(px_member_data_add_member(&given, &from, answer.info, answer.n), 0);
    assert_int_equal(given.n, 1);
    px_infos_fini(&answer);
    px_infos_fini(&given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(said_of_members),
                                       cmocka_unit_test(said_by_an_invitee)};

    return cmocka_run_group_tests_name("member_data", tests, limit_time, NULL);
}
