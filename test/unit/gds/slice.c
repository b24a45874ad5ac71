/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Values of every type come back as they went in: filled, allocated, and by pointer. GET-003,
 * GET-004, GET-006, PUT-013. */
#include "support.h"

#include <float.h>

#include "gds/payload.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/slice.h"
#include "src/wire/pack.h"

enum { MAX_VALUES = 64 };

static pmix_value_t values[MAX_VALUES];
static uint32_t n_values;
static char big[1 << 20];

static pmix_value_t *next_value(pmix_data_type_t type)
{
    pmix_value_t *v = &values[n_values++];

    assert_true(n_values < MAX_VALUES);
    *v = (pmix_value_t){.type = type};
    return v;
}

static void scalars(void)
{
    static const pmix_data_type_t one[] = {
        PMIX_BYTE,       PMIX_INT8,       PMIX_UINT8,     PMIX_PERSIST,    PMIX_SCOPE,
        PMIX_DATA_RANGE, PMIX_PROC_STATE, PMIX_JOB_STATE, PMIX_LINK_STATE, PMIX_ALLOC_DIRECTIVE};
    static const pmix_data_type_t eight[] = {PMIX_SIZE, PMIX_INT64, PMIX_UINT64, PMIX_TIME,
                                             PMIX_DEVTYPE};
    static const pmix_data_type_t four[] = {PMIX_PID,    PMIX_INT,    PMIX_INT32,    PMIX_UINT,
                                            PMIX_UINT32, PMIX_STATUS, PMIX_PROC_RANK};
    static const pmix_data_type_t two[] = {PMIX_INT16, PMIX_UINT16, PMIX_LOCTYPE, PMIX_IOF_CHANNEL,
                                           PMIX_DATA_TYPE};
    size_t i;

    for (i = 0; i < sizeof(one) / sizeof(one[0]); i++) {
        next_value(one[i])->data.uint8 = 3;
    }
    for (i = 0; i < sizeof(two) / sizeof(two[0]); i++) {
        next_value(two[i])->data.int16 = -2;
    }
    for (i = 0; i < sizeof(four) / sizeof(four[0]); i++) {
        next_value(four[i])->data.int32 = INT32_MIN + 1;
    }
    for (i = 0; i < sizeof(eight) / sizeof(eight[0]); i++) {
        next_value(eight[i])->data.int64 = INT64_MIN + 5;
    }
    next_value(PMIX_BOOL)->data.flag = true;
    next_value(PMIX_FLOAT)->data.fval = FLT_MIN;
    next_value(PMIX_DOUBLE)->data.dval = 0.1;
    next_value(PMIX_UNDEF);
    next_value(PMIX_TIMEVAL)->data.tv = (struct timeval){.tv_sec = -5, .tv_usec = 999999};
}

