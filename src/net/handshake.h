/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_HANDSHAKE_H
#define PX_NET_HANDSHAKE_H

/* The handshake: the first message on a connection, by which a client or tool introduces itself
 * (docs/wire-format.md; other implementations call it the connect-ack). Pure encoding, no I/O. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix_common.h>

#include "src/base/buf.h"
#include "src/wire/codec.h"

/* What the peer is, by the protocol's numbers: a client; a tool or a launcher that asks for a name
 * (NEEDS_ID), has one, or was started by a server and so is a client, too (CLIENT_); a client that
 * no server started (SINGLETON); the scheduler. LEGACY are tools and launchers of old releases. */
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

/* Bounds: bytes of a body, letters of a module's name or a version. */
enum { PX_HANDSHAKE_MAX = 131072, PX_HANDSHAKE_NAME_MAX = 63 };

/* One handshake, to be packed or as parsed; then what is borrowed lies in the parsed bytes. A
 * claim: nothing in it is proved. Members are in the order of the message (docs/wire-format.md,
 * section 2.3). */
struct px_handshake {
    char psec[PX_HANDSHAKE_NAME_MAX + 1]; /* credential module */
    const void *cred;                     /* credential, for the module psec; borrowed */
    size_t cred_len;
    enum px_handshake_flag flag;
    uint32_t uid; /* as claimed; not sent by a client (flag 0) */
    uint32_t gid;
    pmix_proc_t proc; /* the name of the peer, for flags that have one */
    /* Release of the peer, and the numbers in it; only the text is packed. */
    char version[PX_HANDSHAKE_NAME_MAX + 1];
    unsigned version_major, version_minor, version_release;
    /* Name and kind of the encoding of all messages that follow; "": of release 2.0. */
    char bfrops[PX_HANDSHAKE_NAME_MAX + 1];
    enum px_wire_kind kind;
    char gds[256];    /* stores that the peer offers to use, comma-separated */
    const void *blob; /* borrowed, may be NULL: packed SIZE n, INFO[n] */
    size_t blob_len;
};

/* Appends the whole message, header included. 0, PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM (longer than
 * PX_HANDSHAKE_MAX). On failure the content of buf is undefined. */
int px_handshake_pack(const struct px_handshake *handshake, struct px_buf *buf);

/* Reads a body (what is behind the 16-byte header), which *ret then borrows.
 * PMIX_ERR_UNPACK_FAILURE: truncated, over-long, unterminated, or an unknown flag or encoding. The
 * infos in `blob` are not parsed here. */
int px_handshake_parse(const void *body, size_t len, struct px_handshake *ret);

/* Sets the release of a handshake that is not parsed: the text, cut to its room, and the numbers.
 */
void px_handshake_set_version(struct px_handshake *handshake, const char *version);

/* The process id that the handshake's infos claim (PMIX_PROC_PID). 0: there is none, the infos do
 * not parse, or there are more than a hundred, which is too many from a peer that is not
 * authenticated. */
pid_t px_handshake_pid(const struct px_handshake *handshake);

/* True if the comma list has the name as an item. `list` may be NULL. */
bool px_handshake_names(const char *list, const char *name);

#endif
