/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_SCALE_H
#define PX_BENCH_SCALE_H

#include <stddef.h>
#include <stdint.h>

/* The job that scale's host registers and its clients expect: SCALE_LOCAL ranks here, the others
 * in blocks of SCALE_PER_NODE. */
enum { SCALE_LOCAL = 2, SCALE_PER_NODE = 128, SCALE_TEXT = 64, SCALE_POSTED = 64 };
#define SCALE_NSPACE "scale-job"
#define SCALE_KEY    "scale-posted"

unsigned scale_node(unsigned rank);
unsigned scale_local_rank(unsigned rank);
void scale_node_name(unsigned node, char ret[SCALE_TEXT]);

/* What every rank posts: different bytes in each. */
void scale_value(unsigned rank, char ret[SCALE_POSTED]);

/* kind: first, next, post, post-too. Returns the exit code. */
int scale_client(const char *kind, unsigned ranks);

/* A fence's answer for that many ranks, made from that of the two that are here. */
void scale_set(unsigned ranks);
char *scale_blob(const char *data, size_t len, size_t *ret_len);

#endif
