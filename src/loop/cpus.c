/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "src/loop/cpus.h"

#include <ctype.h>
#include <stdlib.h>

#include "src/base/status.h"

/* The numbers come from an operator's hand: each is bounded by the size of the set before it is
 * used. */

static int parse_cpu(const char **at, int *ret)
{
    char *end;
    unsigned long v;

    if (!isdigit((unsigned char) **at)) {
        return PX_ERR_BAD_PARAM;
    }
    v = strtoul(*at, &end, 10);
    if (v >= CPU_SETSIZE) {
        return PX_ERR_BAD_PARAM;
    }
    *at = end;
    *ret = (int) v;
    return PX_OK;
}

static int parse_range(const char **at, cpu_set_t *set)
{
    int first;
    int last;

    if (parse_cpu(at, &first)) {
        return PX_ERR_BAD_PARAM;
    }
    last = first;
    if (**at == '-') {
        (*at)++;
        if (parse_cpu(at, &last) || last < first) {
            return PX_ERR_BAD_PARAM;
        }
    }
    for (int cpu = first; cpu <= last; cpu++) {
        CPU_SET((size_t) cpu, set);
    }
    return PX_OK;
}

int px_cpus_parse(const char *text, cpu_set_t *ret)
{
    cpu_set_t set;
    const char *at = text;

    CPU_ZERO(&set);
    while (parse_range(&at, &set) == PX_OK) {
        if (!*at) {
            *ret = set;
            return PX_OK;
        }
        if (*at != ',') {
            break;
        }
        at++;
    }
    return PX_ERR_BAD_PARAM;
}
