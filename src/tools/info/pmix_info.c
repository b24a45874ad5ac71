/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix_info: versions, paths and parameters of this library, for people and for scripts. The
 * options and the script form of a line are those that scripts know from other PMIx
 * implementations. */

#include "config.h"

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "doctor.h"
#include "src/base/complaints.h"
#include "src/base/param.h"
#include "src/tools/options.h"
#include "src/tools/out.h"
#include "src/tools/std.h"

#define NOT_FOUND  1
#define ENV_PREFIX "PMIX_MCA_"

struct options {
    bool all;
    bool parsable;
    bool json;
    bool doctor;
    bool help;
    bool version;
    bool config;
    bool arch;
    bool hostname;
    bool accepted; /* an option that changes nothing here */
    int level;
    const char *param[2]; /* framework and component: "all" or a name; NULL: not given */
    const char *path;
    const char *show_version;
    const char *attributes; /* the name of a call */
    char **names;           /* words: names of parameters */
    int n_names;
};

static const char usage_text[] =
    "usage: pmix_info [OPTION...] [PARAMETER...]\n"
    "Shows what this PMIx library is and how it is set; or these parameters only.\n\n"
    "  -a, --all                 everything\n"
    "  --arch                    the machine that it was built for\n"
    "  --attributes CALL         attributes that this library honours in a call, and what they "
    "mean\n"
    "  -c, --config              how it was built\n"
    "  --doctor                  what a program of this shell would find: libraries, servers, "
    "settings;\n"
    "                            and what to do about what is wrong\n"
    "  --hostname                the machine that it was built on\n"
    "  --param FRAMEWORK COMP    parameters of a framework (all: of every one) and component; "
    "COMP\n"
    "                            may be the rest of one parameter's name: shmix segment_size\n"
    "  --level N                 with parameters: those up to this level only: 3 what users set, "
    "6 and what tunes,\n"
    "                            9 and what developers set (default)\n"
    "  --internal                internal parameters, too; there are none\n"
    "  --selected-only           those of selected components only; every component is\n"
    "  --json                    with --doctor: one JSON value\n"
    "  --parsable, --parseable   one fact per line, fields between colons\n"
    "  --pretty-print            lines for people (default)\n"
    "  --path WHAT               an installation directory: prefix, bindir, libdir, incdir, "
    "mandir, pkglibdir,\n"
    "                            sysconfdir, all\n"
    "  --show-version WHAT       a version: full, major, minor, release, product\n"
    "  -V, --version             the version\n"
    "  -h, --help                this text\n";

static const struct {
    const char *name;
    const char *value;
} paths[] = {
    {"prefix", PX_PREFIX},         {"bindir", PX_BINDIR}, {"libdir", PX_LIBDIR},
    {"incdir", PX_INCLUDEDIR},     {"mandir", PX_MANDIR}, {"pkglibdir", PX_PKGLIBDIR},
    {"sysconfdir", PX_SYSCONFDIR},
};

/* ---- lines */

static void fact(const struct options *o, const char *name, const char *script_name,
                 const char *value)
{
    if (o->parsable) {
        printf("%s:%s\n", script_name, value);
    } else {
        printf("%24s: %s\n", name, value);
    }
}

static const char *declared_version(void)
{
    static char text[32];

    snprintf(text, sizeof(text), "%d.%d.%d", (int) PMIX_VERSION_MAJOR, (int) PMIX_VERSION_MINOR,
             (int) PMIX_VERSION_RELEASE);
    return text;
}

static void show_versions(const struct options *o)
{
    fact(o, "Package", "package", PACKAGE_STRING);
    fact(o, "PMIx version", "pmix:version:full", declared_version());
    fact(o, "Library", "pmix:version:library", PMIx_Get_version());
}

static int show_paths(const struct options *o, const char *which)
{
    int n = 0;

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (strcmp(which, "all") == 0 || strcmp(which, paths[i].name) == 0) {
            char script_name[32];
            snprintf(script_name, sizeof(script_name), "path:%s", paths[i].name);
            fact(o, paths[i].name, script_name, paths[i].value);
            n++;
        }
    }
    if (n == 0) {
        fprintf(stderr, "pmix_info: --path: no directory is called %s\n", which);
        return PX_USAGE_ERROR;
    }
    return 0;
}

