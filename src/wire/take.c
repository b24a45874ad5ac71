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
#include "owed.h"
#include "src/base/assert.h"
#include "src/value/number.h"

/* px_flex_get returns 0 for a number that the input cuts short. */
uint64_t px_take_long_flex(struct px_in *in)
{
    uint64_t v = 0;
    size_t n = px_flex_get(in->at, in->end, &v);

    px_assert(in->at <= in->end);
    in->at += n;
    if (n == 0) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
        return 0;
    }
    return v;
}

uint64_t px_take_bounded(struct px_in *in, uint64_t max)
{
    uint64_t v = px_take_flex(in);

    if (v > max) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
        return 0;
    }
    return v;
}

/* Strings count zig-zag coded, byte objects do not. The length is compared with what is left here,
 * so the callers only advance. */
size_t px_take_length(struct px_in *in, bool zigzag)
{
    uint64_t v = px_take_flex(in);

    if (zigzag) {
        if (px_unzigzag(v) < 0 || px_unzigzag(v) > INT32_MAX) {
            (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
            return 0;
        }
        v >>= 1;
    }
    if (v > px_in_left(in)) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
        return 0;
    }
    return (size_t) v;
}

/* The bound is the largest number of the type, so that storing cannot cut anything off. */
void px_take_unsigned(struct px_in *in, size_t size, void *val)
{
    uint64_t v = px_take_bounded(in, size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1);

    if (in->status == 0) {
        px_store_bits(v, size, val);
    }
}

/* The bounds are those of the type, as for unsigned numbers. */
void px_take_signed(struct px_in *in, size_t size, void *val)
{
    int64_t v = px_unzigzag(px_take_flex(in));
    int64_t max = size == 8 ? INT64_MAX : (INT64_C(1) << (8 * size - 1)) - 1;

    if (v > max || v < -max - 1) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    if (in->status == 0) {
        px_store_bits((uint64_t) v, size, val);
    }
}

uint8_t px_take_byte(struct px_in *in)
{
    px_assert(in->at <= in->end);
    if (in->at == in->end) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
        return 0;
    }
    return *in->at++;
}

/* A NUL inside the text is refused: the reader's string would be shorter than what was sent. */
const char *px_take_chars(struct px_in *in, size_t *ret_size)
{
    size_t size = px_take_length(in, true);
    const char *chars = size ? (const char *) in->at : NULL;

    if (size > 0 && memchr(chars, 0, size) != chars + size - 1) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
        chars = NULL;
        size = 0;
    }
    in->at += size;
    *ret_size = size;
    return chars;
}

const void *px_take_view(struct px_in *in, size_t *ret_len)
{
    const void *bytes;

    *ret_len = px_take_length(in, false);
    bytes = in->at;
    in->at += *ret_len;
    return bytes;
}

/* Copies size bytes that the input has already passed over or holds, or owes the copy: nobody looks
 * at what a value points at while its message is unpacked. */
static char *copy_of(struct px_in *in, const void *from, size_t size)
{
    bool owes = in->owed && in->in_value && size >= PX_OWED_FROM;
    char *copy = malloc(size);

    if (!copy || (owes && px_owed_add(in->owed, copy, from, size))) {
        (void) px_in_fail(in, PMIX_ERR_NOMEM);
        free(copy);
        return NULL;
    }
    if (!owes) {
        memcpy(copy, from, size);
    }
    return copy;
}

char *px_take_copy(struct px_in *in, size_t size)
{
    char *copy;

    px_assert(size <= px_in_left(in));
    copy = size ? copy_of(in, in->at, size) : NULL;
    in->at += copy ? size : 0;
    return copy;
}

char *px_take_string(struct px_in *in)
{
    size_t size;
    const char *chars = px_take_chars(in, &size);

    return chars ? copy_of(in, chars, size) : NULL;
}

/* The room is compared with the size including the NUL, so the result always ends with one. */
void px_take_fixed(struct px_in *in, size_t room, char *ret)
{
    size_t size;
    const char *chars = px_take_chars(in, &size);

    if (size > room) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    } else if (chars) {
        memcpy(ret, chars, size);
    }
}

/* The end of a process as px_take_short_procs reads it, at most PX_FLEX_MAX + 64 bytes behind `at`;
 * NULL: it is another one. The fifth byte of a rank has four bits. */
static inline const unsigned char *behind_short_proc(const unsigned char *at)
{
    size_t size = *at >> 1;
    size_t n = 0;

    if ((*at & 129) || size == 0 || memchr(at + 1, 0, size) != at + size) {
        return NULL; /* a length of one byte is below 128, and that of a string even */
    }
    at += size + 1;
    while (n < 4 && at[n] > 127) {
        n++;
    }
    return n < 4 || at[n] < 16 ? at + n + 1 : NULL;
}

size_t px_take_short_procs(struct px_in *in, size_t n)
{
    const unsigned char *at = in->at;
    size_t taken = 0;

    while (taken < n && (size_t) (in->end - at) >= PX_FLEX_MAX + 64) {
        const unsigned char *behind = behind_short_proc(at);

        if (!behind) {
            break;
        }
        at = behind;
        taken++;
    }
    in->at = at;
    return taken;
}

/* Reads the text of a number, as put_real writes it, in the C locale, whatever the locale of this
 * process is. The whole text has to be a number. */
static double take_decimal(struct px_in *in)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t) 0);
    size_t size;
    const char *chars = px_take_chars(in, &size);
    char *stop = NULL;
    double v = chars ? strtod_l(chars, &stop, plain) : 0;

    freelocale(plain);
    if (!chars || stop == chars || *stop) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    return v;
}

/* Raw bytes are always those of a double, for PMIX_FLOAT too. */
void px_take_real(struct px_in *in, pmix_data_type_t type, void *val)
{
    double v = 0;

    if (!in->exact) {
        v = take_decimal(in);
    } else if (px_in_left(in) < sizeof(v)) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER);
    } else {
        memcpy(&v, in->at, sizeof(v));
        in->at += sizeof(v);
    }
    if (in->status) {
        return;
    }
    if (type == PMIX_FLOAT) {
        *(float *) val = (float) v;
    } else {
        *(double *) val = v;
    }
}

/* An unsigned pid is the bit pattern of a signed 32-bit number, as put_pid writes it. */
void px_take_pid(struct px_in *in, pid_t *ret)
{
    uint64_t type = px_take_flex(in);
    uint64_t coded = px_take_flex(in);
    int64_t v = INT64_MAX;

    if (type == PMIX_UINT16 || type == PMIX_UINT32 || type == PMIX_UINT64) {
        v = coded > UINT32_MAX ? INT64_MAX : (int32_t) (uint32_t) coded;
    } else if (type == PMIX_INT || type == PMIX_INT16 || type == PMIX_INT32 || type == PMIX_INT64) {
        v = px_unzigzag(coded);
    }
    if (v > INT32_MAX || v < INT32_MIN) {
        (void) px_in_fail(in, PMIX_ERR_UNPACK_FAILURE);
    }
    if (in->status == 0) {
        *ret = (pid_t) v;
    }
}
