/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* From values to the bytes of cells. Most values can be used where they lie: strings with their
 * NUL, byte objects and arrays of scalars as they are, scalars as one word. Only a value with
 * pointers inside is encoded, in the raw encoding of the wire with exact floats, so that each type
 * is described in one place. Forms: docs/segment-format.md, section 6. */

#include "gds/payload.h"

#include <string.h>

#include "shmem/bump.h"
#include "shmem/put.h"
#include "src/base/hash.h"
#include "src/wire/codec.h"
#include "src/wire/pack.h"
#include "src/wire/take.h"
#include "slice.h"

/* Scalars are the types of at most 8 bytes without pointers. A type with size 0 is not stored as a
 * word. */
const uint8_t px_word_sizes[PX_N_WORD_SIZES] = {
    [PMIX_BOOL] = sizeof(bool),
    [PMIX_BYTE] = 1,
    [PMIX_SIZE] = sizeof(size_t),
    [PMIX_PID] = sizeof(pid_t),
    [PMIX_INT] = sizeof(int),
    [PMIX_INT8] = 1,
    [PMIX_INT16] = 2,
    [PMIX_INT32] = 4,
    [PMIX_INT64] = 8,
    [PMIX_UINT] = sizeof(unsigned int),
    [PMIX_UINT8] = 1,
    [PMIX_UINT16] = 2,
    [PMIX_UINT32] = 4,
    [PMIX_UINT64] = 8,
    [PMIX_FLOAT] = sizeof(float),
    [PMIX_DOUBLE] = sizeof(double),
    [PMIX_TIME] = sizeof(time_t),
    [PMIX_STATUS] = sizeof(pmix_status_t),
    [PMIX_PERSIST] = sizeof(pmix_persistence_t),
    [PMIX_SCOPE] = sizeof(pmix_scope_t),
    [PMIX_DATA_RANGE] = sizeof(pmix_data_range_t),
    [PMIX_COMMAND] = 1,
    [PMIX_INFO_DIRECTIVES] = sizeof(pmix_info_directives_t),
    [PMIX_DATA_TYPE] = sizeof(pmix_data_type_t),
    [PMIX_PROC_STATE] = sizeof(pmix_proc_state_t),
    [PMIX_PROC_RANK] = sizeof(pmix_rank_t),
    [PMIX_ALLOC_DIRECTIVE] = sizeof(pmix_alloc_directive_t),
    [PMIX_IOF_CHANNEL] = sizeof(pmix_iof_channel_t),
    [PMIX_JOB_STATE] = sizeof(pmix_job_state_t),
    [PMIX_LINK_STATE] = sizeof(pmix_link_state_t),
    [PMIX_DEVTYPE] = sizeof(pmix_device_type_t),
    [PMIX_LOCTYPE] = sizeof(pmix_locality_t),
    [PMIX_STOR_MEDIUM] = sizeof(pmix_storage_medium_t),
    [PMIX_STOR_ACCESS] = sizeof(pmix_storage_accessibility_t),
    [PMIX_STOR_PERSIST] = sizeof(pmix_storage_persistence_t),
    [PMIX_STOR_ACCESS_TYPE] = sizeof(pmix_storage_access_type_t),
    [PMIX_RESBLOCK_DIRECTIVE] = sizeof(pmix_resource_block_directive_t),
};

/* A payload of one form that lies in one piece elsewhere; the bytes stay there until the cell is
 * written. */
static void set_body(struct px_payload *p, uint8_t form, const void *body, size_t len)
{
    p->form = form;
    p->body = body;
    p->body_len = len;
}

/* The rank goes into the head, the namespace is borrowed; NULL becomes a payload of length 0.
 * PMIX_ERR_BAD_PARAM: the namespace does not end within its field, and no reader would take it. */
