/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix_info --attributes: what the library says of one call in its own words, by the query that any
 * program can make. This process is a tool that connects to nobody, and then a server of nobody,
 * since each answers for its own roles. */

#include "attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmix.h>
#include <pmix_server.h>
#include <pmix_tool.h>

enum { N_ROLES = 3, SERVER = 1 };

static const struct {
    const char *name;
    const char *qualifier;
} roles[N_ROLES] = {
    {"client", PMIX_CLIENT_ATTRIBUTES},
    [SERVER] = {"server", PMIX_SERVER_ATTRIBUTES},
    {"tool", PMIX_TOOL_ATTRIBUTES},
};

/* What the library said of the call in one role. */
struct answer {
    pmix_info_t *infos;
    size_t n;
    const pmix_regattr_t *rows; /* borrowed of infos; NULL: the role does not have the call */
    size_t n_rows;
};

/* Asks for the attributes of the call in a role; nothing if there is no such call. The answer's
 * infos are to be freed. */
static void ask(const char *call, size_t role, struct answer *ret)
{
    char *keys[] = {(char *) PMIX_QUERY_ATTRIBUTE_SUPPORT, (char *) call, NULL};
    bool yes = true;
    pmix_info_t qualifier;
    pmix_query_t query = {.keys = keys, .qualifiers = &qualifier, .nqual = 1};
    pmix_status_t rc = PMIx_Info_load(&qualifier, roles[role].qualifier, &yes, PMIX_BOOL);

    *ret = (struct answer){0};
    rc = rc == PMIX_SUCCESS ? PMIx_Query_info(&query, 1, &ret->infos, &ret->n) : rc;
    for (size_t i = 0; rc == PMIX_SUCCESS && i < ret->n; i++) {
        const pmix_data_array_t *level = strncmp(ret->infos[i].key, call, PMIX_MAX_KEYLEN) == 0 &&
                                                 ret->infos[i].value.type == PMIX_DATA_ARRAY
                                             ? ret->infos[i].value.data.darray
                                             : NULL;
        const pmix_info_t *inner =
            level != NULL && level->type == PMIX_INFO && level->size > 0 ? level->array : NULL;

        if (inner != NULL && inner->value.type == PMIX_DATA_ARRAY &&
            inner->value.data.darray != NULL && inner->value.data.darray->type == PMIX_REGATTR) {
            ret->rows = inner->value.data.darray->array;
            ret->n_rows = inner->value.data.darray->size;
        }
    }
}

/* The row of an attribute, or NULL. */
static const pmix_regattr_t *find(const struct answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->n_rows; i++) {
        if (strcmp(answer->rows[i].name, name) == 0) {
            return &answer->rows[i];
        }
    }
    return NULL;
}

/* "client, tool": the roles that have the attribute. */
static void print_roles(const struct answer answers[N_ROLES], const char *name)
{
    const char *comma = "";

    for (size_t i = 0; i < N_ROLES; i++) {
        if (find(&answers[i], name) != NULL) {
            printf("%s%s", comma, roles[i].name);
            comma = ", ";
        }
    }
}

static void print_row(const char *call, const struct answer answers[N_ROLES],
                      const pmix_regattr_t *row, bool parsable)
{
    const char *meaning = row->description != NULL && row->description[0] != NULL
                              ? row->description[0]
                              : "no description";

    if (parsable) {
        printf("attribute:%s:%s:%s:%s:", call, row->name, row->string,
               PMIx_Data_type_string(row->type));
        print_roles(answers, row->name);
        printf(":%s\n", meaning);
        return;
    }
    printf("  %s  %s  %s  (", row->name, row->string, PMIx_Data_type_string(row->type));
    print_roles(answers, row->name);
    printf(")\n      %s\n", meaning);
}

/* Prints each attribute once, where the first role that has it names it. Returns their number. */
static size_t print_rows(const char *call, const struct answer answers[N_ROLES], bool parsable)
{
    size_t n = 0;

    for (size_t role = 0; role < N_ROLES; role++) {
        for (size_t i = 0; i < answers[role].n_rows; i++) {
            const pmix_regattr_t *row = &answers[role].rows[i];
            bool shown = false;

            for (size_t before = 0; before < role; before++) {
                shown = shown || find(&answers[before], row->name) != NULL;
            }
            if (!shown) {
                print_row(call, answers, row, parsable);
                n++;
            }
        }
    }
    return n;
}

/* Not PMIx_Info_free: pmix_info also runs with a library that does not have it yet (--doctor). */
static void free_infos(struct answer *answer)
{
    for (size_t i = 0; i < answer->n; i++) {
        PMIx_Value_destruct(&answer->infos[i].value);
    }
    free(answer->infos);
}

/* Asks in one role or the other: as a tool, or as a server. Returns the status of the start. */
static pmix_status_t ask_as(bool server, const char *call, struct answer answers[N_ROLES])
{
    bool yes = true;
    pmix_proc_t self;
    pmix_info_t alone;
    pmix_status_t rc = PMIx_Info_load(&alone, PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL);

    if (rc == PMIX_SUCCESS) {
        rc = server ? PMIx_server_init(NULL, NULL, 0) : PMIx_tool_init(&self, &alone, 1);
    }
    for (size_t role = 0; rc == PMIX_SUCCESS && role < N_ROLES; role++) {
        if ((role == SERVER) == server) {
            ask(call, role, &answers[role]);
        }
    }
    if (rc == PMIX_SUCCESS) {
        (void) (server ? PMIx_server_finalize() : PMIx_tool_finalize());
    }
    return rc;
}

int px_info_attributes(const char *call, bool parsable)
{
    struct answer answers[N_ROLES] = {0};
    pmix_status_t rc = ask_as(false, call, answers);
    size_t n = 0;

    rc = rc == PMIX_SUCCESS ? ask_as(true, call, answers) : rc;
    for (size_t role = 0; role < N_ROLES; role++) {
        n += answers[role].n;
    }
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "pmix_info: the library does not start: %s\n", PMIx_Error_string(rc));
    } else if (n == 0) {
        fprintf(stderr,
                "pmix_info: --attributes: there is no call %s (pattrs --do-not-connect "
                "--client --tool lists them)\n",
                call);
    } else {
        if (!parsable) {
            printf("%s\n", call);
        }
        if (print_rows(call, answers, parsable) == 0 && !parsable) {
            puts("  none by the library itself");
        }
    }
    for (size_t role = 0; role < N_ROLES; role++) {
        free_infos(&answers[role]);
    }
    return rc == PMIX_SUCCESS && n > 0 ? 0 : 1;
}
