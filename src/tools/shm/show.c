/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm show: everything that a segment says, level by level. Which sessions and applications
 * have values is not listed anywhere but in the index lists of the record table, so that table is
 * gone through; ranks and nodes are counted. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gds/state.h"
#include "shm.h"
#include "shmem/offset.h"
#include "gds/nodes.h"
#include "gds/level.h"
#include "gds/slice.h"

enum { MAX_BYTES = 256, MAX_LISTED = 1 << 20, MAX_RANKS = 1 << 24 };

struct show {
    const struct px_store *store;
    const struct px_shm_want *want;
    bool damaged;
    bool found; /* a value that was wanted */
};

/* In a list. */
static void damaged(struct show *s, const char *what)
{
    s->damaged = true;
    px_out_open_line("damaged");
    px_out_text("what", what);
    px_out_close_line();
}

/* --- values --- */

static void show_bytes(const pmix_byte_object_t *bo)
{
    static const char digits[] = "0123456789abcdef";
    char hex[2 * MAX_BYTES];
    size_t n = bo->size < MAX_BYTES ? bo->size : MAX_BYTES;

    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char) bo->bytes[i];

        hex[2 * i] = digits[byte >> 4];
        hex[2 * i + 1] = digits[byte & 15];
    }
    px_out_string("value", hex, 2 * n);
    px_out_number("size", bo->size);
}

static void show_other(const pmix_value_t *value)
{
    char *text = PMIx_Value_string(value);
    char *after = text ? strstr(text, "Value: ") : NULL; /* the type is said elsewhere */

    px_out_text("value", after ? after + strlen("Value: ") : text);
    free(text);
}

static void show_value(const struct show *s, const pmix_value_t *value)
{
    switch (value->type) {
    case PMIX_BOOL:
        px_out_bool("value", value->data.flag);
        break;
    case PMIX_BYTE:
    case PMIX_UINT8:
        px_out_number("value", value->data.uint8);
        break;
    case PMIX_UINT16:
        px_out_number("value", value->data.uint16);
        break;
    case PMIX_UINT:
    case PMIX_UINT32:
    case PMIX_PROC_RANK:
        px_out_number("value", value->data.uint32);
        break;
    case PMIX_SIZE:
    case PMIX_UINT64:
        px_out_number("value", value->data.uint64);
        break;
    case PMIX_INT8:
        px_out_signed("value", value->data.int8);
        break;
    case PMIX_INT16:
        px_out_signed("value", value->data.int16);
        break;
    case PMIX_INT:
    case PMIX_INT32:
    case PMIX_PID:
        px_out_signed("value", value->data.int32);
        break;
    case PMIX_STATUS:
        px_out_signed("value", value->data.status);
        px_out_text("status", PMIx_Error_string(value->data.status));
        break;
    case PMIX_INT64:
        px_out_signed("value", value->data.int64);
        break;
    case PMIX_FLOAT:
        px_out_real("value", (double) value->data.fval);
        break;
    case PMIX_DOUBLE:
        px_out_real("value", value->data.dval);
        break;
    case PMIX_STRING:
        if (s->want->key || !value->data.string) {
            px_out_text("value", value->data.string);
        } else {
            px_out_long_text("value", value->data.string);
        }
        break;
    case PMIX_BYTE_OBJECT:
        show_bytes(&value->data.bo);
        break;
    default:
        show_other(value);
        break;
    }
}

static void show_quals(struct show *s, const struct px_slice *slice)
{
    bool plain = px_out_form() == PX_OUT_PLAIN; /* on the line of the value */
    pmix_info_t *quals;
    size_t n;

    if (!slice->quals) {
        return;
    }
    if (px_slice_quals(slice, &quals, &n) != 0) {
        s->damaged = true;
        px_out_bool("qualifiers_damaged", true);
        return;
    }
    if (!plain) {
        px_out_open_list("qualifiers");
    }
    for (size_t i = 0; i < n; i++) {
        char *text = PMIx_Info_string(&quals[i]);

        px_out_text(plain ? "qualifier" : NULL, text);
        free(text);
    }
    if (!plain) {
        px_out_close_list();
    }
    PMIx_Info_free(quals, n);
}

/* The constant of a key, if it is one of the Standard's: what a program has in its source. */
static void show_constant(const char *key)
{
    const char *name = PMIx_Get_attribute_name(key);

    if (name && strcmp(name, key) != 0) {
        px_out_text("constant", name);
    }
}

