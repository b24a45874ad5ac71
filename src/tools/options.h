/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_OPTIONS_H
#define PX_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The command line of a command, by a table of its options. Complaints go to standard error, behind
 * the command's name; the last line is where to read more. */

enum { PX_USAGE_ERROR = 2 }; /* exit code */

/* What an option does. All but FLAG take an argument; that of MAYBE may be missing. */
enum px_option_kind {
    PX_OPTION_FLAG,   /* sets a bool */
    PX_OPTION_TEXT,   /* sets a const char *, within argv */
    PX_OPTION_MAYBE,  /* the same; "" without an argument. The next word is one unless it is an
                       * option */
    PX_OPTION_PAIR,   /* sets a const char *[2]: takes two words */
    PX_OPTION_NUMBER, /* sets an int or a uint32_t, between two bounds */
    PX_OPTION_CALL,   /* calls a function */
};

struct px_option {
    const char *name; /* long, without dashes; NULL: it has none */
    char letter;      /* short; 0: it has none */
    enum px_option_kind kind;
    size_t offset; /* of the member that it sets; unused for CALL */
    uint32_t least, most;
    int (*call)(const char *text, void *options); /* 0, or an exit code after a complaint */
};

struct px_command_line {
    const char *program;
    const struct px_option *options;
    size_t n_options;
    bool ends_at_word; /* what follows the first word that is no option are words, too */
    /* Called with the other words, which NULL ends. 0, or an exit code after a complaint. */
    int (*words)(char **words, int n, void *options);
};

/* Reads a command line into the structure of which the table speaks, and changes the order of argv
 * unless ends_at_word. 0, or the exit code after a complaint. */
int px_options_read(const struct px_command_line *line, int argc, char **argv, void *options);

#endif
