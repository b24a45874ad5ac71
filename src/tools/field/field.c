/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "config.h"

#include "field.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"
#include "read.h"
#include "servers.h"
#include "src/tools/out.h"
#include "src/tools/quote.h"
#include "src/tools/std.h"

static const char common_text[] =
    "Of every command:\n"
    "  --pid PID|file:FILE    the server with this process id, or the one that is in a file\n"
    "  --nspace NAME, --namespace NAME\n"
    "                         the server of this namespace\n"
    "  --uri URI|file:FILE    the server at this address, or at the one that is in a file\n"
    "  --system-server-first  the system's server if there is one, else another\n"
    "  --system-server, --system-server-only\n"
    "                         the system's server\n"
    "  --tmpdir DIR           where servers leave their rendezvous files\n"
    "  --wait-to-connect S    seconds between attempts to connect\n"
    "  --num-connect-retries N  attempts to connect after the first\n"
    "  --timeout S            seconds to wait for the answer (default: no limit)\n"
    "  --parsable, --parseable  a fact on each line, names and value between colons\n"
    "  --json                 one JSON value\n"
    "  -v, --verbose          says which server was found\n"
    "  -V, --version\n"
    "  -h, --help\n\n"
    "Without one of the first five: the server that started this process, or the only one there "
    "is.\n"
    "Exit code: 0; 1 failed; 2 another command line; 3 no server; 4 not supported by the server or "
    "its host;\n"
    "5 not found, or not all of it; 6 no answer in time; 7 not permitted.\n";

/* ---- complaints */

/* What a status means to a user. */
static const struct {
    pmix_status_t status;
    int code;
    const char *meaning;
} meanings[] = {
    {PMIX_ERR_UNREACH, PX_FIELD_UNREACHED, "no server answers"},
    {PMIX_ERR_LOST_CONNECTION, PX_FIELD_UNREACHED, "the connection to the server was lost"},
    {PMIX_ERR_COMM_FAILURE, PX_FIELD_UNREACHED, "the connection to the server failed"},
    {PMIX_ERR_NOT_SUPPORTED, PX_FIELD_UNSUPPORTED, "not supported by the server or its host"},
    {PMIX_ERR_NOT_FOUND, PX_FIELD_NOT_FOUND, "not found"},
    {PMIX_ERR_PARTIAL_SUCCESS, PX_FIELD_NOT_FOUND, "not all of it was found"},
    {PMIX_QUERY_PARTIAL_SUCCESS, PX_FIELD_NOT_FOUND, "not all of it was found"},
    {PMIX_ERR_TIMEOUT, PX_FIELD_TIMEOUT, "no answer in time"},
    {PMIX_ERR_NO_PERMISSIONS, PX_FIELD_REFUSED, "not permitted"},
    {PMIX_ERR_INVALID_CRED, PX_FIELD_REFUSED, "the server does not accept this user"},
    {PMIX_ERR_BAD_PARAM, PX_FIELD_FAILED, "refused as wrong"},
};

enum { N_MEANINGS = sizeof(meanings) / sizeof(meanings[0]) };

/* The exit code of a status. */
static int exit_code(pmix_status_t status)
{
    for (size_t i = 0; i < N_MEANINGS; i++) {
        if (meanings[i].status == status) {
            return meanings[i].code;
        }
    }
    return status == PMIX_SUCCESS ? PX_FIELD_OK : PX_FIELD_FAILED;
}

static void print_escaped(const char *text)
{
    px_escape(stderr, text, strlen(text), false);
}

int px_field_fail(const struct px_field *field, const char *what, pmix_status_t status)
{
    const char *meaning = "failed";

    for (size_t i = 0; i < N_MEANINGS; i++) {
        meaning = meanings[i].status == status ? meanings[i].meaning : meaning;
    }
    (void) fflush(stdout); /* a failure is told at the end */
    fprintf(stderr, "%s: ", field->command->name);
    print_escaped(what);
    fprintf(stderr, ": %s: %s\n", meaning, px_field_status_name(status));
    return exit_code(status);
}

int px_field_misuse(const struct px_field *field, const char *what, const char *word)
{
    fprintf(stderr, "%s: %s \"", field->command->name, what);
    print_escaped(word);
    fputs("\"\n", stderr);
    return PX_USAGE_ERROR;
}

int px_field_no_words(char **words, int n, struct px_field *field)
{
    return n > 0 ? px_field_misuse(field, "what is", words[0]) : 0;
}

/* ---- the command line */

/* A line of a file, without its newline; false: it cannot be read. */
static bool read_line(const char *path, char *line, size_t room)
{
    FILE *f = fopen(path, "re");
    bool got = f != NULL && fgets(line, (int) room, f) != NULL;

    if (f != NULL) {
        fclose(f);
    }
    if (got) {
        line[strcspn(line, "\n")] = '\0';
    }
    return got;
}

int px_field_read_pid(const char *text, void *options)
{
    struct px_field *field = options;
    char line[64] = "";
    char *end;

    if (strncmp(text, "file:", 5) == 0) {
        if (!read_line(text + 5, line, sizeof(line))) {
            return px_field_misuse(field, "--pid: no process id can be read from", text + 5);
        }
        text = line;
    }
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n == 0 || n > INT32_MAX) {
        return px_field_misuse(field, "--pid must be a process id or file:FILE, not", text);
    }
    field->pid = (uint32_t) n;
    return 0;
}