static int see(void *arg, const char *key, const struct px_slice *slice)
{
    struct show *s = arg;
    pmix_value_t value;

    if (s->want->key && strcmp(s->want->key, key) != 0) {
        return 0;
    }
    s->found = true;
    px_out_open_line(key);
    if (slice->hidden) {
        px_out_bool("hidden", true);
    } else if (px_slice_fill(slice, &value) != 0) {
        s->damaged = true;
        px_out_bool("damaged", true);
    } else {
        show_value(s, &value);
        px_out_text("type", PMIx_Data_type_string(value.type));
        PMIx_Value_destruct(&value);
    }
    if (slice->scope != PMIX_SCOPE_UNDEF) {
        px_out_text("scope", PMIx_Scope_string(slice->scope));
    }
    show_constant(key);
    show_quals(s, slice);
    px_out_close_line();
    return 0;
}

static int is_wanted(void *arg, const char *key, const struct px_slice *slice)
{
    const char *wanted = arg;

    (void) slice;
    return strcmp(wanted, key) == 0;
}

/* Whether there is something to be shown: all, or the key that is wanted. (Of what is damaged the
 * damage.) */
static bool has_values(const struct show *s, enum px_level level, uint32_t index)
{
    return !s->want->key ||
           px_store_each(s->store, level, index, is_wanted, (void *) s->want->key) != 0;
}

static void show_values(struct show *s, const char *name, enum px_level level, uint32_t index)
{
    if (!has_values(s, level, index)) {
        return;
    }
    px_out_open_list(name);
    if (px_store_each(s->store, level, index, see, s) != 0) {
        damaged(s, "values");
    }
    px_out_close_list();
}

/* --- which sessions and applications there are --- */

struct indexes {
    uint32_t *at;
    size_t n;
    size_t cap;
};

static int ascending(const void *a, const void *b)
{
    uint32_t x;
    uint32_t y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x < y ? -1 : x > y;
}

static void append(struct indexes *list, uint32_t index)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 16;
        uint32_t *grown = cap <= MAX_LISTED ? realloc(list->at, cap * sizeof(*grown)) : NULL;

        if (!grown) {
            return;
        }
        list->at = grown;
        list->cap = cap;
    }
    list->at[list->n++] = index;
}

/* Within a list. */
static struct indexes find_indexes(struct show *s, uint32_t level)
{
    const struct px_store_header *h = px_store_header(s->store);
    struct indexes list = {.n = 0};
    const struct px_table *table;
    struct px_view view;

    px_view_init(&view, s->store->seg.base, s->store->seg.size);
    if (h->table == 0) {
        return list;
    }
    table = px_at(&view, h->table, sizeof(*table));
    if (!table || table->n_slots > PX_SHM_MAX_SLOTS ||
        !px_at(&view, h->table, sizeof(*table) + table->n_slots * 8)) {
        damaged(s, "record table");
        return list;
    }
    for (uint64_t i = 0; i < table->n_slots; i++) {
        uint64_t loc = px_load_acquire(&table->slots[i]) & PX_SHM_LOC_MASK;
        const struct px_record *rec = loc ? px_at(&view, loc, sizeof(*rec)) : NULL;

        if (rec && rec->key == 0 && rec->level == level) {
            append(&list, rec->index);
        }
    }
    if (list.n > 0) {
        qsort(list.at, list.n, sizeof(*list.at), ascending);
    }
    return list;
}

/* The sessions or applications that have values, each with its number. */
static void show_level(struct show *s, const char *name, const char *one, enum px_level level)
{
    struct indexes list;

    px_out_open_list(name);
    list = find_indexes(s, (uint32_t) level);
    for (size_t i = 0; i < list.n; i++) {
        if ((i == 0 || list.at[i] != list.at[i - 1]) && has_values(s, level, list.at[i])) {
            px_out_open(NULL);
            px_out_number(one, list.at[i]);
            show_values(s, "values", level, list.at[i]);
            px_out_close();
        }
    }
    px_out_close_list();
    free(list.at);
}

/* --- nodes --- */

/* 0-3,7 */
static char *ranges(const uint32_t *ranks, uint32_t n)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    uint32_t i = 0;

    while (out && i < n) {
        uint32_t first = i;

        while (i + 1 < n && ranks[i + 1] == ranks[i] + 1) {
            i++;
        }
        fprintf(out, first == i ? "%s%" PRIu32 : "%s%" PRIu32 "-%" PRIu32, first ? "," : "",
                ranks[first], ranks[i]);
        i++;
    }
    if (out) {
        fclose(out);
    }
    return text;
}

