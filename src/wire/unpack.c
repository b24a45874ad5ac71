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
#include "owed.h"

enum {
    MEMORY_PER_BYTE =
        128, /* an array may take this many times the bytes left: the leanest info takes 111 */
    MEMORY_FREE = 4096, /* and this much at any rate */
    LEAST_COST = 128,   /* an element that is made by itself counts so many bytes at least */
    STRING_COST = 512,  /* so does a string, which is allocated, copied and freed by itself */
};

static void raw(struct px_in *in, const struct px_type *type, void *val);

/* Reads a length and that many bytes into new memory; NULL for none. As all get functions it fills
 * zeroed memory, leaves a failure in the input, and what it has filled releasable. */
static void get_bytes(struct px_in *in, char **ret, size_t *ret_size)
{
    size_t size = px_take_length(in, false);

    *ret = px_take_copy(in, size);
    *ret_size = *ret ? size : 0;
}

/* Reads a data buffer, ready to be unpacked from its beginning. */
static void get_buffer(struct px_in *in, pmix_data_buffer_t *ret)
{
    size_t size;

    get_bytes(in, &ret->base_ptr, &size);
    if (size > 0) {
        ret->unpack_ptr = ret->base_ptr;
        ret->pack_ptr = ret->base_ptr + size;
        ret->bytes_allocated = size;
        ret->bytes_used = size;
    }
}

/* The limit is generous, because elements may be much larger than their encoding, yet it keeps a
 * small message from allocating gigabytes. */
