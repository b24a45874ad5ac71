/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What can be asked for: what the library answers by itself, what only the host knows, and which
 * qualifiers belong to it. */

#include "lib/answers.h"
#include "lib/conform.h"
#include "lib/queries.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which keys and qualifiers there are */

static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0')) {
            return true;
        }
    }
    return false;
}

static void supported(void)
{
    static const char *const keys[] = {PMIX_QUERY_NAMESPACES, PMIX_QUERY_NAMESPACE_INFO,
                                       PMIX_SERVER_URI, PMIX_QUERY_NUM_PSETS,
                                       PMIX_QUERY_NUM_GROUPS};
    static const char series_7[] = "pmix.qry.supqual"; /* PMIX_QUERY_SUPPORTED_QUALIFIERS */
    struct infos quals = {0};
    struct asked asked = ask_one(PMIX_QUERY_SUPPORTED_KEYS, NULL);
    const pmix_value_t *v = answer_to(&asked, 0, PMIX_QUERY_SUPPORTED_KEYS);

    check_status_for("QRY-027", PMIX_SUCCESS, asked.rc, "supported keys");
    if (check_for("QRY-027", v != NULL && v->type == PMIX_STRING, "they are a string")) {
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
            struct asked one = ask_one(keys[i], NULL);

            check_for("QRY-027", lists(v->data.string, keys[i]), "%s is among them", keys[i]);
            check_status_for("QRY-027", PMIX_SUCCESS, one.rc, "%s is answered", keys[i]);
            free_asked(&one);
        }
        check_for("QRY-027", lists(v->data.string, PMIX_QUERY_GROUP_MEMBERSHIP),
                  "membership is among them");
    }
    free_asked(&asked);
    asked = ask_one(PMIX_QUERY_SUPPORTED_QUALIFIERS "," PMIX_QUERY_NAMESPACE_INFO
                                                    "," PMIX_QUERY_GROUP_MEMBERSHIP,
                    NULL);
    check_status_for("QRY-027", PMIX_SUCCESS, asked.rc, "qualifiers of two keys");
    check_for("QRY-027", lists(said(&asked, 0, PMIX_QUERY_NAMESPACE_INFO), PMIX_NSPACE),
              "of the one");
    check_for("QRY-027", lists(said(&asked, 0, PMIX_QUERY_GROUP_MEMBERSHIP), PMIX_GROUP_ID),
              "of the other");
    free_asked(&asked);
    add_true(&quals, PMIX_QUERY_SUPPORTED_QUALIFIERS);
    check_for("QRY-048", lists(query_text(PMIX_QUERY_PROC_TABLE, &quals), PMIX_NSPACE),
              "as a qualifier, without what it needs");
    if (strcmp(PMIx_Get_attribute_name(series_7), series_7) != 0) { /* the library knows it */
        asked = ask_one("pmix.qry.supqual," PMIX_QUERY_PROC_TABLE, NULL);
        check_for("QRY-048", lists(said(&asked, 0, PMIX_QUERY_PROC_TABLE), PMIX_NSPACE),
                  "in front of the key, of a program of series 7");
        free_asked(&asked);
        memset(&quals, 0, sizeof(quals));
        add_true(&quals, series_7);
        check_for("QRY-048", lists(query_text(PMIX_QUERY_PROC_TABLE, &quals), PMIX_NSPACE),
                  "as a qualifier, of a program of series 7");
    }
}

/* ---- what needs no host */

static void define_set(void)
{
    pmix_proc_t members[2];

    PMIX_LOAD_PROCID(&members[0], "A", 0);
    PMIX_LOAD_PROCID(&members[1], "A", 1);
    check_status(PMIX_SUCCESS, PMIx_server_define_process_set(members, 2, "pair"), "a process set");
    tell("set");
}

