/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pquery: asks a server for keys, with PMIx_Query_info. */

#include "answer.h"
#include "field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "read.h"
#include "value.h"

static const char usage_text[] =
    "usage: pquery [OPTION...] KEY[QUALIFIER=VALUE;...]...\n"
    "Asks a PMIx server for keys. A key is a string or the name of its constant, and may have "
    "qualifiers in brackets;\n"
    "keys are separated by spaces or commas. A qualifier is KEY[:TYPE][=VALUE]: without a type its "
    "value has the type\n"
    "of the attribute, without a value it is true.\n\n"
    "    pquery PMIX_QUERY_NAMESPACES\n"
    "    pquery 'PMIX_QUERY_PROC_TABLE[PMIX_NSPACE=myjob]'\n"
    "    pquery 'PMIX_JOB_SIZE[PMIX_NSPACE=myjob;PMIX_RANK=*]'\n";

struct options {
    struct px_field field;
    pmix_query_t *queries;
    size_t n_queries;
};

static const struct px_option known_options[] = {PX_FIELD_OPTIONS};

/* Reads "KEY=VALUE;KEY=VALUE". */
static int read_qualifiers(const struct px_field *field, char *text, struct px_field_infos *ret)
{
    char *rest = NULL;
    int rc = 0;

    for (char *item = strtok_r(text, ";", &rest); rc == 0 && item != NULL;
         item = strtok_r(NULL, ";", &rest)) {
        rc = px_field_add_text(field, ret, item);
    }
    return rc;
}

static bool put_text(char **to, const char *text)
{
    *to = strdup(text);
    return *to != NULL;
}

/* Takes the qualifiers. */
static int append_query(struct options *o, const char *key, const struct px_field_infos *qualifiers)
{
    pmix_query_t *more = realloc(o->queries, (o->n_queries + 1) * sizeof(*more));
    char **keys = calloc(2, sizeof(*keys));

    o->queries = more != NULL ? more : o->queries;
    if (more == NULL || keys == NULL || !put_text(&keys[0], key)) {
        free(keys);
        return px_field_fail(&o->field, key, PMIX_ERR_NOMEM);
    }
    more[o->n_queries++] =
        (pmix_query_t){.keys = keys, .qualifiers = qualifiers->at, .nqual = qualifiers->n};
    return 0;
}

/* Adds a query of one key. `text` is changed. */
static int add_query(struct options *o, char *text)
{
    struct px_field_infos qualifiers = {0};
    char *bracket = strchr(text, '[');
    size_t len = strlen(text);
    int rc = 0;

    if (bracket == text || (bracket != NULL && text[len - 1] != ']') || len == 0) {
        return px_field_misuse(&o->field, "a key is KEY or KEY[QUALIFIER=VALUE;...], not", text);
    }
    if (bracket != NULL) {
        text[len - 1] = '\0';
        *bracket = '\0';
        rc = read_qualifiers(&o->field, bracket + 1, &qualifiers);
    }
    if (rc == 0) {
        rc = append_query(o, px_field_key(text), &qualifiers);
    }
    if (rc != 0) {
        px_field_infos_free(&qualifiers);
    }
    return rc;
}

static int read_words(char **words, int n, struct px_field *field)
{
    struct options *o = (struct options *) field;
    int rc = n > 0 ? 0 : px_field_misuse(field, "needs a", "KEY");

    for (int i = 0; rc == 0 && i < n; i++) {
        const char *rest = words[i];
        char *item;

        while (rc == 0 && (item = px_field_next(&rest)) != NULL) {
            rc = add_query(o, item);
            free(item);
        }
    }
    return rc;
}

static bool is_group(const pmix_info_t *info)
{
    return PMIX_CHECK_KEY(info, PMIX_QUERY_RESULTS);
}

/* Prints the answers. Some servers give them twice: key by key, and in groups, of which each has
 * one query with its qualifiers. Groups tell what belongs to which query if there were several. */
static void print_results(struct px_field *field, const struct px_field_answer *answer)
{
    size_t n = answer != NULL ? answer->n_infos : 0;
    pmix_info_t *chosen = n > 0 ? calloc(n, sizeof(*chosen)) : NULL; /* not copied */
    bool groups = false;
    size_t n_chosen = 0;

    if (answer == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        groups = groups || is_group(&answer->infos[i]);
    }
    groups = groups && ((struct options *) field)->n_queries > 1;
    for (size_t i = 0; chosen != NULL && i < n; i++) {
        if (is_group(&answer->infos[i]) == groups) {
            chosen[n_chosen++] = answer->infos[i];
        }
    }
    px_field_print_infos("results", chosen, n_chosen);
    free(chosen);
}

static pmix_status_t start(struct px_field *field, struct px_field_answer *answer)
{
    const struct options *o = (const struct options *) field;

    return PMIx_Query_info_nb(o->queries, o->n_queries, px_field_on_infos, answer);
}

static int run(struct px_field *field)
{
    const struct options *o = (const struct options *) field;
    struct px_field_question question = {
        o->n_queries > 1 ? "the query" : px_field_key_name(o->queries[0].keys[0]), start,
        print_results};

    return px_field_ask(field, &question);
}

static char name[] = "pquery";
static const struct px_field_command command = {
    name,       usage_text, known_options, sizeof(known_options) / sizeof(known_options[0]),
    read_words, run,
};

int main(int argc, char **argv)
{
    struct options o = {0};
    int rc = px_field_main(&command, argc, argv, &o.field);

    PMIX_QUERY_FREE(o.queries, o.n_queries);
    return rc;
}
