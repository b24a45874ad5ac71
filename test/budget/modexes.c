/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Direct modexes under way, N of the kind that is named, for growth.sh, which counts what each of
 * their ends looks at. The processes of the job are registered and do not run. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmix_server.h>

#include "src/context/context.h"
#include "src/server/data/modex_giving.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"

#define JOB "job"

enum { MOST = 10000, FAR = 5, SECONDS = 90 };

static sem_t asked; /* the host was */
static sem_t over;  /* a get, or a request of the host */
static struct upcall {
    pmix_modex_cbfunc_t answer;
    void *cbdata;
} upcalls[MOST];
static size_t n_upcalls; /* written by the server's thread, read when `asked` has been posted */

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "modexes: %s\n", what);
        exit(1);
    }
}

static pmix_proc_t proc_of(pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, JOB, rank);
    return proc;
}

static void await(sem_t *sem, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        while (sem_wait(sem) != 0) {
        }
    }
}

/* The host answers when all have asked. */
static pmix_status_t direct_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                  pmix_modex_cbfunc_t cbfunc, void *cbdata)
{
    (void) proc, (void) info, (void) ninfo;
    must(n_upcalls < MOST, "an upcall too many");
    upcalls[n_upcalls++] = (struct upcall){cbfunc, cbdata};
    sem_post(&asked);
    return PMIX_SUCCESS;
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    (void) cbdata;
    must(status == PMIX_ERR_NOT_FOUND, "a get has another status than the host's");
    sem_post(&over);
}

/* N gets of a process on another node, each with an upcall of its own. */
static void ask(size_t n, const char *directive, pmix_data_type_t type)
{
    pmix_proc_t far = proc_of(FAR);

    for (uint32_t i = 0; i < n; i++) {
        pmix_info_t info;

        PMIX_INFO_LOAD(&info, directive, type == PMIX_UINT32 ? &i : NULL, type);
        must(PMIx_Get_nb(&far, "key", &info, 1, on_value, NULL) == PMIX_SUCCESS, "get");
    }
    await(&asked, n);
    for (size_t i = 0; i < n; i++) {
        upcalls[i].answer(PMIX_ERR_NOT_FOUND, NULL, 0, upcalls[i].cbdata, NULL, NULL);
    }
    await(&over, n);
}

static void answers(size_t n)
{
    ask(n, "my.directive", PMIX_UINT32);
}

static void renewals(size_t n)
{
    ask(n, PMIX_GET_REFRESH_CACHE, PMIX_BOOL);
}

static void on_data(pmix_status_t status, char *data, size_t size, void *cbdata)
{
    (void) status, (void) data, (void) size, (void) cbdata;
    sem_post(&over);
}

static void commit(void *arg)
{
    pmix_proc_t proc = proc_of(1);
    struct px_server *s = px_ctx()->server;

    for (size_t i = 0; i < *(size_t *) arg; i++) {
        px_dmodex_requests_committed(s, px_local_proc_of(s, &proc));
    }
}

/* Other nodes want N times the data of a process; the other one commits N times. */
static void givings(size_t n)
{
    pmix_proc_t proc = proc_of(0);

    for (size_t i = 0; i < n; i++) {
        must(PMIx_server_dmodex_request(&proc, on_data, NULL) == PMIX_SUCCESS, "request");
    }
    must(px_loop_run(px_ctx()->loop, commit, &n) == 0, "the server's thread");
    must(sem_trywait(&over) != 0, "an answer without data");
}

static const struct {
    const char *name;
    void (*run)(size_t n);
} cases[] = {{"answers", answers}, {"renewals", renewals}, {"givings", givings}};

int main(int argc, char **argv)
{
    pmix_server_module_t module = {.direct_modex = direct_modex};
    pmix_proc_t proc = proc_of(0);
    size_t n = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
    int which = -1;

    for (int i = 0; n > 0 && n <= MOST && i < 3; i++) {
        which = strcmp(argv[1], cases[i].name) == 0 ? i : which;
    }
    if (which < 0) {
        fprintf(stderr, "usage: modexes CASE N\n");
        return 2;
    }
    alarm(SECONDS);
    sem_init(&asked, 0, 0);
    sem_init(&over, 0, 0);
    must(PMIx_server_init(&module, NULL, 0) == PMIX_SUCCESS, "init");
    must(PMIx_server_register_nspace(proc.nspace, 2, NULL, 0, NULL, NULL) == 0, "register");
    for (; proc.rank < 2; proc.rank++) {
        must(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL) == 0,
             "register a client");
    }
    cases[which].run(n);
    return PMIx_server_finalize() != PMIX_SUCCESS;
}
