/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Scenario S35: a thousand jobs and a million keys come while a process holds pointers, and most go
 * again. What was read stays, what is there can be read, and what went gives back its memory, by
 * the rule of docs/parameters.md ("What a namespace takes, and gives back"). */

#include "lib/answers.h"
#include "lib/calls.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* An address sanitizer makes it slow, and keeps what is freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1, JOBS = 100, COMMITS = 2 };
#else
enum { SANITIZED = 0, JOBS = 1000, COMMITS = 10 };
#endif
enum {
    STAY = JOBS / 10,
    PROCS = 10,
    PROC_KEYS = 50, /* of each process */
    JOB_KEYS = 500,
    KEYS = JOB_KEYS + PROCS * PROC_KEYS,
    SMALL = 1024, /* KiB: how far a segment may grow before it has to move */
    HELD = 100,
    OWN_KEYS = 1000, /* of each process of the own job, in each commit */
};

/* ---- the own job */

static pmix_status_t get_as(const char *manner, const char *nspace, pmix_rank_t rank,
                            const char *key, pmix_value_t **v)
{
    pmix_proc_t proc = process(nspace, rank);
    pmix_info_t info;
    bool yes = true;

    PMIX_INFO_LOAD(&info, manner, &yes, PMIX_BOOL);
    return PMIx_Get(&proc, key, &info, 1, v);
}

static bool is_text(const pmix_value_t *v, const char *text)
{
    return v != NULL && v->type == PMIX_STRING && v->data.string != NULL &&
           strcmp(v->data.string, text) == 0;
}

static void put_held(const char *word)
{
    char key[32];
    char text[32];

    for (int i = 0; i < HELD; i++) {
        snprintf(key, sizeof(key), "held.%d", i);
        snprintf(text, sizeof(text), "%s %d", word, i);
        put_text(PMIX_GLOBAL, key, text);
    }
    commit();
}

static void own_text(pmix_rank_t rank, int i, char *to, size_t room)
{
    snprintf(to, room, "number %d of rank %u, and what else there is to be said of it", i, rank);
}

static void put_many(void)
{
    char key[32];
    char text[100];

    for (int i = 0; i < COMMITS * OWN_KEYS; i++) {
        snprintf(key, sizeof(key), "own.%d", i);
        own_text(me.rank, i, text, sizeof(text));
        put_text(PMIX_GLOBAL, key, text);
        if (i % OWN_KEYS == OWN_KEYS - 1) {
            commit();
        }
    }
}

static void hold(pmix_value_t **held)
{
    char key[32];

    for (int i = 0; i < HELD; i++) {
        snprintf(key, sizeof(key), "held.%d", i);
        check_status(PMIX_SUCCESS, get_as(PMIX_GET_POINTER_VALUES, "A", 1, key, &held[i]), "%s",
                     key);
    }
}

/* The pointers show what they have shown; copies and filled values show what there is now (NULL:
 * which is about to change). */
static void compare(pmix_value_t **held, const char *word)
{
    pmix_value_t room;
    pmix_value_t *to = &room;
    char key[32];
    char text[32];

    for (int i = 0; i < HELD; i++) {
        snprintf(key, sizeof(key), "held.%d", i);
        snprintf(text, sizeof(text), "old %d", i);
        check(is_text(held[i], text), "the pointer to %s is as it was", key);
        if (word == NULL) {
            continue;
        }
        snprintf(text, sizeof(text), "%s %d", word, i);
        same(text, got_of(1, key, NULL), "a copy of the %s %s", word, key);
        if (check_status(PMIX_SUCCESS, get_as(PMIX_GET_STATIC_VALUES, "A", 1, key, &to),
                         "%s in a given place", key)) {
            check(is_text(to, text), "%s in a given place", key);
            PMIX_VALUE_DESTRUCT(&room);
        }
    }
}

static void read_own(void)
{
    char key[32];
    char text[100];

    for (pmix_rank_t r = 1; r < 4; r++) {
        for (int i = 0; i < COMMITS * OWN_KEYS; i += 37) {
            snprintf(key, sizeof(key), "own.%d", i);
            own_text(r, i, text, sizeof(text));
            same(text, got_of(r, key, NULL), "%s of %u", key, r);
        }
    }
}

static void be_refused(void)
{
    pmix_info_t both[2];
    pmix_proc_t proc = process("A", 1);
    pmix_value_t *none = NULL;
    bool yes = true;

    PMIX_INFO_LOAD(&both[0], PMIX_GET_STATIC_VALUES, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&both[1], PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Get(&proc, "held.0", both, 1, NULL),
                 "static without a place");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Get(&proc, "held.0", both, 1, &none),
                 "static without storage");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Get(&proc, "held.0", both, 2, &none),
                 "static and a pointer");
    check(none == NULL, "a refused get gives nothing");
}

