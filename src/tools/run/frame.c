/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writing and reading what is said between nodes. Both ends are the same program on the same
 * machine, so numbers are as they are in memory; lengths are checked all the same. Arrays of PMIx
 * structures go through the library's own packing. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

/* ---- writing */

void px_run_put_raw(struct px_run_bytes *b, const void *bytes, size_t n)
{
    if (n > UINT32_MAX / 2 || b->len + n > UINT32_MAX / 2) {
        b->failed = true;
    }
    if (b->failed || n == 0) {
        return;
    }
    if (b->len + n > b->cap) {
        size_t cap = 2 * (b->len + n) + 64;
        char *at = realloc(b->at, cap);
        if (at == NULL) {
            b->failed = true;
            return;
        }
        b->at = at;
        b->cap = cap;
    }
    memcpy(b->at + b->len, bytes, n);
    b->len += n;
}

void px_run_put_u32(struct px_run_bytes *b, uint32_t number)
{
    px_run_put_raw(b, &number, sizeof(number));
}

void px_run_put_bytes(struct px_run_bytes *b, const void *bytes, size_t n)
{
    px_run_put_u32(b, (uint32_t) n);
    px_run_put_raw(b, bytes, n);
}

void px_run_put_string(struct px_run_bytes *b, const char *text)
{
    text = text != NULL ? text : "";
    px_run_put_bytes(b, text, strlen(text) + 1);
}

void px_run_put_proc(struct px_run_bytes *b, const pmix_proc_t *proc)
{
    px_run_put_string(b, proc->nspace);
    px_run_put_u32(b, proc->rank);
}

void px_run_put_array(struct px_run_bytes *b, const void *array, size_t n, pmix_data_type_t type)
{
    pmix_data_buffer_t buffer;
    pmix_byte_object_t packed = {0};

    px_run_put_u32(b, (uint32_t) n);
    if (n == 0) {
        return;
    }
    PMIx_Data_buffer_construct(&buffer);
    if (PMIx_Data_pack(NULL, &buffer, (void *) array, (int32_t) n, type) != PMIX_SUCCESS ||
        PMIx_Data_unload(&buffer, &packed) != PMIX_SUCCESS) {
        b->failed = true;
    } else {
        px_run_put_bytes(b, packed.bytes, packed.size);
    }
    PMIx_Byte_object_destruct(&packed);
    PMIx_Data_buffer_destruct(&buffer);
}

/* ---- reading */

static const char *take(struct px_run_reader *r, size_t n)
{
    if (r->failed || n > r->left) {
        r->failed = true;
        return NULL;
    }
    const char *at = r->at;
    r->at += n;
    r->left -= n;
    return at;
}

uint32_t px_run_get_u32(struct px_run_reader *r)
{
    uint32_t number = 0;
    const char *at = take(r, sizeof(number));

    if (at != NULL) {
        memcpy(&number, at, sizeof(number));
    }
    return number;
}

const char *px_run_get_bytes(struct px_run_reader *r, size_t *ret_n)
{
    uint32_t n = px_run_get_u32(r);
    const char *at = take(r, n);

    *ret_n = at != NULL ? n : 0;
    return at;
}

const char *px_run_get_string(struct px_run_reader *r)
{
    size_t n;
    const char *at = px_run_get_bytes(r, &n);

    if (at == NULL || n == 0 || at[n - 1] != '\0') {
        r->failed = true;
        return "";
    }
    return at;
}

void px_run_get_proc(struct px_run_reader *r, pmix_proc_t *ret)
{
    const char *nspace = px_run_get_string(r);
    uint32_t rank = px_run_get_u32(r);

    PMIX_LOAD_PROCID(ret, nspace, rank);
}

void *px_run_get_array(struct px_run_reader *r, size_t size, pmix_data_type_t type, size_t *ret_n)
{
    uint32_t n = px_run_get_u32(r);
    size_t len = 0;
    const char *packed = n > 0 ? px_run_get_bytes(r, &len) : NULL;
    pmix_data_buffer_t buffer;
    int32_t got = (int32_t) n;

    *ret_n = 0;
    if (packed == NULL || n > len) { /* each takes a byte at least */
        r->failed = r->failed || n > 0;
        return NULL;
    }
    pmix_byte_object_t bytes = {.bytes = malloc(len), .size = len};
    void *array = calloc(n, size);
    if (bytes.bytes == NULL || array == NULL) {
        free(bytes.bytes);
        free(array);
        r->failed = true;
        return NULL;
    }
    memcpy(bytes.bytes, packed, len);
    PMIx_Data_buffer_construct(&buffer);
    pmix_status_t rc = PMIx_Data_load(&buffer, &bytes); /* takes the bytes over */
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Data_unpack(NULL, &buffer, array, &got, type);
    }
    PMIx_Data_buffer_destruct(&buffer);
    PMIx_Byte_object_destruct(&bytes);
    if (rc != PMIX_SUCCESS || got != (int32_t) n) {
        free(array);
        r->failed = true;
        return NULL;
    }
    *ret_n = n;
    return array;
}