int px_unpack_room(struct px_in *in, size_t n, size_t size)
{
    if (n > px_in_left(in)) {
        return px_in_fail(in, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    }
    if (n > (px_in_left(in) * MEMORY_PER_BYTE + MEMORY_FREE) / size) {
        return px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    px_assert(!in->most || in->made <= in->most);
    return in->most && n > (in->most - in->made) / size ? px_in_fail(in, PMIX_ERR_OUT_OF_RESOURCE)
                                                        : in->status;
}

/* A namespace that is written as the one before it, as those of a job are, is not looked at again.
 */
size_t px_unpack_procs_now(struct px_in *in, pmix_proc_t *ret, size_t n)
{
    const unsigned char *name = in->at; /* of the process before, as it was written */
    size_t size = 0;

    for (size_t i = 0; i < n; i++) {
        pmix_proc_t *proc = &ret[i];

        if (size > 0 && size <= px_in_left(in) && memcmp(in->at, name, size) == 0) {
            memcpy(proc->nspace, ret[i - 1].nspace, sizeof(proc->nspace));
            in->at += size;
        } else {
            name = in->at;
            memset(proc->nspace, 0, sizeof(proc->nspace));
            px_take_fixed(in, sizeof(proc->nspace), proc->nspace);
            size = (size_t) (in->at - name);
        }
        px_take_unsigned(in, sizeof(proc->rank), &proc->rank);
        if (in->status) {
            return i;
        }
    }
    return n;
}

/* What an element counts: bytes are copied as a whole, and a process needs no memory of its own. */
static size_t cost_of(const struct px_type *type)
{
    if (type->form == PX_WIRE_FORM_BYTE || type->type == PMIX_PROC) {
        return type->size;
    }
    if (type->form == PX_WIRE_FORM_STRING) {
        return STRING_COST;
    }
    return type->size < LEAST_COST / 2 ? LEAST_COST : 2 * type->size;
}

int px_unpack_count(struct px_in *in, pmix_data_type_t type, size_t n)
{
    const struct px_type *info = px_type_info(type);
    size_t cost = info ? cost_of(info) : 1;

    px_assert(!in->most || in->made <= in->most);
    if (in->status || (in->most && n > (in->most - in->made) / cost)) {
        return px_in_fail(in, PMIX_ERR_OUT_OF_RESOURCE);
    }
    in->made += n * cost;
    return PMIX_SUCCESS;
}

bool px_unpack_owes(const struct px_in *in, pmix_data_type_t type, size_t n)
{
    return in->owed && type == PMIX_PROC && n >= PX_OWED_FROM / sizeof(pmix_proc_t);
}

void px_unpack_past_procs(struct px_in *in, size_t n)
{
    pmix_proc_t checked;

    for (size_t i = px_take_short_procs(in, n); i < n && !in->status;) {
        px_take_fixed(in, sizeof(checked.nspace), checked.nspace);
        px_take_unsigned(in, sizeof(checked.rank), &checked.rank);
        i += 1 + px_take_short_procs(in, n - i - 1);
    }
}

int px_unpack_procs_later(struct px_in *in, pmix_proc_t *to, size_t n)
{
    struct px_in from = *in;

    px_unpack_past_procs(in, n);
    from.owed = NULL;
    return in->status ? in->status : px_in_fail(in, px_owed_add_procs(in->owed, to, &from, n));
}

/* Reads n elements into a new array. *ret_n counts those begun, so the caller's release covers a
 * failure half-way. */
static void get_elements(struct px_in *in, pmix_data_type_t type, size_t n, void **ret_array,
                         size_t *ret_n)
{
    const struct px_type *info = px_type_info(type);
    bool later;
    char *array;

    if (n == 0) {
        return;
    }
    if (!info) {
        (void) px_in_fail(in, PMIX_ERR_UNKNOWN_DATA_TYPE);
        return;
    }
    if (px_unpack_room(in, n, info->size) || px_unpack_count(in, type, n)) {
        return;
    }
    if (info->form == PX_WIRE_FORM_BYTE) {
        *ret_array = px_take_copy(in, n);
        *ret_n = *ret_array ? n : 0;
        return;
    }
    later = px_unpack_owes(in, type, n);
    array = type == PMIX_PROC ? malloc(n * info->size) : calloc(n, info->size);
    if (!array) {
        (void) px_in_fail(in, PMIX_ERR_NOMEM);
        return;
    }
    *ret_array = array;
    if (later) {
        *ret_n = n;
        (void) px_unpack_procs_later(in, (pmix_proc_t *) (void *) array, n);
        return;
    }
    if (type == PMIX_PROC) {
        *ret_n = px_unpack_procs_now(in, (pmix_proc_t *) (void *) array, n);
        return;
    }
    for (size_t i = 0; i < n && in->status == 0; i++) {
        *ret_n = i + 1; /* a half-read element is released with the others */
        raw(in, info, array + i * info->size);
    }
}

/* Reads a data array: type, count, elements; raises the depth while it reads the elements. An
 * array without a type has no elements, and PMIX_ERR_UNPACK_FAILURE is returned beyond the largest
 * depth. */
static void get_array(struct px_in *in, pmix_data_array_t *ret)
{
    uint64_t type = px_take_bounded(in, UINT16_MAX);
    uint64_t n;

    px_assert(in->at <= in->end && in->depth <= PX_WIRE_MAX_DEPTH);
    if (type == PMIX_UNDEF) {
        /* Some peers stop after the type, others add the size 0. No field that can follow begins
         * with a 0. */
        if (in->at < in->end && *in->at == 0) {
            in->at++;
        }
        return;
    }
    n = px_take_bounded(in, SIZE_MAX);
    if (in->depth >= PX_WIRE_MAX_DEPTH) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
        return;
    }
    ret->type = (pmix_data_type_t) type;
    in->depth++;
    get_elements(in, ret->type, (size_t) n, &ret->array, &ret->size);
    in->depth--;
}

/* Reads a NULL-terminated array of strings; NULL for none. A NULL string inside is refused,
 * because the reader would take it for the end. */
static void get_argv(struct px_in *in, char ***ret)
{
    size_t n = px_take_length(in, true);
    char **argv = n && !px_unpack_count(in, PMIX_STRING, n) ? calloc(n + 1, sizeof(*argv)) : NULL;

    if (n > 0 && !argv) {
        (void) px_in_fail(in, PMIX_ERR_NOMEM); /* or it has failed before */
    }
    *ret = argv;
    for (size_t i = 0; i < n && in->status == 0; i++) {
        argv[i] = px_take_string(in);
        if (!argv[i]) {
            (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE); /* would end the list early */
        }
    }
}

/* Reads a member that is one element, with the exceptions of members.def (enum px_member_sent). The
 * flags of an info come without PMIX_INFO_PERSISTENT: what is unpacked owns its value. */
static void get_one(struct px_in *in, const struct px_member *member, char *at)
{
    switch (member->sent) {
    case PX_SENT_OWN:
        if (in->exact) {
            raw(in, px_type_info(member->type), at);
        }
        break;
    case PX_SENT_INT16:
        raw(in, px_type_info(PMIX_INT16), at);
        break;
    case PX_SENT_FLAGS:
        *(pmix_info_directives_t *) at = (pmix_info_directives_t) px_take_bounded(in, UINT32_MAX) &
                                         ~(pmix_info_directives_t) PMIX_INFO_PERSISTENT;
        break;
    default:
        raw(in, px_type_info(member->type), at);
        break;
    }
}

/* Reads one member of the structure at base. */
static void get_member(struct px_in *in, const struct px_member *member, char *base)
{
    char *at = base + member->at;
    size_t n;

    switch (member->how) {
    case PX_MEMBER_KEY:
        px_take_fixed(in, sizeof(pmix_key_t), at);
        break;
    case PX_MEMBER_ARGV:
        get_argv(in, (char ***) at);
        break;
    case PX_MEMBER_MANY:
        n = (size_t) px_take_bounded(in, SIZE_MAX);
        get_elements(in, member->type, n, (void **) at, (size_t *) (base + member->count_at));
        break;
    default:
        get_one(in, member, at);
        break;
    }
}

/* Reads the members of a structure in the order of members.def. */
static void get_members(struct px_in *in, const struct px_type *type, void *base)
{
    for (size_t i = 0; i < type->n_members && in->status == 0; i++) {
        get_member(in, &type->members[i], base);
    }
}

/* Reads seconds and microseconds, both signed. */
static void get_timeval(struct px_in *in, struct timeval *ret)
{
    px_take_signed(in, sizeof(ret->tv_sec), &ret->tv_sec);
    px_take_signed(in, sizeof(ret->tv_usec), &ret->tv_usec);
}

/* Reads a map: text with its NUL or a blob (px_regex_length). */
static void get_regex(struct px_in *in, pmix_byte_object_t *ret)
{
    size_t size = 0;

    (void) px_in_fail(in, px_regex_length((const char *) in->at, px_in_left(in), &size));
    ret->bytes = px_take_copy(in, in->status ? 0 : size);
    ret->size = ret->bytes ? size : 0;
}

/* Reads a type code and the element of a value. ret->type is set first, so that a failure half-way
 * can be released. */
static void get_value(struct px_in *in, pmix_value_t *ret)
{
    uint64_t code = px_take_bounded(in, UINT16_MAX);
    const struct px_type *type = px_type_info((pmix_data_type_t) code);
    bool in_value = in->in_value;

    if (code == PMIX_UNDEF) {
        return;
    }
    if (!type || type->where == PX_ELEMENT) {
        (void) px_in_fail(in, PMIX_ERR_UNKNOWN_DATA_TYPE);
        return;
    }
    ret->type = type->type;
    ret->data.ptr = type->where == PX_INLINE ? NULL : calloc(1, type->size);
    if (type->where != PX_INLINE && !ret->data.ptr) {
        (void) px_in_fail(in, PMIX_ERR_NOMEM);
        return;
    }
    in->in_value = true;
    raw(in, type, type->where == PX_INLINE ? (void *) &ret->data : ret->data.ptr);
    in->in_value = in_value;
}

/* Reads the list of CPUs of a cpuset and has the hook parse it with its source name in front.
 * Peers send the list alone. No list: the cpuset stays unbound. */
static void get_cpuset(struct px_in *in, pmix_cpuset_t *ret)
{
    size_t size;
    const char *text = px_take_chars(in, &size);
    char *named;

    if (!text) {
        return;
    }
    if (!px_wire_hooks.cpuset_parse) {
        (void) px_in_fail(in, PMIX_ERR_NOT_SUPPORTED);
        return;
    }
    named = malloc(sizeof(PX_CPUSET_SOURCE) + size);
    if (!named) {
        (void) px_in_fail(in, PMIX_ERR_NOMEM);
        return;
    }
    memcpy(named, PX_CPUSET_SOURCE, sizeof(PX_CPUSET_SOURCE) - 1);
    memcpy(named + sizeof(PX_CPUSET_SOURCE) - 1, text, size);
    (void) px_in_fail(in, px_wire_hooks.cpuset_parse(named, ret));
    free(named);
}

/* Reads the XML of a topology, borrowed, and passes over the raw support bytes behind it. */
static const char *take_topo(struct px_in *in)
{
    size_t size;
    const char *xml = px_take_chars(in, &size);

    if (px_in_left(in) < px_wire_hooks.topo_support_size) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
        return NULL;
    }
    in->at += px_wire_hooks.topo_support_size;
    return xml;
}

