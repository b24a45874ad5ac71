/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The order of lookup. For a concrete rank the process level comes first, whatever the key. Then
 * the key's realm decides which session, node or application is asked. The job level comes last,
 * because hosts put there what they have no better place for. A realm named by the caller is the
 * only one that is asked, unless it is the key's own. What follows from the placement (a rank's
 * node, the node's name and number, a rank's application, the number of ranks on a node) is
 * computed when no value is stored. These are the rules of the Standard's PMIx_Get. */

#include "gds/lookup.h"

#include <string.h>

#include "gds/read.h"
#include "src/base/attributes.h"
#include "nodes.h"
#include "record_writer.h"
#include "slice.h"

/* A reserved key and its realm; the table is sorted by name. */
struct realm_key {
    const char *name;
    enum px_realm realm;
};

static const struct realm_key realm_keys[] = {
#define PX_REALM_KEY(name, realm) {name, PX_REALM_##realm},
#include "gds/realm.def"
#undef PX_REALM_KEY
};

/* Binary search. `key` need not be NUL-terminated, so equal beginnings are not enough. */
enum px_realm px_key_realm(const char *key, size_t key_len)
{
    size_t low = 0;
    size_t high = sizeof(realm_keys) / sizeof(realm_keys[0]);

    while (low < high) {
        size_t mid = (low + high) / 2;
        int rc = strncmp(key, realm_keys[mid].name, key_len);

        if (rc == 0 && realm_keys[mid].name[key_len] == '\0') {
            return realm_keys[mid].realm;
        }
        if (rc > 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return PX_REALM_NONE;
}

/* Indexed by enum px_derived; the first entry is no key. */
const char *const px_derived_names[PX_N_DERIVED] = {
    [PX_DERIVED_NONE] = "",
    [PX_DERIVED_RANK] = PMIX_RANK,
    [PX_DERIVED_APPNUM] = PMIX_APPNUM,
    [PX_DERIVED_NODEID] = PMIX_NODEID,
    [PX_DERIVED_HOSTNAME] = PMIX_HOSTNAME,
    [PX_DERIVED_LOCAL_SIZE] = PMIX_LOCAL_SIZE,
};

/* The writer calls this once per new key; readers find the result in the key. */
enum px_derived px_key_derived(const char *key, size_t key_len)
{
    unsigned i;

    for (i = 1; i < PX_N_DERIVED; i++) {
        if (strlen(px_derived_names[i]) == key_len &&
            memcmp(px_derived_names[i], key, key_len) == 0) {
            return (enum px_derived) i;
        }
    }
    return PX_DERIVED_NONE;
}

/* One get under way, on the stack of px_store_get. realm and strict follow from the request and the
 * key. */
struct lookup {
    struct px_read read;
    /* The request, the key that it is for, and the placement once it was needed. */
    const struct px_lookup_key *spec;
    const struct px_key *key;
    const struct px_placement *place_or_none; /* once placed */
    bool placed;
    bool proc_done;      /* the process level has been looked at */
    enum px_realm realm; /* where to look */
    bool strict;         /* nowhere else */
    struct px_qual_digest quals;
};

/* True for a rank that means one process. */
static bool concrete(pmix_rank_t rank)
{
    return rank <= PMIX_RANK_VALID;
}

/* True if a step found nothing, so that the next one has to be tried; other failures end the
 * lookup. */
static bool missing(int rc)
{
    return rc == PMIX_ERR_NOT_FOUND;
}

/* Looks at one level and index, with the request's qualifiers if it has any. */
static int at(struct lookup *l, enum px_level level, uint32_t index, struct px_slice *ret)
{
    return px_read_level(&l->read, level, index, l->key, l->spec->n_quals ? &l->quals : NULL, ret);
}

/* The visible placement or NULL, read once per lookup, so that all answers come from the same
 * one. */
static const struct px_placement *placement_value(struct lookup *l)
{
    if (!l->placed) {
        l->place_or_none = px_read_placement(&l->read);
        l->placed = true;
    }
    return l->place_or_none;
}

/* Makes the slice of a derived scalar: its value is in the slice, and no cell is behind it. */
static int word_slice(struct lookup *l, pmix_data_type_t type, uint64_t word, struct px_slice *ret)
{
    *ret = (struct px_slice){
        .store = l->read.store,
        .word = word,
        .len = sizeof(word),
        .type = type,
        .form = PX_FORM_WORD,
        .inlined = true,
    };
    return 0;
}

/* --- node level --- */

/* The index of the node that the request means: by name, by number, the readers' own (for the
 * reader itself and for no concrete rank), or that of the rank. PX_NO_NODE if there is none
 * such. */
static uint32_t node_meant(struct lookup *l)
{
    const struct px_placement *place = placement_value(l);
    const struct px_lookup_key *spec = l->spec;

    if (!place) {
        return PX_NO_NODE;
    }
    if (spec->hostname) {
        return px_placement_by_name(&l->read, place, spec->hostname);
    }
    if (spec->nodeid != PX_NO_NODEID) {
        return px_placement_by_id(&l->read, place, spec->nodeid);
    }
    if ((!concrete(spec->rank) || spec->rank == spec->self) && place->local_node < place->n_nodes) {
        return place->local_node;
    }
    return px_placed(&l->read, &place->node_of, place->n_ranks, spec->rank);
}

/* What the placement says about a node under this key: its name, its number, or how many ranks it
 * has. PMIX_ERR_NOT_FOUND for all other keys and for a node without ranks; PMIX_ERR_UNPACK_FAILURE
 * if the placement is damaged. */
static int derived_node(struct lookup *l, uint32_t index, struct px_slice *ret)
{
    const struct px_node *node = px_placement_node(&l->read, placement_value(l), index);

    if (!node) {
        return px_read_miss(&l->read);
    }
    switch (l->key->derived) {
    case PX_DERIVED_HOSTNAME:
        return px_read_cell(&l->read, node->name, ret);
    case PX_DERIVED_NODEID:
        return word_slice(l, PMIX_UINT32, node->nodeid, ret);
    case PX_DERIVED_LOCAL_SIZE:
        return node->count ? word_slice(l, PMIX_UINT32, node->count, ret) : PMIX_ERR_NOT_FOUND;
    default:
        return PMIX_ERR_NOT_FOUND;
    }
}

/* The node level, then what the placement says. The job level is a fallback only for the readers'
 * own node, or if no node is known: a value that the host gave for the whole job may describe that
 * one, but no other. A realm that the caller names excludes it. */
static int get_node(struct lookup *l, struct px_slice *ret)
{
    bool other = l->spec->hostname || l->spec->nodeid != PX_NO_NODEID;
    uint32_t index = node_meant(l);
    int rc = PMIX_ERR_NOT_FOUND;

    /* A stored value wins over what follows from the placement. */
    if (index != PX_NO_NODE) {
        rc = at(l, PX_LEVEL_NODE, index, ret);
        if (missing(rc)) {
            rc = derived_node(l, index, ret);
        }
        other = other || index != placement_value(l)->local_node;
    }
    if (missing(rc) && !l->strict && !other) {
        rc = at(l, PX_LEVEL_JOB, 0, ret);
    }
    return rc;
}

/* --- application level --- */

/* The number of the application that the request means: the one given, that of the rank or, for no
 * concrete rank, of the caller itself; 0 if none is known. */
static uint32_t app_meant(struct lookup *l)
{
    const struct px_lookup_key *spec = l->spec;
    pmix_rank_t rank = concrete(spec->rank) ? spec->rank : spec->self;
    uint32_t app = PX_NO_APP;

    if (spec->appnum != PX_NO_APP) {
        return spec->appnum;
    }
    if (concrete(rank) && placement_value(l)) {
        app = px_placed(&l->read, &placement_value(l)->app_of, placement_value(l)->n_ranks, rank);
    }
    return app == PX_NO_APP ? 0 : app;
}

/* The application level, then the job level unless a number or a realm was given. */
static int get_app(struct lookup *l, struct px_slice *ret)
{
    int rc = at(l, PX_LEVEL_APP, app_meant(l), ret);

    if (missing(rc) && !l->strict && l->spec->appnum == PX_NO_APP) {
        rc = at(l, PX_LEVEL_JOB, 0, ret);
    }
    return rc;
}

/* --- session level --- */

/* The session level: the session given or the readers' own. The job level is a fallback unless a
 * session id or a realm was given. */
static int get_session(struct lookup *l, struct px_slice *ret)
{
    /* pairs with publish_all */
    uint64_t own = px_load_acquire(&px_store_header(l->read.store)->session);
    int rc = PMIX_ERR_NOT_FOUND;

    if (l->spec->session != PX_NO_SESSION) {
        return at(l, PX_LEVEL_SESSION, l->spec->session, ret);
    }
    if (own) {
        rc = at(l, PX_LEVEL_SESSION, (uint32_t) own, ret);
    }
    if (missing(rc) && !l->strict) {
        rc = at(l, PX_LEVEL_JOB, 0, ret);
    }
    return rc;
}

/* --- job and process level --- */

/* The job level, where the fallbacks of all other realms end; there is nothing behind it. */
static int get_job(struct lookup *l, struct px_slice *ret)
{
    return at(l, PX_LEVEL_JOB, 0, ret);
}

/* What the placement says about a concrete rank under this key. */
static int derived_proc(struct lookup *l, struct px_slice *ret)
{
    const struct px_placement *place = l->key->derived ? placement_value(l) : NULL;
    pmix_rank_t rank = l->spec->rank;
    uint32_t app;

    if (!place || rank >= place->n_ranks) {
        return px_read_miss(&l->read);
    }
    switch (l->key->derived) {
    case PX_DERIVED_RANK:
        return word_slice(l, PMIX_PROC_RANK, rank, ret);
    case PX_DERIVED_APPNUM:
        app = px_placed(&l->read, &place->app_of, place->n_ranks, rank);
        return app == PX_NO_APP ? PMIX_ERR_NOT_FOUND : word_slice(l, PMIX_UINT32, app, ret);
    case PX_DERIVED_HOSTNAME:
    case PX_DERIVED_NODEID:
        return derived_node(l, px_placed(&l->read, &place->node_of, place->n_ranks, rank), ret);
    default:
        return PMIX_ERR_NOT_FOUND;
    }
}

/* For PMIX_RANK_UNDEF: the value of a rank that has one, by the key's any-rank hint. The caller
 * promises that the key is unique in the namespace (Standard, PMIx_Get). */
static int get_any_rank(struct lookup *l, struct px_slice *ret)
{
    uint64_t holder = px_load_acquire(&l->key->holder); /* pairs with publish_all */

    if (holder == 0 || holder - 1 > PMIX_RANK_VALID) {
        return PMIX_ERR_NOT_FOUND;
    }
    return at(l, PX_LEVEL_PROC, (uint32_t) (holder - 1), ret);
}

/* The process level; what follows from the placement comes after what was stored. Neither exists
 * for the wildcard, and qualified values never follow from the placement. */
static int get_proc(struct lookup *l, struct px_slice *ret)
{
    int rc = PMIX_ERR_NOT_FOUND;

    if (concrete(l->spec->rank)) {
        if (!l->proc_done) {
            rc = at(l, PX_LEVEL_PROC, l->spec->rank, ret);
        }
        if (missing(rc) && !l->spec->n_quals) {
            rc = derived_proc(l, ret);
        }
    } else if (l->spec->rank == PMIX_RANK_UNDEF) {
        rc = get_any_rank(l, ret);
    }
    return rc;
}

/* --- the order --- */

/* The realm to look in: the one named, the key's own, or, for a key without one, that of the node
 * or application qualifier. */
static enum px_realm realm_meant(const struct lookup *l, enum px_realm own)
{
    if (l->spec->realm != PX_REALM_NONE) {
        return l->spec->realm;
    }
    /* A node qualifier picks a node even for a key without a realm; so does an application
     * number. */
    if (own == PX_REALM_NONE && (l->spec->hostname || l->spec->nodeid != PX_NO_NODEID)) {
        return PX_REALM_NODE;
    }
    if (own == PX_REALM_NONE && l->spec->appnum != PX_NO_APP) {
        return PX_REALM_APP;
    }
    return own;
}

/* True if the process level comes before the realm. A qualifier or a directive that points to
 * another realm turns that off; so does a session key. */
static bool proc_first(const struct lookup *l)
{
    const struct px_lookup_key *spec = l->spec;

    if (spec->realm != PX_REALM_NONE && spec->realm != PX_REALM_PROC) {
        return false;
    }
    if (l->realm == PX_REALM_SESSION || (l->realm == PX_REALM_APP && spec->appnum != PX_NO_APP)) {
        return false;
    }
    return l->realm != PX_REALM_NODE || (!spec->hostname && spec->nodeid == PX_NO_NODEID);
}

/* The lookup behind the process level. */
static int by_realm(struct lookup *l, struct px_slice *ret)
{
    switch (l->realm) {
    case PX_REALM_SESSION:
        return get_session(l, ret);
    case PX_REALM_APP:
        return get_app(l, ret);
    case PX_REALM_NODE:
        return get_node(l, ret);
    case PX_REALM_PROC:
        return l->strict ? PMIX_ERR_NOT_FOUND : get_job(l, ret);
    case PX_REALM_JOB:
    case PX_REALM_NONE:
    default:
        return get_job(l, ret);
    }
}

/* Process level, then realm. PMIX_RANK_INVALID never has a value. */
static int in_order(struct lookup *l, struct px_slice *ret)
{
    int rc = PMIX_ERR_NOT_FOUND;

    if (l->spec->rank == PMIX_RANK_INVALID) {
        return rc;
    }
    if (proc_first(l)) {
        rc = get_proc(l, ret);
    }
    return missing(rc) ? by_realm(l, ret) : rc;
}

/* True if the request has nothing but a key and a rank. */
static inline bool plain(const struct px_lookup_key *spec)
{
    return spec->realm == PX_REALM_NONE && !spec->hostname && spec->nodeid == PX_NO_NODEID &&
           spec->appnum == PX_NO_APP && spec->scope == PMIX_SCOPE_UNDEF && spec->n_quals == 0;
}

/* True if a value of this scope may answer a request for that one. What came from other nodes is
 * stored as PMIX_REMOTE; it may have been put as PMIX_GLOBAL, so it answers both. */
static bool in_scope(pmix_scope_t asked, pmix_scope_t scope)
{
    return asked == PMIX_SCOPE_UNDEF || scope == PMIX_SCOPE_UNDEF || asked == scope ||
           (asked == PMIX_GLOBAL && scope == PMIX_REMOTE);
}

/* The full lookup, for requests with directives and for plain ones that found nothing at first.
 * Qualifiers that have no digest match no value. */
static int get_in_order(struct lookup *l, struct px_slice *ret)
{
    const struct px_lookup_key *spec = l->spec;
    enum px_realm own = (enum px_realm) l->key->realm;
    int rc;

    px_assert(spec->n_quals == 0 || spec->quals);
    l->realm = realm_meant(l, own);
    /* A directive that names the key's own realm adds nothing: the fallback to the job level
     * stays. */
    l->strict = spec->realm != PX_REALM_NONE && spec->realm != own;
    if (spec->n_quals && !px_quals_digest(spec->quals, spec->n_quals, &l->quals)) {
        return PMIX_ERR_NOT_FOUND;
    }
    rc = in_order(l, ret);
    return missing(rc) ? px_read_miss(&l->read) : rc;
}

/* Plain requests are tried by the short way; if the rank's own level has been looked at there, the
 * full lookup leaves it out. A hidden value and one of another scope exist outside the scope asked
 * for. */
PX_NO_STACK_PROTECTOR
int px_store_get(const struct px_store *store, const struct px_lookup_key *spec,
                 struct px_slice *ret)
{
    const struct px_key *key;
    struct px_read read;
    bool asked = false;
    int rc = PMIX_ERR_NOT_FOUND;

    px_read_begin(store, &read);
    key = px_read_find_key(&read, spec->key, spec->key_len);
    if (!key) {
        return px_read_miss(&read);
    }
    /* Most gets end here. */
    if (plain(spec)) {
        asked = concrete(spec->rank) && px_key_ends_at(key, spec->rank);
        rc = px_read_plain(&read, key, spec->rank, ret);
    }
    if (missing(rc)) {
        rc = get_in_order(
            &(struct lookup){.spec = spec, .read = read, .key = key, .proc_done = asked}, ret);
    }
    if (rc == 0) {
        ret->name = key->name;
    }
    return rc == 0 && (ret->hidden || !in_scope(spec->scope, ret->scope))
               ? PMIX_ERR_EXISTS_OUTSIDE_SCOPE
               : rc;
}
