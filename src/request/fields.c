/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Operations on field lists. Each is a switch over the form of a field; the work on values is
 * done by the table of types (src/value/types.h) and by the wire functions, so a new request
 * needs no code here. The members are reached by offset, hence the casts. */

#include "fields.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/value/types.h"
#include "src/value/nested.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"

/* The member that the field describes. */
static void *member(const struct px_field *field, const void *base)
{
    return (char *) (uintptr_t) base + field->at;
}

/* The pointer member of an array field (MANY, KEYS). */
static void **array_of(const struct px_field *field, const void *base)
{
    return member(field, base);
}

/* The count member of a MANY field. */
static size_t *count_of(const struct px_field *field, const void *base)
{
    return (size_t *) (void *) ((char *) (uintptr_t) base + field->count_at);
}

/* True if the field is an array without elements, or a string without characters. A field of
 * another form is never empty. */
static bool is_empty(const struct px_field *field, const void *base)
{
    const pmix_byte_object_t *bytes;
    const char *text;
    char **keys;

    switch (field->form) {
    case PX_FIELD_MANY:
        return *array_of(field, base) == NULL || *count_of(field, base) == 0;
    case PX_FIELD_KEYS:
        keys = *array_of(field, base);
        return keys == NULL || keys[0] == NULL;
    case PX_FIELD_ONE:
        bytes = member(field, base);
        text = field->type == PMIX_STRING ? *array_of(field, base) : "-";
        return text == NULL || text[0] == '\0' ||
               (field->type == PMIX_BYTE_OBJECT && (bytes->bytes == NULL || bytes->size == 0));
    default:
        return false;
    }
}

/* A NULL pointer is a valid empty array, but not with a count. */
bool px_field_valid(const struct px_field *field, const void *base)
{
    bool needed = field->need == PX_GIVEN || field->need == PX_REQUIRED;

    if (field->form == PX_FIELD_MANY && *array_of(field, base) == NULL &&
        *count_of(field, base) > 0) {
        return false;
    }
    return !needed || !is_empty(field, base);
}

/* --- packing --- */

/* SIZE n, then n strings; `keys` ends with NULL, and may be NULL. */
static void pack_keys(struct px_buf *buf, enum px_wire_kind kind, char *const *keys)
{
    size_t n = 0;

    while (keys != NULL && keys[n] != NULL) {
        n++;
    }
    (void) px_pack_size(buf, kind, n);
    for (size_t i = 0; i < n; i++) {
        (void) px_pack_string(buf, kind, keys[i]);
    }
}

/* One field. User and time are those of the call, not members. */
static void pack_field(struct px_buf *buf, enum px_wire_kind kind, const struct px_field *field,
                       const void *base)
{
    uint32_t user;
    time_t now;

    switch (field->form) {
    case PX_FIELD_MANY:
        (void) px_pack_array(buf, kind, field->type, *array_of(field, base),
                             *count_of(field, base));
        break;
    case PX_FIELD_KEYS:
        pack_keys(buf, kind, *array_of(field, base));
        break;
    case PX_FIELD_NSPACE:
        (void) px_pack_string(buf, kind, member(field, base));
        break;
    case PX_FIELD_USER:
        user = (uint32_t) geteuid();
        (void) px_pack(buf, kind, PMIX_UINT32, &user, 1);
        break;
    case PX_FIELD_TIME:
        now = time(NULL);
        (void) px_pack(buf, kind, PMIX_TIME, &now, 1);
        break;
    case PX_FIELD_LOCAL:
        break;
    default:
        (void) px_pack(buf, kind, field->type, member(field, base), 1);
        break;
    }
}

void px_fields_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_field *fields,
                    size_t n, const void *base)
{
    for (size_t i = 0; i < n; i++) {
        pack_field(buf, kind, &fields[i], base);
    }
}

/* --- unpacking --- */

/* Reads n keys into a new array that ends with NULL. *ret owns the array even on error, so that
 * px_fields_fini frees the keys read so far. A NULL key is PMIX_ERR_UNPACK_FAILURE. */
