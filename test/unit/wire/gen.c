/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct gen gen_start(void)
{
    const char *given = getenv("PX_SEED");
    struct timespec now;
    struct gen gen = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    gen.state =
        given ? strtoull(given, NULL, 0) : (uint64_t) now.tv_sec * 1000003 + (uint64_t) now.tv_nsec;
    printf("# PX_SEED=%llu\n", (unsigned long long) gen.state);
    return gen;
}

uint64_t gen_next(struct gen *gen)
{
    uint64_t z = gen->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

bool gen_knows(pmix_data_type_t type)
{
    return px_type_info(type) && type != PMIX_TOPO && type != PMIX_PROC_CPUSET;
}

pmix_data_type_t gen_type(struct gen *gen)
{
    pmix_data_type_t type;

    do {
        type = (pmix_data_type_t) gen_below(gen, PX_VALUE_TYPES);
    } while (!gen_knows(type));
    return type;
}

static char *gen_text(struct gen *gen, size_t longest)
{
    size_t len = gen_below(gen, longest + 1);
    char *text = malloc(len + 1);

    for (size_t i = 0; i < len; i++) {
        text[i] = (char) (1 + gen_below(gen, 255));
    }
    text[len] = '\0';
    return text;
}

/* Numbers of all magnitudes, and of both signs when cut down to a signed type. */
static uint64_t gen_number(struct gen *gen)
{
    uint64_t v = gen_next(gen) >> gen_below(gen, 64);

    return gen_below(gen, 2) ? v : ~v;
}

static void fill_many(struct gen *gen, pmix_data_type_t type, size_t n, void *ret_array,
                      size_t *ret_n, unsigned depth)
{
    const struct px_type *info = px_type_info(type);
    char *array = n ? calloc(n, info->size) : NULL;

    for (size_t i = 0; i < n; i++) {
        gen_fill(gen, type, array + i * info->size, depth);
    }
    *(void **) ret_array = array;
    *ret_n = n;
}

static char **gen_argv(struct gen *gen)
{
    size_t n = gen_below(gen, 4);
    char **argv = n ? calloc(n + 1, sizeof(*argv)) : NULL;

    for (size_t i = 0; i < n; i++) {
        argv[i] = gen_text(gen, 20);
    }
    return argv;
}

static void fill_members(struct gen *gen, const struct px_type *info, char *base, unsigned depth)
{
    for (size_t i = 0; i < info->n_members; i++) {
        const struct px_member *member = &info->members[i];
        char *at = base + member->at;
        char *key;

        switch (member->how) {
        case PX_MEMBER_ONE:
            gen_fill(gen, member->type, at, depth);
            break;
        case PX_MEMBER_KEY:
            key = gen_text(gen, gen_below(gen, 8) ? 20 : PMIX_MAX_KEYLEN);
            strcpy(at, key);
            free(key);
            break;
        case PX_MEMBER_ARGV:
            *(char ***) at = gen_argv(gen);
            break;
        case PX_MEMBER_MANY:
            fill_many(gen, member->type, gen_below(gen, 5), at,
                      (size_t *) (base + member->count_at), depth);
            break;
        }
    }
}

static void fill_array(struct gen *gen, pmix_data_array_t *array, unsigned depth)
{
    array->type = depth ? gen_type(gen) : PMIX_UINT32;
    fill_many(gen, array->type, gen_below(gen, 4), &array->array, &array->size,
              depth ? depth - 1 : 0);
}

static void fill_value(struct gen *gen, pmix_value_t *value, unsigned depth)
{
    const struct px_type *info;

    do {
        value->type = gen_type(gen);
        info = px_type_info(value->type);
    } while (info->where == PX_ELEMENT || (depth == 0 && value->type == PMIX_DATA_ARRAY));
    if (info->where == PX_BOXED) {
        value->data.ptr = calloc(1, info->size);
    }
    gen_fill(gen, value->type, (void *) (uintptr_t) px_value_element(value, info), depth);
}

static void fill_buffer(struct gen *gen, pmix_data_buffer_t *buffer)
{
    size_t n = gen_below(gen, 20);
    char *bytes = n ? malloc(n) : NULL;

    for (size_t i = 0; i < n; i++) {
        bytes[i] = (char) gen_next(gen);
    }
    PMIx_Data_buffer_load(buffer, bytes, n);
}

static void fill_scalar(struct gen *gen, const struct px_type *info, void *element)
{
    uint64_t v = gen_number(gen);

    if (info->type == PMIX_BOOL) {
        v &= 1;
    }
    memcpy(element, &v, info->size); /* little-endian or not: any bits will do */
}

/* What only exact encodings carry, and what no encoding can. */
static void fill_special(struct gen *gen, pmix_data_type_t type, void *element)
{
    if (type == PMIX_INFO) {
        ((pmix_info_t *) element)->flags &= ~(uint32_t) PMIX_INFO_PERSISTENT;
    } else if (type == PMIX_PROC_INFO && !gen->exact) {
        ((pmix_proc_info_t *) element)->exit_code = 0;
    } else if (type == PMIX_PROC_STATS) {
        pmix_proc_stats_t *stats = element;

        stats->num_threads &= INT16_MAX;
        stats->processor &= INT16_MAX;
        stats->percent_cpu = gen->exact ? stats->percent_cpu : 0;
        stats->peak_vsize = gen->exact ? stats->peak_vsize : 0;
    } else if (type == PMIX_REGEX) {
        pmix_byte_object_t *regex = element;

        free(regex->bytes);
        regex->bytes = gen_text(gen, 30);
        if (strncmp(regex->bytes, "blob", 4) == 0) {
            regex->bytes[0] = 'x';
        }
        regex->size = strlen(regex->bytes) + 1;
    }
}

void gen_fill(struct gen *gen, pmix_data_type_t type, void *element, unsigned depth)
{
    const struct px_type *info = px_type_info(type);
    char *name;

    memset(element, 0, info->size);
    switch (info->shape) {
    case PX_TYPE_REAL: /* what six decimals can say, unless nothing is lost */
        if (type == PMIX_FLOAT) {
            *(float *) element = (float) (int32_t) gen_below(gen, 1 << 20) / 64;
        } else {
            *(double *) element =
                (double) (int64_t) gen_below(gen, UINT64_C(1) << 40) / (gen->exact ? 3 : -64);
        }
        break;
    case PX_TYPE_STRING:
        *(char **) element =
            gen_below(gen, 8) ? gen_text(gen, gen_below(gen, 8) ? 30 : 3000) : NULL;
        break;
    case PX_TYPE_NAME:
        name = gen_text(gen, PMIX_MAX_NSLEN);
        strcpy(element, name);
        free(name);
        break;
    case PX_TYPE_TIMEVAL:
        ((struct timeval *) element)->tv_sec = (time_t) gen_number(gen);
        ((struct timeval *) element)->tv_usec = (suseconds_t) gen_number(gen);
        break;
    case PX_TYPE_STRUCT:
    case PX_TYPE_INFO:
        fill_members(gen, info, element, depth);
        break;
    case PX_TYPE_VALUE:
        fill_value(gen, element, depth);
        break;
    case PX_TYPE_ARRAY:
        fill_array(gen, element, depth);
        break;
    case PX_TYPE_BUFFER:
        fill_buffer(gen, element);
        break;
    case PX_TYPE_UNSIGNED:
    case PX_TYPE_SIGNED:
        fill_scalar(gen, info, element);
        break;
    default: /* a pointer means nothing to a peer: NULL */
        break;
    }
    fill_special(gen, type, element);
}
