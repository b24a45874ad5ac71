/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_AUTH_H
#define PX_NET_AUTH_H

#include "src/net/door.h"
#include "src/net/hello.h"

/* Who is at the other end of a connected descriptor, by the kernel's word. A loopback connection
 * that no process holds any more is known and has uid (uid_t) -1, which fits nobody. */
struct px_who px_auth_peer(int fd);

/* Checks a credential against the uid and gid that the host registered. The kernel's word wins over
 * any claim; where the kernel cannot tell (another container over TCP) the native claim is compared
 * as it stands. psec "native" (8 bytes uid,gid host order on TCP; may be empty on AF_UNIX), "munge"
 * (decoded by the library where present; asks the munge daemon and waits for it), "none" (only
 * where the psec parameter names it). 0, PMIX_ERR_INVALID_CRED, PMIX_ERR_NOT_SUPPORTED (unknown
 * module, or one that the parameter excludes). */
int px_auth_check(const struct px_hello *hello, const struct px_who *who, uid_t uid, gid_t gid);

/* Comma list for PMIX_SECURITY_MODE, honouring the psec parameter. Static text. Tries munge, so ask
 * once. */
const char *px_auth_modes(void);

#endif
