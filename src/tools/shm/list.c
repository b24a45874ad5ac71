/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm list: a line for each live segment. */

#include <inttypes.h>
#include <stdio.h>

#include "gds/state.h"
#include "shm.h"

int px_shm_open(const struct px_shm_live *live, struct px_store **ret)
{
    int fd = px_shm_fd(live);

    return fd < 0 ? PMIX_ERR_NOT_FOUND : px_store_open(fd, ret);
}

static void print_object(const struct px_shm_live *live, const struct px_store *store)
{
    struct px_store_info info;

    px_store_info(store, &info);
    px_out_open(NULL);
    px_out_text("nspace", px_store_nspace(store));
    px_out_number("pid", (uint64_t) live->pid);
    px_out_number("uid", px_store_header(store)->id.uid);
    px_out_number("bytes", info.used_bytes);
    px_out_number("ranks", info.n_ranks);
    px_out_number("nodes", info.n_nodes);
    px_out_number("generation", info.generation);
    px_out_number("sequence", info.sequence);
    px_out_number("readers", live->readers);
    px_out_close();
}

static void print_line(const struct px_shm_live *live, const struct px_store *store)
{
    struct px_store_info info;

    px_store_info(store, &info);
    printf("%8d %12" PRIu64 " %8" PRIu32 " %6" PRIu32 " %4" PRIu32 " %8" PRIu64 " %7" PRIu64 "  ",
           (int) live->pid, info.used_bytes, info.n_ranks, info.n_nodes, info.generation,
           info.sequence, live->readers);
    px_out_text(NULL, px_store_nspace(store));
}

static void print_unreadable(const struct px_shm_live *live, bool json, const char *why)
{
    if (!json) {
        printf("%8d  (unreadable: %s)\n", (int) live->pid, why);
        return;
    }
    px_out_open(NULL);
    px_out_number("pid", (uint64_t) live->pid);
    px_out_text("unreadable", why);
    px_out_close();
}

static void print_one(const struct px_shm_live *live, bool json)
{
    struct px_store *store;
    int rc = px_shm_open(live, &store);

    if (rc == PMIX_ERR_NOT_FOUND) {
        return; /* gone by now */
    }
    if (rc != 0) {
        print_unreadable(live, json, PMIx_Error_string(rc));
        return;
    }
    (json ? print_object : print_line)(live, store);
    px_store_destroy(store);
}

int px_shm_list(pid_t server, bool json)
{
    struct px_shm_list list;
    int rc = px_shm_find(server, &list);

    if (rc != 0) {
        return rc;
    }
    px_shm_count_readers(&list);
    if (json) {
        px_out_open_list(NULL);
    } else {
        printf("%8s %12s %8s %6s %4s %8s %7s  %s\n", "pid", "bytes", "ranks", "nodes", "gen",
               "sequence", "readers", "namespace");
    }
    for (size_t i = 0; i < list.n; i++) {
        print_one(&list.items[i], json);
    }
    if (json) {
        px_out_close_list();
        px_out_end();
    }
    px_shm_list_free(&list);
    return 0;
}
