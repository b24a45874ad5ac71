/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_PEER_ID_H
#define PX_NET_PEER_ID_H

#include <netinet/in.h>
#include <sys/types.h>

/* Who owns the far end of a TCP connection on this machine. Both look for exactly the connection
 * between the two addresses, as the far end sees it. */

enum px_owner {
    PX_OWNER_FOUND,   /* *ret_uid is set */
    PX_OWNER_NOBODY,  /* there is no such connection, or no process holds it any more */
    PX_OWNER_UNKNOWN, /* the kernel does not say */
};

/* Asks the kernel directly. Not finding and not being able to look are the same answer to it:
 * PX_OWNER_UNKNOWN. */
enum px_owner px_owner_ask(const struct sockaddr_in *far, const struct sockaddr_in *near,
                           uid_t *ret_uid);

/* Reads the table that the kernel shows as text (path: /proc/net/tcp). PX_OWNER_UNKNOWN when there
 * is none to be seen. Without the means to open it the owner counts as nobody: who cannot look for
 * the moment must not believe. */
enum px_owner px_owner_read(const char *path, const struct sockaddr_in *far,
                            const struct sockaddr_in *near, uid_t *ret_uid);

#endif
