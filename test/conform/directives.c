/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What is said to be supported is, and nothing else: every call that takes directives is made with
 * each attribute that any of them is said to support, and with one that nobody knows, as required.
 * It has to be refused with PMIX_ERR_NOT_SUPPORTED unless PMIX_QUERY_ATTRIBUTE_SUPPORT says of this
 * call that the library, at the levels concerned, does it. Hosts do nothing themselves: what is
 * required and not processed when it comes to them they refuse, as they should. */

#include "lib/conform.h"
#include "lib/requests.h"
#include "lib/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- all attributes that are said to be supported by anything */

enum { MAX_ATTRIBUTES = 512 };

static struct attribute {
    char key[PMIX_MAX_KEYLEN + 1];
    pmix_data_type_t type;
} known[MAX_ATTRIBUTES];
static int n_known;

static void note_attribute(const char *key, pmix_data_type_t type)
{
    for (int i = 0; i < n_known; i++) {
        if (strcmp(known[i].key, key) == 0) {
            return;
        }
    }
    if (check(n_known < MAX_ATTRIBUTES, "there is room for %s", key)) {
        PMIX_LOAD_KEY(known[n_known].key, key);
        known[n_known].type = type;
        n_known++;
    }
}

static const char *const all_levels[] = {PMIX_CLIENT_ATTRIBUTES, PMIX_TOOL_ATTRIBUTES,
                                         PMIX_SERVER_ATTRIBUTES, NULL};

