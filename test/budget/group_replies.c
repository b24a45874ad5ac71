/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A server of N processes that speak to it by bytes, and construct one group of all. growth.sh
 * counts what the server packs for that. usage: group_replies N */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmix_server.h>

#include "test/hostile/speak.h"

enum { TAG = 101, CONSTRUCT = 24, ROOM = 1 << 16 };

static void must(bool held, const char *what)
{
    if (!held) {
        fprintf(stderr, "group_replies: %s\n", what);
        _exit(1);
    }
}

static void start(uint32_t size)
{
    pmix_proc_t proc;
    pmix_info_t info;

    must(PMIx_server_init(NULL, NULL, 0) == PMIX_SUCCESS, "server");
    PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_LOAD_PROCID(&proc, "job", 0);
    must(PMIx_server_register_nspace(proc.nspace, (int) size, &info, 1, NULL, NULL) == PMIX_SUCCESS,
         "job");
    for (proc.rank = 0; proc.rank < size; proc.rank++) {
        must(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL) ==
                 PMIX_SUCCESS,
             "process");
    }
}

/* The contact string of the server's TCP socket. */
static const char *contact(void)
{
    static const char prefix[] = "PMIX_SERVER_URI41=";
    static char uri[256];
    char **env = NULL;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, "job", 0);
    must(PMIx_server_setup_fork(&proc, &env) == PMIX_SUCCESS, "environment");
    for (char **at = env; *at != NULL; at++) {
        if (strncmp(*at, prefix, sizeof(prefix) - 1) == 0) {
            snprintf(uri, sizeof(uri), "%s", *at + sizeof(prefix) - 1);
        }
    }
    PMIX_ARGV_FREE(env);
    return uri;
}

/* A construction of "g" by all processes of the job, without directives. */
static void construct(int fd)
{
    static const unsigned char payload[] = {2,   CONSTRUCT, 2, 4,   'g', 0,   2,   1,  2, 8, 'j',
                                            'o', 'b',       0, 254, 255, 255, 255, 15, 2, 0};
    unsigned char frame[sizeof(payload) + 16];

    send_all(fd, frame, write_frame(frame, TAG, payload, sizeof(payload)));
}

static void expect_members(int fd, uint32_t size)
{
    static unsigned char got[ROOM];
    uint32_t head[4];

    must(receive(fd, head, sizeof(head)) && ntohl(head[2]) <= ROOM, "reply");
    must(receive(fd, got, ntohl(head[2])) && got[1] == 0 && ntohl(head[2]) > 6 * size, "members");
}

int main(int argc, char **argv)
{
    uint32_t size = argc == 2 ? (uint32_t) atoi(argv[1]) : 0;
    int *fds = calloc(size + 1, sizeof(*fds));
    const char *uri;

    alarm(90);
    start(size);
    uri = contact();
    nspace = "job";
    for (rank = 0; rank < size; rank++) {
        fds[rank] = admitted(uri);
        must(fds[rank] >= 0, "connection");
        construct(fds[rank]);
    }
    for (uint32_t i = 0; i < size; i++) {
        expect_members(fds[i], size);
        close(fds[i]);
    }
    free(fds);
    return PMIx_server_finalize() == PMIX_SUCCESS ? 0 : 1;
}