/* Reads a topology and has the hook parse its XML, if the caller of the library asked for
 * topologies; messages of peers never get that far. */
static void get_topo(struct px_in *in, pmix_topology_t *ret)
{
    const char *xml;

    if (!in->topo || !px_wire_hooks.topo_parse) {
        (void) px_in_fail(in, PMIX_ERR_NOT_SUPPORTED);
        return;
    }
    xml = take_topo(in);
    (void) px_in_fail(in, xml ? px_wire_hooks.topo_parse(xml, ret) : PMIX_ERR_UNPACK_FAILURE);
}

/* The forms of raw() that allocate or consist of several fields. */
static void raw_compound(struct px_in *in, const struct px_type *type, void *val)
{
    pmix_byte_object_t *bytes = val;

    switch (type->form) {
    case PX_WIRE_FORM_BYTES:
        get_bytes(in, &bytes->bytes, &bytes->size);
        break;
    case PX_WIRE_FORM_BUFFER:
        get_buffer(in, val);
        break;
    case PX_WIRE_FORM_TIMEVAL:
        get_timeval(in, val);
        break;
    case PX_WIRE_FORM_NAME:
        px_take_fixed(in, type->size, val);
        break;
    case PX_WIRE_FORM_VALUE:
        get_value(in, val);
        break;
    case PX_WIRE_FORM_ARRAY:
        get_array(in, val);
        break;
    case PX_WIRE_FORM_REGEX:
        get_regex(in, val);
        break;
    case PX_WIRE_FORM_CPUSET:
        get_cpuset(in, val);
        break;
    case PX_WIRE_FORM_TOPO:
        get_topo(in, val);
        break;
    default:
        get_members(in, type, val);
        break;
    }
}

