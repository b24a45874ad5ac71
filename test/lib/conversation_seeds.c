/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writes seeds of the corpora introduction, dispatch, reply and modex: two processes, or a tool,
 * make each call of half_client against the server of half_server, and what travels is written
 * down. Linked with --wrap for sendmsg and recvmsg, which carry the messages.
 * usage: conversation_seeds CORPUS [CALL] */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmix_server.h>

#include "src/base/buf.h"
#include "src/server/collectives/modex_blob.h"
#include "src/client/invitation.h"
#include "src/client/votes.h"
#include "src/request/args.h"
#include "src/request/schema.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"
#include "test/fuzz/half_client.h"
#include "test/fuzz/half_server.h"
#include "test/lib/seeds.h"

/* The rank of a process of the job that is on no node of ours. */
enum { AWAY = 2 };

/* In memory that all processes share. */
struct record *records;
static struct record *mine;

/* --- recording --- */

ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);

static void keep(struct stream *stream, const struct msghdr *msg, ssize_t n)
{
    for (size_t i = 0; n > 0 && i < msg->msg_iovlen; i++) {
        size_t part = (size_t) n < msg->msg_iov[i].iov_len ? (size_t) n : msg->msg_iov[i].iov_len;

        seeds_need(stream->len + part <= SEEDS_MOST_BYTES, "a conversation is too long");
        memcpy(stream->bytes + stream->len, msg->msg_iov[i].iov_base, part);
        stream->len += part;
        n -= (ssize_t) part;
    }
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
    ssize_t n = __real_sendmsg(fd, msg, flags);

    if (mine) {
        keep(&mine->sent, msg, n);
    }
    return n;
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
    ssize_t n = __real_recvmsg(fd, msg, flags);

    if (mine) {
        keep(&mine->received, msg, n);
    }
    return n;
}

/* --- conversations --- */

/* The process waits for its environment, which ends with an empty string. */
static void play(int from, struct record *record, unsigned call, const struct form *form)
{
    bool tool = form->tool;
    char line[4096];
    FILE *file = fdopen(from, "r");
    char *uri = NULL;

    seeds_need(file != NULL, "a pipe");
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        (void) putenv(strdup(line));
    }
    (void) fclose(file);
    if (tool) {
        uri = strdup(getenv("PMIX_SHMIX_URI"));
        (void) unsetenv("PMIX_NAMESPACE");
        (void) unsetenv("PMIX_SHMIX_URI");
    }
    if (form->stock) {
        (void) setenv("PMIX_SERVER_URI61", getenv("PMIX_SHMIX_URI"), 1);
        (void) unsetenv("PMIX_SHMIX_URI");
        (void) unsetenv("PMIX_SHMIX_GDS");
    }
    half_client_mortal();
    mine = record;
    seeds_need(half_client_start(uri), "a process does not start");
    half_client_call(call);
    half_client_stop(tool);
    mine = NULL;
    record->finalized = true;
    free(uri);
    exit(0);
}

/* to: where processes begun before are told; gets that of this one. */
static pid_t begin(unsigned i, unsigned call, const struct form *form, int *to)
{
    int ends[2];
    pid_t pid;

    seeds_need(pipe2(ends, O_CLOEXEC) == 0, "a pipe");
    pid = fork();
    seeds_need(pid >= 0, "a process");
    if (pid == 0) {
        for (unsigned other = 0; other < i; other++) {
            (void) close(to[other]);
        }
        (void) close(ends[1]);
        play(ends[0], &records[i], call, form);
    }
    (void) close(ends[0]);
    to[i] = ends[1];
    return pid;
}

static void tell(int to, unsigned rank, const char *more)
{
    pmix_proc_t proc;
    char **env = NULL;

    PMIX_LOAD_PROCID(&proc, FUZZ_JOB, rank);
    seeds_need(PMIx_server_setup_fork(&proc, &env) == PMIX_SUCCESS, "an environment");
    for (char **at = env; *at; at++) {
        (void) dprintf(to, "%s\n", *at);
    }
    (void) dprintf(to, "%s\n", more);
    (void) close(to);
    PMIx_Argv_free(env);
}

