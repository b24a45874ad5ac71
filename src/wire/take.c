/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* Raw numbers and texts from the front of a message. Every function compares the size of what it
 * reads with what is left before it reads, and a number with the range of its type before it
 * stores it. */
#include "take.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "flex.h"
#include "src/base/assert.h"
#include "src/value/types.h"
#include "src/value/number.h"

/* px_flex_get returns 0 for a number that the input cuts short. */
int px_take_long_flex(struct px_in *in, uint64_t *ret)
{
    size_t n = px_flex_get(in->at, in->end, ret);

    px_assert(in->at <= in->end);
    in->at += n;
    return n ? PMIX_SUCCESS : PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
}

/* *ret stays unchanged if the number is too large, although the input has moved. */
int px_take_bounded(struct px_in *in, uint64_t max, uint64_t *ret)
{
    uint64_t v;
    int rc = px_take_flex(in, &v);

    if (rc == PMIX_SUCCESS && v > max) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc == PMIX_SUCCESS) {
        *ret = v;
    }
    return rc;
}

/* Strings count zig-zag coded, byte objects do not. The length is compared with what is left here,
 * so the callers only advance. */
int px_take_length(struct px_in *in, bool zigzag, size_t *ret)
{
    uint64_t v;
    int rc = px_take_flex(in, &v);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (zigzag) {
        if (px_unzigzag(v) < 0 || px_unzigzag(v) > INT32_MAX) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        v >>= 1;
    }
    if (v > px_in_left(in)) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    *ret = (size_t) v;
    return PMIX_SUCCESS;
}

/* The bound is the largest number of the type, so that storing cannot cut anything off. */
int px_take_unsigned(struct px_in *in, size_t size, void *val)
{
    uint64_t v;
    int rc = px_take_bounded(in, size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1, &v);

    if (rc == PMIX_SUCCESS) {
        px_store_bits(v, size, val);
    }
    return rc;
}

/* The bounds are those of the type, as for unsigned numbers. */
int px_take_signed(struct px_in *in, size_t size, void *val)
{
    uint64_t coded;
    int64_t v;
    int64_t max = size == 8 ? INT64_MAX : (INT64_C(1) << (8 * size - 1)) - 1;
    int rc = px_take_flex(in, &coded);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    v = px_unzigzag(coded);
    if (v > max || v < -max - 1) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    px_store_bits((uint64_t) v, size, val);
    return PMIX_SUCCESS;
}

int px_take_byte(struct px_in *in, uint8_t *ret)
{
    px_assert(in->at <= in->end);
    if (in->at == in->end) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    *ret = *in->at++;
    return PMIX_SUCCESS;
}

/* A NUL inside the text is refused: the reader's string would be shorter than what was sent. */
int px_take_chars(struct px_in *in, const char **ret, size_t *ret_size)
{
    size_t size;
    int rc = px_take_length(in, true, &size);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (size > 0 && memchr(in->at, 0, size) != in->at + size - 1) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    *ret = size ? (const char *) in->at : NULL;
    *ret_size = size;
    in->at += size;
    return PMIX_SUCCESS;
}

int px_take_copy(const void *from, size_t size, char **ret)
{
    char *copy = malloc(size);

    if (!copy) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(copy, from, size);
    *ret = copy;
    return PMIX_SUCCESS;
}

/* The NULL pointer copies nothing; the caller's pointer is NULL before. */
int px_take_string(struct px_in *in, char **ret)
{
    const char *chars;
    size_t size;
    int rc = px_take_chars(in, &chars, &size);

    if (rc != PMIX_SUCCESS || !chars) {
        return rc;
    }
    return px_take_copy(chars, size, ret);
}

/* The room is compared with the size including the NUL, so the result always ends with one. */
int px_take_fixed(struct px_in *in, size_t room, char *ret)
{
    const char *chars;
    size_t size;
    int rc = px_take_chars(in, &chars, &size);

    if (rc == PMIX_SUCCESS && size > room) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc == PMIX_SUCCESS && chars) {
        memcpy(ret, chars, size);
    }
    return rc;
}

/* Reads the text of a number, as put_real writes it, in the C locale, whatever the locale of this
 * process is. The whole text has to be a number. */
static int parse_real(const char *chars, double *ret)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t) 0);
    char *stop;

    *ret = strtod_l(chars, &stop, plain);
    freelocale(plain);
    return stop == chars || *stop ? PMIX_ERR_UNPACK_FAILURE : PMIX_SUCCESS;
}

/* Raw bytes are always those of a double, for PMIX_FLOAT too. */
int px_take_real(struct px_in *in, pmix_data_type_t type, void *val)
{
    const char *chars;
    size_t size;
    double v = 0;
    int rc;

    if (in->exact) {
        if (px_in_left(in) < sizeof(v)) {
            return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
        }
        memcpy(&v, in->at, sizeof(v));
        in->at += sizeof(v);
    } else {
        rc = px_take_chars(in, &chars, &size);
        rc = rc ? rc : chars ? parse_real(chars, &v) : PMIX_ERR_UNPACK_FAILURE;
        if (rc != PMIX_SUCCESS) {
            return rc;
        }
    }
    if (type == PMIX_FLOAT) {
        *(float *) val = (float) v;
    } else {
        *(double *) val = v;
    }
    return PMIX_SUCCESS;
}

/* An unsigned pid is the bit pattern of a signed 32-bit number, as put_pid writes it. */
int px_take_pid(struct px_in *in, pid_t *ret)
{
    uint64_t type;
    uint64_t coded;
    int64_t v;
    int rc = px_take_flex(in, &type);

    rc = rc ? rc : px_take_flex(in, &coded);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (type == PMIX_UINT16 || type == PMIX_UINT32 || type == PMIX_UINT64) {
        v = coded > UINT32_MAX ? INT64_MAX : (int32_t) (uint32_t) coded;
    } else if (type == PMIX_INT || type == PMIX_INT16 || type == PMIX_INT32 || type == PMIX_INT64) {
        v = px_unzigzag(coded);
    } else {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    if (v > INT32_MAX || v < INT32_MIN) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    *ret = (pid_t) v;
    return PMIX_SUCCESS;
}
