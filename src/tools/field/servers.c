/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "config.h"

#include "servers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmix_tool.h>

#include "src/tools/quote.h"

/* The array of that key, which holds infos; NULL: there is none. */
static const pmix_data_array_t *find_array(const pmix_info_t *info, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], key) && info[i].value.type == PMIX_DATA_ARRAY &&
            info[i].value.data.darray != NULL && info[i].value.data.darray->type == PMIX_INFO) {
            return info[i].value.data.darray;
        }
    }
    return NULL;
}

/* One line: how to choose a server. */
static void say_server(const pmix_info_t *server)
{
    const pmix_data_array_t *array = find_array(server, 1, PMIX_SERVER_INFO_ARRAY);
    const pmix_info_t *info = array != NULL ? array->array : NULL;

    for (size_t i = 0; array != NULL && i < array->size; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_SERVER_PIDINFO) && info[i].value.type == PMIX_PID) {
            fprintf(stderr, "  --pid %d", (int) info[i].value.data.pid);
        }
    }
    for (size_t i = 0; array != NULL && i < array->size; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_NSPACE) && info[i].value.type == PMIX_STRING &&
            info[i].value.data.string != NULL) {
            fputs("  --nspace ", stderr);
            px_escape(stderr, info[i].value.data.string, strlen(info[i].value.data.string), false);
        }
    }
    fputs("\n", stderr);
}

/* The servers that the library has found, each an array of infos. */
static bool say_all(const struct px_field *field, const pmix_data_array_t *servers)
{
    const pmix_info_t *info = servers != NULL ? servers->array : NULL;

    if (servers == NULL || servers->size < 2) {
        return false;
    }
    fprintf(stderr, "%s: several servers are on this node; choose one of them:\n",
            field->command->name);
    for (size_t i = 0; i < servers->size; i++) {
        say_server(&info[i]);
    }
    return true;
}

static bool ask_and_say(const struct px_field *field)
{
    char key[] = PMIX_QUERY_AVAIL_SERVERS;
    char *keys[] = {key, NULL};
    pmix_info_t where[2];
    pmix_query_t query = {.keys = keys};
    pmix_info_t *results = NULL;
    size_t n = 0;
    bool said = false;

    if (field->tmpdir != NULL) {
        PMIX_INFO_LOAD(&where[0], PMIX_SERVER_TMPDIR, field->tmpdir, PMIX_STRING);
        PMIX_INFO_LOAD(&where[1], PMIX_SYSTEM_TMPDIR, field->tmpdir, PMIX_STRING);
        query.qualifiers = where;
        query.nqual = 2;
    }
    if (PMIx_Query_info(&query, 1, &results, &n) == PMIX_SUCCESS) {
        said = say_all(field, find_array(results, n, PMIX_QUERY_AVAIL_SERVERS));
    }
    for (size_t i = 0; i < query.nqual; i++) {
        PMIX_INFO_DESTRUCT(&where[i]);
    }
    PMIX_INFO_FREE(results, n);
    return said;
}

bool px_field_say_servers(const struct px_field *field)
{
    bool yes = true;
    pmix_info_t alone;
    pmix_proc_t self;
    bool said;

    PMIX_INFO_LOAD(&alone, PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL);
    if (PMIx_tool_init(&self, &alone, 1) != PMIX_SUCCESS) {
        return false;
    }
    said = ask_and_say(field);
    (void) PMIx_tool_finalize();
    return said;
}
