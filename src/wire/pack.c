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
#include "src/base/lent.h"
#include "src/value/types.h"
#include "src/value/scalars.h"

/* One call of a public function: the buffer it appends to (borrowed), the data arrays around the
 * current value, and the encoding of reals (see struct px_in). No function here returns a status:
 * the first failure stays in the buffer, which takes no bytes after it. */
struct packer {
    struct px_buf *buf;
    unsigned depth;
    bool exact;
};

static void raw(struct packer *p, const struct px_type *type, const void *val);

/* Marks the buffer as failed. */
static void fail(struct packer *p, int status)
{
    (void) px_buf_fail(p->buf, status);
}

/* Appends an unsigned number of variable length. */
static void put_flex(struct packer *p, uint64_t v)
{
    unsigned char bytes[PX_FLEX_MAX];

    if (v < 128) {
        px_buf_byte(p->buf, (unsigned char) v);
    } else {
        px_buf_append(p->buf, bytes, px_flex_put(bytes, v));
    }
}

/* Appends a string of so many bytes with its NUL: this length as a signed number, then the
 * characters. */
static void put_chars(struct packer *p, const char *s, size_t len)
{
    put_flex(p, px_zigzag((int64_t) len));
    px_buf_lend(p->buf, s, len);
}

/* Appends a string. NULL has the length 0. */
static void put_string(struct packer *p, const char *s)
{
    put_chars(p, s, s ? strlen(s) + 1 : 0);
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
static void put_bytes(struct packer *p, const void *bytes, size_t len)
{
    if (len > 0 && !bytes) {
        fail(p, PMIX_ERR_BAD_PARAM);
    }
    put_flex(p, len);
    px_buf_lend(p->buf, bytes, len);
}

/* Appends n elements of an array without a count. PMIX_ERR_BAD_PARAM for NULL with a count. */
static void put_elements(struct packer *p, pmix_data_type_t type, const void *array, size_t n)
{
    const struct px_type *info = px_type_info(type);

    if (n > 0 && !info) {
        fail(p, type == PMIX_UNDEF ? PMIX_ERR_BAD_PARAM : PMIX_ERR_UNKNOWN_DATA_TYPE);
    } else if (n > 0 && !array) {
        fail(p, PMIX_ERR_BAD_PARAM);
    }
    if (n > 0 && px_buf_ok(p->buf) && info->form == PX_WIRE_FORM_BYTE) {
        px_buf_lend(p->buf, array, n);
        return;
    }
    for (size_t i = 0; i < n && px_buf_ok(p->buf); i++) {
        raw(p, info, (const char *) array + i * info->size);
    }
}

/* Appends a data array: type, count, elements; NULL as an empty one. Peers' decoders disagree on
 * what follows an array of type PMIX_UNDEF, so an empty array of bytes is sent instead. */
static void put_array(struct packer *p, const pmix_data_array_t *array)
{
    pmix_data_type_t type = array ? array->type : PMIX_UNDEF;
    size_t n = array && array->array ? array->size : 0;

    px_assert(p->depth <= PX_WIRE_MAX_DEPTH);
    if (p->depth >= PX_WIRE_MAX_DEPTH) {
        fail(p, PMIX_ERR_PACK_FAILURE);
        return;
    }
    if (n > 0 && type == PMIX_UNDEF) {
        fail(p, PMIX_ERR_BAD_PARAM);
        return;
    }
    if (type == PMIX_UNDEF && !p->exact) {
        type = PMIX_BYTE;
    }
    put_flex(p, type);
    put_flex(p, n);
    p->depth++;
    put_elements(p, type, n ? array->array : NULL, n);
    p->depth--;
}

/* Appends a NULL-terminated array of strings: the count as a signed number, then each string. NULL
 * is sent as a count of 0, so the reader gets NULL for an empty vector too. */
static void put_argv(struct packer *p, char **argv)
{
    size_t n = 0;

    while (argv && argv[n]) {
        n++;
    }
    put_flex(p, px_zigzag((int64_t) n));
    for (size_t i = 0; i < n; i++) {
        put_string(p, argv[i]);
    }
}

/* Appends a key or namespace as a string. PMIX_ERR_BAD_PARAM if its array of `room` bytes has no
 * NUL: applications fill these arrays, and reading on would leave the array. */
static void put_fixed(struct packer *p, const char *chars, size_t room)
{
    size_t len = strnlen(chars, room);

    if (len == room) {
        fail(p, PMIX_ERR_BAD_PARAM);
        return;
    }
    put_chars(p, chars, len + 1);
}

/* Appends a member that is one element, with the exceptions of members.def (enum
 * px_member_sent). */
static void put_one(struct packer *p, const struct px_member *member, const char *at)
{
    switch (member->sent) {
    case PX_SENT_OWN:
        if (p->exact) {
            raw(p, px_type_info(member->type), at);
        }
        break;
    case PX_SENT_INT16:
        raw(p, px_type_info(PMIX_INT16), at);
        break;
    case PX_SENT_FLAGS:
        put_flex(p, *(const pmix_info_directives_t *) at &
                        ~(pmix_info_directives_t) PMIX_INFO_PERSISTENT);
        break;
    default:
        raw(p, px_type_info(member->type), at);
        break;
    }
}

/* Appends one member of the structure at base. */
static void put_member(struct packer *p, const struct px_member *member, const char *base)
{
    const char *at = base + member->at;
    size_t n;

    switch (member->how) {
    case PX_MEMBER_KEY:
        put_fixed(p, at, sizeof(pmix_key_t));
        break;
    case PX_MEMBER_ARGV:
        put_argv(p, *(char **const *) at);
        break;
    case PX_MEMBER_MANY:
        n = *(const size_t *) (base + member->count_at);
        put_flex(p, n);
        put_elements(p, member->type, *(void *const *) at, n);
        break;
    default:
        put_one(p, member, at);
        break;
    }
}

/* Appends the members of a structure in the order of members.def. */
static void put_members(struct packer *p, const struct px_type *type, const void *base)
{
    for (size_t i = 0; i < type->n_members; i++) {
        put_member(p, &type->members[i], base);
    }
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
static void put_regex(struct packer *p, const pmix_byte_object_t *regex)
{
    const char *bytes = regex->bytes;
    size_t limit = regex->size ? regex->size : SIZE_MAX;
    size_t len = 0;

    if (!bytes) {
        px_buf_byte(p->buf, 0);
        return;
    }
    fail(p, px_regex_length(bytes, limit, &len));
    px_buf_append(p->buf, bytes, len);
}

/* Appends a value: type code, then its element; of an encoded one both are there. Only a data array
 * may be a NULL pointer; another boxed element that is NULL gives PMIX_ERR_BAD_PARAM. */
static void put_value(struct packer *p, const pmix_value_t *value)
{
    const struct px_type *type = px_type_info(value->type);

    if (value->type == PMIX_UNDEF) {
        put_flex(p, PMIX_UNDEF);
        return;
    }
    if (value->type == PX_TYPE_ENCODED) {
        px_buf_lend(p->buf, value->data.bo.bytes, value->data.bo.size);
        return;
    }
    if (!type || type->where == PX_ELEMENT) {
        fail(p, PMIX_ERR_UNKNOWN_DATA_TYPE);
        return;
    }
    put_flex(p, value->type);
    if (type->where == PX_INLINE) {
        raw(p, type, &value->data);
    } else if (type->form == PX_WIRE_FORM_ARRAY) {
        put_array(p, value->data.darray);
    } else if (value->data.ptr) {
        raw(p, type, value->data.ptr);
    } else {
        fail(p, PMIX_ERR_BAD_PARAM);
    }
}

/* Appends a cpuset as the list of its CPUs, without the "hwloc:" in front; NULL if it is
 * unbound. */
static void put_cpuset(struct packer *p, const pmix_cpuset_t *cpuset)
{
    char *text = NULL;
    const char *list = NULL;

    if (cpuset->bitmap) {
        fail(p, px_wire_hooks.cpuset_text ? px_wire_hooks.cpuset_text(cpuset, &text)
                                          : PMIX_ERR_NOT_SUPPORTED);
    }
    if (text) {
        list = strchr(text, ':') ? strchr(text, ':') + 1 : text;
    }
    put_string(p, list);
    free(text);
}

/* Appends a topology: its XML as a string, then the raw bytes of hwloc's support structures. */
static void put_topo(struct packer *p, const pmix_topology_t *topo)
{
    char *xml = NULL;
    void *support;

    fail(p, px_wire_hooks.topo_text ? px_wire_hooks.topo_text(topo, &xml) : PMIX_ERR_NOT_SUPPORTED);
    put_string(p, xml);
    free(xml);
    support = px_buf_extend(p->buf, px_wire_hooks.topo_support_size);
    if (support) {
        memset(support, 0, px_wire_hooks.topo_support_size);
    }
    if (support && px_wire_hooks.topo_support) {
        px_wire_hooks.topo_support(topo, support);
    }
}

/* Appends a pid as peers do: the type code of a 32-bit unsigned number, then the number. */
static void put_pid(struct packer *p, pid_t pid)
{
    put_flex(p, PMIX_UINT32);
    put_flex(p, (uint32_t) pid);
}

/* The forms of raw() with a length, a text or members. */
static void raw_compound(struct packer *p, const struct px_type *type, const void *val)
{
    const pmix_byte_object_t *bytes = val;
    const pmix_data_buffer_t *data = val;

    switch (type->form) {
    case PX_WIRE_FORM_BYTES:
        put_bytes(p, bytes->bytes, bytes->size);
        break;
    case PX_WIRE_FORM_BUFFER:
        put_bytes(p, data->base_ptr, data->bytes_used);
        break;
    case PX_WIRE_FORM_NAME:
        put_fixed(p, val, type->size);
        break;
    case PX_WIRE_FORM_VALUE:
        put_value(p, val);
        break;
    case PX_WIRE_FORM_ARRAY:
        put_array(p, val);
        break;
    case PX_WIRE_FORM_REGEX:
        put_regex(p, val);
        break;
    case PX_WIRE_FORM_CPUSET:
        put_cpuset(p, val);
        break;
    case PX_WIRE_FORM_TOPO:
        put_topo(p, val);
        break;
    default:
        put_members(p, type, val);
        break;
    }
}

/* Appends one element in the wire form of its type, without a frame. Called again for members and
 * elements of arrays. */
static void raw(struct packer *p, const struct px_type *type, const void *val)
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
        raw_compound(p, type, val);
        break;
    }
}

