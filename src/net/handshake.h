/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_HANDSHAKE_H
#define PX_NET_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_common.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"

/* The connect-ack: how a client or tool introduces itself (docs/wire-format.md). Pure encoding, no
 * I/O. */

enum px_handshake_flag {
    PX_HANDSHAKE_CLIENT = 0,
    PX_HANDSHAKE_LEGACY_TOOL = 1,
    PX_HANDSHAKE_LEGACY_LAUNCHER = 2,
    PX_HANDSHAKE_TOOL_NEEDS_ID = 3,
    PX_HANDSHAKE_TOOL = 4,
    PX_HANDSHAKE_CLIENT_TOOL = 5,
    PX_HANDSHAKE_LAUNCHER_NEEDS_ID = 6,
    PX_HANDSHAKE_LAUNCHER = 7,
    PX_HANDSHAKE_CLIENT_LAUNCHER = 8,
    PX_HANDSHAKE_SINGLETON = 9,
    PX_HANDSHAKE_SCHEDULER = 10,
};

enum { PX_HANDSHAKE_MAX = 131072, PX_HANDSHAKE_NAME_MAX = 63 };

struct px_handshake {
    char psec[PX_HANDSHAKE_NAME_MAX + 1];
    const void *cred; /* borrowed */
    size_t cred_len;
    enum px_handshake_flag flag;
    uint32_t uid; /* as claimed; flags 1..10 */
    uint32_t gid;
    pmix_proc_t proc; /* where the flag carries it */
    char version[PX_HANDSHAKE_NAME_MAX + 1];
    unsigned version_major, version_minor, version_release; /* parsed from version */
    char bfrops[PX_HANDSHAKE_NAME_MAX + 1];
    enum px_wire_kind kind;
    char gds[256];    /* comma-separated list */
    const void *blob; /* borrowed, may be NULL: packed SIZE n, INFO[n] */
    size_t blob_len;
};

/* Whole message, header included. 0 or PMIX_ERR_NOMEM. */
int px_handshake_pack(const struct px_handshake *handshake, struct px_buf *buf);

/* Body only (after the 16-byte header). Fails with PMIX_ERR_UNPACK_FAILURE on anything truncated,
 * over-long or unterminated; blobs that do not parse are ignored by whoever reads them, not
 * here. */
int px_handshake_parse(const void *body, size_t len, struct px_handshake *ret);

/* The process that the introduction's infos say it comes from (PMIX_PROC_PID); 0: none. */
pid_t px_handshake_pid(const struct px_handshake *handshake);

/* True when the comma list names the module. */
bool px_handshake_names(const char *list, const char *name);

#endif
