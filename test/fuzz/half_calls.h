/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_HALF_CALLS_H
#define PX_TEST_FUZZ_HALF_CALLS_H

/* The calls of half_client, in the files that have them. For half_client.c and those files. */

#include <stdbool.h>
#include <stdint.h>

#include <pmix.h>

/* Seconds after which a call without an answer is to end. */
enum { HALF_TIMEOUT_S = 1 };

/* Set by half_client_start. */
struct half_names {
    pmix_proc_t self;
    pmix_proc_t all;     /* of the job */
    pmix_proc_t here[2]; /* its processes of this node */
    pmix_proc_t away;
    pmix_proc_t other; /* of another job, on this node */
    bool tool;
    const char *uri; /* of the server; a tool's only */
};
extern struct half_names half;

/* Ends the process without PMIx_Finalize, if it is one that may (half_client_mortal). */
void half_client_die(void);

/* Makes the server say something until *done, at most some times: what it sends without being asked
 * comes before a reply. */
void half_client_until(const bool *done);

/* A get with a time limit and one directive (NULL: PMIX_IMMEDIATE); the value is dropped. */
void half_get(const pmix_proc_t *proc, const char *key, const char *directive);

/* A fence with a time limit; a tool has no part in any. */
void half_fence(const pmix_proc_t *procs, size_t n, bool collects);

/* An event handler that has nothing to say. */
void half_on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t results[], size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata);

/* Takes output and does nothing with it. */
void half_on_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                    pmix_byte_object_t *payload, pmix_info_t info[], size_t ninfo);

/* The end of a call that answers with infos: releases them and sets the bool that cbdata points to
 * (NULL: none). */
void half_on_infos(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                   pmix_release_cbfunc_t release, void *release_cbdata);

/* half_reads.c */
void half_get_nb(void);
void half_get_job(void);
void half_get_quals(void);
void half_get_names(void);
void half_delete(void);
void half_internal(void);
void half_large(void);
void half_fences(void);
void half_monitor(void);
void half_tool_servers(void);
void half_ask_all(void);
void half_more_calls(void);
void half_get_plain(void);
void half_get_local(void);
void half_tool_output(void);

/* half_groups.c */
void half_group_info(void);
void half_group_parts(void);
void half_group_added(void);
void half_group_names(void);
void half_group_dies(void);
void half_group_far(void);
void half_group_leader_dies(void);
void half_group_excused(void);
void half_invite_accept(void);
void half_invite_decline(void);
void half_invite_abort(void);
void half_invite_dies(void);
void half_invitee_dies(void);
void half_group_range(void);
void half_invite_gives(void);
void half_invite_all(void);
void half_invite_leads(void);
void half_invite_follows(void);
void half_invite_gives_up(void);

/* half_more.c */
void half_long_put(void);
void half_long_calls(void);
void half_long_range(void);
void half_group_order(void);
void half_group_many(void);
void half_get_any(void);
void half_tool_waits(void);
void half_spawn_more(void);
void half_tool_renews(void);
void half_tool_searches(void);

#endif
