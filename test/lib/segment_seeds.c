/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writes the corpus of segment_fuzz: small segments that together have every level, kind of column,
 * form of payload and map. The format's fingerprint is in them: run this again whenever it changes.
 * usage: segment_seeds FOLDER */
#include <stdio.h>
#include <stdlib.h>

#include <pmix.h>

#include "gds/segment_file.h"
#include "gds/batch.h"
#include "gds/publication.h"

enum { KINDS = 4, MOST = 128 };

static char names[4][8] = {"node0", "node1", "node2", "n3"};
static uint32_t numbers[] = {1, 2, 3};
static pmix_info_t infos[2];
static pmix_info_t qual;
static pmix_proc_t proc = {.nspace = "parent", .rank = 3};
static pmix_data_array_t array = {.type = PMIX_UINT32, .size = 3, .array = numbers};
static pmix_data_array_t nested = {.type = PMIX_INFO, .size = 2, .array = infos};

static pmix_value_t values[MOST];
static size_t n_values;

static void need(int rc)
{
    if (rc) {
        fprintf(stderr, "segment_seeds: %s\n", PMIx_Error_string(rc));
        exit(1);
    }
}

static void add(struct px_batch *batch, enum px_level level, uint32_t index, const char *key,
                pmix_value_t value)
{
    struct px_store_entry entry = {.level = level, .index = index, .key = key};

    need(n_values < MOST ? 0 : PMIX_ERR_NOMEM);
    values[n_values] = value;
    entry.value = &values[n_values++];
    need(px_batch_add(batch, &entry));
}

static pmix_value_t u32(uint32_t n)
{
    return (pmix_value_t){.type = PMIX_UINT32, .data.uint32 = n};
}

static pmix_value_t str(char *text)
{
    return (pmix_value_t){.type = PMIX_STRING, .data.string = text};
}

static void add_nodes(struct px_batch *batch, struct px_store *store, int kind, uint32_t n_ranks)
{
    static const char *const aliases[] = {"a0", "a1", NULL};
    uint32_t index;

    for (uint32_t i = 0; i < 3; i++) {
        struct px_node_def def = {.name = names[i],
                                  .aliases = i == 1 ? aliases : NULL,
                                  .nodeid = i == 2 ? 9 : PX_NO_NODEID};

        need(px_batch_node(batch, store, &def, &index));
    }
    for (uint32_t i = 0; i < n_ranks; i++) {
        uint32_t node = kind == 0 ? i / 2 : kind == 2 ? i % 3 : i * i % 3;

        need(px_batch_place_rank(batch, i, node, i % 2));
    }
    need(px_batch_local_node(batch, 1));
}

static void add_columns(struct px_batch *batch, uint32_t n_ranks)
{
    for (uint32_t i = 0; i < n_ranks; i++) {
        pmix_value_t some = {.type = PMIX_BYTE_OBJECT};

        some.data.bo.bytes = names[i % 4];
        some.data.bo.size = 1 + i % 5;
        add(batch, PX_LEVEL_PROC, i, "line", u32(i));
        add(batch, PX_LEVEL_PROC, i, "const", u32(7));
        add(batch, PX_LEVEL_PROC, i, "array",
            (pmix_value_t){.type = PMIX_UINT16, .data.uint16 = (uint16_t) (i * i)});
        add(batch, PX_LEVEL_PROC, i, "dict", str(names[i % 2]));
        add(batch, PX_LEVEL_PROC, i, "cell", str("same"));
        if (i != 1) {
            add(batch, PX_LEVEL_PROC, i, "loc", some);
        }
    }
}

