/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The first bytes of a connection: as a message that is parsed alone, and sent to a server, whole
 * and, if byte 0 is odd, in two parts. Byte 0 chooses the host, too. What can be parsed can be
 * packed, and is then parsed the same. */
#include <unistd.h>

#include "fuzz.h"
#include "half_server.h"
#include "src/net/handshake.h"

enum { HEADER_BYTES = 16 };

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void parse(const uint8_t *body, size_t len)
{
    struct px_handshake first;
    struct px_handshake second;
    struct px_buf buf = {0};

    if (px_handshake_parse(body, len, &first) != 0) {
        return;
    }
    (void) px_handshake_pid(&first);
    if (px_handshake_pack(&first, &buf) == 0) {
        require(px_handshake_parse(buf.data + HEADER_BYTES, buf.len - HEADER_BYTES, &second) == 0);
        require(first.flag == second.flag && first.cred_len == second.cred_len &&
                first.kind == second.kind && strcmp(first.version, second.version) == 0 &&
                strcmp(first.gds, second.gds) == 0);
    }
    px_buf_fini(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t half;
    int fd;

    if (size < 1 + HEADER_BYTES) {
        return 0;
    }
    parse(data + 1 + HEADER_BYTES, size - 1 - HEADER_BYTES);
    half = data[0] & 1 ? size / 2 : size - 1;
    half_server_start(data[0] / 2 % N_HOSTS, false);
    fd = half_server_dial();
    half_server_send(fd, data + 1, half);
    half_server_send(fd, data + 1 + half, size - 1 - half);
    close(fd);
    half_server_stop();
    return 0;
}
