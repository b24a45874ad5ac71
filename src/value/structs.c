/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The shape of structures: each operation is a loop over the members as members.def lists them. A
 * count without an array, which callers sometimes leave, counts as 0. Members are accessed by
 * their offsets. */
#include "structs.h"

#include <stdint.h>
#include <string.h>

#include "keys.h"
#include "shapes.h"
#include "print.h"
#include "text.h"

/* The address of a member, for reading and for writing. */
static const void *at(const void *element, size_t offset)
{
    return (const char *) element + offset;
}

/* The same for writing. */
static void *at_mutable(void *element, size_t offset)
{
    return (char *) element + offset;
}

/* The pointer that is stored at an offset. memcpy because its C type differs from member to
 * member. */
static void *pointer_at(const void *element, size_t offset)
{
    void *pointer;

    memcpy(&pointer, at(element, offset), sizeof(pointer));
    return pointer;
}

/* The number of elements of an array member; 0 if there is no array, because callers sometimes
 * leave a count without one. */
static size_t count_at(const void *element, const struct px_member *member)
{
    size_t count;

    if (pointer_at(element, member->at) == NULL) {
        return 0;
    }
    memcpy(&count, at(element, member->count_at), sizeof(count));
    return count;
}

/* Stores a pointer member, and the count of an array member. */
static void set_pointer(void *element, size_t offset, const void *pointer)
{
    memcpy(at_mutable(element, offset), &pointer, sizeof(pointer));
}

/* Stores the count of an array member. */
static void set_count(void *element, const struct px_member *member, size_t count)
{
    memcpy(at_mutable(element, member->count_at), &count, sizeof(count));
}

/* Two structures start with values other than zeros, as the initializers of the Standard have
 * them. */
void px_struct_construct(const struct px_type *type, void *element)
{
    for (size_t i = 0; i < type->n_members; i++) {
        const struct px_member *member = &type->members[i];

        if (member->how == PX_MEMBER_ONE) {
            px_type_construct(px_type_info(member->type), at_mutable(element, member->at));
        }
    }
    if (type->type == PMIX_PROC) {
        ((pmix_proc_t *) element)->rank = PMIX_RANK_UNDEF;
    } else if (type->type == PMIX_NODE_PID) {
        ((pmix_node_pid_t *) element)->nodeid = UINT32_MAX;
        ((pmix_node_pid_t *) element)->pid = -1;
    }
}

/* Copies a vector of strings. dst is zeroed memory, as for all copy functions here. */
static int copy_argv(const struct px_member *member, void *dst, const void *src)
{
    char **argv = pointer_at(src, member->at);
    char **copy = PMIx_Argv_copy(argv);

    if (argv != NULL && copy == NULL) {
        return PMIX_ERR_NOMEM;
    }
    set_pointer(dst, member->at, copy);
    return PMIX_SUCCESS;
}

/* Copies an array member and its count. The count stays 0 if the source has no array. */
static int copy_many(const struct px_member *member, void *dst, const void *src, unsigned depth)
{
    size_t n = count_at(src, member);
    void *copies;
    int rc;

    rc = px_type_copy_many(px_type_info(member->type), pointer_at(src, member->at), n, depth,
                           &copies);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    set_pointer(dst, member->at, copies);
    set_count(dst, member, n);
    return PMIX_SUCCESS;
}

/* Copies one member into zeroed memory; on failure the member owns nothing and need not be
 * released. */
static int copy_member(const struct px_member *member, void *dst, const void *src, unsigned depth)
{
    switch (member->how) {
    case PX_MEMBER_ONE:
        return px_type_copy(px_type_info(member->type), at_mutable(dst, member->at),
                            at(src, member->at), depth);
    case PX_MEMBER_KEY:
        px_name_copy(at_mutable(dst, member->at), at(src, member->at), PMIX_MAX_KEYLEN);
        return PMIX_SUCCESS;
    case PX_MEMBER_ARGV:
        return copy_argv(member, dst, src);
    default:
        return copy_many(member, dst, src, depth);
    }
}

