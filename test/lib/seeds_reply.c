/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The seeds of reply_fuzz. */

#include "seeds.h"

#include <string.h>

#include <pmix.h>

#include "src/base/buf.h"
#include "src/client/invitation.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "test/fuzz/half_client.h"
#include "test/fuzz/half_server.h"

/* Of reply: the client is process 1; and steps that the server sends by itself, with a segment, of
 * FUZZ_OTHER, and that change a segment so that it moves. */
enum { SECOND = 0x10, UNASKED = 0x80, WITH_SEGMENT = 0x10, OTHER = 0x08, CHANGE = 0x04 };
enum { MOVES = 1 | 1 << 4 };

static bool holds(const struct frame *frame, const char *text)
{
    return memmem(frame->payload, frame->len, text, strlen(text)) != NULL;
}

/* The identity of the leader's invitation is another one each time: its answers lose theirs, as
 * those of stock clients have none. */
static void hide_identity(const struct frame *frame)
{
    unsigned char *at = (unsigned char *) (uintptr_t) frame->payload;
    size_t left = frame->len;
    unsigned char *key;

    while ((key = memmem(at, left, PX_KEY_INVITATION, strlen(PX_KEY_INVITATION))) != NULL) {
        *key = 'x';
        left -= (size_t) (key - at);
        at = key;
    }
}

/* What a process has received, where its segment moves before each reply, and the one behind it is
 * that with the segment. */
void seeds_write_moves(unsigned call)
{
    FILE *file = seeds_open("reply", half_client_name(call), "moves");
    struct frame frames[SEEDS_MOST_FRAMES];
    size_t n = seeds_split(&records[0].received, frames);
    struct frame change = {MOVES, 5, (const unsigned char *) "later"};

    (void) fputc(0, file);
    (void) fputc(1, file);
    (void) fputc((int) call, file);
    for (size_t i = 0; i < n; i++) {
        seeds_put(file, CHANGE, &change);
        seeds_put(file, (frames[i].tag < 100 ? UNASKED : 0) | (i == 0 ? WITH_SEGMENT : 0),
                  &frames[i]);
        seeds_put(file, WITH_SEGMENT, &frames[0]);
    }
    (void) fclose(file);
}

/* A server of another implementation says that a key of the other process is gone. */
static void put_deletion(FILE *file)
{
    struct px_buf buf = {0};
    pmix_scope_t scope = PMIX_DEL_GLOBAL;
    struct frame frame = {.tag = PX_TAG_DELETED};
    pmix_proc_t other;

    PMIX_LOAD_PROCID(&other, FUZZ_JOB, 1);
    seeds_need(px_pack(&buf, PX_WIRE_PLAIN, PMIX_PROC, &other, 1) == 0 &&
                   px_pack(&buf, PX_WIRE_PLAIN, PMIX_SCOPE, &scope, 1) == 0 &&
                   px_pack_string(&buf, PX_WIRE_PLAIN, "key") == 0,
               "a deletion");
    frame.payload = (const unsigned char *) buf.data;
    frame.len = buf.len;
    seeds_put(file, UNASKED, &frame);
    px_buf_fini(&buf);
}

/* How a recorded conversation goes in a seed, if not as it did (reply_fuzz.c). */
static const struct course {
    const char *name;
    uint8_t bits;  /* more of byte 0 */
    unsigned most; /* so many quarters of the messages come */
} courses[] = {
    {"", 0, 4}, {"tcp", 0x40, 4}, {"fast", 0x80, 4}, {"late", 0x80, 3}, {"silent", 0x80, 2},
};

/* What a process has received. A segment that is not the first moves before the reply that comes
 * before it, so that the client asks for it. */
static void write_course(unsigned call, const struct form *form, int process,
                         const struct course *course)
{
    char name[64];
    FILE *file;
    static struct frame frames[SEEDS_MOST_FRAMES];
    size_t n = seeds_split(&records[process].received, frames);
    bool had[2] = {false, false};

    snprintf(name, sizeof(name), "%s%s%s", form->name, process ? "-second" : "", course->name);
    file = seeds_open("reply", half_client_name(call), name);
    (void) fputc(form->reply | (process ? SECOND : 0) | course->bits, file);
    (void) fputc(1, file);
    (void) fputc((int) call, file);
    n = n * course->most / 4;
    for (size_t i = 0; i < n; i++) {
        bool segment = holds(&frames[i], PX_KEY_SEGMENT);
        bool other = holds(&frames[i], FUZZ_OTHER);
        bool next = i + 1 < n && holds(&frames[i + 1], PX_KEY_SEGMENT);
        bool next_other = next && holds(&frames[i + 1], FUZZ_OTHER);
        struct frame change = {MOVES, 5, (const unsigned char *) "later"};

        if (next && had[next_other]) {
            seeds_put(file, CHANGE | (next_other ? OTHER : 0), &change);
        }
        had[other] = had[other] || segment;
        if (process == 0) {
            hide_identity(&frames[i]);
        }
        seeds_put(file,
                  (frames[i].tag < 100 ? UNASKED : 0) | (segment ? WITH_SEGMENT : 0) |
                      (segment && other ? OTHER : 0),
                  &frames[i]);
        if (form->stock && process == 0 && strcmp(half_client_name(call), "get-all") == 0) {
            put_deletion(file);
        }
    }
    (void) fclose(file);
}

void seeds_write_reply(unsigned call, const struct form *form, int process)
{
    for (size_t i = 0; i < sizeof(courses) / sizeof(courses[0]); i++) {
        write_course(call, form, process, &courses[i]);
    }
}
