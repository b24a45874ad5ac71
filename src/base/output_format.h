/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_OUTPUT_FORMAT_H
#define PX_BASE_OUTPUT_FORMAT_H

/* Text around lines of forwarded output, and names of the files that it is written to. No state;
 * any thread. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <pmix_common.h>

#include "buf.h"

/* What is written with each line; any of them together. */
enum {
    PX_FORMAT_TIME = 1,    /* when it is written: "2026-11-22T14:45:00" */
    PX_FORMAT_TAG = 2,     /* "[nspace,rank]<stdout>: " */
    PX_FORMAT_RANK = 4,    /* "[rank]<stdout>: "; nothing more beside the tag */
    PX_FORMAT_XML = 8,     /* <stdout nspace="..." rank="..." timestamp="...">, escaped content */
    PX_FORMAT_DETAIL = 16, /* "[nspace,rank][host:pid]<stdout>: "; host="..." pid="..." */
};

/* Where output comes from. Borrowed. */
struct px_output_origin {
    const pmix_proc_t *proc;
    pmix_iof_channel_t channel;
    const char *host; /* NULL: not known */
    pid_t pid;        /* 0: not known */
};

/* Appends a part of a line, without its newline: begins, ends: the part is the first, the last of
 * its line. In XML each byte that is no printable ASCII becomes a character reference. */
void px_format_line(struct px_buf *buf, unsigned format, const struct px_output_origin *from,
                    const char *part, size_t n, bool begins, bool ends);

/* Where the output of a process is written. One of `file` and `directory`; or neither, then there
 * is no file. Borrowed. */
struct px_output_file {
    const char *file;      /* <file>.<nspace>.<rank>.<channel> */
    bool pattern;          /* <file>.<channel>, in which %n is the namespace and %r the rank */
    const char *directory; /* <directory>/<nspace>/rank.<rank>/<channel> */
};

/* The path of a process's file; free() it. A namespace in it has no '/' and is no hidden name: the
 * characters that would make it so are replaced by '_'. NULL: no memory. */
char *px_output_path(const struct px_output_file *to, const pmix_proc_t *source,
                     pmix_iof_channel_t channel);

#endif
