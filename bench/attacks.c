/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "attacks_priv.h"

#include <pmix_tool.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/hostile/speak.h"

/* The largest sizes: most are limits of the server, or what fits into a message of 32 MiB, or into
 * one of 1 MiB. */
enum { CODES = 8192, DIRECTIVES = 1024, LARGE = 30000000, KEYS = 4000 };
enum {
    VALUES = 100000,
    STRINGS = 65000,
    KEPT = 500,
    KEPT_NAMES = 120,
    CODE = -6001,
    KEY_BYTES = 500,
    PULLS = 1024
};

pmix_proc_t attack_self;
struct attack_state *attack_state;
static pmix_proc_t helper;
static pmix_proc_t absent; /* the process that never starts */

void attack_note(pmix_status_t status)
{
    if (status == PMIX_ERR_OUT_OF_RESOURCE) {
        attack_state->refused++;
        attack_state->reached = 1;
    }
}

void attack_count(pmix_status_t rc)
{
    attack_state->tries++;
    attack_note(rc);
}

static void on_op(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    attack_note(status);
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    (void) cbdata;
    attack_note(status);
}

static void on_group(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data)
{
    (void) info, (void) ninfo, (void) cbdata;
    attack_note(status);
    if (release) {
        release(release_data);
    }
}

static void on_event(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) code, (void) source, (void) info, (void) ninfo, (void) results;
    (void) nresults;
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

/* Returns when the server has handled all earlier requests of this process. */
static void settle(void)
{
    (void) PMIx_Fence(&attack_self, 1, NULL, 0);
}

static void none(void)
{
    (void) pause();
}

/* No attack: it shows how long others wait for a CPU in any case. */
static void compute(void)
{
    for (volatile unsigned i = 0; i < 1000000; i++) {
    }
    attack_state->tries++;
}

/* --- registrations and directives */

static void register_codes(const pmix_status_t *list, size_t n)
{
    pmix_status_t id =
        PMIx_Register_event_handler((pmix_status_t *) list, n, NULL, 0, on_event, NULL, NULL);

    attack_count(id);
    if (id >= 0) {
        (void) PMIx_Deregister_event_handler((size_t) id, NULL, NULL);
    }
}

static void codes(void)
{
    static pmix_status_t list[CODES];

    for (int i = 0; i < CODES; i++) {
        list[i] = -10000 - i;
    }
    register_codes(list, CODES);
}

/* The keys differ at their end only. */
static void directives(void)
{
    static pmix_info_t infos[DIRECTIVES];
    char key[PMIX_MAX_KEYLEN + 1];

    for (int i = 0; i < DIRECTIVES; i++) {
        memset(key, 'k', KEY_BYTES);
        snprintf(key + KEY_BYTES, sizeof(key) - KEY_BYTES, "%d", i);
        PMIX_INFO_LOAD(&infos[i], key, NULL, PMIX_BOOL);
    }
    attack_count(PMIx_Fence(&attack_self, 1, infos, DIRECTIVES));
}

/* --- requests that wait */

/* Each with a message of its own. */
static void open_gets(void)
{
    pmix_info_t anew;
    char key[32];

    PMIX_INFO_LOAD(&anew, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    for (int i = 0; i < BATCH; i++) {
        snprintf(key, sizeof(key), "never.%lu", attack_state->tries);
        attack_count(PMIx_Get_nb(&absent, key, &anew, 1, on_value, NULL));
    }
    settle();
}

/* Requests that the host leaves unanswered: ON_UNPUBLISH is NEVER. */
static void unanswered(void)
{
    for (int i = 0; i < BATCH; i++) {
        attack_count(PMIx_Unpublish_nb(NULL, NULL, 0, on_op, NULL));
    }
    settle();
}

static void fences(void)
{
    pmix_proc_t procs[2] = {attack_self, absent};

    for (int i = 0; i < BATCH; i++) {
        attack_count(PMIx_Fence_nb(procs, 2, NULL, 0, on_op, NULL));
    }
    settle();
}

/* --- values */

/* Bytes that no compression shortens. */
static char *noise(void)
{
    static char bytes[LARGE];
    unsigned long long state_of = 88172645463325252ULL;

    for (size_t i = 0; !bytes[0] && i + sizeof(state_of) <= LARGE; i += sizeof(state_of)) {
        state_of ^= state_of << 13;
        state_of ^= state_of >> 7;
        state_of ^= state_of << 17;
        memcpy(bytes + i, &state_of, sizeof(state_of));
    }
    return bytes;
}

static void post(const char *key, size_t n)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {noise(), n}};

    snprintf(value.data.bo.bytes, 16, "%lu", attack_state->tries); /* another one each time */
    (void) PMIx_Put(PMIX_GLOBAL, key, &value);
    attack_count(PMIx_Commit());
    settle();
}

