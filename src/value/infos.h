/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_INFOS_H
#define PX_VALUE_INFOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

/* Values and arrays of infos, for who reads them: the interface of the library has the rest. Any
 * thread. */

/* --- a value --- */

/* Is a flag on? The only definition, that of PMIX_INFO_TRUE: without a value it is, with a
 * PMIX_BOOL or a text as PMIx_Value_true reads them; anything else, numbers too, is off. */
bool px_value_says_true(const pmix_value_t *value); /* any type */
static inline bool px_value_true(const pmix_value_t *value)
{
    return value->type == PMIX_BOOL ? value->data.flag : px_value_says_true(value);
}

/* Stores it as an element of an integer type. 0, PMIX_ERR_CHANGE_SIGN, PMIX_ERR_LOST_PRECISION (too
 * large). */
struct px_type;

/* The same in 32 bits. 0, PMIX_ERR_TYPE_MISMATCH, PMIX_ERR_BAD_PARAM (over 32 bits or negative). */
int px_value_u32(const pmix_value_t *value, uint32_t *ret);

/* The string of a value that has one, and not an empty one; else NULL. Takes NULL. */
const char *px_value_text(const pmix_value_t *value);

/* Processes, borrowed. */
struct px_procs {
    const pmix_proc_t *at;
    size_t n;
};

/* PMIX_PROC, or an array of them. False: it is neither. */
bool px_value_procs(const pmix_value_t *value, struct px_procs *ret);

/* --- arrays --- */

/* The value of the first info with the key, or NULL. */
const pmix_value_t *px_info_find(const pmix_info_t *info, size_t ninfo, const char *key);

/* The first info with the key after `from`, which is one of the array; NULL: from its beginning.
 * NULL: there is none. */
const pmix_info_t *px_infos_next(const pmix_info_t *info, size_t ninfo, const pmix_info_t *from,
                                 const char *key);

/* Shallow copies of those that are qualifiers, in room for all. Returns their number. */
size_t px_infos_quals(const pmix_info_t *info, size_t ninfo, pmix_info_t *quals);

/* Is the flag `key` among the infos and on? An info that says no is as if absent. */
bool px_infos_flag(const pmix_info_t *info, size_t ninfo, const char *key);

/* The elements of a value that has to be an array of infos. 0 or PMIX_ERR_TYPE_MISMATCH. */
int px_info_open(const pmix_value_t *value, const pmix_info_t **ret_info, size_t *ret_n);

/* --- arrays that are made, to be freed by PMIx_Info_free --- */

/* Deep copy, as px_info_keep; NULL for none. 0, PMIX_ERR_NOMEM, or what is wrong with a value. */
int px_infos_copy(const pmix_info_t *info, size_t ninfo, pmix_info_t **ret);

/* Grows an array of n, from malloc or NULL: the `more` elements behind them, zeros. NULL: no
 * memory; the array is as before. */
pmix_info_t *px_infos_room(pmix_info_t **infos, size_t n, size_t more);

/* Grows it by one info. The same. */
int px_infos_append(pmix_info_t **infos, size_t *ninfo, const char *key, const void *data,
                    pmix_data_type_t type);
int px_infos_append_copy(pmix_info_t **infos, size_t *ninfo, const pmix_info_t *info);

/* Leaves no info with the key. */
void px_infos_drop(pmix_info_t *infos, size_t *ninfo, const char *key);

/* Shallow copies of the infos with other keys, for free(), with room for `room` more; NULL: no
 * memory. */
pmix_info_t *px_infos_without(const pmix_info_t *info, size_t ninfo, const char *key, size_t room,
                              size_t *ret_n);

#endif
