/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of the interface for single structures beyond those of nouns.c. A function without
 * a status leaves an empty structure if there is no memory. All take NULL for the structure. */
#include <pmix.h>

#include <stdlib.h>
#include <string.h>

#include "types.h"

/* Overwrites the infos that the structure had before without releasing them. */
void PMIx_App_info_create(pmix_app_t *p, size_t n)
{
    if (p != NULL) {
        p->info = PMIx_Info_create(n);
        p->ninfo = p->info == NULL ? 0 : n;
    }
}

/* Frees a structure that PMIx_App_create made, with what it owns. */
void PMIx_App_release(pmix_app_t *p)
{
    PMIx_App_free(p, 1);
}

/* Overwrites the qualifiers that the structure had before without releasing them. */
void PMIx_Query_qualifiers_create(pmix_query_t *p, size_t n)
{
    if (p != NULL) {
        p->qualifiers = PMIx_Info_create(n);
        p->nqual = p->qualifiers == NULL ? 0 : n;
    }
}

/* Frees a structure that PMIx_Query_create made, with what it owns. */
void PMIx_Query_release(pmix_query_t *p)
{
    PMIx_Query_free(p, 1);
}

/* A value that cannot be loaded stays empty. */
void PMIx_Pdata_load(pmix_pdata_t *dest, const pmix_proc_t *p, const char *key, const void *data,
                     pmix_data_type_t type)
{
    if (dest == NULL) {
        return;
    }
    PMIx_Pdata_construct(dest);
    PMIx_Xfer_procid(&dest->proc, p);
    PMIx_Load_key(dest->key, key);
    (void) PMIx_Value_load(&dest->value, data, type); /* empty when it cannot be */
}

/* An empty structure shows that the copy failed. */
void PMIx_Pdata_xfer(pmix_pdata_t *dest, pmix_pdata_t *src)
{
    if (dest == NULL || src == NULL || dest == src) {
        return;
    }
    if (px_type_copy(px_type_info(PMIX_PDATA), dest, src, 0) != PMIX_SUCCESS) {
        PMIx_Pdata_construct(dest);
    }
}

/* A malloc'd copy; NULL for NULL. */
static char *copy_text(const char *s)
{
    return s == NULL ? NULL : strdup(s);
}

/* Overwrites the members without releasing them; NULL leaves a member as it is. */
void PMIx_Envar_load(pmix_envar_t *e, char *var, char *value, char separator)
{
    if (e == NULL) {
        return;
    }
    if (var != NULL) {
        e->envar = copy_text(var);
    }
    if (value != NULL) {
        e->value = copy_text(value);
    }
    e->separator = separator;
}

/* An argument that is NULL leaves its member as it is; a description is added to those that are
 * there. Without memory it is dropped, since there is no status. */
void PMIx_Regattr_load(pmix_regattr_t *info, const char *name, const char *key,
                       pmix_data_type_t type, const char *description)
{
    if (info == NULL) {
        return;
    }
    if (name != NULL) {
        info->name = copy_text(name);
    }
    if (key != NULL) {
        PMIx_Load_key(info->string, key);
    }
    info->type = type;
    if (description != NULL) {
        (void) PMIx_Argv_append_nosize(&info->description, description); /* no status to return */
    }
}

/* An empty structure shows that the copy failed. */
void PMIx_Regattr_xfer(pmix_regattr_t *dest, const pmix_regattr_t *src)
{
    if (dest == NULL || src == NULL || dest == src) {
        return;
    }
    if (px_type_copy(px_type_info(PMIX_REGATTR), dest, src, 0) != PMIX_SUCCESS) {
        PMIx_Regattr_construct(dest);
    }
}

/* A fabric is not a data type: values cannot hold one. */
void PMIx_Fabric_construct(pmix_fabric_t *p)
{
    if (p != NULL) {
        memset(p, 0, sizeof(*p));
    }
}

/* Created with room for their dimensions, so that they do not fit the pattern of nouns.c. All or
 * nothing: NULL if memory is short for any of them. */
pmix_coord_t *PMIx_Coord_create(size_t dims, size_t number)
{
    const struct px_type *type = px_type_info(PMIX_COORD);
    pmix_coord_t *coords = px_type_create(type, number);

    for (size_t i = 0; coords != NULL && dims > 0 && i < number; i++) {
        coords[i].coord = calloc(dims, sizeof(*coords[i].coord));
        if (coords[i].coord == NULL) {
            px_type_free(type, coords, i);
            return NULL;
        }
        coords[i].dims = dims;
    }
    return coords;
}

/* Frees the dimensions of each, then the array. */
void PMIx_Coord_free(pmix_coord_t *m, size_t number)
{
    px_type_free(px_type_info(PMIX_COORD), m, number);
}
