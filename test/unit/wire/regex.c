/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: SRV-010 SRV-011 SRV-012 SRV-013 */
/* SRV-010..SRV-013: maps in every form that hosts and peers write, ours included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen.h"
#include "hex.h"
#include "src/wire/compress.h"
#include "src/wire/regex.h"
#include "src/wire/regex_make.h"

/* The names of a map between commas, malloc'd; NULL when it is refused. */
static char *names_of(const char *regex, size_t len)
{
    char **names;
    char *joined;
    size_t n;

    if (px_regex_nodes(regex, len, &names, &n) != 0) {
        return NULL;
    }
    assert_int_equal(PMIx_Argv_count(names), n);
    joined = n ? PMIx_Argv_join(names, ',') : strdup("");
    PMIx_Argv_free(names);
    return joined;
}

static void expect_names(const char *regex, const char *expected)
{
    char *names = names_of(regex, SIZE_MAX);

    if (!names || strcmp(names, expected) != 0) {
        fail_msg("%s: %s instead of %s", regex, names ? names : "refused", expected);
    }
    free(names);
}

static char *ranks_of(const char *ppn, size_t len)
{
    struct px_rank_list *lists;
    struct px_buf out = {0};
    char text[16];
    size_t n;

    if (px_regex_ranks(ppn, len, &lists, &n) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < lists[i].n; k++) {
            snprintf(text, sizeof(text), "%s%u", k ? "," : "", lists[i].ranks[k]);
            px_buf_append(&out, text, strlen(text));
        }
        px_buf_byte(&out, ';');
    }
    px_rank_lists_free(lists, n);
    px_buf_byte(&out, 0);
    return (char *) out.data;
}

static void expect_ranks(const char *ppn, const char *expected)
{
    char *ranks = ranks_of(ppn, SIZE_MAX);

    if (!ranks || strcmp(ranks, expected) != 0) {
        fail_msg("%s: %s instead of %s", ppn, ranks ? ranks : "refused", expected);
    }
    free(ranks);
}

/* As a 4.2.2 peer writes them. */
static void compact_names(void **state)
{
    (void) state;
    expect_names("pmix[n[3:1-3,10],m[1:1]]", "n001,n002,n003,n010,m1");
    expect_names("pmix[n[1:1-3]-ib]", "n1-ib,n2-ib,n3-ib");
    expect_names("pmix[n[1:1-3],x,n[1:4]]", "n1,n2,n3,x,n4");
    expect_names("pmix[[1:1-3]]", "1,2,3");
    expect_names("pmix[a,b]", "a,b");
    expect_names("pmix[n[1:1]a,b]", "n1a,b");
    expect_names("pmix[node[2:1-2].cl.x]", "node01.cl.x,node02.cl.x");
    expect_names("pmix[n[2:99-101]]", "n99,n100,n101");
    expect_names("pmix[n[1:1-2],]", "n1,n2");
    expect_names("pmix[n[1:3,1-2]]", "n3,n1,n2");
    expect_names("pmix[n[1:1,1,1]]", "n1,n1,n1");
    expect_names("pmix[]", "");
    expect_names("pmix:[n[1:1-2]]", "n1,n2");
}

static void listed_names(void **state)
{
    (void) state;
    expect_names("raw:a,b", "a,b");
    expect_names("raw:", "");
    expect_names("a,b", "a,b");
    expect_names("a,,b,", "a,b");
    expect_names("", "");
    expect_names("10.0.0.1,10.0.0.2", "10.0.0.1,10.0.0.2");
    expect_names("pmixhost,raw", "pmixhost,raw");
    expect_names("blobs,a", "blobs,a");
}

static void ranks(void **state)
{
    (void) state;
    expect_ranks("pmix[0-3;4-7]", "0,1,2,3;4,5,6,7;");
    expect_ranks("pmix[0-3,8;4-7]", "0,1,2,3,8;4,5,6,7;");
    expect_ranks("raw:0-2;5,7;3,4,6", "0,1,2;5,7;3,4,6;");
    expect_ranks("raw:0;;1", "0;;1;");
    expect_ranks("0;;1", "0;;1;");
    expect_ranks(";", ";;");
    expect_ranks("3,2,1", "3,2,1;");
    expect_ranks("0,0", "0,0;");
    expect_ranks("", "");
    expect_ranks("raw:", "");
}

