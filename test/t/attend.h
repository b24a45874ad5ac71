/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the parts of `attend` share. */

#ifndef PX_TEST_T_ATTEND_H
#define PX_TEST_T_ATTEND_H

#include <pmix_tool.h>

extern pmix_proc_t me;
extern char spawned[PMIX_MAX_NSLEN + 1];

/* What fails ends the tool. */
void must(pmix_status_t rc, const char *what);
/* "@" is the namespace that was spawned last, "*" all ranks. */
void load_proc(pmix_proc_t *proc, const char *nspace, const char *rank);
/* [!]KEY[=[TYPE:]VALUE]: a flag, a text, or a value of a type: i (int), u (uint32), h (uint16), r
 * (rank), p (NSPACE/RANK); "!": it is required. KEY is the name of the constant. */
void load_info(pmix_info_t *info, const char *text);

/* Commands; in attend_io.c and attend_spawn.c. */
void do_pull(char **words, int n);
void do_until(char **words, int n);
void do_push(char **words, int n);
void do_read(char **words, int n);
void do_spawn(char **words, int n);
void do_hear(char **words, int n);
void do_await(char **words, int n);
void do_get(char **words, int n);

#endif
