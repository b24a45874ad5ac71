/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the members of a group that was constructed have of each other: contributions, context ids,
 * what they have posted, and what is known of their jobs. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/groups.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static void contribute(struct infos *list, uint32_t base)
{
    struct infos inner = {0};

    add_u32(&inner, "given", base + me.rank);
    add_array(list, PMIX_GROUP_INFO, &inner);
}

/* ---- contributions */

/* One of the members asks for a context id. */
static struct made make_with_id(const char *name, uint32_t base, bool asks)
{
    pmix_proc_t procs[MOST];
    struct infos list = {0};

    contribute(&list, base);
    if (asks) {
        add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    }
    return make_group(name, procs, all_from(0, procs), &list);
}

static void check_given(const char *ids, uint32_t base, size_t id)
{
    for (pmix_rank_t rank = 0; rank < (pmix_rank_t) job_size(find_job("A")); rank++) {
        char want[16];

        snprintf(want, sizeof(want), "%u", base + rank);
        same_for(ids, want, given(rank, "given", id), "what %u has given", rank);
    }
}

static void two_groups(void)
{
    int n = job_size(find_job("A"));
    struct made g = make_with_id("g", 100, me.rank == 1);
    struct made h = make_with_id("h", 200, me.rank == 0);
    char step[64];

    check_for("GRP-028",
              g.status == PMIX_SUCCESS && g.n_lists == 1 && g.n_ids == 1 && g.n_given == n,
              "%d, %d lists, %d ids, %d contributions", g.status, g.n_lists, g.n_ids, g.n_given);
    check_for("GRP-038", g.n_ids == 1 && h.n_ids == 1, "no context id, and one has asked");
    check_for("GRP-037", g.id != h.id, "two groups have one id");
    snprintf(step, sizeof(step), "ids %zu %zu", g.id, h.id);
    tell(step);
    fence_all(NULL);
    check_for("GRP-037", told(step) == n, "%d have the %s", told(step), step);
    check_given("GRP-042", 100, g.id);
    check_given("GRP-044", 200, h.id);
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
    check_status(PMIX_SUCCESS, destruct("h"), "destruct");
    fence_all(NULL);
    check_given("GRP-045", 100, g.id);
}

static void host_was_asked(void)
{
    check_for("GRP-032", group_upcalls(-1, PMIX_GROUP_CONSTRUCT) == 2 * n_nodes(), "%d constructs",
              group_upcalls(-1, PMIX_GROUP_CONSTRUCT));
}

/* A peer's contribution is read while the server is stopped. */
static void read_alone(void)
{
    struct made made = make_with_id("g", 100, true);

    check_status(PMIX_SUCCESS, made.status, "construct");
    tell("made");
    await_n("made", 2);
    if (me.rank == 0) {
        kill(server_pid(0), SIGSTOP);
        same("101", given(1, "given", made.id), "what the other one has given");
        kill(server_pid(0), SIGCONT);
        tell("read");
    }
    await("read");
}

/* ---- directives on their way to the host */

static void direct(void)
{
    pmix_data_range_t range = PMIX_RANGE_GLOBAL;
    pmix_proc_t procs[MOST];
    struct infos list = {0};
    char key[32];

    snprintf(key, sizeof(key), "directive.of.%u", me.rank);
    add_u32(&list, key, me.rank);
    contribute(&list, 100);
    if (me.rank == 0) {
        add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
        add(&list, PMIX_RANGE, &range, PMIX_DATA_RANGE);
    }
    check_status(PMIX_SUCCESS, make_group("g", procs, all_from(0, procs), &list).status,
                 "construct");
}

/* True if an upcall has the contributions of these two and no other, each with its name in front.
 */
static bool has_contributions(const struct record *r, const char *one, const char *other)
{
    const struct note *array = record_info(r, PMIX_GROUP_INFO_ARRAY);
    int n[2] = {0, 0};

    for (size_t i = 0; array != NULL && i < array->n_sub; i++) {
        const struct note *given = &array->sub[i];

        if (given->n_sub > 1 && strcmp(given->key, PMIX_GROUP_INFO) == 0 &&
            given->sub[0].type == PMIX_PROC) {
            n[0] += strcmp(given->sub[0].text, one) == 0;
            n[1] += strcmp(given->sub[0].text, other) == 0;
        }
    }
    return array != NULL && array->n_sub == 2 && n[0] == 1 && n[1] == 1;
}

