/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_MUNGE_H
#define PX_NET_MUNGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Credentials of the munge service, through its library where the machine has it. Each call talks
 * to the local munge daemon and waits for it. */

/* True when a credential can be made here and now. */
bool px_munge_works(void);

/* A fresh credential, text with its NUL, into room. 0, PX_ERR_NOT_SUPPORTED (no library or no
 * daemon), PX_ERR_BAD_PARAM (room too small). */
int px_munge_encode(char *room, size_t room_len, size_t *ret_len);

/* Whose credential it is; it must be a NUL-terminated text. 0, PX_ERR_NOT_SUPPORTED (no library),
 * PX_ERR_NO_PERMISSIONS (refused: forged, expired, seen before, or no daemon). */
int px_munge_decode(const void *cred, size_t len, uid_t *ret_uid, gid_t *ret_gid);

#endif
