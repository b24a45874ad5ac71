/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What unpacking leaves for later: it refuses what it refuses at once, and makes the same. */

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

#include "src/wire/messages.h"
#include "src/wire/owed.h"
#include "src/wire/pack.h"
#include "src/wire/take.h"
#include "src/wire/unpack.h"

enum { N_INFOS = 4, BYTES = 3 * PX_OWED_FROM, N_PROCS = 5000, PIECE = 100000 };

/* Bytes, a string and names that are large, and a number. */
static void fill(pmix_info_t infos[N_INFOS], pmix_data_array_t *list)
{
    static char text[PX_OWED_FROM + 1];
    static char bytes[BYTES];
    static pmix_proc_t names[N_PROCS];

    for (unsigned i = 0; i < N_PROCS; i++) {
        snprintf(names[i].nspace, sizeof(names[i].nspace), "job.%u", i / 7);
        names[i].rank = i;
    }
    for (unsigned i = 0; i < BYTES; i++) {
        bytes[i] = (char) (i % 251);
    }
    memset(text, 't', PX_OWED_FROM);
    *list = (pmix_data_array_t){.type = PMIX_PROC, .size = N_PROCS, .array = names};
    memset(infos, 0, N_INFOS * sizeof(*infos));
    for (unsigned i = 0; i < N_INFOS; i++) {
        snprintf(infos[i].key, sizeof(infos[i].key), "key.%u", i);
    }
    infos[0].value = (pmix_value_t){.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, BYTES}};
    infos[1].value = (pmix_value_t){.type = PMIX_STRING, .data.string = text};
    infos[2].value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = list};
    infos[3].value = (pmix_value_t){.type = PMIX_UINT32, .data.uint32 = 7};
}

/* The infos, and then the names as an array of their own. */
static struct px_buf packed(void)
{
    pmix_info_t infos[N_INFOS];
    pmix_data_array_t list;
    struct px_buf buf = {0};

    fill(infos, &list);
    (void) px_pack_infos(&buf, PX_WIRE_PLAIN, infos, N_INFOS);
    (void) px_pack_array(&buf, PX_WIRE_PLAIN, PMIX_PROC, list.array, list.size);
    assert_true(px_buf_ok(&buf));
    return buf;
}

struct read {
    pmix_info_t *infos;
    size_t ninfos;
    pmix_proc_t *procs;
    size_t nprocs;
};

static int unpack(struct px_in *in, struct read *ret)
{
    int rc = px_unpack_infos(in, &ret->infos, &ret->ninfos);

    return rc ? rc : px_unpack_procs(in, &ret->procs, &ret->nprocs);
}

static void read_fini(struct read *read)
{
    PMIx_Info_free(read->infos, read->ninfos);
    free(read->procs);
}

static void it_is_the_same(void **state)
{
    struct px_buf sent = packed();
    struct px_buf again = {0};
    struct px_in in = px_in_make(sent.data, sent.len, PX_WIRE_PLAIN);
    struct px_owed owed = {0};
    struct read read = {0};
    size_t pieces = 1;

    (void) state;
    in.owed = &owed;
    assert_int_equal(unpack(&in, &read), 0);
    assert_int_equal(px_in_left(&in), 0);
    assert_int_equal(owed.n, 4);
    for (; px_owed_pay(&owed, PIECE); pieces++) {
    }
    assert_true(pieces >= (BYTES + PX_OWED_FROM + 2 * N_PROCS * sizeof(pmix_proc_t)) / PIECE);
    assert_false(px_owed_pay(&owed, PIECE));
    px_owed_fini(&owed);
    (void) px_pack_infos(&again, PX_WIRE_PLAIN, read.infos, read.ninfos);
    (void) px_pack_array(&again, PX_WIRE_PLAIN, PMIX_PROC, read.procs, read.nprocs);
    assert_int_equal(again.len, sent.len);
    assert_memory_equal(again.data, sent.data, sent.len);
    read_fini(&read);
    px_buf_fini(&again);
    px_buf_fini(&sent);
}

/* Cut off anywhere, and with a byte that is wrong: the same statuses as at once. */
static void refused(const unsigned char *bytes, size_t len)
{
    struct px_in at_once = px_in_make(bytes, len, PX_WIRE_PLAIN);
    struct px_in later = at_once;
    struct px_owed owed = {0};
    struct read first = {0};
    struct read second = {0};

    later.owed = &owed;
    assert_int_equal(unpack(&at_once, &first), unpack(&later, &second));
    assert_int_equal(px_in_left(&at_once), px_in_left(&later));
    px_owed_fini(&owed);
    read_fini(&first);
    read_fini(&second);
}

