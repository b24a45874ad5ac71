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

#include "collective.h"

static uint32_t last_serial;

/* ---- answers */

static void answer(const struct px_run_share *share, int status, const struct px_run_bytes *b)
{
    struct px_run_frame head = {.type = PX_RUN_COLLECTED, .id = share->id, .status = status};

    px_run_relay_send(share->node, head, b != NULL ? b->at : NULL, b != NULL ? b->len : 0);
}

static struct px_run_collective *companion(const struct px_run_collective *c);
/* One that is scattered goes with the next sweep. */
static void fail(struct px_run_collective *c, pmix_status_t status)
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

/* ---- which one it is */

static bool is_same(const struct px_run_collective *c, const char *key, size_t len)
{
    return px_run_key_kind(key, len) == PX_RUN_KIND_DESTRUCT
               ? px_run_keys_contend(c->key, c->key_len, key, len)
               : c->key_len == len && memcmp(c->key, key, len) == 0;
}

static struct px_run_collective *find_collective(const char *key, size_t len, uint32_t node)
{
    struct px_run_collective *c = px_run_collectives;

    while (c != NULL && (!is_same(c, key, len) || (!c->scattered && px_run_has_share(c, node)))) {
        c = c->next;
    }
    return c;
}

static bool all_nodes_came(const struct px_run_collective *c)
{
    if (!c->survives && c->status == PMIX_SUCCESS &&
        px_run_collective_kind(c) != PX_RUN_KIND_DESTRUCT) {
        return c->n_shares == c->n_wanted;
    }
    for (uint32_t node = 0; node < (uint32_t) px_run.options.n_nodes; node++) {
        if (px_run_is_awaited(c, node)) {
            return false;
        }
    }
    return true;
}

/* ---- groups */

/* A group of that name is under way, with other processes and one of these. */
static bool name_is_taken(const char *key, size_t len)
{
    const struct px_run_collective *c = px_run_collectives;

    while (c != NULL &&
           (c->status != PMIX_SUCCESS || px_run_collective_kind(c) != PX_RUN_KIND_CONSTRUCT ||
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

static bool same_name(const struct px_run_collective *a, const struct px_run_collective *b)
{
    return px_run_key_kind(a->key, a->key_len) == PX_RUN_KIND_CONSTRUCT &&
           px_run_key_kind(b->key, b->key_len) == PX_RUN_KIND_CONSTRUCT &&
           strcmp(px_run_key_name(a->key, a->key_len), px_run_key_name(b->key, b->key_len)) == 0;
}

/* The scattered one of the same name in which nobody is a leader. */
static struct px_run_collective *companion(const struct px_run_collective *c)
{
    struct px_run_collective *o = px_run_collectives;

    while (o != NULL && !(o->scattered && o->n_leaders == 0 && o->status == PMIX_SUCCESS &&
                          o != c && same_name(o, c))) {
        o = o->next;
    }
    return o;
}

/* Does it come with others, in one share of their node? */
static bool comes_along(const struct px_run_collective *c, const pmix_proc_t *proc)
{
    return px_run_procs_has(&c->leaders, proc) || px_run_collective_names(c, proc);
}

static bool adds_others(const struct px_run_collective *c)
{
    size_t i = 0;

    while (i < c->added.n && comes_along(c, &c->added.at[i])) {
        i++;
    }
    return i < c->added.n;
}

/* Has everybody whom c adds come to the scattered one? */
static bool all_added(const struct px_run_collective *c, const struct px_run_collective *scattered)
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

static bool is_whole(const struct px_run_collective *c)
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
static void refuse_strangers(const struct px_run_collective *c, struct px_run_collective *scattered)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < scattered->n_shares; i++) {
        struct px_run_share *share = &scattered->shares[i];

        if (comes_along(c, &share->proc) || px_run_procs_has(&c->added, &share->proc)) {
            scattered->shares[n++] = *share;
        } else {
            answer(share, PMIX_ERR_NOT_A_MEMBER, NULL);
            free(share->bytes);
        }
    }
    scattered->n_shares = n;
}

/* The members of a new group have not left it. */
static void note_members(const struct px_run_collective *c)
{
    px_run_left_forget_key(c->key, c->key_len);
    px_run_left_forget(px_run_key_name(c->key, c->key_len), c->leaders.at, c->leaders.n);
    px_run_left_forget(px_run_key_name(c->key, c->key_len), c->added.at, c->added.n);
}

/* Writes what everybody gets. PMIX_ERR_OUT_OF_RESOURCE: that is more than a frame holds;
 * PMIX_ERR_NOMEM. */
static pmix_status_t put_outcome(const struct px_run_collective *c, struct px_run_bytes *all)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < c->n_shares; i++) {
        total += c->shares[i].n;
    }
    if (total > px_run_max_frame) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    px_run_put_u32(all, ++last_serial);
    px_run_put_u32(all, c->n_shares);
    for (uint32_t i = 0; i < c->n_shares; i++) {
        px_run_put_u32(all, c->shares[i].node);
        px_run_put_bytes(all, c->shares[i].bytes, c->shares[i].n);
    }
    px_run_put_lost(c, all);
    if (!all->failed && all->len > px_run_max_frame) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    return all->failed ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
}

