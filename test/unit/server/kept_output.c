/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Output that comes before anybody subscribes to it: of one user as much as there is room for, the
 * oldest; but not so much that another user's is lost. */

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
#include <pmix_tool.h>

enum { PIECE = 4096, LARGE = 40000, ROOM = 64 * 1024, PIECES = 40 };

static pmix_server_module_t module;

static void add_job(const char *name, uid_t uid)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, name, 0);
    assert_int_equal(PMIx_server_register_nspace(proc.nspace, 1, NULL, 0, NULL, NULL),
                     PMIX_SUCCESS);
    assert_int_equal(PMIx_server_register_client(&proc, uid, getegid(), NULL, NULL, NULL),
                     PMIX_SUCCESS);
}

/* A piece of a process's output; its first byte is the number. */
static void write_bytes(const char *name, pmix_rank_t rank, size_t size, char number)
{
    static char text[LARGE];
    pmix_byte_object_t bytes = {.bytes = text, .size = size};
    pmix_proc_t source;

    text[0] = number;
    PMIX_LOAD_PROCID(&source, name, rank);
    assert_int_equal(
        PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, NULL, NULL),
        PMIX_SUCCESS);
}

static void write_piece(const char *name, char number)
{
    write_bytes(name, 0, PIECE, number);
}

static int n_read; /* pieces, numbered from 0 on */
static int n_astray;

static void read_piece(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                       pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id, (void) channel, (void) source, (void) info, (void) ninfo;
    n_astray += bytes->size != PIECE || bytes->bytes[0] != (char) n_read;
    n_read++;
}

/* How many pieces of a job were kept: the first ones, in their order. */
static int kept_of(const char *name)
{
    pmix_status_t id;
    pmix_proc_t all;

    n_read = 0;
    PMIX_LOAD_PROCID(&all, name, PMIX_RANK_WILDCARD);
    id = PMIx_IOF_pull(&all, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, read_piece, NULL, NULL);
    assert_true(id >= 0);
    assert_int_equal(PMIx_IOF_deregister((size_t) id, NULL, 0, NULL, NULL), PMIX_SUCCESS);
    assert_int_equal(n_astray, 0);
    return n_read;
}

static void begin(void)
{
    assert_int_equal(setenv("PMIX_MCA_shmix_output_bytes", "65536", 1), 0);
    assert_int_equal(PMIx_server_init(&module, NULL, 0), PMIX_SUCCESS);
    add_job("much", geteuid() + 1);
    add_job("more", geteuid() + 1);
    add_job("little", geteuid() + 2);
}

static void of_two_users(void **state)
{
    int n_much;

    (void) state;
    begin();
    for (char i = 0; i < PIECES; i++) {
        write_piece("much", i);
    }
    write_piece("more", 0); /* the same user's: too late */
    for (char i = 0; i < 3; i++) {
        write_piece("little", i);
    }
    assert_int_equal(kept_of("little"), 3);
    assert_int_equal(kept_of("more"), 0);
    n_much = kept_of("much");
    assert_in_range(n_much, 9, ROOM / PIECE - 3);
    for (int round = 0; round < 3; round++) { /* room is given back */
        for (char i = 0; i < PIECES; i++) {
            write_piece("much", i);
        }
        assert_int_equal(kept_of("much"), n_much + 3);
    }
    for (char i = 0; i < PIECES; i++) {
        write_piece("little", i);
    }
    for (char i = 0; i < 2; i++) {
        write_piece("much", i); /* its user has nothing any more, though he had most */
    }
    assert_int_equal(kept_of("much"), 2);
    assert_in_range(kept_of("little"), n_much, n_much + 3);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

/* There is no room for the piece of one user, but what of another would have to go for it. */
static void not_in_vain(void **state)
{
    (void) state;
    begin();
    for (char i = 0; i < 12; i++) {
        write_piece("much", i);
    }
    write_bytes("little", 0, LARGE, 0);
    assert_int_equal(kept_of("little"), 0);
    assert_int_equal(kept_of("much"), 12);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

/* A process of another node is of the user of its job. */
static void of_other_nodes(void **state)
{
    (void) state;
    begin();
    for (char i = 0; i < PIECES; i++) {
        write_bytes("much", 7, PIECE, i);
    }
    for (char i = 0; i < 3; i++) {
        write_bytes("little", 7, PIECE, i);
    }
    assert_int_equal(kept_of("little"), 3);
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_users),
        cmocka_unit_test(not_in_vain),
        cmocka_unit_test(of_other_nodes),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
