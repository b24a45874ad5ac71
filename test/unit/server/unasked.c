/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A member of a group under construction is to be asked about one that has ended, and does not
 * read: the question is lost to it, and nobody waits for its answer. The connection of the member
 * is the test's. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/base/map.h"
#include "src/context/context.h"
#include "src/request/schema.h"
#include "src/server/collectives/all_collectives.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/requests/requests.h"
#include "src/server/state.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"

static bool reads; /* the member has room for an event */
static unsigned n_events;
static unsigned n_replies;

bool __wrap_px_peer_send_event(struct px_peer *peer, struct px_parcel *event, bool trusted);
void __wrap_px_peer_send(struct px_peer *peer, uint32_t tag, struct px_buf *buf, int fd);

bool __wrap_px_peer_send_event(struct px_peer *peer, struct px_parcel *event, bool trusted)
{
    (void) peer, (void) event, (void) trusted;
    n_events++;
    return reads;
}

void __wrap_px_peer_send(struct px_peer *peer, uint32_t tag, struct px_buf *buf, int fd)
{
    (void) peer, (void) tag, (void) fd;
    n_replies++;
    px_buf_fini(buf);
}

static struct px_peer member;

/* Rank 0 calls, and rank 1 is another member. */
static void construct(void *rc)
{
    struct px_server *s = px_ctx()->server;
    pmix_proc_t procs[2];
    pmix_info_t info = {.value = {.type = PMIX_BOOL, .data.flag = true}};
    struct px_coll_args args = {
        .head = {&info, 1}, .group = (char *) "g", .procs = procs, .nprocs = 2};
    struct px_buf buf = {0};
    struct px_in in;
    uint8_t command;

    for (pmix_rank_t rank = 0; rank < 2; rank++) {
        PMIX_LOAD_PROCID(&procs[rank], JOB, rank);
    }
    member = (struct px_peer){.server = s,
                              .user = px_user_of(s, geteuid()),
                              .id = UINT64_MAX,
                              .proc = procs[0],
                              .uid = geteuid(),
                              .gid = getegid(),
                              .ours = true,
                              .conn = (struct px_conn *) &member, /* nothing is sent by it */
                              .kind = PX_WIRE_PLAIN};
    px_list_init(&member.gets);
    assert_int_equal(px_map_set(&s->peers, &member.id, sizeof(member.id), &member), 0);
    PMIX_LOAD_KEY(info.key, PMIX_GROUP_NOTIFY_TERMINATION);
    (void) px_args_pack(&buf, member.kind, &px_request_group_construct, &args.head);
    in = px_in_make(buf.data, buf.len, member.kind);
    (void) px_unpack_command(&in, &command);
    *(int *) rc = px_service_start(px_service_of(command), &member, 100, &in);
    px_buf_fini(&buf);
}

static void leave(void *arg)
{
    struct px_server *s = px_ctx()->server;

    (void) arg;
    (void) px_map_remove(&s->peers, &member.id, sizeof(member.id));
    px_colls_peer_disconnected(s, &member);
}

static void count_open(void *n)
{
    const struct px_list *list = &px_ctx()->server->colls.list;

    *(size_t *) n = 0;
    for (const struct px_list *at = list->next; at != list; at = at->next) {
        ++*(size_t *) n;
    }
}

/* Rank 1 ends while the group is constructed. Returns the constructs that go on. */
static size_t n_open_after_end(bool room)
{
    pmix_proc_t ended;
    size_t n;
    int rc;

    reads = room;
    n_events = 0;
    n_replies = 0;
    PMIX_LOAD_PROCID(&ended, JOB, 1);
    assert_int_equal(px_loop_run(px_ctx()->loop, construct, &rc), 0);
    assert_int_equal(rc, 0);
    PMIx_server_deregister_client(&ended, NULL, NULL);
    assert_int_equal(px_loop_run(px_ctx()->loop, count_open, &n), 0);
    assert_int_equal(n_events, 1);
    return n;
}

static void one_that_reads(void **state)
{
    (void) state;
    assert_int_equal(n_open_after_end(true), 1);
    assert_int_equal(n_replies, 0);
    assert_int_equal(px_loop_run(px_ctx()->loop, leave, NULL), 0);
}

static void one_that_does_not(void **state)
{
    (void) state;
    assert_int_equal(n_open_after_end(false), 0);
    assert_int_equal(n_replies, 1);
    assert_int_equal(px_loop_run(px_ctx()->loop, leave, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_that_reads, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_that_does_not, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
