/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A get, made of a message or of the arguments of a call, with its directives read. */

#include "get_request.h"

#include <stdlib.h>
#include <string.h>

#include "get_answer.h"
#include "get.h"
#include "server_get.h"
#include "src/base/assert.h"
#include "src/server/peers/peer.h"
#include "src/value/infos.h"
#include "src/wire/codec.h"
#include "src/wire/messages.h"

/* Takes the number of the change that the requester has out of the directives, so that the host
 * does not see it: under PX_KEY_CHANGE or, for a whole namespace, under PX_KEY_COLLECTED. Only
 * clients of this library send them. True if there is one. */
static bool take_change(struct px_get *get, const char *key)
{
    const pmix_value_t *change = px_info_find(get->info, get->ninfo, key);
    pmix_info_t *info;

    if (!change || change->type != PMIX_UINT64) {
        return false;
    }
    info = px_container_of((pmix_value_t *) (uintptr_t) change, pmix_info_t, value);
    get->counts = true;
    get->change = change->data.uint64;
    get->ninfo--;
    *info = get->info[get->ninfo]; /* the array is freed whole; a number owns nothing */
    return true;
}

/* The get and its qualifiers are one allocation. A get of the requester's own namespace has the
 * requester's rank in the lookup key. */
int px_get_create(struct px_server *s, const struct px_reply_to *reply_to, const pmix_proc_t *asker,
                  unsigned how, const pmix_proc_t *target, char *key, pmix_info_t *info,
                  size_t ninfo, struct px_get **ret)
{
    struct px_get *get = calloc(1, sizeof(*get) + ninfo * sizeof(get->quals[0]));
    struct px_peer *peer = reply_to->peer ? px_peer_find(s, reply_to->peer) : NULL;
    int rc;

    if (!get) {
        PMIx_Info_free(info, ninfo);
        free(key);
        return PMIX_ERR_NOMEM;
    }
    px_list_init(&get->link);
    px_list_init(&get->of_peer);
    px_list_init(&get->of_modex);
    if (peer) {
        px_list_append(&peer->gets, &get->of_peer);
    }
    get->server = s;
    get->reply_to = *reply_to;
    get->asker = *asker;
    get->how = how;
    get->news = PMIX_RANK_WILDCARD;
    get->target = *target;
    get->key = key;
    get->info = info;
    get->ninfo = ninfo;
    (void) take_change(get, PX_KEY_CHANGE);
    if (!key && reply_to->peer && px_info_find(info, get->ninfo, PX_KEY_COLLECTED)) {
        get->how |= PX_GET_COLLECTED;
        if (!take_change(get, PX_KEY_COLLECTED)) {
            px_get_destroy(get);
            return PMIX_ERR_BAD_PARAM;
        }
    }
    get->spec = (struct px_lookup_key) PX_LOOKUP_KEY_INIT;
    get->spec.rank = target->rank;
    get->spec.key = key;
    get->spec.key_len = key ? strlen(key) : 0;
    if (strncmp(asker->nspace, target->nspace, PMIX_MAX_NSLEN) == 0) {
        get->spec.self = asker->rank;
    }
    rc = px_lookup_key_read(get->info, get->ninfo, get->quals, &get->spec, &get->directives);
    if (rc) {
        px_get_destroy(get);
        return rc;
    }
    *ret = get;
    return PMIX_SUCCESS;
}

/* Unpacks a GET or REFRESH_CACHE request and begins it: STRING nspace, PROC_RANK, infos, and STRING
 * key if there is one. Stock clients leave out the infos and the key of REFRESH_CACHE. An empty
 * namespace is the requester's. */
static int on_request(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in,
                      unsigned how)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    pmix_proc_t target = {.rank = PMIX_RANK_UNDEF};
    char *nspace = NULL;
    struct px_get *get = NULL;
    char *key = NULL;
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    bool yes = true;
    int rc;

    (void) px_unpack_string(in, &nspace);
    (void) px_unpack_rank(in, &target.rank);
    if (!(how & PX_GET_KVALS) || px_in_left(in)) {
        (void) px_unpack_infos(in, &info, &ninfo);
    }
    if (px_in_left(in)) {
        (void) px_unpack_string(in, &key);
    }
    rc = in->status;
    if (!rc && nspace && strlen(nspace) > PMIX_MAX_NSLEN) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    if (!rc && key && (!key[0] || strlen(key) > PMIX_MAX_KEYLEN)) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (!rc && (how & PX_GET_KVALS)) {
        rc = px_infos_append(&info, &ninfo, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
        rc = rc ? rc : px_infos_append(&info, &ninfo, PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    }
    if (rc) {
        PMIx_Info_free(info, ninfo);
        free(key);
    } else {
        PMIX_LOAD_NSPACE(target.nspace, nspace && nspace[0] ? nspace : peer->proc.nspace);
        rc = px_get_create(s, &reply_to, &peer->proc, how, &target, key, info, ninfo, &get);
    }
    if (!rc) {
        px_get_begin(get);
    }
    free(nspace);
    return rc;
}

int px_handle_get(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    px_assert(px_loop_inside(s->loop));
    return on_request(s, peer, tag, in, 0);
}

/* PMIX_IMMEDIATE and PMIX_GET_REFRESH_CACHE are added to the directives of such a request. */
int px_handle_refresh(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    px_assert(px_loop_inside(s->loop));
    return on_request(s, peer, tag, in, PX_GET_KVALS);
}
