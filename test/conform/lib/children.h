/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Processes that a case starts itself, as a launcher does: the program run again, with CHILD in its
 * environment, as the rank of a job. They have no part in the case but what they write, and their
 * status: 0 if all went well. */

#ifndef PX_CONFORM_LIB_CHILDREN_H
#define PX_CONFORM_LIB_CHILDREN_H

#include "conform.h"

#define CHILD      "CONFORM_CHILD"  /* the variable: the kind of process */
#define CHILD_SELF "/proc/self/exe" /* the program */

/* What the processes of a kind do between PMIx_Init and PMIx_Finalize. A program that starts some
 * has the list, which ends with NULL; others have none. */
struct child_kind {
    const char *what;
    void (*be)(void);
};
extern const struct child_kind child_kinds[] __attribute__((weak));

extern pmix_proc_t child; /* its name */

/* Unless it holds the process says so on its standard error, and ends with 1. */
void child_must(bool holds, const char *what);
/* A kind: all that a job of two does among itself. */
void child_peer(void);

#endif
