/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The unpacking half of the codec. Every byte may be hostile: each length is compared with what is
 * left before it is used, memory is allocated in proportion to the bytes behind it, and only data
 * arrays recurse, with their depth counted. A value that fails half-way is released before the
 * failure is returned. To make that safe, the C value is zeroed before it is filled, and a count
 * is stored before its elements are read. */
#include "unpack.h"

#include "codec.h"

#include <stdlib.h>
#include <string.h>

#include "flex.h"
#include "wire_hooks.h"
#include "regex.h"
#include "src/base/assert.h"
#include "src/value/types.h"
#include "take.h"

enum {
    MEMORY_PER_BYTE =
        128, /* an array may take this many times the bytes left: the leanest info takes 111 */
    MEMORY_FREE = 4096, /* and this much at any rate */
};

static int raw(struct px_in *in, const struct px_type *type, void *val);

/* Reads a length and that many bytes into new memory; NULL for none. As all get functions it fills
 * zeroed memory and, after a failure, leaves it releasable. */
static int get_bytes(struct px_in *in, char **ret, size_t *ret_size)
{
    size_t size;
    int rc = px_take_length(in, false, &size);

    if (rc == PMIX_SUCCESS && size > 0) {
        rc = px_take_copy(in->at, size, ret);
    }
    if (rc == PMIX_SUCCESS) {
        *ret_size = size;
        in->at += size;
    }
    return rc;
}

/* Reads a data buffer, ready to be unpacked from its beginning. */
static int get_buffer(struct px_in *in, pmix_data_buffer_t *ret)
{
    size_t size = 0;
    int rc = get_bytes(in, &ret->base_ptr, &size);

    if (rc == PMIX_SUCCESS && size > 0) {
        ret->unpack_ptr = ret->base_ptr;
        ret->pack_ptr = ret->base_ptr + size;
        ret->bytes_allocated = size;
        ret->bytes_used = size;
    }
    return rc;
}

/* The limit is generous, because elements may be much larger than their encoding, yet it keeps a
 * small message from allocating gigabytes. */
int px_unpack_room(const struct px_in *in, size_t n, size_t size)
{
    if (n > px_in_left(in)) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    return n > (px_in_left(in) * MEMORY_PER_BYTE + MEMORY_FREE) / size ? PMIX_ERR_UNPACK_FAILURE
                                                                       : PMIX_SUCCESS;
}

/* Reads n elements into a new array. *ret_n counts those begun, so the caller's release covers a
 * failure half-way. */
static int get_elements(struct px_in *in, pmix_data_type_t type, size_t n, void **ret_array,
                        size_t *ret_n)
{
    const struct px_type *info = px_type_info(type);
    char *array;
    int rc;

    if (n == 0) {
        return PMIX_SUCCESS;
    }
    if (!info) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    rc = px_unpack_room(in, n, info->size);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    array = calloc(n, info->size);
    if (!array) {
        return PMIX_ERR_NOMEM;
    }
    *ret_array = array;
    for (size_t i = 0; i < n && rc == PMIX_SUCCESS; i++) {
        *ret_n = i + 1; /* a half-read element is released with the others */
        rc = raw(in, info, array + i * info->size);
    }
    return rc;
}

/* Reads a data array: type, count, elements; raises the depth while it reads the elements. An
 * array without a type has no elements, and PMIX_ERR_UNPACK_FAILURE is returned beyond the largest
 * depth. */
static int get_array(struct px_in *in, pmix_data_array_t *ret)
{
    uint64_t type;
    uint64_t n;
    int rc = px_take_bounded(in, UINT16_MAX, &type);

    px_assert(in->at <= in->end && in->depth <= PX_WIRE_MAX_DEPTH);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (type == PMIX_UNDEF) {
        /* Some peers stop after the type, others add the size 0. No field that can follow begins
         * with a 0. */
        if (in->at < in->end && *in->at == 0) {
            in->at++;
        }
        return PMIX_SUCCESS;
    }
    rc = px_take_flex(in, &n);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (in->depth >= PX_WIRE_MAX_DEPTH) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (n > SIZE_MAX) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    ret->type = (pmix_data_type_t) type;
    in->depth++;
    rc = get_elements(in, ret->type, (size_t) n, &ret->array, &ret->size);
    in->depth--;
    return rc;
}

/* Reads a NULL-terminated array of strings; NULL for none. A NULL string inside is refused,
 * because the reader would take it for the end. */
