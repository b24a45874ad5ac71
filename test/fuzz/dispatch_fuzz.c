/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The server against what admitted peers may send. Byte 0 chooses the host, and with
 * 0x80 the server's limits are its usual ones, with 0x40 it is a launcher's that is its own host,
 * bytes 1 to 3 the introductions of process 0, of process 1 and of a tool; then steps: `who` is one
 * of these three (0, 1, 2), the host (3), a process of another job (4), or a clone of process 0
 * (5); the last two are introduced as process 0 is when they come first. With 0x80 the bytes are
 * sent without a frame, with 0x40 the peer is gone after them, with 0x20 it does not read the
 * replies until it sends again, with 0x10 the message is longer than its bytes (long_message);
 * `what` is the tag of a message, or what the host does. */
#include <unistd.h>

#include <pmix_server.h>

#include "fuzz.h"
#include "fuzz_clock.h"
#include "half_server.h"
#include "started.h"
#include "src/request/args.h"
#include "src/request/schema.h"
#include "src/wire/unpack.h"

enum { N_FIRST = 3, HOST = 3, OTHER = 4, CLONE = 5, N_PEERS };
enum { UNBORN = -2 };
enum { RAW = 0x80, GONE = 0x40, DEAF = 0x20, LONG = 0x10, WHO = 0x07 };

/* Of byte 0. */
enum { LIMITLESS = 0x80, OF_LAUNCHER = 0x40 };

/* In place of a rank. */
enum { ALL = 15 };

/* Of a long message. */
enum { LONG_HEAD = 6, LONGEST = 4 << 20 };

enum { CLIENT_BITS = HELLO_DESCRIBED | HELLO_OURS | HELLO_SPEAKS | HELLO_RELEASE };

/* How often the host does what shall fill a queue. */
enum { FLOOD = 8 };

static int peers[N_PEERS];
static uint8_t client_bits; /* of process 0 */

static void ignore_op(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

static void ignore_data(pmix_status_t status, char *data, size_t n, void *cbdata)
{
    (void) status;
    (void) data;
    (void) n;
    (void) cbdata;
}

/* Events and output, with these bytes. */
static void flood(const pmix_proc_t *proc, pmix_byte_object_t *bytes)
{
    pmix_info_t info = {.value = {.type = PMIX_BYTE_OBJECT, .data.bo = *bytes}};

    PMIX_LOAD_KEY(info.key, "bytes");
    for (int i = 0; i < FLOOD; i++) {
        (void) PMIx_Notify_event(-3000, proc, PMIX_RANGE_SESSION, &info, 1, ignore_op, NULL);
        (void) PMIx_server_IOF_deliver(proc, PMIX_FWD_STDOUT_CHANNEL, bytes, NULL, 0, ignore_op,
                                       NULL);
        half_server_run();
    }
}

/* What other nodes say comes by the host: an event, as a client would send it. */
static void pass_on(const pmix_proc_t *source, const struct fuzz_step *step)
{
    const struct px_request *request = &px_request_notify;
    struct px_in in = px_in_make(step->payload, step->len, PX_WIRE_PLAIN);
    struct px_notify_args args = {.head = {.info = NULL}};

    if (px_args_unpack(&in, request, &args.head) == 0) {
        (void) PMIx_Notify_event(args.code, source, args.range, args.head.info, args.head.ninfo,
                                 ignore_op, NULL);
        half_server_run();
    }
    px_args_fini(request, &args.head);
}

static void host_does(const struct fuzz_step *step)
{
    pmix_byte_object_t bytes = {.bytes = (char *) (uintptr_t) step->payload, .size = step->len};
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, FUZZ_JOB,
                     step->what >> 4 == ALL ? PMIX_RANK_WILDCARD : step->what >> 4);
    switch (step->what & 15) {
    case 0:
        (void) PMIx_Notify_event(PMIX_ERR_PROC_TERM_WO_SYNC - (int) step->len, &proc,
                                 PMIX_RANGE_SESSION, NULL, 0, ignore_op, NULL);
        break;
    case 1:
        (void) PMIx_server_IOF_deliver(&proc, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, ignore_op,
                                       NULL);
        break;
    case 2:
        (void) PMIx_server_dmodex_request(&proc, ignore_data, NULL);
        break;
    case 3:
        PMIx_server_deregister_client(&proc, NULL, NULL);
        break;
    case 4:
        half_server_modex(step->payload, step->len);
        break;
    case 5:
        PMIx_server_deregister_nspace(proc.nspace, NULL, NULL);
        break;
    case 6:
        flood(&proc, &bytes);
        break;
    case 7:
        fuzz_clock_pass(fuzz_number(step));
        break;
    case 8:
        fuzz_clock_tick(fuzz_number(step));
        break;
    case 9:
        (void) PMIx_server_IOF_flow_control(step->what >> 4 ? &proc : NULL, PMIX_FWD_STDIN_CHANNEL,
                                            step->len, NULL, 0, ignore_op, NULL);
        break;
    case 10:
        pass_on(&proc, step);
        break;
    case 11:
        half_server_settle();
        break;
    case 12:
        started_end();
        break;
    default:
        break;
    }
    half_server_run();
}

/* Three numbers of two bytes: how often, and how many bytes come once more, and how many come
 * behind all of them. */
static void long_message(int fd, const struct fuzz_step *step)
{
    struct half_long message = {step->payload + LONG_HEAD, step->len - LONG_HEAD, 0, 0, 0};

    message.times = step->payload[0] | step->payload[1] << 8;
    message.n_again = step->payload[2] | step->payload[3] << 8;
    message.n_behind = step->payload[4] | step->payload[5] << 8;
    if (message.n_again + message.n_behind <= message.len &&
        message.n_again * message.times <= LONGEST) {
        half_server_write_long(fd, step->what, &message);
    }
}

static void peer_does(const struct fuzz_step *step)
{
    int *peer = &peers[(step->who & WHO) % N_PEERS];

    if (*peer == UNBORN) {
        bool other = peer == &peers[OTHER];

        *peer = half_server_introduce(client_bits | (other ? HELLO_OTHER : 0), 0);
    }
    if (*peer < 0) {
        return;
    }
    if (step->who & LONG && step->len >= LONG_HEAD) {
        long_message(*peer, step);
    } else {
        half_server_write(*peer, step->who & RAW ? -1 : step->what, step->payload, step->len);
    }
    if (!(step->who & DEAF)) {
        half_server_read(*peer);
    }
    if (step->who & GONE) {
        close(*peer);
        *peer = -1;
        half_server_run();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, data + size};
    struct fuzz_step step;
    uint8_t host;

    host = fuzz_byte(&in);
    (void) half_server_start(host % N_HOSTS,
                             (host & LIMITLESS ? ROOMY : 0) | (host & OF_LAUNCHER ? LAUNCHER : 0));
    for (uint32_t i = 0; i < N_FIRST; i++) {
        uint8_t bits = fuzz_byte(&in);

        client_bits = i == 0 ? bits & CLIENT_BITS : client_bits;
        peers[i] = half_server_introduce(i < 2 ? bits & CLIENT_BITS : bits | HELLO_TOOL, i);
    }
    peers[HOST] = -1;
    peers[OTHER] = UNBORN;
    peers[CLONE] = UNBORN;
    while (fuzz_next(&in, &step)) {
        if ((step.who & WHO) == HOST) {
            host_does(&step);
        } else {
            peer_does(&step);
        }
    }
    for (int i = 0; i < N_PEERS; i++) {
        if (peers[i] >= 0) {
            close(peers[i]);
        }
    }
    started_end();
    half_server_stop();
    return 0;
}
