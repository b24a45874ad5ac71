/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives at the relay. Each node that takes part sends its share once; when all have, each
 * gets all shares. They are matched by key (collect_key.c), those of a destruct by name and one of
 * the processes, as nodes hear of departures at different times; and in order: a node's share is of
 * the first collective of that key which does not have one of it yet. One that has failed answers
 * at once whoever has come, and stays to answer those that come later the same; one whose time is
 * over is forgotten, so that the same processes can try again. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

struct procs {
    pmix_proc_t *at;
    size_t n;
};

struct share {
    uint32_t node;
    uint64_t id;      /* of the request, for the answer */
    pmix_proc_t proc; /* who comes, when it comes by itself */
    char *bytes;
    size_t n;
};

struct collective {
    struct collective *next;
    char *key;
    size_t key_len;
    uint32_t n_wanted;
    uint32_t *at_node;    /* how many of its processes each node has */
    bool survives;        /* it is completed without those who are lost */
    bool scattered;       /* of callers that come by themselves; n_wanted is not known */
    uint32_t n_leaders;   /* that are to come to a scattered one; 0: nobody has said it */
    struct procs leaders; /* that have */
    struct procs added;   /* of a group: who has to come, too */
    struct share *shares;
    uint32_t n_shares;
    pmix_status_t status; /* a failure answers at once */
    int64_t deadline_ms;
};

static struct collective *collectives;
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
    free(c->leaders.at);
    free(c->added.at);
    free(c->at_node);
    free(c->shares);
    free(c->key);
    free(c);
}

static struct collective *companion(const struct collective *c);
/* One that is scattered goes with the next sweep. */
static void fail(struct collective *c, pmix_status_t status)
{
    if (c->status != PMIX_SUCCESS) {
        return;
    }
    c->status = status;
    c->deadline_ms = INT64_MAX;
    if (c->added.n > 0 && !c->scattered && companion(c) != NULL) {
        fail(companion(c), status);
    }
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

static bool is_same(const struct collective *c, const char *key, size_t len)
{
    return px_run_key_kind(key, len) == PX_RUN_KIND_DESTRUCT
               ? px_run_keys_contend(c->key, c->key_len, key, len)
               : c->key_len == len && memcmp(c->key, key, len) == 0;
}

static struct collective *find_collective(const char *key, size_t len, uint32_t node)
{
    struct collective *c = collectives;

    while (c != NULL && (!is_same(c, key, len) || (!c->scattered && has_share(c, node)))) {
        c = c->next;
    }
    return c;
}

static bool add_share(struct collective *c, struct share share, const char *bytes)
{
    struct share *shares = realloc(c->shares, (c->n_shares + 1) * sizeof(*shares));

    share.bytes = malloc(share.n + 1);
    c->shares = shares != NULL ? shares : c->shares;
    if (shares == NULL || share.bytes == NULL) {
        free(share.bytes);
        return false;
    }
    memcpy(share.bytes, bytes, share.n);
    c->shares[c->n_shares++] = share;
    return true;
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
    if (c->key == NULL) {
        free(c);
        return NULL;
    }
    memcpy(c->key, key, len);
    c->key_len = len;
    c->n_wanted = n_wanted;
    c->scattered = n_wanted == 0;
    c->deadline_ms = INT64_MAX;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = c;
    return c;
}

/* ---- who is absent */

static uint32_t kind_of(const struct collective *c)
{
    return px_run_key_kind(c->key, c->key_len);
}

/* Who has left the group is not one of a destruct any more. */
static bool names(const struct collective *c, const pmix_proc_t *proc)
{
    return px_run_key_names(c->key, c->key_len, proc) &&
           !(kind_of(c) == PX_RUN_KIND_DESTRUCT &&
             px_run_has_left(px_run_key_name(c->key, c->key_len), proc));
}

static bool is_missed(const struct collective *c, const pmix_proc_t *proc, uint32_t node)
{
    return names(c, proc) && !has_share(c, node);
}

static bool names_an_absent(const struct collective *c)
{
    uint32_t node;
    const pmix_proc_t *proc;

    for (size_t i = 0; (proc = px_run_absent(i, &node)) != NULL; i++) {
        if (is_missed(c, proc, node)) {
            return true;
        }
    }
    return false;
}

/* Is a node's share still to come? Not if c survives or has failed, and all of it are lost. */
static bool is_awaited(const struct collective *c, uint32_t node)
{
    uint32_t lost =
        kind_of(c) == PX_RUN_KIND_DESTRUCT ? px_run_left_count(c->key, c->key_len, node) : 0;
    uint32_t where;
    const pmix_proc_t *proc;

    for (size_t i = 0; (proc = px_run_absent(i, &where)) != NULL; i++) {
        lost += where == node && names(c, proc);
    }
    return !has_share(c, node) && c->at_node[node] > lost;
}

static bool all_nodes_came(const struct collective *c)
{
    if (!c->survives && c->status == PMIX_SUCCESS && kind_of(c) != PX_RUN_KIND_DESTRUCT) {
        return c->n_shares == c->n_wanted;
    }
    for (uint32_t node = 0; node < (uint32_t) px_run.options.n_nodes; node++) {
        if (is_awaited(c, node)) {
            return false;
        }
    }
    return true;
}

/* ---- groups */

/* A group of that name is under way, with other processes and one of these. */
static bool name_is_taken(const char *key, size_t len)
{
    const struct collective *c = collectives;

    while (c != NULL && (c->status != PMIX_SUCCESS || kind_of(c) != PX_RUN_KIND_CONSTRUCT ||
                         !px_run_keys_contend(c->key, c->key_len, key, len))) {
        c = c->next;
    }
    return c != NULL;
}

/* ---- groups whose callers do not all know each other
 *
 * Leaders that come by themselves and processes that others add have one collective for each name,
 * the scattered one. It is whole when as many leaders have come as they say, and everybody whom
 * they add; or it goes into that of leaders who know each other and add somebody, when those and
 * the added have come. Whom nobody has added by then is refused. */

static bool has_proc(const struct procs *set, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < set->n; i++) {
        if (PMIX_CHECK_PROCID(&set->at[i], proc)) {
            return true;
        }
    }
    return false;
}

