/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "src/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "src/base/atomic.h"
#include "src/base/quiet_write.h"

/* A line is composed on the stack and written by one write(2), so that lines of several threads and
 * processes do not mix. The levels are words that any thread may read while another sets them. */

enum { LINE_MAX_BYTES = 1024 };

static uint64_t levels[PX_LOG_TOPICS];

static const char *const names[PX_LOG_TOPICS] = {
    [PX_LOG_NET] = "net",       [PX_LOG_GDS] = "gds",     [PX_LOG_SERVER] = "server",
    [PX_LOG_CLIENT] = "client", [PX_LOG_EVENT] = "event", [PX_LOG_PARAM] = "param",
};

void px_log_set(enum px_log_topic topic, int level)
{
    if ((unsigned) topic < PX_LOG_TOPICS) {
        px_store_relaxed(&levels[topic], level > 0 ? (uint64_t) level : 0);
    }
}

int px_log_level(enum px_log_topic topic)
{
    return (unsigned) topic < PX_LOG_TOPICS ? (int) px_load_relaxed(&levels[topic]) : 0;
}

/* The arguments may contain text of a peer, whose control characters could forge lines on a
 * terminal. */
static void make_printable(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char) text[i] < 0x20 || text[i] == 0x7f) {
            text[i] = '?';
        }
    }
}

void px_log(enum px_log_topic topic, int level, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    int saved = errno;
    int head;
    int body;
    size_t len;
    va_list args;

    if (level <= 0 || level > px_log_level(topic)) {
        return;
    }
    head = snprintf(line, sizeof(line), "shmix[%ld] %s: ", (long) getpid(), names[topic]);
    va_start(args, format);
    body = vsnprintf(line + head, sizeof(line) - (size_t) head, format, args);
    va_end(args);
    len = (size_t) head + (body > 0 ? (size_t) body : 0);
    if (len > sizeof(line) - 2) {
        len = sizeof(line) - 2;
    }
    make_printable(line + head, len - (size_t) head);
    line[len++] = '\n';
    if (px_quiet_write(STDERR_FILENO, line, len) < 0) {
        /* there is no other place to report it to */
    }
    errno = saved;
}
