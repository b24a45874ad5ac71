/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_FIELD_NAMES_H
#define PX_TOOLS_FIELD_NAMES_H

/* Names of constants, from the tables of the project: a command knows them with any libpmix. */

struct px_field_status_row {
    int status;
    const char *name;
};

/* Ends with a row without a name. Deprecated synonyms follow all other names. */
extern const struct px_field_status_row px_field_status_rows[];

struct px_field_key_row {
    const char *name; /* "PMIX_JOB_SIZE" */
    const char *key;  /* "pmix.job.size" */
    const char *type; /* "PMIX_UINT32" */
};

/* Ends with a row without a name. Deprecated names follow all others. */
extern const struct px_field_key_row px_field_key_rows[];

/* The name of a status, or its number: static storage, which the next call overwrites. */
const char *px_field_status_name(int status);

/* The row of an attribute, by its name or its key; NULL: there is none. */
const struct px_field_key_row *px_field_find_key(const char *name_or_key);

/* The key of an attribute by its name; of another text that text. */
const char *px_field_key(const char *name_or_key);

/* The name of a key; of another text that text. */
const char *px_field_key_name(const char *key);

#endif