void attack_post(void)
{
    post("news", 8);
}

/* More than a process may have: those that are too much are refused, which a commit does not say.
 */
static void posts(void)
{
    char key[32];

    snprintf(key, sizeof(key), "value.%lu", attack_state->tries % 16);
    post(key, LARGE);
    attack_state->reached |= attack_state->tries >= 16;
}

static void small_posts(void)
{
    static unsigned long number;
    char key[32];

    for (int i = 0; i < VALUES; i++) {
        pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = (uint32_t) i};

        snprintf(key, sizeof(key), "%lx", number++ % (4 * VALUES));
        (void) PMIx_Put(PMIX_GLOBAL, key, &value);
    }
    attack_count(PMIx_Commit());
    settle();
}

/* As many strings as one commit may have. */
static void lists(void)
{
    static char *strings[STRINGS];
    pmix_data_array_t array = {.type = PMIX_STRING, .size = STRINGS, .array = strings};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    char text[32];

    snprintf(text, sizeof(text), "%lu", attack_state->tries); /* another one each time */
    for (int i = 0; i < STRINGS; i++) {
        strings[i] = text;
    }
    (void) PMIx_Put(PMIX_GLOBAL, "list", &value);
    attack_count(PMIx_Commit());
    settle();
}

static void post_large(void)
{
    post("large", LARGE);
}

static void get_anew(const char *key)
{
    pmix_info_t anew;

    PMIX_INFO_LOAD(&anew, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    for (int i = 0; i < 20; i++) {
        attack_count(PMIx_Get_nb(&helper, key, &anew, 1, on_value, NULL));
    }
    settle();
}

static void large_gets(void)
{
    get_anew("large");
}

/* Posts a value from time to time. Copies that the attackers have of this process are then out of
 * date, and they are sent everything again. */
static void post_now_and_then(void)
{
    const struct timespec pause = {.tv_nsec = 50000000};

    attack_post();
    (void) nanosleep(&pause, NULL);
}

/* The answer has all values of the process. */
static void long_gets(void)
{
    get_anew("0");
}

/* --- events */

/* range: PMIX_EVENT_CUSTOM_RANGE, or NULL for a global event. */
static void raise_event(size_t bytes, pmix_info_t *range)
{
    pmix_byte_object_t object = {noise(), bytes};
    pmix_info_t infos[2];

    PMIX_INFO_CONSTRUCT(&infos[0]);
    PMIX_LOAD_KEY(infos[0].key, "example.bytes");
    infos[0].value = (pmix_value_t){.type = PMIX_BYTE_OBJECT, .data.bo = object};
    if (range) {
        infos[1] = *range;
    }
    attack_count(PMIx_Notify_event(CODE, NULL, range ? PMIX_RANGE_CUSTOM : PMIX_RANGE_GLOBAL, infos,
                                   range ? 2 : 1, NULL, NULL));
}

static void raise_range(size_t n)
{
    static pmix_proc_t names[NAMES];
    pmix_data_array_t list = {.type = PMIX_PROC, .size = n, .array = names};
    pmix_info_t range;

    for (unsigned i = 0; i < n && !names[i].nspace[0]; i++) {
        char name[32];

        snprintf(name, sizeof(name), "nobody.%u", i);
        PMIX_LOAD_PROCID(&names[i], name, i);
    }
    PMIX_INFO_CONSTRUCT(&range);
    PMIX_LOAD_KEY(range.key, PMIX_EVENT_CUSTOM_RANGE);
    range.value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &list};
    raise_event(1, &range);
}

static void listen_in(void)
{
    pmix_status_t code = CODE;

    (void) PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL);
}

static void events(void)
{
    raise_event(LARGE, NULL);
}

