/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a fence has collected, brought in pieces: FEN-006. The server is a script, which may be a
 * stock one, and may answer anything. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"
#include "src/client/data/get.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"

/* The reply to one request for what was collected. */
struct piece {
    pmix_status_t status;
    const char *key; /* of the number at its head */
    uint64_t reached;
    pmix_rank_t next;
    pmix_rank_t rank;   /* whose value "k" it has */
    const char *behind; /* rubbish at its end, or NULL */
    bool hang_up;       /* the connection is lost instead */
};

static const char *named; /* in the reply to a fence; NULL: no namespace */
static const struct piece *pieces;
static size_t n_pieces;
/* Of the requests for pieces, in their order. */
static _Atomic size_t n_asked;
static pmix_rank_t asked_from[8];
static uint64_t asked_since[8];

static void pack_piece(struct px_buf *reply, const struct piece *piece)
{
    pmix_value_t reached = {.type = PMIX_UINT64, .data.uint64 = piece->reached};
    pmix_value_t scope = {.type = PMIX_SCOPE, .data.scope = PMIX_GLOBAL};
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 10 + piece->rank};
    pmix_value_t none = {.type = PMIX_UNDEF};
    struct px_buf blob = {0};
    pmix_proc_t owner;

    (void) px_pack_status(reply, PX_WIRE_PLAIN, piece->status);
    if (piece->status != PMIX_SUCCESS) {
        return;
    }
    PMIx_Load_procid(&owner, "job", piece->rank);
    (void) px_pack_kval(reply, PX_WIRE_PLAIN, piece->key, &reached);
    (void) px_pack_rank(reply, PX_WIRE_PLAIN, piece->next);
    (void) px_pack(&blob, PX_WIRE_PLAIN, PMIX_PROC, &owner, 1);
    (void) px_pack_kval(&blob, PX_WIRE_PLAIN, PX_KEY_SCOPE, &scope);
    (void) px_pack_kval(&blob, PX_WIRE_PLAIN, "k", &value);
    scope.data.scope = PMIX_REMOTE;
    (void) px_pack_kval(&blob, PX_WIRE_PLAIN, PX_KEY_SCOPE, &scope);
    (void) px_pack_kval(&blob, PX_WIRE_PLAIN, "hidden", &none);
    (void) px_pack_bytes(reply, PX_WIRE_PLAIN, blob.data, blob.len);
    px_buf_fini(&blob);
    if (piece->behind != NULL) {
        px_buf_append(reply, piece->behind, strlen(piece->behind));
    }
}

/* Notes what a GET of a piece asks for. False: it is another request. */
static bool read_request(struct px_in *in)
{
    pmix_info_t *info = NULL;
    size_t n = 0;
    pmix_rank_t rank;
    char *nspace = NULL;
    bool asks;

    assert_int_equal(px_unpack_string(in, &nspace), 0);
    assert_int_equal(px_unpack_rank(in, &rank), 0);
    assert_int_equal(px_unpack_infos(in, &info, &n), 0);
    asks = n == 1 && strcmp(info[0].key, PX_KEY_COLLECTED) == 0;
    if (asks) {
        assert_string_equal(nspace, "job");
        assert_true(n_asked < 8);
        asked_from[n_asked] = rank;
        asked_since[n_asked] = info[0].value.data.uint64;
        n_asked++;
    }
    PMIx_Info_free(info, n);
    free(nspace);
    return asks;
}

static bool collecting(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    if (command == PX_CMD_FENCE) {
        (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
        if (named != NULL) {
            (void) px_pack_string(reply, PX_WIRE_PLAIN, named);
        }
    } else if (command == PX_CMD_GET && read_request(in) && n_asked <= n_pieces) {
        if (pieces[n_asked - 1].hang_up) {
            script_hang_up_loop(NULL);
            return false;
        }
        pack_piece(reply, &pieces[n_asked - 1]);
    } else {
        (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_ERR_NOT_FOUND);
    }
    return true;
}

static void open_at(bool ours, const char *nspace, const struct piece *script_pieces, size_t n)
{
    if (ours) {
        setenv("PMIX_SHMIX_GDS", "hash", 1);
    } else {
        unsetenv("PMIX_SHMIX_GDS");
    }
    named = nspace;
    pieces = script_pieces;
    n_pieces = n;
    n_asked = 0;
    client_open("5.0.0", collecting);
}

static void op_done(pmix_status_t status, void *cbdata)
{
    px_wait_done(cbdata, status);
}

static void fence(void)
{
    struct px_wait wait;

    px_wait_init(&wait);
    assert_int_equal(script_fence(op_done, &wait), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&wait), PMIX_SUCCESS);
}

