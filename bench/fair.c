/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "fair.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "measure.h"

enum { BUFFERS = 16, ABSENT = 8, ROUNDS_MAX = 64 };

static uint16_t local_ranks[JOB_RANKS];
static char localities[FULL_NODE][LOCALITY]; /* by local rank */

static uint32_t is_local(unsigned rank)
{
    return local_ranks[rank];
}

static uint32_t is_zero(unsigned rank)
{
    (void) rank;
    return 0;
}

static uint32_t is_rank(unsigned rank)
{
    return rank;
}

/* Numbers of a rank, and their values. PMIX_NODEID and PMIX_GLOBAL_RANK are left out: 4.2.2 does
 * not find them for all ranks. */
static const struct {
    const char *key;
    pmix_data_type_t type;
    uint32_t (*want)(unsigned rank);
} of_ranks[] = {
    {PMIX_LOCAL_RANK, PMIX_UINT16, is_local},
    {PMIX_NODE_RANK, PMIX_UINT16, is_local},
    {PMIX_APPNUM, PMIX_UINT32, is_zero},
    {PMIX_APP_RANK, PMIX_PROC_RANK, is_rank},
};
/* Numbers of the job, all PMIX_UINT32, and their values. */
static const struct {
    const char *key;
    uint32_t want;
} of_job[] = {
    {PMIX_JOB_SIZE, JOB_RANKS},
    {PMIX_UNIV_SIZE, JOB_RANKS},
    {PMIX_MAX_PROCS, JOB_RANKS},
    {PMIX_NUM_NODES, JOB_NODES},
};

enum {
    N_OF_RANKS = sizeof(of_ranks) / sizeof(of_ranks[0]),
    N_OF_JOB = sizeof(of_job) / sizeof(of_job[0]),
    ANY_KEYS = N_OF_RANKS + 4 /* fair_any: one of of_ranks, the host name, three times of_job */
};

/* Arguments of the calls; each of BUFFERS copies has the same strings at other addresses. */
struct texts {
    pmix_proc_t proc;
    pmix_key_t of_ranks[N_OF_RANKS];
    pmix_key_t of_job[N_OF_JOB];
    pmix_key_t hostname;
    pmix_key_t locality;
    pmix_key_t absent[ABSENT];
    pmix_key_t local_size;
    pmix_key_t leader;
    char nodes[JOB_NODES][256];
};
static struct texts *places; /* BUFFERS; from fair_set_up to fair_tear_down */
static pmix_info_t as_static, as_pointer, optional;
static pmix_info_t on_node[JOB_NODES];
static struct {
    char keys[ROUNDS_MAX][64];
    unsigned rounds;
    size_t len;
} posted;

/* A pseudo-random number below `below` (xorshift, fixed seed). */
static uint32_t draw(uint32_t below)
{
    static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t) ((state >> 32) * below >> 32);
}

/* One of the copies, with that rank in its process name. */
static struct texts *somewhere(pmix_rank_t rank)
{
    struct texts *at = &places[draw(BUFFERS)];

    at->proc.rank = rank;
    return at;
}

static bool number_is(const pmix_value_t *value, pmix_data_type_t type, uint32_t want)
{
    return value->type == type &&
           (type == PMIX_UINT16 ? value->data.uint16 : value->data.uint32) == want;
}

static bool rank_number_is(const pmix_value_t *value, unsigned k, unsigned rank)
{
    return number_is(value, of_ranks[k].type, of_ranks[k].want(rank));
}

