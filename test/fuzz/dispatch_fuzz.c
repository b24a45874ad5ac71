/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The server against what admitted peers may send. Byte 0 chooses the host, bytes 1 to 3 the
 * introductions of process 0, of process 1 and of a tool; then steps: `who` is one of these three
 * (0, 1, 2), the host (3), or a process of another job (4), which is introduced as process 0 is
 * when it comes first. With 0x80 the bytes are sent without a frame, with 0x40 the peer is gone
 * after them, with 0x20 it does not read the replies until it sends again; `what` is the tag of a
 * message, or what the host does. */
#include <unistd.h>

#include <pmix_server.h>

#include "fuzz.h"
#include "half_server.h"

enum { N_FIRST = 3, HOST = 3, OTHER = 4, N_PEERS };
enum { UNBORN = -2 };
enum { RAW = 0x80, GONE = 0x40, DEAF = 0x20, WHO = 0x07 };

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

static void host_does(const struct fuzz_step *step)
{
    pmix_byte_object_t bytes = {.bytes = (char *) (uintptr_t) step->payload, .size = step->len};
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, FUZZ_JOB, step->what >> 4);
    switch (step->what & 7) {
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
    default:
        break;
    }
    half_server_run();
}

static void peer_does(const struct fuzz_step *step)
{
    int *peer = &peers[(step->who & WHO) % N_PEERS];

    if (*peer == UNBORN) {
        *peer = half_server_introduce(client_bits | HELLO_OTHER, 0);
    }
    if (*peer < 0) {
        return;
    }
    half_server_write(*peer, step->who & RAW ? -1 : step->what, step->payload, step->len);
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

    (void) half_server_start(fuzz_byte(&in) % N_HOSTS, 0);
    for (uint32_t i = 0; i < N_FIRST; i++) {
        uint8_t bits = fuzz_byte(&in);

        client_bits = i == 0 ? bits & CLIENT_BITS : client_bits;
        peers[i] = half_server_introduce(i < 2 ? bits & CLIENT_BITS : bits | HELLO_TOOL, i);
    }
    peers[HOST] = -1;
    peers[OTHER] = UNBORN;
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
    half_server_stop();
    return 0;
}
