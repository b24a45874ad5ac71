/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Names of codes, states and attributes (PMIx_Error_string and others). All are look-ups in tables
 * that are generated from tables/, so they work before PMIx_Init and from any thread. The texts
 * are those that programs of the 4.2 and 6.1 series print; status codes print as the name of their
 * macro. The tables are short and the texts are for people, so they are searched linearly. */
#include "strings.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <pmix.h>

#include "strings_gen.h"

/* The text of a value in a table that ends with a NULL text, else `unknown`. The text is constant
 * and never freed. */
static const char *text_of(const struct px_text_row *row, uint64_t value, const char *unknown)
{
    for (; row->text != NULL; row++) {
        if (row->value == value) {
            return row->text;
        }
    }
    return unknown;
}

/* Several macros can have one code: the row that is marked as printed counts. */
PMIX_EXPORT const char *PMIx_Error_string(pmix_status_t status)
{
    const struct px_status_row *row;

    for (row = px_status_rows; row->name != NULL; row++) {
        if (row->code == status && row->printed) {
            return row->name;
        }
    }
    return "ERROR STRING NOT FOUND";
}

/* INT32_MIN is no status; it stands for an unknown name. Names match in any case. */
PMIX_EXPORT pmix_status_t PMIx_Error_code(const char *errname)
{
    const struct px_status_row *row;

    if (errname == NULL) {
        return INT32_MIN;
    }
    for (row = px_status_rows; row->name != NULL; row++) {
        if (strcasecmp(row->name, errname) == 0) {
            return row->code;
        }
    }
    return INT32_MIN;
}

/* PMIx_<type>_string for each row of names.def. */
#define PX_NAMED(function, c_type, type, rows, unknown)                                            \
    PMIX_EXPORT const char *PMIx_##function(c_type value)                                          \
    {                                                                                              \
        return text_of(rows, (uint64_t) value, unknown);                                           \
    }
#include "names.def"
#undef PX_NAMED

/* Types are searched in the rows of names.def; bool and the channels of IOF have no table. */
const char *px_name_of(pmix_data_type_t type, uint64_t value)
{
    static const struct {
        pmix_data_type_t type;
        const struct px_text_row *rows;
        const char *unknown;
    } named[] = {
#define PX_NAMED(function, c_type, type, rows, unknown) {type, rows, unknown},
#include "names.def"
#undef PX_NAMED
    };

    if (type == PMIX_BOOL) {
        return value != 0 ? "TRUE" : "FALSE";
    }
    if (type == PMIX_IOF_CHANNEL) {
        return PMIx_IOF_channel_string((pmix_iof_channel_t) value);
    }
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (type == named[i].type && type != PMIX_UNDEF) {
            return text_of(named[i].rows, value, named[i].unknown);
        }
    }
    return NULL;
}

/* A channel is a set of bits; the index of the table is the set. Bit 0 is stdin, 1 stdout, 2
 * stderr, 3 stddiag. */
PMIX_EXPORT const char *PMIx_IOF_channel_string(pmix_iof_channel_t channel)
{
    static const char *const names[] = {
        "NONE",
        "STDIN ",
        "STDOUT ",
        "STDIN STDOUT ",
        "STDERR ",
        "STDIN STDERR ",
        "STDOUT STDERR ",
        "STDIN STDOUT STDERR ",
        "STDDIAG ",
        "STDIN STDDIAG ",
        "STDOUT STDDIAG ",
        "STDIN STDOUT STDDIAG ",
        "STDERR STDDIAG ",
        "STDIN STDERR STDDIAG ",
        "STDOUT STDERR STDDIAG ",
        "STDIN STDOUT STDERR STDDIAG ",
    };

    return names[channel & 0x0f];
}

/* The text is malloc'd and the caller's, unlike those of the other functions. A qualifier has no
 * further directives. */
PMIX_EXPORT char *PMIx_Info_directives_string(pmix_info_directives_t directives)
{
    char text[64];

    if (directives & PMIX_INFO_QUALIFIER) {
        return strdup("QUALIFIER");
    }
    (void) snprintf(text, sizeof(text), "%s%s%s",
                    (directives & PMIX_INFO_REQD) ? "REQUIRED" : "OPTIONAL",
                    (directives & PMIX_INFO_REQD_PROCESSED) ? ":PROCESSED" : "",
                    (directives & PMIX_INFO_ARRAY_END) ? ":END" : "");
    return strdup(text);
}

/* The two functions for names of attributes return their argument if there is no such attribute. */

/* Names match in any case. */
PMIX_EXPORT const char *PMIx_Get_attribute_string(const char *attribute)
{
    const struct px_attribute_row *row;

    for (row = px_attribute_rows; attribute != NULL && row->name != NULL; row++) {
        if (strcasecmp(row->name, attribute) == 0) {
            return row->string;
        }
    }
    return attribute;
}

/* Several names may have the same string: returns the first in alphabetical order that is not
 * deprecated, else the first deprecated one. */
PMIX_EXPORT const char *PMIx_Get_attribute_name(const char *attrstring)
{
    const struct px_attribute_row *row;
    const char *old;

    old = NULL;
    for (row = px_attribute_rows; attrstring != NULL && row->name != NULL; row++) {
        if (strcasecmp(row->string, attrstring) != 0) {
            continue;
        }
        if (row->current) {
            return row->name;
        }
        if (old == NULL) {
            old = row->name;
        }
    }
    return old != NULL ? old : attrstring;
}
