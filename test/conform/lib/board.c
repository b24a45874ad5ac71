/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The memory that the processes of a case share: steps, complaints, records, blobs on their way. It
 * is at one address in all of them, and grows by one atomic addition, so a process may be killed at
 * any moment. */

#include "inside.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Free in every process, also under the sanitizers. */
#define BOARD_ADDRESS ((void *) 0x7ea000000000)
static const size_t board_size = (size_t) 1 << 32;

struct board *board;
char board_path[256];
struct self self = {.node = -1, .tool = -1, .rank = -1};

static void give_up(const char *why)
{
    fprintf(stderr, "conform: %s\n", why);
    _exit(99);
}

void board_attach(int fd)
{
    void *at = mmap(BOARD_ADDRESS, board_size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);

    if (at != BOARD_ADDRESS) {
        give_up("the shared memory has no place");
    }
    board = at;
}

void board_open(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0) {
        give_up("the shared memory cannot be opened");
    }
    board_attach(fd);
    close(fd);
}

/* A name is for processes that inherit nothing from us. */
int board_create(bool named)
{
    const char *tmp = getenv("TMPDIR");
    int fd;

    if (named) {
        snprintf(board_path, sizeof(board_path), "%s/pmix-conform.XXXXXX",
                 tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
        fd = mkostemp(board_path, O_CLOEXEC);
    } else {
        fd = memfd_create("conform", 0);
    }
    if (fd < 0 || ftruncate(fd, (off_t) board_size) < 0) {
        return -1;
    }
    board_attach(fd);
    return fd;
}

void board_clear(void)
{
    if (madvise(board, board_size, MADV_REMOVE) < 0) {
        give_up("the shared memory cannot be cleared");
    }
}

void *board_room(size_t n)
{
    size_t room = (n + 15) & ~(size_t) 15;
    size_t at = atomic_fetch_add(&board->used, room);

    if (at + room > board_size - sizeof(*board)) {
        give_up("the shared memory is full");
    }
    return board->room + at;
}

const void *board_bytes(const void *bytes, size_t n)
{
    char *to = n > 0 ? board_room(n) : NULL;

    if (n > 0) {
        memcpy(to, bytes, n);
    }
    return to;
}

const char *board_text(const char *text)
{
    return text != NULL && text[0] != '\0' ? board_bytes(text, strlen(text) + 1) : "";
}

/* ---- complaints */

static const char *who(char *to, size_t room)
{
    if (self.in_host) {
        snprintf(to, room, "host %d", self.node);
    } else if (self.tool >= 0) {
        snprintf(to, room, "tool %d", self.tool);
    } else if (self.rank >= 0) {
        snprintf(to, room, "%s:%d", self.job, self.rank);
    } else {
        snprintf(to, room, "check");
    }
    return to;
}

__attribute__((format(printf, 2, 0))) static void line_write(bool failure, const char *format,
                                                             va_list arguments)
{
    uint32_t i = atomic_fetch_add(&board->n_lines, 1);
    char name[PMIX_MAX_NSLEN + 16];

    if (failure) {
        atomic_fetch_add(&board->failures, 1);
    }
    if (i < MAX_LINES) {
        int n = snprintf(board->lines[i], MAX_LINE, "%.60s: ", who(name, sizeof(name)));
        vsnprintf(board->lines[i] + n, MAX_LINE - (size_t) n, format, arguments);
    }
}

void board_line(bool failure, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    line_write(failure, format, arguments);
    va_end(arguments);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

__attribute__((format(printf, 4, 0))) static void complain(uint32_t mask, const char *file,
                                                           int line, const char *what,
                                                           va_list arguments, const char *more)
{
    char text[MAX_LINE];
    char ids[MAX_IDS * MAX_ID];

    verdict_names(mask, ids, sizeof(ids));
    vsnprintf(text, sizeof(text), what, arguments);
    board_line(true, "%s%s:%d: %s%s", ids, base_name(file), line, text, more);
}

bool conform_sound(bool holds, const char *file, int line, const char *what, ...)
{
    va_list arguments;

    if (!holds) {
        va_start(arguments, what);
        complain(0, file, line, what, arguments, "");
        va_end(arguments);
    }
    return holds;
}

bool conform_check(bool holds, const char *file, int line, const char *what, ...)
{
    uint32_t mask = verdict_note(holds);
    va_list arguments;

    if (!holds) {
        va_start(arguments, what);
        complain(mask, file, line, what, arguments, "");
        va_end(arguments);
    }
    return holds;
}

bool conform_status(pmix_status_t want, pmix_status_t got, const char *file, int line,
                    const char *what, ...)
{
    uint32_t mask = verdict_note(want == got);
    va_list arguments;
    char more[160];

    if (want != got) {
        snprintf(more, sizeof(more), ": want %s (%d), got %s (%d)", PMIx_Error_string(want), want,
                 PMIx_Error_string(got), got);
        va_start(arguments, what);
        complain(mask, file, line, what, arguments, more);
        va_end(arguments);
    }
    return want == got;
}

/* ---- steps */

uint64_t hash_text(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; *text != '\0'; text++) {
        h = (h ^ (unsigned char) *text) * 0x100000001b3u;
    }
    return h != 0 ? h : 1;
}

/* A step is its hash; whoever comes first takes the place. The name is for reports only. */
static struct step *find_step(const char *name)
{
    uint64_t hash = hash_text(name);

    for (uint64_t i = 0; i < MAX_STEPS; i++) {
        struct step *step = &board->steps[(hash + i) % MAX_STEPS];
        uint64_t there = 0;

        if (atomic_compare_exchange_strong(&step->hash, &there, hash)) {
            snprintf(step->name, sizeof(step->name), "%s", name);
            return step;
        }
        if (there == hash) {
            return step;
        }
    }
    give_up("too many steps");
    return NULL;
}

void tell(const char *name)
{
    struct step *step = find_step(name);

    atomic_fetch_add(&step->count, 1);
    syscall(SYS_futex, &step->count, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int told(const char *name)
{
    return (int) atomic_load(&find_step(name)->count);
}

void await_n(const char *name, int n)
{
    struct step *step = find_step(name);
    uint32_t count = atomic_load(&step->count);

    atomic_fetch_add(&step->waiting, 1);
    while ((int) count < n) {
        syscall(SYS_futex, &step->count, FUTEX_WAIT, count, NULL, NULL, 0);
        count = atomic_load(&step->count);
    }
    atomic_fetch_sub(&step->waiting, 1);
}

void await(const char *name)
{
    await_n(name, 1);
}
