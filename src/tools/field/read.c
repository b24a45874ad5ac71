/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "read.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "names.h"

/* ---- names and numbers */

/* True if the word is the name, in any case and also without its prefix. */
static bool is_name(const char *word, const char *name, const char *prefix)
{
    size_t n = strlen(prefix);

    return strcasecmp(word, name) == 0 ||
           (strncmp(name, prefix, n) == 0 && strcasecmp(word, name + n) == 0);
}

static bool read_integer(const char *text, int64_t least, int64_t most, int64_t *ret)
{
    char *end;

    errno = 0;
    long long n = strtoll(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0 || n < least || n > most) {
        return false;
    }
    *ret = n;
    return true;
}

int px_field_read_status(const struct px_field *field, const char *text, pmix_status_t *ret)
{
    int64_t number;

    if (read_integer(text, INT32_MIN, INT32_MAX, &number)) {
        *ret = (pmix_status_t) number;
        return 0;
    }
    for (const struct px_field_status_row *row = px_field_status_rows; row->name != NULL; row++) {
        if (is_name(text, row->name, "PMIX_")) {
            *ret = row->status;
            return 0;
        }
    }
    return px_field_misuse(field, "no status is called", text);
}

int px_field_read_range(const struct px_field *field, const char *text, pmix_data_range_t *ret)
{
    static const struct {
        const char *name;
        pmix_data_range_t range;
    } ranges[] = {
        {"PMIX_RANGE_RM", PMIX_RANGE_RM},
        {"PMIX_RANGE_LOCAL", PMIX_RANGE_LOCAL},
        {"PMIX_RANGE_NAMESPACE", PMIX_RANGE_NAMESPACE},
        {"PMIX_RANGE_SESSION", PMIX_RANGE_SESSION},
        {"PMIX_RANGE_GLOBAL", PMIX_RANGE_GLOBAL},
        {"PMIX_RANGE_CUSTOM", PMIX_RANGE_CUSTOM},
        {"PMIX_RANGE_PROC_LOCAL", PMIX_RANGE_PROC_LOCAL},
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (is_name(text, ranges[i].name, "PMIX_RANGE_")) {
            *ret = ranges[i].range;
            return 0;
        }
    }
    return px_field_misuse(
        field, "a range is rm, local, namespace, session, global, custom or proc_local, not", text);
}

int px_field_read_signal(const struct px_field *field, const char *text, int *ret)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {
        {"SIGHUP", SIGHUP},   {"SIGINT", SIGINT},     {"SIGQUIT", SIGQUIT},
        {"SIGILL", SIGILL},   {"SIGTRAP", SIGTRAP},   {"SIGABRT", SIGABRT},
        {"SIGBUS", SIGBUS},   {"SIGFPE", SIGFPE},     {"SIGKILL", SIGKILL},
        {"SIGUSR1", SIGUSR1}, {"SIGSEGV", SIGSEGV},   {"SIGUSR2", SIGUSR2},
        {"SIGPIPE", SIGPIPE}, {"SIGALRM", SIGALRM},   {"SIGTERM", SIGTERM},
        {"SIGCHLD", SIGCHLD}, {"SIGCONT", SIGCONT},   {"SIGSTOP", SIGSTOP},
        {"SIGTSTP", SIGTSTP}, {"SIGTTIN", SIGTTIN},   {"SIGTTOU", SIGTTOU},
        {"SIGURG", SIGURG},   {"SIGXCPU", SIGXCPU},   {"SIGXFSZ", SIGXFSZ},
        {"SIGPROF", SIGPROF}, {"SIGWINCH", SIGWINCH}, {"SIGVTALRM", SIGVTALRM},
    };
    int64_t number;

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        if (is_name(text, signals[i].name, "SIG")) {
            *ret = signals[i].number;
            return 0;
        }
    }
    if (read_integer(text[0] == '-' ? text + 1 : text, 1, NSIG - 1, &number)) {
        *ret = (int) number;
        return 0;
    }
    return px_field_misuse(field, "no signal is called", text);
}

/* ---- processes */

char *px_field_next(const char **rest)
{
    const char *at = *rest;
    unsigned inside = 0;

    if (at == NULL) {
        return NULL;
    }
    for (; *at != '\0' && (*at != ',' || inside > 0); at++) {
        inside += *at == '[';
        inside -= *at == ']' && inside > 0;
    }
    char *item = strndup(*rest, (size_t) (at - *rest));
    *rest = *at != '\0' ? at + 1 : NULL;
    return item;
}

