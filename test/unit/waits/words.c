/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Open waits in words. */
#include "support.h"

#include "src/waits/words.h"

static struct px_waits *w;
static uint32_t wait;
static char text[512];

/* An entry of six processes of a job, of which 0 and 3 have come. */
static struct px_waits_entry *make(void **state)
{
    struct px_waits_entry *e;

    (void) state;
    px_waits_destroy(w);
    w = make_area();
    wait = px_waits_open(w);
    e = px_waits_edit(w, wait);
    e->kind = PX_WAITS_FENCE;
    e->n_expected = 6;
    e->n_come = 2;
    for (uint32_t rank = 0; rank < 6; rank++) {
        (void) px_waits_set_proc(w, 0, "job", rank, 0, 0);
    }
    e->expected[0] = 0x3f;
    e->come[0] = 0x09;
    px_waits_name(w, e, "job", PX_WAITS_ALL);
    return e;
}

static const char *tell(const struct px_waits_entry *e)
{
    size_t len = px_waits_tell(px_waits_own(w), e, e->since_ns + 12340000000, text, sizeof(text));

    assert_int_equal(len, strlen(text));
    return text;
}

static void a_fence(void **state)
{
    struct px_waits_entry *e = make(state);

    assert_string_equal(tell(e), "fence of job:* for 12.3 s, 2 of 6 of this node have come; waits "
                                 "for processes of this node: job:1-2,4-5");
    e->n_expected = 9;
    assert_string_equal(tell(e), "fence of job:* for 12.3 s, 2 of 9 of this node have come; waits "
                                 "for processes of this node: job:1-2,4-5 and 3 more");
    e->expected[0] = e->come[0];
    assert_string_equal(tell(e), "fence of job:* for 12.3 s, 2 of 9 of this node have come; waits "
                                 "for processes of this node: 7 that this server has no record of");
    e->stage = PX_WAITS_FOR_HOST;
    e->n_expected = 2;
    assert_string_equal(tell(e), "fence of job:* for 12.3 s, 2 of 2 of this node have come; waits "
                                 "for the host's answer");
    assert_false(px_waits_is_missing(e, 2));
    (void) px_waits_list(px_waits_own(w), e, 0, text, sizeof(text));
    assert_string_equal(text, "job:0,3");
}

static void a_group_and_a_get(void **state)
{
    struct px_waits_entry *e = make(state);

    px_waits_text(e->text, "ring");
    e->kind = PX_WAITS_CONSTRUCT;
    px_waits_unname(w, e);
    px_waits_name(w, e, "job", 0);
    px_waits_name(w, e, "job", 1);
    px_waits_name(w, e, "other", 1);
    px_waits_name(w, e, "other", 2);
    assert_string_equal(tell(e),
                        "group construct ring of job:0-1,other:1-2 for 12.3 s, 2 of 6 of this node "
                        "have come; waits for processes of this node: job:1-2,4-5");
    for (uint32_t i = 0; i < 8; i++) {
        px_waits_name(w, e, "job", 2 * i);
    }
    (void) px_waits_who(px_waits_own(w), e, text, sizeof(text));
    assert_string_equal(text, "job:0-1,other:1-2,job:0,2,4,6 and 4 more");
    e->kind = PX_WAITS_GET;
    e->stage = PX_WAITS_FOR_COMMIT;
    e->asker = 5;
    px_waits_unname(w, e);
    px_waits_name(w, e, "job", 3);
    assert_string_equal(tell(e),
                        "get of key ring of job:3 by job:4 for 12.3 s; waits for a commit of the "
                        "key");
    px_waits_text(e->text, NULL);
    assert_string_equal(tell(e), "get of all values of job:3 by job:4 for 12.3 s; waits for a "
                                 "commit of the key");
    e->kind = PX_WAITS_REQUEST;
    px_waits_text(e->text, "PMIx_Spawn");
    e->stage = PX_WAITS_FOR_HOST;
    assert_string_equal(tell(e),
                        "request PMIx_Spawn by job:4 for 12.3 s; waits for the host's answer");
}

/* However little room there is, the text ends in it. */
static void little_room(void **state)
{
    struct px_waits_entry *e = make(state);
    char whole[512];

    strcpy(whole, tell(e));
    for (size_t room = 1; room <= strlen(whole) + 1; room++) {
        memset(text, 'x', sizeof(text));
        assert_int_equal(px_waits_tell(px_waits_own(w), e, e->since_ns + 12340000000, text, room),
                         room - 1);
        assert_int_equal(strlen(text), room - 1);
        assert_memory_equal(text, whole, room - 1);
        assert_int_equal(text[room], 'x');
    }
    px_waits_destroy(w);
    w = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fence),
        cmocka_unit_test(a_group_and_a_get),
        cmocka_unit_test(little_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
