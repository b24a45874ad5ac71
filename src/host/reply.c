/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Answers: what is called back for each kind of entry, and what a script says about when and from
 * which thread. A late answer waits in a thread of its own, because the library's must not. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum kind {
    KIND_OP,
    KIND_MODEX,
    KIND_LOOKUP,
    KIND_SPAWN,
    KIND_INFO,
    KIND_TOOL,
    KIND_CRED,
    KIND_VALID
};

static const enum kind kinds[N_ENTRIES] = {
#define X(name, member, reply) [ON_##name] = KIND_##reply,
    PX_HOST_ENTRIES(X)
#undef X
};

/* A tool is named by the host. */
static void reply_tool(const struct upcall *upcall, pmix_status_t status)
{
    static _Atomic uint32_t number;
    const pmix_value_t *nspace = px_host_find(upcall, PMIX_NSPACE);
    const pmix_value_t *rank = px_host_find(upcall, PMIX_RANK);
    pmix_proc_t name;

    memset(&name, 0, sizeof(name));
    snprintf(name.nspace, sizeof(name.nspace), "tool%u", atomic_fetch_add(&number, 1));
    if (nspace != NULL && nspace->type == PMIX_STRING) {
        snprintf(name.nspace, sizeof(name.nspace), "%s", nspace->data.string);
    }
    if (rank != NULL && rank->type == PMIX_PROC_RANK) {
        name.rank = rank->data.rank;
    }
    upcall->reply.tool(status, &name, upcall->cbdata);
}

void px_host_reply_status(const struct upcall *upcall, pmix_status_t status)
{
    if (upcall->reply.op == NULL) {
        return;
    }
    switch (kinds[upcall->entry]) {
    case KIND_OP:
        upcall->reply.op(status, upcall->cbdata);
        break;
    case KIND_MODEX:
        upcall->reply.modex(status, NULL, 0, upcall->cbdata, NULL, NULL);
        break;
    case KIND_LOOKUP:
        upcall->reply.lookup(status, NULL, 0, upcall->cbdata);
        break;
    case KIND_SPAWN:
        upcall->reply.spawn(status, (char *) "", upcall->cbdata);
        break;
    case KIND_INFO:
        upcall->reply.info(status, NULL, 0, upcall->cbdata, NULL, NULL);
        break;
    case KIND_TOOL:
        reply_tool(upcall, status);
        break;
    case KIND_CRED:
        upcall->reply.cred(status, NULL, NULL, 0, upcall->cbdata);
        break;
    case KIND_VALID:
        upcall->reply.valid(status, NULL, 0, upcall->cbdata);
        break;
    }
}

/* ---- with something in it; copied, because the library may look at it after the call */

struct given {
    size_t n;
    pmix_info_t infos[];
};

static void release(void *cbdata)
{
    struct given *g = cbdata;

    for (size_t i = 0; i < g->n; i++) {
        PMIX_INFO_DESTRUCT(&g->infos[i]);
    }
    free(g);
}

void px_host_reply_infos(const struct upcall *upcall, pmix_status_t status,
                         const pmix_info_t *infos, size_t n)
{
    struct given *g = calloc(1, sizeof(*g) + n * sizeof(g->infos[0]));

    if (g == NULL) {
        px_host_reply_status(upcall, PMIX_ERR_NOMEM);
        return;
    }
    g->n = n;
    for (size_t i = 0; i < n; i++) {
        PMIX_INFO_XFER(&g->infos[i], &infos[i]);
    }
    upcall->reply.info(status, g->infos, n, upcall->cbdata, release, g);
}

void px_host_reply_bytes(const struct upcall *upcall, pmix_status_t status, const char *data,
                         size_t n)
{
    char *copy = n > 0 ? malloc(n) : NULL;

    if (n > 0 && copy == NULL) {
        px_host_reply_status(upcall, PMIX_ERR_NOMEM);
        return;
    }
    if (n > 0) {
        memcpy(copy, data, n);
    }
    upcall->reply.modex(status, copy, n, upcall->cbdata, free, copy);
}

/* ---- later */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t n; /* answers that are still to come */
} late = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void count_late(bool begins)
{
    pthread_mutex_lock(&late.lock);
    late.n = begins ? late.n + 1 : late.n - 1;
    pthread_cond_broadcast(&late.changed);
    pthread_mutex_unlock(&late.lock);
}

