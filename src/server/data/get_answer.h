/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GET_ANSWER_H
#define PX_SERVER_GET_ANSWER_H

/* Answers to requests for data, from the stores of this server. */

#include <stddef.h>

#include <pmix_server.h>

struct px_get;
struct px_get_directives;
struct px_lookup_key;

/* Reads the directives of a get into *ret and into the lookup key. `quals` is the caller's room for
 * ninfo infos; it is filled with those of info that are qualifiers, by shallow copies that borrow
 * from info. 0 or PMIX_ERR_BAD_PARAM. */
int px_lookup_key_read(const pmix_info_t *info, size_t ninfo, pmix_info_t *quals,
                       struct px_lookup_key *spec, struct px_get_directives *ret);

/* Of px_get_attempt: it goes on in another turn (large_answer.h). */
enum { PX_GET_LARGE = 1 };

/* Tries to answer from the stores. PMIX_SUCCESS: answered; the caller frees the get.
 * PMIX_ERR_NOT_FOUND: the data is not here, nothing was sent. PX_GET_LARGE: nothing was sent yet;
 * not for a call of this process. Another status: final, and the caller has to send it. */
int px_get_attempt(struct px_get *get);

#endif
