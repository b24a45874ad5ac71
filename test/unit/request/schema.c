/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The table of requests: the bytes of messages as peers of the protocol know them, and what an
 * application must give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/request/schema.h"
#include "test/unit/wire/hex.h"
#include "src/wire/pack.h"
#include "src/wire/wire_hooks.h"

static pmix_info_t flag = {.key = "k", .value = {.type = PMIX_BOOL, .data.flag = true}};
static pmix_proc_t proc = {"j", 3};

static void assert_message(const struct px_request *request, const void *args, const char *hex)
{
    struct px_buf buf = {0};

    assert_int_equal(px_args_pack(&buf, PX_WIRE_PLAIN, request, args), 0);
    assert_hex(&buf, hex);
    px_buf_fini(&buf);
}

/* One operation of one value: 02; an info: str key, flags, type, value. */
static void messages_have_their_bytes(void **state)
{
    struct px_abort_args ended = {.status = -1, .text = "t", .procs = &proc, .nprocs = 1};
    struct px_alloc_args alloc = {{NULL, 0}, PMIX_ALLOC_EXTEND};
    struct px_job_control_args job = {PX_DIRECTIVES_OF(&flag, 1), &proc, 1};
    struct px_monitor_args monitor = {{NULL, 0}, flag, -1};
    struct px_session_args session = {{NULL, 0}, 300};
    struct px_fabric_args fabric = {.index = 5};
    struct px_codes_args codes = {.codes = &(pmix_status_t){-46}, .ncodes = 1};
    struct px_notify_args event = {.code = -46, .range = PMIX_RANGE_LOCAL};
    struct px_iof_pull_args pull = {{NULL, 0}, &proc, 1, PMIX_FWD_STDOUT_CHANNEL, 7};
    struct px_iof_deregister_args ended_pull = {{NULL, 0}, 7};
    struct px_iof_push_args push = {{NULL, 0}, &proc, 1, {"xy", 2}};
    struct px_validate_args valid = {{NULL, 0}, {"xy", 2}};
    struct px_block_args block = {{NULL, 0}, PMIX_RESOURCE_BLOCK_DEFINE, (char *) "b", NULL, 0};
    struct px_resolve_args names = {.node = (char *) "n", .nspace = (char *) "j"};
    struct px_coll_args group = {PX_DIRECTIVES_OF(&flag, 1), (char *) "g", &proc, 1};

    (void) state;
    assert_message(&px_request_abort, &ended, "0201 0201 02047400 0201 0204 6a00 03");
    assert_message(&px_request_fence, &group, "0203 0201 02046a0003 0201 02046b0000 0101");
    assert_message(&px_request_connect, &group, "020a 0201 02046a0003 0201 02046b0000 0101");
    assert_message(&px_request_disconnect, &group, "020b 0201 02046a0003 0201 02046b0000 0101");
    assert_message(&px_request_group_construct, &group,
                   "0218 02046700 0201 02046a0003 0201 02046b0000 0101");
    assert_message(&px_request_group_destruct, &group,
                   "021c 02046700 0201 02046a0003 0201 02046b0000 0101");
    assert_message(px_request_group_destruct.older, &group, "021c 02046700 0201 02046b0000 0101");
    assert_message(&px_request_group_leave, &group, "021b 02046700 0201 02046b0000 0101");
    assert_message(&px_request_alloc, &alloc, "0211 0202 0200");
    assert_message(&px_request_job_control, &job, "0212 0201 02046a0003 0201 02046b0000 0101");
    assert_message(&px_request_monitor, &monitor, "0213 02046b0000 0101 0201 0200");
    assert_message(&px_request_session_control, &session, "0223 02ac02 0200");
    assert_message(&px_request_fabric_update, &fabric, "021f 0205");
    assert_message(&px_request_fabric_register, &fabric, "021e 0200");
    assert_message(&px_request_register_codes, &codes, "020d 0201 025b 0200");
    assert_message(&px_request_notify, &event, "020c 025b 0202 0200");
    assert_message(&px_request_iof_pull, &pull, "0216 0201 02046a0003 0200 0202 0207");
    assert_message(&px_request_iof_deregister, &ended_pull, "021d 0200 0207");
    assert_message(&px_request_iof_push, &push, "0217 0201 02046a0003 0200 02027879");
    assert_message(&px_request_validate, &valid, "0215 02027879 0200");
    assert_message(&px_request_credential, &valid, "0214 0200");
    assert_message(&px_request_block, &block, "0222 0201 02046200 0200 0200");
    assert_message(&px_request_resolve_peers, &names, "0225 02046e00 02046a00");
    assert_message(&px_request_resolve_nodes, &names, "0226 02046a00");
}

