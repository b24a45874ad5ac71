/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reads or puts one thing many times, for a tool that counts instructions inside the calls. Rank 1
 * posts what others read. usage: instructions [CASE RANKS] */

#include <pmix.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READS = 10000 };

static pmix_proc_t job;
static pmix_proc_t self;
static pmix_proc_t peer;  /* rank 1, which has posted */
static pmix_proc_t any;   /* another one each time */
static pmix_proc_t other; /* another job */
static pmix_proc_t other_any;
static char host[256];
static const char own_key[] = "budget-own";
static const char word_key[] = "budget-word";
static const char small_key[] = "budget-small";
static const char large_key[] = "budget-large";

enum { SMALL = 64, LARGE = 65536 };

/* So many keys that a thread remembers none of them: each read is like the first one. */
enum { N_NEW = 192 };
static char new_keys[N_NEW][16];
static char absent_keys[N_NEW][16];

static const struct read_case {
    const char *name;
    const pmix_proc_t *proc;
    const char *key;       /* NULL: one of new_keys or absent_keys, another one each time */
    const char *directive; /* PMIX_HOSTNAME: this node; else a switch */
    pmix_data_type_t type; /* PMIX_UNDEF: not there */
    bool posts;            /* this process has posted too, so that there are two places to look */
} cases[] = {
    {"job_size", &job, PMIX_JOB_SIZE, NULL, PMIX_UINT32, false},
    {"job_size_posted", &job, PMIX_JOB_SIZE, NULL, PMIX_UINT32, true},
    {"local_rank", &self, PMIX_LOCAL_RANK, NULL, PMIX_UINT16, false},
    {"foreign", &other, PMIX_JOB_SIZE, NULL, PMIX_UINT32, false},
    {"foreign_rank", &other_any, PMIX_LOCAL_RANK, NULL, PMIX_UINT16, false},
    {"foreign_text", &other, PMIX_JOBID, NULL, PMIX_STRING, false},
    {"local_rank_posted", &self, PMIX_LOCAL_RANK, NULL, PMIX_UINT16, true},
    {"random_rank", &any, PMIX_LOCAL_RANK, NULL, PMIX_UINT16, false},
    {"random_rank_posted", &any, PMIX_LOCAL_RANK, NULL, PMIX_UINT16, true},
    {"node_rank", &any, PMIX_NODE_RANK, NULL, PMIX_UINT16, false},
    {"global_rank", &any, PMIX_GLOBAL_RANK, NULL, PMIX_PROC_RANK, false},
    {"appnum", &any, PMIX_APPNUM, NULL, PMIX_UINT32, false},
    {"nodeid", &any, PMIX_NODEID, NULL, PMIX_UINT32, false},
    {"univ_size", &job, PMIX_UNIV_SIZE, NULL, PMIX_UINT32, false},
    {"app_size", &job, PMIX_APP_SIZE, NULL, PMIX_UINT32, false},
    {"node_size", &job, PMIX_NODE_SIZE, NULL, PMIX_UINT32, false},
    {"local_size", &job, PMIX_LOCAL_SIZE, NULL, PMIX_UINT32, false},
    {"local_size_self", &self, PMIX_LOCAL_SIZE, NULL, PMIX_UINT32, false},
    {"own", &self, own_key, NULL, PMIX_UINT32, true},
    {"own_new", &self, NULL, NULL, PMIX_UINT32, true},
    {"posted32", &peer, word_key, NULL, PMIX_UINT32, false},
    {"posted32_new", &peer, NULL, NULL, PMIX_UINT32, false},
    {"jobid", &job, PMIX_JOBID, NULL, PMIX_STRING, false},
    {"hostname", &self, PMIX_HOSTNAME, NULL, PMIX_STRING, false},
    {"static", &job, PMIX_JOB_SIZE, PMIX_GET_STATIC_VALUES, PMIX_UINT32, false},
    {"static_posted", &job, PMIX_JOB_SIZE, PMIX_GET_STATIC_VALUES, PMIX_UINT32, true},
    {"static_rank", &any, PMIX_LOCAL_RANK, PMIX_GET_STATIC_VALUES, PMIX_UINT16, false},
    {"static_own", &self, own_key, PMIX_GET_STATIC_VALUES, PMIX_UINT32, true},
    {"pointer_job", &job, PMIX_JOB_SIZE, PMIX_GET_POINTER_VALUES, PMIX_UINT32, false},
    {"pointer_rank", &any, PMIX_LOCAL_RANK, PMIX_GET_POINTER_VALUES, PMIX_UINT16, false},
    {"optional", &job, PMIX_JOB_SIZE, PMIX_OPTIONAL, PMIX_UINT32, false},
    {"optional_rank", &any, PMIX_LOCAL_RANK, PMIX_OPTIONAL, PMIX_UINT16, false},
    {"pointer", &job, PMIX_JOBID, PMIX_GET_POINTER_VALUES, PMIX_STRING, false},
    {"node", &job, PMIX_LOCAL_SIZE, PMIX_HOSTNAME, PMIX_UINT32, false},
    {"miss", &self, "budget-nobody-has-this", PMIX_OPTIONAL, PMIX_UNDEF, false},
    {"miss_new", &self, NULL, PMIX_OPTIONAL, PMIX_UNDEF, false},
    {"pointer_new", &peer, NULL, PMIX_GET_POINTER_VALUES, PMIX_UINT32, false},
    {"miss_posted", &self, "budget-nobody-has-this", PMIX_OPTIONAL, PMIX_UNDEF, true},
    {"posted64", &peer, small_key, NULL, PMIX_BYTE_OBJECT, false},
    {"posted64_posted", &peer, small_key, NULL, PMIX_BYTE_OBJECT, true},
    {"pointer64", &peer, small_key, PMIX_GET_POINTER_VALUES, PMIX_BYTE_OBJECT, false},
    {"pointer64k", &peer, large_key, PMIX_GET_POINTER_VALUES, PMIX_BYTE_OBJECT, false},
};

