/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_EVENTS_H
#define PX_SERVER_EVENTS_H

#include "src/server/priv.h"

/* Registrations for event codes and what the host is told of them. Loop thread. */

/* Added to every event that we send. */
#define PX_KEY_FROM_SERVER "pmix.srvr.internal.notify"

/* Somebody wants these codes for the first time; the host is asked where they are its own, then
 * from is answered, and kept events follow if `replay_too`. ncodes 0: all. */
void px_codes_wanted(struct px_server *s, const struct px_reply_to *reply_to,
                     const pmix_proc_t *proc, const pmix_status_t *codes, size_t ncodes,
                     bool replay_too, const pmix_info_t *info, size_t ninfo);
void px_codes_dropped(struct px_server *s, const pmix_status_t *codes, size_t ncodes);

/* server_group.c: is this the name of a group that the process is in? */
bool px_group_names(struct px_server *s, const pmix_proc_t *named, const pmix_proc_t *proc);

#endif
