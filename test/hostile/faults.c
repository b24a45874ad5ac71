/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* To be preloaded: one call of a kind fails. SHMIX_FAULT="KIND K": the K-th one, counted from the
 * start of the program; K 0: none. SHMIX_FAULT_COUNTS: a file that gets a line "KIND CALLS" for
 * each kind when the program ends. Of allocations only those of libpmix.so fail, so that a program
 * that does not look at its own is none of the result; how many of these are not freed is the line
 * "live", taken when the library has been finalized or did not start. Children are left alone. */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdatomic.h>

#include <pmix_server.h>
#include <pmix_tool.h>

enum kind {
    ALLOC,
    MEMFD,
    FTRUNCATE,
    FALLOCATE,
    MMAP,
    SOCKET,
    ACCEPT,
    SENDMSG,
    RECVMSG,
    EPOLL_CREATE,
    EPOLL_CTL,
    EPOLL_WAIT,
    EVENTFD,
    THREAD,
    N_KINDS
};

static const struct {
    const char *name;
    int error;
} kinds[N_KINDS] = {
    {"alloc", ENOMEM},   {"memfd_create", EMFILE},   {"ftruncate", EIO},    {"fallocate", ENOSPC},
    {"mmap", ENOMEM},    {"socket", EMFILE},         {"accept4", EMFILE},   {"sendmsg", ENOBUFS},
    {"recvmsg", ENOMEM}, {"epoll_create1", EMFILE},  {"epoll_ctl", ENOMEM}, {"epoll_wait", EINTR},
    {"eventfd", EMFILE}, {"pthread_create", EAGAIN},
};

static atomic_ulong calls[N_KINDS];
static enum kind chosen = N_KINDS;
static unsigned long nth;
static char counts[256];
static long left = -1; /* allocations when the library was down; -1: it never was */
static uintptr_t from; /* the code of the library */
static uintptr_t to;

static int find_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void) size;
    (void) arg;
    for (int i = 0; strstr(info->dlpi_name, "libpmix.so") && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            to = from + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *fault = getenv("SHMIX_FAULT");
    const char *path = getenv("SHMIX_FAULT_COUNTS");
    char name[32] = "";

    (void) dl_iterate_phdr(find_library, NULL);
    if (path) {
        (void) snprintf(counts, sizeof(counts), "%s", path);
    }
    if (fault && sscanf(fault, "%31s %lu", name, &nth) == 2) {
        for (enum kind kind = 0; kind < N_KINDS; kind++) {
            chosen = strcmp(kinds[kind].name, name) == 0 ? kind : chosen;
        }
    }
    (void) unsetenv("LD_PRELOAD");
    (void) unsetenv("SHMIX_FAULT");
    (void) unsetenv("SHMIX_FAULT_COUNTS");
}

__attribute__((destructor)) static void end(void)
{
    int fd = counts[0] ? open(counts, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

    for (int kind = 0; fd >= 0 && kind < N_KINDS; kind++) {
        (void) !dprintf(fd, "%s %lu\n", kinds[kind].name, (unsigned long) calls[kind]);
    }
    if (fd >= 0 && left >= 0) {
        (void) !dprintf(fd, "live %ld\n", left);
    }
}

/* Counts a call; true if it is to fail. */
static bool fails(enum kind kind)
{
    if (atomic_fetch_add(&calls[kind], 1) + 1 != nth || kind != chosen) {
        return false;
    }
    errno = kinds[kind].error;
    return true;
}

/* --- what the library has allocated: a table with open addressing, where 1 is a place that was
 * left */

enum { PLACES = 1 << 20, LEFT = 1 };

static uintptr_t places[PLACES];
static long live;
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* The place of the address, or the first free one in its way. */
static uintptr_t *place_of(uintptr_t address, uintptr_t last)
{
    size_t at = address / 16 * 2654435761U % PLACES;

    while (places[at] != address && places[at] != 0 && places[at] != last) {
        at = (at + 1) % PLACES;
    }
    return &places[at];
}

static void note(const void *address, bool allocated)
{
    uintptr_t *place;

    if (!address) {
        return;
    }
    while (atomic_flag_test_and_set(&busy)) {
    }
    place = place_of((uintptr_t) address, allocated ? LEFT : 0);
    if (allocated) {
        *place = (uintptr_t) address;
        live++;
    } else if (*place) {
        *place = LEFT;
        live--;
    }
    atomic_flag_clear(&busy);
}

static bool is_library(const void *caller)
{
    return (uintptr_t) caller >= from && (uintptr_t) caller < to;
}

/* --- allocation */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

/* What an allocation by that caller gives; the old block, if it is gone, is noted. */
static void *give(const void *caller, void *old, size_t n, size_t size)
{
    bool ours = is_library(caller);
    void *given;

    if (ours && fails(ALLOC)) {
        return NULL;
    }
    note(old, false);
    given = old ? __libc_realloc(old, size) : __libc_calloc(n, size);
    if (ours || (old && !given)) {
        note(given ? given : old, true);
    }
    return given;
}

void *malloc(size_t size)
{
    return give(__builtin_return_address(0), NULL, 1, size);
}

void *calloc(size_t n, size_t size)
{
    return give(__builtin_return_address(0), NULL, n, size);
}

void *realloc(void *old, size_t size)
{
    return give(__builtin_return_address(0), old, 1, size);
}

void free(void *old)
{
    note(old, false);
    __libc_free(old);
}

/* Every block is the C library's, also in a program that brings an allocator of its own. */
size_t malloc_usable_size(void *block)
{
    static size_t (*of_libc)(void *block);

    if (!of_libc) {
        *(void **) &of_libc =
            dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "malloc_usable_size");
    }
    return of_libc(block);
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = give(__builtin_return_address(0), NULL, 1, size);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* Calls the C library's function of that name, unless this call is to fail. */
#define PASS(kind, type, name, types, ...)                                                         \
    static type(*next) types;                                                                      \
                                                                                                   \
    if (!next) {                                                                                   \
        *(void **) &next = dlsym(RTLD_NEXT, name);                                                 \
    }                                                                                              \
    return fails(kind) ? (type) -1 : next(__VA_ARGS__)

/* --- start and end of the library */

/* The library's function of that name. */
#define NEXT(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

static pmix_status_t ended(pmix_status_t status)
{
    left = live;
    return status;
}

/* What the program had made by the library before is not the library's. */
static pmix_status_t started(pmix_status_t status, long before)
{
    if (status != PMIX_SUCCESS && status != PMIX_ERR_UNREACH) {
        left = live - before;
    }
    return status;
}

pmix_status_t PMIx_Init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo)
{
    long before = live;

    return started(NEXT(PMIx_Init)(proc, info, ninfo), before);
}

pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t ninfo)
{
    return ended(NEXT(PMIx_Finalize)(info, ninfo));
}

pmix_status_t PMIx_tool_init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo)
{
    long before = live;

    return started(NEXT(PMIx_tool_init)(proc, info, ninfo), before);
}

pmix_status_t PMIx_tool_finalize(void)
{
    return ended(NEXT(PMIx_tool_finalize)());
}

pmix_status_t PMIx_server_init(pmix_server_module_t *module, pmix_info_t info[], size_t ninfo)
{
    long before = live;

    return started(NEXT(PMIx_server_init)(module, info, ninfo), before);
}

pmix_status_t PMIx_server_finalize(void)
{
    return ended(NEXT(PMIx_server_finalize)());
}

/* --- system calls */

int memfd_create(const char *name, unsigned flags)
{
    PASS(MEMFD, int, "memfd_create", (const char *, unsigned), name, flags);
}

int ftruncate(int fd, off_t len)
{
    PASS(FTRUNCATE, int, "ftruncate", (int, off_t), fd, len);
}

int fallocate(int fd, int mode, off_t at, off_t len)
{
    PASS(FALLOCATE, int, "fallocate", (int, int, off_t, off_t), fd, mode, at, len);
}

void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
    PASS(MMAP, void *, "mmap", (void *, size_t, int, int, int, off_t), at, len, prot, flags, fd,
         offset);
}

int socket(int domain, int type, int protocol)
{
    PASS(SOCKET, int, "socket", (int, int, int), domain, type, protocol);
}

int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict len, int flags)
{
    PASS(ACCEPT, int, "accept4", (int, struct sockaddr *, socklen_t *, int), fd, address, len,
         flags);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
    PASS(SENDMSG, ssize_t, "sendmsg", (int, const struct msghdr *, int), fd, msg, flags);
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
    PASS(RECVMSG, ssize_t, "recvmsg", (int, struct msghdr *, int), fd, msg, flags);
}

int epoll_create1(int flags)
{
    PASS(EPOLL_CREATE, int, "epoll_create1", (int), flags);
}

int epoll_ctl(int fd, int op, int which, struct epoll_event *event)
{
    PASS(EPOLL_CTL, int, "epoll_ctl", (int, int, int, struct epoll_event *), fd, op, which, event);
}

int epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
    PASS(EPOLL_WAIT, int, "epoll_wait", (int, struct epoll_event *, int, int), fd, events, n, ms);
}

int eventfd(unsigned first, int flags)
{
    PASS(EVENTFD, int, "eventfd", (unsigned, int), first, flags);
}

/* Returns its error. */
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*begin)(void *arg), void *restrict arg)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);

    if (!next) {
        *(void **) &next = dlsym(RTLD_NEXT, "pthread_create");
    }
    return fails(THREAD) ? kinds[THREAD].error : next(thread, attributes, begin, arg);
}
