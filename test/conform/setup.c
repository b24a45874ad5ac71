/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a host sets up before it starts anybody: its server's name and folders, maps of nodes and
 * processes, the environment, settings that travel with an application. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/queries.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* ---- name and folders */

static const char *folder(const char *name)
{
    static char path[2][300];
    static int turn;

    turn = !turn;
    snprintf(path[turn], sizeof(path[turn]), "%s/%s", scratch(), name);
    return path[turn];
}

static int count_files(const char *path, const char *part)
{
    DIR *dir = opendir(path);
    int n = 0;

    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        n += e->d_name[0] != '.' && strstr(e->d_name, part) != NULL;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

static void name_server(struct infos *list)
{
    pmix_rank_t rank = 7;

    mkdir(folder("own"), 0700);
    mkdir(folder("system"), 0700);
    drop(list, PMIX_SERVER_NSPACE);
    drop(list, PMIX_SERVER_RANK);
    drop(list, PMIX_SERVER_TMPDIR);
    add_text(list, PMIX_SERVER_NSPACE, "daemons");
    add(list, PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
    add_text(list, PMIX_SERVER_TMPDIR, folder("own"));
    add_text(list, PMIX_SYSTEM_TMPDIR, folder("system"));
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
    add_true(list, PMIX_SERVER_SESSION_SUPPORT);
    add_true(list, PMIX_SERVER_SYSTEM_SUPPORT);
    add_true(list, PMIX_SERVER_GATEWAY);
    add_true(list, PMIX_SERVER_SCHEDULER);
}

static void see_folders(void)
{
    check_for("SRV-002", count_files(folder("own"), "pmix") > 0,
              "files of the server's own folder");
    check_for("SRV-002", count_files(folder("system"), "sys") == 1, "one of the system's server");
    check_for("SRV-002", count_files(folder("system"), "sched") == 1, "one of the scheduler");
    check_for("SRV-002", count_files(scratch(), "pmix") == 0, "none elsewhere");
}

static void see_server_name(void)
{
    pid_t pid = server_pid(0);
    pmix_proc_t *servers = NULL;
    struct infos list = {0};
    pmix_proc_t proc;
    size_t n = 0;

    add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    add_text(&list, PMIX_SERVER_TMPDIR, folder("own"));
    if (check_status(PMIX_SUCCESS, PMIx_tool_init(&proc, list.at, list.n), "tool_init")) {
        check_status(PMIX_SUCCESS, PMIx_tool_get_servers(&servers, &n), "get_servers");
        check_for(
            "SRV-002", n == 1 && strcmp(servers[0].nspace, "daemons") == 0 && servers[0].rank == 7,
            "%zu servers, %s:%u", n, n > 0 ? servers[0].nspace : "", n > 0 ? servers[0].rank : 0);
        PMIX_PROC_FREE(servers, n);
        check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
    }
    free_infos(&list);
}

static void remove_folders(void)
{
    check_for("SRV-003",
              count_files(folder("own"), "pmix") == 0 && count_files(folder("system"), "s") == 0,
              "no file of the server is left");
    check(rmdir(folder("own")) == 0 && rmdir(folder("system")) == 0, "no file is left in a folder");
}

static void see_no_files(void)
{
    check(count_files(scratch(), "pmix") == 0, "who supports no tools writes no files");
}

/* ---- maps */

/* Through a buffer and back, as it goes between servers. The result is the caller's. */
static char *carry(char *map)
{
    pmix_data_buffer_t buffer;
    char *out = NULL;
    int32_t n = 1;

    PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
    check_status(PMIX_SUCCESS, PMIx_Data_pack(NULL, &buffer, &map, 1, PMIX_REGEX), "pack");
    check_status(PMIX_SUCCESS, PMIx_Data_unpack(NULL, &buffer, &out, &n, PMIX_REGEX), "unpack");
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    free(map);
    return out;
}

static const char *next_name(void)
{
    static char name[32];
    static int n;

    snprintf(name, sizeof(name), "map.%d", n++);
    return name;
}

/* Registers a job with these maps; strings are lists without a tag. */
static const char *register_maps(char *nodes, char *ranks, pmix_data_type_t type)
{
    const char *name = next_name();
    struct infos list = {0};
    pmix_proc_t proc = process(name, 0);
    pmix_status_t rc;

    add(&list, PMIX_NODE_MAP, nodes, type);
    add(&list, PMIX_PROC_MAP, ranks, type);
    rc = PMIx_server_register_nspace(proc.nspace, 0, list.at, list.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "register %s: %s", name,
          PMIx_Error_string(rc));
    free_infos(&list);
    return name;
}

static void go_round(const char *nodes, const char *ranks, bool carried)
{
    char *node_map = NULL;
    char *rank_map = NULL;
    const char *name;

    check_status(PMIX_SUCCESS, PMIx_generate_regex(nodes, &node_map), "regex of %s", nodes);
    check_status(PMIX_SUCCESS, PMIx_generate_ppn(ranks, &rank_map), "ppn of %s", ranks);
    if (carried) {
        about("SRV-013");
        node_map = carry(node_map);
        rank_map = carry(rank_map);
    }
    name = register_maps(node_map, rank_map, PMIX_REGEX);
    same(nodes, hosts(name), "the nodes, in their order");
    same(nodes, got(name, PMIX_RANK_WILDCARD, PMIX_NODE_LIST, NULL, 0), "the list of nodes");
    about(NULL);
    free(node_map);
    free(rank_map);
}

static void map_nodes(void)
{
    static const struct {
        const char *nodes;
        const char *ranks;
    } table[] = {
        {"n1", "0"},
        {"n001,n002,n003", "0;1;2"},
        {"odd,node3,node1,node2,x-7.site", "0;1;2;3;4"},
        {"a10b,a9b,a08b,a8b", "0;1;2;3"},
        {"node0,node0a,0node,NODE0", "0-3;4;5;6"},
        {"c2,c1,c10,c01", "3;2;1;0"},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        go_round(table[i].nodes, table[i].ranks, false);
        go_round(table[i].nodes, table[i].ranks, true);
    }
}

static void check_peers(const char *name, const char *node, const char *ranks)
{
    char want[400] = "";
    char *copy = strdup(ranks);
    char *rest = copy;

    for (char *r = strtok_r(copy, ",", &rest); r != NULL; r = strtok_r(NULL, ",", &rest)) {
        snprintf(want + strlen(want), sizeof(want) - strlen(want), "%s%s:%s",
                 want[0] != '\0' ? "," : "", name, r);
    }
    same(want, peers(node, name), "%s of %s", node, name);
    free(copy);
}

static void map_ranks(void)
{
    char *nodes = NULL;
    char *ranks = NULL;
    const char *name;

    check_status(PMIX_SUCCESS, PMIx_generate_regex("m0,m1,m2", &nodes), "regex");
    check_status(PMIX_SUCCESS, PMIx_generate_ppn("0-2;5,7;3,4,6", &ranks), "ppn");
    name = register_maps(nodes, ranks, PMIX_REGEX);
    check_peers(name, "m0", "0,1,2");
    check_peers(name, "m1", "5,7");
    check_peers(name, "m2", "3,4,6");
    free(ranks);
    ranks = NULL;
    check_status(PMIX_SUCCESS, PMIx_generate_ppn("0;;1", &ranks), "ppn with an empty field");
    name = register_maps(nodes, ranks, PMIX_REGEX);
    check_peers(name, "m0", "0");
    check_peers(name, "m1", "");
    check_peers(name, "m2", "1");
    free(nodes);
    free(ranks);
}

static void map_by_hand(void)
{
    const char *name = register_maps((char *) "k2,k1", (char *) "0,2;1", PMIX_STRING);

    same("k2,k1", hosts(name), "a list without a tag");
    check_peers(name, "k2", "0,2");
    name = register_maps((char *) "raw:k2,k1", (char *) "raw:0,2;1", PMIX_REGEX);
    same("k2,k1", hosts(name), "a list with the tag raw");
    check_peers(name, "k1", "1");
}

/* ---- the environment */

static void keep_only_ours(void)
{
    char *kept[64];
    int n = 0;

    for (char **e = environ; *e != NULL && n < 64; e++) {
        if (strncmp(*e, "PMIX_", 5) == 0 && strncmp(*e, "PMIX_MCA_", 9) != 0) {
            kept[n++] = strdup(*e);
        }
    }
    check(n > 0, "setup_fork gives something");
    clearenv();
    for (int i = 0; i < n; i++) {
        putenv(kept[i]);
    }
}

static void start_with_little(void)
{
    pmix_proc_t proc;

    keep_only_ours();
    check_status(PMIX_SUCCESS, PMIx_Init(&proc, NULL, 0), "init");
    check(strcmp(proc.nspace, me.nspace) == 0 && proc.rank == me.rank, "named %s:%u", proc.nspace,
          proc.rank);
    same("2", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "job size");
    fence_all(NULL);
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

static void see_environment(void)
{
    char *before[] = {(char *) "SITE=kept", NULL};
    char **env = NULL;
    pmix_proc_t proc = process("A", 0);
    bool kept = false;
    int n = 0;
    int rc;

    PMIX_ARGV_APPEND(rc, env, before[0]);
    check_status(PMIX_SUCCESS, rc, "append");
    check_status(PMIX_SUCCESS, PMIx_server_setup_fork(&proc, &env), "setup_fork");
    for (; env[n] != NULL; n++) {
        kept = kept || strcmp(env[n], before[0]) == 0;
    }
    check(kept && n > 1, "what was there stays");
    PMIX_ARGV_FREE(env);
}

/* ---- settings that travel */

static struct infos harvest;

static void take_settings(pmix_status_t status, pmix_info_t info[], size_t n, void *cbdata,
                          pmix_op_cbfunc_t done, void *done_data)
{
    check_status(PMIX_SUCCESS, status, "settings");
    for (size_t i = 0; i < n; i++) {
        add_true(&harvest, info[i].key);
        PMIX_INFO_XFER(&harvest.at[i], &info[i]);
    }
    if (done != NULL) {
        done(PMIX_SUCCESS, done_data);
    }
    tell(cbdata);
}

static void ask_settings(const char *nspace, bool envars, const char *step)
{
    pmix_proc_t proc = process(nspace, 0);
    struct infos list = {0};
    bool no = false;

    if (envars) {
        add_true(&list, PMIX_SETUP_APP_ENVARS);
    } else {
        add(&list, PMIX_SETUP_APP_ENVARS, &no, PMIX_BOOL);
    }
    check_status(PMIX_SUCCESS,
                 PMIx_server_setup_application(proc.nspace, list.at, list.n, take_settings,
                                               (void *) (uintptr_t) step),
                 "setup_application");
    await(step);
    free_infos(&list);
}

static bool harvested(const char *name)
{
    for (size_t i = 0; i < harvest.n; i++) {
        const pmix_value_t *v = &harvest.at[i].value;

        if (v->type == PMIX_ENVAR && strcmp(v->data.envar.envar, name) == 0) {
            return true;
        }
    }
    return false;
}

static void travel(void)
{
    pmix_proc_t proc = process("A", 0);
    pmix_status_t rc;

    setenv("PMIX_MCA_site_word", "travels", 1);
    ask_settings("", false, "asked for none"); /* the job may have no name yet */
    check(!harvested("PMIX_MCA_site_word"), "nobody wanted it");
    free_infos(&harvest);
    ask_settings("A", true, "asked for all");
    unsetenv("PMIX_MCA_site_word");
    check(harvested("PMIX_MCA_site_word"), "what was set is harvested");
    rc = PMIx_server_setup_local_support(proc.nspace, harvest.at, harvest.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "setup_local_support: %s",
          PMIx_Error_string(rc));
    free_infos(&harvest);
    job_register("A");
    job_start("A");
}

static void see_word(void)
{
    const char *word = getenv("PMIX_MCA_site_word");

    same("travels", word != NULL ? word : "nothing", "in the environment of a process");
}

/* ---- inventory */

static void take_inventory(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                           pmix_release_cbfunc_t release, void *release_data)
{
    (void) cbdata;
    check(status != PMIX_SUCCESS || (n > 0 && info[0].key[0] != '\0'), "a success has contents");
    check(status == PMIX_SUCCESS || status == PMIX_ERR_NOT_FOUND ||
              status == PMIX_ERR_NOT_SUPPORTED,
          "inventory: %s", PMIx_Error_string(status));
    if (release != NULL) {
        release(release_data);
    }
    tell("inventory");
}

static void ask_inventory(void)
{
    pmix_info_t info;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info, "site.racks", "two", PMIX_STRING);
    rc = PMIx_server_collect_inventory(NULL, 0, take_inventory, NULL);
    if (rc == PMIX_SUCCESS) {
        await("inventory");
    } else {
        check_status(PMIX_ERR_NOT_SUPPORTED, rc, "collect_inventory");
    }
    rc = PMIx_server_deliver_inventory(&info, 1, NULL, 0, NULL, NULL);
    check(rc == PMIX_ERR_NOT_SUPPORTED || rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED,
          "deliver_inventory: %s", PMIx_Error_string(rc));
    PMIX_INFO_DESTRUCT(&info);
}

static pmix_status_t deliver(struct infos *list)
{
    pmix_status_t rc = PMIx_server_deliver_inventory(list->at, list->n, NULL, 0, NULL, NULL);

    free_infos(list);
    return rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
}

static void deliver_nodes(void)
{
    struct infos list = {0};
    struct infos one = {0};
    struct infos two = {0};
    struct infos nameless = {0};

    add_text(&one, PMIX_HOSTNAME, "far");
    add_u32(&one, PMIX_NODEID, 17);
    add_text(&one, "site.rack", "r1");
    add_u32(&one, "site.power", 5);
    add_text(&two, PMIX_HOSTNAME, "further");
    add_text(&two, "site.rack", "r2");
    add_array(&list, PMIX_NODE_INFO_ARRAY, &one);
    add_array(&list, PMIX_NODE_INFO_ARRAY, &two);
    add_text(&list, "site.rack", "here");
    check_status(PMIX_SUCCESS, deliver(&list), "two nodes, and this one");
    add_text(&list, PMIX_HOSTNAME, "further");
    add_text(&list, "site.rack", "r3");
    check_status(PMIX_SUCCESS, deliver(&list), "one of them again");
    add_text(&nameless, "site.rack", "r4");
    add_array(&list, PMIX_NODE_INFO_ARRAY, &nameless);
    check_status(PMIX_ERR_BAD_PARAM, deliver(&list), "of no node");
    tell("delivered");
}

static const char *of_node(const char *key, const char *node, uint32_t nodeid)
{
    struct infos quals = {0};

    if (node != NULL) {
        add_text(&quals, PMIX_HOSTNAME, node);
    } else if (nodeid > 0) {
        add_u32(&quals, PMIX_NODEID, nodeid);
    }
    return query_text(key, &quals);
}

static void see_nodes(void)
{
    await("delivered");
    same("r1", of_node("site.rack", "far", 0), "by name");
    same("5", of_node("site.power", NULL, 17), "by number");
    same("r3", of_node("site.rack", "further", 0), "what came last");
    same("here", of_node("site.rack", NULL, 0), "of this node");
    check(of_node("site.rack", "nowhere", 0)[0] == '-', "of a node that nobody knows");
    check(of_node("site.power", "further", 0)[0] == '-', "what it does not have");
}

/* ---- resources of several nodes */

static void give_racks(void)
{
    static const char *const racks[] = {"r1", "r2"};
    struct infos list = {0};
    pmix_status_t rc;

    for (int i = 0; i < 2; i++) {
        struct infos one = {0};

        add_text(&one, PMIX_HOSTNAME, node_name(i));
        add_text(&one, "site.rack", racks[i]);
        add_array(&list, PMIX_NODE_INFO_ARRAY, &one);
    }
    rc = PMIx_server_register_resources(list.at, list.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "register_resources");
    free_infos(&list);
    job_register("A");
    job_start("A");
}

static const char *rack_of(int node)
{
    struct infos list = {0};
    const char *text;

    add_true(&list, PMIX_NODE_INFO);
    add_text(&list, PMIX_HOSTNAME, node_name(node));
    text = got(me.nspace, PMIX_RANK_WILDCARD, "site.rack", list.at, list.n);
    free_infos(&list);
    return text;
}

static void see_racks(void)
{
    same("r1", rack_of(0), "of the first node");
    same("r2", rack_of(1), "of the second node");
}

/* ---- what a server knows of itself */

static void note_own(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) cbdata;
    check(status == PMIX_SUCCESS && value != NULL && value->type == PMIX_PROC &&
              strcmp(value->data.proc->nspace, "conform-host") == 0,
          "the own name by PMIx_Get_nb: %d", status);
    tell("called back");
}

static void read_pointer(void)
{
    struct infos how = {0};
    pmix_value_t *value = NULL;

    add_true(&how, PMIX_GET_POINTER_VALUES);
    check(PMIx_Get(NULL, PMIX_PROCID, how.at, how.n, &value) == PMIX_SUCCESS &&
              value->type == PMIX_PROC,
          "the own name in the library's memory");
    free_infos(&how);
}

static void read_own(void)
{
    pmix_value_t *value = NULL;
    pmix_proc_t own;
    char uri[256];
    char text[16];

    if (!check_status(PMIX_SUCCESS, PMIx_Get(NULL, PMIX_PROCID, NULL, 0, &value), "own name") ||
        !check(value->type == PMIX_PROC, "a process")) {
        return;
    }
    own = *value->data.proc;
    PMIX_VALUE_RELEASE(value);
    snprintf(text, sizeof(text), "%u", (unsigned) own.rank);
    same("conform-host", own.nspace, "the namespace that the host gave");
    same(own.nspace, got(own.nspace, own.rank, PMIX_NSPACE, NULL, 0), "own namespace");
    same(text, got(own.nspace, own.rank, PMIX_RANK, NULL, 0), "own rank");
    same("node0", got(own.nspace, own.rank, PMIX_HOSTNAME, NULL, 0), "own node");
    snprintf(uri, sizeof(uri), "%s", got(own.nspace, own.rank, PMIX_SERVER_URI, NULL, 0));
    check(strncmp(uri, "conform-host.", 13) == 0 && strchr(uri, ';') != NULL, "own URI: %s", uri);
    same(uri, got(own.nspace, own.rank, PMIX_MYSERVER_URI, NULL, 0), "the same by its other key");
    same("-46", got(own.nspace, own.rank + 1, PMIX_SERVER_URI, NULL, 0), "another rank's");
    same("-44", hosts(own.nspace), "its namespace is no job's");
    read_pointer();
    check_status(PMIX_SUCCESS, PMIx_Get_nb(NULL, PMIX_PROCID, NULL, 0, note_own, NULL), "get_nb");
    await("called back");
}

const struct conform_case cases[] = {
    {.ids = "SRV-002",
     .what = "a server process gets its own name, node and address",
     .script = read_own,
     .ours_only = "4.2 knows fewer keys of itself"},
    {.ids = "SRV-002 SRV-003",
     .what = "a server has the name and the folders that it was given",
     .tools = 1,
     .tool = see_server_name,
     .server = name_server,
     .script = see_folders,
     .after = remove_folders},
    {.ids = "SRV-002", .what = "without tools no files", .script = see_no_files},
    {.ids = "SRV-010 SRV-013",
     .otherwise = "SRV-010",
     .what = "maps of nodes",
     .script = map_nodes},
    {.ids = "SRV-011", .what = "maps of processes", .script = map_ranks},
    {.ids = "SRV-012", .what = "maps by hand", .script = map_by_hand},
    {.ids = "SRV-017",
     .what = "resources of several nodes",
     .jobs = {{"A", {1, 1}, .later = true}},
     .script = give_racks,
     .client = see_racks},
    {.ids = "SRV-020",
     .what = "nothing but what setup_fork gives",
     .ranks = 2,
     .client = start_with_little,
     .script = see_environment,
     .raw = true},
    {.ids = "SRV-022",
     .what = "settings travel with an application",
     .jobs = {{"A", {1}, .later = true}},
     .script = travel,
     .client = see_word},
    {.ids = "SRV-023", .what = "inventory", .script = ask_inventory},
    {.ids = "SRV-023",
     .what = "what is delivered can be asked for",
     .script = deliver_nodes,
     .client = see_nodes},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
