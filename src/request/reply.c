/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Replies: the table of reply types, how a reply is packed and unpacked, and one function per
 * type that calls the application's callback. These functions run on the progress thread, as
 * struct px_completion says. Callbacks with results get them by reference for the duration of
 * the call, except infos, which the application keeps until it releases them. */

#include "reply.h"

#include <stdlib.h>

#include "fields.h"
#include "src/wire/messages.h"

/* Initializers of the table: a type's list of fields, and an array member of struct px_reply. */
#define FIELDS(list) .fields = (list), .n_fields = sizeof(list) / sizeof((list)[0])
#define MANY(member, type)                                                                         \
    {                                                                                              \
        PX_FIELD_MANY, PX_ANY, type, offsetof(struct px_reply, member),                            \
            offsetof(struct px_reply, n##member)                                                   \
    }

/* The type is not needed: members that it does not use are NULL. */
void px_reply_fini(struct px_reply *reply)
{
    PMIx_Info_free(reply->info, reply->ninfo);
    PMIx_Pdata_free(reply->data, reply->ndata);
    PMIx_Byte_object_destruct(&reply->bytes);
    if (reply->value != NULL && !reply->lent) {
        PMIx_Value_free(reply->value, 1);
    }
    PMIx_Proc_free(reply->procs, reply->nprocs);
    free(reply->text);
    PMIx_Device_distance_free(reply->distances, reply->ndistances);
    *reply = (struct px_reply){.status = reply->status};
}

void px_infos_fini(struct px_infos *infos)
{
    PMIx_Info_free(infos->info, infos->n);
    *infos = (struct px_infos){0};
}

void px_infos_release(void *infos)
{
    if (infos != NULL) {
        px_infos_fini(infos);
        free(infos);
    }
}

/* --- the callbacks --- */

/* Calls a pmix_op_cbfunc_t. NULL is allowed: nobody waits for the status. */
static void done_op(const struct px_completion *to, struct px_reply *reply)
{
    pmix_op_cbfunc_t fn = (pmix_op_cbfunc_t) to->callback;

    if (fn != NULL) {
        fn(reply->status, to->cbdata);
    }
}

/* Calls a pmix_info_cbfunc_t and lends the infos: the application frees them by
 * px_infos_release. PMIX_ERR_NOMEM without infos if the loan cannot be allocated. */
static void done_infos(const struct px_completion *to, struct px_reply *reply)
{
    pmix_info_cbfunc_t fn = (pmix_info_cbfunc_t) to->callback;
    struct px_infos *lent;

    if (fn == NULL) {
        return;
    }
    if (reply->ninfo == 0) {
        fn(reply->status, NULL, 0, to->cbdata, px_infos_release, NULL);
        return;
    }
    lent = malloc(sizeof(*lent));
    if (lent == NULL) {
        fn(PMIX_ERR_NOMEM, NULL, 0, to->cbdata, px_infos_release, NULL);
        return;
    }
    *lent = (struct px_infos){.info = reply->info, .n = reply->ninfo};
    reply->info = NULL;
    reply->ninfo = 0;
    fn(reply->status, lent->info, lent->n, to->cbdata, px_infos_release, lent);
}

/* Calls a pmix_lookup_cbfunc_t with the values found, which it may read until it returns. */
static void done_lookup(const struct px_completion *to, struct px_reply *reply)
{
    pmix_lookup_cbfunc_t fn = (pmix_lookup_cbfunc_t) to->callback;

    fn(reply->status, reply->data, reply->ndata, to->cbdata);
}

/* Calls a pmix_spawn_cbfunc_t with the new namespace; empty after an error. */
static void done_spawn(const struct px_completion *to, struct px_reply *reply)
{
    pmix_spawn_cbfunc_t fn = (pmix_spawn_cbfunc_t) to->callback;

    fn(reply->status, reply->proc.nspace, to->cbdata);
}

/* Calls a pmix_credential_cbfunc_t; the credential is NULL unless the request succeeded. */
static void done_credential(const struct px_completion *to, struct px_reply *reply)
{
    pmix_credential_cbfunc_t fn = (pmix_credential_cbfunc_t) to->callback;
    bool good = reply->status == PMIX_SUCCESS;

    fn(reply->status, good ? &reply->bytes : NULL, reply->info, reply->ninfo, to->cbdata);
}

/* Calls a pmix_validation_cbfunc_t with what the host said about the credential. */
static void done_validation(const struct px_completion *to, struct px_reply *reply)
{
    pmix_validation_cbfunc_t fn = (pmix_validation_cbfunc_t) to->callback;

    fn(reply->status, reply->info, reply->ninfo, to->cbdata);
}

/* Calls a pmix_value_cbfunc_t with the value that was got. */
static void done_value(const struct px_completion *to, struct px_reply *reply)
{
    pmix_value_cbfunc_t fn = (pmix_value_cbfunc_t) to->callback;

    fn(reply->status, reply->value, to->cbdata);
}

/* --- the table --- */

/* The fields of each reply in the order of the message (docs/wire-format.md, 5). */
static const struct px_field infos[] = {MANY(info, PMIX_INFO)};
static const struct px_field lookup[] = {MANY(data, PMIX_PDATA)};
static const struct px_field spawn[] = {
    {PX_FIELD_NSPACE, PX_REQUIRED, PMIX_STRING, offsetof(struct px_reply, proc.nspace), 0},
};
/* A credential must not be empty; the infos that describe it may be missing. */
static const struct px_field credential[] = {
    {PX_FIELD_ONE, PX_REQUIRED, PMIX_BYTE_OBJECT, offsetof(struct px_reply, bytes), 0},
    MANY(info, PMIX_INFO),
};
static const struct px_field number[] = {
    {PX_FIELD_ONE, PX_ANY, PMIX_SIZE, offsetof(struct px_reply, number), 0},
};
static const struct px_field peers[] = {MANY(procs, PMIX_PROC)};
static const struct px_field distances[] = {MANY(distances, PMIX_DEVICE_DIST)};
static const struct px_field nodes[] = {
    {PX_FIELD_ONE, PX_ANY, PMIX_STRING, offsetof(struct px_reply, text), 0},
};

/* The types. `always`: the infos come with any status. Stock servers send them so, too. */
const struct px_reply_type px_reply_op = {.done = done_op};
const struct px_reply_type px_reply_infos = {FIELDS(infos), .always = true, .done = done_infos};
const struct px_reply_type px_reply_query = {FIELDS(infos), .done = done_infos};
const struct px_reply_type px_reply_lookup = {FIELDS(lookup), .done = done_lookup};
const struct px_reply_type px_reply_spawn = {FIELDS(spawn), .done = done_spawn};
const struct px_reply_type px_reply_credential = {FIELDS(credential), .done = done_credential};
const struct px_reply_type px_reply_validation = {FIELDS(infos), .always = true,
                                                  .done = done_validation};
const struct px_reply_type px_reply_value = {.done = done_value};
const struct px_reply_type px_reply_subscription = {FIELDS(number)};
const struct px_reply_type px_reply_peers = {FIELDS(peers)};
const struct px_reply_type px_reply_nodes = {FIELDS(nodes)};
const struct px_reply_type px_reply_distances = {FIELDS(distances)};

bool px_status_has_results(pmix_status_t status)
{
    return status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS ||
           status == PMIX_QUERY_PARTIAL_SUCCESS;
}

void px_reply_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_reply_type *type,
                   const struct px_reply *reply)
{
    (void) px_pack_status(buf, kind, reply->status);
    if (type->always || px_status_has_results(reply->status)) {
        px_fields_pack(buf, kind, type->fields, type->n_fields, reply);
    }
}

/* Fields that cannot be read leave the status alone, never a part of the fields; that of a failure
 * stays. */
void px_reply_unpack(struct px_in *in, const struct px_reply_type *type, struct px_reply *reply)
{
    bool good = px_status_has_results(reply->status);
    bool there = good || (type->always && in != NULL && px_in_left(in) > 0);
    int rc = there ? px_fields_unpack(in, type->fields, type->n_fields, true, reply) : 0;

    if (rc != 0) {
        px_reply_fini(reply);
        reply->status = good ? rc : reply->status;
    }
}
