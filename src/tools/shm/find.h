/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_SHM_FIND_H
#define PX_TOOLS_SHM_FIND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Live segments, of other processes or of this one: for pmix-shm and for pmixrun --report. */

struct px_shm_live {
    dev_t dev;
    ino_t ino;
    pid_t pid; /* who holds the descriptor: the server */
    int fd;    /* its number there */
    pid_t seen;
    uint64_t readers; /* processes that map it, after px_shm_count_readers */
};

struct px_shm_list {
    struct px_shm_live *items;
    size_t n;
    size_t cap;
    char target[48]; /* what the links to their descriptors say */
};

/* Segments, each once: of one process, or (pid 0) of all others that one may look into. 0 or
 * PX_ERR_NOMEM. */
int px_shm_find(pid_t pid, struct px_shm_list *ret);
/* The same for memfds of another name. */
int px_shm_find_named(const char *label, pid_t pid, struct px_shm_list *ret);
void px_shm_list_free(struct px_shm_list *list);

void px_shm_count_readers(struct px_shm_list *list);

/* A descriptor of ours for one, to be closed; -1 when it has gone. */
int px_shm_fd(const struct px_shm_live *live);

#endif
