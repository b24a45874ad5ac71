/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Records become events, sorted by time; each belongs to a row, one process, and those of a
 * collective to what one server knows of it (struct coll). The same collective at several servers
 * is a meeting: it has the last to come of all. The nth of a kind and set at one server meets the
 * nth at another. */

#include "timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <pmix.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "src/base/array.h"
#include "src/base/map.h"
#include "src/tools/quote.h"
#include "src/waits/area.h"
#include "src/waits/trace.h"
#include "src/waits/words.h"

/* A process. */
struct row {
    struct row *next;
    char name[PX_TRACE_NAME + 16]; /* "job:0" */
    uint32_t node;
    uint32_t number;     /* of its row */
    struct event *first; /* by time */
    struct event *last;
    uint64_t begin_ns;
    uint64_t end_ns;
    const struct event *fork; /* NULL: not seen */
    const struct event *end;
};

/* A collective. */
struct meeting {
    struct meeting *next;
    uint64_t first_ns;
    uint64_t last_ns;
    const struct row *last;
    uint32_t n_come;
};

/* A collective at one server. */
struct coll {
    struct coll *next;
    struct event *first;
    struct meeting *meeting;
    uint64_t number; /* of all */
    uint64_t nth;    /* of its kind and set */
    uint64_t ask_ns;
    uint64_t over_ns; /* 0: it has not ended */
    int status;
};

struct event {
    struct px_trace_record head;
    char *text; /* NULL: none */
    struct row *row;
    struct coll *coll;
    struct event *next; /* of the row */
};

struct timeline {
    FILE *to;
    uint32_t n_nodes;
    uint64_t zero_ns;
    uint64_t end_ns;
    struct event *events;
    size_t n;
    size_t room;
    struct px_map rows_by_name;
    struct row *rows; /* in the order in which they are first met */
    struct row *last_row;
    uint32_t n_rows;
    struct px_map colls_by_id; /* those that have not ended */
    struct coll *colls;
    uint64_t n_colls;
    struct px_map counts; /* collectives of a kind and set at a node: the newest coll */
    struct px_map meetings_by_key;
    struct meeting *meetings;
    bool any; /* an event has been written */
};

/* ---- reading */

static struct row *row_of(struct timeline *t, const struct px_trace_item *item)
{
    char name[sizeof(((struct row *) NULL)->name)];
    size_t len =
        (size_t) snprintf(name, sizeof(name), "%s:%" PRIu32, item->nspace, item->head.rank);
    struct row *row = px_map_find(&t->rows_by_name, name, len);

    if (row != NULL) {
        return row;
    }
    row = calloc(1, sizeof(*row));
    if (row == NULL || px_map_set(&t->rows_by_name, name, len, row) != 0) {
        free(row);
        return NULL;
    }
    memcpy(row->name, name, len + 1);
    row->node = item->head.node;
    row->number = ++t->n_rows;
    *(t->last_row != NULL ? &t->last_row->next : &t->rows) = row;
    t->last_row = row;
    return row;
}

static bool is_of_process(uint16_t kind)
{
    return kind != PX_TRACE_STEP && kind != PX_TRACE_CLOSED && kind != PX_TRACE_ASK &&
           kind != PX_TRACE_OVER;
}

/* 0 or ENOMEM. */
static int take(struct timeline *t, const struct px_trace_item *item)
{
    struct event e = {.head = item->head};
    const char *text = item->text[0] != '\0' ? item->text : NULL;

    if (item->head.kind == PX_TRACE_STEP && item->nspace[0] != '\0') {
        if (asprintf(&e.text, "%s %s", item->text, item->nspace) < 0) {
            return ENOMEM;
        }
    } else if (text != NULL && (e.text = strdup(text)) == NULL) {
        return ENOMEM;
    }
    e.row = is_of_process(item->head.kind) ? row_of(t, item) : NULL;
    if ((is_of_process(item->head.kind) && e.row == NULL) ||
        px_array_room(&t->events, t->n, &t->room, sizeof(e)) != 0) {
        free(e.text);
        return ENOMEM;
    }
    t->events[t->n++] = e;
    return 0;
}

