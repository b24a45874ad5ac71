/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmixrun's command line, and the environment that its processes start from. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "src/tools/options.h"

#define MAX_PROCS 65536
#define MAX_NODES 1024

void px_run_usage(FILE *to)
{
    fputs(
        "usage: pmixrun [OPTION...] PROGRAM [ARGUMENT...]\n"
        "Starts processes of PROGRAM on this machine, each with a rank in one PMIx job.\n\n"
        "  -n N, -np N        number of processes (default 1)\n"
        "  --nodes M          emulate M nodes on this machine: as many servers, named node0, ...\n"
        "  --map-by HOW       which node: slot (default: blocks of ranks), or node: in turn\n"
        "  --keep-going       a process that fails does not end the job\n"
        "  --tag-output       put [namespace,rank]<stream>: before each line\n"
        "  --timeout SECONDS  end the job after this time, with exit code 124\n"
        "  --bind-to WHAT     none (default), or core: one core for each process\n"
        "  -x VAR[=VALUE]     give the processes this variable (without VALUE: ours)\n"
        "  --nspace NAME      name of the job\n"
        "  --verbose          say what is done\n"
        "  --report           say at the end what each process read, and how; with --verbose, "
        "where the\n"
        "                     segment's bytes are\n"
        "  --script RULE|FILE how the host answers the processes' requests, instead of by itself:\n"
        "                     ENTRY[@NODE][#NTH]=ANSWER, where ENTRY is one of the server module\n"
        "                     (fence, lookup, ...) and ANSWER is missing, never, a status, or\n"
        "                     inside[:STATUS], thread[:STATUS], late:MILLISECONDS[:STATUS],\n"
        "                     after:ENTRY[:STATUS]; may be repeated, the first that fits counts\n"
        "  --record FILE      write what the host was asked, a line of JSON for each request\n"
        "  -V, --version      the version\n"
        "  -h, --help         this text\n\n"
        "The exit code is 0, or the first non-zero one of a process (128 + N for signal N; 1 for\n"
        "one that ends after PMIx_Init without PMIx_Finalize).\n"
        "The job ends as soon as one of its processes fails (see --keep-going) or calls\n"
        "PMIx_Abort.\n"
        "SIGINT (Ctrl-C) and SIGTERM are passed on; sent twice, they end the job.\n",
        to);
}

