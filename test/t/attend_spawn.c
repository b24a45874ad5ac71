/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Commands of `attend` that start jobs, and hear of them. */

#include "attend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- infos */

/* "NSPACE/RANK" */
static void load_named(pmix_info_t *info, const char *key, const char *text)
{
    char nspace[PMIX_MAX_NSLEN + 1];
    const char *slash = strrchr(text, '/');
    pmix_proc_t proc;

    snprintf(nspace, sizeof(nspace), "%.*s", (int) (slash - text), text);
    load_proc(&proc, nspace, slash + 1);
    must(PMIx_Info_load(info, key, &proc, PMIX_PROC), "load");
}

static void load_typed(pmix_info_t *info, const char *key, const char *text)
{
    const char *value = text + 2;
    int32_t number = (int32_t) strtol(value, NULL, 10);
    uint32_t u = (uint32_t) number;
    uint16_t h = (uint16_t) number;
    pmix_rank_t rank = strcmp(value, "*") == 0 ? PMIX_RANK_WILDCARD : (pmix_rank_t) number;

    switch (text[0]) {
    case 'i':
        must(PMIx_Info_load(info, key, &number, PMIX_INT), "load");
        break;
    case 'u':
        must(PMIx_Info_load(info, key, &u, PMIX_UINT32), "load");
        break;
    case 'h':
        must(PMIx_Info_load(info, key, &h, PMIX_UINT16), "load");
        break;
    case 'r':
        must(PMIx_Info_load(info, key, &rank, PMIX_PROC_RANK), "load");
        break;
    default:
        load_named(info, key, value);
        break;
    }
}

void load_info(pmix_info_t *info, const char *text)
{
    char name[PMIX_MAX_KEYLEN + 1];
    bool required = text[0] == '!';
    const char *value = strchr(text, '=');
    bool yes = true;

    text += required;
    snprintf(name, sizeof(name), "%.*s", (int) strcspn(text, "="), text);
    const char *key = PMIx_Get_attribute_string(name);
    if (value == NULL) {
        must(PMIx_Info_load(info, key, &yes, PMIX_BOOL), "load");
    } else if (value[1] != '\0' && strchr("iuhrp", value[1]) != NULL && value[2] == ':') {
        load_typed(info, key, value + 1);
    } else {
        must(PMIx_Info_load(info, key, value + 1, PMIX_STRING), "load");
    }
    if (required) {
        PMIx_Info_required(info);
    }
}

/* ---- spawn [!]KEY[=VALUE]... N PROGRAM [ARGUMENT]...; more applications behind "/": directives
 * behind that are of the application */

static bool is_key(const char *word)
{
    return strncmp(word + (word[0] == '!'), "PMIX_", 5) == 0;
}

static size_t load_infos(char **words, int n, pmix_info_t **ret)
{
    size_t count = 0;

    while ((int) count < n && is_key(words[count])) {
        count++;
    }
    *ret = count > 0 ? PMIx_Info_create(count) : NULL;
    for (size_t i = 0; i < count; i++) {
        load_info(&(*ret)[i], words[i]);
    }
    return count;
}

/* Returns how many words the application takes. "as:NAME" behind the program is its first argument.
 */
static int load_app(pmix_app_t *app, char **words, int n)
{
    int at = 0;

    PMIX_APP_CONSTRUCT(app);
    app->ninfo = load_infos(words, n, &app->info);
    at += (int) app->ninfo;
    app->maxprocs = at < n ? atoi(words[at++]) : 0;
    app->cmd = strdup(at < n ? words[at] : "");
    if (at + 1 < n && strncmp(words[at + 1], "as:", 3) == 0) {
        must(PMIx_Argv_append_nosize(&app->argv, words[at + 1] + 3), "argv");
        at += 2;
    }
    for (; at < n && strcmp(words[at], "/") != 0; at++) {
        must(PMIx_Argv_append_nosize(&app->argv, words[at]), "argv");
    }
    return at;
}

