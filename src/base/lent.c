/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/base/lent.h"

void px_buf_lend_large(struct px_buf *buf, const void *src, size_t n)
{
    if (!buf->lent->len && n >= PX_LENT_FROM && px_buf_ok(buf)) {
        *buf->lent = (struct px_lent){src, n, buf->len};
    } else {
        px_buf_append(buf, src, n);
    }
}
