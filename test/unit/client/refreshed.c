/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A client that has read the segment of another job, which ends. Its name comes again, and a get
 * with PMIX_GET_REFRESH_CACHE is answered by message: from then on that answer is read, and at no
 * moment is there nothing. KEY-003. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "script.h"
#include "src/client/data/get.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "gds/batch.h"
#include "gds/publication.h"

enum { EARLIER = 5, LATER = 77 };

static struct px_store *own;
static struct px_store *other;
static unsigned n_refreshed; /* loop thread */
static unsigned n_misses;    /* loop thread: nothing was here when the segment had just gone */

/* A segment of a job of that size. */
static struct px_store *create(const char *nspace, uint32_t size)
{
    struct px_store_opts opts = {
        .nspace = nspace, .shared = true, .uid = getuid(), .gid = getgid(), .moves = true};
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = size};
    struct px_store_entry entry = {.level = PX_LEVEL_JOB, .key = PMIX_JOB_SIZE, .value = &value};
    struct px_batch *batch = px_batch_create();
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    return store;
}

static void pack_mark(struct px_buf *buf)
{
    pmix_value_t mark = {.type = PMIX_BYTE_OBJECT};

    (void) px_pack_kval(buf, PX_WIRE_PLAIN, PX_KEY_SEGMENT, &mark);
}

/* The client's own segment; of the other job there is no further one. */
static int answer_req(struct px_in *in, struct px_buf *reply)
{
    bool first = px_in_left(in) == 0;

    (void) px_pack_string(reply, PX_WIRE_PLAIN, first ? "job" : "other");
    if (first) {
        pack_mark(reply);
    }
    return first ? px_store_fd(own) : -1;
}

/* A get is answered with the segment, a refresh with the job information. */
static bool answer(uint8_t command, struct px_in *in, struct px_buf *reply)
{
    pmix_proc_t job = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    pmix_value_t size = {.type = PMIX_UINT32, .data.uint32 = LATER};
    struct px_buf blob = {0};

    (void) in;
    (void) px_pack_status(reply, PX_WIRE_PLAIN, PMIX_SUCCESS);
    if (command == PX_CMD_REFRESH_CACHE) {
        (void) px_pack_kval(reply, PX_WIRE_PLAIN, PMIX_JOB_SIZE, &size);
    } else if (command == PX_CMD_GET) {
        (void) px_pack(&blob, PX_WIRE_PLAIN, PMIX_PROC, &job, 1);
        pack_mark(&blob);
        (void) px_pack_bytes(reply, PX_WIRE_PLAIN, blob.data, blob.len);
        px_buf_fini(&blob);
        script_rider = px_store_fd(other);
    }
    return true;
}

/* The job's size as it is here; 0: nothing is. Any thread. */
static uint32_t size_here(void)
{
    pmix_proc_t job = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    pmix_value_t *value = NULL;
    uint32_t size;

    if (px_client_get_local(px_session(ctx), &job, PMIX_JOB_SIZE, NULL, 0, &value) !=
        PMIX_SUCCESS) {
        return 0;
    }
    size = value->data.uint32;
    PMIx_Value_free(value, 1);
    return size;
}

void __real_px_session_refreshed(struct px_session *session, const char *nspace);
void __wrap_px_session_refreshed(struct px_session *session, const char *nspace);

/* Reads as soon as the earlier job's segment has gone. */
void __wrap_px_session_refreshed(struct px_session *session, const char *nspace)
{
    __real_px_session_refreshed(session, nspace);
    n_refreshed++;
    n_misses += size_here() != LATER;
}

static uint32_t get_size(const pmix_info_t *info, size_t ninfo)
{
    pmix_proc_t job = {.nspace = "other", .rank = PMIX_RANK_WILDCARD};
    struct called called;
    uint32_t size;

    called_init(&called);
    assert_int_equal(get_nb(&job, PMIX_JOB_SIZE, info, ninfo, &called), PMIX_SUCCESS);
    assert_int_equal(px_wait_for(&called.wait), PMIX_SUCCESS);
    size = called.value.data.uint32;
    PMIx_Value_destruct(&called.value);
    return size;
}

static int begin(void **state)
{
    (void) state;
    own = create("job", 1);
    other = create("other", EARLIER);
    script_req = answer_req;
    client_open("5.0.0", answer);
    return 0;
}

static int end(void **state)
{
    (void) state;
    client_close();
    script_req = NULL;
    px_store_destroy(own);
    return 0;
}

static void filled_then_read(void **state)
{
    pmix_info_t refresh;
    bool yes = true;

    (void) state;
    PMIx_Info_construct(&refresh);
    PMIx_Info_load(&refresh, PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    assert_int_equal(get_size(NULL, 0), EARLIER);
    assert_int_equal(size_here(), EARLIER);
    px_store_destroy(other); /* the job has ended */
    assert_int_equal(size_here(), EARLIER);
    assert_int_equal(get_size(&refresh, 1), LATER);
    assert_int_not_equal(n_refreshed, 0);
    assert_int_equal(n_misses, 0);
    assert_int_equal(size_here(), LATER);
    assert_int_equal(script_commands(PX_CMD_REFRESH_CACHE), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(filled_then_read, begin, end),
    };

    return cmocka_run_group_tests_name("refreshed", tests, script_limit, NULL);
}
