/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the parts of `across` share. */

#ifndef PX_TEST_T_ACROSS_H
#define PX_TEST_T_ACROSS_H

#include <pmix.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

extern pmix_proc_t me;
extern uint32_t size;
extern uint32_t n_nodes;
extern int failures;
extern char *program;

/* What came of a call that does not block. */
struct answer {
    bool come;
    pmix_status_t status;
    uint32_t number;
};

extern pthread_mutex_t lock; /* answers, and what was heard */
extern pthread_cond_t more;

/* What is wrong is told and counted; what must be ends the process. */
void expect(bool holds, const char *what);
void is(pmix_status_t want, pmix_status_t got, const char *what);
void must(pmix_status_t rc, const char *what);
uint32_t per_node(void);
uint32_t node_of(uint32_t rank);
double now(void);
void fence(bool collect);
void put(pmix_scope_t scope, const char *key, uint32_t number);
/* A number, with one directive: a flag, a number of seconds, or none (NULL). */
pmix_status_t get(uint32_t rank, const char *key, const char *how, int seconds, uint32_t *ret);
uint32_t number(uint32_t rank, const char *key);

/* For the others to hear of; and until all of them have told it. */
void tell(const char *what);
void hear(const char *what);

/* Callbacks of calls that do not block, and the wait for them. */
void answered(struct answer *answer, pmix_status_t status, const pmix_value_t *value);
struct answer wait_for(const struct answer *answer);
void got(pmix_status_t status, pmix_value_t *value, void *cbdata);
void ended(pmix_status_t status, void *cbdata);
void found(pmix_status_t status, pmix_pdata_t data[], size_t n, void *cbdata);

/* in across_jobs.c */
void act_events(void);
void act_monitor(void);
void act_publish(void);
void act_group(void);
void act_lost(void);
void act_timeout(void);
void act_connect(void);
void act_child(void);
void act_stay(void);

/* in across_over.c */
void act_over(void);
void act_brief(void);
void act_nothing(void);

#endif
