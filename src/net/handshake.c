/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Packing and parsing of the handshake. It is written by peers of which nothing is known yet, so
 * the parser trusts nothing: one cursor refuses to pass the end, strings must end inside the body
 * and fit their place, numbers must be among those defined. The header in front is in host byte
 * order, unlike that of any other message. */

#include "src/net/handshake.h"

#include <arpa/inet.h>
#include <string.h>

#include <pmix.h>

#include "src/base/version.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"

/* Header of the handshake: index, tag and length of the body, and a word that is 0. */
/* Bytes in front of a body; infos of a stranger that are looked at. */
enum { HEADER_BYTES = 16, CLAIMS_MAX = 100 };

/* The unread part of a body. `bad` is set by the first read that fails; later reads give 0. */
struct cursor {
    const unsigned char *at;
    const unsigned char *end;
    bool bad;
};

/* True if a handshake with this flag has uid and gid. */
static bool has_ids(enum px_handshake_flag flag)
{
    return flag != PX_HANDSHAKE_CLIENT;
}

/* True if a handshake with this flag has the peer's name. */
static bool has_proc(enum px_handshake_flag flag)
{
    switch (flag) {
    case PX_HANDSHAKE_CLIENT:
    case PX_HANDSHAKE_TOOL:
    case PX_HANDSHAKE_CLIENT_TOOL:
    case PX_HANDSHAKE_LAUNCHER:
    case PX_HANDSHAKE_CLIENT_LAUNCHER:
    case PX_HANDSHAKE_SINGLETON:
    case PX_HANDSHAKE_SCHEDULER:
        return true;
    case PX_HANDSHAKE_LEGACY_TOOL:
    case PX_HANDSHAKE_LEGACY_LAUNCHER:
    case PX_HANDSHAKE_TOOL_NEEDS_ID:
    case PX_HANDSHAKE_LAUNCHER_NEEDS_ID:
        break;
    }
    return false;
}

/* Appends a number in network order. */
static void put_u32(struct px_buf *buf, uint32_t v)
{
    uint32_t net = htonl(v);

    px_buf_append(buf, &net, sizeof(net));
}

/* Appends a string, cut to room - 1 letters, and its NUL. */
static void put_string(struct px_buf *buf, const char *text, size_t room)
{
    px_buf_append(buf, text, strnlen(text, room - 1));
    px_buf_byte(buf, 0);
}

/* Appends everything behind the header, in the order of docs/wire-format.md, section 2.3. Failures
 * stay in the buffer, where the caller finds them. */
static void put_body(const struct px_handshake *handshake, struct px_buf *buf)
{
    put_string(buf, handshake->psec, sizeof(handshake->psec));
    put_u32(buf, (uint32_t) handshake->cred_len);
    px_buf_append(buf, handshake->cred, handshake->cred_len);
    px_buf_byte(buf, (unsigned char) handshake->flag);
    if (has_ids(handshake->flag)) {
        put_u32(buf, handshake->uid);
        put_u32(buf, handshake->gid);
    }
    if (has_proc(handshake->flag)) {
        put_string(buf, handshake->proc.nspace, sizeof(handshake->proc.nspace));
        put_u32(buf, handshake->proc.rank);
    }
    put_string(buf, handshake->version, sizeof(handshake->version));
    put_string(buf, handshake->bfrops, sizeof(handshake->bfrops));
    px_buf_byte(buf, (unsigned char) handshake->kind);
    put_string(buf, handshake->gds, sizeof(handshake->gds));
    if (handshake->blob) {
        px_buf_append(buf, handshake->blob, handshake->blob_len);
    }
}

/* The length in the header is filled in when the body is complete. */
int px_handshake_pack(const struct px_handshake *handshake, struct px_buf *buf)
{
    uint32_t header[4] = {UINT32_MAX, UINT32_MAX, 0, 0};
    size_t start = buf->len;

    if (handshake->cred_len > PX_HANDSHAKE_MAX || handshake->blob_len > PX_HANDSHAKE_MAX) {
        return PMIX_ERR_BAD_PARAM;
    }
    px_buf_append(buf, header, sizeof(header));
    put_body(handshake, buf);
    if (!px_buf_ok(buf)) {
        return PMIX_ERR_NOMEM;
    }
    if (buf->len - start - HEADER_BYTES > PX_HANDSHAKE_MAX) {
        return PMIX_ERR_BAD_PARAM;
    }
    header[2] = (uint32_t) (buf->len - start - HEADER_BYTES);
    memcpy(buf->data + start, header, sizeof(header));
    return PMIX_SUCCESS;
}

/* The next n bytes, borrowed; NULL if there are fewer. */
static const unsigned char *get_bytes(struct cursor *in, size_t n)
{
    const unsigned char *at = in->at;

    if (in->bad || (size_t) (in->end - in->at) < n) {
        in->bad = true;
        return NULL;
    }
    in->at += n;
    return at;
}

