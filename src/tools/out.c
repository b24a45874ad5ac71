/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Strings and names come from segments and servers. */

#include "out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quote.h"
#include "src/base/assert.h"

enum { DEPTH = 20, MAX_TEXT = 120 };

static enum px_out_form form;
static bool in_line; /* PLAIN: everything goes on one line, until it is closed */
static unsigned depth;
static size_t filled[DEPTH];    /* how many values and objects are printed at this depth */
static const char *path[DEPTH]; /* PARSABLE: names of the open objects; NULL: in a list */
static size_t position[DEPTH];  /* PARSABLE: where they are without a name */

void px_out_set_form(enum px_out_form wanted)
{
    form = wanted;
}

enum px_out_form px_out_form(void)
{
    return form;
}

static void quote(const char *value, size_t len)
{
    if (form == PX_OUT_PARSABLE) {
        px_escape(stdout, value, len, false);
    } else {
        px_quote(stdout, value, len, form == PX_OUT_JSON);
    }
}

static void escape_name(const char *name)
{
    px_escape(stdout, name, strlen(name), false);
}

/* PARSABLE: a name, or a position, and what separates it from the next. */
static void step(const char *name, size_t at)
{
    if (name != NULL) {
        escape_name(name);
    } else {
        printf("%zu", at);
    }
    putchar(':');
}

/* PARSABLE: the way to a value. The outermost object has no name. */
static void print_path(const char *name)
{
    for (unsigned i = 2; i <= depth; i++) {
        step(path[i], position[i]);
    }
    if (depth > 0) {
        step(name, filled[depth]);
    }
}

/* What a name for programs has to be. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    static const char all[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

    return name[0] != '\0' && strchr(letters, name[0]) != NULL && name[strspn(name, all)] == '\0';
}

/* Asserts that the names for programs are of that form. */
static void check_name(const char *name)
{
    px_assert(name == NULL || form == PX_OUT_PLAIN || is_name(name));
}

static void indent(unsigned n)
{
    printf("%*s", (int) n * 2, "");
}

/* What stands before a value. */
static void start(const char *name)
{
    check_name(name);
    if (form == PX_OUT_PARSABLE) {
        print_path(name);
    } else if (form == PX_OUT_JSON) {
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
        if (name) {
            escape_name(name);
            fputs(": ", stdout);
        }
    }
    filled[depth]++;
}

static void out_finish(void)
{
    if (form != PX_OUT_JSON && !in_line) {
        putchar('\n');
    }
}

static void open_with(const char *name, char bracket)
{
    size_t at = filled[depth];

    check_name(name);
    if (form == PX_OUT_JSON) {
        start(name);
        putchar(bracket);
    } else if (form == PX_OUT_PLAIN && depth) {
        indent(depth - 1);
        escape_name(name ? name : "-");
        puts(name ? ":" : "");
    }
    if (form != PX_OUT_JSON) {
        filled[depth]++;
    }
    if (depth < DEPTH - 1) {
        depth++;
    }
    path[depth] = name;
    position[depth] = at;
    filled[depth] = 0;
}

static void close_with(char bracket)
{
    depth -= depth > 0;
    if (form == PX_OUT_JSON) {
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
    if (form != PX_OUT_PLAIN) {
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
    if (form != PX_OUT_PLAIN) {
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
    fputs(isfinite(value) || form != PX_OUT_JSON ? text : "null", stdout);
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

    if (form != PX_OUT_PLAIN || len <= MAX_TEXT) {
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
    if (form == PX_OUT_JSON) {
        putchar('\n');
    }
    filled[0] = 0;
}
