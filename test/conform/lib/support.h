/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What PMIX_QUERY_ATTRIBUTE_SUPPORT says, in few words. */

#ifndef PX_CONFORM_LIB_SUPPORT_H
#define PX_CONFORM_LIB_SUPPORT_H

#include "queries.h"

#define SUPPORT PMIX_QUERY_ATTRIBUTE_SUPPORT ","

/* keys as in ask_one; levels: keys of levels, ended by NULL, or NULL for none. */
struct asked ask_support(const char *keys, const char *const *levels);
/* What is said about a level of a call: NULL when nothing is. */
const pmix_value_t *level_of(const struct asked *asked, const char *call, const char *level);
/* "" when the level is there without support, "(none)" when it is not there, else the strings
 * joined by commas. The text is good until the next call; each attribute is checked to have a name
 * and a type. */
const char *attributes(const struct asked *asked, const char *call, const char *level);
bool has_word(const char *list, const char *word);

#endif
