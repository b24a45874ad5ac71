/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_FIELD_FIELD_H
#define PX_TOOLS_FIELD_FIELD_H

#include <pmix_tool.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tools/options.h"

/* What pquery, pps, plookup, pevent, pctrl, pattrs and palloc share: their life from the command
 * line to the exit code, and the options by which they find a server. They use the public interface
 * only, as PMIx 4.2 has it, so that they work with any libpmix. */

/* Exit codes; PX_USAGE_ERROR is another one. */
enum {
    PX_FIELD_OK = 0,
    PX_FIELD_FAILED = 1,      /* none of the others */
    PX_FIELD_UNREACHED = 3,   /* no server, or it went away */
    PX_FIELD_UNSUPPORTED = 4, /* by the server or its host */
    PX_FIELD_NOT_FOUND = 5,   /* all or a part of what was asked for */
    PX_FIELD_TIMEOUT = 6,
    PX_FIELD_REFUSED = 7, /* the user may not */
};

struct px_field;

struct px_field_command {
    char *name;
    const char *usage; /* without the options that all commands have */
    const struct px_option *options;
    size_t n_options;
    /* Reads the words that are no options, which NULL ends. 0, or an exit code after a complaint.
     * Not called if --help or --version is given. */
    int (*words)(char **words, int n, struct px_field *field);
    /* Does the work, connected unless `unconnected` is set. Returns an exit code. */
    int (*run)(struct px_field *field);
};

/* Infos that grow one by one; begins as zeros. */
struct px_field_infos {
    pmix_info_t *at;
    size_t n;
};

/* The first member of the options of every command. */
struct px_field {
    const struct px_field_command *command;
    bool help;
    bool version;
    bool verbose;
    bool json;
    bool parsable;
    bool system_first;
    bool system_only;
    bool unconnected; /* do not connect */
    bool expired;     /* an answer may still come: leave without PMIx_tool_finalize */
    const char *uri;
    const char *nspace;
    const char *tmpdir;
    uint32_t pid;
    uint32_t delay_s; /* between attempts to connect */
    uint32_t retries;
    uint32_t timeout_s;          /* 0: none */
    struct px_field_infos infos; /* of the request; freed by px_field_main */
    pmix_proc_t *targets;        /* likewise; malloc memory */
    size_t n_targets;
};

/* The rows of those options, for the table of a command. */
/* clang-format off */
#define PX_FIELD_OPTIONS \
    {"help", 'h', PX_OPTION_FLAG, offsetof(struct px_field, help), 0, 0, NULL}, \
    {"version", 'V', PX_OPTION_FLAG, offsetof(struct px_field, version), 0, 0, NULL}, \
    {"verbose", 'v', PX_OPTION_FLAG, offsetof(struct px_field, verbose), 0, 0, NULL}, \
    {"json", 0, PX_OPTION_FLAG, offsetof(struct px_field, json), 0, 0, NULL}, \
    {"parsable", 0, PX_OPTION_FLAG, offsetof(struct px_field, parsable), 0, 0, NULL}, \
    {"parseable", 0, PX_OPTION_FLAG, offsetof(struct px_field, parsable), 0, 0, NULL}, \
    {"pid", 0, PX_OPTION_CALL, 0, 0, 0, px_field_read_pid}, \
    {"uri", 0, PX_OPTION_TEXT, offsetof(struct px_field, uri), 0, 0, NULL}, \
    {"namespace", 0, PX_OPTION_TEXT, offsetof(struct px_field, nspace), 0, 0, NULL}, \
    {"nspace", 0, PX_OPTION_TEXT, offsetof(struct px_field, nspace), 0, 0, NULL}, \
    {"system-server-first", 0, PX_OPTION_FLAG, \
        offsetof(struct px_field, system_first), 0, 0, NULL}, \
    {"system-server", 0, PX_OPTION_FLAG, offsetof(struct px_field, system_only), 0, 0, NULL}, \
    {"system-server-only", 0, PX_OPTION_FLAG, offsetof(struct px_field, system_only), 0, 0, NULL}, \
    {"tmpdir", 0, PX_OPTION_TEXT, offsetof(struct px_field, tmpdir), 0, 0, NULL}, \
    {"wait-to-connect", 0, PX_OPTION_NUMBER, offsetof(struct px_field, delay_s), 0, 3600, NULL}, \
    {"num-connect-retries", 0, PX_OPTION_NUMBER, \
        offsetof(struct px_field, retries), 0, 1000000, NULL}, \
    {"timeout", 0, PX_OPTION_NUMBER, offsetof(struct px_field, timeout_s), 1, 1000000, NULL}
/* clang-format on */

/* --pid N or --pid file:FILE. */
int px_field_read_pid(const char *text, void *options);

/* The whole life of a command, for main. `field` is the first member of its options. */
int px_field_main(const struct px_field_command *command, int argc, char **argv,
                  struct px_field *field);

/* Complains on standard error, behind the command's name. Returns PX_USAGE_ERROR. */
int px_field_misuse(const struct px_field *field, const char *what, const char *word);

/* A `words` that refuses any. */
int px_field_no_words(char **words, int n, struct px_field *field);

/* Says on standard error what has failed, why, and with which status. Returns the exit code. */
int px_field_fail(const struct px_field *field, const char *what, pmix_status_t status);

#endif
