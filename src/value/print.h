/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_PRINT_H
#define PX_VALUE_PRINT_H

#include <stddef.h>

struct px_buf;
struct px_type;

/* print.c */
void px_print_format(struct px_buf *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void px_print_scalar(struct px_buf *out, const struct px_type *type, const void *element,
                     unsigned depth);
void px_print_string(struct px_buf *out, const char *s);
void px_print_bytes(struct px_buf *out, const void *bytes, size_t n);
void px_print_many(struct px_buf *out, const struct px_type *type, const void *elements, size_t n,
                   unsigned depth);

#endif
