/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The tables of types and members as data, and the operations on elements, each of which selects
 * the function of the type's shape. No other file enumerates data types to copy or release them: a
 * type that is added to the tables is complete. */
#include "types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"
#include "src/base/assert.h"

/* The members of each structure, one array a type. */
/* clang-format off */
#define PX_BEGIN(t) static const struct px_member members_##t[] = {
#define PX_ONE(s, m, t) {#m, PX_MEMBER_ONE, PX_SENT_SAME, t, offsetof(s, m), 0},
#define PX_ONE_SENT(s, m, t, h) {#m, PX_MEMBER_ONE, PX_SENT_##h, t, offsetof(s, m), 0},
#define PX_KEY(s, m) {#m, PX_MEMBER_KEY, PX_SENT_SAME, PMIX_STRING, offsetof(s, m), 0},
#define PX_ARGV(s, m) {#m, PX_MEMBER_ARGV, PX_SENT_SAME, PMIX_STRING, offsetof(s, m), 0},
#define PX_MANY(s, m, n, t) {#m, PX_MEMBER_MANY, PX_SENT_SAME, t, offsetof(s, m), offsetof(s, n)},
#define PX_END };
/* clang-format on */
#include "members.def"
#undef PX_BEGIN
#undef PX_ONE
#undef PX_ONE_SENT
#undef PX_KEY
#undef PX_ARGV
#undef PX_MANY
#undef PX_END

/* The table of types: a row of types.def sets all but the members, which members.def adds. */
#define PX_BEGIN(t)                                                                                \
    [t].members = members_##t, [t].n_members = sizeof(members_##t) / sizeof(members_##t[0]),
#define PX_ONE(s, m, t)
#define PX_ONE_SENT(s, m, t, h)
#define PX_KEY(s, m)
#define PX_ARGV(s, m)
#define PX_MANY(s, m, n, t)
#define PX_END
#define PX_TYPE(t, c, where_, shape_, form_, number_)                                              \
    [t].name = #t, [t].size = sizeof(c), [t].type = t, [t].where = PX_##where_,                    \
    [t].shape = PX_TYPE_##shape_, [t].form = PX_WIRE_FORM_##form_, [t].number = number_,

const struct px_type px_types[PX_VALUE_TYPES] = {
#include "types.def"
#include "members.def"
};

/* The operations of each shape. */
static const struct px_shape_ops *const shapes[PX_TYPE_SHAPES] = {
    [PX_TYPE_UNSIGNED] = &px_unsigned_ops, [PX_TYPE_SIGNED] = &px_signed_ops,
    [PX_TYPE_REAL] = &px_real_ops,         [PX_TYPE_POINTER] = &px_unsigned_ops,
    [PX_TYPE_TIMEVAL] = &px_timeval_ops,   [PX_TYPE_STRING] = &px_string_ops,
    [PX_TYPE_NAME] = &px_name_ops,         [PX_TYPE_STRUCT] = &px_struct_ops,
    [PX_TYPE_INFO] = &px_info_ops,         [PX_TYPE_VALUE] = &px_value_ops,
    [PX_TYPE_ARRAY] = &px_array_ops,       [PX_TYPE_BUFFER] = &px_buffer_ops,
    [PX_TYPE_OPAQUE] = &px_opaque_ops,
};

/* True if elements own nothing and start as zeros: arrays of them are handled as bytes. */
static bool is_plain(const struct px_type *type)
{
    return type->shape <= PX_TYPE_TIMEVAL;
}

/* Zeros first; the constructor of the shape sets the exceptions. */
void px_type_construct(const struct px_type *type, void *element)
{
    memset(element, 0, type->size);
    if (shapes[type->shape]->construct != NULL) {
        shapes[type->shape]->construct(type, element);
    }
}

/* A shape without a copy function owns nothing: its bytes are the copy. */
int px_type_copy(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    px_assert(type && shapes[type->shape] && depth <= PX_VALUE_MAX_DEPTH);
    if (shapes[type->shape]->copy != NULL) {
        return shapes[type->shape]->copy(type, dst, src, depth);
    }
    memcpy(dst, src, type->size);
    return PMIX_SUCCESS;
}

