/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Which live segment a command is about. A server may hold several of one namespace: generations
 * that were superseded and have pointers into them, and the next one while it is being filled. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gds/nodes.h"
#include "gds/segment_file.h"
#include "gds/state.h"
#include "shm.h"
#include "src/base/array.h"
#include "src/tools/quote.h"

/* A server's segment of a namespace. Owns the store. */
struct candidate {
    struct px_store *store;
    struct px_store_info info;
    pid_t pid;
};

struct candidates {
    struct candidate *items;
    size_t n;
    size_t cap;
};

static void candidates_free(struct candidates *list)
{
    for (size_t i = 0; i < list->n; i++) {
        px_store_destroy(list->items[i].store);
    }
    free(list->items);
}

static bool is_live(const struct candidate *c)
{
    return !c->info.dead && !c->info.superseded;
}

/* True if both are segments of one namespace at one server. */
static bool is_same_server(const struct candidate *a, const struct candidate *b)
{
    return strcmp(px_store_nspace(a->store), px_store_nspace(b->store)) == 0 &&
           (a->pid == b->pid || a->info.epoch == b->info.epoch);
}

/* True if readers are to look at a rather than at b, of the same server. Of two live generations
 * the later one is being filled. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (is_live(a) != is_live(b)) {
        return is_live(a);
    }
    if (a->info.epoch != b->info.epoch) {
        return a->info.epoch > b->info.epoch;
    }
    return is_live(a) ? a->info.generation < b->info.generation
                      : a->info.generation > b->info.generation;
}

/* Takes the store of c. 0 or PMIX_ERR_NOMEM. */
static int add(struct candidates *list, const struct candidate *c)
{
    for (size_t i = 0; i < list->n; i++) {
        struct candidate *other = &list->items[i];

        if (is_same_server(other, c)) {
            bool better = is_better(c, other);

            px_store_destroy(better ? other->store : c->store);
            *other = better ? *c : *other;
            return 0;
        }
    }
    if (px_array_room(&list->items, list->n, &list->cap, sizeof(*list->items)) != 0) {
        px_store_destroy(c->store);
        return PMIX_ERR_NOMEM;
    }
    list->items[list->n++] = *c;
    return 0;
}

/* Finds the segments that a command may be about. A process that has gone, and a segment that
 * cannot be read, are passed over. 0 or PMIX_ERR_NOMEM. */
static int find(const char *nspace, pid_t pid, struct candidates *list)
{
    struct px_shm_list live;
    int rc = px_shm_find(pid, &live) != 0 ? PMIX_ERR_NOMEM : 0;

    if (rc != 0) {
        return rc;
    }
    for (size_t i = 0; i < live.n && rc == 0; i++) {
        struct candidate c = {.pid = live.items[i].pid};

        if (px_shm_open(&live.items[i], &c.store) != 0) {
            continue;
        }
        if (nspace && strcmp(px_store_nspace(c.store), nspace) != 0) {
            px_store_destroy(c.store);
            continue;
        }
        px_store_info(c.store, &c.info);
        rc = add(list, &c);
    }
    px_shm_list_free(&live);
    return rc;
}

static void say_quoted(const char *text)
{
    px_quote(stderr, text, strlen(text), false);
}

/* The name of the server's node, out of a copy that nobody changes; malloc'd. NULL: not known. */
static char *node_of(const struct px_store *store)
{
    struct px_store *copy = NULL;
    struct px_node_view node;
    void *bytes = NULL;
    char *name = NULL;
    size_t len;

    if (px_store_save(store, &bytes, &len) == 0 && px_store_load(bytes, len, &copy) == 0) {
        uint32_t index = px_store_local_node(copy);

        if (index != PX_NO_NODE && px_store_node(copy, index, &node) == 0) {
            name = strdup(node.name);
        }
        px_store_destroy(copy);
    }
    free(bytes);
    return name;
}

/* One line: what chooses this one. */
static void say_candidate(const struct candidate *c, bool with_nspace)
{
    char *node = node_of(c->store);

    fputs("  ", stderr);
    if (with_nspace) {
        say_quoted(px_store_nspace(c->store));
        putc(' ', stderr);
    }
    fprintf(stderr, "--pid %d", (int) c->pid);
    if (node) {
        fputs("  on ", stderr);
        px_escape(stderr, node, strlen(node), false);
    }
    putc('\n', stderr);
    free(node);
}

static void say_all(const struct candidates *list, const char *nspace)
{
    if (nspace) {
        fputs("pmix-shm: several servers have the namespace ", stderr);
        say_quoted(nspace);
    } else {
        fputs("pmix-shm: there are several namespaces or servers", stderr);
    }
    fputs("; choose one of them:\n", stderr);
    for (size_t i = 0; i < list->n; i++) {
        say_candidate(&list->items[i], !nspace);
    }
}

int px_shm_choose(const char *nspace, pid_t pid, struct px_store **ret)
{
    struct candidates list = {.n = 0};
    int rc = find(nspace, pid, &list);

    if (rc == 0 && list.n == 0) {
        rc = PMIX_ERR_NOT_FOUND;
    } else if (rc == 0 && list.n > 1) {
        say_all(&list, nspace);
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (rc == 0) {
        *ret = list.items[0].store;
        list.items[0].store = NULL;
    }
    candidates_free(&list);
    return rc;
}
