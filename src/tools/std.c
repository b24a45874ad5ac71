/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "std.h"

void px_std_open(char **argv, char *name)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            (void) !open("/dev/null", O_RDONLY); /* gets this number; writing to it still fails */
        }
    }
    (void) signal(SIGXFSZ, SIG_IGN); /* a write beyond ulimit -f fails with EFBIG then */
    if (argv[0] != NULL) {
        argv[0] = name;
    }
}

int px_std_close(const char *name, int code)
{
    errno = 0;
    bool failed = ferror(stdout) != 0;

    if (fflush(stdout) == 0 && !failed) {
        return code;
    }
    if (errno != EPIPE) {
        fprintf(stderr, "%s: cannot write to standard output%s%s\n", name, errno != 0 ? ": " : "",
                errno != 0 ? strerror(errno) : "");
    }
    return code != 0 ? code : 1;
}
