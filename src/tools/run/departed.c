/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Processes that have left a group, until they are in one of its name again. Nodes hear of it at
 * different times, and some have handed a destruct over that names them. Of each process the newest
 * are kept (PX_RUN_MOST_LEFT): a destruct that is older names it no more, unless one of its callers
 * has let it wait for all that time; then it waits for its time limit. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

struct departed {
    pmix_proc_t proc;
    uint32_t node;
    char *group;
};

static struct departed *departed;
static size_t n_departed;

static bool is_of(const struct departed *d, const char *group, const pmix_proc_t *proc)
{
    return d->proc.rank == proc->rank && strcmp(d->proc.nspace, proc->nspace) == 0 &&
           strcmp(d->group, group) == 0;
}

bool px_run_has_left(const char *group, const pmix_proc_t *proc)
{
    size_t i = 0;

    while (i < n_departed && !is_of(&departed[i], group, proc)) {
        i++;
    }
    return i < n_departed;
}

/* The order stays: the oldest come first. */
static void forget(size_t i)
{
    free(departed[i].group);
    n_departed--;
    memmove(&departed[i], &departed[i + 1], (n_departed - i) * sizeof(*departed));
}

/* Makes room for one more group that the process leaves. */
static void forget_oldest(const pmix_proc_t *proc)
{
    size_t first = 0;
    size_t n = 0;

    for (size_t i = n_departed; i-- > 0;) {
        if (is_of(&departed[i], departed[i].group, proc)) {
            first = i;
            n++;
        }
    }
    if (n >= PX_RUN_MOST_LEFT) {
        forget(first);
    }
}

void px_run_left_add(const char *group, const pmix_proc_t *proc, uint32_t node)
{
    bool known = px_run_has_left(group, proc);
    if (!known) {
        forget_oldest(proc);
    }
    struct departed *more = known ? NULL : realloc(departed, (n_departed + 1) * sizeof(*more));
    char *copy = more != NULL ? strdup(group) : NULL;

    departed = more != NULL ? more : departed;
    if (copy != NULL) { /* without memory it is waited for, until the time limit */
        departed[n_departed++] = (struct departed){*proc, node, copy};
    }
}

uint32_t px_run_left_count(const char *key, size_t len, const char *nspace, uint32_t node)
{
    const char *group = px_run_key_name(key, len);
    uint32_t n = 0;

    for (size_t i = 0; i < n_departed; i++) {
        n += departed[i].node == node && strcmp(departed[i].proc.nspace, nspace) == 0 &&
             strcmp(departed[i].group, group) == 0 && px_run_key_names(key, len, &departed[i].proc);
    }
    return n;
}

void px_run_left_forget(const char *group, const pmix_proc_t *procs, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = n_departed; i-- > 0;) {
            if (is_of(&departed[i], group, &procs[k])) {
                forget(i);
            }
        }
    }
}

void px_run_left_forget_key(const char *key, size_t len)
{
    const char *group = px_run_key_name(key, len);

    for (size_t i = n_departed; i-- > 0;) {
        if (strcmp(departed[i].group, group) == 0 &&
            px_run_key_names(key, len, &departed[i].proc)) {
            forget(i);
        }
    }
}

void px_run_left_forget_job(const char *nspace)
{
    for (size_t i = n_departed; i-- > 0;) {
        if (strcmp(departed[i].proc.nspace, nspace) == 0) {
            forget(i);
        }
    }
}

void px_run_left_free(void)
{
    while (n_departed > 0) {
        forget(n_departed - 1);
    }
    free(departed);
    departed = NULL;
}
