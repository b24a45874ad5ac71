/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <pmix_server.h>

#include "src/wire/regex_make.h"

/* Maps for hosts. The result never holds a NUL before its end: hosts treat it as a C string. */

PMIX_EXPORT pmix_status_t PMIx_generate_regex(const char *input, char **regex)
{
    return input && regex ? px_regex_make_nodes(input, regex) : PMIX_ERR_BAD_PARAM;
}

PMIX_EXPORT pmix_status_t PMIx_generate_ppn(const char *input, char **ppn)
{
    return input && ppn ? px_regex_make_ranks(input, ppn) : PMIX_ERR_BAD_PARAM;
}
