/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls of half_client that make groups. */

#include "half_calls.h"

#include <stdlib.h>
#include <string.h>

#include "half_server.h"

/* While a process that has ended is noticed. */
enum { MORE_TURNS = 4 };

/* What this process says to an invitation. */
static pmix_group_opt_t answer;
static bool claims;   /* it wants to lead when the leader is lost */
static bool dies;     /* it ends when it is invited */
static bool gives_up; /* its handlers abort, those of an invitee when the leader is lost */
static bool ended;    /* a construct, an invitation or a join has */
static bool accepted; /* an invitation of this process, by the second */

/* What it gives to the other members when it invites or joins; none at first. */
static pmix_info_t gift;
static size_t n_gifts;

static bool leads(void)
{
    return half.self.rank == 0;
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    static pmix_info_t claim;
    bool lost = status == PMIX_GROUP_LEADER_FAILED;
    bool claim_it = claims && lost;
    bool yes = true;

    (void) id;
    (void) results;
    (void) nresults;
    PMIX_INFO_LOAD(&claim, PMIX_GROUP_LEADER, &yes, PMIX_BOOL);
    for (size_t i = 0; status == PMIX_GROUP_INVITED && i < ninfo; i++) {
        if (dies) {
            half_client_die();
        }
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_ID) && info[i].value.type == PMIX_STRING) {
            (void) PMIx_Group_join_nb(info[i].value.data.string, source, answer, &gift, n_gifts,
                                      half_on_infos, &ended);
        }
    }
    accepted =
        accepted || (status == PMIX_GROUP_INVITE_ACCEPTED && source->rank == half.here[1].rank);
    done(gives_up && (lost || leads()) ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_EVENT_ACTION_COMPLETE,
         claim_it ? &claim : NULL, claim_it, NULL, NULL, cbdata);
}

static void listen(void)
{
    pmix_status_t codes[] = {PMIX_GROUP_INVITED,         PMIX_GROUP_INVITE_ACCEPTED,
                             PMIX_GROUP_INVITE_DECLINED, PMIX_GROUP_INVITE_FAILED,
                             PMIX_GROUP_MEMBER_FAILED,   PMIX_GROUP_LEADER_FAILED,
                             PMIX_GROUP_LEADER_SELECTED, PMIX_GROUP_CONSTRUCT_COMPLETE,
                             PMIX_GROUP_CONSTRUCT_ABORT, PMIX_GROUP_LEFT};

    (void) PMIx_Register_event_handler(codes, sizeof(codes) / sizeof(codes[0]), NULL, 0, on_event,
                                       NULL, NULL);
}

/* --- constructs --- */

static void make(const char *name, const pmix_proc_t *procs, size_t n, pmix_info_t *info,
                 size_t ninfo)
{
    ended = false;
    if (PMIx_Group_construct_nb(name, procs, n, info, ninfo, half_on_infos, &ended) ==
        PMIX_SUCCESS) {
        half_client_until(&ended);
    }
}

static void destruct(const char *name)
{
    pmix_info_t info;
    int seconds = HALF_TIMEOUT_S;

    PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &seconds, PMIX_INT);
    (void) PMIx_Group_destruct(name, &info, 1);
}

/* Members give each other values. */
void half_group_info(void)
{
    pmix_info_t inner;
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 1, .array = &inner};
    pmix_info_t info[3];
    bool yes = true;

    listen();
    PMIX_INFO_LOAD(&inner, "given", &half.self.rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    PMIX_INFO_CONSTRUCT(&info[1]);
    PMIX_LOAD_KEY(info[1].key, PMIX_GROUP_INFO);
    info[1].value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    PMIX_INFO_LOAD(&info[2], PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
    for (int i = 0; i < 2; i++) {
        make(i ? "second" : "first", half.here, 2, info, 3);
        half_get(&half.here[1], "given", NULL);
    }
    destruct("first");
    destruct("second");
}

/* Two leaders, each by itself. */
void half_group_parts(void)
{
    pmix_info_t info[2];
    size_t two = 2;
    bool yes = true;

    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_BOOTSTRAP, &two, PMIX_SIZE);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    make("parts", &half.self, 1, info, 2);
    half_get(&half.here[1], "key", NULL);
    destruct("parts");
}

