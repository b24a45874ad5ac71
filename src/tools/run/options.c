/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmixrun's command line, and the environment that its processes start from. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "src/tools/options.h"
#include "wishes.h"

#define MAX_NODES 1024

void px_run_usage(FILE *to)
{
    fputs(
        "usage: pmixrun [OPTION...] PROGRAM [ARGUMENT...] [: [OPTION...] PROGRAM "
        "[ARGUMENT...]]...\n"
        "Starts processes of PROGRAM on this machine, each with a rank in one PMIx job. Several\n"
        "programs, separated by a colon, are the applications of one job.\n\n"
        "For each program:\n"
        "  -n N, -np N        number of processes (default 1)\n"
        "  --map-by HOW       which node: slot (default: blocks of ranks), node: in turn, or\n"
        "                     ppr:N:node: N on each\n"
        "  --rank-by HOW      slot (default: in the order of the mapping), or node: ranks go to "
        "the\n"
        "                     nodes in turn\n"
        "  --host NAMES       on these nodes, with commas between their names\n"
        "  --hostfile FILE    the same, a name on each line; slots=N behind it says nothing here\n"
        "  --wdir DIR         working directory\n"
        "  -x VAR[=VALUE]     give the processes this variable (without VALUE: ours); before the\n"
        "                     first program it is for all, also for those that are spawned\n"
        "  --env-file FILE    as -x for each line VAR=VALUE of the file\n"
        "For the job:\n"
        "  --nodes M          emulate M nodes on this machine: as many servers, named node0, ...\n"
        "  --keep-going       a process that fails does not end the job\n"
        "  --stdin WHO        who reads our input: a rank (default 0), all, or none\n"
        "  --tag-output       put [namespace,rank]<stream>: before each line\n"
        "  --timestamp-output\n"
        "                     put the time before each line\n"
        "  --merge-stderr     processes write standard error to standard output\n"
        "  --raw-output       pass output on at once, also the beginning of a line (a prompt)\n"
        "  --output DIR       write output to DIR/NAMESPACE/rank.RANK/stdout and stderr, too\n"
        "  --output-only DIR  the same, and show none of it\n"
        "  --timeout SECONDS  end the job after this time, with exit code 124\n"
        "  --bind-to WHAT     none (default), or core: one core for each process\n"
        "  --report-bindings  say which CPUs each process is bound to\n"
        "  --nspace NAME      name of the job\n"
        "  --verbose          say what is done\n"
        "  --report           say at the end what each process read, and how; with --verbose, "
        "where the\n"
        "                     segment's bytes are, and the heap at each step; and who came last "
        "to\n"
        "                     each collective\n"
        "  --waits-signal     on SIGUSR2 say what the job waits for, and do not pass it on\n"
        "  --script RULE|FILE how the host answers the processes' requests, instead of by itself:\n"
        "                     ENTRY[@NODE][#NTH]=ANSWER, where ENTRY is one of the server module\n"
        "                     (fence, lookup, ...) and ANSWER is missing, never, a status, or\n"
        "                     inside[:STATUS], thread[:STATUS], late:MILLISECONDS[:STATUS],\n"
        "                     after:ENTRY[:STATUS]; may be repeated, the first that fits counts\n"
        "  --record FILE      write what the host was asked, a line of JSON for each request\n"
        "  --trace FILE       write a timeline of the job, a row for each process: a trace of\n"
        "                     events as Chrome and Perfetto show them\n"
        "  -V, --version      the version\n"
        "  -h, --help         this text\n\n"
        "The exit code is 0, or the first non-zero one of a process (128 + N for signal N; 1 for\n"
        "one that ends after PMIx_Init without PMIx_Finalize); 127 and 126 for a program that is\n"
        "not there, or cannot be executed.\n"
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
        "PMIX_LAUNCHER_RNDZ_",
        "PMIX_SERVER_TMPDIR=",
        "PMIX_SYSTEM_TMPDIR=",
        "PMIX_MCA_shmix_report_fd=",
        "PMIX_MCA_shmix_trace_fd=",
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
    char **env = px_env_copy(environ);
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
    if (px_env_get(env, "OMPI_MCA_schizo") == NULL &&
        px_env_set(&env, "OMPI_MCA_schizo", "^orte") != 0) {
        px_env_free(env);
        return NULL;
    }
    return env;
}

static int out_of_memory(void)
{
    fputs("pmixrun: out of memory\n", stderr);
    return 1;
}

/* The variables of all processes, or those of the application that is read. */
static char ***environment_of(struct px_run_options *o)
{
    return o->n_done > 0 ? &o->apps[o->n_done].env : &o->env;
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
        return px_env_set(environment_of(o), text, value) == 0 ? 0 : 1;
    }
    if (px_env_put(environment_of(o), text) != 0) {
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

/* Adds a directive to the application that is read, if it makes sense. */
static int put_directive(struct px_run_options *o, const char *option, const char *key,
                         const char *text)
{
    struct px_run_job_wishes of_job = {.input_rank = PMIX_RANK_INVALID};
    struct px_run_wishes wishes = {.job = &of_job};
    pmix_app_t *app = &o->apps[o->n_done];
    pmix_info_t *infos = realloc(app->info, (app->ninfo + 1) * sizeof(*infos));

    if (infos == NULL) {
        return out_of_memory();
    }
    app->info = infos;
    if (PMIx_Info_load(&infos[app->ninfo], key, text, PMIX_STRING) != PMIX_SUCCESS) {
        return out_of_memory();
    }
    PMIX_INFO_REQUIRED(&infos[app->ninfo]);
    app->ninfo++;
    if (px_run_wishes_read(&infos[app->ninfo - 1], 1, &wishes) != PMIX_SUCCESS) {
        fprintf(stderr, "pmixrun: --%s cannot be \"%s\"\n", option, text);
        return PX_USAGE_ERROR;
    }
    return 0;
}

/* What the first application is told is also the default for what is spawned. */
static int read_mapping(const char *text, void *options)
{
    struct px_run_options *o = options;

    o->map_by_node = strcmp(text, "node") == 0 && o->n_done == 0 ? true : o->map_by_node;
    o->by_number = strncmp(text, "ppr:", 4) == 0;
    return put_directive(o, "map-by", PMIX_MAPBY, text);
}

static int read_ranking(const char *text, void *options)
{
    return put_directive(options, "rank-by", PMIX_RANKBY, text);
}

static int read_hosts(const char *text, void *options)
{
    return put_directive(options, "host", PMIX_HOST, text);
}

/* Calls fn for each line of a file that has more than blanks and a comment, without blanks at its
 * ends, until fn does not return 0. 0, what fn has returned, or PX_USAGE_ERROR after a complaint.
 */
static int read_lines(const char *option, const char *path, int (*fn)(char *line, void *arg),
                      void *arg)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int rc = 0;

    if (f == NULL) {
        fprintf(stderr, "pmixrun: --%s: %s: %s\n", option, path, strerror(errno));
        return PX_USAGE_ERROR;
    }
    while (rc == 0 && getline(&line, &room, f) >= 0) {
        char *start = line + strspn(line, " \t");
        size_t len = strcspn(start, "\n");

        while (len > 0 && strchr(" \t\r", start[len - 1]) != NULL) {
            len--;
        }
        start[len] = '\0';
        rc = len > 0 && start[0] != '#' ? fn(start, arg) : 0;
    }
    if (rc == 0 && ferror(f)) {
        fprintf(stderr, "pmixrun: --%s: %s cannot be read\n", option, path);
        rc = PX_USAGE_ERROR;
    }
    free(line);
    fclose(f);
    return rc;
}

/* The names of a hostfile, with commas. */
struct hosts {
    char names[MAX_NODES * 64];
    size_t len;
};

/* A line of a hostfile: a name, and words "slots=N" that say nothing here. */
static int add_host(char *line, void *arg)
{
    struct hosts *hosts = arg;
    char *rest = NULL;
    const char *name = strtok_r(line, " \t", &rest);

    for (const char *word = strtok_r(NULL, " \t", &rest); word != NULL && word[0] != '#';
         word = strtok_r(NULL, " \t", &rest)) {
        if (strncmp(word, "slots=", 6) != 0 && strncmp(word, "max_slots=", 10) != 0) {
            fprintf(stderr, "pmixrun: --hostfile: what is \"%s\", behind %s?\n", word, name);
            return PX_USAGE_ERROR;
        }
    }
    hosts->len += (size_t) snprintf(hosts->names + hosts->len, sizeof(hosts->names) - hosts->len,
                                    "%s%s", hosts->len > 0 ? "," : "", name);
    if (hosts->len >= sizeof(hosts->names)) {
        fprintf(stderr, "pmixrun: --hostfile: too many names\n");
        return PX_USAGE_ERROR;
    }
    return 0;
}

static int read_hostfile(const char *path, void *options)
{
    struct hosts *hosts = calloc(1, sizeof(*hosts));
    int rc = hosts != NULL ? read_lines("hostfile", path, add_host, hosts) : out_of_memory();

    if (rc == 0 && hosts->len == 0) {
        fprintf(stderr, "pmixrun: --hostfile: %s names no node\n", path);
        rc = PX_USAGE_ERROR;
    }
    rc = rc == 0 ? put_directive(options, "hostfile", PMIX_HOST, hosts->names) : rc;
    free(hosts);
    return rc;
}

/* A line VAR=VALUE of a file, as -x has it. */
static int add_variable(char *line, void *options)
{
    if (strchr(line, '=') == NULL) {
        fprintf(stderr, "pmixrun: --env-file: not of the form VAR=VALUE: %s\n", line);
        return PX_USAGE_ERROR;
    }
    return read_variable(line, options);
}

static int read_env_file(const char *path, void *options)
{
    return read_lines("env-file", path, add_variable, options);
}

static int read_input(const char *text, void *options)
{
    struct px_run_options *o = options;
    char *end;

    errno = 0;
    unsigned long rank = strtoul(text, &end, 10);
    if (strcmp(text, "all") == 0) {
        o->input_rank = PMIX_RANK_WILDCARD;
    } else if (strcmp(text, "none") == 0) {
        o->input_rank = PMIX_RANK_INVALID;
    } else if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
               rank < PMIX_RANK_VALID) {
        o->input_rank = (pmix_rank_t) rank;
    } else {
        fprintf(stderr, "pmixrun: --stdin must be a rank, all or none, not \"%s\"\n", text);
        return PX_USAGE_ERROR;
    }
    return 0;
}

