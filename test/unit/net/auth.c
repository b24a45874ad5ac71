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

#include "src/base/param.h"
#include "src/net/auth.h"
#include "src/net/dial.h"

enum { UID = 1000, GID = 100, OTHER = 1001 };

static const struct px_peer_cred unix_good = {true, UID, GID, 12345, 0};
static const struct px_peer_cred unix_other_uid = {true, OTHER, GID, 12345, 0};
static const struct px_peer_cred unix_other_gid = {true, UID, OTHER, 12345, 0};
static const struct px_peer_cred tcp_good = {true, UID, (gid_t) -1, 0, 0};
static const struct px_peer_cred tcp_other = {true, OTHER, (gid_t) -1, 0, 0};
static const struct px_peer_cred tcp_nobody = {true, (uid_t) -1, (gid_t) -1, 0, 0};
static const struct px_peer_cred tcp_proved = {true, UID, GID, 12345, 0};
static const struct px_peer_cred tcp_other_gid = {true, UID, OTHER, 12345, 0};
static const struct px_peer_cred unknown = {false, (uid_t) -1, (gid_t) -1, 0, 0};

static struct px_handshake claim(const char *psec, const uint32_t *ids, size_t len)
{
    struct px_handshake handshake = {.cred = ids, .cred_len = len};

    strcpy(handshake.psec, psec);
    return handshake;
}

static int check(const char *psec, uint32_t uid, uint32_t gid, size_t len,
                 const struct px_peer_cred *peer_cred)
{
    uint32_t ids[3] = {uid, gid, 0};
    struct px_handshake handshake = claim(psec, ids, len);
    struct px_peer_cred them = *peer_cred;

    return px_auth_check(&handshake, &them, UID, GID);
}

static int use_psec(const char *value)
{
    if (value ? setenv("PMIX_MCA_psec", value, 1) : unsetenv("PMIX_MCA_psec")) {
        return -1;
    }
    return px_param_load();
}

static int trust_claims(bool yes)
{
    if (yes ? setenv("PMIX_MCA_shmix_trust_claims", "1", 1)
            : unsetenv("PMIX_MCA_shmix_trust_claims")) {
        return -1;
    }
    return px_param_load();
}

static int clean(void **state)
{
    (void) state;
    return use_psec(NULL) || trust_claims(false);
}

static void the_truth_is_believed(void **state)
{
    (void) state;
    assert_int_equal(check("native", UID, GID, 8, &unix_good), 0);
    assert_int_equal(check("native", 0, 0, 0, &unix_good), 0);
    assert_int_equal(check("native", UID, GID, 8, &tcp_good), 0);
    assert_int_equal(check("native", UID, GID, 8, &tcp_proved), 0);
}

static void lies_are_not(void **state)
{
    (void) state;
    assert_int_equal(check("native", UID, GID, 8, &unix_other_uid), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", UID, GID, 8, &unix_other_gid), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", 0, 0, 0, &unix_other_uid), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", UID, GID, 8, &tcp_other), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", UID, GID, 8, &tcp_other_gid), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", UID, GID, 8, &tcp_nobody), PMIX_ERR_INVALID_CRED);
}

/* A container has ids of its own and claims these: the kernel's word stands in their place. */
static void the_kernels_word_replaces_the_claim(void **state)
{
    static const struct px_peer_cred *const whos[] = {&unix_good, &tcp_good, &tcp_proved};

    (void) state;
    for (size_t i = 0; i < sizeof(whos) / sizeof(whos[0]); i++) {
        assert_int_equal(check("native", 0, 0, 8, whos[i]), 0);
        assert_int_equal(check("native", OTHER, GID, 8, whos[i]), 0);
        assert_int_equal(check("native", UID, 65534, 8, whos[i]), 0);
    }
    /* Of a group that nobody proves, a claim with the right user is not ignored. */
    assert_int_equal(check("native", UID, OTHER, 8, &unix_good), 0);
    assert_int_equal(check("native", UID, OTHER, 8, &tcp_proved), 0);
    assert_int_equal(check("native", UID, OTHER, 8, &tcp_good), PMIX_ERR_INVALID_CRED);
}

