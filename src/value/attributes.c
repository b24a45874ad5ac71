/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Attribute support. What the library itself honours are the rows of src/value/directives.def, the
 * same by which it reads directives and refuses required ones; the calls are those of
 * tables/functions.tsv. The attributes that a host registers are kept in a list. Hosts name their
 * upcalls, users ask by call, so names of upcalls are translated at registration. A host may
 * register a call and its non-blocking form apart; a form that is not registered has the support
 * of the call. */

#include "attributes.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/buf.h"
#include "src/base/lock.h"
#include "src/value/infos.h"
#include "src/value/strings_gen.h"

/* Every call of the interface, and the levels that have it. */
#define PX_CALL(call, on) {call, on},
static const struct {
    const char *name;
    unsigned levels;
} calls[] = {
#include "calls.def"
};
#undef PX_CALL

/* A sentence for each attribute that the library honours. */
#define PX_MEANING(attribute, text) {attribute, text},
static const struct {
    const char *string;
    const char *text;
} meanings[] = {
#include "meanings.def"
};
#undef PX_MEANING

/* The keys by which a query names a level: as a qualifier for attributes, as a key for
 * functions. */
static const struct {
    unsigned level;
    const char *attributes;
    const char *functions;
} levels_of[] = {
    {PX_ATTR_CLIENT, PMIX_CLIENT_ATTRIBUTES, PMIX_CLIENT_FUNCTIONS},
    {PX_ATTR_SERVER, PMIX_SERVER_ATTRIBUTES, PMIX_SERVER_FUNCTIONS},
    {PX_ATTR_HOST, PMIX_HOST_ATTRIBUTES, PMIX_HOST_FUNCTIONS},
    {PX_ATTR_TOOL, PMIX_TOOL_ATTRIBUTES, PMIX_TOOL_FUNCTIONS},
};

/* N_ATTRIBUTES: all rows of directives.def together, an upper bound for those of one call. */
#define PX_DIRECTIVE(id, member, kind, key, levels) +1
#define PX_HONOURED(id, key, levels)                +1
enum {
    N_ATTRIBUTES = 0
#include "src/value/directives.def"
    ,
    N_LEVELS = sizeof(levels_of) / sizeof(levels_of[0]),
    N_CALLS = sizeof(calls) / sizeof(calls[0]),
    N_MEANINGS = sizeof(meanings) / sizeof(meanings[0]),
};

/* The members of the host's module and the calls that reach them. */
static const struct {
    const char *upcall;
    const char *call;
} upcalls[] = {
    {"abort", "PMIx_Abort"},
    {"fence_nb", "PMIx_Fence"},
    {"direct_modex", "PMIx_Get"},
    {"publish", "PMIx_Publish"},
    {"lookup", "PMIx_Lookup"},
    {"unpublish", "PMIx_Unpublish"},
    {"spawn", "PMIx_Spawn"},
    {"connect", "PMIx_Connect"},
    {"disconnect", "PMIx_Disconnect"},
    {"register_events", "PMIx_Register_event_handler"},
    {"deregister_events", "PMIx_Deregister_event_handler"},
    {"notify_event", "PMIx_Notify_event"},
    {"query", "PMIx_Query_info"},
    {"tool_connected", "PMIx_tool_init"},
    {"log", "PMIx_Log"},
    {"log2", "PMIx_Log"},
    {"allocate", "PMIx_Allocation_request"},
    {"job_control", "PMIx_Job_control"},
    {"monitor", "PMIx_Process_monitor"},
    {"get_credential", "PMIx_Get_credential"},
    {"validate_credential", "PMIx_Validate_credential"},
    {"iof_pull", "PMIx_IOF_pull"},
    {"push_stdin", "PMIx_IOF_push"},
    {"group", "PMIx_Group_construct"},
    {"fabric", "PMIx_Fabric_register"},
    {"session_control", "PMIx_Session_control"},
};

/* One registration of the host: a function and the attributes it supports. Never changed or
 * removed before px_attrs_destroy. */
struct host_support {
    struct host_support *next;
    char *function;
    char **attrs;
};

/* The list is protected by the lock; an entry is used only while the lock is held. */
struct px_attrs {
    struct px_lock lock;
    struct host_support *said; /* lock */
};

/* True if the name is that of the call or of its non-blocking form. */
static bool is_call(const char *name, const char *call)
{
    size_t n = strlen(call);

    return strncmp(name, call, n) == 0 && (name[n] == '\0' || strcmp(name + n, "_nb") == 0);
}

