/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The first program: who am I, how many are we, who else is on this machine, and what has my
 * neighbour posted?
 *
 *     pmixrun -n 4 examples/hello
 *
 * Every answer but the fence is read from memory that the server has shared with us: at the end the
 * program shows that thousands of reads did not make it wait even once, as a single message to the
 * server would. */

#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROUNDS 1000

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "hello: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

/* Facts about the job as a whole are kept under the rank PMIX_RANK_WILDCARD. */
static pmix_value_t *get_of_job(const pmix_proc_t *me, const char *key)
{
    pmix_proc_t job;
    pmix_value_t *value;

    PMIX_LOAD_PROCID(&job, me->nspace, PMIX_RANK_WILDCARD);
    check(PMIx_Get(&job, key, NULL, 0, &value), key);
    return value;
}

static char *get_string(const pmix_proc_t *me, const char *key)
{
    pmix_value_t *value = get_of_job(me, key);
    char *text = strdup(value->data.string);

    PMIx_Value_free(value, 1); /* what PMIx_Get gives is ours to release */
    return text;
}

static uint32_t get_number(const pmix_proc_t *me, const char *key)
{
    pmix_value_t *value = get_of_job(me, key);
    uint32_t number = value->data.uint32;

    PMIx_Value_free(value, 1);
    return number;
}

/* What each process posts for the others. */
static void post_greeting(const pmix_proc_t *me)
{
    char text[64];
    pmix_value_t value;

    snprintf(text, sizeof(text), "greetings from rank %u", me->rank);
    check(PMIx_Value_load(&value, text, PMIX_STRING), "load");
    check(PMIx_Put(PMIX_GLOBAL, "hello.greeting", &value), "put"); /* PMIX_GLOBAL: for everybody */
    PMIx_Value_destruct(&value);
    check(PMIx_Commit(), "commit"); /* only now can others see it */
}

static char *read_greeting(const pmix_proc_t *of)
{
    pmix_value_t *value;

    check(PMIx_Get(of, "hello.greeting", NULL, 0, &value), "get the greeting");
    char *text = strdup(value->data.string);
    PMIx_Value_free(value, 1);
    return text;
}

/* How often this thread had to wait for something. */
static long times_waited(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

int main(void)
{
    pmix_proc_t me;
    pmix_proc_t neighbour;

    check(PMIx_Init(&me, NULL, 0), "init (is this program started by pmixrun?)");
    post_greeting(&me);
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence"); /* until everybody has posted */

    uint32_t size = get_number(&me, PMIX_JOB_SIZE);
    char *peers = get_string(&me, PMIX_LOCAL_PEERS); /* ranks on this node: "0,1,2,3" */
    pmix_value_t *node;
    check(PMIx_Get(&me, PMIX_HOSTNAME, NULL, 0, &node),
          PMIX_HOSTNAME); /* about one process: its own rank */
    PMIX_LOAD_PROCID(&neighbour, me.nspace, (me.rank + 1) % size);
    char *greeting = read_greeting(&neighbour);

    long before = times_waited();
    for (int i = 0; i < ROUNDS; i++) {
        (void) get_number(&me, PMIX_JOB_SIZE);
        free(get_string(&me, PMIX_LOCAL_PEERS));
        free(read_greeting(&neighbour));
    }
    long waited = times_waited() - before;

    /* One printf, so that the line stays whole. */
    printf("rank %u of %u on %s, peers %s; rank %u says \"%s\"; %d reads, %s\n", me.rank, size,
           node->data.string, peers, neighbour.rank, greeting, 3 * ROUNDS,
           waited == 0 ? "none took a message" : "but some had to wait");
    PMIx_Value_free(node, 1);
    free(peers);
    free(greeting);
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
