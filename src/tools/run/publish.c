/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What processes publish for others by name. A lookup that is told to wait stays here until its
 * keys are there or its time is over. Main thread. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "src/base/list.h"
#include "src/base/map.h"

/* What one process may have published at a time. */
enum { MOST_PUBLISHED = 4096 };

/* A published name. A process has at most one entry of the name for each range. The record is in
 * the map of names as long as one of its lists is not empty. */
struct name {
    struct px_list entries;  /* struct published, the newest first */
    struct px_list wishes;   /* struct wish, of lookups that wait; the oldest first */
    uint64_t request;        /* number of the request that walked the entries last */
    struct published *found; /* what that request found, if it was a lookup */
};

/* What a process has published. The record is in the map of owners as long as n is not 0. */
struct owner {
    struct px_list entries;
    size_t n;
};

/* One entry. It is on the list of all entries, on that of its name, and on that of its owner. */
struct published {
    struct px_list link;
    struct px_list alike;
    struct px_list own;
    struct name *name; /* NULL, and by too: without memory for the record */
    struct owner *by;
    pmix_proc_t owner;
    pmix_data_range_t range;
    pmix_persistence_t persistence;
    pmix_info_t info;
};

/* One of the names that a lookup waits for. It is on the list of the name. */
struct wish {
    struct px_list link;
    struct waiting *of;
    struct name *name;
    const char *key;
    const struct published *seen; /* an entry that the reader may see; NULL: there is none */
};

/* A lookup that waits, with one wish for each name. When as many are there as it wants, it is on
 * the list of those that are ready: while a request is worked on, not longer. */
struct waiting {
    struct px_list link;
    struct px_run_task task; /* keys: our own copy */
    size_t n_wanted;
    size_t n_there;
    int64_t deadline_ms;
    size_t n_wishes;
    struct wish wishes[];
};

static struct px_list entries = {&entries, &entries};
static struct px_list waiters = {&waiters, &waiters};
static struct px_list ready = {&ready, &ready};
static struct px_map names;
static struct px_map owners; /* by the whole pmix_proc_t, padded with zeros */
static uint64_t n_requests;  /* that have walked the entries of names */

struct directives {
    pmix_data_range_t range;
    pmix_persistence_t persistence;
    bool wait;
    int wait_for;
    int timeout_s;
};

/* True when the entry was a directive. */
static bool read_directive(const pmix_info_t *info, struct directives *d)
{
    if (PMIX_CHECK_KEY(info, PMIX_RANGE)) {
        d->range = info->value.data.range;
    } else if (PMIX_CHECK_KEY(info, PMIX_PERSISTENCE)) {
        d->persistence = info->value.data.persist;
    } else if (PMIX_CHECK_KEY(info, PMIX_WAIT)) {
        d->wait = true;
        d->wait_for = info->value.type == PMIX_BOOL ? 0 : info->value.data.integer;
    } else if (PMIX_CHECK_KEY(info, PMIX_TIMEOUT)) {
        d->timeout_s = info->value.data.integer;
    } else {
        return PMIX_CHECK_KEY(info, PMIX_USERID) || PMIX_CHECK_KEY(info, PMIX_GRPID);
    }
    return true;
}

static struct directives read_directives(const pmix_info_t *info, size_t n)
{
    struct directives d = {.range = PMIX_RANGE_SESSION, .persistence = PMIX_PERSIST_APP};

    for (size_t i = 0; i < n; i++) {
        (void) read_directive(&info[i], &d);
    }
    return d;
}

/* ---- records */

/* What the map has under the key, else a zeroed block of so many bytes that is entered now; NULL
 * without memory. */
static void *find_or_make(struct px_map *map, const void *key, size_t len, size_t size)
{
    void *found = px_map_find(map, key, len);
    void *made = found == NULL ? calloc(1, size) : NULL;

    if (made != NULL && px_map_set(map, key, len, made) != 0) {
        free(made);
        made = NULL;
    }
    return found != NULL ? found : made;
}