/* 0, -1 or ENOMEM, as px_run_timeline. */
static int read_all(struct timeline *t, FILE *records)
{
    struct px_trace_item item;
    int rc = px_trace_read(records, &item);

    while (rc > 0) {
        if (item.head.node < t->n_nodes && take(t, &item) != 0) {
            return ENOMEM;
        }
        rc = px_trace_read(records, &item);
    }
    return rc < 0 ? -1 : 0;
}

/* Of the same moment: as they were written. */
static int by_time(const void *a, const void *b)
{
    const struct event *x = *(struct event *const *) a;
    const struct event *y = *(struct event *const *) b;

    return x->head.ns != y->head.ns ? (x->head.ns < y->head.ns ? -1 : 1) : x < y ? -1 : x > y;
}

/* ---- who belongs together */

/* The meeting of a new collective at a server, which has called `newest` so far. */
static struct meeting *meeting_of(struct timeline *t, const struct event *e, struct coll *coll)
{
    const uint64_t here[] = {e->head.key, e->head.op, e->head.node};
    const struct coll *before = px_map_find(&t->counts, here, sizeof(here));

    coll->nth = before != NULL ? before->nth + 1 : 1;
    if (px_map_set(&t->counts, here, sizeof(here), coll) != 0) {
        return NULL;
    }
    const uint64_t all[] = {e->head.key, e->head.op, coll->nth};
    struct meeting *m = px_map_find(&t->meetings_by_key, all, sizeof(all));
    if (m != NULL) {
        return m;
    }
    m = calloc(1, sizeof(*m));
    if (m == NULL || px_map_set(&t->meetings_by_key, all, sizeof(all), m) != 0) {
        free(m);
        return NULL;
    }
    m->first_ns = e->head.ns;
    m->next = t->meetings;
    t->meetings = m;
    return m;
}

/* 0 or ENOMEM. */
static int join(struct timeline *t, struct event *e)
{
    const uint64_t id[] = {e->head.id, e->head.node};
    struct coll *coll = px_map_find(&t->colls_by_id, id, sizeof(id));

    if (coll == NULL) {
        coll = calloc(1, sizeof(*coll));
        if (coll == NULL || px_map_set(&t->colls_by_id, id, sizeof(id), coll) != 0) {
            free(coll);
            return ENOMEM;
        }
        coll->number = ++t->n_colls;
        coll->next = t->colls;
        t->colls = coll;
        coll->first = e;
        coll->meeting = meeting_of(t, e, coll);
        if (coll->meeting == NULL) {
            return ENOMEM;
        }
    }
    e->coll = coll;
    coll->meeting->last_ns = e->head.ns;
    coll->meeting->last = e->row;
    coll->meeting->n_come++;
    return 0;
}

static void note_coll(struct timeline *t, const struct event *e)
{
    const uint64_t id[] = {e->head.id, e->head.node};
    struct coll *coll = px_map_find(&t->colls_by_id, id, sizeof(id));

    if (coll != NULL && e->head.kind == PX_TRACE_ASK) {
        coll->ask_ns = e->head.ns;
    } else if (coll != NULL && e->head.kind == PX_TRACE_OVER) {
        coll->over_ns = e->head.ns;
        coll->status = e->head.number;
        (void) px_map_remove(&t->colls_by_id, id, sizeof(id)); /* the number is free for another */
    }
}

static uint64_t end_of(const struct event *e)
{
    return e->head.until_ns > e->head.ns ? e->head.until_ns : e->head.ns;
}

