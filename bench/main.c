/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* usage: bench [WRAPPER...]   the host; WRAPPER is put in front of rank 0's command line
 *        bench client | init  what the host starts
 *        bench floor          what the machine takes, without any library
 * BENCH_CPU=n keeps everything on one CPU. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

int main(int argc, char **argv)
{
    const char *cpu = getenv("BENCH_CPU");

    alarm(600);
    if (cpu) {
        pin(atoi(cpu));
    }
    if (argc == 2 && !strcmp(argv[1], "client")) {
        return run_client();
    }
    if (argc == 2 && !strcmp(argv[1], "floor")) {
        return run_floor();
    }
    if (argc == 2 && !strcmp(argv[1], "init")) {
        return run_init_client();
    }
    return run_host(argv[0], argc > 1 ? (const char *const *) argv + 1 : NULL);
}
