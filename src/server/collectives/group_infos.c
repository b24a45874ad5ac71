/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "group_infos.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "gds/batch.h"
#include "gds/kval_reader.h"
#include "gds/level.h"
#include "gds/payload.h"
#include "gds/publication.h"
#include "src/base/assert.h"
#include "src/base/param.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/compaction.h"
#include "src/server/data/nspace.h"
#include "src/server/data/posted.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/nested.h"

/* How many values one trim looks at beside two for each that is new: it has an end, however many
 * are of groups that exist, and gets through all of them in time. */
enum { MORE_LOOKS = 64 };

/* A process and a group to which it has given values; in s->group_givers. */
struct giver {
    struct giver_key {
        pmix_proc_t proc;
        char group[PMIX_MAX_NSLEN + 1];
    } key;
    size_t newest; /* id of the group's context, of the value given last */
    size_t n;      /* values; the last one takes the giver along */
};

/* A value in a store; in s->group_values and in s->group_infos, which owns it. */
struct group_value {
    struct px_list link;
    struct value_key {
        size_t id; /* of the group's context */
        pmix_proc_t from;
        char key[PMIX_MAX_KEYLEN + 1];
    } key;
    struct giver *giver;
};

static void forget(struct px_server *s, struct group_value *noted)
{
    struct giver *giver = noted->giver;

    (void) px_map_remove(&s->group_values, &noted->key, sizeof(noted->key));
    px_list_remove(&noted->link);
    s->n_group_infos--;
    free(noted);
    giver->n--;
    if (giver->n == 0) {
        (void) px_map_remove(&s->group_givers, &giver->key, sizeof(giver->key));
        free(giver);
    }
}

/* The record of a process and a group, made if there is none. NULL: no memory. */
static struct giver *find_giver(struct px_server *s, const char *group, const pmix_proc_t *from)
{
    struct giver_key key;
    struct giver *giver;

    memset(&key, 0, sizeof(key)); /* all its bytes are compared */
    PMIx_Load_procid(&key.proc, from->nspace, from->rank);
    memcpy(key.group, group, strnlen(group, PMIX_MAX_NSLEN));
    giver = px_map_find(&s->group_givers, &key, sizeof(key));
    if (giver) {
        return giver;
    }
    giver = calloc(1, sizeof(*giver));
    if (giver) {
        giver->key = key;
    }
    if (giver && px_map_set(&s->group_givers, &key, sizeof(key), giver)) {
        free(giver);
        giver = NULL;
    }
    return giver;
}

/* True if the value is of a group that exists: its giver is in one of that name, to which it has
 * given nothing under another id since. */
static bool is_in_use(struct px_server *s, const struct group_value *noted)
{
    const struct giver *giver = noted->giver;

    if (giver->newest != noted->key.id) {
        return false;
    }
    return px_proc_set_find(s->proc_sets, PX_SET_GROUP, giver->key.group, &giver->key.proc);
}

/* The qualifier of values that are of the group with this context id. */
static pmix_info_t qualifier(size_t id)
{
    return (pmix_info_t){.key = PMIX_GROUP_CONTEXT_ID,
                         .value = {.type = PMIX_SIZE, .data.size = id}};
}

/* Counts a value as posted by its process, or, if it is deleted, no longer; if the process is of
 * this node. Without memory the count stays. */
static void count_value(const struct px_nspace *ns, const struct px_store_entry *entry)
{
    struct px_local_proc *rank = px_local_proc_find(ns, entry->index);
    struct px_kval kval = {.entry = *entry, .key_len = strnlen(entry->key, PMIX_MAX_KEYLEN)};
    struct px_kval_name name;
    size_t bytes = 0;

    if (!rank || px_kval_name(&kval, &name)) {
        return;
    }
    if (entry->value == &px_deleted) {
        px_posted_not_here(rank, name.bytes, name.len);
    } else if (!PMIx_Value_get_size(entry->value, &bytes)) {
        px_posted_here(rank, name.bytes, name.len, bytes);
    }
    px_buf_fini(&name.room);
}

/* All values of a process have been counted that have changed. */
static void recount(struct px_server *s, struct px_nspace *ns, pmix_rank_t from)
{
    struct px_local_proc *rank = px_local_proc_find(ns, from);

    px_nspace_note_change(s, ns, from);
    if (rank) {
        px_posted_recount(s, rank);
    }
}

/* Deletes the value from the store of its namespace. Without memory it stays there. */
static void delete_value(struct px_server *s, const struct group_value *noted)
{
    const struct value_key *key = &noted->key;
    struct px_nspace *ns = px_nspace_find(s, key->from.nspace);
    struct px_batch *batch = ns ? px_batch_create() : NULL;
    pmix_info_t id = qualifier(key->id);
    struct px_store_entry entry = {.level = PX_LEVEL_PROC,
                                   .index = key->from.rank,
                                   .key = key->key,
                                   .value = &px_deleted,
                                   .scope = PMIX_GLOBAL,
                                   .quals = &id,
                                   .n_quals = 1};

    if (batch && !px_batch_add(batch, &entry)) {
        (void) px_store_publish(ns->store, batch);
        ns->deletes = true;
        count_value(ns, &entry);
        recount(s, ns, key->from.rank);
    }
    px_batch_destroy(batch);
    if (ns) {
        px_nspace_compact(s, ns);
    }
}

/* Values of groups that exist stay, however many they are: those that are met go to the list's
 * end. */
