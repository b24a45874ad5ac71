/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOCAL_MANNER_H
#define PX_SERVER_LOCAL_MANNER_H

/* What the directives of a spawn say about processes that the server of a launcher starts itself.
 * Loop thread. */

#include <stdbool.h>

#include <pmix_server.h>

struct px_local_spawn;

/* The processes of one app. Borrowed from the request. */
struct px_local_manner {
    const pmix_app_t *app;
    const char *dir;          /* NULL: that of this process */
    bool forwarded[2];        /* standard output, standard error */
    pmix_rank_t fed;          /* has input; PMIX_RANK_WILDCARD: all, PMIX_RANK_INVALID: none */
    const pmix_value_t *stop; /* who stops at the first instruction; NULL: none */
};

/* True if that process stops at the first instruction of its program. */
bool px_local_manner_stops(const struct px_local_manner *manner, pmix_rank_t rank);

/* True if all of the request can be honoured. */
bool px_local_spawn_possible(const struct px_local_spawn *spawn);

/* Reads the directives of the job, of n processes, and of an app whose first rank is `first`. 0 or
 * PMIX_ERR_BAD_PARAM (a value of a wrong type, input for a process that there is not). */
int px_local_manner_read(const struct px_local_spawn *spawn, uint32_t n, const pmix_app_t *app,
                         pmix_rank_t first, struct px_local_manner *ret);

#endif
