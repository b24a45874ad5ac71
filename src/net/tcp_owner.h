/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_TCP_OWNER_H
#define PX_NET_TCP_OWNER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

struct px_peer_cred;

/* Who owns a TCP socket on this machine, by the kernel's tables. `end` is the socket's own address,
 * `other` the address that it is connected to; NULL: the socket listens. Both functions look for
 * exactly that socket. */

enum px_owner {
    PX_OWNER_FOUND,   /* *ret is set */
    PX_OWNER_NOBODY,  /* there is no such socket, or no process holds it any more, or yet */
    PX_OWNER_UNKNOWN, /* the kernel does not say */
};

struct px_socket_owner {
    uid_t uid; /* of the process that made it */
    unsigned long inode;
};

/* Asks the kernel directly. Not finding and not being able to look are the same answer to it:
 * PX_OWNER_UNKNOWN. */
enum px_owner px_owner_ask(const struct sockaddr_in *end, const struct sockaddr_in *other,
                           struct px_socket_owner *ret);

/* Reads the table that the kernel shows as text (path: /proc/net/tcp). PX_OWNER_UNKNOWN when there
 * is none to be seen. Without the means to open it the owner counts as nobody: who cannot look for
 * the moment must not believe. */
enum px_owner px_owner_read(const char *path, const struct sockaddr_in *end,
                            const struct sockaddr_in *other, struct px_socket_owner *ret);

/* One after the other. */
enum px_owner px_owner_find(const struct sockaddr_in *end, const struct sockaddr_in *other,
                            struct px_socket_owner *ret);

/* Who is at the other end of a connected descriptor, by the kernel's word. Whoever has left, was
 * reset, or cannot be named is known and has uid (uid_t) -1, which fits nobody. Only where the
 * kernel's socket table cannot be seen at all, or the connection comes from elsewhere, nothing is
 * known. `claimed` is the process that a TCP peer says it is, 0: none; it is believed when it holds
 * the connection. */
struct px_peer_cred px_auth_peer(int fd, pid_t claimed);

/* Who serves the connection that was made to it, likewise: the process that has taken the
 * connection, or the one that listens if none has yet. */
struct px_peer_cred px_auth_server(int fd);

#endif
