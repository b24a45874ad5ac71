/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A pairing heap of timers (timers.h): no timer is due before its parent. `next` leads to the next
 * child of the same parent; `back` to the one before, or from a first child to its parent. */

#include "src/loop/timers.h"

#include <stddef.h>

#include "src/base/assert.h"

/* Makes one heap of two; either may be NULL. Their roots have no siblings. */
static struct px_timer *merge(struct px_timer *a, struct px_timer *b)
{
    if (a == NULL || b == NULL) {
        return a != NULL ? a : b;
    }
    if (b->due_ns < a->due_ns) {
        struct px_timer *later = a;

        a = b;
        b = later;
    }
    b->next = a->child;
    b->back = a;
    if (a->child != NULL) {
        a->child->back = b;
    }
    a->child = b;
    return a;
}

/* Takes the first of a list of siblings off it, as a heap of its own. NULL: the list is empty. */
static struct px_timer *take_sibling(struct px_timer **list)
{
    struct px_timer *timer = *list;

    if (timer != NULL) {
        *list = timer->next;
        timer->next = NULL;
        timer->back = NULL;
    }
    return timer;
}

/* Makes one heap of a list of siblings: of each two neighbours one, then of these all. */
static struct px_timer *merge_siblings(struct px_timer *list)
{
    struct px_timer *pairs = NULL;
    struct px_timer *all = NULL;

    while (list != NULL) {
        struct px_timer *a = take_sibling(&list);
        struct px_timer *pair = merge(a, take_sibling(&list));

        pair->next = pairs;
        pairs = pair;
    }
    while (pairs != NULL) {
        struct px_timer *pair = take_sibling(&pairs);

        all = merge(all, pair);
    }
    return all;
}

void px_timers_add(struct px_timer **first, struct px_timer *timer)
{
    timer->child = NULL;
    timer->next = NULL;
    timer->back = NULL;
    *first = merge(*first, timer);
}

void px_timers_remove(struct px_timer **first, struct px_timer *timer)
{
    struct px_timer *below = merge_siblings(timer->child);

    px_assert((timer->back == NULL) == (timer == *first));
    if (timer == *first) {
        *first = below;
        return;
    }
    if (timer->back->child == timer) {
        timer->back->child = timer->next;
    } else {
        timer->back->next = timer->next;
    }
    if (timer->next != NULL) {
        timer->next->back = timer->back;
    }
    *first = merge(*first, below);
}