static void ranges(void)
{
    raise_range(NAMES);
}

static void raise_kept(void)
{
    for (int i = 0; i < KEPT; i++) {
        raise_range(KEPT_NAMES);
    }
    settle();
}

static void registrations(void)
{
    pmix_status_t code = CODE;

    register_codes(&code, 1);
}

/* --- lists of processes, groups, queries, connections */

/* The host answers at once. */
static void named_fences(void)
{
    static pmix_proc_t names[NAMES];

    for (unsigned i = 1; i < NAMES && !names[i].nspace[0]; i++) {
        PMIX_LOAD_PROCID(&names[i], "nobody", i);
    }
    names[0] = attack_self;
    attack_count(PMIx_Fence(names, NAMES, NULL, 0));
}

/* When no group can be made any more: what takes a walk over all of them. */
static void groups(void)
{
    pmix_info_t *results = NULL;
    pmix_value_t *value = NULL;
    pmix_proc_t other = {.rank = 0};
    size_t n = 0;
    char name[32];

    snprintf(name, sizeof(name), "group.%lu", attack_state->tries);
    attack_count(PMIx_Group_construct(name, &attack_self, 1, NULL, 0, &results, &n));
    PMIX_INFO_FREE(results, n);
    if (attack_state->reached) {
        raise_event(1, NULL);
        PMIX_LOAD_NSPACE(other.nspace, "honest");
        (void) PMIx_Get(&other, "never", NULL, 0, &value);
    }
}

/* When there can be no more subscriptions, the oldest ends for each new one: then the host has to
 * be told, if no other one wants the same. */
static void pulls(void)
{
    static size_t ids[PULLS];
    static unsigned long n;
    pmix_proc_t name;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&name, "nobody", (pmix_rank_t) n);
    rc = PMIx_IOF_pull(&name, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, NULL, NULL, NULL);
    attack_count(rc > 0 ? PMIX_SUCCESS : rc);
    if (rc >= 0) {
        ids[n++ % PULLS] = (size_t) rc;
    }
    if (attack_state->reached) {
        (void) PMIx_IOF_deregister(ids[n % PULLS], NULL, 0, NULL, NULL);
    }
}

/* Groups of a member that never comes. */
static void constructs(void)
{
    pmix_proc_t members[2] = {attack_self, absent};
    char name[32];

    for (int i = 0; i < BATCH; i++) {
        snprintf(name, sizeof(name), "open.%lu", attack_state->tries);
        attack_count(PMIx_Group_construct_nb(name, members, 2, NULL, 0, on_group, NULL));
    }
    settle();
}

static void queries(void)
{
    static char *keys[KEYS + 1];
    pmix_query_t query = {.keys = keys};
    pmix_info_t *results = NULL;
    size_t n = 0;

    for (int i = 0; i < KEYS; i++) {
        keys[i] = (char *) PMIX_QUERY_NAMESPACES;
    }
    attack_count(PMIx_Query_info(&query, 1, &results, &n));
    PMIX_INFO_FREE(results, n);
}

static void connections(void)
{
    (void) PMIx_Finalize(NULL, 0);
    attack_count(PMIx_Init(&attack_self, NULL, 0));
}

static void come_and_go(void)
{
    (void) PMIx_Finalize(NULL, 0);
    (void) PMIx_Init(&helper, NULL, 0);
}

/* Stays connected for two seconds, in which the attackers' gets for a key of this process start to
 * wait; then finalizes and initialises again. */
static void stay_and_go(void)
{
    const struct timespec stay = {.tv_sec = 2};

    (void) nanosleep(&stay, NULL);
    come_and_go();
}

