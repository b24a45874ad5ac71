/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_AUTH_H
#define PX_NET_AUTH_H

#include "src/net/listener.h"
#include "src/net/handshake.h"

/* Who is at the other end of a connected descriptor, by the kernel's word. Whoever has left, was
 * reset, or cannot be named is known and has uid (uid_t) -1, which fits nobody. Only where the
 * kernel's socket table cannot be seen at all, or the connection comes from elsewhere, nothing is
 * known. `claimed` is the process that a TCP peer says it is, 0: none; it is believed when it holds
 * the connection. */
struct px_peer_cred px_auth_peer(int fd, pid_t claimed);

/* Who serves the connection that was made to it, likewise: the process that has taken the
 * connection, or the one that listens if none has yet. */
struct px_peer_cred px_auth_server(int fd);

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

#endif