static int get_argv(struct px_in *in, char ***ret)
{
    char **argv;
    size_t n;
    int rc = px_take_length(in, true, &n);

    if (rc != PMIX_SUCCESS || n == 0) {
        return rc;
    }
    argv = calloc(n + 1, sizeof(*argv));
    if (!argv) {
        return PMIX_ERR_NOMEM;
    }
    *ret = argv;
    for (size_t i = 0; i < n; i++) {
        rc = px_take_string(in, &argv[i]);
        if (rc == PMIX_SUCCESS && !argv[i]) {
            rc = PMIX_ERR_UNPACK_FAILURE; /* would end the list early */
        }
        if (rc != PMIX_SUCCESS) {
            return rc;
        }
    }
    return PMIX_SUCCESS;
}

/* Reads the flags of an info without PMIX_INFO_PERSISTENT: what is unpacked owns its value. */
static int get_flags(struct px_in *in, pmix_info_directives_t *ret)
{
    uint64_t flags;
    int rc = px_take_bounded(in, UINT32_MAX, &flags);

    if (rc == PMIX_SUCCESS) {
        *ret = (pmix_info_directives_t) flags & ~(pmix_info_directives_t) PMIX_INFO_PERSISTENT;
    }
    return rc;
}

/* Reads a member that is one element, with the exceptions of members.def (enum px_member_sent). */
static int get_one(struct px_in *in, const struct px_member *member, char *at)
{
    switch (member->sent) {
    case PX_SENT_OWN:
        return in->exact ? raw(in, px_type_info(member->type), at) : PMIX_SUCCESS;
    case PX_SENT_INT16:
        return raw(in, px_type_info(PMIX_INT16), at);
    case PX_SENT_FLAGS:
        return get_flags(in, (pmix_info_directives_t *) at);
    default:
        return raw(in, px_type_info(member->type), at);
    }
}

/* Reads one member of the structure at base. */
static int get_member(struct px_in *in, const struct px_member *member, char *base)
{
    char *at = base + member->at;
    uint64_t n;
    int rc;

    switch (member->how) {
    case PX_MEMBER_KEY:
        return px_take_fixed(in, sizeof(pmix_key_t), at);
    case PX_MEMBER_ARGV:
        return get_argv(in, (char ***) at);
    case PX_MEMBER_MANY:
        rc = px_take_bounded(in, SIZE_MAX, &n);
        return rc == PMIX_SUCCESS ? get_elements(in, member->type, (size_t) n, (void **) at,
                                                 (size_t *) (base + member->count_at))
                                  : rc;
    default:
        return get_one(in, member, at);
    }
}

/* Reads the members of a structure in the order of members.def. */
static int get_members(struct px_in *in, const struct px_type *type, void *base)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; i < type->n_members && rc == PMIX_SUCCESS; i++) {
        rc = get_member(in, &type->members[i], base);
    }
    return rc;
}

/* Reads seconds and microseconds, both signed. */
static int get_timeval(struct px_in *in, struct timeval *ret)
{
    int rc = px_take_signed(in, sizeof(ret->tv_sec), &ret->tv_sec);

    return rc == PMIX_SUCCESS ? px_take_signed(in, sizeof(ret->tv_usec), &ret->tv_usec) : rc;
}

/* Reads a map: text with its NUL or a blob (px_regex_length). */
static int get_regex(struct px_in *in, pmix_byte_object_t *ret)
{
    size_t size;
    int rc = px_regex_length((const char *) in->at, px_in_left(in), &size);

    rc = rc ? rc : px_take_copy(in->at, size, &ret->bytes);
    if (rc == PMIX_SUCCESS) {
        ret->size = size;
        in->at += size;
    }
    return rc;
}

/* Reads a type code and the element of a value. ret->type is set first, so that a failure half-way
 * can be released. */
static int get_value(struct px_in *in, pmix_value_t *ret)
{
    const struct px_type *type;
    uint64_t code;
    int rc = px_take_bounded(in, UINT16_MAX, &code);

    if (rc != PMIX_SUCCESS || code == PMIX_UNDEF) {
        return rc;
    }
    type = px_type_info((pmix_data_type_t) code);
    if (!type || type->where == PX_ELEMENT) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    ret->type = type->type;
    if (type->where == PX_INLINE) {
        return raw(in, type, &ret->data);
    }
    ret->data.ptr = calloc(1, type->size);
    return ret->data.ptr ? raw(in, type, ret->data.ptr) : PMIX_ERR_NOMEM;
}

