/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives at the relay. Each node that takes part sends its share once; when all have, each
 * gets all shares. Shares are matched by key (what kind, which processes, which name) and in order:
 * a node's share belongs to the first collective of that key which does not have one of it yet. A
 * collective that has failed answers at once whoever has come, and stays to answer those that
 * come later the same; one whose time is over is forgotten, so that the same processes can try
 * again. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

struct share {
    uint32_t node;
    uint64_t id; /* of the request, for the answer */
    char *bytes;
    size_t n;
};

struct collective {
    struct collective *next;
    char *key;
    size_t key_len;
    uint32_t n_wanted;
    struct share *shares;
    uint32_t n_shares;
    pmix_status_t status; /* a failure answers at once */
    int64_t deadline_ms;
};

/* A process that will come to none any more. */
struct absent {
    struct absent *next;
    pmix_proc_t proc;
    uint32_t node;
};

static struct collective *collectives;
static struct absent *absents;
static uint32_t last_serial;

/* ---- answers */

static void answer(const struct share *share, int status, const struct px_run_bytes *b)
{
    struct px_run_frame head = {.type = PX_RUN_COLLECTED, .id = share->id, .status = status};

    px_run_relay_send(share->node, head, b != NULL ? b->at : NULL, b != NULL ? b->len : 0);
}

static void forget(struct collective *c)
{
    struct collective **link = &collectives;

    while (*link != c) {
        link = &(*link)->next;
    }
    *link = c->next;
    for (uint32_t i = 0; i < c->n_shares; i++) {
        free(c->shares[i].bytes);
    }
    free(c->shares);
    free(c->key);
    free(c);
}

static void complete(struct collective *c)
{
    struct px_run_bytes all = {0};

    px_run_put_u32(&all, ++last_serial);
    px_run_put_u32(&all, c->n_shares);
    for (uint32_t i = 0; i < c->n_shares; i++) {
        px_run_put_u32(&all, c->shares[i].node);
        px_run_put_bytes(&all, c->shares[i].bytes, c->shares[i].n);
    }
    for (uint32_t i = 0; i < c->n_shares; i++) {
        answer(&c->shares[i], all.failed ? PMIX_ERR_NOMEM : PMIX_SUCCESS, &all);
    }
    free(all.at);
    forget(c);
}

static void fail(struct collective *c, pmix_status_t status)
{
    if (c->status != PMIX_SUCCESS) {
        return;
    }
    c->status = status;
    c->deadline_ms = INT64_MAX;
    for (uint32_t i = 0; i < c->n_shares; i++) {
        answer(&c->shares[i], status, NULL);
    }
}

/* ---- shares */

static bool has_share(const struct collective *c, uint32_t node)
{
    for (uint32_t i = 0; i < c->n_shares; i++) {
        if (c->shares[i].node == node) {
            return true;
        }
    }
    return false;
}

static struct collective *find(const char *key, size_t len, uint32_t node)
{
    struct collective *c = collectives;

    while (c != NULL &&
           (c->key_len != len || memcmp(c->key, key, len) != 0 || has_share(c, node))) {
        c = c->next;
    }
    return c;
}

/* Behind the others, so that the first found is the oldest. */
static struct collective *make(const char *key, size_t len, uint32_t n_wanted)
{
    struct collective *c = calloc(1, sizeof(*c));
    struct collective **last = &collectives;

    if (c == NULL) {
        return NULL;
    }
    c->key = malloc(len + 1);
    c->shares = calloc(n_wanted, sizeof(*c->shares));
    if (c->key == NULL || c->shares == NULL) {
        free(c->key);
        free(c->shares);
        free(c);
        return NULL;
    }
    memcpy(c->key, key, len);
    c->key_len = len;
    c->n_wanted = n_wanted;
    c->deadline_ms = INT64_MAX;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = c;
    return c;
}

/* ---- who is absent */

/* Whether the process, or one of the job, is among those of the key: kind; name; number;
 * {namespace, rank}. */
static bool names(const struct collective *c, const pmix_proc_t *proc)
{
    struct px_run_reader r = {c->key, c->key_len, false};
    (void) px_run_get_u32(&r);
    (void) px_run_get_string(&r);
    uint32_t n = px_run_get_u32(&r);

    for (uint32_t i = 0; i < n && !r.failed; i++) {
        const char *nspace = px_run_get_string(&r);
        uint32_t rank = px_run_get_u32(&r);
        if ((rank == proc->rank || rank == PMIX_RANK_WILDCARD ||
             proc->rank == PMIX_RANK_WILDCARD) &&
            strcmp(nspace, proc->nspace) == 0) {
            return true;
        }
    }
    return false;
}

static bool names_an_absent(const struct collective *c)
{
    for (const struct absent *a = absents; a != NULL; a = a->next) {
        if (names(c, &a->proc) && !has_share(c, a->node)) {
            return true;
        }
    }
    return false;
}