/* Number; {namespace, rank}. */
static bool take_procs(struct procs *set, struct px_run_reader *r)
{
    for (uint32_t i = px_run_get_u32(r); i > 0 && !r->failed; i--) {
        pmix_proc_t proc;
        px_run_get_proc(r, &proc);
        if (r->failed || has_proc(set, &proc)) {
            continue;
        }
        pmix_proc_t *more = realloc(set->at, (set->n + 1) * sizeof(*more));
        if (more == NULL) {
            return false;
        }
        more[set->n++] = proc;
        set->at = more;
    }
    return !r->failed;
}

static bool same_name(const struct collective *a, const struct collective *b)
{
    return px_run_key_kind(a->key, a->key_len) == PX_RUN_KIND_CONSTRUCT &&
           px_run_key_kind(b->key, b->key_len) == PX_RUN_KIND_CONSTRUCT &&
           strcmp(px_run_key_name(a->key, a->key_len), px_run_key_name(b->key, b->key_len)) == 0;
}

/* The scattered one of the same name in which nobody is a leader. */
static struct collective *companion(const struct collective *c)
{
    struct collective *o = collectives;

    while (o != NULL && !(o->scattered && o->n_leaders == 0 && o->status == PMIX_SUCCESS &&
                          o != c && same_name(o, c))) {
        o = o->next;
    }
    return o;
}

/* Does it come with others, in one share of their node? */
static bool comes_along(const struct collective *c, const pmix_proc_t *proc)
{
    return has_proc(&c->leaders, proc) || names(c, proc);
}

static bool adds_others(const struct collective *c)
{
    size_t i = 0;

    while (i < c->added.n && comes_along(c, &c->added.at[i])) {
        i++;
    }
    return i < c->added.n;
}

/* Has everybody whom c adds come to the scattered one? */
static bool all_added(const struct collective *c, const struct collective *scattered)
{
    for (size_t i = 0; i < c->added.n; i++) {
        bool come =
            comes_along(c, &c->added.at[i]) || (c->survives && px_run_is_absent(&c->added.at[i]));

        for (uint32_t k = 0; !come && scattered != NULL && k < scattered->n_shares; k++) {
            come = PMIX_CHECK_PROCID(&scattered->shares[k].proc, &c->added.at[i]);
        }
        if (!come) {
            return false;
        }
    }
    return true;
}

static bool is_whole(const struct collective *c)
{
    if (c->status != PMIX_SUCCESS) {
        return false;
    }
    if (c->scattered) {
        return c->n_leaders > 0 && c->leaders.n >= c->n_leaders && all_added(c, c);
    }
    return all_nodes_came(c) && all_added(c, adds_others(c) ? companion(c) : NULL);
}

