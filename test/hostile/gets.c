/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Large answers to many small requests. A process has eight connections, by raw frames asks on each
 * twenty times for a value of 8 MiB, and reads nothing. The server's memory does not grow by more
 * than what may wait for one user; another user is served meanwhile. At the end each request is
 * answered, with the whole value or with PMIX_ERR_OUT_OF_RESOURCE, on each connection for which
 * there is room in what may wait for the user; the others are lost. usage: gets */

#include "actors.h"
#include "speak.h"
#include "src/host/host.h"

#include <pmix.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CONNECTIONS = 8,
    GETS = 20,
    VALUE = 8 << 20,
    USER_QUEUE = 40 << 20,
    BESIDE = 16 << 20, /* of the server's memory: answers that are made, and buffers */
    REFUSED = 0x39     /* PMIX_ERR_OUT_OF_RESOURCE, as it is packed */
};

/* What the server of this test is told, in bytes. */
static const char *const bounds[][2] = {
    {"PMIX_MCA_shmix_send_queue_size", "25165824"},
    {"PMIX_MCA_shmix_user_queue", "41943040"},
};

static struct contact *contact;

/* --- who posts */

/* A byte of the value, which cannot be compressed much. */
static unsigned char byte_of(size_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (unsigned char) (x >> 56);
}

static char *make_value(void)
{
    char *bytes = malloc(VALUE);

    for (size_t i = 0; i < VALUE; i++) {
        bytes[i] = (char) byte_of(i);
    }
    return bytes;
}

static void post(void)
{
    char *bytes = make_value();
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, VALUE}};

    join_job(contact, "posts");
    say(PMIx_Put(PMIX_GLOBAL, "large", &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS &&
            PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS,
        "a large value is posted");
    free(bytes);
    step_done(); /* others ask for it */
    PMIx_Finalize(NULL, 0);
}

/* --- who asks by raw frames */

static void ask(int fd, uint32_t tag)
{
    static const char get[] = "\x02\x04\x02\x0cposts\0\x02\x00\x02\x00\x02\x0clarge";
    unsigned char bytes[64];

    send_all(fd, bytes, write_frame(bytes, tag, get, sizeof(get)));
}

static int connect_to(void)
{
    struct hello h = honest();

    h.nspace = "asks";
    return admitted_as(contact->env[0], &h);
}

enum result { WHOLE, TOO_MUCH, LOST, WRONG, N_RESULTS };

/* Reads the next answer. */
static enum result read_answer(int fd, const char *value)
{
    static unsigned char bytes[VALUE + 4096];
    uint32_t words[4];
    uint32_t len;
    const unsigned char *at;

    if (!receive(fd, words, sizeof(words))) {
        return LOST;
    }
    len = ntohl(words[2]);
    if (len > sizeof(bytes)) {
        return WRONG;
    }
    if (!receive(fd, bytes, len)) {
        return LOST;
    }
    if (len == 2) {
        return bytes[1] == REFUSED ? TOO_MUCH : WRONG;
    }
    at = memmem(bytes, len, value, 64);
    return at && (size_t) (bytes + len - at) >= VALUE && memcmp(at, value, VALUE) == 0 ? WHOLE
                                                                                       : WRONG;
}

/* Reads the answers to all requests of a connection, and counts them. False: it is lost. */
static bool read_all(int fd, const char *value, int *n)
{
    for (int k = 0; k < GETS; k++) {
        enum result result = read_answer(fd, value);

        n[result]++;
        if (result == LOST) {
            return false;
        }
    }
    return true;
}

static void ask_much(void)
{
    char *value = make_value();
    int fds[CONNECTIONS];
    int n[N_RESULTS] = {0};
    int kept = 0;
    bool begun = true;

    for (int i = 0; i < CONNECTIONS; i++) {
        fds[i] = connect_to();
        for (uint32_t k = 0; k < GETS; k++) {
            ask(fds[i], 101 + k);
        }
    }
    for (int i = 0; i < CONNECTIONS; i++) {
        begun = begun && readable(fds[i]);
    }
    say(begun, "the server takes notice of each connection");
    step_done(); /* another user is served meanwhile */
    for (int i = 0; i < CONNECTIONS; i++) {
        kept += read_all(fds[i], value, n);
    }
    printf("# %d values, %d refusals, %d connections lost\n", n[WHOLE], n[TOO_MUCH], n[LOST]);
    say(n[WRONG] == 0 && n[TOO_MUCH] > 0, "answers are whole, or say that it is too much");
    say(kept > 0 && n[WHOLE] >= kept, "connections for which there is room are not lost");
    for (int i = 0; i < CONNECTIONS; i++) {
        close(fds[i]);
    }
    fds[0] = connect_to();
    ask(fds[0], 101);
    say(read_answer(fds[0], value) == WHOLE, "who has read is served again");
    close(fds[0]);
    free(value);
}

/* --- another user */

static void work(void)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 7};
    pmix_value_t *got = NULL;
    pmix_proc_t self;

    join_job(contact, "works");
    PMIX_LOAD_PROCID(&self, "works", 0);
    say(PMIx_Put(PMIX_GLOBAL, "small", &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS &&
            PMIx_Fence(NULL, 0, NULL, 0) == PMIX_SUCCESS &&
            PMIx_Get(&self, "small", NULL, 0, &got) == PMIX_SUCCESS && got->data.uint32 == 7,
        "another user is served while nobody reads large answers");
    PMIX_VALUE_RELEASE(got);
    PMIx_Finalize(NULL, 0);
}

/* --- the host */

static const struct answer answers[N_ENTRIES];
static const struct px_host host = {.answers = answers};

/* The most memory that this process has had since begin_peak, in KiB; 0: not known. */
static long peak_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "re");

    while (file && fgets(line, sizeof(line), file)) {
        (void) sscanf(line, "VmHWM: %ld", &kib);
    }
    if (file) {
        (void) fclose(file);
    }
    return kib;
}

/* False: the kernel does not begin anew. */
static bool begin_peak(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    bool begun = fd >= 0 && write(fd, "5", 1) == 1;

    (void) close(fd);
    return begun;
}

static int start_server(void)
{
    if (server_start(px_host_module(&host), bounds, sizeof(bounds) / sizeof(bounds[0])) != 0) {
        return 1;
    }
    add_job("posts", FIRST);
    add_job("asks", FIRST);
    add_job("works", SECOND);
    contact_read(contact, "posts");
    return 0;
}

int main(void)
{
    struct actor posts;
    struct actor asks;
    struct actor works;
    bool counts;
    long before;
    long grown;
    int bad = 0;

    alarm(2 * ACTOR_SECONDS);
    (void) signal(SIGPIPE, SIG_IGN);
    contact = actors_memory(sizeof(*contact));
    posts = actor_start(FIRST, post);
    asks = actor_start(FIRST, ask_much);
    works = actor_start(SECOND, work);
    bad += start_server();
    actor_turn(&posts);
    bad += await_step();
    counts = begin_peak() && !getenv("PX_SANITIZED"); /* what a sanitizer keeps is not ours */
    before = peak_kib();
    actor_turn(&asks);
    bad += await_step();
    bad += actor_finish(&works);
    bad += actor_finish(&asks);
    grown = peak_kib() - before;
    printf("# the server has grown by %ld KiB at most\n", grown);
    if (counts) {
        say(grown * 1024 <= USER_QUEUE + VALUE + BESIDE, "what waits for a user is bounded");
        bad += grown * 1024 > USER_QUEUE + VALUE + BESIDE;
    }
    bad += actor_finish(&posts);
    PMIx_server_finalize();
    return bad != 0;
}
