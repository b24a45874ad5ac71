/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "fd_table.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/thread.h"

/* A duplicate with the largest number. The kernel enlarges the table before it takes the number, so
 * the duplicate exists for a moment only. */
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

/* The places of a table that was never enlarged. */
enum { LEAST = 64 };

/* A number that the kernel tells of this process under a name; what is given if it does not. */
static int told(const char *name, int otherwise)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    int n = otherwise;

    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, name, strlen(name)) == 0) {
            (void) sscanf(line + strlen(name), "%d", &n);
            break;
        }
    }
    if (file) {
        (void) fclose(file);
    }
    return n;
}

/* The places that the table has. */
static int table_size(void)
{
    return told("FDSize:", LEAST);
}

void px_fd_table_alone(int n)
{
    struct px_fd_table_room room = {.n = n};

    px_assert(n > 0);
    if (told("Threads:", 2) != 1 || table_size() >= n) {
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
    room->size = table_size();
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