static void note_row(struct row *row, struct event *e)
{
    uint64_t end = end_of(e);

    row->begin_ns = row->first == NULL ? e->head.ns : row->begin_ns;
    row->end_ns = end > row->end_ns ? end : row->end_ns;
    row->fork = e->head.kind == PX_TRACE_FORK ? e : row->fork;
    row->end = e->head.kind == PX_TRACE_END ? e : row->end;
    *(row->last != NULL ? &row->last->next : &row->first) = e;
    row->last = e;
}

/* 0 or ENOMEM. */
static int connect_all(struct timeline *t)
{
    struct event **sorted = calloc(t->n + 1, sizeof(struct event *));
    int rc = sorted == NULL ? ENOMEM : 0;

    for (size_t i = 0; rc == 0 && i < t->n; i++) {
        sorted[i] = &t->events[i];
    }
    if (rc == 0 && t->n > 0) {
        qsort(sorted, t->n, sizeof(sorted[0]), by_time);
        t->zero_ns = sorted[0]->head.ns;
    }
    for (size_t i = 0; rc == 0 && i < t->n; i++) {
        struct event *e = sorted[i];

        t->end_ns = end_of(e) > t->end_ns ? end_of(e) : t->end_ns;
        if (e->row != NULL) {
            note_row(e->row, e);
        }
        if (e->head.kind == PX_TRACE_JOIN) {
            rc = join(t, e);
        } else if (e->row == NULL) {
            note_coll(t, e);
        }
    }
    for (struct row *row = t->rows; row != NULL; row = row->next) {
        row->end_ns =
            row->end != NULL ? row->end_ns : t->end_ns; /* it has not ended: until all has */
    }
    free(sorted);
    return rc;
}

/* ---- writing */

enum { SERVER_ROW = 1, FIRST_ROW = 2 }; /* the format's 0 means an idle processor to some */

static uint32_t number_of(const struct row *row)
{
    return FIRST_ROW - 1 + row->number;
}

static void put_text(const struct timeline *t, const char *name, const char *text)
{
    fprintf(t->to, "\"%s\": ", name);
    px_quote(t->to, text, strlen(text), true);
}

static void put_us(const struct timeline *t, const char *name, uint64_t ns)
{
    fprintf(t->to, ", \"%s\": %" PRIu64 ".%03u", name, ns / 1000, (unsigned) (ns % 1000));
}

/* Begins an event, and its arguments; a caller ends both with "}}". */
static void begin(struct timeline *t, const char *phase, const char *name, uint32_t node,
                  uint32_t row)
{
    fprintf(t->to, "%s\n{\"ph\": \"%s\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", ",
            t->any ? "," : "", phase, node + 1, row);
    put_text(t, "name", name);
    t->any = true;
}

static void put_name(struct timeline *t, const char *what, uint32_t node, uint32_t row,
                     const char *name)
{
    begin(t, "M", what, node, row);
    fputs(", \"args\": {", t->to);
    put_text(t, "name", name);
    fputs("}}", t->to);
}

/* A span of a row, without the end of its arguments. */
static void begin_span(struct timeline *t, const char *kind, const char *name, uint32_t node,
                       uint32_t row, uint64_t from_ns, uint64_t to_ns)
{
    begin(t, "X", name, node, row);
    fprintf(t->to, ", \"cat\": \"%s\"", kind);
    put_us(t, "ts", from_ns - t->zero_ns);
    put_us(t, "dur", to_ns > from_ns ? to_ns - from_ns : 0);
    fputs(", \"args\": {", t->to);
}

static void put_span(struct timeline *t, const char *name, const struct row *row, uint64_t from_ns,
                     uint64_t to_ns)
{
    begin_span(t, "process", name, row->node, number_of(row), from_ns, to_ns);
    fputs("}}", t->to);
}

