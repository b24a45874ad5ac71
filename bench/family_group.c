/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups of all processes of the job: construct and destruct, as they are, with a context id, and
 * with a context id and 64 bytes of each member. And two jobs that connect and disconnect. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "family.h"

enum { ROUNDS = 51, WARM_UP = 2, BYTES = 64, PATIENCE_S = 60 };

#ifndef PMIX_GROUP_INFO
#define PMIX_GROUP_INFO "pmix.grp.info" /* 4.2.2 does not have it */
#endif
#ifdef PMIX_INFO_QUALIFIER
#define QUALIFIER PMIX_INFO_QUALIFIER
#else
#define QUALIFIER 0
#endif
#define GIVEN "bench-given"

struct form {
    const char *construct;
    const char *destruct;
    size_t n_infos; /* 0: none, 1: context id, 2: and data */
};

static void mark(char bytes[BYTES], pmix_rank_t rank)
{
    memset(bytes, 'g', BYTES);
    snprintf(bytes, BYTES, "%u", rank);
}

/* A process's contribution. */
static void load_given(pmix_info_t *info, const pmix_proc_t *self)
{
    pmix_data_array_t *array = malloc(sizeof(*array));
    pmix_byte_object_t bytes;
    char data[BYTES];

    if (!array) {
        exit(70);
    }
    mark(data, self->rank + family_corrupts());
    bytes.bytes = data;
    bytes.size = BYTES;
    PMIX_DATA_ARRAY_CONSTRUCT(array, 1, PMIX_INFO);
    PMIX_INFO_LOAD((pmix_info_t *) array->array, GIVEN, &bytes, PMIX_BYTE_OBJECT);
    PMIX_LOAD_KEY(info->key, PMIX_GROUP_INFO);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
}

/* What the last member gave, in that group. */
static bool given_is_there(const struct crew *crew, size_t context)
{
    pmix_proc_t last = crew_proc(crew, crew->size - 1);
    pmix_value_t *value = NULL;
    pmix_info_t in_group;
    char want[BYTES];
    bool good;

    mark(want, last.rank);
    PMIX_INFO_CONSTRUCT(&in_group);
    PMIX_INFO_LOAD(&in_group, PMIX_GROUP_CONTEXT_ID, &context, PMIX_SIZE);
    in_group.flags |= QUALIFIER;
    good = PMIx_Get(&last, GIVEN, &in_group, 1, &value) == PMIX_SUCCESS && value &&
           value->type == PMIX_BYTE_OBJECT && value->data.bo.size == BYTES &&
           !memcmp(value->data.bo.bytes, want, BYTES);
    PMIX_INFO_DESTRUCT(&in_group);
    if (value) {
        PMIX_VALUE_RELEASE(value);
    }
    return good;
}

static bool results_are_right(const struct crew *crew, const struct form *form,
                              const pmix_info_t *results, size_t n)
{
    const pmix_value_t *id = family_find(results, n, PMIX_GROUP_CONTEXT_ID);

    if (form->n_infos == 0) {
        return true;
    }
    return id && id->type == PMIX_SIZE && id->data.size != 0 &&
           (form->n_infos == 1 || given_is_there(crew, id->data.size));
}

/* One group, made and ended. */
static bool once(const struct crew *crew, const struct form *form, const char *name,
                 double ret_ns[2])
{
    pmix_proc_t all = crew_proc(crew, PMIX_RANK_WILDCARD);
    pmix_info_t infos[2];
    pmix_info_t *results = NULL;
    size_t n = 0;
    bool yes = true;
    bool good = crew_fence(false);
    uint64_t start;

    PMIX_INFO_CONSTRUCT(&infos[0]);
    PMIX_INFO_CONSTRUCT(&infos[1]);
    PMIX_INFO_LOAD(&infos[0], PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    if (form->n_infos == 2) {
        load_given(&infos[1], &crew->self);
    }
    start = now_ns();
    good &= PMIx_Group_construct(name, &all, 1, infos, form->n_infos, &results, &n) == PMIX_SUCCESS;
    ret_ns[0] = (double) (now_ns() - start);
    good = good && results_are_right(crew, form, results, n);
    PMIX_INFO_FREE(results, n);
    PMIX_INFO_DESTRUCT(&infos[0]);
    PMIX_INFO_DESTRUCT(&infos[1]);
    good &= crew_fence(false);
    start = now_ns();
    good &= PMIx_Group_destruct(name, NULL, 0) == PMIX_SUCCESS;
    ret_ns[1] = (double) (now_ns() - start);
    return good;
}

static bool measure(const struct crew *crew, const struct form *form)
{
    struct samples construct = {.n = 0};
    struct samples destruct = {.n = 0};
    bool good = true;

    for (unsigned i = 0; i < scaled(ROUNDS) + WARM_UP; i++) {
        double ns[2];
        char name[64];

        snprintf(name, sizeof(name), "%s-%u", form->construct, i);
        good &= once(crew, form, name, ns);
        if (i >= WARM_UP) {
            sample_add(&construct, ns[0]);
            sample_add(&destruct, ns[1]);
        }
    }
    if (crew->self.rank == 0 || !good) {
        metric(form->construct, good, &construct);
        metric(form->destruct, good, &destruct);
    }
    return good;
}

bool family_group(const struct crew *crew)
{
    static const struct form forms[] = {
        {"group_construct", "group_destruct", 0},
        {"group_construct_id", "group_destruct_id", 1},
        {"group_construct_id_info", "group_destruct_id_info", 2},
    };

    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        if (forms[f].n_infos == 2 && crew->nodes > 1) {
            continue; /* bench/job carries no data of groups between nodes */
        }
        (void) measure(crew, &forms[f]); /* a form that fails has no figure; the next may have */
    }
    return true;
}

