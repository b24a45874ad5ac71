/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_QUIET_WRITE_H
#define PX_BASE_QUIET_WRITE_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Writes as write(2) does: the number of bytes, or -1 with errno. The kernel raises SIGPIPE when
 * nobody reads (EPIPE), and SIGXFSZ when a file would exceed its size limit (EFBIG). The default
 * action of both signals ends the process. This function blocks them during the write and removes
 * the one that the write has raised. A signal that was pending before the call stays pending. Any
 * thread. */
ssize_t px_quiet_write(int fd, const void *bytes, size_t n);

/* The same for several parts, as writev(2). */
ssize_t px_quiet_writev(int fd, const struct iovec *parts, int n_parts);

#endif
