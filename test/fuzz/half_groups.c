/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Calls of half_client that make groups. */

#include "half_calls.h"

#include <stdlib.h>
#include <string.h>

#include "half_server.h"

/* What this process says to an invitation. */
static pmix_group_opt_t answer;
static bool claims;   /* it wants to lead when the leader is lost */
static bool dies;     /* it ends when it is invited */
static bool gives_up; /* its handlers abort */
static bool ended;    /* a construct, an invitation or a join has */

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    static pmix_info_t claim;
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
            (void) PMIx_Group_join_nb(info[i].value.data.string, source, answer, NULL, 0,
                                      half_on_infos, &ended);
        }
    }
    claims = claims && status == PMIX_GROUP_LEADER_FAILED;
    done(gives_up ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_EVENT_ACTION_COMPLETE, claims ? &claim : NULL,
         claims, NULL, NULL, cbdata);
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

static bool leads(void)
{
    return half.self.rank == 0;
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

/* --- invitations: the first invites both --- */

static void invite(void)
{
    pmix_info_t info[2];
    int seconds = HALF_TIMEOUT_S;
    bool yes = true;

    ended = false;
    listen();
    half_fence(half.here, 2, false);
    PMIX_INFO_LOAD(&info[0], PMIX_TIMEOUT, &seconds, PMIX_INT);
    PMIX_INFO_LOAD(&info[1], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    if (leads()) {
        (void) PMIx_Group_invite_nb("guests", half.here, 2, info, 2, half_on_infos, &ended);
    }
    half_client_until(&ended);
    (void) PMIx_Group_leave("guests", NULL, 0);
}

void half_invite_accept(void)
{
    answer = PMIX_GROUP_ACCEPT;
    invite();
}

void half_invite_decline(void)
{
    answer = PMIX_GROUP_DECLINE;
    invite();
}

void half_invite_abort(void)
{
    answer = PMIX_GROUP_ACCEPT;
    gives_up = leads();
    invite();
    gives_up = false;
}

/* The leader ends when the second has accepted. */
void half_invite_dies(void)
{
    bool done = false;

    answer = PMIX_GROUP_ACCEPT;
    claims = !leads();
    if (leads()) {
        pmix_proc_t procs[3] = {half.here[0], half.here[1], half.away};

        half_fence(half.here, 2, false);
        (void) PMIx_Group_invite_nb("guests", procs, 3, NULL, 0, half_on_infos, &ended);
        half_client_until(&done);
        half_client_die();
    }
    invite();
}

void half_invitee_dies(void)
{
    dies = !leads();
    invite();
}
