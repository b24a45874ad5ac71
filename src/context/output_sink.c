/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Output of one process and channel is a stream. A stream holds at most the bytes that the
 * directives ask for, up to MAX_BATCH, and a line without an end up to MAX_LINE: what is longer is
 * given out in parts. A file is open only while it is written, so that a job of any size needs one
 * descriptor. */

#include "output_sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gds/lookup.h"
#include "gds/slice.h"
#include "src/base/assert.h"
#include "src/base/bytes.h"
#include "src/base/list.h"
#include "src/base/map.h"
#include "src/base/output.h"
#include "src/base/output_format.h"
#include "src/loop/loop.h"
#include "src/value/directives.h"

enum { MAX_BATCH = 16 * 1024 * 1024, MAX_LINE = 16 * 1024 };

/* The name of a stream in the map. */
struct stream_key {
    pmix_proc_t source;
    pmix_iof_channel_t channel;
};

/* Output of one process and channel. Owned by the sink. */
struct stream {
    struct px_list link;
    struct stream_key key;
    struct px_buf held; /* waits for more */
    struct px_buf line; /* the beginning of a line that has no end yet */
    bool mid_line;      /* a part of the line was given out */
    bool created;       /* its file has been made */
};

struct px_sink {
    struct px_loop *loop;
    pmix_iof_cbfunc_t cbfunc;
    struct px_sink_owner owner;
    size_t id;         /* of the subscription, as given last */
    size_t batch;      /* bytes that are given out together; 0: each piece by itself */
    uint64_t batch_ms; /* how long they are held back at most; 0: without limit */
    unsigned format;   /* PX_FORMAT_; 0: as it is */
    bool raw;          /* the beginning of a line does not wait for its end */
    bool merge;        /* standard error goes where standard output goes */
    bool file_only;
    struct px_output_file to; /* owns its texts */
    struct px_timer timer;
    struct px_map streams;
    struct px_list list; /* the same ones; owns them */
    bool reported;       /* `failed` was called */
    bool busy;           /* in px_sink_put or px_sink_flush */
    bool doomed;         /* destroyed meanwhile */
};

/* --- life --- */

/* A copy of a file's name that does not depend on the working directory; free() it. NULL: no
 * memory. */
static char *absolute(const char *name)
{
    struct px_buf path = {0};
    char cwd[4096];

    if (name[0] != '/' && getcwd(cwd, sizeof(cwd)) != NULL) {
        px_buf_text(&path, cwd);
        px_buf_text(&path, "/");
    }
    px_buf_text(&path, name);
    return px_buf_take_text(&path);
}