/* Reads one element in the wire form of its type, without a frame. val is zeroed memory; after a
 * failure it holds what px_type_fini can release. */
static void raw(struct px_in *in, const struct px_type *type, void *val)
{
    switch (type->form) {
    case PX_WIRE_FORM_BOOL:
        *(bool *) val = px_take_byte(in) != 0;
        break;
    case PX_WIRE_FORM_SENTINEL: /* another process's pointer means nothing here */
        (void) px_take_byte(in);
        break;
    case PX_WIRE_FORM_BYTE:
        *(uint8_t *) val = px_take_byte(in);
        break;
    case PX_WIRE_FORM_UNSIGNED:
        px_take_unsigned(in, type->size, val);
        break;
    case PX_WIRE_FORM_SIGNED:
        px_take_signed(in, type->size, val);
        break;
    case PX_WIRE_FORM_PID:
        px_take_pid(in, val);
        break;
    case PX_WIRE_FORM_REAL:
        px_take_real(in, type->type, val);
        break;
    case PX_WIRE_FORM_STRING:
        *(char **) val = px_take_string(in);
        break;
    default:
        raw_compound(in, type, val);
        break;
    }
}

/* As raw(), but zeroes val first, and releases and zeroes it after a failure. */
static int raw_or_nothing(struct px_in *in, const struct px_type *type, void *val)
{
    memset(val, 0, type->size);
    raw(in, type, val);
    if (in->status) {
        px_type_fini(type, val);
        memset(val, 0, type->size);
    }
    return in->status;
}

