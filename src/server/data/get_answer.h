/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GET_ANSWER_H
#define PX_SERVER_GET_ANSWER_H

#include <stddef.h>

#include <pmix_server.h>

struct px_get;
struct px_get_directives;
struct px_lookup_key;

/* Fills an ask, and *ret, from directives. quals is room for n infos, filled with those that are
 * qualifiers. 0, PMIX_ERR_BAD_PARAM. */
int px_lookup_key_read(const pmix_info_t *info, size_t ninfo, pmix_info_t *quals,
                       struct px_lookup_key *spec, struct px_get_directives *ret);

/* Answers from what is here. PMIX_SUCCESS (answered), PMIX_ERR_NOT_FOUND (not here, not answered),
 * or a final status that was not sent. */
int px_get_attempt(struct px_get *get);

#endif
