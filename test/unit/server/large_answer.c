/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Answers with large values, which are copied in several turns of the loop: each of the turns
 * copies little, and the answer has what was there when it was packed. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

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

#include "getter.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/publication.h"
#include "src/server/data/answer.h"
#include "src/server/data/answer_values.h"
#include "src/server/data/nspace.h"
#include "src/wire/kval_view.h"
#include "src/wire/message.h"
#include "src/wire/unpack.h"
#include "src/wire/view.h"

/* A turn copies no more than PIECE bytes; so many turns are too many for all of them. */
enum { LARGE = 3 << 20, MIDDLE = 300000, PIECE = 1 << 20, MOST_TURNS = 64 };

static char bytes[2][LARGE];
static char text[MIDDLE];
static char *strings[MIDDLE / 4];

/* --- what was sent --- */

static struct {
    unsigned n;
    struct px_buf buf; /* of the last one */
} sent;

void __wrap_px_answer_send(const struct px_get *get, struct px_nspace *ns, struct px_answer *p);

void __wrap_px_answer_send(const struct px_get *get, struct px_nspace *ns, struct px_answer *p)
{
    (void) get;
    (void) ns;
    assert_int_equal(p->n_large, 0);
    px_buf_fini(&sent.buf);
    sent.n++;
    sent.buf = p->buf;
    p->buf = (struct px_buf){.data = NULL};
    px_answer_fini(p);
}

static void is_value(const struct px_kval_view *view, const pmix_value_t *value)
{
    struct px_buf packed[2] = {{.data = NULL}, {.data = NULL}};

    assert_int_equal(px_pack_raw(&packed[0], false, PMIX_VALUE, &view->value), 0);
    assert_int_equal(px_pack_raw(&packed[1], false, PMIX_VALUE, value), 0);
    assert_int_equal(packed[0].len, packed[1].len);
    assert_memory_equal(packed[0].data, packed[1].data, packed[0].len);
    px_buf_fini(&packed[0]);
    px_buf_fini(&packed[1]);
}

/* The value that the KVALs have under a key. */
static void has_value(struct px_in in, const char *key, const pmix_value_t *value)
{
    unsigned n = 0;

    while (px_in_left(&in)) {
        struct px_kval_view view;

        assert_int_equal(px_unpack_kval_view(&in, &view), 0);
        if (strcmp(view.key, key) == 0) {
            is_value(&view, value);
            n++;
        }
        px_view_free(&view.value, view.owns);
    }
    assert_int_equal(n, 1);
}

/* The KVALs of a process, in BYTES behind what is at the beginning. */
static struct px_in values_of(struct px_in *in, pmix_rank_t rank)
{
    const void *content;
    struct px_in inner;
    pmix_proc_t proc;
    size_t len;

    assert_int_equal(px_unpack_view(in, &content, &len), 0);
    inner = px_in_make(content, len, PX_WIRE_PLAIN);
    assert_int_equal(px_unpack_one(&inner, PMIX_PROC, &proc), 0);
    assert_int_equal(proc.rank, rank);
    return inner;
}

static struct px_in sent_message(void)
{
    struct px_in in = px_in_make(sent.buf.data, sent.buf.len, PX_WIRE_PLAIN);
    pmix_status_t status;

    assert_int_equal(sent.n, 1);
    assert_int_equal(sent.buf.status, 0);
    assert_int_equal(px_unpack_status(&in, &status), 0);
    assert_int_equal(status, PMIX_SUCCESS);
    return in;
}

/* --- what is there --- */

static pmix_value_t object(char *at)
{
    return (pmix_value_t){.type = PMIX_BYTE_OBJECT, .data.bo = {at, LARGE}};
}

static struct px_nspace *nspace_of_job(void)
{
    return px_nspace_find(px_ctx()->server, JOB);
}

static void publish(pmix_rank_t rank, const char *key, const pmix_value_t *value)
{
    const struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .index = rank, .key = key, .value = value, .scope = PMIX_GLOBAL};
    struct px_batch *batch = px_batch_create();

    assert_non_null(batch);
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(nspace_of_job()->store, batch), 0);
    px_batch_destroy(batch);
    px_nspace_note_change(px_ctx()->server, nspace_of_job(), rank);
}

static pmix_data_array_t list = {PMIX_STRING, MIDDLE / 4, strings};
static pmix_value_t values[] = {
    {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes[0], LARGE}},
    {.type = PMIX_UINT32, .data.uint32 = 7},
    {.type = PMIX_STRING, .data.string = text},
    {.type = PMIX_DATA_ARRAY, .data.darray = &list},
};
static const char *const keys[] = {"key", "number", "text", "list"};

enum { VALUES = sizeof(values) / sizeof(values[0]) };

static int start(void **state)
{
    static char word[] = "word";
    int rc = job_of_two_start(state);

    for (int i = 0; i < LARGE; i++) {
        bytes[0][i] = (char) (i % 251);
        bytes[1][i] = (char) (i % 241);
    }
    memset(text, 't', sizeof(text) - 1);
    for (int i = 0; i < MIDDLE / 4; i++) {
        strings[i] = word;
    }
    sent.n = 0;
    n_turns = 0;
    return rc;
}