int px_unpack_raw(struct px_in *in, pmix_data_type_t type, void *val)
{
    const struct px_type *info = px_type_info(type);

    if (!info) {
        return px_in_fail(in, type == PMIX_UNDEF ? PMIX_SUCCESS : PMIX_ERR_UNKNOWN_DATA_TYPE);
    }
    return raw_or_nothing(in, info, val);
}

/* In a described buffer the count has its type in front and the type of the values behind it; both
 * have to be as expected. */
int px_unpack_frame(struct px_in *in, pmix_data_type_t type, size_t *ret_n)
{
    bool described = in->kind == PX_WIRE_DESCRIBED;
    int64_t n;

    if (described && px_take_flex(in) != PMIX_INT32) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    n = px_unzigzag(px_take_flex(in));
    if (n < 0 || n > INT32_MAX) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    if (described && px_take_flex(in) != type) {
        (void) px_in_fail(in, PMIX_ERR_TYPE_MISMATCH);
    }
    if (in->status == 0) {
        *ret_n = (size_t) n;
    }
    return in->status;
}

/* The count 0, which is valid in a frame, is refused as well. */
int px_unpack_any_single(struct px_in *in, pmix_data_type_t type)
{
    size_t n;
    int rc = px_unpack_frame(in, type, &n);

    return rc == PMIX_SUCCESS && n != 1 ? px_in_fail(in, PMIX_ERR_UNPACK_FAILURE) : rc;
}

int px_unpack_past_topo(struct px_in *in)
{
    (void) px_unpack_any_single(in, PMIX_TOPO);
    (void) take_topo(in);
    return in->status;
}

/* Reads and drops n elements for which there was no room, so that the next operation starts where
 * the peer's next one does. */
static void skip(struct px_in *in, const struct px_type *type, size_t n)
{
    void *scratch = calloc(1, type->size);

    (void) px_in_fail(in, scratch ? PMIX_SUCCESS : PMIX_ERR_NOMEM);
    for (size_t i = 0; i < n && in->status == 0; i++) {
        if (raw_or_nothing(in, type, scratch) == PMIX_SUCCESS) {
            px_type_fini(type, scratch);
        }
    }
    free(scratch);
}

/* Every value takes a byte at least, so a count beyond the bytes left is refused before anything
 * is read. The values that do not fit are decoded and dropped. On failure the values before are
 * released. */
int px_unpack(struct px_in *in, pmix_data_type_t type, void *vals, size_t *n)
{
    const struct px_type *info = px_type_info(type);
    size_t there = 0;
    size_t done = 0;
    size_t fitting;

    if (!info) {
        return px_in_fail(in, PMIX_ERR_UNKNOWN_DATA_TYPE);
    }
    if (px_unpack_frame(in, type, &there) == PMIX_SUCCESS && there > px_in_left(in)) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    }
    fitting = there < *n ? there : *n;
    if (type == PMIX_PROC && in->status == 0) {
        done = px_unpack_procs_now(in, vals, fitting);
    }
    while (done < fitting && in->status == 0) {
        done += raw_or_nothing(in, info, (char *) vals + done * info->size) == PMIX_SUCCESS;
    }
    if (in->status == 0 && fitting < there) {
        skip(in, info, there - fitting);
    }
    if (in->status) {
        while (done > 0) {
            px_type_fini(info, (char *) vals + --done * info->size);
        }
        return in->status;
    }
    *n = fitting;
    return fitting < there ? PMIX_ERR_UNPACK_INADEQUATE_SPACE : PMIX_SUCCESS;
}

/* Uses px_unpack with room for one; a second value shows as inadequate space. */
int px_unpack_one(struct px_in *in, pmix_data_type_t type, void *val)
{
    size_t n = 1;
    int rc = px_unpack(in, type, val, &n);

    if (rc == PMIX_ERR_UNPACK_INADEQUATE_SPACE) {
        px_type_fini(px_type_info(type), val);
        return px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    return rc == PMIX_SUCCESS && n != 1 ? px_in_fail(in, PMIX_ERR_UNPACK_FAILURE) : rc;
}