static void complete(struct px_run_collective *c)
{
    struct px_run_bytes all = {0};
    pmix_status_t rc = put_outcome(c, &all);

    if (px_run_collective_kind(c) == PX_RUN_KIND_CONSTRUCT) {
        note_members(c);
    }
    for (uint32_t i = 0; i < c->n_shares; i++) {
        answer(&c->shares[i], rc, rc == PMIX_SUCCESS ? &all : NULL);
    }
    free(all.at);
    px_run_collective_forget(c);
}

/* Takes the shares of the added over, and answers all. */
static void collective_finish(struct px_run_collective *c)
{
    struct px_run_collective *o = adds_others(c) && !c->scattered ? companion(c) : NULL;

    if (o != NULL || c->scattered) {
        refuse_strangers(c, o != NULL ? o : c);
    }
    for (uint32_t i = 0; o != NULL && i < o->n_shares; i++) {
        if (!px_run_share_add(c, o->shares[i], o->shares[i].bytes)) {
            answer(&o->shares[i], PMIX_ERR_NOMEM, NULL);
        }
    }
    if (o != NULL) {
        px_run_collective_forget(o);
    }
    complete(c);
}

/* What has become whole is answered; scattered ones that have failed go. */
static void sweep(void)
{
    struct px_run_collective *c = px_run_collectives;

    while (c != NULL) {
        if (is_whole(c)) {
            collective_finish(c);
            c = px_run_collectives; /* more than this one may have gone */
        } else if (c->status != PMIX_SUCCESS && (c->scattered || all_nodes_came(c))) {
            struct px_run_collective *next = c->next;
            px_run_collective_forget(c);
            c = next;
        } else {
            c = c->next;
        }
    }
}

static bool adds_an_absent(const struct px_run_collective *c)
{
    size_t i = 0;

    while (i < c->added.n && !px_run_is_absent(&c->added.at[i])) {
        i++;
    }
    return i < c->added.n;
}

/* Whether this node's members go on without the lost, and how many of the named each node has. */
static bool take_survival(struct px_run_collective *c, struct px_run_reader *r)
{
    bool survives = px_run_get_u32(r) != 0;

    if (!px_run_parts_take(c, r)) {
        return false;
    }
    c->survives = c->survives || survives;
    return true;
}

/* What the share says about others, and who comes. */
static pmix_status_t take_scattered(struct px_run_collective *c, struct px_run_reader *r,
                                    struct px_run_share *share)
{
    uint32_t n_leaders = px_run_get_u32(r);
    struct px_run_procs caller = {0};

    if (!px_run_procs_take(&c->leaders, r) || !px_run_procs_take(&c->added, r) ||
        !px_run_procs_take(&caller, r) || !take_survival(c, r)) {
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
                           struct px_run_collective **ret)
{
    bool scattered = n_wanted == 0 && px_run_key_kind(key, len) == PX_RUN_KIND_CONSTRUCT;

