/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Resolve_peers and PMIx_Resolve_nodes when the library builds the answer from what the host
 * registered. The job J is described by each case; who asks is the single process of job A. */

#include "lib/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INVALID       "-44" /* PMIX_ERR_INVALID_NAMESPACE */
#define MISSING_VALUE "-30" /* PMIX_ERR_DATA_VALUE_NOT_FOUND */

_Static_assert(PMIX_ERR_INVALID_NAMESPACE == -44 && PMIX_ERR_DATA_VALUE_NOT_FOUND == -30,
               "statuses of resolve");

/* ---- descriptions */

static void forget_layout(struct infos *list)
{
    static const char *const keys[] = {PMIX_NODE_MAP,    PMIX_PROC_MAP,   PMIX_PROC_INFO_ARRAY,
                                       PMIX_LOCAL_PEERS, PMIX_LOCAL_SIZE, PMIX_LOCALLDR,
                                       PMIX_NUM_NODES,   PMIX_NODE_SIZE};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        drop(list, keys[i]);
    }
}

static void add_regex(struct infos *list, const char *key, const char *text, bool ranks)
{
    char *made = NULL;

    check_status(PMIX_SUCCESS,
                 ranks ? PMIx_generate_ppn(text, &made) : PMIx_generate_regex(text, &made), "%s",
                 text);
    add(list, key, made, PMIX_REGEX);
    free(made);
}

static void add_maps(struct infos *list, const char *nodes, const char *ranks)
{
    add_regex(list, PMIX_NODE_MAP, nodes, false);
    add_regex(list, PMIX_PROC_MAP, ranks, true);
}

enum peers_given { NOT_GIVEN, GIVEN_NULL, GIVEN };

static void add_node(struct infos *list, const char *name, enum peers_given given,
                     const char *ranks)
{
    struct infos one = {0};

    add_text(&one, PMIX_HOSTNAME, name);
    if (given != NOT_GIVEN) {
        add(&one, PMIX_LOCAL_PEERS, given == GIVEN ? ranks : NULL, PMIX_STRING);
    }
    add_array(list, PMIX_NODE_INFO_ARRAY, &one);
}

/* A node of the session that the job has not been given. */
static void add_idle_node(struct infos *list, const char *name)
{
    struct infos session = {0};

    add_u32(&session, PMIX_SESSION_ID, 3);
    add_node(&session, name, NOT_GIVEN, NULL);
    add_array(list, PMIX_SESSION_INFO_ARRAY, &session);
}

static bool is_j(const struct job *job, struct infos *list)
{
    if (strcmp(job->name, "J") != 0) {
        return false;
    }
    forget_layout(list);
    return true;
}

static void no_rebuild(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_resolve_rebuild", "0", 1);
}

/* ---- every flavour of missing peers */

static void flavour_a(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_node(list, "n1", GIVEN, "0,3,7");
        add_node(list, "n2", GIVEN, "1");
        add_node(list, "n3", GIVEN_NULL, NULL);
        add_idle_node(list, "n5");
    }
}

static void see_a(void)
{
    same_for("RES-042", "J:0,J:3,J:7", peers("n1", "J"), "given");
    same_for("RES-042", "J:1", peers("n2", "J"), "given");
    same_for("RES-043", "", peers("n3", "J"), "given as NULL");
    same_for("RES-041", "", peers("n4", "J"), "a node that is not the job's");
    same_for("RES-040", "", peers("n5", "J"), "a node of the session that is not the job's");
    same_for("RES-041", "", peers("typo", "J"), "a node that is not");
    same_for("RES-033", INVALID, peers("n1", "nosuch"), "no such job");
    same_for("RES-046", INVALID, peers("typo", "nosuch"), "the job is looked for first");
    same("n1,n2,n3", hosts("J"), "nodes");
    same_for("RES-033", INVALID, hosts("nosuch"), "nodes of no such job");
    check_for("RES-034",
              strcmp(PMIx_Error_string(PMIX_ERR_INVALID_NAMESPACE), PMIx_Error_string(-12345)) != 0,
              "-44 has a name");
    check_for("RES-034",
              strcmp(PMIx_Error_string(PMIX_ERR_DATA_VALUE_NOT_FOUND), PMIx_Error_string(-12345)) !=
                  0,
              "-30 has a name");
}

