/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A tool that does what its command line says, and prints what comes of it. Used by the tests of
 * pmixrun as a host of tools.
 *
 *   attend [--pid N | --nspace NAME | --job] COMMAND [, COMMAND]...
 *
 * --job: as the process of a job that it is, with "+" between commands. In a command "@" is the
 * namespace that was spawned last, "." our own. */

#include "attend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pmix_proc_t me;
char spawned[PMIX_MAX_NSLEN + 1];

void must(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "attend: %s: %s\n", what, PMIx_Error_string(rc));
        _exit(1);
    }
}

void load_proc(pmix_proc_t *proc, const char *nspace, const char *rank)
{
    PMIX_LOAD_PROCID(proc,
                     strcmp(nspace, "@") == 0   ? spawned
                     : strcmp(nspace, ".") == 0 ? me.nspace
                                                : nspace,
                     strcmp(rank, "*") == 0 ? PMIX_RANK_WILDCARD
                                            : (pmix_rank_t) strtoul(rank, NULL, 10));
}

/* ---- queries */

/* The answer to one key about a namespace ("": none), to be freed; NULL: there is none, said. */
static pmix_info_t *ask(const char *key, const char *nspace, size_t *ret_n)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    pmix_proc_t proc;

    *ret_n = 0;
    PMIX_QUERY_CONSTRUCT(&query);
    must(PMIx_Argv_append_nosize(&query.keys, key), "a query");
    if (nspace[0] != '\0') {
        load_proc(&proc, nspace, "*");
        PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
        must(PMIx_Info_load(&query.qualifiers[0], PMIX_NSPACE, proc.nspace, PMIX_STRING), "load");
    }
    pmix_status_t rc = PMIx_Query_info(&query, 1, &results, ret_n);
    PMIX_QUERY_DESTRUCT(&query);
    if (rc != PMIX_SUCCESS) {
        printf("%s: %s\n", key, PMIx_Error_string(rc));
    }
    return results;
}

/* What was asked, also if qualifiers came with it. */
static const pmix_value_t *answer_in(const pmix_info_t *info, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], key)) {
            return &info[i].value;
        }
        if (info[i].value.type == PMIX_DATA_ARRAY && info[i].value.data.darray->type == PMIX_INFO) {
            const pmix_data_array_t *a = info[i].value.data.darray;
            const pmix_value_t *v = answer_in(a->array, a->size, key);
            if (v != NULL) {
                return v;
            }
        }
    }
    return NULL;
}

static void print_table(const pmix_data_array_t *table)
{
    const pmix_proc_info_t *p = table->array;

    for (size_t i = 0; i < table->size; i++) {
        printf("rank %u on %s: %s, %s, pid %d, code %d\n", p[i].proc.rank, p[i].hostname,
               p[i].executable_name, PMIx_Proc_state_string(p[i].state), (int) p[i].pid,
               p[i].exit_code);
    }
}

static void print_value(const pmix_value_t *v, const char *key)
{
    if (v == NULL) {
        printf("%s is missing\n", key);
    } else if (v->type == PMIX_STRING) {
        printf("%s\n", v->data.string);
    } else if (v->type == PMIX_STATUS) {
        printf("%s\n", PMIx_Error_string(v->data.status));
    } else if (v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_PROC_INFO) {
        print_table(v->data.darray);
    } else {
        char *text = PMIx_Value_string(v);
        printf("%s\n", text);
        free(text);
    }
}

/* query KEY [NSPACE] */
static void do_query(char **words, int n)
{
    const char *key = PMIx_Get_attribute_string(words[1]);
    size_t n_results;
    pmix_info_t *results = ask(key, n > 2 ? words[2] : "", &n_results);

    if (results != NULL) {
        print_value(answer_in(results, n_results, key), words[1]);
        PMIx_Info_free(results, n_results);
    }
}

/* ---- job control: control NSPACE RANK KEY[=NUMBER] */

static void do_control(char **words, int n)
{
    pmix_proc_t target;
    pmix_info_t info;
    pmix_info_t *results = NULL;
    size_t n_results = 0;

    (void) n;
    load_proc(&target, words[1], words[2]);
    load_info(&info, words[3]);
    printf("%s: %s\n", words[3],
           PMIx_Error_string(PMIx_Job_control(&target, 1, &info, 1, &results, &n_results)));
    PMIx_Info_destruct(&info);
    PMIx_Info_free(results, n_results);
}

/* ---- the rest */

/* log TEXT */
static void do_log(char **words, int n)
{
    pmix_info_t info;

    (void) n;
    must(PMIx_Info_load(&info, PMIX_LOG_STDOUT, words[1], PMIX_STRING), "load");
    printf("log: %s\n", PMIx_Error_string(PMIx_Log(&info, 1, NULL, 0)));
    PMIx_Info_destruct(&info);
}

/* who: our name */
static void do_who(char **words, int n)
{
    (void) words;
    (void) n;
    printf("%s %u\n", me.nspace, me.rank);
}

/* say TEXT */
static void do_say(char **words, int n)
{
    (void) n;
    puts(words[1]);
}

static const struct {
    const char *name;
    int words; /* at least */
    void (*fn)(char **words, int n);
} commands[] = {
    {"query", 2, do_query}, {"control", 4, do_control}, {"log", 2, do_log},
    {"who", 1, do_who},     {"say", 2, do_say},         {"pull", 4, do_pull},
    {"push", 3, do_push},   {"spawn", 3, do_spawn},     {"hear", 2, do_hear},
    {"await", 2, do_await}, {"until", 2, do_until},     {"get", 4, do_get},
    {"read", 1, do_read},
};

static void run(char **words, int n)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(words[0], commands[i].name) == 0 && n >= commands[i].words) {
            commands[i].fn(words, n);
            fflush(stdout);
            return;
        }
    }
    fprintf(stderr, "attend: what is \"%s\" with %d words?\n", words[0], n);
    _exit(2);
}

static pmix_status_t begin(const char *how, const char *which)
{
    pmix_info_t info;
    pid_t pid = (pid_t) strtol(which, NULL, 10);
    pmix_status_t rc;

    if (strcmp(how, "--job") == 0) {
        return PMIx_tool_init(&me, NULL, 0);
    }
    if (strcmp(how, "--pid") == 0) {
        rc = PMIx_Info_load(&info, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    } else {
        rc = PMIx_Info_load(&info, PMIX_SERVER_NSPACE, which, PMIX_STRING);
    }
    rc = rc == PMIX_SUCCESS ? PMIx_tool_init(&me, &info, 1) : rc;
    PMIx_Info_destruct(&info);
    return rc;
}

int main(int argc, char **argv)
{
    int at = 1;
    const char *how = argc > 1 ? argv[at++] : "";
    const char *between = strcmp(how, "--job") == 0 ? "+" : ",";
    const char *which = strcmp(how, "--job") != 0 && argc > 2 ? argv[at++] : "";

    must(begin(how, which), "tool_init");
    while (at < argc) {
        int n = 0;
        while (at + n < argc && strcmp(argv[at + n], between) != 0) {
            n++;
        }
        run(argv + at, n);
        at += n + 1;
    }
    must(PMIx_tool_finalize(), "tool_finalize");
    return 0;
}
