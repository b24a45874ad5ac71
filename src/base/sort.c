/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Words are sorted by their bytes, the lowest first; bytes that all have in common are passed over.
 * Names are compared by the 8 bytes behind what all have in common. */

#include "src/base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/status.h"

enum { BYTES = sizeof(uint64_t), VALUES = 256 };

static size_t byte_of(uint64_t word, unsigned which)
{
    return word >> 8 * which & (VALUES - 1);
}

/* True if there is nothing to do. */
static bool are_sorted(const uint64_t *words, size_t n)
{
    size_t i = 1;

    while (i < n && words[i - 1] <= words[i]) {
        i++;
    }
    return i >= n;
}

/* Moves the words to `to` in the order of one byte, and otherwise in the order that they have. */
static void distribute(const uint64_t *words, uint64_t *to, size_t n, unsigned which)
{
    size_t next[VALUES] = {
        0}; /* first how many have this value, then where the next of them goes */
    size_t before = 0;

    for (size_t i = 0; i < n; i++) {
        next[byte_of(words[i], which)]++;
    }
    for (size_t value = 0; value < VALUES; value++) {
        size_t count = next[value];

        next[value] = before;
        before += count;
    }
    for (size_t i = 0; i < n; i++) {
        to[next[byte_of(words[i], which)]++] = words[i];
    }
}

void px_sort_words(uint64_t *words, uint64_t *spare, size_t n)
{
    uint64_t *from = words;
    uint64_t *to = spare;
    uint64_t differ = 0;

    if (are_sorted(words, n)) {
        return;
    }
    for (size_t i = 1; i < n; i++) {
        differ |= words[i] ^ words[0];
    }
    for (unsigned which = 0; which < BYTES; which++) {
        if (byte_of(differ, which) != 0) {
            uint64_t *sorted = to;

            distribute(from, to, n, which);
            to = from;
            from = sorted;
        }
    }
    if (from != words) {
        memcpy(words, from, n * sizeof(*words));
    }
}

/* --- names --- */

/* A name and its place. */
struct named {
    uint64_t head;    /* the first bytes of `rest`, as a number that has their order */
    const char *rest; /* of the name, behind what all have in common */
    uint32_t room;    /* of the rest, which may lack its NUL */
    uint32_t place;
};

/* The first 8 bytes of a rest; zeros behind its end. */
static uint64_t head_of(const char *rest, size_t room)
{
    uint64_t head = 0;

    for (size_t i = 0; i < sizeof(head); i++) {
        head = head << 8 | (i < room ? (unsigned char) rest[i] : 0);
        room = i < room && rest[i] == '\0' ? 0 : room;
    }
    return head;
}

/* For qsort(). Most names differ in their heads, or end there. */
static int compare_named(const void *a, const void *b)
{
    const struct named *x = a;
    const struct named *y = b;

    if (x->head != y->head) {
        return x->head < y->head ? -1 : 1;
    }
    return byte_of(x->head, 0) != 0 ? strncmp(x->rest, y->rest, x->room) : 0;
}

/* How many characters all the names begin with. */
static size_t common_prefix(const char *const *names, size_t n, size_t room)
{
    size_t prefix = strnlen(names[0], room);

    for (size_t i = 1; i < n; i++) {
        size_t same = 0;

        while (same < prefix && names[i][same] == names[0][same]) {
            same++;
        }
        prefix = same;
    }
    return prefix;
}

int px_sort_names(const char **names, size_t n, size_t room, size_t *places)
{
    struct named *named = n <= UINT32_MAX ? malloc(n * sizeof(*named)) : NULL;
    size_t prefix;
    size_t last = 0;

    if (named == NULL) {
        return PX_ERR_NOMEM;
    }
    prefix = common_prefix(names, n, room);
    for (size_t i = 0; i < n; i++) {
        const char *rest = names[i] + prefix;

        named[i] = (struct named){head_of(rest, room - prefix), rest, (uint32_t) (room - prefix),
                                  (uint32_t) i};
    }
    qsort(named, n, sizeof(*named), compare_named);
    for (size_t i = 0; i < n; i++) {
        last += i && compare_named(&named[i - 1], &named[i]) != 0;
        places[named[i].place] = last;
        names[last] = named[i].rest - prefix;
    }
    free(named);
    return PX_OK;
}
