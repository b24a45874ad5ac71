/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pps: the jobs of a server and their processes, by PMIX_QUERY_NAMESPACES and
 * PMIX_QUERY_PROC_TABLE. */

#include "answer.h"
#include "field.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "read.h"
#include "src/tools/out.h"
#include "src/tools/quote.h"
#include "value.h"

static const char usage_text[] =
    "usage: pps [OPTION...] [NAMESPACE...]\n"
    "Shows the jobs of a PMIx server (those with these namespaces only), and their processes.\n\n"
    "  --nodes                the nodes of each job with their processes' ranks\n";

struct options {
    struct px_field field;
    bool nodes;
    char **nspaces; /* of the command line; NULL: all */
    int n_nspaces;
};

static const struct px_option known_options[] = {
    PX_FIELD_OPTIONS,
    {"nodes", 0, PX_OPTION_FLAG, offsetof(struct options, nodes), 0, 0, NULL},
};

/* ---- asking */

/* Asks for one key, of a namespace if that is not NULL. The answer is to be destroyed. */
static pmix_status_t ask(struct px_field *field, const char *key, const char *nspace,
                         struct px_field_answer **ret)
{
    struct px_field_infos qualifiers = {0};
    char *text = strdup(key); /* a request may change what it is given */
    char *keys[] = {text, NULL};
    struct px_field_answer *answer = px_field_answer_create();
    pmix_status_t rc = PMIX_ERR_NOMEM;

    if (text != NULL && answer != NULL &&
        (nspace == NULL ||
         px_field_add_info(field, &qualifiers, PMIX_NSPACE, nspace, PMIX_STRING) == 0)) {
        pmix_query_t query = {.keys = keys, .qualifiers = qualifiers.at, .nqual = qualifiers.n};
        rc = px_field_wait(field, answer, PMIx_Query_info_nb(&query, 1, px_field_on_infos, answer));
    }
    if (!field->expired) {
        px_field_infos_free(&qualifiers);
        free(text);
    }
    *ret = answer;
    return rc;
}

/* The value of a key, also in an array of infos; NULL: it is not there. */
static const pmix_value_t *find_value(const pmix_info_t *infos, size_t n, const char *key,
                                      unsigned depth)
{
    const pmix_value_t *found = NULL;

    for (size_t i = 0; found == NULL && i < n; i++) {
        const pmix_value_t *value = &infos[i].value;

        if (PMIX_CHECK_KEY(&infos[i], key)) {
            found = value;
        } else if (depth > 0 && value->type == PMIX_DATA_ARRAY && value->data.darray != NULL &&
                   value->data.darray->type == PMIX_INFO) {
            found = find_value(value->data.darray->array, value->data.darray->size, key, depth - 1);
        }
    }
    return found;
}

static const pmix_value_t *answered(const struct px_field_answer *answer, const char *key)
{
    return find_value(answer->infos, answer->n_infos, key, 3);
}

/* ---- the table of a job, whose strings may be missing */

static const char *host_of(const pmix_proc_info_t *proc)
{
    return proc->hostname != NULL ? proc->hostname : "";
}

static int compare(const void *a, const void *b)
{
    const pmix_proc_info_t *left = a;
    const pmix_proc_info_t *right = b;
    int rc = strverscmp(host_of(left), host_of(right));

    return rc != 0 ? rc
                   : (left->proc.rank > right->proc.rank) - (left->proc.rank < right->proc.rank);
}

/* How many of the sorted processes are on the node of the first. */
static size_t count_node(const pmix_proc_info_t *procs, size_t n)
{
    size_t count = 1;

    while (count < n && strcmp(host_of(&procs[count]), host_of(procs)) == 0) {
        count++;
    }
    return count;
}

static size_t count_nodes(const pmix_proc_info_t *procs, size_t n)
{
    size_t nodes = 0;

    for (size_t i = 0; i < n; i += count_node(procs + i, n - i)) {
        nodes++;
    }
    return nodes;
}

/* The ranks of sorted processes as "0-3,7", for free(3); NULL: no memory. */
static char *list_ranks(const pmix_proc_info_t *procs, size_t n)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);

    for (size_t i = 0; f != NULL && i < n;) {
        size_t next = i + 1;

        while (next < n && procs[next].proc.rank == procs[next - 1].proc.rank + 1) {
            next++;
        }
        fprintf(f, "%s%" PRIu32, i > 0 ? "," : "", procs[i].proc.rank);
        if (next > i + 1) {
            fprintf(f, "-%" PRIu32, procs[next - 1].proc.rank);
        }
        i = next;
    }
    return f != NULL && fclose(f) == 0 ? text : NULL;
}