static void flavour_b(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_node(list, "n1", GIVEN, "0");
        add_node(list, "n2", NOT_GIVEN, NULL);
        add_node(list, "n3", GIVEN, "1");
        add_idle_node(list, "n5");
    }
}

static void see_b(void)
{
    same("J:0", peers("n1", "J"), "given");
    same_for("RES-045", MISSING_VALUE, peers("n2", "J"), "listed without its peers");
    same("J:1", peers("n3", "J"), "given");
    same_for("RES-040", "", peers("n4", "J"), "not listed");
    same_for("RES-040", "", peers("n5", "J"), "of the session, not listed");
    same_for("RES-040", "", peers("typo", "J"), "unknown");
    same(INVALID, peers("n2", "nosuch"), "no such job");
    same("n1,n2,n3", hosts("J"), "nodes");
}

static void flavour_c(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_maps(list, "n1,n2,n3", "0,1;2;3");
        add_node(list, "n2", NOT_GIVEN, NULL);
    }
}

static void see_c(void)
{
    same_for("RES-045 RES-054", MISSING_VALUE, peers("n2", "J"), "not rebuilt");
    same("", peers("n4", "J"), "not listed");
    same(INVALID, peers("n2", "nosuch"), "no such job");
    same("n1,n2,n3", hosts("J"), "nodes");
}

static void see_d(void)
{
    same("J:0,J:1", peers("n1", "J"), "rebuilt");
    same("J:2", peers("n2", "J"), "rebuilt");
    same("J:3", peers("n3", "J"), "rebuilt");
    same("", peers("n4", "J"), "not listed");
    same("", peers("typo", "J"), "unknown");
    same(INVALID, peers("typo", "nosuch"), "no such job");
}

static void flavour_e(const struct job *job, struct infos *list)
{
    if (strcmp(job->name, "J") == 0) {
        free_infos(list);
        add_true(list, PMIX_REGISTER_NODATA);
    }
}

static void see_e(void)
{
    same_for("RES-037 SRV-009", "(null)", hosts("J"), "no nodes");
    same_for("SRV-009", "", peers("n1", "J"), "no peers");
    same(INVALID, hosts("nosuch"), "no such job");
}

/* ---- lists */

static void shuffled(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_maps(list, "n3,n1,n2", "0;1;2");
        add_node(list, "n1", GIVEN, "1");
    }
}

static void see_shuffled(void)
{
    const char *all = hosts("J");

    check_for("RES-036",
              strlen(all) == 8 && strstr(all, "n1") && strstr(all, "n2") && strstr(all, "n3"),
              "all of them: %s", all);
    same_for("RES-038", "n3,n1,n2", hosts("J"), "each once, in the order of the map");
}

static void no_nodes(const struct job *job, struct infos *list)
{
    (void) is_j(job, list);
}

static void see_no_nodes(void)
{
    same("(null)", hosts("J"), "no nodes");
}

static void sharing(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_maps(list, "node0,far", "0;1");
    }
}

static void see_union(void)
{
    const char *all = hosts(NULL);

    check(strcmp(all, "node0,far") == 0 || strcmp(all, "far,node0") == 0,
          "the union of two jobs: %s", all);
    all = hosts("");
    check(strcmp(all, "node0,far") == 0 || strcmp(all, "far,node0") == 0,
          "an empty name is no name: %s", all);
}

static void empty_peers(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_maps(list, "n1,n2", "0,1;2");
        add_node(list, "n1", GIVEN, "");
        add_node(list, "n2", GIVEN_NULL, NULL);
    }
}

static void see_empty(void)
{
    same_for("RES-044", "", peers("n1", "J"), "an empty string is nobody, whatever the map says");
    same_for("RES-052", "", peers("n2", "J"), "NULL is nobody, whatever the map says");
}

static void unused_node(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_maps(list, "n1,n2", "0,1;");
    }
}