    if ((n_wanted == 0 && !scattered) || n_wanted > (uint32_t) px_run.options.n_nodes) {
        return PMIX_ERR_BAD_PARAM;
    }
    struct px_run_collective *c = find_collective(key, len, node);
    if (c == NULL && !scattered && name_is_taken(key, len)) {
        return PMIX_ERR_EXISTS;
    }
    *ret = c != NULL ? c : px_run_collective_make(key, len, n_wanted);
    return *ret != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

void px_run_collect_add(const struct px_run_frame *head, struct px_run_reader *payload)
{
    size_t len;
    const char *key = px_run_get_bytes(payload, &len);
    uint32_t n_wanted = px_run_get_u32(payload);
    uint32_t timeout_s = px_run_get_u32(payload);
    struct px_run_share share = {.node = head->from, .id = head->id};
    struct px_run_collective *c = NULL;
    pmix_status_t rc =
        payload->failed ? PMIX_ERR_BAD_PARAM : place(key, len, n_wanted, head->from, &c);
    pmix_status_t scattered = rc == PMIX_SUCCESS ? take_scattered(c, payload, &share) : rc;
    const char *bytes = px_run_get_bytes(payload, &share.n);
    if (rc == PMIX_SUCCESS &&
        (payload->failed || c->parts == NULL || !px_run_share_add(c, share, bytes))) {
        rc = PMIX_ERR_NOMEM;
    }
    if (rc != PMIX_SUCCESS) {
        answer(&share, rc, NULL);
        if (c != NULL && c->n_shares == 0) { /* made just now */
            px_run_collective_forget(c);
        }
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
               ((c->n_shares < c->n_wanted && px_run_misses_the_lost(c)) || adds_an_absent(c))) {
        fail(c, px_run_key_lost_status(c->key, c->key_len));
    }
    sweep();
}

void px_run_collect_lost(const pmix_proc_t *proc, uint32_t node)
{
    px_run_absent_add(proc, node);
    for (struct px_run_collective *c = px_run_collectives; c != NULL; c = c->next) {
        /* Its own node's share may be there, with its part in it: then it is not missed. */
        if (!c->survives &&
            (px_run_is_missed(c, proc, node) || px_run_procs_has(&c->added, proc))) {
            fail(c, px_run_key_lost_status(c->key, c->key_len));
        }
    }
    sweep();
}

void px_run_collect_left(const char *group, const pmix_proc_t *proc, uint32_t node)
{
    if (!px_run_is_over(proc->nspace)) {
        px_run_left_add(group, proc, node);
        sweep();
    }
}

static bool takes_apart(const char *nspace)
{
    for (const struct px_run_collective *c = px_run_collectives; c != NULL; c = c->next) {
        for (uint32_t i = 0; i < c->n_parts; i++) {
            if (px_run_collective_kind(c) == PX_RUN_KIND_DESTRUCT &&
                strcmp(c->parts[i].nspace, nspace) == 0) {
                return true;
            }
        }
    }
    return false;
}

void px_run_collect_over(const char *nspace)
{
    px_run_absent_over(nspace);
    if (!takes_apart(nspace)) { /* else with the last destruct that names the job */
        px_run_left_forget_job(nspace);
    }
    for (struct px_run_collective *c = px_run_collectives; c != NULL; c = c->next) {
        if (!c->survives && (px_run_misses_the_lost(c) || adds_an_absent(c))) {
            fail(c, px_run_key_lost_status(c->key, c->key_len));
        }
    }
    sweep();
}

/* ---- time */

int64_t px_run_collect_deadline(void)
{
    int64_t first = INT64_MAX;

    for (const struct px_run_collective *c = px_run_collectives; c != NULL; c = c->next) {
        first = c->deadline_ms < first ? c->deadline_ms : first;
    }
    return first;
}

void px_run_collect_expire(int64_t now_ms)
{
    for (struct px_run_collective *c = px_run_collectives; c != NULL;) {
        struct px_run_collective *next = c->next;
        if (now_ms >= c->deadline_ms) {
            fail(c, PMIX_ERR_TIMEOUT);
            px_run_collective_forget(c);
        }
        c = next;
    }
    sweep();
}

void px_run_collect_free(void)
{
    while (px_run_collectives != NULL) {
        px_run_collective_forget(px_run_collectives);
    }
    px_run_absent_free();
    px_run_left_free();
}
