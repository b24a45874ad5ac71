/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The maps of nodes and ranks against any bytes: nodes that can be read can be written as text that
 * reads the same. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "fuzz.h"
#include "src/wire/regex.h"
#include "src/wire/regex_make.h"

enum { LONGEST_LIST = 4096 };

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void make_and_read(char **names, size_t n)
{
    char *list = n ? PMIx_Argv_join(names, ',') : strdup("");
    char **again = NULL;
    char *regex = NULL;
    size_t n_again = 0;

    require(px_regex_make_nodes(list, &regex) == 0);
    require(px_regex_nodes(regex, SIZE_MAX, &again, &n_again) == 0);
    require(n == n_again);
    for (size_t i = 0; i < n; i++) {
        require(strcmp(names[i], again[i]) == 0);
    }
    PMIx_Argv_free(again);
    free(regex);
    free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *) data;
    struct px_rank_list *lists;
    char **names;
    size_t n;

    if (px_regex_nodes(text, size, &names, &n) == 0) {
        if (n < LONGEST_LIST) {
            make_and_read(names, n);
        }
        PMIx_Argv_free(names);
    }
    if (px_regex_ranks(text, size, &lists, &n) == 0) {
        px_rank_lists_free(lists, n);
    }
    (void) px_regex_length(text, size, &n); /* must stay inside */
    return 0;
}
