/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A server of two clients, one of which asks for N things of one kind and ends without
 * PMIx_Finalize. growth.sh counts the instructions of the server's thread. usage: asked CASE N */

#include <pmix.h>
#include <pmix_tool.h>

#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pair.h"

enum { CODE = -6001, LARGE = 100000 };

static pmix_proc_t self;
static pmix_proc_t other;
static sem_t answered;

static void must(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "asked: %s\n", what);
        _exit(1);
    }
}

static void on_op(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) cbdata;
    if (status == PMIX_SUCCESS && value->type == PMIX_BYTE_OBJECT) {
        sem_post(&answered);
    }
}

static void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) code, (void) source, (void) info, (void) ninfo, (void) results;
    (void) nresults;
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* --- what rank 0 asks for --- */

/* One query with the same key N times. */
static void query(uint32_t n)
{
    char **keys = calloc(n + 1, sizeof(*keys));
    pmix_query_t one = {.keys = keys};
    pmix_info_t *results = NULL;
    size_t n_results = 0;

    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (char *) PMIX_QUERY_NAMESPACES;
    }
    must(PMIx_Query_info(&one, 1, &results, &n_results) == PMIX_SUCCESS, "query");
    PMIX_INFO_FREE(results, n_results);
    free(keys);
}

/* One key of N nodes, all of which are this one. */
static void nodes(uint32_t n)
{
    char *keys[2] = {(char *) PMIX_LOCAL_PROCS, NULL};
    pmix_query_t one = {.keys = keys, .qualifiers = PMIx_Info_create(n), .nqual = n};
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    char name[256] = "";

    (void) gethostname(name, sizeof(name) - 1);
    for (uint32_t i = 0; i < n; i++) {
        PMIX_INFO_LOAD(&one.qualifiers[i], PMIX_HOSTNAME, name, PMIX_STRING);
    }
    must(PMIx_Query_info(&one, 1, &results, &n_results) == PMIX_SUCCESS && n_results > 0, "nodes");
    must(results[0].value.data.darray->size == PAIR_CLIENTS, "each process of them once");
    PMIX_INFO_FREE(results, n_results);
    PMIx_Info_free(one.qualifiers, n);
}

/* Makes the names of N processes of unknown namespaces, whose numbers begin with `first`. */
static pmix_proc_t *strangers(uint32_t n, uint32_t first)
{
    pmix_proc_t *names = calloc(n + 1, sizeof(*names));

    for (uint32_t i = 0; i < n; i++) {
        snprintf(names[i].nspace, sizeof(names[i].nspace), "nobody.%u", first + i);
    }
    return names;
}

/* Two groups of one name that have N members each, of which one is the same; no host is asked. */
static void groups(uint32_t n)
{
    for (uint32_t i = 0; i < 2; i++) {
        pmix_proc_t *names = strangers(n, i * n);
        pmix_data_array_t list = {.type = PMIX_PROC, .size = n + 1, .array = names};
        pmix_info_t infos[2];

        names[n] = self;
        PMIX_INFO_LOAD(&infos[0], PMIX_GROUP_ID, "group", PMIX_STRING);
        PMIX_INFO_LOAD(&infos[1], PMIX_GROUP_MEMBERSHIP, &list, PMIX_DATA_ARRAY);
        must(PMIx_Notify_event(PMIX_GROUP_CONSTRUCT_COMPLETE, &self, PMIX_RANGE_NAMESPACE, infos, 2,
                               NULL, NULL) == PMIX_SUCCESS,
             "group");
        PMIX_INFO_DESTRUCT(&infos[0]);
        PMIX_INFO_DESTRUCT(&infos[1]);
        free(names);
    }
}

/* Two subscriptions to the output of N processes each; one ends. */
static void pulls(uint32_t n)
{
    pmix_status_t ids[2];

    for (uint32_t i = 0; i < 2; i++) {
        pmix_proc_t *names = strangers(n, i * n);

        ids[i] = PMIx_IOF_pull(names, n, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, NULL, NULL, NULL);
        must(ids[i] >= 0, "pull");
        free(names);
    }
    must(PMIx_IOF_deregister((size_t) ids[0], NULL, 0, NULL, NULL) == PMIX_SUCCESS, "its end");
}

