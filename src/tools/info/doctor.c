/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The results of pmix_info --doctor, collected by its parts and printed at the end. */

#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tools/out.h"
#include "src/tools/quote.h"

/* The most entries of a list, since directories and the environment may hold any number. */
enum { MOST = 256 };

/* An entry of a list: what it is about, and two texts about it. Texts are owned; NULL: not known.
 */
struct entry {
    enum px_severity severity; /* of findings */
    char *name;
    char *text;
    char *more;
};

/* What has been found. Freed with the process. */
static struct list {
    struct entry at[MOST];
    size_t n;
} libraries, servers, findings;

static bool out_of_memory;

static char *copy(const char *text)
{
    char *made = text != NULL ? strdup(text) : NULL;

    out_of_memory = out_of_memory || (text != NULL && made == NULL);
    return made;
}

static void add(struct list *list, enum px_severity severity, const char *name, const char *text,
                const char *more)
{
    if (list->n < MOST) {
        list->at[list->n++] = (struct entry){severity, copy(name), copy(text), copy(more)};
    }
}

void px_doctor_find(enum px_severity severity, const char *remedy, const char *format, ...)
{
    static const char *const names[] = {"note", "warning", "problem"};
    char text[2048];
    va_list args;

    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    add(&findings, severity, names[severity], text, remedy);
}

void px_doctor_library(const char *who, const char *path, const char *version)
{
    add(&libraries, PX_NOTE, who, path, version);
}

void px_doctor_server(const char *where, const char *uri, const char *state)
{
    add(&servers, PX_NOTE, where, state, uri);
}

/* ---- for scripts */

static void print_list(const char *name, const struct list *list, const char *const keys[3])
{
    px_out_open_list(name);
    for (size_t i = 0; i < list->n; i++) {
        px_out_open(NULL);
        px_out_text(keys[0], list->at[i].name);
        px_out_text(keys[1], list->at[i].text);
        px_out_text(keys[2], list->at[i].more);
        px_out_close();
    }
    px_out_close_list();
}

static void print_tree(void)
{
    static const char *const of_library[] = {"opened_by", "file", "version"};
    static const char *const of_server[] = {"found_in", "state", "uri"};
    static const char *const of_finding[] = {"severity", "what", "do"};

    px_out_open(NULL);
    print_list("libraries", &libraries, of_library);
    print_list("servers", &servers, of_server);
    print_list("findings", &findings, of_finding);
    px_out_close();
    px_out_end();
}

/* ---- for people */

/* Texts come from the environment, files and libraries. */
static void say(const char *text)
{
    px_escape(stdout, text, strlen(text), false);
}

static void print_lines(const char *title, const struct list *list)
{
    printf("%s\n", title);
    if (list->n == 0) {
        puts("  none");
    }
    for (size_t i = 0; i < list->n; i++) {
        const struct entry *entry = &list->at[i];

        fputs("  ", stdout);
        say(entry->name);
        fputs(": ", stdout);
        say(entry->text);
        if (entry->more != NULL) {
            fputs(list == &findings ? "\n    what to do: " : " (", stdout);
            say(entry->more);
            fputs(list == &findings ? "" : ")", stdout);
        }
        putchar('\n');
    }
}

static void print_text(void)
{
    print_lines("Libraries that are opened:", &libraries);
    print_lines("Servers:", &servers);
    print_lines("Findings:", &findings);
}

int px_doctor(void)
{
    bool problem = false;

    px_doctor_libraries();
    px_doctor_environment();
    px_doctor_servers();
    for (size_t i = 0; i < findings.n; i++) {
        problem = problem || findings.at[i].severity == PX_PROBLEM;
    }
    if (out_of_memory) {
        fputs("pmix_info: out of memory\n", stderr);
        return 1;
    }
    if (px_out_form() == PX_OUT_PLAIN) {
        print_text();
    } else {
        print_tree();
    }
    return problem ? 1 : 0;
}