/* A number in network order, or 0. */
static uint32_t get_u32(struct cursor *in)
{
    const unsigned char *at = get_bytes(in, sizeof(uint32_t));
    uint32_t net = 0;

    if (at) {
        memcpy(&net, at, sizeof(net));
    }
    return ntohl(net);
}

/* A byte, or 0. */
static uint8_t get_u8(struct cursor *in)
{
    const unsigned char *at = get_bytes(in, 1);

    return at ? *at : 0;
}

/* Copies a terminated string that fits `room`; otherwise the cursor becomes bad. */
static void get_string(struct cursor *in, char *room, size_t room_len)
{
    size_t left = (size_t) (in->end - in->at);
    const unsigned char *end = in->bad ? NULL : memchr(in->at, 0, left);

    if (!end || (size_t) (end - in->at) >= room_len) {
        in->bad = true;
        return;
    }
    memcpy(room, in->at, (size_t) (end - in->at) + 1);
    in->at = end + 1;
}

/* Sets the numbers of the release from its text; those that it lacks are 0. */
static void read_numbers(struct px_handshake *handshake)
{
    unsigned numbers[3] = {0};

    px_version_read(handshake->version, numbers);
    handshake->version_major = numbers[0];
    handshake->version_minor = numbers[1];
    handshake->version_release = numbers[2];
}

void px_handshake_set_version(struct px_handshake *handshake, const char *version)
{
    memset(handshake->version, 0, sizeof(handshake->version));
    memcpy(handshake->version, version, strnlen(version, sizeof(handshake->version) - 1));
    read_numbers(handshake);
}

/* Reads the flag, and the ids and the name that it announces. An unknown flag makes the cursor bad,
 * since nothing behind it can be read. */
static void get_who(struct cursor *in, struct px_handshake *handshake)
{
    handshake->flag = (enum px_handshake_flag) get_u8(in);
    if (handshake->flag > PX_HANDSHAKE_SCHEDULER) {
        in->bad = true;
        return;
    }
    if (has_ids(handshake->flag)) {
        handshake->uid = get_u32(in);
        handshake->gid = get_u32(in);
    }
    if (has_proc(handshake->flag)) {
        get_string(in, handshake->proc.nspace, sizeof(handshake->proc.nspace));
        handshake->proc.rank = get_u32(in);
    }
}

/* Of the releases whose handshakes can be read; 2.0 names no encoding. */
enum { OLDEST_RELEASE = 2 };

/* Reads on behind a failure, which is checked once at the end: a bad cursor gives nothing but
 * zeros. */
int px_handshake_parse(const void *body, size_t len, struct px_handshake *ret)
{
    struct cursor in = {body, (const unsigned char *) body + len, false};
    struct px_handshake handshake = {0};
    uint8_t kind;

    get_string(&in, handshake.psec, sizeof(handshake.psec));
    handshake.cred_len = get_u32(&in);
    handshake.cred = get_bytes(&in, handshake.cred_len);
    get_who(&in, &handshake);
    get_string(&in, handshake.version, sizeof(handshake.version));
    read_numbers(&handshake);
    if (!in.bad && in.at == in.end && handshake.version_major == OLDEST_RELEASE) {
        handshake.kind = PX_WIRE_PLAIN;
        *ret = handshake; /* 2.0 sends no more */
        return PMIX_SUCCESS;
    }
    get_string(&in, handshake.bfrops, sizeof(handshake.bfrops));
    kind = get_u8(&in);
    get_string(&in, handshake.gds, sizeof(handshake.gds));
    if (in.bad || (kind != PX_WIRE_PLAIN && kind != PX_WIRE_DESCRIBED)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    handshake.kind = (enum px_wire_kind) kind;
    /* OpenPMIx 4.2.2 counts one byte too many and sends a zero without meaning. */
    if (in.end - in.at > 1 || (in.end > in.at && *in.at)) {
        handshake.blob = in.at;
        handshake.blob_len = (size_t) (in.end - in.at);
    }
    *ret = handshake;
    return PMIX_SUCCESS;
}

/* The infos are in the encoding that the handshake itself declares. A negative number is none. */
pid_t px_handshake_pid(const struct px_handshake *handshake)
{
    struct px_in in = px_in_make(handshake->blob, handshake->blob_len, handshake->kind);
    const pmix_value_t *value;
    pmix_info_t *infos = NULL;
    size_t n = 0;
    pid_t pid;

    in.most = 2 * CLAIMS_MAX * sizeof(pmix_info_t); /* as px_unpack_count counts them */
    if (!handshake->blob || px_unpack_infos(&in, &infos, &n) != 0) {
        return 0;
    }
    value = px_info_find(infos, n, PMIX_PROC_PID);
    pid = value && value->type == PMIX_PID ? value->data.pid : 0;
    PMIx_Info_free(infos, n);
    return pid > 0 ? pid : 0;
}

bool px_handshake_names(const char *list, const char *name)
{
    size_t len = strlen(name);

    while (list && *list) {
        size_t item = strcspn(list, ",");

        if (item == len && strncmp(list, name, len) == 0) {
            return true;
        }
        list += item + (list[item] == ',');
    }
    return false;
}
