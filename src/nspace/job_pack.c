/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Packs job information for stock clients, which look node, application and session values up in
 * arrays and the values of a process in a buffer of its own. Maps are not sent to them, since they
 * were expanded at registration; clients of this library get them behind the rest. Only the host's
 * values are job information: what processes have put is left out.
 *
 * The stream, each part a KVAL (docs/wire-format.md):
 *   values of the job, one KVAL each
 *   PMIX_SESSION_INFO_ARRAY   PMIX_SESSION_ID first
 *   PMIX_NODE_INFO_ARRAY      for each node
 *   PMIX_APP_INFO_ARRAY       for each application that has values
 *   PMIX_PROC_BLOB            for each rank that has values: byte object of a rank and KVALs
 * The whole stream is read back by px_jobinfo_unpack. */

#include "job_pack.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "job.h"
#include "src/base/array.h"
#include "src/value/infos.h"
#include "src/value/keys.h"
#include "src/wire/messages.h"
#include "gds/nodes.h"
#include "gds/level.h"
#include "gds/slice.h"

/* One packing under way, on the stack. infos is the array being collected; its values are owned and
 * freed by packer_fini, the array itself at the end. */
struct job_packer {
    const struct px_store *store;
    struct px_buf *buf;
    enum px_wire_kind kind;
    pmix_info_t *infos; /* of the array being collected */
    size_t n;
    size_t room;
};

/* True for keys of this library, which other implementations do not know. */
static bool is_private(const char *key)
{
    return strncmp(key, "shmix.", 6) == 0;
}

/* True if the value is registered, not put: put values have a scope. Tombstones have no type. */
static bool from_host(const struct px_slice *slice)
{
    return slice->type != PMIX_UNDEF && slice->scope == PMIX_SCOPE_UNDEF;
}

/* --- collecting an array --- */

/* Appends to the array; takes over what the value points to, unless it fails. 0 or
 * PMIX_ERR_NOMEM. */
static int add_value(struct job_packer *p, const char *key, const pmix_value_t *value)
{
    if (px_array_room(&p->infos, p->n, &p->room, sizeof(*p->infos))) {
        return PMIX_ERR_NOMEM;
    }
    memset(&p->infos[p->n], 0, sizeof(*p->infos));
    memcpy(p->infos[p->n].key, key, strnlen(key, PMIX_MAX_KEYLEN));
    p->infos[p->n].value = *value;
    p->n++;
    return PMIX_SUCCESS;
}

/* Callback of px_store_each: appends a copy of the value to the array. */
static int collect_key(void *arg, const char *key, const struct px_slice *slice)
{
    struct job_packer *p = arg;
    pmix_value_t value;
    int rc;

    if (!from_host(slice) || is_private(key)) {
        return PMIX_SUCCESS;
    }
    rc = px_slice_fill(slice, &value);
    if (rc) {
        return rc;
    }
    rc = add_value(p, key, &value);
    if (rc) {
        PMIx_Value_destruct(&value);
    }
    return rc;
}

/* Frees the collected values and empties the array. */
static void packer_fini(struct job_packer *p)
{
    for (size_t i = 0; i < p->n; i++) {
        PMIx_Value_destruct(&p->infos[i].value);
    }
    p->n = 0;
}

/* True if the array has the key already. */
static bool collected(const struct job_packer *p, const char *key)
{
    return px_info_find(p->infos, p->n, key) != NULL;
}

/* Appends a PMIX_UINT32 or a PMIX_PROC_RANK, unless the array has the key. */
static int add_u32(struct job_packer *p, const char *key, pmix_data_type_t type, uint32_t v)
{
    pmix_value_t value = {.type = type, .data.uint32 = v};

    return collected(p, key) ? PMIX_SUCCESS : add_value(p, key, &value);
}

/* Appends a copy of the string, unless the array has the key. 0 or PMIX_ERR_NOMEM. */
static int add_text(struct job_packer *p, const char *key, const char *text)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = strdup(text)};
    int rc;

    if (!value.data.string) {
        return PMIX_ERR_NOMEM;
    }
    rc = collected(p, key) ? PMIX_ERR_EXISTS : add_value(p, key, &value);
    if (rc) {
        free(value.data.string);
    }
    return rc == PMIX_ERR_EXISTS ? PMIX_SUCCESS : rc;
}

