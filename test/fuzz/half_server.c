/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "half_server.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pmix_tool.h>

#include "fuzz.h"
#include "fuzz_clock.h"
#include "src/context/context.h"
#include "src/host/host.h"
#include "src/net/handshake.h"
#include "src/net/pending_conn.h"
#include "src/net/uri.h"
#include "src/server/state.h"
#include "src/wire/message.h"

/* Rounds of the loop behind each step: a message, a task that it posts, the answer. */
enum { ROUNDS = 4 };

/* How often what a peer is sent is read behind a message; a socket takes some KiB at once. */
enum { READS = 32 };

/* Of a group, in its host's answer. */
enum { MOST_INFOS = 32 };

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

/* Of a question for processes or nodes, some; else the qualifiers. */
static pmix_status_t give_results(struct upcall *upcall)
{
    pmix_proc_t procs[] = {{FUZZ_JOB, 0}, {FUZZ_JOB, 1}};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = procs};
    const char *key = upcall->n_queries && upcall->queries->keys ? *upcall->queries->keys : NULL;
    pmix_info_t info;

    if (key && strcmp(key, PMIX_QUERY_RESOLVE_PEERS) == 0) {
        PMIX_INFO_LOAD(&info, key, &array, PMIX_DATA_ARRAY);
    } else if (key && strcmp(key, PMIX_QUERY_RESOLVE_NODE) == 0) {
        PMIX_INFO_LOAD(&info, key, "elsewhere", PMIX_STRING);
    } else {
        return give_infos(upcall);
    }
    px_host_reply_infos(upcall, PMIX_SUCCESS, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return PMIX_SUCCESS;
}

/* What the members give, and a context id. */
static pmix_status_t give_group(struct upcall *upcall)
{
    pmix_info_t infos[MOST_INFOS];
    size_t n = upcall->n_infos < MOST_INFOS - 1 ? upcall->n_infos : MOST_INFOS - 1;
    size_t id = 7;

    if (n > 0) {
        memcpy(infos, upcall->infos, n * sizeof(*infos));
    }
    PMIX_INFO_LOAD(&infos[n], PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    px_host_reply_infos(upcall, PMIX_SUCCESS, infos, n + 1);
    return PMIX_SUCCESS;
}

static pmix_status_t give_job(struct upcall *upcall)
{
    upcall->reply.spawn(PMIX_SUCCESS, (char *) FUZZ_JOB, upcall->cbdata);
    return PMIX_SUCCESS;
}

static void ignore(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

/* With the subscription goes some output, and its end. */
static pmix_status_t give_output(struct upcall *upcall)
{
    static pmix_byte_object_t pieces[] = {{(char *) "line\n", 5}, {NULL, 0}};
    static pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, FUZZ_JOB, 0);
    px_host_reply_status(upcall, PMIX_SUCCESS);
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        (void) PMIx_server_IOF_deliver(&proc, PMIX_FWD_STDOUT_CHANNEL, &pieces[i], NULL, 0, ignore,
                                       NULL);
    }
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
        [ON_QUERY] = {OWN, .own = give_results},
        [ON_ALLOCATE] = {OWN, .own = give_infos},
        [ON_CONTROL] = {OWN, .own = give_infos},
        [ON_MONITOR] = {OWN, .own = give_infos},
        [ON_GROUP] = {OWN, .own = give_group},
        [ON_PULL] = {OWN, .own = give_output},
        [ON_FABRIC] = {OWN, .own = give_infos},
    };

    for (enum entry entry = 0; entry < N_ENTRIES; entry++) {
        answers[entry] = host == HOST_ANSWERS && own[entry].how
                             ? own[entry]
                             : (struct answer){.how = hows[host]};
        answers[entry].status = host == HOST_REFUSES ? PMIX_ERR_NOT_AVAILABLE : PMIX_SUCCESS;
    }
    if (host == HOST_REFUSES) { /* for ever */
        answers[ON_QUERY].status = PMIX_ERR_NOT_SUPPORTED;
    }
    answers[ON_CONNECTED] = (struct answer){INSIDE, .status = PMIX_SUCCESS};
    answers[ON_TOOL] = host == HOST_LACKS ? answers[ON_TOOL] : answers[ON_CONNECTED];
}

