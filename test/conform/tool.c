/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Which servers there are: asked by a tool without one, by one with one, and by a process of
 * a job. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/tools.h"

/* All servers are on one node. */
static const pmix_value_t *value_in(const pmix_data_array_t *array, const char *key)
{
    const pmix_info_t *info = array->array;

    for (size_t i = 0; i < array->size; i++) {
        if (PMIX_CHECK_KEY(&info[i], key)) {
            return &info[i].value;
        }
    }
    return NULL;
}

/* One server: its namespace first, and what leads to it. Which node's it is, or -1. */
static int read_server(const pmix_info_t *info, char *uri, size_t n)
{
    const pmix_data_array_t *array = info->value.data.darray;
    const pmix_info_t *first = array->array;
    const pmix_value_t *v = value_in(array, PMIX_SERVER_URI);

    check(PMIX_CHECK_KEY(info, PMIX_SERVER_INFO_ARRAY), "an array of a server, not %s", info->key);
    check(PMIX_CHECK_KEY(first, PMIX_NSPACE) && first->value.type == PMIX_STRING,
          "its namespace comes first, not %s", first->key);
    if (check(v != NULL && v->type == PMIX_STRING, "with an address")) {
        snprintf(uri, n, "%s", v->data.string);
    }
    v = value_in(array, PMIX_SERVER_PIDINFO);
    for (int i = 0; v != NULL && i < n_nodes(); i++) {
        if (v->data.pid == server_pid(i)) {
            return i;
        }
    }
    return -1;
}

/* Asks for the servers; returns how many there are, and the address of node 1's. */
static size_t see_servers(struct infos *quals, char *uri, size_t n_uri)
{
    struct asked asked = ask_one(PMIX_QUERY_AVAIL_SERVERS, quals);
    const pmix_value_t *v = answer_to(&asked, 0, PMIX_QUERY_AVAIL_SERVERS);
    bool seen[MAX_NODES] = {false};
    size_t n = 0;

    check_status(PMIX_SUCCESS, asked.rc, "query");
    if (check(v != NULL && v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_INFO,
              "an array")) {
        n = v->data.darray->size;
        for (size_t i = 0; i < n; i++) {
            char at[512] = "";
            int of = read_server((const pmix_info_t *) v->data.darray->array + i, at, sizeof(at));

            check(of >= 0 && !seen[of], "each server once");
            seen[of < 0 ? 0 : of] = true;
            if (of == 1) {
                snprintf(uri, n_uri, "%s", at);
            }
        }
    }
    free_asked(&asked);
    return n;
}

