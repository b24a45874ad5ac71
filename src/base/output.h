/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_OUTPUT_H
#define PX_BASE_OUTPUT_H

/* Writing to files, and to descriptors of the application, such as its standard output, which may
 * be blocking or not, and whose reader may be slow or gone. No write raises a signal
 * (quiet_write.h). Any thread. */

#include <stdbool.h>
#include <stddef.h>

/* Writes all bytes. Waits while the descriptor takes none, and continues after a signal. 0, or
 * PX_ERR_UNREACH: the descriptor or its other end is closed, or the write failed; the rest is not
 * written. */
int px_output_all(int fd, const void *bytes, size_t n);

/* Writes what the descriptor takes without waiting, also if it is in blocking mode. Returns the
 * number of bytes written, which is less than n if the reader is slow or the descriptor failed. */
size_t px_output_now(int fd, const void *bytes, size_t n);

/* Opens a file of output to append to it. anew: with the directories that lead to it, and empty.
 * The path is restored before this returns. The descriptor, or -1 with errno. */
int px_output_open(char *path, bool anew);

#endif
