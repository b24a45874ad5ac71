/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "member_data.h"

#include <stdlib.h>

#include "src/client/data/private_store.h"
#include "session.h"

#include "gds/level.h"
#include "gds/slice.h"
#include "src/request/reply.h"
#include "src/request/schema.h"
#include "src/value/infos.h"
#include "src/value/procs.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"

/* Packs a value that was put for other nodes as a KVAL; skips others and qualified ones. For
 * px_store_each. */
static int pack_put(void *arg, const char *key, const struct px_slice *slice)
{
    struct px_buf *buf = arg;
    pmix_value_t *value;
    int rc;

    if (slice->hidden || slice->quals != NULL ||
        (slice->scope != PMIX_REMOTE && slice->scope != PMIX_GLOBAL)) {
        return 0;
    }
    rc = px_slice_value(slice, &value);
    if (rc == 0) {
        rc = px_pack_kval(buf, PX_WIRE_PLAIN, key, value);
        PMIx_Value_free(value, 1);
    }
    return rc;
}

/* The bytes are PROC, then a KVAL for each value, in the plain encoding, whatever the server
 * speaks: only other clients read them. */
int px_member_data_add_endpoint(struct px_infos *given, struct px_session *session)
{
    const pmix_proc_t *self = &session->ctx->self;
    const struct px_store *own;
    struct px_buf buf = {0};
    size_t head;
    int rc = px_space_private(session, &session->own, &own);

    rc = rc == 0 ? px_pack(&buf, PX_WIRE_PLAIN, PMIX_PROC, self, 1) : rc;
    head = buf.len;
    if (rc == 0 && own != NULL) {
        rc = px_store_each(own, PX_LEVEL_PROC, self->rank, pack_put, &buf);
    }
    if (rc == 0 && buf.len > head) {
        pmix_byte_object_t bytes = {.bytes = (char *) buf.data, .size = buf.len};

        rc = px_infos_append(&given->info, &given->n, PMIX_GROUP_ENDPT_DATA, &bytes,
                             PMIX_BYTE_OBJECT);
    }
    px_buf_fini(&buf);
    return rc;
}

int px_member_data_add_group_info(struct px_infos *given, const pmix_proc_t *from,
                                  const pmix_info_t *info)
{
    pmix_data_array_t array = {.type = PMIX_INFO};
    const pmix_info_t *inner = NULL;
    struct px_infos whole = {0};
    size_t n_inner = 0;
    int rc = px_infos_append(&whole.info, &whole.n, PMIX_PROCID, from, PMIX_PROC);

    (void) px_info_open(&info->value, &inner, &n_inner); /* no array: nothing */
    if (n_inner > 0 && px_info_find(inner, 1, PMIX_PROCID) != NULL) {
        inner++; /* the name that it had */
        n_inner--;
    }
    rc = rc == 0 ? px_infos_append_all(&whole.info, &whole.n, inner, n_inner) : rc;
    array.array = whole.info;
    array.size = whole.n;
    if (rc == 0) {
        rc = px_infos_append(&given->info, &given->n, PMIX_GROUP_INFO, &array, PMIX_DATA_ARRAY);
    }
    px_infos_fini(&whole);
    return rc;
}

/* Opens posted values, and tells whose they are. False if the info is something else. */
static bool open_endpoint(const pmix_info_t *info, struct px_in *ret_in, pmix_proc_t *ret_owner)
{
    const pmix_byte_object_t *bytes = &info->value.data.bo;

    if (info->value.type != PMIX_BYTE_OBJECT) {
        return false;
    }
    *ret_in = px_in_make(bytes->bytes, bytes->size, PX_WIRE_PLAIN);
    return px_unpack_one(ret_in, PMIX_PROC, ret_owner) == 0;
}

int px_member_data_add_member(struct px_infos *given, const pmix_proc_t *from,
                              const pmix_info_t *info, size_t ninfo)
{
    const pmix_info_t *at = NULL;
    pmix_proc_t owner;
    struct px_in in;
    int rc = 0;

    while (rc == 0 && (at = px_infos_next(info, ninfo, at, PMIX_GROUP_ENDPT_DATA)) != NULL) {
        if (open_endpoint(at, &in, &owner) && px_proc_equal(&owner, from)) {
            rc = px_infos_append_copy(&given->info, &given->n, at);
        }
    }
    at = NULL;
    while (rc == 0 && (at = px_infos_next(info, ninfo, at, PMIX_GROUP_INFO)) != NULL) {
        rc = px_member_data_add_group_info(given, from, at);
    }
    return rc;
}

