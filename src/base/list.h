/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_LIST_H
#define PX_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/bytes.h"

/* Intrusive, circular, doubly linked. The head is a struct px_list too. */
struct px_list {
    struct px_list *next;
    struct px_list *prev;
};

static inline void px_list_init(struct px_list *head)
{
    head->next = head;
    head->prev = head;
}

static inline bool px_list_empty(const struct px_list *head)
{
    return head->next == head;
}

static inline void px_list_append(struct px_list *head, struct px_list *item)
{
    item->prev = head->prev;
    item->next = head;
    head->prev->next = item;
    head->prev = item;
}

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

/* First item taken off, or NULL. */
static inline struct px_list *px_list_shift(struct px_list *head)
{
    struct px_list *item = head->next;

    if (item == head) {
        return NULL;
    }
    px_list_remove(item);
    return item;
}

/* The item that has a link; of the head an address that is only compared. As a number, since no
 * item is around a head. */
#define px_list_item(p, type, member) ((type *) ((uintptr_t) (p) -offsetof(type, member)))

/* Goes through the items that have a `member` in the list: item is a `type` *, declared here. The
 * body may remove it and free it. */
#define px_list_for(type, item, head, member)                                                      \
    for (type *item = px_list_item((head)->next, type, member), *item##_next;                      \
         (item) != px_list_item((head), type, member) &&                                           \
         ((item##_next) = px_list_item((item)->member.next, type, member), true);                  \
         (item) = (item##_next))

/* The same for links; `item` and `following` are the caller's. */
#define px_list_each(item, following, head)                                                        \
    for ((item) = (head)->next, (following) = (item)->next; (item) != (head);                      \
         (item) = (following), (following) = (item)->next)

#endif
