/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_INFOS_H
#define PX_VALUE_INFOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

/* Reading values and arrays of infos inside the library; the functions of the interface do the
 * rest. Nothing is allocated unless a comment says so. Any thread. */

/* --- a value --- */

/* True if a flag is on. This is the only definition of it, that of PMIX_INFO_TRUE: no value
 * (PMIX_UNDEF) is true, a PMIX_BOOL or a string counts as PMIx_Value_true reads it, anything else,
 * numbers too, is false. px_value_true is the inline fast path, px_value_says_true handles every
 * type. */
bool px_value_says_true(const pmix_value_t *value); /* any type */
static inline bool px_value_true(const pmix_value_t *value)
{
    return value->type == PMIX_BOOL ? value->data.flag : px_value_says_true(value);
}

/* An unsigned number of 32 bits, from a value of any integer type. 0, PMIX_ERR_TYPE_MISMATCH (no
 * integer), PMIX_ERR_BAD_PARAM (negative, or over 32 bits); *ret is set on success only. */
int px_value_u32(const pmix_value_t *value, uint32_t *ret);

/* The string of a value, borrowed; NULL if the value is NULL, no string, or an empty one. */
const char *px_value_text(const pmix_value_t *value);

/* Several processes, borrowed from whatever they were read from. */
struct px_procs {
    const pmix_proc_t *at;
    size_t n;
};

/* Reads a PMIX_PROC or an array of them, borrowed from the value. False, with *ret unchanged, if
 * it is neither. */
bool px_value_procs(const pmix_value_t *value, struct px_procs *ret);

/* --- arrays --- */

/* The value of the first info with the key, borrowed, or NULL. */
const pmix_value_t *px_info_find(const pmix_info_t *info, size_t ninfo, const char *key);

/* The first info with the key behind `from`, an element of the array, or of the whole array if
 * from is NULL. NULL if there is none. */
const pmix_info_t *px_infos_next(const pmix_info_t *info, size_t ninfo, const pmix_info_t *from,
                                 const char *key);

/* Collects shallow copies of the qualifiers in `quals`, which has room for ninfo. Returns their
 * number. */
size_t px_infos_quals(const pmix_info_t *info, size_t ninfo, pmix_info_t *quals);

/* True if the flag `key` is among the infos and on; an info with a false value counts as absent. */
bool px_infos_flag(const pmix_info_t *info, size_t ninfo, const char *key);

/* The elements of a value that has to be an array of infos, borrowed; NULL, 0 for an empty one. 0
 * or PMIX_ERR_TYPE_MISMATCH. */
int px_info_open(const pmix_value_t *value, const pmix_info_t **ret_info, size_t *ret_n);

/* --- arrays that are made, to be freed by PMIx_Info_free --- */

/* A deep copy of an array, each element as px_info_keep makes it; *ret is NULL if there are none.
 * 0, PMIX_ERR_NOMEM, or the status of a value that cannot be copied; *ret is unchanged then. */
int px_infos_copy(const pmix_info_t *info, size_t ninfo, pmix_info_t **ret);

/* Grows an array of n infos (malloc memory or NULL) by `more` zeroed elements, and returns the
 * first of them. *infos may move. NULL: no memory, and the array is unchanged. */
pmix_info_t *px_infos_room(pmix_info_t **infos, size_t n, size_t more);

/* Grows an array by one info: loaded as by PMIx_Info_load, or copied as by px_info_keep. 0,
 * PMIX_ERR_NOMEM, or the status of the copy; then *ninfo and the elements are unchanged, although
 * the array may have moved. */
int px_infos_append(pmix_info_t **infos, size_t *ninfo, const char *key, const void *data,
                    pmix_data_type_t type);
/* The second form: a copy of an info that owns its value. */
int px_infos_append_copy(pmix_info_t **infos, size_t *ninfo, const pmix_info_t *info);
/* Several copies, one after the other: on failure those before the one that failed stay. */
int px_infos_append_all(pmix_info_t **infos, size_t *ninfo, const pmix_info_t *more, size_t n_more);

/* Several that are moved. Takes over the array `more` and what its infos own, always. */
int px_infos_append_take(pmix_info_t **infos, size_t *ninfo, pmix_info_t *more, size_t n_more);

/* Grows an array by an info whose value is an array of infos. rc: the status of making those; if
 * it is a failure, nothing is appended and it is returned. Takes over `inner`, always. */
int px_infos_append_array(pmix_info_t **infos, size_t *ninfo, const char *key, int rc,
                          pmix_info_t *inner, size_t n_inner);

/* Removes and releases all infos with the key; the others keep their order. */
void px_infos_drop(pmix_info_t *infos, size_t *ninfo, const char *key);

/* A malloc'd array of shallow copies of the infos with other keys, with room for `room` more. The
 * caller releases the array with free() only: the values stay their owner's. NULL: no memory. */
pmix_info_t *px_infos_without(const pmix_info_t *info, size_t ninfo, const char *key, size_t room,
                              size_t *ret_n);

#endif
