/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "fd_table.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/thread.h"

/* Duplicates a descriptor to the largest number, and closes the duplicate. The kernel enlarges the
 * table before it takes the number, so the duplicate exists for a moment only. */
static void *enlarge(void *arg)
{
    struct px_fd_table_room *room = arg;
    int highest = fcntl(room->fd, F_DUPFD_CLOEXEC, room->n - 1);

    if (highest >= 0) {
        (void) close(highest);
    }
    px_store_release(&room->made, 1); /* pairs with px_fd_table_fits */
    return NULL;
}

/* What the kernel says of the process. */
struct process_status {
    int size;    /* places in the table */
    int threads; /* 0: not known */
};

/* The places of a table that was never enlarged. */
enum { LEAST = 64 };

/* Reads /proc/self/status. Without it the table counts as never enlarged. */
static struct process_status read_status(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    struct process_status status = {.size = LEAST};
    char line[256];

    while (file && fgets(line, sizeof(line), file)) {
        (void) sscanf(line, "FDSize: %d", &status.size);
        (void) sscanf(line, "Threads: %d", &status.threads);
    }
    if (file) {
        (void) fclose(file);
    }
    return status;
}

void px_fd_table_alone(int n)
{
    struct process_status status = read_status();
    struct px_fd_table_room room = {.n = n};

    px_assert(n > 0);
    if (status.threads != 1 || status.size >= n) {
        return;
    }
    room.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void) enlarge(&room);
    if (room.fd >= 0) {
        (void) close(room.fd);
    }
}

void px_fd_table_begin(struct px_fd_table_room *room, int fd, int n)
{
    px_assert(!room->begun && n > 0);
    room->fd = fd;
    room->n = n;
    room->size = read_status().size;
    room->made = 0;
    room->begun = room->size < n && px_thread_start(enlarge, room, &room->thread) == 0;
}

bool px_fd_table_fits(const struct px_fd_table_room *room, int fd)
{
    /* pairs with enlarge */
    return !room->begun || fd < room->size || px_load_acquire(&room->made);
}

void px_fd_table_end(struct px_fd_table_room *room)
{
    if (room->begun) {
        (void) pthread_join(room->thread, NULL);
        room->begun = false;
    }
}
