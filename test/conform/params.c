/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Where a parameter's value comes from: that a segment is mapped or not shows which value it has.
 * The rest of scenario S36 is in test/t/run_fallbacks.sh. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int count_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int n = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        n += strstr(line, "(deleted)") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return n;
}

/* ---- another network */

/* Neither listener can be reached: that is said at once. */
static void leave_network(void)
{
    pmix_status_t rc;

    if (unshare(CLONE_NEWNET) != 0) {
        fprintf(stderr, "# not permitted: a network of its own\n");
        return;
    }
    rc = PMIx_Init(&me, NULL, 0);
    check_status(PMIX_ERR_UNREACH, rc, "init where no server can be reached");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* ---- where values come from */

struct source {
    const char *what;
    const char *env;   /* of shmix_shared; NULL: not set */
    const char *user;  /* the user's file; NULL: there is none */
    const char *first; /* files that the environment lists instead; NULL: no list */
    const char *second;
    bool mapped;
    bool warned;
};

static const struct source sources[] = {
    {"the default", NULL, NULL, NULL, NULL, true, false},
    {"the user's file", NULL, "shmix_shared = 0\n", NULL, NULL, false, false},
    {"the environment over the user's file", "1", "shmix_shared = 0\n", NULL, NULL, true, false},
    {"the environment over the user's file, the other way", "0", "shmix_shared = 1\n", NULL, NULL,
     false, false},
    {"a listed file", NULL, NULL, "shmix_shared = 0\n", NULL, false, false},
    {"the first of two listed files", NULL, NULL, "shmix_shared = 1\n", "shmix_shared = 0\n", true,
     false},
    {"the second, where the first says nothing", NULL, NULL, "# nothing\n", "shmix_shared = no\n",
     false, false},
    {"a list in place of the user's file", NULL, "shmix_shared = 0\n", "# nothing\n", NULL, true,
     false},
    {"the environment over a listed file", "0", NULL, "shmix_shared = 1\n", NULL, false, false},
    {"unknown names and noise beside it", NULL,
     "no_such_thing = 5\n= 7\nnonsense\n\n# shmix_shared = 1\n\tshmix_shared\t=\t0 \n[section]\n",
     NULL, NULL, false, true},
    {"a malformed value means the default", NULL, "shmix_shared = perhaps\n", NULL, NULL, true,
     true},
    {"a malformed value, not the next source", "perhaps", "shmix_shared = 0\n", NULL, NULL, true,
     true},
};

static void write_file(const char *path, const char *text)
{
    FILE *file = text != NULL ? fopen(path, "w") : NULL;

    if (file != NULL) {
        fputs(text, file);
        fclose(file);
    } else {
        unlink(path);
    }
}

static void set_or_not(const char *name, const char *value)
{
    if (value != NULL) {
        setenv(name, value, 1);
    } else {
        unsetenv(name);
    }
}

/* What is said on the standard error output meanwhile; returns how much. */
static long init_with(bool *ret_mapped)
{
    int before = count_mappings();
    int kept = dup(2);
    int said = memfd_create("said", 0);
    long n;

    check(kept >= 0 && said >= 0 && dup2(said, 2) == 2, "descriptors");
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    *ret_mapped = count_mappings() > before;
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    dup2(kept, 2);
    n = (long) lseek(said, 0, SEEK_END);
    close(kept);
    close(said);
    return n;
}

static void try_sources(void)
{
    char user[300];
    char files[2][300];
    char list[700];

    snprintf(user, sizeof(user), "%s/.pmix", scratch());
    mkdir(user, 0700);
    snprintf(user, sizeof(user), "%s/.pmix/mca-params.conf", scratch());
    for (int i = 0; i < 2; i++) {
        snprintf(files[i], sizeof(files[i]), "%s/listed.%d", scratch(), i);
    }
    snprintf(list, sizeof(list), "%s:%s", files[0], files[1]);
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        const struct source *s = &sources[i];
        bool mapped = !s->mapped;

        write_file(user, s->user);
        write_file(files[0], s->first);
        write_file(files[1], s->second);
        set_or_not("PMIX_MCA_shmix_shared", s->env);
        set_or_not("PMIX_MCA_mca_base_param_files", s->first != NULL ? list : NULL);
        unsetenv("PMIX_MCA_shmix_param_verbose");
        check(init_with(&mapped) == 0, "%s: nothing is said", s->what);
        check(mapped == s->mapped, "%s: %s", s->what, mapped ? "mapped" : "not mapped");
        setenv("PMIX_MCA_shmix_param_verbose", "1", 1);
        check((init_with(&mapped) > 0) == s->warned, "%s: a warning, if asked for", s->what);
    }
}

#define PARAMETERS "the parameter is this library's"

const struct conform_case cases[] = {
    {.ids = "S36",
     .what = "a process in another network is told so",
     .client = leave_network,
     .raw = true,
     .dirty = true},
    {.ids = "S36",
     .what = "environment, then the user's file; unknown names and malformed values are warned of, "
             "if asked for",
     .client = try_sources,
     .raw = true,
     .dirty = true,
     .form = SHARED,
     .ours_only = PARAMETERS},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
