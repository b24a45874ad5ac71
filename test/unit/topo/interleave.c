/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "config.h"

#include "test/unit/topo/use.h"
#include "src/topo/interleave.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* The kernel itself is asked for the policy of an address. Some containers forbid to set one:
 * whether this one does is tried with the system call, so that the answer wanted is known either
 * way. */

enum { LEN = 1 << 20, MODE_INTERLEAVE = 3, FLAG_ADDR = 2, MAX_NODES = 1024 };

static int teardown(void **state)
{
    (void) state;
    px_topo_fini();
    return 0;
}

static unsigned char *map(void)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    unsigned char *at;

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, LEN), 0);
    at = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    (void) close(fd);
    return at;
}

/* The mode, or -1 when the kernel does not tell; *ret_nodes: a mask. */
static int mode_of(const void *at, unsigned long ret_nodes[MAX_NODES / 64])
{
    int mode = -1;

    memset(ret_nodes, 0, MAX_NODES / 8);
    return syscall(SYS_get_mempolicy, &mode, ret_nodes, (unsigned long) MAX_NODES, at, FLAG_ADDR) ==
                   0
               ? mode
               : -1;
}

/* Does the kernel let us do what is asked of it, with the nodes that we may use? */
static bool is_allowed(void)
{
    enum { FLAG_MEMS_ALLOWED = 4 };
    unsigned long nodes[MAX_NODES / 64] = {0};
    unsigned char *at = map();
    bool ok;

    ok = syscall(SYS_get_mempolicy, NULL, nodes, (unsigned long) MAX_NODES, NULL,
                 FLAG_MEMS_ALLOWED) == 0 &&
         syscall(SYS_mbind, at, (unsigned long) LEN, MODE_INTERLEAVE, nodes,
                 (unsigned long) MAX_NODES, 0) == 0;
    (void) munmap(at, LEN);
    return ok;
}

static void memory_is_interleaved(void **state)
{
    (void) state;
    unsigned long nodes[MAX_NODES / 64];
    unsigned char *at = map();
    bool allowed = is_allowed();

    assert_int_equal(px_topo_interleave(at, LEN), allowed ? 0 : PMIX_ERR_NOT_SUPPORTED);
    memset(at, 1, LEN);
    if (allowed) {
        assert_int_equal(mode_of(at, nodes), MODE_INTERLEAVE);
        assert_int_equal(mode_of(at + LEN - 1, nodes), MODE_INTERLEAVE);
        assert_true(nodes[0] != 0);
    }
    for (size_t i = 0; i < LEN; i++) {
        assert_int_equal(at[i], 1);
    }
    (void) munmap(at, LEN);
}

static void only_the_range_is_interleaved(void **state)
{
    (void) state;
    unsigned long nodes[MAX_NODES / 64];
    unsigned char *at = map();
    int before = mode_of(at, nodes);

    (void) px_topo_interleave(at, LEN / 2);
    assert_int_equal(mode_of(at + LEN / 2, nodes), before);
    assert_int_equal(mode_of(at, nodes), is_allowed() ? MODE_INTERLEAVE : before);
    (void) munmap(at, LEN);
}

static void memory_of_another_machine_is_not_placed(void **state)
{
    (void) state;
    unsigned long nodes[MAX_NODES / 64];
    unsigned char *at = map();
    int before = mode_of(at, nodes);

    assert_int_equal(use_synthetic("node:2 core:2 pu:2"), 0);
    assert_int_equal(px_topo_interleave(at, LEN), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(mode_of(at, nodes), before);
    (void) munmap(at, LEN);
}

static void what_is_not_mapped_is_refused(void **state)
{
    (void) state;
    unsigned char *at = map();

    (void) munmap(at, LEN);
    assert_int_equal(px_topo_interleave(at, LEN), PMIX_ERR_NOT_SUPPORTED);
}

int main(void)
{
    alarm(60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(memory_is_interleaved, teardown),
        cmocka_unit_test_teardown(only_the_range_is_interleaved, teardown),
        cmocka_unit_test_teardown(memory_of_another_machine_is_not_placed, teardown),
        cmocka_unit_test_teardown(what_is_not_mapped_is_refused, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
