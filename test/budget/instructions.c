/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reads one thing many times, for a tool that counts instructions inside PMIx_Get and PMIx_Value_free.
 * usage: instructions CASE */

#include <pmix.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READS = 2000 };

static pmix_proc_t job;
static pmix_proc_t self;
static char host[256];
static const char own_key[] = "budget-own";

static const struct {
    const char *name;
    const pmix_proc_t *proc;
    const char *key;
    const char *directive; /* PMIX_HOSTNAME: this node; else a switch */
    pmix_data_type_t type; /* PMIX_UNDEF: not there */
} cases[] = {
    {"job_size", &job, PMIX_JOB_SIZE, NULL, PMIX_UINT32},
    {"local_rank", &self, PMIX_LOCAL_RANK, NULL, PMIX_UINT16},
    {"nodeid", &self, PMIX_NODEID, NULL, PMIX_UINT32},
    {"own", &self, own_key, NULL, PMIX_UINT32},
    {"jobid", &job, PMIX_JOBID, NULL, PMIX_STRING},
    {"hostname", &self, PMIX_HOSTNAME, NULL, PMIX_STRING},
    {"static", &job, PMIX_JOB_SIZE, PMIX_GET_STATIC_VALUES, PMIX_UINT32},
    {"pointer", &job, PMIX_JOBID, PMIX_GET_POINTER_VALUES, PMIX_STRING},
    {"node", &job, PMIX_LOCAL_SIZE, PMIX_HOSTNAME, PMIX_UINT32},
    {"miss", &self, "budget-nobody-has-this", PMIX_OPTIONAL, PMIX_UNDEF},
};

static void must(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "instructions: %s\n", what);
        exit(1);
    }
}

static void read_case(size_t c, const pmix_info_t *info)
{
    pmix_value_t here = {.type = PMIX_UNDEF};
    pmix_value_t *value = &here;
    pmix_status_t rc = PMIx_Get(cases[c].proc, cases[c].key, info, info ? 1 : 0, &value);

    if (cases[c].type == PMIX_UNDEF) {
        must(rc == PMIX_ERR_NOT_FOUND, cases[c].name);
        return;
    }
    must(rc == PMIX_SUCCESS && value->type == cases[c].type, cases[c].name);
    if (value != &here && (!info || strcmp(info->key, PMIX_GET_POINTER_VALUES) != 0)) {
        PMIx_Value_free(value, 1);
    }
}

static void run(size_t c)
{
    pmix_value_t posted = {.type = PMIX_UINT32, .data.uint32 = 1};
    pmix_info_t info;
    bool yes = true;

    if (cases[c].key == own_key) {
        must(PMIx_Put(PMIX_LOCAL, own_key, &posted) == PMIX_SUCCESS, "put");
    }
    PMIX_INFO_CONSTRUCT(&info);
    if (cases[c].directive && !strcmp(cases[c].directive, PMIX_HOSTNAME)) {
        PMIX_INFO_LOAD(&info, PMIX_HOSTNAME, host, PMIX_STRING);
    } else if (cases[c].directive) {
        PMIX_INFO_LOAD(&info, cases[c].directive, &yes, PMIX_BOOL);
    }
    for (int i = 0; i < READS; i++) {
        read_case(c, cases[c].directive ? &info : NULL);
    }
    PMIX_INFO_DESTRUCT(&info);
}

int main(int argc, char **argv)
{
    alarm(120);
    must(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS, "init");
    job = self;
    job.rank = PMIX_RANK_WILDCARD;
    gethostname(host, sizeof host - 1);
    for (size_t c = 0; argc > 1 && c < sizeof cases / sizeof cases[0]; c++) {
        if (!strcmp(argv[1], cases[c].name)) {
            run(c);
        }
    }
    must(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS, "finalize");
    return 0;
}
