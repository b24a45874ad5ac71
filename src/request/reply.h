/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_REQUEST_REPLY_H
#define PX_REQUEST_REPLY_H

#include "src/wire/codec.h"

struct px_buf;
struct px_in;
struct px_reply;
struct px_reply_type;

/* Frees what a reply points at and makes it empty. */
void px_reply_fini(struct px_reply *reply);

/* STATUS and what follows it. A failure is in buf. */
void px_reply_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_reply_type *type,
                   const struct px_reply *reply);

/* The fields that follow reply->status. Without them a reply is as if they were empty. On failure,
 * which becomes the status, the reply owns nothing. */
void px_reply_unpack(struct px_in *in, const struct px_reply_type *type, struct px_reply *reply);

void px_infos_release(void *infos); /* takes NULL */

#endif
