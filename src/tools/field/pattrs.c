/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pattrs: which calls this library, the server and its host support, and with which attributes, by
 * PMIX_QUERY_ATTRIBUTE_SUPPORT. */

#include "answer.h"
#include "field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "read.h"
#include "src/tools/out.h"
#include "src/tools/quote.h"
#include "value.h"

static const char usage_text[] =
    "usage: pattrs [OPTION...] LEVEL [CALL,...|all]...\n"
    "Shows which calls are supported at a level; with calls, the attributes that each supports.\n\n"
    "  --client [CALL,...|all]  the level of this library in a process of a job\n"
    "  --server [CALL,...|all]  that of the server's library\n"
    "  --tool [CALL,...|all]  that of this library in a tool\n"
    "  --host [CALL,...|all]  that of the server's host\n"
    "  --do-not-connect       asks this library only\n\n"
    "    pattrs --client PMIx_Get,PMIx_Fence --host all\n";

enum { N_LEVELS = 4 };

static const struct {
    const char *name;
    const char *functions;
    const char *attributes;
} levels[N_LEVELS] = {
    {"client", PMIX_CLIENT_FUNCTIONS, PMIX_CLIENT_ATTRIBUTES},
    {"server", PMIX_SERVER_FUNCTIONS, PMIX_SERVER_ATTRIBUTES},
    {"tool", PMIX_TOOL_FUNCTIONS, PMIX_TOOL_ATTRIBUTES},
    {"host", PMIX_HOST_FUNCTIONS, PMIX_HOST_ATTRIBUTES},
};

struct options {
    struct px_field field;
    const char *calls[N_LEVELS]; /* NULL: not asked; "": which there are */
};

static const struct px_option known_options[] = {
    PX_FIELD_OPTIONS,
    {"client", 0, PX_OPTION_MAYBE, offsetof(struct options, calls[0]), 0, 0, NULL},
    {"server", 0, PX_OPTION_MAYBE, offsetof(struct options, calls[1]), 0, 0, NULL},
    {"tool", 0, PX_OPTION_MAYBE, offsetof(struct options, calls[2]), 0, 0, NULL},
    {"host", 0, PX_OPTION_MAYBE, offsetof(struct options, calls[3]), 0, 0, NULL},
    {"do-not-connect", 0, PX_OPTION_FLAG, offsetof(struct options, field.unconnected), 0, 0, NULL},
};

/* ---- asking */

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
        free(list[i]);
    }
    free(list);
}

/* A first word (NULL: none) and the items of a text, which ends with NULL; NULL: no memory. */
static char **make_list(const char *first, const char *text)
{
    size_t room = 3;

    for (const char *p = text; *p != '\0'; p++) {
        room += *p == ',';
    }
    char **list = calloc(room, sizeof(*list));
    const char *rest = text[0] != '\0' ? text : NULL;
    size_t n = 0;

    if (list != NULL && first != NULL) {
        list[n++] = strdup(first);
    }
    while (list != NULL && rest != NULL) {
        list[n++] = px_field_next(&rest);
    }
    return list;
}

/* Asks for keys, with a qualifier that is true if it is not NULL. The answer is to be destroyed. */
static pmix_status_t ask(struct px_field *field, char **keys, const char *qualifier,
                         struct px_field_answer **ret)
{
    struct px_field_infos qualifiers = {0};
    struct px_field_answer *answer = px_field_answer_create();
    bool yes = true;
    pmix_status_t rc = PMIX_ERR_NOMEM;

    if (keys != NULL && answer != NULL &&
        (qualifier == NULL ||
         px_field_add_info(field, &qualifiers, qualifier, &yes, PMIX_BOOL) == 0)) {
        pmix_query_t query = {.keys = keys, .qualifiers = qualifiers.at, .nqual = qualifiers.n};
        rc = px_field_wait(field, answer, PMIx_Query_info_nb(&query, 1, px_field_on_infos, answer));
    }
    if (!field->expired) {
        px_field_infos_free(&qualifiers);
    }
    *ret = answer;
    return rc;
}

/* The calls of a level, separated by commas, for free(3). NULL with a status: there are none. */
static char *find_calls(struct px_field *field, size_t level, pmix_status_t *ret_status)
{
    char **keys = make_list(levels[level].functions, "");
    struct px_field_answer *answer = NULL;
    char *text = NULL;
    pmix_status_t rc = ask(field, keys, NULL, &answer);

    for (size_t i = 0; rc == PMIX_SUCCESS && i < answer->n_infos; i++) {
        const pmix_info_t *info = &answer->infos[i];
        if (PMIX_CHECK_KEY(info, levels[level].functions) && info->value.type == PMIX_STRING &&
            info->value.data.string != NULL && text == NULL) {
            text = strdup(info->value.data.string);
        }
    }
    *ret_status = rc != PMIX_SUCCESS ? rc : text == NULL ? PMIX_ERR_NOT_FOUND : PMIX_SUCCESS;
    px_field_answer_destroy(field, answer);
    if (!field->expired) {
        free_list(keys);
    }
    return text;
}

/* ---- output */

static void print_escaped(const char *text)
{
    px_escape(stdout, text, strlen(text), false);
}

static void print_calls(size_t level, const char *text)
{
    const char *rest = text[0] != '\0' ? text : NULL;
    char *call;

    if (px_out_form() == PX_OUT_PLAIN) {
        printf("%s:\n", levels[level].name);
    } else {
        px_out_open_list("calls");
    }
    while ((call = px_field_next(&rest)) != NULL) {
        if (px_out_form() == PX_OUT_PLAIN) {
            fputs("  ", stdout);
            print_escaped(call);
            putchar('\n');
        } else {
            px_out_text(NULL, call);
        }
        free(call);
    }
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_close_list();
    }
}

