/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/base/fork_mark.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The length that is mapped, in bytes, which the kernel rounds up to a page; and a number that
 * madvise does not know. */
enum { PAGE = 1, NO_ADVICE = -1 };

void px_fork_mark_init(struct px_fork_mark *mark)
{
    unsigned char *page =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    *mark = (struct px_fork_mark){.pid = getpid()};
    if (page == MAP_FAILED) {
        return;
    }
    /* Fails before Linux 4.14. An emulator may accept any advice and follow none, as qemu before
     * 8.0 does: such a one accepts what no kernel knows, too. */
    if (madvise(page, PAGE, MADV_WIPEONFORK) != 0 || madvise(page, PAGE, NO_ADVICE) == 0) {
        (void) munmap(page, PAGE);
        return;
    }
    *page = 1;
    mark->page = page;
}

void px_fork_mark_fini(struct px_fork_mark *mark)
{
    if (mark->page != NULL) {
        (void) munmap((void *) (uintptr_t) mark->page, PAGE);
        mark->page = NULL;
    }
}

bool px_fork_mark_is_ours(const struct px_fork_mark *mark)
{
    return mark->page != NULL ? *mark->page == 1 : mark->pid == getpid();
}