/* ---- output */

static void print_column(const char *text)
{
    px_escape(stdout, text != NULL ? text : "-", strlen(text != NULL ? text : "-"), false);
}

static void print_proc(const pmix_proc_info_t *proc)
{
    if (px_out_form() == PX_OUT_PLAIN) {
        printf("%8" PRIu32 " %8d %5d  %-22s  ", proc->proc.rank, (int) proc->pid, proc->exit_code,
               PMIx_Proc_state_string(proc->state));
        print_column(proc->hostname);
        fputs("  ", stdout);
        print_column(proc->executable_name);
        putchar('\n');
        return;
    }
    px_out_open(NULL);
    px_field_print_rank("rank", proc->proc.rank);
    px_out_signed("pid", proc->pid);
    px_out_signed("exit_code", proc->exit_code);
    px_out_text("state", PMIx_Proc_state_string(proc->state));
    px_out_text("hostname", proc->hostname);
    px_out_text("executable", proc->executable_name);
    px_out_close();
}

/* Prints the node of sorted processes, which are all on it. */
static void print_node(const pmix_proc_info_t *procs, size_t n)
{
    char *ranks = list_ranks(procs, n);

    if (px_out_form() == PX_OUT_PLAIN) {
        printf("%8zu  ", n);
        print_column(procs->hostname);
        printf("  %s\n", ranks != NULL ? ranks : "?");
    } else {
        px_out_open(NULL);
        px_out_text("hostname", procs->hostname);
        px_out_number("processes", n);
        px_out_text("ranks", ranks);
        px_out_close();
    }
    free(ranks);
}

/* Prints what stands above the processes or nodes of a job. */
static void print_head(const struct options *o, const char *nspace, const pmix_value_t *status,
                       size_t n, size_t n_nodes)
{
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_open(NULL);
        px_out_text("nspace", nspace);
        if (status != NULL) {
            px_field_print_value("job_status", status);
        }
        px_out_open_list(o->nodes ? "nodes" : "processes");
        return;
    }
    print_column(nspace);
    printf(": %zu process%s on %zu node%s", n, n == 1 ? "" : "es", n_nodes,
           n_nodes == 1 ? "" : "s");
    if (status != NULL && status->type == PMIX_STATUS && status->data.status != PMIX_SUCCESS) {
        printf(", %s", px_field_status_name(status->data.status));
    }
    printf(o->nodes ? "\n   procs  node  ranks\n"
                    : "\n    rank      pid  code  state                   node  executable\n");
}

static void print_job(const struct options *o, const char *nspace, const pmix_value_t *status,
                      const pmix_data_array_t *table)
{
    pmix_proc_info_t *procs = calloc(table->size + 1, sizeof(*procs)); /* strings are borrowed */
    size_t n = procs != NULL && table->array != NULL ? table->size : 0;

    if (n > 0) {
        memcpy(procs, table->array, n * sizeof(*procs));
        qsort(procs, n, sizeof(*procs), compare);
    }
    print_head(o, nspace, status, n, count_nodes(procs, n));
    for (size_t i = 0; i < n;) {
        size_t here = o->nodes ? count_node(procs + i, n - i) : 1;
        if (o->nodes) {
            print_node(procs + i, here);
        } else {
            print_proc(&((const pmix_proc_info_t *) table->array)[i]);
        }
        i += here;
    }
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_close_list();
        px_out_close();
    }
    free(procs);
}

/* One job, and what the server has said of it. */
struct job {
    const char *nspace; /* borrowed */
    pmix_status_t rc;
    struct px_field_answer *table;
    struct px_field_answer *status;
    const pmix_data_array_t *procs; /* of the table; NULL: rc is not PMIX_SUCCESS */
    const pmix_value_t *is;         /* the job's status; NULL: few hosts say how a job is */
};

static void ask_job(struct px_field *field, struct job *job)
{
    const pmix_value_t *procs = NULL;

    job->rc = ask(field, PMIX_QUERY_PROC_TABLE, job->nspace, &job->table);
    if (job->rc != PMIX_SUCCESS) {
        return;
    }
    procs = answered(job->table, PMIX_QUERY_PROC_TABLE);
    if (procs == NULL || procs->type != PMIX_DATA_ARRAY || procs->data.darray == NULL ||
        procs->data.darray->type != PMIX_PROC_INFO) {
        job->rc = PMIX_ERR_NOT_FOUND;
        return;
    }
    job->procs = procs->data.darray;
    if (ask(field, PMIX_QUERY_JOB_STATUS, job->nspace, &job->status) == PMIX_SUCCESS) {
        job->is = answered(job->status, PMIX_QUERY_JOB_STATUS);
    }
}

