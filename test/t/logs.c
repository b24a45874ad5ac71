/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Two processes. Rank 0 logs more than a pipe holds, and does not wait for it. Then rank 1 asks for
 * what rank 0 has posted, which its server answers, and makes the file that the command line names:
 * only now the output need be read. */

#include <fcntl.h>
#include <pmix.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 200, LENGTH = 2000 };

static sem_t logged;

static void must(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "logs: %s: %s\n", what, PMIx_Error_string(rc));
        _exit(1);
    }
}

static void on_logged(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    must(status, "log");
    (void) sem_post(&logged);
}

static void log_all(pmix_info_t *line)
{
    char text[LENGTH + 1];

    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    must(PMIx_Info_load(line, PMIX_LOG_STDOUT, text, PMIX_STRING), "load");
    for (int i = 0; i < LINES; i++) {
        must(PMIx_Log_nb(line, 1, NULL, 0, on_logged, NULL), "log_nb");
    }
}

static void ask(const char *nspace)
{
    pmix_value_t *value = NULL;
    pmix_proc_t first;

    PMIX_LOAD_PROCID(&first, nspace, 0);
    must(PMIx_Get(&first, "logs.posted", NULL, 0, &value), "get");
    PMIx_Value_free(value, 1);
}

int main(int argc, char **argv)
{
    pmix_value_t one = {.type = PMIX_UINT32, .data.uint32 = 1};
    pmix_info_t line;
    pmix_proc_t me;

    if (argc < 2 || sem_init(&logged, 0, 0) != 0) {
        return 2;
    }
    alarm(90);
    must(PMIx_Init(&me, NULL, 0), "init");
    if (me.rank == 0) {
        log_all(&line);
        must(PMIx_Put(PMIX_GLOBAL, "logs.posted", &one), "put");
        must(PMIx_Commit(), "commit");
        for (int i = 0; i < LINES; i++) {
            (void) sem_wait(&logged);
        }
        PMIx_Info_destruct(&line);
    } else {
        ask(me.nspace);
        (void) close(open(argv[1], O_CREAT | O_WRONLY, 0600));
    }
    must(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
