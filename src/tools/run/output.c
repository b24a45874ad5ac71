/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The processes' output, whole lines at a time, so that lines of several processes never mix. A
 * line without end is passed on in pieces of MAX_LINE. It goes to our own output, to files, and to
 * those who have asked for it. Writing waits for our reader, but not so that signals are
 * forgotten. */

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes.h"
#include "src/base/buf.h"
#include "src/base/output.h"

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

/* True for a regular file: a write to it never waits for a reader. */
static bool is_file(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

void px_run_write(int fd, const char *bytes, size_t n)
{
    if (!px_run.muted && is_file(fd)) {
        if (px_output_all(fd, bytes, n) != 0) {
            give_up(fd, errno);
        }
        return;
    }
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
            /* Whoever tells us to end, with the job already ending, does not wait for the reader.
             */
            px_run.muted = px_run_signals_read() && px_run.ending;
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

static bool has_file(const struct px_run_job *job)
{
    return job->to.file != NULL || job->to.directory != NULL;
}

/* Complains of the job's first file that cannot be written. Like our own output, that of the first
 * job ends it. */
static void give_up_file(struct px_run_job *job, const char *path, int error)
{
    if (job->file_failed) {
        return;
    }
    job->file_failed = true;
    px_run_say("cannot write to %s: %s", path, strerror(error));
    if (!job->spawned) {
        px_run_end(1);
    }
}

/* Appends to the file of a process's output. It is open only now, so that a job of any size needs
 * one descriptor. */
static void write_file(const struct px_run_proc *proc, struct px_run_stream *s, const char *text,
                       size_t n)
{
    pmix_proc_t id;

    PMIX_LOAD_PROCID(&id, proc->job->nspace, proc->rank);
    char *path = px_output_path(&proc->job->to, &id, channel_of(s));
    int fd = path != NULL ? px_output_open(path, !s->made) : -1;
    bool done = fd >= 0 && px_output_all(fd, text, n) == 0;
    int error = path != NULL ? errno : ENOMEM;

    s->made = s->made || fd >= 0;
    if (!done) {
        give_up_file(proc->job, path != NULL ? path : "a file", error);
    }
    if (fd >= 0) {
        close(fd);
    }
    free(path);
}

/* To the process's file, and to our own output, unless somebody has asked for it in its stead. */
static void write_text(const struct px_run_proc *proc, struct px_run_stream *s, const char *text,
                       size_t n)
{
    const struct px_run_job *job = proc->job;

    if (has_file(job)) {
        write_file(proc, s, text, n);
    }
    if ((job->forwarded & channel_of(s)) == 0 && !(has_file(job) && job->file_only)) {
        px_run_write(s->to, text, n);
    }
}

/* Each line, and an end of one, in the format that was asked for. What the process has written of a
 * line is a line, unless it is to be passed on at once. */
static void write_lines(const struct px_run_proc *proc, struct px_run_stream *s, unsigned format,
                        size_t n)
{
    struct px_buf text = {0};
    pmix_proc_t id;
    struct px_output_origin from = {.proc = &id,
                                    .channel = channel_of(s),
                                    .host = px_run_node_name(proc->node),
                                    .pid = proc->pid};

    PMIX_LOAD_PROCID(&id, proc->job->nspace, proc->rank);
    for (size_t start = 0; start < n;) {
        const char *end = memchr(s->line + start, '\n', n - start);
        size_t len = end != NULL ? (size_t) (end - s->line) - start : n - start;

        bool whole = end != NULL || !proc->job->raw;

        px_format_line(&text, format, &from, s->line + start, len, !s->mid_line, whole);
        s->mid_line = !whole;
        start += len + (end != NULL);
    }
    if (px_buf_ok(&text)) {
        write_text(proc, s, (const char *) text.data, text.len);
    } else {
        write_text(proc, s, s->line, n); /* better so than not at all */
    }
    px_buf_fini(&text);
}

/* Ends a line in a format whose beginning was given out. */
static void end_line(const struct px_run_proc *proc, struct px_run_stream *s, unsigned format)
{
    struct px_output_origin from = {.channel = channel_of(s)};
    struct px_buf text = {0};

    px_format_line(&text, format, &from, NULL, 0, false, true);
    if (px_buf_ok(&text)) {
        write_text(proc, s, (const char *) text.data, text.len);
    }
    px_buf_fini(&text);
    s->mid_line = false;
}

/* Gives out the complete lines that are in the buffer; with `all`, or if it is full, or the output
 * is raw, the rest as well. For those who have asked for it, it is as it was written. */
static void flush(const struct px_run_proc *proc, struct px_run_stream *s, bool all)
{
    unsigned format = px_run.options.format | proc->job->format;
    const char *last = memrchr(s->line, '\n', s->len);
    size_t n = last != NULL ? (size_t) (last - s->line) + 1 : 0;

    if (all || proc->job->raw || (n == 0 && s->len == MAX_LINE)) {
        n = s->len;
    }
    if (n == 0) {
        return;
    }
    px_run_forward(proc, channel_of(s), s->line, n);
    if (format != 0) {
        write_lines(proc, s, format, n);
    } else {
        write_text(proc, s, s->line, n);
    }
    memmove(s->line, s->line + n, s->len - n);
    s->len -= n;
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
    if (s->mid_line) {
        end_line(proc, s, px_run.options.format | proc->job->format);
    }
    px_run_forward(proc, channel_of(s), NULL, 0);
    if (proc->job->merge) {
        px_run_forward(proc, PMIX_FWD_STDERR_CHANNEL, NULL, 0);
    }
    close(s->fd);
    free(s->line);
    *s = (struct px_run_stream){.fd = -1, .to = s->to};
}