static void a_claim_alone_is_nobodys(void **state)
{
    (void) state;
    assert_int_equal(check("native", UID, GID, 8, &unknown), PMIX_ERR_INVALID_CRED);
    assert_int_equal(use_psec("native,none"), 0);
    assert_int_equal(check("none", UID, GID, 0, &unknown), PMIX_ERR_INVALID_CRED);
    assert_int_equal(use_psec(NULL), 0);
    assert_int_equal(trust_claims(true), 0);
    assert_int_equal(check("native", UID, GID, 8, &unknown), 0);
    assert_int_equal(check("native", OTHER, GID, 8, &unknown), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", UID, OTHER, 8, &unknown), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", UID, GID, 8, &tcp_nobody), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", UID, GID, 8, &tcp_other), PMIX_ERR_INVALID_CRED);
    assert_int_equal(use_psec("none"), 0);
    assert_int_equal(check("none", UID, GID, 0, &unknown), PMIX_ERR_INVALID_CRED);
}

/* Of a claim that is believed, and of a word of the kernel that says less than the claim. */
static void who_it_is(void **state)
{
    uint32_t ids[2] = {OTHER, 4711};
    struct px_handshake handshake = claim("native", ids, sizeof(ids));
    struct px_peer_cred peer_cred = tcp_good;

    (void) state;
    assert_int_equal(px_auth_identify(&handshake, &peer_cred), 0);
    assert_int_equal(peer_cred.uid, UID);
    assert_int_equal(peer_cred.gid, (gid_t) -1);
    peer_cred = unknown;
    assert_int_equal(px_auth_identify(&handshake, &peer_cred), PMIX_ERR_INVALID_CRED);
    assert_int_equal(trust_claims(true), 0);
    assert_int_equal(px_auth_identify(&handshake, &peer_cred), 0);
    assert_int_equal(peer_cred.uid, OTHER);
    assert_int_equal(peer_cred.gid, 4711);
    assert_false(peer_cred.known);
}

/* A caller that accepts whoever it is must not get one whom the kernel does not know. */
static void nobody_is_never_right(void **state)
{
    uint32_t ids[2] = {UINT32_MAX, GID};
    struct px_handshake handshake = claim("native", ids, sizeof(ids));
    struct px_peer_cred peer_cred = tcp_nobody;

    (void) state;
    assert_int_equal(px_auth_check(&handshake, &peer_cred, (uid_t) -1, GID), PMIX_ERR_INVALID_CRED);
    assert_int_equal(trust_claims(true), 0);
    peer_cred = unknown;
    assert_int_equal(px_auth_check(&handshake, &peer_cred, (uid_t) -1, GID), PMIX_ERR_INVALID_CRED);
}

static void shapes_of_a_credential(void **state)
{
    (void) state;
    for (size_t len = 0; len <= 12; len++) {
        int rc = len == 8 ? 0 : PMIX_ERR_INVALID_CRED;

        assert_int_equal(check("native", UID, GID, len, &tcp_good), rc);
        assert_int_equal(check("native", UID, GID, len, &unix_good), len == 0 ? 0 : rc);
    }
    assert_int_equal(trust_claims(true), 0);
    for (size_t len = 0; len <= 12; len++) {
        assert_int_equal(check("native", UID, GID, len, &unknown),
                         len == 8 ? 0 : PMIX_ERR_INVALID_CRED);
    }
}