static void told_to_the_host(void)
{
    const struct note *range = record_info(group_upcall(0, PMIX_GROUP_CONSTRUCT, 0), PMIX_RANGE);

    check_for("GRP-039", range != NULL && range->number == PMIX_RANGE_GLOBAL, "the range");
    range = record_info(group_upcall(1, PMIX_GROUP_CONSTRUCT, 0), PMIX_RANGE);
    check_for("GRP-039", range == NULL || range->number == PMIX_RANGE_SESSION,
              "the range of a node where nobody has given one");
    for (int rank = 0; rank < 4; rank++) {
        const struct record *r = group_upcall(rank / 2, PMIX_GROUP_CONSTRUCT, 0);
        const struct note *note;
        char key[32];

        snprintf(key, sizeof(key), "directive.of.%d", rank);
        note = record_info(r, key);
        check_for("GRP-014", note != NULL && note->number == rank, "%s", key);
    }
    check_for("GRP-043",
              has_contributions(group_upcall(0, PMIX_GROUP_CONSTRUCT, 0), "A:0", "A:1") &&
                  has_contributions(group_upcall(1, PMIX_GROUP_CONSTRUCT, 0), "A:2", "A:3"),
              "who has given");
}

/* ---- what a member says of others, in the words of servers */

enum { MADE_UP = -77 };

static void claim(struct infos *list, bool of_group)
{
    pmix_status_t status = MADE_UP;
    pmix_proc_t other = process("A", 1);
    pmix_byte_object_t bytes = {.bytes = (char *) "made up", .size = 7};
    struct infos given = {0};
    struct infos all = {0};
    size_t id = 77;

    add(list, PMIX_LOCAL_COLLECTIVE_STATUS, &status, PMIX_STATUS);
    if (of_group) {
        add(&given, PMIX_PROCID, &other, PMIX_PROC);
        add_u32(&given, "claimed", 77);
        add_array(&all, PMIX_GROUP_INFO, &given);
        add_array(list, PMIX_GROUP_INFO_ARRAY, &all);
        add_procs(list, PMIX_EVENT_AFFECTED_PROCS, &other, 1);
        add_procs(list, PMIX_GROUP_MEMBERSHIP, &me, 1);
        add(list, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
        add(list, PMIX_PROCID, &other, PMIX_PROC);
        add(list, PMIX_GROUP_ENDPT_DATA, &bytes, PMIX_BYTE_OBJECT);
        add(list, PMIX_GROUP_JOB_INFO, &bytes, PMIX_BYTE_OBJECT);
    }
}

/* Rank 0 claims; it also gives a value that the host has given. */
static void claims(void)
{
    pmix_proc_t all = process("A", PMIX_RANK_WILDCARD);
    struct infos of_fence = {0};
    struct infos of_make = {0};
    struct infos of_end = {0};
    struct infos own = {0};
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);

    if (me.rank == 0) {
        add_u32(&own, PMIX_GLOBAL_RANK, 77);
        add_array(&of_make, PMIX_GROUP_INFO, &own);
        claim(&of_fence, false);
        claim(&of_make, true);
        claim(&of_end, true);
    }
    check_status(PMIX_SUCCESS, PMIx_Fence(&all, 1, of_fence.at, of_fence.n), "fence");
    check_status(PMIX_SUCCESS, make_group("g", procs, n, &of_make).status, "construct");
    check(given(1, "claimed", 0)[0] == '-', "rank 0 has given what rank 1 has");
    same("0", got_of(0, PMIX_GLOBAL_RANK, NULL), "what the host has given");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", of_end.at, of_end.n), "destruct");
    free_infos(&of_fence);
    free_infos(&of_end);
}

