/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_PARAM_FILE_H
#define PX_BASE_PARAM_FILE_H

/* Reading of one parameter file. A line is `name = value`; it is a comment if its first character
 * that is not blank is #. Blanks around both sides are ignored, and the value may be quoted. */

/* Called for each line that is not empty and no comment, with its number from 1; the texts are
 * valid during the call. value NULL: the line is not of this form, or longer than 4096 bytes; name
 * is its text, or the beginning of it. A result other than 0 ends the reading. */
typedef int (*px_param_line_fn)(void *arg, unsigned number, const char *name, const char *value);

/* Reads a file. An absent or unreadable file has no lines; what follows the first MiB is skipped.
 * Returns 0 or the result of fn that ended the reading. */
int px_param_file_read(const char *path, px_param_line_fn fn, void *arg);

#endif