static int show_one_version(const char *which)
{
    const char *const names[] = {"full", "major", "minor", "release", "product"};
    char numbers[3][12];

    snprintf(numbers[0], sizeof(numbers[0]), "%d", (int) PMIX_VERSION_MAJOR);
    snprintf(numbers[1], sizeof(numbers[1]), "%d", (int) PMIX_VERSION_MINOR);
    snprintf(numbers[2], sizeof(numbers[2]), "%d", (int) PMIX_VERSION_RELEASE);
    const char *const values[] = {declared_version(), numbers[0], numbers[1], numbers[2],
                                  PACKAGE_VERSION};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(which, names[i]) == 0) {
            puts(values[i]);
            return 0;
        }
    }
    fprintf(stderr, "pmix_info: --show-version: full, major, minor, release or product, not %s\n",
            which);
    return PX_USAGE_ERROR;
}

/* ---- the build */

static void show_arch(const struct options *o)
{
    fact(o, "Architecture", "config:arch", PX_ARCH);
}

static void show_hostname(const struct options *o)
{
    fact(o, "Built on", "config:host", PX_BUILD_HOST);
}

static void show_build(const struct options *o)
{
    if (o->arch) {
        show_arch(o);
    }
    if (o->hostname) {
        show_hostname(o);
    }
}

static void show_config(const struct options *o)
{
    char assertions[16];

    snprintf(assertions, sizeof(assertions), "%d", PX_DEBUG);
    show_arch(o);
    show_hostname(o);
    fact(o, "Configured", "config:date", PX_BUILD_DATE);
    fact(o, "Configure options", "config:options",
         strlen(PX_BUILD_OPTIONS) > 0 ? PX_BUILD_OPTIONS : "none");
    fact(o, "Compiler", "config:compiler", __VERSION__);
    fact(o, "Assertion level", "config:assertions", assertions);
    fact(o, "Sanitizers", "config:sanitizers", PX_SANITIZE[0] != '\0' ? PX_SANITIZE : "none");
    fact(o, "hwloc", "config:hwloc",
         PX_HWLOC_VERSION " (" PX_HWLOC_SONAME ", opened when asked for)");
    fact(o, "zlib", "config:zlib", PX_ZLIB_VERSION);
}

/* ---- parameters */

/* Levels as other implementations number them: 1 to 3 are for users, 4 to 6 for those who tune, 7
 * to 9 for developers. */
enum { USER_LEVEL = 3, TUNER_LEVEL = 6, DEVELOPER_LEVEL = 9 };

/* A parameter that makes the library talk is for developers; those that this library adds tune it;
 * the others are known from elsewhere. */
static int level_of(const char *name)
{
    size_t len = strlen(name);
    bool talks = len > 8 && strcmp(name + len - 8, "_verbose") == 0;
    bool tunes = strncmp(name, "shmix_", 6) == 0;

    return talks ? DEVELOPER_LEVEL : tunes ? TUNER_LEVEL : USER_LEVEL;
}

static const char *type_name(enum px_param_type type)
{
    switch (type) {
    case PX_PARAM_BOOL:
        return "bool";
    case PX_PARAM_INT:
        return "int";
    case PX_PARAM_SIZE:
        return "size_t";
    case PX_PARAM_STRING:
        return "string";
    }
    return "unknown";
}

static const char *source_name(enum px_param_source source)
{
    switch (source) {
    case PX_SOURCE_DEFAULT:
        return "default";
    case PX_SOURCE_SYSTEM:
        return "system file";
    case PX_SOURCE_USER:
        return "user file";
    case PX_SOURCE_ENV:
        return "environment";
    }
    return "unknown";
}

/* The framework is the first word of a parameter's name. */
static size_t framework_len(const char *name)
{
    return strcspn(name, "_");
}

/* A name as people write it: of a variable, too. */
static bool is_named(const char *word, const char *name)
{
    size_t head = strlen(ENV_PREFIX);

    return strcmp(strncmp(word, ENV_PREFIX, head) == 0 ? word + head : word, name) == 0;
}

static bool is_wanted(const struct options *o, const char *name)
{
    size_t n = framework_len(name);
    bool framework = o->param[0] == NULL || strcmp(o->param[0], "all") == 0 ||
                     (strlen(o->param[0]) == n && strncmp(o->param[0], name, n) == 0);
    bool component = o->param[1] == NULL || strcmp(o->param[1], "all") == 0 ||
                     strcmp(o->param[1], "base") == 0 || is_named(o->param[1], name) ||
                     (name[n] == '_' && strcmp(o->param[1], name + n + 1) == 0);

    for (int i = 0; i < o->n_names; i++) {
        if (is_named(o->names[i], name)) {
            return true;
        }
    }
    return o->n_names == 0 && framework && component;
}