void half_server_shut(void)
{
    answers[ON_CONNECTED] = (struct answer){.how = NEVER};
    answers[ON_TOOL] = answers[ON_CONNECTED];
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

enum { LOCAL = 2 };

void half_server_job_infos(uint32_t size, pmix_info_t *info)
{
    uint32_t local = LOCAL;
    char host[256] = "";
    char list[300];
    char *nodes;
    char *ranks;

    (void) gethostname(host, sizeof(host) - 1);
    snprintf(list, sizeof(list), "%s%s", host, size > local ? ",elsewhere" : "");
    require(PMIx_generate_regex(list, &nodes) == 0, "the nodes");
    require(PMIx_generate_ppn(size > local ? "0,1;2" : "0,1", &ranks) == 0, "the ranks");
    PMIX_INFO_LOAD(&info[0], PMIX_NODE_MAP, nodes, PMIX_REGEX);
    PMIX_INFO_LOAD(&info[1], PMIX_PROC_MAP, ranks, PMIX_REGEX);
    PMIX_INFO_LOAD(&info[2], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[3], PMIX_LOCAL_SIZE, &local, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[4], PMIX_LOCAL_PEERS, "0,1", PMIX_STRING);
    free(nodes);
    free(ranks);
}

static void add_job(const char *name, uint32_t size)
{
    pmix_info_t info[HALF_JOB_INFOS];
    pmix_proc_t proc;

    half_server_job_infos(size, info);
    PMIX_LOAD_PROCID(&proc, name, 0);
    require(
        is_done(PMIx_server_register_nspace(proc.nspace, LOCAL, info, HALF_JOB_INFOS, NULL, NULL)),
        "its job");
    for (size_t i = 0; i < HALF_JOB_INFOS; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
    for (proc.rank = 0; proc.rank < LOCAL; proc.rank++) {
        require(is_done(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL)),
                "its processes");
    }
}

/* Quotas and queues that a short input can fill. */
static const char *const limits[][2] = {
    {"PMIX_MCA_shmix_send_queue_size", "65536"}, {"PMIX_MCA_shmix_peer_requests", "524288"},
    {"PMIX_MCA_shmix_rank_posted", "32768"},     {"PMIX_MCA_shmix_user_groups", "4194304"},
    {"PMIX_MCA_shmix_max_codes", "64"},          {"PMIX_MCA_shmix_max_directives", "32"},
    {"PMIX_MCA_pmix_max_events", "8"},           {"PMIX_MCA_shmix_event_bytes", "4096"},
    {"PMIX_MCA_shmix_group_names", "4"},         {"PMIX_MCA_shmix_group_infos", "4"},
    {"PMIX_MCA_shmix_small_request", "16384"},   {"PMIX_MCA_shmix_segment_dead", "4096"},
};

static char folder[128];

static void remove_folder(void)
{
    (void) rmdir(folder);
}

const char *half_server_folder(void)
{
    if (!folder[0]) {
        const char *below = getenv("TMPDIR");
        int n = snprintf(folder, sizeof(folder), "%s/shmix-fuzz.XXXXXX", below ? below : "/tmp");

        require(n > 0 && (size_t) n < sizeof(folder) && mkdtemp(folder) != NULL &&
                    atexit(remove_folder) == 0,
                "a folder");
    }
    return folder;
}

static bool is_launcher;

/* Its jobs are called "launcher.1" and so on. */
static void start_launcher(void)
{
    pmix_info_t infos[7];
    pmix_proc_t self;
    pmix_rank_t rank = 0;
    bool yes = true;

    PMIX_INFO_LOAD(&infos[0], PMIX_EXTERNAL_PROGRESS, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[1], PMIX_LAUNCHER, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[2], PMIX_TOOL_DO_NOT_CONNECT, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[3], PMIX_TOOL_NSPACE, "launcher", PMIX_STRING);
    PMIX_INFO_LOAD(&infos[4], PMIX_TOOL_RANK, &rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&infos[5], PMIX_SERVER_TMPDIR, half_server_folder(), PMIX_STRING);
    PMIX_INFO_LOAD(&infos[6], PMIX_SYSTEM_TMPDIR, half_server_folder(), PMIX_STRING);
    require(PMIx_tool_init(&self, infos, 7) == 0, "start as a launcher");
    for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
        PMIX_INFO_DESTRUCT(&infos[i]);
    }
}

