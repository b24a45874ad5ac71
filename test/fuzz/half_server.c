/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "half_server.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "src/context/context.h"
#include "src/host/host.h"
#include "src/net/handshake.h"
#include "src/net/pending_conn.h"
#include "src/server/state.h"
#include "src/wire/message.h"

/* Rounds of the loop behind each step: a message, a task that it posts, the answer. */
enum { ROUNDS = 4 };

static struct {
    const void *bytes;
    size_t len;
} modex;

/* --- the host --- */

static pmix_status_t give_modex(struct upcall *upcall)
{
    px_host_reply_bytes(upcall, PMIX_SUCCESS, modex.bytes, modex.len);
    return PMIX_SUCCESS;
}

static pmix_status_t give_fence(struct upcall *upcall)
{
    if (!modex.bytes) {
        return px_host_fence_alone(upcall);
    }
    if (upcall->host->frees_data) {
        upcall->data_taken = true;
        free((char *) (uintptr_t) upcall->data);
    }
    return give_modex(upcall);
}

static pmix_status_t give_infos(struct upcall *upcall)
{
    px_host_reply_infos(upcall, PMIX_SUCCESS, upcall->infos, upcall->n_infos);
    return PMIX_SUCCESS;
}

static pmix_status_t give_job(struct upcall *upcall)
{
    upcall->reply.spawn(PMIX_SUCCESS, (char *) FUZZ_JOB, upcall->cbdata);
    return PMIX_SUCCESS;
}

static struct answer answers[N_ENTRIES];
static const struct px_host the_host = {.answers = answers, .frees_data = true};

static void set_host(enum half_server_host host)
{
    static const enum how hows[N_HOSTS] = {INSIDE, INSIDE, NEVER, BY_DEFAULT};
    static const struct answer own[N_ENTRIES] = {
        [ON_FENCE] = {OWN, .own = give_fence},
        [ON_MODEX] = {OWN, .own = give_modex},
        [ON_PUBLISH] = {OWN, .own = px_host_publish},
        [ON_LOOKUP] = {OWN, .own = px_host_lookup},
        [ON_UNPUBLISH] = {OWN, .own = px_host_unpublish},
        [ON_SPAWN] = {OWN, .own = give_job},
        [ON_QUERY] = {OWN, .own = give_infos},
        [ON_ALLOCATE] = {OWN, .own = give_infos},
        [ON_CONTROL] = {OWN, .own = give_infos},
        [ON_MONITOR] = {OWN, .own = give_infos},
        [ON_GROUP] = {OWN, .own = give_infos},
        [ON_FABRIC] = {OWN, .own = give_infos},
    };

    for (enum entry entry = 0; entry < N_ENTRIES; entry++) {
        answers[entry] = host == HOST_ANSWERS && own[entry].how
                             ? own[entry]
                             : (struct answer){.how = hows[host]};
        answers[entry].status = host == HOST_REFUSES ? PMIX_ERR_NOT_AVAILABLE : PMIX_SUCCESS;
    }
    answers[ON_CONNECTED] = (struct answer){INSIDE, .status = PMIX_SUCCESS};
    answers[ON_TOOL] = host == HOST_LACKS ? answers[ON_TOOL] : answers[ON_CONNECTED];
}

/* --- the server --- */

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "the server half: %s\n", what);
        abort();
    }
}

static bool is_done(pmix_status_t status)
{
    return status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED;
}

static struct px_server *server(void)
{
    return px_ctx()->server;
}

void half_server_run(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        PMIx_Progress();
    }
}

static void add_job(void)
{
    char *nodes;
    char *ranks;
    char host[256] = "";
    char list[300];
    pmix_info_t info[5];
    pmix_proc_t proc;
    uint32_t size = 3;
    uint32_t local = 2;

    (void) gethostname(host, sizeof(host) - 1);
    snprintf(list, sizeof(list), "%s,elsewhere", host);
    require(PMIx_generate_regex(list, &nodes) == 0, "the nodes");
    require(PMIx_generate_ppn("0,1;2", &ranks) == 0, "the ranks");
    PMIX_INFO_LOAD(&info[0], PMIX_NODE_MAP, nodes, PMIX_REGEX);
    PMIX_INFO_LOAD(&info[1], PMIX_PROC_MAP, ranks, PMIX_REGEX);
    PMIX_INFO_LOAD(&info[2], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[3], PMIX_LOCAL_SIZE, &local, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[4], PMIX_LOCAL_PEERS, "0,1", PMIX_STRING);
    PMIX_LOAD_PROCID(&proc, FUZZ_JOB, 0);
    require(is_done(PMIx_server_register_nspace(proc.nspace, 2, info, 5, NULL, NULL)), "its job");
    for (size_t i = 0; i < 5; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
    free(nodes);
    free(ranks);
    for (proc.rank = 0; proc.rank < local; proc.rank++) {
        require(is_done(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL)),
                "its processes");
    }
}

