/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LARGE_ANSWER_H
#define PX_SERVER_LARGE_ANSWER_H

/* Gets whose answer is large. Memory for it is made before it is packed, a piece in each turn of the
 * loop: pages that are new are most of the time that such an answer takes. One after the other, so
 * that no more than one has memory that waits. Loop thread. */

#include <stdbool.h>
#include <stddef.h>

struct px_get;
struct px_server;

/* True if an answer of so many bytes needs memory (get->room) that is not there yet. */
bool px_answer_needs_room(const struct px_get *get, size_t bytes);

/* Lets the get wait for memory of get->need bytes; then it is tried again (px_get_again). */
void px_answer_make_room(struct px_get *get);

/* The server begins; or it has no such get any more. */
void px_large_answers_init(struct px_server *s);
void px_large_answers_stop(struct px_server *s);

#endif
