/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The packing half of the codec. It walks the table of types (src/value/types.def, members.def)
 * and distinguishes types only by their wire form. The output depends on the arguments only, so
 * the same values give the same bytes in every process. Only data arrays nest; their depth is
 * bounded by the limit of the unpacking half, so everything that is written can be read. */
#include "pack.h"

#include "codec.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flex.h"
#include "wire_hooks.h"
#include "regex.h"
#include "src/base/assert.h"
#include "src/value/types.h"
#include "src/value/scalars.h"

/* One call of a public function: the buffer it appends to (borrowed), the data arrays around the
 * current value, and the encoding of reals (see struct px_in). */
struct packer {
    struct px_buf *buf;
    unsigned depth;
    bool exact;
};

static int raw(struct packer *p, const struct px_type *type, const void *val);

/* Appends an unsigned number of variable length. As all put functions without a status, it leaves
 * a lack of memory in buf->failed. */
static void put_flex(struct packer *p, uint64_t v)
{
    unsigned char bytes[PX_FLEX_MAX];

    px_buf_append(p->buf, bytes, px_flex_put(bytes, v));
}

/* Appends a string: its length with the NUL, as a signed number, then the characters. NULL has the
 * length 0. */
static void put_string(struct packer *p, const char *s)
{
    size_t len = s ? strlen(s) + 1 : 0;

    put_flex(p, px_zigzag((int64_t) len));
    px_buf_append(p->buf, s, len);
}

/* Appends a real number as decimal text in the C locale: the application may have chosen a locale
 * with another decimal point. Exact: its 8 bytes. */
static void put_real(struct packer *p, double v)
{
    char text[400]; /* the longest double has 309 digits before the point */
    locale_t plain;
    locale_t before;

    if (p->exact) {
        px_buf_append(p->buf, &v, sizeof(v));
        return;
    }
    plain = newlocale(LC_ALL_MASK, "C", (locale_t) 0); /* always there; nothing is allocated */
    before = uselocale(plain);
    (void) snprintf(text, sizeof(text), "%f", v); /* always fits */
    (void) uselocale(before);
    freelocale(plain);
    put_string(p, text);
}

/* Appends a length and that many bytes. PMIX_ERR_BAD_PARAM for NULL with a length. */
static int put_bytes(struct packer *p, const void *bytes, size_t len)
{
    if (len > 0 && !bytes) {
        return PMIX_ERR_BAD_PARAM;
    }
    put_flex(p, len);
    px_buf_append(p->buf, bytes, len);
    return PMIX_SUCCESS;
}

/* Appends n elements of an array without a count. PMIX_ERR_BAD_PARAM for NULL with a count. */
static int put_elements(struct packer *p, pmix_data_type_t type, const void *array, size_t n)
{
    const struct px_type *info = px_type_info(type);
    int rc = PMIX_SUCCESS;

    if (n > 0 && !info) {
        return type == PMIX_UNDEF ? PMIX_ERR_BAD_PARAM : PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    if (n > 0 && !array) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (size_t i = 0; i < n && rc == PMIX_SUCCESS; i++) {
        rc = raw(p, info, (const char *) array + i * info->size);
    }
    return rc;
}

/* Appends a data array: type, count, elements; NULL as an empty one. Peers' decoders disagree on
 * what follows an array of type PMIX_UNDEF, so an empty array of bytes is sent instead. */
static int put_array(struct packer *p, const pmix_data_array_t *array)
{
    pmix_data_type_t type = array ? array->type : PMIX_UNDEF;
    size_t n = array && array->array ? array->size : 0;
    int rc;

    px_assert(p->depth <= PX_WIRE_MAX_DEPTH);
    if (p->depth >= PX_WIRE_MAX_DEPTH) {
        return PMIX_ERR_PACK_FAILURE;
    }
    if (n > 0 && type == PMIX_UNDEF) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (type == PMIX_UNDEF && !p->exact) {
        type = PMIX_BYTE;
    }
    put_flex(p, type);
    put_flex(p, n);
    p->depth++;
    rc = put_elements(p, type, n ? array->array : NULL, n);
    p->depth--;
    return rc;
}

/* Appends a NULL-terminated array of strings: the count as a signed number, then each string. NULL
 * is sent as a count of 0, so the reader gets NULL for an empty vector too. */
static int put_argv(struct packer *p, char **argv)
{
    size_t n = 0;

    while (argv && argv[n]) {
        n++;
    }
    put_flex(p, px_zigzag((int64_t) n));
    for (size_t i = 0; i < n; i++) {
        put_string(p, argv[i]);
    }
    return PMIX_SUCCESS;
}

/* Appends a key or namespace as a string. PMIX_ERR_BAD_PARAM if its array of `room` bytes has no
 * NUL: applications fill these arrays, and reading on would leave the array. */
static int put_fixed(struct packer *p, const char *chars, size_t room)
{
    size_t len = strnlen(chars, room);

    if (len == room) {
        return PMIX_ERR_BAD_PARAM;
    }
    put_string(p, chars);
    return PMIX_SUCCESS;
}

/* Appends a member that is one element, with the exceptions of members.def (enum
 * px_member_sent). */
static int put_one(struct packer *p, const struct px_member *member, const char *at)
{
    switch (member->sent) {
    case PX_SENT_OWN:
        return p->exact ? raw(p, px_type_info(member->type), at) : PMIX_SUCCESS;
    case PX_SENT_INT16:
        return raw(p, px_type_info(PMIX_INT16), at);
    case PX_SENT_FLAGS:
        put_flex(p, *(const pmix_info_directives_t *) at &
                        ~(pmix_info_directives_t) PMIX_INFO_PERSISTENT);
        return PMIX_SUCCESS;
    default:
        return raw(p, px_type_info(member->type), at);
    }
}

/* Appends one member of the structure at base. */
static int put_member(struct packer *p, const struct px_member *member, const char *base)
{
    const char *at = base + member->at;
    size_t n;

    switch (member->how) {
    case PX_MEMBER_KEY:
        return put_fixed(p, at, sizeof(pmix_key_t));
    case PX_MEMBER_ARGV:
        return put_argv(p, *(char **const *) at);
    case PX_MEMBER_MANY:
        n = *(const size_t *) (base + member->count_at);
        put_flex(p, n);
        return put_elements(p, member->type, *(void *const *) at, n);
    default:
        return put_one(p, member, at);
    }
}

/* Appends the members of a structure in the order of members.def, and stops at the first failure;
 * the caller marks the buffer then. */
static int put_members(struct packer *p, const struct px_type *type, const void *base)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; i < type->n_members && rc == PMIX_SUCCESS; i++) {
        rc = put_member(p, &type->members[i], base);
    }
    return rc;
}