/* Reads the list of CPUs of a cpuset and has the hook parse it with its source name in front.
 * Peers send the list alone. No list: the cpuset stays unbound. */
static int get_cpuset(struct px_in *in, pmix_cpuset_t *ret)
{
    const char *text;
    char *named;
    size_t size;
    int rc = px_take_chars(in, &text, &size);

    if (rc != PMIX_SUCCESS || !text) {
        return rc;
    }
    if (!px_wire_hooks.cpuset_parse) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    named = malloc(sizeof(PX_CPUSET_SOURCE) + size);
    if (!named) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(named, PX_CPUSET_SOURCE, sizeof(PX_CPUSET_SOURCE) - 1);
    memcpy(named + sizeof(PX_CPUSET_SOURCE) - 1, text, size);
    rc = px_wire_hooks.cpuset_parse(named, ret);
    free(named);
    return rc;
}

/* Reads a topology and has the hook parse its XML, if the caller of the library asked for
 * topologies; messages of peers never get that far. The raw support bytes are skipped. */
static int get_topo(struct px_in *in, pmix_topology_t *ret)
{
    const char *xml;
    size_t size;
    int rc;

    if (!in->topo || !px_wire_hooks.topo_parse) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    rc = px_take_chars(in, &xml, &size);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (px_in_left(in) < px_wire_hooks.topo_support_size) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    in->at += px_wire_hooks.topo_support_size;
    return xml ? px_wire_hooks.topo_parse(xml, ret) : PMIX_ERR_UNPACK_FAILURE;
}

/* The forms of raw() that allocate or consist of several fields. */
static int raw_compound(struct px_in *in, const struct px_type *type, void *val)
{
    pmix_byte_object_t *bytes = val;

    switch (type->form) {
    case PX_WIRE_FORM_BYTES:
        return get_bytes(in, &bytes->bytes, &bytes->size);
    case PX_WIRE_FORM_BUFFER:
        return get_buffer(in, val);
    case PX_WIRE_FORM_TIMEVAL:
        return get_timeval(in, val);
    case PX_WIRE_FORM_NAME:
        return px_take_fixed(in, type->size, val);
    case PX_WIRE_FORM_VALUE:
        return get_value(in, val);
    case PX_WIRE_FORM_ARRAY:
        return get_array(in, val);
    case PX_WIRE_FORM_REGEX:
        return get_regex(in, val);
    case PX_WIRE_FORM_CPUSET:
        return get_cpuset(in, val);
    case PX_WIRE_FORM_TOPO:
        return get_topo(in, val);
    default:
        return get_members(in, type, val);
    }
}

/* Reads one element in the wire form of its type, without a frame. val is zeroed memory; after a
 * failure it holds what px_type_fini can release. */
static int raw(struct px_in *in, const struct px_type *type, void *val)
{
    uint8_t byte;
    int rc;

    switch (type->form) {
    case PX_WIRE_FORM_BOOL:
        rc = px_take_byte(in, &byte);
        *(bool *) val = rc == PMIX_SUCCESS && byte != 0;
        return rc;
    case PX_WIRE_FORM_SENTINEL: /* another process's pointer means nothing here */
        return px_take_byte(in, &byte);
    case PX_WIRE_FORM_BYTE:
        return px_take_byte(in, val);
    case PX_WIRE_FORM_UNSIGNED:
        return px_take_unsigned(in, type->size, val);
    case PX_WIRE_FORM_SIGNED:
        return px_take_signed(in, type->size, val);
    case PX_WIRE_FORM_PID:
        return px_take_pid(in, val);
    case PX_WIRE_FORM_REAL:
        return px_take_real(in, type->type, val);
    case PX_WIRE_FORM_STRING:
        return px_take_string(in, val);
    default:
        return raw_compound(in, type, val);
    }
}

/* As raw(), but zeroes val first, and releases and zeroes it after a failure. */
static int raw_or_nothing(struct px_in *in, const struct px_type *type, void *val)
{
    int rc;

    memset(val, 0, type->size);
    rc = raw(in, type, val);
    if (rc != PMIX_SUCCESS) {
        px_type_fini(type, val);
        memset(val, 0, type->size);
    }
    return rc;
}

