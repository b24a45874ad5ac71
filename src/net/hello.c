/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "src/net/hello.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include <pmix.h>

/* Written by strangers, read before anything is known of them: every field is looked at through one
 * cursor that refuses to pass the end, strings must end inside the body and fit their place,
 * numbers must be of the values that exist. The header in front is in host byte order, unlike that
 * of any other message. */

enum { HEADER_BYTES = 16 };

struct cursor {
    const unsigned char *at;
    const unsigned char *end;
    bool bad;
};

static bool has_ids(enum px_hello_flag flag)
{
    return flag != PX_HELLO_CLIENT;
}

static bool has_proc(enum px_hello_flag flag)
{
    switch (flag) {
    case PX_HELLO_CLIENT:
    case PX_HELLO_TOOL:
    case PX_HELLO_CLIENT_TOOL:
    case PX_HELLO_LAUNCHER:
    case PX_HELLO_CLIENT_LAUNCHER:
    case PX_HELLO_SINGLETON:
    case PX_HELLO_SCHEDULER:
        return true;
    case PX_HELLO_LEGACY_TOOL:
    case PX_HELLO_LEGACY_LAUNCHER:
    case PX_HELLO_TOOL_NEEDS_ID:
    case PX_HELLO_LAUNCHER_NEEDS_ID:
        break;
    }
    return false;
}

static void put_u32(struct px_buf *buf, uint32_t v)
{
    uint32_t net = htonl(v);

    px_buf_append(buf, &net, sizeof(net));
}

static void put_string(struct px_buf *buf, const char *text, size_t room)
{
    px_buf_append(buf, text, strnlen(text, room - 1));
    px_buf_byte(buf, 0);
}

static void put_body(const struct px_hello *hello, struct px_buf *buf)
{
    put_string(buf, hello->psec, sizeof(hello->psec));
    put_u32(buf, (uint32_t) hello->cred_len);
    px_buf_append(buf, hello->cred, hello->cred_len);
    px_buf_byte(buf, (unsigned char) hello->flag);
    if (has_ids(hello->flag)) {
        put_u32(buf, hello->uid);
        put_u32(buf, hello->gid);
    }
    if (has_proc(hello->flag)) {
        put_string(buf, hello->proc.nspace, sizeof(hello->proc.nspace));
        put_u32(buf, hello->proc.rank);
    }
    put_string(buf, hello->version, sizeof(hello->version));
    put_string(buf, hello->bfrops, sizeof(hello->bfrops));
    px_buf_byte(buf, (unsigned char) hello->kind);
    put_string(buf, hello->gds, sizeof(hello->gds));
    if (hello->blob) {
        px_buf_append(buf, hello->blob, hello->blob_len);
    }
}

int px_hello_pack(const struct px_hello *hello, struct px_buf *buf)
{
    uint32_t header[4] = {UINT32_MAX, UINT32_MAX, 0, 0};
    size_t start = buf->len;

    if (hello->cred_len > PX_HELLO_MAX || hello->blob_len > PX_HELLO_MAX) {
        return PMIX_ERR_BAD_PARAM;
    }
    px_buf_append(buf, header, sizeof(header));
    put_body(hello, buf);
    if (!px_buf_ok(buf)) {
        return PMIX_ERR_NOMEM;
    }
    if (buf->len - start - HEADER_BYTES > PX_HELLO_MAX) {
        return PMIX_ERR_BAD_PARAM;
    }
    header[2] = (uint32_t) (buf->len - start - HEADER_BYTES);
    memcpy(buf->data + start, header, sizeof(header));
    return PMIX_SUCCESS;
}

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

static uint32_t get_u32(struct cursor *in)
{
    const unsigned char *at = get_bytes(in, sizeof(uint32_t));
    uint32_t net = 0;

    if (at) {
        memcpy(&net, at, sizeof(net));
    }
    return ntohl(net);
}

static uint8_t get_u8(struct cursor *in)
{
    const unsigned char *at = get_bytes(in, 1);

    return at ? *at : 0;
}

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

/* Number, then one character of any kind, then a number, and so on; what is missing is 0. */
static void parse_version(struct px_hello *hello)
{
    unsigned *const parts[] = {&hello->version_major, &hello->version_minor,
                               &hello->version_release};
    const char *at = hello->version;

    if (*at == 'v') {
        at++;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char *end;
        unsigned long v;

        if (*at < '0' || *at > '9') {
            return;
        }
        v = strtoul(at, &end, 10);
        *parts[i] = v > UINT16_MAX ? UINT16_MAX : (unsigned) v;
        at = *end ? end + 1 : end;
    }
}

static void get_who(struct cursor *in, struct px_hello *hello)
{
    hello->flag = (enum px_hello_flag) get_u8(in);
    if (hello->flag > PX_HELLO_SCHEDULER) {
        in->bad = true;
        return;
    }
    if (has_ids(hello->flag)) {
        hello->uid = get_u32(in);
        hello->gid = get_u32(in);
    }
    if (has_proc(hello->flag)) {
        get_string(in, hello->proc.nspace, sizeof(hello->proc.nspace));
        hello->proc.rank = get_u32(in);
    }
}

int px_hello_parse(const void *body, size_t len, struct px_hello *ret)
{
    struct cursor in = {body, (const unsigned char *) body + len, false};
    struct px_hello hello = {0};
    uint8_t kind;

    get_string(&in, hello.psec, sizeof(hello.psec));
    hello.cred_len = get_u32(&in);
    hello.cred = get_bytes(&in, hello.cred_len);
    get_who(&in, &hello);
    get_string(&in, hello.version, sizeof(hello.version));
    get_string(&in, hello.bfrops, sizeof(hello.bfrops));
    kind = get_u8(&in);
    get_string(&in, hello.gds, sizeof(hello.gds));
    if (in.bad || (kind != PX_WIRE_PLAIN && kind != PX_WIRE_DESCRIBED)) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    hello.kind = (enum px_wire_kind) kind;
    parse_version(&hello);
    /* 4.2.2 counts one byte too many and sends a zero that means nothing. */
    if (in.end - in.at > 1 || (in.end > in.at && *in.at)) {
        hello.blob = in.at;
        hello.blob_len = (size_t) (in.end - in.at);
    }
    *ret = hello;
    return PMIX_SUCCESS;
}

pid_t px_hello_pid(const struct px_hello *hello)
{
    struct px_in in = px_in_make(hello->blob, hello->blob_len, hello->kind);
    pmix_info_t *infos = NULL;
    size_t n = 0;
    pid_t pid = 0;

    if (!hello->blob || px_unpack_infos(&in, &infos, &n) != 0) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (strncmp(infos[i].key, PMIX_PROC_PID, PMIX_MAX_KEYLEN) == 0 &&
            infos[i].value.type == PMIX_PID) {
            pid = infos[i].value.data.pid;
        }
    }
    PMIx_Info_free(infos, n);
    return pid > 0 ? pid : 0;
}

bool px_hello_names(const char *list, const char *name)
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