static int stop(void **state)
{
    px_buf_fini(&sent.buf);
    return job_of_two_stop(state);
}

/* --- the cases --- */

static void begin(void *arg)
{
    (void) arg;
    for (int i = 0; i < VALUES; i++) {
        publish(0, keys[i], &values[i]);
    }
    enter(&searcher, UINT64_MAX);
    ask(&searcher, 0, NULL, 0);
    assert_int_equal(sent.n, 0);
    assert_int_equal(count(&px_ctx()->server->large_gets), 1);
}

static void all_values(void *arg)
{
    struct px_in in = sent_message();
    struct px_in of = values_of(&in, 0);

    (void) arg;
    assert_int_equal(px_in_left(&in), 0);
    for (int i = 0; i < VALUES; i++) {
        has_value(of, keys[i], &values[i]);
    }
    leave(&searcher);
}

static void in_pieces(void **state)
{
    (void) state;
    run(begin);
    await_end();
    run(all_values);
    assert_in_range(n_turns, LARGE / PIECE, MOST_TURNS);
}

/* Other values come, and one in place of the large one: the answer is as it was packed, and is not
 * begun anew. */
static void begin_and_post(void *arg)
{
    pmix_value_t now = object(bytes[1]);

    begin(arg);
    publish(0, "key", &now);
    publish(0, "another", &now);
}

static void who_posts_meanwhile(void **state)
{
    (void) state;
    run(begin_and_post);
    await_end();
    run(all_values);
    assert_in_range(n_turns, LARGE / PIECE, MOST_TURNS);
}

/* The segment moves, and what was to be copied is freed: the answer has what is there now. */
static void begin_and_move(void *arg)
{
    struct px_store *store;
    struct px_store_info before;
    struct px_store_info now;

    begin_and_post(arg);
    store = nspace_of_job()->store;
    px_store_info(store, &before);
    while (px_store_compact(store)) {
    }
    (void) px_store_compact(store); /* frees the generation before */
    px_store_info(store, &now);
    assert_int_not_equal(now.generation, before.generation);
}

static void newer_values(void *arg)
{
    struct px_in in = sent_message();
    struct px_in of = values_of(&in, 0);
    pmix_value_t now = object(bytes[1]);

    (void) arg;
    has_value(of, "key", &now);
    has_value(of, "another", &now);
    has_value(of, "list", &values[3]);
    leave(&searcher);
}

static void who_moves_meanwhile(void **state)
{
    (void) state;
    run(begin_and_move);
    await_end();
    run(newer_values);
}

/* Nobody waits for the answer any more. */
static void begin_and_leave(void *arg)
{
    begin(arg);
    leave(&searcher);
}

static void who_leaves_meanwhile(void **state)
{
    (void) state;
    run(begin_and_leave);
    await_end();
    assert_int_equal(sent.n, 0);
}

/* Gets of what has changed: the first is answered at once, with rank 0. */
static void ask_collected(void *arg)
{
    pmix_rank_t rank = 0;
    uint64_t since = 0;
    struct px_buf buf = {.data = NULL};
    struct px_in in;
    pmix_info_t info;

    (void) arg;
    publish(0, "number", &values[1]);
    publish(1, "key", &values[0]);
    publish(1, "number", &values[1]);
    enter(&searcher, UINT64_MAX);
    PMIX_INFO_LOAD(&info, PX_KEY_COLLECTED, &since, PMIX_UINT64);
    for (; rank != PMIX_RANK_INVALID && rank < 2; rank++) {
        (void) px_pack_string(&buf, PX_WIRE_PLAIN, JOB);
        (void) px_pack(&buf, PX_WIRE_PLAIN, PMIX_PROC_RANK, &rank, 1);
        assert_int_equal(px_pack_infos(&buf, PX_WIRE_PLAIN, &info, 1), 0);
        in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
        assert_int_equal(px_handle_get(searcher.server, &searcher, TAG, &in), 0);
        px_buf_fini(&buf);
    }
}

/* The second piece is one process, whose values are large. */
static void is_collected(void *arg)
{
    struct px_in in = sent_message();
    struct px_in of;
    struct px_kval_view view;
    pmix_rank_t next;

    (void) arg;
    assert_int_equal(px_unpack_kval_view(&in, &view), 0);
    assert_string_equal(view.key, PX_KEY_COLLECTED);
    assert_int_equal(px_unpack_rank(&in, &next), 0);
    assert_int_equal(next, PMIX_RANK_INVALID);
    of = values_of(&in, 1);
    has_value(of, "key", &values[0]);
    has_value(of, "number", &values[1]);
    leave(&searcher);
}

static void collected_in_pieces(void **state)
{
    (void) state;
    run(ask_collected);
    await_end();
    run(is_collected);
    assert_in_range(n_turns, LARGE / PIECE, MOST_TURNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_pieces, start, stop),
        cmocka_unit_test_setup_teardown(who_posts_meanwhile, start, stop),
        cmocka_unit_test_setup_teardown(who_moves_meanwhile, start, stop),
        cmocka_unit_test_setup_teardown(who_leaves_meanwhile, start, stop),
        cmocka_unit_test_setup_teardown(collected_in_pieces, start, stop),
    };

    alarm(60);
    (void) setenv("PMIX_MCA_shmix_segment_dead", "4096", 1);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
