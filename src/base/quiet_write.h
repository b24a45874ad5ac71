/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_QUIET_WRITE_H
#define PX_BASE_QUIET_WRITE_H

#include <stddef.h>
#include <sys/types.h>

/* As write(2), but the signal that the kernel raises when it refuses (SIGPIPE: nobody reads;
 * SIGXFSZ: beyond the limit of a file's size) does not reach the program, whatever it has set for
 * that signal: its default ends the process. One that was pending before stays pending. Any
 * thread. */
ssize_t px_quiet_write(int fd, const void *bytes, size_t n);

#endif
