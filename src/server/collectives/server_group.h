/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_GROUP_H
#define PX_SERVER_GROUP_H

/* Groups (PMIx_Group_construct, _destruct, _leave; the Standard, chapter on groups): handlers
 * (px_handler) of a peer's three commands. Loop thread. */

#include <stdint.h>

struct px_in;
struct px_peer;
struct px_server;

/* A member or leader constructs a group. The status of px_coll_enter or of unpacking;
 * PMIX_ERR_EXISTS if a process is or will be in a group of this name. */
int px_handle_group_construct(struct px_server *s, struct px_peer *peer, uint32_t tag,
                              struct px_in *in);
/* A member destructs its group. PMIX_ERR_NOT_FOUND if no such group is known and the call names
 * no processes; the status of px_coll_enter or of unpacking. */
int px_handle_group_destruct(struct px_server *s, struct px_peer *peer, uint32_t tag,
                             struct px_in *in);
/* A member leaves its group at once; the others get the event PMIX_GROUP_LEFT.
 * PMIX_ERR_NOT_FOUND if it is in no such group. */
int px_handle_group_leave(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);

#endif
