/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_TCP_OWNER_H
#define PX_NET_TCP_OWNER_H

/* The kernel's word about the other end of a connection: its user, and if possible group and
 * process. AF_UNIX sockets carry them; for a TCP connection within this machine the kernel's socket
 * table is searched for the other end. Any thread. */

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

struct px_peer_cred;

/* Result of a search for the owner of a TCP socket on this machine. In the functions below `end` is
 * the socket's own address and `other` the address that it is connected to (NULL: it listens); they
 * look for exactly that socket. */
enum px_owner {
    PX_OWNER_FOUND,   /* *ret is set */
    PX_OWNER_NOBODY,  /* there is no such socket, or no process holds it any more, or yet */
    PX_OWNER_UNKNOWN, /* the kernel does not answer, or shows no table */
};

/* The owner of a socket, and the inode by which the socket is found among a process's
 * descriptors. */
struct px_socket_owner {
    uid_t uid; /* of the process that made the socket */
    unsigned long inode;
};

/* Asks the kernel by netlink (sock_diag). "There is no such socket" and "not permitted" are one
 * answer there: PX_OWNER_UNKNOWN. Waits 200 ms at most. */
enum px_owner px_owner_ask(const struct sockaddr_in *end, const struct sockaddr_in *other,
                           struct px_socket_owner *ret);

/* Reads one answer of the kernel to such a question. It may be about the nearest match, a listener:
 * PX_OWNER_UNKNOWN, as for every answer that is not about that socket. */
enum px_owner px_owner_answer(const void *bytes, size_t len, const struct sockaddr_in *end,
                              const struct sockaddr_in *other, struct px_socket_owner *ret);

/* Reads the table that the kernel shows as text (path: /proc/net/tcp). PX_OWNER_UNKNOWN if there is
 * none. Without the means to open it (descriptors, memory) PX_OWNER_NOBODY: a server that cannot
 * look must not believe a claim. */
enum px_owner px_owner_read(const char *path, const struct sockaddr_in *end,
                            const struct sockaddr_in *other, struct px_socket_owner *ret);

/* px_owner_ask, then px_owner_read if that gave PX_OWNER_UNKNOWN. */
enum px_owner px_owner_find(const struct sockaddr_in *end, const struct sockaddr_in *other,
                            struct px_socket_owner *ret);

/* The peer at the other end of a connected descriptor. `claimed` is the process that a TCP peer
 * says it is (0: none); it counts if it holds the connection, and then proves pid and gid. A peer
 * that has left, was reset or cannot be named is known and has uid (uid_t) -1, which fits no user.
 * `known` is false only if the kernel's socket table cannot be seen, or the connection comes from
 * another machine. */
struct px_peer_cred px_auth_peer(int fd, pid_t claimed);

/* The user of the peer of a connection, if the kernel says it at once: for AF_UNIX from the socket,
 * for TCP in one answer, which takes some 4 us (px_owner_ask). (uid_t) -1: it does not, as of a TCP
 * peer that has left or is on another machine. The table as text is not read, since that takes as
 * long as the table is, and anybody can connect. */
uid_t px_auth_user(int fd);

/* True if px_auth_user can be told the users of TCP peers: the kernel knows whose this listening
 * socket of ours is. Where it does not answer each question would cost in vain, and may make it
 * look for a module. */
bool px_auth_names_tcp(int listener);

/* Looks for the socket with that inode among the descriptors of a process and its descendants.
 * PX_OWNER_FOUND, PX_OWNER_NOBODY; or PX_OWNER_UNKNOWN: they cannot be looked into, or the search
 * has ended after 256 processes, or 4,096 descriptors and threads in all. */
enum px_owner px_owner_below(pid_t pid, unsigned long inode);

/* Likewise the server at the other end of a connection that this process has made: the process that
 * has accepted it, or if none has yet, the one that listens. */
struct px_peer_cred px_auth_server(int fd);

#endif
