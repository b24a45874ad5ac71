/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/net/handshake.h"
#include "src/wire/messages.h"

enum { HEADER = 16 };

static struct px_handshake sample(enum px_handshake_flag flag)
{
    static const char cred[8] = "uuuugggg";
    struct px_handshake handshake = {
        .cred = cred,
        .cred_len = sizeof(cred),
        .flag = flag,
        .uid = flag == PX_HANDSHAKE_CLIENT ? 0 : 1000,
        .gid = flag == PX_HANDSHAKE_CLIENT ? 0 : 100,
        .kind = PX_WIRE_PLAIN,
        .blob = "\2\2\4\1blob",
        .blob_len = 8,
    };

    strcpy(handshake.psec, "native");
    strcpy(handshake.version, "5.0.0");
    strcpy(handshake.bfrops, "v41");
    strcpy(handshake.gds, "shmix,hash");
    strcpy(handshake.proc.nspace, "JOB.1");
    handshake.proc.rank = 17;
    return handshake;
}

static bool names_a_proc(enum px_handshake_flag flag)
{
    return flag == 0 || flag == 4 || flag == 5 || flag >= 7;
}

static void every_flag_makes_the_trip(void **state)
{
    (void) state;
    for (int flag = 0; flag <= PX_HANDSHAKE_SCHEDULER; flag++) {
        struct px_handshake sent = sample((enum px_handshake_flag) flag);
        struct px_handshake got;
        struct px_buf buf = {0};
        uint32_t header[4];

        sent.kind = flag % 2 ? PX_WIRE_PLAIN : PX_WIRE_DESCRIBED;
        px_buf_append(&buf, "in front", 8);
        assert_int_equal(px_handshake_pack(&sent, &buf), 0);
        memcpy(header, buf.data + 8, sizeof(header));
        assert_int_equal(header[0], UINT32_MAX);
        assert_int_equal(header[1], UINT32_MAX);
        assert_int_equal(header[2], buf.len - 8 - HEADER);
        assert_int_equal(header[3], 0);
        assert_int_equal(px_handshake_parse(buf.data + 8 + HEADER, header[2], &got), 0);
        assert_string_equal(got.psec, "native");
        assert_int_equal(got.cred_len, 8);
        assert_memory_equal(got.cred, "uuuugggg", 8);
        assert_int_equal(got.flag, flag);
        assert_int_equal(got.uid, sent.uid);
        assert_int_equal(got.gid, sent.gid);
        assert_string_equal(got.proc.nspace, names_a_proc(sent.flag) ? "JOB.1" : "");
        assert_int_equal(got.proc.rank, names_a_proc(sent.flag) ? 17 : 0);
        assert_string_equal(got.version, "5.0.0");
        assert_int_equal(got.version_major, 5);
        assert_int_equal(got.kind, sent.kind);
        assert_string_equal(got.bfrops, "v41");
        assert_string_equal(got.gds, "shmix,hash");
        assert_int_equal(got.blob_len, 8);
        assert_memory_equal(got.blob, "\2\2\4\1blob", 8);
        px_buf_fini(&buf);
    }
}

/* What a 6.1.0 client sends. */
static void bytes_of_a_real_client(void **state)
{
    static const char body[] = "native\0"
                               "\0\0\0\10"
                               "\350\3\0\0\350\3\0\0"
                               "\0"
                               "JOB1\0"
                               "\0\0\0\2"
                               "6.1.0\0"
                               "v61\0"
                               "\1"
                               "shmem2\0"
                               "\2\2\4\24pmix.ppid";
    struct px_handshake got;

    (void) state;
    assert_int_equal(px_handshake_parse(body, sizeof(body) - 1, &got), 0);
    assert_string_equal(got.proc.nspace, "JOB1");
    assert_int_equal(got.proc.rank, 2);
    assert_int_equal(got.version_major, 6);
    assert_int_equal(got.version_minor, 1);
    assert_int_equal(got.version_release, 0);
    assert_string_equal(got.bfrops, "v61");
    assert_string_equal(got.gds, "shmem2");
    assert_int_equal(got.blob_len, 13);
}

static void the_stray_byte_is_no_blob(void **state)
{
    struct px_handshake sent = sample(PX_HANDSHAKE_CLIENT);
    struct px_handshake got;
    struct px_buf buf = {0};

    (void) state;
    sent.blob = NULL;
    assert_int_equal(px_handshake_pack(&sent, &buf), 0);
    assert_int_equal(px_handshake_parse(buf.data + HEADER, buf.len - HEADER, &got), 0);
    assert_null(got.blob);
    px_buf_byte(&buf, 0);
    assert_int_equal(px_handshake_parse(buf.data + HEADER, buf.len - HEADER, &got), 0);
    assert_null(got.blob);
    assert_int_equal(got.blob_len, 0);
    px_buf_byte(&buf, 9);
    assert_int_equal(px_handshake_parse(buf.data + HEADER, buf.len - HEADER, &got), 0);
    assert_int_equal(got.blob_len, 2);
    px_buf_fini(&buf);
}