/* A fresh packer: each call begins at depth 0. PMIX_UNDEF has no type and no bytes. */
int px_pack_raw(struct px_buf *buf, bool exact, pmix_data_type_t type, const void *val)
{
    struct packer p = {.buf = buf, .exact = exact};
    const struct px_type *info = px_type_info(type);

    if (info) {
        raw(&p, info, val);
    } else if (type != PMIX_UNDEF) {
        fail(&p, PMIX_ERR_UNKNOWN_DATA_TYPE);
    }
    return buf->status;
}

/* In a described buffer the count has its type in front and the type of the values behind it. */
int px_pack_frame(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t n)
{
    struct packer p = {.buf = buf};

    if (n > INT32_MAX) {
        fail(&p, PMIX_ERR_BAD_PARAM);
    }
    if (kind == PX_WIRE_DESCRIBED) {
        put_flex(&p, PMIX_INT32);
    }
    put_flex(&p, px_zigzag((int64_t) n));
    if (kind == PX_WIRE_DESCRIBED) {
        put_flex(&p, type);
    }
    return buf->status;
}

/* Checks the type before the frame is written, so that an unknown type leaves no bytes behind. */
int px_pack(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, const void *vals,
            size_t n)
{
    struct packer p = {.buf = buf};

    if (px_type_size(type) == 0) {
        return px_buf_fail(buf, PMIX_ERR_UNKNOWN_DATA_TYPE);
    }
    (void) px_pack_frame(buf, kind, type, n);
    put_elements(&p, type, vals, n);
    return buf->status;
}

/* PMIX_BUFFER and PMIX_KVAL have no C representation. */
size_t px_type_size(pmix_data_type_t type)
{
    const struct px_type *info = px_type_info(type);

    return info ? info->size : 0;
}
