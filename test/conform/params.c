/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Without shared memory everything is as with it: switched off, not to be had, not to be mapped.
 * And where a parameter's value comes from; that a segment is mapped or not shows which value it
 * has. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

/* ---- the same answers */

static void use_everything(void)
{
    char want[32];

    same("4", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "job size");
    same("node0,node1", hosts("A"), "nodes");
    same("A:0,A:1", peers("node0", "A"), "peers of a node");
    same("A:2,A:3", peers("node1", "A"), "peers of the other");
    put_number("number", me.rank + 100);
    put_text(PMIX_GLOBAL, "text", "a string");
    commit();
    fence_all(PMIX_COLLECT_DATA);
    for (pmix_rank_t r = 0; r < 4; r++) {
        snprintf(want, sizeof(want), "%u", r + 100);
        same(want, got("A", r, "number", NULL, 0), "number of %u", r);
        same("a string", got("A", r, "text", NULL, 0), "text of %u", r);
        same(r < 2 ? "node0" : "node1", got("A", r, PMIX_HOSTNAME, NULL, 0), "node of %u", r);
    }
    put_text(PMIX_REMOTE, "late", "far");
    commit();
    fence_all(NULL);
    same("far", got("A", (me.rank + 2) % 4, "late", NULL, 0), "from the other node, one by one");
    same("-46", got("A", me.rank, "pmix.none.such", NULL, 0), "a key that there is not");
}

static void use_without_segment(void)
{
    int before = count_mappings();

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    check(count_mappings() == before, "no segment is mapped");
    use_everything();
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

static void switch_off(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_shared", "0", 1);
}

/* Nothing may grow beyond a mebibyte. */
static void allow_little(struct infos *list)
{
    struct rlimit size = {1 << 20, 1 << 20};

    (void) list;
    check(setrlimit(RLIMIT_FSIZE, &size) == 0, "limit");
}

static void allow_nothing(struct infos *list)
{
    struct rlimit size = {0, 0};

    (void) list;
    check(setrlimit(RLIMIT_FSIZE, &size) == 0, "limit");
}

static void use_with_little(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    use_everything();
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* Only the odd ones have no segment. */
static void mix_forms(void)
{
    if (me.rank % 2 == 1) {
        setenv("PMIX_MCA_gds", "hash", 1);
        use_without_segment();
    } else {
        use_with_little();
    }
}

static size_t address_space(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    size_t pages = 0;

    if (statm != NULL) {
        check(fscanf(statm, "%zu", &pages) == 1, "statm");
        fclose(statm);
    }
    return pages * 4096;
}

/* What a process may map does not hold a segment. */
static void map_little(void)
{
    struct rlimit space;

    space.rlim_cur = space.rlim_max = address_space() + ((size_t) 256 << 20);
    check(setrlimit(RLIMIT_AS, &space) == 0, "limit");
    use_without_segment();
}

/* ---- where values come from */

struct source {
    const char *what;
    const char *env;    /* of shmix_shared; NULL: not set */
    const char *user;   /* the user's file; NULL: there is none */
    const char *first;  /* files that the environment lists instead; NULL: no list */
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
     NULL, NULL, false, false},
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

#define TWO_NODES .nodes = 2, .ranks = 2
/* ---- segments that a client must not read */

/* Changes the header of this host's segments, which nobody has been given yet. */
static void spoil(size_t at, uint8_t by)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int n = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        unsigned char *base = (unsigned char *) (uintptr_t) strtoull(line, NULL, 16);

        if (strstr(line, " rw-s ") != NULL && strstr(line, "memfd:") != NULL &&
            memcmp(base, "PXSH", 4) == 0) {
            base[at] ^= by;
            n++;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    check(n > 0, "there is a segment");
}

static void start_spoiled(size_t at, uint8_t by)
{
    job_register("A");
    spoil(at, by);
    tell("spoiled");
    await_n("spoiled", 2);
    job_start("A");
}

static void foreign_magic(void)
{
    start_spoiled(7, 3); /* PXSH0002 */
}

static void foreign_layout(void)
{
    start_spoiled(8, 2); /* the major version */
}

static void foreign_order(void)
{
    start_spoiled(16, 0x09); /* the probe of the byte order */
}

static void foreign_build(void)
{
    start_spoiled(24, 1); /* the fingerprint */
}

static void foreign_name(void)
{
    start_spoiled(64, 3); /* "B" for "A" */
}

#define PARAMETERS "the parameter is this library's"

#define SPOILED                                                                                    \
    .jobs = {{"A", {2, 2}, .later = true}}, .nodes = 2, .client = use_without_segment,             \
    .raw = true, .form = SHARED, .ours_only = "segments are ours"

const struct conform_case cases[] = {
    {.ids = "S36",
     .what = "shared memory is switched off",
     TWO_NODES,
     .server = switch_off,
     .client = use_without_segment,
     .raw = true,
     .form = SHARED,
     .ours_only = PARAMETERS},
    {.ids = "S36",
     .what = "there is a mebibyte for each file",
     TWO_NODES,
     .server = allow_little,
     .client = use_with_little,
     .raw = true,
     .form = SHARED},
    {.ids = "S36",
     .what = "no file may grow",
     TWO_NODES,
     .server = allow_nothing,
     .client = use_without_segment,
     .raw = true,
     .form = SHARED},
    {.ids = "S36",
     .what = "some processes have the segment, some do not",
     TWO_NODES,
     .client = mix_forms,
     .raw = true,
     .form = SHARED},
    {.ids = "S36",
     .what = "the segment cannot be mapped",
     TWO_NODES,
     .client = map_little,
     .raw = true,
     .form = SHARED},
    {.ids = "S36 SHM-010",
     .what = "the segment has another magic",
     SPOILED,
     .script = foreign_magic},
    {.ids = "S36 SHM-010",
     .what = "the segment has another layout version",
     SPOILED,
     .script = foreign_layout},
    {.ids = "S36 SHM-010",
     .what = "the segment has another byte order",
     SPOILED,
     .script = foreign_order},
    {.ids = "S36 SHM-010",
     .what = "the segment has another fingerprint",
     SPOILED,
     .script = foreign_build},
    {.ids = "S36 SHM-010",
     .what = "the segment is another namespace's",
     SPOILED,
     .script = foreign_name},
    {.ids = "S36",
     .what = "environment, then the user's file; unknown names ignored, malformed values warned of",
     .client = try_sources,
     .raw = true,
     .dirty = true,
     .form = SHARED,
     .ours_only = PARAMETERS},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
