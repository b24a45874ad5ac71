/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_LISTEN_H
#define PX_NET_LISTEN_H

/* Listening sockets, non-blocking and close-on-exec, and the text by which they are reached. Any
 * thread. */

#include <sys/types.h>

/* Room for the text of any listener's address. */
enum { PX_URI_BYTES = 160 };

/* The file of a listener with a path, by name, device and inode. It is removed only while it is
 * still the file that was made: another server may have put its own in its place. */
struct px_socket_file {
    char path[108]; /* "" when there is none */
    dev_t dev;
    ino_t ino;
};

/* Listens on the loopback interface, on a port of the kernel's choice. uri:
 * "tcp4://127.0.0.1:PORT". Returns a descriptor, the caller's, or PX_ERR_OUT_OF_RESOURCE. */
int px_listen_tcp(char uri[PX_URI_BYTES]);

/* Listens on an AF_UNIX socket. path NULL or empty: an abstract name of 128 random bits, uri
 * "unix://@NAME", *ret_mark untouched. Else that file with `mode` (0: 0600), uri "unix:///PATH",
 * *ret_mark set; a dead socket of our user in its place is replaced. *ret_mark must be zero before.
 * Returns a descriptor, the caller's, or PX_ERR_BAD_PARAM (not absolute, or too long),
 * PX_ERR_RESOURCE_BUSY (something else is there), PX_ERR_NO_PERMISSIONS, PX_ERR_OUT_OF_RESOURCE. */
int px_listen_unix(const char *path, mode_t mode, char uri[PX_URI_BYTES],
                   struct px_socket_file *ret_mark);

/* Removes the marked file if it is still the one that was made. Does nothing for an empty mark. */
void px_listen_unlink(const struct px_socket_file *mark);

#endif
