/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Runs a program as a job of NODES * PER_NODE real processes on this machine. Each emulated node is
 * a server process (node.c) with its clients as children. This process relays between the nodes: it
 * all-gathers their contributions to collectives, in its main thread, and forwards events, in a
 * second one. Servers of a one-node job use neither. Only the public interface of PMIx is used, so
 * that the job can be run on another library.
 *
 * usage: job NODES PER_NODE PROGRAM [ARGUMENT...]
 *
 * All collectives have to be of the whole job. Exit code 0 if all processes exited with 0. At its
 * end each node prints "host N server_cpu_ns T": processor time of the host and its server, from
 * before PMIx_server_init until after PMIx_server_finalize, without the starting of processes. */

#include <pmix.h>

#include <poll.h>
#include <pthread.h>
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

#include "board.h"
#include "layout.h"
#include "measure.h"
#include "node.h"

#define NSPACE "bench-large-job"

static unsigned n_nodes;
static unsigned per_node;
static int to_relay; /* a node's stream socket to the relay */

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
    if (n_nodes == 1) { /* the machine's own name, by which tools find the server */
        gethostname(ret, room);
        ret[room - 1] = '\0';
    } else {
        snprintf(ret, room, "job-node%02u", node);
    }
}

/* --- pieces: 8 bytes length, then the bytes. The functions return false when the other end has
 * closed. --- */

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

/* Appends a piece to *bytes, which is grown by realloc. */
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

/* One collective: reads a piece from each node, sends all of them to each. False: the job has
 * ended. */
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

/* A thread: forwards each datagram of a node to all others, until all have closed their sockets. */
static void *relay_events(void *arg)
{
    struct pollfd *at = arg;
    unsigned open = n_nodes;
    char bytes[4096];

    while (open && poll(at, n_nodes, -1) > 0) {
        for (unsigned i = 0; i < n_nodes; i++) {
            ssize_t n = at[i].revents ? recv(at[i].fd, bytes, sizeof(bytes), 0) : -1;

            if (at[i].revents && n <= 0) {
                at[i].fd = -1;
                open--;
            }
            for (unsigned k = 0; k < n_nodes && n > 0; k++) {
                if (k != i && at[k].fd >= 0) {
                    (void) send(at[k].fd, bytes, (size_t) n, MSG_NOSIGNAL);
                }
            }
        }
    }
    return NULL;
}

/* --- a node --- */

/* fence_fn of a node: its contribution out, all contributions in. Blocks. */
static char *exchange(const char *data, size_t len, size_t *ret_len)
{
    char *all = NULL;

    *ret_len = 0;
    if (!send_piece(to_relay, data, len) || !receive_piece(to_relay, &all, ret_len)) {
        fprintf(stderr, "job: the relay is gone\n");
    }
    return all;
}

/* One write: the processes of other nodes print into the same file. */
static void print_cpu(unsigned node, uint64_t ns)
{
    char line[64];
    int n =
        snprintf(line, sizeof(line), "host %u server_cpu_ns %llu\n", node, (unsigned long long) ns);

    if (write(STDOUT_FILENO, line, (size_t) n) != n) {
        die("job: standard output");
    }
}

static int run_node(unsigned node, int events, char **argv)
{
    struct layout layout = {NSPACE, "bench.2",  n_nodes * per_node, n_nodes,
                            node,   block_node, place_in_block,     block_name};
    pid_t *pids = calloc(per_node, sizeof(*pids));
    uint64_t cpu = cpu_ns();
    char name[64];
    int bad = 0;

    if (!pids) {
        die("job: a node");
    }
    block_name(node, name, sizeof(name));
    node_start(node, NSPACE, name, n_nodes > 1 ? exchange : NULL, n_nodes > 1 ? events : -1);
    layout_register(&layout);
    for (unsigned i = 0; i < per_node; i++) {
        pids[i] = daemon_spawn(NSPACE, node * per_node + i, argv, -1, -1);
    }
    for (unsigned i = 0; i < per_node; i++) {
        bad |= daemon_wait(pids[i]);
    }
    free(pids);
    node_end(NSPACE);
    print_cpu(node, cpu_ns() - cpu - daemon_spawn_cpu_ns());
    return bad;
}

static pid_t start_node(unsigned node, int *fds, struct pollfd *events, char **argv)
{
    pid_t parent = getpid();
    int pair[2];
    int told[2];
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, told)) {
        die("job: a socket");
    }
    pid = fork();
    if (pid < 0) {
        die("job: a node");
    }
    if (pid) {
        close(pair[1]);
        close(told[1]);
        fds[node] = pair[0];
        events[node] = (struct pollfd){.fd = told[0], .events = POLLIN};
        return pid;
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent) {
        _exit(70);
    }
    for (unsigned i = 0; i < node; i++) {
        close(fds[i]);
        close(events[i].fd);
    }
    close(pair[0]);
    close(told[0]);
    to_relay = pair[1];
    exit(run_node(node, told[1], argv));
}

int main(int argc, char **argv)
{
    const char *cpu = getenv("BENCH_CPU");
    struct pollfd *events;
    struct rlimit files;
    pthread_t relay;
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
    events = calloc(n_nodes, sizeof(*events));
    if (!pids || !fds || !events) {
        die("job");
    }
    if (cpu) {
        pin(atoi(cpu));
    }
    board_make();
    for (unsigned i = 0; i < n_nodes; i++) {
        pids[i] = start_node(i, fds, events, argv + 3);
    }
    if (pthread_create(&relay, NULL, relay_events, events)) {
        die("job: a relay");
    }
    while (relay_once(fds)) {
    }
    for (unsigned i = 0; i < n_nodes; i++) {
        close(fds[i]); /* ends the exchange of a node that waits for one that has died */
    }
    for (unsigned i = 0; i < n_nodes; i++) {
        bad |= daemon_wait(pids[i]);
    }
    pthread_join(relay, NULL);
    free(pids);
    free(fds);
    free(events);
    return bad;
}