static int read_words(char **words, int n, void *options)
{
    struct px_field *field = options;

    return field->help || field->version ? 0 : field->command->words(words, n, field);
}

/* ---- the server */

/* Writes the directives that choose the server; returns their number. */
static size_t load_directives(const struct px_field *field, pmix_info_t *info)
{
    bool yes = true;
    pid_t pid = (pid_t) field->pid;
    const struct {
        bool given;
        const char *key;
        const void *value;
        pmix_data_type_t type;
    } directives[] = {
        {field->unconnected, PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL},
        {pid != 0, PMIX_SERVER_PIDINFO, &pid, PMIX_PID},
        {field->uri != NULL, PMIX_SERVER_URI, field->uri, PMIX_STRING},
        {field->nspace != NULL, PMIX_SERVER_NSPACE, field->nspace, PMIX_STRING},
        {field->system_first, PMIX_CONNECT_SYSTEM_FIRST, &yes, PMIX_BOOL},
        {field->system_only, PMIX_CONNECT_TO_SYSTEM, &yes, PMIX_BOOL},
        {field->tmpdir != NULL, PMIX_SERVER_TMPDIR, field->tmpdir, PMIX_STRING},
        {field->tmpdir != NULL, PMIX_SYSTEM_TMPDIR, field->tmpdir, PMIX_STRING},
        {field->delay_s != 0, PMIX_CONNECT_RETRY_DELAY, &field->delay_s, PMIX_UINT32},
        {field->retries != 0, PMIX_CONNECT_MAX_RETRIES, &field->retries, PMIX_UINT32},
    };
    size_t n = 0;

    for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
        if (directives[i].given) {
            (void) PMIx_Info_load(&info[n++], directives[i].key, directives[i].value,
                                  directives[i].type);
        }
    }
    return n;
}

/* Says to whom we are connected, and under which name. */
static void print_connection(const struct px_field *field, const pmix_proc_t *self)
{
    pmix_proc_t *servers = NULL;
    size_t n = 0;

    fprintf(stderr, "%s: %s, as ", field->command->name, PMIx_Get_version());
    print_escaped(self->nspace);
    fprintf(stderr, ":%" PRIu32 "\n", self->rank);
    if (PMIx_tool_get_servers(&servers, &n) == PMIX_SUCCESS && n > 0) {
        fprintf(stderr, "%s: connected to ", field->command->name);
        print_escaped(servers[0].nspace);
        fprintf(stderr, ":%" PRIu32 "\n", servers[0].rank);
    }
    PMIX_PROC_FREE(servers, n);
}

/* True if an option says which server it is to be. */
static bool is_chosen(const struct px_field *field)
{
    return field->pid != 0 || field->uri != NULL || field->nspace != NULL || field->system_only;
}

static int connect_and_run(struct px_field *field)
{
    enum { ROOM = 12 };
    pmix_info_t *info;
    pmix_proc_t self;

    PMIX_INFO_CREATE(info, ROOM);
    if (info == NULL) {
        return px_field_fail(field, "start", PMIX_ERR_NOMEM);
    }
    pmix_status_t rc = PMIx_tool_init(&self, info, load_directives(field, info));
    PMIX_INFO_FREE(info, ROOM);
    if (rc == PMIX_ERR_BAD_PARAM && !is_chosen(field) && px_field_say_servers(field)) {
        return PX_FIELD_UNREACHED;
    }
    if (rc != PMIX_SUCCESS) {
        int code = px_field_fail(field, "connecting to a server", rc);
        return code == PX_FIELD_REFUSED || code == PX_FIELD_TIMEOUT ? code : PX_FIELD_UNREACHED;
    }
    if (field->verbose) {
        print_connection(field, &self);
    }
    int code = field->command->run(field);
    if (!field->expired) {
        (void) PMIx_tool_finalize(); /* the work is done */
    }
    return code;
}

/* From the command line to the end of the output. Returns an exit code. */
static int live(struct px_field *field, int argc, char **argv)
{
    const struct px_field_command *command = field->command;
    const struct px_command_line line = {command->name, command->options, command->n_options, false,
                                         read_words};
    int rc;

    px_std_open(argv, command->name);
    rc = px_options_read(&line, argc, argv, field);
    if (rc != 0) {
        return rc;
    }
    px_out_set_form(field->json ? PX_OUT_JSON : field->parsable ? PX_OUT_PARSABLE : PX_OUT_PLAIN);
    if (field->help) {
        printf("%s\n%s", command->usage, common_text);
    } else if (field->version) {
        printf("%s (%s)\n", PACKAGE_STRING, PMIx_Get_version());
    } else {
        rc = connect_and_run(field);
    }
    return px_std_close(command->name, rc);
}

int px_field_main(const struct px_field_command *command, int argc, char **argv,
                  struct px_field *field)
{
    int rc;

    field->command = command;
    rc = live(field, argc, argv);
    if (field->expired) {
        _exit(rc); /* the library's thread waits for the answer */
    }
    px_field_infos_free(&field->infos);
    free(field->targets);
    return rc;
}