/* The free() of older C libraries may change errno, and a hook of src/topo may too. */
int px_type_xfer(const struct px_type *type, void *dst, const void *src)
{
    int rc;

    if (dst == NULL || src == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (dst == src) {
        return PMIX_SUCCESS;
    }
    rc = px_type_copy(type, dst, src, 0);
    if (rc != PMIX_SUCCESS) {
        memset(dst, 0, type->size);
    }
    return rc;
}

void px_type_fini(const struct px_type *type, void *element)
{
    int saved = errno;

    if (type != NULL && shapes[type->shape]->fini != NULL) {
        shapes[type->shape]->fini(type, element);
        errno = saved;
    }
}

/* Every shape has a comparison. */
pmix_value_cmp_t px_type_compare(const struct px_type *type, const void *a, const void *b,
                                 unsigned depth)
{
    px_assert(depth <= PX_VALUE_MAX_DEPTH);
    return shapes[type->shape]->compare(type, a, b, depth);
}

/* The element itself, then what it owns. */
int px_type_measure(const struct px_type *type, const void *element, unsigned depth, size_t *sum)
{
    px_assert(depth <= PX_VALUE_MAX_DEPTH);
    *sum += type->size;
    return shapes[type->shape]->measure != NULL
               ? shapes[type->shape]->measure(type, element, depth, sum)
               : PMIX_SUCCESS;
}

void px_type_print(struct px_buf *out, const struct px_type *type, const void *element,
                   unsigned depth)
{
    px_assert(depth <= PX_VALUE_MAX_DEPTH);
    shapes[type->shape]->print(out, type, element, depth);
}

/* All inline elements begin at the same address, that of the union. */
const void *px_value_element(const pmix_value_t *value, const struct px_type *type)
{
    px_assert(type->where != PX_ELEMENT);
    return type->where == PX_BOXED ? value->data.ptr : (const void *) &value->data;
}

/* calloc() is enough for most types; only some shapes have a constructor. What it returns is
 * malloc memory: applications release it with free(). */
void *px_type_create(const struct px_type *type, size_t n)
{
    char *elements;

    if (n == 0 || n > PTRDIFF_MAX / type->size) {
        return NULL;
    }
    elements = calloc(n, type->size);
    for (size_t i = 0; elements != NULL && shapes[type->shape]->construct != NULL && i < n; i++) {
        shapes[type->shape]->construct(type, elements + i * type->size);
    }
    return elements;
}

/* Counts whose memory would exceed PTRDIFF_MAX are refused as lack of memory. Elements that own
 * nothing are copied in one piece. */
int px_type_copy_many(const struct px_type *type, const void *src, size_t n, unsigned depth,
                      void **ret_elements)
{
    char *copies;

    if (n == 0 || src == NULL) {
        *ret_elements = NULL;
        return PMIX_SUCCESS;
    }
    copies = n > PTRDIFF_MAX / type->size ? NULL : calloc(n, type->size);
    if (copies == NULL) {
        return PMIX_ERR_NOMEM;
    }
    if (is_plain(type)) {
        memcpy(copies, src, n * type->size);
        *ret_elements = copies;
        return PMIX_SUCCESS;
    }
    for (size_t i = 0; i < n; i++) {
        size_t at = i * type->size;
        int rc = px_type_copy(type, copies + at, (const char *) src + at, depth);

        if (rc != PMIX_SUCCESS) {
            px_type_free(type, copies, i);
            return rc;
        }
    }
    *ret_elements = copies;
    return PMIX_SUCCESS;
}

bool px_type_owns_nothing(const struct px_type *type)
{
    bool nothing = type->shape == PX_TYPE_STRUCT || shapes[type->shape]->fini == NULL;

    for (size_t i = 0; nothing && i < type->n_members; i++) {
        const struct px_member *member = &type->members[i];

        nothing =
            member->how == PX_MEMBER_ONE && shapes[px_types[member->type].shape]->fini == NULL;
    }
    return nothing;
}

/* Elements that own nothing, such as processes, are not visited. */
void px_type_free(const struct px_type *type, void *elements, size_t n)
{
    int saved = errno;

    if (elements == NULL) {
        return;
    }
    for (size_t i = px_type_owns_nothing(type) ? n : 0; i < n; i++) {
        shapes[type->shape]->fini(type, (char *) elements + i * type->size);
    }
    free(elements);
    errno = saved;
}

#undef PX_TYPE
#define PX_TYPE(t, c, where_, shape_, form_, number_)                                              \
    [t] = PX_##where_ == PX_INLINE && PX_TYPE_##shape_ <= PX_TYPE_TIMEVAL,

/* The third use of types.def: inline in a value, and of a shape that owns nothing. */
const bool px_type_bare[PX_VALUE_TYPES] = {
#include "types.def"
};
