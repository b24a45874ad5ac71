/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The first bytes of a connection: as a message that is parsed alone, and sent to a server, whole
 * and, if byte 0 is odd, in two parts. Byte 0 chooses the host, too, and with 0x80 the way is TCP.
 * With 0x40 the server finds what stands behind the header in the file of another system server.
 * 0x38 is what happens meanwhile (enum course). An introduction that was parsed and could be packed
 * again parses the same. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_clock.h"
#include "half_server.h"
#include "src/net/handshake.h"
#include "src/value/procs.h"

enum { HEADER_BYTES = 16, BY_TCP = 0x80, FILE_FIRST = 0x40, COURSE = 0x38, COURSE_SHIFT = 3 };

enum course {
    USUAL,
    GOES,           /* the host does not answer, and the peer is gone */
    STAYS,          /* the host does not answer, and the server ends before the peer goes */
    LATE,           /* the peer has no more time after the first part */
    NO_DESCRIPTORS, /* by TCP: the server has no descriptor for it, for a while */
    RESERVE_ONLY,   /* the same, but for its reserve */
    UNOWNED         /* the kernel does not say by netlink whose connection it is */
};

/* Longer than an introduction may take, and than a listener waits without descriptors. */
enum { LATE_MS = 60000 };

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
        require(first.flag == second.flag && first.kind == second.kind && first.uid == second.uid &&
                first.gid == second.gid && px_proc_equal(&first.proc, &second.proc));
        require(strcmp(first.psec, second.psec) == 0 && strcmp(first.bfrops, second.bfrops) == 0 &&
                strcmp(first.version, second.version) == 0 && strcmp(first.gds, second.gds) == 0);
        require(first.cred_len == second.cred_len && first.blob_len == second.blob_len);
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

/* --- the machine --- */

static bool unowned;

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);

int __wrap_socket(int domain, int type, int protocol)
{
    if (unowned && domain == AF_NETLINK) {
        errno = EPROTONOSUPPORT;
        return -1;
    }
    return __real_socket(domain, type, protocol);
}

/* No descriptor, or none but those that are open, while the peer connects. */
static int dial_without(bool reserve)
{
    struct rlimit before;
    struct rlimit few;
    int fd = half_server_socket_tcp();
    int next = dup(fd);

    require(next >= 0 && getrlimit(RLIMIT_NOFILE, &before) == 0);
    close(next);
    few = (struct rlimit){reserve ? (rlim_t) next : 0, before.rlim_max};
    require(setrlimit(RLIMIT_NOFILE, &few) == 0);
    half_server_connect_tcp(fd);
    require(setrlimit(RLIMIT_NOFILE, &before) == 0);
    fuzz_clock_pass(LATE_MS);
    half_server_run();
    return fd;
}

static int dial(uint8_t bits, enum course course)
{
    if (!(bits & BY_TCP)) {
        return half_server_dial();
    }
    return course == NO_DESCRIPTORS || course == RESERVE_ONLY ? dial_without(course == RESERVE_ONLY)
                                                              : half_server_dial_tcp();
}

/* A conversation by the whole way. */
static void converse(uint8_t bits, const uint8_t *bytes, size_t size)
{
    enum course course = (bits & COURSE) >> COURSE_SHIFT;
    size_t half = bits & 1 ? size / 2 : size;
    int fd;

    (void) half_server_start(bits / 2 % N_HOSTS, bits & BY_TCP ? DOOR_TCP : 0);
    unowned = course == UNOWNED;
    if (course == GOES || course == STAYS) {
        half_server_shut();
    }
    fd = dial(bits, course);
    half_server_send(fd, bytes, half);
    fuzz_clock_pass(course == LATE ? LATE_MS : 0);
    half_server_run();
    half_server_send(fd, bytes + half, size - half);
    if (course != STAYS) {
        close(fd);
        half_server_run();
    }
    half_server_stop();
    if (course == STAYS) {
        close(fd);
    }
    unowned = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 + HEADER_BYTES) {
        return 0;
    }
    if (data[0] & FILE_FIRST) {
        start_beside_file(data[0] / 2 % N_HOSTS, data + 1 + HEADER_BYTES, size - 1 - HEADER_BYTES);
        return 0;
    }
    parse(data + 1 + HEADER_BYTES, size - 1 - HEADER_BYTES);
    converse(data[0], data + 1, size - 1);
    return 0;
}
