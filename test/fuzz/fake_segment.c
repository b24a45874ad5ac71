/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "fake_segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pmix.h>

#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/publication.h"
#include "half_server.h"
#include "src/nspace/jobinfo.h"

enum { SEGMENT_BYTES = 1 << 20, POSTER = 1, MOST_MOVES = 64, PIECE = 4096 };

static struct px_store *segments[2];

static void need(int rc)
{
    if (rc != 0) {
        fprintf(stderr, "a segment: %s\n", PMIx_Error_string(rc));
        abort();
    }
}

static void publish(struct px_store *store, uint32_t rank, const char *key, const void *bytes,
                    size_t len)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT,
                          .data.bo = {.bytes = (char *) (uintptr_t) bytes, .size = len}};
    struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .index = rank, .key = key, .value = &value, .scope = PMIX_GLOBAL};
    struct px_batch *batch = px_batch_create();

    need(batch ? px_batch_add(batch, &entry) : PMIX_ERR_NOMEM);
    (void) px_store_publish(store, batch); /* a full segment stays as it is */
    px_batch_destroy(batch);
}

static struct px_store *make(const char *nspace, uint32_t size)
{
    struct px_store_opts opts = {.nspace = nspace,
                                 .shared = true,
                                 .virtual_size = SEGMENT_BYTES,
                                 .uid = geteuid(),
                                 .gid = getegid(),
                                 .moves = true,
                                 .garbage_bytes = PIECE};
    pmix_info_t info[HALF_JOB_INFOS];
    char host[256] = "";
    struct px_store *store;

    (void) gethostname(host, sizeof(host) - 1);
    half_server_job_infos(size, info);
    need(px_store_create(&opts, &store));
    need(px_jobinfo_store(store, info, HALF_JOB_INFOS, host));
    for (size_t i = 0; i < HALF_JOB_INFOS; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
    publish(store, POSTER, "key", "posted", 6);
    publish(store, POSTER, "name", "value", 5);
    return store;
}

static struct px_store *make_number(bool other)
{
    return other ? make(FUZZ_OTHER, 2) : make(FUZZ_JOB, 3);
}

void fake_segments_start(void)
{
    segments[0] = make_number(false);
    segments[1] = make_number(true);
}

void fake_segments_stop(void)
{
    px_store_destroy(segments[0]);
    px_store_destroy(segments[1]);
}

int fake_segment_fd(bool other)
{
    return px_store_fd(segments[other]);
}

/* Posts the value over and over until the garbage makes the store move. */
static void move(struct px_store *store, uint32_t rank)
{
    static const char piece[PIECE];
    struct px_store_info before;
    struct px_store_info now;

    px_store_info(store, &before);
    for (int i = 0; i < MOST_MOVES; i++) {
        publish(store, rank, "filling", piece, i % 2 ? PIECE : PIECE - 1);
        px_store_compact(store);
        px_store_info(store, &now);
        if (now.generation != before.generation) {
            return;
        }
    }
}

void fake_segment_change(bool other, uint8_t how, const void *bytes, size_t len)
{
    struct px_store **store = &segments[other];
    uint32_t rank = how >> 4;

    switch (how & 3) {
    case 0:
        publish(*store, rank, "key", bytes, len);
        break;
    case 1:
        publish(*store, rank, "key", bytes, len);
        move(*store, rank);
        break;
    case 2:
        px_store_destroy(*store);
        *store = make_number(other);
        break;
    default:
        px_store_set_flags(*store, how >> 2);
        break;
    }
}
