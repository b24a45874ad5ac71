/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* --record: a line of JSON for each upcall, with all its arguments (docs/fault-injection.md). All
 * nodes append to one file, each line with one write(2), so that lines stay whole. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/tools/quote.h"
#include "run.h"

static int record_fd = -1;

/* What the general arguments are in each entry; NULL: they are not used there. */
static const struct {
    const char *number;
    const char *range;
    const char *text;
} names[N_ENTRIES] = {
    [ON_ABORT] = {"status", NULL, "message"},  [ON_LOOKUP] = {NULL, NULL, "keys"},
    [ON_UNPUBLISH] = {NULL, NULL, "keys"},     [ON_REGISTER] = {NULL, NULL, "codes"},
    [ON_DEREGISTER] = {NULL, NULL, "codes"},   [ON_NOTIFY] = {"status", "range", NULL},
    [ON_ALLOCATE] = {"directive", NULL, NULL}, [ON_MONITOR] = {"status", NULL, NULL},
    [ON_PULL] = {NULL, "channels", NULL},      [ON_GROUP] = {"operation", NULL, "group"},
    [ON_FABRIC] = {"operation", NULL, NULL},
};

/* ---- room for one record: blocks that go together */

static _Thread_local void **blocks;

static void *room(size_t n)
{
    void **block = calloc(1, sizeof(max_align_t) + n);

    if (block == NULL) {
        return NULL;
    }
    *block = blocks;
    blocks = block;
    return (char *) block + sizeof(max_align_t);
}

static void room_free(void)
{
    while (blocks != NULL) {
        void **block = blocks;

        blocks = *block;
        free(block);
    }
}

/* ---- JSON */

static void put_text(FILE *to, const char *name, const char *text)
{
    fprintf(to, ", \"%s\": ", name);
    px_quote(to, text, strlen(text), true);
}

static void put_hex(FILE *to, const void *bytes, size_t n)
{
    putc('"', to);
    for (size_t i = 0; bytes != NULL && i < n; i++) {
        fprintf(to, "%02x", ((const unsigned char *) bytes)[i]);
    }
    putc('"', to);
}

static void put_proc(FILE *to, const pmix_proc_t *proc)
{
    char text[PMIX_MAX_NSLEN + 32];
    char rank[16];

    snprintf(rank, sizeof(rank), "%" PRIu32, proc->rank);
    snprintf(text, sizeof(text), "%s:%s", proc->nspace,
             proc->rank == PMIX_RANK_WILDCARD ? "*" : rank);
    px_quote(to, text, strlen(text), true);
}

static void put_notes(FILE *to, const struct note *notes, size_t n);

static void put_value(FILE *to, const struct note *note)
{
    if (note->n_sub > 0 || note->type == PMIX_QUERY || note->type == PMIX_APP) {
        put_notes(to, note->sub, note->n_sub);
    } else if (note->type == PMIX_BYTE_OBJECT || note->type == PMIX_REGEX) {
        put_hex(to, note->bytes, (size_t) note->number);
    } else if (note->type == PMIX_BOOL) {
        fputs(note->number != 0 ? "true" : "false", to);
    } else if (note->type == PMIX_STRING || note->text[0] != '\0') {
        px_quote(to, note->text, strlen(note->text), true);
    } else if (note->type == PMIX_UINT64 || note->type == PMIX_SIZE) {
        fprintf(to, "%" PRIu64, (uint64_t) note->number);
    } else {
        fprintf(to, "%" PRId64, note->number);
    }
}

/* Queries and applications are notes, too: keys with qualifiers, a command with directives. */
static void put_notes(FILE *to, const struct note *notes, size_t n)
{
    putc('[', to);
    for (size_t i = 0; i < n; i++) {
        const struct note *note = &notes[i];

        fputs(i > 0 ? ", {\"key\": " : "{\"key\": ", to);
        px_quote(to, note->key, strlen(note->key), true);
        put_text(to, "type", PMIx_Data_type_string(note->type));
        if (note->flags != 0) {
            fprintf(to, ", \"flags\": %" PRIu32, note->flags);
        }
        if (note->type == PMIX_APP) {
            fprintf(to, ", \"procs\": %" PRId64, note->number);
            put_text(to, "argv", note->text);
        }
        fputs(", \"value\": ", to);
        put_value(to, note);
        putc('}', to);
    }
    putc(']', to);
}

static void put_arguments(FILE *to, const struct record *r)
{
    if (r->proc.nspace[0] != '\0') {
        fputs(", \"proc\": ", to);
        put_proc(to, &r->proc);
    }
    for (size_t i = 0; i < r->n_procs; i++) {
        fputs(i == 0 ? ", \"procs\": [" : ", ", to);
        put_proc(to, &r->procs[i]);
    }
    fputs(r->n_procs > 0 ? "]" : "", to);
    if (names[r->entry].number != NULL) {
        fprintf(to, ", \"%s\": %d", names[r->entry].number, r->number);
    }
    if (names[r->entry].range != NULL) {
        fprintf(to, ", \"%s\": %d", names[r->entry].range, r->range);
    }
    if (names[r->entry].text != NULL) {
        put_text(to, names[r->entry].text, r->text);
    }
    fputs(", \"info\": ", to);
    put_notes(to, r->infos, r->n_infos);
    if (r->n_blob > 0) {
        fprintf(to, ", \"bytes\": %zu, \"data\": ", r->n_blob);
        put_hex(to, r->blob, r->n_blob);
    }
}

/* ---- the file */

int px_run_record_open(const char *path)
{
    record_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    return record_fd >= 0 ? 0 : errno;
}

void px_run_record(const struct upcall *upcall, long nth, const char *rule)
{
    struct record record;
    char *line = NULL;
    size_t len = 0;
    FILE *to = record_fd >= 0 ? open_memstream(&line, &len) : NULL;

    if (to == NULL) {
        return;
    }
    px_host_record(upcall, room, &record);
    fprintf(to, "{\"entry\": \"%s\", \"nth\": %ld, \"node\": %u", px_host_entry_name(upcall->entry),
            nth, px_run.node);
    put_arguments(to, &record);
    if (rule != NULL) {
        put_text(to, "rule", rule);
    }
    fputs("}\n", to);
    if (fclose(to) == 0) {
        (void) !write(record_fd, line, len); /* a full disk costs lines, not the job */
    }
    free(line);
    room_free();
}