static void must(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "instructions: %s\n", what);
        exit(1);
    }
}

static void get(const struct read_case *c, const char *key, const pmix_info_t *info)
{
    pmix_value_t here = {.type = PMIX_UNDEF};
    pmix_value_t *value = &here;
    pmix_status_t rc = PMIx_Get(c->proc, key, info, info ? 1 : 0, &value);

    if (c->type == PMIX_UNDEF) {
        must(rc == PMIX_ERR_NOT_FOUND, c->name);
        return;
    }
    must(rc == PMIX_SUCCESS && value->type == c->type, c->name);
    if (value != &here && (!info || strcmp(info->key, PMIX_GET_POINTER_VALUES) != 0)) {
        PMIx_Value_free(value, 1);
    }
}

static void post(const char *key, size_t len)
{
    char *bytes = calloc(1, len);
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = len}};

    must(bytes && PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS, "put");
    free(bytes);
}

static void post_words(pmix_scope_t scope)
{
    pmix_value_t word = {.type = PMIX_UINT32, .data.uint32 = 1};

    for (size_t i = 0; i < N_NEW; i++) {
        must(PMIx_Put(scope, new_keys[i], &word) == PMIX_SUCCESS, "put");
    }
}

static void read_often(const struct read_case *c, pmix_rank_t n_ranks)
{
    pmix_value_t posted = {.type = PMIX_UINT32, .data.uint32 = 1};
    pmix_info_t info;
    const char(*others)[16] = c->type == PMIX_UNDEF ? absent_keys : new_keys;
    bool yes = true;

    if (c->posts) {
        must(PMIx_Put(PMIX_LOCAL, own_key, &posted) == PMIX_SUCCESS, "put");
    }
    if (c->posts && !c->key) {
        post_words(PMIX_LOCAL);
    }
    PMIX_INFO_CONSTRUCT(&info);
    if (c->directive && !strcmp(c->directive, PMIX_HOSTNAME)) {
        PMIX_INFO_LOAD(&info, PMIX_HOSTNAME, host, PMIX_STRING);
    } else if (c->directive) {
        PMIX_INFO_LOAD(&info, c->directive, &yes, PMIX_BOOL);
    }
    for (pmix_rank_t i = 0; i < READS; i++) {
        any.rank = other_any.rank = i * 7919 % n_ranks;
        get(c, c->key ? c->key : others[i % N_NEW], c->directive ? &info : NULL);
    }
    PMIX_INFO_DESTRUCT(&info);
}

/* Puts a number again and again, and commits each if that is asked for. */
static void put_often(bool commits)
{
    pmix_value_t value = {.type = PMIX_UINT32};

    for (uint32_t i = 0; i < READS; i++) {
        value.data.uint32 = i;
        must(PMIx_Put(PMIX_LOCAL, own_key, &value) == PMIX_SUCCESS, "put");
        must(!commits || PMIx_Commit() == PMIX_SUCCESS, "commit");
    }
}

static void resolve_often(bool peers)
{
    pmix_proc_t *procs = NULL;
    char *list = NULL;
    size_t n = 0;

    for (int i = 0; i < READS && peers; i++) {
        must(PMIx_Resolve_peers(host, self.nspace, &procs, &n) == PMIX_SUCCESS && n > 1, "peers");
        PMIX_PROC_FREE(procs, n);
    }
    for (int i = 0; i < READS && !peers; i++) {
        must(PMIx_Resolve_nodes(self.nspace, &list) == PMIX_SUCCESS && !strcmp(list, host),
             "nodes");
        free(list);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 2 ? argv[1] : "";

    alarm(120);
    must(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS, "init");
    job = any = peer = self;
    job.rank = PMIX_RANK_WILDCARD;
    peer.rank = 1;
    PMIX_LOAD_PROCID(&other, "other-job", PMIX_RANK_WILDCARD);
    other_any = other;
    gethostname(host, sizeof(host) - 1);
    for (size_t i = 0; i < N_NEW; i++) {
        snprintf(new_keys[i], sizeof(new_keys[i]), "budget-%zu", i);
        snprintf(absent_keys[i], sizeof(absent_keys[i]), "absent-%zu", i);
    }
    if (self.rank == peer.rank) {
        pmix_value_t word = {.type = PMIX_UINT32, .data.uint32 = 1};

        must(PMIx_Put(PMIX_GLOBAL, word_key, &word) == PMIX_SUCCESS, "put");
        post(small_key, SMALL);
        post(large_key, LARGE);
        post_words(PMIX_GLOBAL);
        must(PMIx_Commit() == PMIX_SUCCESS, "commit");
    }
    must(PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS, "fence");
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        if (!strcmp(name, cases[c].name)) {
            read_often(&cases[c], (pmix_rank_t) atoi(argv[2]));
        }
    }
    if (!strncmp(name, "put", 3)) {
        put_often(!strcmp(name, "put_commit"));
    }
    if (!strncmp(name, "resolve_", 8)) {
        resolve_often(!strcmp(name, "resolve_peers"));
    }
    must(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS, "finalize");
    return 0;
}
