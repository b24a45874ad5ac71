/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LARGE_ANSWER_H
#define PX_SERVER_LARGE_ANSWER_H

/* Gets whose answer is large, has many values (gathering.h), or is searched for among many ranks.
 * Memory for an answer is made before it is packed, a piece in each turn of the loop: pages that
 * are new are most of the time that a large one takes. One after the other, so that no more than
 * one has memory that waits. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

struct px_get;

/* True if an answer with so many bytes of values needs memory that has not been made yet. */
bool px_answer_needs_room(struct px_get *get, size_t bytes);

/* Lets such a get, or one that is gathered or searched for, wait for its turn, and until its memory
 * is there (get->room); then tries it again. */
void px_answer_make_room(struct px_get *get);

#endif
