/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "mutate.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 6 };

static struct input {
    unsigned char *bytes;
    size_t len;
} * inputs;
static size_t n_inputs;

void mutate_know(const unsigned char *bytes, size_t len)
{
    struct input *more;
    unsigned char *copy;

    if (len > MUTATE_LARGEST) {
        return;
    }
    more = realloc(inputs, (n_inputs + 1) * sizeof(*inputs));
    copy = more ? malloc(len + 1) : NULL;
    inputs = more ? more : inputs;
    if (copy) {
        memcpy(copy, bytes, len);
        inputs[n_inputs++] = (struct input){copy, len};
    }
}

void mutate_forget(void)
{
    for (size_t i = 0; i < n_inputs; i++) {
        free(inputs[i].bytes);
    }
    free(inputs);
    inputs = NULL;
    n_inputs = 0;
}

/* A number below n, which is not 0. (xorshift64*) */
static size_t below(uint64_t *state, size_t n)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (size_t) ((*state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % n;
}

/* An input that is being changed. */
struct work {
    unsigned char *bytes;
    size_t len;
    uint64_t *state;
};

static void flip_bit(struct work *work)
{
    work->bytes[below(work->state, work->len)] ^= (unsigned char) (1 << below(work->state, 8));
}

static void set_byte(struct work *work)
{
    work->bytes[below(work->state, work->len)] = (unsigned char) below(work->state, 256);
}

/* Numbers at the ends of what lengths and counts may be, low byte first and high byte first. */
static void set_number(struct work *work)
{
    static const uint32_t numbers[] = {0,      1,      0x7f,       0x80,       0xff,      0x7fff,
                                       0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    uint32_t number = numbers[below(work->state, sizeof(numbers) / sizeof(numbers[0]))];
    size_t width = (size_t) 1 << below(work->state, 3);
    size_t at = below(work->state, work->len);
    bool high_first = below(work->state, 2) == 0;

    for (size_t i = 0; i < width && at + i < work->len; i++) {
        size_t shift = 8 * (high_first ? width - 1 - i : i);

        work->bytes[at + i] = (unsigned char) (number >> shift);
    }
}

static void leave_out(struct work *work)
{
    size_t at = below(work->state, work->len);
    size_t n = 1 + below(work->state, work->len - at);

    memmove(work->bytes + at, work->bytes + at + n, work->len - at - n);
    work->len -= n;
}

static void insert(struct work *work, const unsigned char *from, size_t n)
{
    size_t at = below(work->state, work->len + 1);

    if (work->len + n <= MUTATE_LARGEST) {
        memmove(work->bytes + at + n, work->bytes + at, work->len - at);
        memcpy(work->bytes + at, from, n);
        work->len += n;
    }
}

/* A piece of this input, or of another one, is put in once more. */
static void put_in(struct work *work)
{
    static unsigned char piece[MUTATE_LARGEST];
    const struct input *other = &inputs[below(work->state, n_inputs)];
    bool own = below(work->state, 2) == 0 || other->len == 0;
    const unsigned char *from = own ? work->bytes : other->bytes;
    size_t len = own ? work->len : other->len;
    size_t at = below(work->state, len);
    size_t n = 1 + below(work->state, len - at);

    memcpy(piece, from + at, n);
    insert(work, piece, n);
}

static void (*const changes[])(struct work *work) = {flip_bit,  set_byte, set_number,
                                                     leave_out, put_in,   put_in};

size_t mutate(unsigned long seed, unsigned long number, unsigned char *ret)
{
    uint64_t state =
        (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (number + 1) * UINT64_C(0xd1342543de82ef95);
    struct work work = {.bytes = ret, .state = &state};
    const struct input *from = NULL;
    size_t n;

    state = state ? state : 1;
    for (int i = 0; i < 4; i++) { /* neighbours begin alike */
        (void) below(&state, 2);
    }
    if (n_inputs == 0) {
        return 0;
    }
    from = &inputs[below(&state, n_inputs)];
    n = 1 + below(&state, MOST_CHANGES);
    memcpy(ret, from->bytes, from->len);
    work.len = from->len;
    while (n-- > 0 && work.len > 0) {
        changes[below(&state, sizeof(changes) / sizeof(changes[0]))](&work);
    }
    return work.len;
}
