/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A node's part in fences, connects and groups: what its server gives goes to node 0 (gather.c),
 * and the upcall is answered with what all have given. */

#include "relay.h"

#include "newer.h"

#include <stdlib.h>
#include <string.h>

#define ORDER "pmix.grp.finord" /* PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, which 4.2 has not got */

static unsigned seed; /* the postman's */

/* ---- what this node gives */

/* Infos of a group that all have to see. */
static bool is_for_all(const pmix_info_t *info)
{
    static const char *const keys[] = {PMIX_GROUP_ENDPT_DATA,
                                       PMIX_GROUP_ASSIGN_CONTEXT_ID,
                                       PMIX_EVENT_AFFECTED_PROCS,
                                       PMIX_GROUP_INFO,
                                       PMIX_GROUP_INFO_ARRAY,
                                       "pmix.grp.jinfo",
                                       ORDER};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (PMIX_CHECK_KEY(info, keys[i])) {
            return true;
        }
    }
    return false;
}

/* The data of a fence, or the infos of a group. */
static void load_share(struct share *share, const struct upcall *ask)
{
    struct letter letter = {.bytes = ask->record->blob, .n_bytes = ask->record->n_blob};
    pmix_data_buffer_t buffer;

    if (ask->entry == ON_GROUP) {
        PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
        for (size_t i = 0; i < ask->n_infos; i++) {
            if (is_for_all(&ask->infos[i])) {
                (void) PMIx_Data_pack(NULL, &buffer, (void *) &ask->infos[i], 1, PMIX_INFO);
            }
        }
        relay_close_bytes(&buffer, &letter);
    }
    share->bytes = letter.bytes;
    share->n_bytes = letter.n_bytes;
}

/* Who else is to be in a group, beside those who call it together. */
static void load_others(struct share *share, const struct upcall *ask)
{
    const struct note *leaders = record_info(ask->record, PMIX_GROUP_BOOTSTRAP);

    for (size_t i = 0; i < ask->n_infos; i++) {
        const pmix_value_t *v = &ask->infos[i].value;

        if (PMIX_CHECK_KEY(&ask->infos[i], PMIX_PROCID)) {
            share->caller = *v->data.proc;
        } else if (PMIX_CHECK_KEY(&ask->infos[i], PMIX_GROUP_ADD_MEMBERS)) {
            share->n_added = v->data.darray->size;
            share->added = board_bytes(v->data.darray->array, share->n_added * sizeof(pmix_proc_t));
        }
    }
    share->n_leaders = leaders != NULL ? (size_t) leaders->number : 0;
    share->alone = share->n_leaders > 0 || ask->record->n_procs == 0;
    if (share->alone && ask->record->n_procs > 0) {
        share->caller = ask->record->procs[0];
    }
}

/* Of a group: may it go on without members that have ended? */
static bool may_lose(const struct upcall *ask)
{
    if (ask->entry != ON_GROUP) {
        return false;
    }
    return ask->number == PMIX_GROUP_CONSTRUCT ? px_host_flag(ask, PMIX_GROUP_FT_COLLECTIVE) ||
                                                     px_host_flag(ask, PMIX_GROUP_OPTIONAL)
                                               : px_host_flag(ask, PMIX_GROUP_NOTIFY_TERMINATION);
}

pmix_status_t relay_collect(struct upcall *ask)
{
    struct share *share = board_room(sizeof(*share));

    *share = (struct share){.node = self.node,
                            .ask = relay_keep(ask),
                            .record = ask->record,
                            .survives = may_lose(ask)};
    load_share(share, ask);
    if (ask->entry == ON_GROUP && ask->number == PMIX_GROUP_CONSTRUCT) {
        load_others(share, ask);
    }
    relay_post(0, &(struct letter){.kind = SHARE, .share = share});
    return PMIX_SUCCESS;
}

/* ---- what all have given */

