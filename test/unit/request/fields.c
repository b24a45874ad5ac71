/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Every request with random arguments: what is packed returns, a copy is equal and its own, and a
 * message that ends early is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/request/fields.h"
#include "test/unit/wire/gen.h"
#include "src/wire/messages.h"

static const struct px_request *const requests[] = {
    &px_request_publish,
    &px_request_lookup,
    &px_request_unpublish,
    &px_request_spawn,
    &px_request_abort,
    &px_request_fence,
    &px_request_group_construct,
    &px_request_group_destruct,
    &px_request_group_leave,
    &px_request_query,
    &px_request_log,
    &px_request_alloc,
    &px_request_job_control,
    &px_request_monitor,
    &px_request_credential,
    &px_request_validate,
    &px_request_fabric_register,
    &px_request_fabric_update,
    &px_request_session_control,
    &px_request_block,
    &px_request_notify,
    &px_request_connect,
    &px_request_disconnect,
    &px_request_resolve_peers,
    &px_request_resolve_nodes,
    &px_request_register_codes,
    &px_request_iof_pull,
    &px_request_iof_deregister,
    &px_request_iof_push,
};
enum { N_REQUESTS = sizeof(requests) / sizeof(requests[0]) };

/* What a message does not bring back as it was. */
static bool travels(const struct px_field *field)
{
    return field->form == PX_FIELD_ONE || field->form == PX_FIELD_MANY ||
           field->form == PX_FIELD_KEYS;
}

static void *at(const struct px_field *field, const void *base)
{
    return (char *) (uintptr_t) base + field->at;
}

static size_t *count_at(const struct px_field *field, const void *base)
{
    return (size_t *) (void *) ((char *) (uintptr_t) base + field->count_at);
}

static void fill_field(struct gen *gen, const struct px_field *field, void *base)
{
    const struct px_type *type = px_type_info(field->type);
    size_t n = 1 + gen_below(gen, 3);
    char *elements;
    char **keys;

    switch (field->form) {
    case PX_FIELD_MANY:
        elements = calloc(n, type->size);
        assert_non_null(elements);
        for (size_t i = 0; i < n; i++) {
            gen_fill(gen, field->type, elements + i * type->size, 2);
        }
        *(void **) at(field, base) = elements;
        *count_at(field, base) = n;
        break;
    case PX_FIELD_KEYS:
        keys = NULL;
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(PMIx_Argv_append_nosize(&keys, i ? "other.key" : ""), PMIX_SUCCESS);
        }
        *(void **) at(field, base) = keys;
        break;
    case PX_FIELD_ONE:
    case PX_FIELD_LOCAL:
        if (field->need == PX_REQUIRED && field->type == PMIX_STRING) {
            *(char **) at(field, base) = strdup("required");
            break;
        }
        gen_fill(gen, field->type, at(field, base), 2);
        break;
    default:
        break;
    }
}

static struct px_args *random_args(struct gen *gen, const struct px_request *request)
{
    struct px_args *args = calloc(1, request->size);

    assert_non_null(args);
    for (size_t i = 0; i < request->n_fields; i++) {
        fill_field(gen, &request->fields[i], args);
    }
    return args;
}

static void free_args(const struct px_request *request, struct px_args *args)
{
    px_args_fini(request, args);
    free(args);
}

static void assert_same_keys(char **a, char **b)
{
    for (size_t i = 0; a[i] || b[i]; i++) {
        assert_non_null(a[i]);
        assert_non_null(b[i]);
        assert_string_equal(a[i], b[i]);
    }
}

static void assert_same(const struct px_field *field, const void *a, const void *b)
{
    const struct px_type *type = px_type_info(field->type);
    const char *x = at(field, a);
    const char *y = at(field, b);
    size_t n = 1;

    if (field->form == PX_FIELD_KEYS) {
        assert_same_keys(*(char ***) at(field, a), *(char ***) at(field, b));
        return;
    }
    if (field->form == PX_FIELD_MANY) {
        n = *count_at(field, a);
        assert_int_equal(*count_at(field, b), n);
        x = *(char **) at(field, a);
        y = *(char **) at(field, b);
        assert_ptr_not_equal(x, y);
    }
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(px_type_compare(type, x + i * type->size, y + i * type->size, 0),
                         PMIX_EQUAL);
    }
}

static void assert_all_same(const struct px_request *request, const void *a, const void *b,
                            bool copied)
{
    for (size_t i = 0; i < request->n_fields; i++) {
        const struct px_field *field = &request->fields[i];

        if (travels(field) || (copied && field->form == PX_FIELD_LOCAL)) {
            assert_same(field, a, b);
        }
    }
}

