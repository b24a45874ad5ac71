/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process of a job that hangs for the reason that its argument names. Rank 2 is the cause, unless
 * the reason says otherwise; the others wait for it. Used by shm_waits.sh, which ends the job. */

#include <fcntl.h>
#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

static pmix_proc_t me;
static bool cause; /* this process is it */

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "hang: rank %u: %s: %s\n", me.rank, what, PMIx_Error_string(rc));
        exit(99);
    }
}

static void wait_for_ever(void)
{
    for (;;) {
        pause();
    }
}

/* A fence of the ranks; none: of all. */
static void fence(size_t n, const pmix_rank_t *ranks)
{
    pmix_proc_t procs[8];

    for (size_t i = 0; i < n; i++) {
        PMIX_LOAD_PROCID(&procs[i], me.nspace, ranks[i]);
    }
    check(PMIx_Fence(n ? procs : NULL, n, NULL, 0), "fence");
}

/* Waits until the file has a byte. */
static void wait_for(const char *fifo)
{
    char byte;
    FILE *file = fopen(fifo, "re");

    if (file == NULL || fread(&byte, 1, 1, file) != 1) {
        perror(fifo);
        exit(99);
    }
    fclose(file);
}

/* --- the causes: what rank 2 does, and what the others do */

static void do_fence(char **args)
{
    (void) args;
    fence(0, NULL);
}

static void do_stop(char **args)
{
    (void) args;
    raise(SIGSTOP);
}

/* Dies, and leaves a child that has its connection. */
static void do_die(char **args)
{
    (void) args;
    if (fork() != 0) {
        _exit(0);
    }
    wait_for_ever();
}

static void do_other_fence(char **args)
{
    pmix_rank_t list[] = {2, 3};

    (void) args;
    fence(2, list);
}

static void do_other_list(char **args)
{
    pmix_rank_t all[] = {0, 1, 2};
    pmix_rank_t list[] = {0, 2};

    (void) args;
    fence(cause ? 2 : 3, cause ? list : all);
}

static void do_loop(char **args)
{
    volatile unsigned n = 0;

    (void) args;
    for (;;) {
        n++;
    }
}

static void do_nothing(char **args)
{
    (void) args;
    wait_for_ever();
}

static void do_get(char **args)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;

    (void) args;
    PMIX_LOAD_PROCID(&proc, me.nspace, 2);
    check(PMIx_Get(&proc, "nobody.posts.this", NULL, 0, &value), "get");
}

static void do_lookup(char **args)
{
    pmix_pdata_t data;
    pmix_info_t how;
    int n = 1;

    (void) args;
    PMIX_PDATA_CONSTRUCT(&data);
    PMIX_LOAD_KEY(data.key, "nobody.publishes.this");
    check(PMIx_Info_load(&how, PMIX_WAIT, &n, PMIX_INT), "load");
    check(PMIx_Lookup(&data, 1, &how, 1), "lookup");
}

static void do_spawn(char **args)
{
    pmix_app_t *app = PMIx_App_create(1);
    pmix_nspace_t nspace;

    app->cmd = strdup(args[0]);
    app->maxprocs = 1;
    check(PMIx_Argv_append_nosize(&app->argv, args[0]), "argv");
    check(PMIx_Spawn(NULL, 0, app, 1, nspace), "spawn");
    PMIx_App_free(app, 1);
}

static pmix_proc_t *first_three(void)
{
    static pmix_proc_t procs[3];

    for (pmix_rank_t i = 0; i < 3; i++) {
        PMIX_LOAD_PROCID(&procs[i], me.nspace, i);
    }
    return procs;
}

static void do_group(char **args)
{
    pmix_info_t *results = NULL;
    size_t n = 0;

    (void) args;
    check(PMIx_Group_construct("ring", first_three(), 3, NULL, 0, &results, &n), "construct");
}

/* A group of this name, which is made and undone. */
static void do_name(char **args)
{
    pmix_info_t *results = NULL;
    size_t n = 0;

    check(PMIx_Group_construct(args[2], first_three(), 3, NULL, 0, &results, &n), "construct");
    PMIx_Info_free(results, n);
    check(PMIx_Group_destruct(args[2], NULL, 0), "destruct");
}

