/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "group_names.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/param.h"
#include "src/nspace/proc_sets.h"
#include "src/nspace/set_index.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/step.h"
#include "src/server/state.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/message.h"
#include "tracker.h"

/* A name in s->group_names, and in the list by age. */
struct noted {
    struct px_list link;
    size_t len;
    unsigned char key[]; /* the user, then the name */
};

/* Room for a key. */
union key {
    uid_t uid;
    unsigned char bytes[sizeof(uid_t) + PMIX_MAX_NSLEN];
};

/* Makes the key of a name that the process uses. Its length; 0: nothing is known of its user. */
static size_t make_key(struct px_server *s, const char *name, const pmix_proc_t *by, union key *ret)
{
    const struct px_nspace *ns = px_nspace_find(s, by->nspace);
    size_t len = strnlen(name, PMIX_MAX_NSLEN);

    if (!ns) {
        return 0;
    }
    ret->uid = ns->uid;
    memcpy(ret->bytes + sizeof(ret->uid), name, len);
    return sizeof(ret->uid) + len;
}

static void forget(struct px_server *s, struct noted *noted)
{
    (void) px_map_remove(&s->group_names, noted->key, noted->len);
    px_list_remove(&noted->link);
    free(noted);
}

/* Without memory the name is not noted. */
void px_group_name_note(struct px_server *s, const char *name, const pmix_proc_t *by)
{
    union key key;
    size_t len = make_key(s, name, by, &key);
    struct noted *noted = len ? px_map_find(&s->group_names, key.bytes, len) : NULL;

    px_assert(px_loop_inside(s->loop));
    if (noted) {
        px_list_remove(&noted->link);
        px_list_append(&s->group_names_by_age, &noted->link);
        return;
    }
    noted = len ? calloc(1, sizeof(*noted) + len) : NULL;
    if (!noted) {
        return;
    }
    noted->len = len;
    memcpy(noted->key, key.bytes, len);
    if (px_map_set(&s->group_names, noted->key, len, noted)) {
        free(noted);
        return;
    }
    px_list_append(&s->group_names_by_age, &noted->link);
    if (s->group_names.used > (size_t) px_param_int(PX_P_GROUP_NAMES)) {
        forget(s, px_container_of(s->group_names_by_age.next, struct noted, link));
    }
}

void px_group_names_fini(struct px_server *s)
{
    px_list_for(struct noted, noted, &s->group_names_by_age, link) {
        forget(s, noted);
    }
    px_map_fini(&s->group_names);
}

/* A process set may have the name of a former group. */
int px_group_name_check(struct px_server *s, const char *nspace, const pmix_proc_t *who)
{
    const struct px_proc_sets *sets = s->proc_sets;
    union key key;
    size_t len = s->group_names.used ? make_key(s, nspace, who, &key) : 0;

    px_assert(px_loop_inside(s->loop));
    return len && px_map_find(&s->group_names, key.bytes, len) &&
                   !px_group_name_is_job(s, nspace) &&
                   !px_proc_set_find(sets, PX_SET_GROUP, nspace, NULL) &&
                   !px_proc_set_find(sets, PX_SET_PSET, nspace, NULL)
               ? PMIX_ERR_NOT_FOUND
               : PMIX_SUCCESS;
}

int px_group_names_check(struct px_server *s, const pmix_proc_t *procs, size_t n,
                         const pmix_proc_t *who)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < n && s->group_names.used; i++) {
        bool again = i && px_same_nspace(procs[i].nspace, procs[i - 1].nspace);

        rc = again ? PMIX_SUCCESS : px_group_name_check(s, procs[i].nspace, who);
    }
    return rc;
}

bool px_group_name_is_job(struct px_server *s, const char *name)
{
    const struct px_nspace *ns = px_nspace_find(s, name);

    px_assert(px_loop_inside(s->loop));
    return ns && (ns->registered || ns->owned);
}

