/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_MUNGE_H
#define PX_NET_MUNGE_H

/* Credentials of the munge service, through its library where the machine has it. A credential
 * proves user and group of the process that made it to every machine that shares munge's key. Each
 * call talks to the local munge daemon and blocks for it. Any thread. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* True if a credential can be made here and now. */
bool px_munge_works(void);

/* Writes a new credential of this process to `room`: text with its NUL, *ret_len bytes. 0,
 * PX_ERR_NOT_SUPPORTED (no library or no daemon), PX_ERR_BAD_PARAM (no room). */
int px_munge_encode(char *room, size_t room_len, size_t *ret_len);

/* Whose credential this is; it must be a NUL-terminated text within len. 0, PX_ERR_NOT_SUPPORTED
 * (no library), PX_ERR_NO_PERMISSIONS (refused: forged, expired, used before, or no daemon). */
int px_munge_decode(const void *cred, size_t len, uid_t *ret_uid, gid_t *ret_gid);

#endif