/* The caller puts something on one of its lists, or calls name_trim. NULL without memory. */
static struct name *name_make(const char *key)
{
    struct name *name = find_or_make(&names, key, strlen(key), sizeof(*name));

    if (name != NULL && name->entries.next == NULL) {
        px_list_init(&name->entries);
        px_list_init(&name->wishes);
    }
    return name;
}

static struct name *name_find(const char *key)
{
    return px_map_find(&names, key, strlen(key));
}

/* Frees the record if it is of no use any more. */
static void name_trim(const struct name *name, const char *key)
{
    if (px_list_empty(&name->entries) && px_list_empty(&name->wishes)) {
        free(px_map_remove(&names, key, strlen(key)));
    }
}

static struct owner *owner_find(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t key;

    PMIX_LOAD_PROCID(&key, nspace, rank);
    return px_map_find(&owners, &key, sizeof(key));
}

/* ---- who sees what */

/* Whether a process may see what the owner published with this range. */
static bool in_range(const struct published *e, const pmix_proc_t *reader)
{
    switch (e->range) {
    case PMIX_RANGE_RM:
        return false;
    case PMIX_RANGE_NAMESPACE:
        return strcmp(e->owner.nspace, reader->nspace) == 0;
    case PMIX_RANGE_LOCAL:
        return px_run_node_of_proc(&e->owner) == px_run_node_of_proc(reader);
    case PMIX_RANGE_PROC_LOCAL:
        return PMIX_CHECK_PROCID(&e->owner, reader);
    default:
        return true;
    }
}

/* The newest entry of the name that `reader` may see; NULL when there is none. */
static struct published *seen_by(const pmix_proc_t *reader, const struct name *name)
{
    px_list_for(struct published, e, &name->entries, alike) {
        if (in_range(e, reader)) {
            return e;
        }
    }
    return NULL;
}

/* Whether the name is published already in this range, as it is for the owner. That of the host
 * (PMIX_RANGE_RM) is one for all. */
static bool is_taken(const char *key, pmix_data_range_t range, const pmix_proc_t *owner)
{
    const struct name *name = name_find(key);

    if (name == NULL) {
        return false;
    }
    px_list_for(const struct published, e, &name->entries, alike) {
        if (e->range == range && (range == PMIX_RANGE_RM || in_range(e, owner))) {
            return true;
        }
    }
    return false;
}

/* Sees whether there is something for the wish, and then whether that is enough for its lookup. */
static void wish_look(struct wish *wish)
{
    struct waiting *w = wish->of;
    bool was_ready = w->n_there >= w->n_wanted;
    bool was_there = wish->seen != NULL;

    wish->seen = seen_by(&w->task.proc, wish->name);
    w->n_there = w->n_there - was_there + (wish->seen != NULL);
    if ((w->n_there >= w->n_wanted) != was_ready) {
        px_list_remove(&w->link);
        px_list_append(was_ready ? &waiters : &ready, &w->link);
    }
}

/* ---- entries */

/* Also of one for which there was no memory. Those that wait may get less. */
static void entry_free(struct published *e)
{
    px_list_remove(&e->link);
    px_list_remove(&e->alike);
    px_list_remove(&e->own);
    if (e->name != NULL) {
        px_list_for(struct wish, wish, &e->name->wishes, link) {
            if (wish->seen == e) {
                wish_look(wish);
            }
        }
        if (e->name->found == e) {
            e->name->found = NULL;
            e->name->request = 0; /* a key that comes again finds another, if any */
        }
        name_trim(e->name, e->info.key);
    }
    if (e->by != NULL && --e->by->n == 0) {
        free(px_map_remove(&owners, &e->owner, sizeof(e->owner)));
    }
    PMIX_INFO_DESTRUCT(&e->info);
    free(e);
}

