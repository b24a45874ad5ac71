/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The relay is the test's own process: it reads requests from all nodes with poll() and answers. A
 * node's server sends from upcalls (loop thread) and receives in a thread of its own, which calls
 * the library back: so callbacks come from a foreign thread, as they do in real hosts. */

#include "world.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_NODES = 4, MAX_RANKS = 16 };

enum kind { FENCE, FENCE_DONE, MODEX, MODEX_ASK, MODEX_ANSWER, MODEX_DONE, NODE_DONE };

struct letter {
    enum kind kind;
    uint32_t node; /* who asked first */
    uint32_t rank;
    int32_t status;
    uint64_t token; /* the asker's */
    uint64_t len;
};

_Atomic unsigned calls[N_ENTRIES];
pmix_proc_t me;
uint32_t job_size;

static const struct world *world;
static unsigned node;
static int line = -1;
static pthread_mutex_t line_lock = PTHREAD_MUTEX_INITIALIZER;

void check_at(bool ok, const char *what, const char *file, int at)
{
    if (!ok) {
        fprintf(stderr, "# rank %u: %s:%d: %s\n", me.rank, file, at, what);
        _exit(1);
    }
}

pmix_proc_t proc_of(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return proc;
}

/* --- letters --- */

static bool move(int fd, void *at, size_t len, bool out)
{
    char *p = at;

    while (len) {
        ssize_t n = out ? send(fd, p, len, MSG_NOSIGNAL) : recv(fd, p, len, 0);

        if (n <= 0) {
            if (n < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        p += n;
        len -= (size_t) n;
    }
    return true;
}

static void post_letter(struct letter letter, const void *data, size_t len)
{
    letter.len = len;
    (void) pthread_mutex_lock(&line_lock);
    (void) (move(line, &letter, sizeof(letter), true) &&
            move(line, (void *) (uintptr_t) data, len, true));
    (void) pthread_mutex_unlock(&line_lock);
}

/* --- a node's host --- */

/* Posts the letter; what the relay sends back is the answer. */
static pmix_status_t ask_relay(const struct upcall *upcall, struct letter letter)
{
    struct upcall *pending = malloc(sizeof(*pending));

    check(pending != NULL);
    *pending = *upcall;
    letter.node = node;
    letter.token = (uintptr_t) pending;
    post_letter(letter, upcall->data, upcall->n_data);
    return PMIX_SUCCESS;
}

pmix_status_t world_fence(struct upcall *upcall)
{
    return ask_relay(upcall, (struct letter){.kind = FENCE});
}

static pmix_status_t direct_modex(struct upcall *upcall)
{
    return ask_relay(upcall, (struct letter){.kind = MODEX, .rank = upcall->proc->rank});
}

static struct answer answers[N_ENTRIES] = {
    [ON_CONNECTED] = {INSIDE, .status = PMIX_SUCCESS},
    [ON_FINALIZED] = {INSIDE, .status = PMIX_SUCCESS},
    [ON_FENCE] = {OWN, .own = world_fence},
    [ON_MODEX] = {OWN, .own = direct_modex},
};

static const struct answer *count(struct upcall *upcall)
{
    calls[upcall->entry]++;
    return &answers[upcall->entry];
}

static void modex_given(pmix_status_t status, char *data, size_t len, void *cbdata)
{
    struct letter *letter = cbdata;

    letter->kind = MODEX_ANSWER;
    letter->status = status;
    post_letter(*letter, data, len);
    free(letter);
}

static void *listen_to_relay(void *arg)
{
    struct letter letter;

    (void) arg;
    while (move(line, &letter, sizeof(letter), false)) {
        char *data = malloc(letter.len + 1);

        if (!move(line, data, letter.len, false)) {
            free(data);
            break;
        }
        if (letter.kind == MODEX_ASK) {
            struct letter *copy = malloc(sizeof(*copy));
            pmix_proc_t proc = proc_of(WORLD_NSPACE, letter.rank);

            *copy = letter;
            free(data);
            if (PMIx_server_dmodex_request(&proc, modex_given, copy) != PMIX_SUCCESS) {
                modex_given(PMIX_ERR_NOT_FOUND, NULL, 0, copy);
            }
        } else {
            struct upcall *pending = (struct upcall *) (uintptr_t) letter.token;

            pending->reply.modex(letter.status, data, letter.len, pending->cbdata, free, data);
            free(pending);
        }
    }
    return NULL;
}

static void register_job(void)
{
    char nodes[256] = "";
    char procs[256] = "";
    pmix_nspace_t nspace = WORLD_NSPACE;
    pmix_info_t info[3];

    for (unsigned i = 0; i < world->n_nodes; i++) {
        snprintf(nodes + strlen(nodes), sizeof(nodes) - strlen(nodes), "%snode%u", i ? "," : "", i);
        snprintf(procs + strlen(procs), sizeof(procs) - strlen(procs), "%s%u-%u", i ? ";" : "",
                 i * world->per_node, (i + 1) * world->per_node - 1);
    }
    PMIX_INFO_LOAD(&info[0], PMIX_NODE_MAP, nodes, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_PROC_MAP, procs, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_JOBID, "1.0", PMIX_STRING);
    check_status(PMIx_server_register_nspace(nspace, (int) world->per_node, info, 3, NULL, NULL),
                 PMIX_SUCCESS);
    for (int i = 0; i < 3; i++) {
        PMIx_Value_destruct(&info[i].value);
    }
    for (unsigned i = 0; i < world->per_node; i++) {
        pmix_proc_t proc = proc_of(WORLD_NSPACE, node * world->per_node + i);

        check_status(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL),
                     PMIX_SUCCESS);
    }
}

static pid_t start_client(unsigned rank)
{
    pmix_proc_t proc = proc_of(WORLD_NSPACE, rank);
    char *argv[] = {(char *) "client", (char *) "client", (char *) world->act, NULL};
    char **env = NULL;
    pid_t pid;

    check_status(PMIx_server_setup_fork(&proc, &env), PMIX_SUCCESS);
    if (getenv("ASAN_OPTIONS")) {
        (void) PMIx_Setenv("ASAN_OPTIONS", getenv("ASAN_OPTIONS"), true, &env);
    }
    if (world->private_store) {
        (void) PMIx_Setenv("PMIX_MCA_gds", "hash", true, &env);
    }
    pid = fork();
    if (pid == 0) {
        execve("/proc/self/exe", argv, env);
        _exit(127);
    }
    PMIx_Argv_free(env);
    return pid;
}

static int run_node(void)
{
    static const struct px_host host = {.answers = answers, .script = count, .frees_data = true};
    char name[32];
    pmix_info_t info[3];
    bool tools = true;
    pthread_t listener;
    pid_t pids[MAX_RANKS];
    int bad = 0;

    snprintf(name, sizeof(name), "node%u", node);
    PMIX_INFO_LOAD(&info[0], PMIX_HOSTNAME, name, PMIX_STRING);
    snprintf(name, sizeof(name), "server%u", node);
    PMIX_INFO_LOAD(&info[1], PMIX_SERVER_NSPACE, name, PMIX_STRING);
    if (world->host) {
        world->host(node, answers);
    }
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_TOOL_SUPPORT, &tools, PMIX_BOOL);
    check_status(PMIx_server_init(px_host_module(&host), info, answers[ON_TOOL].how ? 3 : 2),
                 PMIX_SUCCESS);
    PMIx_Value_destruct(&info[0].value);
    PMIx_Value_destruct(&info[1].value);
    register_job(); /* before questions of other nodes are read: the server would not know the job
                     */
    check(pthread_create(&listener, NULL, listen_to_relay, NULL) == 0);
    if (world->ready) {
        world->ready(node);
    }
    for (unsigned i = 0; i < world->per_node; i++) {
        pids[i] = start_client(node * world->per_node + i);
    }
    for (unsigned i = 0; i < world->per_node; i++) {
        int status = -1;

        (void) waitpid(pids[i], &status, 0);
        bad |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    bad |= world->after && world->after(node) != 0;
    /* The others may still ask us: the relay hangs up when all are done. */
    post_letter((struct letter){.kind = NODE_DONE}, NULL, 0);
    (void) pthread_join(listener, NULL);
    check_status(PMIx_server_finalize(), PMIX_SUCCESS);
    return bad;
}

/* --- the relay --- */

struct round {
    unsigned n;
    struct letter letters[MAX_NODES];
    char *data[MAX_NODES];
};

static void send_to(int fd, struct letter letter, const void *data, size_t len)
{
    letter.len = len;
    (void) (move(fd, &letter, sizeof(letter), true) &&
            move(fd, (void *) (uintptr_t) data, len, true));
}

/* All nodes have come: everybody gets everything, in an order that is nobody's own. */
static void finish_round(struct round *round, const int *fds)
{
    size_t total = 0;
    char *all;
    size_t at = 0;

    for (unsigned i = 0; i < round->n; i++) {
        total += round->letters[i].len;
    }
    all = malloc(total + 1);
    for (unsigned i = round->n; i-- > 0;) {
        memcpy(all + at, round->data[i], round->letters[i].len);
        at += round->letters[i].len;
        free(round->data[i]);
    }
    for (unsigned i = 0; i < round->n; i++) {
        struct letter letter = round->letters[i];

        letter.kind = FENCE_DONE;
        letter.status = PMIX_SUCCESS;
        send_to(fds[letter.node], letter, all, total);
    }
    free(all);
    round->n = 0;
}

static void forward(const struct world *w, struct letter letter, char *data, const int *fds,
                    struct round *round)
{
    if (letter.kind == FENCE) {
        round->letters[round->n] = letter;
        round->data[round->n++] = data;
        if (round->n == w->n_nodes) {
            finish_round(round, fds);
        }
        return;
    }
    if (letter.kind == MODEX) {
        letter.kind = MODEX_ASK;
        send_to(fds[letter.rank / w->per_node], letter, NULL, 0);
    } else {
        letter.kind = MODEX_DONE;
        send_to(fds[letter.node], letter, data, letter.len);
    }
    free(data);
}

static void relay(const struct world *w, const int *fds)
{
    struct pollfd polls[MAX_NODES];
    struct round round = {0};
    unsigned open = w->n_nodes;

    for (unsigned i = 0; i < w->n_nodes; i++) {
        polls[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    }
    while (open && poll(polls, w->n_nodes, -1) > 0) {
        for (unsigned i = 0; i < w->n_nodes; i++) {
            struct letter letter;
            char *data;

            if (!polls[i].revents) {
                continue;
            }
            data = move(fds[i], &letter, sizeof(letter), false) ? malloc(letter.len + 1) : NULL;
            if (!data || !move(fds[i], data, letter.len, false)) {
                free(data);
                polls[i].fd = -1;
                open--;
                continue;
            }
            if (letter.kind == NODE_DONE) {
                free(data);
                open--;
                continue;
            }
            forward(w, letter, data, fds, &round);
        }
    }
}

int world_run(const struct world *w)
{
    int fds[MAX_NODES];
    pid_t pids[MAX_NODES];
    int bad = 0;

    world = w;
    for (unsigned i = 0; i < w->n_nodes; i++) {
        int pair[2];

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
            return -1;
        }
        pids[i] = fork();
        if (pids[i] == 0) {
            alarm(60);
            node = i;
            line = pair[1];
            (void) close(pair[0]);
            for (unsigned j = 0; j < i; j++) {
                (void) close(fds[j]);
            }
            exit(run_node());
        }
        (void) close(pair[1]);
        fds[i] = pair[0];
    }
    relay(w, fds);
    for (unsigned i = 0; i < w->n_nodes; i++) {
        (void) shutdown(fds[i], SHUT_RDWR);
    }
    for (unsigned i = 0; i < w->n_nodes; i++) {
        int status = -1;

        (void) close(fds[i]);
        (void) waitpid(pids[i], &status, 0);
        bad |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    return bad;
}

/* --- clients --- */

void world_maybe_client(int argc, char **argv, const struct act *acts)
{
    if (argc < 3 || strcmp(argv[1], "client") != 0) {
        return;
    }
    alarm(60);
    for (const struct act *act = acts; act->name; act++) {
        pmix_value_t *value = NULL;
        pmix_proc_t job;
        int rc;

        if (strcmp(act->name, argv[2]) != 0) {
            continue;
        }
        check_status(PMIx_Init(&me, NULL, 0), PMIX_SUCCESS);
        job = proc_of(me.nspace, PMIX_RANK_WILDCARD);
        check_status(PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value), PMIX_SUCCESS);
        job_size = value->data.uint32;
        PMIx_Value_free(value, 1);
        rc = act->run();
        check_status(PMIx_Finalize(NULL, 0), PMIX_SUCCESS);
        exit(rc);
    }
    exit(126);
}

void fence_all(bool collect)
{
    pmix_proc_t job = proc_of(me.nspace, PMIX_RANK_WILDCARD);
    pmix_info_t info;
    bool yes = true;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check_status(PMIx_Fence(&job, 1, &info, collect ? 1 : 0), PMIX_SUCCESS);
}

void post(pmix_scope_t scope, const char *key, uint32_t v)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = v};

    check_status(PMIx_Put(scope, key, &value), PMIX_SUCCESS);
}

pmix_status_t get_with(pmix_rank_t rank, const char *key, const char *directive, uint32_t *ret)
{
    pmix_proc_t proc = proc_of(me.nspace, rank);
    pmix_value_t *value = NULL;
    pmix_info_t info;
    bool yes = true;
    pmix_status_t rc;

    if (directive) {
        PMIX_INFO_LOAD(&info, directive, &yes, PMIX_BOOL);
    }
    rc = PMIx_Get(&proc, key, directive ? &info : NULL, directive ? 1 : 0, &value);
    if (rc == PMIX_SUCCESS) {
        *ret = value->data.uint32;
        PMIx_Value_free(value, 1);
    }
    return rc;
}

char world_state_of(uint32_t pid)
{
    char path[64];
    char text[512] = "";
    const char *end;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    f = fopen(path, "r");
    check(f != NULL);
    check(fgets(text, sizeof(text), f) != NULL);
    fclose(f);
    end = strrchr(text, ')');
    return end ? end[2] : '?';
}
