/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_FAIR_H
#define PX_BENCH_FAIR_H

#include <pmix.h>
#include <stdbool.h>

/* Reads of which no two in a row are alike: key and rank are drawn at random from the whole job,
 * and the texts of keys and namespace lie in one of several buffers each time, so that what a
 * library remembers of the calls before is of no use. The sequence is the same in every run. Each
 * function does one read and returns true if the answer is right. */

/* Of the job of measure.h, whose node names are given; they must stay. */
void fair_set_up(const pmix_proc_t *self, const char (*nodes)[256]);
void fair_tear_down(void);

bool fair_job(unsigned i);     /* one of 4 numbers of the job */
bool fair_number(unsigned i);  /* one of 4 numbers of any rank */
bool fair_string(unsigned i);  /* host name of any rank */
bool fair_any(unsigned i);     /* one of these 5, or fair_job */
bool fair_static(unsigned i);  /* a number into the caller's storage */
bool fair_pointer(unsigned i); /* one of the 5 by pointer */
bool fair_miss(unsigned i);    /* one of 8 keys that nobody has, of any rank */
bool fair_node(unsigned i);    /* ranks on any node, by the node's name */
bool fair_peers(unsigned i);   /* resolve the processes of any node */

/* Of what the local clients posted: keys "<prefix>-<round>", len times the byte rank + round. */
void fair_set_posted(const char *prefix, unsigned rounds, size_t len);
bool fair_posted(unsigned i);

#endif