/* The directives of a call by its name, or NULL. *ret_waits: the name is that of the blocking
 * form. */
static const struct px_call *find_call(const char *name, bool *ret_waits)
{
    for (size_t i = 0; i < px_n_calls; i++) {
        if (is_call(name, px_calls[i]->name)) {
            *ret_waits = strcmp(name, px_calls[i]->name) == 0;
            return px_calls[i];
        }
    }
    return NULL;
}

/* Starts without registrations. */
struct px_attrs *px_attrs_create(void)
{
    struct px_attrs *attrs = calloc(1, sizeof(*attrs));

    if (attrs != NULL) {
        px_lock_init(&attrs->lock);
    }
    return attrs;
}

/* Releases a registration, also a half-made one. */
static void said_free(struct host_support *said)
{
    PMIx_Argv_free(said->attrs);
    free(said->function);
    free(said);
}

/* Releases all registrations. No other thread may use the object any more, so the lock is not
 * taken. */
void px_attrs_destroy(struct px_attrs *attrs)
{
    if (attrs == NULL) {
        return;
    }
    while (attrs->said != NULL) {
        struct host_support *next = attrs->said->next;

        said_free(attrs->said);
        attrs->said = next;
    }
    px_lock_fini(&attrs->lock);
    free(attrs);
}

/* The name of the call for the name of an upcall; other names as they are. */
static const char *call_of(const char *function)
{
    for (size_t i = 0; i < sizeof(upcalls) / sizeof(upcalls[0]); i++) {
        if (strcmp(upcalls[i].upcall, function) == 0) {
            return upcalls[i].call;
        }
    }
    return function;
}

/* The registration of exactly this function, or NULL. The caller holds the lock. */
static const struct host_support *find_said(const struct px_attrs *attrs, const char *function)
{
    const struct host_support *at = attrs->said;

    while (at != NULL && strcmp(at->function, function) != 0) {
        at = at->next;
    }
    return at;
}

/* The registration of the function, else that of the call whose non-blocking form it is, else
 * NULL. The caller holds the lock. */
static const struct host_support *find_described(const struct px_attrs *attrs, const char *function)
{
    const struct host_support *at = find_said(attrs, function);

    if (at != NULL) {
        return at;
    }
    at = attrs->said;
    while (at != NULL && !is_call(function, at->function)) {
        at = at->next;
    }
    return at;
}

/* The entry is made before the lock is taken and dropped again if the function is there already. */
int px_attrs_register(struct px_attrs *attrs, const char *function, char **names)
{
    struct host_support *said;
    int rc = 0;

    if (function == NULL || function[0] == '\0') {
        return PMIX_ERR_BAD_PARAM;
    }
    said = calloc(1, sizeof(*said));
    if (said == NULL) {
        return PMIX_ERR_NOMEM;
    }
    said->function = strdup(call_of(function));
    said->attrs = names != NULL ? PMIx_Argv_copy(names) : NULL;
    if (said->function == NULL || (names != NULL && names[0] != NULL && said->attrs == NULL)) {
        said_free(said);
        return PMIX_ERR_NOMEM;
    }
    px_lock_take(&attrs->lock);
    if (find_said(attrs, said->function) != NULL) {
        rc = PMIX_ERR_REPEAT_ATTR_REGISTRATION;
    } else {
        said->next = attrs->said;
        attrs->said = said;
    }
    px_lock_give(&attrs->lock);
    if (rc != 0) {
        said_free(said);
    }
    return rc;
}

/* Functions are asked for by a key for each level, attributes by a key, with qualifiers that
 * select the levels. */
bool px_attrs_asked(const pmix_query_t *query, unsigned *ret_levels)
{
    unsigned levels = 0;
    bool asked = false;

    for (size_t k = 0; query->keys != NULL && query->keys[k] != NULL; k++) {
        asked = asked || strcmp(query->keys[k], PMIX_QUERY_ATTRIBUTE_SUPPORT) == 0;
        for (size_t i = 0; i < N_LEVELS; i++) {
            if (strcmp(query->keys[k], levels_of[i].functions) == 0) {
                levels |= levels_of[i].level;
            }
        }
    }
    for (size_t i = 0; i < N_LEVELS; i++) {
        if (px_infos_flag(query->qualifiers, query->nqual, levels_of[i].attributes)) {
            levels |= levels_of[i].level;
        }
    }
    asked = asked || levels != 0;
    *ret_levels =
        levels != 0 ? levels : PX_ATTR_CLIENT | PX_ATTR_SERVER | PX_ATTR_HOST | PX_ATTR_TOOL;
    return asked;
}

