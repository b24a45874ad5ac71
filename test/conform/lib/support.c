/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "support.h"

#include <string.h>

struct asked ask_support(const char *keys, const char *const *levels)
{
    struct infos quals = {0};

    for (int i = 0; levels != NULL && levels[i] != NULL; i++) {
        add_true(&quals, levels[i]);
    }
    return ask_one(keys, &quals);
}

const pmix_value_t *level_of(const struct asked *asked, const char *call, const char *level)
{
    for (size_t i = 0; i < asked->n; i++) {
        const pmix_data_array_t *array = asked->info[i].value.data.darray;

        if (!PMIX_CHECK_KEY(&asked->info[i], call) ||
            asked->info[i].value.type != PMIX_DATA_ARRAY || array->type != PMIX_INFO) {
            continue;
        }
        for (size_t k = 0; k < array->size; k++) {
            if (PMIX_CHECK_KEY(&((const pmix_info_t *) array->array)[k], level)) {
                return &((const pmix_info_t *) array->array)[k].value;
            }
        }
    }
    return NULL;
}

const char *attributes(const struct asked *asked, const char *call, const char *level)
{
    static char text[4096];
    const pmix_value_t *v = level_of(asked, call, level);
    const pmix_regattr_t *attr;

    if (v == NULL) {
        return "(none)";
    }
    text[0] = '\0';
    if (v->type == PMIX_UNDEF) {
        return text;
    }
    if (!check(v->type == PMIX_DATA_ARRAY && v->data.darray->type == PMIX_REGATTR,
               "an array of attributes")) {
        return "(wrong)";
    }
    attr = v->data.darray->array;
    for (size_t i = 0;
         i < v->data.darray->size && strlen(text) < sizeof(text) - 2 * PMIX_MAX_KEYLEN; i++) {
        strcat(strcat(text, i > 0 ? "," : ""), attr[i].string);
        check(attr[i].name != NULL && strncmp(attr[i].name, "PMIX_", 5) == 0, "%s has a name",
              attr[i].string);
        check(attr[i].type != PMIX_UNDEF, "%s has a type", attr[i].string);
    }
    return text;
}

bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0')) {
            return true;
        }
    }
    return false;
}
