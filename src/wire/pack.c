/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "codec.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flex.h"
#include "frame.h"
#include "hooks.h"
#include "regex.h"
#include "types.h"

/* The packing half. It walks the table of types; nothing here knows one type from another except by
 * shape. It depends on its arguments only, so that the same values give the same bytes in every
 * process. Nesting comes from data arrays alone, and is bounded as on the other side: what we write
 * we can read. */

struct packer {
    struct px_buf *buf;
    unsigned depth;
    bool exact;
};

static int raw(struct packer *p, pmix_data_type_t type, const void *val);

static void put_flex(struct packer *p, uint64_t v)
{
    unsigned char bytes[PX_FLEX_MAX];

    px_buf_append(p->buf, bytes, px_flex_put(bytes, v));
}

static void put_string(struct packer *p, const char *s)
{
    size_t len = s ? strlen(s) + 1 : 0;

    put_flex(p, px_zigzag((int64_t) len));
    px_buf_append(p->buf, s, len);
}

static uint64_t load_unsigned(const void *val, size_t size)
{
    switch (size) {
    case 1:
        return *(const uint8_t *) val;
    case 2:
        return *(const uint16_t *) val;
    case 4:
        return *(const uint32_t *) val;
    default:
        return *(const uint64_t *) val;
    }
}

static int64_t load_signed(const void *val, size_t size)
{
    switch (size) {
    case 2:
        return *(const int16_t *) val;
    case 4:
        return *(const int32_t *) val;
    default:
        return *(const int64_t *) val;
    }
}

/* The application may have chosen a locale with another decimal sign. */
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

static int put_bytes(struct packer *p, const void *bytes, size_t len)
{
    if (len > 0 && !bytes) {
        return PMIX_ERR_BAD_PARAM;
    }
    put_flex(p, len);
    px_buf_append(p->buf, bytes, len);
    return PMIX_SUCCESS;
}

static int put_elements(struct packer *p, pmix_data_type_t type, const void *array, size_t n)
{
    const struct px_wire_type *info = px_wire_type(type);
    int rc = PMIX_SUCCESS;

    if (n > 0 && !info) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    if (n > 0 && (!array || type == PMIX_UNDEF)) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (size_t i = 0; i < n && rc == PMIX_SUCCESS; i++) {
        rc = raw(p, type, (const char *) array + i * info->size);
    }
    return rc;
}

/* Decoders disagree on what follows an array of no type, so peers never get one: an empty array of
 * bytes says the same. */
