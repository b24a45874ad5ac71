/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "group_infos.h"

#include <stdlib.h>
#include <string.h>

#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/level.h"
#include "gds/payload.h"
#include "gds/publication.h"
#include "src/base/assert.h"
#include "src/base/param.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"
#include "src/value/keys.h"

/* A value in a store; in s->group_infos, oldest first. */
struct group_value {
    struct px_list link;
    size_t id; /* of the group's context */
    pmix_proc_t from;
    char key[PMIX_MAX_KEYLEN + 1];
    char group[PMIX_MAX_NSLEN + 1];
};

static void forget(struct px_server *s, struct group_value *noted)
{
    px_list_remove(&noted->link);
    s->n_group_infos--;
    free(noted);
}

/* The same value of an earlier group, or NULL. */
static struct group_value *find(struct px_server *s, size_t id, const pmix_proc_t *from,
                                const char *key)
{
    px_list_for(struct group_value, noted, &s->group_infos, link) {
        if (noted->id == id && px_proc_equal(&noted->from, from) &&
            px_value_key_is(noted->key, key)) {
            return noted;
        }
    }
    return NULL;
}

/* True if the value is of a group that exists: its contributor is in one of that name, for which it
 * has given nothing under another id since. */
static bool is_in_use(struct px_server *s, const struct group_value *noted)
{
    const struct px_list *item = noted->link.next;

    for (; item != &s->group_infos; item = item->next) {
        const struct group_value *later = px_container_of(item, struct group_value, link);

        if (later->id != noted->id && strcmp(later->group, noted->group) == 0 &&
            px_proc_equal(&later->from, &noted->from)) {
            return false;
        }
    }
    return px_proc_set_find(&s->proc_sets, PX_SET_GROUP, noted->group, &noted->from);
}

/* Deletes the value from the store of its namespace. Without memory it stays there. */
static void delete_value(struct px_server *s, const struct group_value *noted)
{
    struct px_nspace *ns = px_nspace_find(s, noted->from.nspace);
    struct px_batch *batch = ns ? px_batch_create() : NULL;
    pmix_info_t id = {.key = PMIX_GROUP_CONTEXT_ID,
                      .value = {.type = PMIX_SIZE, .data.size = noted->id}};
    struct px_store_entry entry = {.level = PX_LEVEL_PROC,
                                   .index = noted->from.rank,
                                   .key = noted->key,
                                   .value = &px_deleted,
                                   .scope = PMIX_GLOBAL,
                                   .quals = &id,
                                   .n_quals = 1};

    if (batch && !px_batch_add(batch, &entry)) {
        (void) px_store_publish(ns->store, batch);
        ns->deletes = true;
        px_nspace_note_change(s, ns, noted->from.rank);
        px_store_compact(ns->store);
    }
    px_batch_destroy(batch);
}

/* Values of groups that exist stay, however many they are. */
void px_group_infos_trim(struct px_server *s)
{
    size_t most = (size_t) px_param_int(PX_P_GROUP_INFOS);

    px_list_for(struct group_value, noted, &s->group_infos, link) {
        if (s->n_group_infos <= most) {
            break;
        }
        if (!is_in_use(s, noted)) {
            delete_value(s, noted);
            forget(s, noted);
        }
    }
}

void px_group_infos_note(struct px_server *s, const char *group, size_t id, const pmix_proc_t *from,
                         const char *key)
{
    struct group_value *noted = find(s, id, from, key);

    px_assert(px_loop_inside(s->loop));
    if (noted) {
        forget(s, noted);
    }
    noted = calloc(1, sizeof(*noted));
    if (!noted) {
        return;
    }
    noted->id = id;
    noted->from = *from;
    memcpy(noted->key, key, strnlen(key, PMIX_MAX_KEYLEN));
    memcpy(noted->group, group, strnlen(group, PMIX_MAX_NSLEN));
    px_list_append(&s->group_infos, &noted->link);
    s->n_group_infos++;
}

void px_group_infos_fini(struct px_server *s)
{
    px_list_for(struct group_value, noted, &s->group_infos, link) {
        forget(s, noted);
    }
}
