/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Options, read by getopt_long(3), which complains of unknown ones and of missing arguments. */

#include "options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 48, LONG = 256 }; /* LONG: what getopt_long returns for the first row */

/* What getopt_long reads: two forms of the table. */
struct forms {
    char shorts[2 * MAX_OPTIONS + 2];
    struct option longs[MAX_OPTIONS + 1];
};

static void make_forms(const struct px_command_line *line, struct forms *ret)
{
    char *shorts = ret->shorts;
    struct option *longs = ret->longs;

    assert(line->n_options <= MAX_OPTIONS);
    memset(ret, 0, sizeof(*ret));
    if (line->ends_at_word) {
        *shorts++ = '+';
    }
    for (size_t i = 0; i < line->n_options; i++) {
        const struct px_option *option = &line->options[i];
        bool alone = option->kind == PX_OPTION_FLAG;

        if (option->name != NULL) {
            *longs++ = (struct option){option->name,
                                       alone                             ? no_argument
                                       : option->kind == PX_OPTION_MAYBE ? optional_argument
                                                                         : required_argument,
                                       NULL, LONG + (int) i};
        }
        if (option->letter != '\0') {
            *shorts++ = option->letter;
            if (!alone) {
                *shorts++ = ':';
            }
        }
    }
}

/* The row of what getopt_long has returned; NULL: none, and getopt_long has complained. */
static const struct px_option *find_option(const struct px_command_line *line, int c)
{
    for (size_t i = 0; i < line->n_options; i++) {
        if (c == LONG + (int) i || (c != '\0' && c == line->options[i].letter)) {
            return &line->options[i];
        }
    }
    return NULL;
}

/* A complaint about an option, by the name that people use most. */
static int complain(const struct px_command_line *line, const struct px_option *option,
                    const char *what)
{
    if (option->letter != '\0') {
        fprintf(stderr, "%s: -%c %s\n", line->program, option->letter, what);
    } else {
        fprintf(stderr, "%s: --%s %s\n", line->program, option->name, what);
    }
    return PX_USAGE_ERROR;
}

static int read_number(const struct px_command_line *line, const struct px_option *option,
                       const char *text, void *member)
{
    char what[128];
    char *end;

    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n < option->least ||
        n > option->most) {
        snprintf(what, sizeof(what), "must be a number from %lu to %lu, not \"%.40s\"",
                 (unsigned long) option->least, (unsigned long) option->most, text);
        return complain(line, option, what);
    }
    *(uint32_t *) member = (uint32_t) n;
    return 0;
}

/* The argument of an option. Users of mpirun type "-np 4", which getopt reads as -n with "p": so
 * one dash will do for a long name that begins with the option's letter. NULL: there is none. */
static const char *argument(const struct px_option *option, char **argv)
{
    const char *word = argv[optind - 1];

    if (option->letter != '\0' && option->name != NULL && optarg == word + 2 &&
        strcmp(word + 1, option->name) == 0) {
        return argv[optind] != NULL ? argv[optind++] : NULL;
    }
    return optarg;
}

static int read_option(const struct px_command_line *line, const struct px_option *option,
                       char **argv, void *options)
{
    void *member = (char *) options + option->offset;

    if (option->kind == PX_OPTION_FLAG) {
        *(bool *) member = true;
        return 0;
    }
    const char *text = argument(option, argv);
    if (option->kind == PX_OPTION_MAYBE && text == NULL) {
        text = argv[optind] != NULL && argv[optind][0] != '-' ? argv[optind++] : "";
    }
    if (text == NULL) {
        return complain(line, option, "needs an argument");
    }
    switch (option->kind) {
    case PX_OPTION_NUMBER:
        return read_number(line, option, text, member);
    case PX_OPTION_CALL:
        return option->call(text, options);
    case PX_OPTION_PAIR:
        if (argv[optind] == NULL || argv[optind][0] == '-') {
            return complain(line, option, "needs two words");
        }
        ((const char **) member)[1] = argv[optind++];
        break;
    default:
        break;
    }
    ((const char **) member)[0] = text;
    return 0;
}

int px_options_read(const struct px_command_line *line, int argc, char **argv, void *options)
{
    struct forms forms;
    int rc = 0;
    int c = 0;

    make_forms(line, &forms);
    optind = 0; /* getopt_long begins anew */
    while (rc == 0 && c != -1) {
        c = getopt_long(argc, argv, forms.shorts, forms.longs, NULL);
        const struct px_option *option = find_option(line, c);
        if (option != NULL) {
            rc = read_option(line, option, argv, options);
        } else if (c != -1) {
            rc = PX_USAGE_ERROR;
        }
    }
    if (rc == 0) {
        rc = line->words(argv + optind, argc - optind, options);
    }
    if (rc != 0) {
        fprintf(stderr, "%s --help says more\n", line->program);
    }
    return rc;
}
