/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_HOSTILE_COMMITS_H
#define PX_TEST_HOSTILE_COMMITS_H

#include <stdbool.h>

/* Attacks of hostile.c by commits at the server with this contact string, each with connections of
 * its own; true if the server answered each as it must. */

bool blocks_that_overlap(const char *uri);
bool block_that_repeats(const char *uri);
bool unknown_scope(const char *uri);
bool odd_deletions(const char *uri);

#endif
