/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_FORK_MARK_H
#define PX_BASE_FORK_MARK_H

/* Tells a process from the children that it has forked, without a system call: a page that the
 * kernel clears in a child, by whatever call it was forked (MADV_WIPEONFORK). Where the page cannot
 * be had, process ids are compared. */

#include <stdbool.h>
#include <sys/types.h>

struct px_fork_mark {
    const volatile unsigned char *page; /* its first byte is 1, in a child 0; NULL: there is none */
    pid_t pid;                          /* of the process that made the mark */
};

/* Makes a mark; cannot fail. The owner calls px_fork_mark_fini. Any thread. */
void px_fork_mark_init(struct px_fork_mark *mark);

/* Frees the page. Not in a child, and not beside px_fork_mark_is_ours. */
void px_fork_mark_fini(struct px_fork_mark *mark);

/* True in the process that made the mark, false in a child that it has forked since. Not for a
 * child that shares its memory (vfork). Any thread. */
bool px_fork_mark_is_ours(const struct px_fork_mark *mark);

#endif