static void unpack_keys(struct px_in *in, void **ret)
{
    size_t n = 0;
    char **keys;

    (void) px_unpack_size(in, &n);
    if (n > px_in_left(in)) { /* each takes two bytes at least */
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    if (n == 0 || px_unpack_count(in, PMIX_STRING, n)) {
        return;
    }
    keys = calloc(n + 1, sizeof(*keys));
    *ret = keys;
    (void) px_in_fail(in, keys != NULL ? 0 : PMIX_ERR_NOMEM);
    for (size_t i = 0; i < n && in->status == 0; i++) {
        if (px_unpack_string(in, &keys[i]) == 0 && keys[i] == NULL) {
            (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
        }
    }
}

/* Reads a string into a pmix_nspace_t. PMIX_ERR_UNPACK_FAILURE if it is missing or too long. */
static void unpack_nspace(struct px_in *in, char *nspace)
{
    char *text = NULL;

    (void) px_unpack_string(in, &text);
    if (text == NULL || strlen(text) > PMIX_MAX_NSLEN) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    } else {
        PMIx_Load_nspace(nspace, text);
    }
    free(text);
}

/* One field. A user id in the message is not used: the server takes the user from the socket. */
static void unpack_field(struct px_in *in, const struct px_field *field, void *base)
{
    uint32_t user;

    switch (field->form) {
    case PX_FIELD_MANY:
        (void) px_unpack_array(in, field->type, array_of(field, base), count_of(field, base));
        break;
    case PX_FIELD_KEYS:
        unpack_keys(in, array_of(field, base));
        break;
    case PX_FIELD_NSPACE:
        unpack_nspace(in, member(field, base));
        break;
    case PX_FIELD_USER:
        (void) px_unpack_one(in, PMIX_UINT32, &user);
        break;
    case PX_FIELD_TIME:
        (void) px_unpack_one(in, PMIX_TIME, member(field, base));
        break;
    case PX_FIELD_LOCAL:
        break;
    default:
        (void) (field->type == PMIX_TOPO ? px_unpack_past_topo(in)
                                         : px_unpack_one(in, field->type, member(field, base)));
        break;
    }
}

/* Missing fields can only be at the end: the first field that finds no bytes ends the loop,
 * unless it has to be there; then unpack_field reports the error. */
int px_fields_unpack(struct px_in *in, const struct px_field *fields, size_t n, bool reply,
                     void *base)
{
    for (size_t i = 0; i < n && in->status == 0; i++) {
        bool required = fields[i].need == PX_REQUIRED;

        if (px_in_left(in) == 0 && !required && (reply || fields[i].need == PX_MAY_TRAIL)) {
            break;
        }
        unpack_field(in, &fields[i], base);
        if (required && is_empty(&fields[i], base)) {
            (void) px_in_fail(in, PMIX_ERR_BAD_PARAM);
        }
    }
    return in->status;
}

/* --- copies --- */

/* Replaces values that the infos of copied elements share with the application's by copies
 * (px_infos_keep): the application may free its own before the request ends. */
static int keep_infos(pmix_data_type_t type, void *elements, size_t n)
{
    pmix_app_t *apps = elements;
    pmix_query_t *queries = elements;
    int rc = type == PMIX_INFO ? px_infos_keep(elements, n) : 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        if (type == PMIX_APP) {
            rc = px_infos_keep(apps[i].info, apps[i].ninfo);
        } else if (type == PMIX_QUERY) {
            rc = px_infos_keep(queries[i].qualifiers, queries[i].nqual);
        }
    }
    return rc;
}

/* Deep copy of an array; an empty one stays NULL and 0. */
static int copy_many(const struct px_field *field, void *to, const void *from)
{
    size_t n = *count_of(field, from);
    int rc;

    if (is_empty(field, from)) {
        return 0;
    }
    rc = px_type_copy_many(px_type_info(field->type), *array_of(field, from), n, 0,
                           array_of(field, to));
    if (rc != 0) {
        *array_of(field, to) = NULL;
        return rc;
    }
    *count_of(field, to) = n;
    return keep_infos(field->type, *array_of(field, to), n);
}

/* Deep copy of an array of strings. */
static int copy_keys(const struct px_field *field, void *to, const void *from)
{
    char **keys = *array_of(field, from);

    *array_of(field, to) = keys != NULL ? PMIx_Argv_copy(keys) : NULL;
    return keys != NULL && *array_of(field, to) == NULL ? PMIX_ERR_NOMEM : 0;
}

/* Deep copy of one value; the member is zeros after an error. */
static int copy_one(const struct px_field *field, void *to, const void *from)
{
    int rc = px_type_copy(px_type_info(field->type), member(field, to), member(field, from), 0);

    if (rc != 0) {
        memset(member(field, to), 0, px_type_info(field->type)->size);
        return rc;
    }
    return keep_infos(field->type, member(field, to), 1);
}

int px_fields_copy(const struct px_field *fields, size_t n, void *to, const void *from)
{
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        switch (fields[i].form) {
        case PX_FIELD_MANY:
            rc = copy_many(&fields[i], to, from);
            break;
        case PX_FIELD_KEYS:
            rc = copy_keys(&fields[i], to, from);
            break;
        case PX_FIELD_ONE:
        case PX_FIELD_LOCAL:
            rc = copy_one(&fields[i], to, from);
            break;
        default: /* in messages only */
            break;
        }
    }
    return rc;
}

/* Every form is reset to its empty state, so that a second call does nothing and the structure
 * can be used again. */
void px_fields_fini(const struct px_field *fields, size_t n, void *base)
{
    for (size_t i = 0; i < n; i++) {
        const struct px_type *type = px_type_info(fields[i].type);

        switch (fields[i].form) {
        case PX_FIELD_MANY:
            px_type_free(type, *array_of(&fields[i], base), *count_of(&fields[i], base));
            *array_of(&fields[i], base) = NULL;
            *count_of(&fields[i], base) = 0;
            break;
        case PX_FIELD_KEYS:
            PMIx_Argv_free(*array_of(&fields[i], base));
            *array_of(&fields[i], base) = NULL;
            break;
        case PX_FIELD_ONE:
        case PX_FIELD_LOCAL:
            px_type_fini(type, member(&fields[i], base));
            break;
        default:
            break;
        }
    }
}
