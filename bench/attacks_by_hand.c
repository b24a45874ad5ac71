/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Attacks that no client of the library makes: connections and messages by hand. */

#include "attacks_priv.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/hostile/speak.h"

enum { HELD = 2000 /* connections */, TAG = 101, HEADER = 16, FAR = 1000, COMMIT = 2, GET = 4 };

/* --- connections, as many as this process may hold; then the oldest makes room */

static int readable_now(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};

    return poll(&look, 1, 0) == 1;
}

/* True if the server has closed it. */
static bool is_closed(int fd)
{
    char byte;

    return readable_now(fd) && read(fd, &byte, 1) <= 0;
}

/* The one whose place it takes shows whether the server has had enough. */
static void hold(int fd)
{
    static int held[HELD]; /* 1 more than the descriptor */
    static size_t next;
    int *place = &held[next++ % HELD];

    attack_count(fd < 0 || (*place && is_closed(*place - 1)) ? PMIX_ERR_OUT_OF_RESOURCE
                                                             : PMIX_SUCCESS);
    if (*place) {
        (void) close(*place - 1);
    }
    *place = fd + 1;
}

void attack_silent(void)
{
    hold(dial(getenv("PMIX_SHMIX_URI")));
}

void attack_silent_tcp(void)
{
    hold(dial(getenv("PMIX_SERVER_URI41")));
}

void attack_unfinished(void)
{
    unsigned char bytes[1024];
    struct hello hello = honest();
    int fd = dial(getenv("PMIX_SHMIX_URI"));

    send_all(fd, bytes, write_hello(bytes, &hello) - 1);
    hold(fd);
}

void attack_further(void)
{
    hold(admitted(getenv("PMIX_SHMIX_URI")));
}

/* --- messages, on one more connection of this process */

static int server(void)
{
    static int fd = -1;

    if (fd < 0) {
        fd = admitted(getenv("PMIX_SHMIX_URI"));
    }
    if (fd < 0) {
        fprintf(stderr, "fairness: an attacker is not let in\n");
        _exit(1);
    }
    return fd;
}

static unsigned long n_answers;

/* Reads an answer, which is a status alone if it is PMIX_ERR_OUT_OF_RESOURCE. False: the server has
 * closed. */
static bool read_answer(void)
{
    const unsigned char refused = (unsigned char) (2 * -PMIX_ERR_OUT_OF_RESOURCE - 1);
    unsigned char bytes[4096] = {0};
    uint32_t words[HEADER / 4];

    if (!receive(server(), words, sizeof(words))) {
        return false;
    }
    for (size_t left = ntohl(words[2]), n; left > 0; left -= n) {
        n = left < sizeof(bytes) ? left : sizeof(bytes);
        if (!receive(server(), bytes, n)) {
            return false;
        }
    }
    attack_note(ntohl(words[2]) == 2 && bytes[1] == refused ? PMIX_ERR_OUT_OF_RESOURCE
                                                            : PMIX_SUCCESS);
    n_answers++;
    return true;
}

static void pack(pmix_data_buffer_t *to, void *value, int32_t n, pmix_data_type_t type)
{
    if (PMIx_Data_pack(NULL, to, value, n, type) != PMIX_SUCCESS) {
        fprintf(stderr, "fairness: an attacker has no memory\n");
        _exit(1);
    }
}

/* Sends a get of a key that no process has posted. The value of its directive is unique, so that
 * the server cannot share an upcall between two gets. */
static void send_get(const char *about, pmix_rank_t target)
{
    static uint32_t number;
    static unsigned char frame[4096];
    uint8_t command = GET;
    char *job = (char *) about;
    char *key = (char *) "never";
    size_t one = 1;
    pmix_data_buffer_t message;
    pmix_info_t info;

    PMIX_DATA_BUFFER_CONSTRUCT(&message);
    PMIX_INFO_LOAD(&info, "example.directive", &number, PMIX_UINT32);
    pack(&message, &command, 1, PMIX_UINT8);
    pack(&message, &job, 1, PMIX_STRING);
    pack(&message, &target, 1, PMIX_PROC_RANK);
    pack(&message, &one, 1, PMIX_SIZE);
    pack(&message, &info, 1, PMIX_INFO);
    pack(&message, &key, 1, PMIX_STRING);
    send_all(server(), frame,
             write_frame(frame, TAG + number++, message.base_ptr, (uint32_t) message.bytes_used));
    PMIX_DATA_BUFFER_DESTRUCT(&message);
    attack_count(PMIX_SUCCESS);
}

static void send_gets(const char *about, pmix_rank_t target)
{
    for (int i = 0; i < BATCH; i++) {
        send_get(about, target);
    }
    while (readable_now(server()) && read_answer()) {
    }
}

void attack_far_gets(void)
{
    send_gets(attack_self.nspace, FAR);
    attack_state->reached |= n_answers > 0; /* the host answers, or they are too many */
}

void attack_near_gets(void)
{
    send_gets(attack_self.nspace, 1);
}

void attack_any_gets(void)
{
    send_gets(attack_self.nspace, PMIX_RANK_UNDEF);
}

void attack_job_gets(void)
{
    send_gets(ATTACKED_JOB, 0);
}

/* --- deletions */

enum { KEYS = 65536, DELETIONS = 3600000, DELETION = 8 };

static void post_keys(void)
{
    char key[8];

    for (int i = 0; i < KEYS; i++) {
        pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = (uint32_t) i};

        snprintf(key, sizeof(key), "%04x", i);
        (void) PMIx_Put(PMIX_GLOBAL, key, &value);
    }
    (void) PMIx_Commit();
    attack_post();
}

/* A commit whose one block has the deletions, each key again and again. *ret_len: of the frame. */
static unsigned char *make_deletions(size_t *ret_len)
{
    unsigned char *frame = malloc(HEADER + 64 + (size_t) DELETIONS * DELETION);
    const unsigned char block[] = {2, COMMIT, 2, PMIX_DEL_GLOBAL, 2, 1};
    uint32_t words[HEADER / 4] = {0, htonl(TAG)};
    size_t n = HEADER;

    if (!frame) {
        return NULL;
    }
    n += put(frame + n, block, sizeof(block));
    n += put_number(frame + n, (size_t) DELETIONS * DELETION);
    for (unsigned i = 0; i < DELETIONS; i++) {
        char key[8];

        snprintf(key, sizeof(key), "%04x", i % KEYS);
        n += put(frame + n, "\x02\x0a", 2); /* a string of five bytes */
        n += put_string(frame + n, key);
        frame[n++] = PMIX_UNDEF;
    }
    words[2] = htonl((uint32_t) (n - HEADER));
    memcpy(frame, words, HEADER);
    *ret_len = n;
    return frame;
}

void attack_deletions(void)
{
    static unsigned char *frame;
    static size_t len;

    if (!frame) {
        frame = make_deletions(&len);
    }
    post_keys();
    send_all(server(), frame, frame ? len : 0);
    attack_count(PMIX_SUCCESS);
    (void) read_answer();
}
