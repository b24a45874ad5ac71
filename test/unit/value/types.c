/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Every type of the table against the rules that hold for all of them, on random content. */
#include "support.h"

#include "src/value/value_hooks.h"

static void test_table(void **unused)
{
    (void) unused;
    for (unsigned t = 0; t < PX_VALUE_TYPES; t++) {
        const struct px_type *type = px_type_info((pmix_data_type_t) t);

        if (type == NULL) {
            continue;
        }
        assert_int_equal(type->type, t);
        assert_string_equal(type->name, PMIx_Data_type_string((pmix_data_type_t) t));
        assert_true(type->size > 0);
        assert_true(type->where != PX_INLINE ||
                    type->size <= sizeof(((pmix_value_t *) NULL)->data));
        assert_true((type->shape == PX_TYPE_STRUCT || type->shape == PX_TYPE_INFO) ==
                    (type->n_members > 0));
    }
    assert_null(px_type_info(PMIX_UNDEF));
    assert_null(px_type_info(PMIX_BUFFER));
    assert_null(px_type_info(PMIX_KVAL));
    assert_null(px_type_info(29));
    assert_null(px_type_info(PX_VALUE_TYPES));
    assert_null(px_type_info(UINT16_MAX));
}

/* What a copy must be: equal, of its own, and printable. */
static void check_copy(const struct px_type *type)
{
    void *a = px_type_create(type, 1);
    void *b = malloc(type->size);
    struct px_buf text = {.data = NULL};
    size_t size_a = 0;
    size_t size_b = 0;

    assert_non_null(b);
    random_element(type, a, 3);
    memset(b, 0xa5, type->size);
    assert_int_equal(px_type_copy(type, b, a, 0), 0);
    assert_int_equal(px_type_compare(type, a, b, 0), PMIX_EQUAL);
    assert_int_equal(px_type_measure(type, a, 0, &size_a), 0);
    px_type_fini(type, a);
    assert_int_equal(px_type_measure(type, b, 0, &size_b), 0);
    assert_true(size_b > 0 && size_b <= size_a);
    px_type_print(&text, type, b, 0);
    assert_true(px_buf_ok(&text));
    px_buf_fini(&text);
    px_type_fini(type, b);
    px_type_fini(type, b);
    free(a);
    free(b);
}

static void test_copies(void **unused)
{
    (void) unused;
    for (unsigned t = 0; t < PX_VALUE_TYPES; t++) {
        const struct px_type *type = px_type_info((pmix_data_type_t) t);

        for (unsigned round = 0; type != NULL && round < 50; round++) {
            check_copy(type);
        }
    }
}

/* Whatever differs is ordered one way and the other way round. */
static void check_order(const struct px_type *type)
{
    void *a = px_type_create(type, 1);
    void *b = px_type_create(type, 1);
    pmix_value_cmp_t forth;
    pmix_value_cmp_t back;

    random_element(type, a, 2);
    random_element(type, b, 2);
    forth = px_type_compare(type, a, b, 0);
    back = px_type_compare(type, b, a, 0);
    if (forth == PMIX_VALUE1_GREATER) {
        assert_int_equal(back, PMIX_VALUE2_GREATER);
    } else if (forth == PMIX_VALUE2_GREATER) {
        assert_int_equal(back, PMIX_VALUE1_GREATER);
    } else {
        assert_int_equal(forth, back);
        assert_true(forth == PMIX_EQUAL || forth == PMIX_VALUE_TYPE_DIFFERENT);
    }
    px_type_free(type, a, 1);
    px_type_free(type, b, 1);
}

static void test_order(void **unused)
{
    (void) unused;
    for (unsigned t = 0; t < PX_VALUE_TYPES; t++) {
        const struct px_type *type = px_type_info((pmix_data_type_t) t);

        for (unsigned round = 0; type != NULL && round < 50; round++) {
            check_order(type);
        }
    }
}

struct pair {
    const struct px_type *type;
    const void *src;
};

