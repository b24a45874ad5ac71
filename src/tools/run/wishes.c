/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The directives of PMIx_Spawn that pmixrun knows: a table of keys, each with what it does. */

#include "wishes.h"

#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_PER_NODE 65536

/* ---- environments */

static pmix_status_t join_envar(char ***env, const pmix_envar_t *e, bool in_front)
{
    return px_env_extend(env, e->envar, e->value, e->separator, in_front);
}

static pmix_status_t set_envar(const pmix_value_t *v, struct px_run_wishes *w)
{
    return px_env_set(w->app.env, v->data.envar.envar, v->data.envar.value);
}

static pmix_status_t add_envar(const pmix_value_t *v, struct px_run_wishes *w)
{
    return px_env_get(*w->app.env, v->data.envar.envar) != NULL ? PMIX_SUCCESS : set_envar(v, w);
}

static pmix_status_t prepend_envar(const pmix_value_t *v, struct px_run_wishes *w)
{
    return join_envar(w->app.env, &v->data.envar, true);
}

static pmix_status_t append_envar(const pmix_value_t *v, struct px_run_wishes *w)
{
    return join_envar(w->app.env, &v->data.envar, false);
}

static pmix_status_t unset_envar(const pmix_value_t *v, struct px_run_wishes *w)
{
    px_env_unset(*w->app.env, v->data.string);
    return PMIX_SUCCESS;
}

static pmix_status_t add_prefix(const pmix_value_t *v, struct px_run_wishes *w)
{
    static const char *const names[] = {"PATH", "LD_LIBRARY_PATH"};
    static const char *const dirs[] = {"bin", "lib"};
    pmix_status_t rc = PMIX_SUCCESS;

    for (size_t i = 0; i < 2 && rc == PMIX_SUCCESS; i++) {
        char *dir;

        if (asprintf(&dir, "%s/%s", v->data.string, dirs[i]) < 0) {
            return PMIX_ERR_NOMEM;
        }
        const pmix_envar_t e = {(char *) names[i], dir, ':'};
        rc = join_envar(w->app.env, &e, true);
        free(dir);
    }
    return rc;
}

/* ---- where */

/* "N:node" */
static pmix_status_t read_number(const char *text, struct px_run_wishes *w)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (end == text || text[0] == '-' || n == 0 || n > MAX_PER_NODE || *end != ':') {
        return PMIX_ERR_BAD_PARAM;
    }
    if (strcmp(end, ":node") != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    w->app.policy = PX_RUN_BY_NUMBER;
    w->app.per_node = (uint32_t) n;
    return PMIX_SUCCESS;
}

static pmix_status_t set_ppr(const pmix_value_t *v, struct px_run_wishes *w)
{
    return read_number(v->data.string, w);
}