/* Is the call one that a case makes? */
static bool is_made(const char *call)
{
    static const char *const elsewhere[] = {
        "PMIx_Init", "PMIx_Finalize", "PMIx_Put", "PMIx_tool_init", "PMIx_tool_attach_to_server",
        "PMIx_tool_set_server", "PMIx_server_init", "PMIx_server_setup_application",
        /* only in newer interfaces, whose entries no host here has */
        "PMIx_Session_control", "PMIx_Resource_block"};
    size_t n = strlen(call);

    for (int i = 0; i < n_requests; i++) {
        if (strncmp(requests[i].call, call, strlen(requests[i].call)) == 0 &&
            (n == strlen(requests[i].call) || strcmp(call + n - 3, "_nb") == 0)) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
        if (strncmp(elsewhere[i], call, strlen(elsewhere[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void note_call(const char *call)
{
    char keys[sizeof(SUPPORT) + 2 * PMIX_MAX_KEYLEN];
    struct asked asked;
    bool any = false;

    snprintf(keys, sizeof(keys), SUPPORT "%s", call);
    asked = ask_support(keys, all_levels);
    for (int i = 0; all_levels[i] != NULL; i++) {
        const pmix_value_t *v = level_of(&asked, call, all_levels[i]);
        const pmix_regattr_t *attr =
            v != NULL && v->type == PMIX_DATA_ARRAY ? v->data.darray->array : NULL;

        for (size_t k = 0; attr != NULL && k < v->data.darray->size; k++) {
            note_attribute(attr[k].string, attr[k].type);
            any = true;
        }
    }
    check(!any || is_made(call), "%s is said to support attributes, so it is made here", call);
    free_asked(&asked);
}

/* Every call of every level is asked about. */
static void know_all(void)
{
    struct asked asked =
        ask_one(PMIX_CLIENT_FUNCTIONS "," PMIX_TOOL_FUNCTIONS "," PMIX_SERVER_FUNCTIONS, NULL);
    static const char *const lists[] = {PMIX_CLIENT_FUNCTIONS, PMIX_TOOL_FUNCTIONS,
                                        PMIX_SERVER_FUNCTIONS};

    check_status(PMIX_SUCCESS, asked.rc, "the calls");
    for (int i = 0; i < 3; i++) {
        char *list = strdup(said(&asked, 0, lists[i]));
        char *at = list;

        for (char *call = strsep(&at, ","); call != NULL; call = strsep(&at, ",")) {
            note_call(call);
        }
        free(list);
    }
    free_asked(&asked);
    check_aside("QRY-041", n_known > 100, "%d attributes", n_known);
    note_attribute("conform.unknown", PMIX_BOOL);
}

/* ---- one attribute as a directive */

static void add_string(struct infos *list, const char *key)
{
    size_t n = strlen(key);
    bool folder = n > 6 && strcmp(key + n - 6, "tmpdir") == 0;

    add_required(list, key, folder ? scratch() : "node0", PMIX_STRING);
}

static void add_processes(struct infos *list, const char *key)
{
    pmix_proc_t procs[MAX_NODES];
    pmix_data_array_t array = {.type = PMIX_PROC, .array = procs};

    for (int i = 0; i < job_size(find_job("A")); i++) {
        PMIX_LOAD_PROCID(&procs[i], "A", (pmix_rank_t) i);
        array.size++;
    }
    add_required(list, key, &array, PMIX_DATA_ARRAY);
}

/* A value that means no harm. */
static struct infos directive(const struct attribute *attribute)
{
    struct infos list = {0};
    pmix_proc_t proc;
    pmix_data_range_t range = PMIX_RANGE_SESSION;
    pmix_scope_t scope = PMIX_GLOBAL;
    pmix_device_type_t devices = PMIX_DEVTYPE_UNKNOWN;
    uint32_t one = 1;
    size_t size = 1;
    pid_t pid = 1;
    int seconds = 30;
    bool yes = true;

    PMIX_LOAD_PROCID(&proc, "A", 0);
    switch (attribute->type) {
    case PMIX_STRING:
        add_string(&list, attribute->key);
        break;
    case PMIX_INT:
        add_required(&list, attribute->key, &seconds, PMIX_INT);
        break;
    case PMIX_UINT32:
        add_required(&list, attribute->key, &one, PMIX_UINT32);
        break;
    case PMIX_SIZE:
        add_required(&list, attribute->key, &size, PMIX_SIZE);
        break;
    case PMIX_PID:
        add_required(&list, attribute->key, &pid, PMIX_PID);
        break;
    case PMIX_PROC:
        add_required(&list, attribute->key, &proc, PMIX_PROC);
        break;
    case PMIX_PROC_RANK:
        add_required(&list, attribute->key, &one, PMIX_PROC_RANK);
        break;
    case PMIX_DATA_RANGE:
        add_required(&list, attribute->key, &range, PMIX_DATA_RANGE);
        break;
    case PMIX_SCOPE:
        add_required(&list, attribute->key, &scope, PMIX_SCOPE);
        break;
    case PMIX_DEVTYPE:
        add_required(&list, attribute->key, &devices, PMIX_DEVTYPE);
        break;
    case PMIX_DATA_ARRAY:
        add_processes(&list, attribute->key);
        break;
    default:
        add_required(&list, attribute->key, &yes, PMIX_BOOL);
        break;
    }
    return list;
}

/* ---- all calls with all of them */

/* What is said about a call, by the level of who makes it and of the server. */
static bool is_said(const char *call, const char *key, const char *level)
{
    static char of[PMIX_MAX_KEYLEN + 1];
    static char list[8192];
    const char *const levels[] = {level, PMIX_SERVER_ATTRIBUTES, NULL};

    if (strcmp(of, call) != 0) {
        char keys[sizeof(SUPPORT) + PMIX_MAX_KEYLEN];
        struct asked asked;

        snprintf(keys, sizeof(keys), SUPPORT "%s", call);
        asked = ask_support(keys, levels);
        snprintf(list, sizeof(list), "%s", attributes(&asked, call, level));
        snprintf(list + strlen(list), sizeof(list) - strlen(list), ",%s",
                 attributes(&asked, call, PMIX_SERVER_ATTRIBUTES));
        snprintf(of, sizeof(of), "%s", call);
        free_asked(&asked);
    }
    return has_word(list, key);
}

/* With these the library does alone what else is the host's. */
static bool needs_no_host(const struct request *request, const char *key)
{
    return (request->entry == ON_MONITOR && strcmp(key, PMIX_MONITOR_HEARTBEAT_TIME) == 0) ||
           (request->entry == ON_PUSH && strcmp(key, PMIX_IOF_PUSH_STDIN) == 0);
}

static void try_request(const struct request *request, const char *level, bool hosts)
{
    for (int i = 0; i < n_known; i++) {
        bool meant = is_said(request->call, known[i].key, level) &&
                     (hosts || request->entry == N_ENTRIES || needs_no_host(request, known[i].key));
        struct infos list = directive(&known[i]);
        pmix_status_t rc = request->make(list.at, list.n);

        check((rc != PMIX_ERR_NOT_SUPPORTED) == meant, "%s: %s is %s, and the status %d",
              request->call, known[i].key, meant ? "supported" : "not supported", rc);
        check_aside("FEN-011",
                    strcmp(request->call, "PMIx_Fence") != 0 ||
                        (rc != PMIX_ERR_NOT_SUPPORTED) == meant,
                    "a fence: %s is %s", known[i].key, meant ? "supported" : "not supported");
        free_infos(&list);
    }
}

static void try_all(unsigned by, const char *level, bool hosts)
{
    know_all();
    for (int i = 0; i < n_requests; i++) {
        if ((requests[i].by & by) != 0) {
            try_request(&requests[i], level, hosts);
        }
    }
}

static void by_client(void)
{
    try_all(BY_CLIENT, PMIX_CLIENT_ATTRIBUTES, true);
}

static void by_client_alone(void)
{
    try_all(BY_CLIENT, PMIX_CLIENT_ATTRIBUTES, false);
}

/* ---- by a tool */

static pmix_status_t tool_start(void)
{
    struct infos list = {0};
    pmix_proc_t name;
    pid_t pid = server_pid(0);
    pmix_status_t rc;

    add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    rc = PMIx_tool_init(&name, list.at, list.n);
    free_infos(&list);
    return rc;
}

static pmix_status_t attach(const pmix_info_t *info, size_t n)
{
    pmix_proc_t name;
    pmix_proc_t server;

    return PMIx_tool_attach_to_server(&name, &server, (pmix_info_t *) info, n);
}

static pmix_status_t choose(const pmix_info_t *info, size_t n)
{
    pmix_proc_t *servers = NULL;
    size_t n_servers = 0;
    pmix_status_t rc = PMIx_tool_get_servers(&servers, &n_servers);

    if (rc == PMIX_SUCCESS) {
        rc = PMIx_tool_set_server(&servers[0], (pmix_info_t *) info, n);
        PMIX_PROC_FREE(servers, n_servers);
    }
    return rc;
}

static void by_tool(void)
{
    static const struct request own[] = {
        {"PMIx_tool_attach_to_server", attach, N_ENTRIES, BY_TOOL},
        {"PMIx_tool_set_server", choose, N_ENTRIES, BY_TOOL},
    };

    check_status(PMIX_SUCCESS, tool_start(), "the tool");
    try_all(BY_TOOL, PMIX_TOOL_ATTRIBUTES, true);
    try_request(&own[0], PMIX_TOOL_ATTRIBUTES, true);
    try_request(&own[1], PMIX_TOOL_ATTRIBUTES, true);
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "its end");
}

/* ---- by a server */

static void set_up(pmix_status_t status, pmix_info_t info[], size_t ninfo, void *provided,
                   pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) status;
    (void) info;
    (void) ninfo;
    (void) provided;
    cbfunc(PMIX_SUCCESS, cbdata);
    tell("set up");
}

static pmix_status_t set_up_application(const pmix_info_t *info, size_t n)
{
    int before = told("set up");
    pmix_nspace_t nspace = "A";
    pmix_status_t rc = PMIx_server_setup_application(nspace, (pmix_info_t *) info, n, set_up, NULL);

    if (rc == PMIX_SUCCESS) {
        await_n("set up", before + 1);
    }
    return rc;
}

static void collected(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                      pmix_release_cbfunc_t release, void *release_data)
{
    (void) status;
    (void) info;
    (void) ninfo;
    (void) cbdata;
    if (release != NULL) {
        release(release_data);
    }
    tell("collected");
}

static pmix_status_t collect(const pmix_info_t *info, size_t n)
{
    int before = told("collected");
    pmix_status_t rc = PMIx_server_collect_inventory((pmix_info_t *) info, n, collected, NULL);

    if (rc == PMIX_SUCCESS) {
        await_n("collected", before + 1);
    }
    return rc;
}

static pmix_status_t deliver(const pmix_info_t *info, size_t n)
{
    struct infos list = {0};
    pmix_status_t rc;

    add_text(&list, PMIX_HOSTNAME, "node0");
    rc = PMIx_server_deliver_inventory(list.at, list.n, (pmix_info_t *) info, n, NULL, NULL);
    free_infos(&list);
    return rc;
}

static void by_server(void)
{
    static const struct request own[] = {
        {"PMIx_server_setup_application", set_up_application, N_ENTRIES, BY_SERVER},
        {"PMIx_server_collect_inventory", collect, N_ENTRIES, BY_SERVER},
        {"PMIx_server_deliver_inventory", deliver, N_ENTRIES, BY_SERVER},
    };

    try_all(BY_SERVER, PMIX_SERVER_ATTRIBUTES, true);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        try_request(&own[i], PMIX_SERVER_ATTRIBUTES, true);
    }
}

/* ---- beginnings and ends */

/* What is made and ended again; a start with a value that has no effect. */
static pmix_status_t start_client(const pmix_info_t *info, size_t n)
{
    pmix_status_t rc = PMIx_Init(NULL, (pmix_info_t *) info, n);

    if (rc == PMIX_SUCCESS || rc == PMIX_ERR_UNREACH) {
        (void) PMIx_Finalize(NULL, 0);
    }
    return rc;
}

static pmix_status_t end_client(const pmix_info_t *info, size_t n)
{
    pmix_status_t rc = PMIx_Init(NULL, NULL, 0);

    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Finalize(info, n);
        if (rc == PMIX_ERR_NOT_SUPPORTED) {
            (void) PMIx_Finalize(NULL, 0);
        }
    }
    return rc;
}

/* These only a launcher has a use for: another tool refuses them (launcher.c). */
static bool is_launchers(const char *key)
{
    return has_word(PMIX_LAUNCHER_RENDEZVOUS_FILE "," PMIX_TCP_REPORT_URI "," PMIX_SOCKET_MODE
                                                  "," PMIX_TDIR_RMCLEAN "," PMIX_IOF_LOCAL_OUTPUT,
                    key);
}

static pmix_status_t start_tool(const pmix_info_t *info, size_t n)
{
    struct infos list = {0};
    pmix_proc_t name;
    pmix_status_t rc;

    for (size_t i = 0; i < n; i++) {
        add_required(&list, info[i].key, NULL, PMIX_BOOL);
        PMIX_INFO_XFER(&list.at[i], (pmix_info_t *) &info[i]);
    }
    if (is_launchers(info[0].key)) {
        add_true(&list, PMIX_LAUNCHER);
    }
    rc = PMIx_tool_init(&name, list.at, list.n);
    free_infos(&list);
    if (rc == PMIX_SUCCESS) {
        (void) PMIx_tool_finalize();
    }
    return rc;
}

static pmix_status_t start_server(const pmix_info_t *info, size_t n)
{
    static pmix_server_module_t module;
    pmix_status_t rc = PMIx_server_init(&module, (pmix_info_t *) info, n);

    if (rc == PMIX_SUCCESS) {
        (void) PMIx_server_finalize();
    }
    return rc;
}

/* Switches are off: what they would start, or prevent, is not the question. */
static void try_start(const struct request *request, const char *level)
{
    static bool meant[MAX_ATTRIBUTES];

    check_status(PMIX_SUCCESS, PMIx_Init(NULL, NULL, 0), "to ask");
    n_known = 0;
    know_all();
    for (int i = 0; i < n_known; i++) {
        const pmix_value_t *v;
        char keys[sizeof(SUPPORT) + PMIX_MAX_KEYLEN];
        const char *const levels[] = {level, NULL};
        struct asked asked;

        snprintf(keys, sizeof(keys), SUPPORT "%s", request->call);
        asked = ask_support(keys, levels);
        v = level_of(&asked, request->call, level);
        meant[i] = v != NULL && has_word(attributes(&asked, request->call, level), known[i].key);
        free_asked(&asked);
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "asked");
    for (int i = 0; i < n_known; i++) {
        struct infos list = directive(&known[i]);
        pmix_status_t rc;

        if (list.at[0].value.type == PMIX_BOOL) {
            list.at[0].value.data.flag = false;
        }
        rc = request->make(list.at, list.n);
        check((rc != PMIX_ERR_NOT_SUPPORTED) == meant[i], "%s: %s is %s, and the status %d",
              request->call, known[i].key, meant[i] ? "supported" : "not supported", rc);
        free_infos(&list);
    }
}

static void starts(void)
{
    static const struct request init = {"PMIx_Init", start_client, N_ENTRIES, BY_CLIENT};
    static const struct request end = {"PMIx_Finalize", end_client, N_ENTRIES, BY_CLIENT};

    try_start(&init, PMIX_CLIENT_ATTRIBUTES);
    try_start(&end, PMIX_CLIENT_ATTRIBUTES);
}

static void starts_of_others(void)
{
    static const struct request tool = {"PMIx_tool_init", start_tool, N_ENTRIES, BY_TOOL};
    static const struct request server = {"PMIx_server_init", start_server, N_ENTRIES, BY_SERVER};

    try_start(&tool, PMIX_TOOL_ATTRIBUTES);
    try_start(&server, PMIX_SERVER_ATTRIBUTES);
}

/* ---- the host */

static bool requires_more(const pmix_info_t *info, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((info[i].flags & PMIX_INFO_REQD) != 0 &&
            (info[i].flags & PMIX_INFO_REQD_PROCESSED) == 0) {
            return true;
        }
    }
    return false;
}

static pmix_status_t strict(struct upcall *ask)
{
    if (requires_more(ask->infos, ask->n_infos) || requires_more(ask->more, ask->n_more)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    switch (ask->entry) {
    case ON_FENCE:
    case ON_CONNECT:
    case ON_DISCONNECT:
    case ON_GROUP:
        return sound_answer(ask);
    default:
        reply_status(ask, PMIX_SUCCESS);
        return PMIX_SUCCESS;
    }
}

#define ALL(...)                                                                                   \
    {                                                                                              \
        [ON_PUBLISH] = {__VA_ARGS__}, [ON_LOOKUP] = {__VA_ARGS__}, [ON_UNPUBLISH] = {__VA_ARGS__}, \
        [ON_SPAWN] = {__VA_ARGS__}, [ON_CONNECT] = {__VA_ARGS__}, [ON_DISCONNECT] = {__VA_ARGS__}, \
        [ON_LOG] = {__VA_ARGS__}, [ON_ALLOCATE] = {__VA_ARGS__}, [ON_CONTROL] = {__VA_ARGS__},     \
        [ON_MONITOR] = {__VA_ARGS__}, [ON_CREDENTIAL] = {__VA_ARGS__},                             \
        [ON_VALIDATE] = {__VA_ARGS__}, [ON_PULL] = {__VA_ARGS__}, [ON_PUSH] = {__VA_ARGS__},       \
        [ON_FABRIC] = {__VA_ARGS__}, [ON_FENCE] = {__VA_ARGS__}, [ON_GROUP] = {__VA_ARGS__},       \
        [ON_REGISTER] = {__VA_ARGS__}, [ON_NOTIFY] = {__VA_ARGS__}, [ON_QUERY] = {MISSING},        \
        [ON_MODEX] = {MISSING},                                                                    \
    }

const struct conform_case cases[] = {
    {.ids = "UPC-006 QRY-041 FEN-011",
     .otherwise = "UPC-006",
     .what = "required of a client, on one node",
     .client = by_client,
     .host = ALL(OWN, .own = strict)},
    {.ids = "UPC-006 QRY-041 FEN-011",
     .otherwise = "UPC-006",
     .what = "required of clients, on two nodes",
     .nodes = 2,
     .client = by_client,
     .host = ALL(OWN, .own = strict)},
    {.ids = "UPC-001 FEN-011",
     .otherwise = "UPC-001",
     .what = "required of a client whose host can do nothing",
     .client = by_client_alone,
     .host = ALL(MISSING)},
    {.ids = "UPC-006 QRY-041",
     .otherwise = "UPC-006",
     .what = "required of a tool",
     .tools = 1,
     .tool = by_tool,
     .host = ALL(OWN, .own = strict)},
    {.ids = "UPC-006 QRY-041",
     .otherwise = "UPC-006",
     .what = "required of a server by its host",
     .script = by_server,
     .host = ALL(OWN, .own = strict)},
    {.ids = "QRY-041",
     .what = "required of a client's start and end",
     .raw = true,
     .client = starts},
    {.ids = "QRY-041",
     .what = "required of the start of a tool, and a server",
     .raw = true,
     .client = starts_of_others},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
