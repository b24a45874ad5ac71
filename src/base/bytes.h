/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_BYTES_H
#define PX_BASE_BYTES_H

#include <stddef.h>

/* Borrowed bytes; who lends them says for how long. */
struct px_bytes {
    const void *ptr;
    size_t len;
};

#define px_container_of(p, type, member) ((type *) (void *) ((char *) (p) - offsetof(type, member)))

#endif