/* False: it is not "NAMESPACE:RANK". */
static bool read_proc(const char *text, pmix_proc_t *ret)
{
    const char *colon = strrchr(text, ':');
    int64_t rank = PMIX_RANK_WILDCARD;

    if (colon == NULL || colon == text || colon - text > PMIX_MAX_NSLEN ||
        (strcmp(colon + 1, "*") != 0 && (colon[1] < '0' || colon[1] > '9' ||
                                         !read_integer(colon + 1, 0, PMIX_RANK_VALID, &rank)))) {
        return false;
    }
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->nspace, text, (size_t) (colon - text));
    ret->rank = (pmix_rank_t) rank;
    return true;
}

/* "NAMESPACE:RANK", with * for all ranks. */
static int read_proc_or_fail(const struct px_field *field, const char *text, pmix_proc_t *ret)
{
    return read_proc(text, ret)
               ? 0
               : px_field_misuse(field, "a process is NAMESPACE:RANK or NAMESPACE:*, not", text);
}

/* Appends. 0, or an exit code after a complaint. */
static int add_target(struct px_field *field, const pmix_proc_t *proc)
{
    pmix_proc_t *more = realloc(field->targets, (field->n_targets + 1) * sizeof(*more));

    if (more == NULL) {
        return px_field_fail(field, "--targets", PMIX_ERR_NOMEM);
    }
    field->targets = more;
    more[field->n_targets++] = *proc;
    return 0;
}

int px_field_read_targets(const char *text, void *options)
{
    struct px_field *field = options;
    const char *rest = text;
    char *item;
    int rc = 0;

    while (rc == 0 && (item = px_field_next(&rest)) != NULL) {
        pmix_proc_t proc;

        rc = read_proc_or_fail(field, item, &proc);
        rc = rc != 0 ? rc : add_target(field, &proc);
        free(item);
    }
    return rc;
}

/* ---- infos */

void px_field_infos_free(struct px_field_infos *infos)
{
    PMIX_INFO_FREE(infos->at, infos->n);
    infos->n = 0;
}

int px_field_add_info(const struct px_field *field, struct px_field_infos *infos, const char *key,
                      const void *value, pmix_data_type_t type)
{
    pmix_info_t *more = realloc(infos->at, (infos->n + 1) * sizeof(*more));

    if (more == NULL) {
        return px_field_fail(field, key, PMIX_ERR_NOMEM);
    }
    infos->at = more;
    memset(&more[infos->n], 0, sizeof(*more));
    if (PMIx_Info_load(&more[infos->n], key, value, type) != PMIX_SUCCESS) {
        return px_field_misuse(field, "this attribute cannot be used:", key);
    }
    infos->n++;
    return 0;
}

/* The type of that name, with or without "PMIX_"; PMIX_UNDEF: there is none. */
static pmix_data_type_t find_type(const char *name)
{
    enum { N_TYPES = 128 };

    for (pmix_data_type_t type = 1; type < N_TYPES; type++) {
        if (is_name(name, PMIx_Data_type_string(type), "PMIX_")) {
            return type;
        }
    }
    return PMIX_UNDEF;
}

/* The types that are integers, of which those of 64 bits without a sign take half of their range.
 */
static const struct {
    pmix_data_type_t type;
    size_t size;
    int64_t least;
    int64_t most;
} integers[] = {
    {PMIX_BYTE, 1, 0, UINT8_MAX},
    {PMIX_UINT8, 1, 0, UINT8_MAX},
    {PMIX_INT8, 1, INT8_MIN, INT8_MAX},
    {PMIX_PERSIST, 1, 0, UINT8_MAX},
    {PMIX_SCOPE, 1, 0, UINT8_MAX},
    {PMIX_UINT16, 2, 0, UINT16_MAX},
    {PMIX_INT16, 2, INT16_MIN, INT16_MAX},
    {PMIX_INT, 4, INT32_MIN, INT32_MAX},
    {PMIX_INT32, 4, INT32_MIN, INT32_MAX},
    {PMIX_PID, 4, 0, INT32_MAX},
    {PMIX_UINT, 4, 0, UINT32_MAX},
    {PMIX_UINT32, 4, 0, UINT32_MAX},
    {PMIX_INT64, 8, INT64_MIN, INT64_MAX},
    {PMIX_UINT64, 8, 0, INT64_MAX},
    {PMIX_SIZE, sizeof(size_t), 0, INT64_MAX},
    {PMIX_TIME, sizeof(time_t), 0, INT64_MAX},
};

/* Reads an integer type into the value. */
static bool read_typed_integer(const char *text, pmix_value_t *ret)
{
    int64_t n;

    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        if (integers[i].type != ret->type ||
            !read_integer(text, integers[i].least, integers[i].most, &n)) {
            continue;
        }
        switch (integers[i].size) {
        case 1:
            ret->data.uint8 = (uint8_t) n;
            break;
        case 2:
            ret->data.uint16 = (uint16_t) n;
            break;
        case 4:
            ret->data.uint32 = (uint32_t) n;
            break;
        default:
            ret->data.uint64 = (uint64_t) n;
            break;
        }
        return true;
    }
    return false;
}