/* Answers those of the scattered one whom c does not name. */
static void refuse_strangers(const struct collective *c, struct collective *scattered)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < scattered->n_shares; i++) {
        struct share *share = &scattered->shares[i];

        if (comes_along(c, &share->proc) || has_proc(&c->added, &share->proc)) {
            scattered->shares[n++] = *share;
        } else {
            answer(share, PMIX_ERR_NOT_A_MEMBER, NULL);
            free(share->bytes);
        }
    }
    scattered->n_shares = n;
}

/* Number; {namespace, rank}: who was to come and is lost. */
static void put_absent(const struct collective *c, struct px_run_bytes *b)
{
    uint32_t n = 0;
    uint32_t node;
    const pmix_proc_t *proc;

    for (size_t i = 0; c->survives && (proc = px_run_absent(i, &node)) != NULL; i++) {
        n += names(c, proc) || has_proc(&c->added, proc);
    }
    px_run_put_u32(b, n);
    for (size_t i = 0; n > 0 && (proc = px_run_absent(i, &node)) != NULL; i++) {
        if (names(c, proc) || has_proc(&c->added, proc)) {
            px_run_put_proc(b, proc);
        }
    }
}

/* The members of a new group have not left it. */
static void note_members(const struct collective *c)
{
    px_run_left_forget_key(c->key, c->key_len);
    px_run_left_forget(px_run_key_name(c->key, c->key_len), c->leaders.at, c->leaders.n);
    px_run_left_forget(px_run_key_name(c->key, c->key_len), c->added.at, c->added.n);
}

static void complete(struct collective *c)
{
    struct px_run_bytes all = {0};

    if (kind_of(c) == PX_RUN_KIND_CONSTRUCT) {
        note_members(c);
    }

    px_run_put_u32(&all, ++last_serial);
    px_run_put_u32(&all, c->n_shares);
    for (uint32_t i = 0; i < c->n_shares; i++) {
        px_run_put_u32(&all, c->shares[i].node);
        px_run_put_bytes(&all, c->shares[i].bytes, c->shares[i].n);
    }
    put_absent(c, &all);
    for (uint32_t i = 0; i < c->n_shares; i++) {
        answer(&c->shares[i], all.failed ? PMIX_ERR_NOMEM : PMIX_SUCCESS, &all);
    }
    free(all.at);
    forget(c);
}

/* Takes the shares of the added over, and answers all. */
static void collective_finish(struct collective *c)
{
    struct collective *o = adds_others(c) && !c->scattered ? companion(c) : NULL;

    if (o != NULL || c->scattered) {
        refuse_strangers(c, o != NULL ? o : c);
    }
    for (uint32_t i = 0; o != NULL && i < o->n_shares; i++) {
        if (!add_share(c, o->shares[i], o->shares[i].bytes)) {
            answer(&o->shares[i], PMIX_ERR_NOMEM, NULL);
        }
    }
    if (o != NULL) {
        forget(o);
    }
    complete(c);
}

/* What has become whole is answered; scattered ones that have failed go. */
static void sweep(void)
{
    struct collective *c = collectives;

    while (c != NULL) {
        if (is_whole(c)) {
            collective_finish(c);
            c = collectives; /* more than this one may have gone */
        } else if (c->status != PMIX_SUCCESS && (c->scattered || all_nodes_came(c))) {
            struct collective *next = c->next;
            forget(c);
            c = next;
        } else {
            c = c->next;
        }
    }
}

static bool adds_an_absent(const struct collective *c)
{
    size_t i = 0;

    while (i < c->added.n && !px_run_is_absent(&c->added.at[i])) {
        i++;
    }
    return i < c->added.n;
}

/* Whether this node's members go on without the lost, and how many of the named each node has. */
static bool take_survival(struct collective *c, struct px_run_reader *r)
{
    uint32_t n_nodes = (uint32_t) px_run.options.n_nodes;
    bool survives = px_run_get_u32(r) != 0;
    uint32_t *at_node = calloc(n_nodes, sizeof(*at_node));

    for (uint32_t i = 0; at_node != NULL && i < n_nodes; i++) {
        at_node[i] = px_run_get_u32(r);
    }
    if (at_node == NULL || r->failed) {
        free(at_node);
        return false;
    }
    if (c->at_node == NULL) { /* of the key, which is that of the first share */
        c->at_node = at_node;
    } else {
        free(at_node);
    }
    c->survives = c->survives || survives;
    return true;
}

