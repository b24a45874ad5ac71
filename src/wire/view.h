/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_VIEW_H
#define PX_WIRE_VIEW_H

#include <stddef.h>

#include <pmix.h>

struct px_in;
struct px_kval_view;

/* Of a BYTE_OBJECT's bytes. */
int px_unpack_view(struct px_in *in, const void **ret_bytes, size_t *ret_len);

/* Of a BUFFER: also says of which kind it is. */
int px_unpack_buffer_view(struct px_in *in, struct px_in *ret_inner);

/* Of a PROC: the namespace, "" at least, is borrowed. */
int px_unpack_proc_view(struct px_in *in, const char **ret_nspace, pmix_rank_t *ret_rank);

int px_unpack_kval_view(struct px_in *in, struct px_kval_view *ret);

#endif
