/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writes of the library that the kernel refuses, in a thread of the application that has all
 * signals unblocked and their default actions: the process goes on. Each case in its own
 * process. */

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include <pmix_server.h>
#include <pmix_tool.h>

#include "test/unit/scratch.h"

static const pmix_proc_t source = {.nspace = "job", .rank = 3};
static pmix_server_module_t module;

/* Makes the descriptor the writing end of a pipe whose reading end is closed. */
static void close_reader_of(int fd)
{
    int ends[2];

    check(pipe(ends) == 0 && close(ends[0]) == 0);
    check(ends[1] == fd || (dup2(ends[1], fd) == fd && close(ends[1]) == 0));
}

static void be_client(void)
{
    pmix_proc_t me;

    check(PMIx_Init(&me, NULL, 0) == PMIX_ERR_UNREACH);
    check(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS);
}

static void report(void)
{
    close_reader_of(100);
    check(setenv("PMIX_MCA_shmix_report_fd", "100", 1) == 0);
    be_client();
}
CASE(in_process, report)

static void lines_of_the_log(void)
{
    int before = dup(STDERR_FILENO);

    close_reader_of(STDERR_FILENO);
    check(setenv("PMIX_MCA_pmix_client_base_verbose", "9", 1) == 0);
    be_client();
    check(dup2(before, STDERR_FILENO) >= 0);
}
CASE(in_process, lines_of_the_log)

/* --- output that is shown or kept in files, without a progress thread --- */

static void add(pmix_info_t *info, size_t *n, const char *key, const void *value,
                pmix_data_type_t type)
{
    check(PMIx_Info_load(&info[*n], key, value, type) == PMIX_SUCCESS);
    (*n)++;
}

static void on_pull(pmix_status_t status, size_t id, void *cbdata)
{
    (void) id;
    *(int *) cbdata = status == PMIX_SUCCESS ? 1 : -1;
}

static void on_done(pmix_status_t status, void *cbdata)
{
    *(int *) cbdata = status == PMIX_SUCCESS ? 1 : -1;
}

/* Drives the library until the callback has come. */
static void drive(const int *told)
{
    while (*told == 0) {
        PMIx_Progress();
    }
    check(*told == 1);
}

/* A server that shows output of a process, or writes it to this file. */
static void show(const char *file)
{
    char text[] = "a line\n";
    const pmix_byte_object_t bytes = {.bytes = text, .size = sizeof(text) - 1};
    pmix_info_t info[2];
    pmix_info_t how[2];
    size_t n = 0;
    size_t n_how = 0;
    bool yes = true;
    int pulled = 0;
    int delivered = 0;

    add(info, &n, PMIX_EXTERNAL_PROGRESS, &yes, PMIX_BOOL);
    add(info, &n, PMIX_SERVER_TMPDIR, scratch, PMIX_STRING);
    check(PMIx_server_init(&module, info, n) == PMIX_SUCCESS);
    if (file != NULL) {
        add(how, &n_how, PMIX_IOF_OUTPUT_TO_FILE, file, PMIX_STRING);
        add(how, &n_how, PMIX_IOF_FILE_ONLY, &yes, PMIX_BOOL);
    }
    check(PMIx_IOF_pull(&source, 1, how, n_how, PMIX_FWD_STDOUT_CHANNEL, NULL, on_pull, &pulled) ==
          PMIX_SUCCESS);
    drive(&pulled);
    check(PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, on_done,
                                  &delivered) == PMIX_SUCCESS);
    drive(&delivered);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    PMIX_INFO_DESTRUCT(&info[1]);
    if (file != NULL) {
        PMIX_INFO_DESTRUCT(&how[0]);
    }
}

static void shown(void)
{
    int before = dup(STDOUT_FILENO);

    close_reader_of(STDOUT_FILENO);
    show(NULL);
    check(dup2(before, STDOUT_FILENO) >= 0);
}
CASE(in_scratch, shown)

static void kept_in_files(void)
{
    const struct rlimit none = {0};

    check(setrlimit(RLIMIT_FSIZE, &none) == 0);
    show(scratch_path("output"));
    check(access(scratch_path("output.job.3.stdout"), F_OK) == 0);
}
CASE(in_scratch, kept_in_files)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_lines_of_the_log),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_kept_in_files),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
