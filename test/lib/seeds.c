/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "seeds.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

const char *seeds_corpus;

enum { MOST_PAYLOAD = 16384, HEADER_BYTES = 16 };

void seeds_need(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "conversation_seeds: %s\n", what);
        exit(1);
    }
}

FILE *seeds_open(const char *target, const char *name, const char *form)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s/%s%s%s", seeds_corpus, target, name, form[0] ? "-" : "",
             form);
    file = fopen(path, "wb");
    seeds_need(file != NULL, path);
    return file;
}

/* The messages of a stream, at most SEEDS_MOST_FRAMES; returns how many. */
size_t seeds_split(const struct stream *stream, struct frame *frames)
{
    size_t at = 0;
    size_t n = 0;

    while (n < SEEDS_MOST_FRAMES && at + HEADER_BYTES <= stream->len) {
        uint32_t words[4];

        memcpy(words, stream->bytes + at, sizeof(words));
        frames[n] =
            (struct frame){ntohl(words[1]), ntohl(words[2]), stream->bytes + at + HEADER_BYTES};
        at += HEADER_BYTES + frames[n].len;
        n += at <= stream->len ? 1 : 0;
    }
    return n;
}

void seeds_put_bytes(FILE *file, int who, int what, const unsigned char *bytes, size_t len)
{
    (void) fputc(who, file);
    (void) fputc(what, file);
    (void) fputc((int) (len & 0xff), file);
    (void) fputc((int) (len >> 8), file);
    (void) fwrite(bytes, 1, len, file);
}

void seeds_put(FILE *file, int who, const struct frame *frame)
{
    size_t len = frame->len < MOST_PAYLOAD ? frame->len : MOST_PAYLOAD;

    seeds_put_bytes(file, who, (int) (frame->tag & 0xff), frame->payload, len);
}

/* The longest part of a message in which each byte is the one `period` before it: its end, or 0. */
static size_t find_alike(const struct frame *frame, size_t period, size_t *ret_len)
{
    size_t end = 0;
    size_t len = 0;

    *ret_len = 0;
    for (size_t i = period; i < frame->len; i++) {
        len = frame->payload[i] == frame->payload[i - period] ? len + 1 : 0;
        if (len > *ret_len) {
            *ret_len = len;
            end = i + 1;
        }
    }
    return end;
}

/* A step of dispatch_fuzz; where many bytes are alike one that is longer than its bytes. */
void seeds_put_long(FILE *file, int who, const struct frame *frame)
{
    enum { HEAD = 6, LONG = 0x10, SHORT = 1024, MOST_PERIOD = 256, MOST_TIMES = 0xffff };
    unsigned char bytes[HEAD + MOST_PAYLOAD];
    size_t period = 0;
    size_t end = 0;
    size_t alike = 0;

    for (size_t i = 1; frame->len > SHORT && i <= MOST_PERIOD && alike < frame->len / 2; i++) {
        size_t len;
        size_t at = find_alike(frame, i, &len);

        if (len > alike) {
            alike = len;
            end = at;
            period = i;
        }
    }
    /* A larger piece comes less often. */
    while (period && alike / period > MOST_TIMES) {
        period *= 2;
    }
    if (period) {
        size_t times = alike / period - 1;
        size_t before = end - times * period;
        size_t behind = frame->len - end;
        size_t numbers[] = {times, period, behind};

        if (before >= period && before + behind <= SHORT) {
            for (size_t i = 0; i < 3; i++) {
                bytes[2 * i] = numbers[i] & 0xff;
                bytes[2 * i + 1] = numbers[i] >> 8 & 0xff;
            }
            memcpy(bytes + HEAD, frame->payload, before);
            memcpy(bytes + HEAD + before, frame->payload + end, behind);
            seeds_put_bytes(file, who | LONG, (int) (frame->tag & 0xff), bytes,
                            HEAD + before + behind);
            return;
        }
    }
    seeds_put(file, who, frame);
}