static bool read_bool(const char *text, bool *ret)
{
    static const char *const words[][2] = {{"false", "true"}, {"no", "yes"}, {"0", "1"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        for (int yes = 0; yes < 2; yes++) {
            if (strcasecmp(text, words[i][yes]) == 0) {
                *ret = yes != 0;
                return true;
            }
        }
    }
    return false;
}

static bool read_real(const char *text, pmix_value_t *ret)
{
    char *end;
    double n = strtod(text, &end);

    if (ret->type == PMIX_FLOAT) {
        ret->data.fval = (float) n;
    } else {
        ret->data.dval = n;
    }
    return end != text && *end == '\0';
}

/* Reads a value that is neither text nor a process. False: the text is none of that type. */
static bool read_value(const struct px_field *field, const char *text, pmix_value_t *ret)
{
    int64_t rank = PMIX_RANK_WILDCARD;

    switch (ret->type) {
    case PMIX_BOOL:
        return read_bool(text, &ret->data.flag);
    case PMIX_FLOAT:
    case PMIX_DOUBLE:
        return read_real(text, ret);
    case PMIX_STATUS:
        return px_field_read_status(field, text, &ret->data.status) == 0;
    case PMIX_DATA_RANGE:
        return px_field_read_range(field, text, &ret->data.range) == 0;
    case PMIX_PROC_RANK:
        if (strcmp(text, "*") != 0 && !read_integer(text, 0, UINT32_MAX, &rank)) {
            return false;
        }
        ret->data.rank = (pmix_rank_t) rank;
        return true;
    default:
        return read_typed_integer(text, ret);
    }
}

/* Adds an attribute with its value, which is text, or a process, or what read_value reads. */
static int add_typed(const struct px_field *field, struct px_field_infos *infos, const char *key,
                     pmix_data_type_t type, const char *text)
{
    pmix_value_t value = {.type = type};
    pmix_proc_t proc;

    if (type == PMIX_STRING || type == PMIX_PROC_NSPACE) {
        return px_field_add_info(field, infos, key, text, type);
    }
    if (type == PMIX_PROC) {
        int rc = read_proc_or_fail(field, text, &proc);
        return rc != 0 ? rc : px_field_add_info(field, infos, key, &proc, type);
    }
    if (!read_value(field, text, &value)) {
        char what[PMIX_MAX_KEYLEN + 64];

        snprintf(what, sizeof(what), "the value of %s is a %s, not", px_field_key_name(key),
                 PMIx_Data_type_string(type));
        return px_field_misuse(field, what, text);
    }
    return px_field_add_info(field, infos, key, &value.data, type);
}

int px_field_add_text(const struct px_field *field, struct px_field_infos *infos, const char *text)
{
    bool required = text[0] == '!';
    const char *equals = strchr(text, '=');
    char *name = strndup(text + required, equals != NULL ? (size_t) (equals - text) - required
                                                         : strlen(text) - required);
    if (name == NULL) {
        return px_field_fail(field, text, PMIX_ERR_NOMEM);
    }
    char *colon = strrchr(name, ':');
    pmix_data_type_t type = colon != NULL ? find_type(colon + 1) : PMIX_UNDEF;
    if (type != PMIX_UNDEF) {
        *colon = '\0';
    }
    const struct px_field_key_row *row = px_field_find_key(name);
    const char *key = row != NULL ? row->key : name;
    if (type == PMIX_UNDEF) {
        type = equals == NULL ? PMIX_BOOL : row != NULL ? find_type(row->type) : PMIX_STRING;
    }
    int rc = key[0] == '\0' || strlen(key) > PMIX_MAX_KEYLEN
                 ? px_field_misuse(field, "an attribute is KEY[:TYPE][=VALUE], not", text)
                 : add_typed(field, infos, key, type, equals != NULL ? equals + 1 : "true");
    if (rc == 0 && required) {
        PMIX_INFO_REQUIRED(&infos->at[infos->n - 1]);
    }
    free(name);
    return rc;
}

int px_field_read_info(const char *text, void *options)
{
    struct px_field *field = options;

    return px_field_add_text(field, &field->infos, text);
}

int px_field_add_options(const struct px_field *field, struct px_field_infos *infos,
                         const struct px_field_attribute *attributes, size_t n)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < n; i++) {
        const void *member = (const char *) field + attributes[i].offset;
        const char *text = attributes[i].is_flag ? *(const bool *) member ? "true" : NULL
                                                 : *(const char *const *) member;
        const struct px_field_key_row *row = px_field_find_key(attributes[i].name);

        if (text != NULL && row != NULL) {
            rc = add_typed(field, infos, row->key, find_type(row->type), text);
        }
        if (rc == 0 && text != NULL && attributes[i].required) {
            PMIX_INFO_REQUIRED(&infos->at[infos->n - 1]);
        }
    }
    return rc;
}