/* Releases one member and leaves it empty, so that releasing a structure twice is harmless. */
static void fini_member(const struct px_member *member, void *element)
{
    if (member->how == PX_MEMBER_ONE) {
        px_type_fini(px_type_info(member->type), at_mutable(element, member->at));
    } else if (member->how == PX_MEMBER_ARGV) {
        PMIx_Argv_free(pointer_at(element, member->at));
        set_pointer(element, member->at, NULL);
    } else if (member->how == PX_MEMBER_MANY) {
        px_type_free(px_type_info(member->type), pointer_at(element, member->at),
                     count_at(element, member));
        set_pointer(element, member->at, NULL);
        set_count(element, member, 0);
    }
}

/* Clears dst first, so that padding and members without memory are defined. On failure, the
 * members that were copied are released in reverse order. */
int px_struct_copy(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    memset(dst, 0, type->size);
    for (size_t i = 0; i < type->n_members; i++) {
        int rc = copy_member(&type->members[i], dst, src, depth);

        if (rc != PMIX_SUCCESS) {
            while (i > 0) {
                fini_member(&type->members[--i], dst);
            }
            return rc;
        }
    }
    return PMIX_SUCCESS;
}

/* Members without memory of their own stay as they are. */
void px_struct_fini(const struct px_type *type, void *element)
{
    for (size_t i = 0; i < type->n_members; i++) {
        fini_member(&type->members[i], element);
    }
}

/* Orders vectors of strings: NULL first, then by the first string that differs. */
static pmix_value_cmp_t compare_argv(char *const *a, char *const *b)
{
    size_t i = 0;

    if (a == NULL || b == NULL) {
        return a == b ? PMIX_EQUAL : a != NULL ? PMIX_VALUE1_GREATER : PMIX_VALUE2_GREATER;
    }
    while (a[i] != NULL && b[i] != NULL && strcmp(a[i], b[i]) == 0) {
        i++;
    }
    return px_string_compare(a[i], b[i]);
}

/* Does not visit the elements if the numbers differ. */
pmix_value_cmp_t px_many_compare(const struct px_type *type, const void *a, size_t n_a,
                                 const void *b, size_t n_b, unsigned depth)
{
    if (n_a != n_b) {
        return n_a > n_b ? PMIX_VALUE1_GREATER : PMIX_VALUE2_GREATER;
    }
    for (size_t i = 0; i < n_a; i++) {
        pmix_value_cmp_t order =
            px_type_compare(type, at(a, i * type->size), at(b, i * type->size), depth);

        if (order != PMIX_EQUAL) {
            return order;
        }
    }
    return PMIX_EQUAL;
}

/* Orders keys as text, within their arrays. */
static pmix_value_cmp_t compare_keys(const char *a, const char *b)
{
    int order = strncmp(a, b, PMIX_MAX_KEYLEN);

    return order == 0 ? PMIX_EQUAL : order > 0 ? PMIX_VALUE1_GREATER : PMIX_VALUE2_GREATER;
}

/* Orders two structures by one member. */
static pmix_value_cmp_t compare_member(const struct px_member *member, const void *a, const void *b,
                                       unsigned depth)
{
    switch (member->how) {
    case PX_MEMBER_ONE:
        return px_type_compare(px_type_info(member->type), at(a, member->at), at(b, member->at),
                               depth);
    case PX_MEMBER_KEY:
        return compare_keys(at(a, member->at), at(b, member->at));
    case PX_MEMBER_ARGV:
        return compare_argv(pointer_at(a, member->at), pointer_at(b, member->at));
    default:
        return px_many_compare(px_type_info(member->type), pointer_at(a, member->at),
                               count_at(a, member), pointer_at(b, member->at), count_at(b, member),
                               depth);
    }
}

/* Orders two structures by the first member that differs. */
static pmix_value_cmp_t struct_compare(const struct px_type *type, const void *a, const void *b,
                                       unsigned depth)
{
    for (size_t i = 0; i < type->n_members; i++) {
        pmix_value_cmp_t order = compare_member(&type->members[i], a, b, depth);

        if (order != PMIX_EQUAL) {
            return order;
        }
    }
    return PMIX_EQUAL;
}