static void choose(void)
{
    struct infos list = {0};
    struct infos quals = {0};
    pid_t pid = server_pid(1);
    pmix_rank_t rank = 0;
    char uri[512] = "";
    pmix_proc_t self;
    pmix_proc_t server;

    add_true(&list, PMIX_TOOL_DO_NOT_CONNECT);
    add_text(&list, PMIX_TOOL_NSPACE, "tool");
    add(&list, PMIX_TOOL_RANK, &rank, PMIX_PROC_RANK);
    check_status(PMIX_SUCCESS, PMIx_tool_init(&self, list.at, list.n), "tool_init");
    free_infos(&list);
    check(see_servers(NULL, uri, sizeof(uri)) == 2, "two servers");
    add(&quals, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    check(see_servers(&quals, uri, sizeof(uri)) == 1, "one of that process");
    add_text(&list, PMIX_SERVER_URI, uri);
    check_status(PMIX_SUCCESS, PMIx_tool_attach_to_server(NULL, &server, list.at, list.n),
                 "attach");
    free_infos(&list);
    check(see_servers(NULL, uri, sizeof(uri)) == 2, "still two");
    check(strncmp(uri, server.nspace, strlen(server.nspace)) == 0, "it is the one that was chosen");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

static void from_job(void)
{
    struct infos quals = {0};
    struct asked asked;
    char uri[512];

    check(see_servers(NULL, uri, sizeof(uri)) == 2, "two servers");
    asked = ask_one(PMIX_QUERY_AVAIL_SERVERS "," PMIX_JOB_SIZE, NULL);
    check_status(PMIX_SUCCESS, asked.rc, "among other things");
    same("2", said(&asked, 0, PMIX_JOB_SIZE), "another thing");
    check(answer_to(&asked, 0, PMIX_QUERY_AVAIL_SERVERS) != NULL, "and the servers");
    free_asked(&asked);
    add_text(&quals, PMIX_SERVER_NSPACE, "nobody");
    check_status(PMIX_ERR_NOT_FOUND, ask_one(PMIX_QUERY_AVAIL_SERVERS, &quals).rc, "none such");
}

/* No file says where it is. */
static void own_server(void)
{
    struct asked asked = ask_one(PMIX_QUERY_AVAIL_SERVERS, NULL);
    const pmix_value_t *v = answer_to(&asked, 0, PMIX_QUERY_AVAIL_SERVERS);
    char uri[512] = "";

    check_status(PMIX_SUCCESS, asked.rc, "query");
    if (check(v != NULL && v->data.darray->size == 1, "one")) {
        (void) read_server(v->data.darray->array, uri, sizeof(uri));
        same(query_text(PMIX_SERVER_URI, NULL), uri, "its own");
    }
    free_asked(&asked);
}

/* ---- output that came before somebody asked */

enum { PIECE = 1024, PIECES = 10, CACHE = 4000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char shown[PIECE * PIECES + 1];
static size_t n_shown;

static void show(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id;
    (void) channel;
    (void) source;
    (void) info;
    (void) ninfo;
    pthread_mutex_lock(&lock);
    if (n_shown + bytes->size < sizeof(shown)) {
        memcpy(shown + n_shown, bytes->bytes, bytes->size);
    }
    n_shown += bytes->size;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
}

/* Waits for so many bytes, of which the first is in the piece of that letter. */
static void check_shown(size_t n, char first, const char *what)
{
    pthread_mutex_lock(&lock);
    while (n_shown < n) {
        pthread_cond_wait(&more, &lock);
    }
    check(n_shown == n && shown[0] == first, "%s: %zu bytes from %c", what, n_shown, shown[0]);
    n_shown = 0;
    pthread_mutex_unlock(&lock);
}

static void print(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t source = process(nspace, rank);

    for (int i = 0; i < PIECES; i++) {
        char piece[PIECE];
        pmix_byte_object_t bytes = {.bytes = piece, .size = sizeof(piece)};
        pmix_status_t rc;

        memset(piece, 'a' + i, sizeof(piece));
        rc = PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, NULL, NULL);
        check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "deliver");
    }
}

static void print_all(void)
{
    for (pmix_rank_t rank = 0; rank < 4; rank++) {
        print("J", rank);
    }
    tell("printed");
    await("heard");
    print("J", 0);
    tell("printed again");
}

static size_t pull(pmix_rank_t rank, struct infos *list)
{
    pmix_proc_t source = process("J", rank);
    pmix_status_t rc =
        PMIx_IOF_pull(&source, 1, list->at, list->n, PMIX_FWD_STDOUT_CHANNEL, show, NULL, NULL);

    check(rc >= 0, "pull: %s", PMIx_Error_string(rc));
    free_infos(list);
    return (size_t) rc;
}

static void hear(void)
{
    struct infos list = {0};
    size_t id;

    await("printed");
    (void) pull(1, &list);
    check_shown(PIECE * PIECES, 'a', "everything");
    add_u32(&list, PMIX_IOF_CACHE_SIZE, CACHE);
    (void) pull(2, &list);
    check_shown(CACHE, 'a', "the newest is dropped");
    add_u32(&list, PMIX_IOF_CACHE_SIZE, CACHE);
    add_true(&list, PMIX_IOF_DROP_OLDEST);
    (void) pull(3, &list);
    check_shown(CACHE, 'g', "the oldest is dropped");
    id = pull(0, &list);
    check_shown(PIECE * PIECES, 'a', "of another");
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(id, NULL, 0, NULL, NULL), "deregister");
    tell("heard");
    await("printed again");
    (void) pull(0, &list);
    check_shown(PIECE * PIECES, 'a', "what came meanwhile, and nothing twice");
}

/* ---- a job whose information cannot be sent: as deep as a value may be, one array deeper */

enum { DEPTH = 64 };

static void bury(const struct job *job, struct infos *list)
{
    struct infos inner = {0};
    struct infos outer = {0};

    if (strcmp(job->name, "B") != 0) {
        return;
    }
    add_text(&inner, "treasure", "gold");
    for (int i = 0; i < DEPTH; i++) {
        add_array(&outer, "conform.deep", &inner);
        inner = outer;
        outer = (struct infos){0};
    }
    add_text(&inner, PMIX_HOSTNAME, "node0");
    add_array(list, PMIX_NODE_INFO_ARRAY, &inner);
}

static void post_and_wait(void)
{
    put_text(PMIX_GLOBAL, "word", "posted");
    commit();
    tell("posted");
    await("looked");
}

static void look_from_outside(void)
{
    struct infos list = {0};
    pid_t pid = server_pid(0);
    pmix_proc_t name;

    add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    setenv("PMIX_MCA_shmix_tool_segments", "0", 1);
    check_status(PMIX_SUCCESS, PMIx_tool_init(&name, list.at, list.n), "the tool");
    free_infos(&list);
    await("posted");
    same("-21", got("B", 0, "word", NULL, 0), "a value whose job cannot be packed");
    tell("looked");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "its end");
}

const struct conform_case cases[] = {
    {.ids = "QRY-028",
     .what = "a tool asks which servers there are, and takes one",
     .jobs = {{"A", {1, 1}, .quiet = true}},
     .nodes = 2,
     .tools = 1,
     .server = as_node0,
     .tool = choose},
    {.ids = "QRY-028",
     .what = "a process of a job asks for them",
     .nodes = 2,
     .server = as_node0,
     .client = from_job},
    {.ids = "QRY-028",
     .what = "a server that takes no tools is known to its clients",
     .client = own_server},
    {.ids = "UPC-003",
     .what = "output is kept until somebody asks for it",
     .script = print_all,
     .host = {[ON_PULL] = {CALLBACK, PMIX_SUCCESS}},
     .client = hear},
    {.ids = "GET-001",
     .what = "a value of a job whose information cannot be packed",
     .jobs = {{"B", {1}}},
     .setup = bury,
     .client = post_and_wait,
     .tools = 1,
     .tool = look_from_outside,
     .form = SHARED,
     .ours_only = "by messages the job's own processes could not start"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