static void what_is_packed_returns(void **state)
{
    static const enum px_wire_kind kinds[] = {PX_WIRE_PLAIN, PX_WIRE_DESCRIBED};
    struct gen gen = gen_start();

    (void) state;
    for (size_t i = 0; i < N_REQUESTS * 2; i++) {
        const struct px_request *request = requests[i / 2];
        struct px_args *args = random_args(&gen, request);
        struct px_args *back = calloc(1, request->size);
        struct px_buf buf = {0};
        uint8_t command = 0;
        struct px_in in;

        assert_int_equal(px_args_pack(&buf, kinds[i % 2], request, args), 0);
        in = px_in_make(buf.data, buf.len, kinds[i % 2]);
        assert_int_equal(px_unpack_command(&in, &command), 0);
        assert_int_equal(command, request->command);
        assert_int_equal(px_args_unpack(&in, request, back), 0);
        assert_int_equal(px_in_left(&in), 0);
        assert_all_same(request, args, back, false);
        px_buf_fini(&buf);
        free_args(request, args);
        free_args(request, back);
    }
}

/* Of each request all that may be missing is one trailing field. */
static void what_ends_early_is_refused(void **state)
{
    struct gen gen = gen_start();

    (void) state;
    for (size_t i = 0; i < N_REQUESTS; i++) {
        const struct px_request *request = requests[i];
        const struct px_field *last = &request->fields[request->n_fields - 1];
        struct px_args *args = random_args(&gen, request);
        struct px_buf buf = {0};
        size_t accepted = 0;

        px_fields_pack(&buf, PX_WIRE_PLAIN, request->fields, request->n_fields, args);
        assert_int_equal(buf.status, 0);
        for (size_t len = 0; len < buf.len; len++) {
            struct px_args *back = calloc(1, request->size);
            void *bytes = malloc(len + 1);
            struct px_in in;

            memcpy(bytes, buf.data, len);
            in = px_in_make(bytes, len, PX_WIRE_PLAIN);
            accepted += px_args_unpack(&in, request, back) == 0;
            free_args(request, back);
            free(bytes);
        }
        assert_int_equal(accepted, last->need == PX_MAY_TRAIL ? 1 : 0);
        px_buf_fini(&buf);
        free_args(request, args);
    }
}

static void copies_are_equal_and_their_own(void **state)
{
    struct gen gen = gen_start();

    (void) state;
    for (size_t i = 0; i < N_REQUESTS; i++) {
        const struct px_request *request = requests[i];
        struct px_args *args = random_args(&gen, request);
        struct px_args *copy = calloc(1, request->size);

        assert_int_equal(px_args_copy(request, copy, args), 0);
        assert_all_same(request, args, copy, true);
        free_args(request, args);
        free_args(request, copy);
    }
}

/* An info that is marked persistent is not freed with its array: the copy must not depend on it,
 * wherever it stands. */
static void copies_own_what_is_persistent(void **state)
{
    pmix_info_t info = {.key = "k", .value = {.type = PMIX_STRING, .data.string = strdup("text")}};
    pmix_app_t app = {.cmd = "prog", .maxprocs = 1, .info = &info, .ninfo = 1};
    pmix_query_t query = {.qualifiers = &info, .nqual = 1};
    struct px_spawn_args spawn = {PX_DIRECTIVES_OF(&info, 1), &app, 1};
    struct px_query_args asks = {.queries = &query, .nqueries = 1};
    struct px_spawn_args spawned = {.napps = 0};
    struct px_query_args asked = {.nqueries = 0};

    (void) state;
    PMIx_Info_persistent(&info);
    assert_int_equal(px_args_copy(&px_request_spawn, &spawned.head, &spawn.head), 0);
    assert_int_equal(px_args_copy(&px_request_query, &asked.head, &asks.head), 0);
    info.value.data.string[0] = 'n';
    assert_string_equal(spawned.head.info[0].value.data.string, "text");
    assert_string_equal(spawned.apps[0].info[0].value.data.string, "text");
    assert_string_equal(asked.queries[0].qualifiers[0].value.data.string, "text");
    free(info.value.data.string);
    px_args_fini(&px_request_spawn, &spawned.head);
    px_args_fini(&px_request_query, &asked.head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_returns),
        cmocka_unit_test(what_ends_early_is_refused),
        cmocka_unit_test(copies_are_equal_and_their_own),
        cmocka_unit_test(copies_own_what_is_persistent),
    };

    return cmocka_run_group_tests_name("request fields", tests, NULL, NULL);
}
