/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_CPUS_H
#define PX_LOOP_CPUS_H

#ifndef _GNU_SOURCE
#error "cpu_set_t needs _GNU_SOURCE"
#endif

#include <sched.h>

/* Reads "0-3,8,10-11". 0, or PX_ERR_BAD_PARAM for anything else and for an empty list. */
int px_cpus_parse(const char *text, cpu_set_t *ret);

#endif