static void show_ranks(const struct px_store *store, uint32_t node, uint32_t n)
{
    uint32_t room = n < MAX_LISTED ? n : MAX_LISTED;
    uint32_t *ranks = calloc(room ? room : 1, sizeof(*ranks));
    uint32_t there = ranks ? px_store_node_ranks(store, node, ranks, room) : 0;
    char *text = ranks ? ranges(ranks, there < room ? there : room) : NULL;

    px_out_text("ranks", text);
    free(text);
    free(ranks);
}

static bool show_node(struct show *s, uint32_t index)
{
    struct px_node_view node;
    const char *alias;

    if (!has_values(s, PX_LEVEL_NODE, index)) {
        return true;
    }

    if (px_store_node(s->store, index, &node) != 0) {
        damaged(s, "node");
        return false;
    }
    px_out_open(NULL);
    px_out_text("hostname", node.name);
    px_out_number("index", index);
    px_out_number("id", node.nodeid);
    px_out_open_list("aliases");
    alias = px_store_node_alias(s->store, index, 0);
    for (uint32_t i = 1; alias && i < MAX_LISTED; i++) {
        px_out_text(NULL, alias);
        alias = px_store_node_alias(s->store, index, i);
    }
    px_out_close_list();
    show_ranks(s->store, index, node.n_ranks);
    show_values(s, "values", PX_LEVEL_NODE, index);
    px_out_close();
    return true;
}

static void show_nodes(struct show *s, uint32_t n)
{
    bool sound = true;

    px_out_open_list("nodes");
    for (uint32_t i = 0; i < n && sound; i++) {
        sound = show_node(s, i);
    }
    px_out_close_list();
}

/* --- processes --- */

static void show_proc(struct show *s, uint32_t rank)
{
    uint32_t node = px_store_node_of(s->store, rank);
    uint32_t app = px_store_app_of(s->store, rank);

    if (!has_values(s, PX_LEVEL_PROC, rank)) {
        return;
    }
    px_out_open(NULL);
    px_out_number("rank", rank);
    if (node != PX_NO_NODE) {
        px_out_number("node", node);
    }
    if (app != PX_NO_APP) {
        px_out_number("app", app);
    }
    show_values(s, "values", PX_LEVEL_PROC, rank);
    px_out_close();
}

static void show_procs(struct show *s, uint32_t n)
{
    uint32_t shown = n < MAX_RANKS ? n : MAX_RANKS;

    px_out_open_list("processes");
    if (s->want->rank != PMIX_RANK_UNDEF) {
        show_proc(s, s->want->rank);
    } else {
        for (uint32_t rank = 0; rank < shown; rank++) {
            show_proc(s, rank);
        }
    }
    px_out_close_list();
    if (s->want->rank == PMIX_RANK_UNDEF && shown < n) {
        px_out_number("more_processes", n - shown);
    }
}

int px_shm_show(const struct px_store *store, const struct px_shm_want *want, bool *ret_found)
{
    const struct px_store_header *h = px_store_header(store);
    struct show s = {.store = store, .want = want};
    struct px_store_info info;

    px_store_info(store, &info);
    px_out_open(NULL);
    px_out_text("nspace", px_store_nspace(store));
    px_out_number("generation", info.generation);
    px_out_number("sequence", info.sequence);
    px_out_number("bytes", info.used_bytes);
    px_out_number("garbage_bytes", info.garbage_bytes);
    px_out_number("uid", h->id.uid);
    px_out_bool("complete", px_store_flags(store) & PX_STORE_JOB_COMPLETE);
    px_out_bool("dead", info.dead);
    if (want->rank == PMIX_RANK_UNDEF) {
        show_level(&s, "sessions", "session", PX_LEVEL_SESSION);
        show_values(&s, "job", PX_LEVEL_JOB, 0);
        show_level(&s, "apps", "app", PX_LEVEL_APP);
        if (px_store_local_node(store) != PX_NO_NODE) {
            px_out_number("own_node", px_store_local_node(store));
        }
        show_nodes(&s, info.n_nodes);
    }
    show_procs(&s, info.n_ranks);
    px_out_close();
    px_out_end();
    *ret_found = s.damaged ||
                 (want->key ? s.found : want->rank == PMIX_RANK_UNDEF || want->rank < info.n_ranks);
    return s.damaged ? -1 : 0;
}