/* Sets where files are made. 0, PMIX_ERR_BAD_PARAM or PMIX_ERR_NOMEM. */
static int set_files(struct px_sink *sink, const struct px_iof_pull_directives *directives)
{
    const char *name = directives->file != NULL ? directives->file : directives->directory;
    char *copy;

    if (name == NULL) {
        return 0;
    }
    if (name[0] == '\0' || (directives->file != NULL && directives->directory != NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    copy = absolute(name);
    if (directives->file != NULL) {
        sink->to.file = copy;
    } else {
        sink->to.directory = copy;
    }
    sink->to.pattern = directives->pattern;
    sink->file_only = directives->file_only;
    return copy != NULL ? 0 : PMIX_ERR_NOMEM;
}

/* Sets what the directives say; texts are copied. As set_files. */
static int configure(struct px_sink *sink, const struct px_iof_pull_directives *directives)
{
    bool sized = directives->buffering_size != PX_NOT_GIVEN;

    sink->batch =
        sized && directives->buffering_size < MAX_BATCH ? directives->buffering_size : MAX_BATCH;
    if (directives->buffering_time != PX_NOT_GIVEN) {
        sink->batch_ms = (uint64_t) directives->buffering_time * 1000;
    }
    if (!sized && sink->batch_ms == 0) {
        sink->batch = 0;
    }
    sink->format = (directives->timestamp ? PX_FORMAT_TIME : 0) |
                   (directives->tag ? PX_FORMAT_TAG : 0) |
                   (directives->tag_fullname ? PX_FORMAT_TAG : 0) |
                   (directives->tag_detailed ? PX_FORMAT_DETAIL : 0) |
                   (directives->rank ? PX_FORMAT_RANK : 0) | (directives->xml ? PX_FORMAT_XML : 0);
    sink->raw = directives->raw;
    sink->merge = directives->merge;
    return set_files(sink, directives);
}

int px_sink_create(struct px_loop *loop, const pmix_info_t *info, size_t ninfo,
                   pmix_iof_cbfunc_t cbfunc, const struct px_sink_owner *owner,
                   struct px_sink **ret)
{
    struct px_iof_pull_directives directives;
    int rc = px_iof_pull_read(info, ninfo, &directives);
    struct px_sink *sink = rc == 0 ? calloc(1, sizeof(*sink)) : NULL;

    if (sink == NULL) {
        return rc == 0 ? PMIX_ERR_NOMEM : rc;
    }
    px_list_init(&sink->list);
    sink->loop = loop;
    sink->cbfunc = cbfunc;
    sink->owner = *owner;
    rc = configure(sink, &directives);
    if (rc != 0) {
        px_sink_destroy(sink);
        return rc;
    }
    *ret = sink;
    return 0;
}

/* Frees a stream that is in no list any more. */
static void stream_free(struct stream *stream)
{
    px_buf_fini(&stream->held);
    px_buf_fini(&stream->line);
    free(stream);
}

void px_sink_destroy(struct px_sink *sink)
{
    if (sink == NULL) {
        return;
    }
    if (sink->busy) {
        sink->doomed = true;
        return;
    }
    px_timer_stop_loop(&sink->timer);
    while (!px_list_empty(&sink->list)) {
        stream_free(px_container_of(px_list_shift(&sink->list), struct stream, link));
    }
    px_map_fini(&sink->streams);
    free((char *) (uintptr_t) sink->to.file);
    free((char *) (uintptr_t) sink->to.directory);
    free(sink);
}

/* The stream of a process and channel, made if there is none. NULL: no memory. */
static struct stream *find_stream(struct px_sink *sink, const struct px_output *out)
{
    struct stream_key key;
    struct stream *stream;

    memset(&key, 0, sizeof(key)); /* its padding is compared, too */
    PMIx_Load_procid(&key.source, out->source.nspace, out->source.rank);
    key.channel = out->channel;
    stream = px_map_find(&sink->streams, &key, sizeof(key));
    if (stream != NULL) {
        return stream;
    }
    stream = calloc(1, sizeof(*stream));
    if (stream == NULL) {
        return NULL;
    }
    stream->key = key;
    if (px_map_set(&sink->streams, &key, sizeof(key), stream) != 0) {
        free(stream);
        return NULL;
    }
    px_list_append(&sink->list, &stream->link);
    return stream;
}

/* --- writing --- */

static bool has_file(const struct px_sink *sink)
{
    return sink->to.file != NULL || sink->to.directory != NULL;
}

/* Where output of the channel goes. */
static pmix_iof_channel_t channel_of(const struct px_sink *sink, pmix_iof_channel_t channel)
{
    return sink->merge && (channel & PMIX_FWD_STDERR_CHANNEL) != 0 ? PMIX_FWD_STDOUT_CHANNEL
                                                                   : channel;
}

/* True if the file of a stream has been made, by the stream or, merged, by its other channel. */
static bool is_made(const struct px_sink *sink, const struct stream *stream)
{
    struct stream_key other = stream->key;
    const struct stream *made;

    other.channel = PMIX_FWD_STDOUT_CHANNEL | PMIX_FWD_STDERR_CHANNEL;
    other.channel ^= stream->key.channel;
    made = sink->merge ? px_map_find(&sink->streams, &other, sizeof(other)) : NULL;
    return stream->created || (made != NULL && made->created);
}

/* Appends bytes to the stream's file, and reports the first failure of any file. */
static void write_file(struct px_sink *sink, struct stream *stream, const void *bytes, size_t n)
{
    pmix_iof_channel_t channel = channel_of(sink, stream->key.channel);
    char *path = px_output_path(&sink->to, &stream->key.source, channel);
    int fd = path != NULL ? px_output_open(path, !is_made(sink, stream)) : -1;
    bool done = fd >= 0 && px_output_all(fd, bytes, n) == 0;

    stream->created |= fd >= 0;
    free(path);
    if (fd >= 0 && close(fd) != 0) {
        done = false;
    }
    if (!done && !sink->reported) {
        sink->reported = true;
        sink->owner.failed(sink->owner.arg, &stream->key.source);
    }
}

/* Writes formatted bytes of a stream to its file, and to our own descriptor if the application has
 * given no function. Bytes for a descriptor without a reader are lost. */
static void write_out(struct px_sink *sink, struct stream *stream, const void *bytes, size_t n)
{
    pmix_iof_channel_t channel = channel_of(sink, stream->key.channel);
    int fd = (channel & PMIX_FWD_STDOUT_CHANNEL) != 0 ? STDOUT_FILENO : STDERR_FILENO;

    if (n > 0 && has_file(sink)) {
        write_file(sink, stream, bytes, n);
    }
    if (n > 0 && sink->cbfunc == NULL && !sink->file_only) {
        (void) px_output_all(fd, bytes, n);
    }
}

/* Finds the value of a process under a key. */
static bool find_value(const struct px_store *store, pmix_rank_t rank, const char *key,
                       struct px_slice *ret)
{
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;

    spec.rank = rank;
    spec.key = key;
    spec.key_len = strlen(key);
    return px_store_get(store, &spec, ret) == 0;
}

void px_origin_read(const struct px_store *store, struct px_output_origin *origin)
{
    pmix_rank_t rank = origin->proc->rank;
    struct px_slice slice;
    pmix_value_t pid;
    size_t len;

    if (store != NULL && find_value(store, rank, PMIX_HOSTNAME, &slice)) {
        origin->host = px_slice_text(&slice, &len);
    }
    if (store != NULL && find_value(store, rank, PMIX_PROC_PID, &slice) && slice.type == PMIX_PID &&
        px_slice_fill(&slice, &pid) == 0) {
        origin->pid = pid.data.pid;
    }
}

/* Appends the line that a stream has begun, or a part of it that ends with `part`. */
static void format_part(struct px_sink *sink, struct stream *stream, struct px_buf *text,
                        const char *part, size_t n, bool ends)
{
    struct px_output_origin origin = {.proc = &stream->key.source, .channel = stream->key.channel};

    if ((sink->format & PX_FORMAT_DETAIL) != 0 && !stream->mid_line) {
        sink->owner.locate(sink->owner.arg, &origin);
    }
    px_buf_append(&stream->line, part, n);
    px_format_line(text, sink->format, &origin, (const char *) stream->line.data, stream->line.len,
                   !stream->mid_line, ends);
    px_buf_fini(&stream->line);
    stream->line.status = 0;
    stream->mid_line = !ends;
}

/* Formats bytes of a stream line by line and writes what is complete. Without memory the lines are
 * lost. */
static void write_lines(struct px_sink *sink, struct stream *stream, const char *bytes, size_t n)
{
    struct px_buf text = {0};

    while (n > 0) {
        const char *end = memchr(bytes, '\n', n);
        size_t len = end != NULL ? (size_t) (end - bytes) : n;
        bool whole = end != NULL;

        if (whole || sink->raw || stream->line.len + len > MAX_LINE) {
            format_part(sink, stream, &text, bytes, len, whole);
        } else {
            px_buf_append(&stream->line, bytes, len);
        }
        bytes += len + (whole ? 1 : 0);
        n -= len + (whole ? 1 : 0);
    }
    if (px_buf_ok(&text)) {
        write_out(sink, stream, text.data, text.len);
    }
    px_buf_fini(&text);
}

/* Ends a line that has no end. */
static void end_line(struct px_sink *sink, struct stream *stream)
{
    struct px_buf text = {0};

    if (stream->line.len > 0 || stream->mid_line) {
        format_part(sink, stream, &text, NULL, 0, true);
        if (px_buf_ok(&text)) {
            write_out(sink, stream, text.data, text.len);
        }
        px_buf_fini(&text);
    }
}

/* --- giving out --- */

/* Gives bytes of a stream out: writes them, and then calls the application's function. */
static void give(struct px_sink *sink, struct stream *stream, const pmix_byte_object_t *bytes,
                 const pmix_info_t *info, size_t ninfo)
{
    bool shown = sink->cbfunc == NULL || has_file(sink);

    if (shown && sink->format != 0) {
        write_lines(sink, stream, bytes->bytes, bytes->size);
    } else if (shown) {
        write_out(sink, stream, bytes->bytes, bytes->size);
    }
    if (shown && bytes->size == 0) {
        end_line(sink, stream);
    }
    if (sink->cbfunc != NULL) {
        sink->cbfunc(sink->id, stream->key.channel, &stream->key.source,
                     (pmix_byte_object_t *) (uintptr_t) bytes, (pmix_info_t *) (uintptr_t) info,
                     ninfo);
    }
}

/* Gives out what a stream holds back. */
static void give_held(struct px_sink *sink, struct stream *stream)
{
    pmix_byte_object_t bytes = {0};
    size_t n = 0;

    if (stream->held.len > 0 && !sink->doomed) {
        bytes.bytes = px_buf_take(&stream->held, &n);
        bytes.size = n;
        give(sink, stream, &bytes, NULL, 0);
        free(bytes.bytes);
    }
}

/* Gives out what all streams hold back. */
static void give_all_held(struct px_sink *sink)
{
    px_timer_stop_loop(&sink->timer);
    px_list_for(struct stream, stream, &sink->list, link) {
        give_held(sink, stream);
    }
}

/* The end of an operation in which the function may have destroyed the sink. */
static void leave(struct px_sink *sink)
{
    sink->busy = false;
    if (sink->doomed) {
        px_sink_destroy(sink);
    }
}

/* Bytes have been held back for as long as they may. */
static void batch_is_old(struct px_timer *timer)
{
    struct px_sink *sink = px_container_of(timer, struct px_sink, timer);

    px_assert(!sink->busy);
    sink->busy = true;
    give_all_held(sink);
    leave(sink);
}

/* Holds bytes back until there are enough. Without memory for them they are given out at once. */
static void hold(struct px_sink *sink, struct stream *stream, const pmix_byte_object_t *bytes)
{
    px_buf_append(&stream->held, bytes->bytes, bytes->size);
    if (!px_buf_ok(&stream->held)) {
        stream->held.status = 0;
        give_held(sink, stream);
        give(sink, stream, bytes, NULL, 0);
    } else if (stream->held.len >= sink->batch) {
        give_held(sink, stream);
    } else if (sink->batch_ms > 0 && !sink->timer.loop) {
        px_timer_start_loop(sink->loop, &sink->timer, sink->batch_ms, batch_is_old);
    }
}

/* Forgets a stream that has ended. One with a file is kept, so that the file is made once. */
static void stream_ended(struct px_sink *sink, struct stream *stream)
{
    if (!has_file(sink)) {
        (void) px_map_remove(&sink->streams, &stream->key, sizeof(stream->key));
        px_list_remove(&stream->link);
        stream_free(stream);
    }
}

/* A piece with infos, and the end of a stream, are given out at once and by themselves. */
void px_sink_put(struct px_sink *sink, size_t id, const struct px_output *out)
{
    static const pmix_byte_object_t none = {0};
    const pmix_byte_object_t *bytes = out->bytes != NULL ? out->bytes : &none;
    struct stream *stream = find_stream(sink, out);
    bool nested = sink->busy;

    px_assert(px_loop_inside(sink->loop));
    if (stream == NULL || sink->doomed) {
        return;
    }
    sink->id = id;
    sink->busy = true;
    if (sink->batch > 0 && bytes->size > 0 && out->ninfo == 0) {
        hold(sink, stream, bytes);
    } else {
        give_held(sink, stream);
        give(sink, stream, bytes, out->info, out->ninfo);
    }
    if (!nested && bytes->size == 0) {
        stream_ended(sink, stream);
    }
    if (!nested) {
        leave(sink);
    }
}

void px_sink_flush(struct px_sink *sink, size_t id)
{
    bool nested = sink->busy;

    px_assert(px_loop_inside(sink->loop));
    sink->id = id;
    sink->busy = true;
    give_all_held(sink);
    px_list_for(struct stream, stream, &sink->list, link) {
        end_line(sink, stream);
    }
    if (!nested) {
        leave(sink);
    }
}
