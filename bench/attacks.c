/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "attacks.h"

#include <pmix_tool.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/hostile/speak.h"

/* The largest sizes: most are limits of the server, or what fits into a message of 32 MiB, or into
 * one of 1 MiB. */
enum { CODES = 8192, DIRECTIVES = 1024, LARGE = 30000000, NAMES = 125000, KEYS = 4000 };
enum {
    VALUES = 100000,
    STRINGS = 65000,
    BATCH = 1000,
    KEPT = 500,
    KEPT_NAMES = 120,
    CODE = -6001,
    KEY_BYTES = 500,
    PULLS = 1024,
    HELD = 2000 /* connections */
};

static pmix_proc_t self;
static pmix_proc_t helper;
static pmix_proc_t absent; /* the process that never starts */
static struct attack_state *state;

/* The status of a callback, whose call is counted already. */
static void on_op(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    if (status == PMIX_ERR_OUT_OF_RESOURCE) {
        state->refused++;
        state->reached = 1;
    }
}

/* The status that a call returned. */
static void count(pmix_status_t rc)
{
    state->tries++;
    on_op(rc, NULL);
}

static void on_value(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    on_op(status, cbdata);
}

static void on_group(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                     pmix_release_cbfunc_t release, void *release_data)
{
    (void) info, (void) ninfo;
    on_op(status, cbdata);
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
    (void) PMIx_Fence(&self, 1, NULL, 0);
}

static void none(void)
{
    (void) pause();
}

/* --- registrations and directives */

static void register_codes(const pmix_status_t *list, size_t n)
{
    pmix_status_t id =
        PMIx_Register_event_handler((pmix_status_t *) list, n, NULL, 0, on_event, NULL, NULL);

    count(id);
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
    count(PMIx_Fence(&self, 1, infos, DIRECTIVES));
}

/* --- requests that wait */

