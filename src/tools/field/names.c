/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "names.h"

#include <stdio.h>
#include <string.h>

const char *px_field_status_name(int status)
{
    static char number[16];

    for (const struct px_field_status_row *row = px_field_status_rows; row->name != NULL; row++) {
        if (row->status == status) {
            return row->name;
        }
    }
    snprintf(number, sizeof(number), "%d", status);
    return number;
}

const struct px_field_key_row *px_field_find_key(const char *name_or_key)
{
    for (const struct px_field_key_row *row = px_field_key_rows; row->name != NULL; row++) {
        if (strcmp(row->name, name_or_key) == 0 || strcmp(row->key, name_or_key) == 0) {
            return row;
        }
    }
    return NULL;
}

const char *px_field_key(const char *name_or_key)
{
    const struct px_field_key_row *row = px_field_find_key(name_or_key);

    return row != NULL ? row->key : name_or_key;
}

const char *px_field_key_name(const char *key)
{
    const struct px_field_key_row *row = px_field_find_key(key);

    return row != NULL ? row->name : key;
}