static void hostless(void)
{
    static const char *const keys[] = {PMIX_QUERY_NAMESPACES,
                                       PMIX_QUERY_NAMESPACE_INFO,
                                       PMIX_SERVER_URI,
                                       PMIX_QUERY_NUM_PSETS,
                                       PMIX_QUERY_PSET_NAMES,
                                       PMIX_QUERY_NUM_GROUPS,
                                       PMIX_QUERY_STABLE_ABI_VERSION,
                                       PMIX_QUERY_PROVISIONAL_ABI_VERSION};
    struct infos quals = {0};
    struct infos limit = {0};
    struct asked asked;
    int seconds = 60;

    await("set");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        asked = ask_one(keys[i], NULL);
        check_status(PMIX_SUCCESS, asked.rc, "query of %s", keys[i]);
        free_asked(&asked);
    }
    same("A", query_text(PMIX_QUERY_NAMESPACES, NULL), "namespaces");
    add_required(&limit, PMIX_TIMEOUT, &seconds, PMIX_INT);
    same("A", query_text(PMIX_QUERY_NAMESPACES, &limit), "with a time limit that is required");
    same("1", query_text(PMIX_QUERY_NUM_PSETS, NULL), "sets");
    same("pair", query_text(PMIX_QUERY_PSET_NAMES, NULL), "their names");
    same("0", query_text(PMIX_QUERY_NUM_GROUPS, NULL), "groups");
    same("array of 1", got_of(me.rank, PMIX_PSET_NAMES, NULL), "the sets of a process, by a get");
    same("-46", got_of(me.rank, PMIX_GROUP_NAMES, NULL), "and its groups");
    add_text(&quals, PMIX_PSET_NAME, "pair");
    same("A:0,A:1", query_text(PMIX_QUERY_PSET_MEMBERSHIP, &quals), "the members of the set");
    asked = ask_one(PMIX_QUERY_NUM_PSETS "," PMIX_QUERY_STABLE_ABI_VERSION "," PMIX_JOB_SIZE, NULL);
    check_status(PMIX_SUCCESS, asked.rc, "of everything");
    same("2", said(&asked, 0, PMIX_JOB_SIZE), "one of them");
    check(strchr(said(&asked, 0, PMIX_QUERY_STABLE_ABI_VERSION), '.') != NULL, "and the version");
    free_asked(&asked);
}

/* ---- namespaces */

static void add_command(const struct job *job, struct infos *list)
{
    char text[64];

    snprintf(text, sizeof(text), "run %s", job->name);
    add_text(list, PMIX_CMD_LINE, text);
}

static const char *in_infos(const pmix_info_t *info, const char *key)
{
    const pmix_data_array_t *array =
        info->value.type == PMIX_DATA_ARRAY ? info->value.data.darray : NULL;

    for (size_t i = 0; array != NULL && array->type == PMIX_INFO && i < array->size; i++) {
        if (PMIX_CHECK_KEY(&((const pmix_info_t *) array->array)[i], key)) {
            return text_of(&((const pmix_info_t *) array->array)[i].value);
        }
    }
    return "(none)";
}

static void check_namespaces(const char *only, const char *want)
{
    struct infos quals = {0};
    struct asked asked;
    const pmix_value_t *v;
    char seen[256] = "";

    if (only != NULL) {
        add_text(&quals, PMIX_NSPACE, only);
    }
    asked = ask_one(PMIX_QUERY_NAMESPACE_INFO, &quals);
    check_status(PMIX_SUCCESS, asked.rc, "namespaces");
    v = answer_to(&asked, 0, PMIX_QUERY_NAMESPACE_INFO);
    if (check(v != NULL && v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_INFO,
              "an array")) {
        for (size_t i = 0; i < v->data.darray->size; i++) {
            const pmix_info_t *one = &((const pmix_info_t *) v->data.darray->array)[i];

            strcat(strcat(seen, in_infos(one, PMIX_NSPACE)), "=");
            strcat(strcat(seen, in_infos(one, PMIX_CMD_LINE)), ";");
        }
    }
    same(want, seen, "namespaces and commands");
    free_asked(&asked);
}