/* What is here of a key. */
static pmix_status_t here(pmix_rank_t rank, const char *key)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    pmix_info_t info;
    bool yes = true;
    pmix_status_t rc;

    PMIx_Load_procid(&proc, "job", rank);
    PMIx_Info_construct(&info);
    PMIx_Info_load(&info, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    rc = px_client_get_local(px_session(ctx), &proc, key, &info, 1, &value);
    if (rc == PMIX_SUCCESS) {
        assert_int_equal(value->data.uint32, 10 + rank);
        PMIx_Value_free(value, 1);
    }
    return rc;
}

static void piece_by_piece(void **state)
{
    static const struct piece two[] = {
        {.key = PX_KEY_COLLECTED, .reached = 7, .next = 2, .rank = 1},
        {.key = PX_KEY_COLLECTED, .reached = 9, .next = PMIX_RANK_INVALID, .rank = 3},
        {.key = PX_KEY_COLLECTED, .reached = 9, .next = PMIX_RANK_INVALID, .rank = 2},
    };

    (void) state;
    open_at(true, "job", two, 3);
    fence();
    assert_int_equal(n_asked, 2);
    assert_int_equal(asked_from[0], 0);
    assert_int_equal(asked_since[0], 0);
    assert_int_equal(asked_from[1], 2);
    assert_int_equal(asked_since[1], 0);
    assert_int_equal(here(1, "k"), PMIX_SUCCESS);
    assert_int_equal(here(3, "k"), PMIX_SUCCESS);
    assert_int_equal(here(3, "hidden"), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    assert_int_equal(here(2, "k"), PMIX_ERR_NOT_FOUND);
    fence(); /* what has changed since the first piece was made */
    assert_int_equal(n_asked, 3);
    assert_int_equal(asked_from[2], 0);
    assert_int_equal(asked_since[2], 7);
    assert_int_equal(here(2, "k"), PMIX_SUCCESS);
    client_close();
}

/* The fence succeeds in any case, and asks once for what cannot be brought. */
static void bad_pieces(void **state)
{
    static const struct piece bad[] = {
        {.status = PMIX_ERR_NOT_FOUND},
        {.status = PMIX_ERR_NOMEM},
        {.key = "other", .next = PMIX_RANK_INVALID, .rank = 1},
        {.key = PX_KEY_COLLECTED, .next = 0, .rank = 1}, /* goes on where it began */
        {.key = PX_KEY_COLLECTED, .next = PMIX_RANK_INVALID, .rank = 1, .behind = "\x02\xff\xff"},
        {.hang_up = true},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        open_at(true, "job", &bad[i], 1);
        fence();
        assert_int_equal(n_asked, 1);
        if (bad[i].hang_up) {
            while (px_session_server(px_session(ctx)) != NULL) {
            }
        } else {
            fence();
            assert_int_equal(n_asked, 2);
            assert_int_equal(asked_since[1], 0); /* nothing is known to be here */
        }
        client_close();
    }
}

/* A piece that goes back, behind one that is good. */
static void going_back(void **state)
{
    static const struct piece back[] = {
        {.key = PX_KEY_COLLECTED, .reached = 7, .next = 2, .rank = 1},
        {.key = PX_KEY_COLLECTED, .reached = 9, .next = 2, .rank = 3},
    };

    (void) state;
    open_at(true, "job", back, 2);
    fence();
    assert_int_equal(n_asked, 2);
    assert_int_equal(here(1, "k"), PMIX_SUCCESS);
    client_close();
}

static void names(void **state)
{
    static const struct piece none = {.status = PMIX_ERR_NOT_FOUND};
    char longest[PMIX_MAX_NSLEN + 2];

    (void) state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    open_at(true, longest, &none, 1);
    fence();
    assert_int_equal(n_asked, 0);
    client_close();
    open_at(true, "", &none, 1);
    fence();
    assert_int_equal(n_asked, 0);
    client_close();
    open_at(true, NULL, &none, 1);
    fence();
    assert_int_equal(n_asked, 0);
    client_close();
    open_at(false, "job", &none, 1); /* of another implementation: it means something else */
    fence();
    assert_int_equal(n_asked, 0);
    client_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piece_by_piece),
        cmocka_unit_test(bad_pieces),
        cmocka_unit_test(going_back),
        cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, script_limit, NULL);
}