/* Each with a message of its own. */
static void open_gets(void)
{
    pmix_info_t anew;
    char key[32];

    PMIX_INFO_LOAD(&anew, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    for (int i = 0; i < BATCH; i++) {
        snprintf(key, sizeof(key), "never.%lu", state->tries);
        count(PMIx_Get_nb(&absent, key, &anew, 1, on_value, NULL));
    }
    settle();
}

/* Requests that the host leaves unanswered: ON_UNPUBLISH is NEVER. */
static void unanswered(void)
{
    for (int i = 0; i < BATCH; i++) {
        count(PMIx_Unpublish_nb(NULL, NULL, 0, on_op, NULL));
    }
    settle();
}

static void fences(void)
{
    pmix_proc_t procs[2] = {self, absent};

    for (int i = 0; i < BATCH; i++) {
        count(PMIx_Fence_nb(procs, 2, NULL, 0, on_op, NULL));
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

    snprintf(value.data.bo.bytes, 16, "%lu", state->tries); /* another one each time */
    (void) PMIx_Put(PMIX_GLOBAL, key, &value);
    count(PMIx_Commit());
    settle();
}

/* More than a process may have: those that are too much are refused, which a commit does not say.
 */
static void posts(void)
{
    char key[32];

    snprintf(key, sizeof(key), "value.%lu", state->tries % 16);
    post(key, LARGE);
    state->reached |= state->tries >= 16;
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
    count(PMIx_Commit());
    settle();
}

/* As many strings as one commit may have. */
static void lists(void)
{
    static char *strings[STRINGS];
    pmix_data_array_t array = {.type = PMIX_STRING, .size = STRINGS, .array = strings};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    char text[32];

    snprintf(text, sizeof(text), "%lu", state->tries); /* another one each time */
    for (int i = 0; i < STRINGS; i++) {
        strings[i] = text;
    }
    (void) PMIx_Put(PMIX_GLOBAL, "list", &value);
    count(PMIx_Commit());
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
        count(PMIx_Get_nb(&helper, key, &anew, 1, on_value, NULL));
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

    post("news", 8);
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
    count(PMIx_Notify_event(CODE, NULL, range ? PMIX_RANGE_CUSTOM : PMIX_RANGE_GLOBAL, infos,
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
    names[0] = self;
    count(PMIx_Fence(names, NAMES, NULL, 0));
}

/* When no group can be made any more: what takes a walk over all of them. */
static void groups(void)
{
    pmix_info_t *results = NULL;
    pmix_value_t *value = NULL;
    pmix_proc_t other = {.rank = 0};
    size_t n = 0;
    char name[32];

    snprintf(name, sizeof(name), "group.%lu", state->tries);
    count(PMIx_Group_construct(name, &self, 1, NULL, 0, &results, &n));
    PMIX_INFO_FREE(results, n);
    if (state->reached) {
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
    count(rc > 0 ? PMIX_SUCCESS : rc);
    if (rc >= 0) {
        ids[n++ % PULLS] = (size_t) rc;
    }
    if (state->reached) {
        (void) PMIx_IOF_deregister(ids[n % PULLS], NULL, 0, NULL, NULL);
    }
}

/* Groups of a member that never comes. */
static void constructs(void)
{
    pmix_proc_t members[2] = {self, absent};
    char name[32];

    for (int i = 0; i < BATCH; i++) {
        snprintf(name, sizeof(name), "open.%lu", state->tries);
        count(PMIx_Group_construct_nb(name, members, 2, NULL, 0, on_group, NULL));
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
    count(PMIx_Query_info(&query, 1, &results, &n));
    PMIX_INFO_FREE(results, n);
}

static void connections(void)
{
    (void) PMIx_Finalize(NULL, 0);
    count(PMIx_Init(&self, NULL, 0));
}

static void come_and_go(void)
{
    (void) PMIx_Finalize(NULL, 0);
    (void) PMIx_Init(&helper, NULL, 0);
}

/* --- connections by hand, as many as this process may hold; then the oldest makes room */

/* True if the server has closed it. */
static bool is_closed(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    char byte;

    return poll(&look, 1, 0) == 1 && read(fd, &byte, 1) <= 0;
}

/* The one whose place it takes shows whether the server has had enough. */
static void hold(int fd)
{
    static int held[HELD]; /* 1 more than the descriptor */
    static size_t next;
    int *place = &held[next++ % HELD];

    count(fd < 0 || (*place && is_closed(*place - 1)) ? PMIX_ERR_OUT_OF_RESOURCE : PMIX_SUCCESS);
    if (*place) {
        (void) close(*place - 1);
    }
    *place = fd + 1;
}

static void silent(void)
{
    hold(dial(getenv("PMIX_SHMIX_URI")));
}

static void unfinished(void)
{
    unsigned char bytes[1024];
    struct hello hello = honest();
    int fd = dial(getenv("PMIX_SHMIX_URI"));

    send_all(fd, bytes, write_hello(bytes, &hello) - 1);
    hold(fd);
}

static void further(void)
{
    hold(admitted(getenv("PMIX_SHMIX_URI")));
}

const struct attack attacks[] = {
    {"none", "nobody attacks", NULL, none, NULL, 1},
    {"codes", "8,192 event codes registered, again and again", NULL, none, codes, 1},
    {"directives", "fences with 1,024 directives", NULL, none, directives, 1},
    {"gets", "gets that wait", NULL, none, open_gets, 0},
    {"unanswered", "requests that the host leaves open", NULL, none, unanswered, 0},
    {"fences", "fences that wait, while processes come and go", NULL, come_and_go, fences, 0},
    {"names", "fences of 125,000 names", NULL, none, named_fences, 1},
    {"posts", "values of 30 MB, posted and replaced", NULL, none, posts, 0},
    {"values", "100,000 values in a commit", NULL, none, small_posts, 1},
    {"lists", "a list of 65,000 strings, posted and replaced", NULL, none, lists, 1},
    {"replies", "gets of 30 MB, 20 at once", post_large, none, large_gets, 1},
    {"gathers", "gets of 100,000 values, 20 at once", small_posts, post_now_and_then, long_gets, 1},
    {"events", "events of 30 MB to one that does not read", listen_in, NULL, events, 1},
    {"ranges", "events to 125,000 names", NULL, none, ranges, 1},
    {"kept", "registrations for events that are kept", raise_kept, none, registrations, 1},
    {"groups", "groups, then events and gets", NULL, none, groups, 0},
    {"constructs", "groups that wait for a member", NULL, none, constructs, 0},
    {"pulls", "subscriptions to output, begun and ended", NULL, none, pulls, 0},
    {"queries", "4,000 keys in one query", NULL, none, queries, 1},
    {"connections", "starts and ends", NULL, come_and_go, connections, 1},
    {"silent", "connections that say nothing", NULL, none, silent, 0},
    {"unfinished", "introductions without their end", NULL, none, unfinished, 0},
    {"further", "connections held under one name", NULL, none, further, 0},
    {NULL, NULL, NULL, NULL, NULL, 0},
};

static void help(const struct attack *attack, pmix_proc_t both[])
{
    helper = self;
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

    state = shared;
    self = helper = absent = *who;
    nspace = self.nspace;
    rank = self.rank;
    helper.rank = 1;
    absent.rank = 2;
    PMIX_LOAD_PROCID(&both[0], who->nspace, 0);
    PMIX_LOAD_PROCID(&both[1], who->nspace, 1);
    if (who->rank == 1) {
        help(attack, both);
    }
    (void) PMIx_Fence(both, ATTACKERS, NULL, 0);
    for (;;) {
        state->reached |= !attack->round;
        attack->round ? attack->round() : none();
        state->reached |= attack->sized;
    }
}