/* --- building answers --- */

/* The answer in the making; infos owned by px_attrs_answer. */
struct support_answer {
    pmix_info_t *info;
    size_t n;
};

/* The data type of an attribute of the Standard by its string; that of the last row of the table
 * (PMIX_UNDEF) for others. */
static pmix_data_type_t type_of(const char *string)
{
    const struct px_attribute_row *row = px_attribute_rows;

    while (row->name != NULL && strcmp(row->string, string) != 0) {
        row++;
    }
    return row->type;
}

/* What an attribute that the library honours means, by its string; NULL for others. */
static const char *meaning_of(const char *string)
{
    size_t i = 0;

    while (i < N_MEANINGS && strcmp(meanings[i].string, string) != 0) {
        i++;
    }
    return i < N_MEANINGS ? meanings[i].text : NULL;
}

/* Fills a pmix_regattr_t from an attribute that is given by its string or by its name. */
static void load_regattr(pmix_regattr_t *to, const char *attribute)
{
    const char *string = PMIx_Get_attribute_string(attribute);

    string = string != NULL ? string : attribute;
    PMIx_Regattr_load(to, PMIx_Get_attribute_name(string), string, type_of(string),
                      meaning_of(string));
}

/* Number of strings before the NULL; 0 for NULL. */
static size_t count_attrs(const char *const *attrs)
{
    size_t n = 0;

    while (attrs != NULL && attrs[n] != NULL) {
        n++;
    }
    return n;
}

/* Appends one element: the call, and in it the level with its attributes, or without a value if it
 * is not supported. attrs is borrowed. PMIX_ERR_NOMEM. */
static int answer_level(struct support_answer *answer, const char *function, const char *level,
                        const char *const *attrs, bool supported)
{
    size_t n = count_attrs(attrs);
    pmix_data_array_t *list = NULL;
    pmix_data_array_t *outer = PMIx_Data_array_create(1, PMIX_INFO);
    pmix_info_t *info = px_infos_room(&answer->info, answer->n, 1);
    pmix_info_t *inner;

    list = supported ? PMIx_Data_array_create(n, PMIX_REGATTR) : NULL;
    if (outer == NULL || info == NULL || (supported && list == NULL)) {
        PMIx_Data_array_free(outer);
        PMIx_Data_array_free(list);
        return PMIX_ERR_NOMEM;
    }
    answer->n++;
    for (size_t i = 0; i < n && list != NULL; i++) {
        load_regattr(&((pmix_regattr_t *) list->array)[i], attrs[i]);
    }
    inner = outer->array;
    PMIx_Load_key(inner->key, level);
    inner->value.type = list != NULL ? PMIX_DATA_ARRAY : PMIX_UNDEF;
    inner->value.data.darray = list;
    PMIx_Load_key(info->key, function);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = outer;
    return 0;
}

/* Collects the keys that the library honours in a call at a level, ended by NULL; they are
 * borrowed from the table. True if the call has directives and exists at that level. */
static bool find_library(const char *name, unsigned level, const char *ret[N_ATTRIBUTES + 1])
{
    bool waits;
    const struct px_call *call = find_call(name, &waits);
    size_t n = 0;

    for (size_t i = 0; call != NULL && i < call->n_rows; i++) {
        if (px_directive_honoured(&call->rows[i], waits ? level | PX_ATTR_WAITING : level)) {
            ret[n] = call->rows[i].key;
            n++;
        }
    }
    ret[n] = NULL;
    return call != NULL && (call->levels & level) != 0;
}