static void with_memory(void)
{
    static pmix_proc_t proc = {.nspace = "other job", .rank = 17};
    static pmix_nspace_t nspace = "a namespace";
    static double reals[3] = {0.1, -DBL_MAX, 1e-300};
    static pmix_data_array_t numbers = {.type = PMIX_DOUBLE, .size = 3, .array = reals};
    static char one[] = "one";
    static char none[] = "";
    static char three[] = "three";
    static char *texts[] = {one, none, three};
    static pmix_data_array_t strings = {.type = PMIX_STRING, .size = 3, .array = texts};
    static pmix_proc_t procs[2] = {{.nspace = "a", .rank = 1}, {.nspace = "b", .rank = 2}};
    static pmix_data_array_t proc_array = {.type = PMIX_PROC, .size = 2, .array = procs};
    static pmix_info_t infos[2];
    static pmix_data_array_t inner = {.type = PMIX_INFO, .size = 1, .array = &infos[1]};
    static pmix_data_array_t nested = {.type = PMIX_INFO, .size = 1, .array = infos};
    pmix_value_t *v;

    next_value(PMIX_STRING)->data.string = one;
    next_value(PMIX_STRING)->data.string = none;
    next_value(PMIX_STRING);
    memset(big, 'B', sizeof(big) - 1);
    next_value(PMIX_STRING)->data.string = big;
    next_value(PMIX_BYTE_OBJECT)->data.bo = (pmix_byte_object_t){.bytes = big, .size = sizeof(big)};
    next_value(PMIX_BYTE_OBJECT);
    next_value(PMIX_BYTE_OBJECT)->data.bo = (pmix_byte_object_t){.bytes = "\0\1\0", .size = 4};
    next_value(PMIX_PROC)->data.proc = &proc;
    next_value(PMIX_PROC);
    next_value(PMIX_PROC_NSPACE)->data.nspace = &nspace;
    next_value(PMIX_DATA_ARRAY)->data.darray = &numbers;
    next_value(PMIX_DATA_ARRAY)->data.darray = &strings;
    next_value(PMIX_DATA_ARRAY)->data.darray = &proc_array;
    v = next_value(PMIX_ENVAR);
    v->data.envar = (pmix_envar_t){.envar = one, .value = three, .separator = ':'};
    infos[0].value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &inner};
    strcpy(infos[0].key, "outer");
    strcpy(infos[1].key, "inner");
    infos[1].value = (pmix_value_t){.type = PMIX_DOUBLE, .data.dval = 0.1};
    next_value(PMIX_DATA_ARRAY)->data.darray = &nested;
}

static void assert_same_bytes(const pmix_byte_object_t *a, const pmix_byte_object_t *b)
{
    assert_int_equal(a->size, b->size);
    if (a->size) {
        assert_memory_equal(a->bytes, b->bytes, a->size);
    }
}

static void assert_same(const pmix_value_t *a, const pmix_value_t *b);

static void assert_same_array(const pmix_data_array_t *a, const pmix_data_array_t *b)
{
    size_t i;

    assert_int_equal(a->type, b->type);
    assert_int_equal(a->size, b->size);
    for (i = 0; i < a->size; i++) {
        switch (a->type) {
        case PMIX_DOUBLE:
            assert_memory_equal((double *) a->array + i, (double *) b->array + i, sizeof(double));
            break;
        case PMIX_STRING:
            assert_string_equal(((char **) a->array)[i], ((char **) b->array)[i]);
            break;
        case PMIX_PROC:
            assert_string_equal(((pmix_proc_t *) a->array)[i].nspace,
                                ((pmix_proc_t *) b->array)[i].nspace);
            assert_int_equal(((pmix_proc_t *) a->array)[i].rank,
                             ((pmix_proc_t *) b->array)[i].rank);
            break;
        default:
            assert_string_equal(((pmix_info_t *) a->array)[i].key,
                                ((pmix_info_t *) b->array)[i].key);
            assert_same(&((pmix_info_t *) a->array)[i].value, &((pmix_info_t *) b->array)[i].value);
            break;
        }
    }
}

static void assert_same(const pmix_value_t *a, const pmix_value_t *b)
{
    assert_int_equal(a->type, b->type);
    switch (a->type) {
    case PMIX_UNDEF:
        break;
    case PMIX_STRING:
        assert_int_equal(a->data.string == NULL, b->data.string == NULL);
        if (a->data.string) {
            assert_string_equal(a->data.string, b->data.string);
        }
        break;
    case PMIX_BYTE_OBJECT:
        assert_same_bytes(&a->data.bo, &b->data.bo);
        break;
    case PMIX_PROC:
        assert_int_equal(a->data.proc == NULL, b->data.proc == NULL);
        if (a->data.proc) {
            assert_string_equal(a->data.proc->nspace, b->data.proc->nspace);
            assert_int_equal(a->data.proc->rank, b->data.proc->rank);
        }
        break;
    case PMIX_PROC_NSPACE:
        assert_string_equal(*a->data.nspace, *b->data.nspace);
        break;
    case PMIX_DATA_ARRAY:
        assert_same_array(a->data.darray, b->data.darray);
        break;
    case PMIX_ENVAR:
        assert_string_equal(a->data.envar.envar, b->data.envar.envar);
        assert_string_equal(a->data.envar.value, b->data.envar.value);
        assert_int_equal(a->data.envar.separator, b->data.envar.separator);
        break;
    case PMIX_TIMEVAL:
        assert_int_equal(a->data.tv.tv_sec, b->data.tv.tv_sec);
        assert_int_equal(a->data.tv.tv_usec, b->data.tv.tv_usec);
        break;
    default:
        assert_memory_equal(&a->data, &b->data, px_word_size(a->type));
        break;
    }
}

