/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_AUTH_H
#define PX_NET_AUTH_H

#include "src/net/listener.h"
#include "src/net/handshake.h"

struct px_handshake;

/* Establishes who has sent the introduction. Where the kernel has spoken, its word stands in place
 * of any claim, which in a container speaks of other ids. Where it has not, a claim counts only if
 * the parameter shmix_trust_claims says so, and then goes into *who. psec "native": 8 bytes uid,gid
 * in host order, or none on AF_UNIX; "munge": decoded by the library where present (asks the munge
 * daemon and waits for it); it must agree with the kernel and proves both ids; "none": only where
 * the psec parameter names it. 0, PMIX_ERR_INVALID_CRED, PMIX_ERR_NOT_SUPPORTED (unknown module, or
 * one that the parameter excludes). */
int px_auth_identify(const struct px_handshake *handshake, struct px_peer_cred *peer_cred);

/* px_auth_identify, and: is it that user, and that group as far as the group is proved? */
int px_auth_check(const struct px_handshake *handshake, struct px_peer_cred *peer_cred, uid_t uid,
                  gid_t gid);

/* Comma list for PMIX_SECURITY_MODE, honouring the psec parameter: munge is accepted from whoever
 * has it, and offered only where the parameter names it or excludes native. Static text. May try
 * munge, so ask once. */
const char *px_auth_modes(void);

/* Fills psec name and credential for the module that comes first of ours and stands in `modes` (a
 * comma list, NULL: native), and uid and gid. `room` is caller's storage of room_len bytes for the
 * credential (1024 do). 0, or PMIX_ERR_NOT_SUPPORTED when none of them can be used here. */
int px_credential(const char *modes, struct px_handshake *handshake, void *room, size_t room_len);

#endif
