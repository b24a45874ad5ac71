/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Parser for lists of CPUs. The text is an operator's: each number is bounded by the size of the
 * set before it is used. */

#include "src/loop/cpus.h"

#include "src/base/number.h"
#include "src/base/status.h"

/* Adds one item, "N" or "N-M", to `set` and moves *at behind it. 0 or PX_ERR_BAD_PARAM, which
 * leaves *at as it was. */
static int parse_range(const char **at, cpu_set_t *set)
{
    uint64_t first;
    uint64_t last;
    const char *end = px_number_read(*at, CPU_SETSIZE - 1, &first);

    if (!end) {
        return PX_ERR_BAD_PARAM;
    }
    last = first;
    if (*end == '-') {
        end = px_number_read(end + 1, CPU_SETSIZE - 1, &last);
    }
    if (!end || last < first) {
        return PX_ERR_BAD_PARAM;
    }
    for (size_t cpu = first; cpu <= last; cpu++) {
        CPU_SET(cpu, set);
    }
    *at = end;
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