static bool get_number(const struct texts *at, const char *key, pmix_data_type_t type,
                       uint32_t want)
{
    pmix_value_t *value = NULL;
    bool good;

    if (PMIx_Get(&at->proc, key, NULL, 0, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = number_is(value, type, want);
    PMIX_VALUE_RELEASE(value);
    return good;
}

bool fair_job(unsigned i)
{
    const struct texts *at = somewhere(PMIX_RANK_WILDCARD);
    unsigned k = draw(N_OF_JOB);

    (void) i;
    return get_number(at, at->of_job[k], PMIX_UINT32, of_job[k].want);
}

static bool number_of(unsigned rank, unsigned k)
{
    const struct texts *at = somewhere(rank);

    return get_number(at, at->of_ranks[k], of_ranks[k].type, of_ranks[k].want(rank));
}

bool fair_number(unsigned i)
{
    (void) i;
    return number_of(draw(JOB_RANKS), draw(N_OF_RANKS));
}

static bool host_is(const pmix_value_t *value, unsigned rank)
{
    return value->type == PMIX_STRING && value->data.string &&
           !strcmp(value->data.string, places[0].nodes[node_of(rank)]);
}

static bool host_of(unsigned rank)
{
    const struct texts *at = somewhere(rank);
    pmix_value_t *value = NULL;
    bool good;

    if (PMIx_Get(&at->proc, at->hostname, NULL, 0, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = host_is(value, rank);
    PMIX_VALUE_RELEASE(value);
    return good;
}

static bool locality_of_rank(unsigned rank)
{
    const struct texts *at = somewhere(rank);
    pmix_value_t *value = NULL;
    bool good;

    if (PMIx_Get(&at->proc, at->locality, NULL, 0, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = value->type == PMIX_STRING && value->data.string &&
           !strcmp(value->data.string, localities[local_ranks[rank]]);
    PMIX_VALUE_RELEASE(value);
    return good;
}

/* Draws the rank, then the key: host name (some 12 bytes) or locality string (some 30). */
bool fair_string(unsigned i)
{
    unsigned rank = draw(JOB_RANKS);

    (void) i;
    return draw(2) ? locality_of_rank(rank) : host_of(rank);
}

bool fair_any(unsigned i)
{
    unsigned rank = draw(JOB_RANKS);
    unsigned k = draw(ANY_KEYS);

    if (k > N_OF_RANKS) {
        return fair_job(i);
    }
    return k < N_OF_RANKS ? number_of(rank, k) : host_of(rank);
}

bool fair_static(unsigned i)
{
    unsigned rank = draw(JOB_RANKS);
    unsigned k = draw(N_OF_RANKS);
    const struct texts *at = somewhere(rank);
    pmix_value_t storage = {.type = PMIX_UNDEF};
    pmix_value_t *value = &storage;

    (void) i;
    return PMIx_Get(&at->proc, at->of_ranks[k], &as_static, 1, &value) == PMIX_SUCCESS &&
           value == &storage && rank_number_is(&storage, k, rank);
}

/* True if the library honours PMIX_GET_POINTER_VALUES: two gets of one value then return the same
 * pointer, otherwise two copies. */
static bool honours_pointers(void)
{
    static int known = -1;
    pmix_value_t *values[2] = {NULL, NULL};

    for (unsigned n = 0; n < 2 && known < 0; n++) {
        (void) PMIx_Get(&somewhere(0)->proc, PMIX_HOSTNAME, &as_pointer, 1, &values[n]);
    }
    known = known < 0 ? values[0] && values[0] == values[1] : known;
    return known;
}

static bool by_pointer(unsigned rank, unsigned k)
{
    const struct texts *at = somewhere(rank);
    const char *key = k < N_OF_RANKS ? at->of_ranks[k] : at->hostname;
    pmix_value_t *value = NULL;

    if (PMIx_Get(&at->proc, key, &as_pointer, 1, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    return k < N_OF_RANKS ? rank_number_is(value, k, rank) : host_is(value, rank);
}

bool fair_pointer(unsigned i)
{
    (void) i;
    return honours_pointers() && by_pointer(draw(JOB_RANKS), draw(N_OF_RANKS + 1));
}

bool fair_miss(unsigned i)
{
    const struct texts *at = somewhere(draw(JOB_RANKS));
    pmix_value_t *value = NULL;

    (void) i;
    return PMIx_Get(&at->proc, at->absent[draw(ABSENT)], &optional, 1, &value) ==
           PMIX_ERR_NOT_FOUND;
}

static unsigned ranks_on(unsigned node)
{
    return node == 0 ? LOCAL_CLIENTS : node < JOB_NODES - 1 ? FULL_NODE : LAST_NODE;
}

static unsigned first_on(unsigned node)
{
    return node == 0 ? 0 : LOCAL_CLIENTS + (node - 1) * FULL_NODE;
}

/* Draws the node, then the number: how many processes it has, or the lowest rank of them. */
bool fair_node(unsigned i)
{
    unsigned node = draw(JOB_NODES);
    bool size = draw(2) == 0;
    const struct texts *at = somewhere(PMIX_RANK_WILDCARD);
    const char *key = size ? at->local_size : at->leader;
    pmix_value_t *value = NULL;
    bool good;

    (void) i;
    if (PMIx_Get(&at->proc, key, &on_node[node], 1, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = size ? number_is(value, PMIX_UINT32, ranks_on(node))
                : number_is(value, PMIX_PROC_RANK, first_on(node));
    PMIX_VALUE_RELEASE(value);
    return good;
}

bool fair_peers(unsigned i)
{
    unsigned node = draw(JOB_NODES);
    const struct texts *at = somewhere(0);
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    bool good = PMIx_Resolve_peers(at->nodes[node], at->proc.nspace, &procs, &n) == PMIX_SUCCESS &&
                n == ranks_on(node) && node_of(procs[0].rank) == node &&
                node_of(procs[n - 1].rank) == node;

    (void) i;
    PMIX_PROC_FREE(procs, n);
    return good;
}

void fair_set_posted(const char *prefix, unsigned rounds, size_t len)
{
    posted.rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
    posted.len = len;
    for (unsigned r = 0; r < posted.rounds; r++) {
        snprintf(posted.keys[r], sizeof(posted.keys[r]), "%s-%u", prefix, r);
    }
}

bool fair_posted(unsigned i)
{
    unsigned round = draw(posted.rounds);
    const struct texts *at = somewhere(draw(LOCAL_CLIENTS));
    char mark = (char) (at->proc.rank + round);
    pmix_value_t *value = NULL;
    bool good;

    (void) i;
    if (PMIx_Get(&at->proc, posted.keys[round], NULL, 0, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == posted.len &&
           value->data.bo.bytes[0] == mark && value->data.bo.bytes[posted.len - 1] == mark;
    PMIX_VALUE_RELEASE(value);
    return good;
}

static void flag(pmix_info_t *info, const char *key)
{
    bool yes = true;

    PMIX_INFO_CONSTRUCT(info);
    PMIX_INFO_LOAD(info, key, &yes, PMIX_BOOL);
}

static void fill(struct texts *at, const pmix_proc_t *self, const char (*nodes)[256])
{
    at->proc = *self;
    PMIX_LOAD_KEY(at->hostname, PMIX_HOSTNAME);
    PMIX_LOAD_KEY(at->locality, PMIX_LOCALITY_STRING);
    PMIX_LOAD_KEY(at->local_size, PMIX_LOCAL_SIZE);
    PMIX_LOAD_KEY(at->leader, PMIX_LOCALLDR);
    for (unsigned k = 0; k < N_OF_RANKS; k++) {
        PMIX_LOAD_KEY(at->of_ranks[k], of_ranks[k].key);
    }
    for (unsigned k = 0; k < N_OF_JOB; k++) {
        PMIX_LOAD_KEY(at->of_job[k], of_job[k].key);
    }
    for (unsigned k = 0; k < ABSENT; k++) {
        snprintf(at->absent[k], sizeof(at->absent[k]), "bench-nobody-has-%u", k);
    }
    memcpy(at->nodes, nodes, sizeof(at->nodes));
}

void fair_set_up(const pmix_proc_t *self, const char (*nodes)[256])
{
    places = calloc(BUFFERS, sizeof(*places));
    if (!places) {
        exit(70);
    }
    for (unsigned b = 0; b < BUFFERS; b++) {
        fill(&places[b], self, nodes);
    }
    for (unsigned r = 0; r < JOB_RANKS; r++) {
        local_ranks[r] = (uint16_t) local_rank_of(r);
    }
    for (unsigned l = 0; l < FULL_NODE; l++) {
        locality_of(l, localities[l]);
    }
    flag(&as_static, PMIX_GET_STATIC_VALUES);
    flag(&as_pointer, PMIX_GET_POINTER_VALUES);
    flag(&optional, PMIX_OPTIONAL);
    for (unsigned n = 0; n < JOB_NODES; n++) {
        PMIX_INFO_CONSTRUCT(&on_node[n]);
        PMIX_INFO_LOAD(&on_node[n], PMIX_HOSTNAME, nodes[n], PMIX_STRING);
    }
}

void fair_tear_down(void)
{
    for (unsigned n = 0; n < JOB_NODES; n++) {
        PMIX_INFO_DESTRUCT(&on_node[n]);
    }
    free(places);
}