/* Appends seconds and microseconds, both signed. */
static void put_timeval(struct packer *p, const struct timeval *time)
{
    put_flex(p, px_zigzag(time->tv_sec));
    put_flex(p, px_zigzag(time->tv_usec));
}

/* Appends a map with its NUL, or a blob, whose head holds its size; NULL as an empty text. A size
 * of 0 means that the application did not set it, and the text ends at its NUL. Statuses as
 * px_regex_length. */
static int put_regex(struct packer *p, const pmix_byte_object_t *regex)
{
    const char *bytes = regex->bytes;
    size_t limit = regex->size ? regex->size : SIZE_MAX;
    size_t len;
    int rc;

    if (!bytes) {
        px_buf_byte(p->buf, 0);
        return PMIX_SUCCESS;
    }
    rc = px_regex_length(bytes, limit, &len);
    if (rc == PMIX_SUCCESS) {
        px_buf_append(p->buf, bytes, len);
    }
    return rc;
}

/* Appends a value: type code, then its element. Only a data array may be a NULL pointer; another
 * boxed element that is NULL gives PMIX_ERR_BAD_PARAM. */
static int put_value(struct packer *p, const pmix_value_t *value)
{
    const struct px_type *type = px_type_info(value->type);

    if (value->type == PMIX_UNDEF) {
        put_flex(p, PMIX_UNDEF);
        return PMIX_SUCCESS;
    }
    if (!type || type->where == PX_ELEMENT) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    put_flex(p, value->type);
    if (type->where == PX_INLINE) {
        return raw(p, type, &value->data);
    }
    if (type->form == PX_WIRE_FORM_ARRAY) {
        return put_array(p, value->data.darray);
    }
    return value->data.ptr ? raw(p, type, value->data.ptr) : PMIX_ERR_BAD_PARAM;
}

/* Appends a cpuset as the list of its CPUs, without the "hwloc:" in front; NULL if it is
 * unbound. */
static int put_cpuset(struct packer *p, const pmix_cpuset_t *cpuset)
{
    char *text = NULL;
    const char *list = NULL;
    int rc;

    if (cpuset->bitmap) {
        if (!px_wire_hooks.cpuset_text) {
            return PMIX_ERR_NOT_SUPPORTED;
        }
        rc = px_wire_hooks.cpuset_text(cpuset, &text);
        if (rc != PMIX_SUCCESS) {
            return rc;
        }
        list = strchr(text, ':') ? strchr(text, ':') + 1 : text;
    }
    put_string(p, list);
    free(text);
    return PMIX_SUCCESS;
}

/* Appends a topology: its XML as a string, then the raw bytes of hwloc's support structures. */
static int put_topo(struct packer *p, const pmix_topology_t *topo)
{
    char *xml = NULL;
    void *support;
    int rc;

    if (!px_wire_hooks.topo_text) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    rc = px_wire_hooks.topo_text(topo, &xml);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    put_string(p, xml);
    free(xml);
    support = px_buf_extend(p->buf, px_wire_hooks.topo_support_size);
    if (support) {
        memset(support, 0, px_wire_hooks.topo_support_size);
    }
    if (support && px_wire_hooks.topo_support) {
        px_wire_hooks.topo_support(topo, support);
    }
    return PMIX_SUCCESS;
}

