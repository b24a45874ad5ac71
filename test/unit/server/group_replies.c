/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Clients of four releases construct and destruct one group: each gets the reply in the layout of
 * its own release, byte by byte, whatever the others are. So it is with clients of two jobs and
 * encodings.
 * Covers: GRP-028 */

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "test/hostile/speak.h"

enum { N = 4, TAG = 101, CONTEXT = 17 };

/* As they are packed: a count in front of each value, numbers in as few bytes as they need. */
#define SUCCESS "02 00"
#define MEMBERS                                                                                    \
    "02 04 08"                                                                                     \
    "08 6a6f6200 00 08 6a6f6200 01 08 6a6f6200 02 08 6a6f6200 03"
#define THE_CONTEXT "02 11"
#define TRUE        "02 01"
#define NO_INFOS    "02 00"

static const struct {
    const char *version;
    const char *module;
    const char *construct; /* the reply */
    bool members;          /* its destruct names them */
} clients[N] = {
    {"4.2.2", "v41", SUCCESS THE_CONTEXT, false},
    {"4.2.9", "v41", SUCCESS MEMBERS THE_CONTEXT, true},
    {"5.0.8", "v51", SUCCESS MEMBERS THE_CONTEXT, true},
    {"6.1.0", "v61", SUCCESS MEMBERS TRUE THE_CONTEXT NO_INFOS, true},
};

/* ---- the host */

static pmix_status_t group(pmix_group_operation_t op, char *id, const pmix_proc_t procs[],
                           size_t nprocs, const pmix_info_t info[], size_t ninfo,
                           pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    size_t context = CONTEXT;
    pmix_info_t result;

    (void) id, (void) procs, (void) nprocs, (void) info, (void) ninfo;
    PMIX_INFO_LOAD(&result, PMIX_GROUP_CONTEXT_ID, &context, PMIX_SIZE);
    cbfunc(PMIX_SUCCESS, &result, op == PMIX_GROUP_CONSTRUCT ? 1 : 0, cbdata, NULL, NULL);
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {.group = group};

static void register_job(const char *name, uint32_t size)
{
    pmix_proc_t proc;
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_LOAD_PROCID(&proc, name, 0);
    assert_int_equal(PMIx_server_register_nspace(proc.nspace, (int) size, &info, 1, NULL, NULL),
                     PMIX_SUCCESS);
    for (proc.rank = 0; proc.rank < size; proc.rank++) {
        assert_int_equal(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL),
                         PMIX_SUCCESS);
    }
}

/* Starts a server with the job; the contact string of its TCP socket, static. */
static const char *start(uint32_t size)
{
    static const char prefix[] = "PMIX_SERVER_URI41=";
    static char uri[256];
    pmix_proc_t proc;
    char **env = NULL;

    assert_int_equal(PMIx_server_init(&module, NULL, 0), PMIX_SUCCESS);
    register_job("job", size);
    PMIX_LOAD_PROCID(&proc, "job", 0);
    assert_int_equal(PMIx_server_setup_fork(&proc, &env), PMIX_SUCCESS);
    for (char **at = env; *at != NULL; at++) {
        if (strncmp(*at, prefix, sizeof(prefix) - 1) == 0) {
            snprintf(uri, sizeof(uri), "%s", *at + sizeof(prefix) - 1);
        }
    }
    PMIX_ARGV_FREE(env);
    assert_non_null(strstr(uri, ";tcp4://"));
    return uri;
}

/* ---- bytes */

/* The bytes of a text of hexadecimal digits and spaces. */
static size_t unhex(const char *hex, unsigned char *ret)
{
    size_t n = 0;

    while (*hex != '\0') {
        unsigned byte;

        if (*hex == ' ') {
            hex++;
        } else {
            assert_int_equal(sscanf(hex, "%2x", &byte), 1);
            ret[n++] = (unsigned char) byte;
            hex += 2;
        }
    }
    return n;
}