/* The memory of a vector: its strings, their pointers, and the NULL at the end. */
static size_t argv_size(char *const *argv)
{
    size_t sum = 0;

    if (argv == NULL) {
        return 0;
    }
    for (; *argv != NULL; argv++) {
        sum += sizeof(*argv) + strlen(*argv) + 1;
    }
    return sum + sizeof(*argv);
}

/* Adds the memory that one member owns outside of the structure. px_type_measure counts the
 * element too, which lies in the structure, so its size is taken off again. */
static int measure_member(const struct px_member *member, const void *element, unsigned depth,
                          size_t *sum)
{
    const struct px_type *type = px_type_info(member->type);

    switch (member->how) {
    case PX_MEMBER_ONE:
        *sum -= type->size; /* lies in the structure, which is counted */
        return px_type_measure(type, at(element, member->at), depth, sum);
    case PX_MEMBER_KEY:
        return PMIX_SUCCESS;
    case PX_MEMBER_ARGV:
        *sum += argv_size(pointer_at(element, member->at));
        return PMIX_SUCCESS;
    default:
        return px_many_measure(type, pointer_at(element, member->at), count_at(element, member),
                               depth, sum);
    }
}

/* Elements that own nothing are not visited. */
int px_many_measure(const struct px_type *type, const void *elements, size_t n, unsigned depth,
                    size_t *sum)
{
    if (px_type_owns_nothing(type)) {
        *sum += n * type->size;
        return PMIX_SUCCESS;
    }
    for (size_t i = 0; i < n; i++) {
        int rc = px_type_measure(type, at(elements, i * type->size), depth, sum);

        if (rc != PMIX_SUCCESS) {
            return rc;
        }
    }
    return PMIX_SUCCESS;
}

/* The caller has counted the structure; the members add what lies outside of it. */
int px_struct_measure(const struct px_type *type, const void *element, unsigned depth, size_t *sum)
{
    for (size_t i = 0; i < type->n_members; i++) {
        int rc = measure_member(&type->members[i], element, depth, sum);

        if (rc != PMIX_SUCCESS) {
            return rc;
        }
    }
    return PMIX_SUCCESS;
}

/* Prints a vector of strings in brackets. */
static void print_argv(struct px_buf *out, char *const *argv)
{
    px_print_format(out, "[");
    for (size_t i = 0; argv != NULL && argv[i] != NULL; i++) {
        px_print_format(out, i == 0 ? "" : " ");
        px_print_string(out, argv[i]);
    }
    px_print_format(out, "]");
}

/* Prints the content of one member. */
static void print_member(struct px_buf *out, const struct px_member *member, const void *element,
                         unsigned depth)
{
    switch (member->how) {
    case PX_MEMBER_ONE:
        px_type_print(out, px_type_info(member->type), at(element, member->at), depth);
        break;
    case PX_MEMBER_KEY:
        px_print_format(out, "%.*s", PMIX_MAX_KEYLEN, (const char *) at(element, member->at));
        break;
    case PX_MEMBER_ARGV:
        print_argv(out, pointer_at(element, member->at));
        break;
    default:
        px_print_many(out, px_type_info(member->type), pointer_at(element, member->at),
                      count_at(element, member), depth);
    }
}

/* A process is printed as namespace:rank, other structures with the names of their members, unless
 * there is only one. */
void px_struct_print(struct px_buf *out, const struct px_type *type, const void *element,
                     unsigned depth)
{
    if (type->type == PMIX_PROC) {
        const pmix_proc_t *proc = element;

        px_print_format(out, "%.*s:", PMIX_MAX_NSLEN, proc->nspace);
        px_type_print(out, px_type_info(PMIX_PROC_RANK), &proc->rank, depth);
        return;
    }
    for (size_t i = 0; i < type->n_members; i++) {
        if (type->n_members > 1) {
            px_print_format(out, "%s%s: ", i == 0 ? "" : "  ", type->members[i].name);
        }
        print_member(out, &type->members[i], element, depth);
    }
}

const struct px_shape_ops px_struct_ops = {
    .construct = px_struct_construct,
    .copy = px_struct_copy,
    .fini = px_struct_fini,
    .compare = struct_compare,
    .measure = px_struct_measure,
    .print = px_struct_print,
};