/* Appends a pid as peers do: the type code of a 32-bit unsigned number, then the number. */
static void put_pid(struct packer *p, pid_t pid)
{
    put_flex(p, PMIX_UINT32);
    put_flex(p, (uint32_t) pid);
}

/* The forms of raw() that can fail by themselves. */
static int raw_compound(struct packer *p, const struct px_type *type, const void *val)
{
    const pmix_byte_object_t *bytes = val;
    const pmix_data_buffer_t *data = val;

    switch (type->form) {
    case PX_WIRE_FORM_BYTES:
        return put_bytes(p, bytes->bytes, bytes->size);
    case PX_WIRE_FORM_BUFFER:
        return put_bytes(p, data->base_ptr, data->bytes_used);
    case PX_WIRE_FORM_NAME:
        return put_fixed(p, val, type->size);
    case PX_WIRE_FORM_VALUE:
        return put_value(p, val);
    case PX_WIRE_FORM_ARRAY:
        return put_array(p, val);
    case PX_WIRE_FORM_REGEX:
        return put_regex(p, val);
    case PX_WIRE_FORM_CPUSET:
        return put_cpuset(p, val);
    case PX_WIRE_FORM_TOPO:
        return put_topo(p, val);
    default:
        return put_members(p, type, val);
    }
}

/* Appends one element in the wire form of its type, without a frame. Called again for members and
 * elements of arrays. */
static int raw(struct packer *p, const struct px_type *type, const void *val)
{
    switch (type->form) {
    case PX_WIRE_FORM_BOOL:
        px_buf_byte(p->buf, *(const uint8_t *) val != 0);
        break;
    case PX_WIRE_FORM_BYTE:
        px_buf_byte(p->buf, *(const uint8_t *) val);
        break;
    case PX_WIRE_FORM_SENTINEL:
        px_buf_byte(p->buf, 1);
        break;
    case PX_WIRE_FORM_UNSIGNED:
        put_flex(p, px_load_unsigned(type, val));
        break;
    case PX_WIRE_FORM_SIGNED:
        put_flex(p, px_zigzag(px_load_signed(type, val)));
        break;
    case PX_WIRE_FORM_PID:
        put_pid(p, *(const pid_t *) val);
        break;
    case PX_WIRE_FORM_REAL:
        put_real(p, px_load_real(type, val));
        break;
    case PX_WIRE_FORM_STRING:
        put_string(p, *(char *const *) val);
        break;
    case PX_WIRE_FORM_TIMEVAL:
        put_timeval(p, val);
        break;
    default:
        return raw_compound(p, type, val);
    }
    return PMIX_SUCCESS;
}

/* Ends a public function: marks the buffer as failed after an error, and turns an earlier lack of
 * memory in the buffer into PMIX_ERR_NOMEM. */
static int pack_finish(struct px_buf *buf, int rc)
{
    if (rc != PMIX_SUCCESS) {
        buf->failed = true;
        return rc;
    }
    return px_buf_ok(buf) ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* A fresh packer: each call begins at depth 0. */
int px_pack_raw(struct px_buf *buf, bool exact, pmix_data_type_t type, const void *val)
{
    struct packer p = {.buf = buf, .exact = exact};
    const struct px_type *info = px_type_info(type);

    if (!info) {
        return type == PMIX_UNDEF ? pack_finish(buf, PMIX_SUCCESS)
                                  : pack_finish(buf, PMIX_ERR_UNKNOWN_DATA_TYPE);
    }
    return pack_finish(buf, raw(&p, info, val));
}

/* In a described buffer the count has its type in front and the type of the values behind it. */
int px_pack_frame(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t n)
{
    struct packer p = {.buf = buf};

    if (n > INT32_MAX) {
        return pack_finish(buf, PMIX_ERR_BAD_PARAM);
    }
    if (kind == PX_WIRE_DESCRIBED) {
        put_flex(&p, PMIX_INT32);
    }
    put_flex(&p, px_zigzag((int64_t) n));
    if (kind == PX_WIRE_DESCRIBED) {
        put_flex(&p, type);
    }
    return pack_finish(buf, PMIX_SUCCESS);
}

/* Checks the type before the frame is written, so that an unknown type leaves no bytes behind. */
int px_pack(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, const void *vals,
            size_t n)
{
    struct packer p = {.buf = buf};
    int rc;

    if (px_type_size(type) == 0) {
        return pack_finish(buf, PMIX_ERR_UNKNOWN_DATA_TYPE);
    }
    rc = px_pack_frame(buf, kind, type, n);
    return rc == PMIX_SUCCESS ? pack_finish(buf, put_elements(&p, type, vals, n)) : rc;
}

/* PMIX_BUFFER and PMIX_KVAL have no C representation. */
size_t px_type_size(pmix_data_type_t type)
{
    const struct px_type *info = px_type_info(type);

    return info ? info->size : 0;
}