/* ---- groups */

/* Whether one process is in both keys, which are both of constructions under one name. */
static bool contends(const struct collective *c, const char *key, size_t len)
{
    struct px_run_reader a = {c->key, c->key_len, false};
    struct px_run_reader b = {key, len, false};

    if (px_run_get_u32(&a) != PX_RUN_KIND_CONSTRUCT ||
        px_run_get_u32(&b) != PX_RUN_KIND_CONSTRUCT ||
        strcmp(px_run_get_string(&a), px_run_get_string(&b)) != 0) {
        return false;
    }
    for (uint32_t i = px_run_get_u32(&b); i > 0 && !b.failed; i--) {
        pmix_proc_t proc;
        const char *nspace = px_run_get_string(&b);
        PMIX_LOAD_PROCID(&proc, nspace, px_run_get_u32(&b));
        if (names(c, &proc)) {
            return true;
        }
    }
    return false;
}

/* A group of that name is under way, with other processes and one of these. */
static bool name_is_taken(const char *key, size_t len)
{
    const struct collective *c = collectives;

    while (c != NULL && (c->status != PMIX_SUCCESS || !contends(c, key, len))) {
        c = c->next;
    }
    return c != NULL;
}

void px_run_collect_add(const struct px_run_frame *head, struct px_run_reader *payload)
{
    size_t len;
    const char *key = px_run_get_bytes(payload, &len);
    uint32_t n_wanted = px_run_get_u32(payload);
    uint32_t timeout_s = px_run_get_u32(payload);
    struct share share = {.node = head->from, .id = head->id};
    const char *bytes = px_run_get_bytes(payload, &share.n);
    if (payload->failed || n_wanted == 0 || n_wanted > (uint32_t) px_run.options.n_nodes) {
        answer(&share, PMIX_ERR_BAD_PARAM, NULL);
        return;
    }
    struct collective *c = find(key, len, head->from);
    if (c == NULL && name_is_taken(key, len)) {
        answer(&share, PMIX_ERR_EXISTS, NULL);
        return;
    }
    c = c != NULL ? c : make(key, len, n_wanted);
    share.bytes = malloc(share.n + 1);
    if (c == NULL || share.bytes == NULL || c->n_shares == c->n_wanted) {
        free(share.bytes);
        answer(&share, PMIX_ERR_NOMEM, NULL);
        return;
    }
    memcpy(share.bytes, bytes, share.n);
    c->shares[c->n_shares++] = share;
    if (timeout_s > 0 && c->deadline_ms == INT64_MAX) {
        c->deadline_ms = px_run_now_ms() + 1000 * (int64_t) timeout_s;
    }
    if (c->status != PMIX_SUCCESS) {
        answer(&share, c->status, NULL);
    } else if (head->status != PMIX_SUCCESS) {
        fail(c, head->status);
    } else if (c->n_shares < c->n_wanted && names_an_absent(c)) {
        fail(c, PMIX_ERR_LOST_CONNECTION);
    }
    if (c->n_shares == c->n_wanted && c->status == PMIX_SUCCESS) {
        complete(c);
    } else if (c->n_shares == c->n_wanted) {
        forget(c);
    }
}

void px_run_collect_lost(const pmix_proc_t *proc, uint32_t node)
{
    struct absent *a = calloc(1, sizeof(*a));

    for (struct collective *c = collectives; c != NULL; c = c->next) {
        /* Its own node's share may be there, with its part in it: then it is not missed. */
        if (names(c, proc) && !has_share(c, node)) {
            fail(c, PMIX_ERR_LOST_CONNECTION);
        }
    }
    if (a != NULL) {
        a->proc = *proc;
        a->node = node;
        a->next = absents;
        absents = a;
    }
}

void px_run_collect_forget(const char *nspace)
{
    struct absent **link = &absents;

    while (*link != NULL) {
        struct absent *a = *link;
        if (strcmp(a->proc.nspace, nspace) != 0) {
            link = &a->next;
            continue;
        }
        *link = a->next;
        free(a);
    }
}

/* ---- time */

int64_t px_run_collect_deadline(void)
{
    int64_t first = INT64_MAX;

    for (const struct collective *c = collectives; c != NULL; c = c->next) {
        first = c->deadline_ms < first ? c->deadline_ms : first;
    }
    return first;
}

void px_run_collect_expire(int64_t now_ms)
{
    for (struct collective *c = collectives; c != NULL;) {
        struct collective *next = c->next;
        if (now_ms >= c->deadline_ms) {
            fail(c, PMIX_ERR_TIMEOUT);
            forget(c);
        }
        c = next;
    }
}

void px_run_collect_free(void)
{
    while (collectives != NULL) {
        forget(collectives);
    }
    while (absents != NULL) {
        struct absent *a = absents;
        absents = a->next;
        free(a);
    }
}