static void add_records(struct px_batch *batch, uint32_t n_ranks)
{
    struct px_store_entry hidden = {
        .level = PX_LEVEL_PROC, .index = 2, .key = "hidden", .scope = PMIX_REMOTE};
    struct px_store_entry qualified = {
        .level = PX_LEVEL_PROC, .index = 2, .key = "qualified", .quals = &qual, .n_quals = 1};
    pmix_value_t moment = {.type = PMIX_TIMEVAL, .data.tv = {.tv_sec = 1, .tv_usec = 2}};
    pmix_value_t five = {.type = PMIX_DOUBLE, .data.dval = 5};

    add(batch, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, u32(n_ranks));
    add(batch, PX_LEVEL_SESSION, 3, PMIX_RM_NAME, str("rm"));
    add(batch, PX_LEVEL_APP, 1, "numbers",
        (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &array});
    add(batch, PX_LEVEL_NODE, 1, "nested",
        (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = &nested});
    add(batch, PX_LEVEL_PROC, 2, "proc", (pmix_value_t){.type = PMIX_PROC, .data.proc = &proc});
    add(batch, PX_LEVEL_PROC, 2, "moment", moment);
    add(batch, PX_LEVEL_PROC, 2, "five", five);
    need(px_batch_add(batch, &hidden));
    values[n_values] = u32(5);
    qualified.value = &values[n_values++];
    need(px_batch_add(batch, &qualified));
}

/* Newer values over those that are there: overlays, versions, at last a column and a node anew. */
static void change(struct px_store *store, int kind, uint32_t round, uint32_t n_ranks)
{
    struct px_batch *batch = px_batch_create();
    struct px_node_def def = {.name = names[3], .nodeid = PX_NO_NODEID};
    uint32_t index;

    need(batch ? 0 : PMIX_ERR_NOMEM);
    n_values = 0;
    add(batch, PX_LEVEL_PROC, 3, "array", u32(77 + round));
    add(batch, PX_LEVEL_PROC, 4 + round, "dict", str("late"));
    add(batch, PX_LEVEL_JOB, 0, PMIX_JOB_SIZE, u32(99 + round));
    if (kind == 3 && round == 1) {
        need(px_batch_node(batch, store, &def, &index));
        need(px_batch_place_rank(batch, 9, index, 0));
        for (uint32_t i = 0; i < n_ranks; i++) {
            add(batch, PX_LEVEL_PROC, i, "array", u32(1000 * i * i));
        }
    }
    need(px_store_publish(store, batch));
    px_batch_destroy(batch);
}

static void write_seed(const struct px_store *store, const char *folder, int kind)
{
    char path[4096];
    void *bytes;
    size_t len;
    FILE *file;

    (void) snprintf(path, sizeof(path), "%s/seed-%d", folder, kind);
    need(px_store_save(store, &bytes, &len));
    file = fopen(path, "we");
    need(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0 ? 0 : PMIX_ERROR);
    free(bytes);
}

static void make_seed(const char *folder, int kind)
{
    struct px_store_opts opts = {.nspace = "j", .virtual_size = 1 << 20};
    struct px_batch *batch = px_batch_create();
    uint32_t n_ranks = kind == 0 ? 4 : 8;
    struct px_store *store;

    need(batch ? 0 : PMIX_ERR_NOMEM);
    need(px_store_create(&opts, &store));
    n_values = 0;
    if (kind != 1) {
        add_nodes(batch, store, kind, n_ranks);
        add_columns(batch, n_ranks);
    }
    if (kind != 0) {
        add_records(batch, n_ranks);
    }
    need(px_store_publish(store, batch));
    px_batch_destroy(batch);
    for (uint32_t round = 0; kind >= 2 && round < 2; round++) {
        change(store, kind, round, n_ranks);
    }
    write_seed(store, folder, kind);
    px_store_destroy(store);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: segment_seeds FOLDER\n", stderr);
        return 2;
    }
    PMIx_Info_load(&infos[0], "one", "text", PMIX_STRING);
    PMIx_Info_load(&infos[1], "two", &numbers[1], PMIX_UINT32);
    PMIx_Info_load(&qual, "q", &numbers[2], PMIX_UINT32);
    for (int kind = 0; kind < KINDS; kind++) {
        make_seed(argv[1], kind);
    }
    PMIx_Info_destruct(&infos[0]);
    PMIx_Info_destruct(&infos[1]);
    PMIx_Info_destruct(&qual);
    return 0;
}
