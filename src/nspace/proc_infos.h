/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_PROC_INFOS_H
#define PX_NSPACE_PROC_INFOS_H

/* All values of one process as infos, for PMIx_Get without a key. Several stores may be read; the
 * first value of a key wins. One thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "src/base/map.h"

struct px_store;

/* The infos found so far. Zeros: none. px_proc_infos_fini frees them. */
struct px_proc_infos {
    pmix_info_t *infos;
    size_t n;
    size_t room;
    struct px_map keys; /* keys seen without qualifiers */
    /* NULL, or false for a key that is left out of the next store. */
    bool (*wanted)(void *arg, const char *key);
    void *arg;
};

/* Appends what readers of the store may see of the process, posted and registered; the library's
 * own keys are left out. A qualified value is an info PMIX_QUALIFIED_VALUE, as programs put one. 0,
 * PMIX_ERR_NOMEM, or the status of a value that cannot be read; what was appended stays. */
int px_proc_infos_add_store(struct px_proc_infos *infos, const struct px_store *store,
                            pmix_rank_t rank);

/* Appends a copy of one value, unless the key is there. 0, PMIX_ERR_NOMEM, or the status of a value
 * that cannot be copied. */
int px_proc_infos_add(struct px_proc_infos *infos, const char *key, const pmix_value_t *value);

/* Makes a value of the infos, an array, and leaves none behind. The value is the caller's. 0,
 * PMIX_ERR_NOT_FOUND (there are none), PMIX_ERR_NOMEM. */
int px_proc_infos_take(struct px_proc_infos *infos, pmix_value_t **ret);

/* Frees what was not taken. */
void px_proc_infos_fini(struct px_proc_infos *infos);

#endif
