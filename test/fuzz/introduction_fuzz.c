/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The first bytes of a connection: as a message that is parsed alone, and sent to a server, whole
 * and, if byte 0 is odd, in two parts. Byte 0 chooses the host, too, and with 0x80 the way is TCP.
 * With 0x40 the server finds what stands behind the header in the file of another system server.
 * What can be parsed can be packed, and is then parsed the same. */
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"
#include "half_server.h"
#include "src/net/handshake.h"

enum { HEADER_BYTES = 16, BY_TCP = 0x80, FILE_FIRST = 0x40 };

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

/* The server may take the file away, or not start because of it. */
static void start_beside_file(enum half_server_host host, const uint8_t *bytes, size_t len)
{
    char path[512];
    char name[256] = "";
    FILE *file;

    (void) gethostname(name, sizeof(name) - 1);
    snprintf(path, sizeof(path), "%s/pmix.sys.%s", half_server_folder(), name);
    file = fopen(path, "we");
    require(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
    if (half_server_start(host, DOOR_TCP | DOOR_UNIX | WITH_FILES)) {
        half_server_stop();
    }
    (void) unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum half_server_host host;
    size_t half;
    int fd;

    if (size < 1 + HEADER_BYTES) {
        return 0;
    }
    host = data[0] / 2 % N_HOSTS;
    if (data[0] & FILE_FIRST) {
        start_beside_file(host, data + 1 + HEADER_BYTES, size - 1 - HEADER_BYTES);
        return 0;
    }
    parse(data + 1 + HEADER_BYTES, size - 1 - HEADER_BYTES);
    half = data[0] & 1 ? size / 2 : size - 1;
    (void) half_server_start(host, data[0] & BY_TCP ? DOOR_TCP : 0);
    fd = data[0] & BY_TCP ? half_server_dial_tcp() : half_server_dial();
    half_server_send(fd, data + 1, half);
    half_server_send(fd, data + 1 + half, size - 1 - half);
    close(fd);
    half_server_stop();
    return 0;
}