static pmix_status_t entry_add(const pmix_proc_t *owner, const pmix_info_t *info,
                               const struct directives *d)
{
    struct published *e = calloc(1, sizeof(*e));
    pmix_status_t rc = e != NULL ? PMIx_Info_xfer(&e->info, info) : PMIX_ERR_NOMEM;

    if (rc != PMIX_SUCCESS) {
        free(e);
        return rc;
    }
    px_list_init(&e->link);
    px_list_init(&e->alike);
    px_list_init(&e->own);
    PMIX_LOAD_PROCID(&e->owner, owner->nspace, owner->rank);
    e->range = d->range;
    e->persistence = d->persistence;
    e->name = name_make(e->info.key);
    e->by = find_or_make(&owners, &e->owner, sizeof(e->owner), sizeof(*e->by));
    if (e->by != NULL && e->by->n++ == 0) {
        px_list_init(&e->by->entries);
    }
    if (e->name == NULL || e->by == NULL) {
        entry_free(e);
        return PMIX_ERR_NOMEM;
    }
    px_list_prepend(&e->by->entries, &e->own);
    px_list_prepend(&e->name->entries, &e->alike);
    px_list_prepend(&entries, &e->link);
    px_list_for(struct wish, wish, &e->name->wishes, link) {
        if (wish->seen == NULL && in_range(e, &wish->of->task.proc)) {
            wish_look(wish);
        }
    }
    return PMIX_SUCCESS;
}

/* ---- publish */

static pmix_status_t publish(const pmix_proc_t *proc, const pmix_info_t *info,
                             const struct directives *d)
{
    const struct owner *owner = owner_find(proc->nspace, proc->rank);

    if (is_taken(info->key, d->range, proc)) {
        return PMIX_ERR_DUPLICATE_KEY;
    }
    if (owner != NULL && owner->n >= MOST_PUBLISHED) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    return entry_add(proc, info, d);
}

static void serve_waiting(void);

/* Publishes all or nothing: on failure the entries added by this call are removed, before a lookup
 * sees them. */
void px_run_publish(struct px_run_task *task)
{
    const pmix_info_t *info = task->upcall.infos;
    struct directives d = read_directives(info, task->upcall.n_infos);
    pmix_status_t rc = PMIX_SUCCESS;
    size_t n_added = 0;

    for (size_t i = 0; rc == PMIX_SUCCESS && i < task->upcall.n_infos; i++) {
        struct directives ignored;
        if (!read_directive(&info[i], &ignored)) {
            rc = publish(&task->proc, &info[i], &d);
            n_added += rc == PMIX_SUCCESS;
        }
    }
    for (; rc != PMIX_SUCCESS && n_added > 0; n_added--) { /* they are the newest */
        entry_free(px_container_of(entries.next, struct published, link));
    }
    px_host_reply_status(&task->upcall, rc);
    serve_waiting();
}

/* ---- lookup */

static size_t count_keys(char **keys)
{
    size_t n = 0;

    while (keys != NULL && keys[n] != NULL) {
        n++;
    }
    return n;
}

/* What a key is answered with; NULL: nothing. Within a request, a name that comes again costs no
 * second walk. */
static struct published *find_published(const char *key, const pmix_proc_t *reader)
{
    struct name *name = name_find(key);

    if (name == NULL) {
        return NULL;
    }
    if (name->request != n_requests) {
        name->request = n_requests;
        name->found = seen_by(reader, name);
    }
    return name->found;
}

/* Copies what is there into data; entries that are read once only go. */
static size_t collect(char **keys, const pmix_proc_t *reader, pmix_pdata_t *data)
{
    size_t n = 0;

    n_requests++;
    for (size_t i = 0; keys[i] != NULL; i++) {
        struct published *e = find_published(keys[i], reader);
        if (e == NULL || PMIx_Value_xfer(&data[n].value, &e->info.value) != PMIX_SUCCESS) {
            continue;
        }
        data[n].proc = e->owner;
        PMIX_LOAD_KEY(data[n].key, e->info.key);
        n++;
        if (e->persistence == PMIX_PERSIST_FIRST_READ) {
            entry_free(e);
        }
    }
    return n;
}

