/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An OpenSHMEM program: put, get and an atomic operation. Every process that finds everything right
 * writes one line. It ends without shmem_finalize, in which Debian 12's library fails under its own
 * launcher, too. */

#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    shmem_init();

    int me = shmem_my_pe();
    int n = shmem_n_pes();
    long *from = shmem_malloc(sizeof(*from));
    long *count = shmem_malloc(sizeof(*count));

    *from = -1;
    *count = 0;
    shmem_barrier_all();
    shmem_long_p(from, me, (me + 1) % n);
    shmem_long_atomic_inc(count, 0);
    shmem_barrier_all();
    int right =
        *from == (me + n - 1) % n && shmem_long_g(from, me) == *from && shmem_long_g(count, 0) == n;
    shmem_barrier_all();
    printf("shmem %d %s\n", me, right ? "right" : "wrong");
    fflush(stdout);
    shmem_barrier_all();
    _exit(0);
}
