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

/* A published name. Its list has the entries for different ranges, the newest first. The record is
 * in the map of names as long as the list is not empty. */
struct name {
    struct px_list entries;
};

/* How much a process has published. The record is in the map of owners as long as n is not 0. */
struct owner {
    size_t n;
};

/* One entry. It is on the list of all entries and on that of its name. */
struct published {
    struct px_list link;
    struct px_list alike;
    struct name *name;
    struct owner *count;
    pmix_proc_t owner;
    pmix_data_range_t range;
    pmix_persistence_t persistence;
    pmix_info_t info;
};

struct waiting {
    struct waiting *next;
    struct px_run_task task; /* keys: our own copy */
    pmix_data_range_t range;
    size_t n_wanted;
    int64_t deadline_ms;
};

static struct px_list entries = {&entries, &entries};
static struct px_map names;
static struct px_map owners; /* by the whole pmix_proc_t, padded with zeros */
static struct waiting *waiters;

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

static void entry_free(struct published *e)
{
    px_list_remove(&e->link);
    px_list_remove(&e->alike);
    if (px_list_empty(&e->name->entries)) {
        free(px_map_remove(&names, e->info.key, strlen(e->info.key)));
    }
    if (--e->count->n == 0) {
        free(px_map_remove(&owners, &e->owner, sizeof(e->owner)));
    }
    PMIX_INFO_DESTRUCT(&e->info);
    free(e);
}

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

/* The newest entry of a name, or NULL. */
static struct published *first_of(const char *key)
{
    const struct name *name = px_map_find(&names, key, strlen(key));

    return name != NULL && name->entries.next != NULL
               ? px_container_of(name->entries.next, struct published, alike)
               : NULL;
}

/* The next one of the same name, or NULL. */
static struct published *next_of(const struct published *e)
{
    return e->alike.next != &e->name->entries
               ? px_container_of(e->alike.next, struct published, alike)
               : NULL;
}

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

/* The newest entry of this name that `reader` may see; NULL when there is none. */
static struct published *find_published(const char *key, const pmix_proc_t *reader)
{
    struct published *e = first_of(key);

    while (e != NULL && !in_range(e, reader)) {
        e = next_of(e);
    }
    return e;
}

static bool is_taken(const char *key, pmix_data_range_t range, const pmix_proc_t *owner)
{
    for (const struct published *e = first_of(key); e != NULL; e = next_of(e)) {
        if (e->range == range && in_range(e, owner)) {
            return true;
        }
    }
    return false;
}

static size_t count_published(const pmix_proc_t *proc)
{
    const struct owner *owner;
    pmix_proc_t key;

    PMIX_LOAD_PROCID(&key, proc->nspace, proc->rank);
    owner = px_map_find(&owners, &key, sizeof(key));
    return owner != NULL ? owner->n : 0;
}

/* ---- publish */

static pmix_status_t add_published(const pmix_proc_t *owner, const pmix_info_t *info,
                                   const struct directives *d)
{
    struct published *e = calloc(1, sizeof(*e));
    pmix_status_t rc = e != NULL ? PMIx_Info_xfer(&e->info, info) : PMIX_ERR_NOMEM;

    if (rc != PMIX_SUCCESS) {
        free(e);
        return rc;
    }
    PMIX_LOAD_PROCID(&e->owner, owner->nspace, owner->rank);
    e->range = d->range;
    e->persistence = d->persistence;
    e->name = find_or_make(&names, info->key, strlen(info->key), sizeof(*e->name));
    e->count = find_or_make(&owners, &e->owner, sizeof(e->owner), sizeof(*e->count));
    if (e->name == NULL ||
        e->count == NULL) { /* a record without entries stays for the next time */
        PMIX_INFO_DESTRUCT(&e->info);
        free(e);
        return PMIX_ERR_NOMEM;
    }
    if (e->name->entries.next == NULL) {
        px_list_init(&e->name->entries);
    }
    e->count->n++;
    px_list_prepend(&e->name->entries, &e->alike);
    px_list_prepend(&entries, &e->link);
    return PMIX_SUCCESS;
}

static void serve_waiting(void);