static void namespaces(void)
{
    struct infos quals = {0};

    same("A,B", query_text(PMIX_QUERY_NAMESPACES, NULL), "their names");
    check_namespaces(NULL, "A=run A;B=run B;");
    check_namespaces("B", "B=run B;");
    add_text(&quals, PMIX_NSPACE, "C");
    check(ask_one(PMIX_QUERY_NAMESPACE_INFO, &quals).rc < 0, "none of that name");
}

/* ---- versions, without a library that is up */

static bool is_version(const char *text)
{
    size_t major = strspn(text, "0123456789");
    size_t minor = text[major] == '.' ? strspn(text + major + 1, "0123456789") : 0;

    return major > 0 && minor > 0 &&
           (text[major + 1 + minor] == '\0' || text[major + 1 + minor] == ',');
}

static void versions(void)
{
    struct queries list = {0};
    struct asked asked;

    check(is_version(query_text(PMIX_QUERY_STABLE_ABI_VERSION, NULL)), "stable");
    check(is_version(query_text(PMIX_QUERY_PROVISIONAL_ABI_VERSION, NULL)), "provisional");
    asked = ask_one(PMIX_QUERY_STABLE_ABI_VERSION "," PMIX_QUERY_PROVISIONAL_ABI_VERSION, NULL);
    check_status(PMIX_SUCCESS, asked.rc, "both");
    check(is_version(said(&asked, 0, PMIX_QUERY_PROVISIONAL_ABI_VERSION)), "the second");
    free_asked(&asked);
    add_query(&list, PMIX_QUERY_PROVISIONAL_ABI_VERSION, NULL);
    add_query(&list, PMIX_QUERY_STABLE_ABI_VERSION, NULL);
    asked = ask_all(&list);
    check_status(PMIX_SUCCESS, asked.rc, "two queries");
    free_asked(&asked);
    check_status(PMIX_ERR_INIT,
                 ask_one(PMIX_QUERY_STABLE_ABI_VERSION "," PMIX_QUERY_NAMESPACES, NULL).rc,
                 "another key needs more");
}

/* ---- the server's address */

static void with_tools(struct infos *list)
{
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
}