/* In an order that nobody can rely on. */
static void answer_bytes(struct upcall *ask, const struct gathered *all)
{
    const struct share **order = calloc(all->n + 1, sizeof(struct share *));
    size_t n = 0;
    char *bytes;

    for (size_t i = 0; order != NULL && i < all->n; i++) {
        size_t j = (unsigned) rand_r(&seed) % (i + 1);

        order[i] = order[j];
        order[j] = all->shares[i];
        n += all->shares[i]->n_bytes;
    }
    bytes = malloc(n + 1);
    if (order == NULL || bytes == NULL) {
        abort();
    }
    n = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (order[i]->n_bytes > 0) {
            memcpy(bytes + n, order[i]->bytes, order[i]->n_bytes);
        }
        n += order[i]->n_bytes;
    }
    reply_bytes(ask, PMIX_SUCCESS, bytes, n);
    free(bytes);
    free(order);
}

/* The order in which members want to be listed; two are a contradiction. */
static pmix_status_t choose_order(const struct infos *list, pmix_data_array_t *members)
{
    const pmix_data_array_t *chosen = NULL;

    for (size_t i = 0; i < list->n; i++) {
        const pmix_data_array_t *order = list->at[i].value.data.darray;

        if (!PMIX_CHECK_KEY(&list->at[i], ORDER)) {
            continue;
        }
        if (chosen != NULL &&
            (chosen->size != order->size ||
             memcmp(chosen->array, order->array, order->size * sizeof(pmix_proc_t)) != 0)) {
            return PMIX_ERR_BAD_PARAM;
        }
        chosen = order;
        *members = *order;
    }
    return PMIX_SUCCESS;
}

/* The context id, the members, and who of them has been lost. */
static void add_outcome(struct infos *list, const struct gathered *all, pmix_data_array_t *members)
{
    bool wants_id = false;

    for (size_t i = 0; i < list->n; i++) {
        wants_id = wants_id || (PMIX_CHECK_KEY(&list->at[i], PMIX_GROUP_ASSIGN_CONTEXT_ID) &&
                                PMIX_INFO_TRUE(&list->at[i]));
    }
    drop(list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    add(list, PMIX_GROUP_MEMBERSHIP, members, PMIX_DATA_ARRAY); /* which may be an order's */
    drop(list, ORDER);
    if (wants_id) {
        add(list, PMIX_GROUP_CONTEXT_ID, &all->serial, PMIX_SIZE);
    }
    if (all->n_lost > 0) {
        add_procs(list, PMIX_EVENT_AFFECTED_PROCS, all->lost, all->n_lost);
    }
}

static void unpack_shares(const struct gathered *all, struct infos *list)
{
    pmix_data_buffer_t buffer;

    for (size_t i = 0; i < all->n; i++) {
        relay_open_bytes(&buffer, all->shares[i]->bytes, all->shares[i]->n_bytes);
        relay_unpack_infos(&buffer, list);
        PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    }
}

static void answer_construct(struct upcall *ask, const struct gathered *all)
{
    pmix_data_array_t members = {
        .type = PMIX_PROC, .size = all->n_members, .array = (void *) all->members};
    struct infos list = {0};

    unpack_shares(all, &list);
    if (choose_order(&list, &members) != PMIX_SUCCESS) {
        reply_status(ask, PMIX_ERR_BAD_PARAM);
    } else {
        add_outcome(&list, all, &members);
        reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    }
    free_infos(&list);
}

/* Who has been lost, if the destruct wants to be told. */
static void answer_destruct(struct upcall *ask, const struct gathered *all)
{
    struct infos list = {0};

    unpack_shares(all, &list);
    if (all->n_lost > 0) {
        add_procs(&list, PMIX_EVENT_AFFECTED_PROCS, all->lost, all->n_lost);
    }
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
}

void share_answer(const struct letter *letter)
{
    struct upcall *ask = letter->ask;

    seed = seed != 0 ? seed : board->seed + (unsigned) self.node + 1;
    if (letter->status != PMIX_SUCCESS) {
        reply_status(ask, letter->status);
    } else if (ask->entry == ON_FENCE) {
        answer_bytes(ask, letter->gathered);
    } else if (ask->entry == ON_GROUP && ask->number == PMIX_GROUP_CONSTRUCT) {
        answer_construct(ask, letter->gathered);
    } else if (ask->entry == ON_GROUP) {
        answer_destruct(ask, letter->gathered);
    } else {
        reply_status(ask, PMIX_SUCCESS);
    }
    relay_release(ask);
}