void px_group_infos_trim(struct px_server *s)
{
    size_t most = (size_t) px_param_int(PX_P_GROUP_INFOS);
    size_t looks = 2 * s->n_new_group_infos + MORE_LOOKS;

    s->n_new_group_infos = 0;
    for (; s->n_group_infos > most && looks > 0; looks--) {
        struct group_value *oldest = px_container_of(s->group_infos.next, struct group_value, link);

        if (is_in_use(s, oldest)) {
            px_list_remove(&oldest->link);
            px_list_append(&s->group_infos, &oldest->link);
        } else {
            delete_value(s, oldest);
            forget(s, oldest);
        }
    }
}

/* Notes that a value of a process was stored for a group. */
static void note(struct px_server *s, const char *group, size_t id, const pmix_proc_t *from,
                 const char *key)
{
    struct group_value *noted = calloc(1, sizeof(*noted));
    struct giver *giver = noted ? find_giver(s, group, from) : NULL;
    struct group_value *old;

    if (!giver) {
        free(noted);
        return;
    }
    giver->n++;
    giver->newest = id;
    noted->giver = giver;
    noted->key.id = id;
    PMIx_Load_procid(&noted->key.from, from->nspace, from->rank);
    memcpy(noted->key.key, key, strnlen(key, PMIX_MAX_KEYLEN));
    px_list_append(&s->group_infos, &noted->link);
    s->n_group_infos++;
    s->n_new_group_infos++;
    old = px_map_find(&s->group_values, &noted->key, sizeof(noted->key));
    if (old) {
        forget(s, old);
    }
    if (px_map_set(&s->group_values, &noted->key, sizeof(noted->key), noted)) {
        forget(s, noted);
    }
}

/* A contribution begins with its contributor. NULL: it is malformed. */
static const pmix_proc_t *contributor(const pmix_info_t *infos, size_t n)
{
    return n > 1 && infos[0].value.type == PMIX_PROC ? infos[0].value.data.proc : NULL;
}

/* Stores one contribution. */
static int store_one(struct px_server *s, const char *group, const size_t *id,
                     const pmix_info_t *given)
{
    size_t n = 0;
    const pmix_info_t *infos = NULL;
    bool open = !px_info_open(&given->value, &infos, &n);
    const pmix_proc_t *from = open ? contributor(infos, n) : NULL;
    struct px_nspace *ns = from ? px_nspace_find(s, from->nspace) : NULL;
    pmix_info_t of_group = qualifier(id ? *id : 0);
    struct px_batch *batch = ns ? px_batch_create() : NULL;
    int rc = ns && !batch ? PMIX_ERR_NOMEM : PMIX_SUCCESS;

    for (size_t i = 1; !rc && ns && i < n; i++) {
        struct px_store_entry entry = {.level = PX_LEVEL_PROC,
                                       .index = from->rank,
                                       .key = infos[i].key,
                                       .value = &infos[i].value,
                                       .scope = PMIX_GLOBAL,
                                       .quals = id ? &of_group : NULL,
                                       .n_quals = id != NULL};

        if (px_nspace_is_hosts(ns, entry.index, entry.key)) {
            continue;
        }
        rc = px_batch_add(batch, &entry);
        if (!rc) {
            count_value(ns, &entry);
        }
        if (!rc && id) {
            note(s, group, *id, from, infos[i].key);
        }
    }
    if (ns) {
        rc = rc ? rc : px_store_publish(ns->store, batch);
        recount(s, ns, from->rank);
        px_batch_destroy(batch);
        px_nspace_compact(s, ns);
    }
    return rc;
}

int px_group_infos_store(struct px_server *s, const char *group, const size_t *id,
                         const pmix_info_t *info, size_t n)
{
    const pmix_info_t *one = px_infos_next(info, n, NULL, PMIX_GROUP_INFO);
    const pmix_info_t *many = px_infos_next(info, n, NULL, PMIX_GROUP_INFO_ARRAY);
    int rc = PMIX_SUCCESS;

    px_assert(px_loop_inside(s->loop));
    for (; !rc && one; one = px_infos_next(info, n, one, PMIX_GROUP_INFO)) {
        rc = store_one(s, group, id, one);
    }
    for (; !rc && many; many = px_infos_next(info, n, many, PMIX_GROUP_INFO_ARRAY)) {
        const pmix_info_t *inner;
        size_t n_inner;

        if (!px_info_open(&many->value, &inner, &n_inner)) {
            rc = px_group_infos_store(s, group, id, inner, n_inner);
        }
    }
    return rc;
}

bool px_group_infos_allowed(struct px_server *s, const pmix_proc_t *who, const pmix_info_t *info,
                            size_t n)
{
    struct px_local_proc *rank = px_local_proc_of(s, who);
    const pmix_info_t *given = px_infos_next(info, n, NULL, PMIX_GROUP_INFO);
    size_t bytes = 0;

    px_assert(px_loop_inside(s->loop));
    for (; given; given = px_infos_next(info, n, given, PMIX_GROUP_INFO)) {
        size_t more = 0;

        (void) PMIx_Value_get_size(&given->value, &more);
        bytes += more;
    }
    return !bytes || (rank && px_posted_allows(s, rank, bytes));
}

void px_group_infos_nspace_removed(struct px_server *s, const char *nspace)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct group_value, noted, &s->group_infos, link) {
        if (strcmp(noted->key.from.nspace, nspace) == 0) {
            forget(s, noted);
        }
    }
}

void px_group_infos_fini(struct px_server *s)
{
    px_list_for(struct group_value, noted, &s->group_infos, link) {
        forget(s, noted);
    }
    px_map_fini(&s->group_values);
    px_map_fini(&s->group_givers);
}
