/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_STD_H
#define PX_TOOLS_STD_H

/* What every command does with its standard descriptors and its name. */

/* First in main: descriptors 0 to 2 that are closed become ones that give and take nothing, so that
 * no file opened later has their numbers; messages of getopt begin with `name`, which stays the
 * caller's. */
void px_std_open(char **argv, char *name);

/* Last in main: writes out what was printed. `code`, or 1 after a complaint when the output could
 * not be written; silently when nobody reads it any more (a closed pipe). */
int px_std_close(const char *name, int code);

#endif