static void modules(void **state)
{
    (void) state;
    assert_int_equal(check("nonesuch", UID, GID, 8, &unix_good), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(check("", UID, GID, 8, &unix_good), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(check("none", UID, GID, 0, &unix_good), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(use_psec("none"), 0);
    assert_int_equal(check("none", UID, GID, 0, &unix_good), 0);
    assert_int_equal(check("none", UID, GID, 0, &unix_other_uid), PMIX_ERR_INVALID_CRED);
    assert_int_equal(check("native", UID, GID, 8, &unix_good), PMIX_ERR_NOT_SUPPORTED);
    assert_string_equal(px_auth_modes(), "none");
    assert_int_equal(use_psec("^native"), 0);
    assert_int_equal(check("native", UID, GID, 8, &unix_good), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(check("none", UID, GID, 0, &unix_good), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(use_psec("^munge"), 0);
    assert_int_equal(check("native", UID, GID, 8, &unix_good), 0);
    assert_int_equal(check("munge", UID, GID, 8, &unix_good), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(check("none", UID, GID, 0, &unix_good), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(use_psec("native"), 0);
    assert_string_equal(px_auth_modes(), "native");
    assert_int_equal(use_psec(NULL), 0);
    assert_string_equal(px_auth_modes(), "native"); /* whether the machine has munge or not */
}

/* Whether the machine has munge or not, noise is never a credential of it. */
static void forged_munge(void **state)
{
    struct px_handshake handshake = claim("munge", (const uint32_t *) "MUNGE:AwQDAAB:", 15);
    struct px_peer_cred peer_cred = unix_good;
    int rc = px_auth_check(&handshake, &peer_cred, UID, GID);

    (void) state;
    assert_true(rc == PMIX_ERR_INVALID_CRED || rc == PMIX_ERR_NOT_SUPPORTED);
    handshake.cred_len = 5; /* no end */
    rc = px_auth_check(&handshake, &peer_cred, UID, GID);
    assert_int_equal(rc, PMIX_ERR_INVALID_CRED);
    handshake.cred_len = 0;
    handshake.cred = NULL;
    assert_int_equal(px_auth_check(&handshake, &peer_cred, UID, GID), PMIX_ERR_INVALID_CRED);
}

static void what_we_claim(void **state)
{
    struct px_handshake handshake = {.flag = PX_HANDSHAKE_CLIENT};
    struct px_peer_cred me = {true, geteuid(), getegid(), getpid(), 0};
    unsigned char room[1024];

    (void) state;
    assert_int_equal(px_credential(NULL, &handshake, room, sizeof(room)), 0);
    assert_string_equal(handshake.psec, "native");
    assert_int_equal(handshake.cred_len, 8);
    assert_int_equal(handshake.uid, geteuid());
    assert_int_equal(handshake.gid, getegid());
    assert_int_equal(px_auth_check(&handshake, &me, geteuid(), getegid()), 0);
    assert_int_equal(px_credential("munge,native", &handshake, room, sizeof(room)), 0);
    assert_string_equal(handshake.psec, "native");
    assert_int_equal(px_credential("nonesuch", &handshake, room, sizeof(room)),
                     PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_credential("none", &handshake, room, sizeof(room)), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_credential("", &handshake, room, sizeof(room)), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(px_credential("native", &handshake, room, 7), PMIX_ERR_NOT_SUPPORTED);
    assert_int_equal(use_psec("none"), 0);
    assert_int_equal(px_credential("native,none", &handshake, room, sizeof(room)), 0);
    assert_string_equal(handshake.psec, "none");
    assert_int_equal(handshake.cred_len, 0);
}

/* Only where a munge daemon runs. */
static void real_munge(void **state)
{
    struct px_handshake handshake = {.flag = PX_HANDSHAKE_CLIENT};
    struct px_peer_cred me = {true, geteuid(), getegid(), getpid(), 0};
    unsigned char room[1024];

    (void) state;
    assert_int_equal(use_psec("munge"), 0);
    if (!px_handshake_names(px_auth_modes(), "munge")) {
        skip();
    }
    assert_int_equal(px_credential("munge,native", &handshake, room, sizeof(room)), 0);
    assert_string_equal(handshake.psec, "munge");
    assert_int_equal(px_auth_check(&handshake, &me, geteuid(), getegid()), 0);
    assert_int_equal(px_auth_check(&handshake, &me, geteuid(), getegid()),
                     PMIX_ERR_INVALID_CRED); /* used twice */
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, clean, clean)
    const struct CMUnitTest tests[] = {
        T(the_truth_is_believed),
        T(lies_are_not),
        T(the_kernels_word_replaces_the_claim),
        T(a_claim_alone_is_nobodys),
        T(who_it_is),
        T(nobody_is_never_right),
        T(shapes_of_a_credential),
        T(modules),
        T(forged_munge),
        T(what_we_claim),
        T(real_munge),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
