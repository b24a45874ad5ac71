/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm: one tree, printed as indented lines for people or as JSON for programs. Strings come
 * from segments: control characters never reach a terminal, and JSON is always valid UTF-8. */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tools/quote.h"
#include "shm.h"

enum { DEPTH = 12, MAX_TEXT = 120 };

static bool as_json;
static bool in_line; /* for people: what is printed goes on one line */
static unsigned depth;
static bool filled[DEPTH]; /* something has been printed at this depth */

void px_out_json(bool json)
{
    as_json = json;
}

static void quote(const char *value, size_t len)
{
    px_quote(stdout, value, len, as_json);
}

static void indent(unsigned n)
{
    printf("%*s", (int) n * 2, "");
}

/* What stands before a value. */
static void start(const char *name)
{
    if (as_json) {
        printf(filled[depth] ? ",\n" : depth ? "\n" : "");
        indent(depth);
        if (name) {
            quote(name, strlen(name));
            fputs(": ", stdout);
        }
    } else if (in_line) {
        printf(" %s ", name && strcmp(name, "value") == 0 ? "=" : name);
    } else {
        indent(depth ? depth - 1 : 0);
        printf(name ? "%s: " : "%s", name ? name : "");
    }
    filled[depth] = true;
}

static void out_finish(void)
{
    if (!as_json && !in_line) {
        putchar('\n');
    }
}

static void open_with(const char *name, char bracket)
{
    if (as_json) {
        start(name);
        putchar(bracket);
    } else if (depth) {
        indent(depth - 1);
        printf("%s%s\n", name ? name : "-", name ? ":" : "");
    }
    if (depth < DEPTH - 1) {
        depth++;
    }
    filled[depth] = false;
}

static void close_with(char bracket)
{
    depth -= depth > 0;
    if (as_json) {
        if (filled[depth + 1]) {
            putchar('\n');
            indent(depth);
        }
        putchar(bracket);
    }
}

void px_out_open(const char *name)
{
    open_with(name, '{');
}

void px_out_close(void)
{
    close_with('}');
}

void px_out_open_line(const char *key)
{
    if (as_json) {
        px_out_open(NULL);
        px_out_text("key", key);
        return;
    }
    indent(depth ? depth - 1 : 0);
    quote(key, strlen(key));
    in_line = true;
}

void px_out_close_line(void)
{
    if (as_json) {
        px_out_close();
        return;
    }
    in_line = false;
    putchar('\n');
}

void px_out_open_list(const char *name)
{
    open_with(name, '[');
}

void px_out_close_list(void)
{
    close_with(']');
}

void px_out_number(const char *name, uint64_t value)
{
    start(name);
    printf("%" PRIu64, value);
    out_finish();
}

void px_out_signed(const char *name, int64_t value)
{
    start(name);
    printf("%" PRId64, value);
    out_finish();
}

void px_out_real(const char *name, double value)
{
    char text[32];

    start(name);
    (void) snprintf(text, sizeof(text), "%.15g", value);
    if (strtod(text, NULL) != value) { /* all its digits only where fewer would say another */
        (void) snprintf(text, sizeof(text), "%.17g", value);
    }
    fputs(isfinite(value) || !as_json ? text : "null", stdout);
    out_finish();
}

void px_out_bool(const char *name, bool value)
{
    start(name);
    fputs(value ? "true" : "false", stdout);
    out_finish();
}

void px_out_string(const char *name, const char *value, size_t len)
{
    start(name);
    quote(value, len);
    out_finish();
}

void px_out_long_text(const char *name, const char *value)
{
    size_t len = strlen(value);

    if (as_json || len <= MAX_TEXT) {
        px_out_string(name, value, len);
        return;
    }
    start(name);
    quote(value, MAX_TEXT);
    printf("... (%zu bytes; --key and --json show all)", len);
    out_finish();
}

void px_out_text(const char *name, const char *value)
{
    if (value) {
        px_out_string(name, value, strlen(value));
        return;
    }
    start(name);
    fputs("null", stdout);
    out_finish();
}

void px_out_end(void)
{
    if (as_json) {
        putchar('\n');
    }
}
