/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "groups.h"

#include "answers.h"
#include "calls.h"

#include <pthread.h>
#include <stdio.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over;
    struct made made;
} op = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static struct made read_results(pmix_status_t status, const pmix_info_t *info, size_t n)
{
    struct made made = {.status = status};

    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            snprintf(made.members, sizeof(made.members), "%s", text_of(&info[i].value));
            made.n_lists++;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_CONTEXT_ID)) {
            check(info[i].value.type == PMIX_SIZE, "a context id is a size");
            made.id = info[i].value.data.size;
            made.n_ids++;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_INFO)) {
            made.n_given++;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_INFO_ARRAY)) {
            made.n_given += (int) info[i].value.data.darray->size;
        }
    }
    return made;
}

struct made make_group(const char *name, const pmix_proc_t *procs, size_t n, struct infos *list)
{
    struct infos none = {0};
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc;
    struct made made;

    list = list != NULL ? list : &none;
    rc = PMIx_Group_construct(name, procs, n, list->at, list->n, &results, &n_results);
    made = read_results(rc, results, n_results);
    PMIX_INFO_FREE(results, n_results);
    free_infos(list);
    return made;
}

static void constructed(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                        pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) cbdata;
    pthread_mutex_lock(&op.lock);
    op.made = read_results(status, info, n);
    op.over = true;
    pthread_cond_signal(&op.ended);
    pthread_mutex_unlock(&op.lock);
    if (release != NULL) {
        release(release_cbdata);
    }
}

void begin_group(const char *name, const pmix_proc_t *procs, size_t n, struct infos *list)
{
    struct infos none = {0};

    list = list != NULL ? list : &none;
    check_status(PMIX_SUCCESS,
                 PMIx_Group_construct_nb(name, procs, n, list->at, list->n, constructed, NULL),
                 "construct %s", name);
    free_infos(list);
    (void) group_is_made();
}

bool group_is_made(void)
{
    bool over;

    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
    pthread_mutex_lock(&op.lock);
    over = op.over;
    pthread_mutex_unlock(&op.lock);
    return over;
}

struct made await_group(void)
{
    struct made made;

    pthread_mutex_lock(&op.lock);
    while (!op.over) {
        pthread_cond_wait(&op.ended, &op.lock);
    }
    op.over = false;
    made = op.made;
    pthread_mutex_unlock(&op.lock);
    return made;
}

size_t all_from(pmix_rank_t first, pmix_proc_t *procs)
{
    pmix_rank_t n = (pmix_rank_t) job_size(find_job("A"));

    for (pmix_rank_t i = 0; i < n; i++) {
        procs[i] = process("A", (first + i) % n);
    }
    return n;
}

pmix_status_t destruct(const char *name)
{
    return PMIx_Group_destruct(name, NULL, 0);
}

const char *given(pmix_rank_t rank, const char *key, size_t id)
{
    pmix_info_t with[2];
    const char *text;

    PMIX_INFO_LOAD(&with[0], PMIX_OPTIONAL, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&with[1], PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    PMIX_INFO_SET_QUALIFIER(&with[1]);
    text = got("A", rank, key, with, id > 0 ? 2 : 1);
    PMIX_INFO_DESTRUCT(&with[0]);
    PMIX_INFO_DESTRUCT(&with[1]);
    return text;
}

const struct record *group_upcall(int node, pmix_group_operation_t operation, int nth)
{
    for (int i = 0; i < upcalls(ON_GROUP, node); i++) {
        const struct record *r = upcall(ON_GROUP, node, i);

        if (r->number == (int) operation && nth-- == 0) {
            return r;
        }
    }
    return NULL;
}

int group_upcalls(int node, pmix_group_operation_t operation)
{
    int n = 0;

    while (group_upcall(node, operation, n) != NULL) {
        n++;
    }
    return n;
}