static void answer(const struct px_run_task *task, pmix_status_t if_none)
{
    size_t n_keys = count_keys(task->upcall.keys);
    size_t n = 0;
    pmix_pdata_t *data = n_keys > 0 ? calloc(n_keys, sizeof(*data)) : NULL;

    if (data != NULL) {
        n = collect(task->upcall.keys, &task->proc, data);
    }
    pmix_status_t rc = n == 0 ? if_none : n < n_keys ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS;
    task->upcall.reply.lookup(rc, n > 0 ? data : NULL, n, task->upcall.cbdata);
    for (size_t i = 0; i < n; i++) {
        PMIx_Value_destruct(&data[i].value);
    }
    free(data);
}

/* ---- waiting */

/* It has no wishes any more. */
static void waiting_end(struct waiting *w)
{
    for (size_t i = 0; i < w->n_wishes; i++) {
        px_list_remove(&w->wishes[i].link);
        name_trim(w->wishes[i].name, w->wishes[i].key);
    }
    w->n_wishes = 0;
    px_list_remove(&w->link);
}

/* Also of one that is made in part. It is not answered. */
static void waiting_free(struct waiting *w)
{
    waiting_end(w);
    px_env_free(w->task.upcall.keys);
    free(w);
}

/* A key of the lookup, which is kept. One that is repeated has a wish: the newest of its name.
 * False without memory. */
static bool wish_add(struct waiting *w, const char *key)
{
    struct wish *wish = &w->wishes[w->n_wishes];
    struct name *name = name_make(key);

    if (name == NULL) {
        return false;
    }
    if (!px_list_empty(&name->wishes) &&
        px_container_of(name->wishes.prev, struct wish, link)->of == w) {
        return true;
    }
    *wish = (struct wish){.of = w, .name = name, .key = key};
    px_list_append(&name->wishes, &wish->link);
    w->n_wishes++;
    return true;
}

/* NULL without memory. It is on no list yet, but its wishes are. */
static struct waiting *waiting_make(const struct px_run_task *task, size_t n_keys)
{
    struct waiting *w = calloc(1, sizeof(*w) + n_keys * sizeof(w->wishes[0]));
    bool good = w != NULL;

    if (good) {
        w->task = *task;
        px_list_init(&w->link);
        w->task.upcall.keys = px_env_copy(task->upcall.keys);
        good = w->task.upcall.keys != NULL;
    }
    for (size_t i = 0; good && i < n_keys; i++) {
        good = wish_add(w, w->task.upcall.keys[i]);
    }
    if (!good && w != NULL) {
        waiting_free(w);
    }
    return good ? w : NULL;
}

static void wait_for(const struct px_run_task *task, const struct directives *d, size_t n_keys)
{
    struct waiting *w = waiting_make(task, n_keys);

    if (w == NULL) {
        px_host_reply_status(&task->upcall, PMIX_ERR_NOMEM);
        return;
    }
    w->n_wanted =
        d->wait_for > 0 && (size_t) d->wait_for < w->n_wishes ? (size_t) d->wait_for : w->n_wishes;
    w->deadline_ms = d->timeout_s > 0 ? px_run_now_ms() + 1000 * (int64_t) d->timeout_s : INT64_MAX;
    px_list_append(&waiters, &w->link);
    for (size_t i = 0; i < w->n_wishes; i++) {
        wish_look(&w->wishes[i]);
    }
    serve_waiting();
}

void px_run_lookup(struct px_run_task *task)
{
    struct directives d = read_directives(task->upcall.infos, task->upcall.n_infos);
    size_t n_keys = count_keys(task->upcall.keys);

    if (d.wait && n_keys > 0) {
        wait_for(task, &d, n_keys);
    } else {
        answer(task, PMIX_ERR_NOT_FOUND);
    }
}