/* Stores one value, qualified by the context id if there is one. The server has none of it, so what
 * comes from there must not renew or replace it: it is this process's own (PMIX_INTERNAL). What
 * this process has given itself is never asked for. */
static void store_group_value(struct px_session *session, const pmix_proc_t *owner,
                              const pmix_info_t *info, const pmix_info_t *id)
{
    bool us = px_proc_equal(owner, &session->ctx->self);
    pmix_scope_t scope = us ? PMIX_GLOBAL : PMIX_INTERNAL;
    pmix_data_array_t array = {.type = PMIX_INFO};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    struct px_infos pair = {0};
    int rc;

    if (id == NULL) {
        (void) px_session_store_value(session, owner, info->key, &info->value, scope);
        return;
    }
    rc = px_infos_append_copy(&pair.info, &pair.n, info);
    rc = rc == 0 ? px_infos_append_copy(&pair.info, &pair.n, id) : rc;
    if (rc == 0) {
        pair.info[1].flags |= PMIX_INFO_QUALIFIER;
        array.array = pair.info;
        array.size = pair.n;
        (void) px_session_store_value(session, owner, PMIX_QUALIFIED_VALUE, &value, scope);
    }
    px_infos_fini(&pair);
}

/* Stores the values anew, qualified by the context id: programs ask for what a member has given to
 * a group in the same way, whether it is posted or group information. */
static void store_qualified(struct px_session *session, const pmix_proc_t *owner, struct px_in in,
                            const pmix_info_t *id)
{
    pmix_info_t info = {.key = ""};
    char *key = NULL;

    while (px_in_left(&in) > 0 && px_unpack_kval(&in, &key, &info.value) == 0) {
        PMIX_LOAD_KEY(info.key, key);
        store_group_value(session, owner, &info, id);
        PMIx_Value_destruct(&info.value);
        free(key);
    }
}

/* Stores what one member has posted. */
static void store_endpoint(struct px_session *session, struct px_proc_list *members,
                           const pmix_info_t *given, const pmix_info_t *id)
{
    pmix_proc_t owner;
    struct px_in in;

    if (open_endpoint(given, &in, &owner) && px_proc_list_has(members, &owner)) {
        if (id != NULL) {
            store_qualified(session, &owner, in, id);
        }
        (void) px_session_store_kvals(session, &owner, &in,
                                      NULL); /* data that do not parse are skipped */
    }
}

/* Stores one contribution under its contributor. */
static void store_group_info(struct px_session *session, struct px_proc_list *members,
                             const pmix_info_t *given, const pmix_info_t *id)
{
    const pmix_info_t *infos = NULL;
    struct px_procs owner;
    size_t n = 0;

    if (px_info_open(&given->value, &infos, &n) != 0 || n < 2 ||
        !px_value_procs(&infos[0].value, &owner) || owner.n != 1 ||
        !px_proc_list_has(members, &owner.at[0])) {
        return;
    }
    for (size_t i = 1; i < n; i++) {
        store_group_value(session, &owner.at[0], &infos[i], id);
    }
}

/* Collects the single processes among the members: a member may tell about itself, not about a job.
 * 0 or PMIX_ERR_NOMEM. */
static int collect_members(const pmix_info_t *info, size_t ninfo, struct px_proc_list *members)
{
    const pmix_value_t *value = px_info_find(info, ninfo, PMIX_GROUP_MEMBERSHIP);
    struct px_procs procs = {NULL, 0};
    int rc = 0;

    if (value != NULL && px_value_procs(value, &procs)) {
        for (size_t i = 0; i < procs.n && rc == 0; i++) {
            rc = procs.at[i].rank <= PMIX_RANK_VALID ? px_proc_list_add(members, &procs.at[i]) : 0;
        }
    }
    return rc;
}

void px_member_data_store(struct px_session *session, const pmix_info_t *info, size_t ninfo)
{
    const pmix_info_t *id = px_infos_next(info, ninfo, NULL, PMIX_GROUP_CONTEXT_ID);
    const pmix_info_t *at = NULL;
    struct px_proc_list members = {0};

    if (collect_members(info, ninfo, &members) == 0) {
        while ((at = px_infos_next(info, ninfo, at, PMIX_GROUP_ENDPT_DATA)) != NULL) {
            store_endpoint(session, &members, at, id);
        }
        at = NULL;
        while ((at = px_infos_next(info, ninfo, at, PMIX_GROUP_INFO)) != NULL) {
            store_group_info(session, &members, at, id);
        }
    }
    px_proc_list_fini(&members);
}
