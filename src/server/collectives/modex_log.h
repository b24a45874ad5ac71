/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_LOG_H
#define PX_SERVER_MODEX_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/buf.h"
#include "src/base/list.h"
#include "src/base/map.h"
#include "src/wire/codec.h"

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

/* The bytes that tell posted values apart: the key, or for a qualified value (which all have the
 * same) also the real key and its qualifiers. */
struct px_kval_name {
    const void *bytes; /* the key, or in room */
    size_t len;
    struct px_buf room; /* px_buf_fini it afterwards */
};
/* The key stays borrowed. 0, PMIX_ERR_NOMEM or PMIX_ERR_UNPACK_FAILURE: a qualified value that is
 * none. */
int px_kval_name(const char *key, const pmix_value_t *value, struct px_kval_name *ret);

/* Takes over the KVALs of a PLAIN buffer and numbers those that are new, by ++*counter. 0,
 * PMIX_ERR_NOMEM or what was wrong with the bytes; then some keys may be new and others old, each
 * of them whole. */
int px_modex_log_put(struct px_modex_log *box, const struct px_buf *kvals, uint64_t *counter);

/* Appends everything with a number above `since`. 0 or PMIX_ERR_NOMEM. */
int px_modex_log_pack(struct px_modex_log *box, uint64_t since, struct px_buf *buf,
                      struct px_modex_log_span *ret);

void px_modex_log_fini(struct px_modex_log *box);

#endif
