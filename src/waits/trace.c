/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* See trace.h. */

#include "trace.h"

#include <stdbool.h>
#include <string.h>

#include "src/base/quiet_write.h"
#include "src/base/status.h"

void px_trace_write(int fd, const struct px_trace_record *record, const char *nspace,
                    const char *text)
{
    struct px_trace_record head = *record;
    struct iovec parts[] = {
        {.iov_base = &head, .iov_len = sizeof(head)},
        {.iov_base = (void *) (uintptr_t) nspace,
         .iov_len = nspace ? strnlen(nspace, PX_TRACE_NAME) : 0},
        {.iov_base = (void *) (uintptr_t) text, .iov_len = text ? strnlen(text, PX_TRACE_TEXT) : 0},
    };

    head.magic = PX_TRACE_MAGIC;
    head.nspace_len = (uint16_t) parts[1].iov_len;
    head.text_len = (uint16_t) parts[2].iov_len;
    (void) px_quiet_writev(fd, parts, sizeof(parts) / sizeof(parts[0]));
}

/* Reads a text of so many bytes. */
static bool read_text(FILE *from, char *ret, size_t len, size_t most)
{
    if (len > most || fread(ret, 1, len, from) != len) {
        return false;
    }
    ret[len] = '\0';
    return true;
}

int px_trace_read(FILE *from, struct px_trace_item *ret)
{
    struct px_trace_record *head = &ret->head;
    size_t n = fread(head, 1, sizeof(*head), from);

    if (!n && !ferror(from)) {
        return 0;
    }
    if (n < sizeof(*head) || head->magic != PX_TRACE_MAGIC || head->kind == PX_TRACE_NONE ||
        head->kind >= PX_TRACE_KINDS ||
        !read_text(from, ret->nspace, head->nspace_len, PX_TRACE_NAME) ||
        !read_text(from, ret->text, head->text_len, PX_TRACE_TEXT)) {
        return PX_ERR_UNPACK_FAILURE;
    }
    return 1;
}