/* Commits, and gives it to all. */
static void do_commit(char **args)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = me.rank};

    (void) args;
    check(PMIx_Put(PMIX_GLOBAL, "my.number", &value), "put");
    check(PMIx_Commit(), "commit");
    fence(0, NULL);
}

static void do_connect(char **args)
{
    (void) args;
    check(PMIx_Connect(first_three(), 3, NULL, 0), "connect");
}

static void do_finalize(char **args)
{
    (void) args;
    check(PMIx_Finalize(NULL, 0), "finalize");
    wait_for_ever();
}

/* Rank 2 says that it is there, and comes when it is told. */
static void do_wait_for(char **args)
{
    puts("ready");
    fflush(stdout);
    wait_for(args[2]);
    fence(0, NULL);
}

/* Says that the first fence is behind it. */
static void do_say_and_fence(char **args)
{
    (void) args;
    puts("ready");
    fflush(stdout);
    fence(0, NULL);
}

/* When told, rank 2 comes to a fence that the others wait in. */
static void do_come_last(char **args)
{
    wait_for(args[2]);
    fence(0, NULL);
}

static void do_time_out(char **args)
{
    pmix_info_t how;
    int seconds = 1;

    (void) args;
    check(PMIx_Info_load(&how, PMIX_TIMEOUT, &seconds, PMIX_INT), "load");
    if (PMIx_Fence(NULL, 0, &how, 1) == PMIX_ERR_TIMEOUT) {
        puts("timed out");
        fflush(stdout);
    }
    wait_for_ever();
}

static const struct {
    const char *name;
    void (*cause)(char **args);
    void (*others)(char **args);
} hangs[] = {
    {"stopped", do_stop, do_fence},
    {"dead", do_die, do_fence},
    {"other-fence", do_other_fence, do_fence},
    {"other-list", do_other_list, do_other_list},
    {"loop", do_loop, do_fence},
    {"key", do_nothing, do_get},
    {"lookup", do_lookup, do_nothing},
    {"spawn", do_spawn, do_nothing},
    {"fence", do_fence, do_fence},
    {"group", do_nothing, do_group},
    {"connect", do_nothing, do_connect},
    {"name", do_name, do_name},
    {"commit", do_commit, do_commit},
    {"finalized", do_finalize, do_fence},
    {"late", do_wait_for, do_fence},
    {"last", do_come_last, do_say_and_fence},
    {"time-out", do_nothing, do_time_out},
};

/* No process of a job: maps a segment that nobody holds. */
static void be_orphan(void)
{
    int fd = memfd_create("shmix", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, 4096) != 0 ||
        mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED) {
        perror("orphan");
        exit(99);
    }
    close(fd);
    wait_for_ever();
}

/* No server: has what looks like its area, of random bytes, sealed or not. */
static void be_server(bool sealed)
{
    static unsigned char bytes[1 << 18];
    int fd = memfd_create("shmix-waits", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || getrandom(bytes, sizeof(bytes), 0) != (ssize_t) sizeof(bytes) ||
        write(fd, bytes, sizeof(bytes)) != (ssize_t) sizeof(bytes) ||
        (sealed && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE) != 0)) {
        perror("fake server");
        exit(99);
    }
    wait_for_ever();
}

/* Rank 3 of a job of four is in nobody's list but its own, or does nothing. */
int main(int argc, char **argv)
{
    alarm(120);
    if (argc > 1 && strcmp(argv[1], "orphan") == 0) {
        be_orphan();
    }
    if (argc > 1 && strncmp(argv[1], "server", 6) == 0) {
        be_server(strcmp(argv[1], "server-sealed") == 0);
    }
    check(PMIx_Init(&me, NULL, 0), "init");
    cause = me.rank == 2;
    fence(0, NULL); /* all are there */
    for (size_t i = 0; argc > 1 && i < sizeof(hangs) / sizeof(hangs[0]); i++) {
        if (strcmp(argv[1], hangs[i].name) == 0) {
            (me.rank == 3 ? do_nothing : cause ? hangs[i].cause : hangs[i].others)(argv);
        }
    }
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