/* The first line of a rendezvous file of the server. */
static bool read_rendezvous(char *room, size_t n)
{
    DIR *dir = opendir(scratch());
    char path[1024];
    bool found = false;

    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL && !found;
         e = readdir(dir)) {
        FILE *file;

        if (strncmp(e->d_name, "pmix.", 5) != 0) {
            continue;
        }
        snprintf(path, sizeof(path), "%s/%s", scratch(), e->d_name);
        file = fopen(path, "r");
        found = file != NULL && fgets(room, (int) n, file) != NULL;
        if (file != NULL) {
            fclose(file);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    room[strcspn(room, "\n")] = '\0';
    return found;
}

static void address(void)
{
    char line[512] = "";

    if (check(read_rendezvous(line, sizeof(line)), "there is a rendezvous file")) {
        same(line, query_text(PMIX_SERVER_URI, NULL), "the server's address");
    }
}

/* ---- what only the host knows */

static void answer_one(struct infos *list, const char *key)
{
    uint32_t seconds = 77;
    pid_t pid = 4711;
    pmix_proc_state_t state = PMIX_PROC_STATE_RUNNING;
    struct infos memory = {0};
    struct infos ids = {0};

    if (strcmp(key, PMIX_TIME_REMAINING) == 0) {
        add(list, key, &seconds, PMIX_UINT32);
    } else if (strcmp(key, PMIX_PROC_PID) == 0) {
        add(list, key, &pid, PMIX_PID);
    } else if (strcmp(key, PMIX_PROC_STATE_STATUS) == 0) {
        add(list, key, &state, PMIX_PROC_STATE);
    } else if (strcmp(key, PMIX_QUERY_MEMORY_USAGE) == 0) {
        add_u32(&memory, "rss", 5);
        add_array(list, key, &memory);
    } else if (strcmp(key, PMIX_QUERY_ALLOC_IDS) == 0) {
        add_text(&ids, PMIX_ALLOC_ID, "first");
        add_text(&ids, PMIX_ALLOC_ID, "second");
        add_array(list, key, &ids);
    } else {
        add_text(list, key, key);
    }
}

static pmix_status_t knows_all(struct upcall *ask)
{
    struct infos list = {0};

    for (size_t i = 0; i < ask->n_queries; i++) {
        for (int k = 0; ask->queries[i].keys[k] != NULL; k++) {
            answer_one(&list, ask->queries[i].keys[k]);
        }
    }
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static const char *const hosts_keys[] = {PMIX_QUERY_QUEUE_LIST,    PMIX_QUERY_QUEUE_STATUS,
                                         PMIX_QUERY_ALLOC_STATUS,  PMIX_QUERY_SPAWN_SUPPORT,
                                         PMIX_QUERY_DEBUG_SUPPORT, PMIX_QUERY_AUTHORIZATIONS};

/* With a qualifier that only the host understands. */
static const pmix_value_t *ask_host(struct asked *asked, const char *key, bool process)
{
    struct infos quals = {0};

    add_text(&quals, PMIX_ALLOC_QUEUE, "fast");
    if (process) {
        add(&quals, PMIX_PROCID, &me, PMIX_PROC);
    }
    *asked = ask_one(key, &quals);
    check_status(PMIX_SUCCESS, asked->rc, "query of %s", key);
    return answer_to(asked, 0, key);
}

static void of_host(void)
{
    struct asked asked;
    const pmix_value_t *v;

    for (size_t i = 0; i < sizeof(hosts_keys) / sizeof(hosts_keys[0]); i++) {
        same(hosts_keys[i], text_of(ask_host(&asked, hosts_keys[i], false)), "the host's answer");
        free_asked(&asked);
    }
    v = ask_host(&asked, PMIX_TIME_REMAINING, false);
    check(v != NULL && v->type == PMIX_UINT32 && v->data.uint32 == 77, "seconds");
    free_asked(&asked);
    v = ask_host(&asked, PMIX_PROC_PID, true);
    check(v != NULL && v->type == PMIX_PID && v->data.pid == 4711, "a process's id");
    free_asked(&asked);
    v = ask_host(&asked, PMIX_PROC_STATE_STATUS, true);
    check(v != NULL && v->type == PMIX_PROC_STATE && v->data.state == PMIX_PROC_STATE_RUNNING,
          "its state");
    free_asked(&asked);
    v = ask_host(&asked, PMIX_QUERY_MEMORY_USAGE, true);
    check(v != NULL && v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_INFO &&
              v->data.darray->size == 1 &&
              ((pmix_info_t *) v->data.darray->array)->value.data.uint32 == 5,
          "its memory");
    free_asked(&asked);
    v = ask_host(&asked, PMIX_QUERY_ALLOC_IDS, false);
    check(v != NULL && v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_INFO &&
              v->data.darray->size == 2 &&
              PMIX_CHECK_KEY((pmix_info_t *) v->data.darray->array, PMIX_ALLOC_ID) &&
              strcmp(((pmix_info_t *) v->data.darray->array)[1].value.data.string, "second") == 0,
          "the allocations");
    free_asked(&asked);
}

static void check_of_host(void)
{
    int n = upcalls(ON_QUERY, 0);

    check(n == 11, "%d upcalls", n);
    for (int i = 0; i < n; i++) {
        const struct record *r = upcall(ON_QUERY, 0, i);
        const struct note *queue = note_info(&r->infos[0], PMIX_ALLOC_QUEUE);

        check(queue != NULL && strcmp(queue->text, "fast") == 0, "the qualifier of %s",
              r->infos[0].key);
    }
    check(note_info(record_info(upcall(ON_QUERY, 0, 7), PMIX_PROC_PID), PMIX_PROCID) != NULL,
          "the process, too");
}

/* ---- what keys cannot do without */

static void lacking(void)
{
    static const char *const keys[] = {PMIX_QUERY_JOB_STATUS, PMIX_QUERY_PROC_TABLE,
                                       PMIX_QUERY_LOCAL_PROC_TABLE, PMIX_QUERY_GROUP_MEMBERSHIP,
                                       PMIX_QUERY_PSET_MEMBERSHIP};
    struct infos quals = {0};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        check_status(PMIX_ERR_BAD_PARAM, ask_one(keys[i], NULL).rc, "%s alone", keys[i]);
    }
    add_text(&quals, PMIX_NSPACE, me.nspace);
    same(PMIX_QUERY_JOB_STATUS, query_text(PMIX_QUERY_JOB_STATUS, &quals), "with what it needs");
}

/* ---- memory of nodes */

static void add_memory(const struct job *job, struct infos *list)
{
    (void) job;
    for (int i = 0; i < 2; i++) {
        struct infos one = {0};
        uint64_t bytes = (uint64_t) (i + 1) * 1000;

        add_text(&one, PMIX_HOSTNAME, node_name(i));
        add_u32(&one, PMIX_NODEID, (uint32_t) i);
        add(&one, PMIX_AVAIL_PHYS_MEMORY, &bytes, PMIX_UINT64);
        add_array(list, PMIX_NODE_INFO_ARRAY, &one);
    }
}

static void memory(void)
{
    struct infos quals = {0};
    uint32_t other = 1 - (uint32_t) node();

    same(node() == 0 ? "1000" : "2000", query_text(PMIX_AVAIL_PHYS_MEMORY, NULL), "of our node");
    add_text(&quals, PMIX_HOSTNAME, node_name(1));
    same("2000", query_text(PMIX_AVAIL_PHYS_MEMORY, &quals), "of a node by name");
    add(&quals, PMIX_NODEID, &other, PMIX_UINT32);
    same(node() == 0 ? "2000" : "1000", query_text(PMIX_AVAIL_PHYS_MEMORY, &quals),
         "by its number");
}

static void samples(void)
{
    static const char *const keys[] = {PMIX_DAEMON_MEMORY, PMIX_CLIENT_AVG_MEMORY,
                                       PMIX_AVAIL_PHYS_MEMORY};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct infos quals = {0};

        add_u32(&quals, PMIX_NODEID, 3);
        add_true(&quals, PMIX_QUERY_REPORT_AVG);
        add_true(&quals, PMIX_QUERY_REPORT_MINMAX);
        same(keys[i], query_text(keys[i], &quals), "of another node");
        same(keys[i], query_text(keys[i], NULL), "of our own");
    }
}

