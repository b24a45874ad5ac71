/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_REGEX_MAKE_H
#define PX_WIRE_REGEX_MAKE_H

/* Compact text without any NUL but the last: of a comma-separated list of names, and of a
 * semicolon-separated list of ranks ("0-2;5,7;3"). The order is kept. */
int px_regex_make_nodes(const char *list, char **ret_regex);
int px_regex_make_ranks(const char *list, char **ret_regex);

#endif