static int put_array(struct packer *p, const pmix_data_array_t *array)
{
    pmix_data_type_t type = array ? array->type : PMIX_UNDEF;
    size_t n = array && array->array ? array->size : 0;
    int rc;

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

static int put_fixed(struct packer *p, const char *chars, size_t room)
{
    size_t len = strnlen(chars, room);

    if (len == room) {
        return PMIX_ERR_BAD_PARAM;
    }
    put_string(p, chars);
    return PMIX_SUCCESS;
}

static int put_field(struct packer *p, const struct px_field *field, const char *base)
{
    const char *at = base + field->at;

    switch (field->op) {
    case PX_FIELD_EXACT:
        return p->exact ? raw(p, field->type, at) : PMIX_SUCCESS;
    case PX_FIELD_FLAGS:
        put_flex(p, *(const pmix_info_directives_t *) at &
                        ~(pmix_info_directives_t) PMIX_INFO_PERSISTENT);
        return PMIX_SUCCESS;
    case PX_FIELD_FIXED:
        return put_fixed(p, at, field->more);
    case PX_FIELD_ARGV:
        return put_argv(p, *(char **const *) at);
    case PX_FIELD_ARRAY: {
        size_t n = *(const size_t *) (base + field->more);

        put_flex(p, n);
        return put_elements(p, field->type, *(void *const *) at, n);
    }
    default:
        return raw(p, field->type, at);
    }
}

static int put_fields(struct packer *p, const struct px_field *field, const void *base)
{
    int rc = PMIX_SUCCESS;

    for (; field->op != PX_FIELD_END && rc == PMIX_SUCCESS; field++) {
        rc = put_field(p, field, base);
    }
    return rc;
}

/* Text whose size the application did not set ends at its NUL. */
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

static int put_value(struct packer *p, const pmix_value_t *value)
{
    const struct px_wire_type *info = px_wire_type(value->type);

    if (!info || info->place == PX_PLACE_NONE) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    put_flex(p, value->type);
    if (info->place == PX_PLACE_INLINE) {
        return raw(p, value->type, &value->data);
    }
    if (!value->data.ptr && info->shape != PX_SHAPE_ARRAY) {
        return PMIX_ERR_BAD_PARAM;
    }
    return info->shape == PX_SHAPE_ARRAY ? put_array(p, value->data.darray)
                                         : raw(p, value->type, value->data.ptr);
}

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

static void put_pid(struct packer *p, pid_t pid)
{
    put_flex(p, PMIX_UINT32);
    put_flex(p, (uint32_t) pid);
}

static int raw_compound(struct packer *p, const struct px_wire_type *info, const void *val)
{
    const pmix_byte_object_t *bytes = val;
    const pmix_data_buffer_t *data = val;

    switch ((enum px_shape) info->shape) {
    case PX_SHAPE_BYTES:
        return put_bytes(p, bytes->bytes, bytes->size);
    case PX_SHAPE_BUFFER:
        return put_bytes(p, data->base_ptr, data->bytes_used);
    case PX_SHAPE_VALUE:
        return put_value(p, val);
    case PX_SHAPE_ARRAY:
        return put_array(p, val);
    case PX_SHAPE_REGEX:
        return put_regex(p, val);
    case PX_SHAPE_CPUSET:
        return put_cpuset(p, val);
    case PX_SHAPE_TOPO:
        return put_topo(p, val);
    default:
        return put_fields(p, info->fields, val);
    }
}

static int raw(struct packer *p, pmix_data_type_t type, const void *val)
{
    const struct px_wire_type *info = px_wire_type(type);

    switch (info ? (enum px_shape) info->shape : PX_SHAPE_NOTHING) {
    case PX_SHAPE_NOTHING:
        return info ? PMIX_SUCCESS : PMIX_ERR_UNKNOWN_DATA_TYPE;
    case PX_SHAPE_BOOL:
        px_buf_byte(p->buf, *(const uint8_t *) val != 0);
        break;
    case PX_SHAPE_BYTE:
        px_buf_byte(p->buf, *(const uint8_t *) val);
        break;
    case PX_SHAPE_SENTINEL:
        px_buf_byte(p->buf, 1);
        break;
    case PX_SHAPE_UNSIGNED:
        put_flex(p, load_unsigned(val, info->size));
        break;
    case PX_SHAPE_SIGNED:
        put_flex(p, px_zigzag(load_signed(val, info->size)));
        break;
    case PX_SHAPE_PID:
        put_pid(p, *(const pid_t *) val);
        break;
    case PX_SHAPE_REAL:
        put_real(p, type == PMIX_FLOAT ? (double) *(const float *) val : *(const double *) val);
        break;
    case PX_SHAPE_STRING:
        put_string(p, *(char *const *) val);
        break;
    default:
        return raw_compound(p, info, val);
    }
    return PMIX_SUCCESS;
}

static int finish(struct px_buf *buf, int rc)
{
    if (rc != PMIX_SUCCESS) {
        buf->failed = true;
        return rc;
    }
    return px_buf_ok(buf) ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

int px_pack_raw(struct px_buf *buf, bool exact, pmix_data_type_t type, const void *val)
{
    struct packer p = {.buf = buf, .exact = exact};

    return finish(buf, raw(&p, type, val));
}

int px_pack_frame(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, size_t n)
{
    struct packer p = {.buf = buf};

    if (n > INT32_MAX) {
        return finish(buf, PMIX_ERR_BAD_PARAM);
    }
    if (kind == PX_WIRE_DESCRIBED) {
        put_flex(&p, PMIX_INT32);
    }
    put_flex(&p, px_zigzag((int64_t) n));
    if (kind == PX_WIRE_DESCRIBED) {
        put_flex(&p, type);
    }
    return finish(buf, PMIX_SUCCESS);
}

int px_pack(struct px_buf *buf, enum px_wire_kind kind, pmix_data_type_t type, const void *vals,
            size_t n)
{
    struct packer p = {.buf = buf};
    int rc;

    if (px_type_size(type) == 0) {
        return finish(buf, PMIX_ERR_UNKNOWN_DATA_TYPE);
    }
    rc = px_pack_frame(buf, kind, type, n);
    return rc == PMIX_SUCCESS ? finish(buf, put_elements(&p, type, vals, n)) : rc;
}

size_t px_type_size(pmix_data_type_t type)
{
    const struct px_wire_type *info = type == PMIX_UNDEF ? NULL : px_wire_type(type);

    return info ? info->size : 0;
}
