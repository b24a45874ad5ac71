/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Runs a fuzz target over the files of its corpus, each whole and cut (REPLAY_CUTS), without a
 * fuzzer. The corpus is the folder in argv[1], or test/fuzz/corpus/<program> below
 * PX_TOP_SRCDIR.
 *
 * With PX_FUZZ_SECONDS it tries changed copies of them (mutate.c) for so long instead: for builds
 * without libFuzzer. Change number N of a seed is always the same as long as the corpus is, and a
 * program that dies says both: PX_FUZZ_SEED=SEED PX_FUZZ_FROM=N begins with it. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test/fuzz/fuzz.h"
#include "test/lib/mutate.h"

/* Each input is cut at so many places at most: at its first bytes if they are many, else evenly. */
#ifndef REPLAY_CUTS
#define REPLAY_CUTS 2048
#endif

enum { LARGEST = 1 << 20, MANY_CUTS = 64 };

/* Where results go: what the library writes to standard output is no result, and is dropped. */
static int results = STDOUT_FILENO;

static void drop_output(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (results < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) {
        abort();
    }
    (void) close(nowhere);
}

/* The number in a variable of the environment. */
static unsigned long number_of(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);

    return text ? strtoul(text, NULL, 10) : otherwise;
}

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
    mutate_know(bytes, len);
    if (number_of("PX_FUZZ_SECONDS", 0)) {
        return 1;
    }
    run(bytes, len);
    if (REPLAY_CUTS < MANY_CUTS) {
        step += len / REPLAY_CUTS;
    }
    for (size_t cut = 0; cut < len && cut < REPLAY_CUTS * step; cut += step) {
        run(bytes, cut);
    }
    return 1;
}

/* --- changed copies --- */

static unsigned long seed;
static volatile unsigned long number; /* of the change that is tried */

/* Only what a signal handler may call. */
static void say_which(void)
{
    char text[96];
    int len = snprintf(text, sizeof(text), "# PX_FUZZ_SEED=%lu PX_FUZZ_FROM=%lu\n", seed, number);

    (void) !write(results, text, (size_t) len);
}

static void on_abort(int signal)
{
    say_which();
    (void) raise(signal); /* its handler is gone: this ends the program when we return */
}

/* The sanitizers' function, if they are here: called before they end the program. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void change_for(unsigned long seconds)
{
    static unsigned char bytes[MUTATE_LARGEST];
    struct sigaction action = {.sa_handler = on_abort, .sa_flags = (int) SA_RESETHAND};
    time_t end = time(NULL) + (time_t) seconds;

    (void) sigaction(SIGABRT, &action, NULL);
    (void) sigaction(SIGSEGV, &action, NULL);
    (void) sigaction(SIGALRM, &action, NULL);
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(say_which);
    }
    seed = number_of("PX_FUZZ_SEED", (unsigned long) time(NULL));
    alarm((unsigned) seconds + 300);
    for (number = number_of("PX_FUZZ_FROM", 0); time(NULL) < end; number++) {
        run(bytes, mutate(seed, number, bytes));
    }
    (void) dprintf(results, "# %lu changed inputs, seed %lu\n", number, seed);
}

int main(int argc, char **argv)
{
    const char *top = getenv("PX_TOP_SRCDIR");
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    char folder[2048];
    char path[4096];
    struct dirent **entries = NULL;
    int files = 0;
    int n;

    alarm(300);
    drop_output();
    name = strncmp(name, "lt-", 3) == 0 ? name + 3
                                        : name; /* libtool's name for a program not installed */
    snprintf(folder, sizeof(folder), "%s/test/fuzz/corpus/%.*s", top ? top : ".",
             (int) strcspn(name, "_"), name);
    n = scandir(argc > 1 ? argv[1] : folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", argc > 1 ? argv[1] : folder, entries[i]->d_name);
            files += replay(path);
        }
        free(entries[i]);
    }
    free(entries);
    if (files && number_of("PX_FUZZ_SECONDS", 0)) {
        change_for(number_of("PX_FUZZ_SECONDS", 0));
    }
    mutate_forget();
    (void) dprintf(results, "1..1\n%s 1 - %d inputs\n", files ? "ok" : "not ok", files);
    return files ? 0 : 1;
}