static void check_samples(void)
{
    for (int i = 0; i < 6; i++) {
        const struct record *r = upcall(ON_QUERY, 0, i);
        bool there = r != NULL && note_info(&r->infos[0], PMIX_QUERY_REPORT_AVG) != NULL &&
                     note_info(&r->infos[0], PMIX_QUERY_REPORT_MINMAX) != NULL &&
                     note_info(&r->infos[0], PMIX_NODEID) != NULL;

        check(r != NULL && there == (i % 2 == 0), "upcall %d has the qualifiers that were given",
              i);
    }
}

/* ---- one answer about several nodes */

static void widen(void)
{
    struct queries list = {0};
    struct infos quals = {0};
    struct asked asked;

    add_u32(&quals, PMIX_NODEID, 0);
    add_u32(&quals, PMIX_NODEID, 2);
    same("A:0,A:1,A:4,A:5", query_text(PMIX_LOCAL_PROCS, &quals), "two nodes in one query");
    for (uint32_t i = 0; i < 2; i++) {
        add_u32(&quals, PMIX_NODEID, 2 * i);
        add_query(&list, PMIX_LOCAL_PROCS, &quals);
    }
    asked = ask_all(&list);
    check_status(PMIX_SUCCESS, asked.rc, "two queries");
    same("A:0,A:1", said(&asked, 0, PMIX_LOCAL_PROCS), "of the first node");
    same("A:4,A:5", said(&asked, 1, PMIX_LOCAL_PROCS), "of the other");
    free_asked(&asked);
}

static void widen_host(void)
{
    struct infos quals = {0};

    add_u32(&quals, PMIX_NODEID, 5);
    add_u32(&quals, PMIX_NODEID, 7);
    same(PMIX_LOCAL_PROCS, query_text(PMIX_LOCAL_PROCS, &quals), "the host's answer");
}

