/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Text for people: PMIx_Value_string and its like, and the print functions of scalars. Control
 * characters in strings are escaped, so that a value cannot control the reader's terminal; long
 * data is cut. Programs must not parse any of it. */
#include "print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "shapes.h"
#include "scalars.h"
#include "strings.h"

enum {
    PRINTED_BYTES = 32,     /* of a byte object */
    PRINTED_ELEMENTS = 256, /* of an array */
};

/* Formats on the stack; only longer texts take a second pass with memory of their own. */
void px_print_format(struct px_buf *out, const char *format, ...)
{
    char small[512];
    char *text = small;
    va_list args;
    va_list again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    if (n >= (int) sizeof(small) && vasprintf(&text, format, again) < 0) {
        n = -1;
    }
    va_end(again);
    if (n < 0) {
        (void) px_buf_fail(out, PMIX_ERR_NOMEM);
        return;
    }
    px_buf_append(out, text, (size_t) n);
    if (text != small) {
        free(text);
    }
}

/* Line ends and tabs stay as they are. */
void px_print_string(struct px_buf *out, const char *s)
{
    if (s == NULL) {
        px_print_format(out, "NULL");
        return;
    }
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char) *s;

        if (c < ' ' && c != '\n' && c != '\t') {
            px_print_format(out, "\\x%02x", c);
        } else {
            px_buf_byte(out, c);
        }
    }
}

/* Cut after PRINTED_BYTES bytes, with "..." behind them. */
void px_print_bytes(struct px_buf *out, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    px_print_format(out, "%zu bytes", n);
    for (size_t i = 0; at != NULL && i < n && i < PRINTED_BYTES; i++) {
        px_print_format(out, "%s%02x", i == 0 ? ": " : "", at[i]);
    }
    if (n > PRINTED_BYTES) {
        px_print_format(out, "...");
    }
}

/* An array of PMIX_BYTE is printed as bytes, not as a list of numbers. */
void px_print_many(struct px_buf *out, const struct px_type *type, const void *elements, size_t n,
                   unsigned depth)
{
    if (type->type == PMIX_BYTE) {
        px_print_bytes(out, elements, n);
        return;
    }
    px_print_format(out, "[");
    for (size_t i = 0; i < n && i < PRINTED_ELEMENTS; i++) {
        px_print_format(out, i == 0 ? "" : ", ");
        px_type_print(out, type, (const char *) elements + i * type->size, depth);
    }
    px_print_format(out, n > PRINTED_ELEMENTS ? ", ...]" : "]");
}

/* Prints a time in the local time zone; the plain number if it is out of range. */
static void print_time(struct px_buf *out, time_t when)
{
    struct tm parts;
    char text[64];

    if (localtime_r(&when, &parts) == NULL || strftime(text, sizeof(text), "%F %T", &parts) == 0) {
        px_print_format(out, "%jd", (intmax_t) when);
        return;
    }
    px_print_format(out, "%s", text);
}

/* Prints a rank; the special ones by name. */
static void print_rank(struct px_buf *out, pmix_rank_t rank)
{
    switch (rank) {
    case PMIX_RANK_UNDEF:
        px_print_format(out, "UNDEF");
        break;
    case PMIX_RANK_WILDCARD:
        px_print_format(out, "WILDCARD");
        break;
    case PMIX_RANK_LOCAL_NODE:
        px_print_format(out, "LOCAL_NODE");
        break;
    case PMIX_RANK_LOCAL_PEERS:
        px_print_format(out, "LOCAL_PEERS");
        break;
    case PMIX_RANK_INVALID:
        px_print_format(out, "INVALID");
        break;
    default:
        px_print_format(out, "%" PRIu32, rank);
    }
}

/* Prints the flags of an info by name. */
static void print_directives(struct px_buf *out, pmix_info_directives_t flags)
{
    char *text = PMIx_Info_directives_string(flags);

    px_print_format(out, "%s", text == NULL ? "" : text);
    free(text);
}

/* Prints an unsigned scalar: by name if its type has names, ranks and directives by functions of
 * their own, bit masks and pointers in hexadecimal. */