static int set_proc(struct px_payload *p, const pmix_proc_t *proc)
{
    p->form = PX_FORM_PROC;
    if (proc && strnlen(proc->nspace, PMIX_MAX_NSLEN + 1) > PMIX_MAX_NSLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (proc) {
        memcpy(p->head, &proc->rank, sizeof(proc->rank));
        p->head_len = sizeof(proc->rank);
        p->body = proc->nspace;
        p->body_len = strlen(proc->nspace) + 1;
    }
    return 0;
}

/* A namespace by itself. Statuses as set_proc. */
static int set_nspace(struct px_payload *p, const pmix_nspace_t *nspace)
{
    size_t len = nspace ? strnlen(*nspace, PMIX_MAX_NSLEN + 1) : 0;

    if (len > PMIX_MAX_NSLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    set_body(p, PX_FORM_TEXT, nspace, nspace ? len + 1 : 0);
    return 0;
}

/* Both parts become 64 bits, whatever their size on this machine, so that the format does not
 * depend on it. */
static void set_timeval(struct px_payload *p, const struct timeval *tv)
{
    int64_t parts[2] = {tv->tv_sec, tv->tv_usec};

    p->form = PX_FORM_TIMEVAL;
    memcpy(p->head, parts, sizeof(parts));
    p->head_len = sizeof(parts);
}

/* True for an array that can be used in place: elements are scalars, or there are none. A NULL
 * array becomes a payload of length 0. False: the array has to be encoded; *p is still unused. */
static bool set_array(struct px_payload *p, const pmix_data_array_t *array)
{
    struct px_array head = {0};

    if (array) {
        head.type = array->type;
        head.width = (uint16_t) px_word_size(array->type);
        head.n = array->array ? array->size : 0;
        if ((head.n && head.width == 0) || (head.n && head.n > UINT32_MAX / head.width)) {
            return false;
        }
        memcpy(p->head, &head, sizeof(head));
        p->head_len = sizeof(head);
    }
    set_body(p, PX_FORM_ARRAY, array ? array->array : NULL, head.n * head.width);
    return true;
}

/* Encodes the value into p->buf, which px_payload_fini releases. After a failure the buffer is
 * released already. Statuses of px_pack_raw. */
static int set_encoded(struct px_payload *p, const pmix_value_t *value)
{
    int rc = px_pack_raw(&p->buf, true, PMIX_VALUE, value);

    if (rc) {
        px_buf_fini(&p->buf);
        return rc;
    }
    set_body(p, PX_FORM_CODEC, p->buf.data, p->buf.len);
    return 0;
}

/* The encoding is there already, behind the code of the type that the value really has. */
static void set_as_encoded(struct px_payload *p, const pmix_byte_object_t *bytes)
{
    struct px_in in = px_in_make(bytes->bytes, bytes->size, PX_WIRE_PLAIN);

    p->type = (pmix_data_type_t) px_take_flex(&in);
    px_assert(in.status == 0 && px_word_size(p->type) == 0);
    set_body(p, PX_FORM_CODEC, bytes->bytes, bytes->size);
}

/* Chooses the form for a value that is not a scalar. Types without a form of their own, and arrays
 * that cannot be used in place, are encoded. PMIX_ERR_BAD_PARAM (a namespace without an end) or
 * statuses of px_pack_raw. */
static int encode(struct px_payload *p, const pmix_value_t *value)
{
    switch (value->type) {
    case PMIX_UNDEF:
        p->form = PX_FORM_NONE;
        return 0;
    case PMIX_STRING:
        set_body(p, PX_FORM_TEXT, value->data.string,
                 value->data.string ? strlen(value->data.string) + 1 : 0);
        return 0;
    case PMIX_PROC_NSPACE:
        return set_nspace(p, (const pmix_nspace_t *) value->data.nspace);
    case PMIX_BYTE_OBJECT:
    case PMIX_COMPRESSED_STRING:
    case PMIX_COMPRESSED_BYTE_OBJECT:
    case PMIX_REGEX:
        set_body(p, PX_FORM_BYTES, value->data.bo.bytes,
                 value->data.bo.bytes ? value->data.bo.size : 0);
        return 0;
    case PX_TYPE_ENCODED:
        set_as_encoded(p, &value->data.bo);
        return 0;
    case PMIX_PROC:
        return set_proc(p, value->data.proc);
    case PMIX_TIMEVAL:
        set_timeval(p, &value->data.tv);
        return 0;
    case PMIX_DATA_ARRAY:
        if (set_array(p, value->data.darray)) {
            return 0;
        }
        break;
    default:
        break;
    }
    return set_encoded(p, value);
}

/* The lengths are those that fit into a cell; a string or bytes beyond them would be refused at
 * publication. */
bool px_value_is_simple(const pmix_value_t *value)
{
    switch (value->type) {
    case PMIX_STRING:
        return !value->data.string || strlen(value->data.string) < UINT32_MAX;
    case PMIX_BYTE_OBJECT:
        return value->data.bo.size <= UINT32_MAX;
    default:
        return px_word_size(value->type) != 0;
    }
}

const pmix_value_t px_deleted = {.type = PMIX_UNDEF};

/* Scalars have a way of their own, because nearly all values of a large job are scalars. The length
 * is checked last, when the form is known; beyond 4 GiB nothing is stored. */
int px_payload_encode(const pmix_value_t *value, struct px_payload *ret)
{
    struct px_payload p = {0};
    int rc;

    if (!value || value == &px_deleted) {
        p.form = PX_FORM_NONE | (value ? PX_CELL_TOMB : PX_CELL_HIDDEN);
        *ret = p;
        return 0;
    }
    p.type = value->type;
    if (px_word_size(value->type)) {
        p.form = PX_FORM_WORD;
        p.word = px_word_of(value);
        memcpy(p.head, &p.word, sizeof(p.word));
        p.head_len = sizeof(p.word);
        *ret = p;
        return 0;
    }
    rc = encode(&p, value);
    if (rc) {
        return rc;
    }
    if (px_payload_len(&p) > UINT32_MAX) {
        px_buf_fini(&p.buf);
        return PMIX_ERR_BAD_PARAM;
    }
    *ret = p;
    return 0;
}

/* Used in the writer's process only, to find equal values; not part of the format. Type, form and
 * scope enter it, so cells that differ in them are rarely compared. */
uint64_t px_payload_hash(const struct px_payload *p, pmix_scope_t scope)
{
    uint64_t h =
        px_hash_mix((uint64_t) p->type << 16 | (uint64_t) p->form << 8 | scope, p->body_len);

    h = px_hash_mix(h, px_hash_bytes(p->head, p->head_len));
    return px_hash_mix(h, px_hash_bytes(p->body, p->body_len));
}

/* Two hidden values are equal whatever else they say. */
bool px_payload_is(const struct px_payload *p, pmix_scope_t scope, const struct px_slice *slice)
{
    const unsigned char *bytes = slice->payload;

    if ((p->form & PX_CELL_HIDDEN) || slice->hidden) {
        return (p->form & PX_CELL_HIDDEN) && slice->hidden;
    }
    if (p->type != slice->type || scope != slice->scope ||
        (p->form & PX_FORM_MASK) != slice->form) {
        return false;
    }
    if (p->form == PX_FORM_WORD) {
        return p->word == slice->word;
    }
    if (px_payload_len(p) != slice->len) {
        return false;
    }
    return (p->head_len == 0 || memcmp(bytes, p->head, p->head_len) == 0) &&
           (p->body_len == 0 || memcmp(bytes + p->head_len, p->body, p->body_len) == 0);
}

/* Head and body follow each other; the cell ends with zeros up to the next multiple of 8. */
void px_payload_put_frame(const struct px_payload *p, pmix_scope_t scope, void *at)
{
    struct px_cell head = {
        .len = (uint32_t) px_payload_len(p),
        .type = p->type,
        .scope = scope,
        .form = p->form,
    };
    struct px_cell *cell = at;
    size_t len = head.len;

    px_put(cell, &head, sizeof(head));
    if (p->head_len) {
        px_put(cell->payload, p->head, p->head_len);
    }
    if (len & 7) {
        px_put_zero(cell->payload + len, 8 - (len & 7));
    }
}

void px_payload_put(const struct px_payload *p, pmix_scope_t scope, void *at)
{
    struct px_cell *cell = at;

    px_payload_put_frame(p, scope, at);
    if (p->body_len) {
        px_put(cell->payload + p->head_len, p->body, p->body_len);
    }
}

/* Takes space and fills it; the cell is immutable from here on. A locator of it is of use to
 * readers only after the publication. */
int px_payload_cell(const struct px_payload *p, pmix_scope_t scope, struct px_bump *bump,
                    uint64_t *ret_loc)
{
    void *at;
    int rc = px_bump_take(bump, sizeof(struct px_cell) + px_payload_len(p), &at);

    if (rc) {
        return rc;
    }
    px_payload_put(p, scope, at);
    *ret_loc = px_bump_locator(bump, at);
    return 0;
}

bool px_payload_fits(uint8_t form, pmix_data_type_t type, const unsigned char *payload, size_t len)
{
    struct px_array array;

    switch (form) {
    case PX_FORM_NONE:
        return len == 0 && type == PMIX_UNDEF;
    case PX_FORM_TEXT:
        return px_payload_is_usual(form, PMIX_STRING, payload, len) &&
               (type == PMIX_STRING || type == PMIX_PROC_NSPACE);
    case PX_FORM_BYTES:
        return type == PMIX_BYTE_OBJECT || type == PMIX_COMPRESSED_STRING ||
               type == PMIX_COMPRESSED_BYTE_OBJECT || type == PMIX_REGEX;
    case PX_FORM_CODEC:
        return len > 0;
    case PX_FORM_PROC:
        return (len == 0 || (len > 4 && payload[len - 1] == '\0')) && type == PMIX_PROC;
    case PX_FORM_TIMEVAL:
        return len == 16 && type == PMIX_TIMEVAL;
    case PX_FORM_ARRAY:
        if (len < sizeof(array)) {
            return len == 0 && type == PMIX_DATA_ARRAY;
        }
        memcpy(&array, payload, sizeof(array));
        return type == PMIX_DATA_ARRAY && array.n <= UINT32_MAX &&
               array.n * array.width == len - sizeof(array) &&
               (array.n == 0 || array.width == px_word_size(array.type));
    default:
        return px_payload_is_usual(form, type, payload, len);
    }
}
