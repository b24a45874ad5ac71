/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_LOG_H
#define PX_SERVER_MODEX_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/buf.h"
#include "src/base/list.h"
#include "src/base/map.h"

struct px_kval;

/* What a local process has posted for other nodes: the newest value of each key, as packed KVALs in
 * the order of posting. Each has a number from a counter that all modex logs of a server share, so
 * that "what was posted since" can be told. A commit brings changes only (our clients) or
 * everything again (stock clients); what comes unchanged keeps its place and number. A zeroed
 * struct is an empty one. Loop thread. */
struct px_modex_log {
    struct px_map keys;   /* name (px_kval_name) to item */
    struct px_list items; /* by number, ascending */
};

/* What part of a modex log was packed. A reader that had everything up to `from` has everything up
 * to `to` with it. */
struct px_modex_log_span {
    uint64_t from; /* 0: nothing is presupposed */
    uint64_t to;   /* equal to `from`: nothing new */
};

/* Copies a value, in the plain encoding, and numbers it by ++*counter, unless it is the newest of
 * its name already. 0 or PMIX_ERR_NOMEM: then the log is as before. */
int px_modex_log_put(struct px_modex_log *log, const struct px_kval *kval, uint64_t *counter);

/* Appends everything with a number above `since`. 0 or PMIX_ERR_NOMEM. */
int px_modex_log_pack(struct px_modex_log *box, uint64_t since, struct px_buf *buf,
                      struct px_modex_log_span *ret);

void px_modex_log_fini(struct px_modex_log *box);

#endif