/* False: as half_server_start. */
static bool start_server(unsigned doors)
{
    pmix_info_t infos[5];
    bool yes = true;

    PMIX_INFO_LOAD(&infos[0], PMIX_EXTERNAL_PROGRESS, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[1], PMIX_SERVER_TOOL_SUPPORT, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[2], PMIX_SERVER_SYSTEM_SUPPORT, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[3], PMIX_SYSTEM_TMPDIR, half_server_folder(), PMIX_STRING);
    PMIX_INFO_LOAD(&infos[4], PMIX_SERVER_TMPDIR, half_server_folder(), PMIX_STRING);
    require(PMIx_server_init(px_host_module(&the_host), infos, doors & WITH_FILES ? 5 : 1) == 0 ||
                doors & WITH_FILES,
            "start");
    for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
        PMIX_INFO_DESTRUCT(&infos[i]);
    }
    return PMIx_Initialized();
}

bool half_server_start(enum half_server_host host, unsigned doors)
{
    pmix_proc_t members[2];

    fuzz_clock_reset();
    (void) half_server_folder(); /* in the TMPDIR of before */
    fuzz_environment();
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        (void) (doors & ROOMY ? unsetenv(limits[i][0]) : setenv(limits[i][0], limits[i][1], 1));
    }
    (void) setenv("PMIX_MCA_shmix_door_unix", doors & DOOR_UNIX ? "1" : "0", 1);
    (void) setenv("PMIX_MCA_shmix_door_tcp", doors & DOOR_TCP ? "1" : "0", 1);
    set_host(host);
    half_server_modex(NULL, 0);
    is_launcher = doors & LAUNCHER;
    if (is_launcher) {
        start_launcher();
    } else if (!start_server(doors)) {
        return false;
    }
    server()->tools = true;
    add_job(FUZZ_JOB, 3);
    add_job(FUZZ_OTHER, 2);
    PMIX_LOAD_PROCID(&members[0], FUZZ_JOB, 0);
    PMIX_LOAD_PROCID(&members[1], FUZZ_OTHER, 1);
    require(PMIx_server_define_process_set(members, 2, "set") == 0, "its process set");
    return true;
}

void half_server_settle(void)
{
    px_host_settle();
    half_server_run();
}

void half_server_stop(void)
{
    half_server_run();
    half_server_settle();
    require((is_launcher ? PMIx_tool_finalize() : PMIx_server_finalize()) == 0, "end");
    px_host_forget_names(FUZZ_JOB);
    px_host_forget_names(FUZZ_OTHER);
}

void half_server_modex(const void *bytes, size_t len)
{
    modex.bytes = bytes;
    modex.len = len;
}

/* --- connections --- */

static void arrive(void *arg)
{
    px_pending_conn_arrived_loop(server()->listeners, *(int *) arg, getuid(), true);
}

/* The server's end takes little, so that long replies have to wait in its queue. */
int half_server_dial(void)
{
    int ends[2];
    int small = 1;

    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0,
            "a socket");
    (void) setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    require(px_loop_run(px_ctx()->loop, arrive, &ends[0]) == 0, "a connection");
    return ends[1];
}

int half_server_socket_tcp(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    require(fd >= 0, "a socket");
    return fd;
}

/* The environment of a client has the address. A few rounds more: the server asks the kernel whose
 * connection it is. */
