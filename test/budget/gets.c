/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the first reads of a process and 100,000 more cost that no clock shows: system calls
 * (between marks that strace sees), voluntary context switches, allocations. Prints "switches N"
 * and "<case> N" allocations per read. With the argument "tool" it is a tool that no server has
 * started, and that has asked about the job once. */

#include <pmix_tool.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { READS = 100000, COUNTED = 1000 };

static unsigned long allocations;

/* Counts what the library asks for; the C library does the work. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

EXPORTED void *calloc(size_t n, size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_calloc(n, size);
}

EXPORTED void *realloc(void *old, size_t size)
{
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_realloc(old, size);
}

static pmix_proc_t self;
static pmix_info_t pointer_directive;
static pmix_info_t static_directive;
static pmix_info_t optional_directive;

static void must(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "gets: %s\n", what);
        exit(1);
    }
}

static void read_copy(pmix_rank_t rank, const char *key, pmix_data_type_t type)
{
    pmix_proc_t proc = self;
    pmix_value_t *value = NULL;

    proc.rank = rank;
    must(PMIx_Get(&proc, key, NULL, 0, &value) == PMIX_SUCCESS && value->type == type, key);
    PMIX_VALUE_RELEASE(value);
}

static void scalar(void)
{
    read_copy(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32);
}

static void process_scalar(void)
{
    read_copy(self.rank, PMIX_LOCAL_RANK, PMIX_UINT16);
}

static void string(void)
{
    read_copy(PMIX_RANK_WILDCARD, PMIX_JOBID, PMIX_STRING);
}

static void in_static(void)
{
    pmix_proc_t proc = self;
    pmix_value_t storage;
    pmix_value_t *value = &storage;

    proc.rank = PMIX_RANK_WILDCARD;
    must(PMIx_Get(&proc, PMIX_JOB_SIZE, &static_directive, 1, &value) == PMIX_SUCCESS, "static");
}

static void by_pointer(void)
{
    pmix_proc_t proc = self;
    pmix_value_t *value = NULL;

    proc.rank = PMIX_RANK_WILDCARD;
    must(PMIx_Get(&proc, PMIX_JOBID, &pointer_directive, 1, &value) == PMIX_SUCCESS &&
             !strcmp(value->data.string, "interop.1"),
         "pointer");
}

static void miss(void)
{
    pmix_value_t *value = NULL;

    must(PMIx_Get(&self, "budget-nobody-has-this", &optional_directive, 1, &value) ==
             PMIX_ERR_NOT_FOUND,
         "miss");
}

static const struct {
    const char *name;
    void (*read)(void);
} cases[] = {{"scalar", scalar},    {"process", process_scalar}, {"string", string},
             {"static", in_static}, {"pointer", by_pointer},     {"miss", miss}};

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void read_first(void)
{
    (void) access("/budget-first", F_OK);
    for (int c = 0; c < CASES; c++) {
        cases[c].read();
    }
    (void) access("/budget-read", F_OK);
}

static void count_allocations(void)
{
    for (int c = 0; c < CASES; c++) {
        unsigned long before;

        cases[c].read(); /* the first touch of a pointer value may build it */
        before = allocations;
        for (int i = 0; i < COUNTED; i++) {
            cases[c].read();
        }
        printf("%s %lu\n", cases[c].name, (allocations - before) / COUNTED);
    }
}

static void count_switches(void)
{
    struct rusage before;
    struct rusage after;

    getrusage(RUSAGE_THREAD, &before);
    (void) access("/budget-begin", F_OK);
    for (int i = 0; i < READS; i++) {
        cases[i % CASES].read();
    }
    (void) access("/budget-end", F_OK);
    getrusage(RUSAGE_THREAD, &after);
    printf("switches %ld\n", after.ru_nvcsw - before.ru_nvcsw);
}

static void begin_tool(void)
{
    const char *door = getenv("PMIX_SHMIX_URI");
    pmix_proc_t first;
    pmix_info_t uri;

    must(getenv("PMIX_NAMESPACE") != NULL, "no job");
    PMIX_LOAD_PROCID(&first, getenv("PMIX_NAMESPACE"), 0);
    must(door != NULL, "no server of this library");
    PMIX_INFO_LOAD(&uri, PMIX_SERVER_URI, door, PMIX_STRING);
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_RANK");
    must(PMIx_tool_init(&self, &uri, 1) == PMIX_SUCCESS, "tool init");
    PMIX_INFO_DESTRUCT(&uri);
    self = first;
    scalar();
}

int main(int argc, char **argv)
{
    bool tool = argc > 1 && strcmp(argv[1], "tool") == 0;
    bool yes = true;

    alarm(120);
    if (tool) {
        begin_tool();
    } else {
        must(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS, "init");
    }
    PMIX_INFO_LOAD(&pointer_directive, PMIX_GET_POINTER_VALUES, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&static_directive, PMIX_GET_STATIC_VALUES, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&optional_directive, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    read_first();
    count_allocations();
    count_switches();
    must((tool ? PMIx_tool_finalize() : PMIx_Finalize(NULL, 0)) == PMIX_SUCCESS, "finalize");
    return 0;
}
