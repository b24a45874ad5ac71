/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "src/base/param.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

#include "src/base/complaints.h"
#include "src/base/log.h"
#include "src/base/param_file.h"
#include "src/base/status.h"

/* A load collects texts from the lowest source to the highest, so that the highest one wins, and
 * then parses the winners by type. A winner that is malformed is kept as `rejected`, and the
 * default is used instead of the next lower source: an operator who mistypes a value shall not get
 * a third one. The whole set is exchanged at the end, so a failed load changes nothing. */

#ifndef PX_SYSCONFDIR
#define PX_SYSCONFDIR "/etc"
#endif

#define ENV_PREFIX  "PMIX_MCA_"
#define USER_FILE   "/.pmix/mca-params.conf"
#define SYSTEM_FILE PX_SYSCONFDIR "/pmix-mca-params.conf"

enum { PATH_BYTES = 4096, NAME_BYTES = 128, TEXT_MAX = 65536 };

/* One row of param.def. */
struct row {
    const char *name;
    enum px_param_type type;
    const char *dflt;
    int64_t min;
    int64_t max;
    const char *help;
};

static const struct row rows[PX_PARAMS] = {
#define PX_PARAM(symbol, name, type, dflt, min, max, help)                                         \
    [PX_P_##symbol] = {name, PX_PARAM_##type, dflt, min, max, help},
#include "src/base/param.def"
#undef PX_PARAM
};

/* The words of strings that have few. `others` is NULL if the string has to be one of the words.
 * Else it is a list of them, with commas, perhaps behind ^, which may have words of OpenPMIx
 * (`others`) without effect; any other word is reported. */
static const struct {
    enum px_param param;
    const char *words;
    const char *others;
} words_of[] = {
    {PX_P_FENCE_PIECE, "auto,yes,no", NULL},
    {PX_P_QUERY_RESULTS, "both,flat,nested", NULL},
    {PX_P_GDS, "hash,shmix", "ds12,ds20,ds21,shmem,shmem2,shmem3"},
    {PX_P_PSEC, "native,munge,none", "dummy_handshake"},
};
enum { N_WORDS_OF = sizeof(words_of) / sizeof(words_of[0]) };

/* The value of one parameter in a set. */
struct setting {
    char *text;     /* malloc'd, or NULL: the default stands */
    char *rejected; /* malloc'd, or NULL */
    int64_t number; /* of bool, int and size parameters */
    enum px_param_source source;
};

/* The values of all parameters, as one load found them. */
struct settings {
    struct setting of[PX_PARAMS];
    struct px_complaints complaints;
};

static struct settings *current; /* NULL before the first load: the defaults */

extern char **environ;

/* The parameter of a name; PX_PARAMS: there is none. */
static size_t find_param(const char *name)
{
    size_t i = 0;

    while (i < PX_PARAMS && strcmp(rows[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* A name with this beginning is of this library, and a mistake if there is no such parameter. */
static bool is_ours(const char *name)
{
    return strncmp(name, "shmix_", 6) == 0;
}

/* True if the word, of that many bytes, is one of the list. */
static bool is_listed(const char *word, size_t len, const char *list)
{
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == len && strncmp(at, word, len) == 0) {
            return true;
        }
    }
    return false;
}

/* Accepts the words below, in any case. False: another text; *ret is unchanged. */
static bool read_bool(const char *text, int64_t *ret)
{
    static const char *const yes[] = {"1", "true", "t", "yes", "y", "on", "enabled", "enable"};
    static const char *const no[] = {"0", "false", "f", "no", "n", "off", "disabled", "disable"};

    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcasecmp(text, yes[i]) == 0) {
            *ret = 1;
            return true;
        }
        if (strcasecmp(text, no[i]) == 0) {
            *ret = 0;
            return true;
        }
    }
    return false;
}

/* Number of bits to shift for a unit (k, kb, kib; m, g, t likewise); 0 without a unit, -1 if it is
 * none. */
static int unit_shift(const char *unit)
{
    static const char letters[] = "kmgt";
    const char *at;

    if (!*unit) {
        return 0;
    }
    at = strchr(letters, *unit >= 'A' && *unit <= 'Z' ? *unit - 'A' + 'a' : *unit);
    if (!at || (unit[1] && strcasecmp(unit + 1, "b") != 0 && strcasecmp(unit + 1, "ib") != 0)) {
        return -1;
    }
    return 10 * (int) (at - letters + 1);
}

/* Parses an integer, with a unit if the parameter is a size, and checks its bounds. False:
 * malformed or out of bounds; *ret is unchanged. */
static bool parse_number(const struct row *row, const char *text, int64_t *ret)
{
    char *end = NULL;
    long long v;
    int shift = 0;

    errno = 0;
    v = strtoll(text, &end, 10);
    if (end == text || errno) {
        return false;
    }
    if (row->type == PX_PARAM_SIZE) {
        shift = unit_shift(end);
        end += strlen(end);
    }
    if (*end || shift < 0 || (v < 0 && shift > 0) || v > (INT64_MAX >> shift)) {
        return false;
    }
    v *= (int64_t) 1 << shift;
    if (v < row->min || v > row->max) {
        return false;
    }
    *ret = v;
    return true;
}

/* Parses a text by the type of its parameter. True if it is well-formed. A string is, unless it has
 * to be one of a few words. */
static bool read_text(const struct row *row, const char *text, int64_t *ret)
{
    switch (row->type) {
    case PX_PARAM_BOOL:
        return read_bool(text, ret);
    case PX_PARAM_INT:
    case PX_PARAM_SIZE:
        return parse_number(row, text, ret);
    case PX_PARAM_STRING:
        break;
    }
    for (size_t i = 0; i < N_WORDS_OF; i++) {
        if (row == &rows[words_of[i].param] && !words_of[i].others) {
            return is_listed(text, strlen(text), words_of[i].words);
        }
    }
    return true;
}

/* True if a list of words has one that is not known. */
static bool has_unknown_word(enum px_param p, const char *text)
{
    size_t i = 0;

    while (i < N_WORDS_OF && (words_of[i].param != p || !words_of[i].others)) {
        i++;
    }
    text += *text == '^';
    while (i < N_WORDS_OF && *text) {
        size_t len = strcspn(text, ",");

        if (len > 0 && !is_listed(text, len, words_of[i].words) &&
            !is_listed(text, len, words_of[i].others)) {
            return true;
        }
        text += len;
        text += *text == ',';
    }
    return false;
}

/* The default of a bool, int or size parameter; 0 for a string. */
static int64_t default_number(enum px_param p)
{
    int64_t v = 0;

    (void) read_text(&rows[p], rows[p].dflt, &v); /* the unit test reads every default */
    return v;
}

static void settings_destroy(struct settings *set)
{
    if (!set) {
        return;
    }
    for (size_t i = 0; i < PX_PARAMS; i++) {
        free(set->of[i].text);
        free(set->of[i].rejected);
    }
    px_complaints_fini(&set->complaints);
    free(set);
}

/* Replaces the value by the text of a higher source; texts over TEXT_MAX bytes are cut. 0 or
 * PX_ERR_NOMEM (unchanged). */
static int setting_offer(struct setting *setting, const char *text, size_t len,
                         enum px_param_source source)
{
    char *copy;

    if (len > TEXT_MAX) {
        len = TEXT_MAX;
    }
    copy = strndup(text, len);
    if (!copy) {
        return PX_ERR_NOMEM;
    }
    free(setting->text);
    setting->text = copy;
    setting->source = source;
    return PX_OK;
}

/* One file being read: where its values go, and as which source. */
struct file_pass {
    struct settings *set;
    enum px_param_source source;
    const char *path;
};

/* px_param_line_fn: stores the value if the name is one of our parameters. Files are shared with
 * other libraries, so unknown names are normal. */
static int take_line(void *arg, unsigned number, const char *name, const char *value)
{
    struct file_pass *pass = arg;
    size_t i = value ? find_param(name) : PX_PARAMS;

    if (i < PX_PARAMS) {
        return setting_offer(&pass->set->of[i], value, strlen(value), pass->source);
    }
    if (value) {
        px_complaints_add(&pass->set->complaints, PX_ABOUT_LINE, is_ours(name),
                          "%s:%u: there is no parameter \"%.60s\"", pass->path, number, name);
    } else {
        px_complaints_add(&pass->set->complaints, PX_ABOUT_LINE, true,
                          "%s:%u: not of the form NAME = VALUE: \"%.60s\"", pass->path, number,
                          name);
    }
    return PX_OK;
}

/* Reads one file into the set. */
static int read_file(const char *path, enum px_param_source source, struct settings *set)
{
    struct file_pass pass = {set, source, path};

    return px_param_file_read(path, take_line, &pass);
}

/* Reads the files of the list that the environment gives, from the last to the first, because the
 * first one has precedence. Items that are empty or too long are skipped. */
static int read_listed_files(const char *list, struct settings *set)
{
    size_t end = strlen(list);
    char path[PATH_BYTES];

    while (end > 0) {
        size_t start = end;
        int rc = PX_OK;

        while (start > 0 && list[start - 1] != ',' && list[start - 1] != ':') {
            start--;
        }
        if (end - start > 0 && end - start < sizeof(path)) {
            memcpy(path, list + start, end - start);
            path[end - start] = '\0';
            rc = read_file(path, PX_SOURCE_USER, set);
        }
        if (rc) {
            return rc;
        }
        end = start > 0 ? start - 1 : 0;
    }
    return PX_OK;
}

/* Reads the listed files, or the system's and then the user's. secure_getenv: a set-user-id program
 * ignores them all but the system's. */
static int read_files(struct settings *set)
{
    const char *list = secure_getenv(ENV_PREFIX "mca_base_param_files");
    const char *home = secure_getenv("HOME");
    char path[PATH_BYTES];
    int n;
    int rc;

    if (list) {
        return read_listed_files(list, set);
    }
    rc = read_file(SYSTEM_FILE, PX_SOURCE_SYSTEM, set);
    if (rc || !home || !*home) {
        return rc;
    }
    n = snprintf(path, sizeof(path), "%s%s", home, USER_FILE);
    if (n < 0 || (size_t) n >= sizeof(path)) {
        return PX_OK;
    }
    return read_file(path, PX_SOURCE_USER, set);
}

/* Notes variables PMIX_MCA_* that are no parameter. */
static void note_unknown_variables(struct settings *set)
{
    size_t head = strlen(ENV_PREFIX);

    for (char **at = environ; at && *at && !getauxval(AT_SECURE); at++) {
        char name[NAME_BYTES];

        if (strncmp(*at, ENV_PREFIX, head) != 0) {
            continue;
        }
        (void) snprintf(name, sizeof(name), "%.*s", (int) strcspn(*at + head, "="), *at + head);
        if (find_param(name) == PX_PARAMS && strcmp(name, "mca_base_param_files") != 0) {
            px_complaints_add(&set->complaints, PX_ABOUT_VARIABLE, is_ours(name),
                              ENV_PREFIX "%s: there is no such parameter", name);
        }
    }
}

/* Reads PMIX_MCA_<name> of every parameter. */
static int read_environment(struct settings *set)
{
    char name[NAME_BYTES];

    for (size_t i = 0; i < PX_PARAMS; i++) {
        const char *text;
        int rc;

        (void) snprintf(name, sizeof(name), ENV_PREFIX "%s", rows[i].name);
        text = secure_getenv(name);
        rc = text ? setting_offer(&set->of[i], text, strlen(text), PX_SOURCE_ENV) : PX_OK;
        if (rc) {
            return rc;
        }
    }
    return PX_OK;
}

/* Parses all texts; a malformed one moves to `rejected` and the default is used. */
static void check_settings(struct settings *set)
{
    for (size_t i = 0; i < PX_PARAMS; i++) {
        struct setting *s = &set->of[i];

        s->number = default_number((enum px_param) i);
        if (s->text && !read_text(&rows[i], s->text, &s->number)) {
            s->rejected = s->text;
            s->text = NULL;
            s->source = PX_SOURCE_DEFAULT;
            px_complaints_add(&set->complaints, PX_ABOUT_VALUE, true,
                              "%s cannot be \"%.200s\": the default holds, \"%s\"", rows[i].name,
                              s->rejected, rows[i].dflt);
        } else if (s->text && has_unknown_word((enum px_param) i, s->text)) {
            px_complaints_add(&set->complaints, PX_ABOUT_VALUE, true,
                              "%s is \"%.200s\", which has a word that "
                              "is not known",
                              rows[i].name, s->text);
        }
    }
}

/* Sets the log levels from the parameters just loaded. */
static void apply_verbosity(void)
{
    px_log_set(PX_LOG_NET, (int) px_param_int(PX_P_PTL_VERBOSE));
    px_log_set(PX_LOG_GDS, (int) px_param_int(PX_P_GDS_VERBOSE));
    px_log_set(PX_LOG_SERVER, (int) px_param_int(PX_P_SERVER_VERBOSE));
    px_log_set(PX_LOG_CLIENT, (int) px_param_int(PX_P_CLIENT_VERBOSE));
    px_log_set(PX_LOG_EVENT, (int) px_param_int(PX_P_EVENT_VERBOSE));
    px_log_set(PX_LOG_PARAM, (int) px_param_int(PX_P_PARAM_VERBOSE));
}

int px_param_read(void)
{
    struct settings *set = calloc(1, sizeof(*set));
    int rc;

    if (!set) {
        return PX_ERR_NOMEM;
    }
    rc = read_files(set);
    rc = rc ? rc : read_environment(set);
    if (rc) {
        settings_destroy(set);
        return rc;
    }
    note_unknown_variables(set);
    check_settings(set);
    settings_destroy(current);
    current = set;
    return PX_OK;
}

int px_param_load(void)
{
    int rc = px_param_read();

    if (rc) {
        return rc;
    }
    apply_verbosity();
    for (size_t i = 0; i < current->complaints.n; i++) {
        px_log(PX_LOG_PARAM, 1, "%s", current->complaints.at[i].text);
    }
    return PX_OK;
}

const struct px_complaint *px_param_complaint(size_t i)
{
    return current && i < current->complaints.n ? &current->complaints.at[i] : NULL;
}

bool px_param_bool(enum px_param p)
{
    return px_param_int(p) != 0;
}

int64_t px_param_int(enum px_param p)
{
    return current ? current->of[p].number : default_number(p);
}

const char *px_param_string(enum px_param p)
{
    return current && current->of[p].text ? current->of[p].text : rows[p].dflt;
}

struct px_param_info px_param_describe(enum px_param p)
{
    const char *words = NULL;

    for (size_t i = 0; i < N_WORDS_OF; i++) {
        words = words_of[i].param == p ? words_of[i].words : words;
    }
    return (struct px_param_info){
        .name = rows[p].name,
        .type = rows[p].type,
        .dflt = rows[p].dflt,
        .help = rows[p].help,
        .min = rows[p].min,
        .max = rows[p].max,
        .words = words,
        .value = px_param_string(p),
        .source = current ? current->of[p].source : PX_SOURCE_DEFAULT,
        .rejected = current ? current->of[p].rejected : NULL,
    };
}