/* The attributes of a level in what was answered for a call; NULL: it is not supported there. */
static const pmix_data_array_t *find_attributes(const pmix_info_t *call, size_t level)
{
    const pmix_data_array_t *of = call->value.data.darray;

    if (call->value.type != PMIX_DATA_ARRAY || of == NULL) {
        return NULL;
    }
    if (of->type == PMIX_REGATTR) {
        return of;
    }
    for (size_t i = 0; of->type == PMIX_INFO && i < of->size; i++) {
        const pmix_info_t *info = &((const pmix_info_t *) of->array)[i];
        if (PMIX_CHECK_KEY(info, levels[level].attributes) && info->value.type == PMIX_DATA_ARRAY) {
            return info->value.data.darray;
        }
    }
    return NULL;
}

/* A line for each attribute of a call. */
static void print_lines(const char *call, size_t level, const pmix_data_array_t *attributes)
{
    bool known = attributes != NULL && attributes->type == PMIX_REGATTR;
    const pmix_regattr_t *rows = known ? attributes->array : NULL;

    printf("%s ", levels[level].name);
    print_escaped(call);
    puts(attributes != NULL ? ":" : ": not supported");
    for (size_t i = 0; rows != NULL && i < attributes->size; i++) {
        char key[PMIX_MAX_KEYLEN + 1] = "";

        memcpy(key, rows[i].string, strnlen(rows[i].string, PMIX_MAX_KEYLEN));
        fputs("  ", stdout);
        print_escaped(rows[i].name != NULL ? rows[i].name : "-");
        fputs("  ", stdout);
        print_escaped(key);
        printf("  %s\n", PMIx_Data_type_string(rows[i].type));
        for (char **line = rows[i].description; line != NULL && *line != NULL; line++) {
            fputs("      ", stdout);
            print_escaped(*line);
            putchar('\n');
        }
    }
}

static void print_attributes(const struct px_field_answer *answer, size_t level)
{
    bool plain = px_out_form() == PX_OUT_PLAIN;

    if (!plain) {
        px_out_open_list("calls");
    }
    for (size_t i = 0; i < answer->n_infos; i++) {
        const pmix_data_array_t *attributes = find_attributes(&answer->infos[i], level);
        pmix_value_t value = {.type = PMIX_DATA_ARRAY};
        char call[PMIX_MAX_KEYLEN + 1] = "";

        memcpy(call, answer->infos[i].key, strnlen(answer->infos[i].key, PMIX_MAX_KEYLEN));
        if (plain) {
            print_lines(call, level, attributes);
            continue;
        }
        px_out_open(NULL);
        px_out_text("call", call);
        px_out_bool("supported", attributes != NULL);
        if (attributes != NULL) {
            value.data.darray = (pmix_data_array_t *) attributes; /* is only read */
            px_field_print_value("attributes", &value);
        }
        px_out_close();
    }
    if (!plain) {
        px_out_close_list();
    }
}

/* Shows what was asked of a level. Returns an exit code. */
static int show_level(struct px_field *field, size_t level, const char *asked)
{
    pmix_status_t rc = PMIX_SUCCESS;
    char *calls = asked[0] == '\0' || strcmp(asked, "all") == 0 ? find_calls(field, level, &rc)
                                                                : strdup(asked);

    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_open(NULL);
        px_out_text("level", levels[level].name);
    }
    if (calls != NULL && asked[0] == '\0') {
        print_calls(level, calls);
    } else if (calls != NULL) {
        struct px_field_answer *answer = NULL;
        char **keys = make_list(PMIX_QUERY_ATTRIBUTE_SUPPORT, calls);

        rc = ask(field, keys, levels[level].attributes, &answer);
        rc = rc == PMIX_SUCCESS && answer->n_infos == 0 ? PMIX_ERR_NOT_FOUND : rc;
        if (rc == PMIX_SUCCESS || rc == PMIX_ERR_PARTIAL_SUCCESS ||
            rc == PMIX_QUERY_PARTIAL_SUCCESS) {
            print_attributes(answer, level);
        }
        px_field_answer_destroy(field, answer);
        if (!field->expired) {
            free_list(keys);
        }
    }
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_text("status", px_field_status_name(rc));
        px_out_close();
    }
    free(calls);
    return rc != PMIX_SUCCESS ? px_field_fail(field, levels[level].name, rc) : 0;
}

static int run(struct px_field *field)
{
    struct options *o = (struct options *) field;
    int code = 0;

    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_open(NULL);
        px_out_open_list("levels");
    }
    for (size_t i = 0; i < N_LEVELS && !field->expired; i++) {
        int one = o->calls[i] != NULL ? show_level(field, i, o->calls[i]) : 0;
        code = code != 0 ? code : one;
    }
    if (px_out_form() != PX_OUT_PLAIN) {
        px_out_close_list();
        px_field_close_output();
    }
    return code;
}

static int read_words(char **words, int n, struct px_field *field)
{
    const struct options *o = (const struct options *) field;
    bool asked = false;

    for (size_t i = 0; i < N_LEVELS; i++) {
        asked = asked || o->calls[i] != NULL;
    }
    return n > 0   ? px_field_no_words(words, n, field)
           : asked ? 0
                   : px_field_misuse(field, "needs a level:", "--client, --server, --tool, --host");
}

static char name[] = "pattrs";
static const struct px_field_command command = {
    name,       usage_text, known_options, sizeof(known_options) / sizeof(known_options[0]),
    read_words, run,
};

int main(int argc, char **argv)
{
    struct options o = {0};

    return px_field_main(&command, argc, argv, &o.field);
}
