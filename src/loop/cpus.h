/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_CPUS_H
#define PX_LOOP_CPUS_H

/* Lists of CPUs in the form that Linux writes them, for the parameter pmix_progress_thread_cpus. */

#ifndef _GNU_SOURCE
#error "cpu_set_t needs _GNU_SOURCE"
#endif

#include <sched.h>

/* Reads a list such as "0-3,8,10-11" into *ret. Any thread. 0, or PX_ERR_BAD_PARAM: the text is
 * empty or malformed, a range is descending, or a number is not below CPU_SETSIZE; *ret is then
 * untouched. */
int px_cpus_parse(const char *text, cpu_set_t *ret);

#endif
