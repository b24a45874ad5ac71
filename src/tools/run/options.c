/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmixrun's command line, and the environment that its processes start from. */

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define MAX_PROCS   65536
#define MAX_NODES   1024
#define USAGE_ERROR 2

enum {
    OPT_TAG = 256,
    OPT_TIMEOUT,
    OPT_BIND,
    OPT_NSPACE,
    OPT_VERBOSE,
    OPT_REPORT,
    OPT_NODES,
    OPT_MAP,
    OPT_KEEP,
    OPT_SCRIPT,
    OPT_RECORD,
};

static const char short_options[] = "+n:x:hV";

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {"np", required_argument, NULL, 'n'},
    {"tag-output", no_argument, NULL, OPT_TAG},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"bind-to", required_argument, NULL, OPT_BIND},
    {"nspace", required_argument, NULL, OPT_NSPACE},
    {"nodes", required_argument, NULL, OPT_NODES},
    {"map-by", required_argument, NULL, OPT_MAP},
    {"keep-going", no_argument, NULL, OPT_KEEP},
    {"verbose", no_argument, NULL, OPT_VERBOSE},
    {"report", no_argument, NULL, OPT_REPORT},
    {"script", required_argument, NULL, OPT_SCRIPT},
    {"record", required_argument, NULL, OPT_RECORD},
    {NULL, 0, NULL, 0},
};

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

static int option_number(const char *text, const char *what, long max, int *ret_number)
{
    char *end = NULL;

    errno = 0;
    long n = text != NULL ? strtol(text, &end, 10) : 0;
    if (text == NULL) {
        fprintf(stderr, "pmixrun: %s needs a number\n", what);
        return USAGE_ERROR;
    }
    if (errno != 0 || end == text || *end != '\0' || n < 1 || n > max) {
        fprintf(stderr, "pmixrun: %s must be a number from 1 to %ld, not \"%s\"\n", what, max,
                text);
        return USAGE_ERROR;
    }
    *ret_number = (int) n;
    return 0;
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

static int read_variable(const char *text, struct px_run_options *o)
{
    if (strchr(text, '=') == NULL) {
        const char *value = getenv(text);
        if (value == NULL) {
            fprintf(stderr, "pmixrun: -x %s: there is no such variable\n", text);
            return USAGE_ERROR;
        }
        return px_run_env_set(&o->env, text, value) == 0 ? 0 : 1;
    }
    if (px_run_env_put(&o->env, text) != 0) {
        fprintf(stderr, "pmixrun: -x %s: not of the form VAR=VALUE\n", text);
        return USAGE_ERROR;
    }
    return 0;
}

static int read_name(const char *text, struct px_run_options *o)
{
    if (text[0] == '\0' || strlen(text) > PMIX_MAX_NSLEN || strpbrk(text, "; \t\n") != NULL) {
        fprintf(stderr, "pmixrun: --nspace: 1 to %d characters, without blanks and semicolons\n",
                PMIX_MAX_NSLEN);
        return USAGE_ERROR;
    }
    o->nspace = text;
    return 0;
}

static int read_binding(const char *text, struct px_run_options *o)
{
    if (strcmp(text, "core") != 0 && strcmp(text, "none") != 0) {
        fprintf(stderr, "pmixrun: --bind-to must be none or core, not \"%s\"\n", text);
        return USAGE_ERROR;
    }
    o->bind_core = strcmp(text, "core") == 0;
    return 0;
}

static int read_mapping(const char *text, struct px_run_options *o)
{
    if (strcmp(text, "slot") != 0 && strcmp(text, "node") != 0) {
        fprintf(stderr, "pmixrun: --map-by must be slot or node, not \"%s\"\n", text);
        return USAGE_ERROR;
    }
    o->map_by_node = strcmp(text, "node") == 0;
    return 0;
}

static int read_option(int c, struct px_run_options *o)
{
    switch (c) {
    case 'n':
        return option_number(optarg, "-n", MAX_PROCS, &o->n_procs);
    case 'x':
        return read_variable(optarg, o);
    case 'h':
        o->help = true;
        return 0;
    case 'V':
        o->version = true;
        return 0;
    case OPT_TAG:
        o->tag_output = true;
        return 0;
    case OPT_TIMEOUT:
        return option_number(optarg, "--timeout", INT_MAX / 1000, &o->timeout_s);
    case OPT_BIND:
        return read_binding(optarg, o);
    case OPT_NODES:
        return option_number(optarg, "--nodes", MAX_NODES, &o->n_nodes);
    case OPT_MAP:
        return read_mapping(optarg, o);
    case OPT_KEEP:
        o->keep_going = true;
        return 0;
    case OPT_NSPACE:
        return read_name(optarg, o);
    case OPT_VERBOSE:
        o->verbose = true;
        return 0;
    case OPT_REPORT:
        o->report = true;
        return 0;
    case OPT_RECORD:
        o->record = optarg;
        return 0;
    case OPT_SCRIPT:
        return 0; /* when all others are known */
    default:
        return USAGE_ERROR; /* getopt has complained */
    }
}

/* The next option, or -1. Users of mpirun type "-np 4", which getopt reads as -n with "p". */
static int next_option(int argc, char **argv)
{
    int c = getopt_long(argc, argv, short_options, long_options, NULL);

    if (c == 'n' && strcmp(argv[optind - 1], "-np") == 0) {
        optarg = optind < argc ? argv[optind++] : argv[argc]; /* its end is NULL */
    }
    return c;
}

/* Rules name nodes, and how many there are may be said behind them. */
static int read_scripts(int argc, char **argv, const struct px_run_options *o)
{
    int rc = 0;

    optind = 1;
    for (int c = 0; rc == 0 && c != -1; c = next_option(argc, argv)) {
        if (c == OPT_SCRIPT && px_run_script_add(optarg, o->n_nodes) != 0) {
            rc = USAGE_ERROR;
        }
    }
    return rc;
}

void px_run_options_free(struct px_run_options *options)
{
    px_run_script_free();
    px_run_env_free(options->env);
}

int px_run_options_read(int argc, char **argv, struct px_run_options *ret_options)
{
    struct px_run_options o = {.n_procs = 1, .n_nodes = 1, .env = base_environment()};
    if (o.env == NULL) {
        fputs("pmixrun: out of memory\n", stderr);
        return 1;
    }
    int rc = 0;
    int c = next_option(argc, argv);
    while (rc == 0 && c != -1) {
        rc = read_option(c, &o);
        if (rc == 0) {
            c = next_option(argc, argv);
        }
    }
    if (rc == 0 && !o.help && !o.version && optind >= argc) {
        fputs("pmixrun: which program?\n", stderr);
        rc = USAGE_ERROR;
    }
    if (rc == 0) {
        rc = read_scripts(argc, argv, &o);
    }
    if (rc != 0) {
        fputs("pmixrun --help says more\n", stderr);
        px_run_options_free(&o);
        return rc;
    }
    o.argv = argv + optind;
    *ret_options = o;
    return 0;
}