/* True if there is such a call. */
static bool is_known(const char *function)
{
    for (size_t i = 0; i < N_CALLS; i++) {
        if (strcmp(calls[i].name, function) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends what the host has registered for the function; attrs may be NULL. The lock is held while
 * the registration is copied into the answer. */
static int answer_host(struct px_attrs *attrs, struct support_answer *answer, const char *function)
{
    const struct host_support *said = NULL;
    int rc;

    if (attrs != NULL) {
        px_lock_take(&attrs->lock);
        said = find_described(attrs, function);
    }
    rc = answer_level(answer, function, PMIX_HOST_ATTRIBUTES,
                      said != NULL ? (const char *const *) said->attrs : NULL, said != NULL);
    if (attrs != NULL) {
        px_lock_give(&attrs->lock);
    }
    return rc;
}

/* Appends one element for each of the levels that are wanted, also for levels that do not support
 * the call. PMIX_ERR_NOT_FOUND: there is no such call. */
static int answer_function(struct px_attrs *attrs, struct support_answer *answer,
                           const char *function, unsigned levels)
{
    int rc = is_known(function) ? 0 : PMIX_ERR_NOT_FOUND;

    for (size_t i = 0; i < N_LEVELS && rc == 0; i++) {
        const char *keys[N_ATTRIBUTES + 1];
        bool found = find_library(function, levels_of[i].level, keys);

        if ((levels & levels_of[i].level) == 0) {
            continue;
        }
        rc = levels_of[i].level == PX_ATTR_HOST
                 ? answer_host(attrs, answer, function)
                 : answer_level(answer, function, levels_of[i].attributes, keys, found);
    }
    return rc;
}

/* Appends the comma-separated list of the calls that a level supports. For the host these are the
 * functions that it has registered. */
static int answer_functions(struct px_attrs *attrs, struct support_answer *answer, const char *key,
                            unsigned level)
{
    struct px_buf list = {0};
    char *text;
    bool some;
    int rc;

    for (size_t i = 0; i < N_CALLS && level != PX_ATTR_HOST; i++) {
        const char *keys[N_ATTRIBUTES + 1];

        if ((calls[i].levels & level) != 0 || find_library(calls[i].name, level, keys)) {
            px_buf_item(&list, calls[i].name);
        }
    }
    if (level == PX_ATTR_HOST && attrs != NULL) {
        px_lock_take(&attrs->lock);
        for (const struct host_support *at = attrs->said; at != NULL; at = at->next) {
            px_buf_item(&list, at->function);
        }
        px_lock_give(&attrs->lock);
    }
    some = list.len > 0;
    text = px_buf_take_text(&list);
    rc = text == NULL ? PMIX_ERR_NOMEM
         : some       ? px_infos_append(&answer->info, &answer->n, key, text, PMIX_STRING)
                      : px_infos_append(&answer->info, &answer->n, key, NULL, PMIX_UNDEF);
    free(text);
    return rc;
}

/* Answers one key of a query: a request for functions, or the name of a call. first:
 * PMIX_QUERY_ATTRIBUTE_SUPPORT was the first key, so other keys are names of calls;
 * PMIX_ERR_BAD_PARAM for such a key without it. */
static int answer_key(struct px_attrs *attrs, struct support_answer *answer, const char *key,
                      unsigned levels, bool first)
{
    if (strcmp(key, PMIX_QUERY_ATTRIBUTE_SUPPORT) == 0) {
        return 0;
    }
    for (size_t i = 0; i < N_LEVELS; i++) {
        if (strcmp(key, levels_of[i].functions) == 0) {
            return (levels & levels_of[i].level) != 0
                       ? answer_functions(attrs, answer, key, levels_of[i].level)
                       : 0;
        }
    }
    return first ? answer_function(attrs, answer, key, levels) : PMIX_ERR_BAD_PARAM;
}

/* Collects all elements in an array of their own, so that *info is unchanged after an error. */
int px_attrs_answer(struct px_attrs *attrs, unsigned levels, const pmix_query_t *query,
                    pmix_info_t **info, size_t *ninfo)
{
    struct support_answer answer = {0};
    unsigned wanted;
    bool lacking = false;
    bool first;
    int rc = 0;

    if (!px_attrs_asked(query, &wanted)) {
        return 0;
    }
    first = strcmp(query->keys[0], PMIX_QUERY_ATTRIBUTE_SUPPORT) == 0;
    for (size_t k = 0; query->keys[k] != NULL && rc == 0; k++) {
        rc = answer_key(attrs, &answer, query->keys[k], wanted & levels, first);
        lacking = lacking || rc == PMIX_ERR_NOT_FOUND;
        rc = rc == PMIX_ERR_NOT_FOUND ? 0 : rc;
    }
    if (rc != 0 || answer.n == 0) {
        PMIx_Info_free(answer.info, answer.n);
        return rc == 0 && lacking ? PMIX_ERR_NOT_FOUND : rc;
    }
    rc = px_infos_append_take(info, ninfo, answer.info, answer.n);
    return rc == 0 && lacking ? PMIX_ERR_PARTIAL_SUCCESS : rc;
}