/* The user stands first, whoever that is, then the keys one by one. */
static void keys_are_operations_of_their_own(void **state)
{
    char *keys[] = {"a", "b", NULL};
    struct px_keys_args args = {PX_DIRECTIVES_OF(&flag, 1), keys};
    uint32_t user = (uint32_t) geteuid();
    struct px_buf expected = {0};
    struct px_buf buf = {0};

    (void) state;
    unhex("0207", &expected);
    assert_int_equal(px_pack(&expected, PX_WIRE_PLAIN, PMIX_UINT32, &user, 1), 0);
    unhex("0202 02046100 02046200 0201 02046b0000 0101", &expected);
    assert_int_equal(px_args_pack(&buf, PX_WIRE_PLAIN, &px_request_lookup, &args.head), 0);
    assert_int_equal(buf.len, expected.len);
    assert_memory_equal(buf.data, expected.data, buf.len);
    px_buf_fini(&buf);
    px_buf_fini(&expected);
}

static void what_is_missing_is_refused(void **state)
{
    char *none[] = {NULL};
    pmix_app_t app = {.maxprocs = 1};
    struct px_args nothing = {NULL, 0};
    struct px_args torn = {NULL, 1};
    struct px_args one = {&flag, 1};
    struct px_keys_args keys = {.keys = none};
    struct px_spawn_args spawn = {.apps = &app, .napps = 0};
    struct px_coll_args group = {.group = (char *) ""};

    (void) state;
    assert_true(px_args_valid(&px_request_fence, &group.head));
    assert_false(px_args_valid(&px_request_group_construct, &group.head));
    group.group = (char *) "g";
    assert_true(px_args_valid(&px_request_group_construct, &group.head));
    assert_true(px_args_valid(&px_request_credential, &nothing));
    assert_false(px_args_valid(&px_request_credential, &torn));
    assert_true(px_args_valid(&px_request_publish, &one));
    assert_false(px_args_valid(&px_request_publish, &nothing));
    assert_false(px_args_valid(&px_request_lookup, &keys.head));
    assert_true(px_args_valid(&px_request_unpublish, &keys.head));
    assert_false(px_args_valid(&px_request_spawn, &spawn.head));
    spawn.napps = 1;
    assert_true(px_args_valid(&px_request_spawn, &spawn.head));
}

/* Whom no application of ours can have sent: a lookup without keys, a spawn without applications.
 */
static void an_empty_request_is_refused(void **state)
{
    struct px_keys_args keys = {.keys = NULL};
    struct px_spawn_args spawn = {.napps = 0};
    struct px_coll_args group = {.nprocs = 0};
    struct px_buf buf = {0};
    struct px_in in;

    (void) state;
    unhex("0200 0200 0200", &buf); /* user 0, no keys, no infos */
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_args_unpack(&in, &px_request_lookup, &keys.head), PMIX_ERR_BAD_PARAM);
    px_args_fini(&px_request_lookup, &keys.head);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_args_unpack(&in, &px_request_unpublish, &keys.head), 0);
    px_args_fini(&px_request_unpublish, &keys.head);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_args_unpack(&in, &px_request_spawn, &spawn.head), PMIX_ERR_BAD_PARAM);
    px_args_fini(&px_request_spawn, &spawn.head);
    px_buf_fini(&buf);
    unhex("0202 00 0200 0200", &buf); /* a name without characters, no processes, no infos */
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_args_unpack(&in, &px_request_group_construct, &group.head),
                     PMIX_ERR_BAD_PARAM);
    px_args_fini(&px_request_group_construct, &group.head);
    px_buf_fini(&buf);
}

