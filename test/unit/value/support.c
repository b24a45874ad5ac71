/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "support.h"

#include <stdio.h>
#include <unistd.h>

static uint64_t state = 88172645463325252u;
static unsigned countdown;
static bool failed;

void support_start(void)
{
    const char *seed = getenv("PX_TEST_SEED");

    alarm(120);
    if (seed != NULL) {
        state = strtoull(seed, NULL, 10) | 1;
    }
    printf("# seed %llu\n", (unsigned long long) state);
    fflush(stdout);
}

uint64_t random_below(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

static char *random_text(void)
{
    size_t len = random_below(12);
    char *text;

    if (random_below(8) == 0) {
        return NULL;
    }
    text = malloc(len + 1);
    assert_non_null(text);
    for (size_t i = 0; i < len; i++) {
        text[i] = (char) ('a' + random_below(26));
    }
    text[len] = '\0';
    return text;
}

static void random_bytes(void *to, size_t n)
{
    unsigned char *at = to;

    for (size_t i = 0; i < n; i++) {
        at[i] = (unsigned char) random_below(256);
    }
}

static void *random_many(const struct px_type *type, size_t n, unsigned levels)
{
    char *many = px_type_create(type, n);

    for (size_t i = 0; i < n; i++) {
        random_element(type, many + i * type->size, levels);
    }
    return many;
}

static void random_value(pmix_value_t *value, unsigned levels)
{
    const struct px_type *type;

    memset(value, 0, sizeof(*value));
    do {
        type = px_type_info((pmix_data_type_t) random_below(PX_VALUE_TYPES));
    } while (type == NULL || type->where == PX_ELEMENT ||
             (type->shape == PX_TYPE_ARRAY && levels == 0));
    value->type = type->type;
    if (type->where == PX_INLINE) {
        random_element(type, &value->data, levels);
    } else {
        value->data.ptr = random_many(type, 1, levels);
    }
}

static void random_member(const struct px_member *member, void *element, unsigned levels)
{
    char *at = (char *) element + member->at;
    size_t n = random_below(4);
    char **argv = NULL;
    void *many;

    switch (member->how) {
    case PX_MEMBER_ONE:
        random_element(px_type_info(member->type), at, levels);
        break;
    case PX_MEMBER_KEY:
        snprintf(at, PMIX_MAX_KEYLEN, "key%u", (unsigned) random_below(1000));
        break;
    case PX_MEMBER_ARGV:
        while (n-- > 0) {
            (void) PMIx_Argv_append_nosize(&argv, "word");
        }
        memcpy(at, &argv, sizeof(argv));
        break;
    default:
        many = random_many(px_type_info(member->type), n, levels);
        memcpy(at, &many, sizeof(many));
        memcpy((char *) element + member->count_at, &n, sizeof(n));
    }
}

static void random_array(pmix_data_array_t *array, unsigned levels)
{
    const struct px_type *type;

    do {
        type = px_type_info((pmix_data_type_t) random_below(PX_VALUE_TYPES));
    } while (type == NULL || (levels <= 1 && type->shape == PX_TYPE_ARRAY));
    array->type = type->type;
    array->size = random_below(4);
    array->array = random_many(type, array->size, levels == 0 ? 0 : levels - 1);
}

static void random_buffer(pmix_data_buffer_t *buffer)
{
    size_t n = random_below(20);
    char *bytes = malloc(n + 1);

    assert_non_null(bytes);
    random_bytes(bytes, n);
    PMIx_Data_buffer_load(buffer, bytes, n);
}

void random_element(const struct px_type *type, void *ret_element, unsigned levels)
{
    px_type_construct(type, ret_element);
    switch (type->shape) {
    case PX_TYPE_STRING:
        *(char **) ret_element = random_text();
        break;
    case PX_TYPE_NAME:
        snprintf(ret_element, type->size, "ns%u", (unsigned) random_below(1000));
        break;
    case PX_TYPE_STRUCT:
    case PX_TYPE_INFO:
        for (size_t i = 0; i < type->n_members; i++) {
            random_member(&type->members[i], ret_element, levels);
        }
        break;
    case PX_TYPE_VALUE:
        random_value(ret_element, levels);
        break;
    case PX_TYPE_ARRAY:
        random_array(ret_element, levels);
        break;
    case PX_TYPE_BUFFER:
        random_buffer(ret_element);
        break;
    case PX_TYPE_OPAQUE:
        *(char **) ret_element = random_text(); /* the source */
        break;
    default:
        random_bytes(ret_element, type->type == PMIX_BOOL ? 0 : type->size);
    }
    if (type->type == PMIX_INFO) {
        ((pmix_info_t *) ret_element)->flags &= ~(pmix_info_directives_t) PMIX_INFO_PERSISTENT;
    }
}

void fail_allocation(unsigned n)
{
    countdown = n;
    failed = false;
}

bool allocation_failed(void)
{
    return failed;
}

void with_each_allocation_failing(bool (*try)(void *arg), void *arg)
{
    for (unsigned n = 1;; n++) {
        bool ok;

        fail_allocation(n);
        ok = try(arg);
        fail_allocation(0);
        if (ok) {
            assert_false(n > 10000);
            return;
        }
    }
}

/* The linker gives the library these in place of the C library's (-Wl,--wrap). */
static bool fails(void)
{
    if (countdown == 0 || --countdown > 0) {
        return false;
    }
    failed = true;
    return true;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
    return fails() ? NULL : __real_strndup(s, n);
}