/* Packs the collected values as one array under the key, nothing if there are none, and empties the
 * array. */
static int put_array(struct job_packer *p, const char *key)
{
    pmix_data_array_t array = {.type = PMIX_INFO, .size = p->n, .array = p->infos};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    int rc = p->n ? px_pack_kval(p->buf, p->kind, key, &value) : PMIX_SUCCESS;

    packer_fini(p);
    return rc;
}

/* --- the parts --- */

/* The keys of maps. */
static const char *const maps[] = {PMIX_NODE_MAP, PMIX_PROC_MAP, PMIX_NODE_MAP_RAW,
                                   PMIX_PROC_MAP_RAW};
enum { N_MAPS = sizeof(maps) / sizeof(maps[0]) };

/* Packs a value as a KVAL. */
static int put_value(struct px_buf *buf, enum px_wire_kind kind, const char *key,
                     const struct px_slice *slice)
{
    pmix_value_t value;
    int rc = px_slice_fill(slice, &value);

    if (rc) {
        return rc;
    }
    rc = px_pack_kval(buf, kind, key, &value);
    PMIx_Value_destruct(&value);
    return rc;
}

/* Callback of px_store_each at the level of the job: packs the value as a KVAL of its own, except
 * maps. */
static int put_job_value(void *arg, const char *key, const struct px_slice *slice)
{
    struct job_packer *p = arg;

    if (!from_host(slice) || is_private(key)) {
        return PMIX_SUCCESS;
    }
    for (size_t i = 0; i < N_MAPS; i++) {
        if (px_value_key_is(key, maps[i])) {
            return PMIX_SUCCESS;
        }
    }
    return put_value(p->buf, p->kind, key, slice);
}

int px_jobinfo_pack_maps(const struct px_store *store, struct px_buf *buf, enum px_wire_kind kind)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < N_MAPS; i++) {
        struct px_slice slice;

        if (!px_store_find(store, PX_LEVEL_JOB, 0, maps[i], strlen(maps[i]), &slice) &&
            from_host(&slice)) {
            rc = put_value(buf, kind, maps[i], &slice);
        }
    }
    return rc;
}

/* Copies the value out, so that it works for values in every form. */
uint32_t px_job_number(const struct px_store *store, const char *key, uint32_t otherwise)
{
    struct px_slice slice;
    pmix_value_t value = {.type = PMIX_UNDEF};
    bool found = !px_store_find(store, PX_LEVEL_JOB, 0, key, strlen(key), &slice) &&
                 !px_slice_fill(&slice, &value) && value.type == PMIX_UINT32;
    uint32_t number = found ? value.data.uint32 : otherwise;

    PMIx_Value_destruct(&value);
    return number;
}

uint32_t px_job_session_of(const struct px_store *store)
{
    return px_job_number(store, PMIX_SESSION_ID, PX_SESSION_DEFAULT);
}

/* The session's values with its number. */
static int put_session(struct job_packer *p)
{
    uint32_t session = px_job_session_of(p->store);
    int rc = add_u32(p, PMIX_SESSION_ID, PMIX_UINT32, session);

    rc = rc ? rc : px_store_each(p->store, PX_LEVEL_SESSION, session, collect_key, p);
    if (rc) {
        packer_fini(p);
        return rc;
    }
    return put_array(p, PMIX_SESSION_INFO_ARRAY);
}

/* The aliases of a node as one comma-separated string. */
static int add_aliases(struct job_packer *p, uint32_t index)
{
    struct px_buf list = {0};
    const char *alias;
    int rc = PMIX_SUCCESS;

    for (uint32_t i = 0; (alias = px_store_node_alias(p->store, index, i)) != NULL; i++) {
        px_buf_item(&list, alias);
    }
    if (list.len) {
        px_buf_byte(&list, 0);
        rc = px_buf_ok(&list) ? add_text(p, PMIX_HOSTNAME_ALIASES, (const char *) list.data)
                              : PMIX_ERR_NOMEM;
    }
    px_buf_fini(&list);
    return rc;
}

