/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The board, and the calls that are steps: this program has functions of their names, which the
 * library finds before the C library's. */

#undef _FORTIFY_SOURCE /* whose inline functions have these names */

#include "deaths.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define BOARD "DEATHS_BOARD" /* in the environment: the descriptor of the board */

struct board *board;
static enum who self = NOBODY;
static pid_t self_pid;
static _Thread_local bool is_aside;

bool board_open(void)
{
    const char *text = getenv(BOARD);
    char number[16];
    int fd = text != NULL ? atoi(text) : (int) syscall(SYS_memfd_create, "deaths", 0);

    if (fd < 0 || (text == NULL && ftruncate(fd, sizeof(*board)) != 0)) {
        return false;
    }
    snprintf(number, sizeof(number), "%d", fd);
    (void) setenv(BOARD, number, 1);
    board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return board != MAP_FAILED;
}

void steps_as(enum who who)
{
    self_pid = getpid();
    self = who;
}

void steps_aside(bool aside)
{
    is_aside = aside;
}

/* The fatal one is not made: what the call would have done is seen at the next. A child that has
 * not begun a program of its own yet is not this process. */
static void step(void)
{
    if (self != NOBODY && !is_aside && atomic_load(&board->victim) == (int) self &&
        getpid() == self_pid &&
        atomic_fetch_add(&board->steps, 1) + 1 == atomic_load(&board->fatal)) {
        (void) kill(self_pid, SIGKILL);
        for (;;) {
            (void) pause();
        }
    }
}

/* Makes a step, and calls the C library's function of that name. */
#define STEP(type, name, types, ...)                                                               \
    type name types                                                                                \
    {                                                                                              \
        static type(*next) types;                                                                  \
                                                                                                   \
        if (!next) {                                                                               \
            *(void **) &next = dlsym(RTLD_NEXT, #name);                                            \
        }                                                                                          \
        step();                                                                                    \
        return next(__VA_ARGS__);                                                                  \
    }

STEP(ssize_t, read, (int fd, void *to, size_t n), fd, to, n)
STEP(ssize_t, write, (int fd, const void *from, size_t n), fd, from, n)
STEP(ssize_t, writev, (int fd, const struct iovec *at, int n), fd, at, n)
STEP(ssize_t, recv, (int fd, void *to, size_t n, int flags), fd, to, n, flags)
STEP(ssize_t, recvmsg, (int fd, struct msghdr *msg, int flags), fd, msg, flags)
STEP(ssize_t, send, (int fd, const void *from, size_t n, int flags), fd, from, n, flags)
STEP(ssize_t, sendmsg, (int fd, const struct msghdr *msg, int flags), fd, msg, flags)
STEP(ssize_t, sendto,
     (int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t len), fd,
     from, n, flags, to, len)
STEP(int, socket, (int domain, int type, int protocol), domain, type, protocol)
STEP(int, bind, (int fd, const struct sockaddr *at, socklen_t len), fd, at, len)
STEP(int, listen, (int fd, int n), fd, n)
STEP(int, connect, (int fd, const struct sockaddr *to, socklen_t len), fd, to, len)
STEP(int, accept4, (int fd, struct sockaddr *from, socklen_t *len, int flags), fd, from, len, flags)
STEP(int, shutdown, (int fd, int how), fd, how)
STEP(int, getsockopt, (int fd, int level, int name, void *to, socklen_t *len), fd, level, name, to,
     len)
STEP(int, setsockopt, (int fd, int level, int name, const void *from, socklen_t len), fd, level,
     name, from, len)
STEP(int, close, (int fd), fd)
STEP(int, poll, (struct pollfd * at, nfds_t n, int ms), at, n, ms)
STEP(int, epoll_create1, (int flags), flags)
STEP(int, epoll_ctl, (int fd, int op, int which, struct epoll_event *event), fd, op, which, event)
STEP(int, epoll_wait, (int fd, struct epoll_event *to, int n, int ms), fd, to, n, ms)
STEP(int, eventfd, (unsigned n, int flags), n, flags)
STEP(int, memfd_create, (const char *name, unsigned flags), name, flags)
STEP(int, ftruncate, (int fd, off_t len), fd, len)
STEP(int, fallocate, (int fd, int mode, off_t at, off_t len), fd, mode, at, len)
STEP(void *, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t offset), at, len, prot,
     flags, fd, offset)
STEP(int, munmap, (void *at, size_t len), at, len)
STEP(int, rename, (const char *from, const char *to), from, to)
STEP(int, unlink, (const char *path), path)
STEP(int, mkdir, (const char *path, mode_t mode), path, mode)
STEP(FILE *, fopen, (const char *restrict path, const char *restrict mode), path, mode)

#define STEP_OPEN(name, types, ...)                                                                \
    int name types                                                                                 \
    {                                                                                              \
        static int(*next) types;                                                                   \
        mode_t mode = 0;                                                                           \
        va_list more;                                                                              \
                                                                                                   \
        if (!next) {                                                                               \
            *(void **) &next = dlsym(RTLD_NEXT, #name);                                            \
        }                                                                                          \
        va_start(more, flags);                                                                     \
        if (flags & O_CREAT) {                                                                     \
            mode = va_arg(more, mode_t);                                                           \
        }                                                                                          \
        va_end(more);                                                                              \
        step();                                                                                    \
        return next(__VA_ARGS__, mode);                                                            \
    }
STEP_OPEN(open, (const char *path, int flags, ...), path, flags)
STEP_OPEN(openat, (int fd, const char *path, int flags, ...), fd, path, flags)

/* ---- allocations */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

long blocks_live(void)
{
    return 0;
}

#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static atomic_long blocks;

long blocks_live(void)
{
    return atomic_load(&blocks);
}

/* What was given for `old`. */
static void *note(const void *old, void *given)
{
    if (given != NULL && old == NULL) {
        (void) atomic_fetch_add(&blocks, 1);
    }
    return given;
}

void *malloc(size_t size)
{
    return note(NULL, __libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return note(NULL, __libc_calloc(n, size));
}

void *realloc(void *old, size_t size)
{
    return note(old, __libc_realloc(old, size));
}

void free(void *old)
{
    if (old != NULL) {
        (void) atomic_fetch_sub(&blocks, 1);
    }
    __libc_free(old);
}

#endif