static int read_output_only(const char *text, void *options)
{
    struct px_run_options *o = options;

    o->output = text;
    o->output_only = true;
    return 0;
}

static int read_directory(const char *text, void *options)
{
    struct px_run_options *o = options;
    pmix_app_t *app = &o->apps[o->n_done];
    struct stat st;

    free(app->cwd);
    app->cwd = realpath(text, NULL);
    if (app->cwd == NULL || stat(app->cwd, &st) != 0 || !S_ISDIR(st.st_mode)) {
        fprintf(stderr, "pmixrun: --wdir: %s: %s\n", text,
                strerror(app->cwd == NULL ? errno : ENOTDIR));
        return PX_USAGE_ERROR;
    }
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

/* The first ones are those of an application, which may stand before each program. */
static const struct px_option known_options[] = {
    {"np", 'n', PX_OPTION_NUMBER, MEMBER(n_procs), 1, PX_RUN_MAX_PROCS, NULL},
    {NULL, 'x', PX_OPTION_CALL, 0, 0, 0, read_variable},
    {"map-by", 0, PX_OPTION_CALL, 0, 0, 0, read_mapping},
    {"rank-by", 0, PX_OPTION_CALL, 0, 0, 0, read_ranking},
    {"host", 0, PX_OPTION_CALL, 0, 0, 0, read_hosts},
    {"hostfile", 0, PX_OPTION_CALL, 0, 0, 0, read_hostfile},
    {"env-file", 0, PX_OPTION_CALL, 0, 0, 0, read_env_file},
    {"wdir", 0, PX_OPTION_CALL, 0, 0, 0, read_directory},
    {"help", 'h', PX_OPTION_FLAG, MEMBER(help), 0, 0, NULL},
    {"version", 'V', PX_OPTION_FLAG, MEMBER(version), 0, 0, NULL},
    {"stdin", 0, PX_OPTION_CALL, 0, 0, 0, read_input},
    {"tag-output", 0, PX_OPTION_FLAG, MEMBER(tag_output), 0, 0, NULL},
    {"timestamp-output", 0, PX_OPTION_FLAG, MEMBER(timestamp_output), 0, 0, NULL},
    {"merge-stderr", 0, PX_OPTION_FLAG, MEMBER(merge), 0, 0, NULL},
    {"raw-output", 0, PX_OPTION_FLAG, MEMBER(raw), 0, 0, NULL},
    {"output", 0, PX_OPTION_TEXT, MEMBER(output), 0, 0, NULL},
    {"output-only", 0, PX_OPTION_CALL, 0, 0, 0, read_output_only},
    {"timeout", 0, PX_OPTION_NUMBER, MEMBER(timeout_s), 1, INT_MAX / 1000, NULL},
    {"bind-to", 0, PX_OPTION_CALL, 0, 0, 0, read_binding},
    {"report-bindings", 0, PX_OPTION_FLAG, MEMBER(report_bindings), 0, 0, NULL},
    {"nspace", 0, PX_OPTION_CALL, 0, 0, 0, read_name},
    {"nodes", 0, PX_OPTION_NUMBER, MEMBER(n_nodes), 1, MAX_NODES, NULL},
    {"keep-going", 0, PX_OPTION_FLAG, MEMBER(keep_going), 0, 0, NULL},
    {"verbose", 0, PX_OPTION_FLAG, MEMBER(verbose), 0, 0, NULL},
    {"report", 0, PX_OPTION_FLAG, MEMBER(report), 0, 0, NULL},
    {"waits-signal", 0, PX_OPTION_FLAG, MEMBER(waits_signal), 0, 0, NULL},
    {"script", 0, PX_OPTION_CALL, 0, 0, 0, read_rule},
    {"record", 0, PX_OPTION_TEXT, MEMBER(record), 0, 0, NULL},
    {"trace", 0, PX_OPTION_TEXT, MEMBER(trace), 0, 0, NULL},
};

enum { N_OF_APPLICATION = 8, N_OPTIONS = sizeof(known_options) / sizeof(known_options[0]) };

/* The program with its arguments, of that many words. */
static int take_program(char **words, int n, struct px_run_options *o)
{
    pmix_app_t *app = &o->apps[o->n_done];

    if (n == 0) {
        if (o->help || o->version) {
            return 0;
        }
        fputs("pmixrun: which program?\n", stderr);
        return PX_USAGE_ERROR;
    }
    app->cmd = strdup(words[0]);
    app->argv = calloc((size_t) n + 1, sizeof(*app->argv));
    for (int i = 0; app->argv != NULL && i < n; i++) {
        app->argv[i] = strdup(words[i]);
        if (app->argv[i] == NULL) {
            return out_of_memory();
        }
    }
    app->maxprocs = o->n_procs > 0 || o->by_number ? o->n_procs : 1;
    o->n_done++;
    return app->cmd != NULL && app->argv != NULL ? 0 : out_of_memory();
}

/* A program with its arguments; what is behind a colon is read next. */
static int read_words(char **words, int n, void *options)
{
    static char name[] = "pmixrun";
    struct px_run_options *o = options;
    int end = 0;

    while (end < n && strcmp(words[end], ":") != 0) {
        end++;
    }
    o->n_rest = n - end;
    o->rest = words + end;
    if (end < n) {
        words[end] = name;
    }
    return take_program(words, end, o);
}

/* Reads an application, and sets what is left. argv[0] is the name of this command. */
static int read_application(int argc, char **argv, struct px_run_options *o)
{
    const struct px_command_line line = {
        "pmixrun", known_options, o->n_done == 0 ? N_OPTIONS : N_OF_APPLICATION, true, read_words};
    pmix_app_t *apps = realloc(o->apps, (o->n_done + 1) * sizeof(*apps));

    if (apps == NULL) {
        return out_of_memory();
    }
    o->apps = apps;
    o->n_apps = o->n_done + 1;
    PMIx_App_construct(&apps[o->n_done]);
    o->n_procs = 0;
    o->by_number = false;
    return px_options_read(&line, argc, argv, o);
}

static int read_rules(struct px_run_options *o)
{
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
    px_env_free(o->env);
    for (size_t i = 0; i < o->n_apps; i++) {
        PMIx_App_destruct(&o->apps[i]);
    }
    free(o->apps);
    free(o->rules);
}

int px_run_options_read(int argc, char **argv, struct px_run_options *ret_options)
{
    struct px_run_options o = {.n_nodes = 1,
                               .env = base_environment(),
                               .rules = calloc((size_t) argc + 1, sizeof(char *)),
                               .n_rest = argc,
                               .rest = argv};
    int rc = o.env == NULL || o.rules == NULL ? out_of_memory() : 0;

    while (rc == 0 && o.n_rest > 0) {
        rc = read_application(o.n_rest, o.rest, &o);
    }
    rc = rc == 0 ? read_rules(&o) : rc;
    o.format = (o.tag_output ? PX_FORMAT_TAG : 0) | (o.timestamp_output ? PX_FORMAT_TIME : 0);
    if (rc != 0) {
        px_run_options_free(&o);
        return rc;
    }
    *ret_options = o;
    return 0;
}