static pmix_status_t set_mapping(const pmix_value_t *v, struct px_run_wishes *w)
{
    const char *text = v->data.string;

    if (strncmp(text, "ppr:", 4) == 0) {
        return read_number(text + 4, w);
    }
    if (strcmp(text, "slot") != 0 && strcmp(text, "node") != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    w->app.policy = text[0] == 's' ? PX_RUN_BY_SLOT : PX_RUN_BY_NODE;
    return PMIX_SUCCESS;
}

static pmix_status_t set_hosts(const pmix_value_t *v, struct px_run_wishes *w)
{
    w->app.hosts = v->data.string;
    return PMIX_SUCCESS;
}

static pmix_status_t set_cwd(const pmix_value_t *v, struct px_run_wishes *w)
{
    w->app.cwd = v->data.string;
    return PMIX_SUCCESS;
}

static pmix_status_t set_ranking(const pmix_value_t *v, struct px_run_wishes *w)
{
    const char *text = v->data.string;

    if (strcmp(text, "node") != 0 && strcmp(text, "slot") != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    w->app.rank_by_node = text[0] == 'n';
    return PMIX_SUCCESS;
}

/* Nothing is bound but by our option. */
static pmix_status_t must_be_bound(const pmix_value_t *v, struct px_run_wishes *w)
{
    const char *is = px_run.options.bind_core ? "core" : "none";

    (void) w;
    return strcmp(v->data.string, is) == 0 ? PMIX_SUCCESS : PMIX_ERR_NOT_SUPPORTED;
}

/* ---- input and output */

static pmix_status_t set_input(const pmix_value_t *v, struct px_run_wishes *w)
{
    if (v->type == PMIX_PROC) {
        w->job->input_rank = v->data.proc->rank;
    } else if (v->type == PMIX_PROC_RANK) {
        w->job->input_rank = v->data.rank;
    } else if (v->type == PMIX_UINT32) {
        w->job->input_rank = v->data.uint32;
    } else {
        return PMIX_ERR_BAD_PARAM;
    }
    return PMIX_SUCCESS;
}

/* A flag (OpenPMIx) stands for the first process of those that it is for, or a rank is there
 * (Standard). PMIX_STDIN_TGT before or behind it wins. */
static pmix_status_t feed(const pmix_value_t *v, struct px_run_wishes *w)
{
    if (w->job->input_rank != PMIX_RANK_INVALID) {
        return PMIX_SUCCESS;
    }
    if (v->type == PMIX_PROC_RANK) {
        return set_input(v, w);
    }
    w->job->input_rank = PMIx_Value_true(v) == PMIX_BOOL_TRUE ? w->app.first : PMIX_RANK_INVALID;
    return PMIX_SUCCESS;
}

static pmix_status_t set_file(const pmix_value_t *v, struct px_run_wishes *w)
{
    w->job->to.file = v->data.string;
    return v->data.string[0] != '\0' ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

static pmix_status_t set_directory(const pmix_value_t *v, struct px_run_wishes *w)
{
    w->job->to.directory = v->data.string;
    return v->data.string[0] != '\0' ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

static void set_format(struct px_run_wishes *w, unsigned what, bool on)
{
    w->job->format = on ? w->job->format | what : w->job->format & ~what;
}

#define SWITCH(name, statement)                                                                    \
    static pmix_status_t name(const pmix_value_t *v, struct px_run_wishes *w)                      \
    {                                                                                              \
        bool on = PMIx_Value_true(v) == PMIX_BOOL_TRUE;                                            \
                                                                                                   \
        statement;                                                                                 \
        return PMIX_SUCCESS;                                                                       \
    }

SWITCH(set_notify, w->job->notify = on)
SWITCH(set_job_events, w->job->job_events = on)
SWITCH(set_tool, w->job->tool = on || w->job->tool)
SWITCH(set_from_tool, w->job->from_tool = on)
SWITCH(set_tag, set_format(w, PX_FORMAT_TAG, on))
SWITCH(set_rank, set_format(w, PX_FORMAT_RANK, on))
SWITCH(set_time, set_format(w, PX_FORMAT_TIME, on))
SWITCH(set_xml, set_format(w, PX_FORMAT_XML, on))
SWITCH(set_detail, set_format(w, PX_FORMAT_DETAIL, on))
SWITCH(set_merge, w->job->merge = on)
SWITCH(set_pattern, w->job->to.pattern = on)
SWITCH(set_file_only, w->job->file_only = on)
SWITCH(forward_out, w->job->forwarded |= on ? PMIX_FWD_STDOUT_CHANNEL : 0)
SWITCH(forward_err, w->job->forwarded |= on ? PMIX_FWD_STDERR_CHANNEL : 0)
SWITCH(nothing, (void) w; (void) on)

/* The relay takes lines of all its nodes' jobs, and cannot tell them apart. */
static pmix_status_t set_raw(const pmix_value_t *v, struct px_run_wishes *w)
{
    bool raw = PMIx_Value_true(v) == PMIX_BOOL_TRUE;

    if (raw && px_run.place == PX_RUN_NODE && !px_run.options.raw) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    w->job->raw = raw;
    return PMIX_SUCCESS;
}

/* ---- debuggers */

static pmix_status_t set_target(const pmix_value_t *v, struct px_run_wishes *w)
{
    w->app.target = v->data.proc;
    return PMIX_SUCCESS;
}

static pmix_status_t set_per_node(const pmix_value_t *v, struct px_run_wishes *w)
{
    w->app.daemons_per_node = v->data.uint16;
    return v->data.uint16 > 0 ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

static pmix_status_t set_per_proc(const pmix_value_t *v, struct px_run_wishes *w)
{
    w->app.daemons_per_proc = v->data.uint16;
    return v->data.uint16 > 0 ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

/* A flag for all, one rank, or an array of ranks. */
static pmix_status_t set_stop(const pmix_value_t *v, struct px_run_wishes *w)
{
    bool ranks =
        v->type == PMIX_PROC_RANK || (v->type == PMIX_DATA_ARRAY && v->data.darray != NULL &&
                                      v->data.darray->type == PMIX_PROC_RANK);
    pmix_boolean_t flag = ranks ? PMIX_NON_BOOL : PMIx_Value_true(v);

    if (!ranks && flag == PMIX_NON_BOOL) {
        return PMIX_ERR_BAD_PARAM;
    }
    w->job->stop = flag == PMIX_BOOL_FALSE ? NULL : v;
    return PMIX_SUCCESS;
}

/* ---- the table */

static const struct directive {
    const char *key;
    pmix_data_type_t type; /* of the value; PMIX_UNDEF: the function looks */
    pmix_status_t (*apply)(const pmix_value_t *v, struct px_run_wishes *w);
    bool unasked; /* the library adds it: not told as supported */
} table[] = {
    {PMIX_WDIR, PMIX_STRING, set_cwd, false},
    {PMIX_PREFIX, PMIX_STRING, add_prefix, false},
    {PMIX_SET_ENVAR, PMIX_ENVAR, set_envar, false},
    {PMIX_ADD_ENVAR, PMIX_ENVAR, add_envar, false},
    {PMIX_UNSET_ENVAR, PMIX_STRING, unset_envar, false},
    {PMIX_PREPEND_ENVAR, PMIX_ENVAR, prepend_envar, false},
    {PMIX_APPEND_ENVAR, PMIX_ENVAR, append_envar, false},
    {PMIX_MAPBY, PMIX_STRING, set_mapping, false},
    {PMIX_PPR, PMIX_STRING, set_ppr, false},
    {PMIX_RANKBY, PMIX_STRING, set_ranking, false},
    {PMIX_BINDTO, PMIX_STRING, must_be_bound, false},
    {PMIX_HOST, PMIX_STRING, set_hosts, false},
    {PMIX_NOTIFY_COMPLETION, PMIX_UNDEF, set_notify, false},
    {PMIX_NOTIFY_JOB_EVENTS, PMIX_UNDEF, set_job_events, false},
    {PMIX_NOTIFY_PROC_TERMINATION, PMIX_UNDEF, nothing, false}, /* always told */
    {PMIX_NOTIFY_PROC_ABNORMAL_TERMINATION, PMIX_UNDEF, nothing, false},
    {PMIX_TAG_OUTPUT, PMIX_UNDEF, set_tag, false},
    {PMIX_IOF_TAG_OUTPUT, PMIX_UNDEF, set_tag, false},
    {PMIX_IOF_TAG_FULLNAME_OUTPUT, PMIX_UNDEF, set_tag, false}, /* a tag has the whole name */
    {PMIX_IOF_TAG_DETAILED_OUTPUT, PMIX_UNDEF, set_detail, false},
    {PMIX_IOF_RANK_OUTPUT, PMIX_UNDEF, set_rank, false},
    {PMIX_TIMESTAMP_OUTPUT, PMIX_UNDEF, set_time, false},
    {PMIX_IOF_TIMESTAMP_OUTPUT, PMIX_UNDEF, set_time, false},
    {PMIX_IOF_XML_OUTPUT, PMIX_UNDEF, set_xml, false},
    {PMIX_MERGE_STDERR_STDOUT, PMIX_UNDEF, set_merge, false},
    {PMIX_IOF_MERGE_STDERR_STDOUT, PMIX_UNDEF, set_merge, false},
    {PMIX_IOF_OUTPUT_RAW, PMIX_UNDEF, set_raw, false},
    {PMIX_OUTPUT_TO_FILE, PMIX_STRING, set_file, false},
    {PMIX_IOF_OUTPUT_TO_FILE, PMIX_STRING, set_file, false},
    {PMIX_IOF_FILE_PATTERN, PMIX_UNDEF, set_pattern, false},
    {PMIX_OUTPUT_TO_DIRECTORY, PMIX_STRING, set_directory, false},
    {PMIX_IOF_OUTPUT_TO_DIRECTORY, PMIX_STRING, set_directory, false},
    {PMIX_OUTPUT_NOCOPY, PMIX_UNDEF, set_file_only, false},
    {PMIX_IOF_FILE_ONLY, PMIX_UNDEF, set_file_only, false},
    {PMIX_FWD_STDIN, PMIX_UNDEF, feed, false},
    {PMIX_FWD_STDOUT, PMIX_UNDEF, forward_out, false},
    {PMIX_FWD_STDERR, PMIX_UNDEF, forward_err, false},
    {PMIX_STDIN_TGT, PMIX_UNDEF, set_input, false},
    {PMIX_SPAWN_TOOL, PMIX_UNDEF, set_tool, false},
    {PMIX_DEBUGGER_DAEMONS, PMIX_UNDEF, set_tool, false},
    {PMIX_DEBUG_TARGET, PMIX_PROC, set_target, false},
    {PMIX_DEBUG_DAEMONS_PER_NODE, PMIX_UINT16, set_per_node, false},
    {PMIX_DEBUG_DAEMONS_PER_PROC, PMIX_UINT16, set_per_proc, false},
    {PMIX_DEBUG_STOP_ON_EXEC, PMIX_UNDEF, set_stop, false},
    {PMIX_DEBUG_STOP_IN_INIT, PMIX_UNDEF, nothing, false}, /* of the job: registered with it */
    {PMIX_DEBUG_STOP_IN_APP, PMIX_UNDEF, nothing, false},
    {PMIX_NON_PMI, PMIX_UNDEF, nothing, false},
    {PMIX_TIMEOUT, PMIX_UNDEF, nothing, false}, /* the library's */
    {PMIX_SPAWNED, PMIX_UNDEF, nothing, true},
    {PMIX_PARENT_ID, PMIX_PROC, nothing, true},
    {PMIX_REQUESTOR_IS_CLIENT, PMIX_UNDEF, nothing, true},
    {PMIX_REQUESTOR_IS_TOOL, PMIX_UNDEF, set_from_tool, true},
    {PMIX_USERID, PMIX_UNDEF, nothing, true},
    {PMIX_GRPID, PMIX_UNDEF, nothing, true},
};

static const struct directive *find(const pmix_info_t *info)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (PMIX_CHECK_KEY(info, table[i].key)) {
            return &table[i];
        }
    }
    return NULL;
}

/* A value of the type that the table says, which is there. */
static bool fits(const struct directive *d, const pmix_value_t *v)
{
    if (d->type == PMIX_UNDEF) {
        return v->type != PMIX_PROC || v->data.proc != NULL;
    }
    return v->type == d->type && (v->type != PMIX_STRING || v->data.string != NULL) &&
           (v->type != PMIX_PROC || v->data.proc != NULL) &&
           (v->type != PMIX_ENVAR || (v->data.envar.envar != NULL && v->data.envar.value != NULL));
}

/* One that is not required and cannot be done is left out. */
static pmix_status_t read_one(const pmix_info_t *info, struct px_run_wishes *w)
{
    const struct directive *d = find(info);
    pmix_status_t rc = d == NULL               ? PMIX_ERR_NOT_SUPPORTED
                       : fits(d, &info->value) ? d->apply(&info->value, w)
                                               : PMIX_ERR_BAD_PARAM;

    if (rc != PMIX_SUCCESS) {
        px_run_verbose("spawn: %s %s: %s", PMIx_Get_attribute_name(info->key),
                       PMIX_INFO_IS_REQUIRED(info) ? "is required" : "is asked for",
                       PMIx_Error_string(rc));
    }
    return rc == PMIX_ERR_NOT_SUPPORTED && !PMIX_INFO_IS_REQUIRED(info) ? PMIX_SUCCESS : rc;
}

pmix_status_t px_run_wishes_read(const pmix_info_t *info, size_t n, struct px_run_wishes *wishes)
{
    pmix_status_t rc = PMIX_SUCCESS;

    for (size_t i = 0; i < n && rc == PMIX_SUCCESS; i++) {
        rc = read_one(&info[i], wishes);
    }
    return rc;
}

char *px_run_wishes_known(void)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    const char *comma = "";

    for (size_t i = 0; f != NULL && i < sizeof(table) / sizeof(table[0]); i++) {
        if (!table[i].unasked) {
            fprintf(f, "%s%s", comma, table[i].key);
            comma = ",";
        }
    }
    if (f == NULL || fclose(f) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
