/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Public interface only. A collective that spans nodes has all processes of the job, so there is at
 * most one at a time; the carrier thread does its exchange, which blocks. */

#include "node.h"

#include <pmix_server.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "board.h"
#include "layout.h"
#include "measure.h"

enum { SPAWNED_MAX = 64, ARGS_MAX = 8, OUTPUT_PIECE = 65536 };
#define GIVEN "pmix.grp.infoarray" /* PMIX_GROUP_INFO_ARRAY, which 4.2.2 does not have */

static unsigned the_node;
static const char *the_nspace;
static fence_fn with_others;
static int event_socket = -1;
static pthread_t event_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned n_tasks; /* spawned jobs and deliveries of output that have not ended; lock */

/* ---- collectives */

/* Answers a construct with a context id, a destruct with nothing. Every node sees the same groups
 * in the same order, so counting gives the same id on all. */
static void finish_group(const struct upcall *upcall)
{
    static size_t id;
    const pmix_value_t *given = with_others ? NULL : px_host_find(upcall, GIVEN);
    pmix_info_t infos[2];
    size_t n = 0;

    if (upcall->number != PMIX_GROUP_CONSTRUCT) {
        px_host_reply_infos(upcall, PMIX_SUCCESS, NULL, 0);
        return;
    }
    id++;
    PMIX_INFO_CONSTRUCT(&infos[0]);
    PMIX_INFO_CONSTRUCT(&infos[1]);
    PMIX_INFO_LOAD(&infos[n++], PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    if (given) {
        PMIX_LOAD_KEY(infos[n].key, GIVEN);
        infos[n++].value = *given; /* borrowed: the reply copies it */
    }
    px_host_reply_infos(upcall, PMIX_SUCCESS, infos, n);
    PMIX_INFO_DESTRUCT(&infos[0]);
}

static unsigned
    n_fences; /* upcalls of this host so far; all hosts get the same ones in one order */

static void note_answer(void)
{
    if (the_node == 0) {
        board_fence_answered(n_fences - 1);
    }
}

/* Answers the upcall. all: contributions of all nodes, malloc'd or NULL; taken. */
static void finish(const struct upcall *upcall, char *all, size_t len)
{
    if (upcall->entry == ON_FENCE) {
        note_answer();
        upcall->reply.modex(PMIX_SUCCESS, all, all ? len : 0, upcall->cbdata, free, all);
        return;
    }
    free(all);
    if (upcall->entry == ON_GROUP) {
        finish_group(upcall);
    } else {
        px_host_reply_status(upcall, PMIX_SUCCESS);
    }
}

/* The thread that runs with_others, and the collective it is to do next. */
static struct {
    pthread_t thread;
    struct upcall upcall; /* lock */
    char *data;           /* a copy of upcall.data; lock */
    bool wanted, over;    /* upcall is set; the thread is to end; lock */
} carrier;

static void *carry(void *arg)
{
    (void) arg;
    pthread_mutex_lock(&lock);
    while (!carrier.over) {
        if (carrier.wanted) {
            struct upcall upcall = carrier.upcall;
            char *data = carrier.data;
            size_t len = 0;
            char *all;

            carrier.wanted = false;
            pthread_mutex_unlock(&lock);
            all = with_others(data, upcall.n_data, &len);
            free(data);
            finish(&upcall, all, len);
            pthread_mutex_lock(&lock);
        } else {
            pthread_cond_wait(&changed, &lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static pmix_status_t collective(struct upcall *upcall)
{
    if (upcall->entry == ON_FENCE) {
        board_fence_asked(n_fences++, upcall->n_data);
    }
    if (!with_others) {
        if (upcall->entry == ON_FENCE) {
            note_answer();
            return px_host_fence_alone(upcall);
        }
        finish(upcall, NULL, 0);
        return PMIX_SUCCESS;
    }
    pthread_mutex_lock(&lock);
    carrier.upcall = *upcall;
    carrier.data = malloc(upcall->n_data + 1);
    if (carrier.data && upcall->n_data) {
        memcpy(carrier.data, upcall->data, upcall->n_data);
    }
    carrier.wanted = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return PMIX_SUCCESS;
}

/* ---- events. Between nodes an event carries only its first info, which is a number. */

struct told {
    pmix_status_t code;
    pmix_proc_t source;
    pmix_data_range_t range;
    pmix_key_t key;
    uint64_t number;
};

static pmix_status_t notify(struct upcall *upcall)
{
    struct told told;

    memset(&told, 0, sizeof(told));
    if (event_socket >= 0 && upcall->range != PMIX_RANGE_CUSTOM && upcall->n_infos > 0 &&
        upcall->infos[0].value.type == PMIX_UINT64) {
        told.code = upcall->number;
        told.source = *upcall->proc;
        told.range = (pmix_data_range_t) upcall->range;
        memcpy(told.key, upcall->infos[0].key, sizeof(told.key));
        told.number = upcall->infos[0].value.data.uint64;
        (void) send(event_socket, &told, sizeof(told), MSG_NOSIGNAL);
    }
    return PMIX_OPERATION_SUCCEEDED;
}

static void raised(pmix_status_t status, void *cbdata)
{
    pmix_info_t *info = cbdata;

    (void) status;
    PMIX_INFO_FREE(info, 1);
}

static void *raise_events(void *arg)
{
    struct told told;

    (void) arg;
    while (recv(event_socket, &told, sizeof(told), MSG_WAITALL) == (ssize_t) sizeof(told)) {
        pmix_info_t *info;
        pmix_status_t rc;

        PMIX_INFO_CREATE(info, 1);
        PMIX_INFO_LOAD(info, told.key, &told.number, PMIX_UINT64);
        rc = PMIx_Notify_event(told.code, &told.source, told.range, info, 1, raised, info);
        if (rc != PMIX_SUCCESS) {
            raised(rc, info);
        }
    }
    return NULL;
}

/* ---- queries */

static pmix_status_t query(struct upcall *upcall)
{
    pmix_info_t info;
    bool known = upcall->n_queries == 1 && upcall->queries[0].keys && upcall->queries[0].keys[0] &&
                 !strcmp(upcall->queries[0].keys[0], PMIX_QUERY_NAMESPACES);

    if (!known) {
        return PMIX_ERR_NOT_SUPPORTED; /* family_query asks for the namespaces only */
    }
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_QUERY_NAMESPACES, the_nspace, PMIX_STRING);
    px_host_reply_infos(upcall, PMIX_SUCCESS, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return PMIX_SUCCESS;
}

/* ---- spawned jobs: one thread each, which waits for the job's processes */

struct spawned {
    char nspace[32];
    int n;
    char *argv[ARGS_MAX + 1];
    pmix_spawn_cbfunc_t done;
    void *cbdata;
};

static unsigned on_one_node(unsigned rank)
{
    (void) rank;
    return 0;
}

static unsigned as_it_is(unsigned rank)
{
    return rank;
}

static void count_tasks(int by)
{
    pthread_mutex_lock(&lock);
    n_tasks += (unsigned) by;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void run_spawned(struct spawned *job)
{
    struct layout layout = {job->nspace, job->nspace, (unsigned) job->n, 1,
                            0,           on_one_node, as_it_is,          node_name};
    pid_t pids[SPAWNED_MAX];

    layout_register(&layout);
    for (int i = 0; i < job->n; i++) {
        pids[i] = daemon_spawn(job->nspace, (pmix_rank_t) i, job->argv, -1, -1);
    }
    job->done(PMIX_SUCCESS, job->nspace, job->cbdata);
    for (int i = 0; i < job->n; i++) {
        if (daemon_wait(pids[i])) {
            fprintf(stderr, "bench: a spawned process failed\n");
        }
    }
    daemon_deregister(job->nspace);
}

static void *spawn_thread(void *arg)
{
    struct spawned *job = arg;

    run_spawned(job);
    for (char **at = job->argv; *at; at++) {
        free(*at);
    }
    free(job);
    count_tasks(-1);
    return NULL;
}

static pmix_status_t spawn(struct upcall *upcall)
{
    static unsigned n;
    struct spawned *job = calloc(1, sizeof(*job));
    const pmix_app_t *app = upcall->apps;
    pthread_t thread;

    if (!job || upcall->n_apps != 1 || app->maxprocs > SPAWNED_MAX || !app->argv) {
        free(job);
        return PMIX_ERR_BAD_PARAM;
    }
    snprintf(job->nspace, sizeof(job->nspace), "bench-spawned-%u", n++);
    job->n = app->maxprocs;
    for (unsigned i = 0; i < ARGS_MAX && app->argv[i]; i++) {
        job->argv[i] = strdup(app->argv[i]);
    }
    job->done = upcall->reply.spawn;
    job->cbdata = upcall->cbdata;
    count_tasks(1);
    if (pthread_create(&thread, NULL, spawn_thread, job) != 0) {
        abort();
    }
    pthread_detach(thread);
    return PMIX_SUCCESS;
}

/* ---- output that a tool pulls: one thread for each request, which delivers all of it */

struct delivery {
    size_t len; /* of a line */
    size_t n_lines;
    bool over; /* the piece under way is delivered; lock */
};

static void delivered(pmix_status_t status, void *cbdata)
{
    struct delivery *d = cbdata;

    (void) status; /* a tool that has ended takes no more */
    pthread_mutex_lock(&lock);
    d->over = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void deliver_piece(struct delivery *d, char *bytes, size_t size)
{
    pmix_byte_object_t piece = {.bytes = bytes, .size = size};
    pmix_proc_t source;

    PMIX_LOAD_PROCID(&source, the_nspace, 0);
    d->over = false;
    if (PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &piece, NULL, 0, delivered, d) !=
        PMIX_SUCCESS) {
        return;
    }
    pthread_mutex_lock(&lock);
    while (!d->over) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

/* Pieces do not end where lines do: a piece is what a host reads from a pipe. */
static void *deliver(void *arg)
{
    struct delivery *d = arg;
    char *bytes = malloc(OUTPUT_PIECE + d->len);
    size_t have = 0;

    if (!bytes) {
        abort();
    }
    for (size_t i = 0; i < d->n_lines; i++) {
        numbered_line(bytes + have, d->len, 0, (unsigned) i);
        have += d->len;
        while (have >= OUTPUT_PIECE || (have && i + 1 == d->n_lines)) {
            size_t size = have < OUTPUT_PIECE ? have : OUTPUT_PIECE;

            deliver_piece(d, bytes, size);
            memmove(bytes, bytes + size, have - size);
            have -= size;
        }
    }
    free(bytes);
    free(d);
    count_tasks(-1);
    return NULL;
}

static pmix_status_t pull(struct upcall *upcall)
{
    const pmix_value_t *len = px_host_find(upcall, BENCH_LINE);
    const pmix_value_t *n_lines = px_host_find(upcall, BENCH_LINES);
    struct delivery *d;
    pthread_t thread;

    if (!len || len->type != PMIX_SIZE || !n_lines || n_lines->type != PMIX_SIZE) {
        return PMIX_OPERATION_SUCCEEDED; /* the end of a request */
    }
    d = calloc(1, sizeof(*d));
    if (!d || len->data.size <= NUMBERED_HEAD) {
        free(d);
        return PMIX_ERR_BAD_PARAM;
    }
    d->len = len->data.size;
    d->n_lines = n_lines->data.size;
    count_tasks(1);
    if (pthread_create(&thread, NULL, deliver, d) != 0) {
        abort();
    }
    pthread_detach(thread);
    /* Not a callback later: 4.2.2 frees its request when the entry returns PMIX_SUCCESS. */
    return PMIX_OPERATION_SUCCEEDED;
}

/* ---- the server */

static const struct answer answers[N_ENTRIES] = {
    [ON_CONNECTED1] = {AT_ONCE, .status = PMIX_SUCCESS},
    [ON_FINALIZED] = {INSIDE, .status = PMIX_SUCCESS},
    [ON_FENCE] = {OWN, .own = collective},
    [ON_GROUP] = {OWN, .own = collective},
    [ON_CONNECT] = {OWN, .own = collective},
    [ON_DISCONNECT] = {OWN, .own = collective},
    [ON_REGISTER] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_DEREGISTER] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_NOTIFY] = {OWN, .own = notify},
    [ON_QUERY] = {OWN, .own = query},
    [ON_PUBLISH] = {OWN, .own = px_host_publish},
    [ON_LOOKUP] = {OWN, .own = px_host_lookup},
    [ON_UNPUBLISH] = {OWN, .own = px_host_unpublish},
    [ON_SPAWN] = {OWN, .own = spawn},
    [ON_TOOL] = {INSIDE, .status = PMIX_SUCCESS},
    [ON_PULL] = {OWN, .own = pull},
};

void node_start(unsigned node, const char *nspace, const char *hostname, fence_fn exchange,
                int events)
{
    static const struct px_host host = {.answers = answers};
    bool tools = getenv("BENCH_TOOLS") != NULL;
    bool no = false;
    pmix_info_t infos[3];

    the_node = node;
    the_nspace = nspace;
    with_others = exchange;
    event_socket = events;
    PMIX_INFO_CONSTRUCT(&infos[0]);
    PMIX_INFO_CONSTRUCT(&infos[1]);
    PMIX_INFO_CONSTRUCT(&infos[2]);
    PMIX_INFO_LOAD(&infos[0], PMIX_HOSTNAME, hostname, PMIX_STRING);
    PMIX_INFO_LOAD(&infos[1], PMIX_SERVER_TOOL_SUPPORT, &tools, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[2], PMIX_IOF_LOCAL_OUTPUT, &no, PMIX_BOOL);
    daemon_start(&host, infos, tools ? 3 : 1);
    PMIX_INFO_DESTRUCT(&infos[0]);
    PMIX_INFO_DESTRUCT(&infos[1]);
    PMIX_INFO_DESTRUCT(&infos[2]);
    if (exchange && (pthread_create(&event_thread, NULL, raise_events, NULL) != 0 ||
                     pthread_create(&carrier.thread, NULL, carry, NULL) != 0)) {
        abort();
    }
}

void node_end(const char *nspace)
{
    pthread_mutex_lock(&lock);
    while (n_tasks) {
        pthread_cond_wait(&changed, &lock);
    }
    carrier.over = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (with_others) {
        shutdown(event_socket, SHUT_RDWR);
        pthread_join(event_thread, NULL);
        pthread_join(carrier.thread, NULL);
    }
    daemon_fini(nspace);
}
