/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_AUTH_H
#define PX_NET_AUTH_H

/* Who a peer is: its handshake's credential held against the kernel's word about the socket; and
 * our own credential as a client. `psec` is the name of a credential module: native, munge or
 * none. */

#include "src/net/listener.h"
#include "src/net/handshake.h"

struct px_handshake;

/* Establishes who has sent the handshake. *peer_cred holds what the kernel says about the other
 * end. Where it names a user, that stands, whatever the credential claims (in a container it names
 * other ids). Where it does not, a claim counts only if the parameter shmix_trust_claims says so,
 * and is then written to *peer_cred.
 *
 * psec "native": 8 bytes, uid and gid in host order; may be empty on AF_UNIX. "munge": decoded by
 * the munge library where the machine has it (blocks for the munge daemon); must agree with the
 * kernel and proves both ids. "none": only where the psec parameter names it. 0,
 * PMIX_ERR_INVALID_CRED, PMIX_ERR_NOT_SUPPORTED (an unknown module, or one that the parameter
 * excludes). */
int px_auth_identify(const struct px_handshake *handshake, struct px_peer_cred *peer_cred);

/* px_auth_identify, then checks that the peer is user `uid`, and of group `gid` as far as its group
 * is proved; PMIX_ERR_INVALID_CRED if it is not. */
int px_auth_check(const struct px_handshake *handshake, struct px_peer_cred *peer_cred, uid_t uid,
                  gid_t gid);

/* The modules that this server accepts, a comma list for PMIX_SECURITY_MODE, by the psec parameter.
 * munge is accepted from any peer that has it, but listed only where the parameter names it or
 * excludes native. Static text. May make a munge credential to see whether it works, so call it
 * once. */
const char *px_auth_modes(void);

/* Fills psec, credential, uid and gid of a handshake, for the first of native, munge, none that
 * stands in `modes` (a comma list, NULL: native), is allowed by the psec parameter and works here.
 * `room` is the caller's storage of room_len bytes for the credential, which the handshake then
 * borrows (1024 suffice). 0, or PMIX_ERR_NOT_SUPPORTED: none of them can be used. */
int px_credential(const char *modes, struct px_handshake *handshake, void *room, size_t room_len);

#endif
