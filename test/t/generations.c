/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* generations NSPACE: holds a segment of the namespace in three generations, as a server may: one
 * that was superseded and has a pointer into it, the present one, and one that is being filled. The
 * key "mark" says which they are: "first", then "second". Prints "ready", and ends when its input
 * does, or after two minutes. Used by pmix_shm.sh. */

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/level.h"
#include "gds/publication.h"
#include "gds/slice.h"
#include "gds/store.h"

enum { LARGE = 100000, PIECE = 16384 }; /* so that a move takes several pieces */

static void check(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "generations: %s\n", what);
        exit(99);
    }
}

static void put(struct px_store *store, const char *key, const pmix_value_t *value)
{
    struct px_store_entry entry = {.level = PX_LEVEL_JOB, .key = key, .value = value};
    struct px_batch *batch = px_batch_create();

    check(batch != NULL && px_batch_add(batch, &entry) == 0, "add");
    check(px_store_publish(store, batch) == 0, "publish");
    px_batch_destroy(batch);
}

static void put_mark(struct px_store *store, char *text)
{
    put(store, "mark", &(pmix_value_t){.type = PMIX_STRING, .data.string = text});
}

/* Replaces a large value until that is worth another generation. */
static void make_garbage(struct px_store *store)
{
    static char fill[LARGE];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {fill, sizeof(fill)}};

    for (int i = 0; i < 3; i++) {
        fill[0]++;
        put(store, "large", &value);
    }
}

/* Keeps the present generation, however many follow. */
static void pin(struct px_store *store)
{
    const pmix_value_t *pointer;
    struct px_slice slice;

    check(px_store_find(store, PX_LEVEL_JOB, 0, "mark", strlen("mark"), &slice) == 0, "find");
    check(px_slice_pointer(&slice, &pointer) == 0, "pin");
}

int main(int argc, char **argv)
{
    struct px_store_opts opts = {.shared = true,
                                 .uid = getuid(),
                                 .gid = getgid(),
                                 .moves = true,
                                 .garbage_bytes = 4096,
                                 .move_piece = PIECE};
    struct px_store *store;
    struct px_store_info info;
    char byte;

    alarm(120);
    check(argc == 2, "usage: generations NSPACE");
    opts.nspace = argv[1];
    check(px_store_create(&opts, &store) == 0, "create");
    put_mark(store, "first");
    pin(store);
    make_garbage(store);
    while (px_store_compact(store)) {
    }
    px_store_info(store, &info);
    check(info.generation == 2, "the store has not moved");
    put_mark(store, "second");
    make_garbage(store);
    check(px_store_compact(store) && px_store_is_moving(store), "the store does not move");
    puts("ready");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    px_store_destroy(store);
    return 0;
}
