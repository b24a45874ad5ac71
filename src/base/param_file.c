/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "src/base/param_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read in fixed storage, whatever the size of the file. The file is opened without blocking and
 * must be a regular one: a pipe or a device of that name would block init. */

enum { LINE_BYTES = 4096, FILE_BYTES = 1048576 };

/* Cuts blanks at both ends, then one pair of quotes. Works in place; the result points into the
 * text. */
static char *trim(char *text)
{
    size_t len;

    while (isspace((unsigned char) *text)) {
        text++;
    }
    len = strlen(text);
    while (len > 0 && isspace((unsigned char) text[len - 1])) {
        len--;
    }
    text[len] = '\0';
    if (len >= 2 && (text[0] == '"' || text[0] == '\'') && text[len - 1] == text[0]) {
        text[len - 1] = '\0';
        text++;
    }
    return text;
}

/* Splits one line and passes it on; empty lines and comments are skipped. Result as of fn. */
static int take_line(char *line, unsigned number, px_param_line_fn fn, void *arg)
{
    char *equals = strchr(line, '=');
    char *name = line;

    while (isspace((unsigned char) *name)) {
        name++;
    }
    if (!*name || *name == '#') {
        return 0;
    }
    if (!equals || equals == name) {
        return fn(arg, number, trim(name), NULL);
    }
    *equals = '\0';
    return fn(arg, number, trim(line), trim(equals + 1));
}

/* Opens a regular file for reading. NULL: there is none, or it is of another kind. */
static FILE *open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    FILE *file;

    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        (void) close(fd);
        return NULL;
    }
    file = fdopen(fd, "r");
    if (!file) {
        (void) close(fd);
    }
    return file;
}

/* A line that does not fit into the buffer comes in parts; the first is reported, and `skipping`
 * drops the others. */
int px_param_file_read(const char *path, px_param_line_fn fn, void *arg)
{
    FILE *file = open_regular(path);
    char line[LINE_BYTES];
    size_t total = 0;
    unsigned number = 1;
    bool skipping = false;
    int rc = 0;

    if (!file) {
        return 0;
    }
    while (rc == 0 && total < FILE_BYTES && fgets(line, sizeof(line), file)) {
        size_t len = strlen(line);
        bool whole = (len > 0 && line[len - 1] == '\n') || feof(file);

        total += len ? len : 1; /* a line that begins with NUL still counts */
        if (whole && !skipping) {
            rc = take_line(line, number, fn, arg);
        } else if (!skipping) {
            rc = fn(arg, number, line, NULL);
        }
        skipping = !whole;
        number += whole;
    }
    (void) fclose(file);
    return rc;
}
