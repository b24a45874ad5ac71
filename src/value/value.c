/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of the interface for values: copying, comparison, size, truth. Loading is in
 * load.c, conversion of numbers in number.c, text in print.c. */
#include <pmix.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "types.h"

/* dest is overwritten, not released. On failure it is zeros. */
pmix_status_t PMIx_Value_xfer(pmix_value_t *dest, const pmix_value_t *src)
{
    return px_type_xfer(px_type_info(PMIX_VALUE), dest, src);
}

/* Two NULLs are equal; NULL and a value cannot be compared. */
pmix_value_cmp_t PMIx_Value_compare(pmix_value_t *v1, pmix_value_t *v2)
{
    if (v1 == NULL || v2 == NULL) {
        return v1 == v2 ? PMIX_EQUAL : PMIX_VALUE_INCOMPATIBLE_OBJECTS;
    }
    return px_type_compare(px_type_info(PMIX_VALUE), v1, v2, 0);
}

/* The memory of the value with all that it owns. This is not its size in messages. */
pmix_status_t PMIx_Value_get_size(const pmix_value_t *val, size_t *size)
{
    size_t sum = 0;
    int rc;

    if (val == NULL || size == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (val->type == PMIX_UNDEF) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    rc = px_type_measure(px_type_info(PMIX_VALUE), val, 0, &sum);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    *size = sum;
    return PMIX_SUCCESS;
}

/* True if the word, of len characters, is in the list; in any case. */
static bool is_one_of(const char *word, size_t len, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strlen(*words) == len && strncasecmp(word, *words, len) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads a flag from text, without the white space around it: an empty text is true, a number is
 * false if it is 0, a word if it is one of the known ones; PMIX_NON_BOOL otherwise. */
static pmix_boolean_t text_true(const char *text)
{
    static const char *const yes[] = {"yes", "true", "y", "t", "enable", NULL};
    static const char *const no[] = {"no", "false", "n", "f", "disable", NULL};
    size_t len;

    while (isspace((unsigned char) *text)) {
        text++;
    }
    len = strlen(text);
    while (len > 0 && isspace((unsigned char) text[len - 1])) {
        len--;
    }
    if (len == 0) {
        return PMIX_BOOL_TRUE;
    }
    if (isdigit((unsigned char) *text)) {
        return strtoul(text, NULL, 10) == 0 ? PMIX_BOOL_FALSE : PMIX_BOOL_TRUE;
    }
    if (is_one_of(text, len, yes)) {
        return PMIX_BOOL_TRUE;
    }
    return is_one_of(text, len, no) ? PMIX_BOOL_FALSE : PMIX_NON_BOOL;
}

/* A value without a type is true, because naming a flag sets it. */
pmix_boolean_t PMIx_Value_true(const pmix_value_t *v)
{
    if (v == NULL) {
        return PMIX_NON_BOOL;
    }
    switch (v->type) {
    case PMIX_UNDEF:
        return PMIX_BOOL_TRUE; /* named without a value */
    case PMIX_BOOL:
        return v->data.flag ? PMIX_BOOL_TRUE : PMIX_BOOL_FALSE;
    case PMIX_STRING:
        return v->data.string == NULL ? PMIX_BOOL_TRUE : text_true(v->data.string);
    default:
        return PMIX_NON_BOOL;
    }
}
