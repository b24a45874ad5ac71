/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "tools.h"
#include "inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char text[4096];

pmix_status_t tool_begin(struct infos *list)
{
    pmix_status_t rc =
        list != NULL ? PMIx_tool_init(&me, list->at, list->n) : PMIx_tool_init(&me, NULL, 0);

    if (list != NULL) {
        free_infos(list);
    }
    return rc;
}

void tool_end(void)
{
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

static const char *status_text(pmix_status_t rc)
{
    snprintf(text, sizeof(text), "%d", rc);
    return text;
}

const char *servers(void)
{
    pmix_proc_t *procs = NULL;
    size_t at = 0;
    size_t n = 0;
    pmix_status_t rc = PMIx_tool_get_servers(&procs, &n);

    if (rc != PMIX_SUCCESS) {
        return status_text(rc);
    }
    text[0] = '\0';
    for (size_t i = 0; i < n && at < sizeof(text); i++) {
        at += (size_t) snprintf(text + at, sizeof(text) - at, "%s%s", i > 0 ? "," : "",
                                procs[i].nspace);
    }
    PMIX_PROC_FREE(procs, n);
    return text;
}

const char *reached(struct infos *list)
{
    pmix_status_t rc = tool_begin(list);

    if (rc != PMIX_SUCCESS) {
        return status_text(rc);
    }
    (void) servers();
    tool_end();
    return text;
}

pmix_status_t attach_by(struct infos *list, pmix_proc_t *ret)
{
    pmix_status_t rc = list != NULL ? PMIx_tool_attach_to_server(NULL, ret, list->at, list->n)
                                    : PMIx_tool_attach_to_server(NULL, ret, NULL, 0);

    if (list != NULL) {
        free_infos(list);
    }
    return rc;
}

static struct infos *fresh(void)
{
    static _Thread_local struct infos list;

    free_infos(&list);
    return &list;
}

struct infos *one_text(const char *key, const char *value)
{
    struct infos *list = fresh();

    add_text(list, key, value);
    return list;
}

struct infos *one_true(const char *key)
{
    struct infos *list = fresh();

    add_true(list, key);
    return list;
}

struct infos *one_pid(pid_t pid)
{
    struct infos *list = fresh();

    add(list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    return list;
}

struct infos *and_text(struct infos *list, const char *key, const char *value)
{
    add_text(list, key, value);
    return list;
}

struct infos *and_true(struct infos *list, const char *key)
{
    add_true(list, key);
    return list;
}

struct infos *and_pid(struct infos *list, pid_t pid)
{
    add(list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    return list;
}

void without_tools(struct infos *list)
{
    drop(list, PMIX_SERVER_TOOL_SUPPORT);
}

void as_node0(struct infos *list)
{
    drop(list, PMIX_HOSTNAME);
    add_text(list, PMIX_HOSTNAME, node_name(0));
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
}

void serve_tools(int number, struct infos *list)
{
    (void) number;
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
    add_text(list, PMIX_SERVER_TMPDIR, make_folder("dir"));
}

void begin_server(int number)
{
    check_status(PMIX_SUCCESS, server_begin(number), "server %d", number);
}

const char *server_name(int number)
{
    return path_named("server%d", number);
}

struct infos *to_server(int number)
{
    return and_text(one_text(PMIX_SERVER_NSPACE, server_name(number)), PMIX_SERVER_TMPDIR,
                    make_folder("dir"));
}

const char *tool_file(const char *dir, const char *what)
{
    return path_named("%s/pmix.%s.tool.%s", dir, node_name(0), what);
}

const char *server_uri(const char *dir, int number)
{
    const char *uri = read_text(tool_file(dir, server_name(number)));

    return path_named("%.*s", uri != NULL ? (int) strcspn(uri, "\n") : 0, uri != NULL ? uri : "");
}

pmix_status_t answer_question(struct upcall *ask)
{
    struct infos list = {0};

    add_u32(&list, "conform.question", 42);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

void write_text(const char *path, const char *what)
{
    FILE *file = fopen(path, "we");

    if (sound(file != NULL, "%s can be written", path)) {
        fputs(what, file);
        fclose(file);
    }
}

const char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    size_t n;

    if (file == NULL) {
        return NULL;
    }
    n = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[n] = '\0';
    return text;
}

const char *path_named(const char *format, ...)
{
    char path[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    return board_text(path);
}
