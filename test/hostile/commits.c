/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Attacks by commits (commits.h). */

#include "commits.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "speak.h"

enum { ROOM = 1024 };

/* Writes a block; returns its length. */
static size_t put_block(unsigned char *to, char scope, const char *block, size_t len)
{
    size_t n = put(to, "\x02", 1);

    to[n++] = (unsigned char) scope;
    n += put(to + n, "\x02\x01", 2);
    to[n++] = (unsigned char) len;
    return n + put(to + n, block, len);
}

/* COMMIT with these blocks. True if the answer is a status that begins so, or with NULL any. */
static bool committed_blocks(const char *uri, const unsigned char *blocks, size_t len,
                             const char *status)
{
    unsigned char payload[ROOM / 2];
    unsigned char bytes[ROOM];
    unsigned char reply[16 + 2];
    int fd = admitted(uri);
    size_t n = put(payload, "\x02\x02", 2);
    bool held;

    if (fd < 0) {
        return false;
    }
    memcpy(payload + n, blocks, len);
    n += len;
    send_all(fd, bytes, write_frame(bytes, 101, payload, (uint32_t) n));
    held =
        receive(fd, reply, sizeof(reply)) && (status == NULL || memcmp(reply + 16, status, 2) == 0);
    close(fd);
    return held;
}

/* COMMIT of a block with these bytes in each of these scopes. As committed_blocks. */
static bool committed_in(const char *uri, const char *scopes, size_t n_scopes, const char *block,
                         size_t len, const char *status)
{
    unsigned char blocks[ROOM / 2 - 2];
    size_t n = 0;

    for (size_t i = 0; i < n_scopes; i++) {
        n += put_block(blocks + n, scopes[i], block, len);
    }
    return committed_blocks(uri, blocks, n, status);
}

static bool committed(const char *uri, char scope, const char *block, size_t len,
                      const char *status)
{
    return committed_in(uri, &scope, 1, block, len, status);
}

/* A block for everybody beside one for some, with a value of the same name: PMIX_ERR_BAD_PARAM, in
 * any order; two for everybody are like two of any scope. */
bool blocks_that_overlap(const char *uri)
{
    static const char value[] = "\x02\x08key\0\x0c\x07";
    size_t len = sizeof(value) - 1;

    return committed(uri, 3, value, len, "\x02\x00") &&
           committed_in(uri, "\3\2", 2, value, len, "\x02\x35") &&
           committed_in(uri, "\2\3", 2, value, len, "\x02\x35") &&
           committed_in(uri, "\3\1", 2, value, len, "\x02\x35") &&
           committed_in(uri, "\1\2", 2, value, len, "\x02\x00") &&
           committed_in(uri, "\3\3", 2, value, len, "\x02\x00");
}

/* The block for other nodes has each value of the other block twice, in the same order; the values
 * are 7 and 8. */
bool block_that_repeats(const char *uri)
{
    static const char values[] = "\x02\4a\0\x0c\x07\x02\4b\0\x0c\x08";
    char twice[2 * sizeof(values)];
    unsigned char blocks[ROOM / 4];
    size_t len = sizeof(values) - 1;
    size_t n = put_block(blocks, 1, values, len);

    memcpy(twice, values, len);
    memcpy(twice + len, values, len);
    n += put_block(blocks + n, 2, twice, 2 * len);
    return committed_blocks(uri, blocks, n, "\x02\x00");
}

/* Scopes that no commit has: the answer is PMIX_ERR_NOT_SUPPORTED. */
bool unknown_scope(const char *uri)
{
    return committed(uri, 0, "", 0, "\x02\x5d") && committed(uri, 4, "", 0, "\x02\x5d") &&
           committed(uri, 8, "", 0, "\x02\x5d") && committed(uri, 9, "", 0, "\x02\x5d") &&
           committed(uri, -1, "", 0, "\x02\x5d");
}

/* Deletions of nothing, of a key that nobody has, of one of the host's, of one without a name, of a
 * value that is one; and of garbage. */
bool odd_deletions(const char *uri)
{
    static const char none[] = "\x02\x08key\0\x00";
    static const char hosts[] = "\x02\x1cpmix.job.size\0\x00";
    static const char valued[] = "\x02\x08key\0\x0c\x07";
    static const char unnamed[] = "\x02\x02\0\x00";
    static const char cut[] = "\x02\x7fkey";
    char garbage[40];

    memset(garbage, 0xff, sizeof(garbage));
    for (char scope = 5; scope <= 7; scope++) {
        if (!committed(uri, scope, "", 0, "\x02\x00") ||
            !committed(uri, scope, none, sizeof(none) - 1, "\x02\x00") ||
            !committed(uri, scope, hosts, sizeof(hosts) - 1, "\x02\x00") ||
            !committed(uri, scope, valued, sizeof(valued) - 1, "\x02\x00") ||
            !committed(uri, scope, unnamed, sizeof(unnamed) - 1, NULL) ||
            !committed(uri, scope, cut, sizeof(cut) - 1, NULL) ||
            !committed(uri, scope, garbage, sizeof(garbage), NULL)) {
            printf("# scope %d\n", scope);
            return false;
        }
    }
    return true;
}
