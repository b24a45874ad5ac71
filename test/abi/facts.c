/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Covers: MAC-001 MAC-002 MAC-003 MAC-004 RES-034 QRY-006 */
/*
 * Every size, offset, constant, attribute string and prototype of tables/, against the headers this
 * file is compiled with. It is C and C++, and compiles against any PMIx headers of series PX_LEVEL
 * or later: headers.sh does that with the system's and compares what --print says.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <pmix.h>
#include <pmix_server.h>
#include <pmix_tool.h>

#if !defined(PX_LEVEL) && PMIX_NUMERIC_VERSION >= 0x00070000
#define PX_LEVEL 70
#elif !defined(PX_LEVEL)
#define PX_LEVEL PMIX_SERVER_MODULE_LEVEL
#endif

#define PX_NONE(...)

/* A macro where it is not yet a function. */
#undef PMIx_Heartbeat

/* A prototype that differs from the header's does not compile. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wredundant-decls"
#endif
#ifdef __cplusplus
extern "C" {
#endif
#define PX_TYPE           PX_NONE
#define PX_FIELD          PX_NONE
#define PX_VALUE          PX_NONE
#define PX_STRING         PX_NONE
#define PX_PROTOTYPE(...) __VA_ARGS__;
#include "facts_gen.h"
#ifdef __cplusplus
}
#endif
#undef PX_TYPE
#undef PX_FIELD
#undef PX_VALUE
#undef PX_STRING
#undef PX_PROTOTYPE
#define PX_PROTOTYPE PX_NONE

static int printing;
static int n_facts;
static int n_wrong;

static void number(const char *what, long long is, long long expected)
{
    n_facts++;
    if (printing) {
        printf("%s %lld\n", what, is);
    } else if (is != expected) {
        n_wrong++;
        printf("# %s is %lld, not %lld\n", what, is, expected);
    }
}

static void string(const char *what, const char *is, const char *expected)
{
    n_facts++;
    if (printing) {
        printf("%s %s\n", what, is);
    } else if (strcmp(is, expected) != 0) {
        n_wrong++;
        printf("# %s is %s, not %s\n", what, is, expected);
    }
}

static void check_types(void)
{
#define PX_TYPE(type, size) number("sizeof " #type, (long long) sizeof(type), size);
#define PX_FIELD(type, field, offset, size)                                                        \
    number("offset " #type " " #field, (long long) offsetof(type, field), offset);                 \
    number("sizeof " #type " " #field, (long long) sizeof(((type *) NULL)->field), size);
#define PX_VALUE  PX_NONE
#define PX_STRING PX_NONE
#include "facts_gen.h"
#undef PX_TYPE
#undef PX_FIELD
#undef PX_VALUE
#undef PX_STRING
}

static void check_constants(void)
{
#define PX_TYPE                PX_NONE
#define PX_FIELD               PX_NONE
#define PX_VALUE(name, value)  number(#name, (long long) (name), value##LL);
#define PX_STRING(name, value) string(#name, name, value);
#include "facts_gen.h"
}

static void report(int test, const char *what)
{
    bool right = n_wrong == 0 && n_facts > 0;

    if (!printing) {
        printf("%s %d - %d %s\n", right ? "ok" : "not ok", test, n_facts, what);
    }
    n_facts = 0;
    n_wrong = 0;
}

int main(int argc, char **argv)
{
    printing = argc > 1 && strcmp(argv[1], "--print") == 0;
    if (!printing) {
        printf("1..2\n");
    }
    check_types();
    report(1, "sizes and offsets are those of tables/structs.tsv");
    check_constants();
    report(2, "constants and attributes are those of tables/");
    return 0;
}
