/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_OUTPUT_SINK_H
#define PX_CONTEXT_OUTPUT_SINK_H

/* The receiving end of a subscription to output of other processes (PMIx_IOF_pull): holds pieces
 * back until there are enough (PMIX_IOF_BUFFERING_SIZE, PMIX_IOF_BUFFERING_TIME), and gives them to
 * the application's function, or writes them to our own standard output or error, and to files, in
 * the format that the directives ask for. Loop thread, except px_sink_create. */

#include <stdbool.h>

#include <pmix_tool.h>

struct px_loop;
struct px_output_origin;
struct px_store;
struct px_sink;

/* One piece of output. All of it is borrowed. */
struct px_output {
    pmix_proc_t source;
    pmix_iof_channel_t channel;
    const pmix_byte_object_t *bytes; /* NULL or empty: the source has closed the channel */
    const pmix_info_t *info;
    size_t ninfo;
};

/* What a sink takes from its owner. Both are called on the loop thread, with the argument. */
struct px_sink_owner {
    /* A file could not be written, of this process; called once. Output to that file is lost. */
    void (*failed)(void *arg, const pmix_proc_t *source);
    /* Sets node and process id of the origin, as far as they are known; the name is borrowed until
     * the loop goes on. */
    void (*locate)(void *arg, struct px_output_origin *origin);
    void *arg;
};

/* For `locate`: takes what the store of the process's namespace says, which may be NULL. */
void px_origin_read(const struct px_store *store, struct px_output_origin *origin);

/* Makes a sink as the directives of PMIx_IOF_pull say, of which it keeps copies. cbfunc NULL:
 * output goes to our own descriptors. owner: copied. 0, PMIX_ERR_BAD_PARAM (a value of a wrong
 * type, both a file and a directory, an empty name), PMIX_ERR_NOMEM. Any thread. */
int px_sink_create(struct px_loop *loop, const pmix_info_t *info, size_t ninfo,
                   pmix_iof_cbfunc_t cbfunc, const struct px_sink_owner *owner,
                   struct px_sink **ret);

/* Takes a piece of output of subscription `id`. The function may destroy the sink. */
void px_sink_put(struct px_sink *sink, size_t id, const struct px_output *out);

/* Gives out what is held back, and ends lines that have no end. */
void px_sink_flush(struct px_sink *sink, size_t id);

/* Frees the sink, at the end of px_sink_put if it is called in it; what is held back is dropped.
 * Takes NULL. */
void px_sink_destroy(struct px_sink *sink);

#endif
