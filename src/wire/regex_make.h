/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_REGEX_MAKE_H
#define PX_WIRE_REGEX_MAKE_H

/* The writer of maps: text without a NUL but the last, because hosts handle it as a C string. The
 * order of names and ranks is kept. The text is malloc'd and the caller's. 0, PMIX_ERR_BAD_PARAM,
 * PMIX_ERR_NOMEM. Any thread. */

/* A node map of a comma-separated list of names; PMIX_ERR_BAD_PARAM only for NULL. A process map
 * of a semicolon-separated list of the ranks of each node ("0-2;5,7;3"); PMIX_ERR_BAD_PARAM also
 * if it is malformed or in another form already. */
int px_regex_make_nodes(const char *list, char **ret_regex);
int px_regex_make_ranks(const char *list, char **ret_regex);

#endif
