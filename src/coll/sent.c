/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "sent.h"

#include <stdlib.h>
#include <string.h>

#include "tracker.h"

enum { MOST_PROCS = 65536 };

struct px_sent {
    struct px_list link;
    uint64_t number;
    size_t n;
    pmix_proc_t set[];
};

static struct px_sent *sent_of(struct px_list *item)
{
    return px_container_of(item, struct px_sent, link);
}

void px_sents_init(struct px_sents *sents)
{
    px_list_init(&sents->list);
    sents->n_procs = 0;
}

static void drop(struct px_sents *sents, struct px_sent *sent)
{
    px_list_remove(&sent->link);
    sents->n_procs -= sent->n;
    free(sent);
}

void px_sents_fini(struct px_sents *sents)
{
    px_sents_forget(sents, NULL);
}

uint64_t px_sents_since(const struct px_sents *sents, const pmix_proc_t *set, size_t n)
{
    uint64_t number = 0;

    for (struct px_list *item = sents->list.next; item != &sents->list; item = item->next) {
        const struct px_sent *sent = sent_of(item);

        if (sent->number > number && px_coll_covers(sent->set, sent->n, set, n)) {
            number = sent->number;
        }
    }
    return number;
}

/* Those that say less than the one to come. */
static void drop_lesser(struct px_sents *sents, const pmix_proc_t *set, size_t n, uint64_t number)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each (item, next, &sents->list) {
        struct px_sent *sent = sent_of(item);

        if (sent->number <= number && px_coll_covers(set, n, sent->set, sent->n)) {
            drop(sents, sent);
        }
    }
}

void px_sents_note(struct px_sents *sents, const pmix_proc_t *set, size_t n, uint64_t number)
{
    struct px_sent *sent;

    if (n > MOST_PROCS || px_sents_since(sents, set, n) >= number) {
        return;
    }
    sent = malloc(sizeof(*sent) + n * sizeof(*set));
    if (!sent) {
        return;
    }
    sent->number = number;
    sent->n = n;
    memcpy(sent->set, set, n * sizeof(*set));
    drop_lesser(sents, set, n, number);
    px_list_prepend(&sents->list, &sent->link);
    sents->n_procs += n;
    while (sents->n_procs > MOST_PROCS) {
        drop(sents, sent_of(sents->list.prev));
    }
}

static bool names(const struct px_sent *sent, const char *nspace)
{
    for (size_t i = 0; i < sent->n; i++) {
        if (strncmp(sent->set[i].nspace, nspace, PMIX_MAX_NSLEN) == 0) {
            return true;
        }
    }
    return false;
}

void px_sents_forget(struct px_sents *sents, const char *nspace)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each (item, next, &sents->list) {
        if (!nspace || names(sent_of(item), nspace)) {
            drop(sents, sent_of(item));
        }
    }
}