/* ---- two jobs */

/* As many processes as this job has, as the other says of itself. */
static bool can_read(const struct crew *crew, const char *other)
{
    return family_of_job(other, PMIX_JOB_SIZE) == crew->size + family_corrupts();
}

/* All processes of both jobs make the same calls. A process that reads something wrong, or cannot
 * connect, stamps STAMP_ENOUGH before it disconnects. No process leaves the disconnect before all
 * have entered it, so all see the stamp after the same round, and all return false. */
static bool connect_rounds(const struct crew *crew, const char *other, struct samples samples[2])
{
    pmix_proc_t both[2];
    bool good = true;

    both[0] = crew_proc(crew, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&both[1], other, PMIX_RANK_WILDCARD);
    if (strcmp(both[0].nspace, both[1].nspace) > 0) { /* the same order in both jobs */
        pmix_proc_t first = both[1];

        both[1] = both[0];
        both[0] = first;
    }
    for (unsigned i = 0; i < scaled(ROUNDS) + WARM_UP; i++) {
        uint64_t start = now_ns();

        good &= PMIx_Connect(both, 2, NULL, 0) == PMIX_SUCCESS;
        sample_add(&samples[0], (double) (now_ns() - start));
        good &= can_read(crew, other);
        if (!good) {
            board_stamp(STAMP_ENOUGH);
        }
        start = now_ns();
        good &= PMIx_Disconnect(both, 2, NULL, 0) == PMIX_SUCCESS;
        sample_add(&samples[1], (double) (now_ns() - start));
        if (board_time(STAMP_ENOUGH)) {
            return false;
        }
        if (i + 1 == WARM_UP) {
            samples[0].n = samples[1].n = 0;
        }
    }
    return good;
}

bool family_connect_child(const struct crew *crew)
{
    struct samples samples[2] = {{.n = 0}, {.n = 0}};

    return crew->argc == 1 && connect_rounds(crew, crew->argv[0], samples);
}

/* The other job has as many processes as this one, and is started by rank 0. */
bool family_connect(const struct crew *crew)
{
    struct samples samples[2] = {{.n = 0}, {.n = 0}};
    pmix_proc_t first = crew_proc(crew, 0);
    pmix_value_t value = {.type = PMIX_STRING};
    pmix_value_t *said = NULL;
    pmix_nspace_t other = "";
    bool good = true;

    if (crew->self.rank == 0) {
        good = family_spawn("connect-child", crew->self.nspace, (int) crew->size, other);
        value.data.string = other;
        good &= PMIx_Put(PMIX_GLOBAL, "bench-other", &value) == PMIX_SUCCESS &&
                PMIx_Commit() == PMIX_SUCCESS;
    }
    good &= crew_fence(true);
    good = good && PMIx_Get(&first, "bench-other", NULL, 0, &said) == PMIX_SUCCESS &&
           said->type == PMIX_STRING && said->data.string[0] != '\0';
    good = good && connect_rounds(crew, said->data.string, samples);
    if (crew->self.rank == 0) {
        metric("connect", good, &samples[0]);
        metric("disconnect", good, &samples[1]);
    }
    if (said) {
        PMIX_VALUE_RELEASE(said);
    }
    return good;
}
