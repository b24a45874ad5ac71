/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GATHERING_H
#define PX_SERVER_GATHERING_H

/* All values of a process, gathered for an answer. Those of a process with many are looked at in
 * parts, each in a turn of the loop of its own: once to know how much is packed, once to pack them.
 * If the process posts meanwhile, or its segment moves, all is done again, so that an answer has
 * the values of one moment. Loop thread. */

#include <stdint.h>

struct px_answer;
struct px_gathering;
struct px_get;
struct px_nspace;

/* Begins an answer about a process, as px_answer_begin; it may have memory already. */
typedef int (*px_gather_begin)(struct px_answer *answer, const struct px_get *get,
                               struct px_nspace *ns, uint32_t owner);

/* Gathers what the process `owner` has committed into *ret, which is empty: an answer that `begin`
 * has begun, to be sent. PMIX_SUCCESS; PX_GET_LARGE: call again in another turn (large_answer.h),
 * *ret is empty still; PMIX_ERR_OUT_OF_RESOURCE: the process posts faster than its values can be
 * gathered; PMIX_ERR_NOMEM, or a status of packing. */
int px_gather(struct px_get *get, struct px_nspace *ns, uint32_t owner, px_gather_begin begin,
              struct px_answer *ret);

/* Frees what a get has gathered and not sent. Takes NULL. */
void px_gathering_free(struct px_gathering *gathering);

#endif