/* The host tells of a process that has ended without a goodbye. */
static void say_ended(unsigned rank)
{
    static pmix_proc_t procs[AWAY + 1];
    static pmix_info_t infos[AWAY + 1][2];
    pmix_info_t *info = infos[rank];
    bool yes = true;

    PMIX_LOAD_PROCID(&procs[rank], FUZZ_JOB, rank);
    PMIX_INFO_LOAD(&info[0], PMIX_EVENT_AFFECTED_PROC, &procs[rank], PMIX_PROC);
    PMIX_INFO_LOAD(&info[1], PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    seeds_host_says(&procs[rank], &(struct px_notify_args){.code = PMIX_ERR_PROC_ABORTED_BY_SIG,
                                                           .range = PMIX_RANGE_GLOBAL,
                                                           .head = {.info = info, .ninfo = 2}});
}

/* The identity of the invitation that a process has received; 0: it has received none. */
static uint64_t identity(const struct record *record)
{
    size_t len = strlen(PX_KEY_INVITATION);
    const unsigned char *at =
        memmem(record->received.bytes, record->received.len, PX_KEY_INVITATION, len);
    uint64_t id = 0;
    pmix_info_t info;

    if (at != NULL) { /* before a name there is a byte with its length */
        struct px_in in = px_in_make(at - 1, len + 32, PX_WIRE_PLAIN);

        if (px_unpack_raw(&in, PMIX_INFO, &info) == 0) {
            id = info.value.data.uint64;
            PMIX_INFO_DESTRUCT(&info);
        }
    }
    return id;
}

/* The host passes on what process AWAY says to process 1 as one that is invited, too: that it wants
 * to lead, and its own invitation. */
static void say_claim(void)
{
    static pmix_proc_t procs[] = {{FUZZ_JOB, 0}, {FUZZ_JOB, 1}, {FUZZ_JOB, AWAY}};
    static pmix_data_array_t range = {.type = PMIX_PROC, .size = 1, .array = &procs[1]};
    static pmix_info_t infos[2][6];
    uint64_t id = identity(&records[1]);
    uint64_t next = id + 1;
    uint32_t vote = PX_CLAIMS;
    bool yes = true;

    for (int i = 0; i < 2; i++) {
        PMIX_INFO_LOAD(&infos[i][0], PMIX_GROUP_ID, "guests", PMIX_STRING);
        PMIX_INFO_LOAD(&infos[i][1], PMIX_EVENT_CUSTOM_RANGE, &range, PMIX_DATA_ARRAY);
        PMIX_INFO_LOAD(&infos[i][2], PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
        PMIX_INFO_LOAD(&infos[i][3], PX_KEY_INVITATION, i ? &next : &id, PMIX_UINT64);
    }
    PMIX_INFO_LOAD(&infos[0][4], PX_KEY_SUCCESSION, &vote, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[0][5], PMIX_EVENT_AFFECTED_PROC, &procs[0], PMIX_PROC);
    PMIX_INFO_LOAD(&infos[1][4], PX_KEY_SUCCEEDS, &id, PMIX_UINT64);
    PMIX_INFO_LOAD(&infos[1][5], PX_KEY_INVITEES, &range, PMIX_DATA_ARRAY);
    for (int i = 0; i < 2; i++) {
        seeds_host_says(&procs[2], &(struct px_notify_args){
                                       .code = i ? PMIX_GROUP_INVITED : PMIX_GROUP_LEADER_FAILED,
                                       .range = PMIX_RANGE_CUSTOM,
                                       .head = {.info = infos[i], .ninfo = 6}});
    }
}

/* The host passes on that process AWAY leads the construct of that group. */
static void say_leader(const char *group)
{
    static pmix_proc_t procs[] = {{FUZZ_JOB, 0}, {FUZZ_JOB, 1}, {FUZZ_JOB, AWAY}};
    static pmix_data_array_t members = {.type = PMIX_PROC, .size = 3, .array = procs};
    pmix_info_t infos[4];
    bool yes = true;

    PMIX_INFO_LOAD(&infos[0], PMIX_GROUP_ID, group, PMIX_STRING);
    PMIX_INFO_LOAD(&infos[1], PMIX_EVENT_CUSTOM_RANGE, &members, PMIX_DATA_ARRAY);
    PMIX_INFO_LOAD(&infos[2], PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[3], PX_KEY_DECIDE, &yes, PMIX_BOOL);
    seeds_host_says(&procs[2], &(struct px_notify_args){.code = PMIX_GROUP_LEADER_SELECTED,
                                                        .range = PMIX_RANGE_CUSTOM,
                                                        .head = {.info = infos, .ninfo = 4}});
    for (int i = 0; i < 4; i++) {
        PMIX_INFO_DESTRUCT(&infos[i]);
    }
}

/* What comes from other nodes when a process has ended. */
static void say_more(unsigned rank, const char *call)
{
    if (strcmp(call, "group-leader-dies") == 0 || strcmp(call, "group-far") == 0) {
        say_leader(rank ? "far" : "led");
        say_ended(AWAY);
    } else if (rank == 0 && strcmp(call, "invite-leads") == 0) {
        say_ended(AWAY);
    } else if (rank == 0 && strcmp(call, "invite-follows") == 0) {
        say_claim();
    }
}

/* A call of which the server takes more than small limits allow. */
static bool is_long(unsigned call)
{
    return strncmp(half_client_name(call), "long-", 5) == 0;
}

static void converse(unsigned call, const struct form *form)
{
    unsigned n = form->tool ? 1 : SEEDS_CLIENTS;
    pid_t pids[SEEDS_CLIENTS];
    int to[SEEDS_CLIENTS];

    for (unsigned i = 0; i < SEEDS_CLIENTS; i++) {
        records[i].sent.len = 0;
        records[i].received.len = 0;
        records[i].finalized = false;
    }
    seeds_forget_said();
    for (unsigned i = 0; i < n; i++) {
        pids[i] = begin(i, call, form, to);
    }
    (void) half_server_start(form->host, DOOR_UNIX | (is_long(call) ? ROOMY : 0) |
                                             (form->launcher ? LAUNCHER : 0));
    for (unsigned i = 0; i < n; i++) {
        tell(to[i], i, form->setting);
    }
    for (unsigned left = n; left > 0;) {
        int status = 0;
        pid_t pid = waitpid(-1, &status, WNOHANG);

        for (unsigned i = 0; pid > 0 && i < n; i++) {
            if (pids[i] == pid) {
                seeds_need(WIFEXITED(status) && WEXITSTATUS(status) == 0, half_client_name(call));
                if (!records[i].finalized) {
                    say_ended(i);
                    say_more(i, half_client_name(call));
                }
                left--;
            }
        }
        PMIx_Progress();
        (void) sched_yield();
    }
    half_server_stop();
}

/* --- the others --- */

static void write_introductions(void)
{
    static const uint8_t forms[] = {0x00, 0x01, 0x02, 0x04, 0x08, 0x0c, 0x10, 0x12, 0x20, 0x22};

    for (size_t i = 0; i < sizeof(forms); i++) {
        struct px_buf buf = {0};
        char name[16];
        FILE *file;

        snprintf(name, sizeof(name), "%02x", forms[i]);
        half_server_hello(forms[i], (uint32_t) i % 3, &buf);
        for (int tcp = 0; tcp < 2; tcp++) { /* as introduction_fuzz.c has it */
            file = seeds_open("introduction", name, tcp ? "tcp" : "");
            (void) fputc(tcp ? 0x80 : 0, file);
            (void) fwrite(buf.data, 1, buf.len, file);
            (void) fclose(file);
        }
        px_buf_fini(&buf);
    }
}

/* Those of other modules, and what else may happen to an introduction (introduction_fuzz.c). */
static void write_courses(void)
{
    static const char *const modules[] = {"none", "munge", "munge,native", "unknown"};

    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        struct px_buf buf = {0};
        FILE *file = seeds_open("introduction", modules[i], "");

        half_server_hello_as(HELLO_OURS, 0, modules[i], &buf);
        (void) fputc(0, file);
        (void) fwrite(buf.data, 1, buf.len, file);
        (void) fclose(file);
        px_buf_fini(&buf);
    }
    for (int course = 1; course < 8; course++) {
        for (int k = 0; k < 8; k++) { /* by TCP, in two parts, a tool */
            struct px_buf buf = {0};
            char name[32];
            FILE *file;

            snprintf(name, sizeof(name), "course%d-%d", course, k);
            file = seeds_open("introduction", name, "");
            half_server_hello(k & 4 ? HELLO_TOOL | HELLO_NAMELESS : HELLO_OURS, 0, &buf);
            (void) fputc((k & 1 ? 0x80 : 0) | (k & 2 ? 1 : 0) | course << 3, file);
            (void) fwrite(buf.data, 1, buf.len, file);
            (void) fclose(file);
            px_buf_fini(&buf);
        }
    }
}

/* What a server of ours, one that lives, one that does not and nobody writes. */
static void write_files(void)
{
    static const char *const texts[] = {
        "server.0;tcp4://127.0.0.1:1\n5.0.0\n1\n0:0\nthen\n",
        "server.0;tcp4://127.0.0.1:1\nv6.1.0\n2147483647\n0:0\nthen\n", "server.0;unix://@none\n",
        ""};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char name[16];
        FILE *file;

        snprintf(name, sizeof(name), "file-%zu", i);
        file = seeds_open("introduction", name, "");
        (void) fputc(0x40, file);
        (void) fprintf(file, "%-16s", "");
        (void) fputs(texts[i], file);
        (void) fclose(file);
    }
}

