/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A server that reads its own standard input for the processes of its host, as a launcher does
 * whose job reads what the user types. Each case in its own process. Covers: IOF-010, IOF-011 */

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

#include <pmix_tool.h>

#include "src/host/host.h"
#include "test/unit/process.h"

enum { SIZE = 300 * 1000 };

/* ---- the host */

static size_t n_taken;
static bool complete;
static pmix_op_cbfunc_t kept_answer;
static void *kept_cbdata;
static atomic_int n_pushes;
static int told[2]; /* a byte for each thing that the main thread waits for */

static void tell(char what)
{
    check(write(told[1], &what, 1) == 1);
}

static void await(char what)
{
    char got = 0;

    while (got != what) {
        check(read(told[0], &got, 1) == 1);
    }
}

static char byte_at(size_t at)
{
    return (char) (at * 131 + (at >> 16) * 7);
}

static pmix_status_t take(struct upcall *up)
{
    check(up->n_procs == 1 && strcmp(up->procs[0].nspace, "J") == 0);
    check(px_host_find(up, PMIX_IOF_PUSH_STDIN) == NULL && !complete);
    for (size_t i = 0; i < up->n_data; i++) {
        check(up->data[i] == byte_at(n_taken + i));
    }
    n_taken += up->n_data;
    complete = px_host_flag(up, PMIX_IOF_COMPLETE);
    up->reply.op(PMIX_SUCCESS, up->cbdata);
    return PMIX_SUCCESS;
}

/* Never answers by itself. */
static pmix_status_t keep(struct upcall *up)
{
    kept_answer = up->reply.op;
    kept_cbdata = up->cbdata;
    atomic_fetch_add(&n_pushes, 1);
    tell('p');
    return PMIX_SUCCESS;
}

static const struct answer taking[N_ENTRIES] = {[ON_PUSH] = {OWN, .own = take}};
static const struct answer keeping[N_ENTRIES] = {[ON_PUSH] = {OWN, .own = keep}};
static const struct px_host taking_host = {.answers = taking};
static const struct px_host keeping_host = {.answers = keeping};

/* ---- the calls */

static void on_op(pmix_status_t status, void *cbdata)
{
    check(status == PMIX_SUCCESS);
    tell(*(const char *) cbdata);
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    check(status == PMIX_ERR_IOF_COMPLETE);
    tell('e');
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void start(const struct px_host *host)
{
    pmix_status_t codes[] = {PMIX_ERR_IOF_COMPLETE, PMIX_ERR_IOF_FAILURE};

    check(pipe(told) == 0);
    check(PMIx_server_init(px_host_module(host), NULL, 0) == PMIX_SUCCESS);
    check(PMIx_Register_event_handler(codes, 2, NULL, 0, on_event, NULL, NULL) >= 0);
}

static pmix_status_t push(const char *key, bool targeted, const char *what)
{
    pmix_proc_t target;
    pmix_info_t info;
    bool yes = true;

    PMIX_LOAD_PROCID(&target, "J", PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&info, key, &yes, PMIX_BOOL);
    return PMIx_IOF_push(targeted ? &target : NULL, targeted ? 1 : 0, NULL, &info, 1, on_op,
                         (void *) what);
}

/* Our standard input is a pipe, whose other end is returned. */
static int pipe_input(void)
{
    int ends[2];

    check(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    (void) close(ends[0]);
    return ends[1];
}

static void read_to_the_end(void)
{
    static char bytes[SIZE];
    size_t done = 0;
    int fd;

    start(&taking_host);
    fd = pipe_input();
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = byte_at(i);
    }
    check(push(PMIX_IOF_PUSH_STDIN, true, "b") == PMIX_SUCCESS);
    await('b');
    while (done < SIZE) {
        ssize_t n = write(fd, bytes + done, SIZE - done);

        check(n > 0);
        done += (size_t) n;
    }
    (void) close(fd);
    await('e');
    check(complete && n_taken == SIZE);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
}

/* The end of the own input, when no job reads any more: nobody is asked, so that a host that has
 * stopped does not wait for itself. What is read is not taken from the writer. */
static void close_input(void)
{
    int fd;

    start(&keeping_host);
    fd = pipe_input();
    check(push(PMIX_IOF_COMPLETE, false, "c") == PMIX_OPERATION_SUCCEEDED);
    check(push(PMIX_IOF_PUSH_STDIN, true, "b") == PMIX_SUCCESS);
    await('b');
    check(push(PMIX_IOF_COMPLETE, false, "c") == PMIX_OPERATION_SUCCEEDED);
    check(write(fd, "late", 4) == 4 && atomic_load(&n_pushes) == 0);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(atomic_load(&n_pushes) == 0);
}

/* The server ends while the host has a piece that it has not answered. */
static void end_amid(void)
{
    int fd;

    start(&keeping_host);
    fd = pipe_input();
    check(push(PMIX_IOF_PUSH_STDIN, true, "b") == PMIX_SUCCESS);
    check(write(fd, "one", 3) == 3);
    await('p');
    check(write(fd, "two", 3) == 3);
    check(PMIx_server_finalize() == PMIX_SUCCESS);
    check(atomic_load(&n_pushes) == 1);
    kept_answer(PMIX_SUCCESS, kept_cbdata); /* too late, and harmless */
}

CASE(in_process, read_to_the_end)
CASE(in_process, close_input)
CASE(in_process, end_amid)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_to_the_end),
        cmocka_unit_test(test_close_input),
        cmocka_unit_test(test_end_amid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