/* Exactly sized copies, so that a sanitizer sees a read past the end. */
static int parse_copy(const void *bytes, size_t len, struct px_handshake *got)
{
    void *copy = malloc(len ? len : 1);
    int rc;

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    rc = px_handshake_parse(copy, len, got);
    free(copy);
    return rc;
}

static void every_truncation_is_refused(void **state)
{
    (void) state;
    for (int flag = 0; flag <= PX_HANDSHAKE_SCHEDULER; flag++) {
        struct px_handshake sent = sample((enum px_handshake_flag) flag);
        struct px_handshake got = {.flag = 99};
        struct px_buf buf = {0};

        sent.blob = NULL;
        assert_int_equal(px_handshake_pack(&sent, &buf), 0);
        for (size_t len = 0; len < buf.len - HEADER; len++) {
            assert_int_equal(parse_copy(buf.data + HEADER, len, &got), PMIX_ERR_UNPACK_FAILURE);
            assert_int_equal(got.flag, 99); /* untouched */
        }
        px_buf_fini(&buf);
    }
}

/* A flag one beyond the last, with everything behind it that a handshake has: what that flag would
 * announce is not known. */
static void an_unknown_flag_is_refused(void **state)
{
    struct px_handshake sent = sample((enum px_handshake_flag)(PX_HANDSHAKE_SCHEDULER + 1));
    struct px_handshake got = {.flag = 99};
    struct px_buf buf = {0};

    (void) state;
    assert_int_equal(px_handshake_pack(&sent, &buf), 0);
    assert_int_equal(parse_copy(buf.data + HEADER, buf.len - HEADER, &got),
                     PMIX_ERR_UNPACK_FAILURE);
    assert_int_equal(got.flag, 99);
    px_buf_fini(&buf);
}

/* Replaces the text at the first place where `from` stands. */
static void refuse_with(const char *from, size_t from_len, const char *to, size_t to_len)
{
    struct px_handshake sent = sample(PX_HANDSHAKE_CLIENT);
    struct px_handshake got;
    struct px_buf buf = {0};
    struct px_buf changed = {0};
    unsigned char *at;
    size_t before;

    assert_int_equal(px_handshake_pack(&sent, &buf), 0);
    at = memmem(buf.data + HEADER, buf.len - HEADER, from, from_len);
    assert_non_null(at);
    before = (size_t) (at - buf.data) - HEADER;
    px_buf_append(&changed, buf.data + HEADER, before);
    px_buf_append(&changed, to, to_len);
    px_buf_append(&changed, at + from_len, buf.len - HEADER - before - from_len);
    assert_int_equal(parse_copy(changed.data, changed.len, &got), PMIX_ERR_UNPACK_FAILURE);
    px_buf_fini(&buf);
    px_buf_fini(&changed);
}

static void fields_that_do_not_fit(void **state)
{
    char big[400];

    (void) state;
    memset(big, 'x', sizeof(big));
    refuse_with("native", 6, big, 64);
    refuse_with("JOB.1", 5, big, 256);
    refuse_with("5.0.0", 5, big, 64);
    refuse_with("v41", 3, big, 64);
    refuse_with("shmix,hash", 10, big, 256);
    refuse_with("\0\0\0\10uuuu", 8, "\0\1\0\0uuuu", 8);
    refuse_with("\0\0\0\10uuuu", 8, "\377\377\377\377uuuu", 8);
    refuse_with("gggg\0", 5, "gggg\13", 5); /* no such flag */
    refuse_with("gggg\0", 5, "gggg\377", 5);
    refuse_with("v41\0\1", 5, "v41\0\0", 5); /* no such buffer type */
    refuse_with("v41\0\1", 5, "v41\0\3", 5);
}

static void too_much_to_say(void **state)
{
    static char big[PX_HANDSHAKE_MAX];
    struct px_handshake sent = sample(PX_HANDSHAKE_CLIENT);
    struct px_buf buf = {0};

    (void) state;
    sent.blob = big;
    sent.blob_len = sizeof(big);
    assert_int_equal(px_handshake_pack(&sent, &buf), PMIX_ERR_BAD_PARAM);
    px_buf_fini(&buf);
    sent.blob_len = SIZE_MAX;
    assert_int_equal(px_handshake_pack(&sent, &buf), PMIX_ERR_BAD_PARAM);
    px_buf_fini(&buf);
}