static void check_ways(const struct px_slice *slice, const pmix_value_t *want)
{
    const pmix_value_t *pointer;
    const pmix_value_t *again;
    pmix_value_t filled;
    pmix_value_t *fresh;

    assert_int_equal(px_slice_fill(slice, &filled), 0);
    assert_same(want, &filled);
    PMIx_Value_destruct(&filled);
    assert_int_equal(px_slice_value(slice, &fresh), 0);
    assert_same(want, fresh);
    PMIx_Value_free(fresh, 1);
    assert_int_equal(px_slice_pointer(slice, &pointer), 0);
    assert_same(want, pointer);
    assert_int_equal(px_slice_pointer(slice, &again), 0);
    assert_ptr_equal(pointer, again);
}

static void all_types(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    struct px_slice slice;
    char key[16];
    uint32_t i;

    (void) state;
    for (i = 0; i < n_values; i++) {
        (void) snprintf(key, sizeof(key), "key%u", i);
        assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, key, &values[i], 0), 0);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, i, "mixed", &values[i], PMIX_GLOBAL), 0);
    }
    for (i = 0; i < n_values; i++) {
        (void) snprintf(key, sizeof(key), "key%u", i);
        assert_int_equal(find(reader, PX_LEVEL_JOB, 0, key, &slice), 0);
        check_ways(&slice, &values[i]);
        assert_int_equal(find(reader, PX_LEVEL_PROC, i, "mixed", &slice), 0);
        check_ways(&slice, &values[i]);
    }
    close_reader(store, reader);
    drop_store(store);
}

static bool inside(const struct px_store *store, const void *p)
{
    const unsigned char *at = p;

    return at >= store->seg.base && at < store->seg.base + store->seg.size;
}

/* A value that is lent is packed as the value that it is, and nothing of it is copied before. */
static void check_lent(const struct px_store *store, const pmix_value_t *value,
                       const pmix_value_t *want, bool exact)
{
    struct px_buf bytes[2] = {{0}, {0}};
    bool encoded = value->type == PX_TYPE_ENCODED;

    assert_true(inside(store, encoded ? (void *) value->data.bo.bytes : value->data.darray->array));
    assert_int_equal(px_pack_raw(&bytes[0], exact, PMIX_VALUE, value), 0);
    assert_int_equal(px_pack_raw(&bytes[1], exact, PMIX_VALUE, want), 0);
    assert_int_equal(bytes[0].len, bytes[1].len);
    assert_memory_equal(bytes[0].data, bytes[1].data, bytes[0].len);
    px_buf_fini(&bytes[0]);
    px_buf_fini(&bytes[1]);
}

static void arrays_are_lent(void **state)
{
    struct px_store *store = make_store(true);
    unsigned n_lent[2] = {0, 0};
    pmix_data_array_t array;
    struct px_slice slice;
    pmix_value_t value;

    (void) state;
    for (uint32_t i = 0; i < n_values; i++) {
        assert_int_equal(put_one(store, PX_LEVEL_PROC, i, "k", &values[i], PMIX_GLOBAL), 0);
        assert_int_equal(find(store, PX_LEVEL_PROC, i, "k", &slice), 0);
        for (int exact = 0; exact < 2; exact++) {
            if (px_slice_lend(&slice, exact, &array, &value)) {
                check_lent(store, &value, &values[i], exact);
                n_lent[exact]++;
            }
        }
    }
    assert_int_equal(n_lent[false], 3); /* numbers, strings, processes */
    assert_int_equal(n_lent[true], 5);  /* an array of infos, a variable */
    drop_store(store);
}

