/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Random registrations and random reads, at every level, of the own namespace and of others that
 * come and go, against a model: what a host says follows from the seed (--seed repeats a run), so
 * everybody knows what there must be. Half of the processes have no segment. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum level { JOB, SESSION, APP, NODE, PROC, LEVELS };
enum { ROUNDS = 4, OTHERS = 5, PLACES = 4, KEYS = 12, QUESTIONS = 300 };

static const char *const level_names[LEVELS] = {"job", "session", "app", "node", "proc"};

/* ---- the model: one of PLACES of a level has a key or not, and then a number or a text */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t cell(const char *nspace, enum level level, uint32_t place, uint32_t key)
{
    return mix(hash_text(nspace) ^
               mix(board->seed + ((uint64_t) level << 40) + ((uint64_t) place << 20) + key));
}

static uint32_t session_of(const char *nspace)
{
    return (uint32_t) (hash_text(nspace) % 100000);
}

static bool is_there(uint64_t c)
{
    return c % 3 > 0;
}

static const char *cell_text(uint64_t c, char *to, size_t room)
{
    if (c % 2 == 0) {
        snprintf(to, room, "%u", (uint32_t) (c >> 32));
    } else {
        snprintf(to, room, "%.*s%u", (int) (c >> 8) % 40,
                 "a text that is long for some of the values", (uint32_t) (c >> 40));
    }
    return to;
}

static void name_key(enum level level, uint32_t key, char *to, size_t room)
{
    snprintf(to, room, "random.%s.%u", level_names[level], key);
}

/* ---- the host says it */

static void add_cells(struct infos *list, const char *nspace, enum level level, uint32_t place)
{
    char key[64];
    char text[64];

    for (uint32_t k = 0; k < KEYS; k++) {
        uint64_t c = cell(nspace, level, place, k);

        name_key(level, k, key, sizeof(key));
        if (is_there(c) && c % 2 == 0) {
            add_u32(list, key, (uint32_t) (c >> 32));
        } else if (is_there(c)) {
            add_text(list, key, cell_text(c, text, sizeof(text)));
        }
    }
}

static void add_level(struct infos *list, const char *nspace, enum level level)
{
    static const char *const arrays[LEVELS] = {PMIX_JOB_INFO_ARRAY, PMIX_SESSION_INFO_ARRAY,
                                               PMIX_APP_INFO_ARRAY, PMIX_NODE_INFO_ARRAY,
                                               PMIX_PROC_INFO_ARRAY};

    for (uint32_t place = 0; place < (level <= SESSION ? 1 : PLACES); place++) {
        struct infos inner = {0};

        if (level == SESSION) {
            add_u32(&inner, PMIX_SESSION_ID, session_of(nspace));
        } else if (level == APP) {
            add_u32(&inner, PMIX_APPNUM, place);
        } else if (level == NODE) {
            add_text(&inner, PMIX_HOSTNAME, node_name((int) place));
        } else if (level == PROC) {
            add(&inner, PMIX_RANK, &place, PMIX_PROC_RANK);
        }
        add_cells(&inner, nspace, level, place);
        add_array(list, arrays[level], &inner);
    }
}

static void add_random(const struct job *job, struct infos *list)
{
    for (enum level level = JOB; level < LEVELS; level++) {
        add_level(list, job->name, level);
    }
}

static void name_other(int round, int i, pmix_nspace_t to)
{
    memset(to, 0, sizeof(pmix_nspace_t));
    snprintf(to, sizeof(pmix_nspace_t), "other.%d.%d", round, i);
}

static void note_end(pmix_status_t status, void *cbdata)
{
    check_status(PMIX_SUCCESS, status, "%s", (const char *) cbdata);
    tell(cbdata);
}

static void host(void)
{
    static char come[] = "come";
    static char gone[] = "gone";
    pmix_nspace_t name;
    char step[32];

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < OTHERS; i++) {
            struct infos list = {0};
            struct job job = {.name = name};

            name_other(round, i, name);
            add_u32(&list, PMIX_JOB_SIZE, PLACES);
            add_random(&job, &list);
            check_status(PMIX_SUCCESS,
                         PMIx_server_register_nspace(name, 0, list.at, list.n, note_end, come),
                         "register");
            await_n(come, round * OTHERS + i + 1);
            free_infos(&list);
        }
        snprintf(step, sizeof(step), "round %d", round);
        tell(step);
        snprintf(step, sizeof(step), "read %d", round);
        await_n(step, job_size(find_job("A")));
        for (int i = 0; i < OTHERS - 1; i++) {
            name_other(round, i, name);
            PMIx_server_deregister_nspace(name, note_end, gone);
        }
        await_n(gone, (round + 1) * (OTHERS - 1));
    }
}

/* ---- and processes ask */

static uint32_t next(uint64_t *rng)
{
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (*rng >> 33);
}

static void ask(const char *nspace, enum level level, uint32_t place, uint32_t k)
{
    static const char *const directives[LEVELS] = {PMIX_JOB_INFO, PMIX_SESSION_INFO, PMIX_APP_INFO,
                                                   PMIX_NODE_INFO, NULL};
    uint64_t c = cell(nspace, level, place, k);
    struct infos list = {0};
    char key[64];
    char text[64];

    name_key(level, k, key, sizeof(key));
    add_true(&list, PMIX_IMMEDIATE);
    if (directives[level] != NULL) {
        add_true(&list, directives[level]);
    }
    if (level == SESSION) {
        add_u32(&list, PMIX_SESSION_ID, session_of(nspace));
    } else if (level == APP) {
        add_u32(&list, PMIX_APPNUM, place);
    } else if (level == NODE) {
        add_text(&list, PMIX_HOSTNAME, node_name((int) place));
    }
    same(is_there(c) ? cell_text(c, text, sizeof(text)) : "-46",
         got(nspace, level == PROC ? place : PMIX_RANK_WILDCARD, key, list.at, list.n),
         "%s %u of %s: %s", level_names[level], place, nspace, key);
    free_infos(&list);
}

/* Of the own namespace, of this round's others, of those that have stayed from rounds before. */
static void ask_some(uint64_t *rng, int round)
{
    for (int i = 0; i < QUESTIONS; i++) {
        uint32_t which = next(rng) % (OTHERS + 2);
        enum level level = next(rng) % LEVELS;
        uint32_t place = level <= SESSION ? 0 : next(rng) % PLACES;
        pmix_nspace_t name = "A";

        if (which < OTHERS) {
            name_other(round, (int) which, name);
        } else if (which == OTHERS && round > 0) {
            name_other((int) (next(rng) % (uint32_t) round), OTHERS - 1, name);
        }
        ask(name, level, place, next(rng) % KEYS);
    }
}

static void live(void)
{
    uint64_t rng = board->seed + me.rank;
    char step[32];

    if (me.rank % 2 == 1) {
        setenv("PMIX_MCA_gds", "hash", 1);
    }
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    for (int round = 0; round < ROUNDS; round++) {
        snprintf(step, sizeof(step), "round %d", round);
        await(step);
        ask_some(&rng, round);
        snprintf(step, sizeof(step), "read %d", round);
        tell(step);
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

const struct conform_case cases[] = {
    {.ids = "GET-002",
     .what = "what is registered at random is read by everybody, in both forms",
     .ranks = 4,
     .setup = add_random,
     .client = live,
     .script = host,
     .raw = true},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
