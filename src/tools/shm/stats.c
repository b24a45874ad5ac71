/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm stats: what shm_tally.c has counted, printed. */

#include <math.h>

#include "gds/state.h"
#include "shm.h"
#include "tally.h"

/* To four digits behind the point: more would say nothing. */
static void show_ratio(const char *name, uint64_t n, uint64_t of)
{
    px_out_real(name, of ? round((double) n / (double) of * 1e4) / 1e4 : 0);
}

static void show_parts(const struct px_shm_tally *t)
{
    px_out_open("bytes_by_part");
    for (int i = 0; i < PX_N_PARTS; i++) {
        px_out_number(px_shm_part_names[i], t->parts[i]);
    }
    px_out_close();
    if (t->ranks == 0) {
        return;
    }
    px_out_open("bytes_per_rank");
    for (int i = 0; i < PX_N_PARTS; i++) {
        show_ratio(px_shm_part_names[i], t->parts[i], t->ranks);
    }
    show_ratio("all", t->bytes, t->ranks);
    px_out_close();
}

static void show_columns(const struct px_shm_tally *t)
{
    px_out_open("columns");
    for (int i = 0; i < PX_N_KINDS; i++) {
        px_out_number(px_shm_kind_names[i], t->kinds[i]);
    }
    px_out_number("overlaid", t->overlaid);
    px_out_close();
}

static void show_table(const char *name, const struct px_shm_fill *fill)
{
    px_out_open(name);
    px_out_number("slots", fill->slots);
    px_out_number("filled", fill->filled);
    show_ratio("load", fill->filled, fill->slots);
    show_ratio("mean_probe", fill->probes, fill->filled);
    px_out_number("longest_probe", fill->longest);
    px_out_close();
}

int px_shm_stats(const struct px_store *store)
{
    struct px_shm_tally t;

    if (px_shm_tally(&store->seg, &t) != 0) {
        return -1;
    }
    px_out_open(NULL);
    px_out_text("nspace", px_store_nspace(store));
    px_out_number("bytes", t.bytes);
    px_out_number("generation", t.generation);
    px_out_number("sequence", t.sequence);
    px_out_number("ranks", t.ranks);
    show_parts(&t);
    show_columns(&t);
    px_out_open("tables");
    for (int i = 0; i < PX_N_TABLES; i++) {
        if (t.tables[i].slots > 0) {
            show_table(px_shm_table_names[i], &t.tables[i]);
        }
    }
    px_out_close();
    px_out_bool("damaged", t.damaged);
    px_out_close();
    px_out_end();
    return t.damaged ? -1 : 0;
}