static void see_unused(void)
{
    same("J:0,J:1", peers("n1", "J"), "the node with all");
    same_for("RES-005 RES-053", "", peers("n2", "J"), "the node with none");
    same_for("RES-041", "", peers("n3", "J"), "a node of nobody");
    same_for("RES-041", "", peers("no-such-host", "J"), "a name of nothing");
}

/* ---- names of nodes */

static void named(const struct job *job, struct infos *list)
{
    struct infos one = {0};
    bool keep = false;

    if (is_j(job, list)) {
        add(list, PMIX_HOSTNAME_KEEP_FQDN, &keep, PMIX_BOOL);
        add_maps(list, "n1,n2", "0;1");
        add_text(&one, PMIX_HOSTNAME, "n1");
        add_text(&one, PMIX_HOSTNAME_ALIASES, "login,gateway.example.org");
        add_array(list, PMIX_NODE_INFO_ARRAY, &one);
    }
}

static void see_named(void)
{
    same("J:0", peers("n1", "J"), "by name");
    same("J:0", peers("login", "J"), "by alias");
    same("J:0", peers("gateway.example.org", "J"), "by another alias");
    same("J:0", peers("n1.cluster.example.org", "J"), "by the full name of its short one");
    same("J:1", peers("n2.cluster.example.org", "J"), "likewise");
}

static void silent_about_here(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_node(list, "node0", NOT_GIVEN, NULL);
    }
}

static void see_silent(void)
{
    same("A:0", peers("node0", NULL), "who is known is not hidden by who is not");
    same(MISSING_VALUE, peers("node0", "J"), "who is not known");
}

/* ---- sources of the peers */

static void explicit_peers(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_u32(list, PMIX_JOB_SIZE, 4);
        add_node(list, "n1", GIVEN, "0,2");
        add_node(list, "n2", GIVEN, "1,3");
    }
}

static void from_maps(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_maps(list, "n1,n2", "0,2;1,3");
    }
}

#ifdef PMIX_NODE_MAP_RAW
static void from_raw_maps(const struct job *job, struct infos *list)
{
    if (is_j(job, list)) {
        add_text(list, PMIX_NODE_MAP_RAW, "n1,n2");
        add_text(list, PMIX_PROC_MAP_RAW, "0,2;1,3");
    }
}
#endif

static void from_procs(const struct job *job, struct infos *list, bool by_number)
{
    static const char *const names[2] = {"n1", "n2"};

    if (!is_j(job, list)) {
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct infos one = {0};

        add_text(&one, PMIX_HOSTNAME, names[i]);
        add_u32(&one, PMIX_NODEID, 10 + i);
        add_array(list, PMIX_NODE_INFO_ARRAY, &one);
    }
    for (pmix_rank_t r = 0; r < 4; r++) {
        struct infos one = {0};

        add(&one, PMIX_RANK, &r, PMIX_PROC_RANK);
        if (by_number) {
            add_u32(&one, PMIX_NODEID, 10 + r % 2);
        } else {
            add_text(&one, PMIX_HOSTNAME, names[r % 2]);
        }
        add_array(list, PMIX_PROC_INFO_ARRAY, &one);
    }
}

static void from_hostnames(const struct job *job, struct infos *list)
{
    from_procs(job, list, false);
}

static void from_node_ids(const struct job *job, struct infos *list)
{
    from_procs(job, list, true);
}

static void see_sources(void)
{
    same("J:0,J:2", peers("n1", "J"), "the first node");
    same_for("RES-051", "J:1,J:3", peers("n2", "J"), "the second node");
    same("n1,n2", hosts("J"), "nodes");
}

static void refuse_rebuilding(void)
{
    same(MISSING_VALUE, peers("n1", "J"), "not rebuilt");
    same("n1,n2", hosts("J"), "nodes are listed all the same");
}

#define J_REMOTE .jobs = {{"A", {1}}, {"J", {0, 1}, .quiet = true}}, .nodes = 2

/* ---- a client that is registered before its namespace */

static void note_end(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    check_status(PMIX_SUCCESS, status, "the client");
    tell("registered");
}

static void register_one_client(void)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, "early", 0);
    check_status(PMIX_SUCCESS,
                 PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, note_end, NULL),
                 "register a client");
}

