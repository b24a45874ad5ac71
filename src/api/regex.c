/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <pmix_server.h>

#include "src/wire/regex2.h"
#include "src/wire/regex_make.h"

/* Node and process maps for hosts, in the compressed form of src/wire/regex_make.h. The result has
 * no NUL before its end, because hosts treat it as a C string. No call needs a context. */

/* Names of nodes; *regex is malloc'd. */
PMIX_EXPORT pmix_status_t PMIx_generate_regex(const char *input, char **regex)
{
    return input && regex ? px_regex_make_nodes(input, regex) : PMIX_ERR_BAD_PARAM;
}

/* Ranks of each node, the nodes separated by semicolons; *ppn is malloc'd. */
PMIX_EXPORT pmix_status_t PMIx_generate_ppn(const char *input, char **ppn)
{
    return input && ppn ? px_regex_make_ranks(input, ppn) : PMIX_ERR_BAD_PARAM;
}

/* Either list; the members of *regex are malloc'd. */
PMIX_EXPORT pmix_status_t PMIx_generate_regex2(const char *input, pmix_info_t info[], size_t ninfo,
                                               pmix_regex2_t *regex)
{
    (void) info;
    (void) ninfo;
    return input && regex ? px_regex2_make(input, regex) : PMIX_ERR_BAD_PARAM;
}

/* The list of a map; *output is malloc'd. */
PMIX_EXPORT pmix_status_t PMIx_parse_regex2(const pmix_regex2_t *regex, pmix_info_t info[],
                                            size_t ninfo, char **output)
{
    (void) info;
    (void) ninfo;
    return regex && output ? px_regex2_list(regex, output) : PMIX_ERR_BAD_PARAM;
}
