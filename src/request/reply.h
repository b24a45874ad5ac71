/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_REQUEST_REPLY_H
#define PX_REQUEST_REPLY_H

/* Replies of the server: a status, and the fields that the reply type (struct px_reply_type,
 * schema.h) lists. The server packs a reply, the client unpacks it, and the reply type calls the
 * application's callback with it. Any thread; the caller owns the struct px_reply. */

#include "src/wire/codec.h"

struct px_buf;
struct px_in;
struct px_reply;
struct px_infos;
struct px_reply_type;

/* True for a success and for a partial one: results come with it. */
bool px_status_has_results(pmix_status_t status);

/* Frees all members that a reply owns and zeroes them; the status stays. */
void px_reply_fini(struct px_reply *reply);

/* Appends the status, and the fields if the type always has them or the status is a success or a
 * partial one. Errors are recorded in buf (px_buf_ok). */
void px_reply_pack(struct px_buf *buf, enum px_wire_kind kind, const struct px_reply_type *type,
                   const struct px_reply *reply);

/* Reads the fields behind reply->status, which the caller has read. They are there if the status is
 * a success or a partial one, or if the type always has them; fields that are not required may be
 * missing. `in` may be NULL if the status is neither. On an error the reply owns nothing, and the
 * error becomes reply->status unless that is a failure already. */
void px_reply_unpack(struct px_in *in, const struct px_reply_type *type, struct px_reply *reply);

/* Frees the infos and leaves none. */
void px_infos_fini(struct px_infos *infos);

/* The release function for a struct px_infos, given to a pmix_info_cbfunc_t: frees the infos.
 * Takes NULL. */
void px_infos_release(void *infos); /* takes NULL */

#endif