static void looks_claimed(enum entry entry)
{
    static const char *const keys[] = {PMIX_LOCAL_COLLECTIVE_STATUS, PMIX_GROUP_INFO_ARRAY,
                                       PMIX_EVENT_AFFECTED_PROCS,    PMIX_GROUP_MEMBERSHIP,
                                       PMIX_GROUP_CONTEXT_ID,        PMIX_PROCID,
                                       PMIX_GROUP_ENDPT_DATA,        PMIX_GROUP_JOB_INFO};

    for (int i = 0; i < upcalls(entry, -1); i++) {
        const struct record *r = upcall(entry, -1, i);

        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
            bool own = entry == ON_GROUP && strcmp(keys[k], PMIX_GROUP_INFO_ARRAY) == 0 &&
                       r->number == PMIX_GROUP_CONSTRUCT && r->node == 0;

            check((record_info(r, keys[k]) != NULL) == own, "%s in upcall %d", keys[k], i);
        }
    }
}

static void none_claimed(void)
{
    looks_claimed(ON_FENCE);
    looks_claimed(ON_GROUP);
}

/* ---- what members have posted */

/* Half of the members do not commit: the construct does. */
static void post_and_meet(void)
{
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);

    put_text(PMIX_REMOTE, "r", "for other nodes");
    put_text(PMIX_GLOBAL, "g", "for everybody");
    put_text(PMIX_LOCAL, "l", "for this node");
    put_text(PMIX_INTERNAL, "i", "for nobody");
    if (me.rank % 2 == 0) {
        commit();
    }
    check_status(PMIX_SUCCESS, make_group("g", procs, n, NULL).status, "construct");
    for (pmix_rank_t rank = 0; rank < n; rank++) {
        if (job_node(find_job("A"), rank) != node()) {
            same_for("GRP-012 GRP-049", "for other nodes", got_of(rank, "r", PMIX_OPTIONAL),
                     "remote data of %u", rank);
            same_for("GRP-012 GRP-025", "for everybody", got_of(rank, "g", NULL),
                     "global data of %u", rank);
            check_for("GRP-013", got_of(rank, "l", PMIX_OPTIONAL)[0] == '-', "local data of %u",
                      rank);
            check_for("GRP-013", got_of(rank, "i", PMIX_OPTIONAL)[0] == '-', "own data of %u",
                      rank);
        }
    }
}

static bool carries(const struct note *bytes, const char *text)
{
    return bytes != NULL && memmem(bytes->bytes, (size_t) bytes->number, text, strlen(text));
}

static void shipped(void)
{
    for (int i = 0; i < n_nodes(); i++) {
        const struct record *r = group_upcall(i, PMIX_GROUP_CONSTRUCT, 0);
        const struct note *bytes = record_info(r, PMIX_GROUP_ENDPT_DATA);

        check_for("GRP-012", carries(bytes, "for other nodes") && carries(bytes, "for everybody"),
                  "node %d ships what is for others", i);
        check_for("GRP-013", !carries(bytes, "for this node") && !carries(bytes, "for nobody"),
                  "node %d ships what stays here", i);
    }
    check_for("GRP-025", upcalls(ON_MODEX, -1) == 0, "%d are asked for behind the construct",
              upcalls(ON_MODEX, -1));
}

/* ---- members and jobs that a server does not know */

