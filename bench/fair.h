/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_FAIR_H
#define PX_BENCH_FAIR_H

#include <pmix.h>
#include <stdbool.h>

/* Reads with arguments that change from call to call, so that a cache of recent calls does not
 * help: key and rank are drawn at random from the whole job, and the strings of keys and namespace
 * are passed from one of 16 buffers, also drawn. The generator has a fixed seed: every run reads
 * the same sequence. Each function does one read and returns true if the value is the expected one;
 * its argument, the number of the read, is not used. One thread. */

/* For the job of measure.h, after PMIx_Init. nodes: the names of its nodes; copied. Exit code 70 if
 * memory is out. */
void fair_set_up(const pmix_proc_t *self, const char (*nodes)[256]);
void fair_tear_down(void);

bool fair_job(unsigned i);     /* one of 4 numbers of the job */
bool fair_number(unsigned i);  /* one of 4 numbers of a rank */
bool fair_string(unsigned i);  /* the host name of a rank */
bool fair_any(unsigned i);     /* fair_number, fair_string or fair_job */
bool fair_static(unsigned i);  /* fair_number with PMIX_GET_STATIC_VALUES */
bool fair_pointer(unsigned i); /* fair_number or fair_string with PMIX_GET_POINTER_VALUES */
bool fair_miss(unsigned i);    /* one of 8 keys without a value, PMIX_OPTIONAL */
bool fair_node(unsigned i);    /* PMIX_LOCAL_SIZE of a node, by its name */
bool fair_peers(unsigned i);   /* PMIx_Resolve_peers of a node */

/* The values that fair_posted reads: of local clients, under "<prefix>-<round>", `len` bytes of
 * which each is rank + round. At most 64 rounds. */
void fair_set_posted(const char *prefix, unsigned rounds, size_t len);
bool fair_posted(unsigned i);

#endif