static void versions(void **state)
{
    static const struct {
        const char *text;
        unsigned parts[3];
    } cases[] = {
        {"4.2.2rc2", {4, 2, 2}},
        {"v5.0.8a1", {5, 0, 8}},
        {"6", {6, 0, 0}},
        {"6.", {6, 0, 0}},
        {"", {0, 0, 0}},
        {"-1.2", {0, 0, 0}},
        {"99999999999.1", {65535, 1, 0}},
        {"3-1-4-1", {3, 1, 4}},
        {"x", {0, 0, 0}},
        {"v", {0, 0, 0}},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct px_handshake sent = sample(PX_HANDSHAKE_CLIENT);
        struct px_handshake got;
        struct px_buf buf = {0};

        strcpy(sent.version, cases[i].text);
        assert_int_equal(px_handshake_pack(&sent, &buf), 0);
        assert_int_equal(px_handshake_parse(buf.data + HEADER, buf.len - HEADER, &got), 0);
        assert_int_equal(got.version_major, cases[i].parts[0]);
        assert_int_equal(got.version_minor, cases[i].parts[1]);
        assert_int_equal(got.version_release, cases[i].parts[2]);
        px_buf_fini(&buf);
    }
}

static void noise_is_survived(void **state)
{
    uint64_t seed = 12345;
    struct px_handshake sent = sample(PX_HANDSHAKE_LAUNCHER);
    struct px_buf buf = {0};

    (void) state;
    assert_int_equal(px_handshake_pack(&sent, &buf), 0);
    for (int round = 0; round < 20000; round++) {
        unsigned char copy[512];
        struct px_handshake got;
        size_t len = buf.len - HEADER;

        memcpy(copy, buf.data + HEADER, len);
        for (int k = 0; k < 1 + round % 4; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            copy[(seed >> 33) % len] = (unsigned char) (seed >> 20);
        }
        if (parse_copy(copy, len, &got) == PMIX_SUCCESS) {
            assert_true(strlen(got.psec) <= PX_HANDSHAKE_NAME_MAX &&
                        strlen(got.gds) < sizeof(got.gds));
            assert_true(got.cred_len + got.blob_len <= len);
        }
    }
    px_buf_fini(&buf);
}

static void lists(void **state)
{
    (void) state;
    assert_true(px_handshake_names("shmix,hash", "hash"));
    assert_true(px_handshake_names("shmix,hash", "shmix"));
    assert_false(px_handshake_names("shmix,hash", "shm"));
    assert_false(px_handshake_names("shmix,hash", "hashes"));
    assert_false(px_handshake_names("", "hash"));
    assert_false(px_handshake_names(NULL, "hash"));
    assert_true(px_handshake_names(",,hash", "hash"));
    assert_false(px_handshake_names("hash2,has", "hash"));
}

static pid_t pid_behind(size_t n)
{
    pmix_info_t *infos = PMIx_Info_create(n + 1);
    struct px_handshake got = sample(PX_HANDSHAKE_CLIENT);
    struct px_buf buf = {0};
    pid_t pid = 17;

    assert_non_null(infos);
    for (size_t i = 0; i < n; i++) {
        PMIx_Info_load(&infos[i], "a.claim.of.a.stranger", NULL, PMIX_BOOL);
    }
    PMIx_Info_load(&infos[n], PMIX_PROC_PID, &pid, PMIX_PID);
    assert_int_equal(px_pack_infos(&buf, got.kind, infos, n + 1), 0);
    got.blob = buf.data;
    got.blob_len = buf.len;
    pid = px_handshake_pid(&got);
    px_buf_fini(&buf);
    PMIx_Info_free(infos, n + 1);
    return pid;
}

/* Of who is not known yet, no more is read than honest peers say. */
static void a_claim_among_many(void **state)
{
    (void) state;
    assert_int_equal(pid_behind(0), 17);
    assert_int_equal(pid_behind(50), 17);
    assert_int_equal(pid_behind(1000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flag_makes_the_trip),
        cmocka_unit_test(bytes_of_a_real_client),
        cmocka_unit_test(the_stray_byte_is_no_blob),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(an_unknown_flag_is_refused),
        cmocka_unit_test(fields_that_do_not_fit),
        cmocka_unit_test(too_much_to_say),
        cmocka_unit_test(versions),
        cmocka_unit_test(noise_is_survived),
        cmocka_unit_test(lists),
        cmocka_unit_test(a_claim_among_many),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
