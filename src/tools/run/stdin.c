/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Our standard input goes to processes of the first job, which may be on other nodes: it is pushed
 * as PMIx_IOF_push would. The relay of several nodes hands it to node 0 instead. The next bytes are
 * read when the last ones have been taken. */

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "nodes.h"
#include "src/base/terminal.h"

static struct px_run_input *to; /* of the relay; NULL: node 0 has ended, or all has been read */
static pmix_proc_t target;      /* without a namespace: none takes input, or all has been read */
static bool pushing;

void px_run_stdin_open(struct px_run_input *in)
{
    to = in;
}

void px_run_stdin_feed(const struct px_run_job *job)
{
    if (job->input_rank != PMIX_RANK_INVALID && px_run.node == 0) {
        PMIX_LOAD_PROCID(&target, job->nspace, job->input_rank);
    }
}

void px_run_stdin_forget(const struct px_run_input *in)
{
    if (to == in) {
        to = NULL;
    }
}

/* False if the target is one process of this node that reads no more. */
static bool is_read(void)
{
    const struct px_run_job *job = px_run_job_find(target.nspace);

    if (job == NULL || target.rank >= job->n_procs ||
        px_run_job_node(job, target.rank) != px_run.node) {
        return job != NULL;
    }
    return !job->over && px_run_input_find(&job->procs[target.rank]) != NULL;
}

static bool may_take(void)
{
    if (to != NULL) {
        return px_run_input_is_empty(to);
    }
    return target.nspace[0] != '\0' && !pushing && is_read();
}

int px_run_stdin_poll_fd(void)
{
    return may_take() && px_may_read(STDIN_FILENO) ? STDIN_FILENO : -1;
}

bool px_run_stdin_is_away(void)
{
    return may_take() && !px_may_read(STDIN_FILENO);
}

/* A push fails when nobody is left who reads. */
static void pushed(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    pushing = false;
    if (status != PMIX_SUCCESS) {
        target.nspace[0] = '\0';
    }
}

static void push(const char *bytes, size_t n)
{
    struct px_run_task task = {
        .upcall = {.entry = ON_PUSH, .procs = &target, .n_procs = 1, .data = bytes, .n_data = n}};

    task.upcall.reply.op = pushed;
    pushing = true;
    px_run_push(&task);
    if (n == 0) {
        target.nspace[0] = '\0';
    }
}

void px_run_stdin_move(void)
{
    static char bytes[16384];

    if (!may_take()) {
        return;
    }
    ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    /* An input that ends, or fails, is the end of the process's, too. */
    if (to != NULL) {
        (void) px_run_input_put(to, bytes, n > 0 ? (size_t) n : 0, n <= 0, NULL);
    } else {
        push(bytes, n > 0 ? (size_t) n : 0);
    }
}