static void send_request(int fd, uint32_t tag, const char *hex)
{
    unsigned char payload[512];
    unsigned char frame[600];

    send_all(fd, frame, write_frame(frame, tag, payload, (uint32_t) unhex(hex, payload)));
}

/* The next message is that reply. */
static void expect_reply(int fd, uint32_t tag, const char *hex)
{
    unsigned char want[512];
    unsigned char got[512];
    uint32_t head[4];
    size_t n = unhex(hex, want);

    assert_true(receive(fd, head, sizeof(head)));
    assert_int_equal(ntohl(head[1]), tag);
    assert_in_range(ntohl(head[2]), 1, sizeof(got));
    assert_true(receive(fd, got, ntohl(head[2])));
    assert_int_equal(ntohl(head[2]), n);
    assert_memory_equal(got, want, n);
}

/* ---- the clients */

#define NAME      "02 04 6700" /* the group "g" */
#define THE_JOB   "02 01 02 08 6a6f6200 feffffff0f"
#define WITH_ID   "02 01 02 20 706d69782e6772702e61637478696400 00 01 01"
#define CONSTRUCT "02 18"
#define DESTRUCT  "02 1c"

static void each_release_gets_its_own_layout(void **state)
{
    const char *uri = start(N);
    int fds[N];

    (void) state;
    alarm(60);
    nspace = "job";
    for (rank = 0; rank < N; rank++) {
        struct hello h = honest();

        h.version = clients[rank].version;
        h.module = clients[rank].module;
        fds[rank] = admitted_as(uri, &h);
        assert_true(fds[rank] >= 0);
        send_request(fds[rank], TAG, CONSTRUCT NAME THE_JOB WITH_ID);
    }
    for (int i = 0; i < N; i++) {
        expect_reply(fds[i], TAG, clients[i].construct);
        send_request(fds[i], TAG + 1,
                     clients[i].members ? DESTRUCT NAME MEMBERS NO_INFOS : DESTRUCT NAME NO_INFOS);
    }
    for (int i = 0; i < N; i++) {
        expect_reply(fds[i], TAG + 1, SUCCESS);
        close(fds[i]);
    }
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

/* ---- jobs and encodings */

#define ALL_OF_JOB "08 6a6f6200 feffffff0f"
#define ALL_OF_PAL "08 70616c00 feffffff0f"

/* Members of two jobs, all with this library; one of them says the type of everything. */
static const struct {
    const char *nspace;
    uint32_t rank;
    unsigned char encoding;
    const char *construct;
    const char *other; /* the job whose information is in the reply */
    const char *own;   /* that which is not */
} members[] = {
    {"job", 0, 1, CONSTRUCT NAME "02 02 04" ALL_OF_JOB ALL_OF_PAL NO_INFOS, ALL_OF_PAL, ALL_OF_JOB},
    {"pal", 0, 1, CONSTRUCT NAME "02 02 04" ALL_OF_JOB ALL_OF_PAL NO_INFOS, ALL_OF_JOB, ALL_OF_PAL},
    {"pal", 1, 1, CONSTRUCT NAME "02 02 04" ALL_OF_JOB ALL_OF_PAL NO_INFOS, ALL_OF_JOB, ALL_OF_PAL},
    {"pal", 2, 2,
     "09 02 22 18 09 02 03 04 6700 09 02 04 02 09 04 16" ALL_OF_JOB ALL_OF_PAL "09 02 04 00",
     ALL_OF_JOB, ALL_OF_PAL},
};

enum { N_MEMBERS = sizeof(members) / sizeof(members[0]) };

/* True if these bytes are somewhere in the message. */
static bool has(const unsigned char *message, size_t len, const char *hex)
{
    unsigned char bytes[64];

    return memmem(message, len, bytes, unhex(hex, bytes)) != NULL;
}

static void expect_information(int fd, size_t i)
{
    static unsigned char got[1 << 16];
    uint32_t head[4];

    assert_true(receive(fd, head, sizeof(head)));
    assert_int_equal(ntohl(head[1]), TAG);
    assert_in_range(ntohl(head[2]), 1, sizeof(got));
    assert_true(receive(fd, got, ntohl(head[2])));
    assert_memory_equal(got, members[i].encoding == 1 ? "\2\0" : "\11\2\24\0",
                        members[i].encoding == 1 ? 2 : 4);
    assert_true(has(got, ntohl(head[2]), members[i].other));
    assert_false(has(got, ntohl(head[2]), members[i].own));
}

static void each_job_and_encoding_gets_its_own_bytes(void **state)
{
    const char *uri = start(1);
    int fds[N_MEMBERS];

    (void) state;
    alarm(60);
    register_job("pal", 3);
    for (size_t i = 0; i < N_MEMBERS; i++) {
        struct hello h;

        nspace = members[i].nspace;
        rank = members[i].rank;
        h = honest();
        h.encoding = members[i].encoding;
        h.gds = "shmix.ours";
        fds[i] = admitted_as(uri, &h);
        assert_true(fds[i] >= 0);
        send_request(fds[i], TAG, members[i].construct);
    }
    for (size_t i = 0; i < N_MEMBERS; i++) {
        expect_information(fds[i], i);
        close(fds[i]);
    }
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

/* ---- a large group, whose members are packed in several turns of the loop */

enum { LARGE = 20000, N_LARGE = 3, LARGE_BYTES = 1 << 19 };

/* Writes a message with LARGE members; `before` and `after` are what is around them. Returns its
 * length. */
static size_t make_large(unsigned char *at, const char *before, const char *after)
{
    size_t n = unhex(before, at);

    n += unhex("02", at + n);
    n += put_number(at + n, LARGE);
    n += put_number(at + n, 2 * (size_t) LARGE);
    for (size_t i = 0; i < LARGE; i++) {
        n += unhex("08 6a6f6200", at + n);
        n += put_number(at + n, i);
    }
    n += unhex(after, at + n);
    assert_true(n <= LARGE_BYTES);
    return n;
}

static void expect_large(int fd, const char *after)
{
    static unsigned char want[LARGE_BYTES];
    static unsigned char got[LARGE_BYTES];
    size_t n = make_large(want, SUCCESS, after);
    uint32_t head[4];

    assert_true(receive(fd, head, sizeof(head)));
    assert_int_equal(ntohl(head[1]), TAG);
    assert_int_equal(ntohl(head[2]), n);
    assert_true(receive(fd, got, n));
    assert_memory_equal(got, want, n);
}

static void a_large_group_is_told_whole(void **state)
{
    static const char *const versions[N_LARGE] = {"4.2.9", "6.1.0", "4.2.9"};
    static unsigned char payload[LARGE_BYTES];
    static unsigned char frame[LARGE_BYTES + 64];
    const char *uri = start(N_LARGE);
    uint32_t len = (uint32_t) make_large(payload, CONSTRUCT NAME, WITH_ID);
    int fds[N_LARGE];

    (void) state;
    alarm(60);
    nspace = "job";
    for (rank = 0; rank < N_LARGE; rank++) {
        struct hello h = honest();

        h.version = versions[rank];
        h.module = rank == 1 ? "v61" : "v41";
        fds[rank] = admitted_as(uri, &h);
        assert_true(fds[rank] >= 0);
        send_all(fds[rank], frame, write_frame(frame, TAG, payload, len));
    }
    for (int i = 0; i < N_LARGE; i++) {
        expect_large(fds[i], i == 1 ? TRUE THE_CONTEXT NO_INFOS : THE_CONTEXT);
        close(fds[i]);
    }
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_release_gets_its_own_layout),
                                       cmocka_unit_test(each_job_and_encoding_gets_its_own_bytes),
                                       cmocka_unit_test(a_large_group_is_told_whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
