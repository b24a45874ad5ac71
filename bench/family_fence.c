/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fences: a sweep over keys and bytes that each process posts, and an allgather done again and
 * again, each with a key of its own. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "family.h"

enum { ROUNDS = 11, WARM_UP = 1, IN_A_ROW = 20, GATHERS = 20, KEYS_MAX = 8 };
/* After so many seconds no further round begins, if there are ROUNDS_LEAST that count. */
enum { SECONDS_MOST = 3, ROUNDS_LEAST = 3 };

/* One value of a process: bytes that differ by rank, key and round. */
static void fill(char *bytes, size_t len, pmix_rank_t rank, unsigned key, unsigned round)
{
    uint64_t x = ((uint64_t) rank << 32 | key << 16 | round) * 2 + 1;

    for (size_t i = 0; i < len; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (char) (x >> 56);
    }
    if (family_corrupts()) {
        bytes[0]++;
    }
}

static bool put(const char *key, char *bytes, size_t len)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {.bytes = bytes, .size = len}};

    return PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS;
}

static bool value_is(const pmix_proc_t *proc, const char *key, const char *want, size_t len)
{
    pmix_value_t *value = NULL;
    bool good;

    if (PMIx_Get(proc, key, NULL, 0, &value) != PMIX_SUCCESS || !value) {
        return false;
    }
    good = value->type == PMIX_BYTE_OBJECT && value->data.bo.size == len &&
           !memcmp(value->data.bo.bytes, want, len);
    PMIX_VALUE_RELEASE(value);
    return good;
}

/* ---- the sweep */

enum { READ_OF = 2 }; /* processes whose values each process reads */

struct sweep {
    const struct crew *crew;
    unsigned n_keys;
    size_t len;
    uint64_t begun; /* now_ns() before the first round */
    char *own;      /* what this process posts in this round, key by key */
    char *want;     /* the same of the processes whose values are read */
    struct samples post, first, read, last, plain, pack, carry, publish, handed;
};

static void key_name(char ret[32], unsigned key)
{
    snprintf(ret, 32, "bench-sweep-%u", key);
}

static bool post(const struct sweep *s)
{
    bool good = true;
    char key[32];

    for (unsigned k = 0; k < s->n_keys && good; k++) {
        key_name(key, k);
        good = put(key, s->own + k * s->len, s->len);
    }
    return good && (s->n_keys == 0 || PMIx_Commit() == PMIX_SUCCESS);
}

/* Whose values are read: the next rank's, and the last one's. Returns how many those are. */
static unsigned others(const struct crew *crew, pmix_rank_t ret[READ_OF])
{
    ret[0] = (crew->self.rank + 1) % crew->size;
    ret[1] = crew->size - 1;
    return ret[0] == ret[1] ? 1 : READ_OF;
}

static char *wanted(const struct sweep *s, unsigned other, unsigned key)
{
    return s->want + ((size_t) other * s->n_keys + key) * s->len;
}

/* Fills the buffers of a round: the values that this process posts, and those that it must read.
 * Called before the clock starts. */
static void prepare(const struct sweep *s, unsigned round)
{
    pmix_rank_t ranks[READ_OF];
    unsigned n = others(s->crew, ranks);

    for (unsigned k = 0; k < s->n_keys; k++) {
        fill(s->own + k * s->len, s->len, s->crew->self.rank, k, round);
        for (unsigned r = 0; r < n; r++) {
            fill(wanted(s, r, k), s->len, ranks[r], k, round);
            wanted(s, r, k)[0] = (char) (wanted(s, r, k)[0] - family_corrupts());
        }
    }
}

static bool look(const struct sweep *s)
{
    pmix_rank_t ranks[READ_OF];
    unsigned n = others(s->crew, ranks);
    bool good = true;
    char key[32];

    for (unsigned r = 0; r < n; r++) {
        pmix_proc_t proc = crew_proc(s->crew, ranks[r]);

        for (unsigned k = 0; k < s->n_keys && good; k++) {
            key_name(key, k);
            good = value_is(&proc, key, wanted(s, r, k), s->len);
        }
    }
    return good;
}

/* Runs a fence of all processes. Returns the time from the last call to the last return, in ns, or
 * -1 if it fails. A second fence behind it ensures that all have returned when this is read; on one
 * CPU the time includes what each process does until it waits in that one. */
static double timed_fence(bool collect)
{
    bool good;

    board_stamp(STAMP_ENTERED);
    good = crew_fence(collect);
    board_stamp(STAMP_ARRIVED);
    good &= crew_fence(false);
    return good ? (double) (board_time(STAMP_ARRIVED) - board_time(STAMP_ENTERED)) : -1;
}

/* Where the time of the first fence went, by what the hosts saw: until the last host was asked,
 * until rank 0's answered, until the last process went on. A server whose clients are all of the
 * job need not ask its host. */
static void split(struct sweep *s, double took, struct board_fence host)
{
    double entered = (double) board_time(STAMP_ENTERED);

    sample_add(&s->first, took);
    if (host.asked) {
        sample_add(&s->pack, (double) host.asked - entered);
        sample_add(&s->carry, (double) (host.answered - host.asked));
        sample_add(&s->publish, took - ((double) host.answered - entered));
        sample_add(&s->handed, (double) host.bytes / s->crew->size);
    }
}

/* Fences in a row, with nothing new; the last one's time is a sample, if there is a place for it.
 */