/* Shows the jobs, or says why not. Returns an exit code. */
static int show_jobs(struct options *o, const struct job *jobs, size_t n)
{
    int code = 0;

    for (size_t i = 0; i < n; i++) {
        if (jobs[i].procs != NULL) {
            print_job(o, jobs[i].nspace, jobs[i].is, jobs[i].procs);
        } else {
            int one = px_field_fail(&o->field, jobs[i].nspace, jobs[i].rc);
            code = code != 0 ? code : one;
        }
    }
    return code;
}

/* Asks for all jobs, and then shows them: the status of the output, which comes first, is that of
 * the first request that failed. Returns an exit code. */
static int ask_and_show(struct options *o, char **nspaces, size_t n)
{
    struct job *jobs = calloc(n + 1, sizeof(*jobs));
    pmix_status_t rc = jobs != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    size_t n_asked = 0;
    int code = 0;

    for (; jobs != NULL && n_asked < n && !o->field.expired; n_asked++) {
        jobs[n_asked].nspace = nspaces[n_asked];
        ask_job(&o->field, &jobs[n_asked]);
        rc = rc != PMIX_SUCCESS ? rc : jobs[n_asked].rc;
    }
    px_field_open_output(rc);
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_open_list("jobs");
    }
    code = jobs != NULL ? show_jobs(o, jobs, n_asked) : px_field_fail(&o->field, "the jobs", rc);
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_close_list();
    }
    px_field_close_output();
    for (size_t i = 0; i < n_asked; i++) {
        px_field_answer_destroy(&o->field, jobs[i].table);
        px_field_answer_destroy(&o->field, jobs[i].status);
    }
    free(jobs);
    return code;
}

/* The namespaces of the server, separated by commas, for free(3); NULL with a status: none. */
static char *find_nspaces(struct px_field *field, pmix_status_t *ret_status)
{
    struct px_field_answer *answer;
    char *text = NULL;

    *ret_status = ask(field, PMIX_QUERY_NAMESPACES, NULL, &answer);
    if (*ret_status == PMIX_SUCCESS) {
        const pmix_value_t *value = answered(answer, PMIX_QUERY_NAMESPACES);
        bool has = value != NULL && value->type == PMIX_STRING && value->data.string != NULL;
        text = strdup(has ? value->data.string : "");
    }
    px_field_answer_destroy(field, answer);
    return text;
}

/* Cuts a list at its commas into *ret_n words. The array is for free(3), and borrows the words from
 * the list. NULL: no memory. */
static char **cut(char *list, size_t *ret_n)
{
    size_t most = 1;
    char *rest = NULL;
    char **words;

    for (const char *at = list; *at != '\0'; at++) {
        most += *at == ',';
    }
    words = calloc(most, sizeof(*words));
    *ret_n = 0;
    for (char *word = strtok_r(list, ",", &rest); words != NULL && word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        words[(*ret_n)++] = word;
    }
    return words;
}

/* No job is shown. Returns an exit code. */
static int fail_all(struct px_field *field, pmix_status_t rc)
{
    px_field_open_output(rc);
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_open_list("jobs");
        px_out_close_list();
    }
    px_field_close_output();
    return px_field_fail(field, "the server's jobs", rc);
}

static int run(struct px_field *field)
{
    struct options *o = (struct options *) field;
    pmix_status_t rc = PMIX_SUCCESS;

    if (o->nspaces != NULL) {
        return ask_and_show(o, o->nspaces, (size_t) o->n_nspaces);
    }
    char *found = find_nspaces(field, &rc);
    if (rc != PMIX_SUCCESS) {
        return fail_all(field, rc);
    }
    size_t n = 0;
    char **nspaces = found != NULL ? cut(found, &n) : NULL;
    int code = nspaces != NULL ? ask_and_show(o, nspaces, n) : fail_all(field, PMIX_ERR_NOMEM);

    free(nspaces);
    free(found);
    return code;
}

static int read_words(char **words, int n, struct px_field *field)
{
    struct options *o = (struct options *) field;

    o->nspaces = n > 0 ? words : NULL;
    o->n_nspaces = n;
    return 0;
}

static char name[] = "pps";
static const struct px_field_command command = {
    name,       usage_text, known_options, sizeof(known_options) / sizeof(known_options[0]),
    read_words, run,
};

int main(int argc, char **argv)
{
    struct options o = {0};

    return px_field_main(&command, argc, argv, &o.field);
}