static void waiting_finish(struct waiting *w, pmix_status_t if_none)
{
    waiting_end(w);
    answer(&w->task, if_none);
    waiting_free(w);
}

/* An answer may take away what others are ready for: they wait again. */
static void serve_waiting(void)
{
    while (!px_list_empty(&ready)) {
        waiting_finish(px_container_of(ready.next, struct waiting, link), PMIX_ERR_NOT_FOUND);
    }
}

int64_t px_run_published_deadline(void)
{
    int64_t first = INT64_MAX;

    px_list_for(const struct waiting, w, &waiters, link) {
        first = w->deadline_ms < first ? w->deadline_ms : first;
    }
    return first;
}

void px_run_published_expire(int64_t now_ms)
{
    px_list_for(struct waiting, w, &waiters, link) {
        if (now_ms >= w->deadline_ms) {
            waiting_finish(w, PMIX_ERR_TIMEOUT);
        }
    }
}

/* ---- unpublish and ends */

/* Takes back what a process has published: all, or what lasts as long as the process. */
static void take_back(const char *nspace, pmix_rank_t rank, bool all)
{
    const struct owner *owner = owner_find(nspace, rank);
    struct px_list *at = owner != NULL ? owner->entries.next : NULL;

    for (size_t n = owner != NULL ? owner->n : 0; n > 0; n--) {
        struct published *e = px_container_of(at, struct published, own);

        at = at->next;
        if (all || e->persistence == PMIX_PERSIST_PROC) {
            entry_free(e); /* the record of the owner goes with the last */
        }
    }
}

/* Takes back what a process has published under this name. */
static void take_back_name(const pmix_proc_t *owner, const char *key)
{
    struct name *name = name_find(key);
    bool more = name != NULL && name->request != n_requests && !px_list_empty(&name->entries);
    struct px_list *at = more ? name->entries.next : NULL;

    if (name != NULL) {
        name->request = n_requests;
    }
    while (more) {
        struct published *e = px_container_of(at, struct published, alike);

        at = at->next;
        more = at != &name->entries;
        if (PMIX_CHECK_PROCID(&e->owner, owner)) {
            entry_free(e); /* the record of the name may go with the last */
        }
    }
}

void px_run_unpublish(struct px_run_task *task)
{
    char **keys = task->upcall.keys;

    n_requests++;
    if (keys == NULL) {
        take_back(task->proc.nspace, task->proc.rank, true);
    }
    for (size_t i = 0; keys != NULL && keys[i] != NULL; i++) {
        take_back_name(&task->proc, keys[i]);
    }
    px_host_reply_status(&task->upcall, PMIX_SUCCESS);
}

void px_run_published_forget(const char *nspace, pmix_rank_t rank)
{
    if (rank != PMIX_RANK_WILDCARD) {
        take_back(nspace, rank, false);
    } else {
        px_list_for(struct published, e, &entries, link) {
            if (e->persistence == PMIX_PERSIST_APP && strcmp(e->owner.nspace, nspace) == 0) {
                entry_free(e);
            }
        }
    }
    px_list_for(struct waiting, w, &waiters, link) {
        const pmix_proc_t *reader = &w->task.proc;
        if (strcmp(reader->nspace, nspace) == 0 &&
            (rank == PMIX_RANK_WILDCARD || reader->rank == rank)) {
            waiting_finish(w, PMIX_ERR_NOT_FOUND);
        }
    }
}

/* The library has ended, so lookups that still wait are freed without an answer. */
void px_run_published_free(void)
{
    px_list_for(struct waiting, w, &waiters, link) {
        waiting_free(w);
    }
    px_list_for(struct published, e, &entries, link) {
        entry_free(e);
    }
    px_map_fini(&names);
    px_map_fini(&owners);
}
