/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_ATTACKS_PRIV_H
#define PX_BENCH_ATTACKS_PRIV_H

/* The inside of the attacks, shared by attacks.c, attacks_by_hand.c and attacks_groups.c only. */

#include "attacks.h"

enum { NAMES = 125000, BATCH = 1000 };

/* The attacking process. */
extern pmix_proc_t attack_self;
extern struct attack_state *attack_state;

/* Counts a call, with the status that it returned. */
void attack_count(pmix_status_t rc);
/* Counts a status that comes later than its call. */
void attack_note(pmix_status_t status);
/* Posts a few bytes, and returns when the server has handled all earlier requests. */
void attack_post(void);

/* attacks_by_hand.c: connections by AF_UNIX and by TCP that send nothing, or an introduction
 * without its end; and further connections under this process's name. */
void attack_silent(void);
void attack_silent_tcp(void);
void attack_unfinished(void);
void attack_further(void);
/* Gets that wait: of a process on another node, each with an upcall of its own, of rank 1, of any
 * rank, and of processes of ATTACKED_JOB. */
void attack_far_gets(void);
void attack_near_gets(void);
void attack_any_gets(void);
void attack_job_gets(void);
/* Posts values and deletes them, with the most deletions that fit into a message. */
void attack_deletions(void);

/* attacks_groups.c: a group of as many members as fit, constructed and destructed, and the same
 * with the members in the reverse order; a fence of processes of as many jobs as it may name, in
 * the reverse order; and the names of as many groups as there can be, and the members of one, asked
 * for. */
void attack_large_groups(void);
void attack_large_groups_in_any_order(void);
void attack_names_in_any_order(void);
void attack_names(void);

#endif