static bool last_of_row(bool collect, struct samples *samples)
{
    bool good = true;
    double took;

    for (unsigned i = 2; i < IN_A_ROW; i++) {
        good &= crew_fence(collect);
    }
    took = timed_fence(collect);
    if (samples) {
        sample_add(samples, took);
    }
    return good && took >= 0;
}

/* Rank 0 posts while all others have posted and wait; then all fence; then rank 0 reads while they
 * wait; then they do. Who has read something wrong goes on, or the others would wait for him. Rank
 * 0, or who has, says on the board that this was the last round. */
static bool sweep_round(struct sweep *s, unsigned round)
{
    bool first = s->crew->self.rank == 0;
    struct board_fence host;
    double took, posted, looked;
    uint64_t start;
    bool good;

    prepare(s, round);
    good = first || post(s);
    good &= crew_fence(false);
    start = now_ns();
    good &= !first || post(s);
    good &= crew_fence(false);
    posted = (double) (now_ns() - start);
    took = timed_fence(true);
    host = board_fence(crew_fences() - 2);
    good &= took >= 0;
    start = now_ns();
    good &= !first || look(s);
    looked = (double) (now_ns() - start);
    if (round >= WARM_UP) {
        sample_add(&s->post, posted);
        split(s, took, host);
        sample_add(&s->read, looked);
    }
    good &= crew_fence(false);
    good &= first || look(s);
    good &= crew_fence(false);
    good &= last_of_row(true, round >= WARM_UP ? &s->last : NULL);
    if (!s->n_keys) {
        good &= last_of_row(false, round >= WARM_UP ? &s->plain : NULL);
    }
    if (!good || (first && round + 1 >= WARM_UP + ROUNDS_LEAST &&
                  now_ns() - s->begun > SECONDS_MOST * UINT64_C(1000000000))) {
        board_stamp(STAMP_ENOUGH);
    }
    return crew_fence(false) && good;
}

static void print(struct sweep *s, bool good)
{
    double bytes = (double) s->crew->size * s->n_keys * (double) s->len;

    metric("fence_first", good, &s->first);
    metric("fence_20th", good, &s->last);
    if (!s->n_keys) {
        metric("fence_plain", good, &s->plain);
    } else {
        metric("fence_post", good, &s->post);
        metric("fence_read", good, &s->read);
    }
    if (s->handed.n) {
        metric("fence_handed", good, &s->handed);
    }
    if (s->handed.n && bytes >= 65536) { /* of less it is the time of a message that counts */
        metric_one("fence_pack_per_kib", good, sample_median(&s->pack) / bytes * 1024);
        metric_one("fence_carry_per_kib", good, sample_median(&s->carry) / bytes * 1024);
        metric_one("fence_publish_per_kib", good, sample_median(&s->publish) / bytes * 1024);
    }
}

/* Arguments: keys of each process, bytes of each key. */
bool family_fence(const struct crew *crew)
{
    static struct sweep s;
    bool good = crew->argc == 2;

    s.crew = crew;
    s.n_keys = good ? (unsigned) strtoul(crew->argv[0], NULL, 10) : 0;
    s.len = good ? strtoul(crew->argv[1], NULL, 10) : 0;
    s.own = malloc(s.n_keys * s.len + 1);
    s.want = malloc(READ_OF * s.n_keys * s.len + 1);
    s.begun = now_ns();
    good = good && s.own && s.want;
    for (unsigned round = 0; round < scaled(ROUNDS) + WARM_UP && good; round++) {
        good = sweep_round(&s, round);
        if (board_time(STAMP_ENOUGH)) { /* set before the last fence of a round: all see it */
            break;
        }
    }
    if (crew->self.rank == 0 || !good) {
        print(&s, good);
    }
    free(s.own);
    free(s.want);
    return good;
}

/* ---- allgather, as a program does it that has nothing else: put, commit, fence, read all */

static bool gather(const struct crew *crew, unsigned nth, char *bytes, size_t len)
{
    char key[32];
    bool good;

    snprintf(key, sizeof(key), "bench-gather-%u", nth);
    fill(bytes, len, crew->self.rank, 0, nth);
    good = put(key, bytes, len) && PMIx_Commit() == PMIX_SUCCESS && crew_fence(true);
    for (pmix_rank_t r = 0; r < crew->size && good; r++) {
        pmix_proc_t proc = crew_proc(crew, r);

        fill(bytes, len, r, 0, nth);
        bytes[0] = (char) (bytes[0] - family_corrupts());
        good = value_is(&proc, key, bytes, len);
    }
    return good;
}

/* Argument: bytes of each process. */
bool family_allgather(const struct crew *crew)
{
    size_t len = crew->argc == 1 ? strtoul(crew->argv[0], NULL, 10) : 0;
    char *bytes = malloc(len + 1);
    uint64_t start = 0;
    double took[GATHERS] = {0};
    bool good = len && bytes && crew_fence(false);
    double all = 0;

    for (unsigned nth = 0; nth < GATHERS && good; nth++) {
        start = now_ns();
        good = gather(crew, nth, bytes, len);
        took[nth] = (double) (now_ns() - start);
        all += took[nth];
    }
    good &= crew_fence(false);
    if (crew->self.rank == 0 || !good) {
        metric_one("allgather_second", good, took[1]);
        metric_one("allgather_20th", good, took[GATHERS - 1]);
        metric_one("allgather_20", good, all);
    }
    free(bytes);
    return good;
}