void px_run_publish(struct px_run_task *task)
{
    const pmix_info_t *info = task->upcall.infos;
    struct directives d = read_directives(info, task->upcall.n_infos);
    size_t n = count_published(&task->proc);
    pmix_status_t rc = PMIX_SUCCESS;

    /* All or nothing: first see whether a name is taken, or there are too many. */
    for (size_t i = 0; rc == PMIX_SUCCESS && i < task->upcall.n_infos; i++) {
        struct directives ignored;
        if (read_directive(&info[i], &ignored)) {
            continue;
        }
        rc = is_taken(info[i].key, d.range, &task->proc) ? PMIX_ERR_DUPLICATE_KEY
             : n++ >= MOST_PUBLISHED                     ? PMIX_ERR_OUT_OF_RESOURCE
                                                         : PMIX_SUCCESS;
    }
    for (size_t i = 0; rc == PMIX_SUCCESS && i < task->upcall.n_infos; i++) {
        struct directives ignored;
        if (!read_directive(&info[i], &ignored)) {
            rc = add_published(&task->proc, &info[i], &d);
        }
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

static size_t count_found(char **keys, const pmix_proc_t *reader)
{
    size_t n = 0;

    for (size_t i = 0; keys != NULL && keys[i] != NULL; i++) {
        n += find_published(keys[i], reader) != NULL;
    }
    return n;
}

/* Copies what is there into data; entries that are read once only go. */
static size_t collect(char **keys, const pmix_proc_t *reader, pmix_pdata_t *data)
{
    size_t n = 0;

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

static void keep_waiting(const struct px_run_task *task, const struct directives *d,
                         size_t n_wanted)
{
    struct waiting *w = calloc(1, sizeof(*w));
    if (w == NULL) {
        px_host_reply_status(&task->upcall, PMIX_ERR_NOMEM);
        return;
    }
    w->task = *task;
    w->task.upcall.keys = px_env_copy(task->upcall.keys);
    w->range = d->range;
    w->n_wanted = n_wanted;
    w->deadline_ms = d->timeout_s > 0 ? px_run_now_ms() + 1000 * (int64_t) d->timeout_s : INT64_MAX;
    if (w->task.upcall.keys == NULL) {
        free(w);
        px_host_reply_status(&task->upcall, PMIX_ERR_NOMEM);
        return;
    }
    w->next = waiters;
    waiters = w;
}

void px_run_lookup(struct px_run_task *task)
{
    struct directives d = read_directives(task->upcall.infos, task->upcall.n_infos);
    size_t n_keys = count_keys(task->upcall.keys);
    size_t n_wanted = d.wait_for > 0 && (size_t) d.wait_for < n_keys ? (size_t) d.wait_for : n_keys;

    if (d.wait && count_found(task->upcall.keys, &task->proc) < n_wanted) {
        keep_waiting(task, &d, n_wanted);
    } else {
        answer(task, PMIX_ERR_NOT_FOUND);
    }
}

/* Takes a waiting lookup out of its list and answers it. */
static void waiting_finish(struct waiting **link, pmix_status_t if_none)
{
    struct waiting *w = *link;

    *link = w->next;
    answer(&w->task, if_none);
    px_env_free(w->task.upcall.keys);
    free(w);
}

static void serve_waiting(void)
{
    for (struct waiting **w = &waiters; *w != NULL;) {
        if (count_found((*w)->task.upcall.keys, &(*w)->task.proc) >= (*w)->n_wanted) {
            waiting_finish(w, PMIX_ERR_NOT_FOUND);
        } else {
            w = &(*w)->next;
        }
    }
}

int64_t px_run_published_deadline(void)
{
    int64_t first = INT64_MAX;

    for (const struct waiting *w = waiters; w != NULL; w = w->next) {
        first = w->deadline_ms < first ? w->deadline_ms : first;
    }
    return first;
}

void px_run_published_expire(int64_t now_ms)
{
    for (struct waiting **w = &waiters; *w != NULL;) {
        if (now_ms >= (*w)->deadline_ms) {
            waiting_finish(w, PMIX_ERR_TIMEOUT);
        } else {
            w = &(*w)->next;
        }
    }
}

/* ---- unpublish and ends */

static bool is_listed(const struct published *e, char **keys)
{
    for (size_t i = 0; keys != NULL && keys[i] != NULL; i++) {
        if (PMIX_CHECK_KEY(&e->info, keys[i])) {
            return true;
        }
    }
    return keys == NULL;
}

void px_run_unpublish(struct px_run_task *task)
{
    px_list_for(struct published, e, &entries, link) {
        if (PMIX_CHECK_PROCID(&e->owner, &task->proc) && is_listed(e, task->upcall.keys)) {
            entry_free(e);
        }
    }
    px_host_reply_status(&task->upcall, PMIX_SUCCESS);
}

void px_run_published_forget(const char *nspace, pmix_rank_t rank)
{
    px_list_for(struct published, e, &entries, link) {
        bool ended = rank == PMIX_RANK_WILDCARD
                         ? e->persistence == PMIX_PERSIST_APP
                         : e->persistence == PMIX_PERSIST_PROC && e->owner.rank == rank;
        if (ended && strcmp(e->owner.nspace, nspace) == 0) {
            entry_free(e);
        }
    }
    for (struct waiting **w = &waiters; *w != NULL;) {
        const pmix_proc_t *reader = &(*w)->task.proc;
        if (strcmp(reader->nspace, nspace) == 0 &&
            (rank == PMIX_RANK_WILDCARD || reader->rank == rank)) {
            waiting_finish(w, PMIX_ERR_NOT_FOUND);
        } else {
            w = &(*w)->next;
        }
    }
}

void px_run_published_free(void)
{
    px_list_for(struct published, e, &entries, link) {
        entry_free(e);
    }
    px_map_fini(&names);
    px_map_fini(&owners);
}