static bool try_copy(void *arg)
{
    const struct pair *pair = arg;
    void *copy;
    int rc = px_type_copy_many(pair->type, pair->src, 1, 0, &copy);

    if (rc == PMIX_SUCCESS) {
        px_type_free(pair->type, copy, 1);
        return true;
    }
    assert_int_equal(rc, PMIX_ERR_NOMEM);
    assert_true(allocation_failed());
    return false;
}

static void test_no_memory(void **unused)
{
    (void) unused;
    for (unsigned t = 0; t < PX_VALUE_TYPES; t++) {
        const struct px_type *type = px_type_info((pmix_data_type_t) t);

        for (unsigned round = 0; type != NULL && round < 10; round++) {
            struct pair pair = {.type = type, .src = NULL};
            void *src = px_type_create(type, 1);

            random_element(type, src, 2);
            pair.src = src;
            with_each_allocation_failing(try_copy, &pair);
            px_type_free(type, src, 1);
        }
    }
}

static pmix_data_array_t *nest(unsigned levels)
{
    pmix_data_array_t *array =
        PMIx_Data_array_create(1, levels > 1 ? PMIX_DATA_ARRAY : PMIX_UINT32);

    if (levels > 1) {
        pmix_data_array_t *inner = nest(levels - 1);

        ((pmix_data_array_t *) array->array)[0] = *inner;
        free(inner);
    }
    return array;
}

static void test_depth(void **unused)
{
    pmix_value_t value = {.type = PMIX_DATA_ARRAY};
    pmix_value_t copy;
    pmix_value_t again;
    size_t size;

    (void) unused;
    value.data.darray = nest(PX_VALUE_MAX_DEPTH);
    assert_int_equal(PMIx_Value_xfer(&copy, &value), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_compare(&copy, &value), PMIX_EQUAL);
    PMIx_Value_destruct(&copy);
    PMIx_Value_destruct(&value);

    value.type = PMIX_DATA_ARRAY;
    value.data.darray = nest(PX_VALUE_MAX_DEPTH + 1);
    assert_int_equal(PMIx_Value_xfer(&copy, &value), PMIX_ERR_BAD_PARAM);
    assert_int_equal(copy.type, PMIX_UNDEF);
    again = value;
    assert_int_equal(PMIx_Value_compare(&again, &value), PMIX_VALUE_COMPARISON_NOT_AVAIL);
    assert_int_equal(PMIx_Value_get_size(&value, &size), PMIX_ERR_BAD_PARAM);
    free(PMIx_Value_string(&value));
    PMIx_Value_destruct(&value);

    value.type = PMIX_DATA_ARRAY;
    value.data.darray = nest(5000);
    PMIx_Value_destruct(&value);
}

static int copies;
static int releases;

static int copy_topology(const void *from, void *to)
{
    const pmix_topology_t *src = from;
    pmix_topology_t *ret_dst = to;

    copies++;
    ret_dst->source = strdup(src->source);
    ret_dst->topology = src->topology;
    return PMIX_SUCCESS;
}

static void release_topology(void *element)
{
    pmix_topology_t *topo = element;

    releases++;
    free(topo->source);
}

static void test_hooks(void **unused)
{
    int object;
    pmix_topology_t topo = {.source = (char *) "lib", .topology = &object};
    pmix_cpuset_t cpuset = {.source = (char *) "lib", .bitmap = &object};
    pmix_value_t value;
    pmix_value_t other;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&value, &topo, PMIX_TOPO), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(PMIx_Value_load(&value, &cpuset, PMIX_PROC_CPUSET), PMIX_ERR_NOT_SUPPORTED);
    px_topology_hooks.copy = copy_topology;
    px_topology_hooks.release = release_topology;
    assert_int_equal(PMIx_Value_load(&value, &topo, PMIX_TOPO), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_xfer(&other, &value), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_compare(&other, &value), PMIX_EQUAL);
    PMIx_Value_destruct(&value);
    PMIx_Value_destruct(&other);
    assert_int_equal(copies, 2);
    assert_int_equal(releases, 2);
    px_topology_hooks = (struct px_value_hooks){NULL};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_order), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_depth), cmocka_unit_test(test_hooks),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
