/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_LISTEN_H
#define PX_NET_LISTEN_H

#include <stddef.h>
#include <sys/types.h>

/* Listening sockets, non-blocking and close-on-exec, with the text by which they are reached. */

enum { PX_URI_BYTES = 160 };

/* The file that a path listener made, to be removed only while it is still that file. */
struct px_socket_file {
    char path[108]; /* "" when there is none */
    dev_t dev;
    ino_t ino;
};

/* Loopback, a port of the kernel's choice: "tcp4://127.0.0.1:PORT". A descriptor or
 * PX_ERR_OUT_OF_RESOURCE. */
int px_listen_tcp(char uri[PX_URI_BYTES]);

/* An unguessable abstract name, "unix://@NAME", when path is NULL or empty, else that file,
 * "unix:///PATH", with `mode`. A dead socket of ours in its place is replaced. A descriptor,
 * PX_ERR_BAD_PARAM (not absolute, or too long), PX_ERR_RESOURCE_BUSY (something else is there),
 * PX_ERR_NO_PERMISSIONS, PX_ERR_OUT_OF_RESOURCE. */
int px_listen_unix(const char *path, mode_t mode, char uri[PX_URI_BYTES],
                   struct px_socket_file *ret_mark);

/* Removes the marked file if it is still ours. */
void px_listen_unlink(const struct px_socket_file *mark);

#endif