/* A number of bytes as people write it: "64 GiB", if it is a whole number of them; else as it is.
 */
static void print_size(uint64_t bytes)
{
    static const char *const units[] = {"", " KiB", " MiB", " GiB", " TiB"};
    size_t unit = 0;

    while (bytes != 0 && bytes % 1024 == 0 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    printf("%llu%s", (unsigned long long) bytes, units[unit]);
}

/* A line about what the parameter can be. */
static void print_bounds(const struct px_param_info *p)
{
    if (p->words != NULL) {
        printf("%26swords: %s\n", "", p->words);
    } else if (p->type == PX_PARAM_INT && p->min != p->max) {
        printf("%26sfrom %lld to %lld\n", "", (long long) p->min, (long long) p->max);
    } else if (p->type == PX_PARAM_SIZE) {
        printf("%26sfrom ", "");
        print_size((uint64_t) p->min);
        if (p->max < INT64_MAX) {
            fputs(" to ", stdout);
            print_size((uint64_t) p->max);
        }
        fputs("; default ", stdout);
        print_size(strtoull(p->dflt, NULL, 10));
        putchar('\n');
    }
}

static void field(const char *name, const char *what, const char *value)
{
    printf("mca:%.*s:base:param:%s:%s:%s\n", (int) framework_len(name), name, name, what, value);
}

static void show_param(const struct options *o, const struct px_param_info *p)
{
    static const char *const names[] = {"user/all", "tuner/all", "dev/all"};
    int number = level_of(p->name);
    char level[32];

    snprintf(level, sizeof(level), "%d:%s", number, names[number / 3 - 1]);
    if (!o->parsable) {
        printf("%24s: %s (type: %s, default: \"%s\", current: \"%s\", source: %s)\n%26s%s\n",
               "parameter", p->name, type_name(p->type), p->dflt, p->value, source_name(p->source),
               "", p->help);
        print_bounds(p);
        if (o->n_names > 0) {
            printf("%26sset it by " ENV_PREFIX "%s=VALUE, or by a line %s = VALUE of a file\n", "",
                   p->name, p->name);
        }
        if (p->rejected != NULL) {
            printf("%26smalformed and passed over: \"%s\"\n", "", p->rejected);
        }
        return;
    }
    field(p->name, "value", p->value);
    field(p->name, "default", p->dflt);
    field(p->name, "source", source_name(p->source));
    field(p->name, "status", "writeable");
    field(p->name, "level", level);
    field(p->name, "type", type_name(p->type));
    field(p->name, "help", p->help);
    if (p->rejected != NULL) {
        field(p->name, "rejected", p->rejected);
    }
}

/* Says which of the words names no parameter. Returns the exit code. */
static int complain_of_names(const struct options *o)
{
    for (int w = 0; w < o->n_names; w++) {
        int i = 0;

        while (i < PX_PARAMS && !is_named(o->names[w], px_param_describe((enum px_param) i).name)) {
            i++;
        }
        if (i == PX_PARAMS) {
            fprintf(stderr,
                    "pmix_info: there is no parameter \"%s\" (pmix_info --param all all "
                    "lists them)\n",
                    o->names[w]);
        }
    }
    return NOT_FOUND;
}

/* What is set and has no effect. */
static void show_complaints(const struct options *o)
{
    const struct px_complaint *one;

    for (size_t i = 0; (one = px_param_complaint(i)) != NULL; i++) {
        fact(o, "no effect", "complaint", one->text);
    }
}

static int show_params(const struct options *o)
{
    int n = 0;

    for (int i = 0; i < PX_PARAMS; i++) {
        struct px_param_info p = px_param_describe((enum px_param) i);
        if (is_wanted(o, p.name) && level_of(p.name) <= o->level) {
            show_param(o, &p);
            n++;
        }
    }
    if (n < o->n_names) {
        return complain_of_names(o);
    }
    if (n == 0) {
        bool named = o->param[0] != NULL;
        fprintf(stderr, "pmix_info: --param: no framework %s has parameters of a component %s%s\n",
                named ? o->param[0] : "all", named ? o->param[1] : "all",
                o->level < DEVELOPER_LEVEL ? " up to this level" : "");
        return NOT_FOUND;
    }
    return 0;
}

/* ---- options */

static const struct px_option known_options[] = {
    {"all", 'a', PX_OPTION_FLAG, offsetof(struct options, all), 0, 0, NULL},
    {"help", 'h', PX_OPTION_FLAG, offsetof(struct options, help), 0, 0, NULL},
    {"version", 'V', PX_OPTION_FLAG, offsetof(struct options, version), 0, 0, NULL},
    {"param", 0, PX_OPTION_PAIR, offsetof(struct options, param), 0, 0, NULL},
    {"parsable", 0, PX_OPTION_FLAG, offsetof(struct options, parsable), 0, 0, NULL},
    {"parseable", 0, PX_OPTION_FLAG, offsetof(struct options, parsable), 0, 0, NULL},
    {"arch", 0, PX_OPTION_FLAG, offsetof(struct options, arch), 0, 0, NULL},
    {"attributes", 0, PX_OPTION_TEXT, offsetof(struct options, attributes), 0, 0, NULL},
    {"config", 'c', PX_OPTION_FLAG, offsetof(struct options, config), 0, 0, NULL},
    {"doctor", 0, PX_OPTION_FLAG, offsetof(struct options, doctor), 0, 0, NULL},
    {"json", 0, PX_OPTION_FLAG, offsetof(struct options, json), 0, 0, NULL},
    {"hostname", 0, PX_OPTION_FLAG, offsetof(struct options, hostname), 0, 0, NULL},
    {"level", 0, PX_OPTION_NUMBER, offsetof(struct options, level), 1, 9, NULL},
    {"internal", 0, PX_OPTION_FLAG, offsetof(struct options, accepted), 0, 0, NULL},
    {"selected-only", 0, PX_OPTION_FLAG, offsetof(struct options, accepted), 0, 0, NULL},
    {"pretty-print", 0, PX_OPTION_FLAG, offsetof(struct options, accepted), 0, 0, NULL},
    {"path", 0, PX_OPTION_TEXT, offsetof(struct options, path), 0, 0, NULL},
    {"show-version", 0, PX_OPTION_TEXT, offsetof(struct options, show_version), 0, 0, NULL},
};

/* Words beside the options are names of parameters. */
static int take_words(char **words, int n, void *options)
{
    struct options *o = options;

    o->names = words;
    o->n_names = n;
    return 0;
}

static int show(const struct options *o)
{
    if (o->help) {
        fputs(usage_text, stdout);
        return 0;
    }
    if (o->version) {
        printf("%s (PMIx %s)\n", PACKAGE_STRING, declared_version());
        return 0;
    }
    if (o->show_version != NULL) {
        return show_one_version(o->show_version);
    }
    if (o->attributes != NULL) {
        return px_info_attributes(o->attributes, o->parsable);
    }
    if (o->json && !o->doctor) {
        fputs("pmix_info: --json is for --doctor\n", stderr);
        return PX_USAGE_ERROR;
    }
    if (o->doctor) {
        px_out_set_form(o->json ? PX_OUT_JSON : o->parsable ? PX_OUT_PARSABLE : PX_OUT_PLAIN);
        return px_doctor();
    }
    int rc = 0;
    bool nothing_asked = o->path == NULL && o->param[0] == NULL && !o->config && !o->arch &&
                         !o->hostname && o->n_names == 0;
    if (o->all || nothing_asked) {
        show_versions(o);
    }
    if (o->all || o->config) {
        show_config(o);
    } else {
        show_build(o);
    }
    if (o->path != NULL || o->all || nothing_asked) {
        rc = show_paths(o, o->path != NULL ? o->path : "all");
    }
    if (rc == 0 && (o->all || o->param[0] != NULL || o->n_names > 0 || nothing_asked)) {
        rc = show_params(o);
    }
    if (rc == 0 && (o->all || nothing_asked)) {
        show_complaints(o);
    }
    return rc;
}

int main(int argc, char **argv)
{
    static char name[] = "pmix_info";
    const struct px_command_line line = {
        name, known_options, sizeof(known_options) / sizeof(known_options[0]), false, take_words};
    struct options o = {.level = DEVELOPER_LEVEL};

    px_std_open(argv, name);
    int rc = px_options_read(&line, argc, argv, &o);
    if (rc != 0) {
        return rc;
    }
    if (px_param_load() != 0) {
        fputs("pmix_info: out of memory\n", stderr);
        return 1;
    }
    return px_std_close(name, show(&o));
}
