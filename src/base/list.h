/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_LIST_H
#define PX_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/bytes.h"

/* Intrusive, circular, doubly linked list. The head is a struct px_list too; an item embeds one as
 * its link. The list never owns its items. Not thread-safe. */
struct px_list {
    struct px_list *next;
    struct px_list *prev;
};

/* Makes an empty list of a head, or an item that is on no list. */
static inline void px_list_init(struct px_list *head)
{
    head->next = head;
    head->prev = head;
}

static inline bool px_list_empty(const struct px_list *head)
{
    return head->next == head;
}

/* Adds an item at the end; it must not be on a list. */
static inline void px_list_append(struct px_list *head, struct px_list *item)
{
    item->prev = head->prev;
    item->next = head;
    head->prev->next = item;
    head->prev = item;
}

/* Adds an item at the front. */
static inline void px_list_prepend(struct px_list *head, struct px_list *item)
{
    px_list_append(head->next, item);
}

/* Takes an item off its list; it points to itself afterwards, so removing it again is harmless. */
static inline void px_list_remove(struct px_list *item)
{
    item->prev->next = item->next;
    item->next->prev = item->prev;
    px_list_init(item);
}

/* Takes the first item off and returns its link; NULL: the list is empty. */
static inline struct px_list *px_list_shift(struct px_list *head)
{
    struct px_list *item = head->next;

    if (item == head) {
        return NULL;
    }
    px_list_remove(item);
    return item;
}

/* The item of `type` that embeds the link p as `member`. For the head of a list the result is an
 * address that may only be compared, because no item surrounds a head; it is computed as a number
 * for that reason. */
#define px_list_item(p, type, member) ((type *) ((uintptr_t) (p) -offsetof(type, member)))

/* Loop over the items of a list; declares `item`, a `type` *. The body may remove and free the
 * current item, but no other one. */
#define px_list_for(type, item, head, member)                                                      \
    for (type *item = px_list_item((head)->next, type, member), *item##_next;                      \
         (item) != px_list_item((head), type, member) &&                                           \
         ((item##_next) = px_list_item((item)->member.next, type, member), true);                  \
         (item) = (item##_next))

/* The same loop over links; `item` and `following` are variables of the caller. */
#define px_list_each(item, following, head)                                                        \
    for ((item) = (head)->next, (following) = (item)->next; (item) != (head);                      \
         (item) = (following), (following) = (item)->next)

#endif