static void ask_for_early(void)
{
    await("registered");
    same_for("RES-033 RES-059", INVALID, peers(NULL, "early"), "peers of what has only a client");
    same_for("RES-033 RES-059", INVALID, hosts("early"), "nodes of what has only a client");
}

const struct conform_case cases[] = {
    {.ids = "RES-033 RES-059",
     .otherwise = "RES-059",
     .what = "a client's registration does not make a namespace known",
     .client = ask_for_early,
     .script = register_one_client},
    {.ids = "RES-042 RES-043 RES-033 RES-034 RES-046 RES-010 RES-040 RES-041 S02",
     .what = "peers are given",
     J_REMOTE,
     .setup = flavour_a,
     .client = see_a},
    {.ids = "RES-040 RES-045 S02",
     .what = "a node is listed without its peers, and there is no map",
     J_REMOTE,
     .setup = flavour_b,
     .client = see_b},
    {.ids = "RES-045 RES-054 S02",
     .what = "there is a map, but nothing is to be rebuilt",
     J_REMOTE,
     .server = no_rebuild,
     .setup = flavour_c,
     .client = see_c,
     .ours_only = "the parameter is ours"},
    {.ids = "RES-049 S02",
     .what = "peers are rebuilt from the map",
     J_REMOTE,
     .setup = flavour_c,
     .client = see_d},
    {.ids = "RES-037 SRV-009 S02",
     .what = "a job without data",
     J_REMOTE,
     .setup = flavour_e,
     .client = see_e},
    {.ids = "RES-036 RES-038",
     .what = "each node once, in the order of the map",
     J_REMOTE,
     .setup = shuffled,
     .client = see_shuffled},
    {.ids = "RES-037",
     .what = "a job without nodes",
     J_REMOTE,
     .setup = no_nodes,
     .client = see_no_nodes},
    {.ids = "RES-039",
     .what = "nodes without a namespace are those of all jobs",
     J_REMOTE,
     .setup = sharing,
     .client = see_union},
    {.ids = "RES-044 RES-052",
     .what = "given peers, even none, win over the map",
     J_REMOTE,
     .setup = empty_peers,
     .client = see_empty},
    {.ids = "RES-005 RES-041 RES-053",
     .what = "nodes with nobody",
     J_REMOTE,
     .setup = unused_node,
     .client = see_unused},
    {.ids = "RES-047",
     .what = "a node goes by its aliases and by its full name",
     J_REMOTE,
     .setup = named,
     .client = see_named},
    {.ids = "RES-048",
     .what = "a job that is silent about a node hides no other",
     J_REMOTE,
     .setup = silent_about_here,
     .client = see_silent},
    {.ids = "RES-042 RES-051",
     .otherwise = "RES-042",
     .what = "sources: peers in node arrays",
     J_REMOTE,
     .setup = explicit_peers,
     .client = see_sources},
    {.ids = "RES-049 RES-051",
     .otherwise = "RES-049",
     .what = "sources: node and process maps",
     J_REMOTE,
     .setup = from_maps,
     .client = see_sources},
#ifdef PMIX_NODE_MAP_RAW
    {.ids = "RES-050 RES-051",
     .otherwise = "RES-050",
     .what = "sources: raw maps",
     J_REMOTE,
     .setup = from_raw_maps,
     .client = see_sources},
#endif
    {.ids = "RES-050 RES-051",
     .otherwise = "RES-050",
     .what = "sources: host names of processes",
     J_REMOTE,
     .setup = from_hostnames,
     .client = see_sources},
    {.ids = "RES-050 RES-051",
     .otherwise = "RES-050",
     .what = "sources: node ids of processes",
     J_REMOTE,
     .setup = from_node_ids,
     .client = see_sources},
    {.ids = "RES-054",
     .what = "nothing is rebuilt from maps when that is switched off",
     J_REMOTE,
     .server = no_rebuild,
     .setup = from_maps,
     .client = refuse_rebuilding,
     .ours_only = "the parameter is ours"},
    {.ids = "RES-054",
     .what = "nothing is rebuilt from processes when that is switched off",
     J_REMOTE,
     .server = no_rebuild,
     .setup = from_hostnames,
     .client = refuse_rebuilding,
     .ours_only = "the parameter is ours"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