/* n parts of processes of another node, alike but for a number; the first of them is not among the
 * values of process 2. */
static void write_modex(unsigned n, uint32_t flags)
{
    struct px_modex_blob_head head = {.server_id = 7, .flags = flags};
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) "a value of some length"};
    pmix_value_t number = {.type = PMIX_UINT32};
    struct px_modex_blob blob = {0};
    struct px_buf kvals[4] = {{0}};
    char name[32];
    char *bytes;
    size_t len;
    bool empty;
    FILE *file;

    px_modex_blob_begin(&blob, &head);
    for (unsigned i = 0; i < n && i < 4; i++) {
        struct px_modex_blob_part part = {.nspace = FUZZ_JOB, .rank = 2, .from = i, .to = i + 1};
        struct px_modex_list values = {0};

        number.data.uint32 = i;
        seeds_need(px_pack_kval(&kvals[i], PX_WIRE_PLAIN, "key", &value) == 0, "a value");
        seeds_need(px_pack_kval(&kvals[i], PX_WIRE_PLAIN, "number", &number) == 0, "a number");
        seeds_need(px_modex_list_add(&values, kvals[i].data, kvals[i].len) == 0, "memory");
        px_modex_blob_add_take(&blob, &part, &values);
    }
    seeds_need(px_modex_blob_end(&blob, &bytes, &len, &empty) == 0, "a blob");
    snprintf(name, sizeof(name), "parts%u-%u", n, flags);
    file = seeds_open("modex", name, "");
    (void) fwrite(bytes, 1, len, file);
    (void) fclose(file);
    free(bytes);
    for (unsigned i = 0; i < 4; i++) {
        px_buf_fini(&kvals[i]);
    }
}

