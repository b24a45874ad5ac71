/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_LOOP_FAULT_H
#define PX_TEST_UNIT_LOOP_FAULT_H

/* A page at which a thread stops, outside of any system call, until it is let go: as if it had lost
 * its processor there. Included after cmocka. */

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fault {
    int fd;
    size_t size;
    char *page;
};

/* False: this kernel has no such pages for this user. */
static inline bool fault_open(struct fault *fault)
{
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register all = {.mode = UFFDIO_REGISTER_MODE_MISSING};

    fault->fd = (int) syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (fault->fd < 0 || ioctl(fault->fd, UFFDIO_API, &api) != 0) {
        return false;
    }
    fault->size = (size_t) sysconf(_SC_PAGESIZE);
    fault->page = mmap(NULL, fault->size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(fault->page, MAP_FAILED);
    all.range = (struct uffdio_range){(uintptr_t) fault->page, fault->size};
    assert_int_equal(ioctl(fault->fd, UFFDIO_REGISTER, &all), 0);
    return true;
}

/* Stops the calling thread. */
static inline void fault_stop(const struct fault *fault)
{
    (void) *(volatile char *) fault->page;
}

/* Returns when a thread has stopped. */
static inline void fault_await(const struct fault *fault)
{
    struct uffd_msg msg;

    assert_int_equal(read(fault->fd, &msg, sizeof(msg)), sizeof(msg));
    assert_int_equal(msg.event, UFFD_EVENT_PAGEFAULT);
}

/* Lets it go on. */
static inline void fault_let_go(const struct fault *fault)
{
    struct uffdio_zeropage zero = {.range = {(uintptr_t) fault->page, fault->size}};

    assert_int_equal(ioctl(fault->fd, UFFDIO_ZEROPAGE, &zero), 0);
}

static inline void fault_close(struct fault *fault)
{
    assert_int_equal(munmap(fault->page, fault->size), 0);
    assert_int_equal(close(fault->fd), 0);
}

#endif
