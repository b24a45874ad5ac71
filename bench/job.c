/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Runs a program as a job of NODES * PER_NODE real processes on this machine: a server process for
 * each node, and a relay between them that gives all nodes what each hands in for a fence. Public
 * interface only, so that the same job can be run on another library.
 *
 * usage: job NODES PER_NODE PROGRAM [ARGUMENT...]
 *
 * Its exit code is 0 when all processes have ended well. All fences are of the whole job, so while
 * a server waits for the relay none of its clients can want anything: it waits in the upcall. */

#include <pmix.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "layout.h"
#include "measure.h"

#define NSPACE "bench-large-job"

static unsigned n_nodes;
static unsigned per_node;
static int to_relay;

static void die(const char *what)
{
    perror(what);
    exit(70);
}

/* --- where the ranks are: in blocks --- */

static unsigned block_node(unsigned rank)
{
    return rank / per_node;
}

static unsigned place_in_block(unsigned rank)
{
    return rank % per_node;
}

static void block_name(unsigned node, char *ret, size_t room)
{
    snprintf(ret, room, "job-node%02u", node);
}

/* --- pieces: a length and as many bytes --- */

static bool send_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;

    while (n) {
        ssize_t m = send(fd, at, n, MSG_NOSIGNAL);

        if (m <= 0) {
            return false;
        }
        at += m;
        n -= (size_t) m;
    }
    return true;
}

static bool send_piece(int fd, const void *bytes, uint64_t n)
{
    return send_all(fd, &n, sizeof(n)) && send_all(fd, bytes, n);
}

/* Appends a piece to what is there. */
static bool receive_piece(int fd, char **bytes, size_t *len)
{
    uint64_t n;
    char *more;

    if (recv(fd, &n, sizeof(n), MSG_WAITALL) != (ssize_t) sizeof(n)) {
        return false;
    }
    more = realloc(*bytes, *len + n + 1);
    if (!more) {
        die("job: a piece");
    }
    *bytes = more;
    if (n && recv(fd, more + *len, n, MSG_WAITALL) != (ssize_t) n) {
        return false;
    }
    *len += n;
    return true;
}

/* --- the relay --- */

static bool relay_once(const int *fds)
{
    char *all = NULL;
    size_t len = 0;
    bool good = true;

    for (unsigned i = 0; i < n_nodes && good; i++) {
        good = receive_piece(fds[i], &all, &len);
    }
    for (unsigned i = 0; i < n_nodes && good; i++) {
        good = send_piece(fds[i], all, len);
    }
    free(all);
    return good;
}

/* --- a node --- */

static char *exchange(const char *data, size_t len, size_t *ret_len)
{
    char *all = NULL;

    *ret_len = 0;
    if (!send_piece(to_relay, data, len) || !receive_piece(to_relay, &all, ret_len)) {
        fprintf(stderr, "job: the relay is gone\n");
    }
    return all;
}

static int run_node(unsigned node, char **argv)
{
    struct layout layout = {NSPACE, "bench.2",  n_nodes * per_node, n_nodes,
                            node,   block_node, place_in_block,     block_name};
    pid_t *pids = calloc(per_node, sizeof(*pids));
    char name[64];
    int bad = 0;

    if (!pids) {
        die("job: a node");
    }
    block_name(node, name, sizeof(name));
    daemon_init(name, exchange);
    layout_register(&layout);
    for (unsigned i = 0; i < per_node; i++) {
        pids[i] = daemon_spawn(NSPACE, node * per_node + i, argv, -1, -1);
    }
    for (unsigned i = 0; i < per_node; i++) {
        bad |= daemon_wait(pids[i]);
    }
    free(pids);
    daemon_fini(NSPACE);
    return bad;
}

static pid_t start_node(unsigned node, int *fds, char **argv)
{
    pid_t parent = getpid();
    int pair[2];
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        die("job: a socket");
    }
    pid = fork();
    if (pid < 0) {
        die("job: a node");
    }
    if (pid) {
        close(pair[1]);
        fds[node] = pair[0];
        return pid;
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent) {
        _exit(70);
    }
    for (unsigned i = 0; i < node; i++) {
        close(fds[i]);
    }
    close(pair[0]);
    to_relay = pair[1];
    exit(run_node(node, argv));
}

int main(int argc, char **argv)
{
    struct rlimit files;
    pid_t *pids;
    int *fds;
    int bad = 0;

    n_nodes = argc > 3 ? (unsigned) strtoul(argv[1], NULL, 10) : 0;
    per_node = argc > 3 ? (unsigned) strtoul(argv[2], NULL, 10) : 0;
    if (!n_nodes || !per_node) {
        fprintf(stderr, "usage: job NODES PER_NODE PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    if (!getrlimit(RLIMIT_NOFILE, &files)) {
        files.rlim_cur = files.rlim_max;
        (void) setrlimit(RLIMIT_NOFILE, &files);
    }
    pids = calloc(n_nodes, sizeof(*pids));
    fds = calloc(n_nodes, sizeof(*fds));
    if (!pids || !fds) {
        die("job");
    }
    for (unsigned i = 0; i < n_nodes; i++) {
        pids[i] = start_node(i, fds, argv + 3);
    }
    while (relay_once(fds)) {
    }
    for (unsigned i = 0; i < n_nodes; i++) {
        close(fds[i]); /* a node may still wait for one that is gone */
    }
    for (unsigned i = 0; i < n_nodes; i++) {
        bad |= daemon_wait(pids[i]);
    }
    free(pids);
    free(fds);
    return bad;
}