/* ---- other jobs: each has JOB_KEYS of its own and PROC_KEYS of each process */

static void name_job(int job, pmix_nspace_t to)
{
    memset(to, 0, sizeof(pmix_nspace_t));
    snprintf(to, sizeof(pmix_nspace_t), "other.%d", job);
}

/* Numbers and texts in turn. */
static void add_keys(struct infos *list, int n, int job, int proc)
{
    char key[32];
    char text[64];

    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof(key), "key.%d", i);
        if (i % 2 == 0) {
            add_u32(list, key, (uint32_t) (job * KEYS + proc * PROC_KEYS + i));
        } else {
            snprintf(text, sizeof(text), "job %d, process %d", job, proc);
            add_text(list, key, text);
        }
    }
}

static void describe(struct infos *list, int job)
{
    struct infos of_job = {0};

    add_u32(list, PMIX_JOB_SIZE, PROCS);
    add_text(list, PMIX_LOCAL_PEERS, "0,1,2,3,4,5,6,7,8,9");
    add_keys(&of_job, JOB_KEYS, job, PROCS);
    add_array(list, PMIX_JOB_INFO_ARRAY, &of_job);
    for (pmix_rank_t r = 0; r < PROCS; r++) {
        struct infos one = {0};

        add(&one, PMIX_RANK, &r, PMIX_PROC_RANK);
        add_keys(&one, PROC_KEYS, job, (int) r);
        add_array(list, PMIX_PROC_INFO_ARRAY, &one);
    }
}

static void check_job(int job)
{
    pmix_nspace_t name;
    char key[32];
    char want[64];

    name_job(job, name);
    for (int p = 0; p <= PROCS; p += 5) {
        pmix_rank_t rank = p == PROCS ? PMIX_RANK_WILDCARD : (pmix_rank_t) p;
        int n = p == PROCS ? JOB_KEYS : PROC_KEYS;

        for (int i = 0; i < n; i += 7) {
            snprintf(key, sizeof(key), "key.%d", i);
            if (i % 2 == 0) {
                snprintf(want, sizeof(want), "%d", job * KEYS + p * PROC_KEYS + i);
            } else {
                snprintf(want, sizeof(want), "job %d, process %d", job, p);
            }
            same(want, got(name, rank, key, NULL, 0), "%s of %s:%d", key, name, (int) rank);
        }
    }
}

/* ---- the processes */

/* A pointer into another job. */
static pmix_value_t *far_pointer(int job)
{
    pmix_value_t *v = NULL;
    pmix_nspace_t name;

    name_job(job, name);
    check_status(PMIX_SUCCESS, get_as(PMIX_GET_POINTER_VALUES, name, 3, "key.1", &v), "%s", name);
    return v;
}

static void check_far(const pmix_value_t *v, int job, const char *what)
{
    char want[64];

    snprintf(want, sizeof(want), "job %d, process 3", job);
    check(is_text(v, want), "a pointer into %s", what);
}

static void watch(void)
{
    static pmix_value_t *held[HELD];
    pmix_value_t *far[2];

    hold(held);
    be_refused();
    tell("held");
    await("half");
    compare(held, NULL);
    for (int job = 0; job < JOBS / 2; job += JOBS / 10 - 1) {
        check_job(job);
    }
    far[0] = far_pointer(STAY - 1);
    far[1] = far_pointer(STAY);
    await("all");
    fence_all(PMIX_COLLECT_DATA);
    compare(held, "new");
    read_own();
    for (int job = JOBS / 2; job < JOBS; job += JOBS / 10 + 1) {
        check_job(job);
    }
    tell("read");
    await("gone");
    compare(held, "new");
    read_own();
    check_far(far[0], STAY - 1, "a job that stays");
    check_far(far[1], STAY, "a job that has gone");
    for (int job = 0; job < STAY; job += STAY / 4) {
        check_job(job);
    }
    same("A", got_of(PMIX_RANK_WILDCARD, PMIX_JOBID, NULL), "the job");
}

static void post(void)
{
    await("half");
    if (me.rank == 1) {
        put_held("new");
    }
    put_many();
    await("all");
    fence_all(PMIX_COLLECT_DATA);
}

static void live(void)
{
    if (me.rank == 1) {
        put_held("old");
    }
    fence_all(PMIX_COLLECT_DATA);
    if (me.rank == 0) {
        watch();
    } else {
        post();
    }
    fence_all(NULL);
}

/* ---- the host */