void do_spawn(char **words, int n)
{
    enum { MOST = 8 };
    pmix_app_t *apps = PMIx_App_create(MOST);
    pmix_info_t *info = NULL;
    size_t n_infos = load_infos(words + 1, n - 1, &info);
    size_t n_apps = 0;
    int at = 1 + (int) n_infos;

    while (at < n && n_apps < MOST) {
        at += load_app(&apps[n_apps++], words + at, n - at) + 1;
    }
    pmix_status_t rc = PMIx_Spawn(info, n_infos, apps, n_apps, spawned);
    printf("spawn: %s%s%s\n", PMIx_Error_string(rc), rc == PMIX_SUCCESS ? " " : "",
           rc == PMIX_SUCCESS ? spawned : "");
    PMIx_Info_free(info, n_infos);
    PMIx_App_free(apps, MOST);
}

/* ---- events: hear CODE..., then await CODE */

enum { MOST_HEARD = 64 };

struct heard {
    pmix_status_t code;
    char text[512];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct heard heard[MOST_HEARD]; /* lock */
static size_t n_heard;                 /* lock */

static void describe(char *to, size_t room, const pmix_info_t *info, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < n && at < room; i++) {
        const pmix_value_t *v = &info[i].value;
        const char *key = PMIx_Get_attribute_name(info[i].key);

        if (v->type == PMIX_PROC && v->data.proc->rank == PMIX_RANK_WILDCARD) {
            at += (size_t) snprintf(to + at, room - at, " %s=%s/*", key, v->data.proc->nspace);
        } else if (v->type == PMIX_PROC) {
            at += (size_t) snprintf(to + at, room - at, " %s=%s/%u", key, v->data.proc->nspace,
                                    v->data.proc->rank);
        } else if (v->type == PMIX_STATUS) {
            at += (size_t) snprintf(to + at, room - at, " %s=%s", key,
                                    PMIx_Error_string(v->data.status));
        } else if (v->type == PMIX_INT) {
            at += (size_t) snprintf(to + at, room - at, " %s=%d", key, v->data.integer);
        } else if (v->type == PMIX_TIME) {
            at += (size_t) snprintf(to + at, room - at, " %s=%s", key,
                                    v->data.time > 1000000000 ? "now" : "never");
        } else if (v->type == PMIX_STRING) {
            at += (size_t) snprintf(to + at, room - at, " %s=%s", key, v->data.string);
        }
    }
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    pthread_mutex_lock(&lock);
    if (n_heard < MOST_HEARD) {
        heard[n_heard].code = status;
        describe(heard[n_heard].text, sizeof(heard[n_heard].text), info, ninfo);
        n_heard++;
    }
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

void do_hear(char **words, int n)
{
    pmix_status_t codes[16];
    size_t n_codes = 0;

    for (int i = 1; i < n && n_codes < 16; i++) {
        codes[n_codes++] = PMIx_Error_code(words[i]);
    }
    must(PMIx_Register_event_handler(codes, n_codes, NULL, 0, on_event, NULL, NULL) >= 0
             ? PMIX_SUCCESS
             : PMIX_ERROR,
         "register");
}

/* await CODE [TEXT]: the first that is not used up yet, with TEXT in it */
void do_await(char **words, int n)
{
    pmix_status_t code = PMIx_Error_code(words[1]);
    const char *with = n > 2 ? words[2] : "";
    size_t i = 0;

    pthread_mutex_lock(&lock);
    for (;;) {
        for (i = 0; i < n_heard; i++) {
            if (heard[i].code == code && strstr(heard[i].text, with) != NULL) {
                break;
            }
        }
        if (i < n_heard) {
            break;
        }
        pthread_cond_wait(&more, &lock);
    }
    printf("%s:%s\n", words[1], heard[i].text);
    heard[i].code = PMIX_SUCCESS; /* used up */
    pthread_mutex_unlock(&lock);
}

/* ---- get NSPACE RANK KEY */

void do_get(char **words, int n)
{
    pmix_proc_t proc;
    pmix_value_t *v = NULL;

    (void) n;
    load_proc(&proc, words[1], words[2]);
    pmix_status_t rc = PMIx_Get(&proc, PMIx_Get_attribute_string(words[3]), NULL, 0, &v);
    if (rc == PMIX_SUCCESS) {
        char *text = PMIx_Value_string(v);
        printf("%s\n", text);
        free(text);
        PMIx_Value_free(v, 1);
    } else {
        printf("%s: %s\n", words[3], PMIx_Error_string(rc));
    }
}
