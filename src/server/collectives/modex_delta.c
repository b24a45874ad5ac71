/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A delta is a sequence of steps. Each is a flex number, its kind in the two lowest bits and its
 * length above; the bytes of a step that has some follow. The reader moves through the base from
 * the front and never back, so its work is linear in the delta and in what it restores. */

#include "modex_delta.h"

#include <string.h>

#include "src/base/assert.h"
#include "src/base/bytes.h"
#include "src/wire/flex.h"
#include "src/wire/take.h"

/* Kinds of steps, and the bytes that have to be equal before a step of copying is shorter than
 * these bytes themselves. */
enum step {
    COPY = 0,    /* the next n bytes of the base */
    REPLACE = 1, /* n bytes that follow, in place of n bytes of the base */
    INSERT = 2,  /* n bytes that follow */
    SKIP = 3,    /* nothing, in place of n bytes of the base */
    KINDS = 4,
    WORTH_COPYING = 4,
};

/* --- writing --- */

static void put_step(struct px_buf *buf, enum step step, uint64_t n)
{
    unsigned char number[PX_FLEX_MAX];

    px_buf_append(buf, number, px_flex_put(number, n * KINDS + step));
}

/* Appends a step; adjacent ones without bytes become one. */
static void add_step(struct px_modex_delta *delta, enum step step, const void *bytes, size_t n)
{
    if (n == 0) {
        return;
    }
    if (delta->n > 0 && (bytes != NULL || delta->step != step)) {
        px_modex_delta_end(delta);
    }
    if (bytes != NULL) {
        put_step(delta->buf, step, n);
        px_buf_append(delta->buf, bytes, n);
    } else {
        delta->step = step;
        delta->n += n;
    }
}

void px_modex_delta_end(struct px_modex_delta *delta)
{
    if (delta->n > 0) {
        put_step(delta->buf, (enum step) delta->step, delta->n);
        delta->n = 0;
    }
}

/* The number of bytes at the front that are equal. */
static size_t equal_run(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t i = 0;

    while (n - i >= sizeof(uint64_t) && px_word_at(a + i) == px_word_at(b + i)) {
        i += sizeof(uint64_t);
    }
    while (i < n && a[i] == b[i]) {
        i++;
    }
    return i;
}

/* The number of bytes at the front before the next ones that are worth copying, or all. */
static size_t different_run(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t equal = 0;

    for (size_t i = 0; i < n; i++) {
        equal = a[i] == b[i] ? equal + 1 : 0;
        if (equal == WORTH_COPYING) {
            return i + 1 - equal;
        }
    }
    return n;
}

/* Appends n bytes whose counterparts are n bytes of the base. */
static void add_equally_long(struct px_modex_delta *delta, const unsigned char *base,
                             const unsigned char *bytes, size_t n)
{
    size_t i = 0;

    while (i < n) {
        size_t equal = equal_run(base + i, bytes + i, n - i);
        size_t different;

        add_step(delta, COPY, NULL, equal);
        i += equal;
        different = different_run(base + i, bytes + i, n - i);
        add_step(delta, REPLACE, bytes + i, different);
        i += different;
    }
}

/* The number of bytes at the end that are equal, at most n. */
static size_t equal_end(const struct px_in *a, const struct px_in *b, size_t n)
{
    size_t i = 0;

    while (i < n && a->end[-1 - (ptrdiff_t) i] == b->end[-1 - (ptrdiff_t) i]) {
        i++;
    }
    return i;
}

/* The ends of both are aligned, as what differs in length lies before what comes after it. */
void px_modex_delta_add(struct px_modex_delta *delta, struct px_in base, struct px_in bytes)
{
    size_t n_base = px_in_left(&base);
    size_t n = px_in_left(&bytes);
    size_t common = n < n_base ? n : n_base;
    size_t end = n == n_base ? 0 : equal_end(&base, &bytes, common);

    px_assert(delta->buf != NULL);
    add_equally_long(delta, base.at, bytes.at, common - end);
    if (n > common) {
        add_step(delta, INSERT, bytes.at + common - end, n - common);
    }
    add_step(delta, SKIP, NULL, n_base - common);
    add_step(delta, COPY, NULL, end);
}

/* --- reading --- */

int px_modex_delta_restore(struct px_in base, struct px_in delta, unsigned char *ret, size_t len)
{
    while (px_in_left(&delta) > 0) {
        uint64_t number = px_take_flex(&delta);
        uint64_t n = number / KINDS;
        enum step step = (enum step)(number % KINDS);
        bool of_base = step == COPY;
        struct px_in *from = of_base ? &base : &delta;

        if (delta.status != 0 || n == 0 || (step != INSERT && n > px_in_left(&base)) ||
            (step != SKIP && (n > len || n > px_in_left(from)))) {
            return PMIX_ERR_UNPACK_FAILURE;
        }
        if (step != SKIP) {
            memcpy(ret, from->at, n);
            ret += n;
            len -= n;
        }
        base.at += step != INSERT ? n : 0;
        delta.at += step == REPLACE || step == INSERT ? n : 0;
    }
    return len == 0 ? 0 : PMIX_ERR_UNPACK_FAILURE;
}