static pmix_status_t name_a_stranger(struct upcall *ask)
{
    pmix_proc_t members[3] = {process("A", 1), {"elsewhere", 7}, process("A", 0)};
    struct infos list = {0};
    size_t id = 42;

    if (ask->number != PMIX_GROUP_CONSTRUCT) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    add_procs(&list, PMIX_GROUP_MEMBERSHIP, members, 3);
    add(&list, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void a_stranger(void)
{
    pmix_proc_t procs[MOST];
    struct infos list = {0};
    struct made made;

    add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    made = make_group("g", procs, all_from(0, procs), &list);
    check_status(PMIX_SUCCESS, made.status, "construct");
    same("A:1,elsewhere:7,A:0", made.members, "the members");
}

/* The last node has job B, the others have A; none knows of the other job. */
static const char *own_job(void)
{
    return node() < n_nodes() - 1 ? "A" : "B";
}

static void own_jobs(void)
{
    job_register(own_job());
    tell("registered");
    await_n("registered", n_nodes());
    job_start(own_job());
}

static void introduce(struct upcall *copy)
{
    job_register(node() < n_nodes() - 1 ? "B" : "A");
    if (sound_answer(copy) != PMIX_SUCCESS) {
        reply_status(copy, PMIX_ERROR);
    }
}

/* The other job is registered while the host has the operation. */
static pmix_status_t introduce_later(struct upcall *ask)
{
    return ask->number == PMIX_GROUP_CONSTRUCT ? later(ask, NULL, introduce) : sound_answer(ask);
}

#ifndef CONFORM_THEIRS
/* The host sends what its server says of the job of this node. */
static pmix_status_t send_job_info(struct upcall *ask)
{
    pmix_proc_t own = process(own_job(), PMIX_RANK_WILDCARD);
    pmix_data_buffer_t buffer;
    pmix_byte_object_t bytes;
    struct upcall with = *ask;
    struct infos list = {0};
    pmix_status_t rc;

    if (ask->number != PMIX_GROUP_CONSTRUCT) {
        return sound_answer(ask);
    }
    PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
    check_status(PMIX_SUCCESS, PMIx_server_collect_job_info(&own, 1, &buffer), "job info");
    bytes = (pmix_byte_object_t){.bytes = buffer.base_ptr, .size = buffer.bytes_used};
    add(&list, PMIX_GROUP_JOB_INFO, &bytes, PMIX_BYTE_OBJECT);
    with.infos = list.at;
    with.n_infos = list.n;
    rc = sound_answer(&with);
    free_infos(&list);
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    return rc;
}
#endif

/* What is known of the other job; `how`: by which way it has come. */
static void meet(const char *how)
{
    bool in_a = strcmp(me.nspace, "A") == 0;
    const char *other = in_a ? "B" : "A";
    const char *host = !in_a ? "node0" : n_nodes() == 2 ? "node1" : "node2";
    pmix_proc_t procs[3] = {process("A", 0), process("A", 1), process("B", 0)};
    struct infos optional = {0};
    struct made made;

    add_true(&optional, PMIX_OPTIONAL);
    check(got(other, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, optional.at, optional.n)[0] == '-',
          "%s is known before", other);
    made = make_group("g", procs, 3, NULL);
    check_status(PMIX_SUCCESS, made.status, "construct");
    about(how);
    same_for("GRP-029", in_a ? "1" : "2", got(other, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0),
             "the size of %s", other);
    same(in_a ? "1" : "2", got(other, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "the size of %s",
         other);
    same_for("GRP-030", "0", got(other, 0, PMIX_LOCAL_RANK, NULL, 0), "a local rank");
    same_for("GRP-030", host, got(other, 0, PMIX_HOSTNAME, NULL, 0), "a node");
    free_infos(&optional);
}

static void meet_registered(void)
{
    meet("GRP-027");
}

static void meet_by_info(void)
{
    meet("GRP-050");
}

/* ---- a context id that comes later */

static void id_came(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                    size_t ninfo, pmix_info_t *results, size_t nresults,
                    pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    size_t number = 0;
    char step[48];

    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_CONTEXT_ID)) {
            number = info[i].value.data.size;
        }
    }
    snprintf(step, sizeof(step), "id %zu at %u", number, me.rank);
    tell(step);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void hear_of_id(void)
{
    pmix_status_t code = PMIX_GROUP_CONTEXT_ID_ASSIGNED;
    pmix_proc_t procs[2] = {process("A", 1), process("A", 2)};
    char step[48];

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, id_came, NULL, NULL) >= 0, "handler");
    if (me.rank > 0) {
        check_status(PMIX_SUCCESS, make_group("g", procs, 2, NULL).status, "construct");
    }
    fence_all(NULL);
    tell("made");
    await_n("assigned", n_nodes());
    fence_all(NULL); /* behind it */
    snprintf(step, sizeof(step), "id 77 at %u", me.rank);
    if (me.rank > 0) {
        await(step);
    }
    code = PMIX_EXTERNAL_ERR_BASE; /* registering returns after all handlers that were due */
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, id_came, NULL, NULL) >= 0, "handler");
    check(told(step) == (me.rank > 0), "%d times %s", told(step), step);
}