/* The first adds the second. */
void half_group_added(void)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 1, .array = &half.here[1]};
    pmix_info_t info[2];
    bool yes = true;

    listen();
    PMIX_INFO_CONSTRUCT(&info[0]);
    PMIX_LOAD_KEY(info[0].key, PMIX_GROUP_ADD_MEMBERS);
    info[0].value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
    if (leads()) {
        make("added", &half.here[0], 1, info, 2);
    } else {
        make("added", NULL, 0, NULL, 0);
    }
    destruct("added");
}

/* The name of a group in place of a namespace. */
void half_group_names(void)
{
    int seconds = HALF_TIMEOUT_S; /* the other one may have lost patience with the construct */
    pmix_proc_t group;
    pmix_proc_t member;
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &seconds, PMIX_INT);
    make("crew", half.here, 2, NULL, 0);
    PMIX_LOAD_PROCID(&group, "crew", PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&member, "crew", 1);
    half_fence(&group, 1, false);
    (void) PMIx_Connect(&group, 1, &info, 1);
    half_get(&member, "key", NULL);
    half_get(&group, PMIX_JOB_SIZE, NULL);
    (void) PMIx_Notify_event(-3000, &member, PMIX_RANGE_SESSION, NULL, 0, NULL, NULL);
    make("crew.2", &group, 1, NULL, 0);
    (void) PMIx_Group_leave("crew.2", NULL, 0);
    destruct("crew");
}

/* Handlers for the events of a group that only the server knows, and of one that nobody knows. */
void half_group_range(void)
{
    static const char *const names[] = {"band", "unknown", FUZZ_OTHER};
    pmix_proc_t procs[3];
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 3, .array = procs};
    pmix_info_t info[2];
    pmix_status_t code = -3000;

    for (size_t i = 0; i < 3; i++) {
        PMIX_LOAD_PROCID(&procs[i], names[i], PMIX_RANK_WILDCARD);
    }
    if (leads()) {
        make("band", half.here, 1, NULL, 0);
    }
    half_fence(half.here, 2, false);
    PMIX_INFO_LOAD(&info[0], PMIX_EVENT_CUSTOM_RANGE, &procs[0], PMIX_PROC);
    PMIX_INFO_CONSTRUCT(&info[1]);
    PMIX_LOAD_KEY(info[1].key, PMIX_EVENT_CUSTOM_RANGE);
    info[1].value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    (void) PMIx_Register_event_handler(&code, 1, info, 2, half_on_event, NULL, NULL);
    (void) PMIx_Register_event_handler(&code, 1, info, 1, half_on_event, NULL, NULL);
    PMIX_INFO_DESTRUCT(&info[0]);
    (void) PMIx_Notify_event(code, &half.self, PMIX_RANGE_NAMESPACE, NULL, 0, NULL, NULL);
    half_fence(half.here, 2, false);
    if (leads()) {
        destruct("band");
    }
}