/* A node array: stored values, name, number, aliases. The names of the node level are added last,
 * so that stored values of the same keys have precedence. */
static int put_node(struct job_packer *p, uint32_t index)
{
    struct px_node_view view;
    int rc = px_store_node(p->store, index, &view);

    if (rc) {
        return rc;
    }
    rc = px_store_each(p->store, PX_LEVEL_NODE, index, collect_key, p);
    rc = rc ? rc : add_text(p, PMIX_HOSTNAME, view.name);
    rc = rc ? rc : add_u32(p, PMIX_NODEID, PMIX_UINT32, view.nodeid);
    rc = rc ? rc : add_aliases(p, index);
    if (rc) {
        packer_fini(p);
        return rc;
    }
    return put_array(p, PMIX_NODE_INFO_ARRAY);
}

/* An application array; nothing for an application without values. */
static int put_app(struct job_packer *p, uint32_t app)
{
    int rc = px_store_each(p->store, PX_LEVEL_APP, app, collect_key, p);

    if (rc || !p->n) {
        packer_fini(p);
        return rc;
    }
    rc = add_u32(p, PMIX_APPNUM, PMIX_UINT32, app);
    if (rc) {
        packer_fini(p);
        return rc;
    }
    return put_array(p, PMIX_APP_INFO_ARRAY);
}

/* One PMIX_PROC_BLOB: the rank, then KVALs. Name and number of the node and the application number
 * are added from the placement. Nothing for a rank that has no values. Values that the host gave
 * have precedence over those. */
static int put_proc(struct job_packer *p, uint32_t rank)
{
    uint32_t node = px_store_node_of(p->store, rank);
    uint32_t app = px_store_app_of(p->store, rank);
    struct px_node_view view;
    struct px_buf inner = {0};
    int rc = px_store_each(p->store, PX_LEVEL_PROC, rank, collect_key, p);

    if (!rc && node != PX_NO_NODE && !px_store_node(p->store, node, &view)) {
        rc = add_text(p, PMIX_HOSTNAME, view.name);
        rc = rc ? rc : add_u32(p, PMIX_NODEID, PMIX_UINT32, view.nodeid);
    }
    rc = rc || app == PX_NO_APP ? rc : add_u32(p, PMIX_APPNUM, PMIX_UINT32, app);
    rc = rc || !p->n ? rc : add_u32(p, PMIX_RANK, PMIX_PROC_RANK, rank);
    if (!rc && p->n) {
        pmix_value_t value = {.type = PMIX_BYTE_OBJECT};

        (void) px_pack_rank(&inner, p->kind, rank);
        for (size_t i = 0; i < p->n; i++) {
            (void) px_pack_kval(&inner, p->kind, p->infos[i].key, &p->infos[i].value);
        }
        value.data.bo = (pmix_byte_object_t){.bytes = (char *) inner.data, .size = inner.len};
        (void) px_buf_fail(p->buf, inner.status);
        rc = px_pack_kval(p->buf, p->kind, PMIX_PROC_BLOB, &value);
    }
    packer_fini(p);
    px_buf_fini(&inner);
    return rc;
}

/* The order matters to no reader; it is job, session, nodes, applications, processes. */
int px_jobinfo_pack(const struct px_store *store, struct px_buf *buf, enum px_wire_kind kind)
{
    struct job_packer p = {.store = store, .buf = buf, .kind = kind};
    struct px_store_info info;
    int rc = px_store_each(store, PX_LEVEL_JOB, 0, put_job_value, &p);

    px_store_info(store, &info);
    rc = rc ? rc : put_session(&p);
    for (uint32_t i = 0; !rc && i < info.n_nodes; i++) {
        rc = put_node(&p, i);
    }
    for (uint32_t i = 0; !rc && i < info.n_apps; i++) {
        rc = put_app(&p, i);
    }
    for (uint32_t i = 0; !rc && i < info.n_ranks; i++) {
        rc = put_proc(&p, i);
    }
    free(p.infos);
    return rc;
}