static void put_life(struct timeline *t, const struct row *row)
{
    begin_span(t, "process", row->name, row->node, number_of(row), row->begin_ns, row->end_ns);
    fprintf(t->to, "\"pid\": %d", row->fork != NULL ? row->fork->head.number : 0);
    if (row->fork != NULL && row->fork->text != NULL) {
        fputs(", ", t->to);
        put_text(t, "program", row->fork->text);
    }
    if (row->end != NULL) {
        int status = row->end->head.number;

        fprintf(t->to, WIFSIGNALED(status) ? ", \"signal\": %d" : ", \"exit_code\": %d",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    fputs("}}", t->to);
}

static void name_coll(const struct coll *coll, char *ret, size_t room)
{
    const struct event *e = coll->first;
    const char *kind = e->head.op < PX_WAITS_KINDS ? px_waits_kind_text(e->head.op) : "collective";

    (void) snprintf(ret, room, "%s%s%s", kind, e->text != NULL ? " " : "",
                    e->text != NULL ? e->text : "");
}

static void put_coll_facts(const struct timeline *t, const struct coll *coll)
{
    const struct meeting *m = coll->meeting;

    fprintf(t->to, "\"number\": %" PRIu64 ", \"come\": %" PRIu32 ", ", coll->nth, m->n_come);
    put_text(t, "last", m->last->name);
    put_us(t, "spread_us", m->last_ns - m->first_ns);
    if (coll->over_ns == 0) {
        fputs(", \"status\": \"not ended\"", t->to);
    } else {
        fputs(", ", t->to);
        put_text(t, "status", PMIx_Error_string(coll->status));
    }
}

/* A member's call: it waits for the last to come, and then for the answer. */
static void put_call(struct timeline *t, const struct event *e)
{
    const struct row *row = e->row;
    const struct meeting *m = e->coll->meeting;
    uint64_t over = e->coll->over_ns;
    uint64_t end = over != 0 && over < row->end_ns ? over : row->end_ns;
    uint64_t met = m->last_ns < end ? m->last_ns : end;
    char name[PX_TRACE_NAME + 64];

    name_coll(e->coll, name, sizeof(name));
    begin_span(t, "collective", name, row->node, number_of(row), e->head.ns, end);
    put_coll_facts(t, e->coll);
    put_us(t, "waited_us", met - e->head.ns);
    fputs("}}", t->to);
    if (m->last == row) {
        begin(t, "i", "last to come", row->node, number_of(row));
        put_us(t, "ts", e->head.ns - t->zero_ns);
        fputs(", \"s\": \"t\", \"args\": {}}", t->to);
    } else {
        (void) snprintf(name, sizeof(name), "waits for %s", m->last->name);
        put_span(t, name, row, e->head.ns, met);
    }
}

static const struct event *first_of(const struct row *row, enum px_trace_kind kind)
{
    const struct event *e = row->first;

    while (e != NULL && e->head.kind != kind) {
        e = e->next;
    }
    return e;
}

/* From the fork to PMIx_Init's end, as its server knows it. */
static void put_start(struct timeline *t, const struct row *row)
{
    const struct event *connect = first_of(row, PX_TRACE_CONNECT);
    const struct event *inform = first_of(row, PX_TRACE_INFORM);

    if (row->fork != NULL) {
        uint64_t from = row->fork->head.ns;
        uint64_t to = end_of(row->fork);

        /* It may have gone far before we are told that it has become its program. */
        to = connect != NULL && connect->head.ns < to ? connect->head.ns : to;
        put_span(t, "fork", row, from, to);
        if (connect != NULL) {
            put_span(t, "start", row, to, connect->head.ns);
        }
    }
    if (connect != NULL) {
        put_span(t, "connect", row, connect->head.ns, end_of(connect));
    }
    if (connect != NULL && inform != NULL) {
        put_span(t, "init", row, end_of(connect), inform->head.ns);
    }
}

static void put_row(struct timeline *t, const struct row *row)
{
    put_name(t, "thread_name", row->node, number_of(row), row->name);
    put_life(t, row);
    put_start(t, row);
    for (const struct event *e = row->first; e != NULL; e = e->next) {
        if (e->head.kind == PX_TRACE_COMMIT) {
            put_span(t, "commit", row, e->head.ns, end_of(e));
        } else if (e->head.kind == PX_TRACE_JOIN) {
            put_call(t, e);
        } else if (e->head.kind == PX_TRACE_FINALIZE) {
            put_span(t, "finalize", row, e->head.ns, end_of(e));
        } else if (e->head.kind == PX_TRACE_GONE) {
            begin(t, "i", "disconnected", row->node, number_of(row));
            put_us(t, "ts", e->head.ns - t->zero_ns);
            fputs(", \"s\": \"t\", \"args\": {}}", t->to);
        }
    }
}

/* Collectives of a server may overlap, so they are no spans of its row. */
static void put_coll(struct timeline *t, const struct coll *coll)
{
    uint32_t node = coll->first->head.node;
    char name[PX_TRACE_NAME + 64];

    name_coll(coll, name, sizeof(name));
    for (int i = 0; i < 2; i++) {
        uint64_t end = coll->over_ns != 0 ? coll->over_ns : t->end_ns;

        begin(t, i == 0 ? "b" : "e", name, node, SERVER_ROW);
        fprintf(t->to, ", \"cat\": \"collective\", \"id\": \"%" PRIu64 "\"", coll->number);
        put_us(t, "ts", (i == 0 ? coll->first->head.ns : end) - t->zero_ns);
        fputs(", \"args\": {", t->to);
        if (i == 0) {
            put_coll_facts(t, coll);
        }
        if (i == 0 && coll->ask_ns != 0 && end >= coll->ask_ns) {
            put_us(t, "host_us", end - coll->ask_ns);
        }
        fputs("}}", t->to);
    }
}

static void put_all(struct timeline *t, const char *(*name_of)(uint32_t node))
{
    fprintf(t->to,
            "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"clock\": \"CLOCK_MONOTONIC\", "
            "\"start_ns\": \"%" PRIu64 "\"}, \"traceEvents\": [",
            t->zero_ns);
    for (uint32_t node = 0; node < t->n_nodes; node++) {
        put_name(t, "process_name", node, SERVER_ROW, name_of(node));
        put_name(t, "thread_name", node, SERVER_ROW, "server");
    }
    for (size_t i = 0; i < t->n; i++) {
        const struct event *e = &t->events[i];

        if (e->head.kind == PX_TRACE_STEP) {
            begin_span(t, "server", e->text != NULL ? e->text : "", e->head.node, SERVER_ROW,
                       e->head.ns, end_of(e));
            fputs("}}", t->to);
        }
    }
    for (const struct row *row = t->rows; row != NULL; row = row->next) {
        put_row(t, row);
    }
    for (const struct coll *coll = t->colls; coll != NULL; coll = coll->next) {
        put_coll(t, coll);
    }
    fputs("\n]}\n", t->to);
}

/* ---- the whole */

/* Frees what is linked by a first member. */
static void free_list(void *first)
{
    while (first != NULL) {
        void *next = *(void **) first;

        free(first);
        first = next;
    }
}

static void timeline_free(struct timeline *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->events[i].text);
    }
    free(t->events);
    free_list(t->rows);
    free_list(t->colls);
    free_list(t->meetings);
    px_map_fini(&t->rows_by_name);
    px_map_fini(&t->colls_by_id);
    px_map_fini(&t->counts);
    px_map_fini(&t->meetings_by_key);
}

int px_run_timeline(FILE *records, uint32_t n_nodes, const char *(*name_of)(uint32_t node),
                    FILE *to)
{
    struct timeline t = {.to = to, .n_nodes = n_nodes};
    int damaged = read_all(&t, records);
    int rc = damaged > 0 ? damaged : connect_all(&t);

    if (rc == 0) {
        put_all(&t, name_of);
    }
    timeline_free(&t);
    return rc != 0 ? rc : damaged;
}