struct memory { /* in KiB */
    long resident;
    long segments; /* what they take */
    long largest;  /* how far the largest of them may grow */
};

static long kib_of(const char *file, const char *name)
{
    FILE *in = fopen(file, "r");
    char line[256];
    long n = 0;

    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            n = strtol(line + strlen(name), NULL, 10);
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    return n;
}

static struct memory measure(void)
{
    /* a sanitizer maps terabytes, which takes long to look through */
    struct memory m = {.resident = SANITIZED ? 0 : kib_of("/proc/self/smaps_rollup", "Rss:")};
    DIR *dir = opendir("/proc/self/fd");
    char to[64];
    struct stat st;

    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        ssize_t n = readlinkat(dirfd(dir), e->d_name, to, sizeof(to) - 1);

        to[n > 0 ? n : 0] = '\0';
        if (strncmp(to, "/memfd:shmix (", 14) == 0 && fstatat(dirfd(dir), e->d_name, &st, 0) == 0) {
            m.segments += (long) st.st_blocks / 2;
            m.largest = m.largest > st.st_size / 1024 ? m.largest : (long) st.st_size / 1024;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return m;
}

static void note_end(pmix_status_t status, void *cbdata)
{
    check_status(PMIX_SUCCESS, status, "a job is known, or not any more");
    tell(cbdata);
}

static void jobs_come(int from, int upto)
{
    static char come[] = "come";
    static int n;

    for (int job = from; job < upto; job++) {
        struct infos list = {0};
        pmix_nspace_t name;

        name_job(job, name);
        describe(&list, job);
        check_status(PMIX_SUCCESS,
                     PMIx_server_register_nspace(name, 0, list.at, list.n, note_end, come),
                     "register");
        await_n(come, ++n);
        free_infos(&list);
    }
}

static void jobs_go(int from, int upto)
{
    static char went[] = "went";
    static int n;

    for (int job = from; job < upto; job++) {
        pmix_nspace_t name;

        name_job(job, name);
        PMIx_server_deregister_nspace(name, note_end, went);
    }
    n += upto - from;
    await_n(went, n);
}

/* What went gives back what it had: `each` is what one job has, a fifth of that may stay with
 * malloc. */
static void check_returned(const char *what, long full, long after, long again, long each)
{
    long went = JOBS - STAY;

    check(each > 0, "%s: a job takes memory", what);
    check((full - after) * 5 >= went * each * 4, "%s: %ld jobs of %ld KiB went, %ld KiB came back",
          what, went, each, full - after);
    check(again <= after + went * each / 20,
          "%s: %ld KiB, and %ld when as many came and went again", what, after, again);
}

/* Each segment takes a descriptor, of which a server uses half. */
static bool enough_descriptors(void)
{
    struct rlimit limit = {0, 0};

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 > JOBS + 16;
}

static void host(void)
{
    struct memory none;
    struct memory few;
    struct memory full;
    struct memory after;
    struct memory again;

    await("held");
    if (SANITIZED) {
        fprintf(stderr, "# with a sanitizer: %d jobs, and no look at the memory of a process\n",
                JOBS);
    }
    jobs_come(0, STAY / 10); /* what only the first ones take is left out */
    none = measure();
    jobs_come(STAY / 10, STAY);
    few = measure();
    jobs_come(STAY, JOBS / 2);
    tell("half");
    jobs_come(JOBS / 2, JOBS);
    tell("all");
    await("read");
    full = measure();
    jobs_go(STAY, JOBS);
    after = measure();
    jobs_come(STAY, JOBS);
    jobs_go(STAY, JOBS);
    again = measure();
    tell("gone");
    if (shared_form() && enough_descriptors()) {
        check_returned("segments", full.segments, after.segments, again.segments,
                       (few.segments - none.segments) / (STAY - STAY / 10));
        check(after.largest > (SANITIZED ? 1 : 4) * SMALL, "the own segment has grown to %ld KiB",
              after.largest);
    }
    if (!SANITIZED) {
        check_returned("memory", full.resident, after.resident, again.resident,
                       (few.resident - none.resident) / (STAY - STAY / 10));
    }
}

static void start_small(struct infos *list)
{
    struct rlimit limit;

    (void) list;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void) setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (!enough_descriptors()) {
        fprintf(stderr, "# too few descriptors: no look at what segments take\n");
    }
    setenv("PMIX_MCA_shmix_segment_size", "1M", 1);
    setenv("PMIX_MCA_shmix_segment_first", "4K", 1);
}

const struct conform_case cases[] = {
    {.ids = "GET-005 S35",
     .what = "a thousand jobs and a million keys come, and most go, under pointers",
     .ranks = 4,
     .server = start_small,
     .client = live,
     .script = host},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