/* The second ends while the first constructs, which is asked what to do. */
void half_group_dies(void)
{
    pmix_info_t info;
    bool yes = true;

    listen();
    if (!leads()) {
        half_get(&half.here[0], "key", NULL);
        half_client_die();
    }
    claims = true;
    PMIX_INFO_LOAD(&info, PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
    make("crew", half.here, 2, &info, 1);
    destruct("crew");
}

/* The first leads, and a third one is on another node. */
static void make_far(const char *name, bool waits)
{
    pmix_proc_t procs[3] = {half.here[0], half.here[1], half.away};
    pmix_info_t info[2];
    bool yes = true;

    listen();
    PMIX_INFO_LOAD(&info[0], PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_LEADER, &yes, PMIX_BOOL);
    if (waits) {
        make(name, procs, 3, info, leads() ? 2 : 1);
    } else {
        (void) PMIx_Group_construct_nb(name, procs, 3, info, leads() ? 2 : 1, half_on_infos,
                                       &ended);
    }
}

/* The second ends, and the third: conversation_seeds. */
void half_group_far(void)
{
    if (!leads()) {
        half_get(&half.here[0], "key", NULL);
        half_client_die();
    }
    make_far("far", true);
    destruct("far");
}

/* The leader ends when it has called, and the second wants to lead. */
void half_group_leader_dies(void)
{
    claims = true;
    if (leads()) {
        make_far("led", false);
        half_get(&half.here[1], "key", NULL);
        half_client_die();
    }
    make_far("led", true);
    destruct("led");
    claims = false;
}

/* One leaves a group that others destruct. */
void half_group_excused(void)
{
    pmix_proc_t procs[3] = {half.here[0], half.here[1], half.away};
    pmix_info_t info;
    bool yes = true;

    PMIX_INFO_LOAD(&info, PMIX_GROUP_NOTIFY_TERMINATION, &yes, PMIX_BOOL);
    make("excused", procs, 3, &info, 1);
    half_fence(half.here, 2, false);
    if (leads()) {
        destruct("excused");
    } else {
        half_get(&half.here[0], "key", NULL);
        (void) PMIx_Group_leave("excused", NULL, 0);
    }
}

/* --- invitations: the first invites both --- */

/* turns: how often half_client_until is called, at most. */
static void invite(int turns)
{
    pmix_info_t info[3];
    int seconds = HALF_TIMEOUT_S;
    bool yes = true;

    ended = false;
    listen();
    half_fence(half.here, 2, false);
    PMIX_INFO_LOAD(&info[0], PMIX_TIMEOUT, &seconds, PMIX_INT);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    info[2] = gift;
    if (leads()) {
        (void) PMIx_Group_invite_nb("guests", half.here, 2, info, 2 + n_gifts, half_on_infos,
                                    &ended);
    }
    for (int i = 0; i < turns && !ended; i++) {
        half_client_until(&ended);
    }
    (void) PMIx_Group_leave("guests", NULL, 0);
}

void half_invite_accept(void)
{
    answer = PMIX_GROUP_ACCEPT;
    invite(1);
}

void half_invite_decline(void)
{
    answer = PMIX_GROUP_DECLINE;
    invite(1);
}

void half_invite_abort(void)
{
    answer = PMIX_GROUP_ACCEPT;
    gives_up = leads();
    invite(1);
    gives_up = false;
}

/* Members give each other values, and what they have posted. */
void half_invite_gives(void)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) "posted"};
    pmix_info_t inner;
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 1, .array = &inner};

    (void) PMIx_Put(PMIX_GLOBAL, "posted", &value);
    answer = PMIX_GROUP_ACCEPT;
    PMIX_INFO_LOAD(&inner, "given", &half.self.rank, PMIX_PROC_RANK);
    PMIX_INFO_CONSTRUCT(&gift);
    PMIX_LOAD_KEY(gift.key, PMIX_GROUP_INFO);
    gift.value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array};
    n_gifts = 1;
    invite(1);
    n_gifts = 0;
    half_get(&half.here[1], "given", PMIX_OPTIONAL);
    half_get(&half.here[0], "posted", PMIX_OPTIONAL);
}

/* All of a job, whose size the leader asks for. */
void half_invite_all(void)
{
    pmix_proc_t all;

    PMIX_LOAD_PROCID(&all, FUZZ_OTHER, PMIX_RANK_WILDCARD);
    ended = false;
    listen();
    (void) PMIx_Group_invite_nb("everybody", &all, 1, NULL, 0, half_on_infos, &ended);
    half_client_until(&ended);
    (void) PMIx_Group_invite_nb("everybody", &half.all, 1, NULL, 0, half_on_infos, &ended);
}

/* The leader ends when the second has accepted, who claims the lead, or does not. A process that
 * never answers is invited, too, so that the group is not complete before. */
static void lose_leader(bool claim)
{
    answer = PMIX_GROUP_ACCEPT;
    claims = claim;
    if (leads()) {
        pmix_proc_t procs[3] = {half.here[0], half.here[1], half.away};

        accepted = false;
        listen();
        half_fence(half.here, 2, false);
        (void) PMIx_Group_invite_nb("guests", procs, 3, NULL, 0, half_on_infos, &ended);
        half_client_until(&accepted);
        half_client_die();
    }
    invite(MORE_TURNS);
    claims = false;
}

void half_invite_dies(void)
{
    lose_leader(true);
}

/* The one that does not answer has ended, too, so that the second leads: conversation_seeds. */
void half_invite_leads(void)
{
    lose_leader(true);
}

/* That one claims the lead, and invites: conversation_seeds. */
void half_invite_follows(void)
{
    lose_leader(false);
}

/* The second wants no group without the leader. */
void half_invite_gives_up(void)
{
    gives_up = !leads();
    lose_leader(true);
    gives_up = false;
}

void half_invitee_dies(void)
{
    dies = !leads();
    invite(1);
}