static void check_widened(void)
{
    const struct record *r = upcall(ON_QUERY, 0, 0);
    int64_t seen[2] = {0};
    int n = 0;

    for (size_t i = 0; r != NULL && i < r->infos[0].n_sub; i++) {
        const struct note *note = &r->infos[0].sub[i];

        if (strcmp(note->key, PMIX_NODEID) == 0 && n < 2) {
            seen[n++] = note->number;
        }
    }
    check(n == 2 && seen[0] == 5 && seen[1] == 7, "the host sees both nodes");
}

/* ---- realms */

static void add_realms(const struct job *job, struct infos *list)
{
    struct infos session = {0};
    struct infos app = {0};

    (void) job;
    drop(list, PMIX_UNIV_SIZE);
    add_u32(&session, PMIX_SESSION_ID, 9);
    add_u32(&session, PMIX_UNIV_SIZE, 64);
    add_array(list, PMIX_SESSION_INFO_ARRAY, &session);
    add_u32(&app, PMIX_APPNUM, 0);
    add_u32(&app, PMIX_APP_SIZE, 2);
    add_text(&app, PMIX_WDIR, "/somewhere");
    add_array(list, PMIX_APP_INFO_ARRAY, &app);
}

static void realms(void)
{
    struct infos quals = {0};

    add_true(&quals, PMIX_SESSION_INFO);
    same("64", query_text(PMIX_UNIV_SIZE, &quals), "the session's");
    add_true(&quals, PMIX_JOB_INFO);
    same("2", query_text(PMIX_JOB_SIZE, &quals), "the job's");
    add_true(&quals, PMIX_APP_INFO);
    add_u32(&quals, PMIX_APPNUM, 0);
    same("/somewhere", query_text(PMIX_WDIR, &quals), "the application's");
    add_true(&quals, PMIX_NODE_INFO);
    add_text(&quals, PMIX_HOSTNAME, node_name(0));
    same("2", query_text(PMIX_LOCAL_SIZE, &quals), "the node's");
    add(&quals, PMIX_PROCID, &me, PMIX_PROC);
    same(me.rank == 0 ? "0" : "1", query_text(PMIX_LOCAL_RANK, &quals), "the process's");
}

#define KNOWS_ALL .host = {[ON_QUERY] = {OWN, .own = knows_all}}

const struct conform_case cases[] = {
    {.ids = "QRY-027 QRY-048",
     .what = "which keys there are, and their qualifiers",
     .own_host = true,
     .client = supported},
    {.ids = "QRY-028",
     .what = "what needs no host",
     .ranks = 2,
     .client = hostless,
     .script = define_set},
    {.ids = "QRY-029",
     .what = "namespaces and their commands",
     .jobs = {{"A", {1}}, {"B", {1}, .quiet = true}},
     .setup = add_command,
     .client = namespaces},
    {.ids = "QRY-030",
     .what = "versions of the interface, at any time",
     .alone = true,
     .client = versions},
    {.ids = "QRY-031",
     .what = "the address of the server",
     .server = with_tools,
     .client = address},
    {.ids = "QRY-032",
     .what = "the host's answers keep their types",
     .client = of_host,
     .after = check_of_host,
     KNOWS_ALL},
    {.ids = "QRY-033", .what = "keys that need a qualifier", .client = lacking, KNOWS_ALL},
    {.ids = "QRY-034",
     .what = "the memory of a node, as registered",
     .nodes = 2,
     .setup = add_memory,
     .client = memory},
    {.ids = "QRY-034",
     .what = "the memory of a node, as the host says",
     .client = samples,
     .after = check_samples,
     KNOWS_ALL},
    {.ids = "QRY-035",
     .what = "a qualifier that is repeated widens the answer",
     .nodes = 3,
     .ranks = 2,
     .client = widen},
    {.ids = "QRY-035",
     .what = "the host sees each of them",
     .client = widen_host,
     .after = check_widened,
     KNOWS_ALL},
    {.ids = "QRY-023", .what = "realms of data", .ranks = 2, .setup = add_realms, .client = realms},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
