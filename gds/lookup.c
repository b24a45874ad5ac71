/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The order of lookup. A concrete rank is asked at process level first, whatever the key; then the
 * key's realm says which session, node or application is meant; the job level comes last, because
 * hosts put there what they have no better place for. A realm that the caller names is the only one
 * looked at, unless it is the key's own. What follows from the placement (a rank's node, its name
 * and number, its application, how many share a node) is answered from it when nobody has said
 * it. */

#include "gds/lookup.h"

#include <string.h>

#include "gds/read.h"

struct realm_key {
    const char *name;
    enum px_realm realm;
};

static const struct realm_key realm_keys[] = {
#define PX_REALM_KEY(name, realm) {name, PX_REALM_##realm},
#include "gds/realm.def"
#undef PX_REALM_KEY
};

enum px_realm px_key_realm(const char *key, size_t key_len)
{
    size_t low = 0;
    size_t high = sizeof realm_keys / sizeof realm_keys[0];

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

const char *const px_derived_names[PX_N_DERIVED] = {
    [PX_DERIVED_NONE] = "",
    [PX_DERIVED_RANK] = PMIX_RANK,
    [PX_DERIVED_APPNUM] = PMIX_APPNUM,
    [PX_DERIVED_NODEID] = PMIX_NODEID,
    [PX_DERIVED_HOSTNAME] = PMIX_HOSTNAME,
    [PX_DERIVED_LOCAL_SIZE] = PMIX_LOCAL_SIZE,
};

enum px_derived px_key_derived(const char *key, size_t key_len)
{
    unsigned i;