/* The server of a node has its topology; it parses none that a message brings. */
static void a_topology_is_passed_over(void **state)
{
    struct px_distance_args args = {.cpuset = {NULL, NULL}};
    struct px_buf buf = {0};
    struct px_in in;

    (void) state;
    px_wire_hooks.topo_support_size = 3;
    unhex("02047800 ffffff 0200 0201 02046b0000 0101", &buf); /* XML, support, no cpuset, an info */
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    assert_int_equal(px_args_unpack(&in, &px_request_distances, &args.head), 0);
    assert_int_equal(px_in_left(&in), 0);
    assert_null(args.topo.topology);
    assert_int_equal(args.head.ninfo, 1);
    px_args_fini(&px_request_distances, &args.head);
    for (size_t len = 0; len < buf.len; len++) {
        in = px_in_make(buf.data, len, PX_WIRE_PLAIN);
        assert_int_not_equal(px_args_unpack(&in, &px_request_distances, &args.head), 0);
        px_args_fini(&px_request_distances, &args.head);
    }
    px_wire_hooks.topo_support_size = 0;
    px_buf_fini(&buf);
}

/* Keys that are announced but not there, and one that is no string. [PKG-010] */
static void damaged_keys_are_refused(void **state)
{
    static const char *const damaged[] = {
        "0200 02808080808080808010 0200",    /* user 0, 2^60 keys */
        "0200 0202 02046100 0200 0200 0200", /* "a", then none, no infos */
        "0200 0201 0200 0200",               /* none at all */
    };

    (void) state;
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        struct px_keys_args keys = {.keys = NULL};
        struct px_buf buf = {0};
        struct px_in in;

        unhex(damaged[i], &buf);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        assert_int_equal(px_args_unpack(&in, &px_request_unpublish, &keys.head),
                         PMIX_ERR_UNPACK_FAILURE);
        px_args_fini(&px_request_unpublish, &keys.head);
        px_buf_fini(&buf);
    }
}

/* The least of a query's limits; of other requests their own, if they have one. [UPC-002] */
static void limits_are_read(void **state)
{
    pmix_info_t limits[2] = {{.key = PMIX_TIMEOUT, .value = {PMIX_UINT32, {.uint32 = 7}}},
                             {.key = PMIX_TIMEOUT, .value = {PMIX_INT, {.integer = 3}}}};
    char soon[] = "soon";
    pmix_info_t wrong = {.key = PMIX_TIMEOUT, .value = {PMIX_STRING, {.string = soon}}};
    pmix_query_t queries[3] = {{.qualifiers = &limits[0], .nqual = 1},
                               {.nqual = 0},
                               {.qualifiers = &limits[1], .nqual = 1}};
    struct px_query_args query = {.queries = queries, .nqueries = 3};
    struct px_args args = {.info = limits, .ninfo = 1};
    uint64_t ms = 1;

    (void) state;
    assert_int_equal(px_args_limit(&px_request_query, &query.head, &ms), 0);
    assert_int_equal(ms, 3000);
    assert_int_equal(px_args_limit(&px_request_log, &args, &ms), 0);
    assert_int_equal(ms, 7000);
    assert_int_equal(px_args_limit(&px_request_iof_push, &args, &ms), 0);
    assert_int_equal(ms, 0);
    queries[1] = (pmix_query_t){.qualifiers = &wrong, .nqual = 1};
    args.info = &wrong;
    ms = 9;
    assert_int_equal(px_args_limit(&px_request_query, &query.head, &ms), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_args_limit(&px_request_log, &args, &ms), PMIX_ERR_BAD_PARAM);
    assert_int_equal(ms, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_have_their_bytes),
        cmocka_unit_test(keys_are_operations_of_their_own),
        cmocka_unit_test(what_is_missing_is_refused),
        cmocka_unit_test(an_empty_request_is_refused),
        cmocka_unit_test(damaged_keys_are_refused),
        cmocka_unit_test(a_topology_is_passed_over),
        cmocka_unit_test(limits_are_read),
    };

    return cmocka_run_group_tests_name("table of requests", tests, NULL, NULL);
}
