/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_OUTBOX_H
#define PX_SERVER_OUTBOX_H

#include <stddef.h>

#include "src/base/buf.h"
#include "src/base/map.h"
#include "src/wire/codec.h"

/* What a local process has posted for other nodes: the newest value of each key, as packed KVALs. A commit brings
 * changes only (our clients) or everything again (stock clients); both replace key by key. Loop thread. */
struct px_outbox {
    struct px_map keys;   /* key to struct px_outbox_item */
    struct px_buf packed; /* all of them, PLAIN; made when asked for */
};

/* Takes over the KVALs of a PLAIN buffer. 0, PMIX_ERR_NOMEM or what was wrong with the bytes; then some keys may be
 * new and others old, each of them whole. */
int px_outbox_put(struct px_outbox *box, const struct px_buf *kvals);

/* Everything, borrowed until the next put; of length 0 when there is nothing. 0 or PMIX_ERR_NOMEM. */
int px_outbox_packed(struct px_outbox *box, const struct px_buf **ret);

void px_outbox_fini(struct px_outbox *box);

#endif