/* Variables by which an outer job's server is found; they must not reach ours. */
static bool is_of_outer_job(const char *assignment)
{
    static const char *const names[] = {
        "PMIX_NAMESPACE=",
        "PMIX_RANK=",
        "PMIX_SERVER_URI",
        "PMIX_SHMIX_",
        "PMIX_SECURITY_MODE=",
        "PMIX_BFROP_BUFFER_TYPE=",
        "PMIX_GDS_MODULE=",
        "PMIX_VERSION=",
        "PMIX_HOSTNAME=",
        "PMIX_DSTORE_",
        "PMIX_ID=",
        "PMIX_KEEPALIVE_PIPE=",
        "PMIX_SERVER_TMPDIR=",
        "PMIX_SYSTEM_TMPDIR=",
        "PMIX_MCA_shmix_report_fd=",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strncmp(assignment, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static char **base_environment(void)
{
    char **env = px_run_env_copy(environ);
    if (env == NULL) {
        return NULL;
    }
    size_t kept = 0;
    for (size_t i = 0; env[i] != NULL; i++) {
        if (is_of_outer_job(env[i])) {
            free(env[i]);
        } else {
            env[kept++] = env[i];
        }
    }
    env[kept] = NULL;
    /* Open MPI 4.1 takes itself for a singleton unless its own launcher's component is out of the
     * way. */
    if (px_run_env_get(env, "OMPI_MCA_schizo") == NULL &&
        px_run_env_set(&env, "OMPI_MCA_schizo", "^orte") != 0) {
        px_run_env_free(env);
        return NULL;
    }
    return env;
}

static int read_variable(const char *text, void *options)
{
    struct px_run_options *o = options;

    if (strchr(text, '=') == NULL) {
        const char *value = getenv(text);
        if (value == NULL) {
            fprintf(stderr, "pmixrun: -x %s: there is no such variable\n", text);
            return PX_USAGE_ERROR;
        }
        return px_run_env_set(&o->env, text, value) == 0 ? 0 : 1;
    }
    if (px_run_env_put(&o->env, text) != 0) {
        fprintf(stderr, "pmixrun: -x %s: not of the form VAR=VALUE\n", text);
        return PX_USAGE_ERROR;
    }
    return 0;
}

static int read_name(const char *text, void *options)
{
    struct px_run_options *o = options;

    if (text[0] == '\0' || strlen(text) > PMIX_MAX_NSLEN || strpbrk(text, "; \t\n") != NULL) {
        fprintf(stderr, "pmixrun: --nspace: 1 to %d characters, without blanks and semicolons\n",
                PMIX_MAX_NSLEN);
        return PX_USAGE_ERROR;
    }
    o->nspace = text;
    return 0;
}

static int read_binding(const char *text, void *options)
{
    struct px_run_options *o = options;

    if (strcmp(text, "core") != 0 && strcmp(text, "none") != 0) {
        fprintf(stderr, "pmixrun: --bind-to must be none or core, not \"%s\"\n", text);
        return PX_USAGE_ERROR;
    }
    o->bind_core = strcmp(text, "core") == 0;
    return 0;
}

static int read_mapping(const char *text, void *options)
{
    struct px_run_options *o = options;

    if (strcmp(text, "slot") != 0 && strcmp(text, "node") != 0) {
        fprintf(stderr, "pmixrun: --map-by must be slot or node, not \"%s\"\n", text);
        return PX_USAGE_ERROR;
    }
    o->map_by_node = strcmp(text, "node") == 0;
    return 0;
}

/* Rules name nodes, and how many there are may be said behind them: they are read at the end. */
static int read_rule(const char *text, void *options)
{
    struct px_run_options *o = options;

    o->rules[o->n_rules++] = text;
    return 0;
}

#define MEMBER(name) offsetof(struct px_run_options, name)

static const struct px_option known_options[] = {
    {"help", 'h', PX_OPTION_FLAG, MEMBER(help), 0, 0, NULL},
    {"version", 'V', PX_OPTION_FLAG, MEMBER(version), 0, 0, NULL},
    {"np", 'n', PX_OPTION_NUMBER, MEMBER(n_procs), 1, MAX_PROCS, NULL},
    {NULL, 'x', PX_OPTION_CALL, 0, 0, 0, read_variable},
    {"tag-output", 0, PX_OPTION_FLAG, MEMBER(tag_output), 0, 0, NULL},
    {"timeout", 0, PX_OPTION_NUMBER, MEMBER(timeout_s), 1, INT_MAX / 1000, NULL},
    {"bind-to", 0, PX_OPTION_CALL, 0, 0, 0, read_binding},
    {"nspace", 0, PX_OPTION_CALL, 0, 0, 0, read_name},
    {"nodes", 0, PX_OPTION_NUMBER, MEMBER(n_nodes), 1, MAX_NODES, NULL},
    {"map-by", 0, PX_OPTION_CALL, 0, 0, 0, read_mapping},
    {"keep-going", 0, PX_OPTION_FLAG, MEMBER(keep_going), 0, 0, NULL},
    {"verbose", 0, PX_OPTION_FLAG, MEMBER(verbose), 0, 0, NULL},
    {"report", 0, PX_OPTION_FLAG, MEMBER(report), 0, 0, NULL},
    {"script", 0, PX_OPTION_CALL, 0, 0, 0, read_rule},
    {"record", 0, PX_OPTION_TEXT, MEMBER(record), 0, 0, NULL},
};

/* The program with its arguments; then the rules. */
static int read_program(char **words, int n, void *options)
{
    struct px_run_options *o = options;

    if (n == 0 && !o->help && !o->version) {
        fputs("pmixrun: which program?\n", stderr);
        return PX_USAGE_ERROR;
    }
    o->argv = words;
    for (size_t i = 0; i < o->n_rules; i++) {
        if (px_run_script_add(o->rules[i], o->n_nodes) != 0) {
            return PX_USAGE_ERROR;
        }
    }
    return 0;
}

void px_run_options_free(struct px_run_options *o)
{
    px_run_script_free();
    px_run_env_free(o->env);
    free(o->rules);
}

int px_run_options_read(int argc, char **argv, struct px_run_options *ret_options)
{
    const struct px_command_line line = {"pmixrun", known_options,
                                         sizeof(known_options) / sizeof(known_options[0]), true,
                                         read_program};
    struct px_run_options o = {.n_procs = 1,
                               .n_nodes = 1,
                               .env = base_environment(),
                               .rules = calloc((size_t) argc + 1, sizeof(char *))};
    if (o.env == NULL || o.rules == NULL) {
        fputs("pmixrun: out of memory\n", stderr);
        px_run_options_free(&o);
        return 1;
    }
    int rc = px_options_read(&line, argc, argv, &o);
    if (rc != 0) {
        px_run_options_free(&o);
        return rc;
    }
    *ret_options = o;
    return 0;
}
