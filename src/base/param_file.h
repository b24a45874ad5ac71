/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_PARAM_FILE_H
#define PX_BASE_PARAM_FILE_H

/* Reading of one parameter file. A line is `name = value`; it is a comment if its first character
 * that is not blank is #. Blanks around both sides are ignored, and the value may be quoted. */

/* Called for each line; the texts are valid during the call. A result other than 0 ends the
 * reading. */
typedef int (*px_param_line_fn)(void *arg, const char *name, const char *value);

/* Reads a file. An absent or unreadable file has no lines. Lines over 4096 bytes, lines without
 * `=`, and what follows the first MiB are skipped. Returns 0 or the result of fn that ended the
 * reading. */
int px_param_file_read(const char *path, px_param_line_fn fn, void *arg);

#endif