/* One event for N processes by name. */
static void range(uint32_t n)
{
    pmix_proc_t *names = strangers(n, 0);
    pmix_data_array_t list = {.type = PMIX_PROC, .size = n, .array = names};
    pmix_info_t info;

    PMIX_INFO_CONSTRUCT(&info);
    PMIX_LOAD_KEY(info.key, PMIX_EVENT_CUSTOM_RANGE);
    info.value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &list};
    must(PMIx_Notify_event(CODE, NULL, PMIX_RANGE_CUSTOM, &info, 1, NULL, NULL) == PMIX_SUCCESS,
         "event");
    free(names);
}

/* One handler for N codes. */
static void codes(uint32_t n)
{
    pmix_status_t *list = calloc(n, sizeof(*list));

    for (uint32_t i = 0; i < n; i++) {
        list[i] = CODE - 1 - (pmix_status_t) i;
    }
    must(PMIx_Register_event_handler(list, n, NULL, 0, on_event, NULL, NULL) >= 0, "codes");
    free(list);
}

/* N gets from jobs that the server does not know yet. */
static void gets(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        pmix_proc_t proc = {.rank = 0};

        snprintf(proc.nspace, sizeof(proc.nspace), "nobody.%u", i);
        must(PMIx_Get_nb(&proc, "absent", NULL, 0, on_value, NULL) == PMIX_SUCCESS, "get");
    }
}

/* N fences in which the other one does not call. */
static void fences(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        pmix_proc_t procs[3] = {self, other};

        PMIX_LOAD_PROCID(&procs[2], "nobody", i);
        must(PMIx_Fence_nb(procs, 3, NULL, 0, on_op, NULL) == PMIX_SUCCESS, "fence");
    }
}

/* N times a large value, from the server each time. */
static void replies(uint32_t n)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    for (uint32_t i = 0; i < n; i++) {
        must(PMIx_Get_nb(&other, "large", &info, 1, on_value, NULL) == PMIX_SUCCESS, "get");
    }
    for (uint32_t i = 0; i < n; i++) {
        while (sem_wait(&answered) != 0) {
        }
    }
}

static const struct {
    const char *name;
    void (*ask)(uint32_t n);
} cases[] = {
    {"query", query}, {"nodes", nodes}, {"groups", groups}, {"pulls", pulls},     {"range", range},
    {"codes", codes}, {"gets", gets},   {"fences", fences}, {"replies", replies},
};

/* --- */

static void post_large(void)
{
    static char bytes[LARGE];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, LARGE}};

    for (size_t i = 0; i < LARGE; i++) {
        bytes[i] = (char) (i * i * 2654435761u >> 7); /* hardly compressed */
    }
    must(PMIx_Put(PMIX_GLOBAL, "large", &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS,
         "post");
}

int main(int argc, char **argv)
{
    pmix_status_t code = CODE;

    alarm(PAIR_SECONDS);
    must(argc == 3, "usage: asked CASE N");
    if (!getenv("PMIX_RANK")) {
        return pair_serve(argv);
    }
    must(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS, "init");
    PMIX_LOAD_PROCID(&other, self.nspace, 1);
    if (self.rank == 1) {
        if (strcmp(argv[1], "replies") == 0) {
            post_large();
        }
        must(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL) >= 0, "handler");
    }
    must(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "fence");
    if (self.rank == 1) {
        (void) PMIx_Fence(NULL, 0, NULL, 0); /* fails when the other one ends */
        return PMIx_Finalize(NULL, 0) != PMIX_SUCCESS;
    }
    sem_init(&answered, 0, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].ask((uint32_t) strtoul(argv[2], NULL, 0));
            query(1); /* the server has all that was sent before */
            _exit(0);
        }
    }
    return 2;
}
