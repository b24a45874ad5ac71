/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/*
 * Names of codes, states and attributes. Everything is a look-up in a table that is generated from
 * tables/, so the calls work before PMIx_Init and from any thread. The texts are those that
 * programs of the 4.2 and 6.1 series print; status codes print as the name of their macro.
 *
 * Tables are short and these calls are for people to read: they are searched from the front.
 */
#include "strings.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <pmix.h>

#include "strings_gen.h"

static const char *text_of(const struct px_text_row *row, uint64_t value, const char *unknown)
{
    for (; row->text != NULL; row++) {
        if (row->value == value) {
            return row->text;
        }
    }
    return unknown;
}

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

#define PX_NAMED(function, c_type, type, rows, unknown)                                            \
    PMIX_EXPORT const char *PMIx_##function(c_type value)                                          \
    {                                                                                              \
        return text_of(rows, (uint64_t) value, unknown);                                           \
    }
#include "names.def"
#undef PX_NAMED

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

/* Any combination of the four channels, each followed by a space: bit 0 stdin, 1 stdout, 2 stderr,
 * 3 stddiag. */
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

/* Both return their argument when there is no such attribute. */

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

/* Several names may share a string: the first that is not deprecated, in alphabetical order. */
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