/* The same in one batch, where they share a column. */
static void all_types_in_a_column(void **state)
{
    struct px_store *store = make_store(false);
    struct px_batch *batch = px_batch_create();
    struct px_slice slice;
    uint32_t i;

    (void) state;
    for (i = 0; i < n_values; i++) {
        add(batch, PX_LEVEL_PROC, i, "column", &values[i]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    for (i = 0; i < n_values; i++) {
        assert_int_equal(find(store, PX_LEVEL_PROC, i, "column", &slice), 0);
        check_ways(&slice, &values[i]);
    }
    drop_store(store);
}

/* GET-005: what was handed out stays as it was while the key changes. */
static void pointers_aim_into_the_segment(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    const pmix_value_t *pointer;
    struct px_slice slice;
    pmix_value_t v = str("the first");
    char text_now[32];
    uint32_t i;

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "k", &v, 0), 0);
    assert_int_equal(find(reader, PX_LEVEL_JOB, 0, "k", &slice), 0);
    assert_int_equal(px_slice_pointer(&slice, &pointer), 0);
    assert_true(inside(reader, pointer->data.string));
    for (i = 0; i < 1000; i++) {
        (void) snprintf(text_now, sizeof(text_now), "version %u", i);
        v = str(text_now);
        assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "k", &v, 0), 0);
    }
    assert_string_equal(pointer->data.string, "the first");
    assert_string_equal(text(reader, PX_LEVEL_JOB, 0, "k"), "version 999");
    close_reader(store, reader);
    drop_store(store);
}

static void without_memory(void **state)
{
    struct px_store *store = make_store(false);
    struct px_slice slice;
    uint32_t i;

    (void) state;
    for (i = 0; i < n_values; i++) {
        pmix_value_t *fresh;
        long left = 0;
        int rc;

        assert_int_equal(put_one(store, PX_LEVEL_PROC, i, "k", &values[i], PMIX_GLOBAL), 0);
        assert_int_equal(find(store, PX_LEVEL_PROC, i, "k", &slice), 0);
        do {
            fail_allocs_after(left++);
            rc = px_slice_value(&slice, &fresh);
            fail_allocs_after(-1);
            assert_true(rc == 0 || rc == PMIX_ERR_NOMEM);
        } while (rc);
        PMIx_Value_free(fresh, 1);
    }
    drop_store(store);
}

/* None for scalars and pointers, one for a value, two for a string. */
static void allocation_budget(void **state)
{
    struct px_store *store = make_store(true);
    struct px_slice slice;
    pmix_value_t filled;
    pmix_value_t *fresh;
    const pmix_value_t *pointer;
    pmix_value_t number = u32(1);
    pmix_value_t string = str("a string");
    size_t before;

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "number", &number, 0), 0);
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "string", &string, 0), 0);
    before = n_allocs;
    assert_int_equal(find(store, PX_LEVEL_JOB, 0, "number", &slice), 0);
    assert_int_equal(px_slice_fill(&slice, &filled), 0);
    assert_int_equal(n_allocs - before, 0);
    assert_int_equal(px_slice_value(&slice, &fresh), 0);
    assert_int_equal(n_allocs - before, 1);
    PMIx_Value_free(fresh, 1);
    assert_int_equal(find(store, PX_LEVEL_JOB, 0, "string", &slice), 0);
    assert_int_equal(px_slice_pointer(&slice, &pointer), 0);
    before = n_allocs;
    assert_int_equal(px_slice_pointer(&slice, &pointer), 0);
    assert_int_equal(n_allocs - before, 0);
    assert_int_equal(px_slice_value(&slice, &fresh), 0);
    assert_int_equal(n_allocs - before, 2);
    PMIx_Value_free(fresh, 1);
    drop_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types),
        cmocka_unit_test(arrays_are_lent),
        cmocka_unit_test(all_types_in_a_column),
        cmocka_unit_test(pointers_aim_into_the_segment),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(allocation_budget),
    };

    alarm(60);
    scalars();
    with_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