/* Reads with a copy of the input and stores it back on success. */
int px_unpack_raw(struct px_in *in, pmix_data_type_t type, void *val)
{
    const struct px_type *info = px_type_info(type);
    struct px_in at = *in;
    int rc;

    if (!info) {
        return type == PMIX_UNDEF ? PMIX_SUCCESS : PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    rc = raw_or_nothing(&at, info, val);
    if (rc == PMIX_SUCCESS) {
        *in = at;
    }
    return rc;
}

/* In a described buffer the count has its type in front and the type of the values behind it; both
 * have to be as expected. */
int px_unpack_frame(struct px_in *in, pmix_data_type_t type, size_t *ret_n)
{
    struct px_in at = *in;
    uint64_t v;
    int64_t n;
    int rc;

    if (at.kind == PX_WIRE_DESCRIBED) {
        rc = px_take_flex(&at, &v);
        if (rc != PMIX_SUCCESS || v != PMIX_INT32) {
            return rc == PMIX_SUCCESS ? PMIX_ERR_UNPACK_FAILURE : rc;
        }
    }
    rc = px_take_flex(&at, &v);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    n = px_unzigzag(v);
    if (n < 0 || n > INT32_MAX) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (at.kind == PX_WIRE_DESCRIBED) {
        rc = px_take_flex(&at, &v);
        if (rc != PMIX_SUCCESS || v != type) {
            return rc == PMIX_SUCCESS ? PMIX_ERR_TYPE_MISMATCH : rc;
        }
    }
    *in = at;
    *ret_n = (size_t) n;
    return PMIX_SUCCESS;
}

/* The count 0, which is valid in a frame, is refused as well. */
int px_unpack_any_single(struct px_in *in, pmix_data_type_t type)
{
    struct px_in at = *in;
    size_t n;
    int rc = px_unpack_frame(&at, type, &n);

    if (rc == PMIX_SUCCESS && n != 1) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc == PMIX_SUCCESS) {
        *in = at;
    }
    return rc;
}

/* Reads and drops n elements for which there was no room, so that the next operation starts where
 * the peer's next one does. */
static int skip(struct px_in *in, const struct px_type *type, size_t n)
{
    void *scratch = calloc(1, type->size);
    int rc = scratch ? PMIX_SUCCESS : PMIX_ERR_NOMEM;

    for (size_t i = 0; i < n && rc == PMIX_SUCCESS; i++) {
        rc = raw_or_nothing(in, type, scratch);
        if (rc == PMIX_SUCCESS) {
            px_type_fini(type, scratch);
        }
    }
    free(scratch);
    return rc;
}

/* Every value takes a byte at least, so a count beyond the bytes left is refused before anything
 * is read. The values that do not fit are decoded and dropped. On failure the values before are
 * released. */
int px_unpack(struct px_in *in, pmix_data_type_t type, void *vals, size_t *n)
{
    const struct px_type *info = px_type_info(type);
    struct px_in at = *in;
    size_t there;
    size_t done = 0;
    size_t fitting;
    int rc;

    if (!info) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    rc = px_unpack_frame(&at, type, &there);
    if (rc == PMIX_SUCCESS && there > px_in_left(&at)) {
        rc = PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    fitting = there < *n ? there : *n;
    while (done < fitting && rc == PMIX_SUCCESS) {
        rc = raw_or_nothing(&at, info, (char *) vals + done * info->size);
        done += rc == PMIX_SUCCESS;
    }
    if (rc == PMIX_SUCCESS && fitting < there) {
        rc = skip(&at, info, there - fitting);
    }
    if (rc != PMIX_SUCCESS) {
        while (done > 0) {
            px_type_fini(info, (char *) vals + --done * info->size);
        }
        return rc;
    }
    *in = at;
    *n = fitting;
    return fitting < there ? PMIX_ERR_UNPACK_INADEQUATE_SPACE : PMIX_SUCCESS;
}

/* Uses px_unpack with room for one; a second value shows as inadequate space. */
int px_unpack_one(struct px_in *in, pmix_data_type_t type, void *val)
{
    struct px_in at = *in;
    size_t n = 1;
    int rc = px_unpack(&at, type, val, &n);

    if (rc == PMIX_ERR_UNPACK_INADEQUATE_SPACE) {
        px_type_fini(px_type_info(type), val);
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc == PMIX_SUCCESS && n != 1) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc == PMIX_SUCCESS) {
        *in = at;
    }
    return rc;
}