/* What the share says about others, and who comes. */
static pmix_status_t take_scattered(struct collective *c, struct px_run_reader *r,
                                    struct share *share)
{
    uint32_t n_leaders = px_run_get_u32(r);
    struct procs caller = {0};

    if (!take_procs(&c->leaders, r) || !take_procs(&c->added, r) || !take_procs(&caller, r) ||
        !take_survival(c, r)) {
        free(caller.at);
        return PMIX_ERR_NOMEM;
    }
    if (caller.n > 0) {
        share->proc = caller.at[0];
    }
    free(caller.at);
    if (n_leaders > 0 && c->n_leaders > 0 && n_leaders != c->n_leaders) {
        return PMIX_ERR_BAD_PARAM;
    }
    c->n_leaders = n_leaders > 0 ? n_leaders : c->n_leaders;
    return PMIX_SUCCESS;
}

/* ---- a share has come, a process is lost */

/* The collective that the share is for, old or new. */
static pmix_status_t place(const char *key, size_t len, uint32_t n_wanted, uint32_t node,
                           struct collective **ret)
{
    bool scattered = n_wanted == 0 && px_run_key_kind(key, len) == PX_RUN_KIND_CONSTRUCT;

    if ((n_wanted == 0 && !scattered) || n_wanted > (uint32_t) px_run.options.n_nodes) {
        return PMIX_ERR_BAD_PARAM;
    }
    struct collective *c = find_collective(key, len, node);
    if (c == NULL && !scattered && name_is_taken(key, len)) {
        return PMIX_ERR_EXISTS;
    }
    *ret = c != NULL ? c : make(key, len, n_wanted);
    return *ret != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

void px_run_collect_add(const struct px_run_frame *head, struct px_run_reader *payload)
{
    size_t len;
    const char *key = px_run_get_bytes(payload, &len);
    uint32_t n_wanted = px_run_get_u32(payload);
    uint32_t timeout_s = px_run_get_u32(payload);
    struct share share = {.node = head->from, .id = head->id};
    struct collective *c = NULL;
    pmix_status_t rc =
        payload->failed ? PMIX_ERR_BAD_PARAM : place(key, len, n_wanted, head->from, &c);
    pmix_status_t scattered = rc == PMIX_SUCCESS ? take_scattered(c, payload, &share) : rc;
    const char *bytes = px_run_get_bytes(payload, &share.n);
    if (rc == PMIX_SUCCESS && (payload->failed || !add_share(c, share, bytes))) {
        rc = PMIX_ERR_NOMEM;
    }
    if (rc != PMIX_SUCCESS) {
        answer(&share, rc, NULL);
        return;
    }
    int64_t deadline_ms = px_run_now_ms() + 1000 * (int64_t) timeout_s;
    if (timeout_s > 0 && deadline_ms < c->deadline_ms) { /* the first that runs out counts */
        c->deadline_ms = deadline_ms;
    }
    if (c->status != PMIX_SUCCESS) {
        answer(&share, c->status, NULL);
    } else if (scattered != PMIX_SUCCESS || head->status != PMIX_SUCCESS) {
        fail(c, scattered != PMIX_SUCCESS ? scattered : head->status);
    } else if (!c->survives &&
               ((c->n_shares < c->n_wanted && names_an_absent(c)) || adds_an_absent(c))) {
        fail(c, px_run_key_lost_status(c->key, c->key_len));
    }
    sweep();
}

void px_run_collect_lost(const pmix_proc_t *proc, uint32_t node)
{
    px_run_absent_add(proc, node);
    for (struct collective *c = collectives; c != NULL; c = c->next) {
        /* Its own node's share may be there, with its part in it: then it is not missed. */
        if (!c->survives && (is_missed(c, proc, node) || has_proc(&c->added, proc))) {
            fail(c, px_run_key_lost_status(c->key, c->key_len));
        }
    }
    sweep();
}

void px_run_collect_left(const char *group, const pmix_proc_t *proc, uint32_t node)
{
    px_run_left_add(group, proc, node);
    sweep();
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
    sweep();
}

void px_run_collect_free(void)
{
    while (collectives != NULL) {
        forget(collectives);
    }
    px_run_absent_free();
    px_run_left_free();
}