static void print_unsigned(struct px_buf *out, pmix_data_type_t type, uint64_t v)
{
    const char *name = px_name_of(type, v);

    if (name != NULL) {
        px_print_format(out, "%s", name);
    } else if (type == PMIX_PROC_RANK) {
        print_rank(out, (pmix_rank_t) v);
    } else if (type == PMIX_INFO_DIRECTIVES) {
        print_directives(out, (pmix_info_directives_t) v);
    } else if (type == PMIX_POINTER || type == PMIX_LOCTYPE || type >= PMIX_STOR_MEDIUM) {
        px_print_format(out, "0x%" PRIx64, v);
    } else {
        px_print_format(out, "%" PRIu64, v);
    }
}

/* Prints a signed scalar: a status by name, a time as such. */
static void print_signed(struct px_buf *out, pmix_data_type_t type, int64_t v)
{
    if (type == PMIX_STATUS) {
        px_print_format(out, "%s", PMIx_Error_string((pmix_status_t) v));
    } else if (type == PMIX_TIME) {
        print_time(out, (time_t) v);
    } else {
        px_print_format(out, "%" PRId64, v);
    }
}

/* The print function of four shapes; POINTER is printed as an unsigned number. */
void px_print_scalar(struct px_buf *out, const struct px_type *type, const void *element,
                     unsigned depth)
{
    const struct timeval *tv = element;

    (void) depth;
    switch (type->shape) {
    case PX_TYPE_SIGNED:
        print_signed(out, type->type, px_load_signed(type, element));
        break;
    case PX_TYPE_REAL:
        px_print_format(out, "%g", px_load_real(type, element));
        break;
    case PX_TYPE_TIMEVAL:
        px_print_format(out, "%jd.%06ld", (intmax_t) tv->tv_sec, (long) tv->tv_usec);
        break;
    default:
        print_unsigned(out, type->type, px_load_unsigned(type, element));
    }
}

/* The text of one element, malloc'd and the caller's; NULL for NULL and without memory. The type
 * is one that exists. */
static char *element_text(pmix_data_type_t type, const void *element)
{
    struct px_buf out = {.data = NULL};

    if (element == NULL) {
        return NULL;
    }
    px_type_print(&out, px_type_info(type), element, 0);
    return px_buf_take_text(&out);
}

/* NULL for a value of an unknown type, too. */
char *PMIx_Value_string(const pmix_value_t *value)
{
    if (value == NULL || (value->type != PMIX_UNDEF && px_type_info(value->type) == NULL)) {
        return NULL;
    }
    return element_text(PMIX_VALUE, value);
}

/* Key, flags and value, with the names of the members. */
char *PMIx_Info_string(const pmix_info_t *info)
{
    return element_text(PMIX_INFO, info);
}

/* As namespace:rank. */
char *PMIx_Proc_string(const pmix_proc_t *proc)
{
    return element_text(PMIX_PROC, proc);
}

char *PMIx_Resource_unit_string(const pmix_resource_unit_t *unit)
{
    return element_text(PMIX_RESOURCE_UNIT, unit);
}

/* Prints a vector of strings in one line, with a title. */
static void print_lines(struct px_buf *out, const char *title, char *const *argv)
{
    px_print_format(out, "%s:", title);
    for (; argv != NULL && *argv != NULL; argv++) {
        px_print_format(out, " ");
        px_print_string(out, *argv);
    }
    px_print_format(out, "\n");
}

/* One line for each member; the other functions print a structure in one line by its members. */
char *PMIx_App_string(const pmix_app_t *app)
{
    struct px_buf out = {.data = NULL};

    if (app == NULL) {
        return NULL;
    }
    px_print_format(&out, "CMD: ");
    px_print_string(&out, app->cmd);
    px_print_format(&out, "\n");
    print_lines(&out, "ARGV", app->argv);
    print_lines(&out, "ENV", app->env);
    px_print_format(&out, "CWD: ");
    px_print_string(&out, app->cwd);
    px_print_format(&out, "\nMAXPROCS: %d", app->maxprocs);
    for (size_t i = 0; app->info != NULL && i < app->ninfo; i++) {
        px_print_format(&out, "\nINFO: ");
        px_type_print(&out, px_type_info(PMIX_INFO), &app->info[i], 0);
    }
    return px_buf_take_text(&out);
}
