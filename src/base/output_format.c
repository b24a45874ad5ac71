/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "output_format.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* "stdout", "stderr", "stddiag" or "stdin". */
static const char *channel_name(pmix_iof_channel_t channel)
{
    if ((channel & PMIX_FWD_STDOUT_CHANNEL) != 0) {
        return "stdout";
    }
    if ((channel & PMIX_FWD_STDERR_CHANNEL) != 0) {
        return "stderr";
    }
    return (channel & PMIX_FWD_STDDIAG_CHANNEL) != 0 ? "stddiag" : "stdin";
}

/* Appends a rank: its number, or "*" for PMIX_RANK_WILDCARD. */
static void put_rank(struct px_buf *buf, pmix_rank_t rank)
{
    char text[16];

    (void) snprintf(text, sizeof(text), "%u", rank);
    px_buf_text(buf, rank == PMIX_RANK_WILDCARD ? "*" : text);
}

/* Appends the local time. */
static void put_time(struct px_buf *buf)
{
    time_t now = time(NULL);
    char text[64] = "";
    struct tm tm;

    if (localtime_r(&now, &tm) != NULL) {
        (void) strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    }
    px_buf_text(buf, text);
}

/* Appends bytes as the content of an element or an attribute. */
static void put_escaped(struct px_buf *buf, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char) bytes[i];
        char text[8];

        if (c < ' ' || c > '~' || strchr("&<>\"", c) != NULL) {
            (void) snprintf(text, sizeof(text), "&#%03u;", c);
            px_buf_text(buf, text);
        } else {
            px_buf_byte(buf, c);
        }
    }
}

/* The name of the node that output comes from. */
static const char *host_name(const struct px_output_origin *from)
{
    return from->host != NULL ? from->host : "unknown";
}

/* Appends the process id, or "unknown". */
static void put_pid(struct px_buf *buf, const struct px_output_origin *from)
{
    char text[16] = "unknown";

    if (from->pid > 0) {
        (void) snprintf(text, sizeof(text), "%d", (int) from->pid);
    }
    px_buf_text(buf, text);
}

/* Appends the opening tag of an element. */
static void open_element(struct px_buf *buf, unsigned format, const struct px_output_origin *from)
{
    const char *nspace = from->proc->nspace;

    px_buf_text(buf, "<");
    px_buf_text(buf, channel_name(from->channel));
    px_buf_text(buf, " nspace=\"");
    put_escaped(buf, nspace, strnlen(nspace, PMIX_MAX_NSLEN));
    px_buf_text(buf, "\" rank=\"");
    put_rank(buf, from->proc->rank);
    if ((format & PX_FORMAT_DETAIL) != 0) {
        px_buf_text(buf, "\" host=\"");
        put_escaped(buf, host_name(from), strlen(host_name(from)));
        px_buf_text(buf, "\" pid=\"");
        put_pid(buf, from);
    }
    if ((format & PX_FORMAT_TIME) != 0) {
        px_buf_text(buf, "\" timestamp=\"");
        put_time(buf);
    }
    px_buf_text(buf, "\">");
}

/* Appends what stands before a line that is no XML. */
static void put_prefix(struct px_buf *buf, unsigned format, const struct px_output_origin *from)
{
    bool tagged = (format & (PX_FORMAT_TAG | PX_FORMAT_DETAIL)) != 0;

    if ((format & PX_FORMAT_TIME) != 0) {
        put_time(buf);
    }
    if (tagged || (format & PX_FORMAT_RANK) != 0) {
        px_buf_text(buf, "[");
        if (tagged) {
            px_buf_append(buf, from->proc->nspace, strnlen(from->proc->nspace, PMIX_MAX_NSLEN));
            px_buf_text(buf, ",");
        }
        put_rank(buf, from->proc->rank);
        px_buf_text(buf, "]");
    }
    if ((format & PX_FORMAT_DETAIL) != 0) {
        px_buf_text(buf, "[");
        px_buf_text(buf, host_name(from));
        px_buf_text(buf, ":");
        put_pid(buf, from);
        px_buf_text(buf, "]");
    }
    px_buf_text(buf, "<");
    px_buf_text(buf, channel_name(from->channel));
    px_buf_text(buf, ">: ");
}

void px_format_line(struct px_buf *buf, unsigned format, const struct px_output_origin *from,
                    const char *part, size_t n, bool begins, bool ends)
{
    bool xml = (format & PX_FORMAT_XML) != 0;

    if (begins && xml) {
        open_element(buf, format, from);
    } else if (begins) {
        put_prefix(buf, format, from);
    }
    if (xml) {
        put_escaped(buf, part, n);
    } else {
        px_buf_append(buf, part, n);
    }
    if (ends && xml) {
        px_buf_text(buf, "</");
        px_buf_text(buf, channel_name(from->channel));
        px_buf_text(buf, ">");
    }
    if (ends) {
        px_buf_byte(buf, '\n');
    }
}

/* Appends a namespace as a part of a path. It comes from a server, and may not lead elsewhere. */
static void put_nspace(struct px_buf *buf, const pmix_proc_t *source)
{
    size_t n = strnlen(source->nspace, PMIX_MAX_NSLEN);

    for (size_t i = 0; i < n; i++) {
        char c = source->nspace[i];

        px_buf_byte(buf, (unsigned char) (c == '/' || (c == '.' && i == 0) ? '_' : c));
    }
}

/* Appends a pattern with the names of the process in it. */
static void put_pattern(struct px_buf *buf, const char *pattern, const pmix_proc_t *source)
{
    for (const char *at = pattern; at[0] != '\0'; at++) {
        if (at[0] == '%' && at[1] == 'n') {
            put_nspace(buf, source);
            at++;
        } else if (at[0] == '%' && at[1] == 'r') {
            put_rank(buf, source->rank);
            at++;
        } else {
            px_buf_byte(buf, (unsigned char) at[0]);
        }
    }
}

char *px_output_path(const struct px_output_file *to, const pmix_proc_t *source,
                     pmix_iof_channel_t channel)
{
    struct px_buf path = {0};

    if (to->directory != NULL) {
        px_buf_text(&path, to->directory);
        px_buf_text(&path, "/");
        put_nspace(&path, source);
        px_buf_text(&path, "/rank.");
        put_rank(&path, source->rank);
        px_buf_text(&path, "/");
    } else if (to->pattern) {
        put_pattern(&path, to->file, source);
        px_buf_text(&path, ".");
    } else {
        px_buf_text(&path, to->file);
        px_buf_text(&path, ".");
        put_nspace(&path, source);
        px_buf_text(&path, ".");
        put_rank(&path, source->rank);
        px_buf_text(&path, ".");
    }
    px_buf_text(&path, channel_name(channel));
    return px_buf_take_text(&path);
}