void px_group_names_job(struct px_server *s, const char *name)
{
    struct px_proc_set *group;

    px_assert(px_group_name_is_job(s, name));
    while ((group = px_proc_set_find(s->proc_sets, PX_SET_GROUP, name, NULL))) {
        px_proc_set_remove(group);
    }
}

/* The processes that the caller has named, as far as this server knows the groups among them:
 * those of PX_KEY_NAMED, or else those of the call. A group that only the caller knows (one made by
 * invitation) leaves those of the call, in which it is spelled out; so do lists that are so long
 * that to compare them would take the time of others. */
static struct px_procs named_by(const struct px_server *s, const struct px_coll_call *call,
                                const pmix_proc_t *who)
{
    const struct px_coll_args *args = &call->args;
    const pmix_value_t *value = px_info_find(args->head.info, args->head.ninfo, PX_KEY_NAMED);
    const struct px_procs said = {args->procs, args->nprocs};
    struct px_set_index groups = px_set_index_make(s->proc_sets, PX_SET_GROUP, who);
    struct px_proc_list spelt = {0};
    struct px_procs named;
    bool known = value && px_value_procs(value, &named) && named.n <= PX_MANY_PROCS;
    bool compared = known && said.n <= PX_MANY_PROCS;

    known = known && (!compared || !px_proc_list_add_all(&spelt, said.at, said.n));
    for (size_t i = 0; known && i < named.n; i++) {
        known = (compared && px_proc_list_has(&spelt, &named.at[i])) ||
                px_set_index_find(&groups, named.at[i].nspace)->has_who;
    }
    px_set_index_fini(&groups);
    px_proc_list_fini(&spelt);
    return known ? named : said;
}

/* Looks for a group, or expands, in the next processes. */
static int spell_next(struct px_server *s, const pmix_proc_t *who,
                      struct px_group_spelling *spelling, size_t most)
{
    const pmix_proc_t *from = spelling->named.at + spelling->at;
    size_t left = spelling->named.n - spelling->at;
    size_t n = left < most ? left : most;
    int rc = PMIX_SUCCESS;

    if (spelling->found) {
        rc = px_proc_sets_expand(s->proc_sets, from, n, who, &spelling->list);
    } else if (s->proc_sets->n == 0) {
        n = left;
    } else if (px_proc_sets_named(s->proc_sets, from, n)) {
        spelling->found = true;
        spelling->at = 0;
        n = 0;
    }
    spelling->at += n;
    return rc ? rc : (spelling->at < spelling->named.n ? PMIX_OPERATION_IN_PROGRESS : PMIX_SUCCESS);
}

int px_group_names_spell(struct px_server *s, struct px_coll_call *call, const pmix_proc_t *who,
                         struct px_group_spelling *spelling, size_t most)
{
    struct px_args *head = &call->args.head;
    int rc;

    px_assert(px_loop_inside(s->loop));
    if (!spelling->begun) {
        spelling->named = named_by(s, call, who);
        spelling->begun = true;
    }
    rc = spell_next(s, who, spelling, most);
    if (rc) {
        return rc;
    }
    if (spelling->found) {
        rc = px_coll_call_name(call, px_proc_list_hold(&spelling->list));
    }
    spelling->named = (struct px_procs){NULL, 0};
    px_infos_drop(head->info, &head->ninfo, PX_KEY_NAMED);
    return rc;
}

void px_group_spelling_fini(struct px_group_spelling *spelling)
{
    px_proc_list_fini(&spelling->list);
}

struct px_proc_set *px_group_names_add(struct px_server *s, const char *name,
                                       struct px_shared_procs *members)
{
    struct px_proc_set *group = px_group_name_is_job(s, name)
                                    ? NULL
                                    : px_proc_set_share(s->proc_sets, PX_SET_GROUP, name, members);

    px_assert(px_loop_inside(s->loop));
    if (group) {
        group->serial = ++s->group_serials;
    }
    return group;
}