static const struct form forms[] = {
    {"", "PMIX_MCA_gds=shmix", HOST_ANSWERS, HELLO_OURS, 0, false, false, false},
    {"messages", "PMIX_MCA_gds=hash", HOST_ANSWERS, HELLO_SPEAKS, 0x20, false, false, false},
    {"stock", "PMIX_MCA_gds=hash", HOST_ANSWERS, 0, 0x04, false, true, false},
    {"described", "PMIX_BFROP_BUFFER_TYPE=PMIX_BFROP_BUFFER_FULLY_DESC", HOST_ANSWERS,
     HELLO_OURS | HELLO_DESCRIBED, 0x02, false, false, false},
    {"lacks", "PMIX_MCA_gds=shmix", HOST_LACKS, HELLO_OURS, 0, false, false, false},
    {"refuses", "PMIX_MCA_gds=hash", HOST_REFUSES, HELLO_SPEAKS, 0x20, false, false, false},
    {"tool", "PMIX_MCA_gds=shmix", HOST_ANSWERS, HELLO_OURS | HELLO_TOOL, 0x01, true, false, false},
    {"tool-messages", "PMIX_MCA_gds=hash", HOST_ANSWERS, HELLO_TOOL, 0x21, true, false, false},
    {"tool-refuses", "PMIX_MCA_gds=shmix", HOST_REFUSES, HELLO_OURS | HELLO_TOOL, 0x01, true, false,
     false},
    {"launcher", "PMIX_MCA_gds=shmix", HOST_ANSWERS, HELLO_OURS | HELLO_TOOL, 0x01, true, false,
     true},
};

int main(int argc, char **argv)
{
    seeds_need(argc == 2 || argc == 3, "usage: conversation_seeds CORPUS [CALL]");
    seeds_corpus = argv[1];
    records = mmap(NULL, SEEDS_CLIENTS * sizeof(*records), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    seeds_need(records != MAP_FAILED, "memory");
    write_introductions();
    write_courses();
    write_files();
    write_modex(0, 1);
    write_modex(1, 0);
    write_modex(3, 0);
    for (unsigned call = 0; call < half_client_calls(); call++) {
        if (argc > 2 && strcmp(argv[2], half_client_name(call)) != 0) {
            continue;
        }
        for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
            converse(call, &forms[i]);
            seeds_write_dispatch(call, &forms[i]);
            seeds_write_reply(call, &forms[i], 0);
            if (i == 0) {
                seeds_write_moves(call);
            }
            if (!forms[i].tool) {
                seeds_write_reply(call, &forms[i], 1);
            }
        }
    }
    return 0;
}