static void what_is_malformed_is_refused(void **state)
{
    static const char *const nodes[] = {
        "pmix[",
        "pmix[n[1:1-3]",
        "pmix[n[1:",
        "pmix[n[",
        "pmix[n[1]]",
        "pmix[n[x:1]]",
        "pmix[n[1:3-1]]",
        "pmix[n[1:]]",
        "pmix[n[1:1-]]",
        "pmix[n[1:-1]]",
        "pmix[n[20:-1]]",
        "pmix[n[1:1000000000]]",
        "pmix[n[1:0-999999999]]",
        "pmix[n[1:1-2]a[1:2]]",
        "pmix[n[1:1;2]]",
        "pmix[n[1:1 ]]",
        "pmix[n[1:0-1000000],n[1:0-1000000]]",
        "pmix[x[1]]",
    };
    static const char *const lists[] = {"a",           "1-",          "-1",       "5-3",
                                        "1,,2",        "1 2",         "1-2-3",    "0-4294967295",
                                        "0-999999999", "99999999999", "pmix[0-3", "pmix[0-3;]x",
                                        ",",           "1,"};

    (void) state;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        char *names = names_of(nodes[i], SIZE_MAX);

        if (names) {
            fail_msg("%s was taken", nodes[i]);
        }
        free(names);
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        char *text = ranks_of(lists[i], SIZE_MAX);

        if (text) {
            fail_msg("%s was taken", lists[i]);
        }
    }
    assert_null(names_of(NULL, 0));
}

static void a_text_ends_where_it_is_said_to(void **state)
{
    char *names = names_of("n1,n2,n3", 5);

    (void) state;
    assert_string_equal(names, "n1,n2");
    free(names);
    names = names_of("pmix[a,b]cdef", 9);
    assert_string_equal(names, "a,b");
    free(names);
}

static void put(struct px_buf *buf, const char *word, char end)
{
    px_buf_append(buf, word, strlen(word));
    px_buf_byte(buf, (unsigned char) end);
}

static void make_blob(struct px_buf *blob, bool colons, const char *list, size_t skip)
{
    char head[32];
    void *packed;
    size_t len;

    assert_int_equal(px_deflate(list, strlen(list) + 1, &packed, &len), 0);
    snprintf(head, sizeof(head), "size=%zu%s", len - skip, colons ? ":" : "");
    put(blob, colons ? "blob:" : "blob", 0);
    put(blob, "component=zlib:", 0);
    put(blob, head, 0);
    px_buf_append(blob, (char *) packed + skip, len - skip);
    free(packed);
}

/* With the original length before the stream or without, with and without colons. */
static void blobs(void **state)
{
    struct px_buf list = {0};
    struct px_buf blob = {0};
    char *names;
    size_t len;

    (void) state;
    for (int i = 0; i < 200; i++) {
        put(&list, "some-node-name", ',');
    }
    list.data[list.len - 1] = '\0';
    for (size_t form = 0; form < 4; form++) {
        make_blob(&blob, form & 1, (char *) list.data, form & 2 ? 4 : 0);
        assert_int_equal(px_regex_length((char *) blob.data, SIZE_MAX, &len), 0);
        assert_int_equal(len, blob.len);
        names = names_of((char *) blob.data, blob.len);
        assert_string_equal(names, (char *) list.data);
        free(names);
        for (size_t cut = 0; cut < blob.len; cut++) {
            char *copy = malloc(cut + 1);

            memcpy(copy, blob.data, cut);
            free(names_of(copy, cut));
            free(copy);
        }
        px_buf_fini(&blob);
    }
    px_buf_fini(&list);
}

static void expect_made(int (*make)(const char *, char **), const char *list, const char *expected)
{
    char *regex = NULL;

    assert_int_equal(make(list, &regex), 0);
    if (strcmp(regex, expected) != 0) {
        fail_msg("%s: %s instead of %s", list, regex, expected);
    }
    free(regex);
}

static void names_are_compacted_in_order(void **state)
{
    (void) state;
    expect_made(px_regex_make_nodes, "n1,n2,n3", "raw:n1,n2,n3");
    expect_made(px_regex_make_nodes, "node1,node2,node3", "pmix[node[1:1-3]]");
    expect_made(px_regex_make_nodes, "n001,n002,n003,n010", "pmix[n[3:1-3,10]]");
    expect_made(px_regex_make_nodes, "node1-ib,node2-ib,node3-ib", "pmix[node[1:1-3]-ib]");
    expect_made(px_regex_make_nodes, "r1n1.site2,r1n2.site2,r1n3.site2", "pmix[r1n[1:1-3].site2]");
    expect_made(px_regex_make_nodes, "node1,node2,node3,node4,x,node5",
                "pmix[node[1:1-4],x,node[1:5]]");
    expect_made(px_regex_make_nodes, "node8,node9,node10,node11,node12",
                "pmix[node[1:8-9],node[2:10-12]]");
    expect_made(px_regex_make_nodes, "10.0.0.1,10.0.0.2", "raw:10.0.0.1,10.0.0.2");
    expect_made(px_regex_make_nodes, "node1,node2,,node3", "raw:node1,node2,,node3");
    expect_made(px_regex_make_nodes, "x[1],x[2]", "raw:x[1],x[2]");
    expect_made(px_regex_make_nodes, "", "raw:");
    expect_made(px_regex_make_nodes, "n12345678901,n12345678902", "raw:n12345678901,n12345678902");
}