void half_server_start(enum half_server_host host, bool doors)
{
    pmix_info_t external;

    fuzz_environment();
    (void) setenv("PMIX_MCA_shmix_door_unix", doors ? "1" : "0", 1);
    (void) setenv("PMIX_MCA_shmix_door_tcp", "0", 1);
    set_host(host);
    half_server_modex(NULL, 0);
    PMIX_INFO_LOAD(&external, PMIX_EXTERNAL_PROGRESS, NULL, PMIX_BOOL);
    require(PMIx_server_init(px_host_module(&the_host), &external, 1) == 0, "start");
    PMIX_INFO_DESTRUCT(&external);
    server()->tools = true;
    add_job();
}

void half_server_stop(void)
{
    half_server_run();
    px_host_settle();
    half_server_run();
    require(PMIx_server_finalize() == 0, "end");
    px_host_forget_names(FUZZ_JOB);
}

void half_server_modex(const void *bytes, size_t len)
{
    modex.bytes = bytes;
    modex.len = len;
}

/* --- connections --- */

static void arrive(void *arg)
{
    px_pending_conn_arrived_loop(server()->listeners, *(int *) arg);
}

int half_server_dial(void)
{
    int ends[2];

    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0,
            "a socket");
    require(px_loop_run(px_ctx()->loop, arrive, &ends[0]) == 0, "a connection");
    return ends[1];
}

/* Descriptors that come along are closed by the kernel. */
static void read_all(int fd)
{
    char bytes[65536];

    while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
    }
}

void half_server_send(int fd, const void *bytes, size_t len)
{
    (void) !send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    half_server_run();
    read_all(fd);
}

void half_server_message(int fd, uint32_t tag, const void *payload, size_t len)
{
    uint32_t header[4] = {0, htonl(tag), htonl((uint32_t) len), 0};

    (void) !send(fd, header, sizeof(header), MSG_NOSIGNAL | MSG_DONTWAIT);
    half_server_send(fd, payload, len);
}

void half_server_hello(uint8_t bits, uint32_t rank, struct px_buf *buf)
{
    static const char *const releases[] = {"5.0.0", "4.2.0", "6.1.0", "5.0.3"};
    static const char *const modules[] = {"v41", "v4", "v61", "v51"};
    struct px_handshake hello = {.psec = "native", .flag = PX_HANDSHAKE_CLIENT};
    uint32_t claim[2] = {geteuid(), getegid()};
    unsigned release = bits >> 2 & 3;

    hello.cred = claim;
    hello.cred_len = sizeof(claim);
    hello.uid = claim[0];
    hello.gid = claim[1];
    hello.kind = bits & HELLO_DESCRIBED ? PX_WIRE_DESCRIBED : PX_WIRE_PLAIN;
    PMIX_LOAD_PROCID(&hello.proc, FUZZ_JOB, rank);
    if (bits & HELLO_TOOL) {
        hello.flag = PX_HANDSHAKE_TOOL;
        PMIX_LOAD_PROCID(&hello.proc, "tool", 0);
    }
    if (bits & HELLO_NAMELESS) {
        hello.flag = PX_HANDSHAKE_TOOL_NEEDS_ID;
    }
    snprintf(hello.version, sizeof(hello.version), "%s", releases[release]);
    snprintf(hello.bfrops, sizeof(hello.bfrops), "%s", modules[release]);
    snprintf(hello.gds, sizeof(hello.gds), "%s",
             bits & HELLO_OURS ? PX_GDS_SHARED "," PX_GDS_MESSAGES : PX_GDS_MESSAGES);
    require(px_handshake_pack(&hello, buf) == 0, "an introduction");
}

int half_server_introduce(uint8_t bits, uint32_t rank)
{
    struct px_buf buf = {0};
    int fd = half_server_dial();

    half_server_hello(bits, rank, &buf);
    half_server_send(fd, buf.data, buf.len);
    px_buf_fini(&buf);
    return fd;
}
