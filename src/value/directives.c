/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The tables of directives, made from directives.def, and their only reader. PMIx_Get reads its
 * infos by it, so finding a row costs a few instructions: keys are compared in words, not by
 * strcmp. */

#include "directives.h"

#include <string.h>

#include <pmix.h>

/* --- tables --- */

/* The rows of each call, with one empty row at the end so that no table is empty. */
#define PX_DIRECTIVES(id, call, levels) static const struct px_directive rows_of_##id[] = {
#define PX_DIRECTIVE(id, member, kind, key, levels)                                                \
    {key, sizeof(key), offsetof(struct px_##id##_directives, member), PX_KIND_##kind, levels},
#define PX_HONOURED(id, key, levels) {key, sizeof(key), 0, PX_KIND_NONE, levels},
#define PX_DIRECTIVES_END(id)                                                                      \
    {                                                                                              \
        "", 0, 0, PX_KIND_NONE, 0                                                                  \
    }                                                                                              \
    }                                                                                              \
    ;
#include "directives.def"

/* Every key, with its NUL, has to be at least 8 bytes long for is_key, and to fit its row. */
#define PX_FITS(text)                                                                              \
    _Static_assert(sizeof(text) >= 8 && sizeof(text) <= sizeof(((struct px_directive *) 0)->key),  \
                   "a key too short or too long");
#define PX_DIRECTIVE(id, member, kind, key, levels) PX_FITS(key)
#define PX_HONOURED(id, key, levels)                PX_FITS(key)
#include "directives.def"
#undef PX_FITS

/* The calls themselves; the empty row does not count. */
#define PX_DIRECTIVES(id, call, levels)                                                            \
    const struct px_call px_call_##id = {#call, levels, rows_of_##id,                              \
                                         sizeof(rows_of_##id) / sizeof(rows_of_##id[0]) - 1};
#include "directives.def"

#define PX_DIRECTIVES(id, call, levels) &px_call_##id,
const struct px_call *const px_calls[] = {
#include "directives.def"
};

const size_t px_n_calls = sizeof(px_calls) / sizeof(px_calls[0]);

/* Loads 8 bytes from any address. */
static inline uint64_t eight_bytes(const char *at)
{
    uint64_t bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return bytes;
}

/* True if the key is that of the row. Compares as strcmp() would, but in words of 8 bytes that may
 * overlap. key is a pmix_key_t, so 24 bytes of it can be read. */
static inline bool is_key(const struct px_directive *row, const char *key)
{
    size_t last = row->size - 8u;

    return eight_bytes(key) == eight_bytes(row->key) &&
           eight_bytes(key + last) == eight_bytes(row->key + last) &&
           (last <= 8 || eight_bytes(key + 8) == eight_bytes(row->key + 8));
}

/* The row of a key, or NULL. Compares first the four bytes behind "pmix.", which every directive
 * has and which distinguish nearly all of them. */
static inline const struct px_directive *find_row(const struct px_call *call, const char *key)
{
    for (size_t i = 0; i < call->n_rows; i++) {
        const struct px_directive *row = &call->rows[i];

        if (memcmp(key + 5, row->key + 5, 4) == 0 && is_key(row, key)) {
            return row;
        }
    }
    return NULL;
}

/* --- what is supported --- */

/* A row for the blocking form only is honoured only if the caller names that form among the
 * levels. */
bool px_directive_honoured(const struct px_directive *row, unsigned levels)
{
    return (row->levels & levels & ~(unsigned) PX_ATTR_WAITING) != 0 &&
           ((row->levels & PX_ATTR_WAITING) == 0 || (levels & PX_ATTR_WAITING) != 0);
}

/* True if the call honours the key at one of the levels. */
static bool honours(const struct px_call *call, unsigned levels, const char *key)
{
    const struct px_directive *row = find_row(call, key);

    return row != NULL && px_directive_honoured(row, levels);
}

/* --- reading --- */

/* True if the value is a number that fits 32 bits; a real number counts without its fraction.
 * Programs pass timeouts and sizes in various types. */
static bool read_u32(const pmix_value_t *value, uint32_t *ret)
{
    return px_value_u32(value, ret) == 0 ||
           ((value->type == PMIX_FLOAT || value->type == PMIX_DOUBLE) &&
            PMIx_Value_get_number(value, ret, PMIX_UINT32) == PMIX_SUCCESS);
}

/* Stores the value of a directive in its member. False if it has another type; the member is
 * undefined then. If a key occurs several times, a FLAG is on if any info is, of an INFO the first
 * counts, of other kinds the last. */
static bool read_member(const struct px_directive *row, const pmix_info_t *info,
                        struct px_directives_head *head)
{
    const pmix_value_t *value = &info->value;
    void *member = (char *) head + row->offset;

    switch (row->kind) {
    case PX_KIND_FLAG:
        if (px_value_true(value)) {
            *(bool *) member = true;
            head->n_flags++;
        }
        return true;
    case PX_KIND_SWITCH:
        *(enum px_switch *) member = px_value_true(value) ? PX_SWITCH_ON : PX_SWITCH_OFF;
        return true;
    case PX_KIND_U32:
        return read_u32(value, member);
    case PX_KIND_TEXT:
        *(const char **) member = value->type == PMIX_STRING ? value->data.string : NULL;
        return *(const char **) member != NULL;
    case PX_KIND_NODE:
        *(const char **) member = value->type == PMIX_STRING ? value->data.string : NULL;
        return value->type == PMIX_STRING;
    case PX_KIND_PROCS:
        return px_value_procs(value, member);
    case PX_KIND_SCOPE:
        *(pmix_scope_t *) member = value->data.scope;
        return value->type == PMIX_SCOPE;
    case PX_KIND_RANGE:
        *(pmix_data_range_t *) member = value->data.range;
        return value->type == PMIX_DATA_RANGE;
    case PX_KIND_INFO:
        *(const pmix_info_t **) member =
            *(const pmix_info_t **) member != NULL ? *(const pmix_info_t **) member : info;
        return true;
    default:
        return true;
    }
}

/* Most infos have neither flag, so both are tested at once. A required directive is checked before
 * it is read. Qualifiers are only counted; the caller collects them by px_infos_quals. */
int px_directives_read(const struct px_call *call, unsigned levels, const pmix_info_t *info,
                       size_t ninfo, void *ret)
{
    if (info == NULL && ninfo > 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (size_t i = 0; i < ninfo; i++) {
        const struct px_directive *row;

        if ((info[i].flags & (PMIX_INFO_QUALIFIER | PMIX_INFO_REQD)) != 0) {
            if ((info[i].flags & PMIX_INFO_QUALIFIER) != 0) {
                ((struct px_directives_head *) ret)->n_quals++;
                continue;
            }
            if (levels != 0 && !honours(call, levels, info[i].key)) {
                return PMIX_ERR_NOT_SUPPORTED;
            }
        }
        row = find_row(call, info[i].key);
        if (row != NULL && !read_member(row, &info[i], ret)) {
            return PMIX_ERR_BAD_PARAM;
        }
    }
    return 0;
}

/* --- required ones --- */

/* Says nothing of the values: a required directive with a value of a wrong type is found by the
 * reader. */
bool px_directives_met(const struct px_call *call, unsigned levels, const pmix_info_t *info,
                       size_t ninfo)
{
    for (size_t i = 0; i < ninfo; i++) {
        if ((info[i].flags & (PMIX_INFO_REQD | PMIX_INFO_QUALIFIER)) == PMIX_INFO_REQD &&
            !honours(call, levels, info[i].key)) {
            return false;
        }
    }
    return true;
}

bool px_directives_listed(const struct px_call *call, const pmix_info_t *info, size_t ninfo)
{
    for (size_t i = 0; i < ninfo; i++) {
        if ((info[i].flags & (PMIX_INFO_REQD | PMIX_INFO_QUALIFIER)) == PMIX_INFO_REQD &&
            find_row(call, info[i].key) == NULL) {
            return false;
        }
    }
    return true;
}

/* Qualifiers are not excluded: a key that the call honours as a directive is marked in either
 * use. */
void px_directives_mark(const struct px_call *call, unsigned levels, pmix_info_t *info,
                        size_t ninfo)
{
    for (size_t i = 0; i < ninfo; i++) {
        if ((info[i].flags & PMIX_INFO_REQD) != 0 && honours(call, levels, info[i].key)) {
            info[i].flags |= PMIX_INFO_REQD_PROCESSED;
        }
    }
}
