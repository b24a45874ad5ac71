/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_PARAM_FILE_H
#define PX_BASE_PARAM_FILE_H

/* One parameter file: lines of `name = value`, comments from # in the first place, blanks around
 * both sides ignored, a value may stand in quotes. */

/* Called per line; anything but 0 ends the reading. */
typedef int (*px_param_line_fn)(void *arg, const char *name, const char *value);

/* Reads what there is. A file that is absent or unreadable has no lines; lines over 4096 bytes,
 * lines without
 * `=`, and what follows the first MiB are passed over. 0 or what fn returned. */
int px_param_file_read(const char *path, px_param_line_fn fn, void *arg);

#endif
