/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Programs that write and read, for launchers: they know nothing of PMIx but the variable of the
 * rank. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "family.h"

enum { PIECE = 65536, ADLER = 65521, ADLER_STEP = 5552 };

/* So many lines of so many bytes, each with the rank and its number. */
int family_write(int argc, char **argv)
{
    const char *rank = getenv("PMIX_RANK");
    unsigned n = argc == 2 ? (unsigned) strtoul(argv[0], NULL, 10) : 0;
    size_t len = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    char *line = malloc(len + 1);

    if (len <= NUMBERED_HEAD || !line || !rank) {
        return 2;
    }
    for (unsigned i = 0; i < n; i++) {
        numbered_line(line, len, (unsigned) strtoul(rank, NULL, 10), i);
        if (fwrite(line, 1, len, stdout) != len) {
            return 1;
        }
    }
    free(line);
    return fflush(stdout) ? 1 : 0;
}

/* Reads all of its standard input; prints how much that was and its Adler-32 sum. */
int family_read(void)
{
    static unsigned char bytes[PIECE];
    uint64_t total = 0;
    uint64_t a = 1;
    uint64_t b = 0;
    ssize_t n;

    while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            a += bytes[i];
            b += a;
            if (i % ADLER_STEP == ADLER_STEP - 1) {
                a %= ADLER;
                b %= ADLER;
            }
        }
        a %= ADLER;
        b %= ADLER;
        total += (uint64_t) n;
    }
    printf("%llu %llu\n", (unsigned long long) total, (unsigned long long) (b << 16 | a));
    return n < 0;
}
