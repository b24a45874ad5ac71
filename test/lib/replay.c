/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Runs a fuzz target over the files of its corpus, each whole and cut (REPLAY_CUTS), without a
 * fuzzer. The corpus is the folder in argv[1], or test/fuzz/corpus/<program> below
 * PX_TOP_SRCDIR. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/fuzz/fuzz.h"

/* Each input is cut at so many places at most: at its first bytes if they are many, else evenly. */
#ifndef REPLAY_CUTS
#define REPLAY_CUTS 2048
#endif

enum { LARGEST = 1 << 20, MANY_CUTS = 64 };

/* The bytes lie at the end of their allocation, so that a sanitizer sees the first one read too
 * far. */
static void run(const unsigned char *bytes, size_t len)
{
    unsigned char *copy = malloc(len ? len : 1);

    memcpy(copy, bytes, len);
    LLVMFuzzerTestOneInput(copy, len);
    free(copy);
}

static int replay(const char *path)
{
    static unsigned char bytes[LARGEST];
    FILE *file = fopen(path, "rb");
    size_t step = 1;
    size_t len;

    if (!file) {
        return 0;
    }
    len = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    run(bytes, len);
    if (REPLAY_CUTS < MANY_CUTS) {
        step += len / REPLAY_CUTS;
    }
    for (size_t cut = 0; cut < len && cut < REPLAY_CUTS * step; cut += step) {
        run(bytes, cut);
    }
    return 1;
}

int main(int argc, char **argv)
{
    const char *top = getenv("PX_TOP_SRCDIR");
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    char folder[2048];
    char path[4096];
    struct dirent *entry;
    int files = 0;
    DIR *dir;

    alarm(300);
    name = strncmp(name, "lt-", 3) == 0 ? name + 3
                                        : name; /* libtool's name for a program not installed */
    snprintf(folder, sizeof(folder), "%s/test/fuzz/corpus/%.*s", top ? top : ".",
             (int) strcspn(name, "_"), name);
    dir = opendir(argc > 1 ? argv[1] : folder);
    for (entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", argc > 1 ? argv[1] : folder, entry->d_name);
            files += replay(path);
        }
    }
    if (dir) {
        closedir(dir);
    }
    printf("1..1\n%s 1 - %d inputs\n", files ? "ok" : "not ok", files);
    return files ? 0 : 1;
}
