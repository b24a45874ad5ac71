/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_REPLY_H
#define PX_SERVER_GROUP_REPLY_H

/* The replies to the callers of a construction. Loop thread. */

#include <stdbool.h>

#include <pmix_server.h>

struct px_coll;
struct px_group_reply_cache;
struct px_reply_to;

/* The table's `reply`: sends one caller the outcome in the layout of its release, or the status
 * alone if that is an error. */
void px_group_reply(struct px_coll *coll, const struct px_reply_to *reply_to, pmix_status_t status);

/* The table's `ending`: packs a part of the first reply. True: there is more to pack. */
bool px_group_reply_prepare(struct px_coll *coll, pmix_status_t status);

/* Frees what was kept between the replies of a construction (px_group_build.reply). Takes NULL. */
void px_group_reply_drop(struct px_group_reply_cache *cache);

#endif