void half_server_connect_tcp(int fd)
{
    const char *uri = NULL;
    struct px_address to;
    pmix_proc_t proc;
    char **env = NULL;

    PMIX_LOAD_PROCID(&proc, FUZZ_JOB, 0);
    require(PMIx_server_setup_fork(&proc, &env) == 0, "an environment");
    for (char **at = env; *at; at++) {
        uri = strncmp(*at, "PMIX_SERVER_URI61=", 18) == 0 ? *at + 18 : uri;
    }
    require(uri && px_uri_parse(uri, &proc, &to) == 0 && connect(fd, &to.addr.any, to.len) == 0,
            "a TCP connection");
    PMIx_Argv_free(env);
    half_server_run();
}

int half_server_dial_tcp(void)
{
    int fd = half_server_socket_tcp();

    half_server_connect_tcp(fd);
    return fd;
}

/* Descriptors that come along are closed by the kernel. */
static bool read_all(int fd)
{
    char bytes[65536];
    bool some = false;

    while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
        some = true;
    }
    return some;
}

void half_server_read(int fd)
{
    for (int i = 0; i < READS && read_all(fd); i++) {
        half_server_run();
    }
}

static void send_header(int fd, int tag, size_t len)
{
    uint32_t header[4] = {0, htonl((uint32_t) tag), htonl((uint32_t) len), 0};

    (void) !send(fd, header, sizeof(header), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void half_server_write(int fd, int tag, const void *bytes, size_t len)
{
    if (tag >= 0) {
        send_header(fd, tag, len);
    }
    (void) !send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    half_server_run();
}

/* As much as the socket takes until the server reads no more. */
static void write_all(int fd, const uint8_t *bytes, size_t len)
{
    for (int i = 0; i < READS && len > 0; i++) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

        bytes += n > 0 ? n : 0;
        len -= n > 0 ? (size_t) n : 0;
        half_server_run();
    }
}

void half_server_write_long(int fd, int tag, const struct half_long *message)
{
    size_t before = message->len - message->n_behind;
    size_t len = message->len + message->n_again * message->times;
    uint8_t *bytes = malloc(len + 1);
    uint8_t *at = bytes + before;

    require(bytes != NULL, "memory");
    memcpy(bytes, message->bytes, before);
    for (size_t i = 0; i < message->times; i++, at += message->n_again) {
        memcpy(at, message->bytes + before - message->n_again, message->n_again);
    }
    memcpy(at, message->bytes + before, message->n_behind);
    send_header(fd, tag, len);
    write_all(fd, bytes, len);
    free(bytes);
}

void half_server_send(int fd, const void *bytes, size_t len)
{
    half_server_write(fd, -1, bytes, len);
    half_server_read(fd);
}

void half_server_hello(uint8_t bits, uint32_t rank, struct px_buf *buf)
{
    half_server_hello_as(bits, rank, "native", buf);
}

void half_server_hello_as(uint8_t bits, uint32_t rank, const char *psec, struct px_buf *buf)
{
    static const char *const releases[] = {"5.0.0", "4.2.0", "6.1.0", "5.0.3"};
    static const char *const modules[] = {"v41", "v4", "v61", "v51"};
    struct px_handshake hello = {.flag = PX_HANDSHAKE_CLIENT};
    uint32_t claim[2] = {geteuid(), getegid()};
    unsigned release = bits >> 2 & 3;

    snprintf(hello.psec, sizeof(hello.psec), "%s", psec);
    hello.cred = claim;
    hello.cred_len = sizeof(claim);
    hello.uid = claim[0];
    hello.gid = claim[1];
    hello.kind = bits & HELLO_DESCRIBED ? PX_WIRE_DESCRIBED : PX_WIRE_PLAIN;
    PMIX_LOAD_PROCID(&hello.proc, bits & HELLO_OTHER ? FUZZ_OTHER : FUZZ_JOB, rank);
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
             bits & HELLO_OURS     ? PX_GDS_SHARED "," PX_GDS_MESSAGES
             : bits & HELLO_SPEAKS ? PX_GDS_MESSAGES "," PX_GDS_OURS
                                   : PX_GDS_MESSAGES);
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