const struct attack attacks[] = {
    {"none", "nobody attacks", NULL, none, NULL, 1, 0},
    {"busy", "processes that compute, and ask nothing", NULL, compute, compute, 1, 0},
    {"codes", "8,192 event codes registered, again and again", NULL, none, codes, 1, 0},
    {"directives", "fences with 1,024 directives", NULL, none, directives, 1, 0},
    {"gets", "gets that wait", NULL, none, open_gets, 0, 0},
    {"unanswered", "requests that the host leaves open", NULL, none, unanswered, 0, 0},
    {"fences", "fences that wait, while processes come and go", NULL, come_and_go, fences, 0, 0},
    {"names", "fences of 125,000 names", NULL, none, named_fences, 1, 0},
    {"names_any", "fences of 125,000 names of 16,384 jobs, in any order", NULL, none,
     attack_names_in_any_order, 1, 0},
    {"posts", "values of 30 MB, posted and replaced", NULL, none, posts, 0, 0},
    {"values", "100,000 values in a commit", NULL, none, small_posts, 1, 0},
    {"lists", "a list of 65,000 strings, posted and replaced", NULL, none, lists, 1, 0},
    {"replies", "gets of 30 MB, 20 at once", post_large, none, large_gets, 1, 0},
    {"gathers", "gets of 100,000 values, 20 at once", small_posts, post_now_and_then, long_gets, 1,
     0},
    {"events", "events of 30 MB to one that does not read", listen_in, NULL, events, 1, 0},
    {"ranges", "events to 125,000 names", NULL, none, ranges, 1, 0},
    {"kept", "registrations for events that are kept", raise_kept, none, registrations, 1, 0},
    {"groups", "groups, then events and gets", NULL, none, groups, 0, 0},
    {"constructs", "groups that wait for a member", NULL, none, constructs, 0, 0},
    {"pulls", "subscriptions to output, begun and ended", NULL, none, pulls, 0, 0},
    {"queries", "4,000 keys in one query", NULL, none, queries, 1, 0},
    {"connections", "starts and ends", NULL, come_and_go, connections, 1, 0},
    {"silent", "connections that say nothing", NULL, none, attack_silent, 0, 0},
    {"silent_tcp", "the same by TCP", NULL, none, attack_silent_tcp, 0, 0},
    {"unfinished", "introductions without their end", NULL, none, attack_unfinished, 0, 0},
    {"further", "connections held under one name", NULL, none, attack_further, 0, 0},
    {"far", "gets of a process of another node, whose host does not answer", NULL, none,
     attack_far_gets, 0, 0},
    {"late", "gets of a process of another node, whose host answers late", NULL, none,
     attack_far_gets, 0, HOST_ANSWERS_LATE},
    {"near", "gets of a process that ends and starts anew", NULL, stay_and_go, attack_near_gets, 0,
     0},
    {"any", "gets of any rank, beside commits", NULL, attack_post, attack_any_gets, 0, 0},
    {"jobs", "gets about a job that is registered and deregistered", NULL, none, attack_job_gets, 0,
     HOST_HAS_JOBS},
    {"deletions", "65,536 values posted, and 3,600,000 deletions of them in a commit", NULL, none,
     attack_deletions, 1, 0},
    {"large_groups", "groups of 125,000 members, constructed and destructed", NULL, none,
     attack_large_groups, 1, HOST_HAS_GROUPS},
    {"large_groups_any", "the same, their members in any order", NULL, none,
     attack_large_groups_in_any_order, 1, HOST_HAS_GROUPS},
    {"group_names", "names of all groups, and members of one, in a query", NULL, none, attack_names,
     0, 0},
    {NULL, NULL, NULL, NULL, NULL, 0, 0},
};

static void help(const struct attack *attack, pmix_proc_t both[])
{
    helper = attack_self;
    if (attack->help) {
        attack->help();
    }
    (void) PMIx_Fence(both, ATTACKERS, NULL, 0);
    if (!attack->beside) {
        (void) raise(SIGSTOP);
    }
    for (;;) {
        attack->beside();
    }
}

void attack_play(const struct attack *attack, const pmix_proc_t *who, struct attack_state *shared)
{
    pmix_proc_t both[ATTACKERS];

    attack_state = shared;
    attack_self = helper = absent = *who;
    nspace = attack_self.nspace;
    rank = attack_self.rank;
    helper.rank = 1;
    absent.rank = 2;
    PMIX_LOAD_PROCID(&both[0], who->nspace, 0);
    PMIX_LOAD_PROCID(&both[1], who->nspace, 1);
    if (who->rank == 1) {
        help(attack, both);
    }
    (void) PMIx_Fence(both, ATTACKERS, NULL, 0);
    for (;;) {
        attack_state->reached |= !attack->round;
        attack->round ? attack->round() : none();
        attack_state->reached |= attack->sized;
    }
}
