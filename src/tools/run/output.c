/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The processes' output, whole lines at a time, so that lines of several processes never mix. A
 * line without end is passed on in pieces of MAX_LINE. Writing waits for our reader, but not so
 * that signals are forgotten. */

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define MAX_LINE  65536
#define MAX_DRAIN 256  /* reads of a stream that is closed: more than the largest pipe holds */
#define PIECE     4096 /* what a pipe that polls writable takes without blocking (PIPE_BUF) */

/* Our reader is gone, or the file is full. Nothing can be shown any more, so that the job ends; a
 * closed pipe, as of head(1), is no error to talk about. */
static void give_up(int fd, int error)
{
    if (fd == STDOUT_FILENO && error != EPIPE) {
        px_run_say("cannot write to standard output: %s", strerror(error));
    }
    px_run.muted = true;
    px_run_end(1);
}

void px_run_write(int fd, const char *bytes, size_t n)
{
    while (n > 0 && !px_run.muted) {
        struct pollfd p[2] = {{.fd = fd, .events = POLLOUT},
                              {.fd = px_run.signal_fd, .events = POLLIN}};
        int n_ready = poll(p, 2, px_run_wait_ms());
        if (n_ready < 0 && errno != EINTR) {
            return;
        }
        if (n_ready == 0) {
            px_run_expire();
        }
        if (p[0].revents != 0) {
            ssize_t done = write(fd, bytes, n < PIECE ? n : PIECE);
            if (done < 0 && errno != EINTR && errno != EAGAIN) {
                give_up(fd, errno);
                return;
            }
            bytes += done > 0 ? done : 0;
            n -= done > 0 ? (size_t) done : 0;
        } else if (p[1].revents != 0) {
            px_run_signals_read();
            px_run.muted = px_run.ending &&
                           px_run.last_signal != 0; /* the reader is stuck; we were told to end */
        }
    }
}

void px_run_say(const char *format, ...)
{
    char text[1024];
    va_list args;

    int n = snprintf(text, sizeof(text), "pmixrun: ");
    va_start(args, format);
    int m = vsnprintf(text + n, sizeof(text) - (size_t) n - 1, format, args);
    va_end(args);
    size_t len = m < 0 ? (size_t) n : strlen(text);
    text[len++] = '\n';
    px_run_write(STDERR_FILENO, text, len);
}

void px_run_verbose(const char *format, ...)
{
    char text[900];
    va_list args;

    if (!px_run.options.verbose) {
        return;
    }
    va_start(args, format);
    (void) vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    px_run_say("%s", text);
}

static pmix_iof_channel_t channel_of(const struct px_run_stream *s)
{
    return s->to == STDOUT_FILENO ? PMIX_FWD_STDOUT_CHANNEL : PMIX_FWD_STDERR_CHANNEL;
}

static bool is_tagged(const struct px_run_proc *proc)
{
    return px_run.options.tag_output || proc->job->tag;
}

static void show_line(const struct px_run_proc *proc, const struct px_run_stream *s,
                      const char *line, size_t n)
{
    char tag[PMIX_MAX_NSLEN + 64];

    if (!is_tagged(proc)) {
        px_run_write(s->to, line, n);
        return;
    }
    int t = snprintf(tag, sizeof(tag), "[%s,%u]<%s>: ", proc->job->nspace, proc->rank,
                     s->to == STDOUT_FILENO ? "stdout" : "stderr");
    char *text = malloc((size_t) t + n + 1);
    if (text == NULL) {
        px_run_write(s->to, line, n);
        return;
    }
    memcpy(text, tag, (size_t) t);
    memcpy(text + t, line, n);
    size_t len = (size_t) t + n;
    if (line[n - 1] != '\n') {
        text[len++] = '\n';
    }
    px_run_write(s->to, text, len);
    free(text);
}

/* For those who have asked, as it is; and to our own output, unless it was asked for in its stead.
 */
static void give(const struct px_run_proc *proc, const struct px_run_stream *s, const char *bytes,
                 size_t n,
                 void (*show)(const struct px_run_proc *, const struct px_run_stream *,
                              const char *, size_t))
{
    px_run_forward(proc, channel_of(s), bytes, n);
    if ((proc->job->forwarded & channel_of(s)) == 0) {
        show(proc, s, bytes, n);
    }
}

static void show_all(const struct px_run_proc *proc, const struct px_run_stream *s,
                     const char *bytes, size_t n)
{
    (void) proc;
    px_run_write(s->to, bytes, n);
}

/* Gives out the complete lines that are in the buffer; with `all`, the rest as well. */
static void flush(const struct px_run_proc *proc, struct px_run_stream *s, bool all)
{
    size_t start = 0;

    if (!is_tagged(proc) && !all) { /* in one write up to the last line's end */
        const char *last = memrchr(s->line, '\n', s->len);
        if (last != NULL) {
            start = (size_t) (last - s->line) + 1;
            give(proc, s, s->line, start, show_all);
        }
    }
    while (start < s->len) {
        const char *end = memchr(s->line + start, '\n', s->len - start);
        if (end == NULL && !all && !(start == 0 && s->len == MAX_LINE)) {
            break;
        }
        size_t n = end != NULL ? (size_t) (end - s->line) + 1 - start : s->len - start;
        give(proc, s, s->line + start, n, show_line);
        start += n;
    }
    memmove(s->line, s->line + start, s->len - start);
    s->len -= start;
}

/* True when more may be there. */
static bool read_some(const struct px_run_proc *proc, struct px_run_stream *s)
{
    if (s->line == NULL) {
        s->line = malloc(MAX_LINE);
        if (s->line == NULL) {
            return false;
        }
    }
    ssize_t n = read(s->fd, s->line + s->len, MAX_LINE - s->len);
    if (n < 0) {
        return errno == EINTR;
    }
    if (n == 0) {
        s->at_end = true;
        px_run_stream_close(proc, s);
        return false;
    }
    s->len += (size_t) n;
    flush(proc, s, false);
    return true;
}

void px_run_stream_move(const struct px_run_proc *proc, struct px_run_stream *s)
{
    /* A bounded number of reads, so that a process that writes without end does not keep us from
     * the others. */
    for (int i = 0; i < 4 && s->fd >= 0 && read_some(proc, s); i++) {
    }
}

void px_run_stream_close(const struct px_run_proc *proc, struct px_run_stream *s)
{
    /* What is in the pipe still counts; bounded, in case that somebody outside the job goes on
     * writing. */
    for (int i = 0; i < MAX_DRAIN && s->fd >= 0 && !s->at_end && read_some(proc, s); i++) {
    }
    if (s->fd < 0) {
        return;
    }
    if (s->len > 0) {
        flush(proc, s, true);
    }
    px_run_forward(proc, channel_of(s), NULL, 0);
    close(s->fd);
    free(s->line);
    *s = (struct px_run_stream){.fd = -1, .to = s->to};
}
