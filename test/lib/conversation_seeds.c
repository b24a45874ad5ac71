/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writes seeds of the corpora introduction, dispatch, reply and modex: two processes, or a tool,
 * make each call of half_client against the server of half_server, and what travels is written
 * down. Linked with --wrap for sendmsg and recvmsg, which carry the messages.
 * usage: conversation_seeds CORPUS [CALL] */
#include <arpa/inet.h>
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
#include "src/wire/messages.h"
#include "test/fuzz/half_client.h"
#include "test/fuzz/half_server.h"

enum {
    MOST_BYTES = 1 << 16,
    MOST_PAYLOAD = 4096,
    MOST_FRAMES = 64,
    HEADER_BYTES = 16,
    CLIENTS = 2
};

/* One direction of a process's connection. */
struct stream {
    size_t len;
    unsigned char bytes[MOST_BYTES];
};

/* What a process has sent and received; in memory that all processes share. */
struct record {
    struct stream sent;
    struct stream received;
};

static struct record *records;
static struct record *mine;
static const char *corpus;

static void need(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "conversation_seeds: %s\n", what);
        exit(1);
    }
}

/* --- recording --- */

ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);

static void keep(struct stream *stream, const struct msghdr *msg, ssize_t n)
{
    for (size_t i = 0; n > 0 && i < msg->msg_iovlen; i++) {
        size_t part = (size_t) n < msg->msg_iov[i].iov_len ? (size_t) n : msg->msg_iov[i].iov_len;

        need(stream->len + part <= MOST_BYTES, "a conversation is too long");
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

/* --- writing --- */

static FILE *seed(const char *target, const char *name, const char *form)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s/%s%s%s", corpus, target, name, form[0] ? "-" : "", form);
    file = fopen(path, "wb");
    need(file != NULL, path);
    return file;
}

struct frame {
    uint32_t tag;
    size_t len;
    const unsigned char *payload;
};

/* The messages of a stream, at most MOST_FRAMES; returns how many. */
static size_t split(const struct stream *stream, struct frame *frames)
{
    size_t at = 0;
    size_t n = 0;

    while (n < MOST_FRAMES && at + HEADER_BYTES <= stream->len) {
        uint32_t words[4];

        memcpy(words, stream->bytes + at, sizeof(words));
        frames[n] =
            (struct frame){ntohl(words[1]), ntohl(words[2]), stream->bytes + at + HEADER_BYTES};
        at += HEADER_BYTES + frames[n].len;
        n += at <= stream->len ? 1 : 0;
    }
    return n;
}

static void put_step(FILE *file, int who, const struct frame *frame)
{
    size_t len = frame->len < MOST_PAYLOAD ? frame->len : MOST_PAYLOAD;

    (void) fputc(who, file);
    (void) fputc((int) (frame->tag & 0xff), file);
    (void) fputc((int) (len & 0xff), file);
    (void) fputc((int) (len >> 8), file);
    (void) fwrite(frame->payload, 1, len, file);
}

/* What the processes have sent, in turns. */
static void write_dispatch(unsigned call, const char *form, uint8_t bits, bool tool)
{
    FILE *file = seed("dispatch", half_client_name(call), form);
    struct frame frames[CLIENTS][MOST_FRAMES];
    size_t n[CLIENTS] = {0, 0};

    for (int i = 0; i < (tool ? 1 : CLIENTS); i++) {
        n[i] = split(&records[i].sent, frames[i]);
    }
    (void) fputc(HOST_ANSWERS, file);
    for (int i = 0; i < 3; i++) {
        (void) fputc(bits, file);
    }
    for (size_t at = 0; at < n[0] || at < n[1]; at++) {
        for (int i = 0; i < CLIENTS; i++) {
            if (at < n[i]) {
                put_step(file, tool ? 2 : i, &frames[i][at]);
            }
        }
    }
    (void) fclose(file);
}

/* What the first has received. */
static void write_reply(unsigned call, const char *form, uint8_t bits)
{
    FILE *file = seed("reply", half_client_name(call), form);
    struct frame frames[MOST_FRAMES];
    size_t n = split(&records[0].received, frames);

    (void) fputc(bits, file);
    (void) fputc(1, file);
    (void) fputc((int) call, file);
    for (size_t i = 0; i < n; i++) {
        put_step(file, frames[i].tag < 100 ? 0x80 : 0, &frames[i]);
    }
    (void) fclose(file);
}

/* --- conversations --- */

/* The process waits for its environment, which ends with an empty string. */
static void play(int from, struct record *record, unsigned call, bool tool)
{
    char line[4096];
    FILE *file = fdopen(from, "r");
    char *uri = NULL;

    need(file != NULL, "a pipe");
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
    mine = record;
    need(half_client_start(uri), "a process does not start");
    half_client_call(call);
    half_client_stop(tool);
    mine = NULL;
    free(uri);
    exit(0);
}

/* to: where processes begun before are told; gets that of this one. */
static pid_t begin(unsigned i, unsigned call, bool tool, int *to)
{
    int ends[2];
    pid_t pid;

    need(pipe2(ends, O_CLOEXEC) == 0, "a pipe");
    pid = fork();
    need(pid >= 0, "a process");
    if (pid == 0) {
        for (unsigned other = 0; other < i; other++) {
            (void) close(to[other]);
        }
        (void) close(ends[1]);
        play(ends[0], &records[i], call, tool);
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
    need(PMIx_server_setup_fork(&proc, &env) == PMIX_SUCCESS, "an environment");
    for (char **at = env; *at; at++) {
        (void) dprintf(to, "%s\n", *at);
    }
    (void) dprintf(to, "%s\n", more);
    (void) close(to);
    PMIx_Argv_free(env);
}

static void converse(unsigned call, const char *more, bool tool)
{
    unsigned n = tool ? 1 : CLIENTS;
    pid_t pids[CLIENTS];
    int to[CLIENTS];

    memset(records, 0, CLIENTS * sizeof(*records));
    for (unsigned i = 0; i < n; i++) {
        pids[i] = begin(i, call, tool, to);
    }
    half_server_start(HOST_ANSWERS, true);
    for (unsigned i = 0; i < n; i++) {
        tell(to[i], i, more);
    }
    for (unsigned i = 0; i < n; i++) {
        int status = 0;

        while (waitpid(pids[i], &status, WNOHANG) == 0) {
            PMIx_Progress();
            (void) sched_yield();
        }
        need(WIFEXITED(status) && WEXITSTATUS(status) == 0, half_client_name(call));
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
        file = seed("introduction", name, "");
        half_server_hello(forms[i], (uint32_t) i, &buf);
        (void) fputc(0, file);
        (void) fwrite(buf.data, 1, buf.len, file);
        (void) fclose(file);
        px_buf_fini(&buf);
    }
}

/* n parts of process 2, which is of another node. */
static void write_modex(unsigned n, uint32_t flags)
{
    struct px_modex_blob_head head = {.server_id = 7, .flags = flags};
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) "value"};
    struct px_buf blob = {0};
    struct px_buf kvals = {0};
    char name[32];
    size_t mark;
    FILE *file;

    need(px_pack_kval(&kvals, PX_WIRE_PLAIN, "key", &value) == 0, "a value");
    px_modex_blob_begin(&blob, &head, &mark);
    for (unsigned i = 0; i < n; i++) {
        struct px_modex_blob_part part = {.nspace = FUZZ_JOB, .rank = 2, .from = i, .to = i + 1};

        need(px_modex_blob_add(&blob, &part, kvals.len) == 0, "a part");
        px_buf_append(&blob, kvals.data, kvals.len);
    }
    px_modex_blob_end(&blob, mark);
    snprintf(name, sizeof(name), "parts%u-%u", n, flags);
    file = seed("modex", name, "");
    (void) fwrite(blob.data, 1, blob.len, file);
    (void) fclose(file);
    px_buf_fini(&blob);
    px_buf_fini(&kvals);
}

int main(int argc, char **argv)
{
    need(argc == 2 || argc == 3, "usage: conversation_seeds CORPUS [CALL]");
    corpus = argv[1];
    records = mmap(NULL, CLIENTS * sizeof(*records), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(records != MAP_FAILED, "memory");
    write_introductions();
    write_modex(0, 1);
    write_modex(1, 0);
    write_modex(3, 0);
    for (unsigned call = 0; call < half_client_calls(); call++) {
        if (argc > 2 && strcmp(argv[2], half_client_name(call)) != 0) {
            continue;
        }
        converse(call, "PMIX_MCA_gds=shmix", false);
        write_dispatch(call, "", HELLO_OURS, false);
        converse(call, "PMIX_MCA_gds=hash", false);
        write_reply(call, "", 0x04);
        converse(call, "PMIX_BFROP_BUFFER_TYPE=PMIX_BFROP_BUFFER_FULLY_DESC", false);
        write_dispatch(call, "described", HELLO_OURS | HELLO_DESCRIBED, false);
        write_reply(call, "described", 0x02);
        converse(call, "PMIX_MCA_gds=hash", true);
        write_dispatch(call, "tool", HELLO_TOOL, true);
        write_reply(call, "tool", 0x01);
    }
    return 0;
}
