/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LARGE_ANSWER_H
#define PX_SERVER_LARGE_ANSWER_H

/* Gets that take several turns of the loop: whose answer is large, has many values (gathering.h),
 * or is searched for among many ranks. A large answer is copied a piece in each turn: most of that
 * time new pages take. One after the other, so that no more than one has memory that waits. Loop
 * thread. */

struct px_answer;
struct px_get;
struct px_large_answer;
struct px_nspace;

/* Ends an answer that is packed and sends it. PMIX_SUCCESS; PX_GET_LARGE: it is large, and sent in
 * a later turn (px_get_take_turns); PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE: the segment moves
 * faster than the answer can be copied. Empties `p` in any case. */
int px_answer_finish(struct px_get *get, struct px_nspace *ns, struct px_answer *p);

/* Lets a get go on in later turns, with the copy of its answer, or by trying it again. */
void px_get_take_turns(struct px_get *get);

/* Frees an answer that is not going to be sent. Takes NULL. */
void px_large_answer_free(struct px_large_answer *large);

#endif
