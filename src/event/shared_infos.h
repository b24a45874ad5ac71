/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_EVENT_SHARED_INFOS_H
#define PX_EVENT_SHARED_INFOS_H

/* One array of infos that has several owners. It must not be changed. Any thread. */

#include <pmix_common.h>

struct px_event;

struct px_shared_infos {
    uint64_t n_owners; /* atomic */
    pmix_info_t *at;   /* NULL: none */
    size_t n;
};

/* Takes an array; *infos and *n are then NULL and 0. NULL: memory is out; the array stays the
 * caller's. The caller is the first owner. */
struct px_shared_infos *px_shared_infos_take(pmix_info_t **infos, size_t *n);

/* One more owner. Returns its argument. */
struct px_shared_infos *px_shared_infos_hold(struct px_shared_infos *shared);

/* One owner less: the last one frees them. Takes NULL. */
void px_shared_infos_drop(struct px_shared_infos *shared);

/* Makes *ret the same event, as one more owner of its infos. The infos are copied if they have no
 * shared owner yet (event->shared is NULL). 0 or PMIX_ERR_NOMEM. */
int px_event_share(const struct px_event *event, struct px_event *ret);

#endif