    for (i = 1; i < PX_N_DERIVED; i++) {
        if (strlen(px_derived_names[i]) == key_len
            && memcmp(px_derived_names[i], key, key_len) == 0) {
            return (enum px_derived) i;
        }
    }
    return PX_DERIVED_NONE;
}

struct lookup {
    struct px_read read;
    const struct px_ask *ask;
    const struct px_key *key;
    const struct px_placement *place_or_none; /* once placed */
    bool placed;
    bool proc_done;      /* the process level has been looked at */
    enum px_realm realm; /* where to look */
    bool strict;         /* nowhere else */
    struct px_qual_sum quals;
};

static bool concrete(pmix_rank_t rank)
{
    return rank <= PMIX_RANK_VALID;
}

static bool missing(int rc)
{
    return rc == PMIX_ERR_NOT_FOUND;
}

static int at(struct lookup *l, enum px_level level, uint32_t index, struct px_slice *ret)
{
    if (l->ask->n_quals) {
        return px_read_qualified(&l->read, level, index, l->key, &l->quals, ret);
    }
    return px_read_level(&l->read, level, index, l->key, ret);
}

/* The placement, or NULL. */
static const struct px_placement *place_of(struct lookup *l)
{
    if (!l->placed) {
        l->place_or_none = px_read_placement(&l->read);
        l->placed = true;
    }
    return l->place_or_none;
}

static int word_slice(struct lookup *l, pmix_data_type_t type, uint64_t word, struct px_slice *ret)
{
    *ret = (struct px_slice){
        .store = l->read.store,
        .word = word,
        .len = sizeof word,
        .type = type,
        .form = PX_FORM_WORD,
        .inlined = true,
    };
    return 0;
}

/* --- node level --- */

/* The node that is meant: a qualifier's, that of a concrete rank, or the readers' own. */
static uint32_t node_meant(struct lookup *l)
{
    const struct px_placement *place = place_of(l);
    const struct px_ask *ask = l->ask;

    if (!place) {
        return PX_NO_NODE;
    }
    if (ask->hostname) {
        return px_placement_by_name(&l->read, place, ask->hostname);
    }
    if (ask->nodeid != PX_NO_NODEID) {
        return px_placement_by_id(&l->read, place, ask->nodeid);
    }
    if ((!concrete(ask->rank) || ask->rank == ask->self) && place->local_node < place->n_nodes) {
        return place->local_node;
    }
    return px_placed(&l->read, &place->node_of, place->n_ranks, ask->rank);
}

static int derived_node(struct lookup *l, uint32_t index, struct px_slice *ret)
{
    const struct px_node *node = px_placement_node(&l->read, place_of(l), index);

    if (!node) {
        return px_read_miss(&l->read);
    }
    switch (l->key->derived) {
    case PX_DERIVED_HOSTNAME:
        return px_cell_slice(l->read.store, &l->read.view, node->name, ret);
    case PX_DERIVED_NODEID:
        return word_slice(l, PMIX_UINT32, node->nodeid, ret);
    case PX_DERIVED_LOCAL_SIZE:
        return node->count ? word_slice(l, PMIX_UINT32, node->count, ret) : PMIX_ERR_NOT_FOUND;
    default:
        return PMIX_ERR_NOT_FOUND;
    }
}

static int ask_node(struct lookup *l, struct px_slice *ret)
{
    bool other = l->ask->hostname || l->ask->nodeid != PX_NO_NODEID;
    uint32_t index = node_meant(l);
    int rc = PMIX_ERR_NOT_FOUND;

    if (index != PX_NO_NODE) {
        rc = at(l, PX_LEVEL_NODE, index, ret);
        if (missing(rc)) {
            rc = derived_node(l, index, ret);
        }
        other = other || index != place_of(l)->local_node;
    }
    if (missing(rc) && !l->strict && !other) {
        rc = at(l, PX_LEVEL_JOB, 0, ret);
    }
    return rc;
}

/* --- application level --- */

static uint32_t app_meant(struct lookup *l)
{
    const struct px_ask *ask = l->ask;
    pmix_rank_t rank = concrete(ask->rank) ? ask->rank : ask->self;
    uint32_t app = PX_NO_APP;

    if (ask->appnum != PX_NO_APP) {
        return ask->appnum;
    }
    if (concrete(rank) && place_of(l)) {
        app = px_placed(&l->read, &place_of(l)->app_of, place_of(l)->n_ranks, rank);
    }
    return app == PX_NO_APP ? 0 : app;
}

static int ask_app(struct lookup *l, struct px_slice *ret)
{
    int rc = at(l, PX_LEVEL_APP, app_meant(l), ret);

    if (missing(rc) && !l->strict && l->ask->appnum == PX_NO_APP) {
        rc = at(l, PX_LEVEL_JOB, 0, ret);
    }
    return rc;
}

/* --- session level --- */

static int ask_session(struct lookup *l, struct px_slice *ret)
{
    /* pairs with publish_all */
    uint64_t own = px_load_acquire(&px_store_header(l->read.store)->session);
    int rc = PMIX_ERR_NOT_FOUND;

    if (l->ask->session != PX_NO_SESSION) {
        return at(l, PX_LEVEL_SESSION, l->ask->session, ret);
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

static int ask_job(struct lookup *l, struct px_slice *ret)
{
    return at(l, PX_LEVEL_JOB, 0, ret);
}

/* What the placement says about a rank. */
static int derived_proc(struct lookup *l, struct px_slice *ret)
{
    const struct px_placement *place = l->key->derived ? place_of(l) : NULL;
    pmix_rank_t rank = l->ask->rank;
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

/* A key that only one process has posted; which one, nobody has said. */
static int ask_holder(struct lookup *l, struct px_slice *ret)
{
    uint64_t holder = px_load_acquire(&l->key->holder); /* pairs with publish_all */

    if (holder == 0 || holder - 1 > PMIX_RANK_VALID) {
        return PMIX_ERR_NOT_FOUND;
    }
    return at(l, PX_LEVEL_PROC, (uint32_t) (holder - 1), ret);
}

static int ask_proc(struct lookup *l, struct px_slice *ret)
{
    int rc = PMIX_ERR_NOT_FOUND;

    if (concrete(l->ask->rank)) {
        if (!l->proc_done) {
            rc = at(l, PX_LEVEL_PROC, l->ask->rank, ret);
        }
        if (missing(rc) && !l->ask->n_quals) {
            rc = derived_proc(l, ret);
        }
    } else if (l->ask->rank == PMIX_RANK_UNDEF) {
        rc = ask_holder(l, ret);
    }
    return rc;
}

/* --- the order --- */

/* Node qualifiers pick a node even for keys that nobody has put in a realm. */
static enum px_realm realm_meant(const struct lookup *l, enum px_realm own)
{
    if (l->ask->realm != PX_REALM_NONE) {
        return l->ask->realm;
    }
    if (own == PX_REALM_NONE && (l->ask->hostname || l->ask->nodeid != PX_NO_NODEID)) {
        return PX_REALM_NODE;
    }
    if (own == PX_REALM_NONE && l->ask->appnum != PX_NO_APP) {
        return PX_REALM_APP;
    }
    return own;
}

/* The realm by which the key is asked for is one of many: the process comes first unless a
 * qualifier or a directive says that no process is meant. */
static bool proc_first(const struct lookup *l)
{
    const struct px_ask *ask = l->ask;

    if (ask->realm != PX_REALM_NONE && ask->realm != PX_REALM_PROC) {
        return false;
    }
    if (l->realm == PX_REALM_SESSION || (l->realm == PX_REALM_APP && ask->appnum != PX_NO_APP)) {
        return false;
    }
    return l->realm != PX_REALM_NODE || (!ask->hostname && ask->nodeid == PX_NO_NODEID);
}

static int by_realm(struct lookup *l, struct px_slice *ret)
{
    switch (l->realm) {
    case PX_REALM_SESSION:
        return ask_session(l, ret);
    case PX_REALM_APP:
        return ask_app(l, ret);
    case PX_REALM_NODE:
        return ask_node(l, ret);
    case PX_REALM_PROC:
        return l->strict ? PMIX_ERR_NOT_FOUND : ask_job(l, ret);
    case PX_REALM_JOB:
    case PX_REALM_NONE:
    default:
        return ask_job(l, ret);
    }
}

static int in_order(struct lookup *l, struct px_slice *ret)
{
    int rc = PMIX_ERR_NOT_FOUND;

    if (l->ask->rank == PMIX_RANK_INVALID) {
        return rc;
    }
    if (proc_first(l)) {
        rc = ask_proc(l, ret);
    }
    return missing(rc) ? by_realm(l, ret) : rc;
}

/* Nothing but a key and a rank. */
static inline bool plain(const struct px_ask *ask)
{
    return ask->realm == PX_REALM_NONE && !ask->hostname && ask->nodeid == PX_NO_NODEID
           && ask->appnum == PX_NO_APP && ask->scope == PMIX_SCOPE_UNDEF && ask->n_quals == 0;
}

/* Whether a plain question is answered by px_read_plain if there is a value: what most are. */
static inline bool quick(const struct px_ask *ask, const struct px_key *key)
{
    if (ask->rank <= PMIX_RANK_VALID) {
        return key->realm != PX_REALM_SESSION;
    }
    return ask->rank == PMIX_RANK_WILDCARD
           && (key->realm == PX_REALM_JOB || key->realm == PX_REALM_NONE);
}

/* What came from other nodes is stored as theirs; whether its own node has it too is not known. */
static bool in_scope(pmix_scope_t asked, pmix_scope_t scope)
{
    return asked == PMIX_SCOPE_UNDEF || scope == PMIX_SCOPE_UNDEF || asked == scope
           || (asked == PMIX_GLOBAL && scope == PMIX_REMOTE);
}

static int ask_in_order(struct lookup *l, struct px_slice *ret)
{
    const struct px_ask *ask = l->ask;
    enum px_realm own = (enum px_realm) l->key->realm;
    struct px_slice slice;
    int rc;

    l->realm = realm_meant(l, own);
    l->strict = ask->realm != PX_REALM_NONE && ask->realm != own;
    if (ask->n_quals && !px_quals_sum(ask->quals, ask->n_quals, &l->quals)) {
        return PMIX_ERR_NOT_FOUND;
    }
    rc = in_order(l, &slice);
    if (rc) {
        return missing(rc) ? px_read_miss(&l->read) : rc;
    }
    if (slice.hidden || !in_scope(ask->scope, slice.scope)) {
        return PMIX_ERR_EXISTS_OUTSIDE_SCOPE;
    }
    *ret = slice;
    return 0;
}

int px_store_ask(const struct px_store *store, const struct px_ask *ask, struct px_slice *ret)
{
    const struct px_key *key;
    struct px_read read;
    bool asked = false;

    px_read_begin(store, &read);
    key = px_read_known_key(&read, ask->key, ask->key_len);
    if (!key) {
        return px_read_miss(&read);
    }
    if (plain(ask) && quick(ask, key)) {
        int rc = px_read_plain(&read, key, ask->rank, ret);

        if (!missing(rc)) {
            return rc == 0 && ret->hidden ? PMIX_ERR_EXISTS_OUTSIDE_SCOPE : rc;
        }
        asked = ask->rank <= PMIX_RANK_VALID;
    }
    return ask_in_order(&(struct lookup){.ask = ask, .read = read, .key = key, .proc_done = asked},
                        ret);
}