static struct upcall without_borrowed(const struct upcall *upcall)
{
    return (struct upcall){.host = upcall->host,
                           .record = upcall->record,
                           .entry = upcall->entry,
                           .reply = upcall->reply,
                           .cbdata = upcall->cbdata,
                           .number = upcall->number};
}

/* What was asked and not answered: the library keeps its question until it is. */
struct owed {
    struct owed *next;
    struct upcall upcall;
};

static struct owed *owed; /* late.lock */

static pmix_status_t owe(const struct upcall *upcall)
{
    struct owed *o = malloc(sizeof(*o));

    if (o == NULL) {
        return PMIX_ERR_NOMEM;
    }
    o->upcall = without_borrowed(upcall);
    pthread_mutex_lock(&late.lock);
    o->next = owed;
    owed = o;
    pthread_mutex_unlock(&late.lock);
    return PMIX_SUCCESS;
}

void px_host_settle(void)
{
    struct owed *list;

    pthread_mutex_lock(&late.lock);
    while (late.n > 0) {
        pthread_cond_wait(&late.changed, &late.lock);
    }
    list = owed;
    owed = NULL;
    pthread_mutex_unlock(&late.lock);
    while (list != NULL) {
        struct owed *next = list->next;

        px_host_reply_status(&list->upcall, PMIX_ERR_LOST_CONNECTION);
        free(list);
        list = next;
    }
}

struct delayed {
    struct upcall upcall;
    pmix_proc_t proc;
    const char *when;
    void (*fn)(struct upcall *upcall); /* NULL: what a sound host answers, or the status */
    bool sound;
    pmix_status_t status;
};

static void answer_soundly(struct delayed *d)
{
    pmix_status_t rc = d->upcall.host->sound(&d->upcall);

    if (rc != PMIX_SUCCESS) {
        px_host_reply_status(&d->upcall, rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc);
    }
}

static void *wait_and_answer(void *arg)
{
    struct delayed *d = arg;

    if (d->upcall.host->wait != NULL && !d->upcall.host->wait(d->when)) {
        (void) owe(&d->upcall); /* there is nobody to wait for it */
    } else if (d->fn != NULL) {
        d->fn(&d->upcall);
    } else if (d->sound) {
        answer_soundly(d);
    } else {
        px_host_reply_status(&d->upcall, d->status);
    }
    if (d->sound && d->upcall.entry == ON_FENCE && d->upcall.host->frees_data &&
        !d->upcall.data_taken) {
        free((char *) d->upcall.data);
    }
    free(d);
    count_late(false);
    return NULL;
}

/* Takes the template over by copying it. */
static pmix_status_t delay(const struct delayed *template)
{
    struct delayed *d = malloc(sizeof(*d));
    pthread_t thread;

    if (d == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *d = *template;
    if (d->upcall.proc != NULL) {
        d->proc = *d->upcall.proc;
        d->upcall.proc = &d->proc;
    }
    count_late(true);
    if (pthread_create(&thread, NULL, wait_and_answer, d) != 0) {
        count_late(false);
        free(d);
        return PMIX_ERR_NOMEM;
    }
    pthread_detach(thread);
    return PMIX_SUCCESS;
}

pmix_status_t px_host_later(const struct upcall *upcall, const char *when,
                            void (*fn)(struct upcall *copy))
{
    return delay(&(struct delayed){.upcall = without_borrowed(upcall), .when = when, .fn = fn});
}

static pmix_status_t delay_status(const struct upcall *upcall, const struct answer *a)
{
    return delay(&(struct delayed){
        .upcall = without_borrowed(upcall), .when = a->when, .status = a->status});
}

static pmix_status_t delay_sound(struct upcall *upcall, const struct answer *a)
{
    pmix_status_t rc = delay(&(struct delayed){.upcall = *upcall, .when = a->when, .sound = true});

    upcall->data_taken = rc == PMIX_SUCCESS;
    return rc;
}

pmix_status_t px_host_answer(struct upcall *upcall)
{
    const struct px_host *host = upcall->host;
    const struct answer *a =
        host->script != NULL ? host->script(upcall) : &host->answers[upcall->entry];

    switch (a->how) {
    case AT_ONCE:
        return a->status;
    case CALLBACK:
        return delay_status(upcall, a);
    case DELAYED:
        return delay_sound(upcall, a);
    case INSIDE:
        px_host_reply_status(upcall, a->status);
        return PMIX_SUCCESS;
    case NEVER:
        return owe(upcall);
    case OWN:
        return a->own(upcall);
    default:
        return host->sound(upcall);
    }
}