static void ranks_are_compacted_in_order(void **state)
{
    char *regex = NULL;

    (void) state;
    expect_made(px_regex_make_ranks, "0-3;4-7", "raw:0-3;4-7");
    expect_made(px_regex_make_ranks, "0,1,2,3;4,5,6,7", "pmix[0-3;4-7]");
    expect_made(px_regex_make_ranks, "0;;1", "raw:0;;1");
    expect_made(px_regex_make_ranks, "3,2,1", "raw:3,2,1");
    expect_made(px_regex_make_ranks, "", "raw:");
    assert_int_equal(px_regex_make_ranks("0;x", &regex), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_regex_make_ranks("pmix[0-3]", &regex), PMIX_ERR_BAD_PARAM);
    assert_null(regex);
}

/* Names such as sites have, in runs, with gaps and interruptions. */
static char *random_list(struct gen *gen)
{
    static const char *const stems[] = {"n", "node", "r1c2n", "gpu-", "", "host.site", "a1b"};
    static const char *const tails[] = {"", "", "-ib", ".site3.org", "x"};
    struct px_buf list = {0};
    char name[64];

    for (uint64_t runs = 1 + gen_below(gen, 5); runs > 0; runs--) {
        const char *stem = stems[gen_below(gen, 7)];
        const char *tail = tails[gen_below(gen, 5)];
        int width = (int) gen_below(gen, 5);
        unsigned number = (unsigned) gen_below(gen, 120);

        for (uint64_t k = 1 + gen_below(gen, 12); k > 0; k--) {
            snprintf(name, sizeof(name), "%s%s%0*u%s", list.len ? "," : "", stem, width, number,
                     tail);
            px_buf_append(&list, name, strlen(name));
            number += gen_below(gen, 6) ? 1 : (unsigned) gen_below(gen, 20);
        }
    }
    px_buf_byte(&list, 0);
    return (char *) list.data;
}

static void names_return_as_they_were(void **state)
{
    struct gen gen = gen_start();

    (void) state;
    for (int i = 0; i < 3000; i++) {
        char *list = random_list(&gen);
        char *regex;

        assert_int_equal(px_regex_make_nodes(list, &regex), 0);
        assert_true(strlen(regex) <= strlen(list) + 4);
        expect_names(regex, list);
        free(regex);
        free(list);
    }
}

static void ranks_return_as_they_were(void **state)
{
    struct gen gen = gen_start();

    (void) state;
    for (int i = 0; i < 2000; i++) {
        struct px_buf list = {0};
        char text[16];
        char *before;
        char *regex;

        for (uint64_t node = 1 + gen_below(&gen, 6); node > 0; node--) {
            uint64_t rank = gen_below(&gen, 1000);

            for (uint64_t k = gen_below(&gen, 9); k > 0; k--) {
                snprintf(text, sizeof(text), "%llu%s", (unsigned long long) rank, k > 1 ? "," : "");
                px_buf_append(&list, text, strlen(text));
                rank += gen_below(&gen, 4) ? 1 : gen_below(&gen, 9);
            }
            px_buf_append(&list, ";", node > 1);
        }
        px_buf_byte(&list, 0);
        before = ranks_of((char *) list.data, SIZE_MAX);
        assert_int_equal(px_regex_make_ranks((char *) list.data, &regex), 0);
        expect_ranks(regex, before);
        free(regex);
        free(before);
        px_buf_fini(&list);
    }
}

static void noise_does_no_harm(void **state)
{
    static const char alphabet[] = "pmix[]raw:,;-0123456789nblob";
    struct gen gen = gen_start();

    (void) state;
    for (int i = 0; i < 30000; i++) {
        size_t len = gen_below(&gen, 24);
        char *text = malloc(len + 5);

        memcpy(text, "pmix[", 5);
        for (size_t k = gen_below(&gen, 2) * 5; k < len; k++) {
            text[k] = alphabet[gen_below(&gen, sizeof(alphabet))];
        }
        free(names_of(text, len));
        free(ranks_of(text, len));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_names),
        cmocka_unit_test(listed_names),
        cmocka_unit_test(ranks),
        cmocka_unit_test(what_is_malformed_is_refused),
        cmocka_unit_test(a_text_ends_where_it_is_said_to),
        cmocka_unit_test(blobs),
        cmocka_unit_test(names_are_compacted_in_order),
        cmocka_unit_test(ranks_are_compacted_in_order),
        cmocka_unit_test(names_return_as_they_were),
        cmocka_unit_test(ranks_return_as_they_were),
        cmocka_unit_test(noise_does_no_harm),
    };

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
