/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Posting values and reading those of others.
 *
 *     pmixrun -n 3 examples/put_get
 *
 * PMIx_Put collects values, PMIx_Commit makes them visible, all at once. There is no fence here:
 * PMIx_Get of a value that its owner has not committed yet waits until it has. */

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "put_get: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

static void put(pmix_scope_t scope, const char *key, const void *data, pmix_data_type_t type)
{
    pmix_value_t value;

    check(PMIx_Value_load(&value, data, type), "load");
    check(PMIx_Put(scope, key, &value), key);
    PMIx_Value_destruct(&value); /* Put has made its own copy */
}

/* Values of any type go through the same two calls. */
static void post(pmix_rank_t rank)
{
    uint32_t number = 1000 + rank;
    double ratio = 0.5 * rank;
    char bytes[3] = {1, 2, (char) rank};
    pmix_byte_object_t blob = {.bytes = bytes, .size = sizeof(bytes)};

    put(PMIX_GLOBAL, "example.number", &number, PMIX_UINT32);
    put(PMIX_LOCAL, "example.ratio", &ratio, PMIX_DOUBLE); /* for processes on this node only */
    put(PMIX_GLOBAL, "example.blob", &blob, PMIX_BYTE_OBJECT);
    put(PMIX_INTERNAL, "example.secret", "mine", PMIX_STRING); /* for nobody else */
    check(PMIx_Commit(), "commit");
}

static void read_from(const pmix_proc_t *peer)
{
    pmix_value_t *value;

    check(PMIx_Get(peer, "example.number", NULL, 0, &value), "get a number");
    if (value->type != PMIX_UINT32 || value->data.uint32 != 1000 + peer->rank) {
        check(PMIX_ERR_DATA_VALUE_NOT_FOUND, "the number is wrong");
    }
    PMIx_Value_free(value, 1);

    check(PMIx_Get(peer, "example.blob", NULL, 0, &value), "get bytes");
    if (value->data.bo.size != 3 || value->data.bo.bytes[2] != (char) peer->rank) {
        check(PMIX_ERR_DATA_VALUE_NOT_FOUND, "the bytes are wrong");
    }
    PMIx_Value_free(value, 1);
}

/* What was put for this node can be read of the processes of this node. */
static void read_neighbours(const pmix_proc_t *me)
{
    pmix_proc_t *neighbours;
    size_t n;

    check(PMIx_Resolve_peers(NULL, me->nspace, &neighbours, &n), "who is on this node");
    for (size_t i = 0; i < n; i++) {
        pmix_value_t *value;

        check(PMIx_Get(&neighbours[i], "example.ratio", NULL, 0, &value), "get a double");
        if (value->type != PMIX_DOUBLE || value->data.dval != 0.5 * neighbours[i].rank) {
            check(PMIX_ERR_DATA_VALUE_NOT_FOUND, "the ratio is wrong");
        }
        PMIx_Value_free(value, 1);
    }
    PMIx_Proc_free(neighbours, n);
}

/* PMIX_IMMEDIATE: say at once whether it is there, instead of waiting for it. */
static void read_what_nobody_posts(const pmix_proc_t *peer)
{
    bool yes = true;
    pmix_info_t *now = PMIx_Info_create(1);
    pmix_value_t *value;

    check(PMIx_Info_load(&now[0], PMIX_IMMEDIATE, &yes, PMIX_BOOL), "load");
    if (PMIx_Get(peer, "example.nothing", now, 1, &value) == PMIX_SUCCESS) {
        check(PMIX_ERR_DUPLICATE_KEY, "somebody has posted what nobody posts");
    }
    PMIx_Info_free(now, 1);
}

int main(void)
{
    pmix_proc_t me;
    pmix_proc_t job;
    pmix_proc_t peer;
    pmix_value_t *value;

    check(PMIx_Init(&me, NULL, 0), "init (is this program started by pmixrun?)");
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    check(PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value), "get the size");
    uint32_t size = value->data.uint32;
    PMIx_Value_free(value, 1);

    post(me.rank);
    for (pmix_rank_t rank = 0; rank < size; rank++) {
        PMIX_LOAD_PROCID(&peer, me.nspace, rank);
        read_from(&peer);
    }
    read_neighbours(&me);
    read_what_nobody_posts(&me);

    printf("rank %u has read the values of %u processes\n", me.rank, size);
    /* Nobody leaves while another may still be reading. */
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence");
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