static void it_refuses_the_same(void **state)
{
    struct px_buf sent = packed();

    (void) state;
    for (size_t len = 0; len < sent.len; len += sent.len / 50) {
        unsigned char *copy = malloc(len + 1);

        memcpy(copy, sent.data, len);
        refused(copy, len);
        free(copy);
    }
    for (size_t at = 0; at < sent.len; at += sent.len / 50) {
        unsigned char was = sent.data[at];

        sent.data[at] ^= 0x81;
        refused(sent.data, sent.len);
        sent.data[at] = was;
    }
    px_buf_fini(&sent);
}

/* The fast check passes over what is usual, and leaves all else to the other one. */
static void usual_processes_are_passed_over(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        bool usual;
    } procs[] = {
        {"\x08job\0\x05", 6, true},
        {"\x02\0\x7f", 3, true},
        {"\x08job\0\xff\xff\xff\xff\x0f", 10, true},
        {"\x08job\0\xff\xff\xff\xff\x10", 10, false},
        {"\x08job\0\x80\x80\x80\x80\x80\0", 11, false},
        {"\x08jo\0\0\x05", 6, false},
        {"\x08jobs\x05", 6, false},
        {"\x07job\0\x05", 6, false},
        {"\0\x05", 2, false},
        {"\x88\0job\0\x05", 7, false},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(procs) / sizeof(procs[0]); i++) {
        unsigned char bytes[100] = {0};
        struct px_in in = px_in_make(bytes, sizeof(bytes), PX_WIRE_PLAIN);

        memcpy(bytes, procs[i].bytes, procs[i].len);
        assert_int_equal(px_take_short_procs(&in, 1), procs[i].usual);
        assert_int_equal(in.at - bytes, procs[i].usual ? procs[i].len : 0);
        in = px_in_make(bytes, 72, PX_WIRE_PLAIN); /* one may be longer */
        assert_int_equal(px_take_short_procs(&in, 1), 0);
    }
}

/* What takes long counts more than its bytes; bytes do not. */
static void what_is_made_is_bounded(void **state)
{
    static char bytes[100000];
    static char *texts[1000];
    pmix_data_array_t list = {.type = PMIX_BYTE, .size = sizeof(bytes), .array = bytes};
    pmix_info_t info = {.key = "key", .value = {.type = PMIX_DATA_ARRAY, .data.darray = &list}};

    (void) state;
    for (int i = 0; i < 1000; i++) {
        texts[i] = bytes;
    }
    for (int strings = 0; strings < 2; strings++) {
        struct px_buf buf = {0};
        struct px_in in;
        struct read read = {0};

        list.type = strings ? PMIX_STRING : PMIX_BYTE;
        list.size = strings ? 1000 : sizeof(bytes);
        list.array = strings ? (void *) texts : (void *) bytes;
        (void) px_pack_infos(&buf, PX_WIRE_PLAIN, &info, 1);
        for (int fits = 0; fits < 2; fits++) {
            in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
            in.most = 2 * sizeof(info) + (strings ? 512 * 1000 : sizeof(bytes)) - !fits;
            assert_int_equal(px_unpack_infos(&in, &read.infos, &read.ninfos),
                             fits ? PMIX_SUCCESS : PMIX_ERR_OUT_OF_RESOURCE);
            assert_true(in.made <= in.most);
        }
        read_fini(&read);
        px_buf_fini(&buf);
    }
}

/* So do the strings of a list that ends with NULL. */
static void arguments_are_bounded(void **state)
{
    char *argv[] = {(char *) (uintptr_t) "a", (char *) (uintptr_t) "b", NULL};
    pmix_query_t query = {.keys = argv};
    struct px_buf buf = {0};
    struct px_in in;
    void *queries = NULL;
    size_t n = 0;

    (void) state;
    (void) px_pack_array(&buf, PX_WIRE_PLAIN, PMIX_QUERY, &query, 1);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    in.most = 128 + 2 * 512 - 1;
    assert_int_equal(px_unpack_array(&in, PMIX_QUERY, &queries, &n), PMIX_ERR_OUT_OF_RESOURCE);
    in = px_in_make(buf.data, buf.len, PX_WIRE_PLAIN);
    in.most = 128 + 2 * 512;
    assert_int_equal(px_unpack_array(&in, PMIX_QUERY, &queries, &n), PMIX_SUCCESS);
    PMIx_Query_free(queries, n);
    px_buf_fini(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_same),
        cmocka_unit_test(it_refuses_the_same),
        cmocka_unit_test(usual_processes_are_passed_over),
        cmocka_unit_test(what_is_made_is_bounded),
        cmocka_unit_test(arguments_are_bounded),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