/* (host) */
static void assign_id(void)
{
    pmix_proc_t all = process("g", PMIX_RANK_WILDCARD);
    struct infos list = {0};
    size_t id = 77;
    pmix_status_t rc;

    await_n("made", 3);
    add_text(&list, PMIX_GROUP_ID, "g");
    add(&list, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, &all, 1);
    rc = PMIx_Notify_event(PMIX_GROUP_CONTEXT_ID_ASSIGNED, NULL, PMIX_RANGE_CUSTOM, list.at, list.n,
                           NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(&list);
    tell("assigned");
}

#define ON_NODES(n_, ranks_, client_) .nodes = n_, .ranks = ranks_, .client = client_, .seconds = 20

/* Not on one node: a server knows the jobs of its own processes. */
#define APART(client_)                                                                             \
    .nodes = 2, .jobs = {{"A", {2}, .later = true}, {"B", {0, 1}, .later = true}},                 \
    .script = own_jobs, .client = client_, .seconds = 20
#define APART_ON_THREE(client_)                                                                    \
    .nodes = 3, .jobs = {{"A", {1, 1}, .later = true}, {"B", {0, 0, 1}, .later = true}},           \
    .script = own_jobs, .client = client_, .seconds = 20

const struct conform_case cases[] = {
    {.ids = "GRP-028 GRP-032 GRP-037 GRP-038 GRP-042 GRP-044 GRP-045",
     .what = "contributions to two groups, on one node",
     ON_NODES(1, 4, two_groups),
     .after = host_was_asked},
    {.ids = "GRP-028 GRP-032 GRP-037 GRP-038 GRP-042 GRP-044 GRP-045",
     .what = "contributions to two groups, on two nodes",
     ON_NODES(2, 2, two_groups),
     .after = host_was_asked},
    {.ids = "GRP-028 GRP-032 GRP-037 GRP-038 GRP-042 GRP-044 GRP-045",
     .what = "contributions to two groups, on three nodes",
     ON_NODES(3, 1, two_groups),
     .after = host_was_asked},
    {.ids = "GRP-110",
     .what = "a contribution is read without the server",
     .spread = true,
     ON_NODES(1, 2, read_alone),
     .form = SHARED},
    {.ids = "GRP-014 GRP-039 GRP-043",
     .what = "a host is told what members ask for",
     ON_NODES(2, 2, direct),
     .after = told_to_the_host},
    {.ids = "GRP-014 GRP-039 GRP-043",
     .what = "a host is told what members ask for, on three nodes",
     ON_NODES(3, 2, direct),
     .after = told_to_the_host},
    {.ids = "GRP-042",
     .what = "a member contributes in the name of another",
     ON_NODES(2, 2, claims),
     .after = none_claimed,
     .ours_only = "it is about directives that only servers may give"},
    {.ids = "GRP-012 GRP-013 GRP-025 GRP-049",
     .what = "what members have posted, on two nodes",
     ON_NODES(2, 2, post_and_meet),
     .host = {[ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}},
     .after = shipped},
    {.ids = "GRP-012 GRP-013 GRP-025 GRP-049",
     .what = "what members have posted, on three nodes",
     ON_NODES(3, 1, post_and_meet),
     .host = {[ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}},
     .after = shipped},
    {.ids = "GRP-026",
     .what = "a member that the server does not know",
     .spread = true,
     ON_NODES(1, 2, a_stranger),
     .host = {[ON_GROUP] = {OWN, .own = name_a_stranger}}},
    {.ids = "GRP-027 GRP-029 GRP-030",
     .what = "a job that is registered while the group is made",
     APART(meet_registered),
     .host =
         {[ON_GROUP] = {OWN, .own = introduce_later}, [ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}}},
    {.ids = "GRP-027 GRP-029 GRP-030",
     .what = "a job that is registered while the group is made, on three nodes",
     APART_ON_THREE(meet_registered),
     .host =
         {[ON_GROUP] = {OWN, .own = introduce_later}, [ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}}},
#ifndef CONFORM_THEIRS
    {.ids = "GRP-029 GRP-030 GRP-050",
     .what = "a job that the host sends with the group",
     APART(meet_by_info),
     .host =
         {[ON_GROUP] = {OWN, .own = send_job_info}, [ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}}},
    {.ids = "GRP-029 GRP-030 GRP-050",
     .what = "a job that the host sends with the group, on three nodes",
     APART_ON_THREE(meet_by_info),
     .host =
         {[ON_GROUP] = {OWN, .own = send_job_info}, [ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}}},
#endif
    {.ids = "GRP-053",
     .what = "a context id that comes later",
     .spread = true,
     ON_NODES(1, 3, hear_of_id),
     .script = assign_id},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
